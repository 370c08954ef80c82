"""What a decision owes to the policies, and to pages that hardly align."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.evaluation.limits import Limit
    from fastarac.ocr.policies import AlignmentPolicy

__all__ = ["Sensitivity"]


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
    accepted: Mapping[AlignmentPolicy, tuple[float, ...]]
    without_pages: tuple[str, ...] = ()
    accepted_without: tuple[float, ...] = ()

    def spread(self, limit: int) -> float:
        """Return how far the accepted shares at a limit, given by its index, are apart."""
        shares = [row[limit] for row in self.accepted.values()]
        return max(shares) - min(shares)

    def to_dict(self) -> dict[str, float]:
        """Return the shares by flat names: ``"acceptance_rate@0.01|missed=reject|inserted=wrong"``."""
        return {
            f"acceptance_rate@{limit.key}|{policy.key}": share
            for policy, row in self.accepted.items()
            for limit, share in zip(self.limits, row, strict=True)
        }
