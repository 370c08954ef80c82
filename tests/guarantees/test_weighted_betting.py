"""Bets on verified outputs: against a slow reference, by enumeration and by simulation."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa
from fastarac._core.random_state import key_of
from fastarac.guarantees import weighted_betting
from fastarac.guarantees.weighted_betting import bet_on_verified

pytestmark = pytest.mark.interpreted

LIMIT, DELTA = 0.05, 0.1


def inverse_mills(p):
    t = math.sqrt(-2 * math.log(min(p, 1 - p)))
    u = t - (2.515517 + 0.802853 * t + 0.010328 * t**2) / (
        1 + 1.432788 * t + 0.189269 * t**2 + 0.001308 * t**3
    )
    return math.exp(-u * u / 2) / math.sqrt(2 * math.pi) / p


def isotonic(pairs, new):
    """Of (judge, error, weight): the largest of the smallest means around, as fractions."""
    values = sorted({j for j, _, _ in pairs})
    at = max([v for v in values if v <= new], default=values[0])

    def mean(low, high):
        inside = [(e, w) for j, e, w in pairs if low <= j <= high]
        return sum(e * w for e, w in inside) / sum(w for _, w in inside)

    return float(max(min(mean(a, b) for b in values if b >= at) for a in values if a <= at))


def best_bet(before, few, least, capital, squares, t, n, level, limit, largest):
    """The bet and the clip that would have gained most from (π, counted) of the items `before`.

    Of `few` outputs the first clip is the largest weight, and four accepted ones of it were before.
    """
    clips = [2 ** (k / 4) for k in range(80, -1, -1)]
    if few:
        clips = [clip for clip in clips if clip * least <= 1]
        clips = [clip / clips[0] / least for clip in clips]
    best = -math.inf, 0.0, 0.0
    counted = np.array([pi for pi, accepted in before if accepted])
    for clip in clips:
        most = largest * (clip * (1 - few * least) + 1 - limit)
        sigma = math.sqrt((squares + limit * most) / (t + 1))
        bet = min(inverse_mills(level * capital / 1.05) / (sigma * math.sqrt(n - t)), 0.95 / most)
        added = np.maximum(0.0, 1 - clip * counted).sum() + few * 4 * (1 - clip * least)
        gained = bet * (0.4 * limit * len(before) - added)
        if gained > best[0] + 1e-9:
            best = gained, bet, clip
    return best[1:]


def reaches(units, expected, threshold, level, limit, delta, largest, of_accepted, begin):
    """Whether a capital of 1 ever reaches 1/level; a unit is a list of (t, error, pi, judge)."""
    n = len(units)
    capital, squares, top, bottom = 1.0, 0.0, 0.0, 0.0
    weights = [item[2] for unit in units for item in unit]
    few = 1 <= len(weights) * min(weights) * limit / math.log(1 / delta) / largest <= 3
    begin = 0 if few else begin
    before, bet, clip = [], 0.0, 1 / min(weights) if few else 2.0**20
    for t, unit in enumerate(units):
        if t >= begin:
            bet, clip = best_bet(
                before, few, min(weights), capital, squares, t, n, level, limit, largest
            )
        kappa = min(1.0, top / bottom) if bottom else 0.0
        gain = 0.0
        for (confidence, error, pi, _), guess in zip(unit, expected[t], strict=True):
            accepted = confidence >= threshold
            y = 0.0
            if accepted:
                known = not math.isnan(error)
                y = kappa * guess + (error - kappa * guess) / pi * known if known else kappa * guess
                whole = min(1.0, clip * pi)
                y = whole * y + (1 - whole)
                if known:
                    top += (1 - pi) / pi**2 * error * guess
                    bottom += (1 - pi) / pi**2 * guess**2
            gain += (limit if accepted or not of_accepted else 0.0) - y
            if accepted or not of_accepted:
                before.append((pi, accepted))
        if t >= begin:
            capital *= 1 + bet * gain
            assert capital > 0
            if capital >= 1 / level:
                return True
        squares += gain * gain
    return False


def judged(units, judge):
    """What the judge is worth, from the units in the blocks before; 0 without one."""
    if judge == "none":
        return [[0.0] * len(unit) for unit in units]
    n, found = len(units), [[item[3] for item in unit] for unit in units]
    starts = [n // part for part in (32, 16, 8, 4, 2) if n // part] + [n]
    for start, stop in itertools.pairwise(starts):
        pairs = [(j, e, 1 / pi) for unit in units[:start] for _, e, pi, j in unit if not math.isnan(e)]
        for t in range(start, stop):
            if pairs:
                found[t] = [isotonic(pairs, item[3]) for item in units[t]]
    return found


def population(rng, n, judge):
    confidence = rng.random(n).round(1 + (n > 200))
    wrong = rng.random(n) < 0.3 * (1 - confidence)
    pi = np.where(confidence > 0.5, 0.3, 0.6)
    error = np.where(rng.random(n) < pi, wrong.astype(float), np.nan)
    given = {
        "none": None,
        "good": np.clip(np.where(wrong, 0.7, 0.1) + 0.2 * rng.normal(size=n), 0, 1).round(1),
        "hostile": np.where(wrong, 0.05, 0.6),
    }[judge]
    return confidence, error, pi, given


@pytest.mark.compiled
@pytest.mark.parametrize("judge", ["none", "good", "hostile"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("criterion", ["max_error_rate", "max_risk"])
def test_slow_reference(judge, grouped, criterion, monkeypatch):
    for seed, n, limit in ((0, 70, 0.2), (1, 100, 0.4)):  # few outputs for their limit, and enough
        drawn = np.random.default_rng(seed)
        monkeypatch.setattr(weighted_betting, "generator_for", lambda *_, drawn=drawn: drawn)
        rng = np.random.default_rng([3, seed])
        confidence, error, pi, given = population(rng, n, judge)
        codes = None
        if grouped:  # drawn whole
            codes = np.arange(n) // 2
            error[::2] = np.where(np.isnan(error[1::2]), np.nan, error[::2])
            pi[::2] = pi[1::2]
            error[::2] = np.where(np.isnan(error[::2]) & ~np.isnan(error[1::2]), 0.0, error[::2])
        grid = np.linspace(0.95, 0.0, 15) if criterion == "max_risk" else None
        options = {
            "criterion": criterion,
            "limit": limit,
            "failure_probability": 0.2,
            "thresholds": grid,
        }
        found = bet_on_verified(
            confidence, error, pi, judge=given, codes=codes, key=key_of(seed), **options,
            pilot=None if grid is None else np.linspace(0, 1, 50),
        )  # fmt: skip
        # the random order: of items by confidence, judge, probability and error, or of groups
        plain = np.zeros(n) if given is None else given
        keys = [
            (error[i] if error[i] == error[i] else 2.0, pi[i], plain[i], -confidence[i], i)
            for i in range(n)
        ]
        order = sorted(range(n), key=keys.__getitem__)
        draw = np.random.default_rng(seed)
        if grouped:
            units = [[i for i in order if codes[i] == g] for g in draw.permutation(n // 2)]
        else:
            units = [[order[i]] for i in draw.permutation(n)]
        units = [[(confidence[i], error[i], pi[i], plain[i]) for i in unit] for unit in units]
        worth = judged(units, judge)
        begin = max(1, len(units) // 32)
        arguments = limit, 0.2, 1 + grouped, criterion == "max_risk", begin
        expected = math.inf
        if grid is None:
            for threshold in sorted(set(confidence.tolist()), reverse=True):
                if not reaches(units, worth, threshold, 0.2, *arguments):
                    break
                expected = threshold
        else:
            shares = np.array([np.mean(np.linspace(0, 1, 50) >= t) for t in grid])
            level = 0.0
            start = {}
            seen = min(item[2] for unit in units[:begin] for item in unit)
            size = int(n * seen / (1 + grouped))
            first = 1.5 * math.log(5 / 0.2) / limit
            targets = (
                [0.97 * size] if first > 0.97 * size else np.geomspace(first, 0.97 * size, 5).tolist()
            )
            for target in targets:
                index = next((i for i, s in enumerate(shares) if s * size >= target), 14)
                start[index] = start.get(index, 0.0) + 0.2 / len(targets)
            for index, threshold in enumerate(grid.tolist()):
                level += start.get(index, 0.0)
                if level and reaches(units, worth, threshold, level, *arguments):
                    expected = threshold
                else:
                    level = 0.0
        assert found.threshold == expected


@pytest.mark.compiled
def test_the_chance_of_a_false_proof_by_enumeration():
    """Of five outputs whose rate is the limit; the judge believes that errors are right.

    Outputs are sorted before they are shuffled, so that what is found depends on how many there are of
    each kind alone: a few other orders are tried.
    """
    limit, delta, n = 0.5, 0.5, 5
    pi = {0.1: 0.5, 0.8: 0.7}
    # what the judge says, whether the output is wrong, and whether it is verified
    cells = [
        (judge, wrong, seen, (0.6 if (judge == 0.1) == wrong else 0.4) / 2 * (p if seen else 1 - p))
        for judge, p in pi.items()
        for wrong in (True, False)
        for seen in (True, False)
    ]
    kinds = {}
    for judge, wrong, seen, chance in cells:  # of what is not verified, both kinds are one
        key = judge, float(wrong) if seen else math.nan
        key = (judge, "open") if not seen else key
        kinds[key] = kinds.get(key, 0.0) + chance
    assert math.isclose(sum(kinds.values()), 1.0)

    def is_proved(drawn):
        judge = np.array([kind[0] for kind in drawn])
        error = np.array([math.nan if kind[1] == "open" else kind[1] for kind in drawn])
        found = bet_on_verified(
            np.ones(n), error, np.array([pi[j] for j in judge.tolist()]), judge=judge,
            criterion="max_error_rate", limit=limit, failure_probability=delta,
            key=key_of(0),
        )  # fmt: skip
        return found.threshold == 1.0

    proved = whole = 0.0
    for k, drawn in enumerate(itertools.combinations_with_replacement(kinds, n)):
        orders = math.factorial(n) / math.prod(math.factorial(m) for m in Counter(drawn).values())
        chance = orders * math.prod(kinds[kind] for kind in drawn)
        whole += chance
        proved += chance * is_proved(drawn)
        if k % 4 == 0:
            assert is_proved(drawn[::-1]) == is_proved(drawn[2:] + drawn[:2]) == is_proved(drawn)
    assert math.isclose(whole, 1.0)
    assert 0.0 < proved <= delta


def source(rng, n, judge):
    """Uniform confidences, errors with probability 0.2·(1 − t)², π aimed at them by half."""
    confidence = rng.random(n)
    chance = 0.2 * (1 - confidence) ** 2
    wrong = rng.random(n) < chance
    aim = np.sqrt(chance * (1 - chance))
    pi = np.minimum(1.0, 0.05 + 0.05 * aim / 0.19)
    error = np.where(rng.random(n) < pi, wrong.astype(float), np.nan)
    given = {
        "none": None,
        "good": np.clip(np.where(wrong, 0.8, 0.1) + 0.2 * rng.normal(size=n), 0, 1),
        "hostile": np.where(wrong, 0.02, 0.5),
    }[judge]
    return confidence, error, pi, given


@pytest.mark.slow
@pytest.mark.parametrize("judge", ["none", "good", "hostile"])
def test_the_limit_is_kept_whatever_the_judge_says(judge):
    rng = np.random.default_rng(27)
    runs, broken, accepted = 40, 0, 0.0
    for _ in range(runs):
        confidence, error, pi, given = source(rng, 2000, judge)
        found = bet_on_verified(
            confidence, error, pi, judge=given, criterion="max_error_rate", limit=LIMIT,
            failure_probability=DELTA, key=key_of(rng),
        )  # fmt: skip
        threshold = min(float(found.threshold), 1.0)
        broken += 0.2 * (1 - threshold) ** 3 / 3 > LIMIT
        accepted += (1 - threshold) / runs
    assert broken <= DELTA * runs + 2.5 * math.sqrt(DELTA * (1 - DELTA) * runs)
    assert accepted > 0.5


def test_what_is_declared():
    rng = np.random.default_rng(1)
    confidence, error, pi, _ = source(rng, 500, "none")
    options = {
        "criterion": "max_error_rate",
        "limit": 0.1,
        "failure_probability": 0.1,
        "key": key_of(rng),
    }
    with pytest.raises(ValueError, match=r"max_group_size must be at least 5 \(the size of"):
        bet_on_verified(confidence, error, pi, codes=np.arange(500) // 5, max_group_size=2, **options)
    assert bet_on_verified(confidence, error, pi, **{**options, "limit": 0.0}).threshold == math.inf
    assert bet_on_verified(confidence, error, pi, **{**options, "limit": 1.0}).threshold == min(
        confidence
    )


@pytest.mark.slow
def test_many_outputs_take_their_thresholds_from_a_few():
    rng = np.random.default_rng(2)
    n = 2**15 + 1
    confidence, error, pi, judge = source(rng, n, "good")
    found = bet_on_verified(
        confidence, error, pi, judge=judge, criterion="max_error_rate", limit=LIMIT,
        failure_probability=DELTA, key=key_of(rng),
    )  # fmt: skip
    assert found.threshold in confidence
    assert 0.6 < np.mean(confidence >= found.threshold) < 0.95


class TestLogs:
    """`guaranteed_operating_point` from a log whose audit probabilities differ."""

    def log(self, seed=0, n=4000):
        rng = np.random.default_rng(seed)
        confidence = rng.random(n)
        pi = np.where(confidence < 0.25, 1.0, np.where(confidence > 0.6, 0.1, 0.3))
        drawn = rng.random(n) < pi
        correct = np.where(rng.random(n) < 0.2 * (1 - confidence) ** 2, 0.0, 1.0)
        correct = np.where(drawn, correct, np.nan)
        return fa.PartialTruth(correct, inclusion_probability=pi, drawn=drawn), confidence

    @pytest.mark.slow
    def test_sentences(self):
        found = fa.guaranteed_operating_point(*self.log(), max_error_rate=0.04)
        assert found.assumed_probability is None
        assert "errors remain among all items (observed" in str(found)
        assert math.isnan(found.bound)

    def test_too_few(self):
        with pytest.warns(fa.SampleTooSmallWarning, match="needs about 29958 without an error"):
            found = fa.guaranteed_operating_point(*self.log(), max_error_rate=0.001)
        assert found.threshold == math.inf

    def test_risk(self):
        grid, pilot = np.linspace(0.95, 0.0, 20), np.linspace(0.0, 1.0, 100)
        found = fa.guaranteed_operating_point(*self.log(), max_risk=0.1, thresholds=grid, pilot=pilot)
        assert found.threshold in grid


def test_no_seed_breaks_the_promise():
    """The seed alone must not decide the order: errors stand together before they are shuffled.

    In 300 samples for each seed; in 10 without the compiler.
    """
    rng = np.random.default_rng(5)
    runs, n = 300 if COMPILED else 10, 600
    for seed in range(4):
        broken = 0
        for _ in range(runs):
            found = bet_on_verified(
                rng.integers(2, size=n), (rng.random(n) < 0.0501).astype(np.float64), np.ones(n),
                criterion="max_error_rate", limit=0.05, failure_probability=0.05, key=key_of(seed),
            )  # fmt: skip
            broken += found.threshold == 0
        assert broken <= 0.05 * runs + 2.5 * math.sqrt(0.05 * 0.95 * runs)
