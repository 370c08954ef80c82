"""What a power loss may leave of the cache of kernels is compiled anew, and replaced."""

from __future__ import annotations

import random

import pytest
from strategies import COMPILED

from fastarac._kernels._jit import kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled, so nothing is cached")

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
    import numba.core.config

    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path))
    assert not found_in_cache()
    assert found_in_cache()
    return tmp_path


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_replaced(suffix, damage, folder):
    (path,) = folder.rglob(f"*{suffix}")
    path.write_bytes(damage(path.read_bytes()))
    assert not found_in_cache()
    assert found_in_cache()


def test_a_cut_anywhere_in_an_index_is_noticed(folder):
    (path,) = folder.rglob("*.nbi")
    content = path.read_bytes()
    cache_file = kernel(double)._cache._cache_file
    assert len(cache_file._load_index()) == 1
    for length in range(0, len(content), 1 + len(content) // 50):
        path.write_bytes(content[:length])
        assert cache_file._load_index() == {}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_files_that_cannot_be_read_do_not_fail_the_computation(suffix, folder):
    (path,) = folder.rglob(f"*{suffix}")
    path.unlink()
    path.mkdir()  # nor can it be replaced
    assert not found_in_cache()
    assert not found_in_cache()
