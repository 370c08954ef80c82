"""The one place with options for the compiler.

Every loop of the library is compiled by :func:`.kernel`: without the GIL, so that a thread pool can
run several at once, and cached on disk, so that only the first process ever pays for compilation.
Nothing in C calls a kernel, so that numba need not compile an entrance for such callers.
"""

from __future__ import annotations

import hashlib
import pickle
import uuid
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numba
import numba.core.config
from numpy.typing import NDArray

from fastarac._kernels._once import compile_once

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")
Array = NDArray[Any]

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}

LOADS_WITHOUT_TABLES = (0, 68)  # numba's versions up to this one, tested


def _sources_stamp() -> str:
    """Return a hash of the source of all kernels; empty where there is none to read.

    numba stamps the machine code of a function with its own file only, but a kernel contains what it
    calls from other files. Without a stamp of them all, an edit, or an update that left the caller's
    file as it was, would go on running the old code.
    """
    stamp = hashlib.sha256()
    try:  # in a directory or in a zip file
        sources = sorted(files("fastarac._kernels").iterdir(), key=lambda path: path.name)
        for path in sources:
            if path.name.endswith(".py"):
                text = path.read_bytes()
                stamp.update(f"{path.name} {len(text)}\n".encode())
                stamp.update(text)
    except OSError:  # frozen into an executable: that is what numba hashes then
        return ""
    return stamp.hexdigest()


_STAMP = _sources_stamp()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call, and keep the machine code on disk where that is possible.

    The cache lies beside the source, in the user's cache directory where the installation is
    read-only, and nowhere at all where neither can be written to. What a directory holds that was
    filled before and can only be read now, as in an image of a container, is read all the same; the
    rest is compiled anew in each process. So it is where this version of numba keeps its cache in a way
    that is not known here.
    """
    compiler: Any = numba.njit
    try:
        dispatcher = compiler(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no directory to write to
        dispatcher = compiler(**_OPTIONS)(function)
        filled = _filled_before(function)
        if filled is not None and _harden_cache(filled):
            dispatcher._cache = filled
        return dispatcher
    if dispatcher is function:  # compilation is switched off
        return dispatcher
    if not _harden_cache(getattr(dispatcher, "_cache", None)):
        return compiler(**_OPTIONS)(function)
    _read_what_was_filled_before(dispatcher._cache, function)
    compile_once(dispatcher)
    return dispatcher


def _filled_before(function: Callable[..., Any]) -> Any:
    """Return numba's cache of `function` in a directory that need not be writable; None without one."""
    try:
        return _readable_cache()(function)
    except (AttributeError, RuntimeError):  # another numba; no such directory
        return None


@cache
def _readable_cache() -> Any:
    """Return numba's class of caches, looking where the user or the installation has a filled one."""
    from numba.core.caching import FunctionCache

    implementation: Any = FunctionCache._impl_class

    def readable(locator_class: Any) -> Any:
        class Readable(locator_class):  # type: ignore[misc]
            def ensure_cache_path(self) -> None:
                """Ask for no right to write."""

            @classmethod
            def from_function(cls, function: Any, path: str) -> Any:
                found = super().from_function(function, path)
                name = f"{Path(path).stem}.{function.__qualname__}-*.nbi"
                return found if found and any(Path(found.get_cache_path()).glob(name)) else None

        return Readable

    class Implementation(implementation):  # type: ignore[misc]
        _locator_classes = tuple(map(readable, implementation._locator_classes[:2]))

    class ReadableCache(FunctionCache):
        _impl_class = Implementation

    return ReadableCache


def _read_what_was_filled_before(own: Any, function: Callable[..., Any]) -> None:
    """Let a cache look into the directory that would have come first, were it writable."""
    config: Any = numba.core.config
    if type(own._impl.locator) is own._impl._locator_classes[0 if config.CACHE_DIR else 1]:
        return  # it did come first
    filled = _filled_before(function)
    if filled is None or filled.cache_path == own.cache_path or not _harden_cache(filled):
        return
    load = own._cache_file.load

    def load_from_both(key: Any) -> Any:
        data = load(key)
        return filled._cache_file.load(key) if data is None else data

    own._cache_file.load = load_from_both


