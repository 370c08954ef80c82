"""Set the sizes of the benchmarks, and enable them.

The configuration of the project skips benchmarks, so that a plain ``pytest`` is quick. If this folder
is named on the command line, they run.
"""

from __future__ import annotations

import os

import pytest

SIZE = int(float(os.environ.get("FASTARAC_BENCH_SIZE", "200_000")))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Remove ``--benchmark-skip`` before pytest-benchmark reads it."""
    config.option.benchmark_skip = False


@pytest.fixture(scope="session")
def size() -> int:
    """Number of items: small by default, set by the environment variable FASTARAC_BENCH_SIZE."""
    return SIZE
