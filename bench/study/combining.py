"""Compute ``docs/_data/combining.json``: accepted shares of engines, alone and combined, at 1% errors.

Run it with ``python -m bench.study.combining FOLDER``, the folder that was made by

    python -m bench.study.pages FOLDER --languages de en --qualities clean scan noisy --pages 4 --seed 7
    python -m bench.study.engines FOLDER

The penalty and the features of the regression were chosen on other pages: those of seed 0, and the
sample that comes with the package. The pages of ``docs/_data/german_pages.zip`` are read as well.
"""

from __future__ import annotations

import argparse
import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fastarac.answers.models import Model
from fastarac.evaluation.limits import Limit
from fastarac.evaluation.model_ranking import leads_of
from fastarac.io import Labels, Outputs
from fastarac.ocr import Engine, align, align_files, combine, pair_files
from fastarac.results import AlignedOutputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.results import AlignedOutputs

DATA = Path(__file__).parents[2] / "docs" / "_data"
LIMIT = Limit("max_error_rate", 0.01)
TITLES = {
    "tesseract": "Tesseract",
    "tesseract-psm3": "Tesseract",
    "tesseract-psm6": "Tesseract (one block)",
    "rapidocr": "RapidOCR",
}
SETS = (
    ("de", ("tesseract-psm3", "rapidocr")),
    ("de", ("tesseract-psm3", "tesseract-psm6")),
    ("en", ("tesseract-psm3", "rapidocr")),
    ("en", ("tesseract-psm3", "tesseract-psm6")),
    ("en", ("tesseract-psm3", "tesseract-psm6", "rapidocr")),
)


def figures(pages: str, truth: Path, folders: Mapping[str, Path]) -> dict[str, Any]:
    """Return what each engine, the combination and the rule of agreement accept at 1 % errors.

    Parameters
    ----------
    pages : str
        What the pages are called.
    truth : Path
        Their true texts.
    folders : mapping of str to Path
        Of each engine.
    """
    engines = {name: align_files(pair_files(truth, folder)) for name, folder in folders.items()}
    return figures_of(pages, engines)


def figures_of(pages: str, engines: Mapping[str, Engine]) -> dict[str, Any]:
    """Return the same of engines whose files are read and aligned."""
    together = " + ".join(engines)
    every = {name: engine.aligned for name, engine in engines.items()}
    by_ranks = f"{together}, without truth"
    every |= {
        together: _combined(engines),
        by_ranks: _by_ranks(engines),
        " = ".join(engines): _combined(engines, agreement="exact"),
    }
    items = {name: _outputs(aligned) for name, aligned in every.items()}
    (lead,) = leads_of(items, [LIMIT], paired="groups", unit="page", confidence_level=0.95)
    rows = []
    for name, aligned in every.items():
        found = Model.of(name, items[name], None, max_error_rate=LIMIT.value, intervals=True)
        interval = found.evaluation.intervals[f"acceptance_rate/{LIMIT.key}"]
        row = {
            "name": name,
            "right": float(aligned.correct.mean()),
            "missed": aligned.missed / aligned.true_words,
            "accepted": aligned.operating_point(max_error_rate=LIMIT.value).acceptance_rate,
            "low": interval.low,
            "high": interval.high,
        }
        if name != together and lead is not None:
            pair = lead.comparison.pair(together, name)
            row["more"] = [pair.difference, pair.interval.low, pair.interval.high]
        rows.append(row)
    first = next(iter(every.values()))
    return {
        "pages": pages,
        "n_pages": len(first.records.page_names),
        "true_words": first.true_words,
        "rows": rows,
    }


def _combined(engines: Mapping[str, Engine], **how: Any) -> AlignedOutputs:
    truth = next(iter(engines.values())).truth
    found = combine(engines, truth=truth, **how).aligned
    assert found is not None
    return found


def _by_ranks(engines: Mapping[str, Engine]) -> AlignedOutputs:
    first = next(iter(engines.values()))
    fold = first.aligned.reading.fold  # right is what is right of each engine alone
    return align(first.truth, combine(engines).words, fold=fold)


def _outputs(aligned: AlignedOutputs) -> Outputs:
    never = aligned.never_accepted
    rejected = None if never is None else aligned.confidence == never
    group = Labels(aligned.records.page_names, aligned.page)
    return Outputs(aligned.correct, aligned.confidence, group=group, rejected=rejected)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.study.combining", description=__doc__)
    parser.add_argument("folder", type=Path, help="with a folder for each language")
    parser.add_argument("data", type=Path, nargs="?", default=DATA / "combining.json")
    given = parser.parse_args()
    found = []
    with TemporaryDirectory() as name:
        inside = Path(name)
        with zipfile.ZipFile(DATA / "german_pages.zip") as archive:
            archive.extractall(inside)
        folders = {TITLES[each]: inside / each for each in ("tesseract", "rapidocr")}
        found.append(figures("German: scan, noisy, photo", inside / "lines", folders))
    languages = {"de": "German", "en": "English"}
    for language, engines in SETS:
        inside = given.folder / language
        folders = {TITLES[each]: inside / each for each in engines}
        what = f"{languages[language]}: clean, scan, noisy"
        found.append(figures(what, inside / "lines", folders))
    given.data.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for each in found:
        print(
            each["pages"],
            *(f"{row['name']}: {row['accepted']:.3f}" for row in each["rows"]),
            sep="\n  ",
        )


if __name__ == "__main__":
    main()
