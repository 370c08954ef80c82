"""Ranking of models by the share accepted at a limit, with tests of the differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.exceptions import FEW_GROUPS, collected
from fastarac._core.results import Result
from fastarac._core.text import UNDEFINED, listed, percent, printable, pvalue
from fastarac.evaluation.part_orders import exception_of, note_of, part_orders
from fastarac.evaluation.rejected import point_above
from fastarac.operating_points.points import operating_point
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.comparison import compare_models
from fastarac.uncertainty.comparison_results import best_first
from fastarac.uncertainty.reversals import enough_resamples, reversal_pvalue
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.part_orders import ItemParts, PartOrder
    from fastarac.io import Outputs
    from fastarac.uncertainty.comparison_results import ModelComparison, PairDifference

STATISTICS = {"max_error_rate": "acceptance_at_error_rate", "max_risk": "acceptance_at_risk"}
RESAMPLES = 1000
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Lead(Result):
    """Comparison of models by the share of its items that each model accepts at a limit.

    Attributes
    ----------
    limit : Limit or None
        The limit; None if models are compared by ARAC-AUC.
    comparison : ModelComparison
        Comparison of the accepted shares or of the ARAC-AUCs. The best model comes first.
    unit : str
        The name of the units that resamples draw for all models at once, such as "item", "page" or
        "document".
    n_units : int
        Number of these units.
    alike : frozenset of (str, str)
        Pairs of models with the same outputs: every item is equally right or wrong in both, with the
        same confidence.
    parts : tuple of PartOrder
        Comparisons of the first model with each other model in parts of the items, if parts are given.
    """

    limit: Limit | None
    comparison: ModelComparison
    unit: str
    n_units: int
    alike: frozenset[tuple[str, str]] = frozenset()
    parts: tuple[PartOrder, ...] = ()

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return round(1.0 - self.comparison.confidence_level, 12)

    def is_clear(self, pair: PairDifference) -> bool:
        """Return whether a difference is significant after the correction for multiple tests."""
        return bool(round(pair.adjusted_pvalue, 12) < self.alpha)

    @property
    def is_of_few(self) -> bool:
        """Whether there are too few groups to rely on p-values and intervals."""
        return self.unit != "item" and self.n_units < FEW_GROUPS

    def verdict(self, pair: PairDifference) -> str:
        """Return a few words on whether a difference may be due to chance."""
        if not self.is_clear(pair):
            return "may be chance"
        return f"too few {self.unit}s" if self.is_of_few else "beyond chance"

    @property
    def reversed_parts(self) -> list[PartOrder]:
        """The parts in which another model is significantly better than the first one."""
        return [part for part in self.parts if part.is_reversed(self.alpha)]

    @property
    def exception(self) -> str:
        """A phrase like "except in invoices" if another model is better in some parts, else empty."""
        return f"except {where}" if (where := exception_of(self.parts, self.alpha)) else ""

    @property
    def note(self) -> str:
        """Sentences on the parts in which another model is better, for a report; may be empty."""
        return note_of(self.parts, self.alpha, of_areas=self.limit is None)

    @property
    def sentence(self) -> str:
        """A sentence on how certain it is that the first model is better than each other model."""
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
        reverse = exception_of(self.parts, self.alpha)
        if clear:
            doubt = ""
            if self.is_of_few:
                doubt = (
                    f" if {self.n_units:,} {self._units} are enough ({FEW_GROUPS} or more are reliable)"
                )
            exception = f", except {reverse}" if reverse else ""
            parts.append(f"{name} {self._ahead} {listed(clear)}, beyond chance{doubt}{exception}")
        if open_:
            whose = "its" if clear else f"{name}'s"
            parts.append(f"{whose} lead over {listed(open_)} may be chance")
        for others, even in ((copies, "have the same outputs"), (same, self._even)):
            if others:
                parts.append(f"{listed([name, *others])} {even}")
        if reverse and not clear:
            parts.append(f"{reverse} the order is reversed")
        return f"{self.judged} {'; '.join(parts)}."

    @property
    def _ahead(self) -> str:
        return "has a larger ARAC-AUC than" if self.limit is None else "accepts more than"

    @property
    def _even(self) -> str:
        return "have the same ARAC-AUC" if self.limit is None else "accept the same share"

    @property
    def judged(self) -> str:
        """The first words of `sentence`, such as "Judged by 40 pages,"."""
        return f"Judged by {self.n_units:,} {self._units},"

    @property
    def _units(self) -> str:
        return self.unit + "s" * (self.n_units != 1)

    def by(self, pair: PairDifference) -> str:
        """Return a pair's difference as text: percentage points of accepted shares, or an area."""
        return self.amount(pair.difference)

    def amount(self, difference: float) -> str:
        """Return a difference as text, with the unit that `by` uses."""
        return f"{difference:+.4f}" if self.limit is None else f"{_points(difference)} points"

    def _are_alike(self, pair: PairDifference) -> bool:
        return not self.alike.isdisjoint({(pair.a, pair.b), (pair.b, pair.a)})

    def ends(self, pair: PairDifference) -> str:
        """Return a pair's adjusted interval as text, or the reason why there is none."""
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
    splits: Mapping[str, Sequence[ItemParts]] | None = None,
) -> list[Lead | None]:
    """Compare models at each limit by the shares that they accept within it.

    Parameters
    ----------
    models : mapping of str to Outputs
        Outputs of each model, with the same groups or, if `paired` is "items", the same items in order.
    limits : iterable of Limit
    paired : {"items", "groups"}, default="groups"
        As for :func:`.compare_models`.
    unit : str, default="group"
        The name of a group.
    confidence_level : float, default=0.95
    n_resamples : int, default=1000
        Number of resamples of groups or items.
    random_state : int, default=0
    splits : mapping of str to sequence of ItemParts, optional
        Partitions of each model's items. In each part, the order of the models is tested.

    Returns
    -------
    list of Lead or None
        One comparison per limit, and None for a given threshold. Without any limit, the list has a
        single comparison by ARAC-AUC.

    Notes
    -----
    The compared share is the acceptance rate of :func:`.operating_point`, where rejected items are
    never accepted, as in the tables of acceptance rates.
    """
    wanted = tuple(limits)
    first = next(iter(models.values()))
    unit = "item" if paired == "items" and first.group is None else unit
    n_groups = None if paired == "groups" else first.n_groups
    alike = frozenset((a, b) for a, b in combinations(models, 2) if _are_the_same(models[a], models[b]))
    comparing = _Comparing(paired, confidence_level, n_resamples, random_state)
    found: list[Lead | None] = [
        comparing.lead(models, limit, splits or {}, unit, n_groups, alike)
        if limit.criterion in STATISTICS
        else None
        for limit in wanted
    ]
    if not any(found):
        found.append(comparing.lead(models, None, splits or {}, unit, n_groups, alike))
    return found


