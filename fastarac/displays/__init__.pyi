"""The public names of the module, one line each."""

from ._folds import FoldsDisplay as FoldsDisplay
from ._several import draw_curves as draw_curves
from .acceptance import ARPDisplay as ARPDisplay
from .acceptance import GeneralizedRCDisplay as GeneralizedRCDisplay
from .acceptance import RCDisplay as RCDisplay
from .arac import ARACDisplay as ARACDisplay
from .average_curve import AverageCurveDisplay as AverageCurveDisplay
from .cascades import CascadeCostDisplay as CascadeCostDisplay
from .cascades import CascadeDisplay as CascadeDisplay
from .confusion import ConfusionDisplay as ConfusionDisplay
from .cost_curve import CostCurveDisplay as CostCurveDisplay
from .monitoring import FieldErrorsDisplay as FieldErrorsDisplay
from .monitoring import MonitorDisplay as MonitorDisplay
from .operation import CalibrationDisplay as CalibrationDisplay
from .operation import PowerDisplay as PowerDisplay
from .operation import ShiftDisplay as ShiftDisplay
from .preference_map import PreferenceMapDisplay as PreferenceMapDisplay
from .rates import DetCurveDisplay as DetCurveDisplay
from .rates import PrecisionRecallDisplay as PrecisionRecallDisplay
from .rates import RocCurveDisplay as RocCurveDisplay
from .rejection_cost import AccuracyRejectionCostDisplay as AccuracyRejectionCostDisplay
from .rejection_cost import RejectionCostDisplay as RejectionCostDisplay
from .roc_hull import ROCHullDisplay as ROCHullDisplay
