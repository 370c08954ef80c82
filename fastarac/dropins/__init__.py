"""What scikit-learn has by the same name: same arguments, values, errors and warnings.

The test suite of scikit-learn runs over these functions. They need neither scikit-learn nor scipy,
and where two classes are compared they take a `ThresholdSweep` in place of the two columns.
"""
