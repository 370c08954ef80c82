"""Other libraries that compute the same results; each is imported only if it is installed.

Before the clock starts, a peer converts the items to the form that suits it best and returns a call
without arguments. The area under the ROC curve determines the area under the ARAC curve, and both need
the same sort, so that ROC-AUC is a fair counterpart.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import weakref
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.inputs import Inputs

    Prepare = Callable[[Inputs], Callable[[], Any]]

MAX_FPR = 0.1  # of the partial areas
SAME_NAMES = (
    "roc_auc_score",
    "average_precision_score",
    "roc_curve",
    "precision_recall_curve",
    "det_curve",
    "confusion_matrix_at_thresholds",
)


@dataclass(frozen=True)
class Peer:
    """An installed library: for each kind of work that it knows, how to call it.

    Beside the kinds of the register of works, these are the names of functions of fastarac.
    """

    name: str
    version: str
    threads: int
    calls: dict[str, Prepare]
    largest: int = sys.maxsize  # items


def _scikit_learn() -> tuple[int, dict[str, Prepare]]:
    from sklearn import metrics
    from sklearn.metrics import roc_auc_score, roc_curve

    def same(name: str) -> Prepare:
        return lambda x: partial(getattr(metrics, name), x.correct, x.confidence)

    return 1, {
        **{name: same(name) for name in SAME_NAMES},
        "roc_partial_auc_score": lambda x: partial(
            roc_auc_score, x.correct, x.confidence, max_fpr=MAX_FPR
        ),
        "auc": lambda x: partial(roc_auc_score, x.correct, x.confidence),
        "weighted auc": lambda x: partial(
            roc_auc_score, x.correct, x.confidence, sample_weight=x.weight
        ),
        # with every threshold, as arac_curve has them
        "curve": lambda x: partial(roc_curve, x.correct, x.confidence, drop_intermediate=False),
    }


def _polars_ds() -> tuple[int, dict[str, Prepare]]:
    import polars as pl
    import polars_ds as pds

    def auc(items: Inputs) -> Callable[[], float]:
        frame = pl.DataFrame({"y": items.correct.astype(np.uint32), "score": items.confidence})
        return lambda: frame.select(pds.query_roc_auc("y", "score")).item()

    return pl.thread_pool_size(), {"auc": auc, "roc_auc_score": auc}


def _torchmetrics() -> tuple[int, dict[str, Prepare]]:
    import torch
    from torchmetrics.functional import classification as metrics

    def of(function: Callable[..., Any]) -> Prepare:
        def prepare(items: Inputs) -> Callable[[], Any]:
            scores = torch.from_numpy(items.confidence)
            return partial(function, scores, torch.from_numpy(items.correct.astype(np.int64)))

        return prepare

    auroc, roc = of(metrics.binary_auroc), of(metrics.binary_roc)
    return torch.get_num_threads(), {
        "auc": auroc,
        "curve": roc,
        "roc_auc_score": auroc,
        "roc_partial_auc_score": of(partial(metrics.binary_auroc, max_fpr=MAX_FPR)),
        "average_precision_score": of(metrics.binary_average_precision),
        "roc_curve": roc,
        "precision_recall_curve": of(metrics.binary_precision_recall_curve),
    }


def _scipy() -> tuple[int, dict[str, Prepare]]:
    from scipy.stats import rankdata

    def auc(items: Inputs) -> float:
        """The Mann–Whitney statistic by ranks."""
        p = int(np.count_nonzero(items.correct))
        q = len(items.correct) - p
        return float(rankdata(items.confidence)[items.correct].sum() - p * (p + 1) / 2) / (p * q)

    return 1, {"auc": lambda x: partial(auc, x)}


PROC = "pROC"
PROC_LARGEST = 10**6  # items: beyond, it takes minutes
PROC_LOOP = """
suppressMessages(library(pROC)); folder <- commandArgs(trailingOnly = TRUE)[1]; n <- {n}
y <- readBin(file.path(folder, "y"), "integer", n); a <- readBin(file.path(folder, "a"), "double", n)
asked <- file("stdin"); open(asked)
while (length(readLines(asked, 1))) {{
  area <- auc(roc(y, a, levels = c(0, 1), direction = "<", quiet = TRUE))
  cat(sprintf("%.17g\\n", as.numeric(area))); flush(stdout())
}}
"""


def _r() -> str:
    """The path of R; ImportError if it is not installed."""
    found = shutil.which("Rscript")
    if found is None:
        raise ImportError(name="Rscript")
    return found


def _proc_version() -> str:
    asked = 'cat(as.character(packageVersion("pROC")))'
    done = subprocess.run([_r(), "-e", asked], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImportError(name=PROC)
    return done.stdout


def _end(process: subprocess.Popen[str], folder: TemporaryDirectory[str]) -> None:
    process.communicate()  # the end of its input ends it
    folder.cleanup()


class _ProcArea:
    """A process of R that holds the items, and computes their area whenever it is asked."""

    def __init__(self, items: Inputs) -> None:
        temporary = TemporaryDirectory()
        folder = Path(temporary.name)
        items.correct.astype(np.int32).tofile(folder / "y")
        items.confidence.astype(np.float64).tofile(folder / "a")
        script = folder / "loop.R"
        script.write_text(PROC_LOOP.format(n=len(items.correct)), encoding="utf-8")
        self.process = subprocess.Popen(
            [_r(), str(script), str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        weakref.finalize(self, _end, self.process, temporary)

    def __call__(self) -> float:
        asked, answers = self.process.stdin, self.process.stdout
        assert asked is not None
        assert answers is not None
        asked.write("\n")
        asked.flush()
        return float(answers.readline())


def _proc() -> tuple[int, dict[str, Prepare]]:
    _proc_version()
    return 1, {"auc": _ProcArea}


_FINDERS = {
    "scikit-learn": _scikit_learn,
    "polars-ds": _polars_ds,
    "torchmetrics": _torchmetrics,
    "scipy": _scipy,
    PROC: _proc,
}
NAMES = tuple(_FINDERS)
IN_PROCESS = tuple(name for name in NAMES if name != PROC)  # the memory of others is not ours to see


def find(name: str) -> Peer | None:
    """Import the peer; None if the peer or one of its dependencies is not installed."""
    try:
        threads, calls = _FINDERS[name]()
    except ImportError:
        return None
    if name == PROC:
        return Peer(name, _proc_version(), threads, calls, PROC_LARGEST)
    return Peer(name, version(name), threads, calls)


def roc_auc_of(result: Any) -> float:
    """Read the ROC-AUC out of what a peer has returned: a number, or (fpr, tpr, thresholds)."""
    if isinstance(result, tuple):
        fpr, tpr, _ = (np.asarray(part, np.float64) for part in result)
        return float(np.trapezoid(tpr, fpr))
    return float(result)


def threads_of_fastarac() -> int:
    """How many threads fastarac may use for large arrays."""
    return int(os.environ.get("FASTARAC_NUM_THREADS") or processors())


def processors() -> int:
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
