"""The commands about what is in use: they read files, call the library, and print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from fastarac import io, operation
from fastarac._core.text import json_text, percent, printable
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import WORDS
from fastarac.cli._options import RefusalError, in_words_of_options
from fastarac.cli._settings import write
from fastarac.operation.policy import shown_threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.operation import Policy

COLUMNS = {
    "by": "--by", "documents": "--document", "groups": "--group", "accepted": "--output",
    "review": "--review",
}  # fmt: skip
REFUSED = (ValueError, TypeError, OSError)


def refusing(name: str, do: Callable[[], Any]) -> Any:
    """Return what a function returns; its errors are refusals, with options in place of arguments."""
    try:
        return do()
    except io.DataFileError as error:
        raise RefusalError(_in_words(error)) from None
    except OSError as error:
        raise RefusalError(f"{name}: {error.strerror or error}") from None
    except REFUSED as error:
        raise RefusalError(_in_words(error)) from None


def fit(
    path: Path, columns: Mapping[str, Any], limits: Mapping[str, Any], rule: str, output: Path
) -> None:
    """Fit a policy to a file, write it, and say what it accepts."""
    from fastarac.cli._notes import collected

    notes: list[str] = []
    outputs = _read(path, columns)
    with collected(notes), interrupts_end_at_once():
        policy = refusing(
            str(path),
            lambda: operation.fit_policy(
                outputs.correct,
                outputs.confidence,
                by=labels_of(outputs.by),
                groups=labels_of(outputs.group),
                documents=labels_of(outputs.item),
                rule=rule,  # type: ignore[arg-type]
                **limits,
            ),
        )
    refusing(str(output), lambda: policy.save(output))
    write("".join(f"{line}\n" for line in _summary(policy, output)))
    for note in notes:
        typer.echo(f"fastarac: note: {printable(in_words_of_options(note))}", err=True)


def _summary(policy: Policy, output: Path) -> list[str]:
    sentence = str(policy)
    lines = [f"{sentence[:1].upper()}{sentence[1:]}."]
    if policy.fields and not policy.documents:
        width = max(len(printable(str(field))) for field in policy.fields)
        lines += [""]
        for field, threshold, reference in zip(
            policy.fields, policy.thresholds, policy.references, strict=True
        ):
            what = f"accepted {shown_threshold(threshold)}"
            n = int(reference.counts.sum())
            lines.append(f"  {printable(str(field)):{width}}  {n:>9,} outputs  {what}")
        lines += [""]
    unit = "documents" if policy.documents else "outputs"
    lines.append(
        f"Tested on {policy.n_items:,} {unit}: {policy.accepted:,} accepted, {policy.errors:,} errors "
        f"among them. Written to {printable(str(output))}."
    )
    return lines


def check(
    policy_file: Path, path: Path, columns: Mapping[str, Any], max_group_size: int | None, form: str
) -> int:
    """Check a policy on a file of new verified outputs; returns the exit status."""
    policy = load(policy_file)
    outputs = _read(path, columns_for(policy, columns))
    by = labels_of(outputs.by)

    def both() -> tuple[Any, Any]:
        found = policy.check(
            outputs.correct,
            outputs.confidence,
            by=by,
            groups=labels_of(outputs.group),
            documents=labels_of(outputs.item),
            max_group_size=max_group_size,
        )
        return found, policy.shift(outputs.confidence, by=by)

    with interrupts_end_at_once():
        found, shift = refusing(str(path), both)
    if form == "json":
        interval = found.interval
        content = {
            "verdict": found.verdict,
            "criterion": found.criterion,
            "limit": found.limit,
            "rate": interval.estimate if found.accepted or not np.isnan(interval.estimate) else None,
            "low": interval.low,
            "high": interval.high,
            "n_items": found.n_items,
            "accepted": found.accepted,
            "errors": found.errors,
            "still_needed": found.still_needed,
            "shifted": shift.shifted,
            "shift_pvalue": shift.pvalue,
            "shift_field": shift.field,
        }
        write(json_text(content, indent=2) + "\n")
        return int(found.exit_status)
    lines = [str(found), str(shift)]
    share = percent(found.accepted / found.n_items, 4)
    first, second = (f"{line[:1].upper()}{line[1:]}.\n" for line in lines)
    write(f"{first}{found.accepted:,} of {found.n_items:,} are accepted ({share}). {second}")
    return int(found.exit_status)


def load(path: Path) -> Policy:
    """Read a policy; what is wrong with the file is a refusal that names it."""
    try:
        return operation.Policy.load(path)
    except OSError as error:
        raise RefusalError(f"{path}: it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RefusalError(f"{path}: {error}") from None


def columns_for(policy: Policy, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as given, once it is known that the policy's own are there."""
    for needed, option in ((policy.fields, "by"), (policy.documents, "item")):
        name = "--by" if option == "by" else "--document"
        if needed and columns[option] is None:
            raise RefusalError(f"{name} is missing; the policy was fitted with {name}")
        if not needed and columns[option] is not None:
            raise RefusalError(f"{name} is given, but the policy was fitted without {name}")
    return dict(columns)


def _read(path: Path, columns: Mapping[str, Any]) -> io.Outputs:
    with interrupts_end_at_once():
        found: io.Outputs = refusing(str(path), lambda: io.read_outputs(path, **columns))
    return found


def labels_of(labels: io.Labels | None) -> NDArray[Any] | None:
    """Return the text of each item, where there is a column of them."""
    return None if labels is None else np.array(labels.names)[labels.codes]


def _in_words(error: Exception) -> str:
    message = in_words_of_options(error)
    for library, command in WORDS.items():
        message = message.replace(library, command)
    name = message.partition(" ")[0]
    return message.replace(name, COLUMNS[name], 1) if name in COLUMNS else message
