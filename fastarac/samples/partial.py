"""The truth of some items, which were chosen for verification with known probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import choice, reject_where, same_number
from fastarac._core.results import Result, Table, read_only
from fastarac._core.text import plural
from fastarac._engine.inclusion import completed, least_of, probabilities_of, refuse_unlikely
from fastarac._engine.inputs import labels_in_part, read_groups, vector
from fastarac.reviewer import Reviewer, errors_by, informative

FloatArray = NDArray[np.float64]

INSTEAD = (
    "for curves give threshold_sweep(correct, confidence) alone, for intervals use "
    "asymptotic_interval, for tests compare_models"
)


def refuse(instead: str = INSTEAD) -> NoReturn:
    """Raise, because the labels of all items are needed; the message names an alternative."""
    raise TypeError(f"the labels of all items are needed, got a PartialTruth; {instead}")


@dataclass(frozen=True, slots=True, eq=False)
class PartialTruth(Table, Result):
    r"""The truth of the verified items, and the probability with which each item was chosen.

    It can replace `correct` in :func:`.evaluate`, :func:`.asymptotic_interval`,
    :func:`.compare_models`, and in functions of (correct, confidence) for operating points, curves and
    areas. Each item counts with an unbiased estimate of its error.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each output was right (1 or 0); NaN, None or null for unverified outputs.
    inclusion_probability : float or array_like of shape (n,)
        π, the probability with which each item was chosen, in (0, 1], fixed before the item's truth was
        known. It may be NaN for items that were not chosen.
    judge : array_like of shape (n,) or (n, J), optional
        An estimate of the probability that each item is right, in [0, 1], such as from another engine.
        A good judge narrows intervals. Give several judges as columns; each statistic uses the best
        combination of them.
    drawn : array_like of shape (n,), bool, optional
        Which items were chosen, with or without an answer; by default the verified items.
    open : {"refuse", "wrong"}, default="refuse"
        What to do with drawn items without an answer: raise an error, or count them as wrong.
    groups : array_like of shape (n,), optional
        Labels of groups, such as pages, whose items are dependent or were drawn together.
    graded : bool, default=False
        Whether `correct` may hold grades in [0, 1], such as mean answers.
    truth_reader : Reviewer, optional
        The people who gave the answers, if they may err.
    least_probability : float, optional
        Lower bound of all inclusion probabilities, for guarantees if some are NaN; by default the
        smallest probability of a verified item. If all chosen items have this probability, and n times
        it is their number, then it is the probability of all items.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(10_000)
    >>> right = rng.random(10_000) < 0.9 + 0.1 * confidence
    >>> chosen = rng.random(10_000) < 0.1
    >>> truth = fa.PartialTruth(np.where(chosen, right, np.nan), inclusion_probability=0.1)
    >>> truth
    PartialTruth(1004 of 10000 verified)
    >>> fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
    Interval(0.942832 [0.926221, 0.956656], 95%, inversion)

    Attributes
    ----------
    least_probability : float or None
        None if unknown.
    n_verified : int
        Number of verified items.
    complete : bool
        Whether the truth of all items is certain.

    Raises
    ------
    ValueError
        If a probability is outside (0, 1] or missing for a verified item, a judge is outside [0, 1], a
        label is neither 0 nor 1, a drawn item has no answer, or no item is verified. A ValueError is
        also raised if the number of drawn items is outside the central 99.9% of its distribution.

    See Also
    --------
    EstimatedSweep : counts at every threshold, estimated from the truth of some items
    fastarac.partial_truth.draw_verification_sample : draw the outputs that people verify
    fastarac.partial_truth.read_verified : read outputs of which some are verified

    Notes
    -----
    Let e = 1 − `correct` be the error of an item, V = 1 if it is verified and 0 otherwise, and g a
    prediction of e fitted to other items. Then

    .. math:: \tilde e_i = g_i + \frac{V_i}{\pi_i}(e_i - g_i)

    has the expectation e over the random choice of items, for any g (Särndal, Swensson and Wretman
    1992). Counts of errors are sums of ẽ. The prediction is g = (1 − κ)·g⁰ + κ·g¹, where g⁰ is the
    error rate at the item's confidence, and g¹ at the item's judge value. κ minimises the variance of
    the statistic (PPI++). With J judges, g = (1 − Σκⱼ)·g⁰ + Σκⱼ·gʲ, with κⱼ ≥ 0 and Σκⱼ ≤ 1. In large
    samples, several judges are therefore at least as precise as the best of them. Guarantees use the
    mean of the judges.

    With a `truth_reader`, each answer e′ becomes e = (e′ − a)/(d − a), with the share d of errors found
    and the share a of right outputs called wrong (Rogan and Gladen 1978). If a judge with known d and a
    labelled all outputs, and nobody verified any, give its labels as `correct`, with
    ``inclusion_probability=1``. If people verified some, give their answers as `correct` and the
    judge's labels as `judge`: then the estimate does not depend on d and a.

    ``a + b`` is the truth of the items of `a`, followed by those of `b`.

    References
    ----------
    Särndal, Swensson and Wretman 1992, "Model assisted survey sampling", 6.3; Angelopoulos, Duchi and
    Zrnic 2023, "PPI++"; Rogan and Gladen 1978, "Estimating prevalence from the results of a screening
    test".
    """

    correct: FloatArray
    inclusion_probability: FloatArray
    judge: FloatArray | None
    groups: NDArray[np.intp] | None
    graded: bool
    least_probability: float | None
    truth_reader: Reviewer | None

    def __init__(
        self,
        correct: ArrayLike | Sequence[float | None],
        *,
        inclusion_probability: ArrayLike,
        judge: ArrayLike | None = None,
        drawn: ArrayLike | None = None,
        open: Literal["refuse", "wrong"] = "refuse",  # noqa: A002, as users say it
        groups: ArrayLike | None = None,
        graded: bool = False,
        truth_reader: Reviewer | None = None,
        least_probability: float | None = None,
    ) -> None:
        choice(open, "open", ("refuse", "wrong"))
        truth = labels_in_part(correct, "correct")
        n = len(truth)
        if n == 0:
            raise ValueError("correct is empty; give at least one item")
        known = ~np.isnan(truth)
        good = ((truth >= 0) & (truth <= 1)) if graded else np.isin(truth, (0, 1))
        reject_where(known & ~good, truth, "correct", "a grade in [0, 1]" if graded else "0, 1 or NaN")
        probability = probabilities_of(inclusion_probability, n)
        chosen = known
        if drawn is not None:
            chosen = _read_drawn(drawn, truth)
            left = chosen & ~known
            if left.any() and open == "refuse":
                raise ValueError(
                    f"correct is NaN at {int(left.sum())} items that were drawn, first at "
                    f"{int(left.argmax())}; fill in their answers, or use open='wrong'"
                )
            truth = np.where(left, 0.0, truth)
            known = known | left
        bad = ~((probability > 0) & (probability <= 1)) & (known | ~np.isnan(probability))
        if bad.any():
            i = int(bad.argmax())
            of, or_unknown = (" of a verified item", "") if known[i] else ("", ", or NaN if unknown,")
            raise ValueError(
                f"inclusion_probability[{i}] must be a number above 0 and at most 1{or_unknown}, "
                f"got {probability[i]:g}{of} ({_such_rows(bad)})"
            )
        certain = (probability == 1.0) & ~known
        if certain.any() and known.any():
            i = int(certain.argmax())
            raise ValueError(
                f"inclusion_probability[{i}] is 1, so the truth of the item must be known, but "
                f"correct[{i}] is NaN ({_such_rows(certain)})"
            )
        if not known.any():
            raise ValueError("correct is NaN everywhere: the truth of some items must be known")
        codes = None
        if groups is not None:
            codes = read_groups(groups, n, beside="correct")[1].astype(np.intp)
        least = least_of(probability, least_probability)
        probability = completed(probability, chosen, least)
        refuse_unlikely(probability, chosen, codes, least)
        opinion = None if judge is None else _read_judges(judge, n)
        reader = informative(truth_reader)
        self._fill(truth, probability, opinion, codes, least, graded=bool(graded), reader=reader)

    def _fill(
        self,
        truth: FloatArray,
        probability: FloatArray,
        judge: FloatArray | None,
        groups: NDArray[np.intp] | None,
        least: float | None,
        *,
        graded: bool,
        reader: Reviewer | None = None,
    ) -> None:
        values: dict[str, Any] = {"correct": truth, "inclusion_probability": probability}
        values |= {"judge": judge, "groups": groups}
        for name, value in values.items():
            object.__setattr__(self, name, read_only(value))
        object.__setattr__(self, "graded", graded)
        object.__setattr__(self, "least_probability", least)
        object.__setattr__(self, "truth_reader", reader)

    def __repr__(self) -> str:
        judges = 0 if self.judge is None else self.judge.size // len(self.correct)
        judged = ("", ", with a judge")[judges] if judges < 2 else f", with {judges} judges"
        return f"PartialTruth({self.n_verified} of {len(self.correct)} verified{judged})"

    def __len__(self) -> int:
        return len(self.correct)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return the labels if all are known with certainty; otherwise raise ``TypeError``."""
        if self.simplified is self:
            refuse()
        return np.array(self.correct, dtype)

    def __add__(self, other: object) -> PartialTruth:
        """Return the truth of these items, followed by the items of the other truth."""
        if not isinstance(other, PartialTruth):
            return NotImplemented
        for name in ("judge", "groups"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                raise ValueError(f"{name} must be given for both truths that are added, or for neither")
        if self.truth_reader != other.truth_reader:
            raise ValueError("truth_reader must be the same for both truths that are added")
        both = PartialTruth.__new__(PartialTruth)
        judge = None
        if self.judge is not None and other.judge is not None:
            if self.judge.shape[1:] != other.judge.shape[1:]:
                raise ValueError("judge must have as many columns in both truths that are added")
            judge = np.concatenate([self.judge, other.judge])
        groups = None
        if self.groups is not None and other.groups is not None:
            groups = np.concatenate([self.groups, other.groups + self.groups.max() + 1])
        least = None
        if self.least_probability is not None and other.least_probability is not None:
            least = min(self.least_probability, other.least_probability)
        both._fill(
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.inclusion_probability, other.inclusion_probability]),
            judge,
            groups,
            least,
            graded=self.graded or other.graded,
            reader=self.truth_reader,
        )
        return both

    @property
    def mean_judge(self) -> FloatArray | None:
        """The mean of the judges' probabilities that each item is right, (n,); None without a judge."""
        if self.judge is None:
            return None
        mean: FloatArray = self.judge.reshape(len(self.judge), -1).mean(axis=1)
        return mean

    def to_columns(self) -> dict[str, Any]:
        """Return columns with one row per item; several judges have a column each."""
        columns = super(PartialTruth, self).to_columns()
        judges = columns.pop("judge", None)
        if judges is None:
            return columns
        if judges.ndim == 1:
            return columns | {"judge": judges}
        return columns | {f"judge_{j}": each for j, each in enumerate(judges.T)}

    @property
    def verified(self) -> NDArray[np.bool_]:
        """Whether each item is verified, (n,)."""
        return ~np.isnan(self.correct)

    @property
    def n_verified(self) -> int:
        """Number of verified items."""
        return int(self.verified.sum())

    @property
    def drawn_evenly(self) -> bool:
        """Whether the verified items are a simple random sample, without groups and a judge."""
        probability = self.inclusion_probability
        alike = bool((probability == probability[0]).all())
        return alike and self.groups is None and self.judge is None

    @property
    def complete(self) -> bool:
        """Whether the truth of all items is known with certainty."""
        return self.n_verified == len(self.correct) and bool((self.inclusion_probability == 1.0).all())

    @property
    def simplified(self) -> PartialTruth | FloatArray:
        """Plain labels if all items are known with certainty; otherwise this object."""
        plain = self.complete and not self.graded and self.truth_reader is None
        return self.correct if plain else self

    @property
    def as_answered(self) -> PartialTruth:
        """The same answers, taken as the truth, for tests of limits on the errors that people find."""
        return self if self.truth_reader is None else answered_by(self, None)

    @property
    def errors(self) -> FloatArray:
        """The error e of each item, (n,), corrected for the `truth_reader`; NaN if unverified."""
        return errors_by(self.truth_reader, 1.0 - self.correct)


