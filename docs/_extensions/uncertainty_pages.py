"""What the pages on uncertainty show: a curve with its bands, and how often intervals cover."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import matplotlib as mpl
from figures import GREY, STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

import fastarac as fa
from fastarac.datasets import load_digits_ocr

if TYPE_CHECKING:
    from collections.abc import Callable

COVERAGE = (
    Path(__file__).parents[1] / "_data" / "coverage.json"
)  # by python -m bench.simulations.coverage --table
HARD = COVERAGE.with_name("hard_populations.json")  # by python -m bench.simulations.hard_populations
LOW, WARNED = 93.0, 95.0  # percent; intervals that cover less are to warn in so many samples
SOME = 5.0  # percent of samples with a warning, from which they are named
HARDEST = 12
# Of populations made to fail: percent of samples that warn in a cell that may be short; percent of
# samples that may warn in a cell that covers so much.
HARD_WARNED, VAIN, COVERS, SHORT_Z = 90.0, 10.0, 94.0, 2.326
INDEPENDENT = (
    "a tenth of weight 100",
    "a tenth of weight 100, twice as often wrong",
    "weights from 1 to 100",
    "saturated",
)
ENOUGH = 200  # samples, from which a short coverage is more than chance, and so is bold
MODEL, ALLOWED = "logistic-pca5", 0.05
DESIGNS = ("items", "ties", "weights", "documents 0.05", "documents 0.2", "documents 0.5")
RESAMPLED = ("percentile", "bca", "studentized")
# Rows of the table of a statistic: what they are called, design and method.
ROWS = (
    *((design, design, "auto") for design in DESIGNS),
    *((f"{design}, no `groups=`", design, "ungrouped") for design in DESIGNS[3:]),
    ('items, `"logit"` alone', "items", "logit"),
    *((f'items, bootstrap `"{method}"`', "resampled", method) for method in RESAMPLED),
)
NOUNS = {"arac": "ARAC-AUC", "arp": "ARP-AUC", "pr": "PR-AUC", "roc": "ROC-AUC"}


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


class Coverage(NamedTuple):
    """What came of one kind of interval."""

    covered: float
    """Percent of the defined ones."""
    warned: float
    """Percent of the defined ones, too: an undefined one has no value to rely on."""
    width: float | None
    quiet: tuple[float, int]
    """Percent of those without a warning, and how many these are."""
    loud: tuple[float, int]
    """Percent of those with a warning, and how many these are."""
    samples: int


Key = tuple[str, str, str]


def cells(path: Path = COVERAGE) -> dict[Key, dict[tuple[float, int], Coverage]]:
    """By design, statistic and method, and by error rate and number of items, or of groups."""
    found: dict[Key, dict[tuple[float, int], Coverage]] = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        defined = row["samples"] - row["undefined"]
        quiet = row["samples"] - row["warned"]
        loud = row["warned"] - row["undefined"]  # which all warn
        found.setdefault((row["design"], row["statistic"], row["method"]), {})[
            row["error_rate"], row["n"]
        ] = Coverage(
            100.0 * row["covered"] / max(defined, 1),
            100.0 * loud / max(defined, 1),
            row["width"],
            (100.0 * (row["covered"] - row["covered_warned"]) / max(quiet, 1), quiet),
            (100.0 * row["covered_warned"] / max(loud, 1), loud),
            row["samples"],
        )
    return found


def shown(cell: Coverage | None) -> str:
    """Coverage, bold where it is short without a warning; how many warn; with and without a warning."""
    if cell is None:
        return ""
    text = f"{cell.covered:.1f}"
    if cell.covered < LOW and cell.samples >= ENOUGH:
        text = f"_{text}_" if cell.warned >= WARNED else f"**{text}**"
    if cell.warned < SOME:
        return text
    both = [f"{covered:.0f}" if n else "–" for covered, n in (cell.loud, cell.quiet)]
    return f"{text} ⚠{cell.warned:.0f}: {' / '.join(both)}"


def errors_first(places: set[tuple[float, int]]) -> list[tuple[float, int]]:
    """Error rates and sizes, by the expected number of errors."""
    return sorted(places, key=lambda place: place[0] * place[1])


def header(places: list[tuple[float, int]]) -> list[str]:
    return ["errors, of n items", *(f"{rate * n:.3g} of {n:,}" for rate, n in places)]


def noun(name: str) -> str:
    """The statistic in words, with its code name: "ROC-AUC (`roc_auc`)"."""
    code, _, part = name.partition(", ")
    code, _, at = code.partition(" at ")
    words = code.replace("_", " ").replace("normalized", "normalised")
    for short, long in NOUNS.items():
        words = words.replace(f"{short} partial auc", f"partial {long}").replace(f"{short} auc", long)
    words = words.replace("aurc", "AURC").replace("arac", "ARAC")
    place = f", {part}" if part else f" at the threshold {at}" if at else ""
    return f"{words[0].upper()}{words[1:]}{place} (`{code}`)"


def statistics_table() -> str:
    """Each statistic's table, folded: designs and methods down, numbers of errors across."""
    known = cells()
    places = errors_first({place for row in known.values() for place in row})
    names = [name for design, name, method in known if (design, method) == ("items", "auto")]
    blocks = []
    for name in names:
        rows = [
            [called, *(shown(known[design, name, method].get(place)) for place in places)]
            for called, design, method in ROWS
            if (design, name, method) in known
        ]
        summary = re.sub("`(.*)`", r"<code>\1</code>", noun(name))
        table = markdown(header(places), rows)
        blocks.append(
            f'<details class="statistic"><summary>{summary}</summary>\n\n{table}\n</details>\n'
        )
    return "\n".join(blocks)


