"""How the accepted share depends on the alignment policy, and on pages unlike their true text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from fastarac._core.results import Result
from fastarac._core.text import few_of, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fastarac.evaluation.limits import Limit
    from fastarac.ocr.words.policies import AlignmentPolicy

#: Minimum difference of two engines' accepted shares for a reversed order. Tables round smaller
#: differences to 0.
LEAST = 0.0005
#: Maximum number of pairs of engines that one sentence names.
PAIRS = 3


class OrderChange(NamedTuple):
    """Two engines whose order by accepted share is reversed under another policy.

    Attributes
    ----------
    first, second : str
        The engines; `first` has the larger accepted share under the policy in use.
    by : float
        Accepted share of `first` minus that of `second`, under the policy in use.
    under : mapping of AlignmentPolicy to float
        For each policy that reverses the order, the accepted share of `second` minus that of `first`;
        the largest difference comes first.
    """

    first: str
    second: str
    by: float
    under: Mapping[AlignmentPolicy, float]


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity(Result):
    """The accepted share under each policy.

    Attributes
    ----------
    limits : tuple of Limit
    accepted : mapping of AlignmentPolicy to tuple of float
        For each policy, the accepted share of its items at each limit. The policy in use comes first.
        If several policies give the same items, only one of them is included.
    without_pages : tuple of str
        Names of the pages that hardly align with the truth for this engine or, in a comparison, for at
        least one engine.
    accepted_without : tuple of float
        Accepted share at each limit without these pages, under the policy in use. Empty if this leaves
        out no page or every page.

    See Also
    --------
    sensitivity : accepted shares under each policy
    AlignedOutputs : the items of an engine's outputs
    """

    limits: tuple[Limit, ...]
    accepted: Mapping[AlignmentPolicy, tuple[float, ...]]
    without_pages: tuple[str, ...] = ()
    accepted_without: tuple[float, ...] = ()

    def ends(self, limit: int) -> tuple[float, float]:
        """Return the smallest and the largest accepted share over all policies at a limit."""
        shares = [row[limit] for row in self.accepted.values()]
        return min(shares), max(shares)

    @property
    def left_out(self) -> str:
        """A phrase with the number of pages that `accepted_without` leaves out."""
        n = len(self.without_pages)
        return f"{n:,} {plural('page', n)} that hardly align{'s' * (n == 1)}"

    @property
    def varied(self) -> list[str]:
        """The fields of `AlignmentPolicy` whose values differ among the policies."""
        found = {name for policy in self.accepted for name in policy.fields_apart(self.policy)}
        return [name for name in self.policy._fields if name in found]

    @property
    def policy(self) -> AlignmentPolicy:
        """The policy in use."""
        return next(iter(self.accepted))

    def under(self, policy: AlignmentPolicy) -> tuple[float, ...] | None:
        """Return the accepted shares under a policy, or None if they were not computed for it.

        Fields that are not in `varied` are ignored: for example `moved` if no word has moved.
        """
        varied = self.varied
        alike = {name: value for name, value in self.policy._asdict().items() if name not in varied}
        return self.accepted.get(policy._replace(**alike))

    def to_dict(self) -> dict[str, float]:
        """Return the shares by names such as ``"acceptance_rate/0.01/missed/reject/…"``."""
        return {
            f"acceptance_rate/{limit.key}/{policy.key}": share
            for policy, row in self.accepted.items()
            for limit, share in zip(self.limits, row, strict=True)
        }


def order_changes(engines: Mapping[str, Sensitivity], limit: int) -> list[OrderChange]:
    """Return the pairs of engines whose order at a limit is reversed under another policy.

    Parameters
    ----------
    engines : mapping of str to Sensitivity
        Sensitivities with the same limits and the same policy in use.
    limit : int
        Index of the limit.

    Returns
    -------
    list of OrderChange
        The pairs, sorted by the accepted share of their first engine, the largest first.
    """
    shares = {name: each.accepted[each.policy][limit] for name, each in engines.items()}
    order = sorted(shares, key=lambda name: -shares[name])
    policies = dict.fromkeys(policy for each in engines.values() for policy in each.accepted)
    found = []
    for first, second in combinations(order, 2):
        by = shares[first] - shares[second]
        under = {}
        for policy in policies:
            rows = [engines[name].under(policy) for name in (first, second)]
            if rows[0] is not None and rows[1] is not None:
                under[policy] = rows[1][limit] - rows[0][limit]
        changed = {
            policy: more
            for policy, more in sorted(under.items(), key=lambda item: -item[1])
            if more >= LEAST
        }
        if changed and by > 0:
            found.append(OrderChange(first, second, by, changed))
    return found


def order_sentence(engines: Mapping[str, Sensitivity], limit: int) -> str:
    """Say which engines change order under which policies, and by how much; empty if none does."""
    changes = order_changes(engines, limit)
    if not changes:
        return ""
    own = next(iter(engines.values())).policy
    leader = changes[0].first
    said, others = list[str](), list[str]()
    for change in changes:
        first, second = printable(change.first), printable(change.second)
        if change.first != leader or len(said) == PAIRS:
            others.append(f"{first} and {second}")
            continue
        # The largest difference between the engines comes first in `under`. Of the policies that differ
        # from `own` in the fewest fields, `min` takes the first.
        policy = min(change.under, key=lambda each: len(each.fields_apart(own)))
        here = "" if said else "As counted here, "
        said.append(
            f"{here}{first} accepts {100 * change.by:.1f} points more than {second}; "
            f"{policy.apart(own)}, {second} accepts {100 * change.under[policy]:.1f} points more."
        )
    if others:
        named = few_of(others, PAIRS)
        said.append(f"The order of {named} is reversed, too.")
    fields = {name for change in changes for each in change.under for name in each.fields_apart(own)}
    what = what_counts(name for name in own._fields if name in fields)
    return f"{' '.join(said)} The order of the engines depends on how {what} count."


def what_counts(fields: Iterable[str]) -> str:
    """Name the words that these policy fields concern, for example "missed and moved words"."""
    kinds = list(fields)
    return "inserted outputs" if kinds == ["inserted"] else f"{listed(kinds)} words"
