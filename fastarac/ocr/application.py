"""Apply a policy to an engine's files, without truth: accept outputs or send them to people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.files import path_of
from fastarac._core.results import Result, Table
from fastarac._core.text import few_of, plural
from fastarac.ocr.engine_outputs import OF_OUTPUTS, columns_of_pages, read_engine_outputs, table_of
from fastarac.ocr.readers._detection import begins_as
from fastarac.ocr.readers._files import open_file
from fastarac.ocr.verification.crops import check_images
from fastarac.ocr.verification.review_pages import review_page
from fastarac.operation.application import (
    WRITTEN_FORMATS,
    check_goals,
    require_policy,
    require_scale,
    write_tables,
)
from fastarac.operation.application_results import AppliedPolicy, applied_policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from fastarac.evaluation.review import ReviewPage
    from fastarac.ocr.combination.model import Combination
    from fastarac.ocr.engine_outputs import Paths
    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.words.units import Join, Unit
    from fastarac.operation import Policy
    from fastarac.operation.shifts import ConfidenceShift

# File endings of JSON Lines. Such a file is a table, although its content begins like an engine's JSON.
TABLES = (".jsonl", ".ndjson")
ROWS = """
    SELECT page, number, nullif(box, '') AS box, text,
        CASE WHEN isnan(confidence) THEN NULL ELSE confidence END AS confidence, accepted
    FROM outputs WHERE accepted = {}
