"""What holds for every metric of the register: its value, and what must not change it."""

from __future__ import annotations

import functools
import operator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np
import pytest
import reference as ref
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from register import METRICS, Metric, close, identical, operating_point
from strategies import Sample

import fastarac as fa

Family = tuple[Metric, ...]
TOGETHER = 64  # metrics in a family, at most


def every(*properties: str):
    """Run a test for all entries with these properties, some at a time, named by their functions.

    To make a sample takes longer than to evaluate a metric, hence several metrics on each.
    """
    chosen = [metric for metric in METRICS if all(getattr(metric, name) for name in properties)]
    cases = []
    for _, alike in groupby(sorted(chosen, key=takes), takes):
        members = tuple(alike)
        for start in range(0, len(members), TOGETHER):
            family = members[start : start + TOGETHER]
            names = dict.fromkeys(metric.owner for metric in family)
            cases.append(pytest.param(family, id="-".join(names)))
    return pytest.mark.parametrize("family", cases)


def takes(metric: Metric) -> tuple[bool, bool]:
    """What decides on the samples for a metric."""
    return metric.weights, metric.jumps


def sample_for(family: Family) -> st.SearchStrategy[Sample]:
    """Samples without weights, and with any under which the value is determined beyond rounding."""
    if not family[0].weights:
        return strategies.unweighted
    return strategies.exact_sums if family[0].jumps else strategies.items


def weighted_for(family: Family) -> st.SearchStrategy[Sample]:
    """Those of them that have weights."""
    return strategies.whole_weights if family[0].jumps else strategies.any_weights


def value(metric: Metric, sample: Sample) -> np.ndarray:
    return metric.checked(sample.correct, sample.confidence, **sample.weighted)


def agree(metric: Metric, sample: Sample, found: np.ndarray, expected: np.ndarray) -> None:
    """To the last bit where the value is rounded once from exact counts, else within tolerance."""
    if metric.rounded_once and sample.sample_weight is None:
        equal = identical(found, expected)
    else:
        equal = close(found, expected, metric.absolute)
    assert equal, f"{metric.name}: found {found}, expected {expected}"


def ranks(confidence: np.ndarray) -> np.ndarray:
    return np.unique(confidence, return_inverse=True)[1]


# --- The value ---------------------------------------------------------------------------------


@pytest.mark.slow
@every()
@settings(max_examples=2 * settings().max_examples)  # some for every kind of sample
@given(st.data())
def test_value_is_that_of_the_reference(family, data):
    sample = data.draw(sample_for(family))
    for metric in family:
        agree(metric, sample, value(metric, sample), metric.expected(*sample))


@given(strategies.exact_sums, st.data())
def test_a_limit_that_a_rate_reaches_is_kept_and_reached(sample, data):
    rate = data.draw(st.sampled_from(["error_rate", "risk", "acceptance_rate"]))
    criterion = "min_acceptance_rate" if rate == "acceptance_rate" else f"max_{rate}"
    rates = ref.column(ref.sweep(ref.to_items(*sample)), rate)
    limit = data.draw(st.sampled_from(rates).map(ref.round_once))
    metric = operating_point(**{criterion: limit}, interpolate=data.draw(st.booleans()))
    agree(metric, sample, value(metric, sample), metric.expected(*sample))


@every()
@given(st.data())
def test_a_sweep_gives_the_value_that_its_arrays_give_and_they_are_not_written_to(family, data):
    sample = data.draw(sample_for(family))
    before = [None if column is None else column.tobytes() for column in sample]
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    for metric in family:
        agree(metric, sample, metric.checked(sweep), value(metric, sample))
    assert [None if column is None else column.tobytes() for column in sample] == before


# --- The order, and the scale of the confidence ------------------------------------------------


@every()
@given(st.data())
def test_the_order_of_the_items_does_not_matter(family, data):
    sample = data.draw(sample_for(family))
    keys = data.draw(strategies.some_bytes(len(sample.correct)))
    shuffled = sample.take(np.argsort(keys, kind="stable"))
    for metric in family:
        agree(metric, sample, value(metric, shuffled), value(metric, sample))


