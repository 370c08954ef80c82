"""Answers about the fields that engines read: each field, and each document as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from fastarac._core.metric_keys import parts_of_keys
from fastarac._core.text import count, few_of, listed, plural, printable, rounded_percent, sentence
from fastarac.answers import decisions, intervals, missing_fields
from fastarac.answers.screen import Note, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.evaluation.limits import short
from fastarac.io import Outputs
from fastarac.ocr.fields.rules import rule_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fastarac.answers.models import Model
    from fastarac.answers.tables import Part
    from fastarac.ocr.fields.outputs import ReportedFields
    from fastarac.results import AbsentField, FieldOutputs

    Evaluate: TypeAlias = Callable[[Mapping[str, Outputs]], list[Model]]

FIELDS = "fields"
ITEMS = (
    "Each field of the truth is an item, and so is each output without a true value. A field without "
    "an output or a confidence is always rejected, because a person sees that it is empty. A document "
    "is right if all its fields are right. It goes straight through if all its outputs are accepted "
    "and it has every required field."
)
ITEMS_BRIEF = (
    "A document goes straight through if all its outputs are accepted and it has every required field."
)
UNLISTED = (
    "The truth does not list every field. Add an empty row for each absent field, or use "
    "--fields-complete if unlisted fields are absent."
)
CHOSEN = (
    "These figures describe all these documents. To choose optional fields, use the figures of "
    "fastarac fit: they come from one half of the sample, and the other half tests the limit."
)
ABSENT = ("optional", "documents", "absent", "rightly", "unlisted")
SHOWN = 20  # number of fields in the printed table; JSON and CSV have all fields


@dataclass(slots=True)
class EngineFields:
    """The fields that the engines have read.

    Attributes
    ----------
    engines : mapping of str to FieldOutputs
    sources : mapping of str to (Outputs, ReportedFields)
    single : tuple of str
        The names of the engines that were read, without their combinations.
    documents : dict of str to Model
        The figures of whole documents, by engine.
    """

    engines: Mapping[str, FieldOutputs]
    sources: Mapping[str, tuple[Outputs, ReportedFields]]
    single: tuple[str, ...]
    documents: dict[str, Model] = field(default_factory=dict)

    items = FIELDS
    notes_beside_rows = True

    @property
    def paired(self) -> Literal["items", "groups"]:
        """The pairing: "items" if all engines have read the same fields, else "groups"."""
        keys = {(fields.document, fields.field) for fields in self.engines.values()}
        return "items" if len(keys) == 1 else "groups"

    @property
    def n_parts(self) -> int:
        """Number of documents."""
        return len(set(next(iter(self.engines.values())).document))

    def evaluate_documents(self, evaluate: Evaluate, names: Sequence[str]) -> None:
        """Evaluate whole documents."""
        every = {name: fields.documents() for name, fields in self.engines.items()}
        outputs = {
            name: Outputs(whole.correct, whole.confidence, rejected=whole.rejected)
            for name, whole in every.items()
        }
        models = {model.name: model for model in evaluate(outputs)}
        self.documents = {name: models[name] for name in names}

    def flat(self, model: Model) -> dict[str, Any]:
        """Return the accepted shares and error rates of each field, for a flat row."""
        parts = self.inside(model)["groups"]
        fields = parts_of_keys((part["name"] for part in parts), "fields")
        return {
            f"{name}/{limit.key}/field/{field}": part[f"{name}/{limit.key}"]
            for limit in model.limits
            for field, part in zip(fields, parts, strict=True)
            for name in ("acceptance_rate", "error_rate")
        }

    def row(self, model: Model, group: str, level: float | None) -> dict[str, Any]:  # noqa: ARG002
        """Return the figures of the engine's fields and documents as a flat row."""
        fields, whole = self.engines[model.name], self.documents[model.name].evaluation
        row: dict[str, Any] = {
            "unit": "field",
            "group": group,
            "fields": len(fields),
            "documents": whole.n,
            **_counts(fields),
            "policy": "missed=reject",
            "comparisons": " ".join(f"{name}={each}" for name, each in fields.comparisons.items()),
            "folded": sum(each.n for each in fields.folded),
        }
        thresholds = {limit.key: model.point(i).threshold for i, limit in enumerate(model.limits)}
        for key, threshold in thresholds.items():
            counts = fields.straight_through(threshold)
            row[f"straight_through_rate/{key}"] = counts.straight_through_rate
            row[f"document_error_rate/{key}"] = counts.document_error_rate
        row |= {f"documents_{key}": value for key, value in whole.to_dict().items()}
        return row

    def inside(self, model: Model) -> dict[str, Any]:
        """Return nested figures for JSON: of each field, and of fields that some documents lack."""
        fields, found = self.engines[model.name], dict[str, dict[str, Any]]()
        for index, limit in enumerate(model.limits):
            for each in fields.by_field(model.point(index).threshold):
                counts = {"n": each.items, "right": each.correct, "rejected": each.rejected}
                part = found.setdefault(each.field, {"name": each.field, **counts})
                part[f"acceptance_rate/{limit.key}"] = each.acceptance_rate
                part[f"error_rate/{limit.key}"] = each.error_rate
        return {"groups": list(found.values()), "absent_fields": _absent_objects(fields, model)}

    def columns(self, name: str) -> dict[str, Any]:
        """Return the fields of an engine as columns."""
        fields = self.engines[name]
        keys = zip(fields.document, fields.field, strict=True)
        return {
            "id": [f"{document}:{field}" for document, field in keys],
            "document": list(fields.document),
            "field": list(fields.name),
            "kind": list(fields.kind),
            "truth": list(fields.truth),
            "prediction": np.array(fields.prediction, object),
            "correct": fields.correct,
            "confidence": fields.confidence,
            **rule_columns(fields.document, fields.rules, fields.broken),
        }

    def notes(self) -> Iterator[str]:
        """Yield notes about the tables of fields and about whole documents."""
        from fastarac.ocr.analysis.hints import ties

        yield from self._never_found()
        for name, fields in self.engines.items():
            who = f"{printable(name)}: " if len(self.engines) > 1 else ""
            names = [f"{field} as {new}" for field, new in fields.renamed.items()]
            if names:
                yield f"{who}Fields are renamed: {few_of(map(printable, names), SHOWN)}."
            folded = [f"right though the texts differ: {each}" for each in fields.folded]
            for note in (*ties(fields.confidence[~fields.rejected]), *folded, *fields.notes):
                said = sentence(note).replace(" with compare: ", " with --compare: ")
                said = said.replace("fields_complete=True", "--fields-complete")
                yield f"{who}{said}"
        for whole in self.documents.values():
            yield from (f"Documents of {printable(whole.name)}: {note}." for note in whole.notes)

    def _never_found(self) -> Iterator[str]:
        """Yield a sentence on each engine that never finds some field."""
        for name, fields in self.engines.items():
            said = missing_fields.note(fields.never_found, fields.without_truth)
            if said is not None:
                yield f"{printable(name)}: {said}" if len(self.engines) > 1 else said

    def read(self, names: Sequence[str], level: float | None) -> Iterator[Part]:  # noqa: ARG002
        """Yield a table of how much each engine has read, and sentences on how items are counted."""
        every = [self.engines[name] for name in names]
        numbers = [
            {"documents": len(set(fields.document)), "fields": len(fields), **_counts(fields)}
            for fields in every
        ]
        columns = [Column(name, [count(each[name]) for each in numbers]) for name in numbers[0]]
        yield AnswerTable(names, [columns], "engine")
        for name, fields in zip(names, every, strict=True):
            both = int((fields.correct & fields.rejected).sum())
            if both:
                of_engine = f" of {printable(name)}" if len(names) > 1 else ""
                yield Said(
                    f"{count(both)} rejected {'fields' if both > 1 else 'field'}{of_engine} "
                    f"{'are' if both > 1 else 'is'} right: output and truth are both empty."
                )
        yield Said(f"{ITEMS} {_comparison(every[0])}")

    def about(self, names: Sequence[str]) -> str:
        """Return a line on how much the engines have read."""
        fields = self.engines[names[0]]
        n = len(set(fields.document))
        return f"{n:,} {plural('document', n)}, {count(len(fields))} fields."

    def notes_of_items(self, models: Sequence[Model]) -> Iterator[Note]:
        """Yield notes on limits that documents exceed, and on how items are counted."""
        for index, limit in enumerate(models[0].limits):
            model = decisions.leader(models, index)
            through = model.source.straight_through(model.point(index).threshold)
            if through is not None and limit.criterion == "max_error_rate" and through[1] > limit.value:
                yield Note(self._of_documents(model, index, through[1]), Weight.DECIDES)
        yield from (Note(said, Weight.DECIDES) for said in self._never_found())
        if any(each.unlisted for model in models for each in self._lacking(model)):
            yield Note(UNLISTED, Weight.DECIDES)
        yield Note(f"{ITEMS} {_comparison(self.engines[models[0].name])}", Weight.ASSUMES, ITEMS_BRIEF)

    def _of_documents(self, model: Model, index: int, wrong: float) -> str:
        """Return sentences on a limit that fields keep and documents exceed."""
        whole = self.documents[model.name]
        share = whole.point(index).acceptance_rate
        instead = "No threshold keeps the limit among documents."
        if share:
            at = f"at a document confidence >= {whole.threshold(index)}"
            instead = f"Documents keep it {at}; {rounded_percent(share)} then go straight through."
        return (
            f"Fields keep {short(model.limits[index])}, but documents do not: "
            f"{rounded_percent(wrong)} of documents go through with an error. {instead}"
        )

    def sections(self, models: Sequence[Model]) -> Iterator[Section]:
        """Yield each engine's sections: whole documents, absent fields, and each field."""
        for model in models:
            of_engine = f" of {printable(model.name)}" if len(self.engines) > 1 else ""
            fields = self.engines[model.name]
            whole = self.documents[model.name]
            title = f"Fields and whole documents{of_engine}, side by side"
            yield Section(title, list(_documents(fields, model, whole)))
            absent = self._lacking(model)
            if absent:
                title = f"Fields that documents lack{of_engine}"
                yield Section(title, list(_absent(fields, model, absent)))
            yield _each_field(fields, model, of_engine)

    def _lacking(self, model: Model) -> Sequence[AbsentField]:
        """Return the fields that some documents lack, at the threshold for the first limit."""
        if not model.limits:
            return []
        return self.engines[model.name].absent_fields(model.point(0).threshold)


