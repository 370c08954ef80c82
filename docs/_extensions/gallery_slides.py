"""The lecture slides on evaluation for the gallery: worked examples and the two curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from figures import BLUE, GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CONFIDENCE = [8, 7, 6, 5, 4, 3, 2, 1]
IDEAL = [1, 1, 1, 1, 0, 0, 0, 0]
GENERAL = [1, 1, 0, 0, 1, 0, 1, 0]
THRESHOLDS = {"a": 8, "b": 5, "c": 2}
PRINTED_IDEAL = {"a": ("1/1", "1/4", "5/8"), "b": ("4/4", "4/4", "8/8"), "c": ("4/7", "4/4", "5/8")}
PRINTED_GENERAL = {"a": ("1/1", "1/4", "5/8"), "b": ("2/4", "2/4", "4/8"), "c": ("4/7", "4/4", "5/8")}
CLUSTERS = [[5, 1, 1], [1, 4, 3], [2, 2, 6]]


def contingency(labels: Sequence[int], printed: dict[str, tuple[str, str, str]]) -> str:
    sweep = fa.threshold_sweep(labels, CONFIDENCE)
    rows = []
    for name, threshold in THRESHOLDS.items():
        counts = sweep.at(threshold)
        measures = fa.measures.confusion_measures(
            counts.true_accepts, counts.false_accepts, counts.false_rejects, counts.true_rejects
        )
        values = measures.precision, measures.recall, measures.accuracy
        rows.append(
            [
                f"θ = {name}",
                ", ".join(str(cell) for cell in counts),
                *(f"{value:.4g} ({text})" for value, text in zip(values, printed[name], strict=True)),
            ]
        )
    return markdown(
        ["", "TP, FP, FN, TN", "precision (printed)", "recall (printed)", "accuracy (printed)"], rows
    )


def curves() -> str:
    """Figures 1.4 and 1.5: recall against precision, and ROC."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 4), layout="constrained")
        pr, roc = figure.subplots(1, 2)
        for labels, name, color in ((IDEAL, "ideal", BLUE), (GENERAL, "as in practice", ORANGE)):
            precision, recall, _ = fa.precision_recall_curve(labels, CONFIDENCE)
            pr.plot(recall, precision, color=color, marker="o", markersize=4, clip_on=False, label=name)
            fpr, tpr, _ = fa.roc_curve(labels, CONFIDENCE, drop_intermediate=False)
            area = fa.roc_auc_score(labels, CONFIDENCE)
            roc.plot(fpr, tpr, color=color, marker="o", markersize=4, clip_on=False,
                     label=f"{name} (AUC {area:.4g})")  # fmt: skip
        roc.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        pr.set(xlabel="Recall", ylabel="Precision", title="figure 1.4", xlim=(0, 1), ylim=(0, 1.02))
        roc.set(xlabel="FPR", ylabel="TPR", title="figure 1.5", xlim=(0, 1), ylim=(0, 1.02))
        pr.legend(frameon=False, loc="lower left")
        roc.legend(frameon=False, loc="lower right")
        return as_svg(figure)


def rankings() -> str:
    gains, reverse = [4, 1, 4, 2, 1], [1, 1, 2, 4, 4]
    ideal = fa.measures.discounted_cumulative_gain(sorted(gains, reverse=True))
    rows = [
        ["average precision", fa.measures.ranking_average_precision([1, 0, 0, 1, 0, 0]), "0.75"],
        [
            "mean reciprocal rank",
            fa.measures.mean_reciprocal_rank([[1, 0, 1, 0], [0, 0, 0, 1]]),
            "0.625",
        ],
        ["DCG of 4, 1, 4, 2, 1", fa.measures.discounted_cumulative_gain(gains), "8.96"],
        ["DCG of the ideal order", ideal, "10.70"],
        ["nDCG", fa.measures.normalized_dcg(gains), "0.83"],
        ["DCG of the reverse order", fa.measures.discounted_cumulative_gain(reverse), "6.98"],
        ["nDCG of the reverse order", fa.measures.normalized_dcg(reverse), "0.65"],
    ]
    return markdown(["", "computed", "printed"], [[a, f"{b:.4g}", c] for a, b, c in rows])


def clusters() -> str:
    local = fa.measures.local_purity(CLUSTERS)
    rows = [
        *(
            [f"local purity of cluster {i + 1}", value, text]
            for i, (value, text) in enumerate(zip(local, ("5/7", "4/8", "6/10"), strict=True))
        ),
        ["purity", fa.measures.purity(CLUSTERS), "15/25 = 0.6"],
        [
            "inverse purity (the slides' variant)",
            fa.measures.inverse_purity(CLUSTERS, "size-weighted"),
            "0.598",
        ],
        ["their F", fa.measures.purity_f(CLUSTERS, "size-weighted"), "0.599"],
        ["inverse purity (standard)", fa.measures.inverse_purity(CLUSTERS), "–"],
    ]
    return markdown(["", "computed", "printed"], [[a, f"{b:.4g}", c] for a, b, c in rows])


def agreement() -> str:
    one, other = np.indices((2, 2)).reshape(2, -1)
    rows = [
        [str(table), f"{fa.cohen_kappa_score(one, other, sample_weight=np.ravel(table)):.4g}", text]
        for table, text in (
            ([[0.6, 0.0], [0.0, 0.4]], "1"),
            ([[0.25, 0.25], [0.25, 0.25]], "0"),
        )
    ]
    return markdown(["shares of judgements", "κ", "printed"], rows)


MAKERS: dict[str, Callable[[], str]] = {
    "slides_ideal.md": lambda: contingency(IDEAL, PRINTED_IDEAL),
    "slides_general.md": lambda: contingency(GENERAL, PRINTED_GENERAL),
    "slides_curves.svg": curves,
    "slides_rankings.md": rankings,
    "slides_clusters.md": clusters,
    "slides_agreement.md": agreement,
}
