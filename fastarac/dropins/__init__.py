"""Counterparts of scikit-learn functions: same names, arguments, values, errors and warnings.

The tests of scikit-learn are run on these functions. They need neither scikit-learn nor scipy. For two
classes they also accept a `ThresholdSweep` in place of labels and scores.
"""
