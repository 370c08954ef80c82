"""Check the types and ranges of parameters before the data, as scikit-learn does."""

from __future__ import annotations

import math
import warnings
from numbers import Integral, Real
from typing import NoReturn

import numpy as np

from fastarac._core.exceptions import UndefinedMetricWarning


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a type or value that the function does not accept."""


def reject_parameter(function: str, name: str, expected: str, value: object) -> NoReturn:
    """Raise the error for a parameter with an invalid type or value."""
    raise InvalidParameterError(
        f"The {name!r} parameter of {function} must be {expected}. Got {value!r} instead."
    )


def check_array_like(function: str, *, optional: bool = False, **values: object) -> None:
    """Raise unless all values are array-like; `optional` also allows None."""
    for name, value in values.items():
        if isinstance(value, np.ndarray) or (optional and value is None):
            continue
        fits = any(hasattr(value, attribute) for attribute in ("__len__", "shape", "__array__"))
        sparse = hasattr(value, "nnz") and hasattr(value, "toarray")
        if not fits or sparse or np.isscalar(value):
            reject_parameter(function, name, "an array-like" + (" or None" if optional else ""), value)


def check_option(
    function: str, name: str, value: object, options: tuple[str, ...], *, optional: bool = False
) -> None:
    """Raise unless `value` is one of `options`; `optional` also allows None."""
    if (isinstance(value, str) and value in options) or (optional and value is None):
        return
    words = ", ".join(map(repr, options))
    reject_parameter(
        function, name, f"a str among {{{words}}}" + (" or None" if optional else ""), value
    )


def check_boolean(function: str, name: str, value: object) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool | np.bool_):
        expected = "an instance of 'bool' or an instance of 'numpy.bool'"
        reject_parameter(function, name, expected, value)


def check_pos_label(function: str, value: object, *, optional: bool = True) -> None:
    """Raise unless `value` can be a label."""
    if isinstance(value, Real | str | np.bool_) or (optional and value is None):
        return
    kinds = ["an instance of 'float'", "an instance of 'str'"]
    kinds.append("an instance of 'bool' or an instance of 'numpy.bool'")
    kinds += ["None"] if optional else []
    reject_parameter(function, "pos_label", f"{', '.join(kinds[:-1])} or {kinds[-1]}", value)


def check_count(function: str, name: str, value: object) -> None:
    """Raise unless `value` is a whole number of at least 1, or None."""
    if value is not None and not (isinstance(value, Integral) and int(value) >= 1):
        reject_parameter(function, name, "an int in the range [1, inf) or None", value)


def is_in(value: object, low: float, high: float, closed: str) -> bool:
    """Return whether `value` is a number from `low` to `high`; `closed` names the included ends."""
    if not isinstance(value, Real):
        return False
    number = float(value)
    if math.isnan(number):
        return False
    above = number > low or (number == low and closed in {"left", "both"})
    below = number < high or (number == high and closed in {"right", "both"})
    return above and below


def warn_undefined(message: str) -> None:
    """Warn the caller of a public function that its value is undefined."""
    warnings.warn(message, UndefinedMetricWarning, stacklevel=3)
