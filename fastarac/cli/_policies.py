"""Read policies and files of outputs for the commands about policies."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import io, operation
from fastarac._core.exceptions import collected
from fastarac._core.text import listed, quoted
from fastarac.answers.file_notes import said_of_rejects
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import in_words
from fastarac.cli._option_groups import ReadColumns
from fastarac.cli._options import MayBeEmpty, RefusalError
from fastarac.io._formats import open_source
from fastarac.io._pages import names_in
from fastarac.io._sources import connect
from fastarac.partial_truth.verified_files import read_verified_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.operation import Policy

NAMES = {  # names of library arguments, and the options that set them
    "by": "--by", "documents": "--document", "groups": "--group", "accepted": "--output",
    "review": "--review", "optional": "--optional", "types": "--type",
    "fields_complete": "--fields-complete", "once": "--once", "ids": "--id",
}  # fmt: skip
ID = "id"  # the column of ids that fastarac ocr -o and sample write
MODEL = "model"  # the column of models that fastarac ocr -o writes


def refusing(name: str, do: Callable[[], Any], names: Mapping[str, str] = NAMES) -> Any:
    """Return the result of `do`; its errors become refusals that name options."""
    try:
        return do()
    except OSError as error:
        raise RefusalError(f"{error.filename or name}: {error.strerror or error}") from None
    except (ValueError, TypeError) as error:
        raise RefusalError(_in_words(error, names)) from None


def save_report(path: Path | None, **parts: Any) -> None:
    if path is not None:
        from fastarac.report import write_operation_report

        refusing(str(path), partial(write_operation_report, path, **parts))


def read_verified(path: Path, columns: Mapping[str, Any], notes: list[str]) -> Any:
    """Return the pair (truth, confidence) and the fields of partly verified outputs."""
    with collected(notes), interrupts_end_at_once():
        return refusing(str(path), partial(read_verified_fields, path, **columns))


def load(path: Path, kind: Any = operation.Policy) -> Any:
    try:
        return kind.load(path)
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RefusalError(str(error)) from None


def policies_in(folder: Path) -> dict[str, Policy]:
    """Read the policies in a folder, by file name without ending."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RefusalError(
            f"{folder}: there is no policy in this folder (a file whose name ends in .json)"
        )
    return {path.stem: load(path) for path in files}


class PolicyColumns(NamedTuple):
    """The columns of a file to which a policy is applied."""

    reading: ReadColumns
    by: str | None
    documents: str | None
    types: str | None
    groups: Any
    fields_complete: bool

    def of_table(self) -> dict[str, Any]:
        """Return the columns as arguments of the library; leave out a pair of group columns."""
        groups = self.groups if isinstance(self.groups, str) else None
        return {
            "confidence": self.reading.confidence, "by": self.by, "documents": self.documents,
            "groups": groups, "types": self.types,
        }  # fmt: skip


def columns_of_policy(policy: Policy, path: Path, confidence: str | None = None) -> PolicyColumns:
    """Return a file's columns: the names that the policy saved or, if the file lacks them, defaults."""
    there, given = columns_in(path), policy.columns

    def named(role: str) -> Any:
        name = given.get(role)
        every = [name] if isinstance(name, str) else list(name or ())
        return name if every and set(every) <= set(there) else None

    def needed(role: str, usual: str, *, needs: bool) -> str | None:
        column: str | None = named(role) or (usual if usual in there else None)
        if needs and column is None:
            raise RefusalError(
                f"{path}: there is no column {quoted(given.get(role, usual))}, which the policy needs; "
                f"the columns are {listed(list(map(quoted, there)))}"
            )
        return column if needs else None

    empty = given.get("allow_empty", ())
    reading = ReadColumns(
        confidence or named("confidence") or "confidence", named("correct"), named("prediction"),
        named("truth"), given.get("compare"), [MayBeEmpty(each) for each in empty],
    )  # fmt: skip
    return PolicyColumns(
        reading,
        needed("by", "field", needs=bool(policy.fields)),
        needed("documents", "document", needs=policy.documents is not None),
        needed("types", "type", needs=bool(policy.types)),
        named("groups") if policy.has_groups else None,
        policy.fields_complete,
    )


def _read(path: Path, columns: Mapping[str, Any], notes: list[str] | None) -> io.Outputs:
    with nullcontext() if notes is None else collected(notes), interrupts_end_at_once():
        found: io.Outputs = refusing(str(path), lambda: io.read_outputs(path, **columns))
    return found


