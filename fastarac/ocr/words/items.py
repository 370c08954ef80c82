"""Items made from aligned words, each right or wrong, with a confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import require_type
from fastarac._core.exceptions import unquestioned
from fastarac._core.results import Result, Table
from fastarac._core.text import plural
from fastarac.evaluation.rejected import point_above, without_rejected
from fastarac.io import Labels, Outputs
from fastarac.ocr.analysis.sensitivities import Sensitivity
from fastarac.ocr.formats import require_confidence
from fastarac.ocr.report_extras import ReportedPages
from fastarac.ocr.words import policies
from fastarac.ocr.words.folding import checked_foldings
from fastarac.ocr.words.policies import AlignmentPolicy
from fastarac.ocr.words.records import (
    INSERTED,
    KINDS,
    MISSED,
    MOVED,
    RIGHT,
    Reading,
    Records,
    records_of,
)
from fastarac.ocr.words.residual_misses import with_unseen_errors, with_unseen_figures
from fastarac.ocr.words.units import check_unit
from fastarac.ocr.words.words import Words, require_same_pages
from fastarac.operating_points.limits import most_accepted
from fastarac.operating_points.points import OperatingPoint, operating_point
from fastarac.samples.door import threshold_sweep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.results import Evaluation
    from fastarac.evaluation.sources import Beside
    from fastarac.ocr.words.error_rates import ErrorRates
    from fastarac.ocr.words.policies import InsertedPolicy, MissedPolicy, MovedPolicy
    from fastarac.ocr.words.records import PageCounts
    from fastarac.ocr.words.units import Join, Unit
    from fastarac.sweep import ThresholdSweep

#: Confidences of items that have none from the engine. BELOW is below all scales: the item is never
#: accepted. ABOVE_UNIT and ABOVE_PERCENT are above the scales 0 to 1 and 0 to 100. They are for missed
#: words that nobody looks for: these remain errors at any threshold, and so count as accepted at every
#: threshold.
BELOW, ABOVE_UNIT, ABOVE_PERCENT = -1.0, 2.0, 101.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlignedOutputs(Table, Result):
    """The items of an engine's outputs, right or wrong, with their confidences and pages.

    :func:`align` returns it. Other functions take its arrays, as in ``fa.evaluate(aligned.correct,
    aligned.confidence, groups=aligned.groups, never_accepted=aligned.never_accepted)``; :meth:`sweep`
    replaces the first two arguments.

    Attributes
    ----------
    records : Records
        One record for each true word and each inserted output, including records that are not items.
    reading : Reading
        The options with which the texts were compared: unit, foldings and join.
    policy : AlignmentPolicy
        How missed words, inserted outputs and moved words count.
    rows : ndarray of shape (n,), intp
        Indices of the records that are items, in order.
    correct : ndarray of shape (n,), bool
        Whether each item is right.
    confidence : ndarray of shape (n,), float64
        The engine's confidence. Items without a confidence get `never_accepted`. Under
        ``missed="residual"``, missed words get a value above all others.
    never_accepted : float or None
        Confidence of the items that no threshold accepts. These are outputs without a confidence and,
        under ``missed="reject"``, missed words.

    See Also
    --------
    align : align an engine's words with the true ones
    ErrorRates : error rates of an engine's text as it is, before any review
    sensitivity : accepted shares under each policy

    Examples
    --------
    >>> import fastarac as fa
    >>> sample = fa.ocr.load_sample()
    >>> aligned = fa.ocr.align(sample.truth, sample.outputs["plain"])
    >>> aligned
    AlignedOutputs(2190 items on 20 pages, 1915 right; 62 of 2180 true words missed, 'reject')
    >>> aligned.operating_point(max_error_rate=0.05).acceptance_rate > 0.7
    True
    """

    records: Records
    reading: Reading
    policy: AlignmentPolicy
    rows: NDArray[np.intp]
    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    never_accepted: float | None = None

    @classmethod
    def of(cls, records: Records, reading: Reading, policy: AlignmentPolicy) -> AlignedOutputs:
        """Apply a policy to the records, and return their items."""
        policy.check()
        is_item = records.kind != MISSED
        if policy.inserted == "drop":
            is_item &= records.kind != INSERTED
        if policy.has_missed_items:
            is_item |= records.kind == MISSED
        rows = np.flatnonzero(is_item)
        confidence = records.confidence[rows]
        correct = records.kind[rows] == RIGHT
        if policy.moved == "right":
            correct |= records.kind[rows] == MOVED
        if policy.missed == "neighbour":
            correct[_beside_gaps(records, rows)] = False
        known = confidence[~np.isnan(confidence)]
        if not len(known):
            raise ValueError(_no_item(records, reading))
        never = None
        if policy.missed == "residual":
            above = ABOVE_UNIT if known.max() < ABOVE_UNIT else ABOVE_PERCENT
            confidence[records.kind[rows] == MISSED] = above
        if np.isnan(confidence).any():
            never = BELOW
            confidence[np.isnan(confidence)] = never
        return cls(records, reading, policy, rows, correct, confidence, never)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        units, n_pages = plural(self.reading.unit), len(self.records.page_names)
        return (
            f"AlignedOutputs({len(self)} items on {n_pages} page{'s' * (n_pages != 1)}, "
            f"{int(self.correct.sum())} right; {self.missed} of {self.true_words} true {units} missed, "
            f"{self.policy.missed!r})"
        )

    @property
    def page(self) -> NDArray[np.intp]:
        """Index of each item's page in `records.page_names`, shape (n,)."""
        return self.records.page[self.rows]

    @property
    def groups(self) -> NDArray[np.str_]:
        """Name of each item's page, shape (n,). Items on the same page depend on each other."""
        return np.array(self.records.page_names, np.str_)[self.page]

    @property
    def kind(self) -> NDArray[np.str_]:
        """Kind of each item, shape (n,): right, wrong, merged, split, moved, inserted or missed."""
        return np.array(KINDS, np.str_)[self.records.kind[self.rows]]

    @property
    def truth(self) -> tuple[str, ...]:
        """True text of each item; empty for inserted outputs."""
        return tuple(self.records.truth[i] for i in self.rows.tolist())

    @property
    def prediction(self) -> tuple[str, ...]:
        """Text of each item's output or outputs; empty for missed words."""
        return tuple(self.records.prediction[i] for i in self.rows.tolist())

    @property
    def id(self) -> tuple[str, ...]:
        """Page and number of each true word, such as ``"page03:17"``.

        An output inserted after this word has the id ``"page03:17+1"``. True words have the same id for
        all engines, so that the items of engines can be joined.
        """
        records = self.records
        return tuple(
            f"{records.page_names[page]}:{number}" + (f"+{extra}" if extra else "")
            for page, number, extra in zip(
                self.page.tolist(),
                records.number[self.rows].tolist(),
                records.inserted[self.rows].tolist(),
                strict=True,
            )
        )

    @property
    def counts(self) -> dict[str, int]:
        """Number of records of each kind, including records that are not items."""
        return self.records.counts

    @property
    def true_words(self) -> int:
        """Number of true words, or of other true units."""
        return self.records.n_true

    @property
    def missed(self) -> int:
        """Number of true words without an output."""
        return self.records.n_missed

    @property
    def n_without_confidence(self) -> int:
        """Number of items that have an output but no confidence."""
        return self.records.n_without_confidence(self.rows)

    @property
    def pages(self) -> PageCounts:
        """Word counts and share of differing characters of each page."""
        return self.records.pages

    @property
    def hardly_aligned(self) -> tuple[str, ...]:
        """Names of pages on which more than half of the characters differ, apart from moved words."""
        return self.records.hardly_aligned

    def error_rates(self, confidence_level: float = 0.95) -> ErrorRates:
        """Return character, word and bag-of-words error rates, by page and over all pages.

        The rates do not depend on the policy or the unit. Moved words are always errors.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Level of the intervals, in (0, 1).

        Returns
        -------
        ErrorRates
        """
        return self.records.error_rates(confidence_level)

    def with_policy(
        self,
        *,
        missed: MissedPolicy | None = None,
        inserted: InsertedPolicy | None = None,
        moved: MovedPolicy | None = None,
    ) -> AlignedOutputs:
        """Return the items of the same alignment under another policy.

        Parameters
        ----------
        missed, inserted, moved : str, optional
            As for :func:`align`; options that are not given stay unchanged.

        Returns
        -------
        AlignedOutputs
        """
        given = {"missed": missed, "inserted": inserted, "moved": moved}
        changed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        policy = self.policy._replace(**changed)
        return AlignedOutputs.of(self.records, self.reading, policy)

    def without_pages(self, names: Collection[str]) -> AlignedOutputs:
        """Return the items without these pages, which keep their names but become empty."""
        left = {name for name in names if name in set(self.records.page_names)}
        unknown = sorted(set(names) - left)
        if unknown:
            raise ValueError(f"names must be names of pages, got {', '.join(map(repr, unknown))}")
        outside = np.array([name not in left for name in self.records.page_names], bool)
        records = self.records.take(np.flatnonzero(outside[self.records.page]))
        shares = np.where(outside, records.differing_share, np.nan)
        edits = np.where(outside[:, None], records.edits, np.nan)
        return AlignedOutputs.of(
            replace(records, differing_share=shares, edits=edits), self.reading, self.policy
        )

    def sweep(self) -> ThresholdSweep:
        """Return the threshold sweep of the items.

        If `never_accepted` is not None, it is the last threshold.
        """
        return threshold_sweep(self.correct, self.confidence)

    def operating_point(self, **criterion: float) -> OperatingPoint:
        """Return the operating point of the items, as :func:`.operating_point` defines it.

        Parameters
        ----------
        **criterion : float
            Exactly one of `threshold`, `max_error_rate`, `max_risk` and `min_acceptance_rate`.

        Returns
        -------
        OperatingPoint
            The point. It accepts no item with the confidence `never_accepted`, even if the criterion
            would allow it. Under ``missed="residual"``, the error rate of the point includes all missed
            words, even if nothing is accepted.
        """
        options = dict[str, Any](criterion)
        with unquestioned():  # warnings about the order of confidences are given elsewhere
            if self.never_accepted is None:
                point = operating_point(self.sweep(), **options)
            else:
                point = point_above(self.sweep(), self.never_accepted, **options)
        return with_unseen_errors(point, self.missed) if self.policy.missed == "residual" else point

    def without_rejected(self, figures: Evaluation) -> Evaluation:
        """Replace the operating points by points that accept no item with confidence `never_accepted`.

        Under ``missed="residual"``, the error rates of the new points include the missed words, because
        nobody looks for missed words.

        Parameters
        ----------
        figures : Evaluation
            Result of :func:`.evaluate` for these items. If it has intervals, `never_accepted` must have
            been passed to `evaluate`.

        Returns
        -------
        Evaluation

        Raises
        ------
        ValueError
            If an interval is for an accepted share that includes items with confidence
            `never_accepted`.
        """
        if self.never_accepted is not None:
            most = self.most_accepted
            for name, found in figures.intervals.items():
                if name.startswith("acceptance_rate/") and found.estimate > most:
                    raise ValueError(
                        f"figures has an interval of {name!r} that includes items which no threshold "
                        "accepts; use fa.evaluate(..., never_accepted=aligned.never_accepted)"
                    )
            figures = without_rejected(figures, self.sweep(), self.never_accepted)
        return (
            with_unseen_figures(figures, self.missed) if self.policy.missed == "residual" else figures
        )

    @property
    def most_accepted(self) -> float:
        """Largest share of the items that a threshold can accept."""
        if self.never_accepted is None:
            return 1.0
        return most_accepted(self.sweep(), self.never_accepted)

    def to_columns(self) -> dict[str, Any]:
        """Return the items as columns: id, page, kind, truth, prediction, correct, confidence."""
        return {
            "id": list(self.id),
            "page": self.groups.tolist(),
            "kind": self.kind.tolist(),
            "truth": list(self.truth),
            "prediction": list(self.prediction),
            "correct": self.correct,
            "confidence": self.confidence,
        }

    def __report__(
        self, limits: Iterable[Limit], beside: Beside, words: Words | None = None
    ) -> tuple[Outputs, ReportedPages]:
        """Return the items, and the object that makes the report's sections on pages."""
        wanted = tuple(limits)
        effects = sensitivity(self, wanted)
        leaving_out = partial(_accepted_without, self, wanted)
        parts = self.records, self.reading, self.policy, self.rows
        never, group = self.never_accepted, Labels(self.records.page_names, self.page)
        rejected = None if never is None else self.confidence == never
        items = Outputs(self.correct, self.confidence, group=group, rejected=rejected)
        return items, ReportedPages.of(*parts, effects, leaving_out, beside, words)

    def _parts(self) -> dict[str, Any]:
        return self.to_columns() | {
            "unit": self.reading.unit,
            "fold": self.reading.fold,
            "join": self.reading.join,
            "policy": self.policy._asdict(),
            "true_words": self.true_words,
            "counts": self.counts,
            "never_accepted": self.never_accepted,
        }


