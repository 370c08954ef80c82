"""torchmetrics: a metric that counts in batches, and across processes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import fractions_of
from fastarac._core.extras import require
from fastarac.bounds.bounded import BoundedSweep
from fastarac.evaluation.items import evaluate
from fastarac.samples.door import threshold_sweep

require("torchmetrics", "torch")

import torch  # noqa: E402
from torchmetrics import Metric  # noqa: E402
from torchmetrics.utilities import dim_zero_cat  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    from fastarac.sweep import ThresholdSweep

__all__ = ["SelectiveMetrics"]

BINS = 1 << 16


class SelectiveMetrics(Metric):
    """All results of :func:`.evaluate`, computed batch by batch and across processes.

    Parameters
    ----------
    num_classes : int, optional
        The number of classes of a classifier. Then ``update`` takes scores and class numbers. Scores
        have shape (n, num_classes) or, if they are for the second of two classes, (n,). Without
        `num_classes`, ``update`` takes confidences, and whether each output is right.
    exact : bool, default=True
        Whether to keep all items, which takes five to nine bytes each. Otherwise, items are counted in
        65,536 bins of confidence, which takes one mebibyte; bins are summed over processes, and every
        result is given as a lower and an upper bound.
    max_error_rate, max_risk : float or sequence of float
        As in :func:`.evaluate`.
    threshold : float, default=0.5
        The decision threshold of one-dimensional scores, as in :func:`.correctness`.
    ignore_index : int, optional
        Items with this target value, such as -100 for padding, are left out, as in every metric of
        torchmetrics. Their scores are not checked.
    **options
        Options of every metric of torchmetrics, such as ``sync_on_compute``.

    Notes
    -----
    A bin consists of the confidences with the same first 16 bits as float32. There are 128 bins per
    factor of two, and they do not depend on the data. A float64 confidence is counted in the bin that
    contains it, without rounding.

    The metric's state is part of ``state_dict()``, so that a checkpoint saves it.

    Examples
    --------
    >>> import torch
    >>> import fastarac as fa
    >>> metric = fa.adapters.torchmetrics.SelectiveMetrics(max_error_rate=0.2)
    >>> metric.update(torch.tensor([0.9, 0.8, 0.7]), torch.tensor([1, 1, 0]))
    >>> metric.update(torch.tensor([0.6, 0.2]), torch.tensor([1, 0]))
    >>> round(metric.compute()["acceptance_rate/0.2"].item(), 6)
    0.8
    >>> metric.sweep()
    ThresholdSweep(5 thresholds, 3 correct, 2 incorrect)
    """

    is_differentiable = False
    higher_is_better = None
    full_state_update = False

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        exact: bool = True,
        max_error_rate: ArrayLike = (0.01, 0.05),
        max_risk: ArrayLike = (),
        threshold: float = 0.5,
        ignore_index: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if num_classes is not None and num_classes < 2:
            raise ValueError(f"num_classes must be None or at least 2, got {num_classes}")
        if ignore_index is not None and type(ignore_index) is not int:
            raise TypeError(f"ignore_index must be None or an integer, got {ignore_index!r}")
        self.num_classes, self.exact, self.threshold = num_classes, exact, threshold
        self.ignore_index = ignore_index
        self.limits = {
            name: np.atleast_1d(fractions_of(given, name)).tolist()
            for name, given in (("max_error_rate", max_error_rate), ("max_risk", max_risk))
        }
        if exact:
            self.add_state("correct", default=[], dist_reduce_fx="cat", persistent=True)
            self.add_state("confidence", default=[], dist_reduce_fx="cat", persistent=True)
        else:
            counts = torch.zeros(2, BINS, dtype=torch.int64)
            self.add_state("counts", default=counts, dist_reduce_fx="sum", persistent=True)

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Count a batch.

        Parameters
        ----------
        preds : Tensor of shape (n,) or (n, num_classes)
            Confidences, or scores of the classes.
        target : Tensor of shape (n,)
            Whether each output is right, 0 or 1; or the class numbers, from 0 to num_classes - 1.

        Raises
        ------
        ValueError
            If shapes or targets are invalid, or scores are not finite.
        """
        correct, confidence = self._outputs(preds.detach(), target.detach())
        if self.exact:
            self.correct.append(correct)
            self.confidence.append(confidence)
            return
        keys = torch.where(correct, 0, BINS) + _bins_of(confidence)
        self.counts += torch.bincount(keys, minlength=2 * BINS).reshape(2, BINS)

    def compute(self) -> dict[str, Tensor]:
        """Return the results by name; NaN replaces undefined and infinite results.

        Without items, n is 0 and all other results are NaN.

        The names are the keys of :meth:`.Evaluation.to_dict` or, without `exact`, of
        :meth:`.BoundedEvaluation.to_dict`: ``arac_auc_low``, ``arac_auc_high`` and so on.
        """
        sweep = self._sweep()
        if sweep is None:  # without items, return the usual names
            of_one = threshold_sweep([1], [0.5])
            counted = of_one if self.exact else BoundedSweep.from_bins([0.5, 1.0], [1], [0])
            figures = dict.fromkeys(evaluate(counted, **self.limits).to_dict()) | {"n": 0}
        else:
            figures = evaluate(sweep, **self.limits).to_dict()
        dtype = torch.float32 if self.device.type == "mps" else torch.float64
        return {
            name: torch.tensor(math.nan if value is None else value, dtype=dtype, device=self.device)
            for name, value in figures.items()
        }

    def sweep(self) -> ThresholdSweep | BoundedSweep | None:
        """Return a sweep of the items of all processes; None before the first item.

        All processes must call this method; they wait for each other.
        """
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn,
            should_sync=self.sync_on_compute and not self._is_synced,
            should_unsync=self.sync_on_compute and not self._is_synced,
        ):
            return self._sweep()

    def _sweep(self) -> ThresholdSweep | BoundedSweep | None:
        if not self.exact:
            return _bounded(self.counts.cpu().numpy())
        if isinstance(self.correct, list) and not self.correct:
            return None
        correct, confidence = dim_zero_cat(self.correct), dim_zero_cat(self.confidence)
        return threshold_sweep(correct, confidence) if len(correct) else None

    def _outputs(self, preds: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Return two tensors on the batch's device: whether outputs are right, and the confidences."""
        by_class = preds.ndim == 2 and preds.shape[1] == self.num_classes
        fits = by_class or (preds.ndim == 1 and self.num_classes in (None, 2))
        if not fits or target.ndim != 1 or len(target) != len(preds):
            expected = "(n,) for both"
            if self.num_classes is not None:
                or_one = " or (n,)" if self.num_classes == 2 else ""
                expected = f"(n, {self.num_classes}){or_one} and (n,)"
            shapes = f"preds has shape {tuple(preds.shape)} and target {tuple(target.shape)}"
            raise ValueError(f"{shapes}; use {expected}")
        if self.ignore_index is not None:
            kept = target != self.ignore_index
            preds, target = preds[kept], target[kept]
        self._check_target(target)
        if self.num_classes is None:
            correct, confidence = target != 0, preds
        elif by_class:
            confidence, predicted = preds.max(dim=1)
            correct = predicted == target
        else:
            confidence = (preds.double() - self.threshold).abs()
            correct = (preds >= self.threshold).long() == target
        if not torch.isfinite(confidence).all():
            raise ValueError("preds must hold finite numbers, got NaN or infinite ones")
        return correct, confidence

    def _check_target(self, target: Tensor) -> None:
        """Raise unless every target is a class number or, without `num_classes`, 0 or 1."""
        whole = target.long()
        bad = (whole != target) | (whole < 0) | (whole >= (self.num_classes or 2))
        if not bad.any():
            return
        found = target[bad][0].item()
        if self.num_classes is None:
            expected = "use 0 and 1, or num_classes= with labels"
        else:
            expected = f"use the numbers of the classes, 0 to {self.num_classes - 1}"
        if self.ignore_index is None and found < 0:
            expected += f" (ignore_index={found:g} leaves such items out)"
        raise ValueError(f"target has {found:g}; {expected}")


def _bins_of(confidence: Tensor) -> Tensor:
    """Return the bin number of each confidence: the first 16 bits of its float32, in rising order."""
    single = confidence.float()
    if confidence.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        # Convert to float32 by rounding down; rounding up could give the next bin.
        above = single.to(torch.float64) > confidence.to(torch.float64)
        single = torch.where(
            above, torch.nextafter(single, torch.full_like(single, -torch.inf)), single
        )
    bits = (single + 0.0).view(torch.int32).long() & 0xFFFFFFFF  # adding 0.0 turns -0.0 into 0.0
    return torch.where(bits >= 1 << 31, 0xFFFFFFFF - bits, bits + (1 << 31)) >> 16


def _lower_edges(keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the smallest float32 in each bin."""
    bits = keys << 16
    bits = np.where(bits >= 1 << 31, bits - (1 << 31), 0xFFFFFFFF - bits)
    with np.errstate(invalid="ignore"):
        edges = bits.astype(np.uint32).view(np.float32).astype(np.float64)
    return np.where(np.isnan(edges), -np.inf, edges)  # the lowest bin contains only -inf


def _bounded(counts: NDArray[np.int64]) -> BoundedSweep | None:
    used = np.flatnonzero(counts.sum(axis=0))
    if not len(used):
        return None
    edges = _lower_edges(np.append(used, used[-1] + 1))
    return BoundedSweep.from_bins(edges, counts[0, used], counts[1, used])
