"""Tables and the figure of the study, from what was recorded."""

from __future__ import annotations

import json
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from figures import STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data"
NAMES = {
    "de": "German",
    "en": "English",
    "fr": "French",
    "ja": "Japanese",
    "zh": "Chinese",
    "ar": "Arabic",
    "all": "all languages",
}
ENGINES = {
    "tesseract-psm3": "Tesseract",
    "tesseract-psm6": "Tesseract, one block",
    "rapidocr": "RapidOCR",
}
QUALITIES = ("clean", "scan", "noisy", "photo")
SHADES = {"clean": "0.85", "scan": "0.65", "noisy": "0.4", "photo": "0.1"}


#: Where what was recorded is read from.
folder = ContextVar("folder", default=DATA)


def found(name: str = "study") -> Any:
    """Return what was recorded, of the study itself or of engines together."""
    return _read(folder.get() / f"{name}.json")


@cache
def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _interval(values: list[float | None]) -> str:
    return f"{_percent(values[0])} ({_percent(values[1])} to {_percent(values[2])})"


def _title(source: str) -> str:
    language, _, layout = source.partition("-")
    columns = {"1col": "1 column", "2col": "2 columns"}
    return f"{NAMES[language]}, {columns[layout]}" if layout else source.replace("_", " ")


def sources() -> str:
    """Return how many items there are of each source."""
    sizes: dict[str, list[dict[str, Any]]] = {}
    for row in found()["sources"]:
        sizes.setdefault(row["source"], []).append(row)
    rows = [
        [
            _title(source),
            f"{sum(row['items'] for row in each):,}",
            str(len(each)),
            f"{max(row['pages'] for row in each):,}",
        ]
        for source, each in sizes.items()
    ]
    rows.append(["all", f"{sum(row['items'] for row in found()['sources']):,}", "", ""])
    return markdown(["source", "items", "engines", "pages, documents or examples"], rows)


def accepted() -> str:
    """Return the figures of every source and engine, all qualities together."""
    rows = []
    for row in found()["figures"]:
        if row["quality"] != "all":
            continue
        cells = [
            _interval(row[key]) if key in row else "" for key in ("accepted/0.005", "accepted/0.01")
        ]
        cells += [_interval(row["accepted/0.05"]) if "accepted/0.05" in row else ""]
        cells += [
            f"{row[name][0]:.4f}" if name in row else "" for name in ("arac_auc", "roc_auc", "aurc")
        ]
        rates = ("character_error_rate", "word_error_rate")
        cells += [_interval(row[name]) if name in row else "" for name in rates]
        rows.append([_title(row["source"]), ENGINES.get(row["engine"], row["engine"]), *cells])
    limits = [f"accepted at {limit} %" for limit in ("0.5", "1", "5")]
    return markdown(["source", "engine", *limits, "ARAC-AUC", "ROC-AUC", "AURC", "CER", "WER"], rows)


def shares() -> str:
    """Return what is accepted in each language and quality, both layouts together."""
    rows = []
    for row in found()["shares"]:
        if row["quality"] == "all":
            what = f"{NAMES[row['language']]}, {ENGINES[row['engine']]}"
        cells = [_interval(row[f"accepted/{limit}"]) for limit in (0.005, 0.01, 0.05)]
        rows.append([what, row["quality"], str(row["pages"]), *cells])
        what = ""
    limits = [f"accepted at {limit} %" for limit in ("0.5", "1", "5")]
    return markdown(["read", "quality", "pages", *limits], rows)


def leads() -> str:
    """Return who accepts most at 1 % errors, as the library says it."""
    rows = [
        [NAMES[row["language"]], str(row["pages"]), row["sentence"]]
        for row in found()["leads"]
        if row["limit"] == 0.01
    ]
    return markdown(["language", "pages", "at 1 % errors"], rows)


def orders() -> str:
    """Return how often the order by CER is not that by what is accepted."""
    rows = []
    titles = {"source and quality": "one source and quality", "language": "all of a language"}
    for setting, summary in found()["orders"]["summary"].items():
        what = titles[setting]
        for limit, each in summary.items():
            counts = [str(each[name]) for name in ("pairs", "other_order")]
            clear = f"{each['clear_other_order']} of {each['clear_pairs']}"
            rows.append([what, f"{100 * float(limit):g} %", *counts, clear])
            what = ""
    header = ["pages", "limit", "pairs of engines", "in the other order", "the same, beyond chance"]
    return markdown(header, rows)


