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
        The level to read in PAGE, ALTO and hOCR, because regions, lines and words can each have a text
        (see Notes). If a level has no text, the next finer level is read. If no finer level has a text,
        the next coarser level is read. Other formats have one level.
    hyphenated : {"whole", "parts"}, default="whole"
        How to read a word that a line end divides, if the format marks such words (ALTO, Google).
        ``"whole"``: as one word on the line of its first part, with the lower confidence of the two
        parts. ``"parts"``: as two words, the first with its hyphen. The truth must have such words in
        the same form.

    Returns
    -------
    words : Words
        The words in reading order. A page is named like the file, up to the first dot. Several pages in
        one file are named ``name:1``, ``name:2`` and so on.

    Raises
    ------
    OcrFileError
        If the file cannot be read, has no known format, or has invalid content. The message names the
        file and the place in it, and says what must be there. XML that declares entities is refused. So
        is a confidence outside its scale.
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
    Confidences are returned as the file has them, except for two repairs, which `Words.notes` report.
    Tesseract up to 5.5 writes 6% as ``0.6`` in ALTO; this is corrected. An output of several words is
    divided at its spaces. Blank outputs, which engines write for rules and images, are left out.

    Levels: the words of a line often differ from the line's text only in spaces, for example because
    punctuation marks are separate words. In this case, ``"auto"`` joins them into the words of the
    text. Each joined word gets the lowest confidence of its parts. If words and text differ in other
    ways, ``"auto"`` keeps the words, because only words have confidences. A note gives the number of
    these lines; `read_truth` takes their text. ``"line"`` and ``"region"`` take the text and the
    confidence of lines or regions. A line without a confidence gets the confidences of its words if its
    text equals the words apart from spaces. ``"word"`` takes the words as they are.

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
