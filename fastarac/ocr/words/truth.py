"""Read the true text of pages: plain text, or an engine's XML that people have corrected."""

from __future__ import annotations

import re
from array import array
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from fastarac.ocr.readers import _detection
from fastarac.ocr.readers._files import (
    MOST_PAGES,
    OcrFileError,
    binary_kind,
    decoded,
    names_of_pages,
    open_file,
    page_stem,
)
from fastarac.ocr.words.folding import SOFT_HYPHEN, printed
from fastarac.ocr.words.words import Words

if TYPE_CHECKING:
    import os

    from fastarac.ocr.readers._files import Hyphenated, InputFile, Level

# String objects take many times the memory of a short word. Therefore, the first MOST_SHARED different
# words are stored once, and a line of more than LONG_LINE characters is never split into a list.
MOST_SHARED = 1 << 16
LONG_LINE = 1 << 16
WORD = re.compile(r"\S+")


def read_truth(
    path: str | os.PathLike[str], *, level: Level = "auto", hyphenated: Hyphenated = "whole"
) -> Words:
    r"""Read the true text of one or more pages: plain text, ALTO, PAGE or hOCR.

    Parameters
    ----------
    path : str or path-like
        The file. Plain text must be UTF-8, or UTF-16 or UTF-32 with a byte order mark. White space
        separates words, and a form feed begins a page.
    level : {"auto", "region", "line", "word"}, default="auto"
        The level to read in PAGE, ALTO and hOCR, as for :func:`read`. However, if the text of a line
        differs from its words by more than spaces, ``"auto"`` takes the text of the line.
    hyphenated : {"whole", "parts"}, default="whole"
        Whether a word divided at a line end is read as one word or as two words, if the format (ALTO)
        marks such words. In plain text, words stay as they are written.

    Returns
    -------
    truth : Words
        The words with their lines, without confidences. A file without words is read as a page without
        words.

    Raises
    ------
    OcrFileError
        If the file cannot be read or is not text, or if it has a format that is not used for true texts
        (Tesseract's table, JSON).
    ValueError
        If `level` or `hyphenated` is unknown.

    See Also
    --------
    read : read the words of one file of an OCR engine, with their confidences
    Words : words in reading order, with their confidence and their place

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import read_truth
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "receipt.gt.txt")
    ...     _ = path.write_text("Total 12.50\nThank you\n")
    ...     truth = read_truth(path)
    >>> truth.text, truth.line.tolist(), truth.page_names
    (('Total', '12.50', 'Thank', 'you'), [0, 0, 1, 1], ('receipt',))
    """
    return read_truth_file(open_file(path, truth=True, hyphenated=hyphenated, level=level))


def read_truth_file(file: InputFile) -> Words:
    """Read the truth from an opened file."""
    if found := binary_kind(file.head):
        raise OcrFileError(file.path, f"it is {found}, but must be plain text, ALTO, PAGE or hOCR")
    kind = _detection.begins_as(file)
    if kind == "xml":
        try:
            reader = _detection.ROOTS.get(_detection.xml_root(file).lower())
        except OcrFileError:
            if file.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!")):
                raise
            reader = None  # not XML, but plain text that begins with "<"
        if reader is not None:
            return reader(file)
    if kind == "tsv" or (kind == "json" and _is_output(file)):
        problem = (
            "it is the output of an engine, but must be the truth: plain text, ALTO, PAGE or hOCR "
            "(were truth and output swapped?)"
        )
        raise OcrFileError(file.path, problem)
    return _read_text(file)


def _is_output(file: InputFile) -> bool:
    """Return whether a text that begins with a bracket is an engine's JSON."""
    from fastarac.ocr.readers import _json

    try:
        return _detection.json_reader(_json.load(file)) is not None
    except OcrFileError:
        return False


def _read_text(file: InputFile) -> Words:
    pages = decoded(file).split("\f")
    if len(pages) > 1 and not pages[-1].strip():
        pages.pop()  # engines such as Tesseract also write a form feed after the last page
    if len(pages) > MOST_PAGES:
        problem = f"form feeds divide it into {len(pages):,} pages; at most {MOST_PAGES:,} are read"
        raise OcrFileError(file.path, problem)
    texts: list[str] = []
    known: dict[str, str] = {}
    page_of, line_of = array("q"), array("q")
    n_lines = 0
    for number, page in enumerate(pages):
        for line in page.splitlines():
            before = len(texts)
            ends_softly = line.rstrip().endswith(SOFT_HYPHEN)
            line = printed(line)  # noqa: PLW2901
            short = len(line) < LONG_LINE
            for word in line.split() if short else (found[0] for found in WORD.finditer(line)):
                shared = known.setdefault if len(known) < MOST_SHARED else known.get
                texts.append(shared(word, word))
            if ends_softly and len(texts) > before:
                texts[-1] += "-"  # a soft hyphen at a line end is printed, so it becomes a hyphen
            n = len(texts) - before
            page_of.extend(repeat(number, n))
            line_of.extend(repeat(n_lines, n))
            n_lines += n > 0
    return Words(
        text=tuple(texts),
        confidence=np.broadcast_to(np.nan, len(texts)),
        page=np.frombuffer(page_of, np.int64),
        line=np.frombuffer(line_of, np.int64),
        page_names=names_of_pages(page_stem(file.path), len(pages)),
        source="text",
    )