def doubled(confidence: np.ndarray) -> np.ndarray:
    """Twice the confidence where that is exact, else twice its rank."""
    if confidence.dtype.kind == "f":
        with np.errstate(over="ignore"):
            twice = confidence + confidence
        if np.isfinite(twice).all():
            return twice
    return 2 * ranks(confidence)


# Strictly increasing, through the ranks 0 to 39 wherever the confidence itself might not be.
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
def test_only_the_order_of_the_confidences_matters(family, data):
    sample = data.draw(sample_for(family))
    transform = TRANSFORMS[data.draw(st.sampled_from(list(TRANSFORMS)))]
    changed = sample._replace(confidence=transform(sample.confidence))
    for metric in family:
        agree(metric, sample, value(metric, changed), value(metric, sample))


# --- Repetition, weights, parts ----------------------------------------------------------------


@every("scales")
@given(st.data())
def test_repeating_all_items_scales_the_value(family, data):
    sample = data.draw(sample_for(family))
    times = data.draw(st.sampled_from([2, 3, 4]))
    repeated = sample.take(np.tile(np.arange(len(sample.correct)), times))
    for metric in family:
        expected = value(metric, sample) * times**metric.scale
        agree(metric, sample, value(metric, repeated), expected)


@every("weights", "scales")
@given(st.data())
def test_multiplying_all_weights_scales_the_value(family, data):
    sample = data.draw(weighted_for(family))
    factor = data.draw(st.sampled_from([0.25, 2.0, 1024.0, 2.0**900, 2.0**-900]))
    weights = sample.sample_weight.astype(np.float64)
    multiplied = sample._replace(sample_weight=weights * factor)
    for metric in family:
        expected = value(metric, sample) * factor**metric.scale
        agree(metric, sample, value(metric, multiplied), expected)


@every("weights")
@given(strategies.whole_weights)
def test_a_weight_of_k_is_the_item_k_times(family, sample):
    times = sample.sample_weight.astype(np.int64)
    repeated = Sample(np.repeat(sample.correct, times), np.repeat(sample.confidence, times))
    for metric in family:
        agree(metric, sample, value(metric, sample), value(metric, repeated))


@every("weights")
@given(st.data())
def test_an_item_of_weight_0_is_as_if_absent(family, data):
    sample = data.draw(weighted_for(family))
    without = sample.take(sample.sample_weight > 0)
    for metric in family:
        agree(metric, sample, value(metric, sample), value(metric, without))


@every()
@given(st.data())
def test_merged_parts_are_the_whole(family, data):
    sample = data.draw(sample_for(family))
    n = len(sample.correct)
    part_of = np.array(data.draw(strategies.some_bytes(n))) % 3
    weight = np.ones(n) if sample.sample_weight is None else sample.sample_weight
    parts = [sample.take(part_of == part) for part in range(3) if weight[part_of == part].any()]
    sweeps = [fa.threshold_sweep(p.correct, p.confidence, **p.weighted) for p in parts]
    merged = functools.reduce(operator.add, sweeps)
    for metric in family:
        agree(metric, sample, metric.checked(merged), value(metric, sample))


def ordinary_sample(seed: int, n: int, *, weighted: bool) -> Sample:
    """More correct where more confident, with ties."""
    random = np.random.default_rng(seed)
    confidence = random.integers(0, 100, n) / 100
    correct = random.random(n) < confidence
    return Sample(correct, confidence, random.random(n) if weighted else None)


@every()
def test_threads_do_not_disturb_each_other(family):
    cases = [
        (metric, ordinary_sample(n, n, weighted=weighted))
        for metric in family
        for weighted in {False, metric.weights}
        for n in (50, 80)
    ]
    alone = [value(metric, sample) for metric, sample in cases]

    def again(turn: int) -> bool:
        metric, sample = cases[turn % len(cases)]
        together = metric.call(sample.correct, sample.confidence, **sample.weighted)
        return identical(together, alone[turn % len(cases)])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(again, range(4 * len(cases))))
