"""Items of two kinds: fields of forms, and whole documents (right if all their fields are right)."""

from __future__ import annotations

from collections import Counter
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
from fastarac.ocr.fields.rules import rule_columns
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

SEVERAL = 5  # a field with this many true values but no output probably has another name in the outputs
LISTED = 5  # maximum number of documents that an error message lists


@dataclass(frozen=True, slots=True, eq=False)
class StraightThrough(Result):
    """Counts of accepted and wrong fields and documents at a threshold.

    A document goes straight through (nobody opens it) if all its outputs and all required fields are
    accepted.

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
        """The accepted share of all fields."""
        return self.fields_accepted / self.fields

    @property
    def field_error_rate(self) -> float:
        """The share of all fields that are accepted and wrong."""
        return self.field_errors / self.fields

    @property
    def straight_through_rate(self) -> float:
        """The share of documents that go straight through, out of all documents."""
        return self.documents_accepted / self.documents

    @property
    def document_error_rate(self) -> float:
        """The share of all documents that go straight through with a wrong or missed field."""
        return self.document_errors / self.documents


@dataclass(frozen=True, slots=True, eq=False)
class FoldedField(Result):
    """Outputs of one field that its comparison counts as right, although the texts differ.

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
    """Counts for one field at a threshold, over all documents; in a list, each item counts.

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
        """The accepted share of the field's items."""
        return self.accepted / self.items

    @property
    def error_rate(self) -> float:
        """The share of the field's items that are accepted and wrong."""
        return self.errors / self.items


@dataclass(frozen=True, slots=True, eq=False)
class AbsentField(Result):
    """Number of documents that lack a field, and the effect of making it optional or required.

    Attributes
    ----------
    field : str
    optional : bool
        Whether a document that lacks the field may go straight through.
    documents : int
        Number of all documents.
    absent : int
        Number of documents that have an output with a confidence for another field, but none for
        this one.
    rightly : int
        Number of these documents in which the field is truly empty.
    unlisted : int
        Number of these documents for which the truth does not list the field.
    now, otherwise : StraightThrough
        The counts at a threshold with the present setting of `optional`, and with the opposite setting.

    See Also
    --------
    FieldOutputs : fields as items
    StraightThrough : counts of accepted and wrong fields and documents at a threshold
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
        said = (
            f"{self.field}: no output in {rounded_percent(self.absent / self.documents)} of documents"
        )
        known = self.absent - self.unlisted
        if known:
            said += f", really empty in {rounded_percent(self.rightly / self.absent)} of these"
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
        return f"{said}; if {kind}, {compared_words(through, before, errors, earlier)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentOutputs(Table, Result):
    """Documents as items; a document is right if all its fields are right.

    Attributes
    ----------
    name : tuple of str
        The documents, in the order of their first field.
    correct : ndarray of shape (n,), bool
        Whether all fields of each document are right.
    confidence : ndarray of shape (n,), float64
        The lowest confidence of each document's outputs. A threshold that accepts a document thus
        accepts all its outputs.
    n_fields : ndarray of shape (n,), intp
        Number of fields of each document.
    never_accepted : float or None
        The confidence given to documents that lack a required field or have no output at all; None if
        there is no such document.

    See Also
    --------
    FieldOutputs : fields as items
    StraightThrough : counts of accepted and wrong fields and documents at a threshold
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
        """Mask of the documents that lack a required field or have no output, shape (n,)."""
        if self.never_accepted is None:
            return np.zeros(len(self), np.bool_)
        rejected: NDArray[np.bool_] = self.confidence == self.never_accepted
        return rejected

    def __repr__(self) -> str:
        return f"DocumentOutputs({len(self)} documents, {int(self.correct.sum())} right)"


