"""Read tables of fields for ``fastarac ocr``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from fastarac._core.text import listed
from fastarac.answers.engine_fields import EngineFields
from fastarac.cli._options import RefusalError, refused
from fastarac.evaluation.sources import Beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.cli._ocr import BesideItems, FieldReading, OcrRequest
    from fastarac.evaluation.limits import Limit
    from fastarac.results import FieldOutputs


def are_given(request: OcrRequest) -> bool:
    """Return whether the truth has fields; if it has none, refuse outputs with fields."""
    from fastarac.ocr import has_fields, is_field_table

    truth, outputs = request.files.truth, request.files.outputs or ()
    if truth is None:  # with --pair, the files are always texts
        return False
    with refused(ValueError, OSError, ModuleNotFoundError):
        if has_fields(truth):
            return True
        tables = [path for path in outputs if path.is_file() and is_field_table(path)]
    if tables:
        raise RefusalError(
            f"{tables[0]} is a table of fields, but {truth} has no fields; use a table with the "
            "columns document, field and truth, or JSON with the fields of each document"
        )
    return False


def read_engines(request: OcrRequest, limits: Sequence[Limit], given: BesideItems) -> EngineFields:
    from fastarac.ocr import read_fields

    _check(request)
    asked = request.fields
    truth, paths = request.files.truth, request.files.named()
    if not paths and truth is not None:  # one table holds the truth and the outputs
        paths, truth = {truth.stem: truth}, None
    engines = {}
    for name, path in paths.items():
        with refused(ValueError, OSError, ModuleNotFoundError, words=_in_words):
            engines[name] = read_fields(
                path,
                truth,
                compare=_comparisons(tuple(asked.compare or ())),
                **request.settings.field_names(),
                skip_unmatched=request.files.skip_unmatched,
                optional=_optional(asked),
                fields_complete=asked.fields_complete,
                rules=request.settings.rules,
            )
        if engines[name].rejected.all():
            raise RefusalError(_without_outputs(path, engines[name]))
    _check_names(request.settings.rename, engines)
    beside = Beside(texts=not given.no_text)
    every = request.combining.fields(engines)
    sources = {name: each.__report__(limits, beside) for name, each in every.items()}
    return EngineFields(every, sources, tuple(engines))


def _check(request: OcrRequest) -> None:
    """Refuse options that apply to texts only."""
    missed = request.alignment.missed
    if missed not in (None, "reject"):
        raise RefusalError(
            f"--missed must be reject for fields, because a person sees that a field is empty, got "
            f"{missed}"
        )


def _comparisons(given: tuple[str, ...]) -> dict[str, str] | None:
    """Return how `--compare` says to compare each field, or None without `--compare`."""
    from fastarac.ocr.fields.comparisons import read_comparisons

    return read_comparisons(given) or None


def _optional(asked: FieldReading) -> tuple[str, ...]:
    """Return the optional fields in `--optional` and in the .toml files of `--compare`."""
    from fastarac.ocr.fields.comparisons import settings_of_file

    files = [Path(text) for text in asked.compare or () if text.endswith(".toml")]
    named = [field for file in files for field in settings_of_file(file)[1]]
    return tuple(dict.fromkeys((*(asked.optional or ()), *named)))


def _check_names(given: Mapping[str, str], engines: Mapping[str, FieldOutputs]) -> None:
    """Refuse to rename fields that no engine has."""
    there = {name for fields in engines.values() for name in fields.renamed}
    if unknown := [name for name in given if name not in there]:
        raise RefusalError(
            f"rename in --settings must name fields that {listed(list(engines))} "
            f"{'have' if len(engines) > 1 else 'has'}, got {listed(unknown)}"
        )


def _without_outputs(path: Path, fields: FieldOutputs) -> str:
    """Return an error message: no field has an output."""
    n = len(fields)
    if any(prediction is not None for prediction in fields.prediction):
        return f"{path}: none of the {n:,} fields has an output with a confidence"
    left_out = "".join(f" ({note})" for note in fields.notes if " left out: " in note)
    return (
        f"{path}: none of the {n:,} fields of the truth has an output{left_out}; use the same "
        "names of documents and fields, or rename fields in the file of --settings"
    )


def _in_words(error: Exception) -> str:
    message = str(error)
    message = re.sub(r"^(?=(compare|optional) (names|is|must|needs|cannot|has)\b)", "--", message)
    message = re.sub(r"compare=\{'(.*?)': '(number|text)'\}", r"--compare \1=\2", message)
    message = message.replace("fields_complete=True", "--fields-complete")
    if "without a truth: " in message:
        message += (
            "; in the --settings file, rename these fields to the names that the truth uses, or leave "
            "them out with --skip-unmatched"
        )
    return message
