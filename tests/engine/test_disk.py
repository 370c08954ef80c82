"""Machine code on disk: damage, edits, other versions of numba, folders that cannot be written to."""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest
from numba.core.caching import NullCache
from strategies import COMPILED

import fastarac as fa
from fastarac import _kernels
from fastarac._kernels import _disk
from fastarac._kernels._jit import kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled, so nothing is cached")

PACKAGE = Path(fa.__file__).parent
DAMAGES = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "zeros in the middle": lambda content: _with(content, bytes(len(content) // 4)),
    "one bit in the middle": lambda content: _with(content, bytes([content[len(content) // 2] ^ 4])),
    "zeros": lambda content: bytes(len(content)),
    "chance": lambda content: random.Random(7).randbytes(len(content)),
    "another pickle": lambda content: b"\x80\x05]\x94.",
}


def _with(content: bytes, part: bytes) -> bytes:
    """Return a file with a part of it, from its middle on, written over."""
    middle = len(content) // 2
    return content[:middle] + part + content[middle + len(part) :]


def double(x: int) -> int:
    return 2 * x


def found_in_cache() -> bool:
    """Whether a kernel that is new to the process was found in the cache; it computes either way."""
    dispatcher = kernel(double)
    assert dispatcher(21) == 42
    return sum(dispatcher.stats.cache_hits.values()) == 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that is filled."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert not found_in_cache()
    assert found_in_cache()
    return tmp_path


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_replaced(damage, folder):
    (path,) = folder.rglob("*.nbc")
    path.write_bytes(damage(path.read_bytes()))
    assert not found_in_cache()
    assert found_in_cache()
    assert [path] == [found for found in folder.rglob("*") if found.is_file()]


def test_a_file_that_cannot_be_read_or_replaced_does_not_fail_the_computation(folder):
    (path,) = folder.rglob("*.nbc")
    path.unlink()
    path.mkdir()
    assert not found_in_cache()
    assert not found_in_cache()


def test_a_full_disk_does_not_fail_the_computation(folder, monkeypatch):
    def full(path: Path, content: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    (path,) = folder.rglob("*.nbc")
    path.unlink()
    monkeypatch.setattr(Path, "write_bytes", full)
    assert not found_in_cache()
    assert not found_in_cache()
    assert not [found for found in folder.rglob("*") if found.is_file()]


def test_an_edit_changes_the_stamps_of_the_files_that_import_it(tmp_path, monkeypatch):
    """Each file is edited in turn; which files import it, at whatever distance, `ast` says."""
    copy = Path(shutil.copytree(PACKAGE / "_kernels", tmp_path / "_kernels"))
    monkeypatch.setattr(_disk, "_HERE", copy)
    paths = [path for path in copy.glob("*.py") if path.name != "__init__.py"]
    imports = {
        path: {
            copy / f"{node.module.rpartition('.')[2]}.py"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.level or "fastarac" in (node.module or ""))
        }
        for path in paths
    }

    def stamps() -> dict[Path, bytes]:
        _disk.sources_stamp.cache_clear()
        return {path: _disk.sources_stamp(path) for path in paths}

    def uses(path: Path, other: Path) -> bool:
        return path == other or any(uses(imported, other) for imported in imports[path])

    before = stamps()
    for edited in paths:
        text = edited.read_bytes()
        edited.write_bytes(text + b"\n")
        changed = {path for path, stamp in stamps().items() if stamp != before[path]}
        edited.write_bytes(text)
        assert changed == {path for path in paths if uses(path, edited)}, edited
    assert not uses(copy / "hulls.py", copy / "keys.py")  # so that an edit spares some


PARTS = (
    "numba.core.caching.NullCache",
    "numba.core.compiler.CompileResult._rebuild",
    "numba.core.compiler.CompileResult._reduce",
    "numba.core.options.DefaultOptions",
    "numba.core.runtime.rtsys",
    "numba.misc.appdirs.user_cache_dir",
)


def other(*, only_by_name: int) -> int:
    """Takes other arguments than any part of numba."""
    return only_by_name


OTHER_PARTS = {
    "numba.core.caching.NullCache": type("NullCache", (NullCache,), {"load_overload": other}),
    "numba.core.compiler.CompileResult._rebuild": other,
    "numba.core.compiler.CompileResult._reduce": other,
    "numba.core.runtime.rtsys": SimpleNamespace(initialize=other),
}


@pytest.fixture
def numba_changes(folder, monkeypatch):
    """Have the next kernel import `_disk` anew, from a numba that a test has changed."""
    monkeypatch.setattr(_kernels, "_disk", _disk)
    monkeypatch.delitem(sys.modules, _disk.__name__)
    return monkeypatch


@pytest.mark.parametrize("part", PARTS)
def test_a_numba_that_lacks_a_part_works(part, folder, numba_changes):
    numba_changes.delattr(part)
    found_in_cache()
    works_from_an_empty_cache(folder)


@pytest.mark.parametrize("part", OTHER_PARTS)
def test_a_numba_whose_part_takes_other_arguments_works(part, folder, numba_changes):
    numba_changes.setattr(part, OTHER_PARTS[part])
    found_in_cache()
    works_from_an_empty_cache(folder)


def works_from_an_empty_cache(folder: Path) -> None:
    for path in folder.rglob("*.nbc"):
        path.unlink()
    assert not found_in_cache()
    found_in_cache()


def test_a_newer_numba_fills_its_tables_first(folder, numba_changes):
    """Code that was loaded without them might end the process there."""
    from numba.core.cpu import CPUContext

    filled = []
    refresh = CPUContext.refresh

    def note(self: object) -> None:
        filled.append(self)
        refresh(self)

    numba_changes.setattr(CPUContext, "refresh", note)
    assert found_in_cache()
    assert not filled
    numba_changes.setattr(numba, "version_info", SimpleNamespace(short=(9, 9)))
    assert found_in_cache()
    assert len(filled) == 1


def test_this_numba_is_known_to_load_without_tables():
    """Raise `LOADS_WITHOUT_TABLES` once this file's tests, slow ones too, pass with a newer numba."""
    assert numba.version_info.short <= _disk.LOADS_WITHOUT_TABLES


def copied(folder: Path) -> Path:
    """A copy of the package in a folder that it can be imported from."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, folder / "site" / "fastarac", ignore=ignored))


def printed(code: str, *arguments: object, **environment: str) -> list[str]:
    """What a fresh process prints, with this package or the one on `PYTHONPATH`."""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", textwrap.dedent(code), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_everything_works_with_a_numba_of_which_nothing_private_is_known(tmp_path):
    """Its version is unknown, too. Nothing is cached, and the results are right."""
    code = f"""
        import numba
        from pkgutil import resolve_name
        numba.njit(lambda: 0)()  # numba itself has imported what it needs of them
        for part in {PARTS}:
            owner, _, name = part.rpartition(".")
            delattr(resolve_name(owner), name)
        numba.__version__ = "9.9.0"
        import fastarac as fa
        print(fa.arac_auc_score([1, 0, 1], [3, 2, 1]))
        print(*fa.threshold_sweep([1, 0], [0.5, 0.25]).false_accepts)
    """
    assert printed(code, NUMBA_CACHE_DIR=str(tmp_path)) == [str(5 / 6), "0", "0", "1"]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_an_edit_in_one_file_recompiles_what_depends_on_it_alone(tmp_path):
    """`doubled_area` of `weighted` contains the machine code of `multiply` of `double_double`."""
    package = copied(tmp_path)
    code = """
        import numpy as np
        from fastarac._kernels import double_double, hulls, weighted
        print(weighted.doubled_area(np.array([0.0, 1.5]), np.array([0.0, 1.0]), 1.0)[0])
        hulls.exceeds(1, 2, 3, 4)
        multiply, two_product = double_double.multiply, double_double.two_product
        kernels = (multiply, two_product, weighted.doubled_area, hulls.exceeds)
        print(*(kernel.__name__ for kernel in kernels if kernel.stats.cache_misses))
    """

    def area_and_compiled() -> list[str]:
        cache = str(tmp_path / "cache")
        return printed(code, PYTHONPATH=str(package.parent), NUMBA_CACHE_DIR=cache)

    assert area_and_compiled() == ["1.5", "multiply", "two_product", "doubled_area", "exceeds"]

    def edit(name: str, old: str, new: str) -> None:
        path = package / "_kernels" / f"{name}.py"
        source = path.read_text(encoding="utf-8")
        assert old in source
        path.write_text(source.replace(old, new), encoding="utf-8")

    edit("double_double", "return s, error - (s - p)", "return 2.0 * s, error - (s - p)")
    assert area_and_compiled() == ["3.0", "multiply", "two_product", "doubled_area"]
    edit("hulls", "import annotations\n", "import annotations\n\n")
    assert area_and_compiled() == ["3.0", "exceeds"]


CLOSED = """
import os, sys
def refuse(event, arguments):  # stands for directories without permission, which root has everywhere
    if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR) or event == "os.mkdir":
        if str(arguments[0]).startswith(tuple(sys.argv[1:])):
            raise PermissionError
sys.addaudithook(refuse)
import numpy as np
from fastarac._kernels.curve_points import first_other
for kind in (np.float64, np.int32)[: 1 + bool(os.environ.get("MORE"))]:
    assert first_other(np.array([7, 7, 8], kind)) == 2
print(sum(first_other.stats.cache_hits.values()), first_other.stats.cache_path)
"""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["installation", "NUMBA_CACHE_DIR"])
def test_a_cache_that_can_only_be_read_is_read(tmp_path, place):
    """As in an image of a container: filled when it is built, closed when it runs."""
    package, own = copied(tmp_path), tmp_path / "own"
    filled = package / "_kernels" / "__pycache__" if place == "installation" else tmp_path / "filled"
    environment = {"PYTHONPATH": str(package.parent), "XDG_CACHE_HOME": str(own)}
    environment["NUMBA_CACHE_DIR"] = "" if place == "installation" else str(filled)

    def hits(*closed: Path, **more: str) -> int:
        found, path = printed(CLOSED, *closed, **environment, **more)
        folders.append(Path(path))
        return int(found)

    folders: list[Path] = []
    assert hits() == 0
    files = sorted(filled.rglob("*.nbc"))
    assert files
    assert hits(filled, package, own) == 1  # nothing can be written anywhere
    assert hits(filled, package, MORE="1") == 1  # the other kind goes to the user's own, and it alone
    assert len(list(own.rglob("*.nbc"))) == 1
    assert hits(filled, package, MORE="1") == 2
    assert sorted(filled.rglob("*.nbc")) == files
    assert [folder.is_relative_to(filled) for folder in folders] == [True] * 2 + [False] * 2


@pytest.mark.slow
def test_where_nothing_can_be_written_each_process_compiles(tmp_path):
    found = printed(
        CLOSED,
        tmp_path,
        NUMBA_CACHE_DIR=str(tmp_path),
        XDG_CACHE_HOME=str(tmp_path),
        PYTHONPATH=str(copied(tmp_path).parent),
    )
    assert found == ["0", "None"]
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.slow
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

    cache = str(tmp_path)
    assert printed(code, "f4", NUMBA_CACHE_DIR=cache) == ["2", "True", "2"]
    # the last one is compiled, after one that was loaded
    assert printed(code, "i2", NUMBA_CACHE_DIR=cache) == ["2", "False", "2"]


@pytest.mark.slow
def test_every_kernel_in_the_cache_loads_without_tables():
    """A symbol that numba's runtime had not told LLVM of would end the process here."""
    fa.arac_auc_score([1, 0, 1], [3, 2, 1])
    code = """
        import pickle, pkgutil, sys
        from contextlib import suppress
        from pathlib import Path
        from fastarac import _kernels
        from fastarac._kernels._disk import KernelCache
        loaded = 0
        for _, name, _ in pkgutil.iter_modules(_kernels.__path__):
            for kernel in vars(getattr(_kernels, name)).values():
                cache = getattr(kernel, "_cache", None)
                if not isinstance(cache, KernelCache):
                    continue
                for path in Path(cache.cache_path or "").glob(f"{cache._name}-*.nbc"):
                    seal, content = path.read_bytes()[:32], path.read_bytes()[32:]
                    with suppress(Exception):  # of another numba
                        types = pickle.loads(content)[3].args
                        same_name = cache._file(types, kernel.targetctx.codegen()) == path.name
                        if same_name and cache._seal(content) == seal:  # or it is older than an edit
                            kernel.compile(types)
                loaded += sum(kernel.stats.cache_hits.values())
        print("numba.np.linalg" in sys.modules, loaded)
    """
    tables, loaded = printed(code)
    assert tables == "False"
    assert int(loaded) >= 1
