"""Compare models on the same items for ``fastarac compare``, and print the result."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console

from fastarac._core.exceptions import collected, unquestioned
from fastarac._core.text import capitalised
from fastarac.answers import comparison as answers
from fastarac.answers import part_comparison, wrong_groups
from fastarac.answers.cost_comparison import CostComparison
from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import Said
from fastarac.cli._json import write_object
from fastarac.cli._options import (
    Certainty,
    PrintedFormat,
    RefusalError,
    in_words_of_options,
    refused,
)
from fastarac.cli._standard import csv_text, tell, write
from fastarac.evaluation.model_ranking import labels_of_groups
from fastarac.uncertainty.comparison import compare_models
from fastarac.uncertainty.comparison_results import best_first
from fastarac.uncertainty.part_comparison import compare_parts
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fastarac.cli._costs import Prices
    from fastarac.cli._options import Delivery
    from fastarac.io import Outputs
    from fastarac.uncertainty.comparison_results import ModelComparison
    from fastarac.uncertainty.paired import Pairing
    from fastarac.uncertainty.part_results import PartComparison

RESAMPLES = 2000
SEED = 0  # a fixed seed of the resamples makes a comparison repeatable
ORDER = "All models are assumed to have the same items in the same order; --id COLUMN matches them."
ORDER_AND_TRUTH = (
    "All models are assumed to have the same items in the same order, as their truths agree; "
    "--id COLUMN matches them."
)
BY_IDS = (
    'Column "id" matches the items of all models; --id none takes outputs in the order of the files.'
)
SHARED = "Only shared items are compared"
# Fields of a row; only rows of pairs fill in "minus".
FIELDS = (
    "model", "minus", "statistic", "method", "correction", "confidence_level", "n", "estimate",
    "standard_error", "low", "high", "pvalue", "adjusted_low", "adjusted_high", "adjusted_pvalue",
    "share_of_best", "letters",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The models, statistic and options of a comparison, checked before any file is read."""

    statistic: Statistic
    level: float
    prices: Prices | None
    unseen_pages: bool = False

    @classmethod
    def of(
        cls,
        statistic: str,
        level: float | None,
        prices: Prices | None,
        *,
        in_part: bool = False,
        unseen_pages: bool = False,
    ) -> Self:
        """Return the request, or refuse it; `in_part` says that only some outputs are verified."""
        if level is None:
            raise RefusalError(
                "--ci is none, but a comparison needs intervals; use a level such as 0.95"
            )
        Certainty(level).check()
        request = cls(statistic_of(statistic), level, prices)
        if in_part and request.by_bootstrap:
            raise RefusalError(
                f"--statistic {statistic} has no test of differences for partly verified outputs: "
                "fastarac evaluate gives each model's interval"
            )
        tiny = {name: ([True, False], [1.0, 0.0]) for name in ("a", "b")}
        with collected([]):
            request.compare(tiny, resamples=2)
        return replace(request, unseen_pages=unseen_pages)

    @property
    def by_bootstrap(self) -> bool:
        """Whether resamples are drawn, because the statistic has no influence values."""
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
    ) -> ModelComparison:
        """Compare models by the statistic."""
        try:
            return compare_models(
                models,
                statistic=self.statistic,
                method="bootstrap" if self.by_bootstrap else "asymptotic",
                confidence_level=self.level,
                sample_weight=weight,
                groups=groups,
                paired=paired,
                n_resamples=resamples or RESAMPLES,
                random_state=SEED,
                progress=progress,
                unseen_pages=self.unseen_pages,
            )
        except ValueError as error:
            raise RefusalError(in_words_of_options(error)) from None


