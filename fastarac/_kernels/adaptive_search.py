"""Bet on outputs that are verified in a random order, to accept more and more of the surest ones.

Outputs are divided into cells by their confidence; cell 0 holds the highest confidences. Within a cell
they are sorted by `clock`, their random time of verification. Candidate k is the set of all outputs in
cells 0 to k. The kernels share these arrays:

- `counts` (3, n_candidates): the numbers of questions, answers and errors in each cell;
- `order`: the indices of the answered outputs, by their clock;
- `place`: whether the bets have started, the first and the current candidate, and the number of labels;
- `money`: the capital that the bets on a candidate must reach, the capital with which they begin, and
  the time after which bets are placed;
- `run`: the bets on the current candidate.
"""

from __future__ import annotations

import math

import numpy as np

from fastarac._kernels._jit import Array, kernel

ASKED, SEEN, WRONG = range(3)  # rows of `counts`
STARTED, FIRST, FRONTIER, LABELS = range(4)  # indices into `place`
GOAL, BEGINNING, START = range(3)  # indices into `money`
TIME, CAPITAL, PROGRESS, FOUND, MASS, ERRORS = range(6)  # indices into `run`
# Step of the time axis of `plan`. One error per unit of time is expected if the risk equals the limit.
STEP = 0.01
# Number of labels before the first candidate is chosen, in units of ln(1/δ)/ε, for the limit ε and the
# failure probability δ.
PILOT = 0.15
# The search starts with the smallest candidate that holds this share of the outputs of the largest
# candidate that seems safe.
LEAD = 0.75
SAFE = 0.25  # A candidate seems safe if its estimated risk is at most this share of the limit.
# The search restarts with another candidate if the current one is expected to need more than PATIENCE
# times as many labels as the other.
PATIENCE = 1.5
# The estimated risks are stabilised by PRIOR/ε pseudo-labels with the error rate PRIOR_RATE·ε, where ε
# is the limit on the risk.
PRIOR, PRIOR_RATE = 0.5, 0.2


@kernel
def kept_at_error(plan: Array, found: float, progress: float) -> float:
    """Return the share of the capital that an error leaves, if the output's density of draws is 1.

    ``plan[e, t]`` is the log probability of later acceptance after e errors at the time t, if the risk
    equals the limit (see `partial_truth.sequential_plan`).
    """
    e, t = int(found), int(progress / STEP)
    # Beyond the end of the plan, extrapolate the error rate.
    if e + 2 >= plan.shape[0] or t >= plan.shape[1]:
        return min(1.0, (found + 0.5) / (progress + 1.0))
    part = found - e
    now = plan[e, t] + part * (plan[e + 1, t] - plan[e, t])
    then = plan[e + 1, t] + part * (plan[e + 2, t] - plan[e + 1, t])
    return math.exp(min(then - now, 0.0))


@kernel
def bet_on(
    k: int, horizon: float, enough: int, cell: Array, clock: Array, density: Array, verdict: Array,
    order: Array, n_known: int, plan: Array, money: Array, run: Array,
) -> bool:  # fmt: skip
    """Bet on candidate k with the answers before `horizon`; return whether the bets reach the goal."""
    low, high = 0, n_known
    while low < high:
        middle = (low + high) // 2
        if clock[order[middle]] > run[TIME]:
            high = middle
        else:
            low = middle + 1
    for t in range(low, n_known):
        i = order[t]
        if clock[i] >= horizon:
            break
        if cell[i] > k:
            continue
        run[TIME] = clock[i]
        refuted = (enough - run[ERRORS]) / run[MASS]
        if clock[i] > money[START] and 0.0 < refuted < 1.0:
            kept = kept_at_error(plan, run[FOUND], run[PROGRESS])
            bet = (1.0 - kept) / (1.0 - refuted)
            run[CAPITAL] *= 1.0 + bet * (refuted - verdict[i] / density[i])
            run[PROGRESS] -= math.log1p(-refuted)
            run[FOUND] += verdict[i] / density[i]
        run[MASS] -= density[i]
        run[ERRORS] += verdict[i]
        if run[CAPITAL] >= money[GOAL]:
            return True
    return False


@kernel
def begin_run(k: int, mass: Array, money: Array, run: Array) -> None:
    """Reset the bets for candidate k."""
    run[:] = 0.0
    run[TIME] = -1.0
    run[CAPITAL] = money[BEGINNING]
    if k < len(mass):
        run[MASS] = mass[k]


@kernel
def settle(
    begin: Array, enough: Array, mass: Array, cell: Array, clock: Array, density: Array,
    verdict: Array, order: Array, counts: Array, plan: Array, place: Array, money: Array, run: Array,
) -> None:  # fmt: skip
    """Bet on the current candidate; each time its bets reach the goal, go on to the next larger one."""
    horizon = math.inf
    known = left = 0
    done = -1
    while place[FRONTIER] < len(enough):
        k = place[FRONTIER]
        for c in range(done + 1, k + 1):
            seen = counts[SEEN, c]
            known += counts[WRONG, c]
            left += begin[c + 1] - begin[c] - seen
            if begin[c] + seen < begin[c + 1]:
                horizon = min(horizon, clock[begin[c] + seen])
        done = k
        if known + left >= enough[k] and not bet_on(
            k, horizon, enough[k], cell, clock, density, verdict, order, place[LABELS], plan, money, run
        ):
            return
        place[FRONTIER] += 1
        begin_run(k + 1, mass, money, run)


