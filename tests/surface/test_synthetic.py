"""The synthetic mixtures: their law, their population values, the paper's tables 4 and 6."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import expon, kstest, truncnorm

import fastarac as fa
from fastarac.synthetic import PAPER_CASES, TruncatedNormalMixture

# ROC-AUC, PR-AUC, ARAC-AUC, normalised ARAC-AUC and {ε: W(θ)}, as printed; case 2's normalised area
# is printed 0.423, but the paper's equation 20 gives 0.428.
PAPER_TABLES = {
    1: ("0.921", "0.970", "0.954", "0.783", {0.01: "1.21", 0.05: "1.46"}),
    2: ("0.921", "0.822", "0.704", "0.428", {0.01: "0.36", 0.05: "0.47"}),
    3: ("0.998", "0.994", "0.718", "0.437", {0.01: "0.50", 0.05: "0.55"}),
    4: ("0.760", "0.982", "0.987", "0.849", {0.01: "1.49", 0.02: "1.70"}),
    5: ("0.998", "0.9999", "0.999", "0.961", {0.01: "1.91", 0.02: "1.92"}),
}

# ROC-AUC, PR-AUC, ARAC-AUC, normalised ARAC-AUC, ARP-AUC, normalised ARP-AUC and X(θ) at ε = 0.05,
# computed with 60 to 80 digits by mpmath.
HIGH_PRECISION = {
    (0.5, 0.5, 1000, 0.5, 1000): (0.5, 0.5, 0.75, 0.5, 0.5, 0.25, 0.1),
    (0.9, 50, 0.1, 0.5, 0.3): (
        0.99992509255519589, 0.99998631352335773, 0.99499325832996755, 0.92496629164983817,
        0.9948121461604914, 0.9240607308024574, 0.95,
    ),
    (0.3, -2, 0.5, 3, 0.7): (
        0.007548975880641206, 0.16814448950856033, 0.54658528493493461, 0.3261323463820962,
        0.052544556555106676, -0.026753888174923753, 0.050002077036188532,
    ),
    (0.6, 0.5, 1e-12, 0.5, 2e-12): (
        0.5, 0.54784935455177351, 0.8, 0.55,
        0.51809534460962299, 0.19761918076202881, 0.056422599259034201,
    ),
    (0.6, 0.5, 1e-08, 0.5, 0.2): (
        0.5, 0.53790187909632196, 0.8, 0.55, 0.4566272629084232, 0.12078407863552906, 0.05,
    ),
    (0.6, 0.5, 0.2, 0.5, 1e-08): (
        0.5, 0.76221669855787997, 0.8, 0.55,
        0.71151937809406347, 0.43939922261757938, 0.34999998605917411,
    ),
    (1e-10, 0.9, 0.01, 0.1, 0.3): (
        0.99603091230610371, 1.1773775333630582e-8, 0.5000000000996031, 0.25000000007480156,
        5.5410075239104956e-10, 2.7705038744696033e-10, 0.0500000001,
    ),
    (0.999999999999, 0.1, 0.3, 0.9, 0.01): (
        0.0039690876938962656, 0.99999999999445909, 0.99999999999900397, 0.50198454384669617,
        0.99999999999445909, -1.7705037677342678, 1.0,
    ),
    (1e-200, 0.6, 0.2, 0.4, 0.1): (
        0.81124845027282282, 5.596680994361211e-196, 0.5, 0.25, 5.0085676057126591e-200, 0.0, 0.05,
    ),
    (0.7, 1, 0.05, 1, 0.1): (
        0.70483276469913343, 0.80799280801651733, 0.89301488058681796, 0.67169146764469669,
        0.80023662848338684, 0.5170610474723115, 0.27829823753501214,
    ),
    (0.5, 2, 0.1, 2, 0.2): (
        0.79572800053687011, 0.74003393929860548, 0.82393200013421748, 0.57393200013421755,
        0.6948810823540518, 0.44488108235405187, 0.21827864954205832,
    ),
    (0.5, 30, 1, 40, 1.5): (
        0.62587626861995631, 0.58919311507164853, 0.78146906715498902, 0.53146906715498909,
        0.58147345921895716, 0.33147345921895723, 0.13078750216418537,
    ),
    (0.5, 0.2, 0.05, 0.8, 0.05): (
        1.0760549945415055e-17, 0.30685281944005468, 0.625, 0.375,
        0.15342640972002735, -0.096573590279972621, 0.05,
    ),
    (0.8, 1e6, 1e3, -1e6, 1e3): (
        0.66130311016351251, 0.87417085695269134, 0.92580849762616199, 0.71452124406540505,
        0.87039301075710191, 0.57598252689275483, 0.43029351003658342,
    ),
    (0.9999999999999999, 0.3, 0.3, 0.999, 0.0001): (
        0.00010552885976185948, 0.99999999999999896, 0.99999999999999986, 0.50005276442988091,
        0.99999999999999896, -3.580821354477928, 1.0,
    ),
    (0.9999999, 0.3, 0.2, 1, 1e-20): (
        3.7316708231847254e-23, 0.99999838819027449, 0.99999990000000503, 0.49999997500000003,
        0.99999828819043573, -7.5590478757423365, 1.0,
    ),
}  # fmt: skip

# Awkward, yet within reach of the plain formulas of `Reference`.
AWKWARD = [
    TruncatedNormalMixture(0.5, 0.5, 0.2, 0.5, 0.2),
    TruncatedNormalMixture(0.3, 0.2, 0.3, 0.8, 0.05),
    TruncatedNormalMixture(0.99, 0.95, 0.01, 0.6, 0.4),
    TruncatedNormalMixture(0.05, 1.2, 0.1, -0.3, 0.5),
    TruncatedNormalMixture(0.7, 0.0, 0.05, 1.0, 2.0),
    TruncatedNormalMixture(0.75, 0.9, 0.05, 0.6, 0.3),
    TruncatedNormalMixture(0.6, 0.5, 0.001, 0.5, 0.1),
]
COSTS = fa.VerificationCosts.from_ratios(gamma=1, delta=0)  # of the paper's tables
ALL_CORRECT = TruncatedNormalMixture(1, 0.6, 0.1, 0.4, 0.1)
ALL_INCORRECT = TruncatedNormalMixture(0, 0.6, 0.1, 0.4, 0.1)

mixtures = st.builds(
    TruncatedNormalMixture,
    st.floats(0.01, 0.99),
    st.floats(-0.3, 1.3),
    st.floats(0.03, 2),
    st.floats(-0.3, 1.3),
    st.floats(0.03, 2),
)
error_rates = st.floats(1e-6, 1)


class Reference:
    """Population values by plain formulas and QUADPACK."""

    def __init__(self, mixture: TruncatedNormalMixture) -> None:
        self.beta = mixture.weight_correct
        self.correct = (mixture.mean_correct, mixture.sd_correct)
        self.incorrect = (mixture.mean_incorrect, mixture.sd_incorrect)

    @staticmethod
    def mass(low, high, mean, sd):
        a, b = (low - mean) / (sd * math.sqrt(2)), (high - mean) / (sd * math.sqrt(2))
        if b < 0:
            a, b = -b, -a
        return (math.erfc(a) - math.erfc(b)) / 2 if a > 0 else (math.erf(b) - math.erf(a)) / 2

    def tail(self, t, law):
        return self.mass(t, 1, *law) / self.mass(0, 1, *law)

    def density(self, t, law):
        mean, sd = law
        peak = math.exp(-(((t - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
        return peak / self.mass(0, 1, *law)

    def rates(self, t):
        """True accepts and false accepts as fractions of all items."""
        return self.beta * self.tail(t, self.correct), (1 - self.beta) * self.tail(t, self.incorrect)

    def precision(self, t):
        right, wrong = self.rates(t)
        return right / (right + wrong) if right + wrong else 0.0

    def mean(self, function, law):
        """Expectation of function(t) for t from a law."""
        marks = {0.0, 1.0}
        for mean, sd in (self.correct, self.incorrect):
            marks.update(mean + sd * k for k in (-9, -6, -4, -2.5, -1, 0, 1, 2.5, 4, 6, 9))
        marks = sorted(mark for mark in marks if 0 <= mark <= 1)
        return sum(
            quad(lambda t: function(t) * self.density(t, law), a, b, epsabs=1e-13, full_output=1)[0]
            for a, b in pairwise(marks)
        )

    def mean_of_all(self, function):
        by_correct, by_incorrect = (self.mean(function, x) for x in (self.correct, self.incorrect))
        return self.beta * by_correct + (1 - self.beta) * by_incorrect

    def areas(self):
        return (
            self.mean(lambda t: self.tail(t, self.correct), self.incorrect),
            self.mean(self.precision, self.correct),
            self.mean_of_all(lambda t: 1 - self.rates(t)[1]),
            self.mean_of_all(self.precision),
        )

    def acceptance(self, error_rate):
        if error_rate >= 1 - self.beta:
            return 1.0
        theta = brentq(lambda t: self.rates(t)[1] - error_rate, 0, 1, xtol=1e-15, rtol=1e-14)
        return self.rates(theta)[0] + error_rate


def areas(mixture):
    return (
        mixture.roc_auc_score(),
        mixture.pr_auc_score(),
        mixture.arac_auc_score(),
        mixture.arp_auc_score(),
    )


def rounds_to(value: float, printed: str) -> bool:
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed


@pytest.mark.parametrize("case", PAPER_TABLES)
def test_tables_4_and_6_of_the_paper(case):
    mixture, (roc, pr, arac, normalized, performance) = PAPER_CASES[case], PAPER_TABLES[case]
    assert rounds_to(mixture.roc_auc_score(), roc)
    assert rounds_to(mixture.pr_auc_score(), pr)
    assert rounds_to(mixture.arac_auc_score(), arac)
    assert rounds_to(mixture.normalized_arac_auc_score(), normalized)
    for error_rate, printed in performance.items():
        assert rounds_to(mixture.performance_at_error_rate(error_rate, costs=COSTS), printed)


def test_paper_cases_are_read_only():
    assert list(PAPER_CASES) == [1, 2, 3, 4, 5]
    with pytest.raises(TypeError):
        PAPER_CASES[1] = PAPER_CASES[2]  # type: ignore[index]
    with pytest.raises(AttributeError):
        PAPER_CASES[1].weight_correct = 0.5  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(PAPER_CASES[1])) == PAPER_CASES[1]


@pytest.mark.parametrize("parameters", HIGH_PRECISION)
def test_population_values_against_high_precision(parameters):
    mixture = TruncatedNormalMixture(*parameters)
    roc, pr, arac, normalized_arac, arp, normalized_arp, acceptance = HIGH_PRECISION[parameters]
    assert areas(mixture) == pytest.approx((roc, pr, arac, arp), abs=1e-12, rel=0)
    assert mixture.normalized_arac_auc_score() == pytest.approx(normalized_arac, abs=1e-12, rel=0)
    assert mixture.normalized_arp_auc_score() == pytest.approx(normalized_arp, abs=1e-12, rel=0)
    assert mixture.acceptance_at_error_rate(0.05) == pytest.approx(acceptance, abs=1e-12, rel=0)


@pytest.mark.parametrize("mixture", [*PAPER_CASES.values(), *AWKWARD], ids=str)
def test_population_values_against_quadrature(mixture):
    reference = Reference(mixture)
    assert areas(mixture) == pytest.approx(reference.areas(), abs=1e-9, rel=0)
    allowed = [1e-5, 0.001, 0.02, 0.2, 0.6]
    expected = [reference.acceptance(error_rate) for error_rate in allowed]
    assert mixture.acceptance_at_error_rate(allowed) == pytest.approx(expected, abs=1e-9, rel=0)


@pytest.mark.slow
@settings(max_examples=15)
@given(mixtures, error_rates)
def test_population_values_of_any_mixture(mixture, error_rate):
    reference = Reference(mixture)
    assert areas(mixture) == pytest.approx(reference.areas(), abs=1e-9, rel=0)
    within = mixture.acceptance_at_error_rate(error_rate)
    assert within == pytest.approx(reference.acceptance(error_rate), abs=1e-9, rel=0)


@pytest.mark.slow
@settings(max_examples=15)
@given(mixtures, st.floats(0, 10))
def test_areas_fit_together(mixture, gamma):
    beta = mixture.recognition_rate
    roc, _, arac, arp = areas(mixture)
    identity = 1 - beta * (1 - beta) * (1 - roc) - (1 - beta) ** 2 / 2
    assert arac == pytest.approx(identity, abs=1e-12)
    assert mixture.augrc_loss() == pytest.approx(1 - arac, abs=1e-12)
    assert mixture.aurc_loss() == pytest.approx(1 - arp, abs=1e-12)
    area = mixture.arac_area(gamma=gamma)
    assert isinstance(area, fa.results.CurveArea)
    assert (area.auc, area.lower, area.gamma) == (pytest.approx(arac), beta, gamma)
    assert area.upper + area.lower == pytest.approx(arac, abs=1e-12)
    assert area.improved == pytest.approx(gamma * area.upper / (1 - beta) + beta, abs=1e-9)
    assert area.normalized == pytest.approx(area.improved / (gamma + 1), abs=1e-12)
    assert mixture.normalized_arac_auc_score(gamma=gamma) == area.normalized
    normalized = (gamma * (arp - beta) / (1 - beta) + beta) / (gamma + 1)
    assert mixture.normalized_arp_auc_score(gamma=gamma) == pytest.approx(normalized, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=20)
@given(mixtures, st.lists(error_rates, min_size=1, max_size=5))
def test_operating_points_keep_the_error_rate(mixture, allowed):
    allowed = np.sort(allowed)
    theta, acceptance = (
        mixture.threshold_at_error_rate(allowed),
        mixture.acceptance_at_error_rate(allowed),
    )
    reached = np.minimum(allowed, 1 - mixture.recognition_rate)
    np.testing.assert_allclose(mixture.error_rate(theta), reached, atol=1e-12, rtol=1e-9)
    np.testing.assert_allclose(mixture.acceptance_rate(theta), acceptance, atol=1e-12, rtol=1e-9)
    assert (np.diff(acceptance) >= -1e-12).all()
    performance = mixture.performance_at_error_rate(
        allowed, costs=fa.VerificationCosts.from_ratios(gamma=2, delta=3)
    )
    expected = 2 * acceptance + mixture.recognition_rate - 3 * allowed
    np.testing.assert_allclose(performance, expected, atol=1e-12)


def test_operating_points_at_the_limits():
    mixture = PAPER_CASES[1]
    assert mixture.threshold_at_error_rate([0, 0.25, 1.0]).tolist() == [1, 0, 0]
    assert mixture.acceptance_at_error_rate([0, 0.25, 1.0]).tolist() == [0, 1, 1]
    assert 0 < mixture.acceptance_at_error_rate(1e-300) < 1e-15
    assert ALL_CORRECT.acceptance_at_error_rate(0) == 1
    assert ALL_CORRECT.threshold_at_error_rate(0) == 0
    assert ALL_INCORRECT.acceptance_at_error_rate([0, 0.3, 1.0]) == pytest.approx([0, 0.3, 1])


@pytest.mark.parametrize("mixture", [*PAPER_CASES.values(), *AWKWARD], ids=str)
def test_rates_at_thresholds(mixture):
    thresholds = np.linspace(0, 1, 33).reshape(3, 11)
    reference = Reference(mixture)
    beta = mixture.recognition_rate
    right, wrong = np.moveaxis([[reference.rates(t) for t in row] for row in thresholds], 2, 0)
    close = {"rtol": 1e-9, "atol": 1e-14}
    np.testing.assert_allclose(mixture.recall(thresholds), right / beta, **close)
    np.testing.assert_allclose(mixture.false_positive_rate(thresholds), wrong / (1 - beta), **close)
    np.testing.assert_allclose(mixture.acceptance_rate(thresholds), right + wrong, **close)
    np.testing.assert_allclose(mixture.error_rate(thresholds), wrong, **close)
    np.testing.assert_allclose(mixture.accuracy_after_correction(thresholds), 1 - wrong, **close)


@pytest.mark.parametrize(
    ("mean", "sd"), [(0.5, 0.1), (0.2, 0.02), (-3, 0.5), (4, 0.3), (0.5, 1000), (1, 0.2)]
)
def test_tails_keep_their_relative_accuracy(mean, sd):
    mixture = TruncatedNormalMixture(0.5, mean, sd, 0.5, 0.1)
    mode = min(max(mean, 0), 1)

    def scaled_density(t):
        return math.exp(-(t - mode) * (t + mode - 2 * mean) / (2 * sd**2))

    def mass(low):
        marks = sorted({low, mode, 1.0, *np.clip(mean + sd * np.arange(-9, 10), low, 1)})
        marks = [mark for mark in marks if mark >= low]
        return sum(quad(scaled_density, a, b, epsabs=0, full_output=1)[0] for a, b in pairwise(marks))

    for threshold in (0.25, 0.75, 0.99, 1 - 1e-6, 1 - 1e-12):
        expected = mass(threshold) / mass(0.0)
        assert mixture.recall(threshold) == pytest.approx(expected, rel=1e-9, abs=1e-290)


def test_thresholds_of_any_size_and_shape():
    mixture = PAPER_CASES[1]
    assert mixture.acceptance_rate([-math.inf, -5, 0, 1, 2, math.inf]).tolist() == [1, 1, 1, 0, 0, 0]
    for method in (mixture.recall, mixture.error_rate, mixture.acceptance_rate):
        assert type(method(0.5)) is float
        assert type(method(np.float32(0.5))) is float
        assert method([]).shape == (0,)
        assert method(np.full((2, 3), 0.5)).shape == (2, 3)
    assert type(mixture.performance_at_error_rate(0.01, costs=COSTS)) is float
    assert type(mixture.threshold_at_error_rate(0.01)) is float
    assert mixture.acceptance_at_error_rate(np.full((2, 1), 0.01)).shape == (2, 1)


def test_one_class_only():
    with pytest.warns(fa.UndefinedMetricWarning, match="ROC-AUC is undefined"):
        assert math.isnan(ALL_CORRECT.roc_auc_score())
    with pytest.warns(fa.UndefinedMetricWarning, match="ROC-AUC is undefined"):
        assert math.isnan(ALL_INCORRECT.roc_auc_score())
    with pytest.warns(fa.UndefinedMetricWarning, match="PR-AUC is undefined"):
        assert math.isnan(ALL_INCORRECT.pr_auc_score())
    assert ALL_CORRECT.pr_auc_score() == 1
    assert (ALL_CORRECT.arac_auc_score(), ALL_CORRECT.arp_auc_score()) == (1, 1)
    assert tuple(ALL_CORRECT.arac_area(gamma=0.5)) == (1, 0, 1, 1.5, 1, 0.5)
    assert ALL_CORRECT.normalized_arp_auc_score() == 1
    assert (ALL_INCORRECT.arac_auc_score(), ALL_INCORRECT.arp_auc_score()) == (0.5, 0)
    assert tuple(ALL_INCORRECT.arac_area()) == (0.5, 0.5, 0, 0.5, 0.25, 1)


def test_callers_floating_point_settings_do_not_matter():
    with np.errstate(all="raise"):
        for mixture in (*PAPER_CASES.values(), TruncatedNormalMixture(0.5, 50, 0.01, -3, 0.001)):
            assert np.isfinite(areas(mixture)).all()
            assert np.isfinite(mixture.acceptance_at_error_rate([0, 0.01, 1.0])).all()
            assert np.isfinite(mixture.sample(10, 0)[1]).all()


@pytest.mark.parametrize(
    ("mean", "sd"),
    [
        (0.6, 0.1), (0.5, 0.39), (0.5, 0.41), (0.5, 1000), (0, 0.05), (1, 0.3), (1, 5), (-0.01, 0.1),
        (1.01, 0.5), (-2, 0.5), (3, 10), (1.5, 0.02),
    ],
)  # fmt: skip
def test_samples_follow_the_truncated_normal(mean, sd):
    _, confidence = TruncatedNormalMixture(1, mean, sd, 0.5, 0.1).sample(20_000, random_state=1)
    law = truncnorm(-mean / sd, (1 - mean) / sd, loc=mean, scale=sd)
    assert kstest(confidence, law.cdf).pvalue > 0.01


def test_far_tails_are_exponential():
    _, above = TruncatedNormalMixture(1, 50, 0.01, 0.5, 0.1).sample(20_000, random_state=2)
    assert kstest((1 - above) * 49 / 0.01**2, expon.cdf).pvalue > 0.01
    _, below = TruncatedNormalMixture(1, -7, 0.001, 0.5, 0.1).sample(20_000, random_state=2)
    assert kstest(below * 7 / 0.001**2, expon.cdf).pvalue > 0.01


@pytest.mark.parametrize("mean", [-1e308, -3, 0, 0.5, 1, 50])
@pytest.mark.parametrize("sd", [5e-324, 1e-9, 0.01, 1, 1000, 1e308])
def test_extreme_parameters(mean, sd):
    mixture = TruncatedNormalMixture(0.5, mean, sd, 0.4, 0.1)
    correct, confidence = mixture.sample(1000, random_state=3)
    assert 400 < correct.sum() < 600
    assert ((confidence >= 0) & (confidence <= 1)).all()
    values = [*areas(mixture), *mixture.acceptance_at_error_rate([0, 0.01, 0.4, 0.5])]
    assert ((np.array(values) >= 0) & (np.array(values) <= 1)).all()


@pytest.mark.parametrize("case", PAPER_CASES)
def test_samples_converge_to_the_population(case):
    mixture, n = PAPER_CASES[case], 200_000
    correct, confidence = mixture.sample(n, random_state=case)
    assert correct.mean() == pytest.approx(mixture.recognition_rate, abs=0.005)
    ranked = correct[np.argsort(-confidence)]
    right, wrong = np.cumsum(ranked), np.cumsum(~ranked)
    assert np.mean(right / (right + wrong)) == pytest.approx(mixture.arp_auc_score(), abs=0.005)
    assert 1 - np.mean(wrong / n) == pytest.approx(mixture.arac_auc_score(), abs=0.005)
    assert right[~ranked].mean() / right[-1] == pytest.approx(mixture.roc_auc_score(), abs=0.005)
    precision = (right / (right + wrong))[ranked].mean()
    assert precision == pytest.approx(mixture.pr_auc_score(), abs=0.005)
    for threshold in (0.4, 0.55, 0.7):
        accepted = confidence >= threshold
        acceptance, errors = accepted.mean(), (accepted & ~correct).mean()
        assert acceptance == pytest.approx(mixture.acceptance_rate(threshold), abs=0.005)
        assert errors == pytest.approx(mixture.error_rate(threshold), abs=0.005)


def test_samples_depend_on_the_seed_alone():
    mixture = PAPER_CASES[2]
    first, again = mixture.sample(500, 7), mixture.sample(500, random_state=7)
    generator = np.random.default_rng(7)
    from_generator, next_from_generator = mixture.sample(500, generator), mixture.sample(500, generator)
    for i in (0, 1):
        np.testing.assert_array_equal(first[i], again[i])
        np.testing.assert_array_equal(first[i], from_generator[i])
        assert (first[i] != next_from_generator[i]).any()
    assert (first[0].dtype, first[1].dtype) == (np.bool_, np.float64)
    assert mixture.sample(0)[1].shape == (0,)
    assert ALL_CORRECT.sample(50)[0].all()
    assert not ALL_INCORRECT.sample(50)[0].any()


VALID = {
    "weight_correct": 0.5,
    "mean_correct": 0.6,
    "sd_correct": 0.1,
    "mean_incorrect": 0.4,
    "sd_incorrect": 0.1,
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weight_correct", -0.1),
        ("weight_correct", 1.1),
        ("weight_correct", math.nan),
        ("mean_correct", math.inf),
        ("mean_incorrect", math.nan),
        ("sd_correct", 0),
        ("sd_correct", math.inf),
        ("sd_incorrect", -1),
    ],
)
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*got {value}"):
        TruncatedNormalMixture(**{**VALID, name: value})


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("value", ["0.5", None, 1j, [0.5]])
def test_parameters_of_a_wrong_type(name, value):
    with pytest.raises(TypeError, match=name):
        TruncatedNormalMixture(**{**VALID, name: value})


def test_parameters_become_floats():
    mixture = TruncatedNormalMixture(1, np.float32(0.5), np.int64(2), 0, 1)
    assert all(type(getattr(mixture, name)) is float for name in VALID)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.sample(-1), ValueError, "n must be an integer of at least 0, got -1"),
        (lambda m: m.sample(1.5), TypeError, r"got 1\.5 \(float\)"),
        (lambda m: m.recall(math.nan), ValueError, "threshold must hold real numbers, got nan"),
        (
            lambda m: m.error_rate([0.1, math.nan]),
            ValueError,
            "threshold must hold real numbers, got nan",
        ),
        (
            lambda m: m.acceptance_rate("0.5"),
            TypeError,
            "threshold must hold real numbers, got type <U3",
        ),
        (
            lambda m: m.acceptance_at_error_rate(-0.1),
            ValueError,
            r"max_error_rate must be a number in \[0, 1\], got -",
        ),
        (
            lambda m: m.threshold_at_error_rate([0.1, 1.1]),
            ValueError,
            r"max_error_rate must be a number in \[0, 1\], got 1",
        ),
        (
            lambda m: m.acceptance_at_error_rate(math.nan),
            ValueError,
            r"max_error_rate must be a number in \[0, 1\], got",
        ),
        (
            lambda m: m.acceptance_at_error_rate("1"),
            TypeError,
            r"max_error_rate must hold numbers in \[0, 1\], got",
        ),
        (
            lambda m: m.arac_area(gamma=-1),
            ValueError,
            "gamma must be a finite number of at least 0, got",
        ),
        (
            lambda m: m.normalized_arp_auc_score(gamma=math.inf),
            ValueError,
            "gamma must be a finite number, got inf",
        ),
        (
            lambda m: m.normalized_arac_auc_score(gamma="1"),
            TypeError,
            r"gamma must be a number, got '1' \(str\)",
        ),
        (lambda m: m.performance_at_error_rate(0.1, costs=1), TypeError, r", got 1 \(int\)"),
        (
            lambda m: m.performance_at_error_rate(2, costs=COSTS),
            ValueError,
            r"max_error_rate must be a number in \[0, 1\], got 2",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call(PAPER_CASES[1])
