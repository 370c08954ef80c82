"""What a decision owes to the policies, and to pages that hardly align."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.results import Result
from fastarac.ocr.policies import INSERTED, MISSED, Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fastarac.evaluation.limits import Limit
    from fastarac.ocr.items import AlignedOutputs
    from fastarac.ocr.policies import InsertedPolicy, MissedPolicy
    from fastarac.operating_points.points import OperatingPoint

__all__ = ["Sensitivity", "sensitivity"]


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity(Result):
    """The accepted share under each policy.

    Attributes
    ----------
    limits : tuple of Limit
    accepted : mapping of Policy to tuple of float
        Accepted share of the items at each of the limits, the policy of the items first. Policies
        without a difference to another one, as there are no missed or no inserted outputs, are left
        out.
    without_pages : tuple of str
        Names of the pages that hardly align.
    accepted_without : tuple of float
        Accepted share without these pages, under the policy of the items; empty where there are none,
        or no others.
    """

    limits: tuple[Limit, ...]
    accepted: Mapping[Policy, tuple[float, ...]]
    without_pages: tuple[str, ...] = ()
    accepted_without: tuple[float, ...] = ()

    def spread(self, limit: int) -> float:
        """Return how far the accepted shares at a limit, given by its index, are apart."""
        shares = [row[limit] for row in self.accepted.values()]
        return max(shares) - min(shares)

    def to_dict(self) -> dict[str, float]:
        """Return the shares by flat names: ``"acceptance_rate@0.01|missed=reject|inserted=wrong"``."""
        return {
            f"acceptance_rate@{limit.key}|missed={policy.missed}|inserted={policy.inserted}": share
            for policy, row in self.accepted.items()
            for limit, share in zip(self.limits, row, strict=True)
        }


def sensitivity(aligned: AlignedOutputs, limits: Iterable[Limit]) -> Sensitivity:
    """Return the accepted share at each limit, under each policy of missed and inserted outputs.

    Parameters
    ----------
    aligned : AlignedOutputs
        Under the policy that is decided by.
    limits : iterable of Limit

    Returns
    -------
    Sensitivity

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.evaluation.limits import Limit
    >>> from fastarac.ocr import Words, align, sensitivity
    >>> texts = ("one", "fine", "day")
    >>> truth = Words(texts, np.full(3, np.nan), np.zeros(3), np.zeros(3), ("p",))
    >>> words = Words(texts[1:], np.array([9, 8]), np.zeros(2), np.zeros(2), ("p",), scale="percent")
    >>> found = sensitivity(align(truth, words), [Limit("max_error_rate", 0.01)])
    >>> for policy, shares in found.accepted.items():
    ...     print(policy.missed, shares)
    separate (1.0,)
    residual (0.0,)
    reject (0.6666666666666666,)
    neighbour (0.0,)
    """
    wanted = tuple(limits)

    def point(items: AlignedOutputs, limit: Limit) -> OperatingPoint:
        return items.operating_point(**{limit.criterion: limit.value})

    def accepted(items: AlignedOutputs) -> tuple[float, ...]:
        return tuple(point(items, limit).acceptance_rate for limit in wanted)

    own = aligned.policy
    missed: list[MissedPolicy] = [own.missed]
    inserted: list[InsertedPolicy] = [own.inserted]
    if aligned.missed:  # "drop" makes the same items as "separate"
        alike = {own.missed, "drop", *(("separate",) if own.missed == "drop" else ())}
        missed.extend(policy for policy in MISSED if policy not in alike)
    if aligned.counts["inserted"]:
        inserted.extend(policy for policy in INSERTED if policy != own.inserted)
    rows: dict[Policy, tuple[float, ...]] = {}
    for policy in (Policy(m, i) for i in inserted for m in missed):
        try:
            items = aligned.with_policy(missed=policy.missed, inserted=policy.inserted)
        except ValueError:  # only inserted outputs have a confidence
            continue
        rows[policy] = accepted(items)
    hard = aligned.hardly_aligned
    rest: tuple[float, ...] = ()
    if hard and len(hard) < len(aligned.records.page_names):
        try:
            rest = accepted(aligned.without_pages(hard))
        except ValueError:  # no page with an output is left
            rest = ()
    return Sensitivity(wanted, rows, hard, rest)
