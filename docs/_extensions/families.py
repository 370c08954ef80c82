"""The figures of the pages on families of curves, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from figures import BLUE, GREEN, GREY, ORANGE, STYLE, as_svg, digits_sweeps
from matplotlib.figure import Figure

import fastarac as fa
from fastarac.displays import draw_curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

SHADE = 0.18
NO_LINE = {"linewidth": 0}


def arac() -> str:
    """The two areas of the family: AUGRC of the digits, and part of an ARAC area."""
    sweeps, allowed = digits_sweeps(), 0.05
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        errors, part = figure.subplots(1, 2)
        draw_curves(sweeps, display=fa.displays.GeneralizedRCDisplay, ax=errors)
        errors.set_title("generalised risk–coverage")
        sweep = sweeps["logistic-pca5"]
        x, y = sweep.acceptance_rate, sweep.accuracy_after_correction
        heights = np.linspace(1 - allowed, 1, 200)
        widths = fa.acceptance_at_error_rate(sweep, max_error_rate=1 - heights, interpolate=True)
        part.fill_betweenx(heights, 0, widths, color=BLUE, alpha=SHADE, **NO_LINE)
        part.plot(x, y, color=BLUE, label="logistic-pca5")
        part.axhline(1 - allowed, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        mean = fa.arac_partial_auc_score(sweep, max_error_rate=allowed)
        part.text(0.28, 1 - allowed / 2, f"mean width {mean:.3f}", ha="center", va="center")
        part.set(title="ARAC-AUC over error rates up to 5 %", xlim=(0, 1), ylim=(0.85, 1.002))
        part.set(xlabel="Acceptance rate", ylabel="Accuracy after correction")
        part.legend(frameon=False, loc="lower left")
        return as_svg(figure)


def risk_coverage() -> str:
    """Risk–coverage curves, and the one that the best order of the same items would have."""
    sweeps = digits_sweeps()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        all_models, excess = figure.subplots(1, 2)
        draw_curves(sweeps, display=fa.displays.RCDisplay, ax=all_models)
        all_models.set_title("risk–coverage")
        sweep = sweeps["svm-rbf"]
        coverage, risk = sweep.acceptance_rate, sweep.risk
        n, correct = sweep.total, sweep.n_correct
        accepted = np.arange(1, n + 1)
        best = np.maximum(0, accepted - correct) / accepted
        known = np.interp(accepted / n, coverage, risk)
        excess.fill_between(accepted / n, best, known, color=BLUE, alpha=SHADE, **NO_LINE)
        excess.plot(coverage, risk, color=BLUE, label="svm-rbf")
        excess.plot(accepted / n, best, color=GREEN, label="best order of the same items")
        value = fa.excess_aurc_loss(sweep)
        excess.annotate(
            f"excess AURC {value:.4f}", (0.5, float(np.interp(0.5, coverage, risk)) / 2),
            xytext=(0.55, 0.0125), arrowprops={"arrowstyle": "-", "color": GREY}, ha="center",
        )  # fmt: skip
        excess.set(title="what the order costs", xlim=(0, 1), ylim=(0, 0.02))
        excess.set(xlabel="Coverage", ylabel="Risk")
        excess.legend(frameon=False, loc="upper left")
        return as_svg(figure)


def arp() -> str:
    """ARP curves of the digits, and one of them beside the ARAC curve of the same model."""
    sweeps = digits_sweeps()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        whole, both = figure.subplots(1, 2)
        draw_curves(sweeps, display=fa.displays.ARPDisplay, ax=whole)
        whole.set_title("acceptance rate – precision")
        sweep = sweeps["logistic-pca5"]
        x, beta = sweep.acceptance_rate, sweep.recognition_rate
        both.fill_between(x, beta, sweep.precision, color=ORANGE, alpha=SHADE, **NO_LINE)
        both.plot(x, sweep.accuracy_after_correction, color=BLUE, label="accuracy after correction")
        both.plot(x, sweep.precision, color=ORANGE, label="precision")
        both.axhline(beta, color=GREY, linewidth=0.8)
        both.annotate(
            "β", (1, beta), xytext=(4, 0), textcoords="offset points", color=GREY, va="center"
        )
        both.text(0.4, (1 + beta) / 2, "$A_U$", ha="center", va="center", fontsize=13)
        both.set(title="logistic-pca5", xlim=(0, 1), ylim=(0.845, 1.002))
        both.set(xlabel="Acceptance rate", ylabel="Share that is right")
        both.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 0.06))
        return as_svg(figure)


def roc() -> str:
    """ROC curves of the digits, and the two kinds of partial areas on one of them."""
    sweeps = digits_sweeps()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        whole, part = figure.subplots(1, 2)
        draw_curves(sweeps, display=fa.displays.RocCurveDisplay, ax=whole, plot_chance_level=True)
        whole.set_title("ROC of the confidence")
        sweep = sweeps["naive-bayes"]
        fpr, tpr = sweep.false_positive_rate, sweep.recall
        x = np.linspace(0, 0.2, 200)
        part.fill_between(x, 0, np.interp(x, fpr, tpr), color=BLUE, alpha=SHADE, **NO_LINE)
        y = np.linspace(0.9, 1, 200)
        part.fill_betweenx(y, np.interp(y, tpr, fpr), 1, color=ORANGE, alpha=SHADE, **NO_LINE)
        part.plot(fpr, tpr, color="black", linewidth=1.2, label="naive-bayes")
        part.plot([0, 1], [0, 1], "--", color=GREY, linewidth=0.8)
        part.text(0.22, 0.25, "fpr_range (0, 0.2)", color=BLUE)
        part.text(0.98, 0.86, "tpr_range (0.9, 1)", color=ORANGE, ha="right", va="center")
        part.set(title="partial areas", xlim=(0, 1), ylim=(0, 1.005), aspect="equal")
        part.set(xlabel="False positive rate", ylabel="True positive rate")
        part.legend(frameon=False, loc="lower right")
        return as_svg(figure)


def precision_recall() -> str:
    """Precision–recall curves of the digits, and three ways from point to point."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        whole, ways = figure.subplots(1, 2)
        draw_curves(digits_sweeps(), display=fa.displays.PrecisionRecallDisplay, ax=whole)
        whole.set(title="precision–recall of the confidence", ylim=(0.845, 1.005), aspect="auto")
        _draw_interpolations(ways)
        return as_svg(figure)


