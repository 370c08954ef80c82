"""`fastarac apply`: a table of outputs, or the files of an OCR engine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fastarac._core.extras import missing
from fastarac._core.files import folder_problem, problem_with
from fastarac._core.text import plural, sentence
from fastarac.cli import _html
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._json import answer
from fastarac.cli._ocr import named_paths
from fastarac.cli._options import RefusalError, refuse, refused, require_files
from fastarac.cli._policies import columns_in, load, refusing
from fastarac.cli._running import fields_of, figures_of
from fastarac.operation.application import WRITTEN_FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.operation import Policy
    from fastarac.results import AppliedFields, AppliedPages

OF_TABLES = {
    "confidence": "--confidence", "by": "--by", "item": "--document",
    "group": "--group", "empty_confidence": "--empty-confidence", "judge": "--judge",
    "types": "--type",
}  # fmt: skip
OF_PAGES = {
    "pages": "--pages", "review_pages": "--review-pages", "images": "--images", "unit": "--unit",
    "join": "--join", "level": "--level", "pattern": "--pattern", "combination": "--combination",
    "name": "--name", "crops": "--crops",
}  # fmt: skip
OF_FIELDS = {
    "rename": "--rename", "value_key": "--value-key", "confidence_key": "--confidence-key",
}  # fmt: skip
DEFAULTS = {"confidence": "confidence", "unit": "word", "join": "min", "level": "auto"}


def run(
    policy: Path,
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    goals: tuple[Path, Path],
    looked_at: Mapping[str, Path | None],
    reading: Mapping[str, Any],
    delivery: tuple[str, Path | None],
    *,
    of_fields: Mapping[str, Any],
) -> None:
    """Tell a table from files of OCR or of fields, and refuse options that are for the others."""
    loaded = load(policy)
    if _are_documents(loaded, paths, columns):
        others = {**columns, **looked_at, **reading}
        _refuse_others(paths, "fields", others, {"tables": OF_TABLES, "OCR": OF_PAGES})
        _apply_to_fields(loaded, paths, goals, of_fields, delivery)
        return
    _refuse_others(paths, "outputs", of_fields, {"fields": OF_FIELDS})
    if is_of_ocr(paths, columns, {**looked_at, **reading}):
        _apply_to_pages(policy, paths, goals, looked_at, reading, delivery)
        return
    from fastarac.cli._running import apply

    if len(paths) > 1:
        raise RefusalError(f"{len(paths)} tables are given; one is expected, or files of OCR")
    apply(policy, paths[0], _columns_of_fields(loaded, paths[0], columns), goals, delivery)


def _are_documents(policy: Policy, paths: Sequence[Path], columns: Mapping[str, Any]) -> bool:
    """Whether the files are documents with the fields of the policy, and not a table of outputs."""
    from fastarac.ocr.fields.application import are_documents

    if not policy.fields or columns["by"] is not None or columns["item"] is not None:
        return False
    return any(
        path.exists() and refusing(str(path), partial(are_documents, path, policy)) for path in paths
    )


def _columns_of_fields(policy: Policy, path: Path, columns: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the columns, those of fields and documents by their usual names where none is given."""
    if not policy.fields or columns["by"] is not None or columns["item"] is not None:
        return columns
    usual = {"by": "field"} | ({} if policy.documents is None else {"item": "document"})
    return {**columns, **usual} if set(usual.values()) <= set(columns_in(path)) else columns


def _refuse_others(
    paths: Sequence[Path], read: str, given: Mapping[str, Any], options: Mapping[str, Mapping[str, str]]
) -> None:
    """Refuse options that are for something else than what the files are read as."""
    for wanted, own in options.items():
        for name in own.keys() & given.keys():
            if given[name] and given[name] != DEFAULTS.get(name):
                raise RefusalError(f"{own[name]} is for {wanted}, but {paths[0]} is read as {read}")


def _apply_to_fields(
    policy: Policy,
    paths: Sequence[Path],
    goals: tuple[Path, Path],
    of_fields: Mapping[str, Any],
    delivery: tuple[str, Path | None],
) -> None:
    """Divide the fields of documents, and say how much went where."""
    from fastarac import ocr
    from fastarac.ocr.fields.renaming import read_names

    form, report = delivery
    require_files(None, report)
    _require_goals(goals, None, None, None)
    keys = {name: of_fields[name] for name in ("value_key", "confidence_key") if of_fields[name]}
    with interrupts_end_at_once():
        found = refusing(
            "",
            lambda: ocr.apply_to_fields(policy, paths, rename=read_names(of_fields["rename"]), **keys),
        )
    refusing("", lambda: found.save(accepted=goals[0], review=goals[1]))
    refusing(str(report), lambda: _html.save_operation(report, policy=policy, applied=found.applied))
    lines = [sentence(found), *([] if report is None else [_html.WRITTEN.format(path=report)])]
    _answer(form, found, goals, lines, "documents")


