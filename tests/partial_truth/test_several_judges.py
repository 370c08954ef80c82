"""Several judges at once: each gets its own weight κ for each statistic."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac._engine.predictions import SPREAD, best_weights
from fastarac.samples.partial_items import STEPS
from tests.commands import refusal, run

STATISTICS = fa.arac_auc_score, fa.aurc_loss  # the AUGRC is 1 minus the ARAC-AUC
N, VERIFIED = 4000, 500


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def outputs(rng, kind="complementary"):
    """Confidences, correctness, and three judges: two see one kind of error each, one sees nothing."""
    confidence = rng.random(N)
    wrong = rng.random(N) < 0.3 * (1.0 - confidence) ** (4 if kind == "alike" else 2)
    noise, first = rng.standard_normal((3, N)), rng.random(N) < 0.5
    seen = [wrong & first, wrong & ~first, np.zeros(N)]
    if kind == "alike":  # the second and the third nearly repeat the first
        noise[1:] = noise[0] + [[0.05], [0.3]] * noise[1:]
        seen = [wrong] * 3
    judges = np.stack([sigmoid(3.0 + z - 4.0 * s) for z, s in zip(noise, seen, strict=True)], axis=1)
    return confidence, ~wrong, judges


def truth_of(rng, right, judges):
    known = rng.random(N) < VERIFIED / N
    return [
        fa.PartialTruth(np.where(known, right, np.nan), inclusion_probability=VERIFIED / N, judge=each)
        for each in (*judges.T, judges)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["complementary", "alike"])
def test_several_judges_are_at_least_as_precise_as_the_best_one(kind):
    runs = 200
    found = np.empty((runs, 4, len(STATISTICS)))
    for run_ in range(runs):
        rng = np.random.default_rng(run_)
        confidence, right, judges = outputs(rng, kind)
        exact = [each(right, confidence) for each in STATISTICS]
        for k, truth in enumerate(truth_of(rng, right, judges)):
            found[run_, k] = [each(truth, confidence) for each in STATISTICS]
        found[run_] -= exact
    spread = found.std(axis=0)
    # the estimates are paired, so that their ratio varies less than each of them
    ratio = spread[3] / spread[:3].min(axis=0)
    noise = 0.2 / math.sqrt(runs)
    assert (ratio <= 1.02 + noise).all(), ratio
    if kind == "complementary":
        assert ratio[0] <= 0.94 + noise
    bias = np.abs(found[:, 3].mean(axis=0)) / spread[3]
    assert (bias < 0.1 + 3.0 / math.sqrt(runs)).all(), bias


def test_augrc_is_estimated_as_the_rest_of_the_arac_auc():
    rng = np.random.default_rng(0)
    confidence, right, judges = outputs(rng)
    for truth in truth_of(rng, right, judges):
        rest = 1.0 - fa.arac_auc_score(truth, confidence)
        assert fa.augrc_loss(truth, confidence) == pytest.approx(rest, abs=1e-14)


def test_the_intervals_of_several_judges_cover():
    runs, covered = 100, 0
    # E[error] for confidences uniform on [0, 1] and errors 0.3(1 − t)⁴
    value = 1.0 - 0.3 / 5.0
    for run_ in range(runs):
        rng = np.random.default_rng(1000 + run_)
        confidence, right, judges = outputs(rng, "alike")
        truth = truth_of(rng, right, judges)[3]
        interval = fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
        covered += interval.low <= value <= interval.high
    assert covered / runs >= 0.93 - 2.0 * math.sqrt(0.93 * 0.07 / runs)


def test_one_column_is_one_judge():
    rng = np.random.default_rng(0)
    confidence, right, judges = outputs(rng)
    known = np.where(rng.random(N) < 0.1, right, np.nan)
    one, column, frame = (
        fa.PartialTruth(known, inclusion_probability=0.1, judge=each)
        for each in (judges[:, 0], judges[:, :1], judges[:, :1].tolist())
    )
    for other in (column, frame):
        assert other.judge.shape == (N,)
        assert fa.arac_auc_score(other, confidence) == fa.arac_auc_score(one, confidence)


def test_the_order_of_judges_does_not_matter_and_a_copy_changes_little():
    rng = np.random.default_rng(5)
    confidence, right, judges = outputs(rng)
    known = np.where(rng.random(N) < 0.1, right, np.nan)

    def interval(columns):
        truth = fa.PartialTruth(known, inclusion_probability=0.1, judge=judges[:, columns])
        return fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")

    a, b, copied = interval([0, 1, 2]), interval([2, 0, 1]), interval([0, 0, 1])
    assert a.estimate == pytest.approx(b.estimate, abs=0.1 * a.standard_error)
    assert a.standard_error == pytest.approx(b.standard_error, rel=0.01)
    assert copied.standard_error == pytest.approx(a.standard_error, rel=0.02)


@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_the_weights_minimise_the_penalised_sum_of_squares(seed, n_judges):
    rng = np.random.default_rng(seed)
    difference, residual = rng.standard_normal((n_judges, 12)), rng.standard_normal(12)
    residual += 0.7 * difference[0]

    def loss(weights, noise):
        total = np.sum((residual - weights @ difference) ** 2)
        for i, j in itertools.combinations(range(n_judges), 2):
            x, y = difference[i], difference[j]
            alike = (x @ y) ** 2 / ((x @ x) * (y @ y))
            total += noise / SPREAD**2 / n_judges * alike * (weights[i] - weights[j]) ** 2
        return total

    weights = best_weights(difference, residual)
    assert (weights >= 0.0).all()
    assert weights.sum() <= 1.0 + 1e-12
    grid = np.arange(STEPS + 1) / STEPS
    tried = [np.array(each) for each in itertools.product(grid, repeat=n_judges) if sum(each) <= 1.0]
    rough = min(tried, key=lambda each: loss(each, 0.0))
    noise = np.sum((difference * (residual - rough @ difference)) ** 2) / np.sum(difference**2)
    # the grid finds the noise nearly, so that the weights are nearly the best ones
    assert loss(weights, noise) <= 1.02 * min(loss(each, noise) for each in tried)


def test_truths_with_other_judges_do_not_add_up():
    one, two = (
        fa.PartialTruth([1, 0], inclusion_probability=1.0, judge=np.full((2, k), 0.5)) for k in (1, 2)
    )
    with pytest.raises(ValueError, match="judge must have as many columns in both truths"):
        one + two
    both = two + two
    assert both.judge.shape == (4, 2)
    assert repr(both) == "PartialTruth(4 of 4 verified, with 2 judges)"
    assert list(both.to_columns()) == ["correct", "inclusion_probability", "judge_0", "judge_1"]
    with pytest.raises(ValueError, match=r"judge\[:, 1\] must hold a number in \[0, 1\]|judge\[:, 1\]"):
        fa.PartialTruth([1, 0], inclusion_probability=1.0, judge=[[0.5, 0.5], [0.5, 2.0]])


def test_guarantees_take_the_mean_of_the_judges():
    rng = np.random.default_rng(2)
    confidence, right, judges = outputs(rng)
    known = np.where(rng.random(N) < 0.3, right, np.nan)
    several, mean = (
        fa.PartialTruth(known, inclusion_probability=0.3, judge=each)
        for each in (judges, judges.mean(axis=1))
    )
    options = {"max_error_rate": 0.06, "random_state": 1}
    found = fa.guaranteed_operating_point(several, confidence, **options)
    other = fa.guaranteed_operating_point(mean, confidence, **options)
    assert found.threshold == other.threshold < math.inf


def test_files_have_a_column_for_each_judge(tmp_path):
    rng = np.random.default_rng(3)
    confidence, right, judges = outputs(rng)
    known = rng.random(N) < 0.2
    rows = ["confidence,correct,inclusion_probability,a,b"]
    for t, c, v, j in zip(confidence, right, known, judges, strict=True):
        rows.append(f"{float(t)!r},{int(c) if v else ''},0.2,{float(j[0])!r},{float(j[1])!r}")
    path = tmp_path / "verified.csv"
    path.write_text("\n".join(rows))
    truth, scores = fa.partial_truth.read_verified(path, judge=["a", "b"])
    np.testing.assert_array_equal(truth.judge, judges[:, :2])
    drawn = "--inclusion-probability", "inclusion_probability"
    figures = run("evaluate", path, *drawn, "--judge", "a", "--judge", "b", "--format", "json").stdout
    assert f"{fa.arac_auc_score(truth, scores)!r}"[:12] in figures
    path.write_text("\n".join([*rows[:3], rows[3].rsplit(",", 1)[0] + ",7"]))
    assert 'column "b" holds "7"' in refusal("evaluate", path, *drawn, "--judge", "a", "--judge", "b")
