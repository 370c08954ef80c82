"""Checks of single arguments that many functions share, with uniform error messages."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac._core.exceptions import warn_questionable

DEFAULT_LEVEL = 0.95
# Largest accepted failure probability; a larger value is probably a confidence level, passed by
# mistake.
HIGHEST_FAILURE = 0.5
LIMITS = ("max_error_rate", "max_risk")
MOST_VALUES = 10**9  # maximum number of values (8 bytes each) that an argument may request


def real_scalar(value: Any, name: str, *, finite: bool = True) -> float:
    """Return `value` as a float; raise unless it is one real number."""
    is_number = isinstance(value, int | float | np.integer | np.floating | np.bool_)
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf":
        is_number = True
    if not is_number:
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")
    try:
        number = float(value)
    except OverflowError as error:
        raise ValueError(
            f"{name} must be a finite number, got an integer of {int(value).bit_length()} bits"
        ) from error
    if number != number or (finite and number in (np.inf, -np.inf)):
        raise ValueError(f"{name} must be a {'finite ' if finite else ''}number, got {value!r}")
    return number


def positive_scalar(value: Any, name: str, *, strict: bool = False) -> float:
    """Return `value` as a float; raise unless it is finite and at least 0 (above 0 if `strict`)."""
    number = real_scalar(value, name)
    if number < 0 or (strict and number == 0):
        bound = "above 0" if strict else "of at least 0"
        raise ValueError(f"{name} must be a finite number {bound}, got {value!r}")
    return number


def of_percent(number: float) -> str:
    """Return a hint for an error message, if `number` looks like a percentage instead of a share."""
    if not 1.0 < number <= 100.0:
        return ""
    return f" ({number:.6g}% is {number / 100.0:.6g})"


def require_type(value: Any, kinds: Any, name: str, expected: str, *, shown: bool = True) -> Any:
    """Return `value` if it has one of these types, else raise; the message shows it if `shown`."""
    if not isinstance(value, kinds):
        kind = type(value).__name__
        found = f"{value!r:.60} ({kind})" if shown else f"a {kind}"
        raise TypeError(f"{name} must be {expected}, got {found}")
    return value


def whole_number(value: object, name: str, least: int, most: int = (1 << 63) - 1) -> int:
    """Return an integer from `least` to `most`; raise for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r} ({type(value).__name__})")
    if not least <= value <= most:
        bits = int(value).bit_length()
        # Python refuses to print integers with thousands of digits.
        found = f"{value}" if bits <= 64 else f"an integer of {bits} bits"
        expected = f"of at least {least}" if value < least else f"of at most {most}"
        raise ValueError(f"{name} must be an integer {expected}, got {found}")
    return int(value)


def largest_group(seen: int, max_group_size: object) -> int:
    """Return the declared maximum group size, or by default the largest size seen."""
    most = seen if max_group_size is None else whole_number(max_group_size, "max_group_size", 1)
    if seen > most:
        raise ValueError(
            f"max_group_size must be at least {seen} (the size of the largest group), got {most}"
        )
    return most


