"""Pictures of the curves, as scikit-learn's displays; matplotlib is imported when one is drawn."""

from fastarac.displays._several import draw_curves as draw_curves
from fastarac.displays.arac import ARACDisplay as ARACDisplay
from fastarac.displays.arac import draw_arac_curves as draw_arac_curves
from fastarac.displays.arp import ARPDisplay as ARPDisplay
from fastarac.displays.confusion import ConfusionDisplay as ConfusionDisplay
from fastarac.displays.det import DetCurveDisplay as DetCurveDisplay
from fastarac.displays.precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
from fastarac.displays.rc import GeneralizedRCDisplay as GeneralizedRCDisplay
from fastarac.displays.rc import RCDisplay as RCDisplay
from fastarac.displays.roc import RocCurveDisplay as RocCurveDisplay

__all__ = [
    "ARACDisplay",
    "ARPDisplay",
    "ConfusionDisplay",
    "DetCurveDisplay",
    "GeneralizedRCDisplay",
    "PrecisionRecallDisplay",
    "RCDisplay",
    "RocCurveDisplay",
    "draw_arac_curves",
    "draw_curves",
]
