"""Which model accepts most at a limit, and whether by more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.exceptions import FEW_GROUPS, collected
from fastarac._core.results import Result
from fastarac._core.text import UNDEFINED, listed, percent, printable, pvalue
from fastarac.uncertainty.comparison import compare_models
from fastarac.uncertainty.comparison_results import best_first
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from fastarac.evaluation.limits import Limit
    from fastarac.io import Outputs
    from fastarac.uncertainty.comparison_results import ModelComparison, PairDifference

__all__ = ["Lead", "labels_of_groups", "leads_of"]

STATISTICS = {"max_error_rate": "acceptance_at_error_rate", "max_risk": "acceptance_at_risk"}
RESAMPLES = 1000
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Lead(Result):
    """Models side by side at a limit, by the share that each accepts of its own items.

    Attributes
    ----------
    limit : Limit or None
        None where no limit is to be kept: models are then compared by ARAC-AUC.
    comparison : ModelComparison
        By that share, the model of the largest one first.
    unit : str
        What is drawn for all models at once: "page", "document" or another group, or "item".
    n_units : int
        How many of them there are.
    alike : frozenset of (str, str)
        Models with the same outputs: each item right or wrong alike, with the same confidence.
    """

    limit: Limit | None
    comparison: ModelComparison
    unit: str
    n_units: int
    alike: frozenset[tuple[str, str]] = frozenset()

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return round(1.0 - self.comparison.confidence_level, 12)

    def is_clear(self, pair: PairDifference) -> bool:
        """Whether a difference is beyond chance: p-value and interval, both adjusted, say the same."""
        return bool(round(pair.adjusted_pvalue, 12) < self.alpha)

    @property
    def is_of_few(self) -> bool:
        """Whether what is drawn is too little to rely on p-values and intervals."""
        return self.unit != "item" and self.n_units < FEW_GROUPS

    def verdict(self, pair: PairDifference) -> str:
        """Return in few words whether a difference is beyond chance."""
        if not self.is_clear(pair):
            return "may be chance"
        return f"too few {self.unit}s" if self.is_of_few else "beyond chance"

    @property
    def sentence(self) -> str:
        """Say how sure it is that the first model is ahead of each of the others."""
        leader, *others = self.comparison.names
        clear, open_, same, copies = list[str](), list[str](), list[str](), list[str]()
        for other in others:
            pair = self.comparison.pair(leader, other)
            if not pair.difference:
                (copies if self._are_alike(pair) else same).append(printable(other))
                continue
            chance = pvalue(pair.adjusted_pvalue)
            sure = "" if chance == UNDEFINED else f", p {chance if '<' in chance else f'= {chance}'}"
            ends = self.ends(pair)
            if not self._says_nothing(pair):
                ends = f"{percent(self.comparison.confidence_level)} interval {ends}"
            said = f"{printable(other)} ({self.by(pair)}, {ends}{sure})"
            (clear if self.is_clear(pair) else open_).append(said)
        name = printable(leader)
        parts = []
        if clear:
            doubt = ""
            if self.is_of_few:
                doubt = (
                    f" if {self.n_units:,} {self._units} are enough: rely on it from {FEW_GROUPS} on"
                )
            parts.append(f"{name} {self._ahead} {listed(clear)}, beyond chance{doubt}")
        if open_:
            whose = "its" if clear else f"{name}'s"
            parts.append(f"{whose} lead over {listed(open_)} may be chance")
        for others, even in ((copies, "have the same outputs"), (same, self._even)):
            if others:
                parts.append(f"{listed([name, *others])} {even}")
        return f"{self.judged} {'; '.join(parts)}."

    @property
    def _ahead(self) -> str:
        return "has a larger ARAC-AUC than" if self.limit is None else "accepts more than"

    @property
    def _even(self) -> str:
        return "have the same ARAC-AUC" if self.limit is None else "accept the same share"

    @property
    def judged(self) -> str:
        """By what the models are judged, as the opening of a sentence."""
        return f"Judged by {self.n_units:,} {self._units},"

    @property
    def _units(self) -> str:
        return self.unit + "s" * (self.n_units != 1)

    def by(self, pair: PairDifference) -> str:
        """Return a difference as a text: points of accepted share, or an area."""
        if self.limit is None:
            return f"{pair.difference:+.4f}"
        return f"{_points(pair.difference)} points"

    def _are_alike(self, pair: PairDifference) -> bool:
        return not self.alike.isdisjoint({(pair.a, pair.b), (pair.b, pair.a)})

    def ends(self, pair: PairDifference) -> str:
        """Return its adjusted interval, or that it is all that there can be."""
        if self._are_alike(pair):
            return "the same outputs"
        low, high = pair.adjusted_interval.low, pair.adjusted_interval.high
        if pair.adjusted_interval.method == "unseen" and not pair.difference:
            return "alike in all resamples" if self.limit is not None else "no item differs"
        if self._says_nothing(pair):
            return f"too few {self.unit}s for an interval"
        if self.limit is None:
            return f"{low:+.4f} to {high:+.4f}"
        return f"{_points(low)} to {_points(high)}"

    @staticmethod
    def _says_nothing(pair: PairDifference) -> bool:
        return pair.adjusted_interval.low <= -1.0 and pair.adjusted_interval.high >= 1.0


def leads_of(
    models: Mapping[str, Outputs],
    limits: Iterable[Limit],
    *,
    paired: Literal["items", "groups"] = "groups",
    unit: str = "group",
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    random_state: int = SEED,
) -> list[Lead | None]:
    """Compare models at each limit by the very shares that they accept there.

    Parameters
    ----------
    models : mapping of str to Outputs
        With the groups that they share, for `paired` "groups"; or of the same items in the same order.
    limits : iterable of Limit
    paired : {"items", "groups"}, default="groups"
        As for :func:`.compare_models`.
    unit : str, default="group"
        What a group is called.
    confidence_level : float, default=0.95
    n_resamples : int, default=1000
        Of groups, or of items; which are drawn depends on `random_state` alone.
    random_state : int, default=0

    Returns
    -------
    list of Lead or None
        One a limit, None for a threshold that is given, at which no model is ahead. Where no limit is
        left, one by ARAC-AUC.

    Notes
    -----
    The share that is compared is that of :func:`.operating_point`, over each model's own items, of
    which no threshold accepts what is rejected: where a model is ahead here, it is in every table.
    """
    wanted = tuple(limits)
    items = _items(models)
    groups: Any = None
    first = next(iter(models.values()))
    if paired == "groups":
        groups = {name: labels_of_groups(outputs) for name, outputs in models.items()}
    elif first.group is not None:
        groups = first.group.codes
    never = min(
        (float(items[name][1].min()) for name in models if models[name].rejected is not None),
        default=None,
    )

    def compared(statistic: Statistic | str, method: Literal["asymptotic", "bootstrap"]) -> Any:
        weights: Any = first.weight
        if paired == "groups" and weights is not None:
            weights = {name: outputs.weight for name, outputs in models.items()}
        with collected([]):
            return best_first(
                compare_models(
                    items,
                    statistic=statistic,
                    method=method,
                    confidence_level=confidence_level,
                    groups=groups,
                    paired=paired,
                    sample_weight=weights,
                    n_resamples=n_resamples,
                    random_state=random_state,
                )
            )

    unit = "item" if groups is None else unit
    n_groups = None if paired == "groups" else first.n_groups
    alike = frozenset((a, b) for a, b in combinations(models, 2) if _are_the_same(models[a], models[b]))
    found: list[Lead | None] = []
    for limit in wanted:
        name = STATISTICS.get(limit.criterion)
        if name is None:
            found.append(None)
            continue
        statistic = Statistic(
            name, **{limit.criterion: limit.value}, interpolate=False, never_accepted=never
        )
        by_share = compared(statistic, "bootstrap")
        found.append(Lead(limit, by_share, unit, n_groups or by_share.n, alike))
    if not any(found):
        by_area = compared("arac_auc", "asymptotic")
        found.append(Lead(None, by_area, unit, n_groups or by_area.n, alike))
    return found


def _are_the_same(one: Outputs, other: Outputs) -> bool:
    """Return whether two models have the same items in the same groups, right or wrong alike."""
    if len(one.correct) != len(other.correct):
        return False
    columns: list[tuple[Any, Any]] = [
        (one.correct, other.correct),
        (one.confidence, other.confidence),
    ]
    for mine, its in ((one.rejected, other.rejected), (one.weight, other.weight)):
        if mine is not None or its is not None:
            columns.append((mine, its))
    if one.group is not None and other.group is not None:
        columns.append((labels_of_groups(one), labels_of_groups(other)))
    return all(mine is not None and np.array_equal(mine, its) for mine, its in columns)


def _points(share: float) -> str:
    """Return a difference of shares in points, with more decimals lest it look like none."""
    text = f"{100.0 * share:+.1f}"
    if share and float(text) == 0.0:
        return f"{100.0 * share:+.1g}"
    return text if share else "0.0"


def labels_of_groups(outputs: Outputs) -> NDArray[np.str_]:
    """Return the label of each item's group."""
    if outputs.group is None:
        raise ValueError("models has outputs without groups; those that all models share are expected")
    return np.array(outputs.group.names, np.str_)[outputs.group.codes]


def _items(models: Mapping[str, Outputs]) -> dict[str, tuple[Any, Any]]:
    """Return the items with one confidence, below all others, for what is rejected of any model."""
    rejected = [outputs for outputs in models.values() if outputs.rejected is not None]
    if not rejected:
        return {name: (outputs.correct, outputs.confidence) for name, outputs in models.items()}
    lowest = min(float(outputs.confidence.min()) for outputs in models.values()) - 1.0
    items = {}
    for name, outputs in models.items():
        confidence = outputs.confidence
        if outputs.rejected is not None:
            confidence = np.where(outputs.rejected, lowest, confidence)
        items[name] = outputs.correct, confidence
    return items
