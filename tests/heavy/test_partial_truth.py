"""The mean from partly verified truth beside the package of prediction-powered inference."""

from __future__ import annotations

import numpy as np
import pytest
from ppi_py import ppi_mean_pointestimate

import fastarac as fa
from fastarac.samples.partial_items import PartialItems


def test_the_mean_is_that_of_the_package():
    """The same predictions, all of them counted (λ = 1), and a simple random sample."""
    rng = np.random.default_rng(3)
    confidence = rng.random(4000)
    right = rng.random(4000) < 0.5 + 0.5 * confidence
    judge = np.clip(0.2 + 0.6 * right + rng.normal(0, 0.2, 4000), 0, 1)
    chosen = np.zeros(4000, bool)
    chosen[rng.choice(4000, 800, replace=False)] = True
    correct = np.where(chosen, right, np.nan)
    truth = fa.PartialTruth(correct, inclusion_probability=0.2, judge=judge)
    found = fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
    items = PartialItems(truth, confidence)
    (share,) = items.share_of(np.ones(len(items.places)))
    by_confidence, by_judge = (each.values(items.places) for each in items.predictions)
    f = (1 - share) * by_confidence + share * by_judge
    e, known = 1.0 - right[items.order], chosen[items.order]
    estimate = ppi_mean_pointestimate(e[known], f[known], f, lam=1.0)
    assert 1 - found.estimate == pytest.approx(np.ravel(estimate)[0], abs=1e-3)
