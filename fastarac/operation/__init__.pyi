"""The public names of the module, one line each."""

from .application import apply_policy as apply_policy
from .calibration import calibration_table as calibration_table
from .calibration import expected_calibration_error as expected_calibration_error
from .calibration import isotonic_calibration as isotonic_calibration
from .choosing import fit_policies as fit_policies
from .fitting import fit_policy as fit_policy
from .judged_releases import judge_drift as judge_drift
from .logs import read_audits as read_audits
from .looks import Looks as Looks
from .monitoring.monitor import ErrorRateMonitor as ErrorRateMonitor
from .monitoring.sets import MonitorSet as MonitorSet
from .pilot_plans import sample_size_for_policy as sample_size_for_policy
from .planning import audit_plan as audit_plan
from .planning import design_effect as design_effect
from .planning import guarantee_power as guarantee_power
from .planning import sample_size_for_comparison as sample_size_for_comparison
from .planning import sample_size_for_guarantee as sample_size_for_guarantee
from .planning import sample_size_for_interval as sample_size_for_interval
from .policy import Policy as Policy
