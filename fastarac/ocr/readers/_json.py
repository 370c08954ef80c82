"""Read untrusted JSON into values that know their path in the file, for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from fastarac.ocr.readers._builder import NAN, NO_BOX, Box
from fastarac.ocr.readers._files import InputFile, OcrFileError, decoded, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NUMBERS = (float, int)
WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")

# A file may have MOST_HOLDERS lists and objects, plus one for every SPARSE characters. Each takes about
# a hundred bytes of memory, far more than its text. The densest known output (Google's vertices without
# white space) has one for every 16 characters.
MOST_HOLDERS = 1 << 18
SPARSE = 10


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A value in a JSON file, with the value that contains it and its key or index in that value."""

    value: Any
    _file: InputFile
    _up: Node | None = None
    _key: str | int = ""

    def __str__(self) -> str:
        if self._up is None:
            return "the outermost value"
        above = "" if self._up._up is None else str(self._up)  # noqa: SLF001, the same class
        if isinstance(self._key, int):
            return f"{above}[{self._key}]"
        return f"{above}.{self._key}" if above else self._key

    def error(self, expected: str) -> OcrFileError:
        """Return an error that says what must be in place of this value."""
        problem = f"found {shown(self.value)}, expected {expected}"
        return OcrFileError(self._file.path, problem, place=str(self))

    def has(self, *keys: str) -> bool:
        """Return whether this is an object with all these keys, none of them null."""
        value = self.value
        return isinstance(value, dict) and all(value.get(key) is not None for key in keys)

    def at(self, *keys: str) -> Node:
        """Return the value of the first of these keys that the object has; null if it has none.

        The keys are spellings of one name, such as `fullTextAnnotation` and `full_text_annotation`.
        """
        if not isinstance(self.value, dict):
            raise self.error("an object")
        for key in keys:
            if self.value.get(key) is not None:
                return Node(self.value[key], self._file, self, key)
        return Node(None, self._file, self, keys[0])

    def items(self, *keys: str) -> Sequence[Node]:
        """Return the values of a list; empty if the list is absent."""
        node = self.at(*keys) if keys else self
        if node.value is None and keys:
            return ()
        if not isinstance(node.value, list):
            raise node.error("a list")
        return _Items(node, self._file)

    def text(self, *keys: str) -> str:
        """Return a member as a string; empty if it is absent."""
        node = self.at(*keys)
        if node.value is None:
            return ""
        if not isinstance(node.value, str):
            raise node.error("a text")
        return node.value

    def number(self, *keys: str) -> float:
        """Return a member as a number; NaN if it is absent."""
        node = self.at(*keys)
        return NAN if node.value is None else node.as_number()

    def as_number(self) -> float:
        """Return this value as a number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error("a number")
        try:
            return float(self.value)
        except OverflowError:
            raise self.error("a number") from None

    def integer(self, *keys: str, absent: int) -> int:
        """Return a member as a whole number, or `absent` if there is none.

        Google's libraries write some whole numbers as strings.
        """
        node = self.at(*keys)
        if node.value is None:
            return absent
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return node.value
        if not isinstance(node.value, str) or not WHOLE.fullmatch(node.value):
            raise node.error("a whole number")
        return int(node.value)

    def box(self, *keys: str) -> Box:
        """Return the box around the points under the first key that is present; NO_BOX if none is."""
        node = self.at(*keys)
        return NO_BOX if node.value is None else node.polygon()

    def polygon(self) -> Box:
        """Return the box around points: ``[x, y, x, y, …]``, ``[[x, y], …]`` or ``[{"x": …}, …]``.

        A missing coordinate is 0: Google's libraries leave zeros out.
        """
        points = self.value
        if not isinstance(points, list):
            raise self.error("a list of points")
        across, down = points[::2], points[1::2]
        if all(isinstance(point, dict) for point in points):
            across = [point.get("x") or 0 for point in points]
            down = [point.get("y") or 0 for point in points]
        elif all(isinstance(point, list) and len(point) == 2 for point in points):
            across, down = [point[0] for point in points], [point[1] for point in points]
        if len(across) != len(down) or not all(type(c) in NUMBERS for c in (*across, *down)):
            raise self.error("a list of points")
        if not across:
            return NO_BOX
        try:
            return float(min(across)), float(min(down)), float(max(across)), float(max(down))
        except OverflowError:
            raise self.error("a list of points") from None


@dataclass(slots=True, eq=False, repr=False)
class _Items(Sequence[Node]):
    """The values of a list; each becomes a node only on access, because nodes take much more memory."""

    _holder: Node
    _file: InputFile

    def __len__(self) -> int:
        return len(self._holder.value)

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> list[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | list[Node]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Node(self._holder.value[index], self._file, self._holder, index)

    def __iter__(self) -> Iterator[Node]:
        for i, value in enumerate(self._holder.value):
            yield Node(value, self._file, self._holder, i)


def load(file: InputFile) -> Node:
    """Return the outermost value of a JSON file."""
    return Node(parsed(decoded(file), file.path), file)


def parsed(text: str, path: Path, place: str | None = None, **options: Any) -> Any:
    """Parse JSON text; `place` names its place in the file for errors, `options` go to `json.loads`.

    Raises
    ------
    OcrFileError
        If the text is not JSON, contains an unpaired surrogate, or has too many lists and objects.
    """
    if text.count("[") + text.count("{") > MOST_HOLDERS + len(text) // SPARSE:
        problem = "it has more lists and objects than any output of an OCR engine of this size"
        raise OcrFileError(path, problem, place=place)
    try:
        value = json.loads(text, **options)
        if ESCAPED_HALF.search(text):  # encoding raises UnicodeEncodeError if a surrogate is unpaired
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        rest = text[error.pos : error.pos + 20]
        found = f"{shown(rest)} was found" if rest else "the file ends"
        where = place or f"line {error.lineno}, column {error.colno}"
        raise OcrFileError(path, f"it is not valid JSON: {found}", place=where) from None
    except RecursionError:
        problem = "it is nested too deeply for the output of an OCR engine"
        raise OcrFileError(path, problem, place=place) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):x}"
        raise OcrFileError(
            path, f"{half} is only half of a character (a surrogate)", place=place
        ) from None
    except ValueError as error:  # Python refuses integers of more than 4300 digits
        raise OcrFileError(path, f"it cannot be read as JSON: {error}", place=place) from None
    return value


def each_page(node: Node) -> Iterator[Node]:
    """Yield the pages of a list, or the value itself if it is one page."""
    if isinstance(node.value, list):
        yield from node.items()
    else:
        yield node