class _Comparing(NamedTuple):
    """Options for comparing models, for all of their items or for parts."""

    paired: Literal["items", "groups"]
    confidence_level: float
    n_resamples: int
    random_state: int

    def lead(
        self,
        models: Mapping[str, Outputs],
        limit: Limit | None,
        splits: Mapping[str, Sequence[ItemParts]],
        unit: str,
        n_groups: int | None,
        alike: frozenset[tuple[str, str]],
    ) -> Lead:
        """Return the comparison of models at a limit, or by ARAC-AUC."""
        found = best_first(self.compare(models, limit, self.n_resamples))
        lead = Lead(limit, found, unit, n_groups or found.n, alike)
        leader, *others = found.names
        ahead = [other for other in others if found.pair(leader, other).difference > 0.0]
        if not ahead or not splits:
            return lead

        def values(parts: Mapping[str, Outputs]) -> list[float]:
            statistic = _statistic(parts, limit)
            return [
                statistic(threshold_sweep(*items, sample_weight=parts[name].weight))
                for name, items in _items(parts).items()
            ]

        def pvalue(parts: Mapping[str, Outputs], level: float) -> float:
            codes = _codes(parts)
            n_resamples = enough_resamples(self.n_resamples, codes, level)
            (pair,) = self.compare(parts, limit, n_resamples).pairs
            if limit is None:  # the p-value is NaN if the difference has no standard error
                return 1.0 if pair.pvalue != pair.pvalue else 0.5 * pair.pvalue
            items = _items(parts)
            accepted = [items[name][1] >= _threshold(parts[name], limit, items[name]) for name in parts]
            return reversal_pvalue(accepted, codes, pair.interval.distribution)

        parts = part_orders(models, splits, [leader, *ahead], values, pvalue, lead.alpha)
        return replace(lead, parts=parts)

    def compare(
        self, models: Mapping[str, Outputs], limit: Limit | None, n_resamples: int
    ) -> ModelComparison:
        """Return the comparison of models at a limit, or by ARAC-AUC."""
        first = next(iter(models.values()))
        groups: Any = None if first.group is None else first.group.codes
        weights: Any = first.weight
        if self.paired == "groups":
            groups = {name: labels_of_groups(outputs) for name, outputs in models.items()}
            if weights is not None:
                weights = {name: outputs.weight for name, outputs in models.items()}
        with collected([]):
            return compare_models(
                _items(models),
                statistic=_statistic(models, limit),
                method="asymptotic" if limit is None else "bootstrap",
                confidence_level=self.confidence_level,
                groups=groups,
                paired=self.paired,
                sample_weight=weights,
                n_resamples=n_resamples,
                random_state=self.random_state,
            )


