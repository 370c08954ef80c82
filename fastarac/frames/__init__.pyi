"""The public names of the module, one line each."""

from .bounded import BoundedSweep as BoundedSweep
from .extremes import Bounds as Bounds
from .sketch import ThresholdSketch as ThresholdSketch
from .statements import sql as sql
from .sweeps import evaluate as evaluate
from .sweeps import threshold_sweep as threshold_sweep
