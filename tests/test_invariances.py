"""What holds for every metric of the register: its value, and what must not change it."""

from __future__ import annotations

import functools
import operator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from register import METRICS, Metric, close, identical
from strategies import Sample

import fastarac as fa


def every(*properties: str):
    """Run a test for all the entries that have these properties."""
    chosen = [metric for metric in METRICS if all(getattr(metric, name) for name in properties)]
    return pytest.mark.parametrize("metric", chosen, ids=lambda metric: metric.name)


def weighted_for(metric: Metric) -> st.SearchStrategy[Sample]:
    """Weights under which the value is determined beyond rounding."""
    exact_sums = strategies.integer_weighted()
    return exact_sums if metric.jumps else st.one_of(exact_sums, strategies.weighted())


def sample_for(metric: Metric) -> st.SearchStrategy[Sample]:
    """Samples without weights, and with them where the metric takes any."""
    return strategies.unweighted | weighted_for(metric) if metric.weights else strategies.unweighted


def value(metric: Metric, sample: Sample) -> np.ndarray:
    return metric.checked(sample.correct, sample.confidence, **sample.weighted)


def same(metric: Metric, sample: Sample, a: np.ndarray, b: np.ndarray) -> bool:
    """To the last bit where the value is rounded once from exact counts, else within tolerance."""
    return (identical if metric.rounded_once and sample.sample_weight is None else close)(a, b)


def ranks(confidence: np.ndarray) -> np.ndarray:
    return np.unique(confidence, return_inverse=True)[1]


# --- The value ---------------------------------------------------------------------------------


@every()
@given(st.data())
def test_value_is_that_of_the_reference(metric, data):
    sample = data.draw(sample_for(metric))
    assert same(metric, sample, value(metric, sample), metric.expected(*sample))


@every()
@given(st.data())
def test_a_sweep_gives_the_value_that_its_arrays_give(metric, data):
    sample = data.draw(sample_for(metric))
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    assert same(metric, sample, metric.checked(sweep), value(metric, sample))


@every()
@given(st.data())
def test_inputs_are_not_written_to(metric, data):
    sample = data.draw(sample_for(metric))
    before = [None if column is None else column.tobytes() for column in sample]
    value(metric, sample)
    assert [None if column is None else column.tobytes() for column in sample] == before


# --- The order, and the scale of the confidence ------------------------------------------------


@every()
@given(st.data())
def test_the_order_of_the_items_does_not_matter(metric, data):
    sample = data.draw(sample_for(metric))
    order = data.draw(st.permutations(range(len(sample.correct))))
    assert same(metric, sample, value(metric, sample.take(order)), value(metric, sample))


def doubled(confidence: np.ndarray) -> np.ndarray:
    """Twice the confidence where that is exact, else twice its rank."""
    if confidence.dtype.kind == "f":
        with np.errstate(over="ignore"):
            twice = confidence + confidence
        if np.isfinite(twice).all():
            return twice
    return 2 * ranks(confidence)


TRANSFORMS = {
    "ranks": ranks,
    "doubled": doubled,
    "exponential": lambda confidence: np.exp(ranks(confidence).astype(np.float64)),
    "float32": lambda confidence: ranks(confidence).astype(np.float32) / np.float32(64),
    "float16": lambda confidence: ranks(confidence).astype(np.float16) - np.float16(20),
    "uint8": lambda confidence: (ranks(confidence) + 200).astype(np.uint8),
    "int8": lambda confidence: (ranks(confidence) - 128).astype(np.int8),
    "past 2**53": lambda confidence: ranks(confidence) + 2**53,
    "past 2**63": lambda confidence: ranks(confidence).astype(np.uint64) + np.uint64(2**63),
    "next to 1": lambda confidence: 1 - (39 - ranks(confidence)) * 2.0**-53,
    "subnormal": lambda confidence: (ranks(confidence) - 20) * 5e-324,
}


@every("monotone")
@given(st.data())
def test_only_the_order_of_the_confidences_matters(metric, data):
    sample = data.draw(sample_for(metric))
    transform = data.draw(st.sampled_from(list(TRANSFORMS)))
    changed = sample._replace(confidence=TRANSFORMS[transform](sample.confidence))
    assert same(metric, sample, value(metric, changed), value(metric, sample))


# --- Repetition, weights, parts ----------------------------------------------------------------


@every("scales")
@given(st.data())
def test_repeating_all_items_scales_the_value(metric, data):
    sample = data.draw(sample_for(metric))
    times = data.draw(st.sampled_from([2, 3, 4]))
    repeated = sample.take(np.tile(np.arange(len(sample.correct)), times))
    expected = value(metric, sample) * times**metric.scale
    assert same(metric, sample, value(metric, repeated), expected)


@every("weights", "scales")
@given(st.data())
def test_multiplying_all_weights_scales_the_value(metric, data):
    sample = data.draw(weighted_for(metric))
    factor = data.draw(st.sampled_from([0.25, 2.0, 1024.0]))
    weights = sample.sample_weight.astype(np.float64)
    multiplied = sample._replace(sample_weight=weights * factor)
    expected = value(metric, sample) * factor**metric.scale
    assert close(value(metric, multiplied), expected)


@every("weights")
@given(st.data())
def test_a_weight_of_k_is_the_item_k_times(metric, data):
    sample = data.draw(strategies.integer_weighted())
    times = sample.sample_weight.astype(np.int64)
    repeated = Sample(np.repeat(sample.correct, times), np.repeat(sample.confidence, times))
    assert close(value(metric, sample), value(metric, repeated))


@every("weights")
@given(st.data())
def test_an_item_of_weight_0_is_as_if_absent(metric, data):
    sample = data.draw(weighted_for(metric))
    assert close(value(metric, sample), value(metric, sample.take(sample.sample_weight > 0)))


@every()
@given(st.data())
def test_merged_parts_are_the_whole(metric, data):
    sample = data.draw(sample_for(metric))
    n = len(sample.correct)
    part_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weight = np.ones(n) if sample.sample_weight is None else sample.sample_weight
    parts = [sample.take(part_of == part) for part in range(3) if weight[part_of == part].any()]
    sweeps = [fa.threshold_sweep(p.correct, p.confidence, **p.weighted) for p in parts]
    merged = functools.reduce(operator.add, sweeps)
    assert same(metric, sample, metric.checked(merged), value(metric, sample))


@every()
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_disturb_each_other(metric, weighted):
    if weighted and not metric.weights:
        return
    random = np.random.default_rng(7)
    samples = []
    for n in [300, 500]:
        confidence = random.integers(0, 100, n) / 100
        weight = random.random(n) if weighted else None
        samples.append(Sample(random.random(n) < confidence, confidence, weight))
    alone = [value(metric, sample) for sample in samples]

    def again(turn: int) -> np.ndarray:
        sample = samples[turn % 2]
        return metric.call(sample.correct, sample.confidence, **sample.weighted)

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(again, range(16)))
    assert all(identical(result, alone[turn % 2]) for turn, result in enumerate(together))
