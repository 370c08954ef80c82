"""The command ``fastarac ocr`` on tables of fields: each field alone, and each document as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from rich.text import Text

from fastarac._core.text import count, listed, printable, rounded_percent, sentence
from fastarac.cli import _html, _ocr, _report
from fastarac.cli._options import RefusalError
from fastarac.cli._settings import write
from fastarac.cli._tables import Column, tables
from fastarac.evaluation import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from fastarac.cli._compare import Findings
    from fastarac.cli._model import Model
    from fastarac.cli._ocr import Request
    from fastarac.cli._settings import Settings
    from fastarac.io import Outputs
    from fastarac.ocr import FieldOutputs

ITEMS = (
    "Items are the fields of the truth. A field without an output or without a confidence is rejected: "
    "no threshold accepts it, for a person sees that it is empty. A document is right if all its "
    "fields are, and goes straight through if all of them are accepted."
)
CLUSTERED = "Intervals are by document: fields of one document depend on each other, documents do not."
ALONE = (
    "Intervals take fields for independent of each other (--group none): they are too narrow where "
    "those of one document have much in common."
)
SHOWN = 20  # fields in the table; the other formats have all


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of the fields of each engine.

    Attributes
    ----------
    engines : dict of str to FieldOutputs
        Their fields.
    models : list of Model
        The figures of fields, the largest ARAC-AUC first.
    documents : list of Model
        The figures of whole documents, in the same order.
    comparison : Findings or None
        The engines side by side, by field, where there are several.
    by_document : bool
        Whether intervals of fields are by document.
    """

    engines: dict[str, FieldOutputs]
    models: list[Model]
    documents: list[Model]
    comparison: Findings | None
    by_document: bool


def are_given(request: Request) -> bool:
    """Return whether the arguments are tables of fields, or raise where only some are."""
    from fastarac.ocr import is_field_table

    paths = [path for path in (request.truth, *request.outputs) if path is not None]
    tables = [path for path in paths if path.is_file() and is_field_table(path)]
    if not tables:
        if request.normalise:
            raise RefusalError(
                "--normalise is for tables of fields; texts have --fold (see fastarac ocr --help)"
            )
        return False
    others = [path for path in paths if path not in tables]
    if others:
        raise RefusalError(
            f"{tables[0]} is a table of fields and {others[0]} is not: tables with the columns "
            "document and field are expected of both"
        )
    return True


def run(request: Request, settings: Settings, *, output: Path | None) -> None:
    """Read, evaluate, write and print."""
    _check(request)
    found = find(request, settings)
    settings.report(
        _html.of_fields(found.models, found.engines),
        [*_report.doubts(found.models), *_notes(found)],
        *_ocr.for_report(found.comparison),
    )
    if output is not None:
        _ocr.write_table({name: _columns(fields) for name, fields in found.engines.items()}, output)
    settings.draw(found.models)
    form = settings.delivery.form
    if form.is_for_people:
        write(_text_of(found, settings, output))
        return
    write(_report.text_of_rows(records(found), form))
    for note in (*_report.doubts(found.models), *_notes(found)):
        typer.echo(f"fastarac: note: {printable(note)}", err=True)


def find(request: Request, settings: Settings) -> Found:
    """Read the fields of all engines, and evaluate them."""
    from fastarac.ocr import read_fields

    truth, paths = request.truth, dict(request.named_outputs())
    if not paths and truth is not None:  # the truth stands beside the outputs
        paths, truth = {truth.stem: truth}, None
    engines = {}
    for name, path in paths.items():
        try:
            engines[name] = read_fields(
                path,
                truth,
                normalise=_normalisers(request.normalise),
                skip_unmatched=request.skip_unmatched,
            )
        except (ValueError, OSError, ModuleNotFoundError) as error:
            raise RefusalError(_in_words(error)) from None
        if engines[name].rejected.all():
            raise RefusalError(
                f"{path}: none of the {len(engines[name]):,} fields has a confidence; the column "
                "confidence is expected to have numbers"
            )
    outputs = {name: _outputs(each, by_document=request.by_page) for name, each in engines.items()}
    models = [_ocr.in_groups_of("document", model) for model in settings.evaluate(outputs)]
    whole = settings.evaluate({name: _whole(fields) for name, fields in engines.items()})
    of_name = {model.name: model for model in whole}
    return Found(
        engines,
        models,
        [of_name[model.name] for model in models],
        _compared(engines, settings, by_document=request.by_page) if len(engines) > 1 else None,
        request.by_page,
    )