"""


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPageCounts(Table, Result):
    """Accepted outputs, outputs to verify and expected errors of each page under a policy.

    Attributes
    ----------
    page : tuple of str, n_pages of them
        Names of all pages, including pages without outputs.
    outputs, accepted, review : ndarray of shape (n_pages,), intp
        Numbers of all outputs, of accepted outputs and of outputs that people verify.
    expected_errors : ndarray of shape (n_pages,), float64
        Expected number of errors among the accepted outputs. The sum over all pages is the expected
        number of errors of the whole application.

    See Also
    --------
    AppliedPages : the outputs on pages, with the policy's decision on each
    apply_to_files : apply a policy to an engine's outputs, without truth
    """

    page: tuple[str, ...]
    outputs: NDArray[np.intp]
    accepted: NDArray[np.intp]
    review: NDArray[np.intp]
    expected_errors: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPages(Table, Result):
    """The outputs on pages, with the policy's decision on each.

    Attributes
    ----------
    applied : AppliedPolicy
        The counts and the expected errors.
    page : ndarray of shape (n,), intp
        The index into `page_names` of each output's page.
    number : ndarray of shape (n,), intp
        Number of each output on its page, from 1, in reading order.
    line : ndarray of shape (n,), intp
        Line number of each output, counted from 0 over all pages.
    space : ndarray of shape (n,), bool
        Whether a space precedes each output in its line.
    text : tuple of str, n of them
    confidence : ndarray of shape (n,), float64
        NaN if the engine gives none. Such outputs are never accepted.
    box : ndarray of shape (n, 4), float64
        Left, top, right and bottom in the units of `page_size`; NaN where the file gives none. In
        scripts without spaces, each character is an output and has the box of its word.
    accepted : ndarray of shape (n,), bool
    error_probability : ndarray of shape (n,), float64
        The calibrated error probability of each output; 1 if it has no confidence.
    page_names : tuple of str, n_pages of them
    page_size : ndarray of shape (n_pages, 2), float64
        As in :class:`Words`.
    files : tuple of str
        Paths of the files read.
    notes : tuple of str
        Remarks on the files, one sentence each.

    See Also
    --------
    fastarac.report.write_review_pages : write one HTML page for each page, for people to review.
    """

    applied: AppliedPolicy
    page: NDArray[np.intp]
    number: NDArray[np.intp]
    line: NDArray[np.intp]
    space: NDArray[np.bool_]
    text: tuple[str, ...]
    confidence: NDArray[np.float64]
    box: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    error_probability: NDArray[np.float64]
    page_names: tuple[str, ...]
    page_size: NDArray[np.float64]
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.text)

    def __repr__(self) -> str:
        n, pages = len(self), len(self.page_names)
        return (
            f"AppliedPages({self.applied.accepted} of {n} outputs on {pages} {plural('page', pages)} "
            "accepted)"
        )

    def __str__(self) -> str:
        return str(self.applied)

    @property
    def pages(self) -> AppliedPageCounts:
        """The numbers of outputs and the expected errors of each page.

        :meth:`.Policy.expected_errors` gives the expected errors of all pages together. They are
        divided among the pages in proportion to the summed error probabilities of the accepted outputs.
        """
        n_pages = len(self.page_names)
        outputs = np.bincount(self.page, minlength=n_pages)
        accepted = np.bincount(self.page[self.accepted], minlength=n_pages)
        chances = np.bincount(
            self.page[self.accepted], self.error_probability[self.accepted], minlength=n_pages
        )
        shares = np.asarray(chances if chances.sum() > 0 else accepted, np.float64)
        expected = self.applied.expected_errors * shares / max(float(shares.sum()), 1e-300)
        return AppliedPageCounts(self.page_names, outputs, accepted, outputs - accepted, expected)

    def to_columns(self) -> dict[str, Any]:
        """Return the outputs as columns, with one row for each output, as :meth:`save` writes them."""
        return columns_of_pages(self) | {"accepted": self.accepted}

    def save(
        self,
        *,
        accepted: str | PathLike[str],
        review: str | PathLike[str],
        pages: str | PathLike[str] | None = None,
    ) -> None:
        """Write accepted outputs and outputs to verify into two tables; a third can hold page counts.

        Parameters
        ----------
        accepted, review : str or path-like
            The files to write for accepted outputs and for outputs to verify: ``.csv``, ``.tsv``,
            ``.jsonl``, ``.ndjson`` or ``.parquet``. Both have the columns page, number, box (left,
            top, right and bottom, separated by spaces), text, confidence and accepted; box and
            confidence are empty, or null, where the engine gives none.
        pages : str or path-like, optional
            The file of pages, with the columns page, outputs, accepted, review and expected_errors.

        Raises
        ------
        ValueError
            If two file names are the same, if a file to write is one of the files read, or if a name
            ends in no known format.
        OSError
            If a file cannot be written. No file appears until all of them are complete.
        ModuleNotFoundError
            If DuckDB is not installed.
        """
        given = {"accepted": accepted, "review": review} | ({} if pages is None else {"pages": pages})
        goals = {name: path_of(value, name) for name, value in given.items()}
        check_goals(goals, self.files)
        queries = {"accepted": ROWS.format("true"), "review": ROWS.format("false")}
        queries["pages"] = "SELECT * FROM pages"
        tables = {"outputs": self.to_columns(), "pages": table_of(self.pages.to_columns())}
        write_tables(goals, tables, queries)

    def __review__(self, images: Mapping[str, Path]) -> Iterator[ReviewPage]:
        """Yield a `ReviewPage` for each page; `images` maps page names to image files."""
        check_images(images, self.page_names)
        counts = self.pages
        for page, name in enumerate(self.page_names):
            yield review_page(self, page, images.get(name), counts)


def apply_to_files(
    policy: Policy,
    output: Paths | Mapping[str, Paths],
    *,
    combination: Combination | None = None,
    unit: Unit = "word",
    join: Join = "min",
    level: Level = "auto",
    hyphenated: Hyphenated = "whole",
    pattern: str | None = None,
) -> AppliedPages:
    r"""Apply a policy to an engine's outputs, without truth: accept each output or send it to people.

    Parameters
    ----------
    policy : Policy
        A policy with one threshold, fitted to outputs of the same engine in the same unit.
    output : str, path-like, or iterable of them
        Files of one engine as :func:`read` takes them, and folders of such files, as
        :func:`pair_files` takes them. With a `combination`, a mapping from each engine's name to its
        files.
    combination : Combination, optional
        How to combine several engines, for a policy that was fitted to their combined outputs.
    unit, join
        As for :func:`align`. As in :func:`align`, each character is an output in scripts written
        without spaces if `unit` is ``"word"``.
    level, hyphenated
        As for :func:`read`.
    pattern : str, optional
        Pattern for the files to take from folders, as for :func:`pair_files`.

    Returns
    -------
    AppliedPages
        The outputs with their decisions; ``save(…)`` writes them as tables.

    Raises
    ------
    OcrFileError
        If a file cannot be read.
    NoConfidenceError
        If a file has words, and none of them has a confidence.
    PairingError
        If two files yield the same page name.
    DataFileError
        If the confidences are clearly on another scale than those that the policy was fitted to, as for
        :func:`.operation.apply_policy`.
    FileNotFoundError
        If a file does not exist, or the folders hold no matching file.
    ValueError
        If the policy is for fields or whole documents, if no page has a word, if scales are mixed, or
        as for :func:`combine` if engines are combined.
    TypeError
        If `policy` is not a policy, or only one of a combination and a mapping of engines is given.

    See Also
    --------
    fastarac.operation.apply_policy : the same for a table of outputs.
    fastarac.report.write_review_pages : write one HTML page for each page, for people to review.

    Notes
    -----
    Without a truth, it is unknown whether two parts at a line end are one broken word. Therefore, each
    part is an output. A word that the engine missed gives no output. Therefore, a page without any word
    has nothing to accept or to verify; `notes` counts such pages.

    Examples
    --------
    >>> import fastarac as fa
    >>> folders = fa.ocr.sample_folders()
    >>> engine = fa.ocr.align_files(fa.ocr.pair_files(folders.truth, folders.outputs["enlarged"]))
    >>> items = engine.aligned
    >>> given = items.confidence != items.never_accepted
    >>> policy = fa.operation.fit_policy(
    ...     items.correct[given], items.confidence[given], max_error_rate=0.05
    ... )
    >>> found = fa.ocr.apply_to_files(policy, folders.outputs["enlarged"])
    >>> found
    AppliedPages(1996 of 2177 outputs on 20 pages accepted)
    >>> int(found.pages.review.max())
    30
    """
    require_one_threshold(policy)
    read = read_engine_outputs(
        output,
        combination=combination,
        unit=unit,
        join=join,
        level=level,
        hyphenated=hyphenated,
        pattern=pattern,
    )
    confidence = read.confidence
    given = ~np.isnan(confidence)
    filled = np.where(given, confidence, 0.0)
    accepted = policy.apply(filled, rejected=~given)
    shift = same_scale(policy, read.named, confidence[given], read.page[given])
    applied = applied_policy(
        policy, len(read.page), int(accepted.sum()), [int(accepted.sum())],
        unknown_fields=0, shift=shift, n_unread=int((~given).sum()),
        of_outputs_read=policy.of_outputs_read,
    )  # fmt: skip
    return AppliedPages(
        applied=applied,
        accepted=accepted,
        error_probability=np.where(given, policy.error_probability(filled), 1.0),
        page_names=read.words.page_names,
        page_size=read.words.page_size,
        files=read.files,
        notes=read.notes,
        **{name: getattr(read, name) for name in OF_OUTPUTS},
    )


def is_engine_output(path: str | PathLike[str]) -> bool:
    """Return whether a path leads to an engine's own files rather than to a table of outputs.

    The result is True for folders, and for files that begin like XML, JSON or Tesseract's table. It is
    False for JSON lines (``.jsonl``, ``.ndjson``).

    Raises
    ------
    OcrFileError
        If the file cannot be opened.

    See Also
    --------
    has_fields : return whether a file or folder has fields
    read : read the words of one file of an OCR engine, with their confidences

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.ocr.is_engine_output(fa.ocr.sample_folders().truth)
    True
    """
    file = Path(path)
    if file.is_dir():
        return True
    kind = begins_as(open_file(file))
    is_table = any(suffix in TABLES for suffix in map(str.lower, file.suffixes))
    return kind in ("xml", "tsv") or (kind == "json" and not is_table)


def are_engine_outputs(paths: Sequence[Path]) -> bool:
    """Return whether these paths lead to an engine's own files rather than to a table of outputs."""
    endings = tuple(WRITTEN_FORMATS)
    tables = {path.name.lower().removesuffix(".gz").endswith(endings) for path in paths}
    if len(paths) > 1 and False in tables:
        return True
    return any(path.exists() and is_engine_output(path) for path in paths)


def same_scale(
    policy: Policy, named: str, confidence: NDArray[np.float64], page: NDArray[np.intp]
) -> ConfidenceShift:
    """Return the shift of the confidences since the policy was fitted.

    Raise DataFileError if the confidences are clearly not on the policy's scale.
    """
    shift = policy.shift(confidence, groups=page if policy.has_groups else None)
    require_scale(named, policy, shift, confidence)
    return shift


def require_one_threshold(policy: Policy) -> None:
    """Raise if a policy accepts whole documents or has thresholds by field: words have no fields."""
    require_policy(policy)
    if policy.documents or policy.fields:
        what = "accepts whole documents" if policy.documents else "has a threshold for each field"
        raise ValueError(
            f"the policy {what} ({few_of(map(str, policy.fields), 5)}), but words on pages have no "
            "fields; use a policy with one threshold"
        )