def align(
    truth: Words,
    words: Words,
    *,
    unit: Unit = "word",
    missed: MissedPolicy = "reject",
    inserted: InsertedPolicy = "wrong",
    moved: MovedPolicy = "right",
    fold: str | Iterable[str] = (),
    join: Join = "min",
) -> AlignedOutputs:
    """Align an engine's words with the true words, and return right and wrong items with confidences.

    Parameters
    ----------
    truth : Words
        The true words, as :func:`read_truth` returns them.
    words : Words
        The engine's words, as :func:`read` returns them, for pages of the same names.
    unit : {"word", "line", "character"}, default="word"
        The unit of an item. The confidence of a line is joined from the confidences of its words. A
        character has the confidence of its word. In scripts written without spaces, each character is a
        word.
    missed : {"reject", "residual", "separate", "neighbour", "drop"}, default="reject"
        How missed words count. These are true words without an output, so they have no confidence.
        ``"reject"``: they are wrong items that are never accepted, because people look for missed
        words. ``"residual"``: they are wrong items with a confidence above all others. They remain as
        errors, because nobody looks for missed words. ``"separate"``: they are not items, but are
        counted separately. ``"neighbour"``: they are not items, but a missed word makes the item before
        it wrong (at the start of a page, the item after it). ``"drop"``: they are ignored.
    inserted : {"wrong", "drop"}, default="wrong"
        Whether outputs without a true word are wrong items with their own confidence or are left out.
    moved : {"right", "wrong"}, default="right"
        Whether words that are read right but out of order count as right or as wrong; they have the
        confidence of their output.
    fold : str or iterable of str, default=()
        Differences to ignore: any of ``"case"``, ``"quotes"``, ``"punctuation"``, ``"whitespace"``,
        ``"nfkc"``, ``"historical"``. Texts are always brought to normal form C, without invisible
        formatting characters.
    join : {"min", "mean", "max"}, default="min"
        How to join several confidences into one, for a word with several outputs or for a line.

    Returns
    -------
    AlignedOutputs

    Raises
    ------
    ValueError
        If a page occurs on one side only, if an option is unknown, or if there is no output.
    NoConfidenceError
        If no output has a confidence.
    ModuleNotFoundError
        If rapidfuzz is not installed.

    See Also
    --------
    pair_files : pair the files of truth and output by name.
    AlignedOutputs.with_policy : change the policy without aligning again.

    Notes
    -----
    A word is right if the texts are equal. If one output covers several true words ("merged"), each of
    these words is an item with the confidence of the output. If several outputs cover one word
    ("split"), the item has their joined confidence. Merged and split words are wrong, unless the
    folding ``"whitespace"`` makes the texts equal. A moved word is in a run of words that is too long
    to be in both texts by chance.

    References
    ----------
    Yalniz and Manmatha 2011, "A fast alignment scheme for automatic OCR evaluation of books";
    Hirschberg 1975, "A linear space algorithm for computing maximal common subsequences".

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr import Words, align
    >>> truth = Words(
    ...     ("No", "fine", "day", "yet"), np.full(4, np.nan), np.zeros(4), np.zeros(4), ("p1",)
    ... )
    >>> words = Words(
    ...     ("N0", "fineday"), np.array([71, 42]), np.zeros(2), np.zeros(2), ("p1",), scale="percent"
    ... )
    >>> aligned = align(truth, words)
    >>> aligned
    AlignedOutputs(4 items on 1 page, 0 right; 1 of 4 true words missed, 'reject')
    >>> list(zip(aligned.truth, aligned.prediction))
    [('No', 'N0'), ('fine', 'fineday'), ('day', 'fineday'), ('yet', '')]
    >>> aligned.kind.tolist()
    ['wrong', 'merged', 'merged', 'missed']
    >>> aligned.confidence, aligned.id
    (array([71., 42., 42., -1.]), ('p1:1', 'p1:2', 'p1:3', 'p1:4'))
    """
    for name, given, reader in (("truth", truth, "read_truth"), ("words", words, "read")):
        require_type(given, Words, name, f"Words, as fastarac.ocr.{reader} returns them")
    check_unit(unit, join)
    policy = AlignmentPolicy(missed, inserted, moved)
    policy.check()
    reading = Reading(unit, checked_foldings(fold), join)
    require_same_pages(truth.page_names, words.page_names, "truth", "words")
    require_confidence(words)
    return AlignedOutputs.of(records_of(truth, words, reading), reading, policy)


