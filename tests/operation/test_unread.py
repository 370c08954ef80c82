"""Items without an output: never accepted, beside what a limit is of, and named with their share."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fastarac.operation import Policy, fit_policy


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    confidence = rng.random(3000)
    return rng.random(3000) >= 0.2 * (1 - confidence), confidence


@pytest.fixture(scope="module")
def policy(items):
    return fit_policy(*items, max_error_rate=0.05)


def test_shares_are_of_all_items_and_of_what_is_read(policy):
    known = policy.with_unread(1000, 0.25)
    share = policy.acceptance_rate
    assert (known.n_read, known.acceptance_rate) == (3000, share)
    assert known.share_of_all_items == pytest.approx(0.75 * share)
    assert " of 4,000 items (" in str(known)
    assert " of the 3,000 with an output) at confidence" in str(known)
    assert "25% of the true words" in known.of_outputs_read
    assert (policy.share_of_all_items, policy.of_outputs_read) == (share, "")


def test_files_keep_them_and_older_ones_have_none(policy):
    known = policy.with_unread(10, 0.01)
    again = Policy.from_json(known.to_json())
    assert (again.n_unread, again.missed_rate) == (10, 0.01)
    content = json.loads(known.to_json())
    del content["n_unread"], content["missed_rate"]
    older = Policy.from_json(json.dumps(content))
    assert (older.n_unread, older.missed_rate) == (0, None)
    for name, value in (("n_unread", -1), ("n_unread", 1.5), ("missed_rate", 1.1)):
        with pytest.raises(ValueError, match=name):
            Policy.from_json(json.dumps({**content, "n_unread": 0, "missed_rate": None, name: value}))
    with pytest.raises(ValueError, match=r"missed_rate must be a number in \[0, 1\], got 2\.0"):
        policy.with_unread(1, 2)


@pytest.mark.parametrize("by_page", [False, True])
def test_a_check_is_of_what_is_read(items, policy, by_page):
    """As where the policy was fitted, and is applied: the limit is not one of more items."""
    correct, confidence = (each[::-1] for each in items)
    rng = np.random.default_rng(1)
    correct, confidence = correct[rng.integers(3000, size=2000)], rng.random(2000)
    pages = np.arange(2000) // 20
    unread = rng.random(2000) < 0.3
    groups = {"groups": pages, "max_group_size": 20} if by_page else {}
    found = policy.check(correct, confidence, rejected=unread, **groups)
    if by_page:
        groups["groups"] = pages[~unread]
    alone = policy.check(correct[~unread], confidence[~unread], **groups)
    assert (found.n_unread, alone.n_unread) == (unread.sum(), 0)
    for name in ("n_items", "accepted", "errors", "verdict", "still_needed", "interval"):
        assert getattr(found, name) == getattr(alone, name)
