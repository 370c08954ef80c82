"""The warning categories of the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PACKAGE = __file__.rpartition("_core")[0]
FEW_GROUPS = 20  # fewer say too little about how much groups differ
_quiet = ContextVar("_quiet", default=False)
_unquestioned = ContextVar("_unquestioned", default=False)


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined for the data it was given; NaN is returned.

    See Also
    --------
    roc_auc_score : area under the ROC curve
    evaluate : all figures of one model
    """


class UnreliableIntervalWarning(UserWarning):
    """An interval or a test comes from too little data to be as sure as it says.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    bootstrap : interval and standard error of a statistic, from resamples of the items
    """


class SampleTooSmallWarning(UserWarning):
    """There are too few items for the guarantee asked for, even if all of them were correct.

    See Also
    --------
    guaranteed_operating_point : choose a threshold that keeps a limit on new items
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs
    """


class QuestionableInputWarning(UserWarning):
    """Items or a limit are valid, but are likely to be meant otherwise.

    A confidence that is lower for what is right, or the same for all; a limit of 1 in place of 1%.

    See Also
    --------
    evaluate : all figures of one model
    operating_point : choose the threshold by one criterion and say what happens there
    """


class UnreasonableCostsWarning(UserWarning):
    """A cost matrix has a row that no one would ever choose, or rewards wrong predictions.

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
    """Warn that an interval or a test is not to be relied on."""
    _warn_caller(reason, UnreliableIntervalWarning)


def warn_too_small(reason: str) -> None:
    """Warn that a sample is too small."""
    _warn_caller(reason, SampleTooSmallWarning)


def warn_questionable(reason: str) -> None:
    """Warn of input that is likely to be meant otherwise."""
    if not _unquestioned.get():
        _warn_caller(reason, QuestionableInputWarning)


def _warn_caller(message: str, category: type[UserWarning]) -> None:
    """Warn whoever called the package, however far inside it this is."""
    level, frame = 1, sys._getframe()  # noqa: SLF001
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def few_groups_of(n: float, what: str = "intervals", fewest: int = FEW_GROUPS) -> str:
    """Say that there are too few groups for an interval or a test."""
    there = "is 1 group" if n == 1 else f"are {n:g} groups"
    return f"there {there}; {what} can be relied on from {fewest} on"


@contextmanager
def collected(notes: list[str]) -> Iterator[None]:
    """Add what the library warns of to `notes`; other warnings stay what they are."""
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
    """Let undefined metrics be NaN without a warning, in this thread alone."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


@contextmanager
def unquestioned() -> Iterator[None]:
    """Take input as it is, in this thread alone: whoever calls has looked at it, or will."""
    token = _unquestioned.set(True)
    try:
        yield
    finally:
        _unquestioned.reset(token)