def _threshold(outputs: Outputs, limit: Limit, items: tuple[Any, Any]) -> float:
    """Return a model's threshold for a limit, above the confidence of items that the model rejects."""
    sweep = threshold_sweep(*items, sample_weight=outputs.weight)
    given: Any = {limit.criterion: limit.value}
    if outputs.never_accepted is None:
        return float(operating_point(sweep, **given).threshold)
    return float(point_above(sweep, float(sweep.thresholds[-1]), **given).threshold)


def _codes(models: Mapping[str, Outputs]) -> list[NDArray[np.intp]]:
    """Return each item's group number, alike in all models; without groups, the item's index."""
    if any(outputs.group is None for outputs in models.values()):
        return [np.arange(len(outputs)) for outputs in models.values()]
    labels = [labels_of_groups(outputs) for outputs in models.values()]
    codes = np.unique(np.concatenate(labels), return_inverse=True)[1]
    return np.split(codes, np.cumsum([len(each) for each in labels])[:-1])


def _statistic(models: Mapping[str, Outputs], limit: Limit | None) -> Statistic:
    """Return the statistic to compare: the share accepted at a limit, or the ARAC-AUC."""
    if limit is None:
        return Statistic("arac_auc")
    items = _items(models)
    some = [name for name, outputs in models.items() if outputs.never_accepted is not None]
    never = min((float(items[name][1].min()) for name in some), default=None)
    given: Any = {limit.criterion: limit.value}
    name = STATISTICS[limit.criterion]
    return Statistic(name, **given, never_accepted=never)


def _are_the_same(one: Outputs, other: Outputs) -> bool:
    """Return whether two models have the same items, groups, answers and confidences."""
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
    """Return a difference of shares in percentage points, with enough decimals not to show 0."""
    text = f"{100.0 * share:+.1f}"
    if share and float(text) == 0.0:
        return f"{100.0 * share:+.1g}"
    return text if share else "0.0"


def labels_of_groups(outputs: Outputs) -> NDArray[np.str_]:
    """Return the label of each item's group."""
    if outputs.group is None:
        raise ValueError("some models have no groups: give groups that all models share")
    return np.array(outputs.group.names, np.str_)[outputs.group.codes]


def _items(models: Mapping[str, Outputs]) -> dict[str, tuple[Any, Any]]:
    """Return each model's labels and confidences; rejected items get the lowest confidence."""
    if all(outputs.never_accepted is None for outputs in models.values()):
        return {name: (outputs.correct, outputs.confidence) for name, outputs in models.items()}
    lowest = min(float(outputs.confidence.min()) for outputs in models.values()) - 1.0
    items = {}
    for name, outputs in models.items():
        confidence = outputs.confidence
        if outputs.rejected is not None:
            confidence = np.where(outputs.rejected, lowest, confidence)
        items[name] = outputs.correct, confidence
    return items
