"""Distinguish tables, OCR engines' files and documents with fields, and check their options."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fastarac.cli._ocr import named_paths, unit_of
from fastarac.cli._options import RefusalError
from fastarac.cli._policies import columns_in, refusing
from fastarac.operation.application import WRITTEN_FORMATS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from fastarac.cli._ocr_settings import OcrSettings
    from fastarac.operation import Policy

OF_TABLES = "--confidence", "--by", "--judge"
OF_OCR = "--pages", "--images", "--crops"


def refuse_others(
    given: Collection[str], path: Path, read: str, options: Mapping[str, Sequence[str]]
) -> None:
    """Refuse options that do not apply to the kind of file that was read."""
    for wanted, names in options.items():
        other = next((name for name in names if name in given), None)
        if other is not None:
            raise RefusalError(f"{other} is for {wanted}, but {path} is read as {read}")


def are_documents(policy: Policy, paths: Sequence[Path], given: Collection[str]) -> bool:
    """Return whether the files are documents with the policy's fields, not a table of outputs.

    For documents, refuse options that are for tables or for OCR.
    """
    from fastarac.ocr.fields import application

    by = policy.columns.get("by", "field")
    if not policy.fields:
        return False
    is_table = paths[0].is_file() and paths[0].suffix.lower() in WRITTEN_FORMATS
    if by != "field" and is_table and by in columns_in(paths[0]):
        return False
    found = any(
        path.exists() and refusing(str(path), partial(application.are_documents, path, policy))
        for path in paths
    )
    if found:
        refuse_others(given, paths[0], "fields", {"tables": OF_TABLES, "OCR": OF_OCR})
    return found


def is_of_ocr(
    paths: Sequence[Path], given: Collection[str], of_tables: Sequence[str] = OF_TABLES
) -> bool:
    """Return whether an OCR engine wrote the files; refuse options that do not fit them."""
    from fastarac.ocr.application import are_engine_outputs

    found = refusing(str(paths[0]), partial(are_engine_outputs, paths))
    read, others = (
        ("OCR", {"tables": of_tables}) if found else ("a table", {"OCR": (*OF_OCR, "--settings")})
    )
    refuse_others(given, paths[0], read, others)
    return bool(found)


def engine_files(paths: Sequence[Path], settings: OcrSettings) -> dict[str, Any]:
    """Return the arguments for reading files of one OCR engine, or of several to combine."""
    from fastarac import ocr

    options: dict[str, Any] = {
        "unit": str(unit_of(settings)), "join": settings.join, "level": settings.level,
        "output": paths, "combination": None,
    }  # fmt: skip
    model = settings.combination
    if model is not None:
        options["combination"] = refusing(str(model), lambda: ocr.Combination.load(model))
        options["output"] = named_paths(paths, settings.names)
    return options