def _counts(fields: FieldOutputs) -> dict[str, int]:
    return {
        "right": int(fields.correct.sum()),
        "wrong": fields.kind.count("wrong"),
        "missed": fields.kind.count("missed"),
        "empty": fields.kind.count("empty"),
        "rejected": int(fields.rejected.sum()),
        "inserted": fields.kind.count("inserted"),
    }


def _comparison(fields: FieldOutputs) -> str:
    """Return a sentence on how outputs are compared with the truth."""
    of_name: dict[str, list[str]] = {}
    for of_field, name in fields.comparisons.items():
        of_name.setdefault(name, []).append(printable(of_field))
    if len(of_name) == 1:
        (name,) = of_name
        return "Fields are compared exactly." if name == "exact" else f"Fields are compared by {name}."
    each = [f"{name} ({', '.join(which)})" for name, which in of_name.items()]
    return f"Fields are compared by {listed(each)}."


def _documents(fields: FieldOutputs, model: Model, whole: Model) -> Iterator[Part]:
    """Yield a table of fields and of whole documents at their thresholds, and a sentence."""
    counts = [
        fields.straight_through(model.point(index).threshold) for index in range(len(model.limits))
    ]
    columns = [
        Column("fields\nat >=", [model.threshold(index) for index in range(len(counts))]),
        Column("fields\naccepted", [rounded_percent(at.field_acceptance_rate) for at in counts]),
        Column(
            "documents\nstraight through",
            [rounded_percent(at.straight_through_rate) for at in counts],
        ),
        Column("of all\nwrong", [rounded_percent(at.document_error_rate) for at in counts]),
    ]
    at_own = [whole.point(index) for index in range(len(counts))]
    columns += [
        Column("documents\nat >=", [whole.threshold(index) for index in range(len(counts))]),
        Column(
            "documents\nstraight through",
            [rounded_percent(point.acceptance_rate) for point in at_own],
            below=_intervals(whole),
        ),
        Column("of all\nwrong", [rounded_percent(point.error_rate) for point in at_own]),
    ]
    limits = [short(limit) for limit in model.limits]
    yield AnswerTable(limits, [columns[:4], columns[4:]], "limit")
    right = rounded_percent(float(fields.documents().correct.mean()))
    yield Said(
        f"{right} of the documents are right as a whole. The table has two thresholds: one keeps the "
        "limit among fields, the other among documents."
    )


