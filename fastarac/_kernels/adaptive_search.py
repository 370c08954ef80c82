"""Betting on outputs that are drawn step by step, without replacement, where the threshold may lie.

Outputs lie in cells, by their confidence first: interval c // n_bins of cell c. A candidate is all
outputs of the intervals up to its own. Capitals, bets and what is known are arrays by candidate or by
cell; `place` and `money` hold the few numbers of the search itself.
"""

from __future__ import annotations

import math

from fastarac._kernels._jit import Array, kernel

STARTED, FIRST, FRONTIER, LABELS, NEXT_LOOK = range(5)  # of `place`
GOAL, BEGINNING = range(2)  # of `money`
BETS = (0.97, 0.8, 0.6, 0.4)  # of the largest bet that cannot lose everything
SHARES = (0.5, 0.2, 0.15, 0.15)  # of the capital on each
STEPS = 24  # of the bisection for the best bet
EDGE = 0.99  # of the largest bet, up to which the best one is sought
BOOSTS = 6  # densities that are tried where errors are likely: powers of 2
PILOT = 0.15  # of ln(1/δ)/ε labels, before a first candidate is chosen
BOTTOM = 0.01  # of the outputs, within which the pilot makes no difference
LEAD = 0.75  # the first candidate, of the largest that seems to hold
SAFE = 0.25  # its rate of errors over the limit, at most
PATIENCE = 1.5  # times the labels of a new beginning, that the present candidate may need
BEYOND = 0.05  # density of what lies beyond the target
REACH = 2.0  # times ln(1/δ)/ε labels, that the target may need more than the next candidate
GROWING = 3.0  # times the labels so far, that it may need more
PRIOR, PRIOR_RATE = (
    0.5,
    0.2,
)  # labels thought to be before the first, times ε; their errors' rate, over ε
DOUBT = 0.2  # errors that may not have been seen


@kernel
def best_bet(chance: Array, rate: Array, weight: Array, limit: float, most: float) -> float:
    """The bet up to `most` that makes the capital grow fastest, if errors have these rates by level."""
    right, slope = 1.0, 0.0
    for level in range(3):
        wrong = chance[level] * rate[level]
        right -= wrong
        slope += wrong * (limit - weight[level])
    if slope + right * limit <= 0.0:
        return 0.0
    low, high = 0.0, most
    for _ in range(STEPS):
        bet = 0.5 * (low + high)
        slope = right * limit / (1.0 + bet * limit)
        for level in range(3):
            gain = limit - weight[level]
            slope += chance[level] * rate[level] * gain / (1.0 + bet * gain)
        if slope > 0.0:
            low = bet
        else:
            high = bet
    return low


@kernel
def growth_of(chance: Array, rate: Array, weight: Array, limit: float, bet: float) -> float:
    """How much the logarithm of the capital grows with each output drawn of a candidate, on average."""
    right, growth = 1.0, 0.0
    for level in range(3):
        wrong = chance[level] * rate[level]
        right -= wrong
        if wrong > 0.0:
            growth += wrong * math.log(1.0 + bet * (limit - weight[level]))
    return growth + right * math.log(1.0 + bet * limit)


@kernel
def estimate_rates(
    total: Array, seen: Array, wrong: Array, limit: float, n_bins: int, rates: Array, blocks: Array
) -> None:
    """Rates of errors by cell: they do not fall with the confidence's fall, in each bin of the judge.

    `blocks` (3, n_intervals) is room for the errors, the labels and the ends of pooled neighbours.
    """
    n = 0
    for c in range(len(total)):
        n += total[c]
    n_intervals = len(total) // n_bins
    for j in range(n_bins):
        m = 0
        for k in range(n_intervals):
            c = k * n_bins + j
            before = PRIOR / limit * total[c] / n
            e, w = wrong[c] + PRIOR_RATE * limit * before, seen[c] + before
            while m > 0 and blocks[0, m - 1] * w >= e * blocks[1, m - 1]:
                m -= 1
                e += blocks[0, m]
                w += blocks[1, m]
            blocks[0, m], blocks[1, m], blocks[2, m] = e, w, k
            m += 1
        block = 0
        for k in range(n_intervals):
            if k > blocks[2, block]:
                block += 1
            rates[k * n_bins + j] = (
                blocks[0, block] / blocks[1, block] if blocks[1, block] > 0.0 else 0.0
            )


@kernel
def rates_left(
    total: Array, seen: Array, wrong: Array, enough: Array, rates: Array, n_bins: int, left: Array
) -> None:
    """Of each candidate: outputs without a label, their expected rate of errors, and what refutes it.

    `left` (3, n_candidates). The last is the rate at which they would have one error too many.
    """
    rest = errors = expected = 0.0
    for k in range(len(enough)):
        for c in range(k * n_bins, (k + 1) * n_bins):
            here = total[c] - seen[c]
            rest += here
            expected += here * rates[c]
            errors += wrong[c]
        left[0, k] = rest
        left[1, k] = expected / rest if rest > 0.0 else 0.0
        left[2, k] = (enough[k] - errors) / rest if rest > 0.0 else 0.0


