"""Attributes of pages, such as quality or language: a table with one row per page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.files import path_of
from fastarac._core.results import Result, Table
from fastarac._core.text import few_of, listed, plural
from fastarac.io._labelled import read_texts

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

PAGE = "page"
#: Maximum number of distinct texts of an attribute, and of distinct numbers. More numbers are put into
#: PARTS bins.
MOST_VALUES, MOST_NUMBERS, PARTS = 30, 10, 4
LISTED = 6


@dataclass(frozen=True, slots=True, eq=False)
class Attribute(Result):
    """One attribute of pages, a column of the table.

    Attributes
    ----------
    name : str
    values : tuple of str
        The distinct values in sorted order or, for binned numbers, the names of the bins.
    codes : tuple of int, n_rows of them
        Index into `values` for each row, or -1 if the value is empty.

    See Also
    --------
    PageAttributes : attributes of pages, as read_attributes returns them
    read_attributes : read attributes of pages
    """

    name: str
    values: tuple[str, ...]
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PageAttributes(Table, Result):
    """Attributes of pages, as :func:`read_attributes` returns them.

    Attributes
    ----------
    name : str
        Name of the file, or "attributes".
    page : tuple of str, n_rows of them
        Names of the pages, as the table writes them.
    attributes : tuple of Attribute
    skip_unmatched : bool
        Whether pages may be missing from the table or from an engine, and values may be empty.
    notes : tuple of str
        One sentence for each attribute that was left out or binned.

    See Also
    --------
    read_attributes : read attributes of pages
    evaluate_attributes : evaluate the pages of each attribute value
    """

    name: str
    page: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    skip_unmatched: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        of_each = ", ".join(f"{each.name}: {len(each.values)} values" for each in self.attributes)
        return f"PageAttributes({len(self.page)} {plural('row', len(self.page))}; {of_each})"

    def to_columns(self) -> dict[str, Any]:
        """Return the pages, and the value or bin of each attribute (None if empty), as columns."""
        values = {
            each.name: [None if code < 0 else each.values[code] for code in each.codes]
            for each in self.attributes
        }
        return {"page": self.page, **values}

    def rows_of(self, names: Sequence[str]) -> tuple[NDArray[np.intp], list[str]]:
        """Return the row of each page (-1 if it has none), and notes on unmatched pages.

        Parameters
        ----------
        names : sequence of str
            The pages that an engine has read.

        Returns
        -------
        rows : ndarray of shape (n_pages,), intp
        notes : list of str

        Raises
        ------
        ValueError
            If a page has two rows. Unless `skip_unmatched` is True, also if a page has no row, a row
            has no page, or a value is empty. The message names the pages.

        Notes
        -----
        A row belongs to the page of the same name. A row may also name the file of the page, with or
        without a path: ``scans/p1.png`` belongs to page ``p1``. A row with the name of a document
        applies to all pages of the document.
        """
        place = {name: k for k, name in enumerate(names)}
        documents: dict[str, list[str]] = {}
        for name in names:
            document, colon, number = name.rpartition(":")
            if colon and number.isdigit():
                documents.setdefault(document, []).append(name)
        rows = np.full(len(names), -1, np.intp)
        unknown = []
        for row, given in enumerate(self.page):
            found = _pages_of(given, place, documents)
            if not found:
                unknown.append(given)
            for name in found:
                if rows[place[name]] >= 0:
                    other = self.page[int(rows[place[name]])]
                    both = given if other == given else f"{other} and {given}"
                    raise ValueError(
                        f"{self.name}: page {name} has two rows ({both}); keep one for each page"
                    )
                rows[place[name]] = row
        missing = [name for name, row in zip(names, rows.tolist(), strict=True) if row < 0]
        notes = []
        for pages, problem in (
            (missing, "no row for {} that {} read"),
            (unknown, "rows of {} that {} not read"),
        ):
            if not pages:
                continue
            n = len(pages)
            of = f"{n} {plural('page', n)}"
            verb = "was" if n == 1 else "were"
            said = f"{problem.format(of, verb)}: {few_of(pages, LISTED)}"
            if not self.skip_unmatched:
                raise ValueError(
                    f"{self.name} must name exactly the pages that were read, but has {said} "
                    "(skip_unmatched=True leaves such pages out)"
                )
            notes.append(f"{self.name} has {said}; left out of the figures by attribute")
        if len(missing) == len(names):
            raise ValueError(f"{self.name} has no row for any of the {len(names)} pages that were read")
        return rows, notes


def read_attributes(
    table: str | os.PathLike[str] | Mapping[str, Iterable[object]], *, skip_unmatched: bool = False
) -> PageAttributes:
    r"""Read attributes of pages, such as quality, language and source.

    Parameters
    ----------
    table : path-like, or mapping of str to sequence
        A file in any format of :func:`fastarac.io.read_outputs` (CSV, TSV, JSON lines, Parquet), or a
        mapping of names to columns, such as a data frame. The column ``page`` has the name of each page
        or of its file. Every other column is an attribute.
    skip_unmatched : bool, default=False
        Whether pages may be missing from the table or from the engines, and values may be empty. If
        True, a page without a row or a value is left out of the figures of the attribute, and a note
        says so.

    Returns
    -------
    PageAttributes

    Raises
    ------
    DataFileError
        If the file cannot be read, or has no column ``page``.
    ValueError
        If a page has two rows, if a page name is empty, if a value is empty (unless `skip_unmatched` is
        set), if columns differ in length, or if no attribute is left.

    See Also
    --------
    PageAttributes : attributes of pages, as read_attributes returns them
    evaluate_attributes : evaluate the pages of each attribute value

    Notes
    -----
    A column with more than 10 different numbers is divided into four bins of about equal size. A column
    with more than 30 different texts, or with only one value, is left out. The `notes` name these
    columns.

    Examples
    --------
    >>> import fastarac as fa
    >>> table = {"page": ["p1", "p2", "p3"], "quality": ["scan", "photo", "scan"]}
    >>> fa.ocr.read_attributes(table)
    PageAttributes(3 rows; quality: 2 values)
    """
    if isinstance(table, Mapping) or hasattr(table, "columns"):
        name, columns = "attributes", _columns_of(table)
    else:
        path = path_of(table)
        name, columns = str(path), read_texts(path, PAGE)
    pages = columns.pop(PAGE)
    texts = tuple((page or "").strip() for page in pages)
    if not all(texts):
        empty = [str(row + 1) for row, text in enumerate(texts) if not text]
        raise ValueError(f"{name}: page is empty in row {few_of(empty, LISTED)}, but must have a name")
    repeated = [text for text, n in Counter(texts).items() if n > 1]
    if repeated:
        raise ValueError(
            f"{name} has two or more rows for page {few_of(repeated, LISTED)}; keep one for each page"
        )
    if not columns:
        raise ValueError(f"{name} has only the column page; add a column of attributes")
    attributes, notes = [], []
    for column, values in columns.items():
        found = tuple(None if value is None else value.strip() or None for value in values)
        empty = [page for page, value in zip(texts, found, strict=True) if value is None]
        if empty and not skip_unmatched:
            raise ValueError(
                f"{name}: {column} is empty for {len(empty)} {plural('page', len(empty))}: "
                f"{few_of(empty, LISTED)}; fill them in (skip_unmatched=True leaves these pages "
                "out)"
            )
        if empty:
            n = len(empty)
            notes.append(
                f"attribute {column} of {n} {plural('page', n)} is empty: {few_of(empty, LISTED)}"
            )
        attribute, note = _attribute(column, found)
        notes += [note] * bool(note)
        attributes += [] if attribute is None else [attribute]
    if not attributes:
        raise ValueError(f"{name} has no column that distinguishes pages: {'; '.join(notes)}")
    return PageAttributes(name, texts, tuple(attributes), skip_unmatched, tuple(notes))


def _columns_of(table: object) -> dict[str, tuple[str | None, ...]]:
    names = [str(name) for name in (table if isinstance(table, Mapping) else table.columns)]  # type: ignore[attr-defined]
    if PAGE not in names:
        raise ValueError(f"attributes must have a column page, got {listed(names)}")
    columns = {name: tuple(map(_text_of, table[name])) for name in names}  # type: ignore[index]
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1 or sizes == {0}:
        said = ", ".join(f"{name}: {len(values)}" for name, values in columns.items())
        raise ValueError(
            f"all columns of attributes must have the same number of values, at least 1, got {said}"
        )
    return columns


def _text_of(value: object) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _attribute(name: str, texts: Sequence[str | None]) -> tuple[Attribute | None, str]:
    """Return the attribute (None if it is left out) and a note for the user, which can be empty."""
    distinct = {text for text in texts if text is not None}
    if len(distinct) < 2:
        value = next(iter(distinct), "empty")
        return None, f"attribute {name} is left out: it is {value} for all pages"
    numbers = {text: _number(text) for text in distinct}
    is_number = not any(map(math.isnan, numbers.values()))
    if is_number and len(set(numbers.values())) > MOST_NUMBERS:
        return _in_parts(name, texts, numbers)
    if len(distinct) > MOST_VALUES:
        return None, (
            f"attribute {name} is left out: it has {len(distinct)} values, and at most "
            f"{MOST_VALUES} are compared"
        )
    values = sorted(distinct, key=(lambda text: (numbers[text], text)) if is_number else _folded)
    codes = {value: code for code, value in enumerate(values)}
    return Attribute(
        name, tuple(values), tuple(-1 if text is None else codes[text] for text in texts)
    ), ""


def _folded(text: str) -> tuple[str, str]:
    return text.casefold(), text


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _in_parts(
    name: str, texts: Sequence[str | None], numbers: Mapping[str, float]
) -> tuple[Attribute, str]:
    """Divide the rows into bins of about equal size, by their numbers; equal numbers share a bin."""
    known = np.array([math.nan if text is None else numbers[text] for text in texts])
    given = known[~np.isnan(known)]
    ends = np.unique(np.quantile(given, np.arange(1, PARTS) / PARTS, method="inverted_cdf"))
    part = np.searchsorted(ends, known)
    part[np.isnan(known)] = -1
    kept = [k for k in range(len(ends) + 1) if (part == k).any()]
    values = []
    for k in kept:
        inside = known[part == k]
        low, high = (f"{end:.10g}" for end in (inside.min(), inside.max()))
        values.append(low if low == high else f"{low} to {high}")
    codes = [kept.index(k) if k >= 0 else -1 for k in part.tolist()]
    note = (
        f"attribute {name} has {len(np.unique(given))} different numbers: they are in {len(kept)} bins"
    )
    return Attribute(name, tuple(values), tuple(codes)), note


def _pages_of(
    given: str, names: Mapping[str, int], documents: Mapping[str, list[str]]
) -> Sequence[str]:
    """Return the pages that match a name or path, ignoring extra suffixes and leading folders."""
    path = PurePath(given)
    *folders, file = path.parts or (given,)
    stems = [given, file]
    while "." in file[1:]:
        file = file[: file.rindex(".")]
        stems.append(file)
    for stem in stems:
        for k in range(len(folders) + 1):
            name = "/".join([*folders[k:], stem])
            if name in names:
                return [name]
            if name in documents:
                return documents[name]
    return ()
