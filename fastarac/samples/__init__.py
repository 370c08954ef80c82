"""The kinds of samples from which metrics are computed, and their common entry points."""
