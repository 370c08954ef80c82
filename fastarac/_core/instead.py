"""Labels of which some are missing, and what to ask where a function needs those of all items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_PACKAGE = __file__.rpartition("_core")[0]
_SWEEP = "threshold_sweep(correct, confidence), given alone, is taken: the estimated curve"
_VERIFIED = "it takes no weights, which the verified items need"

INSTEAD = {
    **dict.fromkeys(
        (
            *("roc_curve", "precision_recall_curve", "det_curve", "break_even_point"),
            *("equal_error_rate", "interpolated_precision", "eleven_point_average_precision"),
            *("confusion_matrix_at_thresholds", "cost_curve", "roc_convex_hull"),
        ),
        _SWEEP,
    ),
    "roc_partial_auc_score": "there is none in its place but arac_partial_auc_score, another area",
    "from_predictions": "from_sweep(threshold_sweep(correct, confidence)) draws the estimated curve",
    "bootstrap": "asymptotic_interval has an interval",
    "bootstrap_band": "evaluate with threshold= and intervals=True has an interval at each threshold",
    "cost_curve_band": "there is no band; cost_curve of a threshold_sweep is the estimated curve",
    "influence_values": "asymptotic_interval has the interval that they would give",
    "delong_test": "compare_models with statistic='roc_auc' has a test",
    "calibration_table": f"there is none in its place: {_VERIFIED}",
    "expected_calibration_error": f"there is none in its place: {_VERIFIED}",
    "isotonic_calibration": f"there is none in its place: {_VERIFIED}",
    "design_effect": "asymptotic_interval with groups= and without shows what the groups do",
    "sample_size_for_interval": "a pilot whose truth is known is expected",
    "sample_size_for_policy": "a pilot whose truth is known is expected",
    "confidence_based_estimate": "a policy that was fitted to it, or whole outputs, are expected",
    "audited_error_rate": "correct and audited= say the same there",
    "audited_sweep": "correct and audited= say the same there",
    "optimize_cascade": "the truth of each stage is expected for all items",
    "dcg_score": "there is none in its place: the gain of each item is needed",
    "ndcg_score": "there is none in its place: the gain of each item is needed",
}
"""By the name of the function that was called."""


class LabelsInPart:
    """Labels of which some are missing; the counts at the thresholds are estimated."""

    __slots__ = ()

    @property
    def simplified(self) -> ArrayLike:
        """Plain labels where nothing is left to chance; this object otherwise."""
        raise NotImplementedError

    def sweep_of(self, confidence: ArrayLike, share_of_judge: Any = None) -> Any:
        """Return the estimated counts, with the judge's share that a function of the items tells."""
        raise NotImplementedError


def whole_or_part(correct: Any) -> Any:
    """Return plain labels for those of which nothing is left to chance, and all else as it is."""
    return correct.simplified if isinstance(correct, LabelsInPart) else correct


def is_in_part(correct: Any) -> bool:
    """Whether labels are given of which some are left to chance."""
    return isinstance(whole_or_part(correct), LabelsInPart)


def refusal() -> str:
    """Say that a `PartialTruth` is not taken by the function that was called, and what is."""
    frame, called = sys._getframe(), ""  # noqa: SLF001
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        name = frame.f_code.co_name
        if name in INSTEAD and not (called and name == "from_predictions"):  # of a display
            called = name
        if frame.f_back is None:
            break
        frame = frame.f_back
    if called:
        return f"a PartialTruth is given, which {called} does not take; {INSTEAD[called]}"
    return (
        "a PartialTruth is given, which this function does not take; evaluate, evaluate_groups, "
        "asymptotic_interval, compare_models, guaranteed_operating_point, threshold_sweep, and curves "
        "and areas of (correct, confidence) do"
    )
