"""Kernels that Python runs on small arrays, until they are compiled."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa
from fastarac import _kernels
from fastarac._core.exceptions import collected
from fastarac._kernels import _interpreted
from fastarac._kernels._jit import kernel, linear_kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="Python runs everything")


@kernel
def square(x: float) -> float:
    return x * x


def squares(x, y):
    total = np.float64(0.0)
    for i in range(len(x)):
        y[i] = square(x[i])
        total += y[i]
    return total, len(x), (x[0] < y[0], x[0])


@pytest.fixture
def patient(tmp_path, monkeypatch):
    """Return a new kernel, whose machine code is not on disk."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_interpreted, "PATIENCE", 100.0)
    return linear_kernel(squares)


def test_python_runs_small_arrays(patient):
    """And returns what machine code does, of the same types."""
    x, y, z = np.array([2.0, 3.0]), np.empty(2), np.empty(2)
    found = patient(x, y)
    assert not patient.signatures
    assert found == (13.0, 2, (True, 2.0))
    assert [type(each) for each in (*found[:2], *found[2])] == [float, int, bool, float]
    machine = kernel(squares)(x, z)
    assert (machine, z.tolist()) == (found, y.tolist())


def test_large_arrays_are_compiled_for(patient):
    x = np.ones(_interpreted.MOST)
    patient(x, np.empty_like(x))
    assert len(patient.signatures) == 1
    patient(x[:2], x[:2])
    assert len(patient.signatures) == 1


def test_a_kernel_is_compiled_in_the_end(patient, monkeypatch):
    x = np.ones(3)
    patient(x, x)
    monkeypatch.setattr(_interpreted, "PATIENCE", 0.0)
    patient(x, x)
    assert len(patient.signatures) == 1


def test_a_kernel_that_is_called_often_is_compiled(patient):
    x = np.ones(3)
    for _ in range(_interpreted.CALLS):
        assert not patient.signatures
        patient(x, x)
    patient(x, x)
    assert len(patient.signatures) == 1


def test_machine_code_on_disk_is_used(patient):
    x = np.ones(3)
    kernel(squares)(x, x)
    patient(x, x)
    assert sum(patient.stats.cache_hits.values()) == 1


@pytest.mark.parametrize("n", [1, 2, 40, 1797])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
def test_figures_are_the_same_to_the_last_bit(n, dtype, monkeypatch):
    """Whatever the ties and the type."""
    rng = np.random.default_rng(n)
    confidence = (100.0 * rng.random(n)).astype(dtype)
    correct = rng.random(n) < 0.8
    options = {"intervals": True, "max_risk": 0.05}
    with collected([]):
        compiled = fa.evaluate(correct, confidence, **options).to_dict()
        for name in ("ties", "sums", "runs", "counting", "influence"):
            module = getattr(_kernels, name)
            for key, each in list(vars(module).items()):
                if hasattr(each, "py_func"):
                    monkeypatch.setattr(module, key, _in_python(each))
        assert fa.evaluate(correct, confidence, **options).to_dict() == compiled


def _in_python(dispatcher):
    function = _interpreted.interpreted(dispatcher)

    def run(*arguments):
        with np.errstate(all="ignore"):
            return _interpreted._plain(function(*arguments))

    return run