def _draw_interpolations(ax: Axes) -> None:
    table = fa.ThresholdSweep.from_counts([3, 2, 1], [4, 1, 5], [1, 9, 30])
    recall, precision = table.recall[1:], table.precision[1:]
    corners = np.concatenate([[0], recall]), np.concatenate([[1], precision])
    ax.step(np.concatenate([[0], recall]), np.concatenate([precision[:1], precision]), where="pre",
            color=ORANGE, label=f"step {fa.pr_auc_score(table, interpolation='step'):.3f}")  # fmt: skip
    linear = fa.pr_auc_score(table, interpolation="linear")
    ax.plot(*corners, "--", color=GREEN, label=f"linear {linear:.3f}")
    along = np.linspace(0, len(recall), 400)[1:]
    places = np.arange(len(recall) + 1)
    tp, fp = (np.interp(along, places, counts) for counts in (table.true_accepts, table.false_accepts))
    label = f"Davis–Goadrich {fa.pr_auc_score(table):.3f}"
    ax.plot(tp / table.n_correct, tp / (tp + fp), color=BLUE, label=label)
    ax.plot(recall, precision, "o", color="white", markeredgecolor="black", markersize=7)
    ax.set(title="from point to point", xlim=(0, 1.02), ylim=(0, 1.02))
    ax.set(xlabel="Recall", ylabel="Precision")
    ax.legend(frameon=False, loc="upper right")


def det() -> str:
    """DET curves of the digits, and the four cells over the acceptance rate."""
    sweeps = digits_sweeps()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        curves, cells = figure.subplots(1, 2, width_ratios=(1.2, 1))
        draw_curves(sweeps, display=fa.displays.DetCurveDisplay, ax=curves)
        curves.set_title("DET of the confidence")
        fa.displays.ConfusionDisplay.from_sweep(sweeps["logistic-pca5"], ax=cells)
        cells.set_title("logistic-pca5")
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {
    "family_arac.svg": arac,
    "family_risk_coverage.svg": risk_coverage,
    "family_arp.svg": arp,
    "family_roc.svg": roc,
    "family_precision_recall.svg": precision_recall,
    "family_det.svg": det,
}