@dataclass(frozen=True, slots=True)
class Findings:
    """The comparison of models, best first, by the statistic and by cost.

    Attributes
    ----------
    request : Request
        The request.
    comparison : ModelComparison
        The comparison by the statistic.
    costs : CostComparison or None
        The comparison of costs, if there are prices.
    notes : tuple of str
        Reasons for caution.
    order : str or None
        The way in which items are paired, unless an option says it.
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
            found = request.compare(models)
        return cls(request, best_first(found), None, said_of(request, [*notes, *found.notes]), order)

    @classmethod
    def of(
        cls,
        models: Mapping[str, Outputs],
        request: ComparisonRequest,
        order: str | None = None,
        paired: Pairing = "items",
        by: str | None = None,
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
                progress=Console(stderr=True).is_terminal,
            )
            parts = None
            if by is not None:
                from fastarac.cli._policies import labels_of

                labels: Any = {name: labels_of(outputs.by) for name, outputs in models.items()}
                with refused(ValueError):
                    parts = compare_parts(
                        given, labels if paired == "groups" else next(iter(labels.values())),
                        statistic=request.statistic, confidence_level=request.level,
                        groups=groups, paired=paired, sample_weight=weight,
                    )  # fmt: skip
        refuse_rejected(models, found)
        notes += found.notes
        notes += wrong_groups.notes(models.items(), "group", request.level)
        comparison = best_first(found)
        costs = None
        if request.prices is not None:
            with refused(ValueError):
                costs = CostComparison.of(
                    {name: models[name] for name in comparison.names},
                    request.prices.costs,
                    request.prices.reviewer,
                    level=request.level,
                )
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
        """Return the differences by the statistic and, if there are prices, by cost."""
        by_statistic = answers.object_of(self.comparison)
        if self.request.by_bootstrap:
            by_statistic["n_resamples"] = RESAMPLES
        by_statistic["seed"] = SEED
        if self.n_groups is not None:
            by_statistic["n_groups"] = self.n_groups
        if self.parts is not None and self.by is not None:
            by_statistic |= part_comparison.object_of(self.parts, self.by)
        return [by_statistic, *([] if self.costs is None else [self.costs.comparison()])]

    def records(self) -> list[dict[str, Any]]:
        """Return flat rows, one per model and then one per pair, or those of the parts.

        Fields that do not apply are None.
        """
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
        """Return the best model as the answer, the table of all models, and details in sections."""
        draws = RESAMPLES, SEED
        found = self.comparison
        every = list(answers.parts(found, draws, self.n_groups, whole=False))
        details = [Section("All differences", every)]
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
    """Return notes as sentences, with the everyday name of the statistic."""
    raw, label = request.statistic.name, answers.label_of(request.statistic)
    return tuple(dict.fromkeys(f"{note.replace(raw, label)}." for note in notes))


def deliver(
    models: Mapping[str, Outputs],
    request: ComparisonRequest,
    delivery: Delivery,
    *,
    order: str | None = None,
    difference: str | None = None,
    paired: Pairing = "items",
    by: str | None = None,
    notes: Sequence[str] = (),
    command: str = "",
) -> ModelComparison:
    """Compare the models and print the result, preceded by a note on how their items differ."""
    findings = Findings.of(models, request, order, paired, by)
    print_findings(findings, delivery, difference=difference, notes=notes, command=command)
    return findings.comparison


def print_findings(
    findings: Findings,
    delivery: Delivery,
    *,
    difference: str | None = None,
    notes: Sequence[str] = (),
    command: str = "",
) -> None:
    """Print the result and the next command; beside JSON or CSV, `notes` also go to stderr."""
    apart = difference and f"{difference}. {SHARED}"
    screen = findings.screen(delivery.page().width, notes, apart)
    if delivery.form.is_for_people:
        write(delivery.text(replace(screen, command=command)))
        return
    told = [*findings.notes, *filter(None, [findings.order]), *notes]
    if delivery.form is PrintedFormat.json:
        warnings = [*filter(None, [apart]), *told]
        write_object(
            "compare",
            {"models": findings.models()},
            comparisons=findings.comparisons(),
            decisions=screen.sentences(),
            warnings=warnings,
        )
        tell(warnings)
        return
    tell(filter(None, [apart]))
    write(csv_text(findings.records()))
    tell(told)


def statistic_of(text: str) -> Statistic:
    """Return the statistic for a text such as ``"acceptance_rate:threshold=0.9"``."""
    name, *parameters = text.split(":")
    if name == "cost":
        raise RefusalError(
            "--statistic cost cannot take prices; leave it out and give --cost-verification, "
            "--cost-correction and --cost-error"
        )
    values: dict[str, Any] = {}
    for parameter in parameters:
        key, equals, value = (part.strip() for part in parameter.partition("="))
        if not equals:
            raise RefusalError(
                f"--statistic must have PARAMETER=VALUE after a colon, got {parameter!r}"
            )
        if re.search(r",\s*\w+\s*=", value):
            raise RefusalError(
                f"--statistic must have a colon between parameters, got {parameter!r}: write "
                f"{name}:{parameter.replace(',', ':', 1)}"
            )
        try:
            values[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            values[key] = value
    try:
        with unquestioned():  # the comparison itself adds notes about questionable input
            return Statistic(name, **values)
    except (ValueError, TypeError) as error:
        missing = re.search(r"needs (\w+):", str(error))
        if missing is not None:
            raise RefusalError(
                f"--statistic {name} needs {missing[1]}, as in {name}:{missing[1]}=0.1"
            ) from None
        if str(error).partition(" ")[0] in values:
            raise RefusalError(f"--statistic {name}: {error}") from None
        raise RefusalError(in_words_of_options(error)) from None


def refuse_rejected(models: Mapping[str, Outputs], found: ModelComparison) -> None:
    """Refuse an acceptance rate that would include never accepted outputs."""
    from fastarac.operating_points.limits import most_accepted
    from fastarac.samples.door import threshold_sweep

    if not found.statistic.name.startswith("acceptance_"):
        return
    for name, share in zip(found.names, found.estimates, strict=True):
        outputs = models[name]
        if outputs.never_accepted is None:
            continue
        sweep = threshold_sweep(outputs.correct, outputs.confidence, sample_weight=outputs.weight)
        if share > most_accepted(sweep, outputs.never_accepted):
            raise RefusalError(
                f"--statistic {answers.named(found.statistic)} of {name} takes in outputs without "
                "a confidence, which are never accepted; use a smaller limit"
            )
