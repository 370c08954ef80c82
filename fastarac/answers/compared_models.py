"""Comparisons of models on the same items: the options, and the result as text, rows, objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.exceptions import collected
from fastarac._core.text import capitalised
from fastarac.answers import comparison as answers
from fastarac.answers import part_comparison, wrong_groups
from fastarac.answers.cost_comparison import CostComparison
from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import Said
from fastarac.evaluation.model_ranking import labels_of_groups
from fastarac.operating_points.limits import most_accepted
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.comparison import compare_models
from fastarac.uncertainty.comparison_results import best_first
from fastarac.uncertainty.part_comparison import compare_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.costs.verification import VerificationCosts
    from fastarac.io import Labels, Outputs
    from fastarac.reviewer import Reviewer
    from fastarac.uncertainty.comparison_results import ModelComparison
    from fastarac.uncertainty.paired import Pairing
    from fastarac.uncertainty.part_results import PartComparison
    from fastarac.uncertainty.statistics import Statistic

# Fields of a row. Only a row for a pair of models has a value of "minus".
FIELDS = (
    "model", "minus", "statistic", "method", "correction", "confidence_level", "n", "estimate",
    "standard_error", "low", "high", "pvalue", "adjusted_low", "adjusted_high", "adjusted_pvalue",
    "share_of_best", "letters",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The options of a comparison: the statistic, the level of intervals, and any prices."""

    statistic: Statistic
    level: float
    costs: VerificationCosts | None = None
    reviewer: Reviewer | None = None
    unseen_pages: bool = False

    @property
    def by_bootstrap(self) -> bool:
        """Whether to use the bootstrap, because the statistic has no influence values."""
        return not self.statistic.definition.is_smooth

    def compare(
        self,
        models: Mapping[str, tuple[Any, Any]],
        *,
        resamples: int | None = None,
        weight: Any = None,
        groups: Any = None,
        paired: Pairing = "items",
        progress: bool = False,
        in_part: bool = False,
    ) -> ModelComparison:
        """Compare models by the statistic; `in_part` says that only some outputs are verified."""
        return compare_models(
            models,
            statistic=self.statistic,
            method="bootstrap" if self.by_bootstrap and not in_part else "asymptotic",
            confidence_level=self.level,
            sample_weight=weight,
            groups=groups,
            paired=paired,
            n_resamples=resamples or answers.RESAMPLES,
            random_state=answers.SEED,
            progress=progress,
            unseen_pages=self.unseen_pages,
        )