@kernel
def estimate_risks(begin: Array, counts: Array, limit: float, risks: Array, blocks: Array) -> None:
    """Estimate the risk of each candidate, assuming that the error rate rises as the confidence falls.

    `blocks` (3, n_candidates) is scratch space for the errors, the labels and the last cell of each
    block of pooled cells.
    """
    n = begin[-1]
    m = 0
    for c in range(len(risks)):
        before = PRIOR / limit * (begin[c + 1] - begin[c]) / n
        e, w = counts[WRONG, c] + PRIOR_RATE * limit * before, counts[SEEN, c] + before
        while m > 0 and blocks[0, m - 1] * w >= e * blocks[1, m - 1]:
            m -= 1
            e += blocks[0, m]
            w += blocks[1, m]
        blocks[0, m], blocks[1, m], blocks[2, m] = e, w, c
        m += 1
    block = 0
    expected = 0.0
    for c in range(len(risks)):
        if c > blocks[2, block]:
            block += 1
        expected += (begin[c + 1] - begin[c]) * blocks[0, block] / blocks[1, block]
        risks[c] = expected / begin[c + 1]


@kernel
def labels_needed(risk: float, limit: float, capital: float, goal: float) -> float:
    """Return the expected number of labels until the capital of a candidate reaches the goal."""
    if capital >= goal:
        return 0.0
    if risk >= limit or capital <= 0.0:
        return math.inf
    growth = (1.0 - risk) * math.log((1.0 - risk) / (1.0 - limit))
    if risk > 0.0:
        growth += risk * math.log(risk / limit)
    return math.log(goal / capital) / growth


@kernel
def choose_first(risks: Array, begin: Array, limit: float) -> int:
    """Return the first candidate to test: somewhat smaller than the largest one that seems safe."""
    largest, least = -1, 0
    for k in range(len(risks)):
        if risks[k] <= SAFE * limit:
            largest = k
        if risks[k] < risks[least]:
            least = k
    if largest < 0:
        return least
    first = largest
    while first > 0 and begin[first] >= LEAD * begin[largest + 1]:
        first -= 1
    return first


@kernel
def look(
    begin: Array, mass: Array, clock: Array, order: Array, counts: Array, limit: float, place: Array,
    money: Array, run: Array,
) -> None:  # fmt: skip
    """Choose the first candidate, or restart with one that is expected to need far fewer labels."""
    is_first = place[STARTED] == 0
    if is_first and place[LABELS] < PILOT * math.log(money[GOAL]) / limit:
        return
    if not is_first and place[FRONTIER] != place[FIRST]:
        return
    risks, blocks = np.empty(len(mass)), np.empty((3, len(mass)))
    estimate_risks(begin, counts, limit, risks, blocks)
    other = choose_first(risks, begin, limit)
    if not is_first:
        first = place[FIRST]
        rest = min(money[BEGINNING], run[CAPITAL])
        here = labels_needed(risks[first], limit, run[CAPITAL], money[GOAL])
        if other >= first or here <= PATIENCE * labels_needed(risks[other], limit, rest, money[GOAL]):
            return
        money[BEGINNING] = rest
    place[STARTED] = 1
    place[FIRST] = place[FRONTIER] = other
    money[START] = clock[order[place[LABELS] - 1]]
    begin_run(other, mass, money, run)


@kernel
def count_answers(
    places: Array, answers: Array, limit: float, plan: Array, begin: Array, enough: Array, mass: Array,
    cell: Array, clock: Array, density: Array, verdict: Array, order: Array, counts: Array,
    place: Array, money: Array, run: Array,
) -> None:  # fmt: skip
    """Record answers (1 means error) in the order in which the questions were asked."""
    for t in range(len(places)):
        i = places[t]
        verdict[i] = answers[t]
        counts[SEEN, cell[i]] += 1
        counts[WRONG, cell[i]] += answers[t]
        at = place[LABELS]
        while at > 0 and clock[order[at - 1]] > clock[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
        place[LABELS] += 1
        if place[STARTED]:
            settle(begin, enough, mass, cell, clock, density, verdict, order, counts, plan,
                   place, money, run)  # fmt: skip
        look(begin, mass, clock, order, counts, limit, place, money, run)


@kernel
def next_place(begin: Array, clock: Array, counts: Array, place: Array) -> int:
    """Return the current candidate's unasked output with the lowest clock; -1 if all are asked.

    If the candidate has none left, the next cell that has one is used.
    """
    found = -1
    last = place[FRONTIER] if place[STARTED] else len(begin) - 2
    for c in range(len(begin) - 1):
        if c > last and found >= 0:
            break
        i = begin[c] + counts[ASKED, c]
        if i < begin[c + 1] and (found < 0 or clock[i] < clock[found]):
            found = i
    return found


@kernel
def ask_places(
    places: Array, limit: float, plan: Array, begin: Array, enough: Array, mass: Array, cell: Array,
    clock: Array, density: Array, verdict: Array, order: Array, counts: Array, place: Array,
    money: Array, run: Array,
) -> None:  # fmt: skip
    """Write the next outputs to verify into `places`, assuming that people find no error.

    The other arrays are changed, so the caller passes copies.
    """
    right = np.zeros(1, np.int64)
    for t in range(len(places)):
        i = next_place(begin, clock, counts, place)
        places[t] = i
        counts[ASKED, cell[i]] += 1
        count_answers(
            places[t : t + 1], right, limit, plan, begin, enough, mass, cell, clock, density, verdict,
            order, counts, place, money, run,
        )  # fmt: skip
