"""Combination of several engines' words on the same pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import require_type, whole_number
from fastarac._core.results import Result, Table
from fastarac._core.text import listed, plural
from fastarac.ocr.combination.fitting import WordLabels, fit_combination, folds_of
from fastarac.ocr.combination.model import Combination, order_of, require_engines
from fastarac.ocr.combination.pages import PlacedWords, divided_unspaced, labels_of, words_of
from fastarac.ocr.combination.voting import Chosen, by_agreement, by_probability
from fastarac.ocr.engines import Engine
from fastarac.ocr.formats import NoConfidenceError, require_confidence
from fastarac.ocr.words.folding import checked_foldings
from fastarac.ocr.words.items import AlignedOutputs, align
from fastarac.ocr.words.records import RIGHT, Reading, records_of
from fastarac.ocr.words.words import HIGHEST, Words, require_same_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.words.folding import Folding
    from fastarac.ocr.words.policies import InsertedPolicy, MissedPolicy, MovedPolicy
    from fastarac.ocr.words.records import Records
    from fastarac.ocr.words.units import Join, Unit


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CombinedOutputs(Table, Result):
    """The combined words of several engines.

    :func:`combine` returns it.

    Attributes
    ----------
    names : tuple of str
        The engines, in the order given.
    words : Words
        The combined words, with confidences from 0 to 1. They have the same type as the words of an
        engine.
    engine : ndarray of shape (n_words,), intp
        Index into `names` of an engine that read each word.
    agreeing : ndarray of shape (n_words,), intp
        Number of engines that read each word.
    fold_of_page : ndarray of shape (n_pages,), intp, or None
        Fold of each page of `words`; its words are combined by a rule learnt on the other folds. None
        if this call learnt no rule.
    aligned : AlignedOutputs or None
        The items, if a truth was given.
    combination : Combination or None
        The combination learnt from all pages, or the `combination` that was passed in. None if the
        engines are combined by agreement alone.

    See Also
    --------
    combine : combine the words of several engines
    Combination : a learnt rule to combine the words of several engines

    Examples
    --------
    >>> from fastarac import ocr
    >>> sample = ocr.load_sample()
    >>> found = ocr.combine(sample.outputs)
    >>> found.names, found.combination is None
    (('plain', 'enlarged'), True)
    >>> bool(found.agreeing.max() == len(found.names))
    True
    """

    names: tuple[str, ...]
    words: Words
    engine: NDArray[np.intp]
    agreeing: NDArray[np.intp]
    fold_of_page: NDArray[np.intp] | None
    aligned: AlignedOutputs | None
    combination: Combination | None

    def __len__(self) -> int:
        return len(self.words)

    def to_columns(self) -> dict[str, Any]:
        """Return the words as columns, including the columns `engine` (a name) and `agreeing`."""
        engine = np.array(self.names, object)[self.engine]
        return self.words.to_columns() | {"engine": engine, "agreeing": self.agreeing}

    def __repr__(self) -> str:
        n, n_pages = len(self), len(self.words.page_names)
        every = int((self.agreeing == len(self.names)).sum())
        return (
            f"CombinedOutputs({' + '.join(self.names)}: {n} {plural('word', n)} on {n_pages} "
            f"{plural('page', n_pages)}, {every} read by all engines)"
        )


class _Given(NamedTuple):
    """The engines, sorted by name, and the value of `fold` for comparing their texts."""

    names: tuple[str, ...]
    words: tuple[Words, ...]
    pages: tuple[str, ...]
    fold: tuple[Folding, ...]

    @property
    def highest(self) -> list[float]:
        return [1.0 if each.scale is None else HIGHEST[each.scale] for each in self.words]

    def placed(self, order: Iterable[str]) -> PlacedWords:
        numbers = [self.names.index(name) for name in order]
        return PlacedWords.of(self.words, self.pages, numbers, self.fold)


def combine(
    engines: Mapping[str, Words | Engine],
    *,
    truth: Words | None = None,
    combination: Combination | None = None,
    agreement: Literal["exact"] | None = None,
    n_folds: int = 5,
    unit: Unit = "word",
    missed: MissedPolicy = "reject",
    inserted: InsertedPolicy = "wrong",
    moved: MovedPolicy = "right",
    fold: str | Iterable[str] | None = None,
    join: Join = "min",
) -> CombinedOutputs:
    r"""Combine the words of several engines into one output with better confidences.

    Parameters
    ----------
    engines : mapping of str to Words or Engine
        Two or more engines by name, with the same pages. Each engine must have confidences.
    truth : Words, optional
        The true words of the same pages. Unless `combination` is given, the combination is learnt from
        these words. The result is aligned with these words.
    combination : Combination, optional
        A combination learnt from other pages.
    agreement : {"exact"}, optional
        Use agreement in place of a learnt combination: the confidence is 1 if all engines have the same
        text, otherwise 0.
    n_folds : int, default=5
        Number of folds into which the pages are divided. The words of each fold are combined by a rule
        learnt from the other folds. If there are fewer pages, each page is a fold.
    unit, missed, inserted, moved, fold, join
        As for :func:`align`. Texts that are equal after `fold` agree. The default of `fold` is the
        folding with which the engines were aligned. `moved` decides whether learning counts moved words
        as right.

    Returns
    -------
    CombinedOutputs

    Raises
    ------
    ValueError
        If there are fewer than two engines, if their pages differ, if there are fewer than two pages to
        learn from, if `combination` is for other engines or scales, or if the engines were aligned with
        different foldings and `fold` is not given.
    NoConfidenceError
        If an engine has no confidence at all.
    ModuleNotFoundError
        If rapidfuzz is not installed or, for learning, scikit-learn is not.

    See Also
    --------
    align : the items of one engine.
    combine_fields : combine fields of documents.
    Combination.save : save what was learnt, for new pages.

    Notes
    -----
    The words of all engines on a page are aligned with each other, as with a truth. The alignment
    begins with the engine that has the largest number of words right and in order. Words aligned at the
    same place are candidates for this place. With a truth, the probability that an engine's word is
    right comes from a logistic regression on agreement, calibrated confidences (by isotonic regression)
    and the text. The score of a candidate is the mean of these probabilities over the engines that have
    the candidate. The best candidate is chosen, with its score as its confidence. If at most half of
    the engines have a word, a second regression gives the probability that there is a true word at this
    place. The word is left out if this probability is below 1/2.

    Without a truth and without `combination`, the most frequent candidate is chosen. In a tie, the
    candidate with the higher mean rank is chosen. The rank of an engine's word is the share of the
    engine's words with a lower confidence (ties count half). If m of k engines have the chosen
    candidate, its confidence is :math:`(m - 1 + r)/k`, where r in [0, 1) is the lowest rank of their
    words.

    References
    ----------
    J. G. Fiscus, "A post-processing system to yield reduced word error rates: recognizer output voting
    error reduction (ROVER)", ASRU 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr import Words, combine
    >>> def words(text, confidence):
    ...     found, n = tuple(text.split()), np.zeros(len(text.split()))
    ...     return Words(found, np.array(confidence), n, n, ("p1",), scale="unit")
    >>> first = words("No fine day", [0.9, 0.8, 0.7])
    >>> second = words("N0 fine day yet", [0.4, 0.8, 0.5, 0.6])
    >>> found = combine({"A": first, "B": second})
    >>> found
    CombinedOutputs(A + B: 4 words on 1 page, 2 read by all engines)
    >>> found.words.text, found.words.confidence.round(3).tolist()
    (('No', 'fine', 'day', 'yet'), [0.417, 0.75, 0.583, 0.312])
    """
    if fold is None:
        fold = _fold_of(engines)
    given = _given(engines, checked_foldings(fold))
    n_folds = whole_number(n_folds, "n_folds", 2)
    check_rule(agreement, combination)
    if truth is not None:
        require_type(truth, Words, "truth", "Words")
        require_same_pages(truth.page_names, given.pages, "the truth", "each engine")
    options: dict[str, Any] = {
        "unit": unit, "missed": missed, "inserted": inserted, "moved": moved, "fold": fold, "join": join
    }  # fmt: skip
    folds = None
    if agreement is not None or (truth is None and combination is None):
        sizes = list(map(len, given.words))
        placed = given.placed(order_of(sizes, sizes, given.names))
        parts = [(placed, by_agreement(placed.readings, exact=agreement is not None))]
    elif combination is not None:
        _check_combination(given, combination)
        placed = given.placed(combination.order)
        parts = [(placed, by_probability(placed.readings, combination))]
    else:
        assert truth is not None  # noqa: S101, else nothing is learnt
        records = _records(engines, given, truth)
        parts, folds, combination = _cross_fitted(given, records, n_folds, moved=moved == "right")
    words, engine, agreeing = _put_together(given, parts)
    names = tuple(engines)
    numbers = np.array([names.index(name) for name in given.names], np.intp)
    aligned = None if truth is None else align(truth, words, **options)
    return CombinedOutputs(names, words, numbers[engine], agreeing, folds, aligned, combination)


def check_rule(agreement: str | None, combination: Combination | None) -> None:
    """Raise if `agreement` is unknown, or if both `agreement` and `combination` are given."""
    if agreement is not None and agreement != "exact":
        raise ValueError(f"agreement must be 'exact' or None, got {agreement!r}")
    if agreement is not None and combination is not None:
        raise ValueError("agreement and combination are both given; give only one")


def require_several(engines: Any, kind: str) -> None:
    """Raise unless `engines` maps at least two names to outputs of the given kind."""
    require_type(engines, Mapping, "engines", f"a mapping of names to {kind}")
    if len(engines) < 2:
        raise ValueError(f"engines must have at least two elements, got {len(engines)}")


def _fold_of(engines: Mapping[str, Words | Engine]) -> tuple[Folding, ...]:
    """Return the value of `fold` that the engines were aligned with; empty if none was aligned."""
    if not isinstance(engines, Mapping):
        return ()  # a later check raises a clearer error
    found = {
        name: each.aligned.reading.fold for name, each in engines.items() if isinstance(each, Engine)
    }
    if len(set(found.values())) > 1:
        said = [
            f"{name!r} with {listed(list(fold)) if fold else 'nothing'}" for name, fold in found.items()
        ]
        raise ValueError(
            f"the engines were aligned with different values of fold ({listed(said)}); give one fold"
        )
    return next(iter(found.values()), ())


def _given(engines: Mapping[str, Words | Engine], fold: tuple[Folding, ...]) -> _Given:
    """Validate the engines and return them sorted by name."""
    require_several(engines, "Words")
    words = {}
    for name in sorted(engines):
        each = engines[name]
        found = each.words if isinstance(each, Engine) else each
        expected = "Words, as fastarac.ocr.read returns them"
        require_type(found, Words, f"engines[{name!r}]", expected)
        try:
            require_confidence(found)
        except NoConfidenceError as error:
            raise NoConfidenceError(f"engines[{name!r}]: {error}") from None
        words[name] = divided_unspaced(found)
    names = tuple(words)
    own = words[names[0]].page_names
    for name in names[1:]:
        require_same_pages(own, words[name].page_names, names[0], name)
    return _Given(names, tuple(words.values()), own, fold)


def _check_combination(given: _Given, combination: Combination) -> None:
    scales = {
        name: None if words.scale is None else HIGHEST[words.scale]
        for name, words in zip(given.names, given.words, strict=True)
    }
    require_engines(combination, scales, "word")
    if combination.fold != given.fold:
        said = [listed(list(fold)) if fold else "nothing" for fold in (given.fold, combination.fold)]
        raise ValueError(f"fold must be {said[1]}, as when the combination was learnt, got {said[0]}")


def _records(engines: Mapping[str, Words | Engine], given: _Given, truth: Words) -> list[Records]:
    """Align each engine with the truth, or reuse its alignment if unit and foldings are the same."""
    reading = Reading("word", given.fold, "min")
    found = []
    for name, words in zip(given.names, given.words, strict=True):
        each = engines[name]
        if isinstance(each, Engine) and each.words is words:
            of = each.aligned.reading
            if (of.unit, of.fold) == (reading.unit, reading.fold):
                found.append(each.aligned.records)
                continue
        found.append(records_of(truth, words, reading))
    return found


def _cross_fitted(
    given: _Given, records: Sequence[Records], n_folds: int, *, moved: bool
) -> tuple[list[tuple[PlacedWords, Chosen]], NDArray[np.intp], Combination]:
    """Combine each fold by a rule learnt on the other folds; also return a rule learnt on all pages."""
    n_pages = len(given.pages)
    if n_pages < 2:
        raise ValueError(
            "truth must have at least two pages, got one: each page is combined by rules learnt from "
            "other pages"
        )
    labels = [
        labels_of(each, len(words), moved=moved)
        for each, words in zip(records, given.words, strict=True)
    ]
    folds = folds_of(given.pages, min(n_folds, n_pages))
    cache: dict[tuple[str, ...], PlacedWords] = {}

    def learnt(pages: NDArray[np.bool_]) -> tuple[PlacedWords, Combination]:
        order = _order(given, records, pages)
        if order not in cache:
            cache[order] = given.placed(order)
        placed = cache[order]
        of = [
            WordLabels(*(column[index] for column in each))
            for each, index in zip(labels, placed.own, strict=True)
        ]
        engines = dict(zip(given.names, given.highest, strict=True))
        return placed, fit_combination(
            placed.readings, of, engines, order, pages, unit="word", fold=given.fold
        )

    parts = []
    for fold in range(int(folds.max()) + 1):
        placed, combination = learnt(folds != fold)
        chosen = by_probability(placed.readings, combination)
        here = folds[placed.readings.group[chosen.place]] == fold
        parts.append((placed, chosen.take(here)))
    return parts, folds, learnt(np.ones(n_pages, np.bool_))[1]


def _order(given: _Given, records: Sequence[Records], pages: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the engines, sorted by the number of words on these pages that are right and in order."""
    names = {name for name, taken in zip(given.pages, pages.tolist(), strict=True) if taken}
    right, sizes = [], []
    for each, words in zip(records, given.words, strict=True):
        of_page = np.bincount(each.page[each.kind == RIGHT], minlength=len(each.page_names))
        taken = np.array([name in names for name in each.page_names], np.bool_)
        right.append(int(of_page[taken].sum()))
        sizes.append(len(words))
    return order_of(right, sizes, given.names)


def _put_together(
    given: _Given, parts: Sequence[tuple[PlacedWords, Chosen]]
) -> tuple[Words, NDArray[np.intp], NDArray[np.intp]]:
    """Join the combined words of all folds, in page order."""
    name = " + ".join(given.names)
    found = [words_of(given.words, placed, chosen, given.pages, name) for placed, chosen in parts]
    lines = np.cumsum([0, *(len(words) for words in found)])
    page = np.concatenate([words.page for words in found])
    order = np.argsort(page, kind="stable")
    line = np.concatenate([words.line + n for words, n in zip(found, lines, strict=False)])[order]
    first = found[0]
    text = [word for words in found for word in words.text]
    together = Words(
        tuple(text[k] for k in order.tolist()),
        np.concatenate([words.confidence for words in found])[order],
        page[order],
        np.cumsum(np.diff(line, prepend=line[:1]) != 0),
        first.page_names,
        box=np.concatenate([words.box for words in found])[order],
        page_size=first.page_size,
        source=first.source,
        scale="unit" if len(page) else None,
        engine=name,
    )
    engine = np.concatenate([chosen.engine for _, chosen in parts])[order]
    agreeing = np.concatenate([chosen.agreeing for _, chosen in parts])[order]
    return together, engine, agreeing
