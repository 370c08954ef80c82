"""Readers of the files of OCR engines, one module a format; what a file is, its content tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._detection import read_file
from fastarac.ocr.readers._files import OcrFileError, open_file

if TYPE_CHECKING:
    import os

    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.words.words import Words

__all__ = ["OcrFileError", "read"]


def read(
    path: str | os.PathLike[str], *, level: Level = "auto", hyphenated: Hyphenated = "whole"
) -> Words:
    r"""Read the words of one file of an OCR engine, with their confidences.

    The format is told by the content: see `fastarac.ocr.FORMATS` for the formats and for what each
    gives as confidence.

    Parameters
    ----------
    path : str or path-like
        The file. Text is UTF-8, or UTF-16 (UTF-32) with a byte order mark; XML says its encoding.
    level : {"auto", "region", "line", "word"}, default="auto"
        Whose text counts in PAGE, ALTO and hOCR, where regions, lines and words each have a text of
        their own: see Notes. Where a level has none, that of the next finer one is taken, and where
        there is none either, that of the next coarser one. Other formats have one level.
    hyphenated : {"whole", "parts"}, default="whole"
        What becomes of a word that a line end divides, where the format tells such words (ALTO,
        Google): one word, on the line of its first part and with the lower confidence of the two,
        or its two parts, the first with its hyphen. The truth must be written in the same way.

    Returns
    -------
    words : Words
        The words in reading order. Pages are named by the file's name up to the first dot; those
        of a file of several pages as ``name:1``, ``name:2`` and so on.

    Raises
    ------
    OcrFileError
        If the file cannot be read, is of no known format, or holds something that does not belong
        there. The message names the file, the place, what was found and what is expected. XML that
        declares entities is refused, and so are confidences outside the range of their scale.
    ValueError
        If `level` or `hyphenated` is none of these.
    ModuleNotFoundError
        If lxml is not installed and the file is XML.

    See Also
    --------
    read_truth : read the true text of one or more pages
    Words : words in reading order, with their confidence and their place
    pair_files : pair files of the truth and of an engine by name

    Notes
    -----
    Confidences are returned as the file has them. Two repairs are made, and said in `Words.notes`:
    Tesseract up to 5.5 writes 6% as ``0.6`` in ALTO; and outputs of several words are divided at
    their spaces. Blank outputs are left out: engines write them for rules and images.

    Levels: where the words of a line differ from the line's own text by spaces only (punctuation
    marks that are words of their own), ``"auto"`` puts them together into the words of that text,
    each with the lowest confidence of its parts. Where they differ otherwise, it keeps the words,
    which have the confidences (`read_truth` takes the line's text), and a note says in how many
    lines. ``"line"`` and ``"region"`` take the text of these as it is, with their confidence (that
    of its words, where a line has none and its words differ by spaces at most); ``"word"`` takes
    the words as they are.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import read
    >>> box = [[10, 10], [90, 10], [90, 30], [10, 30]]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "receipt.json")
    ...     _ = path.write_text(f'[[{box}, "Total 12,50", 0.93]]')
    ...     words = read(path)
    >>> words.text, words.confidence, words.scale
    (('Total', '12,50'), array([0.93, 0.93]), 'unit')
    """
    return read_file(open_file(path, hyphenated=hyphenated, level=level))
