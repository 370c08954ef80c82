"""Fixed Hypothesis profiles, of which HYPOTHESIS_PROFILE names one; without it, by the compiler."""

from __future__ import annotations

import gc
import os
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings
from strategies import COMPILED

from fastarac._kernels import _interpreted
from fastarac.io._sources import one_database

if TYPE_CHECKING:
    from collections.abc import Iterator

# Right and wrong calls for type checkers to read: wrong ones end in errors where they are run.
collect_ignore = ["typed_calls.py"]

slow_is_fine = [HealthCheck.too_slow]
settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=30, suppress_health_check=slow_is_fine
)
settings.register_profile(  # kernels as plain Python, after the compiled ones had all the examples
    "interpreted", settings.get_profile("ci"), max_examples=5
)
settings.register_profile("dev", deadline=None, max_examples=50, suppress_health_check=slow_is_fine)
settings.register_profile(
    "nightly", deadline=None, max_examples=2000, suppress_health_check=slow_is_fine
)
settings.register_profile(  # where a failure counts, and not its smallest example
    "mutation",
    settings.get_profile("ci"),
    max_examples=15,
    phases=[Phase.explicit, Phase.generate],
    database=None,
    report_multiple_bugs=False,
)
_interpreted.PATIENCE = 0.0  # tests are of machine code, even those with small arrays

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if COMPILED else "interpreted"))


def pytest_collection_finish() -> None:
    """Keep the garbage collector from walking through thousands of collected tests again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Leave to the garbage collector what extensions want to see collected in the end."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _one_database() -> Iterator[None]:
    """Let all tests of a process share a database, as the reading of files does inside a command."""
    with one_database():
        yield


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Note how many samples Hypothesis has drawn, for the page on what to rely on."""
    found = re.findall(r"(\d+) passing", getattr(item, "hypothesis_statistics", ""))
    if found:
        item.user_properties.append(("samples", sum(map(int, found))))