@dataclass(frozen=True, eq=False, repr=False)
class FieldOutputs(Table, Result):
    """Fields as items: the output of each field of each document, and whether it is right.

    Returned by :func:`read_fields`. Pass its columns to other functions of the library:
    ``fa.evaluate(fields.correct, fields.confidence, groups=fields.groups,
    never_accepted=fields.never_accepted)``.

    Attributes
    ----------
    document, field : tuple of str, n of them
        Document and field of each item. The names of fields in a list contain the item number.
    name : tuple of str
        The field without item numbers: ``items[].amount`` for ``items[3].amount``.
    truth : tuple of str
        The true value, or an empty string if the field is truly empty.
    prediction : tuple of (str or None)
        The output as compared: the text or, for numbers, amounts and dates, the service's normalized
        value if there is one. None if there is no output.
    correct : ndarray of shape (n,), bool
        Whether each item is right according to the comparison of its field.
    confidence : ndarray of shape (n,), float64
        The confidence in the file, or `never_accepted` if the field is rejected.
    kind : tuple of str
        ``right`` or ``wrong`` if the item has a true value and an output, ``inserted`` if it has only
        an output, ``missed`` if it has only a true value, ``empty`` if it has neither.
    rejected : ndarray of shape (n,), bool
        Whether the field has no output or no confidence, so that no threshold accepts it. A rejected
        item without an output is right if its truth is empty.
    never_accepted : float or None
        The confidence given to rejected fields, below all others; None if no field is rejected.
    comparisons : mapping of str to str
        The comparison of each field, by the field's name.
    folded : tuple of FoldedField
        For each field, the outputs that are right although they differ from the truth, with examples.
    notes : tuple of str
        Remarks for the user, one sentence each.
    renamed : mapping of str to str
        For each output field that was renamed, its name in the truth.
    optional : tuple of str
        Names of the optional fields: a document that lacks them can go straight through. All other
        fields are required.
    fields_complete : bool
        Whether a field is truly empty in a document if the truth does not list it there. If False, its
        true value is unknown.
    without_truth : mapping of str to int
        Fields that occur in the outputs but never in the truth, with the number of their outputs. These
        outputs are left out.
    rules : tuple of str
        The rules that the fields of each document must satisfy.
    broken : mapping of str to str
        For each document that breaks a rule, the first broken rule. All outputs of these documents are
        rejected.

    See Also
    --------
    read_fields : read fields of documents and their truth
    DocumentOutputs : documents as items
    combine_fields : combine the fields that several engines read
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
    without_truth: Mapping[str, int] = with_default(default_factory=dict)
    rules: tuple[str, ...] = ()
    broken: Mapping[str, str] = with_default(default_factory=dict)

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        documents = len(set(self.document))
        return (
            f"FieldOutputs({len(self)} fields of {documents} {plural('document', documents)}, "
            f"{int(self.correct.sum())} right, {int(self.rejected.sum())} rejected)"
        )

    def to_columns(self) -> dict[str, Any]:
        """Return the columns of a table with one row for each field."""
        columns = "document", "field", "name", "kind", "truth", "prediction", "correct"
        found = {name: getattr(self, name) for name in (*columns, "confidence", "rejected")}
        return found | rule_columns(self.document, self.rules, self.broken)

    @property
    def groups(self) -> NDArray[np.str_]:
        """The document of each field, shape (n,). Fields in the same document depend on each other."""
        return np.array(self.document)

    @property
    def by(self) -> NDArray[np.str_]:
        """The name of each field, shape (n,), for metrics by field."""
        return np.array(self.name)

    @property
    def never_found(self) -> dict[str, int]:
        """Fields with several true values but no output at all, each with its number of true values.

        Such a field probably has another name in the outputs: see `without_truth`.
        """
        kinds: dict[str, Counter[str]] = {}
        for name, kind in zip(self.name, self.kind, strict=True):
            kinds.setdefault(name, Counter())[kind] += 1
        return {
            name: of_field["missed"]
            for name, of_field in kinds.items()
            if of_field["missed"] >= SEVERAL and set(of_field) <= {"missed", "empty"}
        }

    def __report__(self, limits: Iterable[Limit], beside: Beside) -> tuple[Outputs, ReportedFields]:
        """Return the fields, and the object that makes the report's additional sections."""
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
            holds="It contains texts of the documents." if beside.texts else "",
        )
        return items, source

    def documents(self) -> DocumentOutputs:
        """Return the documents as items; a document is right if all its fields are right.

        The confidence of a document is the lowest confidence of its outputs. A document that lacks a
        required field, or has no output at all, is rejected. An absent optional field does not change
        the confidence, but the document is wrong if this field has a true value.

        Returns
        -------
        documents : DocumentOutputs
        """
        return self._whole.outputs(self.optional)

    @cached_property
    def _whole(self) -> _Whole:
        return _Whole.of(self)

    def straight_through(self, threshold: float) -> StraightThrough:
        """Return the counts of fields and documents accepted at a threshold.

        Parameters
        ----------
        threshold : float
            A field is accepted if it is not rejected and its confidence is at least the threshold. A
            document is accepted if all its outputs are accepted and it lacks no required field.

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
        """Return how often each field is absent, and the effect of making it optional or required.

        Parameters
        ----------
        threshold : float
            As for :meth:`straight_through`.

        Returns
        -------
        absent : tuple of AbsentField
            One for each field that some document lacks, in the order in which the fields first appear.
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
        """Return the counts that would result if every field were optional.

        A document that lacks several fields goes straight through only if all of them are optional.

        Parameters
        ----------
        threshold : float
            As for :meth:`straight_through`.

        Returns
        -------
        counts : StraightThrough
        """
        return self._whole.straight_through(_checked(threshold), self._whole.names)

    def by_field(self, threshold: float) -> tuple[FieldCounts, ...]:
        """For each field, count the right, rejected, accepted, and wrongly accepted items.

        Parameters
        ----------
        threshold : float
            As for :meth:`straight_through`.

        Returns
        -------
        counts : tuple of FieldCounts
            One for each field, in the order in which the fields first appear.
        """
        names, code = _numbered(self.name)
        accepted = ~self.rejected & (self.confidence >= threshold)
        columns = [
            np.bincount(code[of], minlength=len(names)).tolist()
            for of in (code >= 0, self.correct, self.rejected, accepted, accepted & ~self.correct)
        ]
        return tuple(FieldCounts(*counts) for counts in zip(names, *columns, strict=True))


