"""Uncertainty of figures: confidence intervals and paired tests."""
