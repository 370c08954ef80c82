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
        found = list(pool.map(figures, [seed for _ in range(5) for seed in seeds]))
    assert found == expected * 5
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

    kinds = ["f4", "f8", "i8"]
    assert compiled(*([kind] for kind in kinds * 2)) == 3
    assert compiled(kinds) == 0  # and what they left behind is sound
    assert not list(tmp_path.rglob("*.lock"))


@compiled
def test_two_types_compiled_at_once_never_share_a_data_file(tmp_path):
    """The index may lose an entry to another process, but must not point to another's code."""
    from fastarac import _kernels

    cache_file = _kernels.ties.count_keys._cache._cache_file
    assert cache_file._data_name(1) != cache_file._data_name(1)
    assert cache_file._data_name(1).endswith(".nbc")


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


@pytest.mark.slow
@compiled
def test_an_installation_that_cannot_be_written_to(tmp_path):
    """The cache falls back to the user's directory, and to nothing where that is closed too."""
    package = tmp_path / "site" / "fastarac"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    code = f"""
        import sys, os
        sys.path.insert(0, {str(tmp_path / "site")!r})
        import numba.core.caching as caching
        closed = sys.argv[1:]
        for name in closed:  # stands for directories without permission, which root has everywhere
            def refuse(cls, py_func, py_file): return None
            setattr(getattr(caching, name), "from_function", classmethod(refuse))
        import fastarac, numpy as np
        assert fastarac.__file__.startswith({str(tmp_path)!r})
        from fastarac._kernels.curve_points import first_other
        assert first_other(np.array([7.0, 7.0, 8.0])) == 2
        print(type(first_other._cache).__name__)
    """
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    in_tree = ["InTreeCacheLocator", "InTreeCacheLocatorFsAgnostic"]
    for closed, kind in ((in_tree, "FunctionCache"), ([*in_tree, "UserWideCacheLocator"], "Null")):
        result = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *closed],
            env={**environment, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        assert result.stdout.startswith(kind)
    assert not list(package.rglob("*.nbi"))
    assert list((tmp_path / "cache").rglob("*.nbi"))


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("place", ["installation", "NUMBA_CACHE_DIR"])
def test_a_cache_that_can_only_be_read_is_read(tmp_path, place):
    """As in an image of a container: filled when it is built, closed when it runs."""
    package = tmp_path / "site" / "fastarac"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    filled = package if place == "installation" else tmp_path / "filled"
    code = f"""
        import sys, os
        sys.path.insert(0, {str(tmp_path / "site")!r})
        import numba.core.caching as caching
        ensure = caching._CacheLocator.ensure_cache_path
        def refuse(self):  # stands for directories without permission, which root has everywhere
            if self.get_cache_path().startswith(tuple(sys.argv[1:])):
                raise PermissionError
            ensure(self)
        caching._CacheLocator.ensure_cache_path = refuse
        import numpy as np
        from fastarac._kernels.curve_points import first_other
        for kind in (np.float64, np.int32)[: 1 + bool(os.environ.get("MORE"))]:
            assert first_other(np.array([7, 7, 8], kind)) == 2
        print(sum(first_other.stats.cache_hits.values()))
    """
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "own")}
    if place == "NUMBA_CACHE_DIR":
        environment["NUMBA_CACHE_DIR"] = str(filled)

    def hits(*closed, **more):
        result = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *map(str, closed)],
            env=environment | more, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        return int(result.stdout)

    assert hits() == 0
    indices = sorted(filled.rglob("*.nbi"))
    assert indices
    assert hits(filled, package) == 1  # the user's own directory could take more
    assert not list((tmp_path / "own").rglob("*.nbi"))
    assert hits(filled, package, tmp_path / "own") == 1  # nothing can be written anywhere
    assert hits(filled, package, MORE="1") == 1  # the other kind goes to the user's own
    assert list((tmp_path / "own").rglob("*.nbi"))
    assert hits(filled, package, MORE="1") == 2
    assert sorted(filled.rglob("*.nbi")) == indices


@pytest.mark.slow
@compiled
def test_an_edit_in_one_file_reaches_the_kernels_of_the_others(tmp_path):
    """`doubled_area` of `weighted` contains the machine code of `multiply` of `double_double`."""
    package = tmp_path / "site" / "fastarac"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))

    def area() -> list[str]:
        result = run(
            f"""
            import sys
            sys.path.insert(0, {str(tmp_path / "site")!r})
            import numpy as np
            from fastarac._kernels import weighted
            high, _ = weighted.doubled_area(np.array([0.0, 1.5]), np.array([0.0, 1.0]), 1.0)
            print(high, sum(weighted.doubled_area.stats.cache_hits.values()), weighted.__file__)
            """,
            NUMBA_CACHE_DIR=str(tmp_path / "cache"),
        )
        assert result.returncode == 0, result.stderr
        *found, path = result.stdout.split()
        assert path.startswith(str(tmp_path))
        return found

    assert area() == ["1.5", "0"]
    assert area() == ["1.5", "1"]
    helpers = package / "_kernels" / "double_double.py"
    source = helpers.read_text(encoding="utf-8")
    edited = source.replace("return s, error - (s - p)", "return 2.0 * s, error - (s - p)")
    assert edited != source
    helpers.write_text(edited, encoding="utf-8")
    assert area() == ["3.0", "0"]


