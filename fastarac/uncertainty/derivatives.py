"""Influence functions: derivatives of each statistic with respect to counts at the thresholds.

Each statistic is a smooth function of the counts at the thresholds, and does not change if all counts
are multiplied by a constant. The influence of an item is Ω, the sum of all weights, times the
derivative of the statistic by the item's weight. The mean influence is 0.

The functions change the arrays of an influence in place to save memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.exceptions import undefined_is_nan
from fastarac.areas import arac as areas
from fastarac.areas import partial as partial_areas
from fastarac.areas import precision_recall
from fastarac.areas import risk as risk_areas
from fastarac.areas.gradients import (
    PointInfluence,
    by_integrals,
    by_precision,
)
from fastarac.costs.verification import optimal_operating_point
from fastarac.operating_points import points as operating
from fastarac.reviewer import Reviewer
from fastarac.samples.door import as_ranked

if TYPE_CHECKING:
    from fastarac._engine.counts import AcceptedCounts
    from fastarac.areas.precision_recall import Interpolation
    from fastarac.areas.risk import Estimator
    from fastarac.costs.verification import VerificationCosts
    from fastarac.sweep import ThresholdSweep

FloatArray = NDArray[np.float64]


class Line(NamedTuple):
    """Influence that is linear in M, the weight of the other class's items above an item.

    It is ``offset + slope * (M / divisor - centre)``, where items of equal confidence count half in M.
    """

    offset: float
    slope: float
    divisor: float
    centre: float


class Lines(NamedTuple):
    """The lines of a correct item, whose M counts incorrect items, and of an incorrect item."""

    correct: Line
    incorrect: Line


UNDEFINED = Lines(*(2 * [Line(math.nan, 0.0, 1.0, 0.0)]))


def recognition_rate(sweep: ThresholdSweep) -> Lines:
    """Return the influence on the recognition rate."""
    beta = sweep.recognition_rate
    return Lines(Line(sweep.n_incorrect / sweep.total, 0.0, 1.0, 0.0), Line(-beta, 0.0, 1.0, 0.0))


def lines_of_augrc(total: float, loss: float, sign: float = 1.0) -> Lines:
    """Return the influence on the AUGRC or, with ``sign=-1``, on 1 − AUGRC."""
    # Let Ω be the total weight. Then Ω²·AUGRC is the summed weight of all pairs of an incorrect item
    # and an item of lower confidence. Pairs of equal confidence count half. A new item adds a pair with
    # each incorrect item above it. If it is incorrect, it also adds a pair with each item below it.
    doubled = 2.0 * loss
    return Lines(Line(0.0, sign, total, doubled), Line(0.0, -sign, total, 1.0 - doubled))


def augrc(sweep: ThresholdSweep) -> Lines:
    """Return the influence on the AUGRC, the mean error rate."""
    return lines_of_augrc(float(sweep.total), areas.augrc_loss(sweep))


def arac_auc(sweep: ThresholdSweep) -> Lines:
    """Return the influence on the ARAC-AUC, 1 − AUGRC."""
    return lines_of_augrc(float(sweep.total), areas.augrc_loss(sweep), -1.0)


def lines_of_normalized_arac(sweep: ThresholdSweep, of_area: Lines, area: float, gamma: float) -> Lines:
    """Return the influence on the normalised ARAC-AUC, given the influence on the ARAC-AUC."""
    by_area, by_rate = areas.slopes_of_normalized(sweep, area, gamma)
    of_rate = recognition_rate(sweep)
    correct, incorrect = (
        Line(by_rate * rate.offset, by_area * line.slope, line.divisor, line.centre)
        for line, rate in zip(of_area, of_rate, strict=True)
    )
    return Lines(correct, incorrect)


def normalized_arac_auc(sweep: ThresholdSweep, gamma: float = 1.0) -> Lines:
    """Return the influence on the normalised ARAC-AUC."""
    area = areas.arac_area(sweep, gamma=gamma)
    return lines_of_normalized_arac(sweep, arac_auc(sweep), area.auc, gamma)


def roc_auc(sweep: AcceptedCounts) -> Lines:
    """Return the influence on the ROC-AUC, the share of pairs in the right order."""
    correct, incorrect, doubled = as_ranked(sweep, corners=True).pairs
    if not (correct and incorrect):
        return UNDEFINED
    area = float(doubled / (2 * correct * incorrect))
    rest = float((2 * correct * incorrect - doubled) / (2 * correct * incorrect))
    return lines_of_roc(float(sweep.total), float(correct), float(incorrect), area, rest)


def lines_of_roc(total: float, correct: float, incorrect: float, area: float, rest: float) -> Lines:
    """Return the influence on the ROC-AUC, given the class weights, the area, and `rest` = 1 − area."""
    if not (correct > 0.0 and incorrect > 0.0):
        return UNDEFINED
    return Lines(
        Line(0.0, -total / correct, incorrect, rest),
        Line(0.0, total / incorrect, correct, area),
    )


def along(line: Line, above: NDArray[Any]) -> FloatArray:
    """Return one class's influence at each threshold but the first, given the other class's counts."""
    values: FloatArray = np.add(above[1:], above[:-1], dtype=np.float64)
    values /= 2.0 * line.divisor
    values -= line.centre
    values *= line.slope
    values += line.offset
    return values


def along_lines(lines: Lines, sweep: ThresholdSweep) -> PointInfluence:
    """Return the influence of a correct and of an incorrect item at each threshold."""
    return PointInfluence(
        along(lines.correct, sweep.false_accepts), along(lines.incorrect, sweep.true_accepts)
    )


def arp_auc(sweep: ThresholdSweep, estimator: Estimator = "trapezoid") -> PointInfluence:
    """Return the influence on the ARP-AUC, the mean precision."""
    if estimator == "trapezoid":
        area, gradient = by_precision(sweep, over_accepted=True, trapezoids=True)
    else:
        # The mean over items converges to this integral, so it has the same influence values.
        area, gradient = by_integrals(sweep, over_accepted=True)
    for values in gradient:
        np.subtract(values, area, out=values)
    return gradient


def aurc(sweep: ThresholdSweep, estimator: Estimator = "trapezoid") -> PointInfluence:
    """Return the influence on the AURC, 1 − ARP-AUC."""
    found = arp_auc(sweep, estimator)
    for values in found:
        np.negative(values, out=values)
    return found


def normalized_arp_auc(
    sweep: ThresholdSweep, gamma: float = 1.0, estimator: Estimator = "trapezoid"
) -> PointInfluence:
    """Return the influence on the normalised ARP-AUC."""
    area = risk_areas.arp_auc_score(sweep, estimator=estimator)
    by_area, by_rate = areas.slopes_of_normalized(sweep, area, gamma)
    found, beta = arp_auc(sweep, estimator), sweep.recognition_rate
    correct, incorrect = found
    correct *= by_area
    correct += by_rate * (1.0 - beta)
    incorrect *= by_area
    incorrect -= by_rate * beta
    return found


def _optimum_slope(sweep: ThresholdSweep) -> float:
    """Return the derivative of the best AURC, π + (1 − π)·ln(1 − π), by the share of errors π.

    It is exact only in the limit of many items.
    """
    beta = sweep.recognition_rate
    return -math.log(beta) if beta else math.inf


def excess_aurc(
    sweep: ThresholdSweep, estimator: Estimator = "trapezoid", optimum: str = "finite"
) -> PointInfluence:
    """Return the influence on the excess AURC: AURC minus the AURC of the best order of the items."""
    del optimum
    beta = sweep.recognition_rate
    if not beta:  # without correct items, every order is the best one
        return _constant(sweep, 0.0)
    found, slope = aurc(sweep, estimator), _optimum_slope(sweep)
    correct, incorrect = found
    correct += slope * (1.0 - beta)
    incorrect -= slope * beta
    return found


def normalized_aurc(
    sweep: ThresholdSweep, estimator: Estimator = "trapezoid", optimum: str = "finite"
) -> PointInfluence:
    """Return the influence on the normalised AURC: excess AURC divided by that of a random order."""
    options: dict[str, Any] = {"estimator": estimator, "optimum": optimum}
    beta = sweep.recognition_rate
    if not 0.0 < beta < 1.0:
        return _constant(sweep, math.nan)
    excess = risk_areas.excess_aurc_loss(sweep, **options)
    room = 1.0 - beta - (risk_areas.aurc_loss(sweep, estimator=estimator) - excess)
    if not room > 0.0:
        return _constant(sweep, math.nan)
    found = excess_aurc(sweep, **options)
    by_rate = excess / room**2 * (1.0 - _optimum_slope(sweep))
    correct, incorrect = found
    correct /= room
    correct += by_rate * (1.0 - beta)
    incorrect /= room
    incorrect -= by_rate * beta
    return found


def _constant(sweep: ThresholdSweep, value: float) -> PointInfluence:
    correct, incorrect = np.full((2, len(sweep.thresholds) - 1), value)
    return PointInfluence(correct, incorrect)


def pr_auc(sweep: ThresholdSweep, interpolation: Interpolation = "davis-goadrich") -> PointInfluence:
    """Return the influence on the area under the precision–recall curve."""
    if not sweep.n_correct:
        return _constant(sweep, math.nan)
    return precision_recall.area_gradient(sweep, interpolation)


def average_precision(sweep: ThresholdSweep) -> PointInfluence:
    """Return the influence on the average precision, the area under steps."""
    return pr_auc(sweep, "step")


class _Strip(NamedTuple):
    """The area under a curve y(x) for x in a range, and the position of each tie in it."""

    area: float
    place: FloatArray
    """For each tie, the mean of x after x is clipped to [a, b]."""
    rest: FloatArray
    """Influence of a move along x: ȳ − y(b) + b·y(b) − a·y(a) − ∫y, with the mean ȳ over the tie."""


def _strip(x: FloatArray, y: FloatArray, low: float, high: float) -> _Strip:
    bottom, top = (float(height) for height in np.interp([low, high], x, y))
    ends = np.clip(x, low, high)
    heights = np.where(x < low, bottom, np.where(x > high, top, y))
    widths, tie = np.diff(ends), np.diff(x)
    integrals = widths * (heights[1:] + heights[:-1]) / 2.0
    below, above = np.diff(np.minimum(x, low)), np.diff(np.maximum(x, high))
    squares = widths * (ends[1:] + ends[:-1]) / 2.0
    with np.errstate(invalid="ignore", divide="ignore"):
        place = (squares + low * below + high * above) / tie
        height = (integrals + bottom * below + top * above) / tie
    upright = tie == 0.0
    place[upright] = ends[1:][upright]
    height[upright] = (heights[1:] + heights[:-1])[upright] / 2.0
    area = math.fsum(integrals)
    return _Strip(area, place, height - top + high * top - low * bottom - area)


def arac_partial_auc(
    sweep: ThresholdSweep,
    acceptance_range: tuple[float, float] | None = None,
    max_error_rate: float | None = None,
) -> PointInfluence:
    """Return the influence on the partial ARAC-AUC."""
    if max_error_rate is not None:
        low, scale = 0.0, -1.0 / max_error_rate
        high = operating.acceptance_at_error_rate(
            sweep, max_error_rate=max_error_rate, interpolate=True
        )
    else:
        low, high = map(float, acceptance_range or (0.0, 1.0))
        scale = -1.0 / (high - low)
    strip = _strip(sweep.acceptance_rate, sweep.error_rate, low, high)
    correct = scale * (strip.rest - strip.area)
    return PointInfluence(correct, correct + scale * (high - strip.place))


def roc_partial_auc(
    sweep: ThresholdSweep,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    standardize: str | None = None,
) -> PointInfluence:
    """Return the influence on the partial ROC-AUC."""
    low, high = map(float, fpr_range or tpr_range or (0.0, 1.0))
    options: dict[str, Any] = {"fpr_range": fpr_range, "tpr_range": tpr_range}
    options["standardize"] = standardize
    with undefined_is_nan():
        value = partial_areas.roc_partial_auc_score(sweep, **options)
    if math.isnan(value):
        return _constant(sweep, math.nan)
    scale = 1.0
    width, chance = high - low, (high - low) * (high + low) / 2.0
    if standardize is not None:
        scale = 0.5 / (width - chance if fpr_range is not None else chance)
    rates = sweep.false_positive_rate, sweep.recall
    totals = float(sweep.total / sweep.n_correct), float(sweep.total / sweep.n_incorrect)
    if fpr_range is not None:
        strip = _strip(*rates, low, high)
        along_x, along_y = strip.rest, high - strip.place - strip.area
        return PointInfluence(scale * totals[0] * along_y, scale * totals[1] * along_x)
    # Exchanging the rates gives the area left of the curve, whose influence is subtracted.
    strip = _strip(rates[1], rates[0], low, high)
    along_x, along_y = strip.rest, high - strip.place - strip.area
    return PointInfluence(-scale * totals[0] * along_x, -scale * totals[1] * along_y)


def arac_part(
    sweep: ThresholdSweep,
    acceptance_range: tuple[float, float] | None = None,
    max_error_rate: float | None = None,
) -> tuple[str, float]:
    """Return the name and the weight of the smaller: incorrect items in the part, or correct items."""
    if max_error_rate is not None:
        within = min(float(sweep.n_incorrect), float(max_error_rate) * float(sweep.total))
    else:
        end = float((acceptance_range or (0.0, 1.0))[1])
        within = float(np.interp(end, sweep.acceptance_rate, sweep.false_accepts))
    return min(
        ("incorrect items inside the part", within),
        ("correct items", float(sweep.n_correct)),
        key=itemgetter(1),
    )


def roc_part(
    sweep: ThresholdSweep,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    standardize: str | None = None,
) -> tuple[str, float]:
    """Return the name and the weight of the smaller: one class in the part, or the other class."""
    del standardize
    low, high = map(float, fpr_range or tpr_range or (0.0, 1.0))
    of_part = "incorrect items", float(sweep.n_incorrect)
    other = "correct items", float(sweep.n_correct)
    if fpr_range is None and tpr_range is not None:
        of_part, other = other, of_part
    inside = f"{of_part[0]} inside the part", (high - low) * of_part[1]
    return min(inside, other, key=itemgetter(1))


Rate = Callable[[bool, bool], tuple[bool, bool]]
"""Maps (accepted, correct) of an item to whether it counts in the numerator and the denominator."""


def parts(sweep: ThresholdSweep, threshold: float, of: Rate) -> tuple[float, float]:
    """Return the numerator and the denominator of the rate `of` at a threshold."""
    kinds = ((True, True), (True, False), (False, True), (False, False))
    weights = [(of(*kind), float(w)) for kind, w in zip(kinds, sweep.at(threshold), strict=True)]
    return (
        math.fsum(weight for (of_part, _), weight in weights if of_part),
        math.fsum(weight for (_, of_whole), weight in weights if of_whole),
    )


def share_at_threshold(of: Rate, sweep: ThresholdSweep, threshold: float) -> PointInfluence:
    """Return the influence on the rate `of` at a threshold."""
    accepted = np.asarray(sweep.thresholds[1:] >= threshold, np.bool_)
    part, whole = parts(sweep, threshold, of)
    if not whole:
        return _constant(sweep, math.nan)
    value, total = part / whole, float(sweep.total)
    correct, incorrect = (
        np.where(accepted, *(_share(*of(side, right), value) * total / whole for side in (True, False)))
        for right in (True, False)
    )
    return PointInfluence(correct, incorrect)


def _share(of_part: bool, of_whole: bool, value: float) -> float:
    return (of_part - value) if of_whole else 0.0


def cost_of_verified(costs: VerificationCosts, reviewer: Reviewer | None) -> tuple[float, float]:
    """Return the expected costs of verifying a correct and an incorrect item."""
    people = reviewer or Reviewer()
    found, spoiled = people.detection_rate, people.false_alarm_rate
    return (
        costs.verification + spoiled * (costs.correction + costs.error),
        costs.verification + found * costs.correction + (1.0 - found) * costs.error,
    )


def cost(
    sweep: ThresholdSweep, costs: VerificationCosts, reviewer: Reviewer | None = None
) -> PointInfluence:
    """Return the influence on the lowest mean cost, with the cheapest threshold held fixed."""
    point = optimal_operating_point(sweep, costs=costs, reviewer=reviewer)
    accepted = np.asarray(sweep.thresholds[1:] >= point.threshold, np.bool_)
    verified = cost_of_verified(costs, reviewer)
    mean = float(costs.cost(point))
    return PointInfluence(
        np.where(accepted, 0.0, verified[0]) - mean, np.where(accepted, costs.error, verified[1]) - mean
    )


def cost_part(
    sweep: ThresholdSweep, costs: VerificationCosts, reviewer: Reviewer | None = None
) -> tuple[str, float]:
    """Return the name and weight of the errors accepted at the cheapest threshold."""
    threshold = optimal_operating_point(sweep, costs=costs, reviewer=reviewer).threshold
    return "incorrect items accepted at the cheapest threshold", float(sweep.at(threshold)[1])
