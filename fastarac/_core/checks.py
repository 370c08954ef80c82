"""Checks of single arguments that many functions take, each with one wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._engine.inputs import fractions_of, of_percent, real_scalar

DEFAULT_LEVEL = 0.95
HIGHEST_FAILURE = 0.5  # beyond it, someone has given a level of confidence


def fraction_of(value: Any, name: str) -> float:
    """Return `value` as a float, and raise unless it is one number in [0, 1]."""
    number = real_scalar(value, name)
    return number if 0.0 <= number <= 1.0 else float(fractions_of(number, name))


def inner_fraction(value: Any, name: str) -> float:
    """Return `value` as a float, and raise unless it lies strictly between 0 and 1."""
    number = real_scalar(value, name)
    if not 0.0 < number < 1.0:
        message = f"{name} is {number!r}; a number strictly between 0 and 1 is expected"
        message += of_percent(number)
        raise ValueError(message)
    return number


def failure_of(value: Any, name: str = "failure_probability") -> float:
    """Return how often a promise may fail, and raise where someone has given a level of confidence."""
    number = real_scalar(value, name)
    if HIGHEST_FAILURE < number <= 1.0 or number > 100.0 * HIGHEST_FAILURE:
        message = (
            f"{name} is {number!r}; it is how often a promise may fail: at most {HIGHEST_FAILURE} is "
            "expected, such as 0.05 for 95 % confidence"
        )
        raise ValueError(message)
    return inner_fraction(number, name)


def check_intervals(intervals: Any, confidence_level: Any) -> None:
    """Raise unless `intervals` is True or False, and where only a level is given."""
    if not isinstance(intervals, bool | np.bool_):
        raise TypeError(
            f"intervals is {intervals!r} ({type(intervals).__name__}); True or False is expected "
            "(confidence_level= is their level)"
        )
    if not intervals and inner_fraction(confidence_level, "confidence_level") != DEFAULT_LEVEL:
        raise ValueError(
            "confidence_level is given without intervals=True; no other figure depends on it"
        )


def exactly_one(**options: object) -> str:
    """Return the name of the one option that is given, and raise unless it is exactly one."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        message = f"exactly one of {', '.join(options)} is expected; found {found}"
        raise TypeError(message)
    return given[0]
