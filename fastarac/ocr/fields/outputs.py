"""Fields of forms and invoices: right or wrong, each field alone and each document as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as with_default
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.results import Result, Table
from fastarac._core.text import few_of, plural, rounded_percent
from fastarac.evaluation.part_orders import ItemParts
from fastarac.evaluation.sources import Source
from fastarac.io._outputs import Outputs, labels_of
from fastarac.ocr.analysis.errors import Error, accepted_at, pieces_of
from fastarac.ocr.fields.counts import COUNT, lists_of_names
from fastarac.ocr.readers._files import shown
from fastarac.ocr.report_extras import ERRORS, section_of
from fastarac.operation.absences import absences_of, compared_words
from fastarac.operation.documents import Documents, Requirements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.results import Evaluation
    from fastarac.evaluation.sources import Beside, Section

__all__ = [
    "AbsentField",
    "DocumentOutputs",
    "FieldCounts",
    "FieldOutputs",
    "FoldedField",
    "StraightThrough",
]


LISTED = 5  # documents that an error names


@dataclass(frozen=True, slots=True, eq=False)
class StraightThrough(Result):
    """What a threshold means for fields, and for documents, side by side.

    A document goes straight through where all its outputs and all required fields are accepted: nobody
    opens it.

    See Also
    --------
    DocumentOutputs : documents as items
    FieldOutputs : fields as items
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
        """The share of all documents that nobody opens, and of which a field is wrong or missed."""
        return self.document_errors / self.documents


@dataclass(frozen=True, slots=True, eq=False)
class FoldedField(Result):
    """Outputs of one field that are right by its comparison, though they differ from their truth.

    See Also
    --------
    FieldOutputs : fields as items
    read_fields : read fields of documents and their truth
    """

    field: str
    comparison: str
    n: int
    examples: tuple[tuple[str, str], ...]
    """Some outputs, each with its truth."""

    def __str__(self) -> str:
        pairs = ", ".join(f"{shown(read)} for {shown(true)}" for read, true in self.examples)
        return f"{self.field}: {self.n:,} right by {self.comparison}, such as {pairs}"


@dataclass(frozen=True, slots=True, eq=False)
class FieldCounts(Result):
    """What a threshold means for one field in all documents, and in all items of its list.

    See Also
    --------
    FieldOutputs : fields as items
    read_fields : read fields of documents and their truth
    """

    field: str
    items: int
    correct: int
    rejected: int
    accepted: int
    errors: int

    @property
    def acceptance_rate(self) -> float:
        """The share of the items that are accepted."""
        return self.accepted / self.items

    @property
    def error_rate(self) -> float:
        """The share of the items that are accepted and wrong."""
        return self.errors / self.items