def _absent_objects(fields: FieldOutputs, model: Model) -> list[dict[str, Any]]:
    """Return how often documents lack each field, and document rates with the opposite requirement."""
    found: dict[str, dict[str, Any]] = {}
    for index, limit in enumerate(model.limits):
        for each in fields.absent_fields(model.point(index).threshold):
            counts = {name: getattr(each, name) for name in ABSENT}
            own = found.setdefault(each.field, {"name": each.field, **counts})
            own[f"straight_through_rate/{limit.key}"] = each.otherwise.straight_through_rate
            own[f"document_error_rate/{limit.key}"] = each.otherwise.document_error_rate
    return list(found.values())


def _absent(fields: FieldOutputs, model: Model, absent: Sequence[AbsentField]) -> Iterator[Part]:
    """Yield sentences on how often documents lack fields, and on the effect of optional fields."""
    threshold = model.point(0).threshold
    at = short(model.limits[0])
    yield Said(
        f"The shares that go straight through apply to the threshold at which fields keep {at}.", "dim"
    )
    often = sorted(absent, key=lambda each: -each.absent)
    yield from (Said(f"{printable(str(each))}.") for each in often[:SHOWN])
    if len(often) > SHOWN:
        yield Said(f"{count(len(often) - SHOWN)} more fields are absent, each in fewer documents.")
    if any(each.unlisted for each in absent):
        yield Said(UNLISTED)
    elif len(often) > 1:
        every = fields.all_optional(threshold)
        through, wrong = map(rounded_percent, (every.straight_through_rate, every.document_error_rate))
        yield Said(
            f"With all of them optional, {through} of documents would go straight through, and {wrong} "
            "of all documents would have an undetected error."
        )
    yield Said(CHOSEN, "dim")