def _answer(
    form: str,
    found: AppliedPages | AppliedFields,
    goals: tuple[Path, Path],
    lines: Sequence[str],
    units: str,
) -> None:
    """Print how much went where, and what speaks against it."""
    warnings = []
    if found.applied.warning is not None:
        advice = f"verify a random sample of the {units} for fastarac check"
        warnings.append(f"{found.applied.warning}; {advice}")
    about = {"applied": figures_of(found.applied, goals)}
    answer(form, "apply", about, lines, found.notes, warnings, **fields_of(found.applied))


def is_of_ocr(paths: Sequence[Path], of_tables: Mapping[str, Any], of_pages: Mapping[str, Any]) -> bool:
    """Tell files of an OCR engine from a table; refuse options that are for the other."""
    from fastarac import ocr

    tables = {path.name.lower().removesuffix(".gz").endswith(tuple(WRITTEN_FORMATS)) for path in paths}
    found = (len(paths) > 1 and False in tables) or any(
        path.exists() and refusing(str(path), partial(ocr.is_engine_output, path)) for path in paths
    )
    others, given = (OF_TABLES, of_tables) if found else (OF_PAGES, of_pages)
    for name, value in given.items():
        if value and value != DEFAULTS.get(name):
            read, wanted = ("OCR", "tables") if found else ("a table", "OCR")
            raise RefusalError(f"{others[name]} is for {wanted}, but {paths[0]} is read as {read}")
    return bool(found)


def engine_files(paths: Sequence[Path], reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of one engine, or of several by their names, and how they are read."""
    from fastarac import ocr

    options = dict(reading)
    model, names = options.pop("combination"), options.pop("name")
    options["output"] = paths
    if model is not None:
        options["combination"] = refusing(str(model), lambda: ocr.Combination.load(model))
        options["output"] = named_paths(paths, names)
    elif names:
        raise RefusalError("--name is given without --combination, whose engines it names")
    return options


def _apply_to_pages(
    policy_file: Path,
    paths: Sequence[Path],
    goals: tuple[Path, Path],
    looked_at: Mapping[str, Path | None],
    reading: Mapping[str, Any],
    delivery: tuple[str, Path | None],
) -> None:
    """Divide what an OCR engine read, and say how much went where."""
    from fastarac.report import write_review_pages

    pages, review_pages, images = (looked_at[name] for name in ("pages", "review_pages", "images"))
    form, report = delivery
    require_files(None, report)
    _require_goals(goals, pages, review_pages, images)
    policy = load(policy_file)
    with interrupts_end_at_once():
        found = refusing("", lambda: _found(policy, paths, reading))
    written = [] if report is None else [_html.WRITTEN.format(path=report)]
    if review_pages is not None:
        names = refusing(
            str(review_pages), lambda: write_review_pages(review_pages, found, images=images)
        )
        n = len(names)
        written.append(f"{review_pages} has {n:,} {plural('page', n)}: open one in a browser.")
    refusing("", lambda: found.save(accepted=goals[0], review=goals[1], pages=pages))
    refusing(str(report), lambda: _html.save_operation(report, policy=policy, applied=found.applied))
    _answer(form, found, goals, [sentence(found), *written], "pages")


def _found(policy: Policy, paths: Sequence[Path], reading: Mapping[str, Any]) -> AppliedPages:
    from fastarac import ocr

    options = engine_files(paths, reading)
    with refused(FileNotFoundError):
        return ocr.apply_to_files(policy, options.pop("output"), **options)


def _require_goals(
    goals: tuple[Path, Path], pages: Path | None, review_pages: Path | None, images: Path | None
) -> None:
    """Refuse files and folders that could not be written, before anything is."""
    for option, goal in (("--output", goals[0]), ("--review", goals[1]), ("--pages", pages)):
        refuse(
            None if goal is None else problem_with(goal, "file", tuple(WRITTEN_FORMATS)), f"{option}: "
        )
    if images is not None and review_pages is None:
        raise RefusalError("--images is given without --review-pages, which would show them")
    if review_pages is None:
        return
    needed = ["jinja2"] if images is None else ["jinja2", "PIL"]
    refuse(folder_problem(review_pages), f"{review_pages}: ")
    extra = "ocr" if images is not None and missing(["PIL"], "ocr") else "report"
    refuse(missing(needed, extra))
