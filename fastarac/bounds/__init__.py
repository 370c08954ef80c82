"""Counts in bins, and what they surely say of the items."""
