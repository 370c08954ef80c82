"""Speed of reading and aligning the pages of an OCR engine, on repeated words of the sample.

``python -m bench.ocr`` writes 1,000 pages of 400 words into a folder of its own, reads and aligns them
in one process and in two, and prints the seconds; then it aligns single pages of up to 100,000 words,
the worst case as they repeat.
``--pages`` and ``--words`` set the sizes.
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fastarac.ocr import align_files, load_sample, pair_files
from fastarac.ocr.words.alignment import PageText, align_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.ocr import Engine

HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
WORDS_A_LINE = 10
LONG = (1_000, 5_000, 20_000, 100_000)


def pages_of(n: int, engine: str = "plain") -> Iterator[tuple[list[str], list[tuple[str, float]]]]:
    """Yield n true words and the outputs for them: page after page of the sample, the last page cut."""
    sample = load_sample()
    true, read = sample.truth, sample.outputs[engine]
    words = list(zip(read.text, read.confidence.tolist(), strict=True))
    slices = zip(true.page_slices(), read.page_slices(), strict=True)
    pages = itertools.cycle([(list(true.text[t]), words[r]) for t, r in slices])
    while True:
        texts: list[str] = []
        outputs: list[tuple[str, float]] = []
        while len(texts) < n:
            of_page, on_page = next(pages)
            some = min(n - len(texts), len(of_page))
            texts += of_page[:some]
            outputs += on_page[: len(on_page) * some // len(of_page)]
        yield texts, outputs


def write_pages(
    folder: Path, n_pages: int, n_words: int, name: str = "output", engine: str = "plain"
) -> None:
    """Write true texts into ``truth`` and Tesseract's tables into a folder beside it."""
    pages = pages_of(n_words, engine)
    for each in ("truth", name):
        (folder / each).mkdir(exist_ok=True)
    for number in range(n_pages):
        texts, outputs = next(pages)
        lines = [texts[i : i + WORDS_A_LINE] for i in range(0, n_words, WORDS_A_LINE)]
        (folder / "truth" / f"{number}.txt").write_text("\n".join(map(" ".join, lines)))
        rows = [
            f"5\t1\t1\t1\t{i // WORDS_A_LINE}\t{i % WORDS_A_LINE}\t0\t0\t9\t9\t{confidence}\t{text}"
            for i, (text, confidence) in enumerate(outputs)
        ]
        (folder / name / f"{number}.tsv").write_text("\n".join([HEADER, *rows]) + "\n")


def read_and_align(folder: Path, n_workers: int) -> tuple[float, Engine]:
    """Return the seconds that the call takes, and its result."""
    start = time.perf_counter()
    engine = align_files(pair_files(folder / "truth", folder / "output"), n_workers=n_workers)
    return time.perf_counter() - start, engine


def align_one(n_words: int) -> float:
    """Return the seconds to align one page with this number of words."""
    true, outputs = next(pages_of(n_words))
    read = [text for text, _ in outputs]
    start = time.perf_counter()
    align_texts(PageText(true), PageText(read))
    return time.perf_counter() - start


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(prog="python -m bench.ocr", description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--words", type=int, default=400)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        write_pages(Path(folder), options.pages, options.words)
        for n_workers in (1, 2):
            seconds, engine = read_and_align(Path(folder), n_workers)
            each = 1e6 * seconds / engine.aligned.true_words
            print(
                f"{options.pages:,} pages of {options.words} words, {n_workers} "
                f"process{'es' * (n_workers > 1)}: {seconds:.2f} s, {each:.1f} µs a word",
                flush=True,
            )
    for n_words in LONG:
        seconds = align_one(n_words)
        print(
            f"one page of {n_words:,} words: {seconds:.3f} s, {1e6 * seconds / n_words:.1f} µs a word"
        )


if __name__ == "__main__":
    main()
