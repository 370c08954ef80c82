"""Readers of the files of OCR engines, one module a format; what a file is, its content tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.ocr.readers._detection import read_file
from fastarac.ocr.readers._files import OcrFileError, open_file

if TYPE_CHECKING:
    import os

    from fastarac.ocr.readers._files import Hyphenated
    from fastarac.ocr.words import Words

__all__ = ["OcrFileError", "read"]


def read(path: str | os.PathLike[str], *, hyphenated: Hyphenated = "whole") -> Words:
    r"""Read the words of one file of an OCR engine, with their confidences.

    The format is told by the content: see `fastarac.ocr.FORMATS` for the formats and for what each
    gives as confidence.

    Parameters
    ----------
    path : str or path-like
        The file. Text is UTF-8, or UTF-16 (UTF-32) with a byte order mark; XML says its encoding.
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
        If `hyphenated` is none of the two.
    ModuleNotFoundError
        If lxml is not installed and the file is XML.

    Notes
    -----
    Confidences are returned as the file has them. Two repairs are made, and said in `Words.notes`:
    Tesseract up to 5.5 writes 6 % as ``0.6`` in ALTO; and outputs of several words are divided at
    their spaces. Blank outputs are left out: engines write them for rules and images.

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
    return read_file(open_file(path, hyphenated=hyphenated))
