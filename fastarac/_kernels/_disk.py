"""The disk cache for the machine code of the kernels.

Each file holds the code of one kernel; its name encodes the argument types, the numba version, the
Python version and the processor. The first bytes are a hash of the content and of the kernel's sources;
if it does not match, the kernel is compiled again.

This module replaces numba's cache and uses private parts of numba. If numba lacks one of these
parts, importing this module fails, and each process compiles its kernels itself.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import sys
import tempfile
import uuid
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock

from fastarac._kernels._once import ProcessLock

if any(len(signature(f).parameters) != 3 for f in (NullCache.load_overload, NullCache.save_overload)):
    raise ImportError("the cache of this version of numba has another interface")

# Newest numba version for which loading code without filling numba's tables has been tested.
LOADS_WITHOUT_TABLES = (0, 68)

_DIGEST = hashlib.sha256().digest_size
_HERE = Path(__file__).parent
_IMPORT = re.compile(rb"^ *from fastarac\._kernels\.(\w+) import", re.MULTILINE)

_config: Any = numba.config
_user_cache_dir: Any = import_module("numba.misc.appdirs").user_cache_dir
_dumps: Any = import_module("numba.core.serialize").dumps
_from_payload: Any = import_module("numba.core.compiler").CompileResult._rebuild
_runtime: Any = import_module("numba.core.runtime").rtsys


def keep_on_disk(dispatcher: Any) -> KernelCache:
    """Make a kernel read its machine code from disk; one process at a time compiles missing code."""
    kept, compile_one = KernelCache(dispatcher.py_func), dispatcher.compile

    def compile_and_release(*arguments: Any) -> Any:
        # The file lock excludes other processes; this lock excludes other threads.
        with global_compiler_lock:
            try:
                return compile_one(*arguments)
            finally:
                kept.lock.release()

    dispatcher._cache = kept
    dispatcher.compile = compile_and_release
    return kept


class KernelCache(NullCache):
    """The cache of one kernel, used in place of numba's own cache."""

    def __init__(self, function: Any) -> None:
        source = Path(function.__code__.co_filename)
        self._stamp = sources_stamp(source)
        self._name = f"{source.stem}.{re.sub('[<>]', '', function.__qualname__)}"
        self._folders = _folders(source.parent, _config.CACHE_DIR)
        self.lock = ProcessLock(self._folders[-1] / f"{self._name}.lock")

    @property
    def cache_path(self) -> str | None:
        """A folder that holds machine code: the writable one if possible, None if all are empty."""
        filled = (str(folder) for folder in self._folders[::-1] if any(folder.glob("*.nbc")))
        return next(filled, None)

    def has_file(self, types: Any, target: Any) -> bool:
        """Return whether there is a file with machine code for `types`."""
        name = self._file(types, target.codegen())
        return any((folder / name).exists() for folder in self._folders)

    def load_overload(self, types: Any, target: Any) -> Any:
        """Return the machine code for `types`; if there is none, take the lock and return None.

        A kernel stays locked while the kernels that it calls are compiled. Processes cannot deadlock,
        because no kernel calls itself, directly or through others.
        """
        loaded = self._load(types, target)
        if loaded is None:
            self.lock.acquire()
            # Another process may have saved the code during the wait.
            loaded = self._load(types, target)
        return loaded

    def save_overload(self, types: Any, compiled: Any) -> None:
        """Save machine code if possible; a failure is ignored."""
        with suppress(Exception):  # the disk may be full, or this numba version may work differently
            # Code with dynamic globals contains addresses that are valid in this process only.
            if compiled.library.has_dynamic_globals:
                return
            path = self._folders[-1] / self._file(types, compiled.library.codegen)
            content = _dumps(compiled._reduce())
            # A file is replaced as a whole, so that it never mixes the output of two processes.
            unfinished = path.with_suffix(f".{uuid.uuid4().hex}")
            try:
                unfinished.write_bytes(self._seal(content) + content)
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)

    def _load(self, types: Any, target: Any) -> Any:
        for folder in self._folders:
            # The file may be missing, or another build of numba may have written it.
            with suppress(Exception):
                content = (folder / self._file(types, target.codegen())).read_bytes()
                if content[:_DIGEST] == self._seal(content[_DIGEST:]):
                    return _rebuilt(target, content[_DIGEST:])
        return None

    def _file(self, types: Any, codegen: Any) -> str:
        made_for = (types, codegen.magic_tuple(), numba.__version__, sys.version)
        return f"{self._name}-{hashlib.sha256(repr(made_for).encode()).hexdigest()[:24]}.nbc"

    def _seal(self, content: bytes) -> bytes:
        """Return a hash that detects edits and damage, but not deliberate tampering."""
        return hashlib.sha256(self._stamp + content).digest()


def _rebuilt(target: Any, content: bytes) -> Any:
    """Load machine code, where possible without filling numba's tables of types and functions.

    Filling the tables imports scipy's linear algebra (if installed), which takes half of the time that
    a fresh process needs for its first result. Only compilation needs the tables, and it fills them
    itself. Machine code does need the addresses of numba's runtime; without them, LLVM ends the
    process.
    """
    if numba.version_info.short <= LOADS_WITHOUT_TABLES:
        _runtime.initialize(target)
    else:
        target.refresh()
    return _from_payload(target, *pickle.loads(content))  # noqa: S301 - as numba reads its cache


@cache
def sources_stamp(path: Path) -> bytes:
    """Return a hash of a kernel's file and of the kernel files that it imports, directly or not.

    Imported files are included, because the machine code contains the kernels that it calls and the
    constants that it imports.
    """
    loader: Any = __spec__.loader  # unlike `open`, a loader can also read from a zip file
    text = loader.get_data(str(path))
    imported = (sources_stamp(_HERE / f"{name.decode()}.py") for name in _IMPORT.findall(text))
    return hashlib.sha256(b"".join([hashlib.sha256(text).digest(), *imported])).digest()


@cache
def _folders(sources: Path, chosen: str) -> list[Path]:
    """Return the folders from which machine code is read; new code is written to the last one.

    The list ends with the first writable candidate. Read-only candidates before it may already hold
    code, for example from the build of a container image.
    """
    apart = f"{sources.name}_{hashlib.sha256(str(sources).encode()).hexdigest()[:16]}"
    folders = [Path(chosen) / apart] if chosen else []
    folders += [sources / "__pycache__", Path(_user_cache_dir("numba", False)) / apart]
    writable = (i for i, folder in enumerate(folders, 1) if _can_write(folder))
    return folders[: next(writable, None)]


def _can_write(folder: Path) -> bool:
    """Return whether a file can be written to the folder; its permissions alone do not show this."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
