"""Apply a policy of fields to what a service read of new documents, without truth."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.files import path_of
from fastarac._core.results import Result
from fastarac._core.text import count, few_of, plural
from fastarac.io._sources import connect, copied_to
from fastarac.ocr.application import check_goals
from fastarac.ocr.engine_outputs import table_of
from fastarac.ocr.fields.counts import count_names, is_there, lists_of_names, read_count
from fastarac.ocr.fields.json_files import read_field_file
from fastarac.ocr.fields.positions import NOWHERE, Position
from fastarac.ocr.fields.renaming import renamed
from fastarac.ocr.fields.rows import FieldPath
from fastarac.ocr.fields.tables import as_confidence, columns_of, is_table
from fastarac.ocr.pairing import PairingError
from fastarac.ocr.readers._detection import begins_as
from fastarac.ocr.readers._files import OcrFileError, open_file
from fastarac.operation.application import WRITTEN_FORMATS, require_policy, require_scale
from fastarac.operation.application_results import AppliedField, AppliedPolicy
from fastarac.operation.expected_errors import expected_rates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.fields.matching import Placed
    from fastarac.ocr.fields.rows import FieldFile, Row
    from fastarac.operation import Policy
    from fastarac.operation.shifts import ConfidenceShift

    Paths = str | PathLike[str] | Iterable[str | PathLike[str]]

__all__ = ["AppliedFields", "apply_to_fields", "are_documents"]

LISTED = 6  # names that a note writes out
# without null, by which DuckDB could not tell the type of a column
ROWS = """
    SELECT id, document, field, nullif(page, 0) AS page, nullif(box, '') AS box,
        CASE WHEN has THEN prediction END AS prediction,
        CASE WHEN isnan(confidence) THEN NULL ELSE confidence END AS confidence, accepted
    FROM outputs WHERE accepted = {}
