"""The tables of the page on decisions, from the pages that are recorded for it."""

from __future__ import annotations

import csv
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

import fastarac as fa
from fastarac._core.text import interval_text, rounded_percent
from fastarac.answers import limits as wording
from fastarac.evaluation.limits import Limit
from fastarac.ocr import align_files, pair_files
from fastarac.ocr.words.policies import INSERTED, MISSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac.results import AlignedOutputs

PACKED = Path(__file__).parents[1] / "_data" / "german_pages.zip"
TITLES = {"tesseract": "Tesseract", "rapidocr": "RapidOCR"}
ENGINES = tuple(TITLES)
LIMITS = (0.01, 0.05)
SAMPLES = 300
AT_LIMIT = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01)
SENTENCE = """\
> On {n_pages} pages with {n_words:,} words, drawn at random, {best} accepts {accepted} of the work
> at a confidence of {threshold} or more; undetected errors are then {errors} of the work. The
> 95% interval of the accepted share, by page, is {low} to {high}. {other} accepts {less}; the
> difference is {surely}. {best} misses {missed} of the words and {other} {also_missed}: people have to
> search the pages for them, whatever the threshold.
"""


@cache
def items(**options: str) -> dict[str, AlignedOutputs]:
    """Return the items of both engines."""
    with TemporaryDirectory() as folder:
        with zipfile.ZipFile(PACKED) as archive:
            archive.extractall(folder)
        inside = Path(folder)
        return {
            name: align_files(pair_files(inside / "lines", inside / name), **options).aligned  # type: ignore[arg-type]
            for name in ENGINES
        }


def accepted(found: AlignedOutputs, limit: float) -> str:
    """Return the accepted share at a limit."""
    return rounded_percent(found.operating_point(max_error_rate=limit).acceptance_rate)


def right(found: AlignedOutputs) -> str:
    """Return the share of the items that are right."""
    return rounded_percent(float(found.correct.mean()))


