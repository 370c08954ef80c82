"""Fields of forms and invoices: right or wrong, each field alone and each document as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.results import Result
from fastarac._core.text import few_of, plural, rounded_percent
from fastarac.evaluation.sources import Source
from fastarac.io._outputs import Outputs, labels_of
from fastarac.ocr.errors import Error, accepted_at, pieces_of
from fastarac.ocr.field_tables import Row, as_confidence, read_rows
from fastarac.ocr.normalisers import Normaliser, Unreadable, normaliser
from fastarac.ocr.pairing import PairingError
from fastarac.ocr.readers._files import OcrFileError, open_file, shown
from fastarac.ocr.reported import ERRORS, section_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.evaluation.items import Evaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.sources import Section

__all__ = ["DocumentOutputs", "FieldCounts", "FieldOutputs", "StraightThrough", "read_fields"]

LISTED = 20


class StraightThrough(NamedTuple):
    """What a threshold means for fields, and for documents, side by side.

    A document goes straight through where every one of its fields is accepted: nobody opens it.
    """

    threshold: float
    fields: int
    fields_accepted: int
    field_errors: int
    documents: int
    documents_accepted: int
    document_errors: int

    @property
    def field_acceptance_rate(self) -> float:
        """The share of the fields that are accepted."""
        return self.fields_accepted / self.fields

    @property
    def field_error_rate(self) -> float:
        """The share of all fields that are accepted and wrong."""
        return self.field_errors / self.fields

    @property
    def straight_through_rate(self) -> float:
        """The share of the documents that nobody opens."""
        return self.documents_accepted / self.documents

    @property
    def document_error_rate(self) -> float:
        """The share of all documents that nobody opens, and of which a field is wrong."""
        return self.document_errors / self.documents


class FieldCounts(NamedTuple):
    """What a threshold means for one field in all documents that have it."""

    field: str
    documents: int
    correct: int
    rejected: int
    accepted: int
    errors: int

    @property
    def acceptance_rate(self) -> float:
        """The share of the documents in which the field is accepted."""
        return self.accepted / self.documents

    @property
    def error_rate(self) -> float:
        """The share of the documents in which the field is accepted and wrong."""
        return self.errors / self.documents


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentOutputs(Result):
    """Documents as items: right if all their fields are.

    Attributes
    ----------
    name : tuple of str
        The documents, in the order of their first field.
    correct : ndarray of shape (n,), bool
        Whether all fields of each are right.
    confidence : ndarray of shape (n,), float64
        The lowest of its fields: at every threshold at which it is accepted, all of them are.
    n_fields : ndarray of shape (n,), intp
        How many fields each has.
    never_accepted : float or None
        The confidence of documents with a field that is rejected.
    """

    name: tuple[str, ...]
    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    n_fields: NDArray[np.intp]
    never_accepted: float | None

    def __len__(self) -> int:
        return len(self.name)

    @property
    def rejected(self) -> NDArray[np.bool_]:
        """Whether a field of each document is rejected, shape (n,): no threshold accepts it."""
        if self.never_accepted is None:
            return np.zeros(len(self), np.bool_)
        rejected: NDArray[np.bool_] = self.confidence == self.never_accepted
        return rejected

    def __repr__(self) -> str:
        return f"DocumentOutputs({len(self)} documents, {int(self.correct.sum())} right)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FieldOutputs(Result):
    """Fields as items: what was read in each field of each document, and whether it is right.

    :func:`read_fields` makes it. All functions of the library take its columns:
    ``fa.evaluate(fields.correct, fields.confidence, groups=fields.groups)``.

    Attributes
    ----------
    document, field : tuple of str, n of them
        Which field of which document each item is.
    truth : tuple of str
        What it should be; the empty text where the field is empty.
    prediction : tuple of (str or None)
        What was read; None where there is no output.
    correct : ndarray of shape (n,), bool
        Whether it is right, by the normaliser of its field.
    confidence : ndarray of shape (n,), float64
        As it is written in the file; `never_accepted` where the field is rejected.
    rejected : ndarray of shape (n,), bool
        Whether the field has no output or no confidence: no threshold accepts it. It is right where
        the truth is empty and nothing was read.
    never_accepted : float or None
        The confidence of the rejected fields, below all others; None where there are none.
    normalisers : mapping of str to str
        For each field, the name of the normaliser by which texts were compared.
    notes : tuple of str
        What a user should know, one sentence each.
    """

    document: tuple[str, ...]
    field: tuple[str, ...]
    truth: tuple[str, ...]
    prediction: tuple[str | None, ...]
    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    rejected: NDArray[np.bool_]
    never_accepted: float | None
    normalisers: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        documents = len(set(self.document))
        return (
            f"FieldOutputs({len(self)} fields of {documents} {plural('document', documents)}, "
            f"{int(self.correct.sum())} right, {int(self.rejected.sum())} rejected)"
        )

    @property
    def groups(self) -> NDArray[np.str_]:
        """The document of each field, shape (n,): fields of one document depend on each other."""
        return np.array(self.document)

    @property
    def by(self) -> NDArray[np.str_]:
        """The name of each field, shape (n,), to report the fields apart."""
        return np.array(self.field)

    def __report__(
        self,
        limits: Iterable[Limit],
        images: Mapping[str, Path],
    ) -> tuple[Outputs, ReportedFields]:
        """Return the fields with their documents as groups, and what a report adds."""
        by, group = labels_of(self.by), labels_of(self.groups)
        items = Outputs(self.correct, self.confidence, by=by, group=group, rejected=self.rejected)
        source = ReportedFields(
            self,
            kind="engine",
            units="fields",
            units_of_part="documents",
            group_word="document",
            part_word="field",
        )
        return items, source

    def documents(self) -> DocumentOutputs:
        """Return the documents as items: right if all their fields are, as sure as the least sure.

        Returns
        -------
        documents : DocumentOutputs
        """
        first: dict[str, int] = {}
        code = np.array([first.setdefault(name, len(first)) for name in self.document])
        n = len(first)
        correct = np.bincount(code, ~self.correct, minlength=n) == 0
        confidence = np.full(n, np.inf)
        np.minimum.at(confidence, code, self.confidence)
        n_fields = np.bincount(code, minlength=n)
        return DocumentOutputs(tuple(first), correct, confidence, n_fields, self.never_accepted)

    def straight_through(self, threshold: float) -> StraightThrough:
        """Return how many fields, and how many documents, are accepted at a threshold.

        Parameters
        ----------
        threshold : float
            A field is accepted iff its confidence is at least this; rejected fields never are.

        Returns
        -------
        counts : StraightThrough

        Raises
        ------
        ValueError
            If the threshold is NaN.
        """
        threshold = float(threshold)
        if threshold != threshold:
            raise ValueError("threshold is nan; a number is expected")
        documents = self.documents()
        accepted = ~self.rejected & (self.confidence >= threshold)
        whole = documents.confidence >= threshold
        if self.never_accepted is not None:
            whole &= documents.confidence > self.never_accepted
        return StraightThrough(
            threshold,
            len(self),
            int(accepted.sum()),
            int((accepted & ~self.correct).sum()),
            len(documents),
            int(whole.sum()),
            int((whole & ~documents.correct).sum()),
        )

    def by_field(self, threshold: float) -> tuple[FieldCounts, ...]:
        """Return how often each field is right, accepted, and accepted though wrong.

        Parameters
        ----------
        threshold : float
            As for :meth:`straight_through`.

        Returns
        -------
        counts : tuple of FieldCounts
            One for each field, in the order of their first document.
        """
        first: dict[str, int] = {}
        code = np.array([first.setdefault(name, len(first)) for name in self.field])
        accepted = ~self.rejected & (self.confidence >= threshold)
        columns = [
            np.bincount(code[of], minlength=len(first)).tolist()
            for of in (code >= 0, self.correct, self.rejected, accepted, accepted & ~self.correct)
        ]
        return tuple(FieldCounts(*counts) for counts in zip(first, *columns, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class ReportedFields(Source):
    """What a report says of fields beside what it says of any outputs."""

    fields: FieldOutputs

    def sections(
        self, evaluation: Evaluation, most: Callable[[int], int]
    ) -> tuple[list[Section], list[Section]]:
        """Return whole documents, and the most confident errors, after the parts."""
        thresholds = [found.point.threshold for found in evaluation.limits]
        counts = map(self.fields.straight_through, thresholds)
        documents = [
            tuple(
                map(
                    rounded_percent,
                    (at.field_acceptance_rate, at.straight_through_rate, at.document_error_rate),
                )
            )
            for at in counts
        ]
        after = [section_of("documents", documents=documents)] if documents else []
        errors = self._errors(thresholds, most(ERRORS))
        after.append(section_of("errors", errors=errors, crops={}, in_context=False, kind="Field"))
        return [], after

    def _errors(self, thresholds: Sequence[float], most: int) -> list[Error]:
        """Return the most confident wrong fields, the surest first."""
        fields, found = self.fields, []
        wrong = np.flatnonzero(~fields.correct & ~fields.rejected)
        surest = wrong[np.argsort(-fields.confidence[wrong], kind="stable")][:most]
        for row in surest.tolist():
            confidence = float(fields.confidence[row])
            pieces = tuple(pieces_of(fields.truth[row], fields.prediction[row] or ""))
            place = fields.document[row], fields.field[row]
            accepted = accepted_at(thresholds, confidence)
            found.append(Error(row, *place, 0, confidence, pieces, "", "", accepted))
        return found


def read_fields(
    path: str | os.PathLike[str],
    truth: str | os.PathLike[str] | None = None,
    *,
    normalise: str | Mapping[str, str] = "exact",
    skip_unmatched: bool = False,
) -> FieldOutputs:
    r"""Read fields of documents, with their truth in the same file or in another one.

    Parameters
    ----------
    path : str or path-like
        A table with the columns ``document``, ``field``, ``prediction`` and ``confidence``: JSON
        lines, CSV, TSV or Parquet, told by its content.
    truth : str or path-like, optional
        A table with the columns ``document``, ``field`` and ``truth``. Without it, ``truth`` is a
        column of the first table.
    normalise : str or mapping of str to str, default="exact"
        By which normaliser a prediction is compared with its truth: one for all fields, or one for
        each field by name (``exact`` for the others). ``exact`` compares the texts, ``casefold``
        without regard to case, ``collapse-space`` without regard to white space at the ends and to
        how much of it there is; ``number`` takes 1,234.50 for a number and ``number-comma``
        1.234,50; ``date`` takes 2026-11-22 and 22 November 2026 for a day, ``date-dmy`` 22/11/2026
        too, and ``date-mdy`` 11/22/2026. Several are joined by ``+``. All compare in Unicode's
        normal form C.
    skip_unmatched : bool, default=False
        Whether outputs without a truth are left out. Otherwise they are an error.

    Returns
    -------
    fields : FieldOutputs
        One item for each field of the truth, in its order.

    Raises
    ------
    OcrFileError
        If a file cannot be read, lacks a column, has two rows for one field of a document, or holds
        a confidence that is not a finite number, or a truth that its normaliser cannot read.
    PairingError
        If there are outputs without a truth.
    ValueError
        If there is no such normaliser, or no such field.

    Notes
    -----
    A field without a prediction (no row, or null) or without a confidence is *rejected*: it is an
    item that no threshold accepts, for a person sees that it is empty. It is right where the truth
    is empty too. An empty text with a confidence is an output: the engine says that the field is
    empty. A prediction that its normaliser cannot read is wrong.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import read_fields
    >>> table = '''document,field,prediction,confidence,truth
    ... a1,total,"1,250.00",0.97,1250
    ... a1,name,harrow & finch,0.91,Harrow & Finch
    ... a2,total,88.50,0.64,88.60
    ... a2,name,,,Mill & Son
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fields.csv")
    ...     _ = path.write_text(table)
    ...     fields = read_fields(path, normalise={"total": "number", "name": "casefold"})
    >>> fields
    FieldOutputs(4 fields of 2 documents, 2 right, 1 rejected)
    >>> counts = fields.straight_through(0.6)
    >>> counts.field_acceptance_rate, counts.straight_through_rate
    (0.75, 0.5)
    """
    output_path, truth_path = open_file(path).path, None
    if truth is None:
        outputs = read_rows(path, ("prediction", "confidence", "truth"))
        truths = outputs
    else:
        truth_path = open_file(truth).path
        outputs = read_rows(path, ("prediction", "confidence"))
        truths = read_rows(truth, ("truth",))
    truth_path = truth_path or output_path
    by_key = {(row.document, row.field): row for row in outputs}
    known = by_key.keys() if truths is outputs else {(row.document, row.field) for row in truths}
    notes: list[str] = []
    if unmatched := [row for row in outputs if (row.document, row.field) not in known]:
        said = f"{len(unmatched)} {plural('output', len(unmatched))} without a truth"
        listed = few_of((f"{row.field} of {row.document}" for row in unmatched), LISTED)
        if not skip_unmatched:
            raise PairingError(f"{output_path}: {said}: {listed}")
        notes.append(f"{said} left out: {listed}")
    with_output = {row.document for row in outputs}
    without = list(dict.fromkeys(r.document for r in truths if r.document not in with_output))
    if without:
        notes.append(
            f"{len(without)} {plural('document', len(without))} without any output, whose fields are "
            f"rejected: {few_of(without, LISTED)}"
        )
    compare = _normalisers(normalise, list(dict.fromkeys(row.field for row in truths)))
    return _outputs(output_path, truth_path, truths, by_key, compare, notes)


def _normalisers(normalise: str | Mapping[str, str], fields: list[str]) -> dict[str, Normaliser]:
    """Return the normaliser of each field."""
    if not isinstance(normalise, Mapping):
        return dict.fromkeys(fields, normaliser(normalise))
    if unknown := [name for name in normalise if name not in fields]:
        raise ValueError(
            f"normalise names {', '.join(map(shown, unknown))}; the fields are "
            f"{', '.join(map(shown, fields))}"
        )
    return {name: normaliser(normalise.get(name, "exact")) for name in fields}


def _outputs(
    output_path: Path,
    truth_path: Path,
    truths: list[Row],
    by_key: dict[tuple[str, str], Row],
    compare: dict[str, Normaliser],
    notes: list[str],
) -> FieldOutputs:
    predictions: list[str | None] = []
    correct: list[bool] = []
    confidence = np.full(len(truths), np.nan)
    for i, row in enumerate(truths):
        expected = row.truth or ""
        found = by_key.get((row.document, row.field))
        prediction = found.prediction if found else None
        if found is not None and prediction is not None:
            confidence[i] = as_confidence(output_path, found)
        predictions.append(prediction)
        correct.append(_is_right(truth_path, row, expected, prediction or "", compare[row.field]))
    rejected = np.isnan(confidence)
    never = None
    if rejected.any():
        never = float(np.floor(min(0.0, np.nanmin(confidence, initial=0.0)))) - 1.0
        confidence[rejected] = never
    return FieldOutputs(
        document=tuple(row.document for row in truths),
        field=tuple(row.field for row in truths),
        truth=tuple(row.truth or "" for row in truths),
        prediction=tuple(predictions),
        correct=np.array(correct, np.bool_),
        confidence=confidence,
        rejected=rejected,
        never_accepted=never,
        normalisers={name: each.name for name, each in compare.items()},
        notes=tuple(notes),
    )


def _is_right(path: Path, row: Row, truth: str, prediction: str, compare: Normaliser) -> bool:
    try:
        expected = compare(truth)
    except Unreadable as error:
        problem = (
            f"the truth of field {shown(row.field)} of document {shown(row.document)} is "
            f"{shown(truth)}; {error} is expected by the normaliser {compare.name!r}"
        )
        raise OcrFileError(path, problem, place=row.place) from None
    try:
        return compare(prediction) == expected
    except Unreadable:
        return False
