"""Time contestants in turns, so that anything that slows the machine down slows all of them down."""

from __future__ import annotations

import gc
import random
import time
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

LEAST_TIMED = 0.004  # seconds; quicker calls are timed several in a row
LEAST_ROUNDS = 3


def seconds_per_call(call: Callable[[], Any], calls: int) -> float:
    """Time `calls` calls in a row, with the garbage collector off."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / calls
    finally:
        if enabled:
            gc.enable()


@dataclass
class Contestant:
    """Something that is timed: `timer(calls)` returns the seconds that one of so many calls took."""

    name: str
    timer: Callable[[int], float]
    may_leave: bool = False
    times: list[float] = field(default_factory=list)
    calls: int = 1

    @classmethod
    def of(cls, name: str, call: Callable[[], Any], *, may_leave: bool = False) -> Contestant:
        """Time a function of this process."""
        return cls(name, partial(seconds_per_call, call), may_leave)

    def warm_up(self) -> None:
        """Run once to warm up, and find how many calls to time together."""
        self.settle(self.timer(1))

    def settle(self, seconds: float) -> None:
        """Find how many calls to time together, given that the first call took `seconds`."""
        while seconds * self.calls < LEAST_TIMED:
            self.calls *= 2
            seconds = self.timer(self.calls)

    @property
    def spent(self) -> float:
        """Seconds spent in timed rounds."""
        return sum(self.times) * self.calls


def take_turns(contestants: Iterable[Contestant], rounds: int, budget: float) -> None:
    """Time all contestants in each of `rounds` rounds, in a different order each time.

    So no contestant always follows the same one, whose threads may still be winding down. All have been
    warmed up. Contestants that may drop out do so after three rounds, once they have used `budget`
    seconds.
    """
    contestants = list(contestants)
    shuffle = random.Random(1).shuffle
    for turn in range(rounds):
        shuffle(contestants)
        for contestant in contestants:
            tired = contestant.may_leave and contestant.spent > budget
            if not (tired and turn >= LEAST_ROUNDS):
                contestant.times.append(contestant.timer(contestant.calls))


def timed(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each round of each work, all warmed up and taking turns."""
    contestants = [Contestant.of(name, call) for name, call in works.items()]
    for contestant in contestants:
        contestant.warm_up()
    take_turns(contestants, rounds, 60.0)
    return {contestant.name: contestant.times for contestant in contestants}


class Summary(NamedTuple):
    """Median, least and greatest of some figures."""

    median: float
    low: float
    high: float


def summarize(figures: Sequence[float]) -> Summary:
    """Median and range."""
    return Summary(median(figures), min(figures), max(figures))


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Summary:
    """The ratio of our time to theirs, round by round."""
    return summarize([a / b for a, b in zip(ours, theirs, strict=False)])  # theirs may have left
