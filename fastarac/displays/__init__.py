"""Pictures of the curves, as scikit-learn's displays; matplotlib is imported when one is drawn."""

from fastarac.displays.arac import ARACDisplay as ARACDisplay
from fastarac.displays.arac import draw_arac_curves as draw_arac_curves

__all__ = ["ARACDisplay", "draw_arac_curves"]
