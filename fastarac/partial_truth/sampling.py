"""Choose which outputs to verify; each is drawn with a known probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, get_args

import numpy as np

from fastarac._core.checks import (
    choice,
    exactly_one,
    fraction_of,
    inner_fraction,
    real_scalar,
    reject_where,
)
from fastarac._core.exceptions import collected
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.results import Result, Table
from fastarac._core.single_items import takes_items_only
from fastarac._engine.inputs import read_groups, vector
from fastarac.operation.fitting import fit_policy
from fastarac.samples.partial import PartialTruth, read_judge

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

Purpose = Literal["guarantee-these", "guarantee-new", "estimate", "comparison"]
GUARANTEES = "guarantee-these", "guarantee-new"
MIX = 0.5  # default share of the budget that is spread evenly if there is a judge


@dataclass(frozen=True, slots=True, eq=False)
class VerificationSample(Table, Result):
    """The outputs that people verify, and the probability with which each was drawn.

    Attributes
    ----------
    selected : ndarray of shape (n,), bool
        The outputs to verify.
    inclusion_probability : ndarray of shape (n,)
        π, the probability with which each output is selected, in (0, 1]; given for all outputs.
    least_probability : float
        The smallest of these probabilities, which guarantees use; at least mix · budget / n.
    purpose : str
        "guarantee-these", "guarantee-new", "estimate" or "comparison".
    best_acceptance_rate : float or None
        The share of the outputs that :func:`.fit_policy` accepts at the limit if every answer is
        "right", at a failure probability of 5%; None without a limit.

    See Also
    --------
    fastarac.partial_truth.draw_verification_sample : draw the outputs that people verify
    fastarac.PartialTruth : truth of those items that people verified

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> sample = fa.partial_truth.draw_verification_sample(np.arange(1000), 100, random_state=0)
    >>> sample
    VerificationSample(107 of 1000 outputs, 100 expected)
    >>> sample.indices[:5]
    array([ 7, 24, 28, 33, 35])
    """

    selected: NDArray[np.bool_]
    inclusion_probability: NDArray[np.float64]
    least_probability: float
    purpose: Purpose = "estimate"
    best_acceptance_rate: float | None = None

    def __repr__(self) -> str:
        n, drawn = len(self.selected), int(self.selected.sum())
        return f"VerificationSample({drawn} of {n} outputs, {self.expected_size:.6g} expected)"

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, with one row per output."""
        return {name: getattr(self, name) for name in ("selected", "inclusion_probability")}

    @property
    def expected_size(self) -> float:
        """The average number of selected outputs: the sum of the probabilities."""
        return float(self.inclusion_probability.sum())

    @property
    def indices(self) -> NDArray[np.intp]:
        """The positions of the selected outputs, in increasing order."""
        return np.flatnonzero(self.selected)


