"""Write a datasheet for each saved source: what it contains, how it was made, how to use it.

The questions are those of Gebru et al. 2021, "Datasheets for datasets", as far as they apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.study.classifiers import FOLDS
from bench.study.reading import EVERY, SEED

if TYPE_CHECKING:
    import pandas as pd

    from bench.study.kept import Study

NAMES = {
    "de": "German",
    "en": "English",
    "fr": "French",
    "ja": "Japanese",
    "zh": "Chinese (simplified)",
    "ar": "Arabic",
}
LAYOUTS = {"1col": "one column", "2col": "two columns"}
UNSPACED = ("ja", "zh")
SETS = {
    "digits": "handwritten digits, 8 × 8 pixels (UCI, Alpaydin and Kaynak 1998)",
    "wine": "chemical analyses of wines of three cultivars (UCI, Aeberhard and Forina 1991)",
    "breast_cancer": "measurements of cell nuclei, benign or malignant (UCI, Wolberg and others 1993)",
    "iris": "measurements of irises of three species (Fisher 1936)",
}
COLUMNS = """| column | |
| --- | --- |
| `engine` | which engine, or classifier, made the output |
| `page` | the page, document or example: what is drawn when something is drawn |
| `quality` | of the page |
| `kind` | right, wrong, merged, split, moved, inserted, missed |
| `correct` | whether the output is right |
| `confidence` | as the engine writes it, to single precision; null: none, no threshold accepts it |
"""


def write(study: Study) -> None:
    """Write ``SOURCE.md`` beside each Parquet file."""
    for source, items in study.items.groupby("source"):
        text = sheet(str(source), items)
        path = study.folder / f"{source}.md"
        path.write_text(text, encoding="utf-8", newline="\n")


def sheet(source: str, items: pd.DataFrame) -> str:
    """Return the datasheet of a source."""
    parts = [f"# {_title(source)}", _made(source), "## Items", COLUMNS, _sizes(items)]
    parts += ["## Limits and uses", _limits(source), "## Texts, people, licence", _rights(source)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _title(source: str) -> str:
    language, _, layout = source.partition("-")
    if layout:
        return f"{NAMES[language]} pages in {LAYOUTS[layout]}"
    return "Fields of made-up invoices" if source == "invoices" else f"Classified: {source}"


def _made(source: str) -> str:
    language, _, layout = source.partition("-")
    if layout:
        unit = "character" if language in UNSPACED else "word"
        return (
            "Pages of text that means nothing, whose words are drawn by their frequency in the "
            f"language, typeset, degraded to four qualities and read by OCR engines (`bench/study`, "
            f"seed {SEED}). RapidOCR reads every {EVERY['rapidocr']}th page. An item is a true "
            f"{unit}, or an output without one; texts are compared in normal form "
            "KC, with all quotation marks alike, and true words that an engine misses are items "
            "that no threshold accepts."
        )
    if source == "invoices":
        return (
            "Invoices with eight fields and line items, as `bench/study/invoices.py` makes them. No "
            "engine has read them: what was read, and the confidence, is drawn at random, so that it "
            "is known what the library should find."
        )
    return (
        f"The data set of that name in scikit-learn: {SETS[source]}. Four classifiers as scikit-learn "
        f"sets them (`bench/study/classifiers.py`), each example classified by one that was fitted on "
        f"the other folds, of {FOLDS}. The confidence is the largest predicted probability."
    )


def _sizes(items: pd.DataFrame) -> str:
    lines = ["| engine | quality | pages | items | right | without confidence |", "| --- " * 6 + "|"]
    for (engine, quality), part in items.groupby(["engine", "quality"]):
        cells = (
            str(engine),
            str(quality),
            f"{part.page.nunique():,}",
            f"{len(part):,}",
            f"{100 * part.correct.mean():.2f} %",
            f"{int(part.confidence.isna().sum()):,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _limits(source: str) -> str:
    if "-" in source:
        return (
            "For comparing engines, confidences and methods of evaluation. The text means nothing, "
            "which is harder for an engine that has learnt the language, and faces, paper and cameras "
            "are simulated: figures are not those of anybody's own pages. Words of a page "
            "depend on each other; intervals have to be by page."
        )
    if source == "invoices":
        return (
            "For trying methods on fields and documents. It says nothing about any service, since "
            "errors and confidences are drawn independently of each other's fields."
        )
    return (
        "For methods of evaluation. The four classifiers have the same examples in the same order. "
        "Classifiers of different folds are put together, so that their confidences are not those of "
        "one model."
    )


def _rights(source: str) -> str:
    if "-" in source:
        return (
            "No text is kept. Nothing is about a person: words are drawn one by one. The frequencies "
            "are wordfreq's (CC BY-SA 4.0), the words of Debian's word lists. Everything here is under "
            "the licence of the project."
        )
    if source == "invoices":
        return "Firms and goods are made up. Under the licence of the project."
    return (
        "Neither the examples nor their features are kept. They come with scikit-learn (BSD); UCI's "
        "data sets are CC BY 4.0."
    )