@kernel
def labels_needed(rate: float, limit: float, capital: float, goal: float) -> float:
    """Labels until the capital reaches the goal, drawn evenly of a candidate with that rate."""
    if rate >= limit or limit <= 0.0:
        return math.inf
    if limit >= 1.0 or capital >= goal:
        return 0.0
    growth = (1.0 - rate) * math.log((1.0 - rate) / (1.0 - limit))
    if rate > 0.0:
        growth += rate * math.log(rate / limit)
    return math.log(goal / capital) / growth


@kernel
def choose_first(left: Array, sizes: Array) -> int:
    """The candidate to begin with: a little less than the largest that seems to hold."""
    best, least = 0, math.inf
    largest = -1
    for k in range(left.shape[1]):
        ratio = left[1, k] / left[2, k] if left[2, k] > 0.0 else math.inf
        if ratio <= SAFE:
            largest = k
        if ratio < least:
            best, least = k, ratio
    if largest < 0:
        return best
    first = largest
    while first > 0 and sizes[first - 1] >= LEAD * sizes[largest]:
        first -= 1
    return first


@kernel
def as_chances(sums: Array, chance: Array, rate: Array, weight: Array) -> None:
    """From sums by level: the chance of each level, its rate, and the weight of one of its outputs."""
    outputs = sums[0, 0] + sums[0, 1] + sums[0, 2]
    densities = sums[1, 0] + sums[1, 1] + sums[1, 2]
    for level in range(3):
        chance[level] = sums[1, level] / densities
        rate[level] = sums[2, level] / sums[1, level] if sums[1, level] > 0.0 else 0.0
        weight[level] = (
            densities / outputs * sums[0, level] / sums[1, level] if sums[1, level] > 0.0 else 1.0
        )