def of_one_model(
    path: Path, only: str | None, columns: Mapping[str, Any], notes: list[str] | None
) -> io.Outputs:
    """Read the outputs of a file's only model, or of the model that `only` names.

    Warnings go to `notes`; if `notes` is None, they are issued as warnings.
    """
    if MODEL in columns.values() or MODEL not in columns_in(path):
        if only is not None:
            raise RefusalError(f'{path}: --only needs a column "{MODEL}", which the file lacks')
        return _read(path, columns, notes)
    parts = _read(path, {**columns, "model": MODEL}, notes).per_model()
    if only is None and len(parts) > 1:
        raise _several_models(path, list(parts), "--only NAME takes one")
    if only is not None and only not in parts:
        known = listed([quoted(name) for name in parts])
        raise RefusalError(f'--only is {quoted(only)}; column "{MODEL}" of {path} holds {known}')
    return parts[only] if only is not None else next(iter(parts.values()))


def require_one_model(path: Path, used: Collection[Any]) -> None:
    """Refuse outputs of several models if `used` lacks the column of models."""
    found = [] if MODEL in used else names_in(path, MODEL)
    if len(found) > 1:
        raise _several_models(path, found, "give a table of one model's outputs")


def _several_models(path: Path, names: Sequence[str], way_out: str) -> RefusalError:
    known = listed([quoted(name) for name in names])
    return RefusalError(
        f'{path}: column "{MODEL}" holds {known}, whose confidences may mean different things; a '
        f"policy is for one model: {way_out}, or use fit --by {MODEL}, which gives each model a "
        "threshold"
    )


def columns_in(path: Path) -> Sequence[str]:
    def names() -> Sequence[str]:
        with connect() as connection:
            return open_source(path, connection).columns

    found: Sequence[str] = refusing(str(path), names)
    return found


def with_confidence(path: Path, outputs: io.Outputs, notes: list[str], *, missed: bool) -> io.Outputs:
    """Return the outputs that have a confidence; for documents, all outputs.

    Other outputs are never accepted, so a limit that holds without them holds for all outputs.
    """
    if outputs.rejected is None:
        return outputs
    left = ~outputs.rejected
    if not left.any():
        raise RefusalError(f"{path}: none of its outputs has a confidence")
    n = int(outputs.rejected.sum())
    said = said_of_rejects(n, len(outputs), missed=missed)
    if outputs.item is not None:
        lack = "nor is a document that lacks a required field"
        told = (
            f"{n:,} of {len(outputs):,} fields have no output with a confidence: they are"
            if missed
            else said
        )
        notes.append(f"{told} never accepted, {lack}")
        return outputs
    notes.append(f"{said} never accepted; a limit that holds among the others also holds among all")
    return outputs.take(np.flatnonzero(left))


def types_in(
    path: Path, only: str | None, columns: Mapping[str, Any], types: str | None
) -> NDArray[Any] | None:
    """Return the type of each output's document, or None without a column of types."""
    if types is None:
        return None
    return labels_of(of_one_model(path, only, {**columns, "item": types}, []).item)


def ids_in(
    path: Path, only: str | None, columns: Mapping[str, Any], column: str | None
) -> NDArray[Any] | None:
    """Return the id of each output, from `column` or else from a column "id" without duplicates."""
    if column is None and ID not in columns_in(path):
        return None
    found = labels_of(of_one_model(path, only, {**columns, "item": column or ID}, []).item)
    is_unique = found is not None and len(np.unique(found)) == len(found)
    return found if column is not None or is_unique else None


def one_group_of(outputs: io.Outputs) -> NDArray[Any] | None:
    """Return the group of each output; refuse two columns of groups."""
    if outputs.crossed is not None:
        raise RefusalError(
            "--group must name one column, or two nested ones: these two are crossed (each "
            "splits the groups of the other)"
        )
    return labels_of(outputs.group)


def labels_of(labels: io.Labels | None) -> NDArray[Any] | None:
    return None if labels is None else np.array(labels.names)[labels.codes]


def _in_words(error: Exception, names: Mapping[str, str]) -> str:
    message = in_words(error)
    name = message.partition(" ")[0]
    message = message.replace(" and review is ", " and --review is ")
    return message.replace(name, names[name], 1) if name in names else message
