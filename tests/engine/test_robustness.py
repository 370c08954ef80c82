"""Threads, forks, many processes at once, no place to write to, and what an import costs."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa

PACKAGE = Path(fa.__file__).parent
compiled = pytest.mark.skipif(not COMPILED, reason="nothing is compiled, so nothing is cached")

N = 400_000 if COMPILED else 2_000


def data(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(N)
    if seed % 3 == 1:
        confidence = confidence.round(2)
    dtype = [np.float64, np.float32][seed % 2]
    return rng.random(N) < 0.9, confidence.astype(dtype)


def figures(seed: int) -> tuple[float, bytes, bytes]:
    correct, confidence = data(seed)
    sweep = fa.threshold_sweep(correct, confidence)
    area = fa.arac_auc_score(correct, confidence)
    weighted = fa.arac_auc_score(correct, confidence, sample_weight=confidence)
    return area + weighted, sweep.thresholds.tobytes(), sweep.false_accepts.tobytes()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.slow
def test_threads_then_a_fork_give_the_same_bits(monkeypatch):
    monkeypatch.setenv("FASTARAC_NUM_THREADS", "4")
    seeds = range(6)
    expected = [figures(seed) for seed in seeds]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(figures, [seed for _ in range(3) for seed in seeds]))
    assert found == expected * 3
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.fail("this platform cannot fork; select the tests that apply to it")
    with multiprocessing.get_context("fork").Pool(2) as processes:
        assert processes.map(figures, seeds) == expected


@pytest.mark.parametrize("threads", ["1", "2", "3", "7"])
def test_the_number_of_threads_changes_nothing(threads, monkeypatch):
    expected = [figures(seed) for seed in range(3)]
    monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
    assert [figures(seed) for seed in range(3)] == expected


@pytest.mark.slow
@compiled
def test_many_processes_start_on_a_cold_cache(tmp_path):
    """Each type is compiled once, and nobody's entry in the index is lost to a neighbour."""
    code = """
        import sys, numpy as np
        from fastarac._kernels.curve_points import first_other
        for kind in sys.argv[1:]:
            assert first_other(np.array([7, 7, 8, 9], dtype=kind)) == 2
        print(sum(first_other.stats.cache_misses.values()))
    """
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def compiled(*of_processes: list[str]) -> int:
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(code), *dtypes],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for dtypes in of_processes
        ]  # fmt: skip
        outputs = [process.communicate(timeout=300) for process in processes]
        assert all(process.returncode == 0 for process in processes), outputs
        return sum(int(out) for out, _ in outputs)

    kinds = ["f4", "i8"]
    assert compiled(*([kind] for kind in kinds * 2)) == 2
    assert compiled(kinds) == 0  # and what they left behind is sound
    assert not list(tmp_path.rglob("*.lock"))


@pytest.mark.slow
def test_a_zip_file_on_the_path(tmp_path):
    source = tmp_path / "source" / "fastarac"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    archive = shutil.make_archive(str(tmp_path / "fastarac"), "zip", source.parent)
    code = "import fastarac as fa; print(fa.__file__, fa.arac_auc_score([1, 0, 1], [3, 2, 1]))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": archive, "NUMBA_DISABLE_JIT": "1"},
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [f"{archive}/fastarac/__init__.py", str(5 / 6)]


def test_import_is_light():
    result = run(
        """
        import sys, numpy
        before = set(sys.modules)
        import fastarac
        heavy = {"numba", "llvmlite", "scipy", "sklearn", "pandas", "polars", "duckdb", "matplotlib",
                 "typer", "rich", "narwhals", "pyarrow", "concurrent.futures.thread"}
        print(sorted(heavy & (set(sys.modules) - before)))
        """
    )
    assert result.stdout.strip() == "[]", result.stderr


def test_wrong_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'arac_auc'"):
        fa.arac_auc  # noqa: B018
    from fastarac import _kernels

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _kernels.nothing  # noqa: B018
    assert fa.results.__all__ == dir(fa.results)


def test_no_public_name_is_that_of_a_module_beside_it():
    """An import of the module would put it in the place of what is called the same."""
    for package in (fa, fa.costs, fa.displays, fa.frames, fa.measures, fa.operation):
        folder = Path(package.__file__).parent
        names = [name for name in package.__all__ if not inspect.ismodule(getattr(package, name))]
        assert not {name for name in names if (folder / f"{name}.py").exists()}
