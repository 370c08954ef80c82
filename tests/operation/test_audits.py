"""Logs of audits: weighted counts, the exact guarantee by simulation, estimates, and bad rows."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

import fastarac as fa
from fastarac import operation
from fastarac.io import DataFileError
from fastarac.operation import checking, verified_rates
from fastarac.operation.auditing import audited_rates

N, K, PI, LIMIT = 20_000, 0.25, 0.1, 0.02  # X at K is 0.75


def draw(rng, n=N, pi=PI):
    """Confidences are uniform, and an error has the probability 0.2·(1 − t)²."""
    confidence = rng.random(n)
    correct = np.where(rng.random(n) < 0.2 * (1 - confidence) ** 2, 0.0, 1.0)
    seen = rng.random(n) < pi
    return np.where((confidence >= K) & ~seen, np.nan, correct), confidence


def error_rate(threshold):
    """∫ 0.2·(1 − t)² dt from the threshold on."""
    return 0.2 * (1 - min(max(threshold, 0.0), 1.0)) ** 3 / 3


class TestSweep:
    LOG = [1, np.nan, 0, np.nan, 1, 0, 0], [0.9, 0.8, 0.8, 0.7, 0.4, 0.3, 0.3]

    def test_it_is_the_sweep_of_a_partial_truth(self):
        pi = [0.5, 0.5, 0.25, 0.5, 0.1, 0.1, 0.1]
        sweep = operation.audited_sweep(*self.LOG, threshold=0.6, audit_probability=pi)
        known = [*pi[:4], 1, 1, 1]  # all that was rejected
        truth = fa.PartialTruth(self.LOG[0], inclusion_probability=known)
        expected = fa.threshold_sweep(truth, self.LOG[1])
        assert isinstance(sweep, type(expected))
        for name in ("thresholds", "true_accepts", "false_accepts", "squares", "n_verified"):
            assert np.array_equal(getattr(sweep, name), getattr(expected, name)), name
        assert sweep.thresholds.tolist() == [math.inf, 0.9, 0.8, 0.7, 0.4, 0.3]
        assert (sweep.true_accepts + sweep.false_accepts).tolist() == [0, 1, 3, 4, 5, 7]
        assert np.diff(sweep.false_accepts)[3:].tolist() == pytest.approx([0, 2])
        assert sweep.least_probability == 0.25
        assert sweep.accepted_at(np.array([0.85, 0.7, 0.0])).tolist() == [1, 4, 7]
        # it stands in for a sweep
        assert fa.operating_point(sweep, threshold=0.8).acceptance_rate == 3 / 7
        assert fa.arac_auc_score(sweep) > 0
        assert "\n" not in repr(sweep)

    def test_what_is_certain_counts_as_it_is(self):
        rng = np.random.default_rng(3)
        correct, confidence = draw(rng, 2000, pi=1.0)
        sweep = operation.audited_sweep(correct, confidence, threshold=K, audit_probability=1)
        whole = fa.threshold_sweep(correct, confidence)
        assert np.array_equal(sweep.false_accepts, whole.false_accepts)
        assert np.array_equal(sweep.true_accepts, whole.true_accepts)

    def test_thinning_is_the_same_in_any_order(self):
        rng = np.random.default_rng(0)
        confidence = rng.random(3000)
        pi = np.where(confidence > 0.5, 0.1, 0.2)
        correct = drawn_unequal(rng, confidence, pi)
        order = rng.permutation(3000)
        first = operation.audited_sweep(correct, confidence, threshold=K, audit_probability=pi)
        again = operation.audited_sweep(
            correct[order], confidence[order], threshold=K, audit_probability=pi[order]
        )
        assert again == first
        limits = {"max_error_rate": 0.1}
        point = fa.guaranteed_operating_point(first, **limits)
        assert fa.guaranteed_operating_point(again, **limits) == point

    def test_errors_are_kept_with_the_least_probability(self):
        rng = np.random.default_rng(1)
        confidence = np.full(40_000, 0.5)
        confidence[:10_000] = 0.1
        pi = np.full(40_000, 0.4)
        pi[30_000:] = 0.1
        correct = np.where((confidence > 0.25) & (rng.random(40_000) >= pi), np.nan, 0.0)
        sweep = operation.audited_sweep(correct, confidence, threshold=K, audit_probability=pi)
        kept = np.diff(sweep.thinned_errors(rng))
        for found, n in zip(kept.tolist(), (30_000, 10_000), strict=True):
            assert abs(found - 0.1 * n) < 4 * math.sqrt(0.09 * n)

    def test_everything_audited_is_the_guarantee_of_items(self):
        rng = np.random.default_rng(2)
        correct, confidence = draw(rng, 4000, pi=1.0)
        sweep = operation.audited_sweep(correct, confidence, threshold=K, audit_probability=1)
        found = fa.guaranteed_operating_point(sweep, max_error_rate=0.03)
        expected = fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.03)
        assert (found.threshold, found.bound) == (expected.threshold, expected.bound)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"audit_probability": [0.5, 0, 0.5, 0.5, 1, 1, 1]}, r"audit_probability\[1\] is 0\.0"),
            ({"audit_probability": 1.5}, r"audit_probability must be a number in \[0, 1\], got 1\.5 \(1\.5% is"),
            ({"accepted": [1, 1, 1, 1, 1, 0, 0]}, r"accepted\[4\] is True; confidence is below"),
            ({"accepted": [1, 1, 0, 1, 0, 0, 0]}, r"accepted\[2\] is False; confidence is at or above"),
            ({"audited": [1, 1, 1, 0, 0, 0, 0]}, r"audited\[1\] is True; correct is NaN"),
            ({"audited": [1, 0, 0, 0, 0, 0, 0]}, r"correct\[2\] is 0\.0; the output was accepted"),
            ({"audited": [1, 0, 2, 0, 0, 0, 0]}, r"audited\[2\] is 2; use 0 or 1"),
            ({"threshold": 0.85}, r"correct\[1\] is nan; the output was rejected"),
            ({"accepted": [1]}, "accepted and confidence must have the same number of items, got 1"),
        ],
    )  # fmt: skip
    def test_logs_that_contradict_themselves(self, change, message):
        with pytest.raises(ValueError, match=message):
            operation.audited_sweep(*self.LOG, **{"threshold": 0.6, "audit_probability": 0.5} | change)

    def test_values_of_correct(self):
        options = {"threshold": 0.6, "audit_probability": 0.5}
        with pytest.raises(ValueError, match=r"correct\[0\] is 2\.0; use 0, 1 or NaN"):
            operation.audited_sweep([2], [0.9], **options)
        with pytest.raises(ValueError, match="correct is NaN everywhere"):
            operation.audited_sweep([np.nan], [0.9], **options)
        with pytest.raises(ValueError, match=r"confidence\[0\] must be a finite number, got inf"):
            operation.audited_sweep([1], [np.inf], **options)


def within(count, runs, delta=0.05):
    return count / runs <= delta + 2.5 * math.sqrt(delta * (1 - delta) / runs)


@pytest.mark.slow
def test_the_guarantee_from_logs_holds_and_the_naive_one_never():
    """Also with unequal probabilities; and with the assumption broken: suspicious outputs left out."""
    rng = np.random.default_rng(18)
    runs, broken = 80, dict.fromkeys(("equal", "unequal", "naive", "chosen"), 0)
    refused = 0
    for _ in range(runs):
        correct, confidence = draw(rng)
        known = ~np.isnan(correct)
        pi = np.where(confidence > 0.6, 0.1, 0.3)
        # auditors who skip two thirds of the errors break what is assumed of π
        skipped = (correct == 0) & (confidence >= K) & (rng.random(N) < 2 / 3)
        logs = {
            "equal": (correct, PI),
            "unequal": (drawn_unequal(rng, confidence, pi), pi),
            "chosen": (np.where(skipped, np.nan, correct), PI),
        }
        items = {"naive": (correct[known], confidence[known])}
        for name, (truth, probability) in logs.items():
            try:
                items[name] = (
                    operation.audited_sweep(
                        truth, confidence, threshold=K, audit_probability=probability
                    ),
                )
            except ValueError:  # one honest log in a thousand, or in 500 with unequal probabilities
                refused += 1
        for name, given in items.items():
            point = fa.guaranteed_operating_point(*given, max_error_rate=LIMIT, random_state=rng)
            broken[name] += error_rate(point.threshold) > LIMIT
    assert refused <= 2
    assert within(broken["equal"], runs)
    assert within(broken["unequal"], runs)
    assert broken["naive"] == runs
    assert broken["chosen"] >= runs - refused


def drawn_unequal(rng, confidence, pi):
    n = len(confidence)
    correct = np.where(rng.random(n) < 0.2 * (1 - confidence) ** 2, 0.0, 1.0)
    return np.where((confidence >= K) & (rng.random(n) >= pi), np.nan, correct)


@pytest.mark.slow
def test_the_guaranteed_risk_from_logs():
    rng = np.random.default_rng(19)
    runs, broken, limit = 60, 0, 0.03
    pilot = rng.random(2000)
    for _ in range(runs):
        correct, confidence = draw(rng)
        sweep = operation.audited_sweep(correct, confidence, threshold=K, audit_probability=PI)
        point = fa.guaranteed_operating_point(
            sweep, max_risk=limit, scale="unit", pilot=pilot, random_state=rng
        )
        share = 1 - point.threshold
        broken += error_rate(point.threshold) > limit * share
        assert share > 0.2
    assert within(broken, runs)
    with pytest.raises(TypeError, match="max_risk from audits needs thresholds and pilot"):
        fa.guaranteed_operating_point(sweep, max_risk=limit, scale="unit")
    with pytest.raises(TypeError, match="groups cannot go with an AuditedSweep"):
        fa.guaranteed_operating_point(sweep, max_error_rate=limit, groups=[1])


@pytest.mark.slow
def test_estimates_are_unbiased_and_their_intervals_cover():
    rng = np.random.default_rng(20)
    runs = 120
    figures = np.empty((runs, 2, 2))
    for run in range(runs):
        correct, confidence = draw(rng)
        for i, method in enumerate(("weighting", "aipw")):
            found = operation.audited_error_rate(
                correct, confidence, threshold=K, audit_probability=PI, method=method
            )
            figures[run, i] = found.estimate, found.low <= error_rate(K) <= found.high
    estimates, covered = figures[:, :, 0], figures[:, :, 1].mean(axis=0)
    error = estimates.std(axis=0) / math.sqrt(runs)
    assert (abs(estimates.mean(axis=0) - error_rate(K)) < 3 * error).all()
    assert (covered > 0.95 - 3 * math.sqrt(0.0475 / runs)).all()
    assert estimates[:, 1].var() <= estimates[:, 0].var()


def test_estimates_at_other_thresholds():
    rng = np.random.default_rng(21)
    correct, confidence = draw(rng, 50_000)
    log = {"threshold": K, "audit_probability": PI}
    for at in (0.0, 0.25, 0.5):
        for method in ("weighting", "aipw"):
            found = operation.audited_error_rate(correct, confidence, at=at, method=method, **log)
            assert abs(found.estimate - error_rate(at)) < 4 * found.standard_error


def test_no_error_still_has_a_bound():
    found = operation.audited_error_rate(
        np.ones(1000), np.ones(1000), threshold=0.5, audit_probability=1
    )
    assert (found.estimate, found.low) == (0, 0)
    assert found.high == pytest.approx(stats.chi2.ppf(0.975, 2) / 2000)
    again = operation.audited_error_rate(
        np.ones(1000), np.ones(1000), threshold=0.5, audit_probability=1, method="aipw"
    )
    assert (again.estimate, again.low) == (0, 0)
    assert again.high == pytest.approx(found.high)


def test_one_more_error_counts_as_much_as_outputs_can_hide():
    """Fay and Feuer's interval, with the mean of 1/π, weighted by 1/π, of what is accepted."""
    rng = np.random.default_rng(23)
    confidence, wrong = rng.random(400), rng.random(400) < 0.1
    pi = np.where(rng.random(400) < 0.1, 0.2, 0.8)
    drawn = rng.random(400) < pi
    correct = np.where((confidence >= 0.3) & ~drawn, np.nan, ~wrong)
    log = {"threshold": 0.3, "audit_probability": pi, "drawn": drawn}
    sweep = operation.audited_sweep(correct, confidence, **log)
    assert np.array_equal(sweep.logged, np.sort(confidence)[::-1])
    rates = audited_rates(sweep, 0.95)
    for place in (20, 100, 180):
        at = sweep.logged[round(rates.acceptance_rate[place] * 400) - 1]
        weights = [1 / p if c >= 0.3 else 1.0 for p, c in zip(pi, confidence, strict=True) if c >= at]
        w = sum(x * x for x in weights) / sum(weights) / 400
        seen = [
            1 / p if c >= 0.3 else 1.0
            for p, c, e, d in zip(pi, confidence, wrong, drawn, strict=True)
            if c >= at and e and (d or c < 0.3)
        ]
        y, v = sum(seen) / 400 + w, sum(x * x for x in seen) / 400**2 + w * w
        high = stats.chi2.ppf(0.975, 2 * y * y / v) * v / (2 * y)
        found = operation.audited_error_rate(correct, confidence, at=at, **log)
        assert found.high == pytest.approx(high, rel=1e-9)
        assert rates.high[place] == pytest.approx(high, rel=1e-9)