@dataclass(frozen=True, slots=True, eq=False)
class AbsentField(Result):
    """How often documents lack a field, and what changes where it is optional, or required.

    Attributes
    ----------
    field : str
    optional : bool
        Whether a document that lacks it may go straight through.
    documents : int
        All documents.
    absent : int
        Documents without an output of it that has a confidence.
    rightly : int
        Those of them in which it is empty.
    unlisted : int
        Those of them of which the truth does not say what it holds.
    now, otherwise : StraightThrough
        What goes through at a threshold, and what would if it were required in place of optional, or
        optional in place of required.

    See Also
    --------
    FieldOutputs : fields as items
    StraightThrough : what a threshold means for fields, and for documents, side by side
    """

    field: str
    optional: bool
    documents: int
    absent: int
    rightly: int
    unlisted: int
    now: StraightThrough
    otherwise: StraightThrough

    def __str__(self) -> str:
        said = f"{self.field}: absent in {rounded_percent(self.absent / self.documents)} of documents"
        known = self.absent - self.unlisted
        if known:
            said += f", rightly in {rounded_percent(self.rightly / self.absent)} of these"
        if self.unlisted:
            said += (
                f", in {rounded_percent(self.unlisted / self.absent)} of these not listed in the truth"
            )
            if not self.optional:
                return said
        kind = "required" if self.optional else "optional"
        through, before = (
            rounded_percent(each.straight_through_rate) for each in (self.otherwise, self.now)
        )
        errors, earlier = (
            rounded_percent(each.document_error_rate) for each in (self.otherwise, self.now)
        )
        return f"{said}; {kind}, {compared_words(through, before, errors, earlier)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentOutputs(Table, Result):
    """Documents as items: right if all their fields are.

    Attributes
    ----------
    name : tuple of str
        The documents, in the order of their first field.
    correct : ndarray of shape (n,), bool
        Whether all fields of each are right.
    confidence : ndarray of shape (n,), float64
        The lowest of its outputs: at every threshold at which it is accepted, all of them are.
    n_fields : ndarray of shape (n,), intp
        How many fields each has.
    never_accepted : float or None
        The confidence of documents that lack a required field, or have no output at all.

    See Also
    --------
    FieldOutputs : fields as items
    StraightThrough : what a threshold means for fields, and for documents, side by side
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
        """Whether each document lacks a required field, shape (n,): no threshold accepts it."""
        if self.never_accepted is None:
            return np.zeros(len(self), np.bool_)
        rejected: NDArray[np.bool_] = self.confidence == self.never_accepted
        return rejected

    def __repr__(self) -> str:
        return f"DocumentOutputs({len(self)} documents, {int(self.correct.sum())} right)"


@dataclass(frozen=True, eq=False, repr=False)
class FieldOutputs(Table, Result):
    """Fields as items: what was read in each field of each document, and whether it is right.

    :func:`read_fields` makes it. All functions of the library take its columns:
    ``fa.evaluate(fields.correct, fields.confidence, groups=fields.groups,
    never_accepted=fields.never_accepted)``.

    Attributes
    ----------
    document, field : tuple of str, n of them
        Which field of which document each item is; repeated fields have the number of their item.
    name : tuple of str
        The field without the numbers of items: ``items[].amount`` of ``items[3].amount``.
    truth : tuple of str
        What it should be; the empty text where the field is empty.
    prediction : tuple of (str or None)
        What was read, and compared: of numbers, amounts and days what a service gives for the text.
        None where there is no output.
    correct : ndarray of shape (n,), bool
        Whether it is right, by the comparison of its field.
    confidence : ndarray of shape (n,), float64
        As it is written in the file; `never_accepted` where the field is rejected.
    kind : tuple of str
        ``right`` or ``wrong`` where there are a true value and an output, ``inserted`` where there is
        an output alone, ``missed`` where there is a true value alone, ``empty`` where there is neither.
    rejected : ndarray of shape (n,), bool
        Whether the field has no output or no confidence: no threshold accepts it. It is right where
        the truth is empty and nothing was read.
    never_accepted : float or None
        The confidence of the rejected fields, below all others; None where there are none.
    comparisons : mapping of str to str
        For each field by its name, the comparison by which an output is right.
    folded : tuple of FoldedField
        What is right though it differs, with examples.
    notes : tuple of str
        What a user should know, one sentence each.
    renamed : mapping of str to str
        The name in the truth of each field of the outputs that was renamed.
    optional : tuple of str
        The fields, by their names, that a document may lack and go straight through; all others are
        required.
    fields_complete : bool
        Whether a field that the truth does not list in a document has no true value there; otherwise
        nothing is known of it.

    See Also
    --------
    read_fields : read fields of documents and their truth
    DocumentOutputs : documents as items
    combine_fields : put the fields that several engines read together, as those
    """

    document: tuple[str, ...]
    field: tuple[str, ...]
    name: tuple[str, ...]
    truth: tuple[str, ...]
    prediction: tuple[str | None, ...]
    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    kind: tuple[str, ...]
    rejected: NDArray[np.bool_]
    never_accepted: float | None
    comparisons: Mapping[str, str]
    folded: tuple[FoldedField, ...] = ()
    notes: tuple[str, ...] = ()
    renamed: Mapping[str, str] = with_default(default_factory=dict)
    optional: tuple[str, ...] = ()
    fields_complete: bool = False

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        documents = len(set(self.document))
        return (
            f"FieldOutputs({len(self)} fields of {documents} {plural('document', documents)}, "
            f"{int(self.correct.sum())} right, {int(self.rejected.sum())} rejected)"
        )

    def to_columns(self) -> dict[str, Any]:
        """Return the fields as columns, one row each."""
        columns = "document", "field", "name", "kind", "truth", "prediction", "correct"
        return {name: getattr(self, name) for name in (*columns, "confidence", "rejected")}

    @property
    def groups(self) -> NDArray[np.str_]:
        """The document of each field, shape (n,): fields of one document depend on each other."""
        return np.array(self.document)

    @property
    def by(self) -> NDArray[np.str_]:
        """The name of each field, shape (n,), to report the fields apart."""
        return np.array(self.name)

    def __report__(self, limits: Iterable[Limit], beside: Beside) -> tuple[Outputs, ReportedFields]:
        """Return the fields with their documents as groups, and what a report adds."""
        by, group = labels_of(self.by), labels_of(self.groups)
        items = Outputs(self.correct, self.confidence, by=by, group=group, rejected=self.rejected)
        source = ReportedFields(
            self,
            beside.texts,
            kind="engine",
            units="fields",
            units_of_part="documents",
            group_word="document",
            part_word="field",
            holds="It holds texts of the documents." if beside.texts else "",
        )
        return items, source

    def documents(self) -> DocumentOutputs:
        """Return the documents as items: right if all their fields are, as sure as the least sure.

        A document that lacks a required field is rejected, as one without any output is. What an
        optional field lacks does not make it less sure; it is wrong all the same where a true value was
        missed.

        Returns
        -------
        documents : DocumentOutputs
        """
        return self._whole.outputs(self.optional)

    @cached_property
    def _whole(self) -> _Whole:
        return _Whole.of(self)

    def straight_through(self, threshold: float) -> StraightThrough:
        """Return how many fields, and how many documents, are accepted at a threshold.

        Parameters
        ----------
        threshold : float
            A field is accepted iff its confidence is at least this; rejected fields never are. A
            document is where all its outputs are, and it has one of each required field.

        Returns
        -------
        counts : StraightThrough

        Raises
        ------
        ValueError
            If the threshold is NaN.
        """
        return self._whole.straight_through(_checked(threshold), self.optional)

    def absent_fields(self, threshold: float) -> tuple[AbsentField, ...]:
        """Return how often each field is absent, and what making it optional or required changes.

        Parameters
        ----------
        threshold : float
            As for :meth:`straight_through`.

        Returns
        -------
        absent : tuple of AbsentField
            One for each field that a document lacks, in the order of their first document.
        """
        threshold, whole = _checked(threshold), self._whole
        now = whole.straight_through(threshold, self.optional)
        every, complete = np.ones(len(whole.documents), np.bool_), self.fields_complete
        absences = absences_of(
            whole.have, every, whole.wrong, whole.names, self.optional, (), complete=complete
        )
        return tuple(
            AbsentField(*each, now, whole.straight_through(threshold, {*self.optional} ^ {each.field}))
            for each in absences
            if each.absent
        )

    def all_optional(self, threshold: float) -> StraightThrough:
        """Return what would go through if every field that is absent anywhere were optional.

        Parameters
        ----------
        threshold : float
            As for :meth:`straight_through`. Fields that are absent together free no document one by
            one.

        Returns
        -------
        counts : StraightThrough
        """
        return self._whole.straight_through(_checked(threshold), self._whole.names)

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
        names, code = _numbered(self.name)
        accepted = ~self.rejected & (self.confidence >= threshold)
        columns = [
            np.bincount(code[of], minlength=len(names)).tolist()
            for of in (code >= 0, self.correct, self.rejected, accepted, accepted & ~self.correct)
        ]
        return tuple(FieldCounts(*counts) for counts in zip(names, *columns, strict=True))


def require_listed(fields: FieldOutputs) -> None:
    """Raise where an optional field is none, or nothing is known of it in a document that lacks it."""
    if not fields.optional:
        return
    whole = fields._whole  # noqa: SLF001, of this module
    if unknown := [name for name in fields.optional if name not in whole.names]:
        raise ValueError(
            f"optional names {', '.join(map(shown, unknown))}; the fields are "
            f"{', '.join(map(shown, whole.names))}"
        )
    if fields.fields_complete:
        return
    may_pass = ~whole.lacking(fields.optional)
    for name in fields.optional:
        unlisted = np.flatnonzero(may_pass & ~whole.have.told[:, whole.names.index(name)])
        if len(unlisted):
            n, listed = len(unlisted), few_of((whole.documents[i] for i in unlisted), LISTED)
            raise ValueError(
                f"optional names {shown(name)}, but the truth does not list it for {n:,} "
                f"{plural('document', n)}: {listed}; add a truth for each (empty where there is "
                "none), or use fields_complete=True if a field that is not listed has no true "
                "value"
            )


def _checked(threshold: float) -> float:
    threshold = float(threshold)
    if threshold != threshold:
        raise ValueError("threshold must be a number, got nan")
    return threshold


class _Whole(NamedTuple):
    """Documents and their fields as tables: a row for each document, a column for each name."""

    fields: FieldOutputs
    documents: tuple[str, ...]
    names: tuple[str, ...]
    have: Documents
    """Of which fields they have outputs with a confidence, or items at all."""
    wrong: NDArray[np.bool_]
    """Whether an item is wrong."""

    @classmethod
    def of(cls, fields: FieldOutputs) -> _Whole:
        """Look which fields the documents have."""
        documents, of_item = _numbered(fields.document)
        names, of_name = _numbered(fields.name)
        have = Documents.of(of_item, of_name, ~fields.rejected, len(names))
        for i, name in enumerate(names):  # a list without rows has no values: its count says so
            for key in lists_of_names([name]):
                if (count := f"{key}{COUNT}") in names:
                    have.told[:, i] |= have.told[:, names.index(count)]
        wrong = np.zeros((len(documents), len(names)), np.bool_)
        wrong[of_item[~fields.correct], of_name[~fields.correct]] = True
        return cls(fields, documents, names, have, wrong)

    def lacking(self, optional: Collection[str]) -> NDArray[np.bool_]:
        """Return which documents lack a required field, or any output."""
        return self.have.lacking(Requirements.of(self.names, tuple(optional)).required)

    def outputs(self, optional: Collection[str]) -> DocumentOutputs:
        """Return the documents as items, with these fields optional."""
        fields, n = self.fields, len(self.documents)
        given = ~fields.rejected
        confidence = np.full(n, np.inf)
        np.minimum.at(confidence, self.have.of_item[given], fields.confidence[given])
        lacking = self.lacking(optional)
        never = None
        if lacking.any():
            never = fields.never_accepted
            if never is None:
                never = below_all(fields.confidence)
            confidence[lacking] = never
        correct = np.asarray(~self.wrong.any(axis=1))
        n_fields = np.bincount(self.have.of_item, minlength=n)
        return DocumentOutputs(self.documents, correct, confidence, n_fields, never)

    def straight_through(self, threshold: float, optional: Collection[str]) -> StraightThrough:
        """Return what a threshold accepts, with these fields optional."""
        fields, documents = self.fields, self.outputs(optional)
        accepted = ~fields.rejected & (fields.confidence >= threshold)
        whole = ~documents.rejected & (documents.confidence >= threshold)
        return StraightThrough(
            threshold,
            len(fields),
            int(accepted.sum()),
            int((accepted & ~fields.correct).sum()),
            len(documents),
            int(whole.sum()),
            int((whole & ~documents.correct).sum()),
        )


def below_all(confidence: NDArray[np.float64]) -> float:
    """Return a confidence below all of these that are not NaN, and below 0."""
    return float(np.floor(min(0.0, np.nanmin(confidence, initial=0.0)))) - 1.0


def _numbered(labels: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the labels in the order of their first item, and which of them each item has."""
    first: dict[str, int] = {}
    codes = np.array([first.setdefault(label, len(first)) for label in labels], np.intp)
    return tuple(first), codes


