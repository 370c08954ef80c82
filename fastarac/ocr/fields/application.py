"""Apply a policy fitted to fields to a service's output for new documents, without truth."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from dataclasses import field as with_default
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.files import path_of
from fastarac._core.results import Result, Table
from fastarac._core.text import count, few_of, plural
from fastarac.ocr.engine_outputs import table_of
from fastarac.ocr.fields.counts import count_names, is_there, lists_of_names, read_count
from fastarac.ocr.fields.json_files import read_field_file, require_one_kind
from fastarac.ocr.fields.renaming import renamed
from fastarac.ocr.fields.rows import FieldPath
from fastarac.ocr.fields.rules import (
    BROKEN,
    RULES,
    broken_note,
    broken_rules,
    rule_columns,
    rules_of,
    rules_of_policy,
)
from fastarac.ocr.fields.tables import as_confidence, columns_of, is_table
from fastarac.ocr.pairing import PairingError
from fastarac.ocr.readers._detection import begins_as
from fastarac.ocr.readers._files import OcrFileError, open_file
from fastarac.operation.application import check_goals, require_policy, require_scale, write_tables
from fastarac.operation.application_results import AppliedPolicy, applied_fields, applied_policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.engine_outputs import Paths
    from fastarac.ocr.fields.comparisons import Written
    from fastarac.ocr.fields.matching import Placed
    from fastarac.ocr.fields.rows import FieldFile, Row
    from fastarac.operation import Policy

LISTED = 6  # maximum number of names that a note lists

# DuckDB cannot infer the type of a column of nulls. Therefore, the table `outputs` has 0, "" and NaN in
# place of null.
ROWS = """
    SELECT id, document, field, nullif(page, 0) AS page, nullif(box, '') AS box,
        CASE WHEN has THEN prediction END AS prediction,
        CASE WHEN isnan(confidence) THEN NULL ELSE confidence END AS confidence, accepted{}
    FROM outputs WHERE accepted = {}
"""


class _Output(NamedTuple):
    """The output for one field of a document; `prediction` is None if the document lacks the field."""

    document: str
    field: str
    name: str
    position: tuple[int | None, str | None]
    prediction: str | None
    confidence: float
    written: Written | None


@dataclass(frozen=True, slots=True, eq=False)
class AppliedFields(Table, Result):
    """The fields of new documents, with the policy's decision on each.

    Attributes
    ----------
    applied : AppliedPolicy
        The counts and the expected errors.
    document, field, name : tuple of str, n of them
        Document and field of each row, and the field's name without item numbers. If a document lacks a
        field of the policy, the field still has a row.
    position : tuple of (page, box)
        The page of the document, counted from 1, and the box: a string of left, top, right and bottom
        in the units of the file. Both are None if the service gives no position.
    prediction : tuple of (str or None)
        The text read, as written on the page; None if the document lacks the field.
    confidence : ndarray of shape (n,), float64
        The confidence of each output; NaN if it has none.
    accepted : ndarray of shape (n,), bool
        Whether the policy accepts each output. If the policy accepts whole documents, all rows of a
        document have the same value.
    files : tuple of str
        Paths of the files read.
    notes : tuple of str
        Remarks on the files, one sentence each.
    rules : tuple of str
        The policy's rules over the fields of a document.
    broken : mapping of str to str
        For each document that breaks a rule, the first broken rule. The outputs of these documents have
        no confidence.

    See Also
    --------
    apply_to_fields : apply a policy to the fields of new documents
    AppliedPages : the outputs on pages, with the policy's decision on each
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
    rules: tuple[str, ...] = ()
    broken: Mapping[str, str] = with_default(default_factory=dict)

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

    def to_columns(self) -> dict[str, Any]:
        """Return the fields as columns, with one row for each field, as :meth:`save` writes them."""
        pairs = zip(self.document, self.field, strict=True)
        return {
            "id": [f"{document}:{field}" for document, field in pairs],
            "document": self.document,
            "field": self.name,
            "page": [page for page, _ in self.position],
            "box": [box for _, box in self.position],
            "prediction": self.prediction,
            "confidence": self.confidence,
            "accepted": self.accepted,
            **rule_columns(self.document, self.rules, self.broken),
        }

    def save(self, *, accepted: str | PathLike[str], review: str | PathLike[str]) -> None:
        """Write two tables: the accepted fields, and the fields that people must verify.

        Parameters
        ----------
        accepted, review : str or path-like
            The files to write: ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. Both tables
            have the columns id (document and field), document, field (without item numbers), page, box,
            prediction, confidence and accepted. Missing values are empty or null, depending on the
            format.

        Raises
        ------
        ValueError
            If the two file names are the same, if a file would overwrite a file of outputs, or if the
            ending of a name is unknown.
        OSError
            If a file cannot be written. Neither file appears until both are complete.
        ModuleNotFoundError
            If DuckDB is not installed.
        """
        goals = {"accepted": path_of(accepted, "accepted"), "review": path_of(review, "review")}
        check_goals(goals, self.files)
        columns = self.to_columns() | {
            "page": np.array([page or 0 for page, _ in self.position], np.int32),
            "box": [box or "" for _, box in self.position],
            "has": np.array([each is not None for each in self.prediction], np.bool_),
            "prediction": [each or "" for each in self.prediction],
        }
        more = f", nullif({BROKEN}, '') AS {BROKEN}, {RULES}" if self.rules else ""
        queries = {"accepted": ROWS.format(more, "true"), "review": ROWS.format(more, "false")}
        write_tables(goals, {"outputs": table_of(columns)}, queries)