def qualities() -> str:
    """What became of the words of each quality and layout."""
    with zipfile.ZipFile(PACKED) as archive:
        rows = list(csv.DictReader(archive.read("attributes.csv").decode().splitlines()))
    attributes = {row["page"]: (row["quality"], row["layout"]) for row in rows}
    lines = [
        "| pages | " + " | ".join(f"{TITLES[name]}: right | moved | missed" for name in ENGINES) + " |"
    ]
    lines.append("|---|" + "---:|" * 3 * len(ENGINES))
    for kind in dict.fromkeys(attributes.values()):
        cells = []
        for found in items().values():
            pages = found.pages
            those = np.array([attributes[name] == kind for name in pages.name])
            total = pages.true_words[those].sum()
            cells += [
                rounded_percent(float(n[those].sum() / total))
                for n in (pages.right, pages.moved, pages.missed)
            ]
        said = f"{kind[0]}, {'one column' if kind[1] == '1col' else 'two columns'}"
        lines.append(f"| {said} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def by_attribute() -> str:
    """What each engine accepts of each quality, with which errors, and whether that keeps a limit."""
    with zipfile.ZipFile(PACKED) as archive:
        rows = list(csv.DictReader(archive.read("attributes.csv").decode().splitlines()))
    table = {key: [row[key] for row in rows] for key in ("page", "quality")}
    attributes = fa.ocr.read_attributes(table)
    limits = [Limit("max_error_rate", 0.01)]
    titles = " | ".join(f"{TITLES[name]}: accepted at 1 % | errors | limit" for name in ENGINES)
    lines = [f"| quality | pages | {titles} |", "|---|---:|" + "---:|---:|---|" * len(ENGINES)]
    found = [fa.ocr.evaluate_attributes(each, attributes, limits) for each in items().values()]
    for k, value in enumerate(found[0].value):
        cells = []
        for each in found:
            at = each.at[0]
            cells += [
                f"{rounded_percent(float(rate[k]))} ({interval_text(float(low[k]), float(high[k]))})"
                for rate, low, high in (
                    (at.acceptance_rate, at.acceptance_low, at.acceptance_high),
                    (at.error_rate, at.error_low, at.error_high),
                )
            ]
            cells.append((at.verdict or ())[k])
        lines.append(f"| {value} | {found[0].pages[k]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def policies() -> str:
    """The accepted share of each engine under each policy, and who leads."""
    titles = " | ".join(f"{TITLES[name]}, {100 * limit:.0f} %" for limit in LIMITS for name in ENGINES)
    lines = [
        f"| missed | inserted | moved | {titles} |",
        "|---|---|---|" + "---:|" * len(LIMITS) * len(ENGINES),
    ]
    rows = [
        (missed, inserted, "right") for missed in MISSED if missed != "drop" for inserted in INSERTED
    ]
    for missed, inserted, moved in [*rows, ("reject", "wrong", "wrong")]:
        found = [
            each.with_policy(missed=missed, inserted=inserted, moved=moved) for each in items().values()
        ]
        cells = [accepted(each, limit) for limit in LIMITS for each in found]
        lines.append(f"| `{missed}` | `{inserted}` | `{moved}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def units() -> str:
    """The same files, as words, as lines, as characters, and folded."""
    options: dict[str, dict[str, str]] = {
        "words": {},
        "words, with `--fold quotes`": {"fold": "quotes"},
        "lines": {"unit": "line"},
        "characters": {"unit": "character"},
    }
    titles = " | ".join(f"{TITLES[name]}: right | accepted at 1 %" for name in ENGINES)
    lines = [f"| items | {titles} |", "|---|" + "---:|" * 2 * len(ENGINES)]
    rows = {label: items(**option).values() for label, option in options.items()}
    whole = items().values()
    two_columns = [name for name in next(iter(whole)).pages.name if "-2col-" in name]
    rows["words, without pages of two columns"] = [each.without_pages(two_columns) for each in whole]
    for label, found in rows.items():
        cells = [cell for each in found for cell in (right(each), accepted(each, 0.01))]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def numbers_of_pages() -> str:
    """How far apart the answers of samples of a few pages are."""
    rng = np.random.default_rng(0)
    lines = ["| pages | " + " | ".join(TITLES.values()) + " |", "|---|" + "---:|" * len(ENGINES)]
    for n_pages in (3, 6, 12):
        cells = []
        for found in items().values():
            names = found.pages.name
            shares = []
            for _ in range(SAMPLES):
                left_out = rng.choice(names, len(names) - n_pages, replace=False)
                point = found.without_pages(left_out).operating_point(max_error_rate=0.01)
                shares.append(point.acceptance_rate)
            low, high = np.quantile(shares, [0.05, 0.95])
            cells.append(f"{low:.0%} to {high:.0%}".replace("%", " %"))
        lines.append(f"| {n_pages} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def sentence() -> str:
    """The sentence that the decision ends in."""
    found = items()
    points = {name: each.operating_point(max_error_rate=0.01) for name, each in found.items()}
    best, other = sorted(found, key=lambda name: -points[name].acceptance_rate)
    point, of_best = points[best], found[best]
    figures = fa.evaluate(
        of_best.correct,
        of_best.confidence,
        max_error_rate=0.01,
        groups=of_best.groups,
        intervals=True,
    )
    interval = of_best.without_rejected(figures).intervals["acceptance_rate/0.01"]
    test = fa.compare_models(
        {name: (found[name].correct, found[name].confidence) for name in (best, other)},
        statistic=AT_LIMIT,
        groups={name: found[name].groups for name in (best, other)},
        paired="groups",
        method="bootstrap",
        n_resamples=1000,
        random_state=0,
    ).pairs[0]
    ends = " to ".join(f"{100 * end:+.1f}" for end in (test.interval.low, test.interval.high))
    surely = "beyond chance" if test.interval.low > 0 else "which may be chance"
    shares = {
        "accepted": point.acceptance_rate,
        "errors": point.error_rate,
        "low": interval.low,
        "high": interval.high,
        "less": points[other].acceptance_rate,
        "missed": of_best.missed / of_best.true_words,
        "also_missed": found[other].missed / found[other].true_words,
    }
    return SENTENCE.format(
        n_words=of_best.true_words,
        n_pages=len(of_best.pages.name),
        best=TITLES[best],
        other=TITLES[other],
        threshold=wording.threshold(point.threshold, of_best.sweep()),
        surely=f"{surely} ({ends} points, p = {test.pvalue:.2g})",
        **{name: rounded_percent(float(share)) for name, share in shares.items()},
    )


MAKERS: dict[str, Callable[[], str]] = {
    "ocr_decision_qualities.md": qualities,
    "ocr_decision_attributes.md": by_attribute,
    "ocr_decision_policies.md": policies,
    "ocr_decision_units.md": units,
    "ocr_decision_sentence.md": sentence,
    "ocr_decision_pages.md": numbers_of_pages,
}
