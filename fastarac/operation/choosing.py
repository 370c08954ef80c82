"""Fit several policies and choose one, with one joint failure probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import failure_of
from fastarac._core.exceptions import unquestioned
from fastarac._core.results import Result
from fastarac._core.text import listed, percent, quoted
from fastarac.operating_points.points import operating_point
from fastarac.operation.fitting import PolicyFit, request_of
from fastarac.operation.item_columns import calibrations_of, error_probabilities
from fastarac.operation.ranked_documents import RankedDocuments
from fastarac.operation.ranking_half import random_half, source_of_halves

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.operation.policy import Policy

# Arguments of candidates that are not for `fit_policy`, but for `Policy.with_unread`.
AFTERWARDS = "n_unread", "missed_rate", "regions"


@dataclass(frozen=True, slots=True, eq=False)
class PolicyChoice(Result):
    """Several policies and the chosen policy; one failure probability covers all policies together.

    Attributes
    ----------
    names : tuple of str
        The names of the candidates.
    shares : tuple of float
        The share of all items that each candidate accepts. If `by_half`, it is the accepted share of
        the half of the items used for ranking, which is too optimistic for other items.
    policies : tuple of Policy or None
        The policies, in the order of `names`. You may use any of them. If `by_half`, only the chosen
        candidate has a policy.
    chosen : str or None
        The name of the candidate that accepts most; None if the candidates differ in their limits, or
        if some accept single outputs and others accept whole documents.
    by_half : bool
        Whether the choice is by the half used for ranking. Otherwise all policies share the failure
        probability.
    failure_probability : float
        δ, the probability that at least one of the policies exceeds its limit.

    See Also
    --------
    fit_policies : fit several policies and choose one
    """

    names: tuple[str, ...]
    shares: tuple[float, ...]
    policies: tuple[Policy | None, ...]
    chosen: str | None
    by_half: bool
    failure_probability: float

    def to_dict(self) -> dict[str, Any]:
        """Return the candidates' shares and the choice."""
        rows = zip(self.names, self.shares, strict=True)
        return {
            "chosen": self.chosen,
            "by_half": self.by_half,
            "failure_probability": self.failure_probability,
            **{f"share/{name}": share for name, share in rows},
        }

    @property
    def policy(self) -> Policy:
        """The policy of the chosen candidate."""
        found = self[self.chosen] if self.chosen is not None else None
        if found is None:
            names = listed([quoted(name) for name in self.names])
            raise ValueError(
                f"no candidate is chosen, because limits or units differ; choose by name: {names}"
            )
        return found

    def __getitem__(self, name: str) -> Policy | None:
        """Return the policy of a candidate; None if it was not chosen and therefore not fitted."""
        return dict(zip(self.names, self.policies, strict=True))[name]

    def __str__(self) -> str:
        sure = percent(1.0 - self.failure_probability)
        shares = [
            f"{name} {percent(share, 3)}" for name, share in zip(self.names, self.shares, strict=True)
        ]
        if self.chosen is None:
            return f"all of these keep their limits with {sure} confidence: {listed(shares)}"
        how = "by its share of the ranking half" if self.by_half else "by the share that it accepts"
        return f"{self.chosen} is chosen {how} ({listed(shares)}): {self.policy}"


