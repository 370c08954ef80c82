"""The figures, as SVG."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

import fastarac as fa
from fastarac.datasets import load_digits_ocr
from fastarac.displays import draw_curves

if TYPE_CHECKING:
    from collections.abc import Callable

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "0.45"
STYLE = {"svg.hashsalt": "fastarac", "axes.spines.top": False, "axes.spines.right": False}


def as_svg(figure: Figure) -> str:
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def digits_sweeps() -> dict[str, fa.ThresholdSweep]:
    return {name: fa.threshold_sweep(*items) for name, items in load_digits_ocr().items()}


def digits() -> str:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.8, 4.6), layout="constrained")
        draw_curves(digits_sweeps(), max_error_rate=(0.01, 0.05), ax=figure.subplots(), ylim="fit")
        return as_svg(figure)


def tutorial() -> str:
    """The curve of the tutorial: a classifier on the part that the threshold is chosen on."""
    X, y = load_digits(return_X_y=True)
    X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=400, random_state=0)
    X_part, _, y_part, _ = train_test_split(X_rest, y_rest, train_size=700, random_state=0)
    model = KNeighborsClassifier(n_neighbors=10).fit(X_train, y_train)
    items = fa.correctness(y_part, model.predict_proba(X_part), classes=model.classes_)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        ax = figure.subplots()
        fa.displays.ARACDisplay.from_predictions(
            *items, max_error_rate=0.02, name="10 neighbours", ylim="fit", ax=ax
        )
        return as_svg(figure)


def notebook() -> str:
    """What a notebook shows of an evaluation."""
    found = fa.evaluate(*load_digits_ocr()["knn-votes"], max_error_rate=0.01, intervals=True)
    return f'<div class="notebook-output">{found._repr_html_()}</div>\n'


def anatomy() -> str:
    """The curve with what is read off it: figures 4 and 5 of the paper in one."""
    case, allowed = fa.synthetic.PAPER_CASES[1], 0.05
    thresholds = np.linspace(1, 0, 501)
    x, y = case.acceptance_rate(thresholds), case.accuracy_after_correction(thresholds)
    beta, accepted = case.recognition_rate, case.acceptance_at_error_rate(allowed)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        ax = figure.subplots()
        ax.fill_between(x, beta, y, color=BLUE, alpha=0.18, linewidth=0)
        ax.fill_between([0, 1], 0, beta, color=GREEN, alpha=0.14, linewidth=0)
        ax.plot(x, y, color=BLUE, linewidth=2)
        ax.plot([0, accepted, accepted], [1 - allowed, 1 - allowed, 0], "--", color=GREY, linewidth=1)
        ax.plot([accepted], [1 - allowed], "o", color="white", markeredgecolor=BLUE, markersize=7)
        ax.plot([0, 1], [beta, beta], color=GREY, linewidth=0.8)
        ax.text(0.3, (1 + beta) / 2 - 0.02, "$A_U$", fontsize=14, ha="center", va="center")
        ax.text(0.3, beta / 2 + 0.2, r"$A_L = \beta$", fontsize=14, ha="center", va="center")
        ax.set(
            xlim=(0, 1),
            ylim=(0.4, 1.02),
            xlabel="Acceptance rate X",
            ylabel="Accuracy after correction Y",
        )
        ax.set_xticks([0, 0.25, 0.5, accepted, 1], ["0", "0.25", "0.5", r"X($\theta$)", "1"])
        ax.set_yticks(
            [0.4, 0.5, 0.6, beta, 1 - allowed, 1],
            ["0.4", "0.5", "0.6", r"$\beta$", r"1 − $\varepsilon$", "1"],
        )
        return as_svg(figure)


def ties() -> str:
    """Whole ties and parts of them, where the curve of knn-votes crosses an allowed error rate."""
    sweep, allowed = digits_sweeps()["knn-votes"], 0.01
    whole = fa.operating_point(sweep, max_error_rate=allowed)
    part = fa.operating_point(sweep, max_error_rate=allowed, interpolate=True)
    x, y = sweep.acceptance_rate, sweep.accuracy_after_correction
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        ax = figure.subplots()
        ax.plot(x, y, color=BLUE, marker=".", markersize=9, label="curve; a dot is a threshold")
        ax.axhline(1 - allowed, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        for point, label, color in (
            (whole, "whole ties", GREEN),
            (part, "part of a tie", ORANGE),
        ):
            ax.plot(
                [point.acceptance_rate], [point.accuracy_after_correction], "o", label=label,
                color="white", markeredgecolor=color, markeredgewidth=2, markersize=9, linestyle="none",
            )  # fmt: skip
        ax.annotate("1 % errors", (1, 1 - allowed), xycoords=("axes fraction", "data"), color=GREY,
                    xytext=(4, 0), textcoords="offset points", va="center")  # fmt: skip
        ax.set(xlim=(0.938, 0.99), ylim=(0.984, 0.9955))
        ax.set(xlabel="Acceptance rate", ylabel="Accuracy after correction")
        ax.legend(frameon=False, loc="lower left")
        return as_svg(figure)


def cases() -> str:
    """The five mixtures of the paper and their curves: figures 6 and 7 of the paper."""
    t = np.linspace(0, 1, 401)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.4), layout="constrained")
        axes = figure.subplots(2, 5, sharex=True, sharey="row")
        for (number, case), column in zip(fa.synthetic.PAPER_CASES.items(), axes.T, strict=True):
            beta = case.weight_correct
            for weight, mean, sd, color, label in (
                (beta, case.mean_correct, case.sd_correct, BLUE, "correct"),
                (1 - beta, case.mean_incorrect, case.sd_incorrect, ORANGE, "incorrect"),
            ):
                density = np.exp(-(((t - mean) / sd) ** 2) / 2)
                density *= weight / np.trapezoid(density, t)
                column[0].plot(t, density, color=color, label=label)
                column[0].fill_between(t, density, color=color, alpha=0.15, linewidth=0)
            column[0].set_title(f"case {number}")
            column[1].plot(
                case.acceptance_rate(t[::-1]), case.accuracy_after_correction(t[::-1]), color=BLUE
            )
            column[0].set_xlabel("confidence")
            column[1].set_xlabel("acceptance rate")
            column[0].tick_params(labelbottom=True)
        axes[0, 0].set_ylabel("density")
        axes[1, 0].set_ylabel("accuracy after\ncorrection")
        axes[0, 2].legend(frameon=False, loc="upper right", handlelength=1.2)
        return as_svg(figure)


def trade_places() -> str:
    """Two models whose order depends on the curve that is looked at."""
    sweeps = digits_sweeps()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 3.5), layout="constrained")
        roc, rc, arac = figure.subplots(1, 3)
        for name, color in (("svm-rbf", BLUE), ("logistic-pca5", ORANGE)):
            sweep = sweeps[name]
            roc.plot(sweep.false_positive_rate, sweep.recall, color=color, label=name)
            rc.plot(sweep.acceptance_rate, sweep.risk, color=color)
            arac.plot(sweep.acceptance_rate, sweep.accuracy_after_correction, color=color)
        roc.set(
            title="ROC of the confidence", xlabel="false positive rate", ylabel="true positive rate"
        )
        rc.set(title="Risk–coverage", xlabel="coverage", ylabel="risk", ylim=(0, 0.2))
        arac.set(title="ARAC", xlabel="acceptance rate", ylabel="accuracy after correction")
        roc.legend(frameon=False, loc="lower right")
        return as_svg(figure)


def paper_gray() -> str:
    """A figure of one column without its colours: each line in the gray of its luminance."""
    dashes = ("-", "--", "-.", ":")
    colors = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
    style = {
        "svg.hashsalt": "fastarac",
        "font.size": 8,
        "legend.fontsize": 6.5,
        "legend.handlelength": 3,
        "lines.linewidth": 1.2,
        "axes.prop_cycle": mpl.cycler(color=colors) + mpl.cycler(linestyle=dashes),
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(3.4, 3.3), layout="constrained")
        ax = figure.subplots()
        displays = draw_curves(digits_sweeps(), display=fa.displays.RocCurveDisplay, ax=ax)
        for display in displays.values():
            rgb = mpl.colors.to_rgb(display.line_.get_color())
            display.line_.set_color(str(float(np.dot(rgb, (0.299, 0.587, 0.114)))))
        ax.legend(loc="lower right", frameon=False)
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {
    "digits.svg": digits,
    "tutorial.svg": tutorial,
    "notebook.html": notebook,
    "anatomy.svg": anatomy,
    "paper_gray.svg": paper_gray,
    "ties.svg": ties,
    "cases.svg": cases,
    "trade_places.svg": trade_places,
}