@dataclass(frozen=True, slots=True)
class ComparisonFindings:
    """The comparison of models by a statistic and by cost.

    Attributes
    ----------
    request : ComparisonRequest
    comparison : ModelComparison
        The comparison by the statistic.
    costs : CostComparison or None
        The comparison of costs, if there are prices.
    notes : tuple of str
        Reasons for caution.
    order : str or None
        A note on how items are paired; None if an option says so.
    n_groups : int or None
        The number of groups of dependent outputs, if groups are given.
    parts : PartComparison or None
        The comparison within each part, if a column splits the outputs.
    by : str or None
        The name of that column.
    """

    request: ComparisonRequest
    comparison: ModelComparison
    costs: CostComparison | None
    notes: tuple[str, ...]
    order: str | None = None
    n_groups: int | None = None
    parts: PartComparison | None = None
    by: str | None = None

    @classmethod
    def of_verified(
        cls, models: Mapping[str, Any], request: ComparisonRequest, order: str | None
    ) -> Self:
        """Compare models on the same, partly verified items."""
        notes: list[str] = []
        with collected(notes):
            found = request.compare(models, in_part=True)
        return cls(request, best_first(found), None, said_of(request, [*notes, *found.notes]), order)

    @classmethod
    def of(
        cls,
        models: Mapping[str, Outputs],
        request: ComparisonRequest,
        order: str | None = None,
        paired: Pairing = "items",
        by: str | None = None,
        *,
        progress: bool = False,
    ) -> Self:
        """Compare models on the same items in the same order, or on the same groups."""
        first = next(iter(models.values()))
        weight: Any = first.weight
        groups: Any = first.factors
        n_groups = first.n_groups
        if paired == "groups":
            groups = {name: labels_of_groups(outputs) for name, outputs in models.items()}
            n_groups = len({label for labels in groups.values() for label in labels.tolist()})
            if weight is not None:
                weight = {name: outputs.weight for name, outputs in models.items()}
        notes: list[str] = []
        with collected(notes):
            given = {name: (outputs.correct, outputs.confidence) for name, outputs in models.items()}
            found = request.compare(
                given,
                weight=weight,
                groups=groups,
                paired=paired,
                progress=progress,
            )
            parts = None
            if by is not None:
                labels: Any = {name: _texts(outputs.by) for name, outputs in models.items()}
                parts = compare_parts(
                    given, labels if paired == "groups" else next(iter(labels.values())),
                    statistic=request.statistic, confidence_level=request.level,
                    groups=groups, paired=paired, sample_weight=weight,
                )  # fmt: skip
        _require_accepted(models, found)
        notes += found.notes
        notes += wrong_groups.notes(models.items(), "group", request.level)
        comparison = best_first(found)
        costs = None
        if request.costs is not None:
            ranked = {name: models[name] for name in comparison.names}
            costs = CostComparison.of(ranked, request.costs, request.reviewer, level=request.level)
        if parts is not None:
            notes += [f"in {note}" for note in parts.notes]
        said = dict.fromkeys([*said_of(request, notes), *(() if costs is None else costs.notes)])
        return cls(request, comparison, costs, tuple(said), order, n_groups, parts, by)

    def models(self) -> list[dict[str, Any]]:
        """Return the figures of each model as a dictionary, best model first."""
        found = answers.models_of(self.comparison)
        if self.costs is None:
            return found
        costs = self.costs.of_models()
        return [each | costs[each["name"]] for each in found]

    def comparisons(self) -> list[dict[str, Any]]:
        """Return the comparisons as dictionaries: by the statistic and, with prices, by cost."""
        by_statistic = answers.object_of(self.comparison)
        if self.request.by_bootstrap:
            by_statistic["n_resamples"] = answers.RESAMPLES
        by_statistic["seed"] = answers.SEED
        if self.n_groups is not None:
            by_statistic["n_groups"] = self.n_groups
        if self.parts is not None and self.by is not None:
            by_statistic |= part_comparison.object_of(self.parts, self.by)
        return [by_statistic, *([] if self.costs is None else [self.costs.comparison()])]

    def records(self) -> list[dict[str, Any]]:
        """Return a flat row for each model and each pair; with parts, for each pair in each part."""
        if self.parts is not None:
            return part_comparison.records(self.parts)
        content = answers.object_of(self.comparison)
        shared = {name: content[name] for name in answers.SHARED_FIGURES}
        shared["statistic"] = answers.named(self.comparison.statistic)
        rows = [
            shared | {"model": model.pop("name")} | model
            for model in answers.models_of(self.comparison)
        ]
        rows += [
            shared
            | {"model": pair.pop("a"), "minus": pair.pop("b"), "estimate": pair.pop("difference")}
            | pair
            for pair in content["pairs"]
        ]
        records: list[dict[str, Any]] = [{field: row.get(field) for field in FIELDS} for row in rows]
        if self.costs is not None:
            for record in records:
                record.update(self.costs.record(record["model"], record["minus"]))
        return records

    def screen(self, width: int, notes: Iterable[str] = (), apart: str | None = None) -> Screen:
        """Return what to print: sentences on the best model, a table of all models, and details."""
        found = self.comparison
        details = [Section("All differences", list(answers.parts(found, self.n_groups)))]
        sentences = [answers.answer(found)]
        if self.costs is not None:
            details.append(Section("Costs", list(self.costs.parts())))
            sentences += self.costs.answers()
        remarks = [] if apart is None else [Note(f"{capitalised(apart)}.", Weight.DECIDES)]
        remarks += [Note(f"{capitalised(note)}.", Weight.ASSUMES) for note in notes]
        remarks += [Note(capitalised(note), Weight.LITTLE) for note in self.notes]
        if self.order is not None:
            remarks.append(Note(self.order, Weight.ASSUMES))
        table = answers.table(found, width)
        caption = answers.caption(found, self.n_groups)
        if self.parts is not None and self.by is not None:
            details.insert(0, Section("All outputs", [table, Said(caption)]))
            sentences += part_comparison.answers(self.parts, found.names, self.by)
            table = part_comparison.table(self.parts, found, self.by, width)
            caption = part_comparison.caption(self.parts)
        return Screen(sentences, table, caption, remarks, details=details)


def said_of(request: ComparisonRequest, notes: Sequence[str]) -> tuple[str, ...]:
    """Return notes as sentences, with the statistic's name in code replaced by its name for readers."""
    raw, label = request.statistic.name, answers.label_of(request.statistic)
    return tuple(dict.fromkeys(f"{note.replace(raw, label)}." for note in notes))


def _texts(labels: Labels | None) -> NDArray[Any] | None:
    return None if labels is None else np.array(labels.names)[labels.codes]


def _require_accepted(models: Mapping[str, Outputs], found: ModelComparison) -> None:
    """Raise if an acceptance rate includes outputs that are never accepted."""
    if not found.statistic.name.startswith("acceptance_"):
        return
    for name, share in zip(found.names, found.estimates, strict=True):
        outputs = models[name]
        if outputs.never_accepted is None:
            continue
        sweep = threshold_sweep(outputs.correct, outputs.confidence, sample_weight=outputs.weight)
        if share > most_accepted(sweep, outputs.never_accepted):
            raise ValueError(
                f"{name} could reach {answers.named(found.statistic)} only if it accepted outputs "
                "without a confidence, which are never accepted; use a smaller limit"
            )
