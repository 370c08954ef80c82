"""Compare the costs of models on the same items, each at its cheapest threshold."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from fastarac._core.exceptions import collected
from fastarac._core.export import plain
from fastarac._core.text import UNDEFINED, count, lead, money, p_is, percent, printable, pvalue
from fastarac.answers import decisions
from fastarac.answers.costs import UNIT, PricedModel, columns, in_units, sentence
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.evaluation.costs import evaluate_costs
from fastarac.evaluation.model_ranking import labels_of_groups
from fastarac.evaluation.rejected import drop_rejected
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.comparison import compare_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastarac.answers.tables import Part
    from fastarac.costs.verification import VerificationCosts
    from fastarac.io import Outputs
    from fastarac.reviewer import Reviewer
    from fastarac.uncertainty.adjustment import Correction
    from fastarac.uncertainty.comparison_results import PairDifference

CAUTION = (
    "Each model uses its cheapest threshold for these outputs; new outputs may cost somewhat more."
)
OF_PAIRS = (
    "difference", "standard_error", "low", "high", "pvalue", "adjusted_low", "adjusted_high",
    "adjusted_pvalue",
)  # fmt: skip
FIELDS = ("cost", *(f"cost_{name}" for name in OF_PAIRS[1:]))


@dataclass(frozen=True, slots=True)
class CostComparison:
    """The models, cheapest first, and their differences in cost.

    Attributes
    ----------
    models : tuple of PricedModel
        The models with their cheapest thresholds.
    differences : tuple of PairDifference
        The cost of each model minus the cost of each cheaper model, per output.
    level : float
        The confidence level.
    notes : tuple of str
        Reasons for caution.
    correction : {"holm", "bonferroni"} or None
        The adjustment of p-values.
    n : int
        The number of items or groups from which the differences are computed.
    over : str
        A phrase that names the compared items, if these are not all items of each model; else empty.
    """

    models: tuple[PricedModel, ...]
    differences: tuple[PairDifference, ...]
    level: float
    notes: tuple[str, ...]
    correction: Correction | None
    n: int
    over: str = ""

    @classmethod
    def of(
        cls,
        models: Mapping[str, Outputs],
        prices: VerificationCosts,
        reviewer: Reviewer | None,
        *,
        level: float,
        correction: Correction | None = "holm",
        paired: Literal["items", "groups"] = "items",
    ) -> Self:
        """Compare models on the same items in the same order, or on shared groups."""
        priced = []
        for name, outputs in models.items():
            sweep = threshold_sweep(outputs.correct, outputs.confidence, sample_weight=outputs.weight)
            never = outputs.never_accepted
            cost_evaluation = evaluate_costs(sweep, prices, reviewer)
            if never is not None:
                if cost_evaluation.cheapest.threshold <= never:
                    raise ValueError(
                        f"at these prices, the cheapest threshold of {name} accepts outputs without "
                        "a confidence, which are never accepted: costs cannot be compared"
                    )
                acceptable = drop_rejected(sweep, never)
                cost_evaluation = evaluate_costs(sweep, prices, reviewer, acceptable=acceptable)
            priced.append(PricedModel(name, sweep, outputs.confidence.dtype, cost_evaluation))
        priced.sort(key=lambda model: model.cost_evaluation.at_cheapest)
        notes: list[str] = []
        first = next(iter(models.values()))
        groups: Any = first.factors
        if paired == "groups":
            groups = {name: labels_of_groups(outputs) for name, outputs in models.items()}
        with collected(notes):
            found = compare_models(
                {name: (outputs.correct, outputs.confidence) for name, outputs in models.items()},
                costs=prices,
                reviewer=reviewer,
                correction=correction,
                confidence_level=level,
                groups=groups,
                paired=paired,
                sample_weight=first.weight,
            )
        notes += found.notes
        pairs = itertools.combinations([model.name for model in priced], 2)
        differences = tuple(found.pair(dear, cheap) for cheap, dear in pairs)
        over = f" over the {count(priced[0].sweep.total)} shared items"
        if paired == "groups":
            over = ""
        said = tuple(f"{note}." for note in notes)
        return cls(tuple(priced), differences, level, said, correction, found.n, over)

    def of_models(self) -> dict[str, dict[str, Any]]:
        """Return each model's costs per 1,000 outputs (`UNIT`)."""
        return {model.name: in_units(model.cost_evaluation.to_dict()) for model in self.models}

    def comparison(self) -> dict[str, Any]:
        """Return the differences in costs per 1,000 outputs (`UNIT`), as a dictionary for JSON."""
        return {
            "statistic": f"cost_per_{UNIT}/cheapest",
            "parameters": {},
            "method": "asymptotic",
            "correction": self.correction,
            "confidence_level": self.level,
            "n": self.n,
            "pairs": [
                {"a": pair.a, "b": pair.b, **dict(zip(OF_PAIRS, _figures(pair), strict=True))}
                for pair in self.differences
            ],
        }

    def record(self, name: str, minus: str | None) -> dict[str, Any]:
        """Return the costs (`FIELDS`) of the model `name`, or how they differ from those of `minus`."""
        record: dict[str, Any] = dict.fromkeys(f"{field}_per_{UNIT}" for field in FIELDS)
        values: tuple[Any, ...]
        if minus is None:
            cost_evaluation = next(model.cost_evaluation for model in self.models if model.name == name)
            values = (UNIT * cost_evaluation.at_cheapest,)
        else:
            pair = next(pair for pair in self.differences if {pair.a, pair.b} == {name, minus})
            values = _figures(pair if pair.a == name else pair.reversed())
        return record | dict(zip(record, map(plain, values), strict=False))

    def _lead(self) -> str:
        """Return a sentence on the models that cost significantly more than the cheapest one."""
        first, *others = self.models
        clear, even = list[str](), list[str]()
        for pair in self.differences:
            if first.name in (pair.a, pair.b):
                other = printable(pair.a if pair.b == first.name else pair.b)
                is_clear = pair.adjusted_pvalue < 1.0 - self.level
                (clear if is_clear else even).append(f"{other} ({p_is(pair.adjusted_pvalue)})")
        better = "is cheaper than {} beyond chance"
        return lead(printable(first.name), clear, even, better) if others else ""

    def answers(self) -> list[str]:
        """Return a sentence on the cheapest model, and on whether its advantage may be chance."""
        said = decisions.cheapest([(model, model.cost_evaluation) for model in self.models], self.over)
        return [f"{said} {self._lead()}"]

    def parts(self) -> Iterator[Part]:
        """Yield the tables and sentences of the comparison."""
        yield AnswerTable([model.name for model in self.models], [columns(self.models)])
        pairs = self.differences
        spans = [
            f"{_signed(UNIT * of.low)} to {_signed(UNIT * of.high)}"
            for of in (pair.adjusted_interval for pair in pairs)
        ]
        shown = [
            Column(f"cost of {UNIT:,}\nby", [_signed(UNIT * pair.difference) for pair in pairs]),
            Column(f"{percent(self.level)} interval", spans),
            Column("p-value", [pvalue(pair.adjusted_pvalue) for pair in pairs]),
        ]
        yield AnswerTable([f"{pair.a} - {pair.b}" for pair in pairs], [shown], "difference")
        yield Said(sentence(self.models, self.over))
        yield Said(self._lead())
        yield Said(CAUTION, "dim")


def _figures(pair: PairDifference) -> tuple[float | None, ...]:
    """Return the values of `OF_PAIRS` for a pair of models, with costs per 1,000 outputs (`UNIT`)."""
    of, adjusted = pair.interval, pair.adjusted_interval
    sums = (UNIT * value for value in (of.estimate, of.standard_error, of.low, of.high))
    ends = UNIT * adjusted.low, UNIT * adjusted.high
    return tuple(map(plain, (*sums, pair.pvalue, *ends, pair.adjusted_pvalue)))


def _signed(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return f"{'-' if value < 0 else '+'}{money(abs(value))}"
