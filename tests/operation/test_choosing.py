"""Several policies of which one is chosen: the promise is that of the one that was taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fastarac.operation import fit_policies, fit_policy

DELTA = 0.05


def models(n, seed, rates=(0.3, 0.3, 0.3)):
    rng = np.random.default_rng(seed)
    confidence = rng.random((len(rates), n))
    correct = rng.random((len(rates), n)) >= np.array(rates)[:, None] * (1.0 - confidence) ** 4
    return {
        name: {"correct": correct[i], "confidence": confidence[i]}
        for i, name in enumerate("abc"[: len(rates)])
    }


def test_all_items_share_the_failure_probability():
    every = models(2000, 0)
    choice = fit_policies(every, max_error_rate=0.02)
    alone = {
        name: fit_policy(**each, max_error_rate=0.02, failure_probability=DELTA / 3)
        for name, each in every.items()
    }
    for name, policy in alone.items():
        assert choice[name] == replace(policy, failure_probability=DELTA)
    best = max(alone, key=lambda name: alone[name].acceptance_rate)
    assert (choice.chosen, choice.policy) == (best, choice[best])
    assert choice.shares == tuple(each.acceptance_rate for each in alone.values())
    assert not choice.by_half
    assert f"{best} is chosen by the share that it accepts" in str(choice)


def test_one_candidate_is_one_fit():
    every = models(2000, 1, (0.3,))
    choice = fit_policies(every, max_error_rate=0.02)
    assert choice.policy == fit_policy(**every["a"], max_error_rate=0.02)


def test_limits_are_all_kept_and_none_is_chosen():
    sample = models(2000, 2)["a"]
    limits = {f"{limit:.0%}": {"max_error_rate": limit} for limit in (0.01, 0.02)}
    choice = fit_policies(limits, **sample)
    assert choice.chosen is None
    assert choice["1%"].acceptance_rate < choice["2%"].acceptance_rate
    assert "all of these keep their limits with 95% confidence" in str(choice)
    with pytest.raises(ValueError, match='choose by name: "1%" and "2%"'):
        _ = choice.policy


def test_shares_are_of_all_items():
    """A model that reads half of the items accepts less of them."""
    every = models(2000, 3)
    every["a"] |= {"n_unread": 2000}
    choice = fit_policies(every, max_error_rate=0.02)
    assert choice.chosen != "a"
    assert choice["a"].n_unread == 2000


def test_where_a_fit_splits_the_half_that_ranks_chooses():
    n = 4000
    every = models(n, 4, (0.6, 0.1, 0.6))
    field = np.random.default_rng(5).integers(0, 2, n)
    choice = fit_policies(every, by=field, max_error_rate=0.01, paired=True)
    assert (choice.chosen, choice.by_half) == ("b", True)
    assert [each is None for each in choice.policies] == [True, False, True]
    policy = choice.policy
    assert policy.failure_probability == DELTA
    assert policy.n_items == n // 2
    # what the other half says does not matter to the choice, nor to the ranking
    unpaired = fit_policies(every, by=field, max_error_rate=0.01)
    assert not unpaired.by_half
    assert None not in unpaired.policies


def test_the_half_that_proves_is_not_looked_at():
    """The answers of the other half turned round, the same candidate is chosen by the same shares."""
    from fastarac.operation.choosing import fit_of_candidate, half_that_ranks, share_in_half

    n = 2000
    every = models(n, 6)
    field = np.arange(n) % 2
    limit = {"by": field, "max_error_rate": 0.01}
    fits = {name: fit_of_candidate(name, {**each, **limit}) for name, each in every.items()}
    ranks = half_that_ranks(list(fits.values()))
    assert 2 * ranks.sum() == n
    for name, fit in fits.items():
        turned = np.where(ranks, every[name]["correct"], ~every[name]["correct"])
        other = fit_of_candidate(name, {**every[name], "correct": turned, **limit})
        assert share_in_half(other, ranks) == share_in_half(fit, ranks) > 0.0


def test_settings_of_documents_are_chosen_by_half():
    """A field that is rightly absent in a third of the documents is optional in the better setting."""
    rng = np.random.default_rng(7)
    n = 1500
    absent = np.zeros((n, 2), bool)
    absent[:, 1] = rng.random(n) < 0.33
    confidence = rng.random((n, 2))
    correct = absent | (rng.random((n, 2)) >= 0.1 * (1.0 - confidence))
    columns = {
        "correct": correct.ravel(), "confidence": confidence.ravel(),
        "documents": np.repeat(np.arange(n), 2), "by": np.tile(["date", "po"], n),
        "rejected": absent.ravel(), "max_error_rate": 0.05, "fields_complete": True,
    }  # fmt: skip
    settings = {"required": {}, "optional": {"optional": ["po"]}}
    choice = fit_policies(settings, **columns)
    assert (choice.chosen, choice.by_half) == ("optional", True)
    assert choice.policy.optional == ("po",)
    assert choice.shares[1] > choice.shares[0] + 0.1


def test_refusals():
    every = models(100, 8)
    with pytest.raises(ValueError, match="candidates must hold at least one candidate, got none"):
        fit_policies({}, max_error_rate=0.1)
    with pytest.raises(TypeError, match=r'candidate "a": fit_policy\(\) got an unexpected'):
        fit_policies(every, max_error_rate=0.1, limit=3)
    with pytest.raises(TypeError, match='candidate "a": '):
        fit_policies(every)
    uneven = {**every, "c": {"correct": [1, 0], "confidence": [0.5, 0.4]}}
    with pytest.raises(ValueError, match="but the numbers of items are 2 and 100"):
        fit_policies(uneven, max_risk=0.1, paired=True)
