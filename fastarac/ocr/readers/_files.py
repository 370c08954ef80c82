"""Files as they are found: what their first bytes show, their encoding, and errors that say where."""

from __future__ import annotations

import codecs
import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastarac.io import DataFileError
from fastarac.io._sources import to_utf8

if TYPE_CHECKING:
    import os

__all__ = [
    "MOST_PAGES",
    "Hyphenated",
    "InputFile",
    "Level",
    "OcrFileError",
    "binary_kind",
    "check_level",
    "composed",
    "decoded",
    "encoding_of",
    "is_image",
    "names_of_pages",
    "open_file",
    "page_stem",
    "shown",
]

Hyphenated = Literal["whole", "parts"]
Level = Literal["auto", "region", "line", "word"]

LEVELS: tuple[Level, ...] = get_args(Level)

#: So many bytes are read to tell the kind of a file.
HEAD = 1 << 16

LONGEST_SHOWN = 60

#: So many pages a file may claim to have in a few bytes; the largest services take some thousand.
MOST_PAGES = 100_000

# Files that people have beside the texts of their pages, and what begins them.
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
    """A file of words that cannot be read, or that holds something other than it should.

    Its parameters are its attributes, too.

    Parameters
    ----------
    path : str or path-like
        The file.
    problem : str
        What was found and what is expected.
    place : str, optional
        Where in the file: a line, an element, or the path to a JSON value.

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
        return _rebuild, (self.path, self.problem, self.place)


def _rebuild(path: Path, problem: str, place: str | None) -> OcrFileError:
    return OcrFileError(path, problem, place=place)


def shown(value: object) -> str:
    """Return a value of a file as it is written in JSON, cut where it is long."""
    text = ""
    # piece by piece: what is not shown may be nested to any depth
    for piece in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
        text += piece
        if len(text) > LONGEST_SHOWN:
            return text[:LONGEST_SHOWN] + "…"
    return text


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that is to be read.

    Attributes
    ----------
    path : Path
        Where it is.
    head : bytes
        Its first bytes.
    truth : bool
        Whether it is read for its texts alone.
    hyphenated : {"whole", "parts"}
        Whether a word that a line end divides is one word or two.
    level : {"auto", "region", "line", "word"}
        Whose text counts, where regions, lines and words have one each.
    digits : bool or None
        Whether confidences in ALTO are percents as the digits after ``0.``; None where the file alone
        has to show it.
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
    """Return a file with its first bytes, once it is known to open."""
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
    """Raise where a name is none of a level."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, got {level!r}")


def is_image(head: bytes) -> bool:
    """Return whether these are the first bytes of an image or of a PDF file."""
    return head.startswith(_IMAGES) and binary_kind(head) is not None


def binary_kind(head: bytes) -> str | None:
    """Return what kind of file that is not text begins like this."""
    for magic, kind in _BINARY:
        # two letters may begin a text, too; a bitmap has zeros among its first bytes
        if head.startswith(magic) and (magic != b"BM" or b"\x00" in head[:16]):
            return kind
    return None


def encoding_of(head: bytes) -> str:
    """Return the encoding of a text: by its byte order mark, else by the zeros in it, else UTF-8."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    return json.detect_encoding(head[:4]) if len(head) > 3 else "utf-8"


def decoded(file: InputFile) -> str:
    """Return the whole text of a file without its byte order mark; lines end as they do in it."""
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
    """Return the names of the pages of a file: its own, with a number where there are several."""
    return (name,) if n == 1 else tuple(f"{name}:{i + 1}" for i in range(n))


def page_stem(path: Path) -> str:
    """Return the name of the page that a file is of: the file's name up to the first dot."""
    name = composed(path.name)
    return name.partition(".")[0] or name


def composed(name: str) -> str:
    """Return a name with its accents composed: some systems store them as characters of their own."""
    return unicodedata.normalize("NFC", name)
