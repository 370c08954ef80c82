"""The format of a policy's JSON file, with a check of each field."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import failure_of, fraction_of, inner_fraction
from fastarac._core.text import json_text
from fastarac.operation.absences import FieldAbsence, OptionalSetting
from fastarac.operation.calibration import Calibration
from fastarac.operation.documents import DocumentType
from fastarac.operation.fingerprints import DIGITS
from fastarac.operation.shifts import MOST_GROUPS, PROBABILITIES, Reference
from fastarac.reviewer import Reviewer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

VERSION = 1
KIND = "fastarac policy"
RULES = ("product", "least")
CRITERIA = ("max_error_rate", "max_risk")
# Maximum sum of counts in a file, so that no sum overflows its type.
MOST_ITEMS = 1 << 53
# Maximum relative rounding error by which a computed bound may exceed its limit.
ROUNDING = 1e-9

_numbers, _counts = saved.sequence(saved.finite), saved.sequence(saved.whole())
_REFERENCE = saved.record(
    {
        "edges": _numbers,
        "counts": _counts,
        "quantiles": _numbers,
        "groups": saved.optional(saved.sequence(_counts, MOST_GROUPS)),
    }
)


def _amount(value: Any, name: str) -> Any:
    """Check an estimated count, which need not be an integer."""
    if saved.finite(value, name) < 0:
        raise saved.unexpected(value, name, "a number of at least 0")
    return value


def _calibration(value: Any, name: str, count: saved.Check) -> Calibration:
    counts = saved.sequence(count)
    checks = {"thresholds": _numbers, "n_items": counts, "errors": counts}
    found = saved.record(checks)(value, name)
    thresholds, n_items, errors = found["thresholds"], found["n_items"], found["errors"]
    saved.require_rising(thresholds[::-1], f"{name}.thresholds, reversed,")
    _require_counts(n_items, f"{name}.n_items", len(thresholds), f"{name}.thresholds")
    saved.require_length(errors, f"{name}.errors", len(thresholds), f"{name}.thresholds")
    for i, (wrong, n) in enumerate(zip(errors, n_items, strict=True)):
        saved.require_at_most(wrong, f"{name}.errors[{i}]", n, f"{name}.n_items[{i}]")
        if i and wrong * n_items[i - 1] <= errors[i - 1] * n:
            raise ValueError(f"{name}.errors / n_items must rise, but errors[{i}] is {wrong}")
    kind = np.int64 if all(type(each) is int for each in (*n_items, *errors)) else np.float64
    return Calibration(thresholds, np.array(n_items, kind), np.array(errors, kind))


def _reference(value: Any, name: str) -> Reference:
    found = _REFERENCE(value, name)
    edges, counts, quantiles = found["edges"], found["counts"], found["quantiles"]
    saved.require_rising(edges, f"{name}.edges")
    _require_counts(counts, f"{name}.counts", len(edges), f"{name}.edges")
    saved.require_length(quantiles, f"{name}.quantiles", len(PROBABILITIES), "probabilities")
    saved.require_rising(quantiles, f"{name}.quantiles", strictly=False)
    if quantiles[0] != edges[0] or quantiles[-1] < edges[-1]:
        raise ValueError(
            f"{name}.quantiles must start at the first edge and end at or above the last one"
        )
    groups = None if found["groups"] is None else _groups(found["groups"], counts, f"{name}.groups")
    return Reference(edges, np.array(counts, np.int64), quantiles, groups)


def written_reader(people: Reviewer | None) -> dict[str, Any] | None:
    """Return a truth reader as JSON values, in the format that :func:`read_reader` reads."""
    if people is None:
        return None
    readings, sizes = people.double_readings, people.estimated_from
    written = {
        "detection_rate": people.detection_rate,
        "double_readings": None if readings is None else list(readings),
    }
    return written if sizes is None else written | {"estimated_from": list(sizes)}


def read_reader(value: Any, name: str) -> Reviewer:
    """Check the truth reader in a file, and return it as a :class:`.Reviewer`."""
    checks = {"detection_rate": saved.number(fraction_of), "double_readings": saved.optional(_counts)}
    if isinstance(value, dict) and "estimated_from" in value:
        checks["estimated_from"] = _counts
    found = saved.record(checks)(value, name)
    try:
        return Reviewer(**found)
    except ValueError as error:
        raise ValueError(f"{name}.{error}") from error


def written_groups(groups: NDArray[np.int64] | None) -> list[list[int]] | None:
    """Return a list for each group, with each non-empty cell followed by its count."""
    if groups is None:
        return None
    return [
        [each for cell in np.flatnonzero(row).tolist() for each in (cell, int(row[cell]))]
        for row in groups
    ]


def _groups(
    written: tuple[tuple[int, ...], ...], counts: tuple[int, ...], name: str
) -> NDArray[np.int64]:
    """Return the counts of groups by cell, from the format that `written_groups` writes."""
    found = np.zeros((len(written), len(counts)), np.int64)
    if not written:
        raise ValueError(f"{name} is empty; give at least one element")
    for g, row in enumerate(written):
        cells, numbers = row[::2], row[1::2]
        if not row or len(row) % 2 or min(numbers) < 1 or max(cells) >= len(counts):
            raise ValueError(
                f"{name}[{g}] must be a list that alternates a cell's index and its count, with each "
                f"index below {len(counts)} and each count at least 1, got {list(row)}"
            )
        saved.require_rising(cells, f"{name}[{g}], every second element,")
        found[g, list(cells)] = numbers
    for cell, (total, most) in enumerate(zip(found.sum(axis=0).tolist(), counts, strict=True)):
        saved.require_at_most(total, f"the sum of {name} in cell {cell}", most, f"counts[{cell}]")
    return found


def _require_counts(counts: tuple[float, ...], name: str, length: int, beside: str) -> None:
    """Raise unless there are `length` counts of at least 1, with a sum of at most `MOST_ITEMS`."""
    saved.require_length(counts, name, length, beside)
    if not counts:
        raise ValueError(f"{name} is empty; give at least one element")
    if min(counts) < 1:
        least = min(counts)
        raise ValueError(f"{name}[{counts.index(least)}] must be at least 1, got {least:g}")
    saved.require_at_most(sum(counts), f"the sum of {name}", MOST_ITEMS, "2**53")


def _made(kind: Callable[..., Any], checks: dict[str, saved.Check]) -> saved.Check:
    """Return a check for a list of records; it makes an object of `kind` from each record."""
    check = saved.record(checks)
    return saved.sequence(lambda value, name: kind(**check(value, name)))


def _column(value: Any, name: str) -> Any:
    """Check the name of a column, a list of names, or a Boolean setting."""
    if isinstance(value, bool):
        return value
    check = saved.text if isinstance(value, str) else saved.sequence(saved.text)
    return check(value, name)


_LABELS, _SHARE = saved.sequence(saved.label), saved.number(fraction_of)
#: Files of older versions lack these entries. Then they are empty, so that no field is optional.
_OF_DOCUMENTS: dict[str, saved.Check] = {
    "optional": _LABELS,
    "types": _made(DocumentType, {"type": saved.label, "fields": _LABELS}),
    "absences": _made(
        FieldAbsence,
        {
            "field": saved.label,
            "optional": saved.boolean,
            **dict.fromkeys(("n_documents", "absent", "rightly", "unlisted"), saved.whole()),
        },
    ),
    "settings": _made(
        OptionalSetting,
        {
            "optional": _LABELS,
            **dict.fromkeys(("straight_through_rate", "undetected_error_rate"), _SHARE),
        },
    ),
}
_CHECKS: dict[str, saved.Check] = {
    **_OF_DOCUMENTS,
    "fields": saved.sequence(saved.label),
    "thresholds": saved.sequence(saved.infinite_or(saved.finite)),
    "criterion": saved.word(*CRITERIA),
    "limit": saved.number(inner_fraction),
    "failure_probability": saved.number(failure_of),
    "bound": saved.optional(saved.number(fraction_of)),
    "max_group_size": saved.optional(saved.whole(1)),
    "n_items": saved.whole(1),
    "accepted": saved.whole(),
    "references": saved.sequence(_reference),
    "documents": saved.optional(saved.word(*RULES)),
    "document_threshold": saved.infinite_or(saved.finite),
    "accepted_by_field": _counts,
    "errors_per_group": saved.finite,
    "certified": saved.boolean,
    "approximate_acceptance_rate": saved.optional(saved.number(fraction_of)),
    "n_verified": saved.optional(saved.whole(1)),
    "least_probability": saved.optional(saved.number(fraction_of)),
    "fitted_on": saved.optional(saved.hexadecimal(DIGITS, 2 * DIGITS)),
    "n_unread": saved.whole(),
    "missed_rate": saved.optional(saved.number(fraction_of)),
    "regions": saved.optional(saved.text),
    "truth_reader": saved.optional(read_reader),
    "faultless_acceptance_rate": saved.optional(saved.number(fraction_of)),
    "columns": saved.mapping(_column),
}
#: Default values of fields that files of older versions lack.
_LATER: dict[str, Any] = {
    "n_unread": 0, "missed_rate": None, "regions": None,
    "truth_reader": None, "faultless_acceptance_rate": None, "columns": {},
}  # fmt: skip


def _checks(count: saved.Check) -> saved.Check:
    """Return the check for the content of a policy's file; `count` checks numbers of errors."""
    return saved.record(
        {
            **_CHECKS,
            "errors": count,
            "errors_by_field": saved.sequence(count),
            "calibrations": saved.sequence(lambda value, name: _calibration(value, name, count)),
        }
    )


