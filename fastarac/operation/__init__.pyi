"""The public names of the module, one line each."""

from .calibration import calibration_table as calibration_table
from .calibration import expected_calibration_error as expected_calibration_error
from .calibration import isotonic_calibration as isotonic_calibration
from .fitting import fit_policy as fit_policy
from .policy import Policy as Policy