def _harden_cache(cache: Any) -> bool:
    """Make a disk cache notice edits and damage, and safe for many processes and for a full disk.

    Returns False where numba's cache is not built as expected.

    numba numbers its data files by counting the entries of the index it has just read. Two
    processes that compile the same kernel for *different* argument types at the same time both
    take the same number; the index of one and the data of the other may then survive, and a later
    process would run machine code made for other types. A name that no one else takes rules that out.
    """
    cache_file: Any = getattr(cache, "_cache_file", None)
    parts = (
        "_index_name", "_source_stamp", "_data_name", "_dump", "_load_index", "_save_index", "load",
        "save",
    )  # fmt: skip
    if not all(hasattr(cache_file, part) for part in parts):
        return False
    stem = cache_file._index_name.removesuffix(".nbi")

    def data_name(number: int) -> str:
        return f"{stem}.{number}-{uuid.uuid4().hex[:12]}.nbc"

    cache_file._data_name = data_name
    cache_file._source_stamp = (cache_file._source_stamp, _STAMP)
    _seal(cache_file)
    save = cache_file.save

    def save_if_possible(key: Any, data: Any) -> None:
        try:
            save(key, data)
        except OSError:  # a full disk or an exceeded quota must not fail the computation
            return

    cache_file.save = save_if_possible
    _load_without_tables(cache)
    return True


def _seal(cache_file: Any) -> None:
    """Let a cache compile anew what its files no longer hold as it was written, and replace them.

    After a power loss a file may be empty, cut off, or have gaps of zeros, also inside of the machine
    code. So the index and each data file hold what numba would write as bytes, after their hash. That
    tells of damage; it does not keep out who can write there.
    """
    load_index, save_index = cache_file._load_index, cache_file._save_index
    load, save, dump = cache_file.load, cache_file.save, cache_file._dump

    def sealed(value: Any) -> tuple[bytes, bytes]:
        content: bytes = dump(value)
        return hashlib.sha256(content).digest(), content

    def opened(read: Callable[[], tuple[bytes, bytes]], otherwise: Any) -> Any:
        with suppress(Exception):  # bytes that are no pickle may raise anything
            written, content = read()
            if hashlib.sha256(content).digest() == written:
                return pickle.loads(content)  # noqa: S301 - as numba reads its cache
        return otherwise

    cache_file._load_index = lambda: opened(lambda: load_index()["sealed"], {})
    cache_file._save_index = lambda overloads: save_index({"sealed": sealed(overloads)})
    cache_file.load = lambda key: opened(lambda: load(key), None)
    cache_file.save = lambda key, data: save(key, sealed(data))


def _load_without_tables(cache: Any) -> None:
    """Let a cache load machine code without numba's tables of types and functions.

    numba fills them before it looks into its cache, and imports scipy's linear algebra for them where
    scipy is installed: half of the time until a fresh process has its first result. Only compilation
    needs them, and fills them itself. Machine code needs the addresses of numba's runtime.
    """
    runtime: Any = getattr(import_module("numba.core.runtime"), "rtsys", None)
    parts = ("load_overload", "_load_overload")
    known = numba.version_info.short <= LOADS_WITHOUT_TABLES
    if not (known and hasattr(runtime, "initialize") and all(hasattr(cache, part) for part in parts)):
        return
    load_with_tables = cache.load_overload

    def load(signature: Any, target: Any) -> Any:
        try:
            runtime.initialize(target)
            return cache._load_overload(signature, target)
        except Exception:  # noqa: BLE001 - it may not fail with them
            return load_with_tables(signature, target)

    cache.load_overload = load
