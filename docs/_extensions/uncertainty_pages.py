"""What the pages on uncertainty show: a curve with its bands, and how often intervals cover."""

from __future__ import annotations

import csv
import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from figures import GREY, STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

import fastarac as fa
from fastarac.datasets import load_digits_ocr

if TYPE_CHECKING:
    from collections.abc import Callable

COVERAGE = Path(__file__).parents[1] / "_data" / "coverage.csv"  # by python -m bench.coverage
LOW, HIGH = 93.0, 97.0  # percent; what is outside is bold
WARNED, QUIET = 50, 200  # samples with and without a warning, for the latter to be shown apart
METHODS = ("asymptotic", "logit", "percentile", "bca")
ARAC, ROC = "Statistic('arac_auc')", "Statistic('roc_auc')"
MODEL, ALLOWED = "logistic-pca5", 0.05


def band() -> str:
    """The ARAC curve of a model of the digits, with a pointwise and a simultaneous band."""
    items = load_digits_ocr()[MODEL]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        ax = figure.subplots()
        display = fa.displays.ARACDisplay.from_predictions(*items, ax=ax, name=MODEL)
        wide = fa.bootstrap_band(*items, kind="simultaneous", random_state=0)
        narrow = fa.bootstrap_band(*items, kind="pointwise", random_state=0)
        display.plot_band(wide, alpha=0.16)
        display.plot_band(narrow, alpha=0.3)
        ax.axhline(1 - ALLOWED, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        ax.legend(frameon=False, loc="lower left")
        return as_svg(figure)


def cells() -> dict[tuple[str, int, int], dict[str, dict[str, str]]]:
    """Rows of the file by statistic, case and number of items, and by method."""
    found: dict[tuple[str, int, int], dict[str, dict[str, str]]] = {}
    with COVERAGE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["statistic"], int(row["case"]), int(row["n"])
            found.setdefault(key, {})[row["method"]] = row
    return found


def shown(row: dict[str, str]) -> str:
    """Coverage in percent, bold where it is off, with the mean width."""
    share = int(row["covered"]) / (int(row["simulations"]) - int(row["undefined"]))
    return f"{percent(share)} ({float(row['width']):.2g})"


def percent(share: float) -> str:
    text = f"{100 * share:.1f}"
    return text if LOW <= float(text) <= HIGH else f"**{text}**"


def coverage_table(statistic: str) -> str:
    rows, header = [], []
    for (name, case, n), methods in cells().items():
        if name == statistic:
            header = ["case", "n", "warns", *methods]
            some = next(iter(methods.values()))
            warns = f"{100 * int(some['warned']) / int(some['simulations']):.0f} %"
            rows.append([str(case), f"{n:,}", warns, *map(shown, methods.values())])
    return markdown(header, rows)


def quiet_table() -> str:
    """Coverage where the library does not warn, of cells where it warns of some samples."""
    rows, header = [], []
    for (name, case, n), methods in cells().items():
        some = next(iter(methods.values()))
        warned = int(some["warned"])
        quiet = int(some["simulations"]) - warned
        if name not in (ARAC, ROC) or warned < WARNED or quiet < QUIET:
            continue
        row = [name.split("'")[1], str(case), f"{n:,}", f"{quiet:,}"]
        for method in METHODS:
            covered = int(methods[method]["covered"]) - int(methods[method]["covered_warned"])
            row.append(percent(covered / quiet))
        header = ["statistic", "case", "n", "without a warning", *METHODS]
        rows.append(row)
    return markdown(header, rows)


def simulations() -> str:
    """How many samples there are of each statistic, and the standard error of a coverage of 95 %."""
    counts = {name: int(next(iter(m.values()))["simulations"]) for (name, _, _), m in cells().items()}
    rows = [
        [f"`{name}`", f"{n:,}", f"{100 * math.sqrt(0.95 * 0.05 / n):.2f}"] for name, n in counts.items()
    ]
    return markdown(["statistic", "samples", "standard error, percentage points"], rows)


STATISTICS = {
    "arac_auc": ARAC,
    "normalized_arac_auc": "Statistic('normalized_arac_auc')",
    "roc_auc": ROC,
    "recognition_rate": "Statistic('recognition_rate')",
    "aurc": "Statistic('aurc', estimator='exact')",
    "acceptance": "Statistic('acceptance_at_error_rate', max_error_rate=0.05)",
}
MAKERS: dict[str, Callable[[], str]] = {
    "band.svg": band,
    "coverage_simulations.md": simulations,
    "coverage_quiet.md": quiet_table,
    **{f"coverage_{k}.md": partial(coverage_table, name) for k, name in STATISTICS.items()},
}