def records(found: Found) -> list[dict[str, Any]]:
    """Return one flat dictionary an engine: figures of fields, of documents, and of each field."""
    rows = []
    for model, whole, figures in zip(
        found.models, found.documents, _report.records(found.models), strict=True
    ):
        fields = found.engines[model.name]
        row = figures | {
            "unit": "field",
            "group": "document" if found.by_document else "none",
            "fields": len(fields),
            "documents": whole.evaluation.n,
            "right": int(fields.correct.sum()),
            "wrong": int((~fields.correct & ~fields.rejected).sum()),
            "rejected": int(fields.rejected.sum()),
            "policy": "missed=reject",
            "normalisers": " ".join(f"{name}={each}" for name, each in fields.normalisers.items()),
        }
        for index, limit in enumerate(model.limits):
            counts = fields.straight_through(model.point(index).threshold)
            row[f"straight_through_rate@{limit.key}"] = counts.straight_through_rate
            row[f"document_error_rate@{limit.key}"] = counts.document_error_rate
        row |= {f"documents_{key}": value for key, value in whole.evaluation.to_dict().items()}
        for index, limit in enumerate(model.limits):
            for each in fields.by_field(model.point(index).threshold):
                row[f"acceptance_rate@{limit.key}|field={each.field}"] = each.acceptance_rate
                row[f"error_rate@{limit.key}|field={each.field}"] = each.error_rate
        rows.append(row)
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in keys} for row in rows]


def _check(request: Request) -> None:
    """Refuse options that are for texts."""
    if request.missed not in (None, "reject"):
        raise RefusalError(
            f"--missed is {request.missed}; fields without an output are rejected, as someone sees "
            "that they are empty: reject is expected"
        )
    if request.of_texts:
        verb = "is" if len(request.of_texts) == 1 else "are"
        raise RefusalError(
            f"{listed(list(request.of_texts))} {verb} for texts; fields need no alignment, and are "
            "compared by --normalise"
        )


def _normalisers(given: tuple[str, ...]) -> str | dict[str, str]:
    """Return what `--normalise` says: of each field, or of all."""
    named: dict[str, str] = {}
    of_all: list[str] = []
    for text in given:
        field, equals, name = text.rpartition("=")
        if not equals:
            of_all.append(name)
        elif field in named:
            raise RefusalError(f"--normalise is given twice for {field}; once is expected")
        else:
            named[field] = name
    if len(of_all) > 1 or (of_all and named):
        raise RefusalError(
            f"--normalise is given for all fields ({of_all[0]}) and again; once, or FIELD=NAME for "
            "each field is expected"
        )
    from fastarac.ocr.normalisers import normaliser

    for name in (*of_all, *named.values()):
        try:
            normaliser(name)
        except ValueError as error:
            raise RefusalError(str(error).replace("normaliser", "--normalise", 1)) from None
    return of_all[0] if of_all else named


def _in_words(error: Exception) -> str:
    message = str(error).replace("normalise names", "--normalise names")
    if "without a truth" in message:
        message += "; --skip-unmatched leaves them out"
    return message


def _outputs(fields: FieldOutputs, *, by_document: bool) -> Outputs:
    from fastarac.io._outputs import Outputs, labels_of

    group = labels_of(fields.groups) if by_document else None
    return Outputs(fields.correct, fields.confidence, group=group, rejected=fields.rejected)


def _whole(fields: FieldOutputs) -> Outputs:
    from fastarac.io import Outputs

    whole = fields.documents()
    return Outputs(whole.correct, whole.confidence, rejected=whole.rejected)


def _compared(
    engines: Mapping[str, FieldOutputs], settings: Settings, *, by_document: bool
) -> Findings:
    first, *others = engines.values()
    for name, fields in zip(list(engines)[1:], others, strict=True):
        if (fields.document, fields.field) != (first.document, first.field):
            raise RefusalError(
                f"{name} has other fields than {next(iter(engines))}, or in another order; engines are "
                "compared by the fields of one TRUTH"
            )
    outputs = {name: _outputs(fields, by_document=by_document) for name, fields in engines.items()}
    return _ocr.compared(outputs, settings, "document")


def _text_of(found: Found, settings: Settings, output: Path | None) -> str:
    several = len(found.engines) > 1
    rejected = any(fields.rejected.any() for fields in found.engines.values())
    group = "document" if found.by_document else None
    options = _ocr.options_for(settings, several=several, group=group, rejected=rejected)
    return _ocr.text_of(partial(_parts, found, settings), settings, output, "fields", options)


def _parts(found: Found, settings: Settings, console: Console) -> Iterator[Any]:
    """Yield what is printed, block by block."""
    engines = {model.name: found.engines[model.name] for model in found.models}
    every = list(engines.values())
    numbers = {
        "documents": [count(len(set(fields.document))) for fields in every],
        "fields": [count(len(fields)) for fields in every],
        "right": [count(int(fields.correct.sum())) for fields in every],
        "wrong": [count(int((~fields.correct & ~fields.rejected).sum())) for fields in every],
        "rejected": [count(int(fields.rejected.sum())) for fields in every],
    }
    columns = [Column(name, cells) for name, cells in numbers.items()]
    yield from tables(list(engines), [columns], console, "engine")
    yield ""
    for name, fields in engines.items():
        both = int((fields.correct & fields.rejected).sum())
        if both:
            of_engine = f" of {printable(name)}" if len(engines) > 1 else ""
            yield Text(
                f"{count(both)} rejected {'fields' if both > 1 else 'field'}{of_engine} "
                f"{'are' if both > 1 else 'is'} right, too: empty, as the truth is."
            )
    yield Text(f"{ITEMS} {_comparison(every[0])}")
    yield ""
    yield _ocr.printed_figures(found.models, found.comparison, settings, console)
    if settings.certainty.level is not None:
        yield Text(CLUSTERED if found.by_document else ALONE, style="dim")
    for model, whole in zip(found.models, found.documents, strict=True):
        of_engine = f" of {printable(model.name)}" if len(engines) > 1 else ""
        yield ""
        yield from _documents(engines[model.name], model, whole, of_engine, console)
        yield ""
        yield from _each_field(engines[model.name], model, of_engine, console)
    if found.comparison is not None:
        yield ""
        n = found.comparison.comparison.n
        clustered = ", clustered by document" if found.by_document else ""
        yield Text(f"Engines are compared by the {count(n)} fields of the truth{clustered}.")
        yield _ocr.printed_comparison(found.comparison, console)
    notes = _notes(found)
    if notes:
        yield ""
    yield from (Text(note, style="yellow") for note in notes)


