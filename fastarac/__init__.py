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
from fastarac.exceptions import SampleTooSmallWarning as SampleTooSmallWarning
from fastarac.exceptions import UndefinedMetricWarning as UndefinedMetricWarning
from fastarac.exceptions import UnreasonableCostsWarning as UnreasonableCostsWarning
from fastarac.exceptions import UnreliableIntervalWarning as UnreliableIntervalWarning
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
from fastarac.reviewer import Reviewer as Reviewer
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
    from fastarac.costs.classification import CostMatrix as CostMatrix
    from fastarac.costs.classification import paired_prediction_counts as paired_prediction_counts
    from fastarac.costs.classification import prediction_counts as prediction_counts
    from fastarac.costs.corners import ARACHull as ARACHull
    from fastarac.costs.corners import arac_convex_hull as arac_convex_hull
    from fastarac.costs.curves import CostCurve as CostCurve
    from fastarac.costs.curves import CostCurveBand as CostCurveBand
    from fastarac.costs.curves import better_ranges as better_ranges
    from fastarac.costs.curves import cost_curve as cost_curve
    from fastarac.costs.curves import cost_curve_band as cost_curve_band
    from fastarac.costs.dominance import dominates as dominates
    from fastarac.costs.hulls import HullVertex as HullVertex
    from fastarac.costs.hulls import ROCConvexHull as ROCConvexHull
    from fastarac.costs.hulls import roc_convex_hull as roc_convex_hull
    from fastarac.costs.preferences import PreferenceMap as PreferenceMap
    from fastarac.costs.preferences import preference_map as preference_map
    from fastarac.costs.prices import expected_cost as expected_cost
    from fastarac.costs.prices import iso_performance_slope as iso_performance_slope
    from fastarac.costs.prices import probability_cost as probability_cost
    from fastarac.costs.rejection import AccuracyRejectionCostCurve as AccuracyRejectionCostCurve
    from fastarac.costs.rejection import RejectionCostCurve as RejectionCostCurve
    from fastarac.costs.rejection import accuracy_rejection_cost_curve as accuracy_rejection_cost_curve
    from fastarac.costs.rejection import rejection_cost_curve as rejection_cost_curve
    from fastarac.costs.verification import VerificationCosts as VerificationCosts
    from fastarac.costs.verification import optimal_operating_point as optimal_operating_point
    from fastarac.costs.verification import performance_at_error_rate as performance_at_error_rate
    from fastarac.displays import AccuracyRejectionCostDisplay as AccuracyRejectionCostDisplay
    from fastarac.displays import ARACDisplay as ARACDisplay
    from fastarac.displays import ARPDisplay as ARPDisplay
    from fastarac.displays import AverageCurveDisplay as AverageCurveDisplay
    from fastarac.displays import ConfusionDisplay as ConfusionDisplay
    from fastarac.displays import CostCurveDisplay as CostCurveDisplay
    from fastarac.displays import DetCurveDisplay as DetCurveDisplay
    from fastarac.displays import GeneralizedRCDisplay as GeneralizedRCDisplay
    from fastarac.displays import PrecisionRecallDisplay as PrecisionRecallDisplay
    from fastarac.displays import PreferenceMapDisplay as PreferenceMapDisplay
    from fastarac.displays import RCDisplay as RCDisplay
    from fastarac.displays import RejectionCostDisplay as RejectionCostDisplay
    from fastarac.displays import RocCurveDisplay as RocCurveDisplay
    from fastarac.displays import ROCHullDisplay as ROCHullDisplay
    from fastarac.measures.agreement import cohen_kappa as cohen_kappa
    from fastarac.measures.clustering import inverse_purity as inverse_purity
    from fastarac.measures.clustering import local_purity as local_purity
    from fastarac.measures.clustering import purity as purity
    from fastarac.measures.clustering import purity_f as purity_f
    from fastarac.measures.confusion import AveragedMeasures as AveragedMeasures
    from fastarac.measures.confusion import BestThreshold as BestThreshold
    from fastarac.measures.confusion import ClassCounts as ClassCounts
    from fastarac.measures.confusion import ConfusionMeasures as ConfusionMeasures
    from fastarac.measures.confusion import SweepMeasures as SweepMeasures
    from fastarac.measures.confusion import class_counts as class_counts
    from fastarac.measures.confusion import confusion_measures as confusion_measures
    from fastarac.measures.folds import AverageCurve as AverageCurve
    from fastarac.measures.folds import average_curves as average_curves
    from fastarac.measures.ranking import cumulative_gain as cumulative_gain
    from fastarac.measures.ranking import discounted_cumulative_gain as discounted_cumulative_gain
    from fastarac.measures.ranking import mean_reciprocal_rank as mean_reciprocal_rank
    from fastarac.measures.ranking import normalized_dcg as normalized_dcg
    from fastarac.measures.ranking import pool as pool
    from fastarac.measures.ranking import precision_at_k as precision_at_k
    from fastarac.measures.ranking import rank_by_score as rank_by_score
    from fastarac.measures.ranking import ranking_average_precision as ranking_average_precision
    from fastarac.measures.ranking import recall_at_k as recall_at_k
    from fastarac.measures.ranking import reciprocal_rank as reciprocal_rank
    from fastarac.synthetic import PAPER_CASES as PAPER_CASES
    from fastarac.synthetic import TruncatedNormalMixture as TruncatedNormalMixture
    from fastarac.uncertainty.asymptotic import AsymptoticInterval as AsymptoticInterval
    from fastarac.uncertainty.asymptotic import asymptotic_interval as asymptotic_interval
    from fastarac.uncertainty.bands import ConfidenceBand as ConfidenceBand
    from fastarac.uncertainty.bands import bootstrap_band as bootstrap_band
    from fastarac.uncertainty.bcost import CostDifference as CostDifference
    from fastarac.uncertainty.bcost import CostInterval as CostInterval
    from fastarac.uncertainty.bcost import bcost as bcost
    from fastarac.uncertainty.bcost import bcost_delta as bcost_delta
    from fastarac.uncertainty.bootstrap import BootstrapResult as BootstrapResult
    from fastarac.uncertainty.bootstrap import bootstrap as bootstrap
    from fastarac.uncertainty.compared import ModelComparison as ModelComparison
    from fastarac.uncertainty.compared import PairDifference as PairDifference
    from fastarac.uncertainty.comparison import DeLongTest as DeLongTest
    from fastarac.uncertainty.comparison import compare_models as compare_models
    from fastarac.uncertainty.comparison import delong_test as delong_test
    from fastarac.uncertainty.guarantees import GuaranteedOperatingPoint as GuaranteedOperatingPoint
    from fastarac.uncertainty.guarantees import (
        guaranteed_operating_point as guaranteed_operating_point,
    )
    from fastarac.uncertainty.influence import influence_values as influence_values
    from fastarac.uncertainty.results import ConfidenceInterval as ConfidenceInterval
    from fastarac.uncertainty.statistics import Statistic as Statistic

