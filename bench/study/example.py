"""Make ``docs/_data/german_pages.zip``: outputs of two engines on 24 German pages, with the truth.

Run it with ``python -m bench.study.example FOLDER``: the folder keeps the pages and their
images, and what is there is not made again. It takes some ten minutes, most of them RapidOCR's. The
shipped file was made with Tesseract 5.3.0, RapidOCR 3.10.0, Pillow 13.0 and wordfreq 3.1.1.

The pages are scans, noisy scans and photographs of one and of two columns, four of each, with a seed
that nobody chose by what came out.
"""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path

from bench.study import engines, pages

PACKED = Path(__file__).parents[2] / "docs" / "_data" / "german_pages.zip"
QUALITIES = ("scan", "noisy", "photo")
FOLDERS = {
    "truth": "truth",
    "lines": "lines",
    "tesseract-psm3": "tesseract",
    "rapidocr": "rapidocr",
}
DAY = (2026, 1, 1, 0, 0, 0)


def pack(inside: Path, packed: Path) -> None:
    """Write the texts of a language's folder into an archive, the same bytes for the same texts."""
    found = [(inside / "manifest.csv", "attributes.csv")]
    for folder, name in FOLDERS.items():
        found += [(path, f"{name}/{path.name}") for path in sorted((inside / folder).iterdir())]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name in found:
            archive.writestr(zipfile.ZipInfo(name, DAY), path.read_bytes(), zipfile.ZIP_DEFLATED)


def main() -> None:
    """Make what is missing, and pack it."""
    parser = argparse.ArgumentParser(prog="python -m bench.study.example", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pages are made and kept")
    parser.add_argument("packed", type=Path, nargs="?", default=PACKED)
    given = parser.parse_args()
    folder, packed = given.folder, given.packed
    wanted = list(pages.recipes(["de"], ["1col", "2col"], QUALITIES, 4, seed=1))
    if not (folder / "de" / "manifest.csv").exists():
        pages.write(wanted, folder, workers=2)
    for task in engines.tasks(folder, ("tesseract-psm3", "rapidocr"), "tsv", "*"):
        engines.read(task)
    pack(folder / "de", packed)
    print(f"{packed}: {packed.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
