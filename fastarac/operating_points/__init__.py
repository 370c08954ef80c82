"""Thresholds that keep a limit, on the items at hand."""
