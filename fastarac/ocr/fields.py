"""Fields of forms and invoices: right or wrong, each field alone and each document as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as with_default
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.results import Result
from fastarac._core.text import plural, rounded_percent
from fastarac.evaluation.part_orders import ItemParts
from fastarac.evaluation.sources import Source
from fastarac.io._outputs import Outputs, labels_of
from fastarac.ocr.errors import Error, accepted_at, pieces_of
from fastarac.ocr.readers._files import shown
from fastarac.ocr.reported import ERRORS, section_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.evaluation.items import Evaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.sources import Beside, Section

__all__ = ["DocumentOutputs", "FieldCounts", "FieldOutputs", "FoldedField", "StraightThrough"]


class StraightThrough(NamedTuple):
    """What a threshold means for fields, and for documents, side by side.

    A document goes straight through where every one of its fields is accepted: nobody opens it.

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
        """The share of all documents that nobody opens, and of which a field is wrong."""
        return self.document_errors / self.documents


class FoldedField(NamedTuple):
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


class FieldCounts(NamedTuple):
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
        ``missed`` where the field is rejected, ``inserted`` where no true field takes the output, else
        ``right`` or ``wrong``.
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
        code = np.array([first.setdefault(name, len(first)) for name in self.name])
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
