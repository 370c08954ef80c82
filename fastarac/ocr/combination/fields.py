"""Combination of several engines' fields of the same documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.checks import require_type, whole_number
from fastarac._core.results import Result, Table
from fastarac._core.text import few_of, plural
from fastarac.ocr.combination.combining import check_rule, require_several
from fastarac.ocr.combination.fitting import WordLabels, fit_combination, folds_of
from fastarac.ocr.combination.model import Combination, order_of, require_engines
from fastarac.ocr.combination.readings import Readings
from fastarac.ocr.combination.voting import Chosen, by_agreement, by_probability
from fastarac.ocr.fields.outputs import FieldOutputs
from fastarac.ocr.words.words import HIGHEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

#: Stands for a field that an engine reports as empty, because "" means that it did not read the field.
EMPTY = " "

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class CombinedFields(Table, Result):
    """The combined fields of several engines.

    Attributes
    ----------
    fields : FieldOutputs
        The combined fields, with confidences from 0 to 1. They have the same type as the fields of an
        engine.
    agreeing : ndarray of shape (n,), intp
        Number of engines that read the chosen text of each field; 0 if no engine read a text.
    combination : Combination or None
        The combination learnt from all documents, or the `combination` that was passed in. None if the
        engines are combined by agreement alone.

    See Also
    --------
    combine_fields : combine the fields of several engines
    CombinedOutputs : the combined words of several engines
    """

    fields: FieldOutputs
    agreeing: NDArray[np.intp]
    combination: Combination | None

    def to_columns(self) -> dict[str, Any]:
        """Return the fields as columns, with the number of engines that agree."""
        return self.fields.to_columns() | {"agreeing": self.agreeing}


def combine_fields(
    engines: Mapping[str, FieldOutputs],
    *,
    combination: Combination | None = None,
    agreement: Literal["exact"] | None = None,
    n_folds: int = 5,
) -> CombinedFields:
    r"""Combine the fields of several engines.

    Parameters
    ----------
    engines : mapping of str to FieldOutputs
        Two or more engines by name, read with the same truth and the same comparisons.
    combination : Combination, optional
        A combination learnt from the fields of other documents.
    agreement : {"exact"}, optional
        Use agreement in place of a learnt combination: the confidence is 1 if all engines have the same
        text, otherwise 0.
    n_folds : int, default=5
        Number of folds into which the documents are divided, as pages are in :func:`combine`.

    Returns
    -------
    CombinedFields

    Raises
    ------
    ValueError
        If there are fewer than two engines, if their fields or comparisons differ, if there are fewer
        than two documents to learn from, or if `combination` is for other engines or scales.
    ModuleNotFoundError
        If rapidfuzz is not installed or, for learning, scikit-learn is not.

    See Also
    --------
    combine : combine words on pages; its notes explain the method.

    Notes
    -----
    Fields of different engines are matched by document and name. Entries of lists are matched if they
    are paired with the same true entry. Texts agree if they are equal apart from white space. An output
    without a true field is a separate field; two engines share such a field if they read the same text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import combine_fields, read_fields
    >>> head = "document,field,prediction,confidence,truth"
    >>> tables = {
    ...     "A": ["a,total,10,0.9,10", "a,name,Mil,0.4,Mill", "b,total,7,0.8,7"],
    ...     "B": ["a,total,10,0.7,10", "a,name,Mill,0.8,Mill", "b,total,,,7"],
    ... }
    >>> with TemporaryDirectory() as folder:
    ...     engines = {}
    ...     for name, rows in tables.items():
    ...         path = Path(folder, f"{name}.csv")
    ...         _ = path.write_text("\n".join([head, *rows]))
    ...         engines[name] = read_fields(path)
    >>> found = combine_fields(engines, agreement="exact")
    >>> found.fields.prediction, found.fields.confidence.tolist()
    (('10', 'Mill', '7'), [1.0, 0.0, 0.0])
    """
    names, parts = _given(engines)
    n_folds = whole_number(n_folds, "n_folds", 2)
    check_rule(agreement, combination)
    true = set[tuple[str, str]]().union(*map(_true_keys, parts.values()))
    keys, readings, index, documents = _readings([parts[name] for name in names], true)
    scales = {name: _highest(parts[name]) for name in names}
    if agreement is not None:
        chosen = by_agreement(readings, exact=True)
    elif combination is not None:
        require_engines(combination, scales, "field")
        chosen = by_probability(readings, combination)
    else:
        labels = [
            WordLabels(
                part.correct[at],
                np.array([key in true for key in _keys(part)], np.bool_)[at],
                np.ones(len(at), np.bool_),
            )
            for part, at in zip((parts[name] for name in names), index, strict=True)
        ]
        chosen, combination = _cross_fitted(scales, readings, labels, documents, n_folds)
    return _put_together([parts[name] for name in names], keys, index, chosen, combination)


def _given(engines: Mapping[str, FieldOutputs]) -> tuple[tuple[str, ...], dict[str, FieldOutputs]]:
    require_several(engines, "FieldOutputs")
    names = tuple(sorted(engines))
    for name in names:
        each = engines[name]
        expected = "FieldOutputs, as fastarac.ocr.read_fields returns them"
        require_type(each, FieldOutputs, f"engines[{name!r}]", expected)
        if each.rejected.all():
            raise ValueError(f"engines[{name!r}] must have at least one field with a confidence")
    for one, other in combinations(names, 2):
        for first, second in ((one, other), (other, one)):
            alone = sorted(_true_keys(engines[first]) - set(_keys(engines[second])))
            if alone:
                n = len(alone)
                said = few_of((f"{field} of {document}" for document, field in alone), 20)
                raise ValueError(
                    f"engines[{first!r}] has {n} true {plural('field', n)} that "
                    f"engines[{second!r}] lacks: {said}; give both the same true fields"
                )
        if dict(engines[one].comparisons) != dict(engines[other].comparisons):
            raise ValueError(f"engines[{one!r}] and engines[{other!r}] must have the same comparisons")
    return names, dict(engines)


def _keys(fields: FieldOutputs) -> Iterator[tuple[str, str]]:
    return zip(fields.document, fields.field, strict=True)


def _true_keys(fields: FieldOutputs) -> set[tuple[str, str]]:
    """Return (document, field) of each output that has a true field."""
    return {key for key, kind in zip(_keys(fields), fields.kind, strict=True) if kind != "inserted"}


def _highest(fields: FieldOutputs) -> float:
    """Guess the maximum of the confidence scale: 1, 100, or the largest confidence if above 100."""
    most = float(fields.confidence[~fields.rejected].max())
    return next((end for end in sorted(HIGHEST.values()) if most <= end), most)


def _readings(
    parts: Sequence[FieldOutputs], true: set[tuple[str, str]]
) -> tuple[list[Key], Readings, list[NDArray[np.intp]], tuple[str, ...]]:
    """Match the engines' fields; return keys, readings, their rows in `parts`, and documents."""
    places: dict[Key, int] = {}
    found: list[dict[int, int]] = []
    for fields in parts:
        counts: Counter[Key] = Counter()
        of_engine = {}
        for row, (document, field) in enumerate(_keys(fields)):
            key = (document, field, "")
            if (document, field) not in true:
                same = (document, fields.name[row], _text(fields.prediction[row]))
                key = (*same[:2], f"{same[2]}\n{counts[same]}")
                counts[same] += 1
            of_engine[places.setdefault(key, len(places))] = row
        found.append(of_engine)
    keys = list(places)
    documents: dict[str, int] = {}
    group = np.array([documents.setdefault(key[0], len(documents)) for key in keys], np.intp)
    place, text, confidence, index = [], [], [], []
    for fields, of_engine in zip(parts, found, strict=True):
        rows = [
            (at, row) for at, row in sorted(of_engine.items()) if fields.prediction[row] is not None
        ]
        where = np.array(rows, np.intp).reshape(-1, 2)
        place.append(where[:, 0])
        index.append(where[:, 1])
        text.append([_text(fields.prediction[row]) for _, row in rows])
        known = np.where(fields.rejected, np.nan, fields.confidence)
        confidence.append(known[where[:, 1]])
    return keys, Readings(group, place, text, confidence), index, tuple(documents)


