"""Thresholds that keep a limit on the given items."""
