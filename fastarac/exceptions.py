"""The warning categories of the library."""


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined for the data it was given; NaN is returned."""