def _read_drawn(drawn: ArrayLike, truth: FloatArray) -> NDArray[np.bool_]:
    """Return which items were drawn; raise if an item was verified but not drawn."""
    flags = vector(drawn, "drawn")
    same_number("drawn", len(flags), "correct", len(truth))
    reject_where(~np.isin(flags, (0, 1)), flags, "drawn", "0 or 1")
    chosen = np.asarray(flags == 1)
    if (extra := ~np.isnan(truth) & ~chosen).any():
        i = int(extra.argmax())
        raise ValueError(f"drawn[{i}] is 0, so correct[{i}] must be NaN, got {truth[i]:g}")
    return chosen


def _such_rows(bad: NDArray[np.bool_]) -> str:
    n = int(bad.sum())
    return f"{n:,} such {plural('row', n)}"


def read_judge(judge: Any, n: int, *, beside: str = "confidence", name: str = "judge") -> FloatArray:
    """Return a judge's probabilities that each of n outputs is right."""
    given = vector(judge, name)
    same_number(name, len(given), beside, n)
    reject_where(~((given >= 0) & (given <= 1)), given, name, "a number in [0, 1]")
    return given.astype(np.float64)


def _read_judges(judge: Any, n: int) -> FloatArray:
    """Return the probabilities of one judge, (n,), or of several, (n, J)."""
    if np.ndim(judge) != 2:
        return read_judge(judge, n, beside="correct")
    columns = np.asarray(judge).T
    if not len(columns):
        raise ValueError("judge must have at least one column, got none")
    read = [
        read_judge(each, n, beside="correct", name=f"judge[:, {j}]") for j, each in enumerate(columns)
    ]
    return read[0] if len(read) == 1 else np.stack(read, axis=1)


def answered_by(truth: PartialTruth, people: Reviewer | None) -> PartialTruth:
    """Return the truth with `people` as the readers who answered; None if they never err."""
    found = PartialTruth.__new__(PartialTruth)
    found._fill(  # noqa: SLF001
        truth.correct, truth.inclusion_probability, truth.judge, truth.groups, truth.least_probability,
        graded=truth.graded, reader=informative(people),
    )  # fmt: skip
    return found


def truth_of_some(truth: PartialTruth, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> PartialTruth:
    """Return the truth of some of the items, given by a mask or by indices."""
    if not truth.verified[chosen].any():
        raise ValueError(
            f"correct has {truth.n_verified} verified items, but none in one of the parts that are "
            "evaluated separately: verify more items of each part"
        )
    part = PartialTruth.__new__(PartialTruth)
    judge = None if truth.judge is None else truth.judge[chosen]
    codes = None
    if truth.groups is not None:
        codes = np.unique(truth.groups[chosen], return_inverse=True)[1]
    values = truth.correct[chosen], truth.inclusion_probability[chosen]
    part._fill(  # noqa: SLF001
        *values, judge, codes, truth.least_probability, graded=truth.graded, reader=truth.truth_reader
    )
    return part