@kernel
def explore(total: Array, n_bins: int, density: Array) -> None:
    """Densities of the pilot: evenly, and as much by the logarithm of the place from the bottom."""
    n = 0
    for c in range(len(total)):
        n += total[c]
    below = 0.0
    for k in range(len(total) // n_bins - 1, -1, -1):
        here = 0.0
        for c in range(k * n_bins, (k + 1) * n_bins):
            here += total[c]
        place = (below + 0.5 * here) / n
        density[k * n_bins : (k + 1) * n_bins] = 1.0 + 1.0 / (
            (place + BOTTOM) * math.log(1.0 + 1.0 / BOTTOM)
        )
        below += here


@kernel
def aim(
    total: Array, seen: Array, wrong: Array, enough: Array, capital: Array, place: Array, money: Array,
    limit: float, n_bins: int, room: Array, density: Array,
) -> None:  # fmt: skip
    """Choose the density with which outputs are drawn next, from nothing but earlier answers.

    The target is the largest candidate that needs not many more labels than the next one; within it
    the cells where errors are likely are drawn with the density that makes its capital grow fastest.
    """
    density[:] = 1.0
    if place[STARTED] == 0:
        explore(total, n_bins, density)
        return
    n_candidates = len(enough)
    rates, left = room[0, : len(total)], room[1:4, :n_candidates]
    estimate_rates(total, seen, wrong, limit, n_bins, rates, room[4:7])
    rates_left(total, seen, wrong, enough, rates, n_bins, left)
    left[1] += DOUBT / (place[LABELS] + 0.5 / limit)
    frontier = place[FRONTIER]
    if frontier >= n_candidates:
        return
    needed = labels_needed(left[1, frontier], left[2, frontier], capital[frontier], money[GOAL])
    target = frontier
    reach = max(REACH * math.log(money[GOAL]) / limit, GROWING * place[LABELS])
    for k in range(frontier + 1, n_candidates):
        more = labels_needed(left[1, k], left[2, k], capital[k], money[GOAL])
        if more <= needed + reach and more < math.inf:
            target = k
    end = (target + 1) * n_bins
    density[end:] = BEYOND
    if left[0, target] <= 0.0 or not 0.0 < left[2, target] < 1.0:
        return
    sums = room[7:13, :3]
    chance, rate, weight = sums[3], sums[4], sums[5]
    best, best_rate, best_boost = 0.0, math.inf, 1.0
    last = -1.0
    for c in range(end):  # each rate that there is, as the least of the border
        border = rates[c]
        if border == last or seen[c] == total[c]:
            continue
        last = border
        for power in range(BOOSTS):
            boost = 2.0**power
            sums[:3] = 0.0
            for i in range(end):
                here = total[i] - seen[i]
                if here > 0:
                    inside = rates[i] >= border
                    level, d = (2, boost) if inside else (1, 1.0)
                    sums[0, level] += here
                    sums[1, level] += here * d
                    sums[2, level] += here * d * rates[i]
            as_chances(sums, chance, rate, weight)
            most = max(weight[1] if sums[0, 1] > 0.0 else 0.0, weight[2] if sums[0, 2] > 0.0 else 0.0)
            bet = best_bet(
                chance, rate, weight, left[2, target], EDGE / max(most - left[2, target], 1e-9)
            )
            growth = growth_of(chance, rate, weight, left[2, target], bet)
            if growth > best:
                best, best_rate, best_boost = growth, border, boost
    if best_boost > 1.0:
        for c in range(end):
            if rates[c] >= best_rate:
                density[c] = best_boost


@kernel
def look(
    total: Array, seen: Array, wrong: Array, enough: Array, sizes: Array, capital: Array,
    parts: Array, passed: Array, place: Array, money: Array, limit: float, n_bins: int, room: Array,
) -> None:  # fmt: skip
    """Choose the candidate to begin with, and begin anew where that promises more."""
    n_candidates = len(enough)
    rates, left = room[0, : len(total)], room[1:4, :n_candidates]
    estimate_rates(total, seen, wrong, limit, n_bins, rates, room[4:7])
    rates_left(total, seen, wrong, enough, rates, n_bins, left)
    if place[STARTED] == 0:
        if place[LABELS] < PILOT * math.log(money[GOAL]) / limit:
            return
        place[STARTED] = 1
        place[FIRST] = place[FRONTIER] = choose_first(left, sizes)
    elif place[FRONTIER] == place[FIRST]:
        first = place[FIRST]
        other = choose_first(left, sizes)
        if other < first:
            rest = money[BEGINNING]
            for k in range(first, n_candidates):
                rest = min(rest, capital[k])
            here = labels_needed(left[1, first], left[2, first], capital[first], money[GOAL])
            there = labels_needed(left[1, other], left[2, other], rest, money[GOAL])
            if here > PATIENCE * there:
                place[FIRST] = place[FRONTIER] = other
                money[BEGINNING] = rest
                capital[:] = rest
                for b in range(len(BETS)):
                    parts[:, b] = rest * SHARES[b]
                passed[:] = False


@kernel
def advance(
    cells: Array, errors: Array, total: Array, seen: Array, wrong: Array, enough: Array, sizes: Array,
    capital: Array, parts: Array, passed: Array, place: Array, money: Array, limit: float, n_bins: int,
    room: Array, density: Array,
) -> None:  # fmt: skip
    """Take the answers to outputs of these cells, in the order in which they were drawn."""
    n_candidates = len(enough)
    for t in range(len(cells)):
        if place[LABELS] >= place[NEXT_LOOK]:
            look(total, seen, wrong, enough, sizes, capital, parts, passed, place, money,
                 limit, n_bins, room)  # fmt: skip
            place[NEXT_LOOK] = place[LABELS] + 1 + place[LABELS] // 32
        cell = cells[t]
        mine = cell // n_bins
        is_wrong = errors[t]
        rest = known = 0
        mass = 0.0
        least = math.inf
        for k in range(n_candidates):
            for c in range(k * n_bins, (k + 1) * n_bins):
                here = total[c] - seen[c]
                if here > 0:
                    rest += here
                    mass += here * density[c]
                    least = min(least, density[c])
                known += wrong[c]
            if known + rest < enough[k]:
                passed[k] = True  # whatever the answers to come
            if k < mine or place[STARTED] == 0 or k < place[FIRST] or passed[k]:
                continue
            refuted = (enough[k] - known) / rest
            if refuted <= 0.0:
                continue
            loss = max(mass / (rest * least) - refuted, 1e-9)  # of a bet of 1, at most
            gain = refuted
            if is_wrong:
                gain -= mass / (rest * density[cell])
            capital[k] = 0.0
            for b in range(len(BETS)):
                parts[k, b] *= 1.0 + BETS[b] * gain / loss
                capital[k] += parts[k, b]
            if capital[k] >= money[GOAL]:
                passed[k] = True
        seen[cell] += 1
        wrong[cell] += is_wrong
        place[LABELS] += 1
        if is_wrong:
            place[NEXT_LOOK] = place[LABELS]
        while place[STARTED] and place[FRONTIER] < n_candidates and passed[place[FRONTIER]]:
            place[FRONTIER] += 1


@kernel
def draw(total: Array, drawn: Array, density: Array, uniform: Array, cells: Array) -> None:
    """Draw cells in proportion to the density of what has not been drawn of them, one by one."""
    mass = 0.0
    for c in range(len(total)):
        mass += (total[c] - drawn[c]) * density[c]
    for t in range(len(cells)):
        point = uniform[t] * mass
        chosen = -1
        for c in range(len(total)):
            here = (total[c] - drawn[c]) * density[c]
            if here > 0.0:
                chosen = c
                if point < here:
                    break
                point -= here
        cells[t] = chosen
        drawn[chosen] += 1
        mass = max(mass - density[chosen], 0.0)
