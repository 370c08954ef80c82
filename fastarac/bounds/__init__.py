"""Counts in bins, and the bounds on metrics that follow from them."""