@takes_items_only("each output is drawn by itself")
def draw_verification_sample(
    confidence: ArrayLike,
    budget: float,
    *,
    purpose: Purpose | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    judge: ArrayLike | None = None,
    mix: float | None = None,
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    random_state: RandomState = None,
) -> VerificationSample:
    r"""Draw the outputs that people verify, so that few answers are as informative as possible.

    Parameters
    ----------
    confidence : array_like of shape (n,)
        Confidences of all outputs; real and finite.
    budget : float
        The average number of outputs to verify, above 0 and at most n.
    purpose : {"guarantee-these", "guarantee-new", "estimate", "comparison"}, optional
        The purpose of the answers: a guarantee for these outputs, a guarantee for new ones, estimates,
        or a comparison of two models. For a guarantee, exactly `budget` outputs (rounded) are drawn,
        all equally likely: :func:`.fit_policy` accepts such a sample directly. Default: "guarantee-new"
        with a limit, else "estimate".
    max_error_rate, max_risk : float, optional
        The limit that is to be guaranteed, in (0, 1). Give at most one of the two.
    judge : array_like of shape (n,), optional
        An estimate of the probability that each output is right, in [0, 1]. A bad judge makes the
        sample less informative, but estimates stay valid. Not for a guarantee.
    mix : float, optional
        The share of the budget spread evenly over all outputs, in [0, 1]; the rest goes to the outputs
        about which the judge is least certain. Default: 0.5 with a judge, 1 without. Not for a
        guarantee.
    strata : array_like of shape (n,), optional
        Labels of parts, such as fields; each gets a share of the budget in proportion to its number of
        outputs. Not for a guarantee.
    groups : array_like of shape (n,), optional
        Labels of groups, such as pages. Whole groups are drawn.
    random_state : int, SeedSequence, Generator or None, default=None
        Seed of the draw. The same integer selects the same outputs.

    Returns
    -------
    VerificationSample
        Fields `selected` and `inclusion_probability`. Store the probabilities with the answers, because
        :class:`.PartialTruth` needs both.

    Raises
    ------
    ValueError, TypeError
        If the budget is not above 0 or exceeds n, a judge value is outside [0, 1], a confidence is not
        finite, arrays have unequal lengths, or a group lies in several strata. With ``mix=0``, also if
        an output could never be drawn.

    See Also
    --------
    fastarac.PartialTruth : truth of those items that people verified
    AdaptiveThresholdSearch : a guarantee for these outputs, from fewer answers
    sample_outputs : draw outputs to verify from a file, and write a file that people fill
    fastarac.results.VerificationSample : the outputs that were drawn to be verified

    Notes
    -----
    Except for a guarantee, each output (or group) is drawn independently, by Poisson sampling (Särndal,
    Swensson and Wretman 1992, 3.5), with

    .. math:: \pi_i = \min\left(1,\; m\frac{B}{n} + \lambda\sqrt{\hat\jmath_i(1 - \hat\jmath_i)}\right)

    for the budget B, the evenly spread share m, and the judge's value ĵ. λ is chosen so that the
    probabilities sum to B. The number of outputs drawn varies around B, with a standard deviation of at
    most √B. For a group, the square root is replaced by the root mean square over its outputs. For
    estimating a mean, a probability proportional to the standard deviation of the error is optimal
    (Neyman 1934; Zrnic and Candès 2024). The evenly spread share limits the weights 1/π to n/(mB).

    With a `mix` below 1 and no judge, ĵ increases linearly with the rank of the confidence, from ½ to
    1; ties get equal values.

    References
    ----------
    Särndal, Swensson and Wretman 1992, "Model assisted survey sampling", 3.5; Neyman 1934, on
    stratified sampling; Zrnic and Candès 2024, "Active statistical inference".

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> confidence = np.linspace(0.0, 1.0, 1_000)
    >>> judge = 0.5 + 0.5 * confidence
    >>> sample = fa.partial_truth.draw_verification_sample(confidence, 100, judge=judge, random_state=1)
    >>> sample
    VerificationSample(87 of 1000 outputs, 100 expected)
    >>> sample.inclusion_probability[[0, 500, -1]].round(3)
    array([0.114, 0.105, 0.05 ])

    If none of 90 answers is "wrong", nearly all outputs can be accepted at a limit of 4%:

    >>> sample = fa.partial_truth.draw_verification_sample(
    ...     confidence, 90, max_error_rate=0.04, random_state=1
    ... )
    >>> sample.purpose, len(sample.indices), round(sample.best_acceptance_rate, 2)
    ('guarantee-new', 90, 1.0)
    """
    scores = scores_of(confidence)
    n = len(scores)
    wanted = real_scalar(budget, "budget")
    if not 0.0 < wanted <= n:
        raise ValueError(
            f"budget must be above 0 and at most {n}, the number of outputs, got {budget!r}"
        )
    limit = limit_to_prove(max_error_rate, max_risk)
    goal = purpose_of(purpose, limit)
    if goal in GUARANTEES:
        refuse_beside_guarantee(goal, judge=judge, mix=mix, strata=strata)
    units = _Units.of(groups, strata, n)
    chances = np.random.default_rng(key_of(random_state)).random(len(units.counts))
    if goal in GUARANTEES:
        k = max(1, round(wanted / n * len(chances)))
        drawn = np.zeros(len(chances), np.bool_)
        drawn[np.argsort(chances, kind="stable")[:k]] = True
        probability = np.full(len(chances), k / len(chances))
    else:
        even = (1.0 if judge is None else MIX) if mix is None else fraction_of(mix, "mix")
        right = _by_rank(scores) if judge is None else read_judge(judge, n)
        probability = units.probabilities(right * (1.0 - right), even, wanted / n)
        drawn = chances < probability
    best = None
    selected, of_items = drawn[units.codes], probability[units.codes]
    if limit is not None:
        own = None if groups is None else units.codes
        best = _share_without_errors(goal, scores, selected, of_items, own, dict([limit]))
    return VerificationSample(selected, of_items, float(probability.min()), goal, best)


def scores_of(confidence: ArrayLike) -> NDArray[Any]:
    """Return the confidences as an array; raise unless there are some, and all are finite."""
    scores = vector(confidence, "confidence")
    if len(scores) == 0:
        raise ValueError("confidence is empty; give at least one output")
    reject_where(~np.isfinite(scores), scores, "confidence", "a finite number")
    return scores


def limit_to_prove(max_error_rate: float | None, max_risk: float | None) -> tuple[str, float] | None:
    """Return the criterion and the limit, or None without a limit; raise if there are two."""
    given = {"max_error_rate": max_error_rate, "max_risk": max_risk}
    if all(value is None for value in given.values()):
        return None
    criterion = exactly_one(**given)
    return criterion, inner_fraction(given[criterion], criterion)


def purpose_of(purpose: Purpose | None, limit: object) -> Purpose:
    """Return the purpose; the default is "guarantee-new" with a limit, else "estimate"."""
    if purpose is None:
        return "estimate" if limit is None else "guarantee-new"
    choice(purpose, "purpose", get_args(Purpose))
    return purpose