@dataclass(frozen=True, slots=True, eq=False)
class ReportedFields(Source):
    """What a report says of fields beside what it says of any outputs."""

    fields: FieldOutputs
    texts: bool

    def splits(self, outputs: Outputs) -> list[ItemParts]:
        """Return the items of each field."""
        if outputs.by is None:
            return []
        codes, n = outputs.by.codes, len(outputs.by.names)
        there = np.array([bool(true) for true in self.fields.truth], bool)
        found = [np.bincount(codes[of], minlength=n) for of in (there & self.fields.rejected, there)]
        with np.errstate(invalid="ignore"):  # of fields that no document has
            missed = found[0] / found[1]
        return [ItemParts("field", outputs.by.names, codes, missed)]

    def straight_through(self, threshold: float) -> tuple[float, float]:
        """Return the share of documents that go through whole, and that are then wrong, of all."""
        counts = self.fields.straight_through(threshold)
        return counts.straight_through_rate, counts.document_error_rate

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
        absent = [str(each) for each in self.fields.absent_fields(thresholds[0])] if documents else []
        after = [section_of("documents", documents=documents, absent=absent)] if documents else []
        errors = self._errors(thresholds, most(ERRORS))
        after.append(
            section_of(
                "errors", errors=errors, crops={}, in_context=False, kind="Field", texts=self.texts
            )
        )
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