def overview() -> str:
    """Statistics down, designs across: the least coverage where not (nearly) all samples warn."""
    known = cells()
    rows = []
    for name in (name for design, name, method in known if (design, method) == ("items", "auto")):
        row = [noun(name)]
        for design in DESIGNS:
            sure = [cell for cell in known[design, name, "auto"].values() if cell.warned < WARNED]
            row.append(f"{min(cell.covered for cell in sure):.1f}" if sure else "–")
        rows.append(row)
    return markdown(["statistic", *DESIGNS], rows)


def width_table() -> str:
    """Median widths by auto, logit and studentized, statistics down."""
    known = cells()
    names = [name for design, name, method in known if (design, method) == ("items", "auto")]
    places = errors_first(set(known["items", names[0], "auto"]))
    rows = []
    for name in names:
        row = [f"`{name}`"]
        for place in places:
            kinds = (("items", "auto"), ("items", "logit"), ("resampled", "studentized"))
            of = [known.get((design, name, method), {}).get(place) for design, method in kinds]
            row.append(
                " / ".join("–" if c is None or c.width is None else f"{c.width:.2g}" for c in of)
            )
        rows.append(row)
    return markdown(header(places), rows)


def short_table() -> str:
    """The cells of auto whose intervals cover least, of those that do not (nearly) always warn."""
    worst = sorted(
        (cell.covered, design, name, place, cell)
        for (design, name, method), row in cells().items()
        for place, cell in row.items()
        if method == "auto" and cell.warned < WARNED
    )
    rows = [
        [f"`{name}`", design, f"{rate * n:.3g} of {n:,}", shown(cell)]
        for _, design, name, (rate, n), cell in worst[:HARDEST]
    ]
    return markdown(["statistic", "design", "errors, of n items", "covered"], rows)


def _least(row: dict[tuple[float, int], Coverage]) -> str:
    sure = [cell for cell in row.values() if cell.warned < HARD_WARNED]
    return f"{min(cell.covered for cell in sure):.1f}" if sure else "–"


def hard_overview() -> str:
    """Statistics down, populations across: the least coverage where fewer than 90 % warn."""
    known = cells(HARD)
    designs = list(dict.fromkeys(design for design, _, _ in known))
    names = list(dict.fromkeys(name for _, name, _ in known))
    rows = [
        [noun(name), *(_least(known.get((design, name, "auto"), {})) for design in designs)]
        for name in names
    ]
    return markdown(["statistic", *designs], rows)


def hard_tables() -> str:
    """Each population's table, folded: statistics down, sizes across."""
    known = cells(HARD)
    blocks = []
    for design in dict.fromkeys(design for design, _, _ in known):
        own = {name: row for (of, name, _), row in known.items() if of == design}
        places = sorted(next(iter(own.values())), key=lambda place: (-place[0], place[1]))
        unit = "items" if design in INDEPENDENT else "batches" if design == "batches" else "documents"
        first = [f"{100 * rate:.1f} % of {n:,} {unit}" for rate, n in places]
        rows = [
            [f"`{name}`", *(shown(row.get(place)) for place in places)] for name, row in own.items()
        ]
        blocks.append(
            f'<details class="statistic"><summary>{design[0].upper()}{design[1:]}</summary>\n\n'
            f"{markdown(['statistic', *first], rows)}\n</details>\n"
        )
    return "\n".join(blocks)


def hard_exceptions() -> str:
    """Cells that are short by a one-sided test at 99 %, and designs with cells that warn in vain."""
    short, vain = [], []
    for (design, name, _), row in cells(HARD).items():
        for (rate, n), cell in row.items():
            place = f"{100 * rate:.1f} % of {n:,}"
            least = LOW - 100.0 * SHORT_Z * math.sqrt(0.93 * 0.07 / cell.samples)
            if cell.covered < least and cell.warned < HARD_WARNED:
                short.append([f"`{name}`", design, place, shown(cell), "short"])
            elif cell.covered >= COVERS and cell.warned > VAIN:
                vain.append((design, place, name))
    rows = list(short)
    for design, place in dict.fromkeys((design, place) for design, place, _ in vain):
        names = [name for d, p, name in vain if (d, p) == (design, place)]
        listed = f"`{names[0]}`" if len(names) == 1 else f"{len(names)} statistics"
        rows.append([listed, design, place, f"≥ {COVERS:.0f}", f"over {VAIN:.0f} % warn"])
    if not rows:
        return "None.\n"
    return markdown(["statistic", "population", "errors", "covered", "why it is here"], rows)


def simulations() -> str:
    """How many samples each design has at least, and the standard error of a coverage of 95 %."""
    counts: dict[str, int] = {}
    for row in json.loads(COVERAGE.read_text(encoding="utf-8")):
        counts[row["design"]] = min(row["samples"], counts.get(row["design"], row["samples"]))
    rows = [
        [
            "bootstrap" if name == "resampled" else name,
            f"{n:,}",
            f"{100 * math.sqrt(0.95 * 0.05 / n):.2f}",
        ]
        for name, n in counts.items()
    ]
    return markdown(["design", "samples, at least", "standard error, percentage points"], rows)


MAKERS: dict[str, Callable[[], str]] = {
    "band.svg": band,
    "coverage_simulations.md": simulations,
    "coverage_overview.md": overview,
    "coverage_statistics.md": statistics_table,
    "coverage_widths.md": width_table,
    "coverage_hardest.md": short_table,
    "coverage_hard_overview.md": hard_overview,
    "coverage_hard_populations.md": hard_tables,
    "coverage_hard_exceptions.md": hard_exceptions,
}
