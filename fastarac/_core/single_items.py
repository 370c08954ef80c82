"""A decorator for functions that need single items and reject a sweep with a clear message."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from fastarac._core.results import Result

P = ParamSpec("P")
T = TypeVar("T")


def takes_items_only(reason: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator: the function raises an error with `reason` if `correct` is a sweep.

    Without the decorator, Python would complain about the missing `confidence` instead.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            first = args[0] if args else kwargs.get("correct")
            if isinstance(first, Result) and first._is_sweep:  # noqa: SLF001
                name = type(first).__name__
                raise TypeError(
                    f"{function.__name__} needs (correct, confidence), because {reason}; "
                    f"correct is {'an' if name[0] in 'AEIOU' else 'a'} {name}, which has no items"
                )
            return function(*args, **kwargs)

        return checked

    return decorate
