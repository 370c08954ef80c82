"""Combination of several engines' readings of the same pages or fields."""