def _comparison(fields: FieldOutputs) -> str:
    """Say by which normalisers texts are compared."""
    of_name: dict[str, list[str]] = {}
    for field, name in fields.normalisers.items():
        of_name.setdefault(name, []).append(printable(field))
    if len(of_name) == 1:
        (name,) = of_name
        return f"Texts are compared by the normaliser {name}."
    each = [f"{name} ({', '.join(which)})" for name, which in of_name.items()]
    return f"Texts are compared by the normalisers {listed(each)}."


def _documents(
    fields: FieldOutputs, model: Model, whole: Model, of_engine: str, console: Console
) -> Iterator[Text | Any]:
    """Yield fields and documents side by side: at the threshold of the fields, and at their own."""
    yield Text(f"Fields and whole documents{of_engine}, side by side", style="bold")
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
    limits = [wording.short(limit) for limit in model.limits]
    yield from _apart(tables(limits, [columns[:4], columns[4:]], console, "limit"))
    right = rounded_percent(float(fields.documents().correct.mean()))
    yield Text(
        f"{right} of the documents are right as a whole. Beside the threshold that keeps the limit "
        "among fields stands the one that keeps it among documents."
    )


def _each_field(fields: FieldOutputs, model: Model, of_engine: str, console: Console) -> Iterator[Any]:
    """Yield a table of the fields by name, the one that is least often right first."""
    at = [fields.by_field(model.point(index).threshold) for index in range(len(model.limits))]
    order = sorted(range(len(at[0])), key=lambda k: at[0][k].correct / at[0][k].documents)[:SHOWN]
    title = f"Each field{of_engine}, worst first"
    if len(at[0]) > SHOWN:
        title = f"The worst {SHOWN} of {len(at[0])} fields{of_engine}"
    yield Text(title, style="bold")
    blocks = [
        [
            Column("documents", [count(at[0][k].documents) for k in order]),
            Column("right", [rounded_percent(at[0][k].correct / at[0][k].documents) for k in order]),
            Column("rejected", [count(at[0][k].rejected) for k in order]),
        ]
    ]
    for index, limit in enumerate(model.limits):
        each = [at[index][k] for k in order]
        blocks.append(
            [
                Column(
                    f"accepted at the\nthreshold for {wording.short(limit)}",
                    [rounded_percent(found.acceptance_rate) for found in each],
                ),
                Column("errors that\nremain", [rounded_percent(found.error_rate) for found in each]),
            ]
        )
    names = [at[0][k].field for k in order]
    yield from _apart(tables(names, blocks, console, "field"))


def _apart(parts: list[Table]) -> Iterator[Table | str]:
    for number, part in enumerate(parts):
        if number:
            yield ""
        yield part


def _intervals(whole: Model) -> list[str] | None:
    from fastarac.cli import _intervals as intervals

    found = [whole.evaluation.intervals.get(f"acceptance_rate@{limit.key}") for limit in whole.limits]
    ends = [interval for interval in found if interval is not None]
    if len(ends) < len(found):
        return None
    return [intervals.of_share(each.low, each.high) for each in ends]


def _notes(found: Found) -> list[str]:
    """Return what is to be known of the tables, and of documents as a whole."""
    from fastarac.ocr.shared import ties

    said = []
    for name, fields in found.engines.items():
        who = f"{printable(name)}: " if len(found.engines) > 1 else ""
        notes = (*ties(fields.confidence[~fields.rejected]), *fields.notes)
        said += [f"{who}{sentence(note)}" for note in notes]
    for whole in found.documents:
        said += [f"Documents of {printable(whole.name)}: {note}." for note in whole.notes]
    return said


def _columns(fields: FieldOutputs) -> dict[str, Any]:
    keys = zip(fields.document, fields.field, strict=True)
    return {
        "id": [f"{document}:{field}" for document, field in keys],
        "document": list(fields.document),
        "field": list(fields.field),
        "truth": list(fields.truth),
        "prediction": np.array(fields.prediction, object),
        "correct": fields.correct,
        "confidence": fields.confidence,
        "rejected": fields.rejected,
    }