def require_listed(fields: FieldOutputs) -> None:
    """Raise if an optional field does not exist, or if its truth is unknown in some document."""
    if not fields.optional:
        return
    whole = fields._whole  # noqa: SLF001, a class of this module
    if unknown := [name for name in fields.optional if name not in whole.names]:
        raise ValueError(
            f"optional names {', '.join(map(shown, unknown))}, but the only fields are "
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
    """Fields by document: arrays with one row per document and one column per field name."""

    fields: FieldOutputs
    documents: tuple[str, ...]
    names: tuple[str, ...]
    have: Documents
    """For each document and field, whether there is an output with a confidence, and any row at all."""
    wrong: NDArray[np.bool_]
    """Whether some item is wrong, for each document and field."""

    @classmethod
    def of(cls, fields: FieldOutputs) -> _Whole:
        documents, of_item = _numbered(fields.document)
        names, of_name = _numbered(fields.name)
        have = Documents.of(of_item, of_name, ~fields.rejected, len(names))
        # With a row count, all fields of its list count as listed, even without rows.
        for i, name in enumerate(names):
            for key in lists_of_names([name]):
                if (count := f"{key}{COUNT}") in names:
                    have.told[:, i] |= have.told[:, names.index(count)]
        wrong = np.zeros((len(documents), len(names)), np.bool_)
        wrong[of_item[~fields.correct], of_name[~fields.correct]] = True
        return cls(fields, documents, names, have, wrong)

    def lacking(self, optional: Collection[str]) -> NDArray[np.bool_]:
        """Return a mask of the documents that lack a required field or have no output at all."""
        return self.have.lacking(Requirements.of(self.names, tuple(optional)).required)

    def outputs(self, optional: Collection[str]) -> DocumentOutputs:
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
    """Return a number below 0 and below all confidences; NaN is ignored."""
    return float(np.floor(min(0.0, np.nanmin(confidence, initial=0.0)))) - 1.0


def _numbered(labels: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the distinct labels in order of appearance, and each label's index into them."""
    first: dict[str, int] = {}
    codes = np.array([first.setdefault(label, len(first)) for label in labels], np.intp)
    return tuple(first), codes


@dataclass(frozen=True, slots=True, eq=False)
class ReportedFields(Source):
    """Makes the report's sections on fields and documents."""

    fields: FieldOutputs
    texts: bool

    def splits(self, outputs: Outputs) -> list[ItemParts]:
        """Group the items by field; each field has its missed share of true values."""
        if outputs.by is None:
            return []
        codes, n = outputs.by.codes, len(outputs.by.names)
        there = np.array([bool(true) for true in self.fields.truth], bool)
        found = [np.bincount(codes[of], minlength=n) for of in (there & self.fields.rejected, there)]
        with np.errstate(invalid="ignore"):  # 0/0 for a field without any true value
            missed = found[0] / found[1]
        return [ItemParts("field", outputs.by.names, codes, missed)]

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(set(self.fields.document))

    def straight_through(self, threshold: float) -> tuple[float, float]:
        """Return the straight-through rate and the document error rate at a threshold."""
        counts = self.fields.straight_through(threshold)
        return counts.straight_through_rate, counts.document_error_rate

    def sections(
        self, evaluation: Evaluation, most: Callable[[int], int]
    ) -> tuple[list[Section], list[Section]]:
        """Return the report's last sections: on whole documents, and on the most confident errors."""
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
        """Return the most confident wrong fields, in decreasing order of confidence."""
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
