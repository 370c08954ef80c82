"""Areas under the curves: one number for all thresholds."""
