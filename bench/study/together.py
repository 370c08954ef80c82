"""Compute ``docs/_data/study_combined.json``: accepted shares of combined engines.

It needs the texts of the engines, which are not kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bench.study import combining
from bench.study.collecting import words_of
from bench.study.parts import Part
from bench.study.reading import engines_of

if TYPE_CHECKING:
    from pathlib import Path

    from bench.study.reading import Settings

NAME = "study_combined.json"
#: Engines that are put together, on the pages that all of them have read.
SETS = (("tesseract-psm3", "rapidocr"), ("tesseract-psm3", "tesseract-psm6"))


def compute(settings: Settings, folder: Path, results: Path) -> list[dict[str, Any]]:
    """Return what each engine, and all together, accept at 1 % errors, for each language and set.

    What is computed is written beside `results` after each set, so that an interrupted run goes on.
    """
    part = Part(results)
    found = part.read([])
    wanted = list(settings.complete(folder))
    sets = [(language, engines) for language in settings.languages for engines in SETS]
    done = {(each["pages"], each["rows"][2]["name"]) for each in found}
    for language, engines in sets:
        names = [
            each.name
            for each in wanted
            if each.language == language and set(engines) <= set(engines_of(each))
        ]
        if not names or (language, " + ".join(engines)) in done:
            continue
        read = {name: words_of(folder, language, name, names) for name in engines}
        print(language, *engines, flush=True)
        found.append(combining.figures_of(language, read))
        part.write(found)
    return found


def save(found: list[dict[str, Any]], path: Path) -> None:
    """Write the figures."""
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    Part(path).remove()
