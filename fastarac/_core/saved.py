"""Validation of the library's own JSON files, field by field.

A check takes a JSON value and its name in the file, such as ``thresholds[0]``; it returns the value, or
raises a ValueError with the name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from fastarac._core.checks import real_scalar, whole_number
from fastarac._core.text import listed, quoted

Check = Callable[[Any, str], Any]
SHOWN = 20  # Number of characters of invalid JSON that an error message shows.
MOST_NAMED = 5  # Maximum number of keys that an error message names.
LARGEST = (1 << 64) - 1  # Largest integer that a confidence can be.
_KINDS = {bool: "a Boolean", str: "a text", list: "a list", dict: "an object", type(None): "null"}
_CONSTANTS = {True: "true", False: "false"}


LONGEST_TEXT = 1000


def parsed(text: str) -> Any:
    """Return the content of a JSON text; raise ValueError for NaN, repeated keys and other errors."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"it is not valid JSON: {problem_of_json(error)}") from None


def problem_of_json(error: Exception) -> str:
    """Return a message that says why a text is not JSON, and where."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    where = f"column {error.colno}"
    if "\n" in error.doc.strip():
        where = f"line {error.lineno}, {where}"
    found = error.doc[error.pos :].strip()
    if not found:
        return "it ends too early"
    if found.startswith('"') and error.msg.startswith("Unterminated"):
        return f"the text that begins at {where} has no closing quote"
    return f"{quoted(found[:SHOWN])} is unexpected ({where})"


def fields_of_kind(content: Any, kind: str, version: int) -> dict[str, Any]:
    """Check the kind and the version of a saved object, and return its other fields."""
    if not isinstance(content, dict) or content.get("kind") != kind:
        raise ValueError(f"it is not the file of a {kind}")
    found = content.get("version")
    if type(found) is not int or found != version:
        raise ValueError(f"the version of the file must be {version}, got {shown(found)}")
    return {key: value for key, value in content.items() if key not in ("kind", "version")}


def content_of(text: str, kind: str, version: int) -> dict[str, Any]:
    """Parse a saved JSON file, check its kind and version, and return its other fields."""
    return fields_of_kind(parsed(text), kind, version)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"an object has the key {quoted(key)} twice")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"JSON does not allow the number {name}")


def shown(value: Any) -> str:
    """Return a short description of a value, even if the value is huge."""
    if isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and value.bit_length() > 64:
        return f"an integer of {value.bit_length()} bits"
    return _KINDS.get(type(value)) or repr(value)


def unexpected(value: Any, name: str, expected: str) -> ValueError:
    """Return an error that shows a value and says what was expected."""
    return ValueError(f"{name} must be {expected}, got {shown(value)}")


def number(check: Callable[[Any, str], float] = real_scalar) -> Check:
    """Return a check for a number that `check` accepts; true and false are rejected."""

    def checked(value: Any, name: str) -> Any:
        if type(value) not in (int, float):
            raise unexpected(value, name, "a number")
        return check(value, name)

    return checked


def finite(value: Any, name: str) -> Any:
    """Check a finite number; an integer that can be a confidence stays an integer."""
    if type(value) is int and abs(value) <= LARGEST:
        return value
    return number()(value, name)


def infinite_or(check: Check) -> Check:
    """Return a check that accepts what `check` accepts, and the texts "inf" and "-inf"."""

    def checked(value: Any, name: str) -> Any:
        return float(value) if value in ("inf", "-inf") else check(value, name)

    return checked


def whole(least: int = 0) -> Check:
    """Return a check for an integer of at least `least`."""

    def checked(value: Any, name: str) -> int:
        if type(value) is not int:
            raise unexpected(value, name, "an integer")
        return whole_number(value, name, least)

    return checked


def word(*allowed: str) -> Check:
    """Return a check for one of the allowed words."""

    def checked(value: Any, name: str) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise unexpected(value, name, " or ".join(map(quoted, allowed)))
        return value

    return checked


def hexadecimal(*digits: int) -> Check:
    """Return a check for a hexadecimal text of one of these lengths."""
    expected = f"a text of {' or '.join(map(str, digits))} hexadecimal digits"

    def checked(value: Any, name: str) -> str:
        if (
            not isinstance(value, str)
            or len(value) not in digits
            or set(value) - set("0123456789abcdef")
        ):
            raise unexpected(value, name, expected)
        return value

    return checked


def label(value: Any, name: str) -> Any:
    """Check the label of a group of items: a text, a finite number, true or false."""
    return value if isinstance(value, str | bool) else finite(value, name)


def text(value: Any, name: str) -> str:
    """Check a printable text that is not empty and not too long."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TEXT or not value.isprintable():
        raise unexpected(value, name, f"a text of at most {LONGEST_TEXT} printable characters")
    return value


def boolean(value: Any, name: str) -> bool:
    """Check that a value is true or false."""
    if not isinstance(value, bool):
        raise unexpected(value, name, "true or false")
    return value


def optional(check: Check) -> Check:
    """Return a check that also allows null."""
    return lambda value, name: None if value is None else check(value, name)


def sequence(check: Check, most: int | None = None) -> Check:
    """Return a check for a list whose elements pass `check`; it returns a tuple."""

    def checked(value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise unexpected(value, name, "a list")
        if most is not None and len(value) > most:
            raise ValueError(f"{name} must have at most {most:,} elements, got {len(value):,}")
        return tuple(check(each, f"{name}[{i}]") for i, each in enumerate(value))

    return checked


def mapping(check: Check) -> Check:
    """Return a check for a JSON object with any keys; all its values must pass `check`."""

    def checked(value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise unexpected(value, name, "an object")
        return {key: check(each, f"{name}[{quoted(key)}]") for key, each in value.items()}

    return checked


def record(checks: Mapping[str, Check]) -> Check:
    """Return a check for a JSON object with exactly these keys, each value with its own check."""

    def checked(value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise unexpected(value, name, "an object")
        of = f"of {name} " if name else ""
        for found, problem in (
            ([key for key in checks if key not in value], "missing"),
            ([key for key in value if key not in checks], "unknown"),
        ):
            if found:
                keys = listed([quoted(key) for key in found[:MOST_NAMED]])
                verb = "is" if len(found) == 1 else "are"
                raise ValueError(f"it is incomplete or damaged: {keys} {of}{verb} {problem}")
        inside = f"{name}." if name else ""
        return {key: check(value[key], f"{inside}{key}") for key, check in checks.items()}

    return checked


def require_rising(values: tuple[Any, ...], name: str, *, strictly: bool = True) -> None:
    """Raise unless the values rise and are either all numbers or all texts."""
    if len({float if type(each) is int else type(each) for each in values}) > 1:
        raise ValueError(f"{name} must hold only texts or only numbers")
    for i in range(1, len(values)):
        before, here = values[i - 1], values[i]
        if not (before < here if strictly else before <= here):
            expected = "more than" if strictly else "at least"
            raise unexpected(here, f"{name}[{i}]", f"{expected} {shown(before)} (the value before)")


def require_length(values: Any, name: str, length: int, beside: str) -> None:
    """Raise unless `values` has `length` elements, the length of the field that `beside` names."""
    if len(values) != length:
        raise ValueError(f"{name} must have {length} elements (as many as {beside}), got {len(values)}")


def require_at_most(value: float, name: str, most: float, of: str) -> None:
    """Raise if a number is above another number of the file."""
    if value > most:
        raise ValueError(f"{name} must be at most {most} ({of}), got {value}")