def test_aipw_covers_where_probabilities_differ():
    """Few errors and π from 0.01 to 0.5, of which a normal interval covers about 70%."""
    rng = np.random.default_rng(22)
    runs, covered = 100, 0
    for _ in range(runs):
        confidence = rng.random(2000)
        pi = np.exp(rng.uniform(math.log(0.01), math.log(0.5), 2000))
        wrong = rng.random(2000) < 0.05
        drawn = rng.random(2000) < pi
        correct = np.where((confidence >= 0.2) & ~drawn, np.nan, ~wrong)
        found = operation.audited_error_rate(
            correct, confidence, threshold=0.2, audit_probability=pi, method="aipw"
        )
        covered += found.low <= 0.04 <= found.high
    assert covered >= 0.93 * runs


class TestChecksOfUnequalLogs:
    """Bets for and against each rate, of outputs weighted by 1/π."""

    def log(self, seed, n=3000, rate=0.02):
        rng = np.random.default_rng(seed)
        confidence = rng.random(n)
        pi = np.where(confidence > 0.6, 0.1, 0.4)
        drawn = rng.random(n) < pi
        return np.where(drawn, rng.random(n) >= rate, np.nan), confidence, pi, drawn

    def check(self, log, limit):
        correct, confidence, pi, drawn = log
        everything = operation.fit_policy([1] * 1000, np.linspace(0, 1, 1000), max_error_rate=limit)
        return everything.check(correct, confidence, audit_probability=pi, drawn=drawn)

    def test_verdicts(self):
        assert self.check(self.log(1), 0.05).verdict == "holds"
        assert self.check(self.log(2, rate=0.1), 0.02).verdict == "fails"
        found = self.check(self.log(3, n=800, rate=0.02), 0.06)
        assert found.verdict == "too few"
        assert found.interval.method == "betting"
        assert found.still_needed > 0
        assert "would show in 4 of 5 cases that it holds" in str(found)

    def test_ends_by_a_slow_reference(self, monkeypatch):
        """What a capital reaches that is kept in Python, at the rates of the interval's ends."""
        monkeypatch.setattr(verified_rates, "generator_for", lambda *_: np.random.default_rng(0))
        correct, _, pi, _ = log = self.log(4, n=700)
        found = self.check(log, 0.05).interval
        y = np.where(correct == 0, 1 / pi, 0.0)
        # in the order of outcomes, then shuffled
        y = np.sort(y)[np.random.default_rng(0).permutation(700)]

        def reaches(rate, sign):
            most = 1 / (1 / 0.1 - rate) if sign > 0 else 1 / rate
            capital, squares = 1.0, rate / 0.1
            for t, outcome in enumerate(y.tolist()):
                if t % (700 // 256) == 0:
                    p = max(0.05 * capital / 1.05, 1e-300)
                    u = NormalDist().inv_cdf(p)
                    bet = NormalDist().pdf(u) / p / math.sqrt(squares / (t + 1) * (700 - t))
                    bet = min(bet, 0.95 * most)
                gain = sign * (rate - outcome)
                capital *= 1 + bet * gain
                squares += gain**2
                if capital >= 20:
                    return True
            return False

        rates = checking.RATES.tolist()
        high, low = rates.index(found.high), rates.index(found.low)
        # the first rate from which on all are refuted, and the last up to which all are
        assert [reaches(rate, 1) for rate in rates[high - 1 : high + 4]] == [False] + [True] * 4
        assert [reaches(rate, -1) for rate in rates[low - 3 : low + 2]] == [True] * 4 + [False]


@pytest.mark.parametrize(
    ("errors", "n", "limit"),
    [(1, 200, 0.02), (2, 200, 0.02), (6, 500, 0.02), (13, 500, 0.02), (32, 2000, 0.02), (16, 60, 0.3),
     (82, 150, 0.5)],
)  # fmt: skip
def test_what_is_still_needed_is_the_least_that_decides_in_four_of_five(errors, n, limit):
    policy = operation.fit_policy([1] * 1000, range(1000), max_error_rate=limit)
    found = policy.check(np.arange(n) >= errors, np.full(n, 5000))
    # exactly: the probabilities of the numbers of errors to come with which it is decided
    more = np.arange(1, 6000)
    if errors < limit * n:
        most = stats.binom.ppf(0.05, n + more, limit)
        most -= stats.binom.cdf(most, n + more, limit) > 0.05
        decided = stats.binom.cdf(most - errors, more, errors / n)
    else:
        least = stats.binom.isf(0.05, n + more, limit) + 1
        decided = stats.binom.sf(least - errors - 1, more, errors / n)
    assert found.still_needed == more[np.flatnonzero(decided >= 0.8)[0]]


@pytest.mark.slow
def test_what_groups_still_need_decides_in_four_of_five():
    rng = np.random.default_rng(5)
    policy = operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.05)
    sizes = rng.integers(1, 9, 150)
    groups = np.repeat(np.arange(150), sizes)
    right = rng.random(len(groups)) >= np.repeat(rng.beta(0.1, 3.0, 150), sizes)
    options = {"max_group_size": 8}
    found = policy.check(right, np.full(len(groups), 5000), groups=groups, **options)
    assert found.verdict == "too few"
    more = round(found.still_needed * 150 / len(groups))
    decided = 0
    for _ in range(100):
        drawn = rng.integers(150, size=more)
        items = [np.flatnonzero(groups == g) for g in [*range(150), *drawn.tolist()]]
        labels = np.repeat(rng.permutation(len(items)), [len(each) for each in items])
        correct = right[np.concatenate(items)]
        again = policy.check(correct, np.full(len(correct), 5000), groups=labels, **options)
        decided += again.verdict == "holds"
    assert abs(decided / 100 - 0.8) < 0.18