# Loaded on first use: what draws, and what not every program needs.
_LAZY = {
    "CostCurve": "costs.curves",
    "CostCurveBand": "costs.curves",
    "better_ranges": "costs.curves",
    "cost_curve": "costs.curves",
    "cost_curve_band": "costs.curves",
    "HullVertex": "costs.hulls",
    "ROCConvexHull": "costs.hulls",
    "dominates": "costs.dominance",
    "expected_cost": "costs.prices",
    "iso_performance_slope": "costs.prices",
    "probability_cost": "costs.prices",
    "roc_convex_hull": "costs.hulls",
    "ARACDisplay": "displays",
    "ARPDisplay": "displays",
    "AverageCurveDisplay": "displays",
    "ConfusionDisplay": "displays",
    "CostCurveDisplay": "displays",
    "DetCurveDisplay": "displays",
    "PrecisionRecallDisplay": "displays",
    "PreferenceMapDisplay": "displays",
    "RejectionCostDisplay": "displays",
    "AccuracyRejectionCostDisplay": "displays",
    "GeneralizedRCDisplay": "displays",
    "RCDisplay": "displays",
    "RocCurveDisplay": "displays",
    "ROCHullDisplay": "displays",
    "ARACHull": "costs.corners",
    "arac_convex_hull": "costs.corners",
    "PreferenceMap": "costs.preferences",
    "preference_map": "costs.preferences",
    "AccuracyRejectionCostCurve": "costs.rejection",
    "RejectionCostCurve": "costs.rejection",
    "accuracy_rejection_cost_curve": "costs.rejection",
    "rejection_cost_curve": "costs.rejection",
    "VerificationCosts": "costs.verification",
    "optimal_operating_point": "costs.verification",
    "performance_at_error_rate": "costs.verification",
    "cohen_kappa": "measures.agreement",
    "inverse_purity": "measures.clustering",
    "local_purity": "measures.clustering",
    "purity": "measures.clustering",
    "purity_f": "measures.clustering",
    "AveragedMeasures": "measures.confusion",
    "BestThreshold": "measures.confusion",
    "ClassCounts": "measures.confusion",
    "ConfusionMeasures": "measures.confusion",
    "SweepMeasures": "measures.confusion",
    "class_counts": "measures.confusion",
    "confusion_measures": "measures.confusion",
    "AverageCurve": "measures.folds",
    "average_curves": "measures.folds",
    "cumulative_gain": "measures.ranking",
    "discounted_cumulative_gain": "measures.ranking",
    "mean_reciprocal_rank": "measures.ranking",
    "normalized_dcg": "measures.ranking",
    "pool": "measures.ranking",
    "precision_at_k": "measures.ranking",
    "rank_by_score": "measures.ranking",
    "ranking_average_precision": "measures.ranking",
    "recall_at_k": "measures.ranking",
    "reciprocal_rank": "measures.ranking",
    "PAPER_CASES": "synthetic",
    "TruncatedNormalMixture": "synthetic",
    "AsymptoticInterval": "uncertainty.asymptotic",
    "asymptotic_interval": "uncertainty.asymptotic",
    "ModelComparison": "uncertainty.compared",
    "PairDifference": "uncertainty.compared",
    "DeLongTest": "uncertainty.comparison",
    "compare_models": "uncertainty.comparison",
    "delong_test": "uncertainty.comparison",
    "influence_values": "uncertainty.influence",
    "ConfidenceInterval": "uncertainty.results",
    "Statistic": "uncertainty.statistics",
    "BootstrapResult": "uncertainty.bootstrap",
    "bootstrap": "uncertainty.bootstrap",
    "ConfidenceBand": "uncertainty.bands",
    "bootstrap_band": "uncertainty.bands",
    "CostMatrix": "costs.classification",
    "paired_prediction_counts": "costs.classification",
    "prediction_counts": "costs.classification",
    "CostDifference": "uncertainty.bcost",
    "CostInterval": "uncertainty.bcost",
    "bcost": "uncertainty.bcost",
    "bcost_delta": "uncertainty.bcost",
    "GuaranteedOperatingPoint": "uncertainty.guarantees",
    "guaranteed_operating_point": "uncertainty.guarantees",
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
