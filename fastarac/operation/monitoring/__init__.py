"""Monitors of error rates: their input, their state and their alarms."""