class TestFiles:
    HEADER = "confidence,accepted,audited,audit_probability,correct\n"
    GOOD = "0.9,1,1,0.5,1\n0.8,1,0,0.5,\n0.8,true,true,0.25,0\n0.4,0,0,,1\n"

    def read(self, folder, rows):
        path = folder / "log.csv"
        path.write_text(self.HEADER + rows)
        return operation.read_audits(path, threshold=0.6)

    def test_columns_are_what_the_sweep_takes(self, tmp_path):
        log = self.read(tmp_path, self.GOOD)
        sweep = operation.audited_sweep(
            log.correct, log.confidence, threshold=0.6, audit_probability=log.audit_probability
        )
        assert len(sweep.error_points) == 1
        assert sweep.error_probabilities.tolist() == [0.25]
        assert sweep.thresholds[sweep.error_points[0]] == 0.8
        assert (sweep.true_accepts + sweep.false_accepts).tolist() == [0, 1, 3, 4]

    @pytest.mark.parametrize(
        ("row", "problem"),
        [
            ("0.5,1,0,0.5,", 'column "accepted" holds "1"; confidence is below the threshold of 0.6'),
            (
                "0.7,1,1,0,1",
                'column "audit_probability" holds "0"; an accepted output needs a probability above 0',
            ),
            ("0.7,1,0,0.5,1", 'column "correct" holds "1"; the output was accepted and not audited'),
            ("0.7,1,1,0.5,", 'column "audited" holds "1"; column "correct" is empty'),
            ("0.7,1,1,,1", 'column "audit_probability" is empty; expected a probability above 0'),
            ("0.4,0,0,,", 'column "correct" is empty; the output was rejected'),
            ("0.4,0,0,,maybe", 'column "correct" holds "maybe"; expected true or false, or 1 or 0'),
            (",0,0,,1", 'column "confidence" is empty; expected a finite number'),
        ],
    )
    def test_rows_are_named(self, tmp_path, row, problem):
        with pytest.raises(DataFileError) as caught:
            self.read(tmp_path, self.GOOD + row + "\n")
        assert caught.value.row == 5
        assert caught.value.line == 6
        assert problem in str(caught.value)

    def test_of_a_policy_by_field(self, tmp_path):
        policy = operation.fit_policy(
            np.arange(800) % 400 > 60, np.arange(800) % 400, by=np.repeat(["a", "b"], 400), max_risk=0.1
        )
        path = tmp_path / "log.csv"
        rows = "field," + self.HEADER + "a,390,1,1,0.5,1\nb,390,1,0,0.5,\na,3,0,0,,0\nc,390,0,0,,1\n"
        path.write_text(rows)
        log = operation.read_audits(path, policy=policy, by="field")
        assert log.by.tolist() == ["a", "b", "a", "c"]
        path.write_text(rows + "c,390,1,0,0.5,\n")
        with pytest.raises(DataFileError, match=r'row 5 .*"accepted" holds "1"; the policy rejects it'):
            operation.read_audits(path, policy=policy, by="field")
        path.write_text(rows + ",390,0,0,,1\n")
        with pytest.raises(DataFileError, match=r'row 5 .*column "field" is empty; expected a name'):
            operation.read_audits(path, policy=policy, by="field")
        with pytest.raises(TypeError, match="by is missing: the policy has a threshold for each field"):
            operation.read_audits(path, policy=policy)
        with pytest.raises(TypeError, match="exactly one of threshold, policy"):
            operation.read_audits(path)


