"""Check the input of a monitor: counts, outcomes and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import whole_number
from fastarac._core.text import quoted
from fastarac._engine.inputs import read_groups
from fastarac.operation.audit_logs import LogError
from fastarac.operation.monitoring.detectors import Update

if TYPE_CHECKING:
    from numpy.typing import NDArray


def update_of(errors: Any, audited: Any, max_group_size: int | None) -> Update:
    """Return an update from counts of outputs, or of groups if `max_group_size` is given."""
    if max_group_size is None:
        return Update(*_counts(errors, audited, "errors", "audited"))
    shapes = np.shape(errors), np.shape(audited)
    if shapes[0] != shapes[1] or len(shapes[0]) > 1:
        raise ValueError(
            f"errors and audited must have one number for each group, got shapes {shapes[0]} and "
            f"{shapes[1]}"
        )
    single = shapes[0] == ()
    wrong, seen = ([errors], [audited]) if single else (list(errors), list(audited))
    groups = []
    for i, pair in enumerate(zip(wrong, seen, strict=True)):
        at = "" if single else f"[{i}]"
        groups.append(_counts(*pair, f"errors{at}", f"audited{at}"))
        if groups[i][1] > max_group_size:
            raise ValueError(
                f"audited{at} must be at most max_group_size, {max_group_size}, got {groups[i][1]}"
            )
    some = tuple((*each, 0) for each in groups if each[1])
    return Update(sum(s for s, _, _ in some), sum(m for _, m, _ in some), some)


def details_of(details: Any, n: int) -> list[Any]:
    """Return the content of each audit."""
    told = np.asarray(details)
    if told.ndim not in (1, 2) or len(told) != n:
        raise ValueError(
            f"details must have a value, or a row of values, for each of the {n} audits, got shape "
            f"{told.shape}"
        )
    found: list[Any] = told.tolist()
    return found


def names_of(ids: Any, n: int) -> list[str] | None:
    """Return the ids as texts; None if there are none."""
    if ids is None or not n:
        return None
    labels, codes = read_groups(ids, n, "ids", beside="outcomes")
    return [str(labels[code]) for code in codes.tolist()]


def read_groups_of(
    groups: Any, n: int, max_group_size: int | None
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the distinct groups and each audit's group index; None if the monitor has no groups."""
    if max_group_size is None:
        if groups is not None:
            raise TypeError("groups is given, but the monitor has no max_group_size")
        return None
    if groups is None:
        raise TypeError(
            "groups is missing: the monitor has a max_group_size, so each audit needs its group"
        )
    labels, codes = read_groups(groups, n, beside="outcomes")
    sizes = np.bincount(codes, minlength=len(labels))
    if n and sizes.max() > max_group_size:
        row = int((sizes[codes] > max_group_size).argmax())
        why = f"the group has {sizes[codes[row]]} audits, but max_group_size is {max_group_size}"
        raise LogError("groups", row, quoted(str(labels[codes[row]])), why)
    return labels, codes


def group_names_of(groups: Any, n: int, max_group_size: int | None) -> list[str]:
    """Return the group of each audit as a text; empty texts if the monitor has no groups."""
    if max_group_size is None or groups is None:
        # Raises if only one of `groups` and `max_group_size` is given.
        read_groups_of(groups, n, max_group_size)
        return [""] * n
    labels, codes = read_groups(groups, n, beside="outcomes")
    return [str(labels[code]) for code in codes.tolist()]


def _counts(errors: Any, audited: Any, of_errors: str, of_audited: str) -> tuple[int, int]:
    """Return the checked numbers of errors and of audits."""
    wrong, seen = whole_number(errors, of_errors, 0), whole_number(audited, of_audited, 0)
    if wrong > seen:
        raise ValueError(f"{of_errors} must be at most {seen}, the number audited, got {wrong}")
    return wrong, seen


def outcomes_of_count(outcomes: Any) -> tuple[list[Any], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the outcomes (None if unanswered), a mask of the errors, and a mask of the unanswered."""
    found = np.asarray(outcomes)
    is_open = np.zeros(len(found) if found.ndim else 0, np.bool_)
    if found.ndim == 1 and found.dtype.kind in "fO":
        values = found.tolist()
        is_open = np.array([each is None or each != each for each in values], np.bool_)
        found = np.array(
            [False if waits else each for waits, each in zip(is_open, values, strict=True)]
        )
        if found.dtype.kind == "f" and np.isin(found, (0, 1)).all():
            found = found.astype(np.bool_)
    if found.ndim != 1 or (
        len(found) and (found.dtype.kind not in "biu" or not np.isin(found, (0, 1)).all())
    ):
        raise ValueError("outcomes must be a sequence of True and False, one for each audit")
    told = [
        None if waits else each for each, waits in zip(found.tolist(), is_open.tolist(), strict=True)
    ]
    return told, (found == 1) & ~is_open, is_open


def update_of_groups(
    wrong: NDArray[np.bool_],
    is_open: NDArray[np.bool_],
    new: NDArray[np.bool_],
    labels: NDArray[Any],
    codes: NDArray[Any],
) -> Update:
    """Return an update from the new audits; raise if a group was partly counted before."""
    again = np.isin(codes, codes[new]) & ~new
    if again.any():
        row = int(again.argmax())
        why = "some audits of the group were counted before: give all audits of a group in one call"
        raise LogError("groups", row, quoted(str(labels[codes[row]])), why)
    here, n = codes[new], len(labels)
    counts = [np.bincount(here, each, n).astype(np.int64) for each in (wrong[new], None, is_open[new])]
    groups = tuple(
        (errors, audited, waiting)
        for errors, audited, waiting in np.stack(counts, axis=1).tolist()
        if audited
    )
    errors, audited, waiting = (int(each.sum()) for each in counts)
    return Update(errors, audited, groups, unanswered=waiting)
