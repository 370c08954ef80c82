"""The warning categories of the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PACKAGE = __file__.rpartition("_core")[0]
# Smallest number of groups for reliable intervals and tests; fewer groups do not show the variation
# between groups well enough.
FEW_GROUPS = 20
_quiet = ContextVar("_quiet", default=False)
_unquestioned = ContextVar("_unquestioned", default=False)


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined for the given data; NaN is returned.

    See Also
    --------
    roc_auc_score : area under the ROC curve
    evaluate : all figures of one model
    """


class UnreliableIntervalWarning(UserWarning):
    """An interval or a test is based on too little data to be reliable.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    bootstrap : interval and standard error of a statistic, from resamples of the items
    """


class SampleTooSmallWarning(UserWarning):
    """There are too few items for the requested guarantee, even if all of them were correct.

    See Also
    --------
    guaranteed_operating_point : choose a threshold that keeps a limit on new items
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs
    """


class QuestionableInputWarning(UserWarning):
    """The items or a limit are valid, but probably a mistake.

    Examples are confidences that are lower for correct items, confidences that are all the same, and a
    limit of 1 that may mean 1%.

    See Also
    --------
    evaluate : all figures of one model
    operating_point : choose the threshold by one criterion, and return its counts and rates
    """


class UnreasonableCostsWarning(UserWarning):
    """In a cost matrix, some decision is never the best one, or wrong predictions are rewarded.

    See Also
    --------
    VerificationCosts : prices of an item that is verified, corrected, or wrong in the end
    fastarac.costs.optimal_operating_point : threshold of least total cost
    """


def warn_undefined(metric: str, reason: str) -> None:
    """Warn that `metric` is NaN."""
    if not _quiet.get():
        _warn_caller(f"{metric} is undefined: {reason}", UndefinedMetricWarning)


def warn_unreliable(reason: str) -> None:
    """Warn that an interval or a test is unreliable."""
    _warn_caller(reason, UnreliableIntervalWarning)


def warn_too_small(reason: str) -> None:
    """Warn that a sample is too small."""
    _warn_caller(reason, SampleTooSmallWarning)


def warn_questionable(reason: str) -> None:
    """Warn about input that is probably a mistake."""
    if not _unquestioned.get():
        _warn_caller(reason, QuestionableInputWarning)


def _warn_caller(message: str, category: type[UserWarning]) -> None:
    """Warn at the line of user code that called the package, at any depth of internal calls."""
    level, frame = 1, sys._getframe()  # noqa: SLF001
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def few_groups_of(n: float, what: str = "intervals", fewest: int = FEW_GROUPS) -> str:
    """Return the message that there are too few groups for an interval or a test."""
    there = "is 1 group" if n == 1 else f"are {n:g} groups"
    return f"there {there}; {what} are unreliable with fewer than {fewest}"


@contextmanager
def collected(notes: list[str]) -> Iterator[None]:
    """Add the library's warnings to `notes` instead of showing them; let other warnings through."""
    ours = (
        SampleTooSmallWarning, UndefinedMetricWarning, UnreliableIntervalWarning,
        QuestionableInputWarning,
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if issubclass(warning.category, ours):
            notes.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


@contextmanager
def undefined_is_nan() -> Iterator[None]:
    """Let undefined metrics be NaN without a warning, in this thread only."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


@contextmanager
def unquestioned() -> Iterator[None]:
    """Suppress warnings about questionable input, in this thread only; the caller checks the input."""
    token = _unquestioned.set(True)
    try:
        yield
    finally:
        _unquestioned.reset(token)