class TestChecks:
    """Verdicts from logs: exact, with equal and with unequal probabilities."""

    POLICY = operation.fit_policy([1] * 1000, np.linspace(K, 1, 1000), max_error_rate=LIMIT)

    def test_counts_and_ends(self):
        correct, confidence = draw(np.random.default_rng(30))
        found = self.POLICY.check(correct, confidence, audit_probability=PI)
        accepted = confidence >= self.POLICY.thresholds[0]
        errors = int((accepted & (correct == 0)).sum())
        assert (found.n_items, found.accepted, found.errors) == (N, accepted.sum(), errors)
        assert found.audited == (accepted & ~np.isnan(correct)).sum()
        ends = stats.beta.ppf([0.05, 0.95], [errors, errors + 1], [N - errors + 1, N - errors]) / PI
        assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends))
        assert found.interval.estimate == pytest.approx(errors / PI / N)
        assert found.source_words.startswith(f"estimated from {found.audited:,} audits")

    @pytest.mark.slow
    def test_wrong_verdicts_are_rare(self, monkeypatch):
        """A rate just above the limit holds, and one just below fails, in at most 5% of the logs."""
        monkeypatch.setattr(
            checking, "needed_by_counts", lambda *_: None
        )  # how many items are still needed
        monkeypatch.setattr(checking, "needed_by_draws", lambda *_: None)
        rng = np.random.default_rng(31)
        runs, n, wrong = 200, 4000, {"holds": 0, "fails": 0}
        for verdict, rate in (("holds", 0.0202), ("fails", 0.0198)):
            for _ in range(runs):
                pi = np.where(rng.random(n) < 0.5, 0.3, 0.5)
                drawn = rng.random(n) < pi
                correct = np.where(drawn, rng.random(n) >= rate, np.nan)
                check = self.POLICY.check(correct, np.ones(n), audit_probability=pi, drawn=drawn)
                wrong[verdict] += check.verdict == verdict
        assert all(within(count, runs) for count in wrong.values()), wrong

    def test_the_outputs_still_needed_are_enough(self):
        correct = np.r_[np.zeros(7), np.ones(493), np.full(4500, np.nan)]
        options = {"audit_probability": 0.1, "drawn": ~np.isnan(correct)}
        found = self.POLICY.check(correct, np.ones(5000), **options)
        assert found.verdict == "too few"
        audits = math.ceil(found.still_needed * 500 / 5000)
        assert f"{found.still_needed:,} more outputs, about {audits:,} of them audited," in str(found)
        more = np.tile(correct, 1 + math.ceil(found.still_needed / 5000))
        options["drawn"] = ~np.isnan(more)
        assert self.POLICY.check(more, np.ones(len(more)), **options).verdict == "holds"

    def test_refusals(self):
        options = {"audit_probability": 0.5}
        with pytest.raises(TypeError, match="documents cannot go with audit_probability"):
            self.POLICY.check([1], [1], documents=[0], **options)
        with pytest.raises(
            ValueError, match="correct is NaN everywhere: the truth of some outputs must be known"
        ):
            self.POLICY.check([np.nan], [0.1], **options)


def test_fields_of_a_check_have_intervals_of_their_own():
    rng = np.random.default_rng(32)
    field, confidence = rng.choice(["a", "b"], 2000), rng.random(2000)
    correct = rng.random(2000) >= np.where(field == "a", 0.05, 0.4) * (1 - confidence)
    policy = operation.fit_policy(correct, confidence, by=field, max_error_rate=0.05)
    found = policy.check(correct, confidence, by=field)
    accepted = policy.apply(confidence, by=field)
    for each, name in zip(found.fields, ("a", "b"), strict=True):
        own = field == name
        errors = int((own & accepted & ~correct).sum())
        assert each[:4] == (name, own.sum(), (own & accepted).sum(), errors)
        ends = stats.binomtest(errors, int(own.sum())).proportion_ci(0.9)
        assert each[4:] == pytest.approx((errors / own.sum(), ends.low, ends.high))
    grouped = policy.check(correct, confidence, by=field, groups=np.arange(2000))
    assert all(g.low <= e.rate <= g.high for g, e in zip(grouped.fields, found.fields, strict=True))
