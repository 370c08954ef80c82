"""Distribution functions at extreme arguments, where series and fractions would go on for ever."""

from __future__ import annotations

import math

import pytest
from scipy import special, stats

from fastarac._core.special import (
    binomial_cdf,
    binomial_interval,
    binomial_upper_bound,
    chi_square_quantile,
    gamma_cdf,
)

pytestmark = pytest.mark.interpreted

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("degrees", [5e8, 9.9e8, 1e9, 1e11, 1e14, 1e20, 1e300])
def test_quantiles_of_many_degrees(degrees):
    for level in (0.001, 0.025, 0.5, 0.975, 0.999, 1 - 1e-9):
        expected = stats.chi2.ppf(level, degrees) if degrees < 1e200 else degrees
        assert chi_square_quantile(level, degrees) == pytest.approx(expected, rel=1e-11)


def test_quantiles_of_few_degrees():
    for degrees in (1e-300, 1e-30, 1e-5):
        assert 0.0 <= chi_square_quantile(0.5, degrees) < 1e-100
    for degrees in (0.01, 0.05):
        expected = stats.chi2.ppf(0.975, degrees)
        assert chi_square_quantile(0.975, degrees) == pytest.approx(expected, rel=1e-9)
    assert chi_square_quantile(0.025, INF) == chi_square_quantile(0.975, INF) == INF


@pytest.mark.parametrize("shape", [9e11, 1.1e12, 1e14, 1e17])
def test_the_gamma_distribution_of_large_shapes(shape):
    for normal in (-2.0, 0.0, 1.0, 3.0):
        x = shape + normal * math.sqrt(shape)
        assert gamma_cdf(shape, x) == pytest.approx(special.gammainc(shape, x), abs=1e-10)
    assert gamma_cdf(shape, 1e-300) == 0.0
    assert gamma_cdf(shape, 1e300) == gamma_cdf(shape, INF) == 1.0


@pytest.mark.parametrize(
    "found",
    [
        lambda: chi_square_quantile(0.5, NAN),
        lambda: gamma_cdf(2.0, NAN),
        lambda: gamma_cdf(NAN, 2.0),
        lambda: binomial_cdf(3, 10, NAN),
        lambda: binomial_cdf(NAN, 10, 0.5),
        lambda: binomial_upper_bound(NAN, 10, 0.05),
        lambda: binomial_upper_bound(2, NAN, 0.05),
        lambda: binomial_interval(NAN, NAN, 0.95)[0],
    ],
)
def test_what_is_not_a_number_ends(found):
    assert math.isnan(found())