def apply_to_fields(
    policy: Policy,
    path: Paths,
    *,
    rename: Mapping[str, str] | PathLike[str] | None = None,
    value_key: str = "value",
    confidence_key: str = "confidence",
    rules: Sequence[str] | None = None,
) -> AppliedFields:
    r"""Apply a policy to fields of new documents without truth: accept each field or send it to people.

    Parameters
    ----------
    policy : Policy
        A policy of fields or of whole documents, fitted to outputs of the same service, as
        ``fastarac ocr -o`` writes them.
    path : str, path-like, or iterable of them
        The service's output: files and folders, as for :func:`read_fields`.
    rename, value_key, confidence_key
        As for :func:`read_fields`. The names of fields in the policy come from the truth.
    rules : sequence of str, optional
        Rules as for :func:`read_fields`. By default, the rules that were used when the policy was
        fitted.

    Returns
    -------
    AppliedFields
        The fields with their decisions; ``save(…)`` writes them as tables.

    Raises
    ------
    OcrFileError
        If a file cannot be read, or the files come from several services, whose confidences are not
        comparable.
    PairingError
        If two documents have the same name.
    DataFileError
        If the scale of the confidences clearly differs from the scale that the policy was fitted to, as
        for :func:`.operation.apply_policy`.
    ValueError
        If the policy has no fields, if none of its fields has an output with a confidence, or if a rule
        is unknown.
    TypeError
        If `policy` is not a policy.

    See Also
    --------
    apply_to_files : apply a policy to an engine's outputs on pages
    fastarac.operation.apply_policy : the same for a table of outputs

    Notes
    -----
    If the policy accepts whole documents, a document goes to people if it lacks a required field or has
    no output (:meth:`.Policy.apply`). Outputs of fields that the policy does not know are left out, and
    a note gives their number. If the policy has row counts, such as ``items.count``, rows are counted
    as in :func:`read_fields`.

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
    if found:
        require_one_kind(found[0].path, {file.kind: file.path for file in found})
    documents = _documents(found)
    rows, unknown = _by_policy(policy, found, documents)
    if unknown:
        names = Counter(row.field for row in unknown)
        n = len(unknown)
        notes.append(
            f"{count(n)} {plural('output', n)} of fields that the policy does not know "
            f"{'is' if n == 1 else 'are'} left out: {few_of(names, LISTED)}"
        )
    confidence = np.array([row.confidence for row in rows], np.float64)
    parsed = rules_of(rules_of_policy(policy) if rules is None else rules, map(str, policy.fields))
    broken = broken_rules(parsed, ((row.document, row.name, row.written) for row in rows))
    if broken:
        notes.append(broken_note(broken))
        confidence[[row.document in broken for row in rows]] = math.nan
    given = ~np.isnan(confidence)
    if not given.any():
        raise ValueError(
            f"none of the policy's fields ({few_of(map(str, policy.fields), LISTED)}) has an "
            "output with a confidence; use these names, or give rename"
        )
    with_output = {row.document for row in rows if row.prediction is not None}
    without = [name for name in documents if name not in with_output]
    if without:
        n = len(without)
        notes.append(
            f"{count(n)} {plural('document', n)} without any output "
            f"{'goes' if n == 1 else 'go'} to people: {few_of(without, LISTED)}"
        )
    outputs: dict[str, Any] = dict(zip(_Output._fields, zip(*rows, strict=True), strict=True))
    outputs["confidence"] = confidence
    del outputs["written"]
    own = {str(field): field for field in policy.fields}
    by, document = np.array([own[row.name] for row in rows]), np.array(outputs["document"])
    accepted = policy.apply(
        np.where(given, confidence, 0.0), by=by, rejected=~given,
        documents=None if policy.documents is None else document,
    )  # fmt: skip
    groups = document[given] if policy.has_groups else None
    shift = policy.shift(confidence[given], by=by[given], groups=groups)
    require_scale(str(paths[0]), policy, shift, confidence[given])
    read_from = tuple(dict.fromkeys(str(row.file) for file in found for row in file.rows))
    return AppliedFields(
        **outputs,
        applied=_counted(policy, rows, accepted, unknown_fields=len(unknown), shift=shift),
        accepted=accepted,
        files=read_from or tuple(map(str, paths)),
        notes=tuple(notes),
        rules=tuple(rule.text for rule in parsed),
        broken=broken,
    )


def are_documents(path: str | PathLike[str], policy: Policy) -> bool:
    """Return whether `apply_to_fields` can apply a policy of fields to this path.

    The result is True for folders and nested JSON. It is True for a table if the policy has rules, or
    if the policy and the table have fields in lists. Any other table has one row per output, for
    :func:`.operation.apply_policy`.
    """
    file = Path(path)
    if file.is_dir():
        return True
    opened = open_file(file)
    if is_table(opened):
        if rules_of_policy(policy):
            return True
        if not lists_of_names(map(str, policy.fields)):
            return False
        rows = read_field_file(file, "prediction").rows
        return any(FieldPath.of(row.field).items for row in rows)
    return begins_as(opened) == "json" and not _is_table_of_outputs(file)


def _is_table_of_outputs(path: Path) -> bool:
    """Return whether a JSON file has one row for each output, not whole documents."""
    try:
        return {"field", "confidence"} <= set(columns_of(open_file(path)))
    except OcrFileError:
        return False


def _require_fields(policy: Policy) -> None:
    require_policy(policy)
    if not policy.fields:
        raise ValueError("the policy has no fields, but the documents do; use a policy fitted by field")


def _documents(files: Sequence[FieldFile]) -> tuple[str, ...]:
    """Return the names of all documents; raise if two have the same name."""
    names = [name for file in files for name in file.documents]
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        n = len(twice)
        raise PairingError(
            f"{count(n)} {plural('name', n)} of documents occur{'s' if n == 1 else ''} more than "
            f"once: {few_of(twice, LISTED)}; keep one file for each document"
        )
    return tuple(names)


def _by_policy(
    policy: Policy, files: Sequence[FieldFile], documents: Sequence[str]
) -> tuple[list[_Output], list[Row]]:
    """Return the outputs for the policy's fields, and the rows of fields that are not in the policy."""
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
    rows: list[_Output] = []
    for document in documents:
        rows += _of_document(document, placed[document], given, counts, name_of, names)
    return rows, unknown


