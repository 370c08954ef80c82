"""The public names of the module, one line each."""

from .cascade import evaluate_cascade as evaluate_cascade
from .cascade import optimize_cascade as optimize_cascade
from .classification import CostMatrix as CostMatrix
from .classification import paired_prediction_counts as paired_prediction_counts
from .classification import prediction_counts as prediction_counts
from .corners import arac_convex_hull as arac_convex_hull
from .curves import better_ranges as better_ranges
from .curves import cost_curve as cost_curve
from .curves import cost_curve_band as cost_curve_band
from .dominance import dominates as dominates
from .hulls import roc_convex_hull as roc_convex_hull
from .intervals import bcost as bcost
from .intervals import bcost_delta as bcost_delta
from .preferences import preference_map as preference_map
from .prices import expected_cost as expected_cost
from .prices import iso_performance_slope as iso_performance_slope
from .prices import probability_cost as probability_cost
from .rejection import accuracy_rejection_cost_curve as accuracy_rejection_cost_curve
from .rejection import rejection_cost_curve as rejection_cost_curve
from .stages import Stage as Stage
from .verification import optimal_operating_point as optimal_operating_point
from .verification import performance_at_error_rate as performance_at_error_rate
