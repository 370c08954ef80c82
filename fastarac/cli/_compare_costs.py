"""What models cost on the same items, each at its cheapest threshold, and by how much that differs."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from rich.text import Text

from fastarac._core.quantiles import normal_pvalue, normal_quantile
from fastarac._core.text import UNDEFINED, percent, pvalue
from fastarac.cli import _costs
from fastarac.cli._costs import UNIT, Spending, money
from fastarac.cli._limits import accepted
from fastarac.cli._tables import Column, table, tables
from fastarac.operating.reviewer import Reviewer
from fastarac.sweep import threshold_sweep
from fastarac.uncertainty.comparison import adjusted_pvalues

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from rich.console import Console

    from fastarac.cli._costs import Prices
    from fastarac.io import Outputs
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.comparison import Correction

FIELDS = ("cost", "cost_standard_error", "cost_low", "cost_high", "cost_pvalue", "cost_adjusted_pvalue")


class Spender(NamedTuple):
    """A model with what it costs, as the tables of `_costs` take it."""

    name: str
    sweep: ThresholdSweep
    dtype: np.dtype[Any]
    spending: Spending


class Difference(NamedTuple):
    """By how much `UNIT` outputs cost more with one model than with another."""

    a: str
    b: str
    difference: float
    standard_error: float
    low: float
    high: float
    pvalue: float
    adjusted_pvalue: float


@dataclass(frozen=True, slots=True)
class CostComparison:
    """The models, the cheapest first, and the differences between any two.

    Each threshold is the cheapest one on the same outputs. There the cost does not change to first
    order with the threshold, so that intervals are those of the mean of paired differences between
    items, at thresholds that are fixed.

    Attributes
    ----------
    models : tuple of Spender
        With their cheapest thresholds.
    differences : tuple of Difference
        Of every model less each of those before it, which are cheaper.
    level : float
        The confidence level.
    """

    models: tuple[Spender, ...]
    differences: tuple[Difference, ...]
    level: float

    @classmethod
    def of(
        cls,
        models: Mapping[str, Outputs],
        prices: Prices,
        *,
        level: float,
        correction: Correction | None,
    ) -> Self:
        """Compare models whose outputs are of the same items in the same order."""
        priced = []
        costs = {}
        for name, outputs in models.items():
            sweep = threshold_sweep(outputs.correct, outputs.confidence, sample_weight=outputs.weight)
            spending = Spending.of(sweep, prices)
            priced.append(Spender(name, sweep, outputs.confidence.dtype, spending))
            costs[name] = item_costs(outputs, spending.cheapest.threshold, prices)
        priced.sort(key=lambda model: model.spending.cost(model.spending.cheapest))
        weight = next(iter(models.values())).weight
        found = []
        for cheap, dear in itertools.combinations([model.name for model in priced], 2):
            mean, error = _mean(costs[dear] - costs[cheap], weight)
            found.append((dear, cheap, UNIT * mean, UNIT * error))
        pvalues = [_pvalue(difference, error) for _, _, difference, error in found]
        reach = normal_quantile(level)
        differences = [
            Difference(
                *of_pair, of_pair[2] - reach * of_pair[3], of_pair[2] + reach * of_pair[3], *tests
            )
            for of_pair, *tests in zip(
                found, pvalues, adjusted_pvalues(pvalues, correction), strict=True
            )
        ]
        return cls(tuple(priced), tuple(differences), level)

    def content(self) -> dict[str, Any]:
        """Return everything as JSON can hold it; sums are for `UNIT` outputs."""
        return {
            "models": [{"name": model.name, **model.spending.figures()} for model in self.models],
            "pairs": [
                {name: _plain(value) for name, value in pair._asdict().items()}
                for pair in self.differences
            ],
        }

    def record(self, name: str, minus: str | None) -> dict[str, Any]:
        """Return the figures of a model, or of a difference, by the names in `FIELDS`."""
        record: dict[str, Any] = dict.fromkeys(f"{field}_per_{UNIT}" for field in FIELDS)
        values: tuple[Any, ...]
        if minus is None:
            spending = next(model.spending for model in self.models if model.name == name)
            values = (spending.cost(spending.cheapest),)
        else:
            pair = next(pair for pair in self.differences if {pair.a, pair.b} == {name, minus})
            values = pair[2:]
            if pair.a != name:
                values = (-pair.difference, pair.standard_error, -pair.high, -pair.low, *pair[6:])
        return record | dict(zip(record, map(_plain, values), strict=False))

    def print_text(self, console: Console) -> None:
        """Print tables and words for people."""
        names = [model.name for model in self.models]
        columns = [Column(*column) for column in _costs.columns(self.models)]
        for part in tables(names, [columns], console):
            console.print(part)
            console.print()
        pairs = self.differences
        spans = [f"{_signed(pair.low)} to {_signed(pair.high)}" for pair in pairs]
        shown = [
            Column(f"cost of {UNIT:,}\nby", [_signed(pair.difference) for pair in pairs]),
            Column(f"{percent(self.level)} interval", spans),
            Column("p-value", [pvalue(pair.adjusted_pvalue) for pair in pairs]),
        ]
        console.print(table([f"{pair.a} - {pair.b}" for pair in pairs], shown, "difference"))
        console.print()
        console.print(Text(_costs.sentence(self.models)))
        console.print(
            Text(
                "Each model is at the threshold that is cheapest on these outputs; on new ones it "
                "may cost somewhat more.",
                style="dim",
            )
        )


def item_costs(outputs: Outputs, threshold: float, prices: Prices) -> NDArray[np.float64]:
    """Return what each output is expected to cost at a threshold; their mean is the cost there."""
    costs, people = prices.costs, prices.reviewer or Reviewer()
    found, spoiled = people.detection_rate, people.false_alarm_rate
    unseen = np.where(outputs.correct, 0.0, costs.error)
    checked = costs.verification + np.where(
        outputs.correct,
        spoiled * (costs.correction + costs.error),
        found * costs.correction + (1.0 - found) * costs.error,
    )
    return np.where(accepted(outputs.confidence, threshold), unseen, checked)


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> tuple[float, float]:
    """The mean and its standard error; with weights the sandwich estimate."""
    if weight is None:
        weight = np.ones(len(values))
    values, weight = values[weight > 0], weight[weight > 0]
    mean = float(np.average(values, weights=weight))
    n = len(values)
    if n < 2:
        return mean, math.nan
    squares = float(np.sum((weight / weight.sum() * (values - mean)) ** 2))
    return mean, math.sqrt(squares * n / (n - 1))


def _pvalue(difference: float, error: float) -> float:
    if error > 0.0:
        return normal_pvalue(difference / error)
    return 1.0 if difference == 0.0 and error == 0.0 else math.nan


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _signed(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return f"{'-' if value < 0 else '+'}{money(abs(value))}"
