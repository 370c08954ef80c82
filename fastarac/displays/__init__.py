"""Pictures of the curves, as scikit-learn's displays; matplotlib is imported when one is drawn."""

from fastarac.displays._several import draw_curves as draw_curves
from fastarac.displays.arac import ARACDisplay as ARACDisplay
from fastarac.displays.arac import draw_arac_curves as draw_arac_curves
from fastarac.displays.arp import ARPDisplay as ARPDisplay
from fastarac.displays.average_curve import AverageCurveDisplay as AverageCurveDisplay
from fastarac.displays.confusion import ConfusionDisplay as ConfusionDisplay
from fastarac.displays.cost_curve import CostCurveDisplay as CostCurveDisplay
from fastarac.displays.det import DetCurveDisplay as DetCurveDisplay
from fastarac.displays.precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
from fastarac.displays.preference_map import PreferenceMapDisplay as PreferenceMapDisplay
from fastarac.displays.rc import GeneralizedRCDisplay as GeneralizedRCDisplay
from fastarac.displays.rc import RCDisplay as RCDisplay
from fastarac.displays.rejection_cost import (
    AccuracyRejectionCostDisplay as AccuracyRejectionCostDisplay,
)
from fastarac.displays.rejection_cost import RejectionCostDisplay as RejectionCostDisplay
from fastarac.displays.roc import RocCurveDisplay as RocCurveDisplay
from fastarac.displays.roc_hull import ROCHullDisplay as ROCHullDisplay

__all__ = [
    "ARACDisplay",
    "ARPDisplay",
    "AccuracyRejectionCostDisplay",
    "AverageCurveDisplay",
    "ConfusionDisplay",
    "CostCurveDisplay",
    "DetCurveDisplay",
    "GeneralizedRCDisplay",
    "PrecisionRecallDisplay",
    "PreferenceMapDisplay",
    "RCDisplay",
    "ROCHullDisplay",
    "RejectionCostDisplay",
    "RocCurveDisplay",
    "draw_arac_curves",
    "draw_curves",
]
