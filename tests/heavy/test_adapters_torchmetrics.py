"""`SelectiveMetrics` beside the functions: batches, processes, checkpoints, collections, tensors."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import torch
from torch import distributed, multiprocessing
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy

import fastarac as fa
from fastarac.adapters.torchmetrics import SelectiveMetrics, _bins_of, _lower_edges

LIMITS = {"max_error_rate": [0.05, 0.2], "max_risk": [0.1]}
BATCHES = 4


def data(seed=0, n=2000, scale=1.0):
    rng = np.random.default_rng(seed)
    confidence = rng.normal(size=n).round(2)
    correct = rng.random(n) < 1 / (1 + np.exp(-confidence))
    return correct, (scale * confidence).astype(np.float32)


def batches(correct, confidence, parts=BATCHES):
    pairs = zip(np.array_split(confidence, parts), np.array_split(correct, parts), strict=True)
    return [(torch.tensor(c), torch.tensor(right)) for c, right in pairs]


def figures(metric):
    return {name: value.item() for name, value in metric.compute().items()}


def of_evaluation(correct, confidence):
    found = fa.evaluate(correct, confidence, **LIMITS).to_dict()
    return {name: math.nan if value is None else value for name, value in found.items()}


def check_bounds(found, correct, confidence):
    """The bounds hold what the arrays say, and the limits."""
    exact = of_evaluation(correct, confidence)
    assert found["n"] == exact["n"]
    assert found["recognition_rate"] == exact["recognition_rate"]
    for name in ("arac_auc", "roc_auc", "augrc", "aurc", "arp_auc", "average_precision"):
        assert found[f"{name}_low"] <= exact[name] <= found[f"{name}_high"]
    for key, limit in (("0.05", 0.05), ("0.2", 0.2)):
        assert found[f"error_rate_high/{key}"] <= limit
        assert found[f"acceptance_rate_low/{key}"] <= exact[f"acceptance_rate/{key}"]
        most = found[f"acceptance_rate_low/{key}"] + found[f"acceptance_lost/{key}"]
        assert exact[f"acceptance_rate/{key}"] <= most + 1e-12
        threshold = found[f"threshold/{key}"]  # NaN where nothing is accepted
        at = fa.threshold_sweep(correct, confidence).at(
            math.inf if math.isnan(threshold) else threshold
        )
        accepted = (at.true_accepts + at.false_accepts) / exact["n"]
        assert found[f"acceptance_rate_low/{key}"] <= accepted <= found[f"acceptance_rate_high/{key}"]


def test_exact_figures_are_those_of_the_arrays():
    correct, confidence = data()
    metric = SelectiveMetrics(**LIMITS)
    for preds, target in batches(correct, confidence):
        metric.update(preds, target)
    assert figures(metric) == of_evaluation(correct, confidence)
    assert metric.sweep() == fa.threshold_sweep(correct, confidence)
    metric.reset()
    assert metric.sweep() is None


@pytest.mark.parametrize("exact", [True, False])
def test_before_any_item_the_names_are_the_same(exact):
    metric = SelectiveMetrics(exact=exact, ignore_index=-100, **LIMITS)
    with pytest.warns(UserWarning, match="before the ``update`` method"):
        empty = figures(metric)
    assert empty.pop("n") == 0
    assert all(math.isnan(value) for value in empty.values())
    metric.update(torch.tensor([0.5, 0.25]), torch.tensor([-100, -100]))
    assert figures(metric)["n"] == 0
    metric.update(*batches(*data())[0])
    assert set(figures(metric)) == {"n", *empty}


@pytest.mark.filterwarnings("ignore:the confidence is the same")  # 1e-30 as float16 or int64 is 0
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64"])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 100.0])
def test_bounds_hold_the_exact_figures(dtype, scale):
    correct, confidence = data(scale=scale)
    tensor = torch.tensor(confidence).to(getattr(torch, dtype))
    metric = SelectiveMetrics(exact=False, **LIMITS)
    for part, target in zip(tensor.split(600), torch.tensor(correct).split(600), strict=True):
        metric.update(part, target)
    check_bounds(figures(metric), correct, tensor)


def test_bounds_are_narrow():
    correct, confidence = data(n=20_000)
    metric = SelectiveMetrics(exact=False)
    metric.update(torch.tensor(confidence), torch.tensor(correct))
    found = figures(metric)
    assert 0 <= found["roc_auc_high"] - found["roc_auc_low"] < 0.005


def test_bins_keep_the_order():
    special = [0.0, -0.0, 1e-45, -1e-45, 1.0, -1.0, 3.4e38, -3.4e38, 0.1, 0.1 + 1e-12, 0.1 - 1e-12]
    rng = np.random.default_rng(1)
    values = np.sort(
        np.concatenate([special, rng.normal(size=4000) * 10.0 ** rng.integers(-40, 38, 4000)])
    )
    vast = np.sort(np.concatenate([values, [1e300, -1e300]]))
    for array in (values.astype(np.float32), values, vast):  # all rising
        keys = _bins_of(torch.tensor(array)).numpy()
        assert (np.diff(keys) >= 0).all()
        assert keys.min() >= 0
        assert keys.max() < 1 << 16
        edges, above = _lower_edges(keys), _lower_edges(keys + 1)
        assert (edges <= array).all()  # a bin holds its lower edge and not its upper one
        assert (array < above).all()


@pytest.mark.parametrize("exact", [True, False])
def test_states_resume(exact, tmp_path):
    correct, confidence = data()
    first, *rest = batches(correct, confidence)
    metric = SelectiveMetrics(exact=exact, **LIMITS)
    metric.update(*first)
    torch.save(metric.state_dict(), tmp_path / "state.pt")
    resumed = SelectiveMetrics(exact=exact, **LIMITS)
    resumed.load_state_dict(torch.load(tmp_path / "state.pt"))
    for each in (metric, resumed):
        for batch in rest:
            each.update(*batch)
    for other in (resumed, copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        np.testing.assert_equal(figures(other), figures(metric))


def test_a_batch_has_its_own_value():
    correct, confidence = data(n=100)
    metric = SelectiveMetrics(**LIMITS)
    (first, target), (second, target_2) = batches(correct, confidence, 2)
    assert metric(first, target)["arac_auc"].item() == fa.arac_auc_score(target, first)
    metric(second, target_2)
    assert figures(metric) == of_evaluation(correct, confidence)


def test_in_a_collection():
    rng = torch.Generator().manual_seed(3)
    scores = torch.rand(500, 10, generator=rng).softmax(dim=1)
    labels = torch.randint(10, (500,), generator=rng)
    labels[:300] = scores[:300].argmax(dim=1)
    collection = MetricCollection(
        {
            "accuracy": MulticlassAccuracy(10, average="micro"),
            "selective": SelectiveMetrics(10, max_error_rate=[0.1]),
            "bounds": SelectiveMetrics(10, exact=False, max_error_rate=[0.1]),
        },
        prefix="val_",
    )
    for part, target in zip(scores.split(150), labels.split(150), strict=True):
        collection.update(part, target)
    found = {name: value.item() for name, value in collection.compute().items()}
    correct, confidence = fa.correctness(labels, scores, classes=range(10))
    expected = fa.evaluate(correct, confidence, max_error_rate=[0.1]).to_dict()
    assert found["val_selective_arac_auc"] == expected["arac_auc"]
    assert found["val_accuracy"] == pytest.approx(correct.mean())
    assert any(name.endswith("arac_auc_low") for name in found)


def test_two_classes():
    scores = torch.tensor([0.1, 0.7, 0.9, 0.4])
    labels = torch.tensor([0, 0, 1, 1])
    binary = SelectiveMetrics(2)
    binary.update(scores, labels)
    assert binary.sweep() == fa.threshold_sweep(*fa.correctness(labels, scores.double()))
    both = SelectiveMetrics(2)
    both.update(torch.stack([1 - scores, scores], dim=1), labels)
    assert both.sweep().n_correct == 2


@pytest.mark.parametrize(
    ("options", "preds", "target", "message"),
    [
        ({}, [0.1, math.nan], [0, 1], "preds must hold finite numbers, got NaN or infinite ones"),
        ({}, [0.1, 0.2], [0, 2], "target has 2; use 0 and 1, or num_classes= with labels"),
        ({}, [0.1, 0.2], [0, 0.5], r"target has 0\.5; use 0 and 1"),
        ({"num_classes": 2}, [0.1, 0.2], [0, -100], r"target has -100; .* 0 to 1 .*ignore_index=-100"),
        ({"num_classes": 3}, [[0.1, 0.2, 0.7]], [3], "target has 3; use .* classes, 0 to 2"),
        ({"num_classes": 3, "ignore_index": -100}, [[0.1, 0.2, 0.7]], [-1], "target has -1; "),
        (
            {},
            [[0.1], [0.2]],
            [0, 1],
            r"preds has shape \(2, 1\) and target \(2,\); use \(n,\) for both",
        ),
        ({}, [0.1, 0.2], [1], "preds has shape"),
        ({"num_classes": 3}, [[0.1, 0.9]], [1], r"use \(n, 3\) and \(n,\)"),
        ({"num_classes": 3}, [0.1], [1], r"use \(n, 3\) and \(n,\)"),
        ({"num_classes": 2}, [0.1, 0.2], [1], r"use \(n, 2\) or \(n,\) and \(n,\)"),
    ],
)
def test_refusals(options, preds, target, message):
    metric = SelectiveMetrics(**options)
    with pytest.raises(ValueError, match=message):
        metric.update(torch.tensor(preds), torch.tensor(target))


def test_refusals_of_options():
    with pytest.raises(ValueError, match="num_classes must be None or at least 2, got 1"):
        SelectiveMetrics(1)
    with pytest.raises(ValueError, match=r"max_error_rate must be .*5% is 0\.05"):
        SelectiveMetrics(max_error_rate=5)


def one_class_alone(exact):
    metric = SelectiveMetrics(exact=exact)
    metric.update(torch.tensor([0.5, 0.6]), torch.tensor([1, 1]))
    return figures(metric)


def test_undefined_figures_are_nan():
    assert math.isnan(one_class_alone(exact=True)["roc_auc"])
    assert math.isnan(one_class_alone(exact=False)["roc_auc_low"])


# --- Two processes -------------------------------------------------------------------------------


def _process(rank, folder):
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2
    )
    correct, confidence = data()
    share = slice(None, 700) if rank == 0 else slice(700, None)  # unequal shares
    found = {}
    for exact in (True, False):
        metric = SelectiveMetrics(exact=exact, **LIMITS)
        for batch in batches(correct[share], confidence[share], 3):
            metric.update(*batch)
        found[exact] = figures(metric)
        found[f"sweep {exact}"] = metric.sweep().total
        found[f"alone {exact}"] = metric._sweep().total  # what it holds itself is as before
    torch.save(found, f"{folder}/{rank}.pt")
    distributed.destroy_process_group()


def test_processes_sum_up(tmp_path):
    multiprocessing.spawn(_process, (str(tmp_path),), nprocs=2)
    correct, confidence = data()
    for rank in (0, 1):
        found = torch.load(tmp_path / f"{rank}.pt")
        assert found[True] == of_evaluation(correct, confidence)
        check_bounds(found[False], correct, confidence)
        assert found["sweep True"] == found["sweep False"] == 2000
        assert found["alone True"] == found["alone False"] == (700, 1300)[rank]
    alone = SelectiveMetrics(exact=False, **LIMITS)
    alone.update(torch.tensor(confidence), torch.tensor(correct))
    np.testing.assert_equal(found[False], figures(alone))


# --- Tensors as arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_tensors_are_read(dtype):
    correct, confidence = data(n=300)
    tensor = torch.tensor(confidence).to(dtype)
    expected = fa.threshold_sweep(correct, tensor.double().numpy())
    assert fa.threshold_sweep(torch.tensor(correct), tensor) == expected
    assert fa.threshold_sweep(torch.tensor(correct), tensor.requires_grad_()) == expected
    assert fa.roc_auc_score(torch.tensor(correct), tensor) == fa.roc_auc_score(
        correct, tensor.detach().double().numpy()
    )
    doubled = torch.stack([tensor, tensor], dim=1).detach()[:, 0]  # strided
    assert fa.threshold_sweep(torch.tensor(correct).long(), doubled) == expected


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda t: t.to_sparse(), TypeError),
        (lambda t: t.to(torch.complex64), TypeError),
        (lambda t: t.to(torch.float8_e5m2), TypeError),
        (lambda t: t.reshape(-1, 1), ValueError),
    ],
)
def test_other_tensors_are_refused(make, error):
    with pytest.raises(error, match="confidence"):
        fa.arac_auc_score([1, 0, 1], make(torch.tensor([0.5, 0.25, 0.75])))


@pytest.mark.parametrize("exact", [True, False])
def test_ignored_targets_are_as_if_absent(exact):
    rng = torch.Generator().manual_seed(5)
    scores = torch.rand(400, 4, generator=rng)
    labels = torch.randint(4, (400,), generator=rng)
    padded = torch.where(torch.rand(400, generator=rng) < 0.3, -100, labels)
    scores[padded == -100, 0] = math.nan
    kept = padded != -100
    for preds, target, classes in [
        (scores, padded, 4),
        (scores[:, 1], torch.where(kept, labels % 2, -100), 2),
        (scores[:, 1], torch.where(kept, labels % 2, -100), None),
    ]:
        metric = SelectiveMetrics(classes, exact=exact, ignore_index=-100)
        alone = SelectiveMetrics(classes, exact=exact)
        metric.update(preds, target)
        alone.update(preds[kept], target[kept])
        assert 0 < metric.sweep().total == alone.sweep().total < 400
        np.testing.assert_equal(figures(metric), figures(alone))
    accuracy = MulticlassAccuracy(4, average="micro", ignore_index=-100)  # leaves out the same
    accuracy.update(scores.nan_to_num(-1.0), padded)
    several = SelectiveMetrics(4, ignore_index=-100)
    several.update(scores.nan_to_num(-1.0), padded)
    assert several.compute()["recognition_rate"].item() == pytest.approx(accuracy.compute().item())


def test_an_index_to_ignore_is_an_integer():
    with pytest.raises(TypeError, match="ignore_index must be None or an integer, got '-100'"):
        SelectiveMetrics(3, ignore_index="-100")
