"""fastarac: how much of a machine's output can be accepted unchecked.

Outputs whose confidence is at or above a threshold go through; people verify and correct the rest.
The library computes what that means at every threshold: curves, areas and operating points, exactly.

>>> import fastarac as fa
>>> correct = [1, 1, 0, 1, 1, 0]
>>> confidence = [0.99, 0.95, 0.90, 0.80, 0.75, 0.10]
>>> fa.operating_point(correct, confidence, max_error_rate=0.0).acceptance_rate
0.3333333333333333
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastarac._version import __version__ as __version__
from fastarac.areas import CurveArea as CurveArea
from fastarac.areas import arac_area as arac_area
from fastarac.areas import arac_auc_score as arac_auc_score
from fastarac.areas import augrc_loss as augrc_loss
from fastarac.areas import normalized_arac_auc_score as normalized_arac_auc_score
from fastarac.curves import AccuracyRejectionCurve as AccuracyRejectionCurve
from fastarac.curves import ARACCurve as ARACCurve
from fastarac.curves import ARPCurve as ARPCurve
from fastarac.curves import GeneralizedRCCurve as GeneralizedRCCurve
from fastarac.curves import RCCurve as RCCurve
from fastarac.curves import accuracy_rejection_curve as accuracy_rejection_curve
from fastarac.curves import arac_curve as arac_curve
from fastarac.curves import arp_curve as arp_curve
from fastarac.curves import generalized_rc_curve as generalized_rc_curve
from fastarac.curves import rc_curve as rc_curve
from fastarac.dropin import auc as auc
from fastarac.dropin import average_precision_score as average_precision_score
from fastarac.dropin import cohen_kappa_score as cohen_kappa_score
from fastarac.dropin import confusion_matrix_at_thresholds as confusion_matrix_at_thresholds
from fastarac.dropin import dcg_score as dcg_score
from fastarac.dropin import det_curve as det_curve
from fastarac.dropin import ndcg_score as ndcg_score
from fastarac.dropin import precision_recall_curve as precision_recall_curve
from fastarac.dropin import roc_auc_score as roc_auc_score
from fastarac.dropin import roc_curve as roc_curve
from fastarac.evaluation import Evaluation as Evaluation
from fastarac.evaluation import evaluate as evaluate
from fastarac.exceptions import UndefinedMetricWarning as UndefinedMetricWarning
from fastarac.groups import GroupEvaluation as GroupEvaluation
from fastarac.groups import evaluate_groups as evaluate_groups
from fastarac.operating import OperatingPoint as OperatingPoint
from fastarac.operating import acceptance_at_error_rate as acceptance_at_error_rate
from fastarac.operating import operating_point as operating_point
from fastarac.partial_areas import arac_partial_auc_score as arac_partial_auc_score
from fastarac.partial_areas import roc_partial_auc_score as roc_partial_auc_score
from fastarac.precision_recall import BreakEvenPoint as BreakEvenPoint
from fastarac.precision_recall import EqualErrorRate as EqualErrorRate
from fastarac.precision_recall import break_even_point as break_even_point
from fastarac.precision_recall import (
    eleven_point_average_precision as eleven_point_average_precision,
)
from fastarac.precision_recall import equal_error_rate as equal_error_rate
from fastarac.precision_recall import interpolated_precision as interpolated_precision
from fastarac.precision_recall import pr_auc_score as pr_auc_score
from fastarac.risk_areas import arp_area as arp_area
from fastarac.risk_areas import arp_auc_score as arp_auc_score
from fastarac.risk_areas import aurc_loss as aurc_loss
from fastarac.risk_areas import excess_aurc_loss as excess_aurc_loss
from fastarac.risk_areas import normalized_arp_auc_score as normalized_arp_auc_score
from fastarac.risk_areas import normalized_aurc_loss as normalized_aurc_loss
from fastarac.sweep import AcceptanceCounts as AcceptanceCounts
from fastarac.sweep import ThresholdSweep as ThresholdSweep
from fastarac.sweep import threshold_sweep as threshold_sweep

if TYPE_CHECKING:
    from fastarac.displays import ARACDisplay as ARACDisplay
    from fastarac.displays import ARPDisplay as ARPDisplay
    from fastarac.displays import ConfusionDisplay as ConfusionDisplay
    from fastarac.displays import DetCurveDisplay as DetCurveDisplay
    from fastarac.displays import GeneralizedRCDisplay as GeneralizedRCDisplay
    from fastarac.displays import PrecisionRecallDisplay as PrecisionRecallDisplay
    from fastarac.displays import RCDisplay as RCDisplay
    from fastarac.displays import RocCurveDisplay as RocCurveDisplay
    from fastarac.synthetic import PAPER_CASES as PAPER_CASES
    from fastarac.synthetic import TruncatedNormalMixture as TruncatedNormalMixture
    from fastarac.uncertainty.statistics import Statistic as Statistic

# Loaded on first use: what draws, and what not every program needs.
_LAZY = {
    "ARACDisplay": "displays",
    "ARPDisplay": "displays",
    "ConfusionDisplay": "displays",
    "DetCurveDisplay": "displays",
    "PrecisionRecallDisplay": "displays",
    "GeneralizedRCDisplay": "displays",
    "RCDisplay": "displays",
    "RocCurveDisplay": "displays",
    "PAPER_CASES": "synthetic",
    "TruncatedNormalMixture": "synthetic",
    "Statistic": "uncertainty.statistics",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
