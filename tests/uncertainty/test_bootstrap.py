"""The bootstrap as it is called: methods, arguments, results, threads, interruption."""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap
import time
import tracemalloc
import warnings
from functools import partial

import numpy as np
import pytest
import reference_bootstrap as ref
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty import intervals

# Few items make quick tests, and intervals that one would not rely on.
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning"),
]
UNDEFINED, UNRELIABLE = fa.UndefinedMetricWarning, fa.UnreliableIntervalWarning


def items(n: int, seed: int = 3, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    if levels is not None:
        confidence = np.floor(confidence * levels) / levels
    return rng.random(n) < 0.4 + 0.5 * confidence, confidence


LAWS = {
    "items": {},
    "ties": {"levels": 4},
    "cells": {"levels": 2, "n": 300},
    "strata": {"stratified": True},
    "cells in strata": {"levels": 2, "n": 300, "stratified": True},
    "groups": {"groups": 9},
    "weights": {"weighted": True},
    "weighted groups": {"groups": 9, "weighted": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_replicates_have_the_law_of_the_textbook(law):
    """Kolmogorov and Smirnov's test against drawing one by one, with fixed seeds."""
    options = LAWS[law]
    n, b = options.get("n", 35), 3000 if COMPILED else 300
    correct, confidence = items(n, levels=options.get("levels"))
    rng = np.random.default_rng(2)
    weight = rng.random(n) if "weighted" in options else None
    groups = rng.integers(0, options["groups"], n) if "groups" in options else None
    stratified = options.get("stratified", False)
    found = fa.bootstrap(
        correct, confidence, n_resamples=b, random_state=11, sample_weight=weight, groups=groups,
        stratified=stratified,
    ).distribution  # fmt: skip
    expected = ref.replicates(
        correct, confidence, b, 12, weight, strata=correct if stratified else None, groups=groups
    )
    assert stats.ks_2samp(found, expected).pvalue > 1e-3
    assert found.mean() == pytest.approx(expected.mean(), abs=5 * expected.std() / math.sqrt(b))
    assert found.std() == pytest.approx(expected.std(), rel=5 / math.sqrt(b))


def test_an_interval_by_hand():
    correct, confidence = items(80)
    result = fa.bootstrap(correct, confidence, n_resamples=101, confidence_level=0.9, random_state=1)
    assert result.estimate == fa.arac_auc_score(correct, confidence)
    assert len(result.distribution) == 101
    low, high = (result.low, result.high)
    assert low == pytest.approx(ref.quantile(result.distribution, 0.05), rel=1e-14)
    assert high == pytest.approx(ref.quantile(result.distribution, 0.95), rel=1e-14)
    assert result.standard_error == pytest.approx(np.std(result.distribution, ddof=1))
    basic = fa.bootstrap(
        correct, confidence, n_resamples=101, confidence_level=0.9, random_state=1, method="basic"
    )
    assert basic.low == pytest.approx(2 * result.estimate - high)
    assert basic.high == pytest.approx(2 * result.estimate - low)


ALIKE = (([1, 1, 1], {}), ([1, 0, 0, 1, 0], {"stratified": True}))


def test_no_spread():
    """All items are alike, or all are tied in strata."""
    for correct, keywords in ALIKE:
        run = partial(
            fa.bootstrap, correct, [0.5] * len(correct), n_resamples=20, random_state=0, **keywords
        )
        for method in ("percentile", "basic", "bca"):
            result = run(method=method)
            assert result.estimate == result.distribution[0]
            assert (result.low, result.high) == (result.estimate, result.estimate)
            assert result.standard_error == pytest.approx(0.0, abs=1e-15)
        with pytest.warns(UNDEFINED, match="the studentized interval of arac_auc is undefined"):
            result = run(method="studentized")
        assert math.isnan(result.low)
        assert math.isnan(result.high)


def test_a_few_resamples_without_spread_do_not_matter():
    """Of one class only, they are infinitely far away; their share is below that of a tail."""
    correct = [1] * 195 + [0] * 5
    result = fa.bootstrap(
        correct, np.arange(200)[::-1], method="studentized", n_resamples=400, random_state=0
    )
    share = np.mean(result.distribution == 1)
    assert 0 < share < 0.02
    assert result.low < result.estimate < result.high


def n_thresholds(sweep):
    return len(sweep.thresholds)


def test_bca_without_a_replicate_on_the_other_side():
    with pytest.warns(UNDEFINED, match="the bca interval of n_thresholds is undefined"):
        result = fa.bootstrap(
            *items(30), statistic=n_thresholds, method="bca", n_resamples=20, random_state=0
        )
    assert math.isnan(result.low)
    assert result.standard_error > 0


def test_undefined_replicates_are_counted():
    correct, confidence = [1, 1, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]
    with pytest.warns(UNDEFINED, match=r"roc_auc is undefined for \d+ of 200 resamples") as caught:
        result = fa.bootstrap(correct, confidence, statistic="roc_auc", n_resamples=200, random_state=0)
    missing = int(np.isnan(result.distribution).sum())
    assert f" {missing} of 200" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert 0.2 < missing / 200 < 0.5  # (4/5)**5 = 0.33
    assert (result.low, result.high) == (1, 1)
    assert result.standard_error == 0
    with pytest.warns(UNDEFINED, match="roc_auc is undefined for the original items"):
        result = fa.bootstrap([1, 1], [0.9, 0.8], statistic=["roc_auc"], n_resamples=5)["roc_auc"]
    assert math.isnan(result.estimate)
    assert math.isnan(result.low)
    assert math.isnan(result.standard_error)
    assert np.isnan(result.distribution).all()
    with pytest.warns(UNDEFINED, match="roc_auc is undefined for 2 of 2"):
        result = fa.bootstrap([1, 0], [0.9, 0.8], statistic="roc_auc", n_resamples=2, random_state=1)
    assert math.isnan(result.low)


def failing(sweep):
    if len(sweep.thresholds) < 8:
        raise ZeroDivisionError("no such item")
    return float(len(sweep.thresholds))


def sometimes_undefined(sweep):
    return math.nan if len(sweep.thresholds) < 8 else float(len(sweep.thresholds))


def no_number(sweep):
    return None


def test_a_function_that_raises_is_named_with_its_resample():
    arguments = ([1] * 9 + [0] * 3, range(12))
    lengths = fa.bootstrap(
        *arguments, statistic=n_thresholds, n_resamples=200, random_state=0
    ).distribution
    first = int((lengths < 8).argmax()) + 1
    assert first > 1
    with pytest.raises(ZeroDivisionError, match="no such item") as caught:
        fa.bootstrap(*arguments, statistic=failing, n_resamples=200, random_state=0)
    said = f"raised by the statistic failing, of resample {first} of 200"
    assert caught.value.__notes__ == [said]
    with pytest.warns(
        UNDEFINED, match=rf"sometimes_undefined is undefined .*first is resample {first}\)"
    ):
        fa.bootstrap(*arguments, statistic=sometimes_undefined, n_resamples=200, random_state=0)


@pytest.mark.parametrize(
    ("statistic", "options", "of"),
    [
        (no_number, {}, "the items themselves"),
        (lambda sweep: 1 / (len(sweep.thresholds) - 12), {"method": "bca"}, "the items but one"),
    ],
)
def test_a_function_that_raises_on_other_items(statistic, options, of):
    name = statistic.__name__
    with pytest.raises((TypeError, ZeroDivisionError)) as caught:
        fa.bootstrap([1] * 9 + [0] * 3, range(12), statistic=statistic, n_resamples=20, **options)
    assert caught.value.__notes__ == [f"raised by the statistic {name}, of {of}"]


def test_threads_neither_warn_nor_quieten_each_other():
    """Statistics that are undefined on many resamples: one warning, from the caller's thread."""
    n = 30
    correct, confidence = np.arange(n) < n - 1, np.arange(n)[::-1]
    with pytest.warns(UNDEFINED) as caught:
        fa.bootstrap(
            correct,
            confidence,
            statistic="equal_error_rate",
            n_resamples=200,
            random_state=0,
            n_threads=4,
        )
    assert sum(warning.category is UNDEFINED for warning in caught) == 1
    with pytest.warns(UNDEFINED, match="equal error rate"):
        fa.equal_error_rate([1, 1], [0.5, 0.4])


def doubts(*arguments, **keywords):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fa.bootstrap(*arguments, **{"n_resamples": 20, "random_state": 0, **keywords})
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught if warning.category is UNRELIABLE]


def test_few_items_of_a_kind_warn_as_asymptotic_intervals_do():
    confidence = np.arange(40) % 7
    correct = np.arange(40) % 5 > 0  # 8 incorrect
    expected = "there are 8 {} items; the interval of {} is unreliable with fewer than 10"
    assert doubts(correct, confidence) == [expected.format("incorrect", "arac_auc")]
    share = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01, interpolate=True)
    names = ["augrc", share, n_thresholds]
    said = [expected.format("correct", name) for name in ("augrc", share)]
    spread = "the error of n_thresholds is unknown, because the estimated variance is 0; "
    spread += "the interval is a single value"
    assert doubts(~correct, confidence, statistic=names) == [*said, spread]
    half = np.arange(40) % 2
    assert doubts(half, confidence) == []
    assert doubts(half, confidence, sample_weight=np.full(40, 0.1)) == []
    weight = np.where(np.arange(40) < 5, 100.0, 1.0)
    (said,) = doubts(half, confidence, sample_weight=weight)
    assert said.startswith("there are 2 correct items; the interval of arac_auc")
    groups = np.arange(40) % 8
    (said,) = doubts(half, confidence, groups=groups)
    assert said.startswith("there are 8 groups; intervals are unreliable with fewer than 20")
    rate = fa.Statistic("error_rate", threshold=35)
    (said,) = doubts(half, np.arange(40), statistic=rate)
    assert "items that make up the error rate" in said


def test_few_items_that_carry_the_error_warn():
    y_true, score = np.repeat([0, 1], 100), np.arange(200.0)
    score[99], score[98] = 100.5, 99.5
    (said,) = doubts(y_true, score, statistic="roc_auc")
    assert said.startswith("the error of roc_auc is estimated from effectively 2 items")
    weight = np.ones(200)
    assert doubts(y_true, score, statistic="roc_auc", sample_weight=weight) == [said]
    assert doubts(y_true, score, statistic="roc_auc", groups=np.arange(200)) == [
        said.replace("items", "groups")
    ]
    (said,) = doubts(np.ones(30), np.arange(30.0))
    assert said.endswith(
        "a single value, and asymptotic_interval allows for items that the sample may lack"
    )


def test_several_statistics_share_their_resamples():
    correct, confidence = items(50)
    x = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.05)
    several = ["arac_auc", fa.Statistic("augrc"), x, n_thresholds, "aurc"]
    results = fa.bootstrap(correct, confidence, statistic=several, n_resamples=30, random_state=5)
    assert list(results) == [
        "arac_auc", "augrc", "Statistic('acceptance_at_error_rate', max_error_rate=0.05)",
        "n_thresholds",
        "aurc",
    ]  # fmt: skip
    np.testing.assert_allclose(results["arac_auc"].distribution, 1 - results["augrc"].distribution)
    for statistic, result in zip(several, results.values(), strict=True):
        alone = fa.bootstrap(correct, confidence, statistic=statistic, n_resamples=30, random_state=5)
        assert alone.distribution.tolist() == result.distribution.tolist()
        assert (alone.low, alone.high) == (result.low, result.high)
    assert set(fa.bootstrap(correct, confidence, statistic=["aurc"], n_resamples=2)) == {"aurc"}
    shown = str(results["arac_auc"])
    assert shown.startswith(f"Interval({results['arac_auc'].estimate:.6g} [")
    with pytest.raises(AttributeError):
        results["aurc"].estimate = 1


