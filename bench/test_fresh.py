"""Fresh processes: the import, the first result, and the peak memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bench import fresh, memory, peers
from bench.compare import OURS

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20


def test_import(benchmark: Any, tmp_path: Path) -> None:
    """The import beyond numpy, as the process itself sees it, is in ``extra_info``."""
    _, seconds = benchmark(fresh.run, fresh.IMPORT, str(tmp_path))
    benchmark.extra_info["import beyond numpy"] = seconds
    assert 0 < seconds < 10


def test_first_result_with_warm_cache(benchmark: Any, tmp_path: Path) -> None:
    """A whole process, the machine code on disk."""
    fresh.first_result(str(tmp_path))
    benchmark(fresh.first_result, str(tmp_path))


def test_first_result_with_cold_cache(benchmark: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A whole process that has to compile."""

    def empty_cache() -> tuple[tuple[str], dict[str, Any]]:
        return (str(tmp_path_factory.mktemp("cache")),), {}

    benchmark.pedantic(fresh.first_result, setup=empty_cache, rounds=3)


@pytest.mark.skipif(not memory.available(), reason="this system does not tell the peak memory")
@pytest.mark.parametrize("name", [OURS, *peers.IN_PROCESS])
def test_peak_memory(benchmark: Any, name: str, size: int) -> None:
    """Over the inputs; small things that do not grow with the items are left out of account."""
    if name != OURS and peers.find(name) is None:
        pytest.skip(f"{name} is not installed")
    growth = benchmark.pedantic(memory.growth, (name, max(size, 2_000_000)))
    benchmark.extra_info["extra memory, in multiples of the confidences"] = growth.ratio
    assert growth.extra > 0
    if name == OURS:
        assert growth.extra <= memory.LIMIT * growth.confidences + 16 * MIB
