"""Apply a policy to the files of an engine, without truth: what is accepted, and what people verify."""

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
from fastarac.ocr.verification.review_pages import COLUMNS, review_page
from fastarac.operation.application import check_goals, require_policy, require_scale, write_tables
from fastarac.operation.application_results import AppliedPolicy, applied_policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from numpy.typing import NDArray

    from fastarac.evaluation.review import ReviewPage
    from fastarac.ocr.combination.model import Combination
    from fastarac.ocr.engine_outputs import Paths
    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.words.units import Join, Unit
    from fastarac.operation import Policy
    from fastarac.operation.shifts import ConfidenceShift

__all__ = ["AppliedPageCounts", "AppliedPages", "apply_to_files", "is_engine_output"]

TABLES = (".jsonl", ".ndjson")  # which begin as JSON does
ROWS = """
    SELECT page, number, nullif(box, '') AS box, text,
        CASE WHEN isnan(confidence) THEN NULL ELSE confidence END AS confidence, accepted
    FROM outputs WHERE accepted = {}
"""


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPageCounts(Table, Result):
    """What a policy made of each page.

    Attributes
    ----------
    page : tuple of str, n_pages of them
        The names, those of pages without outputs among them.
    outputs, accepted, review : ndarray of shape (n_pages,), intp
        Outputs, accepted ones among them, and those that people are to verify.
    expected_errors : ndarray of shape (n_pages,), float64
        How many errors are expected among the accepted ones. Their sum is that of all pages.

    See Also
    --------
    AppliedPages : the outputs on pages, which of them are accepted, and what is expected of these
    apply_to_files : divide what an engine read by a policy
    """

    page: tuple[str, ...]
    outputs: NDArray[np.intp]
    accepted: NDArray[np.intp]
    review: NDArray[np.intp]
    expected_errors: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPages(Table, Result):
    """The outputs on pages, which of them are accepted, and what is expected of these.

    Attributes
    ----------
    applied : AppliedPolicy
        The counts, and the errors that are expected.
    page : ndarray of shape (n,), intp
        The index into `page_names` of each output's page.
    number : ndarray of shape (n,), intp
        Of each output on its page, from 1, in reading order.
    line : ndarray of shape (n,), intp
        The number of each output's line, over all pages.
    space : ndarray of shape (n,), bool
        Whether a space stands before each output in its line.
    text : tuple of str, n of them
    confidence : ndarray of shape (n,), float64
        NaN where the engine gives none: such an output is never accepted.
    box : ndarray of shape (n, 4), float64
        Left, top, right and bottom in the units of `page_size`; NaN where the file gives none. A
        character of a script without spaces has that of its word.
    accepted : ndarray of shape (n,), bool
    error_probability : ndarray of shape (n,), float64
        The calibrated error probability of each output; 1 where it has no confidence.
    page_names : tuple of str, n_pages of them
    page_size : ndarray of shape (n_pages, 2), float64
        As in :class:`Words`.
    files : tuple of str
        What was read.
    notes : tuple of str
        What is to be known of the files, a sentence each.

    See Also
    --------
    fastarac.report.write_review_pages : a page each, to be looked at by people.
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
        """The counts of each page.

        The errors expected on all pages (:meth:`.Policy.expected_errors`) are divided among them by
        the sums of the error probabilities of their accepted outputs.
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
        """Return the outputs as columns, one row each, as :meth:`save` writes them."""
        columns = columns_of_pages(
            self.page_names, self.page, self.number, self.box, self.text, self.confidence
        )
        return columns | {"accepted": self.accepted}

    def save(
        self,
        *,
        accepted: str | PathLike[str],
        review: str | PathLike[str],
        pages: str | PathLike[str] | None = None,
    ) -> None:
        """Write the outputs into two tables, and the counts of the pages into a third one.

        Parameters
        ----------
        accepted, review : str or path-like
            The files of the outputs that are accepted, and of those that people verify: ``.csv``,
            ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. Both have the columns page, number, box
            (left, top, right and bottom, with spaces between), text, confidence and accepted; box and
            confidence are empty, or null, where the engine gives none.
        pages : str or path-like, optional
            The file of pages, with the columns page, outputs, accepted, review and expected_errors.

        Raises
        ------
        ValueError
            Where two of the names are one, or that of a file of the outputs, or a name says no known
            format.
        OSError
            If a file cannot be written. All appear once all are complete.
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
        """Yield what people are to look at, page after page; `images` are those of pages by name."""
        check_images(images, self.page_names)
        counts = self.pages
        ends = np.searchsorted(self.page, np.arange(len(self.page_names) + 1))
        columns = {name: getattr(self, name) for name in COLUMNS}
        for i, name in enumerate(self.page_names):
            yield review_page(
                {key: values[ends[i] : ends[i + 1]] for key, values in columns.items()},
                name,
                self.page_size[i],
                images.get(name),
                (int(counts.outputs[i]), int(counts.accepted[i]), float(counts.expected_errors[i])),
            )


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
    r"""Divide what an engine read into what is accepted and what people verify; no truth is needed.

    Parameters
    ----------
    policy : Policy
        Of one threshold, fitted to what the same engine read, in the same unit.
    output : str, path-like, or iterable of them
        Files of one engine as :func:`read` takes them, and folders of such files, as
        :func:`pair_files` takes them; where engines are combined, those of each by its name.
    combination : Combination, optional
        How to combine several engines, for a policy that was fitted to what they are together.
    unit, join
        As for :func:`align`. Of scripts that are written without spaces, each character is an output
        where `unit` is ``"word"``, as it is there.
    level, hyphenated
        As for :func:`read`.
    pattern : str, optional
        Which files of the folders are taken, as for :func:`pair_files`.

    Returns
    -------
    AppliedPages
        Of which ``save(…)`` writes tables.

    Raises
    ------
    OcrFileError
        If a file cannot be read.
    NoConfidenceError
        If a file has words, and none of them has a confidence.
    PairingError
        If two files are of pages of one name.
    DataFileError
        If the confidences are plainly of another scale than those that the policy was fitted on, as
        for :func:`.operation.apply_policy`.
    FileNotFoundError
        If a file does not exist, or a folder holds no file that is taken.
    ValueError
        If the policy is of fields or of whole documents; if no page has a word; if scales are mixed;
        as :func:`combine` where engines are combined.
    TypeError
        If `policy` is none; if there is a combination and no mapping of engines, or one without it.

    See Also
    --------
    fastarac.operation.apply_policy : the same for a table of outputs.
    fastarac.report.write_review_pages : a page each, to be looked at by people.

    Notes
    -----
    A truth shows where a word that a line end divides is one word; here, both parts are outputs. What
    the engine missed is no output: a page without words has nothing to accept or to verify, and
    `notes` say how many there are.

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
    """Return whether a path is that of an engine's outputs, and not of a table of outputs.

    Folders are, and files that begin as XML, as Tesseract's tables or, but for JSON lines, as JSON.

    Raises
    ------
    OcrFileError
        If it cannot be opened.

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


def same_scale(
    policy: Policy, named: str, confidence: NDArray[np.float64], page: NDArray[np.intp]
) -> ConfidenceShift:
    """Return whether confidences have moved, by whole pages where the policy was fitted with groups.

    Raise where they are plainly of another scale.
    """
    shift = policy.shift(confidence, groups=page if policy.has_groups else None)
    require_scale(named, policy, shift, confidence)
    return shift


def require_one_threshold(policy: Policy) -> None:
    """Raise unless a policy is one of words on pages, which have no fields."""
    require_policy(policy)
    if policy.documents or policy.fields:
        what = "accepts whole documents" if policy.documents else "has a threshold for each field"
        raise ValueError(
            f"the policy {what} ({few_of(map(str, policy.fields), 5)}), but words on pages have no "
            "fields; use a policy of one threshold"
        )