def text_of_policy(fields: dict[str, Any]) -> str:
    """Return the JSON text of the policy with these attributes."""
    written = {
        "thresholds": [_written(value) for value in fields["thresholds"]],
        "bound": None if math.isnan(fields["bound"]) else fields["bound"],
        "calibrations": [
            {
                "thresholds": list(each.thresholds),
                "n_items": each.n_items.tolist(),
                "errors": each.errors.tolist(),
            }
            for each in fields["calibrations"]
        ],
        "references": [
            {**each.to_dict(), "groups": written_groups(each.groups)} for each in fields["references"]
        ],
        "document_threshold": _written(fields["document_threshold"]),
        **{
            name: [each._asdict() for each in fields[name]]
            for name in ("types", "absences", "settings")
        },
    }
    content = {"kind": KIND, "version": VERSION, **fields, **written}
    del content["columns"]
    if fields["columns"]:
        content["columns"] = dict(fields["columns"])
    # Without a truth reader, omit both keys, so that the file and its digest are as in older versions.
    if fields["truth_reader"] is None:
        del content["truth_reader"], content["faultless_acceptance_rate"]
    else:
        content["truth_reader"] = written_reader(fields["truth_reader"])
    return json_text(content, indent=1) + "\n"


def _written(value: float) -> float | str:
    return str(value) if math.isinf(value) else value