def sensitivity(aligned: AlignedOutputs, limits: Iterable[Limit]) -> Sensitivity:
    """Return the accepted share at each limit under each policy for missed, inserted and moved words.

    Parameters
    ----------
    aligned : AlignedOutputs
        The items, under the policy in use.
    limits : iterable of Limit

    Returns
    -------
    Sensitivity

    See Also
    --------
    AlignedOutputs : the items of an engine's outputs
    Sensitivity : accepted shares under each policy

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.evaluation.limits import Limit
    >>> from fastarac.ocr import Words, align, sensitivity
    >>> texts = ("one", "fine", "day")
    >>> truth = Words(texts, np.full(3, np.nan), np.zeros(3), np.zeros(3), ("p",))
    >>> words = Words(texts[1:], np.array([9, 8]), np.zeros(2), np.zeros(2), ("p",), scale="percent")
    >>> found = sensitivity(align(truth, words), [Limit("max_error_rate", 0.01)])
    >>> for policy, shares in found.accepted.items():
    ...     print(policy.missed, shares)
    reject (0.6666666666666666,)
    residual (0.0,)
    separate (1.0,)
    neighbour (0.0,)
    """
    wanted = tuple(limits)
    rows: dict[AlignmentPolicy, tuple[float, ...]] = {}
    for policy in policies.others(aligned.policy, aligned.counts):
        try:
            items = AlignedOutputs.of(aligned.records, aligned.reading, policy)
        except ValueError:  # no item with a confidence remains: this policy drops inserted outputs
            continue
        rows[policy] = _accepted(items, wanted)
    hard = aligned.hardly_aligned
    return Sensitivity(wanted, rows, hard, _accepted_without(aligned, wanted, hard))