def _of_document(
    document: str,
    placed: Sequence[Placed],
    given: Mapping[tuple[str, str], Row],
    counts: Mapping[str, str],
    name_of: Mapping[str, str],
    names: Sequence[str],
) -> Iterator[_Output]:
    """Yield the outputs of a document, its row counts, and an empty output for each missing field."""
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
        place = row.position.page, row.position.box
        text = row.prediction.text
        yield _Output(document, field, name, place, text, confidence, row.prediction)
    for name in names:
        if name not in has:
            yield _Output(document, name, name, (None, None), None, math.nan, None)


def _counted(
    policy: Policy, rows: Sequence[_Output], accepted: NDArray[np.bool_], **others: Any
) -> AppliedPolicy:
    read = np.array([row.prediction is not None for row in rows], np.bool_)
    taken = accepted & read
    n, n_taken = int(read.sum()), int(taken.sum())
    if policy.documents is not None:
        through = dict(zip((row.document for row in rows), accepted.tolist(), strict=True))
        whole = {"n_documents": len(through), "accepted_documents": sum(through.values())}
        return applied_policy(policy, n, n_taken, [sum(through.values())], **whole, **others)
    name = np.array([row.name for row in rows])
    counts = [
        (int((read & own).sum()), int((taken & own).sum()))
        for own in (name == str(field) for field in policy.fields)
    ]
    by_field = [each for _, each in counts]
    fields = applied_fields(policy, counts)
    return applied_policy(policy, n, n_taken, by_field, fields=fields, **others)
