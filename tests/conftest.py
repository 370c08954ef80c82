"""Fixed Hypothesis profiles: HYPOTHESIS_PROFILE names one of them, `ci` where it is not set."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

slow_is_fine = [HealthCheck.too_slow]
settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=50, suppress_health_check=slow_is_fine
)
settings.register_profile("dev", deadline=None, max_examples=50, suppress_health_check=slow_is_fine)
settings.register_profile(
    "nightly", deadline=None, max_examples=2000, suppress_health_check=slow_is_fine
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
