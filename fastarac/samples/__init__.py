"""Kinds of samples that figures are computed from, and their common entry points."""
