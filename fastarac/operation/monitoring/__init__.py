"""Monitors of error rates: their state, their input, their alarms."""