CALLS = {
    "pairs": {},
    "points": {"statistic": ["aurc", "equal_error_rate"]},
    "studentized": {"method": "studentized", "statistic": ["roc_auc", "aurc"]},
    "groups": {"groups": np.arange(500) // 7},
    "weights": {"sample_weight": np.random.default_rng(5).random(500)},
    "strata": {"stratified": True},
}


@pytest.mark.parametrize("call", CALLS)
def test_neither_threads_nor_the_order_of_items_change_anything(call, monkeypatch):
    n = 500 if COMPILED else 60
    monkeypatch.setattr("fastarac.uncertainty.replicates.BATCH", 3 * n)
    correct, confidence = items(n, levels=100)
    keywords = {k: v[:n] if isinstance(v, np.ndarray) else v for k, v in CALLS[call].items()}
    run = partial(fa.bootstrap, n_resamples=40, random_state=9)

    def bits(result):
        parts = result.values() if isinstance(result, dict) else [result]
        return [(p.distribution.tobytes(), (p.low, p.high), p.standard_error) for p in parts]

    expected = bits(run(correct, confidence, **keywords, n_threads=1))
    for threads in (2, 7):
        assert bits(run(correct, confidence, **keywords, n_threads=threads)) == expected
    monkeypatch.setenv("FASTARAC_NUM_THREADS", "3")
    assert bits(run(correct, confidence, **keywords)) == expected
    order = np.random.default_rng(0).permutation(n)
    keywords = {k: v[order] if isinstance(v, np.ndarray) else v for k, v in keywords.items()}
    shuffled = run(correct[order], np.exp(confidence[order]), **keywords)
    if call == "weights":  # sums of weights round by their order within a tie
        assert (shuffled.low, shuffled.high) == pytest.approx(expected[0][1], rel=1e-12)
    else:
        assert bits(shuffled) == expected


@settings(max_examples=40 if COMPILED else 10, deadline=None)
@given(strategies.unweighted, st.booleans(), st.sampled_from(["percentile", "basic", "bca"]))
def test_a_sweep_stands_for_its_items(sample, stratified, method):
    run = partial(
        fa.bootstrap, statistic=["arac_auc", "aurc"], stratified=stratified, method=method,
        n_resamples=10, random_state=2,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UNDEFINED)
        of_items = run(sample.correct, sample.confidence)
        of_sweep = run(fa.threshold_sweep(sample.correct, sample.confidence))
    for name, result in of_items.items():
        assert result.distribution.tolist() == of_sweep[name].distribution.tolist()
        assert result.estimate == of_sweep[name].estimate
        low, high = (result.low, result.high)
        assert math.isnan(low) or result.estimate == pytest.approx(np.clip(result.estimate, 0, 1))
        assert math.isnan(low) or 0 <= low <= high <= 1


def test_equal_weights_are_none():
    correct, confidence = items(40)
    plain = fa.bootstrap(correct, confidence, n_resamples=20, random_state=1)
    halves = fa.bootstrap(
        correct, confidence, n_resamples=20, random_state=1, sample_weight=np.full(40, 0.5)
    )
    np.testing.assert_allclose(halves.distribution, plain.distribution, rtol=1e-14)
    more = np.concatenate([np.full(40, 0.5), [0.0, 0.0]])
    padded = fa.bootstrap(
        [*correct, 1, 0], [*confidence, 0.3, 0.4], n_resamples=20, random_state=1, sample_weight=more
    )
    assert padded.distribution.tolist() == halves.distribution.tolist()
    single = fa.bootstrap(
        correct, confidence, n_resamples=20, random_state=1, groups=[f"page {i}" for i in range(40)]
    )
    assert single.estimate == plain.estimate
    one = fa.bootstrap(correct, confidence, n_resamples=5, random_state=1, groups=["a"] * 40)
    np.testing.assert_allclose(one.distribution, one.estimate, rtol=1e-15)
    lone = fa.bootstrap([1], [0.5], n_resamples=3, sample_weight=[0.3])
    assert lone.distribution.tolist() == [1.0, 1.0, 1.0]


def test_random_states():
    run = partial(fa.bootstrap, *items(30), n_resamples=10)
    first = run(random_state=5).distribution.tolist()
    assert run(random_state=np.int32(5)).distribution.tolist() == first
    seed = np.random.SeedSequence(5)
    assert run(random_state=seed).distribution.tolist() == first
    assert run(random_state=seed).distribution.tolist() == first
    assert run(random_state=6).distribution.tolist() != first
    assert run(random_state=seed.spawn(1)[0]).distribution.tolist() != first
    generator = np.random.default_rng(5)
    once, twice = (run(random_state=generator).distribution.tolist() for _ in range(2))
    assert once != twice
    assert run(random_state=np.random.default_rng(5)).distribution.tolist() == once
    assert run().distribution.tolist() != run().distribution.tolist()
    for wrong in ("5", 1.5, True, np.random):
        with pytest.raises(TypeError, match="must be None, an integer of at least 0, a"):
            run(random_state=wrong)
    with pytest.raises(ValueError, match="random_state must be None, an integer of at"):
        run(random_state=-1)


def test_billions_of_items():
    sweep = fa.ThresholdSweep.from_counts(
        np.arange(101), 198_020 * np.arange(101), 2_000 * (100 - np.arange(101)) + 1
    )
    assert sweep.total > 10**9
    b = 300 if COMPILED else 60
    result = fa.bootstrap(sweep, statistic=["arac_auc", "roc_auc"], n_resamples=b, random_state=1)
    for name, one in result.items():
        error = fa.asymptotic_interval(sweep, statistic=name).standard_error
        assert one.standard_error == pytest.approx(error, rel=4 / math.sqrt(2 * b))
        assert abs(one.distribution.mean() - one.estimate) < 5 * error / math.sqrt(b)


@pytest.mark.skipif(not COMPILED, reason="too many items without the compiler")
def test_memory_does_not_grow_with_the_product():
    n, b = 200_000, 300
    correct, confidence = items(n)
    fa.bootstrap(correct, confidence, n_resamples=2)
    tracemalloc.start()
    fa.bootstrap(correct, confidence, n_resamples=b, random_state=0, n_threads=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 * n + 100 * b


WRONG = [
    ({"n_resamples": 1}, ValueError, "resamples must be an integer of at least 2, got"),
    ({"n_resamples": 10.0}, TypeError, r"integer, got 10\.0 \(float\)"),
    ({"confidence_level": 1.0}, ValueError, "confidence_level must be a number strictly"),
    ({"confidence_level": "95%"}, TypeError, "confidence_level must be a number, got '95%'"),
    ({"method": "normal"}, ValueError, "method must be one of 'percentile', 'basic',"),
    ({"statistic": "auc"}, ValueError, "must be one of recognition_rate, arac_"),
    ({"statistic": 3}, TypeError, "must be a name or a Statistic, got 3"),
    ({"statistic": []}, ValueError, "statistic is empty"),
    ({"statistic": ["aurc", fa.Statistic("aurc")]}, ValueError, "names, got 'aurc' twice"),
    ({"n_threads": 0}, ValueError, "threads must be an integer of at least 1, got 0"),
    ({"groups": [1, 2]}, ValueError, "groups and confidence must have the same number"),
    ({"groups": [1, 2, 3, 4], "stratified": True}, ValueError, "stratified cannot go with groups:"),
    ({"groups": [1, 2, 3, 4], "method": "studentized"}, ValueError, "method must be"),
    ({"sample_weight": [1, 2, 3, 4], "method": "studentized"}, ValueError, "'studentized'"),
    ({"statistic": n_thresholds, "method": "studentized"}, TypeError, "n_thresholds is a function"),
    ({"statistic": "equal_error_rate", "method": "studentized"}, ValueError, "has no influence values"),
    (
        {"statistic": "equal_error_rate", "method": "bca", "groups": [1, 1, 2, 2]},
        ValueError, "method must be",
    ),
    ({"sample_weight": [1, 2, 3, -4]}, ValueError, r"sample_weight\[3\] must .*got -4"),
]  # fmt: skip


@pytest.mark.parametrize(("keywords", "error", "message"), WRONG)
def test_wrong_arguments(keywords, error, message):
    with pytest.raises(error, match=message):
        fa.bootstrap([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], **{"n_resamples": 5, **keywords})


def test_what_a_sweep_cannot_say():
    sweep = fa.threshold_sweep([1, 0], [0.5, 0.4])
    with pytest.raises(TypeError, match="groups needs single items"):
        fa.bootstrap(sweep, groups=[1, 2])
    with pytest.raises(TypeError, match="sample_weight cannot go with a ThresholdSweep"):
        fa.bootstrap(sweep, sample_weight=[1, 2])
    with pytest.raises(TypeError, match="confidence cannot go with a ThresholdSweep"):
        fa.bootstrap(sweep, [1, 2])
    with pytest.raises(TypeError, match="confidence is missing"):
        fa.bootstrap([1, 0])
    weighted = fa.threshold_sweep([1, 0], [0.5, 0.4], sample_weight=[1, 2])
    with pytest.raises(
        ValueError, match="correct is a weighted ThresholdSweep, which does not hold the weight"
    ):
        fa.bootstrap(weighted)


def test_bca_of_too_many_kinds_of_items(monkeypatch):
    monkeypatch.setattr(intervals, "MAX_LEFT_OUT", 10)
    with pytest.raises(ValueError, match="item of each of 12 kinds would be left out in"):
        fa.bootstrap(*items(12), statistic="equal_error_rate", method="bca", n_resamples=5)


def test_an_error_in_a_function_of_ones_own_comes_out():
    def broken(sweep):
        if sweep.thresholds.size < 30:
            raise ZeroDivisionError
        return 1.0

    with pytest.raises(ZeroDivisionError):
        fa.bootstrap(*items(30), statistic=broken, n_resamples=50)


def test_progress_in_lines(capsys, monkeypatch):
    monkeypatch.setattr("fastarac.uncertainty.thread_batches.SECONDS_PER_LINE", 0.0)
    monkeypatch.setattr("fastarac.uncertainty.thread_batches.PATIENCE", 0.01)

    def slow(sweep):
        time.sleep(0.02)
        return 1.0

    plain = fa.bootstrap(*items(10), statistic=slow, n_resamples=6, random_state=1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("fastarac.uncertainty.replicates.BATCH", 1)
    with_lines = fa.bootstrap(*items(10), statistic=slow, n_resamples=6, random_state=1, progress=True)
    assert with_lines.distribution.tolist() == plain.distribution.tolist()
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) > 2
    assert err.splitlines()[-1].startswith("resamples: 6 of 6 after ")


def test_progress_as_a_bar(monkeypatch):
    rich = pytest.importorskip("rich.console")
    shown = []
    console = partial(rich.Console, force_terminal=True, width=60)
    monkeypatch.setattr("rich.console.Console", console)
    from rich.progress import Progress

    update = Progress.update
    monkeypatch.setattr(
        Progress, "update", lambda bar, task, **k: (shown.append(k), update(bar, task, **k))[1]
    )
    fa.bootstrap(*items(10), n_resamples=6, progress=True)
    assert shown[-1] == {"completed": 6}


def test_progress_without_rich(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    fa.bootstrap(*items(10), n_resamples=6, progress=True)
    assert "resamples: 6 of 6" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="one batch takes seconds without the compiler")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_ends_it_after_the_batches_under_way(threads):
    """Counted in resamples, not in seconds: these depend on what else the machine does."""
    code = f"""
        import os, signal, numpy as np, fastarac as fa
        from fastarac.uncertainty.replicates import Evaluator
        begun, worker = 0, Evaluator.worker

        def counting_worker(self):
            work = worker(self)
            def count(first, last):
                global begun
                begun += last - first
                if begun == 3:
                    os.kill(os.getpid(), signal.SIGINT)
                work(first, last)
            return count

        Evaluator.worker = counting_worker
        rng = np.random.default_rng(0)
        correct, confidence = rng.random(300_000) < 0.8, rng.random(300_000)
        try:
            fa.bootstrap(correct, confidence, n_resamples=10**6, n_threads={threads})
        except KeyboardInterrupt:
            print("interrupted after", begun)
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("interrupted after ")
    assert 3 <= int(result.stdout.split()[-1]) < 10_000  # of a million


def test_items_that_change_after_they_were_counted_are_an_error(monkeypatch):
    from fastarac.uncertainty import resampling

    correct, confidence = items(200)
    confidence[:] = 0.5
    count = resampling.threshold_sweep

    def count_then_change(*arguments, **options):
        sweep = count(*arguments, **options)
        confidence[:] = np.arange(200)
        return sweep

    monkeypatch.setattr(resampling, "threshold_sweep", count_then_change)
    with pytest.raises(ValueError, match="was changed while it was read"):
        fa.bootstrap(correct, confidence, sample_weight=np.ones(200), n_resamples=5)