@compiled
@pytest.mark.parametrize("part", ["_source_stamp", "_index_name", "_dump", "_load_index", "save"])
def test_a_cache_that_cannot_be_stamped_is_not_used(part, monkeypatch, tmp_path):
    """A later numba may keep its cache otherwise: slower then, never wrong."""
    from numba.core import caching

    from fastarac._kernels._jit import kernel

    class Otherwise:
        def __init__(self, **_: object) -> None:
            names = (
                "_source_stamp", "_index_name", "_data_name", "_dump", "_load_index", "_save_index",
                "load", "save",
            )  # fmt: skip
            for name in set(names) - {part}:
                setattr(self, name, "")

    monkeypatch.setattr(caching, "IndexDataCacheFile", Otherwise)

    def twice(x: int) -> int:
        return 2 * x

    dispatcher = kernel(twice)
    assert type(dispatcher._cache).__name__ == "NullCache"
    assert dispatcher(2) == 4


@pytest.mark.slow
@compiled
def test_a_full_disk_does_not_fail_the_computation(tmp_path):
    result = run(
        """
        import numba.core.caching as caching
        def full(self, name, data): raise OSError(28, "No space left on device")
        caching.IndexDataCacheFile._save_data = full
        import numpy as np
        from fastarac._kernels.curve_points import first_other
        print(first_other(np.array([7.0, 7.0, 8.0])))
        """,
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert result.stdout.strip() == "2", result.stderr


@pytest.mark.slow
@compiled
def test_kernels_from_the_cache_need_no_tables_of_numba(tmp_path):
    """With what numba imports for a compilation a fresh process would take half as long again."""
    code = """
        import sys
        import numpy as np
        from fastarac._kernels.curve_points import first_other
        print(first_other(np.array([7, 7, 8], np.float32)))
        print("numba.np.linalg" in sys.modules)
        print(first_other(np.array([7, 7, 8], sys.argv[1])))
    """

    def printed(kind: str) -> list[str]:
        result = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), kind],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        return result.stdout.split()

    assert printed("f4") == ["2", "True", "2"]
    assert printed("f4") == ["2", "False", "2"]
    assert printed("i2") == ["2", "False", "2"]  # the last one is compiled, after one that was not


@pytest.mark.slow
@compiled
def test_every_kernel_in_the_cache_loads_without_tables():
    """A symbol that numba's runtime had not told LLVM of would end the process here."""
    fa.arac_auc_score([1, 0, 1], [3, 2, 1])
    result = run(
        """
        import pkgutil
        import sys
        from fastarac import _kernels
        loaded = 0
        for _, name, _ in pkgutil.iter_modules(_kernels.__path__):
            for kernel in vars(getattr(_kernels, name)).values():
                cache = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
                for signature, target, *_ in cache._load_index() if cache else ():
                    if target == kernel.targetctx.codegen().magic_tuple():
                        hits = sum(kernel.stats.cache_hits.values())
                        kernel.compile(signature)
                        loaded += sum(kernel.stats.cache_hits.values()) - hits
        print("numba.np.linalg" in sys.modules, loaded)
        """
    )
    assert result.returncode == 0, result.stderr
    found, loaded = result.stdout.split()
    assert found == "False"
    assert int(loaded) >= 1


@compiled
@pytest.mark.parametrize(("change", "looks"), [("newer", 2), ("fails", 1), ("moved", 2)])
def test_a_numba_that_needs_its_tables_gets_them(change, looks, monkeypatch, tmp_path):
    """A later numba may load otherwise: slower then, never wrong. What it lacks it looks for twice."""
    from numba.core import caching, config, runtime

    from fastarac._kernels import _jit

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    asked = []
    load = caching.FunctionCache.load_overload

    def with_tables(self: object, signature: object, target: object) -> object:
        asked.append(signature)
        return load(self, signature, target)

    read = caching.FunctionCache._load_overload

    def fail_without_tables(self: object, signature: object, target: object) -> object:
        if not asked:
            raise KeyError
        return read(self, signature, target)

    monkeypatch.setattr(caching.FunctionCache, "load_overload", with_tables)
    if change == "newer":
        monkeypatch.setattr(_jit, "LOADS_WITHOUT_TABLES", (0, 60))
    elif change == "fails":
        monkeypatch.setattr(caching.FunctionCache, "_load_overload", fail_without_tables)
    else:
        monkeypatch.delattr(runtime, "rtsys")

    def thrice(x: int) -> int:
        return 3 * x

    assert _jit.kernel(thrice)(2) == 6
    assert len(asked) == looks


@compiled
def test_this_numba_is_known_to_load_without_tables():
    """Raise `LOADS_WITHOUT_TABLES` once the tests above have passed with a newer numba."""
    import numba

    from fastarac._kernels._jit import LOADS_WITHOUT_TABLES

    assert numba.version_info.short <= LOADS_WITHOUT_TABLES


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