def _accepted(aligned: AlignedOutputs, limits: Iterable[Limit]) -> tuple[float, ...]:
    points = (aligned.operating_point(**{limit.criterion: limit.value}) for limit in limits)
    return tuple(point.acceptance_rate for point in points)


def _accepted_without(
    aligned: AlignedOutputs, limits: Iterable[Limit], pages: Collection[str]
) -> tuple[float, ...]:
    """Return the accepted share at each limit without `pages`; empty for no pages or all pages."""
    own = [name for name in pages if name in set(aligned.records.page_names)]
    if not pages or len(own) == len(aligned.records.page_names):
        return ()
    try:
        return _accepted(aligned.without_pages(own), limits)
    except ValueError:  # the other pages have no output
        return ()


def _beside_gaps(records: Records, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each missed word, return the index into `rows` of an item next to it on the same page.

    The item is before the missed word or, at the start of a page, after it.
    """
    missed = np.flatnonzero(records.kind == MISSED)
    if not len(rows):
        return rows
    after: NDArray[np.intp] = np.searchsorted(rows, missed)
    before = after - 1
    page, of_missed = records.page[rows], records.page[missed]
    has_before = (before >= 0) & (page[before] == of_missed)
    has_after = (after < len(rows)) & (page[np.minimum(after, len(rows) - 1)] == of_missed)
    beside = np.where(has_before, before, after)
    found: NDArray[np.intp] = beside[has_before | has_after]
    return found


def _no_item(records: Records, reading: Reading) -> str:
    n_pages = len(records.page_names)
    pages = f"{n_pages:,} {plural('page', n_pages)} with {records.n_true:,} true {plural(reading.unit)}"
    if not records.n_outputs:
        return f"words must have at least one output, got none on {pages}"
    return f"words must have at least one item with a confidence, got none on {pages}"
