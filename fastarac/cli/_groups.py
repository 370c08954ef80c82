"""The groups of a model's outputs (fields, documents, languages), worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from fastarac._core.text import area, count, printable, rounded_percent
from fastarac.cli._limits import accepted
from fastarac.evaluation_groups import evaluate_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.cli._limits import Limit
    from fastarac.io import Labels
    from fastarac.operating.points import OperatingPoint

SHOWN = 20  # groups in the table; the other formats have all
METRICS = ("n", "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc")


@dataclass(frozen=True, slots=True)
class Groups:
    """The figures of each group, the one of least ARAC-AUC first.

    Attributes
    ----------
    names : list of str
        The groups.
    values : dict of str to ndarray of shape (n_groups,)
        The metrics; ``acceptance_rate@…`` and ``error_rate@…`` at the threshold of the whole model.
    """

    names: list[str]
    values: dict[str, NDArray[Any]]

    def records(self, model: str) -> list[dict[str, Any]]:
        """Return a flat dictionary a group; what is undefined is None."""
        return [
            {"model": model, "group": name}
            | {key: _plain(column[row]) for key, column in self.values.items()}
            for row, name in enumerate(self.names)
        ]

    def table(self, model: str, limits: Sequence[Limit], *, several: bool) -> Table:
        """Return the first `SHOWN` groups for people."""
        found = len(self.names)
        title = f"{found} groups, worst first (by ARAC-AUC)"
        if found > SHOWN:
            title = f"The worst {SHOWN} of {found} groups (by ARAC-AUC)"
        if several:
            title += f", of {model}"
        table = Table(
            title=Text(title, style="bold"), title_justify="left", box=SIMPLE_HEAD,
            pad_edge=False, show_edge=False,
        )  # fmt: skip
        table.add_column("group", overflow="fold", vertical="bottom")
        headers = ["outputs", "recognition\nrate", "ARAC-AUC", "ROC-AUC"]
        for limit in limits:
            fitted = f"accepted at\nthe threshold\nfor {limit.short.removesuffix(' errors')}"
            headers += [limit.header if limit.is_given else fitted, "errors that\nremain"]
        for header in headers:
            table.add_column(Text(header), justify="right", no_wrap=True, overflow="fold")
        for row, name in enumerate(self.names[:SHOWN]):
            cells = [
                count(int(self.values["n"][row])),
                rounded_percent(float(self.values["recognition_rate"][row])),
                area(float(self.values["arac_auc"][row])),
                area(float(self.values["roc_auc"][row])),
            ]
            for limit in limits:
                cells += [
                    rounded_percent(float(self.values[f"{rate}@{limit.key}"][row]))
                    for rate in ("acceptance_rate", "error_rate")
                ]
            table.add_row(Text(printable(name)), *map(Text, cells))
        return table


def evaluate_by(
    correct: NDArray[np.bool_],
    confidence: NDArray[Any],
    by: Labels,
    points: Sequence[tuple[Limit, OperatingPoint]],
    *,
    gamma: float,
) -> Groups:
    """Evaluate each group on its own, and at the thresholds that hold for all together."""
    result = evaluate_groups(correct, confidence, by=by.codes, metrics=METRICS, gamma=gamma)
    values = dict(result.values)
    size = len(by.names)
    for limit, point in points:
        above = accepted(confidence, point.threshold)
        values[f"threshold@{limit.key}"] = np.full(len(result), point.threshold)
        for rate, counted in (("acceptance_rate", above), ("error_rate", above & ~correct)):
            counts = np.bincount(by.codes[counted], minlength=size)[result.groups]
            values[f"{rate}@{limit.key}"] = counts / values["n"]
    order = np.argsort(values["arac_auc"], kind="stable")
    names = [by.names[code] for code in result.groups[order]]
    return Groups(names, {name: column[order] for name, column in values.items()})


def _plain(value: Any) -> Any:
    """A number of Python, None where it is not finite."""
    number = value.item() if hasattr(value, "item") else value
    return None if number - number != 0 else number
