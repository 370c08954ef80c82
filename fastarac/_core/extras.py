"""Checks for the optional packages that an extra of fastarac installs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

from fastarac._core.text import listed


def missing(packages: Sequence[str], extra: str) -> str | None:
    """Return a message that says which packages are missing and how to install them, or None."""
    absent = [package for package in packages if find_spec(package) is None]
    if not absent:
        return None
    verb = "is" if len(absent) == 1 else "are"
    return f'{listed(absent)} {verb} not installed; in the source folder run: pip install ".[{extra}]"'


def require(package: str, extra: str) -> None:
    """Raise a ModuleNotFoundError with installation instructions unless the package is installed."""
    problem = missing([package], extra)
    if problem is not None:
        raise ModuleNotFoundError(problem, name=package)


@contextmanager
def needed_by_ocr(what: str) -> Iterator[None]:
    """If an import in this block fails, raise an error with the reason and the install command."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{what}; in the source folder run: pip install ".[ocr]"', name=error.name
        ) from error
