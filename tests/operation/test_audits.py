"""Logs of audits: as truth of some, guarantees and intervals by simulation, and bad rows."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

import fastarac as fa
from fastarac import operation
from fastarac.io import DataFileError
from fastarac.operation import checked_outputs, rate_bets, verified_rates
from fastarac.operation.audit_logs import log_of
from fastarac.operation.audited_rates import rates_of_log
from fastarac.operation.logs import AuditColumns

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


def log_from(correct, confidence, threshold=K, probability=PI, drawn=None):
    """As `read_audits` makes it."""
    correct, confidence = np.asarray(correct, float), np.asarray(confidence, float)
    accepted = confidence >= threshold
    audited = accepted & ~np.isnan(correct)
    probability = np.broadcast_to(np.asarray(probability, float), correct.shape)
    return AuditColumns(correct, confidence, probability, accepted, audited, None, drawn, None)


class TestLogs:
    LOG = [1, np.nan, 0, np.nan, 1, 0, 0], np.array([0.9, 0.8, 0.8, 0.7, 0.4, 0.3, 0.3])

    def test_it_is_a_partial_truth(self):
        pi = [0.5, 0.5, 0.25, 0.5, 0.1, 0.1, 0.1]
        log = log_from(*self.LOG, 0.6, pi)
        known = [*pi[:4], 1, 1, 1]  # all that was rejected
        assert log.truth == fa.PartialTruth(self.LOG[0], inclusion_probability=known)
        assert (log.unanswered, log.has_one_threshold) == (0, True)
        assert not log._replace(by=self.LOG[1]).has_one_threshold

    def test_rejected_outputs_need_their_truth(self):
        log = log_from([1, np.nan, np.nan], [0.9, 0.8, 0.1], 0.6, 0.5, np.array([True, False, True]))
        assert not log.has_one_threshold
        with pytest.raises(
            ValueError, match=r"item must be known, but correct\[2\] is NaN \(1 such row\)"
        ):
            _ = log.truth

    def test_everything_audited_is_the_guarantee_of_items(self):
        correct, confidence = draw(np.random.default_rng(2), 4000, pi=1.0)
        log = log_from(correct, confidence, probability=1.0)
        found = fa.guaranteed_operating_point(log.truth, confidence, max_error_rate=0.03)
        assert found == fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.03)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"audit_probability": [0.5, 0, 0.5, 0.5, 1, 1, 1]}, r"audit_probability\[1\] is 0\.0"),
            ({"audit_probability": 1.5}, r"audit_probability must be a number in \[0, 1\], got 1\.5"),
            ({"accepted": [1, 1, 1, 1, 1, 0, 0]}, r"accepted\[4\] is True; the policy rejects it"),
            ({"accepted": [1, 1, 0, 1, 0, 0, 0]}, r"accepted\[2\] is False; the policy accepts it"),
            ({"audited": [1, 1, 1, 0, 0, 0, 0]}, r"audited\[1\] is True; correct is NaN"),
            ({"audited": [1, 0, 0, 0, 0, 0, 0]}, r"correct\[2\] is 0\.0; the output was accepted"),
            ({"audited": [1, 0, 2, 0, 0, 0, 0]}, r"audited\[2\] is 2; use 0 or 1"),
            ({"above": LOG[1] > 0.85}, r"correct\[1\] is nan; the output was rejected"),
            ({"accepted": [1]}, "accepted and confidence must have the same number of items,"),
            ({"correct": [2] + [1] * 6}, r"correct\[0\] is 2\.0; use 0, 1 or NaN"),
            ({"correct": [np.nan] * 7, "rejected_known": False}, "correct is NaN everywhere"),
        ],
    )  # fmt: skip
    def test_logs_that_contradict_themselves(self, change, message):
        correct, confidence = self.LOG
        log = {"correct": correct, "above": confidence > 0.6, "audit_probability": 0.5}
        with pytest.raises(ValueError, match=message):
            log_of(confidence=confidence, **{"rejected_known": True} | log | change)


def within(count, runs, delta=0.05):
    return count / runs <= delta + 2.5 * math.sqrt(delta * (1 - delta) / runs)


@pytest.mark.slow
def test_the_guarantee_from_logs_holds_and_the_naive_one_never():
    """Also with unequal probabilities; and with the assumption broken: suspicious outputs left out."""
    rng = np.random.default_rng(18)
    runs, broken = 40, dict.fromkeys(("equal", "unequal", "naive", "chosen"), 0)
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
        for name, (correct, probability) in logs.items():
            try:
                items[name] = log_from(correct, confidence, probability=probability).truth, confidence
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
        truth = log_from(correct, confidence).truth
        point = fa.guaranteed_operating_point(
            truth, confidence, max_risk=limit, scale="unit", pilot=pilot, random_state=rng
        )
        share = 1 - point.threshold
        broken += error_rate(point.threshold) > limit * share
        assert share > 0.2
    assert within(broken, runs)


@pytest.mark.slow
@pytest.mark.parametrize("unequal", [False, True])
def test_estimates_are_unbiased_and_their_intervals_cover(unequal):
    """Also with π from 0.01 to 0.5, of which a normal interval covers about 70%."""
    rng = np.random.default_rng(20)
    runs, statistic = 120, fa.Statistic("error_rate", threshold=K)
    estimates, covered = np.empty(runs), 0
    for run in range(runs):
        confidence = rng.random(N)
        pi = np.exp(rng.uniform(math.log(0.01), math.log(0.5), N)) if unequal else PI
        log = log_from(drawn_unequal(rng, confidence, pi), confidence, probability=pi)
        found = fa.asymptotic_interval(log.truth, confidence, statistic=statistic)
        estimates[run] = found.estimate
        covered += found.low <= error_rate(K) <= found.high
    assert abs(estimates.mean() - error_rate(K)) < 3 * estimates.std() / math.sqrt(runs)
    assert covered / runs > 0.95 - 3 * math.sqrt(0.0475 / runs)


def test_rates_of_a_log_are_those_of_its_truth():
    correct, confidence = draw(np.random.default_rng(21), 4000)
    log = log_from(correct, confidence)
    found = rates_of_log(log, 0.9)
    assert [column[0] for column in found] == [0, 0, 0, 0]
    assert (np.diff(found.acceptance_rate) > 0).all()
    assert found.acceptance_rate[-1] == 1
    (at,) = np.flatnonzero(found.acceptance_rate == log.accepted.mean())
    statistic = fa.Statistic("error_rate", threshold=confidence[log.accepted].min())
    one = fa.asymptotic_interval(log.truth, confidence, statistic=statistic, confidence_level=0.9)
    assert (found.error_rate[at], found.low[at], found.high[at]) == (one.estimate, one.low, one.high)
    with pytest.raises(ValueError, match=r"log has fields \(by\)"):
        rates_of_log(log._replace(by=confidence), 0.9)


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
        assert "would show in 4 of 5 cases that the limit holds" in str(found)

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

        rates = rate_bets.RATES.tolist()
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
def test_what_groups_still_need_decides_in_four_of_five(monkeypatch):
    rng = np.random.default_rng(5)
    policy = operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.05)
    sizes = rng.integers(1, 9, 150)
    groups = np.repeat(np.arange(150), sizes)
    right = rng.random(len(groups)) >= np.repeat(rng.beta(0.1, 3.0, 150), sizes)
    options = {"max_group_size": 8}
    found = policy.check(right, np.full(len(groups), 5000), groups=groups, **options)
    assert found.verdict == "too few"
    more = round(found.still_needed * 150 / len(groups))
    monkeypatch.setattr(checked_outputs, "needed_by_draws", lambda *_: None)
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

    def test_columns_are_a_partial_truth(self, tmp_path):
        log = self.read(tmp_path, self.GOOD)
        assert log.truth.inclusion_probability.tolist() == [0.5, 0.5, 0.25, 1]
        sweep = fa.threshold_sweep(log.truth, log.confidence)
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
        with pytest.raises(TypeError, match="by is missing: the policy was fitted with by"):
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
            checked_outputs, "needed_by_counts", lambda *_: None
        )  # how many items are still needed
        monkeypatch.setattr(checked_outputs, "needed_by_draws", lambda *_: None)
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
        with pytest.raises(TypeError, match="documents is given, but the policy was fitted without"):
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
