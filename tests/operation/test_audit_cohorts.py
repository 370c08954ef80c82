"""Logs whose audits do not fit their probability, and outputs that were drawn and have no result."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from scipy import stats

import fastarac as fa
from fastarac import operation
from fastarac.io import DataFileError
from fastarac.operation import checked_outputs
from fastarac.operation.audit_numbers import refuse_unlikely_numbers

PI, LIMIT, K = 0.1, 0.02, 0.25
POLICY = operation.fit_policy([1] * 1000, np.linspace(K, 1, 1000), max_error_rate=LIMIT)


def week(n=20_000, seed=0, rate=0.5):
    """Truth of all, confidences, and which accepted outputs were drawn."""
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    return rng.random(n) >= rate, confidence, (confidence >= K) & (rng.random(n) < PI)


def seen(truth, confidence, answered):
    return np.where((confidence < K) | answered, truth, np.nan)


class TestNumbers:
    def test_a_log_that_nobody_audited_is_refused(self):
        truth, confidence, _ = week()
        log = seen(truth, confidence, np.zeros(20_000, np.bool_)), confidence
        n = int((confidence >= K).sum())
        message = (
            f"of {n:,} accepted outputs with probability 0.1, about {n * PI:,.0f} should be audited, "
            "but 0 have a result"
        )
        with pytest.raises(ValueError, match=message):
            POLICY.check(*log, audit_probability=PI)
        with pytest.raises(ValueError, match="audited, but 0 were drawn"):
            POLICY.check(*log, audit_probability=PI, drawn=np.zeros(20_000))

    @pytest.mark.parametrize("logged", [0.05, 0.13])
    def test_another_probability_than_that_of_the_audits_is_refused(self, logged):
        truth, confidence, drawn = week()
        log = seen(truth, confidence, drawn), confidence
        with pytest.raises(ValueError, match=f"{drawn.sum():,} were drawn"):
            POLICY.check(*log, audit_probability=logged, drawn=drawn)
        # also where the error is in one of two probabilities alone
        mixed = np.where(confidence > 0.6, PI, logged)
        with pytest.raises(ValueError, match=f"with probability {logged:g}, about "):
            POLICY.check(*log, audit_probability=mixed, drawn=drawn)

    def test_where_everything_is_audited_nothing_may_be_left_out(self):
        with pytest.raises(ValueError, match="probability 1, about 3 should be audited, but 2 have a"):
            POLICY.check([1, 1, np.nan], [1, 1, 1], audit_probability=1)

    @pytest.mark.parametrize(("n", "probability"), [(3000, 0.1), (200, 0.03), (60, 0.9), (9, 0.5)])
    def test_the_central_binomial_numbers_pass(self, n, probability):
        law = stats.binom(n, probability)
        for k in range(n + 1):
            pi, made = np.full(n, probability), np.arange(n) < k
            if min(law.cdf(k), law.sf(k - 1)) >= 0.0005:
                refuse_unlikely_numbers(pi, made, "were drawn")
            else:
                with pytest.raises(ValueError, match=f"{k:,} were drawn"):
                    refuse_unlikely_numbers(pi, made, "were drawn")

    def test_small_deviations_of_many_probabilities_add_up(self):
        """Each tenth is within its own limits, the sum is not."""
        rng = np.random.default_rng(3)
        pi = rng.uniform(0.1, 0.2, 20_000)
        made = rng.random(20_000) < 0.92 * pi
        with pytest.raises(ValueError, match="outputs that were drawn represent"):
            refuse_unlikely_numbers(pi, made, "were drawn")

    def test_a_tenth_of_many_probabilities_is_named(self):
        pi = np.linspace(0.1, 0.5, 5000)
        made = np.random.default_rng(4).random(5000) < np.where(pi < 0.14, 0.0, pi)
        with pytest.raises(
            ValueError, match=r"500 accepted outputs with probability 0\.1 to 0\.139928, about 60 "
        ):
            refuse_unlikely_numbers(pi, made, "were drawn")

    def test_tiny_probabilities_and_none_accepted(self):
        for pi in ([5e-324], [1e-200, 1e-190, 0.5], [1e-9] * 3, []):
            refuse_unlikely_numbers(np.array(pi), np.zeros(len(pi), np.bool_), "were drawn")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "pi",
        [
            np.full(2000, 0.1), np.full(10, 0.001), np.full(3, 0.5), np.linspace(0.009, 0.011, 5),
            np.linspace(0.98, 0.999, 10), np.geomspace(1e-4, 1, 200), np.repeat([0.1, 0.3], [300, 100]),
            np.r_[np.full(100, 0.5), np.full(5, 0.001)], np.linspace(0.02, 0.5, 500),
        ],
        ids=["equal", "rare", "three", "few rare", "nearly all", "wide", "two", "mixed", "many"],
    )  # fmt: skip
    def test_honest_logs_are_hardly_ever_refused(self, pi):
        """At most 0.2%, whose counts scatter; without a correction 5% of the few rare ones were."""
        rng = np.random.default_rng(5)
        runs, refused = 2000, 0
        for _ in range(runs):
            try:
                refuse_unlikely_numbers(pi, rng.random(len(pi)) < pi, "were drawn")
            except ValueError:
                refused += 1
        assert refused <= stats.binom(runs, 0.002).ppf(0.999)


class TestDrawn:
    def test_without_it_no_verdict_is_holds(self):
        truth, confidence, drawn = week(rate=0.002)
        log = seen(truth, confidence, drawn), confidence
        known = POLICY.check(*log, audit_probability=PI, drawn=drawn)
        found = POLICY.check(*log, audit_probability=PI)
        assert (known.verdict, known.unanswered, known.exit_status) == ("holds", 0, 0)
        assert (found.verdict, found.unanswered, found.exit_status) == ("too few", None, 3)
        assert found.interval == known.interval
        assert str(found).startswith("no verdict on the limit of 2% without drawn=: outputs that ")
        assert (found.still_needed, found.needed_words, found.expected_verdict) == (None, "", "too few")
        # that too many are wrong can be seen all the same
        truth = np.where(np.random.default_rng(1).random(20_000) < 0.1, 0, truth)
        log = seen(truth, confidence, drawn), confidence
        assert POLICY.check(*log, audit_probability=PI).verdict == "fails"

    def test_open_ones_count_as_errors(self):
        truth, confidence, drawn = week(rate=0.002)
        answered = drawn & (np.random.default_rng(2).random(20_000) < 0.95)
        n_open = int((drawn & ~answered).sum())
        log = seen(truth, confidence, answered), confidence
        options = {"audit_probability": PI, "drawn": drawn}
        found = POLICY.check(*log, **options)
        worst = seen(truth & (answered | ~drawn), confidence, drawn), confidence
        assert (found.unanswered, found.audited) == (n_open, answered.sum())
        expected = POLICY.check(*worst, **options)
        assert (found.verdict, found.interval, found.errors) == (
            expected.verdict, expected.interval, expected.errors,
        )  # fmt: skip
        words = (
            f"from {found.audited:,} audits; {n_open} drawn outputs without a result count as errors"
        )
        assert words in str(found)
        known, likewise = (
            fa.PartialTruth(
                correct, inclusion_probability=np.where(confidence >= K, PI, 1.0),
                drawn=drawn | (confidence < K), open="wrong",
            )
            for correct in (log[0], worst[0])
        )  # fmt: skip
        assert known == likewise

    def test_what_contradicts_itself_is_named(self):
        options = {"audit_probability": 0.5}
        log = [1, np.nan, 0, 0], [0.9, 0.8, 0.7, 0.1]
        with pytest.raises(ValueError, match=r"drawn\[2\] is False; the output was accepted and has a"):
            POLICY.check(*log, **options, drawn=[1, 0, 0, 0])
        with pytest.raises(ValueError, match=r"drawn\[3\] is 2; use 0 or 1"):
            POLICY.check(*log, **options, drawn=[1, 0, 1, 2])
        with pytest.raises(ValueError, match="drawn and confidence must have the same number"):
            POLICY.check(*log, **options, drawn=[1])
        # what was rejected is verified anyway
        for rejected in (0, 1):
            assert POLICY.check(*log, **options, drawn=[1, 1, 1, rejected]).unanswered == 1
        with pytest.raises(TypeError, match="drawn needs audit_probability: give both for a log"):
            POLICY.check(*log, drawn=[1, 0, 1, 0])


class TestFiles:
    def read(self, folder, header, rows, **columns):
        path = folder / "log.csv"
        path.write_text(f"confidence,accepted,audit_probability,correct,{header}\n{rows}")
        return operation.read_audits(path, threshold=0.6, **columns)

    ROWS = "0.9,1,0.5,1,1\n0.8,1,0.5,,0\n0.8,1,0.5,,1\n0.4,0,,1,\n"

    @pytest.mark.parametrize(("header", "options"), [("drawn", {}), ("sampled", {"drawn": "sampled"})])
    def test_the_column(self, tmp_path, header, options):
        log = self.read(tmp_path, header, self.ROWS, **options)
        assert log.drawn.tolist() == [True, False, True, False]
        assert log.audited.tolist() == [True, False, False, False]

    def test_without_it(self, tmp_path):
        log = self.read(
            tmp_path, "audited", self.ROWS.replace(",,1\n", ",0,1\n").replace("1,\n", "1,0\n")
        )
        assert log.drawn is None
        assert log.audited.tolist() == [True, False, True, False]
        with pytest.raises(DataFileError, match='there is no column "audited"'):
            self.read(tmp_path, "x", self.ROWS)
        with pytest.raises(DataFileError, match='there is no column "picked"'):
            self.read(tmp_path, "drawn", self.ROWS, drawn="picked")

    @pytest.mark.parametrize(
        ("row", "problem"),
        [
            ("0.7,1,0.5,1,0", 'column "drawn" holds "0"; the output was accepted and has a result'),
            ("0.7,1,0.5,1,", 'column "drawn" is empty; expected true or false, or 1 or 0'),
            ("0.7,1,0.5,1,some", 'column "drawn" holds "some"; expected true or false'),
        ],
    )
    def test_rows_are_named(self, tmp_path, row, problem):
        with pytest.raises(DataFileError, match="row 5") as caught:
            self.read(tmp_path, "drawn", self.ROWS + row + "\n")
        assert problem in str(caught.value)

    def test_a_file_that_nobody_audited(self, tmp_path):
        with pytest.raises(DataFileError, match="about 50 should be audited, but 0 were drawn"):
            self.read(tmp_path, "drawn", "0.9,1,0.5,,0\n" * 100 + "0.1,0,,1,0\n")


def is_rare(count, runs):
    return count / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)


# Right answers come at once, wrong ones are still open. Where it is not known what was drawn, some logs
# are refused for too few audits, and promise nothing.


@pytest.mark.slow
def test_a_check_holds_wrongly_at_most_as_often_as_is_said(monkeypatch):
    for needed in ("needed_by_counts", "needed_by_draws"):  # how many items are still needed
        monkeypatch.setattr(checked_outputs, needed, lambda *_, **__: None)
    rng = np.random.default_rng(6)
    runs, n, holds = 200, 20_000, {"drawn": 0, "unknown": 0}
    for _ in range(runs):
        drawn = rng.random(n) < PI
        right = rng.random(n) >= 0.0205
        log = np.where(drawn & right, 1.0, np.nan), np.ones(n)
        for name, given in (("drawn", {"drawn": drawn}), ("unknown", {})):
            with suppress(ValueError):
                holds[name] += POLICY.check(*log, audit_probability=PI, **given).verdict == "holds"
    assert is_rare(holds["drawn"], runs)
    assert holds["unknown"] == 0


@pytest.mark.slow
def test_a_threshold_from_open_audits_keeps_its_limit():
    """And breaks it nearly always where it is not said what was drawn."""
    rng = np.random.default_rng(7)
    runs, broken = 50, {"drawn": 0, "unknown": 0}
    for _ in range(runs):
        confidence = rng.random(20_000)
        right = rng.random(20_000) >= 0.2 * (1 - confidence) ** 2
        drawn = (confidence >= K) & (rng.random(20_000) < PI)
        log = seen(right, confidence, drawn & right), confidence
        for name, given in (("drawn", {"drawn": drawn | (confidence < K)}), ("unknown", {})):
            with suppress(ValueError):
                truth = fa.PartialTruth(
                    log[0], inclusion_probability=np.where(confidence >= K, PI, 1.0), open="wrong",
                    **given,
                )  # fmt: skip
                point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=LIMIT)
                broken[name] += 0.2 * (1 - max(point.threshold, 0.0)) ** 3 / 3 > LIMIT
    assert is_rare(broken["drawn"], runs)
    assert broken["unknown"] > 0.8 * runs
