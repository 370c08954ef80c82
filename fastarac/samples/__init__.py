"""Kinds of samples from which figures are computed, and their common entry points."""