def transfer() -> str:
    """Return the errors of a threshold that was chosen on clean pages, and what is said of them."""
    if any(row["proof"] is not None for row in found()["transfer"]):
        raise ValueError("a proof accepts something; the page says that none does")
    rows = []
    for row in found()["transfer"]:
        what = f"{NAMES[row['name']]}, {ENGINES[row['engine']]} ({row['pages']} pages)"
        for quality in QUALITIES:
            on = row["on"][quality]
            alarm = "none" if on["monitor"] is None else f"after {on['monitor']}"
            at = on["threshold"]
            moved = "yes" if on["shifted"] else "no"
            careful = (
                _interval(on["approximation"]["errors"]) if row["approximation"] else "accepts nothing"
            )
            cells = [_percent(at["accepted"]), _interval(at["errors"]), moved, on["check"]]
            rows.append([what, quality, *cells, f"{alarm} of {on['pages']}", careful])
            what = ""
    header = [
        "chosen on",
        "used on",
        "accepted",
        "errors",
        "moved",
        "check",
        "alarm, pages",
        "errors, gamma",
    ]
    return markdown(header, rows)


def decisions() -> str:
    """Return what a number of pages is worth."""
    rows = []
    for row in found()["decisions"]:
        low, middle, high = (_percent(value) for value in row["errors"])
        few, most = _percent(row["accepted"][0]), _percent(row["accepted"][2])
        cells = [f"{middle} ({low} to {high})", f"{few} to {most}", _percent(row["above_by_half"])]
        cells += [_percent(row["same_leader"]), f"{100 * row['difference']:+.1f}"]
        rows.append([NAMES[row["language"]], str(row["pages"]), *cells])
    header = [
        "language",
        "pages",
        "errors on the others",
        "accepted",
        "above 1.5 %",
        "right leader",
        "its lead",
    ]
    return markdown(header, rows)


def combined() -> str:
    """Return what engines accept alone and put together."""
    rows = []
    for each in found("study_combined"):
        what = f"{NAMES[each['pages']]} ({each['n_pages']} pages)"
        for row in each["rows"]:
            name = row["name"]
            for engine, title in ENGINES.items():
                name = name.replace(engine, title)
            more = [f"{100 * value:+.1f}" for value in row.get("more", [])]
            cell = f"{more[0]} ({more[1]} to {more[2]})" if more else ""
            rows.append([what, name, _interval([row["accepted"], row["low"], row["high"]]), cell])
            what = ""
    return markdown(["pages", "engine", "accepted at 1 %", "combined accepts more by (points)"], rows)


def verified() -> str:
    """Return coverage and width of intervals from 500 verified words."""
    ways = {"alike": "all alike", "aimed": "aimed", "judged": "aimed, with judge"}
    rows = []
    for row in found()["verified"]:
        cells = []
        for name in ("recognition_rate", "arac_auc"):
            cells += [_percent(row[name]["coverage"]), f"{100 * row[name]['width']:.2f}"]
        rows.append([NAMES[row["language"]], ways[row["how"]], *cells])
    header = [
        "language",
        "drawn",
        "right words: covered, %",
        "width, points",
        "ARAC-AUC: covered, %",
        "width",
    ]
    return markdown(header, rows)


def calibration() -> str:
    """Return how far confidences are from the shares of right outputs."""
    rows = []
    for row in found()["calibration"]:
        name = NAMES.get(row["name"], row["name"].replace("_", " "))
        error, low, high = row["error"]
        cells = [f"{error:.4f} ({low:.4f} to {high:.4f})", f"{row['by_chance']:.4f}"]
        rows.append([name, ENGINES.get(row["engine"], row["engine"]), *cells])
    return markdown(["source", "engine", "calibration error", "by chance alone"], rows)


def photographs() -> str:
    """The errors that a threshold from clean pages lets through, in shades of gray."""
    rows = [row for row in found()["transfer"] if row["engine"] == "tesseract-psm3"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.8, 3.4), layout="constrained")
        ax = figure.subplots()
        for k, quality in enumerate(QUALITIES):
            heights = [100 * row["on"][quality]["threshold"]["errors"][0] for row in rows]
            places = [i + 0.2 * (k - 1.5) for i in range(len(rows))]
            ax.bar(places, heights, 0.2, color=SHADES[quality], edgecolor="black", label=quality)
        ax.axhline(1.0, color="black", linestyle="--", linewidth=1)
        ax.set_xticks(range(len(rows)), [NAMES[row["name"]] for row in rows])
        ax.set_ylabel("errors that remain, %")
        ax.legend(title="used on", frameon=False, ncols=2)
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {
    "study_sources.md": sources,
    "study_accepted.md": accepted,
    "study_shares.md": shares,
    "study_leads.md": leads,
    "study_orders.md": orders,
    "study_transfer.md": transfer,
    "study_decisions.md": decisions,
    "study_combined.md": combined,
    "study_verified.md": verified,
    "study_calibration.md": calibration,
    "study_photographs.svg": photographs,
}
