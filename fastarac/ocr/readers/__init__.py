"""Readers of OCR engines' files, one module per format; formats are recognized by content."""

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

    The format is recognized by the file's content: see `fastarac.ocr.FORMATS` for the formats and
    their confidences.

    Parameters
    ----------
    path : str or path-like
        The file. Text is UTF-8, or UTF-16 (UTF-32) with a byte order mark; XML declares its encoding.
    level : {"auto", "region", "line", "word"}, default="auto"
        The level to read in PAGE, ALTO and hOCR, where regions, lines and words each carry text: see
        Notes. A level without text is replaced by the next finer level, or else by the next coarser
        one. Other formats have one level.
    hyphenated : {"whole", "parts"}, default="whole"
        How to read a word broken at a line end, if the format marks such words (ALTO, Google).
        ``"whole"``: as one word, on the line of its first part, with the lower confidence of both
        parts. ``"parts"``: as two words, the first with its hyphen. The truth must be written in the
        same way.

    Returns
    -------
    words : Words
        The words in reading order. A page is named by the file's name up to the first dot; several
        pages in one file are named ``name:1``, ``name:2`` and so on.

    Raises
    ------
    OcrFileError
        If the file cannot be read, has no known format, or has invalid content. The message names the
        file and the place, and says what is expected there. XML that declares entities is refused, and
        so are confidences outside the range of their scale.
    ValueError
        If `level` or `hyphenated` has another value.
    ModuleNotFoundError
        If lxml is not installed and the file is XML.

    See Also
    --------
    read_truth : read the true text of one or more pages
    Words : words in reading order, with their confidence and their place
    pair_files : pair files of the truth and of an engine by name

    Notes
    -----
    Confidences are returned as the file has them, with two repairs, which `Words.notes` report.
    Tesseract up to 5.5 writes 6% as ``0.6`` in ALTO; this is corrected. Outputs of several words are
    divided at their spaces. Blank outputs are left out: engines write them for rules and images.

    Levels: the words of a line may differ from the line's own text only by spaces, for example if
    punctuation marks are words of their own. ``"auto"`` then joins them into the words of that text,
    each with the lowest confidence of its parts. If they differ otherwise, ``"auto"`` keeps the words,
    because only they have confidences, and a note counts such lines; `read_truth` takes the line's
    text. ``"line"`` and ``"region"`` take the text of lines or regions as it is, with its confidence. A
    line without a confidence gets the confidences of its words, if the texts differ by spaces at most.
    ``"word"`` takes the words as they are.

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