def fit_policies(
    candidates: Mapping[str, Mapping[str, Any]],
    *,
    failure_probability: float = 0.05,
    paired: bool = False,
    **common: Any,
) -> PolicyChoice:
    r"""Fit policies for several models, limits or settings, and choose one of them.

    The promise of :func:`fit_policy` is for a single fit. If you choose the best of three fits with a
    failure probability of 5% each, the chosen policy breaks its limit in up to 14% of simulated cases.
    The policies fitted here share one failure probability, so you may use any of them.

    Parameters
    ----------
    candidates : mapping of str to mapping
        For each name, the arguments of :func:`fit_policy` that differ between candidates, such as
        `correct` and `confidence` of a model, `max_error_rate` or `optional`; also `n_unread` of
        :meth:`Policy.with_unread`.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the largest probability that the policy you use exceeds its limit, no matter how
        you choose it.
    paired : bool, default=False
        Whether row i is the same item for all candidates, although their outputs differ.
    **common
        Arguments of :func:`fit_policy` that are the same for all candidates.

    Returns
    -------
    PolicyChoice
        The policies. If all have the same limit and unit, also the name of the best candidate.

    Raises
    ------
    TypeError, ValueError
        As :func:`fit_policy`; the message names the candidate. ValueError if there are no candidates.

    See Also
    --------
    fit_policy : fit one policy

    Notes
    -----
    *Choice by all items.* This is the usual case. Each of m candidates is fitted with failure
    probability δ/m, so that all limits together are kept with a probability of at least 1 − δ
    (Bonferroni). In simulations with three equally good models, the chosen policy accepts as much as a
    single fit, to within one percentage point. Choosing on one half and testing on the other half
    would accept far less.

    *Choice by one half.* Candidates are compared on one half of the items if all have the same items,
    limit and unit, and if each fit splits its items into halves anyway (with fields or documents, or
    for ``max_risk`` alone). The candidate that would accept the largest share of one half is chosen.
    Only this candidate is tested on the other half, with δ.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random((2, 4000))
    >>> correct = rng.random((2, 4000)) >= np.array([[0.1], [0.2]]) * (1 - confidence)
    >>> models = {
    ...     name: {"correct": correct[i], "confidence": confidence[i]} for i, name in enumerate("ab")
    ... }
    >>> choice = fa.operation.fit_policies(models, max_error_rate=0.02)
    >>> choice.chosen, round(choice.policy.acceptance_rate, 2)
    ('a', 0.53)
    """
    delta = failure_of(failure_probability)
    if not candidates:
        raise ValueError("candidates must hold at least one candidate, got none")
    fits, unread = {}, {}
    for name, own in candidates.items():
        arguments = {**common, **own, "failure_probability": delta}
        unread[name] = {key: arguments.pop(key) for key in AFTERWARDS if key in arguments}
        fits[name] = fit_of_candidate(name, arguments)
    every = list(fits.values())
    same_items = paired or not any({"correct", "confidence"} & set(own) for own in candidates.values())
    limits = {tuple(each.limit.items()) for each in every}
    units = {each.columns.documents is None for each in every}
    comparable = len(limits) == 1 and len(units) == 1
    if comparable and len(every) > 1 and same_items and all(each.splits for each in every):
        return _by_half(fits, unread, delta)
    share = delta / len(every)
    policies = {}
    for name, each in fits.items():
        part = replace(each, limits={**each.limits, "failure_probability": share})
        # Each policy was fitted with a share of δ, but the joint promise of all policies has δ itself.
        found = replace(part.policy(), failure_probability=delta)
        policies[name] = found.with_unread(**{"n_unread": 0, **unread[name]})
    shares = {name: each.share_of_all_items for name, each in policies.items()}
    chosen = max(shares, key=lambda name: shares[name]) if comparable else None
    return PolicyChoice(
        tuple(policies), tuple(shares.values()), tuple(policies.values()), chosen,
        by_half=False, failure_probability=delta,
    )  # fmt: skip


def fit_of_candidate(name: str, arguments: dict[str, Any]) -> PolicyFit:
    """Check the arguments of a candidate; error messages name the candidate."""
    try:
        request = request_of(**arguments)
    except TypeError as error:
        raise TypeError(f"candidate {quoted(name)}: fit_policy() {error}") from None
    try:
        return PolicyFit.of(request)
    except (TypeError, ValueError) as error:
        raise type(error)(f"candidate {quoted(name)}: {error}") from None


def _by_half(
    fits: Mapping[str, PolicyFit], unread: Mapping[str, dict[str, Any]], delta: float
) -> PolicyChoice:
    """Choose the candidate that accepts most of one half of the items; test it on the other half."""
    every = list(fits.values())
    sizes = {each.columns.n for each in every}
    if len(sizes) > 1:
        raise ValueError(
            "candidates must have the same items, but the numbers of items are "
            f"{listed(list(map(str, sorted(sizes))))}"
        )
    ranks = half_that_ranks(every)
    shares = {name: share_in_half(each, ranks) for name, each in fits.items()}
    chosen = max(shares, key=lambda name: shares[name])
    policy = fits[chosen].policy(ranks).with_unread(**{"n_unread": 0, **unread[chosen]})
    policies = tuple(policy if name == chosen else None for name in fits)
    return PolicyChoice(
        tuple(fits), tuple(shares.values()), policies, chosen, by_half=True,
        failure_probability=delta,
    )  # fmt: skip


def half_that_ranks(fits: Sequence[PolicyFit]) -> NDArray[np.bool_]:
    """Draw the half of the items that is used for ranking, from the seeds of all fits."""
    own = [source_of_halves(each.columns, each.key).integers(0, 2**63, 2) for each in fits]
    return random_half(fits[0].columns, np.random.default_rng(np.concatenate(own)))


def share_in_half(fit: PolicyFit, ranks: NDArray[np.bool_]) -> float:
    """Return the largest share of the half `ranks` that can be accepted within the limit.

    The outputs are ranked by calibrations on the same half. So the share is too optimistic, but equally
    for all candidates. In simulations, cross-fitting within the half chose the better model less often.
    The other half is not used, so it can still prove the limit.
    """
    columns = fit.columns
    known = calibrations_of(columns, ranks, fit.settings.n_fields)
    # Lowest acceptable score: scores are −p̂ ≥ −1, where p̂ is the error probability. Items without a
    # calibration have a lower score.
    worst = -1.0
    if columns.documents is None:
        score, answers = -error_probabilities(columns, known)[ranks], columns.answers(ranks)
    else:
        documents = RankedDocuments(columns, ranks, fit.key, fit.settings)
        chosen, worst = documents.chosen, 0.0
        score, answers = documents.score(known)[chosen], documents.right[chosen]
    with unquestioned():
        point = operating_point(answers, score, **fit.limit)
    if point.threshold >= worst:
        return float(point.acceptance_rate)
    return float(np.mean(score >= worst))
