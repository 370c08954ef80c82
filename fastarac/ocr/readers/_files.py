"""Open files, recognize their kind and encoding, and name places in errors."""

from __future__ import annotations

import codecs
import json
import unicodedata
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastarac.io import DataFileError
from fastarac.io._sources import to_utf8

if TYPE_CHECKING:
    import os

Hyphenated = Literal["whole", "parts"]
Level = Literal["auto", "region", "line", "word"]

LEVELS: tuple[Level, ...] = get_args(Level)

#: Number of bytes at the start of a file that are read to recognize its format.
HEAD = 1 << 16

LONGEST_SHOWN = 60

#: Maximum page number: without it, one wrong number would create millions of empty pages. Services
#: accept documents of at most a few thousand pages.
MOST_PAGES = 100_000

# First bytes of the binary files that are often in the same folder as the texts of pages.
_BINARY = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"\x00\x00\x00\x0cjP", "a JPEG 2000 image"),
    (b"%PDF", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip file"),
)
_IMAGES = tuple(magic for magic, kind in _BINARY if kind.endswith(("image", "PDF file")))

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class OcrFileError(DataFileError):
    """A file cannot be read, or has invalid content.

    The parameters are available as attributes.

    Parameters
    ----------
    path : str or path-like
        The file.
    problem : str
        What was found, and what must be there.
    place : str, optional
        The place in the file: a line, an element, or the path to a JSON value.

    See Also
    --------
    read : read the words of one file of an OCR engine, with their confidences
    read_truth : read the true text of one or more pages
    """

    def __init__(self, path: str | os.PathLike[str], problem: str, *, place: str | None = None) -> None:
        super().__init__(path, problem if place is None else f"{place}: {problem}")
        self.place = place
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(OcrFileError, place=self.place), (self.path, self.problem)


def shown(value: object) -> str:
    """Return a value as JSON for an error message, cut off if it is long."""
    text = ""
    # The value may be huge and deeply nested, so encode only as much as is shown.
    for piece in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
        text += piece
        if len(text) > LONGEST_SHOWN:
            return text[:LONGEST_SHOWN] + "…"
    return text


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read, with the options for reading it.

    Attributes
    ----------
    path : Path
    head : bytes
        The first bytes.
    truth : bool
        Whether the file is a truth, so that only its texts are read.
    hyphenated : {"whole", "parts"}
        Whether a word that a line end divides is read as one word or as two.
    level : {"auto", "region", "line", "word"}
        The level to read if regions, lines and words each have a text.
    digits : bool or None
        Whether ALTO writes 6% as 0.6. If None, the file itself decides.
    ignored : frozenset of str
        Types of regions whose text is left out.
    """

    path: Path
    head: bytes
    truth: bool = False
    hyphenated: Hyphenated = "whole"
    level: Level = "auto"
    digits: bool | None = None
    ignored: frozenset[str] = frozenset()


def open_file(
    path: str | os.PathLike[str],
    *,
    truth: bool = False,
    hyphenated: Hyphenated = "whole",
    level: Level = "auto",
    digits: bool | None = None,
    ignored: frozenset[str] = frozenset(),
) -> InputFile:
    """Open a file to read its first bytes; raise if it cannot be opened."""
    if hyphenated not in ("whole", "parts"):
        raise ValueError(f"hyphenated must be 'whole' or 'parts', got {hyphenated!r}")
    check_level(level)
    path = Path(path)
    if path.is_dir():
        raise OcrFileError(path, "it is a folder, but must be a file")
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise OcrFileError(path, f"it cannot be opened: {reason}") from None
    return InputFile(path, head, truth, hyphenated, level, digits, ignored)


def check_level(level: str) -> None:
    """Raise unless a string is the name of a level."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, got {level!r}")


def is_image(head: bytes) -> bool:
    """Return whether these are the first bytes of an image or of a PDF file."""
    return head.startswith(_IMAGES) and binary_kind(head) is not None


def binary_kind(head: bytes) -> str | None:
    """Return the kind of a binary file with these first bytes; None for text."""
    for magic, kind in _BINARY:
        # A text may also begin with BM, but only a bitmap has zero bytes near its beginning.
        if head.startswith(magic) and (magic != b"BM" or b"\x00" in head[:16]):
            return kind
    return None


def encoding_of(head: bytes) -> str:
    """Return the encoding that a byte order mark or zero bytes show; UTF-8 if there are none."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    return json.detect_encoding(head[:4]) if len(head) > 3 else "utf-8"


def decoded(file: InputFile) -> str:
    """Return the text of a file with its line ends, but without a byte order mark."""
    path, encoding = file.path, encoding_of(file.head)
    data = path.read_bytes()
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        name = encoding.removesuffix("-sig").upper()
        problem = f"it is not {name} text; use UTF-8, or UTF-16 with a byte order mark"
        if name == "UTF-8":
            problem += f" ({to_utf8(path)})"
        raise OcrFileError(path, problem, place=f"line {line}") from None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise OcrFileError(path, "it has a zero byte, so it is not text", place=f"line {line}")
    return text


def names_of_pages(name: str, n: int) -> tuple[str, ...]:
    """Return the names of a file's `n` pages: `name`, or for several `name:1`, `name:2`, etc."""
    return (name,) if n == 1 else tuple(f"{name}:{i + 1}" for i in range(n))


def page_stem(path: Path) -> str:
    """Return the name of a file's page: the file's name up to the first dot."""
    name = composed(path.name)
    return name.partition(".")[0] or name


def composed(name: str) -> str:
    """Return a name in Unicode's normal form C; some systems store accents as separate characters."""
    return unicodedata.normalize("NFC", name)
