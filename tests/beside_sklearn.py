"""Calls a drop-in and the function of scikit-learn that it stands for, and compares."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import fastarac as fa

pytest.importorskip("sklearn", minversion="1.9")
metrics = pytest.importorskip("sklearn.metrics")

CURVES = ["roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds"]
AREAS = ["roc_auc_score", "average_precision_score"]
AVERAGES = ["macro", "micro", "weighted", "samples", None]


class Outcome:
    """What a call returned or raised, and what it warned of."""

    def __init__(self, owner: Any, name: str, *args: Any, **keywords: Any) -> None:
        self.value: Any = None
        self.error: tuple[str, str] | None = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self.value = getattr(owner, name)(*args, **keywords)
            except Exception as error:  # noqa: BLE001 - whatever it is, both must raise it
                self.error = (type(error).__name__, str(error))
        self.warnings = {
            (warning.category.__name__, str(warning.message))
            for warning in caught
            if warning.category is not RuntimeWarning  # of numpy, inside
        }


def both(name: str, *args: Any, **keywords: Any) -> tuple[Any, Any]:
    """Return our value and scikit-learn's; errors and warnings are the same. None where both raise."""
    ours = Outcome(fa, name, *args, **keywords)
    theirs = Outcome(metrics, name, *args, **keywords)
    assert ours.error == theirs.error
    if theirs.error is None:
        assert ours.warnings == theirs.warnings
    return ours.value, theirs.value


def assert_identical(ours: Any, theirs: Any) -> None:
    """Arrays of the same types, equal to the last bit."""
    assert (ours is None) == (theirs is None)
    for mine, other in zip(ours or (), theirs or (), strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_array_equal(mine, other)


def assert_close(ours: Any, theirs: Any) -> None:
    """One number, or an array of them; NaN where the other is."""
    assert isinstance(ours, type(theirs))
    if theirs is not None:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
