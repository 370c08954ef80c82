"""The public names of the module, one line each."""

from ._several import draw_curves as draw_curves
from .arac import ARACDisplay as ARACDisplay
from .arac import draw_arac_curves as draw_arac_curves
from .arp import ARPDisplay as ARPDisplay
from .average_curve import AverageCurveDisplay as AverageCurveDisplay
from .confusion import ConfusionDisplay as ConfusionDisplay
from .cost_curve import CostCurveDisplay as CostCurveDisplay
from .det import DetCurveDisplay as DetCurveDisplay
from .precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
from .preference_map import PreferenceMapDisplay as PreferenceMapDisplay
from .rc import GeneralizedRCDisplay as GeneralizedRCDisplay
from .rc import RCDisplay as RCDisplay
from .rejection_cost import AccuracyRejectionCostDisplay as AccuracyRejectionCostDisplay
from .rejection_cost import RejectionCostDisplay as RejectionCostDisplay
from .roc import RocCurveDisplay as RocCurveDisplay
from .roc_hull import ROCHullDisplay as ROCHullDisplay
