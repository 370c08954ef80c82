"""Checks of logs in which outputs of a page depend on each other, drawn one by one or by page."""

from __future__ import annotations

import numpy as np
import pytest

import fastarac as fa
from fastarac.operation.checked_outputs import Checked

LIMIT, DELTA, SIZE, PI = 0.03, 0.05, 20, 0.2


@pytest.fixture(scope="module")
def policy():
    rng = np.random.default_rng(0)
    confidence = rng.random(4000)
    return fa.operation.fit_policy(
        rng.random(4000) >= 0.1 * (1 - confidence), confidence, max_error_rate=LIMIT
    )


def log_of(rng, n_pages, rate, *, whole):
    """Pages of SIZE accepted outputs, some wholly wrong; single outputs or whole pages are drawn."""
    pages = np.repeat(np.arange(n_pages), SIZE)
    wrong = (rng.random(n_pages) < rate)[pages]
    drawn = (rng.random(n_pages) < PI)[pages] if whole else rng.random(len(pages)) < PI
    return pages, wrong, drawn


@pytest.mark.parametrize("whole", [False, True])
def test_outputs_of_a_page_are_one_bet(policy, whole):
    pages, wrong, drawn = log_of(np.random.default_rng(1), 1500, 0.004, whole=whole)
    truth, confidence = np.where(drawn, ~wrong, np.nan), np.ones(len(pages))
    log = {"audit_probability": PI, "drawn": drawn}
    found = policy.check(truth, confidence, groups=pages, max_group_size=SIZE, **log)
    assert (found.verdict, found.interval.method) == ("holds", "betting")
    assert found.interval.estimate == (wrong & drawn).sum() / PI / len(pages)
    with pytest.raises(ValueError, match=r"max_group_size must be at least 20 \(the size of"):
        policy.check(truth, confidence, groups=pages, max_group_size=SIZE - 1, **log)


def test_pages_drawn_whole_are_counted_as_pages(policy):
    """10 of 100 pages of 20 outputs are a likely number to be drawn, 200 of 2,000 outputs are not."""
    pages = np.repeat(np.arange(100), SIZE)
    drawn = pages < 10
    truth = np.where(drawn, 1.0, np.nan)
    log = {"audit_probability": PI, "drawn": drawn}
    with pytest.raises(ValueError, match="about 400 should be audited, but 200 were drawn"):
        policy.check(truth, np.ones(len(pages)), **log)
    assert policy.check(truth, np.ones(len(pages)), groups=pages, **log).verdict == "too few"
    drawn = pages < 2
    log["drawn"] = drawn
    with pytest.raises(ValueError, match="about 20 should be audited, but 2 were drawn"):
        policy.check(np.where(drawn, 1.0, np.nan), np.ones(len(pages)), groups=pages, **log)


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_a_rate_at_the_limit_is_seldom_said_to_hold(whole):
    """Wrong verdicts on either side: in at most DELTA of logs, with three standard errors of 100."""
    rng, n = np.random.default_rng(77), 100
    held = failed = naive = 0
    for _ in range(n):
        pages, wrong, drawn = log_of(rng, 1200, LIMIT, whole=whole)
        accepted, probability = np.ones(len(pages), np.bool_), np.full(len(pages), PI)
        log = Checked(accepted, wrong & drawn, pages, SIZE, probability)
        evidence = log._evidence("max_error_rate")
        held += evidence.is_below(LIMIT, DELTA)
        failed += evidence.is_above(LIMIT, DELTA)
        ends = Checked(accepted, wrong & drawn, None, None, probability).ends(
            "max_error_rate", LIMIT, DELTA
        )
        naive += ends.low > LIMIT or ends.high <= LIMIT
    most = DELTA + 3 * np.sqrt(DELTA * (1 - DELTA) / n)
    assert held <= most * n
    assert failed <= most * n
    assert naive > 0.3 * n  # without the pages nearly every other verdict is wrong