"""


class _Outputs(NamedTuple):
    """What was read of documents, by the names of a policy."""

    document: tuple[str, ...]
    field: tuple[str, ...]
    name: tuple[str, ...]
    position: tuple[tuple[int | None, str | None], ...]
    prediction: tuple[str | None, ...]
    confidence: NDArray[np.float64]

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which have a confidence."""
        return ~np.isnan(self.confidence)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which are outputs, and not fields that a document lacks."""
        return np.array([each is not None for each in self.prediction], np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class AppliedFields(Result):
    """The fields of new documents, which of them are accepted, and what is expected of these.

    Attributes
    ----------
    applied : AppliedPolicy
        The counts, and the errors that are expected.
    document, field, name : tuple of str, n of them
        Which field of which document each row is, and its name without the numbers of items. Each
        document has a row for each field of the policy that it lacks.
    position : tuple of (page, box)
        The page of the document, from 1, and left, top, right and bottom of the box in the units of the
        file, as text; None where the service does not say it.
    prediction : tuple of (str or None)
        What was read, as it is written on the page; None where the document lacks the field.
    confidence : ndarray of shape (n,), float64
        NaN where there is none.
    accepted : ndarray of shape (n,), bool
        Where whole documents are accepted, the same in all rows of a document.
    files : tuple of str
        What was read.
    notes : tuple of str
        What is to be known of the files, a sentence each.

    See Also
    --------
    apply_to_fields : divide the fields of new documents by a policy
    AppliedPages : the outputs on pages, which of them are accepted, and what is expected of these
    """

    applied: AppliedPolicy
    document: tuple[str, ...]
    field: tuple[str, ...]
    name: tuple[str, ...]
    position: tuple[tuple[int | None, str | None], ...]
    prediction: tuple[str | None, ...]
    confidence: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        documents = len(set(self.document))
        return (
            f"AppliedFields({self.applied.accepted} of {self.applied.n_items} outputs of {documents} "
            f"{plural('document', documents)} accepted)"
        )

    def __str__(self) -> str:
        return str(self.applied)

    def save(self, *, accepted: str | PathLike[str], review: str | PathLike[str]) -> None:
        """Write the fields into two tables: what is accepted, and what people verify.

        Parameters
        ----------
        accepted, review : str or path-like
            The files to write: ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. Both have
            the columns id (document and field), document, field (without the numbers of items),
            page, box, prediction, confidence and accepted; what there is none of is empty, or null.

        Raises
        ------
        ValueError
            Where the two names are one, or that of a file of the outputs, or a name says no known
            format.
        OSError
            If a file cannot be written. Both appear once both are complete.
        ModuleNotFoundError
            If DuckDB is not installed.
        """
        goals = {"accepted": path_of(accepted, "accepted"), "review": path_of(review, "review")}
        check_goals(goals, self.files)
        columns: dict[str, Any] = {
            "id": [
                f"{document}:{field}" for document, field in zip(self.document, self.field, strict=True)
            ],
            "document": list(self.document),
            "field": list(self.name),
            "page": np.array([page or 0 for page, _ in self.position], np.int32),
            "box": [box or "" for _, box in self.position],
            "has": np.array([each is not None for each in self.prediction], np.bool_),
            "prediction": [each or "" for each in self.prediction],
            "confidence": self.confidence,
            "accepted": self.accepted,
        }
        with connect(alone=True) as connection, ExitStack() as stack:
            connection.register("outputs", table_of(columns))
            for name, goal in goals.items():
                target = stack.enter_context(copied_to(goal))
                form = WRITTEN_FORMATS[goal.suffix.lower()]
                rows = ROWS.format("true" if name == "accepted" else "false")
                connection.execute(f"COPY ({rows}) TO {target} ({form}, USE_TMP_FILE false)")


def apply_to_fields(
    policy: Policy,
    path: Paths,
    *,
    rename: Mapping[str, str] | PathLike[str] | None = None,
    value_key: str = "value",
    confidence_key: str = "confidence",
) -> AppliedFields:
    r"""Divide the fields of new documents into what is accepted and what people verify, without truth.

    Parameters
    ----------
    policy : Policy
        Of fields, fitted to what the same service read, as ``fastarac ocr -o`` writes it.
    path : str, path-like, or iterable of them
        What was read: files and folders as :func:`read_fields` takes them.
    rename, value_key, confidence_key
        As for :func:`read_fields`: the names that the fields had in the truth are those of the policy.

    Returns
    -------
    AppliedFields
        Of which ``save(…)`` writes tables.

    Raises
    ------
    OcrFileError
        If a file cannot be read; if files are of several services, whose confidences are not of one
        scale.
    PairingError
        If two files are of documents of one name.
    DataFileError
        If the confidences are plainly of another scale than those that the policy was fitted on, as
        for :func:`.operation.apply_policy`.
    ValueError
        If the policy has no fields, or no output is of one of them.
    TypeError
        If `policy` is none.

    See Also
    --------
    apply_to_files : divide what an engine read on pages by a policy
    fastarac.operation.apply_policy : the same for a table of outputs

    Notes
    -----
    A document that lacks a required field goes to people, as one without any output does
    (:meth:`.Policy.apply`). Outputs of fields that the policy does not know are counted, and left out.
    Numbers of rows that the policy knows, such as ``items.count``, are counted as :func:`read_fields`
    counts them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import fastarac as fa
    >>> document, field = np.repeat(np.arange(800), 2), np.tile(["total", "date"], 800)
    >>> confidence = np.tile(np.arange(800) / 800, (2, 1)).T.ravel()
    >>> policy = fa.operation.fit_policy(
    ...     confidence > 0.2, confidence, by=field, documents=document, max_error_rate=0.05
    ... )
    >>> lines = '''{"document": "a1", "total": {"value": "7", "confidence": 0.9}, "date": {"value": "3 May", "confidence": 0.8}}
    ... {"document": "a2", "total": {"value": "9", "confidence": 0.9}, "date": {"value": null}}
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "new.jsonl")
    ...     _ = path.write_text(lines)
    ...     found = fa.ocr.apply_to_fields(policy, path)
    >>> for row in zip(found.document, found.field, found.prediction, found.accepted.tolist()):
    ...     print(*row)
    a1 total 7 True
    a1 date 3 May True
    a2 total 9 False
    a2 date None False
    """  # noqa: E501, lines of a file
    _require_fields(policy)
    paths = [path] if isinstance(path, (str, PathLike)) else list(path)
    files = [read_field_file(each, "prediction", value_key, confidence_key) for each in paths]
    notes: list[str] = []
    found = [renamed(file, rename or {})[0] for file in files]
    for file in found:
        file.check_once()
    _require_one_kind(found)
    documents = _documents(found)
    outputs, unknown = _by_policy(policy, found, documents)
    if unknown:
        names = Counter(row.field for row in unknown)
        n = len(unknown)
        notes.append(
            f"{count(n)} {plural('output', n)} of fields that the policy does not know "
            f"{'is' if n == 1 else 'are'} left out: {few_of(names, LISTED)}"
        )
    if not outputs.given.any():
        raise ValueError(
            "no output with a confidence is of a field of the policy "
            f"({few_of(map(str, policy.fields), LISTED)}); the names of these are expected, or rename"
        )
    without = [name for name in documents if name not in _with_output(outputs)]
    if without:
        n = len(without)
        notes.append(
            f"{count(n)} {plural('document', n)} without any output "
            f"{'goes' if n == 1 else 'go'} to people: {few_of(without, LISTED)}"
        )
    accepted = _accepted(policy, outputs)
    applied = _counted(policy, str(paths[0]), outputs, accepted, len(unknown))
    read_from = tuple(dict.fromkeys(str(row.file) for file in found for row in file.rows))
    return AppliedFields(
        applied=applied,
        **outputs._asdict(),
        accepted=accepted,
        files=read_from or tuple(map(str, paths)),
        notes=tuple(notes),
    )


def are_documents(path: str | PathLike[str], policy: Policy) -> bool:
    """Return whether a path holds documents that only `apply_to_fields` reads, by a policy of fields.

    Folders and nested JSON do, and tables whose fields have numbers of items; other tables have a row
    for each output as they are.
    """
    file = Path(path)
    if file.is_dir():
        return True
    opened = open_file(file)
    if is_table(opened):
        if not lists_of_names(map(str, policy.fields)):
            return False
        rows = read_field_file(file, "prediction").rows
        return any(FieldPath.of(row.field).items for row in rows)
    return begins_as(opened) == "json" and not _is_table_of_outputs(file)


def _is_table_of_outputs(path: Path) -> bool:
    """Return whether JSON has a row for each output, and not a document."""
    try:
        return {"field", "confidence"} <= set(columns_of(open_file(path)))
    except OcrFileError:
        return False


def _require_fields(policy: Policy) -> None:
    require_policy(policy)
    if not policy.fields:
        raise ValueError(
            "the policy has no fields, and documents have; one that was fitted by field is expected"
        )


def _require_one_kind(files: Sequence[FieldFile]) -> None:
    kinds = {file.kind: file.path for file in files}
    if len(kinds) > 1:
        said = few_of((f"{kind} ({path})" for kind, path in kinds.items()), LISTED)
        raise OcrFileError(
            files[0].path,
            f"there are files of several kinds, whose confidences are not of one scale: {said}",
        )


def _documents(files: Sequence[FieldFile]) -> tuple[str, ...]:
    """Return the names of all documents; raise where two have one."""
    names = [name for file in files for name in file.documents]
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        n = len(twice)
        raise PairingError(
            f"{count(n)} {plural('name', n)} of documents occur{'s' if n == 1 else ''} more than once: "
            f"{few_of(twice, LISTED)}; one file of each is expected"
        )
    return tuple(names)


def _by_policy(
    policy: Policy, files: Sequence[FieldFile], documents: Sequence[str]
) -> tuple[_Outputs, list[Row]]:
    """Return the outputs by the policy's names, with what each document lacks, and all others."""
    names = [str(field) for field in policy.fields]
    lists = lists_of_names(names)
    counts = {name: key for name, key in count_names(lists).items() if name in names}
    name_of = {
        FieldPath.of(name.replace("[]", "[0]")).key: name for name in names if name not in counts
    }
    placed: dict[str, list[Placed]] = {name: [] for name in documents}
    given: dict[tuple[str, str], Row] = {}
    unknown = []
    for row in (row for file in files for row in file.rows):
        path = FieldPath.of(row.field)
        if not path.items and path.key in counts:
            given[row.document, path.key] = row
        elif path.key in name_of:
            placed[row.document].append((path.within(lists), row))
        elif is_there(row.prediction):
            unknown.append(row)
    rows: list[tuple[str, str, str, Position, str | None, float]] = []
    for document in documents:
        rows += _of_document(document, placed[document], given, counts, name_of, names)
    return _Outputs(
        document=tuple(row[0] for row in rows),
        field=tuple(row[1] for row in rows),
        name=tuple(row[2] for row in rows),
        position=tuple((row[3].page, row[3].box) for row in rows),
        prediction=tuple(row[4] for row in rows),
        confidence=np.array([row[5] for row in rows], np.float64),
    ), unknown


def _of_document(
    document: str,
    placed: Sequence[Placed],
    given: Mapping[tuple[str, str], Row],
    counts: Mapping[str, str],
    name_of: Mapping[str, str],
    names: Sequence[str],
) -> Iterator[tuple[str, str, str, Position, str | None, float]]:
    """Yield the outputs of a document, its numbers of rows, and the fields that it lacks."""
    found = [(path.written(), name_of[path.key], row) for path, row in placed]
    for name, key in counts.items():
        row = given.get((document, name)) or read_count(placed, key)
        if row is not None:
            found.append((name, name, row))
    has = set()
    for field, name, row in found:
        if row.prediction is None:
            continue
        confidence = as_confidence(row)
        if math.isnan(confidence) and not is_there(row.prediction):
            continue
        has.add(name)
        yield document, field, name, row.position, row.prediction.text, confidence
    yield from ((document, name, name, NOWHERE, None, math.nan) for name in names if name not in has)


def _with_output(outputs: _Outputs) -> set[str]:
    every = zip(outputs.document, outputs.prediction, strict=True)
    return {document for document, prediction in every if prediction is not None}


def _labels(policy: Policy, outputs: _Outputs) -> NDArray[Any]:
    """Return the policy's own label of each output's field."""
    own = {str(field): field for field in policy.fields}
    return np.array([own[name] for name in outputs.name])


def _accepted(policy: Policy, outputs: _Outputs) -> NDArray[np.bool_]:
    """Return which outputs are accepted: by the policy's own rule."""
    given = outputs.given
    return policy.apply(
        np.where(given, outputs.confidence, 0.0),
        by=_labels(policy, outputs),
        documents=None if policy.documents is None else np.array(outputs.document),
        rejected=~given,
    )


def _counted(
    policy: Policy, named: str, outputs: _Outputs, accepted: NDArray[np.bool_], unknown: int
) -> AppliedPolicy:
    read, given = outputs.read, outputs.given
    taken = accepted & read
    name, document = np.array(outputs.name), np.array(outputs.document)
    fields: tuple[AppliedField, ...] = ()
    whole: dict[str, Any] = {}
    if policy.documents is None:
        own = [name == str(field) for field in policy.fields]
        by_field = [int((taken & each).sum()) for each in own]
        rates = expected_rates(
            policy.accepted_by_field, policy.errors_by_field,
            per_group=policy.errors_per_group, is_all=policy.accepted == policy.n_items,
        )  # fmt: skip
        fields = tuple(
            AppliedField(str(field), int((read & each).sum()), n, n * rate)
            for field, each, n, rate in zip(policy.fields, own, by_field, rates, strict=True)
        )
        expected = policy.expected_errors(by_field)
    else:
        documents, first = np.unique(document, return_index=True)
        n_accepted = int(accepted[first].sum())
        whole = {"n_documents": len(documents), "accepted_documents": n_accepted}
        expected = policy.expected_errors([n_accepted])
    return AppliedPolicy(
        int(read.sum()), int(taken.sum()), expected.estimate, expected.low, expected.high,
        unknown_fields=unknown, criterion=policy.criterion, limit=policy.limit, fields=fields,
        shift=_shift(policy, named, outputs.confidence[given], name[given], document[given]), **whole,
    )  # fmt: skip


def _shift(
    policy: Policy,
    named: str,
    confidence: NDArray[np.float64],
    name: NDArray[Any],
    document: NDArray[Any],
) -> ConfidenceShift:
    """Return whether confidences have moved; raise where they are plainly of another scale."""
    own = {str(field): field for field in policy.fields}
    by = np.array([own[each] for each in name.tolist()])
    shift = policy.shift(confidence, by=by, groups=document if policy.has_groups else None)
    require_scale(named, policy, shift, confidence)
    return shift
