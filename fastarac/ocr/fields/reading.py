"""Read files of fields into items: match outputs with their truth, compare them, count rows."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.text import count, few_of, listed, plural
from fastarac.ocr.fields.comparisons import (
    UNTOLD,
    Judgement,
    TooSlowError,
    Written,
    comparison,
    comparisons_by_field,
    settings_of_file,
)
from fastarac.ocr.fields.counts import COUNT, count_names, is_there, read_count, true_count
from fastarac.ocr.fields.json_files import WITHOUT_TRUTH, read_field_file
from fastarac.ocr.fields.matching import pair_fields
from fastarac.ocr.fields.outputs import FieldOutputs, FoldedField, below_all, require_listed
from fastarac.ocr.fields.renaming import renamed
from fastarac.ocr.fields.rows import FieldPath
from fastarac.ocr.fields.rules import broken_note, broken_rules, rules_of
from fastarac.ocr.fields.tables import as_confidence
from fastarac.ocr.fields.values import Unreadable
from fastarac.ocr.pairing import PairingError
from fastarac.ocr.readers._files import OcrFileError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fastarac.ocr.fields.comparisons import FieldComparison
    from fastarac.ocr.fields.matching import Placed
    from fastarac.ocr.fields.rows import FieldFile, Row
    from fastarac.ocr.fields.rules import FieldRule

LISTED = 20
SINGLE = 3  # maximum number of outputs of a field that notes list one by one
EXAMPLES = 3
#: Comparisons that are tried on outputs that are wrong by `exact`, to suggest a better one.
TRIED = ("text", "number", "amount", "date")
UNDECIDED = (
    "can be read in two ways, of which only one is right, and {} wrong until an option of the "
    "comparison chooses one (point or comma; dmy, mdy or ymd)"
)
UNCOUNTED = (
    "of a row count {} inserted, and wrong, because the truth has no row there; use "
    "fields_complete=True if a list that the truth does not name has 0 rows"
)
EMPTY = Written("")
#: The scale of a document's or field's confidences is checked only if there are at least this many.
FEW = 3
#: Minimum number of a field's outputs for a note that none of them is right, if other fields are right.
MANY = 10


class Item(NamedTuple):
    """A field of a document, with the rows of its truth and of its output; one of them may be None."""

    name: str
    """Its name without item numbers."""
    field: str
    truth: Row | None
    output: Row | None

    @property
    def row(self) -> Row:
        """The row of the truth or, if it is missing, of the output."""
        row = self.output if self.truth is None else self.truth
        assert row is not None  # noqa: S101, each item has a truth or an output
        return row

    @property
    def true(self) -> Written:
        """The true value; the object EMPTY if there is none."""
        return (self.truth and self.truth.truth) or EMPTY

    @property
    def read(self) -> Written:
        """The output; the object EMPTY if there is none."""
        return (self.output and self.output.prediction) or EMPTY

    @property
    def pair(self) -> str:
        """The output and the true value, as in ``"7,0" for "7.0"``."""
        return f"{shown(_shown(self.read))} for {shown(_shown(self.true))}"


def read_fields(
    path: str | os.PathLike[str],
    truth: str | os.PathLike[str] | None = None,
    *,
    compare: str | Mapping[str, str] | os.PathLike[str] | None = None,
    rename: Mapping[str, str] | os.PathLike[str] | None = None,
    value_key: str = "value",
    confidence_key: str = "confidence",
    skip_unmatched: bool = False,
    optional: Sequence[str] = (),
    fields_complete: bool = False,
    rules: Sequence[str] = (),
) -> FieldOutputs:
    r"""Read fields of documents, with their truth in the same file or in another file.

    Parameters
    ----------
    path : str or path-like
        The outputs, in a format recognized by content: JSON of Azure Document Intelligence, Amazon
        Textract or Google Document AI; nested JSON of any model; or a table (JSON lines, CSV, TSV,
        Parquet) with the columns ``document``, ``field`` (such as ``items[3].amount``), ``prediction``
        and ``confidence``. In nested JSON, each field is an object ``{"value": …, "confidence": …}``.
        The file has one document, a list of documents, or one document per line. The key ``document``
        gives the name of a document. In a folder, each file is a document, named like the file up to
        the first dot.
    truth : str or path-like, optional
        The true values: a table with the columns ``document``, ``field`` and ``truth``, or nested JSON
        with plain values. If it is omitted, `path` must be a table with a column ``truth``.
    compare : str, mapping of str to str or path-like, optional
        The comparison of outputs with truths: one of `fastarac.ocr.COMPARISONS` for all fields, or a
        mapping from fields to comparisons, such as ``{"items[].*": "amount:comma,tolerance=0.01"}``, or
        a TOML file with such lines. Write fields without item numbers; ``*`` and ``?`` are wildcards.
        By default, the comparison is ``exact``, but an error is raised if different texts are the same
        number (``9.0`` and ``9``).
    rename : mapping of str to str or path-like, optional
        For fields of the outputs, their names in the truth, without item numbers: ``{"InvoiceTotal":
        "total", "Items[].Amount": "items[].amount"}``. A new name for a list or object applies to all
        fields in it. A TOML file with such lines can be given instead.
    value_key, confidence_key : str, default="value", "confidence"
        The keys of the value and the confidence of a field in nested JSON.
    skip_unmatched : bool, default=False
        Whether to leave out outputs of documents and fields without a truth. If False, such outputs
        raise an error.
    optional : sequence of str, default=()
        Fields (without item numbers) that are optional: a document that lacks them can go straight
        through.
    fields_complete : bool, default=False
        Whether a field is truly empty in a document if the truth does not list it there.
    rules : sequence of str, default=()
        Rules such as ``"net + tax == total"``, ``"sum(items[].amount) == net"`` or ``"date <= due"``.
        Each rule compares two sums of fields, or two dates, by ``==``, ``!=``, ``<=``, ``<``, ``>=`` or
        ``>``. All outputs of a document that breaks a rule are rejected. A rule is not broken if the
        document lacks one of its fields, but it is broken if an output is not a number or date.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import read_fields
    >>> table = '''document,field,prediction,confidence,truth
    ... a1,total,"1,250.00",0.97,1250
    ... a1,name,harrow & finch,0.91,Harrow & Finch
    ... a2,total,88.50,0.64,88.60
    ... a2,name,,,Mill & Son
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fields.csv")
    ...     _ = path.write_text(table)
    ...     fields = read_fields(path, compare={"total": "number", "name": "text"})
    >>> fields
    FieldOutputs(4 fields of 2 documents, 2 right, 1 rejected)
    >>> counts = fields.straight_through(0.6)
    >>> counts.field_acceptance_rate, counts.straight_through_rate
    (0.75, 0.5)
    >>> print(fields.folded[0])
    total: 1 right by number, such as "1,250.00" for "1250"

    Returns
    -------
    fields : FieldOutputs
        One item for each field of the truth, in the order of the truth, and one for each inserted
        output. The number of rows of each list is an item, too.

    Raises
    ------
    OcrFileError
        If a file cannot be read, lacks a column, or holds an invalid value, confidence or truth.
    PairingError
        If there are outputs without a truth.
    ValueError
        If a comparison, field or rule is unknown, or if the truth does not list an optional field and
        `fields_complete` is False.

    See Also
    --------
    fastarac.ocr.align : Words, lines or characters instead of fields.

    Notes
    -----
    A field without a prediction or a confidence is *rejected*: no threshold accepts it. Nevertheless, a
    field without a prediction is right if its truth is empty. A prediction is wrong if the comparison
    cannot parse it, or if only one of its two readings is right.

    Whole line items are matched one to one with the true line items. The matching maximizes the sum of
    the similarities of all fields. Outputs without a match are *inserted*, and therefore wrong. The
    number of rows of each list is a field, such as ``items.count``.

    In the files of Textract, a field of the type ``OTHER`` is named by its label, and a query by its
    alias or text. A ticked box reads ``SELECTED``. If a name occurs more than once in a document, it
    gets item numbers: ``NAME[0]``.
    """
    keys = value_key, confidence_key
    notes: list[str] = []
    names: dict[str, str] = {}
    if truth is None:
        both = read_field_file(path, "both", *keys)
        both.check_once()
        if both.whole:
            raise OcrFileError(both.path, WITHOUT_TRUTH)
        if rename:
            raise ValueError(
                "rename needs a separate truth, but outputs and truth are in one table and have the "
                "same names there"
            )
        items = _with_own_truth(both, complete=fields_complete)
        without_truth: Mapping[str, int] = {}
        ways = comparisons_by_field(compare, list(dict.fromkeys(item.name for item in items)))
    else:
        outputs = read_field_file(path, "prediction", *keys)
        truths = read_field_file(truth, "truth", *keys)
        outputs, names = renamed(outputs, rename or {})
        for file in (outputs, truths):
            file.check_once()
        joined = _Join(truths, outputs, complete=fields_complete)
        ways = comparisons_by_field(compare, list(joined.names))
        items = joined.items(ways)
        joined.check(notes, skip_unmatched=skip_unmatched)
        without_truth = joined.without_truth
    if isinstance(compare, os.PathLike):
        optional = (*optional, *settings_of_file(Path(compare))[1])
    found = replace(
        _outputs(items, ways, notes, rules_of(rules, ways)),
        renamed=names,
        optional=tuple(dict.fromkeys(optional)),
        fields_complete=fields_complete,
        without_truth=without_truth,
    )
    require_listed(found)
    return found


def _with_own_truth(file: FieldFile, *, complete: bool) -> list[Item]:
    """Return the items of a table that includes the truth, and its row counts."""
    lists = {name for row in file.rows for name in FieldPath.of(row.field).lists()}
    counts = count_names(lists)
    first = {name: number for number, name in enumerate(file.documents)}
    items: list[Item] = []
    # One document at a time, to save memory.
    of_documents = groupby(
        sorted(file.rows, key=lambda row: first[row.document]), lambda row: row.document
    )
    for _, rows in of_documents:
        placed = [(FieldPath.of(row.field), row) for row in rows]
        items += [Item(path.written(numbers=False), row.field, row, row) for path, row in placed]
        if not counts:
            continue
        true, given = _without_counts([(p, replace(r, prediction=None)) for p, r in placed], counts)
        read, _ = _without_counts([(p, replace(r, truth=None)) for p, r in placed], counts)
        for name, key in counts.items():
            truth, output = true_count(true, key, complete=complete), read_count(read, key)
            if name not in given and (truth is not None or output is not None):
                items.append(Item(name, name, truth, output))
    return items


class _Join:
    """The outputs and the truths of documents, matched with each other.

    `names` has the fields of the truth, without item numbers, in the order of the truth.
    """

    def __init__(self, truths: FieldFile, outputs: FieldFile, *, complete: bool) -> None:
        self._truths, self._outputs = truths, outputs
        self.names: dict[str, None] = {}
        self._unmatched: list[Row] = []
        self._empty: list[str] = []
        lists = {name for row in truths.rows for name in FieldPath.of(row.field).lists()}
        self._complete = complete
        self.counts = count_names(lists)
        self._true = _by_document(truths, lists, self.counts)
        self._read = _by_document(outputs, lists, self.counts)
        self._name_of: dict[str, str] = {}
        for placed in self._true.values():
            for path, _ in placed:
                name = path.written(numbers=False)
                self.names.setdefault(name)
                if name not in self.counts:
                    self._name_of[path.key] = name
        self.names |= dict.fromkeys(self.counts)

    def items(self, ways: Mapping[str, FieldComparison]) -> list[Item]:
        found: list[Item] = []
        for document in self._truths.documents:
            items = self._of_document(document, ways)
            found += items
            if not items:
                self._empty.append(document)
        for document in self._outputs.documents:
            if document not in self._true:
                self._unmatched += [row for _, row in self._read.get(document, ()) if _is_there(row)]
        return found

    def _of_document(self, document: str, ways: Mapping[str, FieldComparison]) -> list[Item]:
        true, true_counts = _without_counts(self._true[document], self.counts)
        of_document, read_counts = _without_counts(self._read.get(document, ()), self.counts)
        read = []
        for path, row in of_document:
            if path.key in self._name_of:
                read.append((path, row))
            elif _is_there(row):
                self._unmatched.append(row)

        def similarity(truth: Placed, output: Placed) -> float:
            return _similarity(truth[1], output[1], ways[self._name_of[truth[0].key]])

        try:
            pairs = pair_fields(true, read, similarity)
        except ValueError as error:
            if isinstance(error, OcrFileError):
                raise
            raise OcrFileError(self._outputs.path, f"document {shown(document)}: {error}") from None
        order = {id(row): number for number, (_, row) in enumerate(true)}
        items, inserted = [], []
        for of_truth, of_output in pairs:
            if of_truth is not None:
                path, row = of_truth
                output = None if of_output is None else of_output[1]
                name = self._name_of[path.key]
                items.append(Item(name, path.written(), row, output))
            elif of_output is not None and _is_there(of_output[1]):
                path, row = of_output
                name = self._name_of[path.key]
                if path.items or "[]" in name or self._truths.whole or self._complete:
                    inserted.append(Item(name, path.written("+"), None, row))
                else:
                    self._unmatched.append(row)
        items.sort(key=lambda item: order[id(item.truth)])
        return [*items, *inserted, *self._counts_of(true, true_counts, read, read_counts)]

    def _counts_of(
        self,
        true: Sequence[Placed],
        true_counts: Mapping[str, Row],
        read: Sequence[Placed],
        read_counts: Mapping[str, Row],
    ) -> Iterator[Item]:
        """Yield the row counts given in the files; for other lists, count the rows."""
        for name, key in self.counts.items():
            truth = true_counts.get(name)
            if truth is None:
                truth = true_count(true, key, complete=self._truths.whole or self._complete)
            output = read_counts.get(name) or read_count(read, key)
            # A row count without a truth is an inserted output and therefore wrong.
            if truth is not None or output is not None:
                yield Item(name, name, truth, output)

    @property
    def without_truth(self) -> Mapping[str, int]:
        """The number of outputs of each field that never occurs in the truth."""
        fields = Counter(FieldPath.of(row.field).written(numbers=False) for row in self._unmatched)
        return {name: number for name, number in fields.items() if name not in self.names}

    def check(self, notes: list[str], *, skip_unmatched: bool) -> None:
        """Add notes on unmatched outputs (an error unless `skip_unmatched`) and empty documents."""
        if self._unmatched:
            n = len(self._unmatched)
            said = f"{count(n)} {plural('output', n)} without a truth"
            listed = few_of(_by_field(self._unmatched), LISTED)
            if not skip_unmatched:
                raise PairingError(f"{self._outputs.path}: {said}: {listed}")
            notes.append(f"{said} left out: {listed}")
        if self._empty:
            n = len(self._empty)
            notes.append(
                f"{count(n)} {plural('document', n)} left out, because neither the truth nor the "
                f"outputs have a field there: {few_of(self._empty, LISTED)}"
            )
        without = [name for name in self._truths.documents if name not in self._read]
        if without:
            notes.append(
                f"{count(len(without))} {plural('document', len(without))} without any output, whose "
                f"fields are rejected: {few_of(without, LISTED)}"
            )


def _by_field(rows: Iterable[Row]) -> Iterator[str]:
    """Describe each row by field and document; fields with many rows are described by a count."""
    documents: dict[str, list[str]] = {}
    for row in rows:
        documents.setdefault(row.field, []).append(row.document)
    for name, of_field in documents.items():
        if len(of_field) <= SINGLE:
            yield from (f"{name} of {document}" for document in of_field)
        else:
            yield f"{name} of {count(len(set(of_field)))} documents"


def _without_counts(
    placed: Iterable[Placed], counts: Mapping[str, str]
) -> tuple[list[Placed], dict[str, Row]]:
    """Return all fields except row counts, and the row counts by name."""
    every = list(placed)
    given = {path.key: row for path, row in every if not path.items and path.key in counts}
    return [each for each in every if each[0].items or each[0].key not in counts], given


def _by_document(
    file: FieldFile, lists: set[str], counts: Mapping[str, str]
) -> dict[str, list[Placed]]:
    """Return the fields of each document; a list field without an item number gets number 0."""
    found: dict[str, list[Placed]] = {name: [] for name in file.documents}
    seen: dict[tuple[str, str], Row] = {}
    for row in file.rows:
        path = FieldPath.of(row.field)
        if path.items or path.key not in counts:
            path = path.within(lists)
        first = seen.setdefault((row.document, path.written()), row)
        if first is not row:
            raise row.error(
                f"it is the same field as {shown(first.field)}: the truth has it in a list, and a name "
                "without a number means its first entry; keep one of the two"
            )
        found[row.document].append((path, row))
    return {name: placed for name, placed in found.items() if placed or file.whole}


def _is_there(row: Row) -> bool:
    return is_there(row.prediction)


def _judge(truth: Row, prediction: Written, way: FieldComparison) -> Judgement:
    """Return whether a prediction is right; raise if the comparison cannot read the truth."""
    expected = truth.truth or EMPTY
    try:
        return way.judge(expected, prediction)
    except Unreadable as error:
        raise truth.error(
            f"the truth is {shown(expected.text)}, but the comparison {way.name!r} needs {error}"
        ) from None
    except TooSlowError as error:
        raise truth.error(str(error)) from None


def _similarity(truth: Row, output: Row, way: FieldComparison) -> float:
    true, read = truth.truth or EMPTY, output.prediction or EMPTY
    if not true.text.strip() or not read.text.strip():
        return 0.0
    if _judge(truth, read, way).right:
        return 1.0
    return _normalized_similarity()(true.text, read.text)


@cache
def _normalized_similarity() -> Callable[[str, str], float]:
    """Return rapidfuzz's function, cached because an import in each call takes longer than the call."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity


def _outputs(
    items: Sequence[Item],
    ways: Mapping[str, FieldComparison],
    notes: list[str],
    rules: Sequence[FieldRule],
) -> FieldOutputs:
    """Compare each output with its truth, and collect the results."""
    judged: list[Judgement] = []
    confidence = np.full(len(items), np.nan)
    for i, item in enumerate(items):
        if item.output is not None and item.output.prediction is not None:
            confidence[i] = as_confidence(item.output)
        if item.truth is None:
            judged.append(Judgement(right=False))
        else:
            judged.append(_judge(item.truth, item.read, ways[item.name]))
    _refuse_numbers(items, judged, ways)
    broken = broken_rules(rules, ((item.row.document, item.name, item.read) for item in items))
    if broken:
        notes = [*notes, broken_note(broken)]
        confidence[[item.row.document in broken for item in items]] = np.nan
    rejected = np.isnan(confidence)
    _check_one_scale(items, confidence)
    never = None
    if rejected.any():
        never = below_all(confidence)
        confidence[rejected] = never
    read = [
        None if item.output is None or (gone and not _is_there(item.output)) else item.output.prediction
        for item, gone in zip(items, rejected.tolist(), strict=True)
    ]
    correct = np.array([each.right for each in judged], np.bool_)
    kind = [
        _kind(is_read=each is not None, is_true=is_there(item.true), right=right)
        for item, each, right in zip(items, read, correct.tolist(), strict=True)
    ]
    notes = [*notes, *_counted(items, judged, kind, rejected.tolist())]
    notes += [*_none_right(items, judged), *_hints(items, judged, ways)]
    return FieldOutputs(
        document=tuple(item.row.document for item in items),
        field=tuple(item.field for item in items),
        name=tuple(item.name for item in items),
        truth=tuple(ways[item.name].of_truth(item.true).text for item in items),
        prediction=tuple(
            None if each is None else _shown(ways[item.name].of_prediction(each))
            for item, each in zip(items, read, strict=True)
        ),
        correct=correct,
        confidence=confidence,
        kind=tuple(kind),
        rejected=rejected,
        never_accepted=never,
        comparisons={name: each.name for name, each in ways.items()},
        folded=tuple(_folded(items, judged, ways)),
        notes=tuple(notes),
        rules=tuple(rule.text for rule in rules),
        broken=broken,
    )


def _kind(*, is_read: bool, is_true: bool, right: bool) -> str:
    """Return the kind of an item: empty, missed, right, wrong or inserted."""
    if not is_read:
        return "empty" if right else "missed"
    return "right" if right else "wrong" if is_true else "inserted"


def _shown(written: Written) -> str:
    return written.text if written.value is None else written.value


def _counted(
    items: Sequence[Item], judged: Sequence[Judgement], kind: Sequence[str], rejected: Sequence[bool]
) -> Iterable[str]:
    """Yield notes on rejected, inserted, undecided and unreadable outputs."""
    empty = kind.count("empty")
    without = kind.count("missed") + empty
    if without:
        rightly = f", {count(empty)} of them rightly empty" if empty else ""
        said = f"{count(without)} {plural('field', without)} without an output"
        yield f"{said} {_is(without)} rejected{rightly}"
    unsure = [
        item
        for item, each, gone in zip(items, kind, rejected, strict=True)
        if gone and each not in ("missed", "empty")
    ]
    inserted = [item for item, each in zip(items, kind, strict=True) if each == "inserted"]
    uncounted = [item for item in inserted if _is_uncounted(item)]
    inserted = [item for item in inserted if not _is_uncounted(item)]
    undecided, unreadable = (
        [item for item, each in zip(items, judged, strict=True) if each.remark == remark]
        for remark in ("undecided", "unreadable")
    )
    for of, words, in_pairs in (
        (unsure, "without a confidence {} rejected", False),
        (inserted, "without a matching true field {} inserted, and wrong", False),
        (uncounted, UNCOUNTED, False),
        (undecided, UNDECIDED, True),
        (unreadable, "{} not of the kind that the comparison expects, and wrong", True),
    ):
        if of:
            found = (
                f"{item.field} of {item.row.document}" + (f": {item.pair}" if in_pairs else "")
                for item in of
            )
            said = words.format(_is(len(of)))
            yield f"{count(len(of))} {plural('output', len(of))} {said}: {few_of(found, EXAMPLES)}"


def _none_right(items: Sequence[Item], judged: Sequence[Judgement]) -> Iterable[str]:
    """Yield a note for each field whose outputs are all wrong, or one note if no output is right."""
    wrong: dict[str, list[Item]] = defaultdict(list)
    right: set[str] = set()
    for item, each in zip(items, judged, strict=True):
        if item.truth is None or not is_there(item.read):
            continue
        if each.right:
            right.add(item.name)
        wrong[item.name].append(item)
    whole = {"": [item for of in wrong.values() for item in of]}
    for name, of in (wrong if right else whole).items():
        if name not in right and len(of) >= (MANY if right else 1):
            of_field = f" of {name}" if name else ""
            examples = listed([item.pair for item in of[:EXAMPLES]])
            yield f"none of the {count(len(of))} outputs{of_field} is right: for example, {examples}"


def _is_uncounted(item: Item) -> bool:
    """Return whether an item is a row count for which the truth gives no number."""
    return item.truth is None and item.field == item.name and item.name.endswith(COUNT)


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _folded(
    items: Sequence[Item], judged: Sequence[Judgement], ways: Mapping[str, FieldComparison]
) -> Iterable[FoldedField]:
    """Yield, for each field, the outputs that are right although they differ from the truth."""
    of: dict[str, list[Item]] = defaultdict(list)
    for item, each in zip(items, judged, strict=True):
        if each.remark == "folded":
            of[item.name].append(item)
    for name, found in of.items():
        way = ways[name]
        examples = dict.fromkeys(
            (_shown(way.of_prediction(item.read)), _shown(way.of_truth(item.true))) for item in found
        )
        yield FoldedField(name, way.name, len(found), tuple(list(examples)[:EXAMPLES]))


def _differing(items: Sequence[Item], judged: Sequence[Judgement]) -> Iterator[Item]:
    """Yield the wrong items that have both a true value and an output."""
    for item, each in zip(items, judged, strict=True):
        if not each.right and item.true is not EMPTY and item.read is not EMPTY:
            yield item


def _hints(
    items: Sequence[Item], judged: Sequence[Judgement], ways: Mapping[str, FieldComparison]
) -> Iterable[str]:
    """Yield a hint on fields for which a comparison other than `exact` makes more outputs right."""
    tried = {how: lru_cache(maxsize=None)(comparison(how).judge) for how in TRIED}
    wrong: Counter[str] = Counter()
    better: dict[str, Counter[str]] = defaultdict(Counter)
    for item in _differing(items, judged):
        if ways[item.name].name != "exact":
            continue
        wrong[item.name] += 1
        for how, judge in tried.items():
            with suppress(Unreadable):
                better[item.name][how] += judge(item.true, item.read).right
    found = []
    for name, counts in better.items():
        how, n = max(counts.items(), key=lambda pair: pair[1])  # in a tie, the first of TRIED
        if n:
            found.append((n, wrong[name], f"{name}={how} ({count(n)} of {count(wrong[name])})"))
    if found:
        n, n_wrong = (sum(column) for column in zip(*(each[:2] for each in found), strict=True))
        differ = "differs" if n == 1 else "differ"
        yield (
            f"{count(n)} of {count(n_wrong)} wrong outputs {differ} from the truth only in form; "
            f"they are right with compare: {', '.join(text for _, _, text in found)}"
        )


def _refuse_numbers(
    items: Sequence[Item], judged: Sequence[Judgement], ways: Mapping[str, FieldComparison]
) -> None:
    """Raise if an output is wrong as text but right as a number, and the user chose no comparison."""
    judge = lru_cache(maxsize=None)(comparison("number").judge)
    same: list[Item] = []
    for item in _differing(items, judged):
        if ways[item.name] is UNTOLD:
            with suppress(Unreadable):
                if judge(item.true, item.read).right:
                    same.append(item)
    if not same:
        return
    first, n, names = same[0], len(same), few_of(dict.fromkeys(item.name for item in same), EXAMPLES)
    raise first.row.error(
        f"the output {shown(_shown(first.read))} and the truth {shown(_shown(first.true))} differ as "
        f"texts but are the same number, as in {count(n)} {plural('item', n)} ({names}); "
        f"compare={{{first.name!r}: 'number'}} takes such outputs as right, "
        f"compare={{{first.name!r}: 'text'}} as wrong"
    )


def _check_one_scale(items: Sequence[Item], confidence: np.ndarray) -> None:
    """Raise if some documents or fields have confidences up to 1, and others up to 100."""
    known = confidence[~np.isnan(confidence)]
    if not len(known) or known.min() < 0 or not 1 < known.max() <= 100:
        return
    for what in ("document", "field"):
        groups: dict[str, list[int]] = defaultdict(list)
        for i, item in enumerate(items):
            if not np.isnan(confidence[i]):
                groups[item.row.document if what == "document" else item.name].append(i)
        highest = {
            name: (float(confidence[of].max()), of[int(np.argmax(confidence[of]))])
            for name, of in groups.items()
            if len(of) >= FEW
        }
        low = next((at for top, at in highest.values() if 0 < top <= 1), None)
        high = next((at for top, at in highest.values() if top > 1), None)
        if low is not None and high is not None:
            each = ", ".join(
                f"{confidence[at]:g} in field {shown(items[at].field)} of document "
                f"{shown(items[at].row.document)}"
                for at in (low, high)
            )
            raise items[low].row.error(
                f"all confidences of this {what} are at most 1, but other confidences go up to 100 "
                f"({each}); use one scale"
            )