def refuse_beside_guarantee(purpose: str, **given: object) -> None:
    """Raise if an option is given that would make the probabilities unequal."""
    for name, value in given.items():
        if value is not None:
            raise TypeError(
                f"{name} cannot go with purpose={purpose!r}, for which all outputs are equally likely: "
                f"leave out {name}, or use purpose='estimate'"
            )


def _share_without_errors(
    purpose: Purpose,
    scores: NDArray[Any],
    selected: NDArray[np.bool_],
    probability: FloatArray,
    groups: NDArray[np.intp] | None,
    limit: dict[str, Any],
) -> float:
    """Return the share of the outputs that a policy accepts if all answers are "right"."""
    if not selected.any():
        return 0.0
    options: dict[str, Any] = dict(limit)
    correct: Any = PartialTruth(
        np.where(selected, 1.0, np.nan), inclusion_probability=probability, groups=groups
    )
    values = scores
    if purpose in GUARANTEES:
        correct, values = np.ones(int(selected.sum()), np.bool_), scores[selected]
        options["groups"] = None if groups is None else groups[selected]
    # Suppress warnings about small samples, because a returned share near 0 already shows them.
    with collected([]):
        policy = fit_policy(correct, values, random_state=0, **options)
    return float(policy.apply(scores).mean())


class _Units(NamedTuple):
    """Outputs, or groups that are drawn as a whole."""

    codes: NDArray[np.intp]
    """The unit of each output."""
    counts: NDArray[np.intp]
    """The number of outputs in each unit."""
    parts: NDArray[np.intp]
    """The stratum of each unit."""

    @classmethod
    def of(cls, groups: ArrayLike | None, strata: ArrayLike | None, n: int) -> Self:
        """Return indices of groups and strata; raise if a group lies in several strata."""
        codes = np.arange(n) if groups is None else read_groups(groups, n)[1]
        parts = np.zeros(n, np.intp) if strata is None else read_groups(strata, n, "strata")[1]
        counts = np.bincount(codes)
        part_of = np.zeros(len(counts), np.intp)
        part_of[codes] = parts
        if (part_of[codes] != parts).any():
            where = int((part_of[codes] != parts).argmax())
            raise ValueError(
                f"each group must lie in one stratum, but the group of output {where} lies in several"
            )
        return cls(codes, counts, part_of)

    def probabilities(self, variance: FloatArray, even: float, share: float) -> FloatArray:
        """Return the probability of drawing each unit; each stratum gets its share of the budget.

        `variance` is the variance of each output's error; `even` is the share of the budget spread
        evenly.
        """
        if even == 1.0:
            return np.full(len(self.counts), min(1.0, share))
        sizes = np.sqrt(np.bincount(self.codes, variance) / self.counts)
        found = np.empty(len(self.counts))
        for part in range(int(self.parts.max()) + 1):
            here = self.parts == part
            found[here] = _filled(sizes[here], self.counts[here], even * share, share)
        if not found.min() > 0.0:
            where = int((found[self.codes] == 0.0).argmax())
            raise ValueError(f"mix must be above 0, got {even!r}: output {where} would never be drawn")
        return found


def _by_rank(scores: NDArray[Any]) -> FloatArray:
    """Return values that increase by rank from ½ to 1; 3/4 if all confidences are equal."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2.0
    ranks: FloatArray = 0.5 + 0.5 * (middle / len(scores))[place]
    return ranks


def _filled(sizes: FloatArray, counts: NDArray[np.intp], floor: float, share: float) -> FloatArray:
    """Return drawing probabilities min(1, floor + λ·size) that draw `share` of all outputs on average.

    The k largest units have the probability 1, for the smallest k with which no other unit exceeds 1.
    """
    if not sizes.max() > 0.0 or share >= 1.0:
        return np.full(len(sizes), min(1.0, share))
    order = np.argsort(-sizes, kind="stable")
    size, count = sizes[order], counts[order].astype(np.float64)
    # number of outputs in all larger units
    whole = np.concatenate([[0.0], np.cumsum(count)])[:-1]
    rest = count[::-1].cumsum()[::-1]
    weighted = (count * size)[::-1].cumsum()[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = (share * count.sum() - whole - floor * rest) / weighted
        fits = floor + scale * size <= 1.0
    if fits.any():
        factor = float(scale[int(fits.argmax())])
        filled = np.minimum(1.0, floor + max(factor, 0.0) * sizes)
        if abs(float(filled @ counts) - share * count.sum()) <= 1e-9 * count.sum():
            return filled
    # All units with a positive size are drawn with certainty. The rest of the budget is spread evenly
    # over the units of size 0.
    certain = sizes > 0.0
    remaining = share * count.sum() - float(counts[certain].sum())
    return np.where(certain, 1.0, remaining / float(counts[~certain].sum()))