def _text(prediction: str | None) -> str:
    return " ".join((prediction or "").split()) or EMPTY


def _cross_fitted(
    scales: Mapping[str, float],
    readings: Readings,
    labels: Sequence[WordLabels],
    documents: tuple[str, ...],
    n_folds: int,
) -> tuple[Chosen, Combination]:
    """Combine each fold by a rule learnt on the other folds; also return a rule learnt on all."""
    n = len(documents)
    if n < 2:
        raise ValueError(
            "truth must have at least two documents, got one: each document is combined by rules "
            "learnt from other documents"
        )
    sizes = list(map(len, readings.place))
    order = order_of([int(each.right.sum()) for each in labels], sizes, tuple(scales))

    def learnt(chosen: NDArray[np.bool_]) -> Combination:
        return fit_combination(readings, labels, scales, order, chosen, unit="field")

    folds = folds_of(documents, min(n_folds, n))
    parts = []
    for fold in range(int(folds.max()) + 1):
        found = by_probability(readings, learnt(folds != fold))
        parts.append(found.take(folds[readings.group[found.place]] == fold))
    together = Chosen(*map(np.concatenate, zip(*parts, strict=True)))
    return together.take(np.argsort(together.place, kind="stable")), learnt(np.ones(n, np.bool_))


def _put_together(
    parts: Sequence[FieldOutputs],
    keys: Sequence[Key],
    index: Sequence[NDArray[np.intp]],
    chosen: Chosen,
    combination: Combination | None,
) -> CombinedFields:
    """Return the combined fields: all true fields, and the inserted outputs that were chosen."""
    every = zip(*(column.tolist() for column in chosen), strict=True)
    stands = dict(zip(chosen.place.tolist(), every, strict=True))
    first = parts[0]
    truths = {key: row for row, key in enumerate(zip(first.document, first.field, strict=True))}
    # For each item: its engine's `FieldOutputs`, its row there, its confidence, and the number of
    # engines that agree.
    rows: list[tuple[FieldOutputs, int, float, int]] = []
    for place, (document, field, inserted) in enumerate(keys):
        if place in stands:
            engine, word, _, agreeing, confidence = stands[place]
            rows.append((parts[engine], int(index[engine][word]), confidence, agreeing))
        elif not inserted:  # a true field that no engine read
            rows.append((first, truths[document, field], np.nan, 0))
    confidence = np.array([each[2] for each in rows])
    rejected = np.isnan(confidence)
    never = -1.0 if rejected.any() else None
    correct = np.array([of.correct[row] for of, row, _, _ in rows], np.bool_)
    correct[rejected] = [
        not of.truth[row].strip() for of, row, confidence, _ in rows if np.isnan(confidence)
    ]
    kind = [
        ("empty" if right else "missed") if gone else of.kind[row]
        for (of, row, _, _), gone, right in zip(rows, rejected, correct, strict=True)
    ]
    texts: dict[str, Any] = {
        name: tuple(getattr(of, name)[row] for of, row, _, _ in rows)
        for name in ("document", "field", "name", "truth")
    }
    fields = replace(
        first,
        **texts,
        prediction=tuple(
            None if gone else of.prediction[row]
            for (of, row, _, _), gone in zip(rows, rejected, strict=True)
        ),
        correct=correct,
        confidence=np.where(rejected, -1.0, confidence),
        kind=tuple(kind),
        rejected=rejected,
        never_accepted=never,
        folded=(),
        notes=(),
    )
    return CombinedFields(fields, np.array([each[3] for each in rows], np.intp), combination)
