"""Make pages of known text, in five languages, two layouts and four qualities.

Run it with ``python -m bench.study.pages FOLDER``: see ``bench/study/README.md``.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from bench.study.composing import Vocabulary, compose
from bench.study.degrading import QUALITIES, Degraded, degrade
from bench.study.languages import LANGUAGES
from bench.study.typesetting import LAYOUTS, Page, typeset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORDS, CHARACTERS = 250, 700  # of a page, where a language has spaces and where it has none
NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
METADATA = (  # which the format asks for; no day, so that the same seed gives the same bytes
    "<Metadata><Creator>bench.study.pages</Creator><Created>2026-01-01T00:00:00</Created>"
    "<LastChange>2026-01-01T00:00:00</LastChange></Metadata>"
)
COLUMNS = ("page", "language", "layout", "quality", "face", "size", "words", "characters")


@dataclass(frozen=True)
class Recipe:
    """All that decides what is on a page."""

    language: str
    layout: str
    quality: str
    number: int
    seed: int

    @property
    def name(self) -> str:
        """What the files of the page are called, up to their first dot."""
        return f"{self.language}-{self.layout}-{self.quality}-{self.number:03d}"

    def chance(self, what: str) -> random.Random:
        """Return random numbers for one step, so that no step shifts those of another."""
        return random.Random(f"{self.seed} {self.name} {what}")


def text_of(recipe: Recipe, vocabulary: Vocabulary) -> list[str]:
    """Return the title and the paragraphs of a page, which no font and no version of Pillow changes."""
    language = LANGUAGES[recipe.language]
    size = WORDS if language.spaces else CHARACTERS
    return compose(language, vocabulary, recipe.chance("text"), size)


def make(recipe: Recipe, vocabulary: Vocabulary, folder: Path) -> dict[str, object]:
    """Write the image and the truths of a page; return its row of the manifest."""
    language = LANGUAGES[recipe.language]
    paragraphs = text_of(recipe, vocabulary)
    page = typeset(paragraphs, language, recipe.layout, recipe.chance("page"))
    other = compose(language, vocabulary, recipe.chance("verso"), WORDS // 2)
    verso = typeset(other, language, recipe.layout, recipe.chance("verso page"))
    seen = degrade(page.image, verso.image, recipe.quality, recipe.chance("quality"))
    end = "png" if recipe.quality == "clean" else "jpg"
    image = folder / "images" / f"{recipe.name}.{end}"
    # an image that has gone through JPEG loses little more at a high quality
    seen.image.save(image, **({"dpi": (300, 300)} if end == "png" else {"quality": 90}))
    texts = {
        "truth": "\n".join(paragraphs),
        "lines": "\n".join(line.text for line in page.lines),
        "page": page_xml(page, seen, image.name),
    }
    for name, text in texts.items():
        path = folder / name / f"{recipe.name}.{'xml' if name == 'page' else 'txt'}"
        path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return {
        "page": recipe.name,
        "language": recipe.language,
        "layout": recipe.layout,
        "quality": recipe.quality,
        "face": page.face,
        "size": page.size,
        "words": len(texts["truth"].split()),
        "characters": sum(map(len, texts["truth"].split())),
    }


def page_xml(page: Page, seen: Degraded, image: str) -> str:
    """Return PAGE XML of the lines as printed, with their places in the degraded image."""
    regions = [(region, list(lines)) for region, lines in groupby(page.lines, lambda line: line.region)]
    order = "".join(
        f'<RegionRefIndexed index="{i}" regionRef="r{region}"/>'
        for i, (region, _) in enumerate(regions)
    )
    width, height = seen.image.size
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<PcGts xmlns="{NAMESPACE}">',
        METADATA,
        f'<Page imageFilename="{image}" imageWidth="{width}" imageHeight="{height}">',
        f'<ReadingOrder><OrderedGroup id="g">{order}</OrderedGroup></ReadingOrder>',
    ]
    for region, lines in regions:
        boxes = [line.box for line in lines]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        around = seen.box((min(lefts), min(tops), max(rights), max(bottoms)))
        kind = "heading" if region == 0 else "paragraph"
        parts.append(f'<TextRegion id="r{region}" type="{kind}">{_coordinates(around)}')
        for i, line in enumerate(lines):
            text = f"<TextEquiv><Unicode>{escape(line.text)}</Unicode></TextEquiv>"
            parts.append(
                f'<TextLine id="r{region}l{i}">{_coordinates(seen.box(line.box))}{text}</TextLine>'
            )
        whole = escape("\n".join(line.text for line in lines))
        parts.append(f"<TextEquiv><Unicode>{whole}</Unicode></TextEquiv></TextRegion>")
    return "\n".join([*parts, "</Page>", "</PcGts>"])


def _coordinates(box: tuple[float, float, float, float]) -> str:
    left, top, right, bottom = map(round, box)
    return f'<Coords points="{left},{top} {right},{top} {right},{bottom} {left},{bottom}"/>'


def recipes(
    languages: Sequence[str], layouts: Sequence[str], qualities: Sequence[str], pages: int, seed: int
) -> Iterator[Recipe]:
    """Return what pages there are: so many of each language, layout and quality."""
    for language in languages:
        for layout in layouts:
            for quality in qualities:
                for number in range(pages):
                    yield Recipe(language, layout, quality, number, seed)


@cache
def _vocabulary(code: str) -> Vocabulary:
    return Vocabulary.load(LANGUAGES[code])


def _make(recipe: Recipe, folder: Path) -> dict[str, object]:
    return make(recipe, _vocabulary(recipe.language), folder)


def write(wanted: Sequence[Recipe], folder: Path, workers: int) -> None:
    """Write a folder for each language, with ``manifest.csv``: a row a page, with its attributes."""
    with ProcessPoolExecutor(workers) as pool:
        for code, group in groupby(wanted, lambda recipe: recipe.language):
            inside = folder / code
            for name in ("images", "truth", "lines", "page"):
                (inside / name).mkdir(parents=True, exist_ok=True)
            mine = list(group)
            rows = list(pool.map(_make, mine, [inside] * len(mine), chunksize=4))
            with (inside / "manifest.csv").open("w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                table.writeheader()
                table.writerows(rows)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.study.pages", description=__doc__)
    parser.add_argument("folder", type=Path, help="where a folder for each language is made")
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=list(LAYOUTS))
    parser.add_argument("--qualities", nargs="+", choices=QUALITIES, default=list(QUALITIES))
    parser.add_argument("--pages", type=int, default=3, help="of each language, layout and quality")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    wanted = list(recipes(given.languages, given.layouts, given.qualities, given.pages, given.seed))
    write(wanted, given.folder, given.workers)
    print(f"{len(wanted)} pages in {given.folder}")


if __name__ == "__main__":
    main()