def choice(value: Any, name: str, allowed: tuple[str, ...]) -> None:
    """Raise unless `value` is one of the allowed words."""
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def fractions_of(values: Any, name: str) -> NDArray[np.float64]:
    """Return `values` (a scalar or an array) as float64; raise unless all lie in [0, 1]."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        message = f"{name} must hold numbers in [0, 1], got type {array.dtype}"
        message += text_in(array)
        raise TypeError(message)
    array = array.astype(np.float64)
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        found = array[bad].flat[0] if array.ndim else array
        message = f"{name} must be a number in [0, 1], got {found}"
        message += of_percent(float(found))
        raise ValueError(message)
    if name in LIMITS:
        for limit in values if isinstance(values, list | tuple) else (values,):
            _question_limit(limit, name)
    return array


def _question_limit(limit: Any, name: str) -> None:
    """Warn about the integer limit 1, which may mean 1%; a limit of 100% is written as 1.0."""
    if isinstance(limit, int | np.integer) and limit == 1:
        warn_questionable(
            f"{name} is 1, so every threshold keeps it; for 1%, give 0.01 (for 100%, give 1.0)"
        )


def reject_where(bad: NDArray[np.bool_], values: NDArray[Any], name: str, expected: str) -> None:
    """Raise a ValueError that names the first value for which `bad` is true, in arrays of any shape."""
    if bad.any():
        index = np.unravel_index(int(bad.argmax()), bad.shape)
        place = f"{name}[{', '.join(map(str, index))}]" if bad.ndim else name
        raise ValueError(f"{place} must be {expected}, got {values[index]}")


def same_number(name: str, found: int, beside: str, expected: int) -> None:
    """Raise a ValueError if two arguments have different numbers of items."""
    if found != expected:
        raise ValueError(
            f"{name} and {beside} must have the same number of items, got {found} and {expected}"
        )


def text_in(array: NDArray[Any]) -> str:
    """Return the end of an error message, with the first string of an array of strings, or ""."""
    if array.dtype.kind not in "US":
        return ""
    return f", not text such as {array.flat[0].item()!r}" if array.size else ", not text"


def fraction_of(value: Any, name: str) -> float:
    """Return `value` as a float; raise unless it is one number in [0, 1]."""
    number = real_scalar(value, name)
    if name in LIMITS:
        _question_limit(value, name)
    return number if 0.0 <= number <= 1.0 else float(fractions_of(number, name))


def inner_fraction(value: Any, name: str) -> float:
    """Return `value` as a float; raise unless it lies strictly between 0 and 1."""
    number = real_scalar(value, name)
    if not 0.0 < number < 1.0:
        message = f"{name} must be a number strictly between 0 and 1, got {number!r}"
        message += of_percent(number)
        raise ValueError(message)
    return number


def failure_of(value: Any, name: str = "failure_probability") -> float:
    """Return a failure probability; raise if it looks like a confidence level."""
    number = real_scalar(value, name)
    if HIGHEST_FAILURE < number <= 1.0 or number > 100.0 * HIGHEST_FAILURE:
        raise ValueError(
            f"{name} must be at most {HIGHEST_FAILURE}, got {number!r}: it is the probability "
            "that the guarantee fails, such as 0.05 for 95% confidence"
        )
    return inner_fraction(number, name)


def check_intervals(intervals: Any, confidence_level: Any) -> None:
    """Raise if `intervals` is not True or False, or if a level is given without intervals."""
    if not isinstance(intervals, bool | np.bool_):
        raise TypeError(
            f"intervals must be True or False, got {intervals!r} ({type(intervals).__name__}); "
            "confidence_level= sets their level"
        )
    if not intervals and inner_fraction(confidence_level, "confidence_level") != DEFAULT_LEVEL:
        raise ValueError("confidence_level needs intervals=True, because it affects only intervals")


def exactly_one(**options: object) -> str:
    """Return the name of the only option given; raise unless exactly one is given."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise TypeError(f"give exactly one of {', '.join(options)}, got {found}")
    return given[0]


def reject_beside_sweep(
    confidence: object, sample_weight: object, name_of_confidence: str = "confidence"
) -> None:
    """Raise if confidences or weights are given in addition to a sweep, which already includes them."""
    reject_all_beside_sweep(**{name_of_confidence: confidence, "sample_weight": sample_weight})


def reject_all_beside_sweep(**values: object) -> None:
    """Raise if any of `values` is not None, because a sweep must be given alone."""
    for name, value in values.items():
        if value is not None:
            message = f"{name} cannot go with a ThresholdSweep: give the sweep alone"
            # The caller probably passed the name of a statistic by position.
            if name == "confidence" and isinstance(value, str):
                message = (
                    f"confidence cannot go with a ThresholdSweep, got {value!r}: pass other "
                    f"arguments by keyword, such as statistic={value!r}"
                )
            raise TypeError(message)