def fields_of_policy(text: str) -> dict[str, Any]:
    """Read the attributes of a policy from a JSON text; check the attributes and their consistency.

    Raises
    ------
    ValueError
        If :func:`.fit_policy` could not have written the text. The message names the first bad field.
    """
    defaults = {name: [] for name in _OF_DOCUMENTS} | _LATER
    content = defaults | saved.content_of(text, KIND, VERSION)
    is_estimated = content.get("n_verified") is not None
    found: dict[str, Any] = _checks(_amount if is_estimated else saved.whole())(content, "")
    saved.require_rising(found["fields"], "fields")
    length, beside = (len(found["fields"]), "fields") if found["fields"] else (1, "a rule of one field")
    for name in ("thresholds", "calibrations", "references"):
        saved.require_length(found[name], name, length, beside)
    saved.require_at_most(found["n_items"], "n_items", MOST_ITEMS, "2**53")
    saved.require_at_most(found["accepted"], "accepted", found["n_items"], "n_items")
    saved.require_at_most(found["errors"], "errors", found["accepted"], "accepted")
    tested = 1 if found["documents"] else length
    for name in ("accepted", "errors"):
        counts = found[f"{name}_by_field"]
        saved.require_length(counts, f"{name}_by_field", tested, "fields that are tested")
        if math.fsum(counts) != found[name]:
            raise ValueError(
                f"{name}_by_field must sum to {name}, {found[name]}, got {math.fsum(counts):.17g}"
            )
    for i, (wrong, taken) in enumerate(
        zip(found["errors_by_field"], found["accepted_by_field"], strict=True)
    ):
        saved.require_at_most(wrong, f"errors_by_field[{i}]", taken, f"accepted_by_field[{i}]")
    most = math.inf if is_estimated else max(1, found["errors"])
    if not 1.0 <= found["errors_per_group"] <= most:
        expected = "a number from 1 to the number of errors"
        raise saved.unexpected(found["errors_per_group"], "errors_per_group", expected)
    if found["least_probability"] is not None and not is_estimated:
        raise ValueError("least_probability needs n_verified")
    if is_estimated:
        saved.require_at_most(found["n_verified"], "n_verified", found["n_items"], "n_items")
    if found["bound"] is None:
        found["bound"] = math.nan
    else:
        saved.require_at_most(found["bound"], "bound", found["limit"] * (1.0 + ROUNDING), "limit")
    _require_thresholds(found)
    _require_fields(found)
    return found


