"""The public names of the module, one line each."""

from fastarac.bounds.bounded import BoundedSweep as BoundedSweep
from fastarac.bounds.extremes import Bounds as Bounds
from fastarac.bounds.sketch import ThresholdSketch as ThresholdSketch

from .statements import sql as sql
from .sweeps import evaluate as evaluate
from .sweeps import threshold_sweep as threshold_sweep