def _each_field(fields: FieldOutputs, model: Model, of_engine: str) -> Section:
    """Return a table of the fields, least accurate first."""
    at = [fields.by_field(model.point(index).threshold) for index in range(len(model.limits))]
    order = sorted(range(len(at[0])), key=lambda k: at[0][k].correct / at[0][k].items)[:SHOWN]
    title = f"Each field{of_engine}, worst first"
    if len(at[0]) > SHOWN:
        title = f"The worst {SHOWN} of {len(at[0])} fields{of_engine}"
    blocks = [
        [
            Column("items", [count(at[0][k].items) for k in order]),
            Column("right", [rounded_percent(at[0][k].correct / at[0][k].items) for k in order]),
            Column("rejected", [count(at[0][k].rejected) for k in order]),
        ]
    ]
    for index, limit in enumerate(model.limits):
        each = [at[index][k] for k in order]
        blocks.append(
            [
                Column(
                    f"accepted at the\nthreshold for {short(limit)}",
                    [rounded_percent(found.acceptance_rate) for found in each],
                ),
                Column("errors that\nremain", [rounded_percent(found.error_rate) for found in each]),
            ]
        )
    names = [at[0][k].field for k in order]
    return Section(title, [AnswerTable(names, blocks, "field")])


def _intervals(whole: Model) -> list[str] | None:
    found = [whole.evaluation.intervals.get(f"acceptance_rate/{limit.key}") for limit in whole.limits]
    ends = [interval for interval in found if interval is not None]
    if len(ends) < len(found):
        return None
    return [intervals.of_share(each.low, each.high) for each in ends]