def _require_fields(found: dict[str, Any]) -> None:
    """Raise if optional fields, types, absences or settings have fields that the policy lacks."""
    for name in _OF_DOCUMENTS:
        if found[name] and not found["documents"]:
            raise ValueError(f"{name} needs documents")
    fields, own = found["fields"], {"optional": found["optional"]}
    own |= {f"types[{i}].fields": each.fields for i, each in enumerate(found["types"])}
    own |= {f"settings[{i}].optional": each.optional for i, each in enumerate(found["settings"])}
    for name, labels in own.items():
        saved.require_rising(labels, name)
        for label in labels:
            if label not in fields:
                raise ValueError(f"{name} must hold names from fields, got {saved.shown(label)}")
    if found["absences"] and [each.field for each in found["absences"]] != list(fields):
        raise ValueError("absences must have one entry for each field, in the order of fields")
    if any(each.optional != (each.field in found["optional"]) for each in found["absences"]):
        raise ValueError("absences and optional must name the same optional fields")
    if found["settings"] and found["settings"][0].optional != found["optional"]:
        raise ValueError("settings[0].optional must be the same as optional")
    saved.require_rising(tuple(each.type for each in found["types"]), "the labels in types")
    for i, each in enumerate(found["absences"]):
        name = f"absences[{i}]"
        saved.require_at_most(each.absent, f"{name}.absent", each.n_documents, f"{name}.n_documents")
        told = each.rightly + each.unlisted
        saved.require_at_most(told, f"{name}.rightly and unlisted", each.absent, f"{name}.absent")


def _require_thresholds(found: dict[str, Any]) -> None:
    """Raise if the thresholds contradict `documents`, or the number of accepted items."""
    least: float = found["document_threshold"]
    # Without documents, `document_threshold` holds a negated error probability.
    lowest = 0.0 if found["documents"] else -1.0
    if not (lowest <= least <= 1.0 or least == math.inf):
        expected = f"a number from {lowest:g} to 1, or inf"
        raise saved.unexpected(least, "document_threshold", expected)
    never = all(each == math.inf for each in found["thresholds"])
    if found["documents"] and not never:
        raise ValueError("thresholds must all be inf in a policy for whole documents")
    if found["documents"]:
        never = least == math.inf
    if never != (found["accepted"] == 0):
        what = "nothing" if never else "something"
        raise ValueError(f"accepted is {found['accepted']}, but the thresholds accept {what}")
