"""The figures and tables of Kimura et al. 2024 for the gallery."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from figures import BLUE, GREEN, GREY, ORANGE, STYLE, as_svg, digits_sweeps
from matplotlib.figure import Figure
from tables import TABLE_4, TABLE_6, markdown, side_by_side

import fastarac as fa
from fastarac.displays import draw_curves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

THRESHOLDS = np.linspace(1, 0, 1001)
SAMPLE = 10_000
AXES = {
    "roc": ("False positive rate", "True positive rate"),
    "pr": ("Recall", "Precision"),
    "arac": ("Acceptance rate X", "Accuracy after correction Y"),
}


def curve_of(case: fa.synthetic.TruncatedNormalMixture, kind: str) -> tuple[Any, Any]:
    """A population curve as x and y over falling thresholds."""
    if kind == "roc":
        return case.false_positive_rate(THRESHOLDS), case.recall(THRESHOLDS)
    accepted = np.asarray(case.acceptance_rate(THRESHOLDS))
    if kind == "arac":
        return accepted, case.accuracy_after_correction(THRESHOLDS)
    some = accepted > 1e-9  # of nothing accepted there is no precision
    correct = accepted - np.asarray(case.error_rate(THRESHOLDS))
    return np.asarray(case.recall(THRESHOLDS))[some], (correct / np.where(some, accepted, 1))[some]


def draw_curve(ax: Axes, case: fa.synthetic.TruncatedNormalMixture, kind: str) -> None:
    ax.plot(*curve_of(case, kind), color=BLUE, linewidth=1.8, clip_on=False)
    ax.set(xlim=(0, 1), ylim=(0, 1.01), xlabel=AXES[kind][0], ylabel=AXES[kind][1])


def draw_densities(ax: Axes, case: fa.synthetic.TruncatedNormalMixture) -> None:
    t = np.linspace(0, 1, 401)
    for weight, mean, sd, color, label in (
        (case.weight_correct, case.mean_correct, case.sd_correct, BLUE, "correct"),
        (1 - case.weight_correct, case.mean_incorrect, case.sd_incorrect, ORANGE, "incorrect"),
    ):
        density = np.exp(-(((t - mean) / sd) ** 2) / 2)
        density *= weight / np.trapezoid(density, t)
        ax.plot(t, density, color=color, label=label)
        ax.fill_between(t, density, color=color, alpha=0.15, linewidth=0)
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel="Confidence t", ylabel="f(t)")


def figure_2() -> str:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 3.8), layout="constrained")
        for ax, kind, title in zip(
            figure.subplots(1, 2), ("roc", "pr"), ("(a) ROC curve", "(b) PR curve"), strict=True
        ):
            draw_curve(ax, fa.synthetic.PAPER_CASES[1], kind)
            ax.set_title(title)
        return as_svg(figure)


def figure_3() -> str:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.8, 3.8), layout="constrained")
        draw_curve(figure.subplots(), fa.synthetic.PAPER_CASES[1], "arac")
        return as_svg(figure)


def figure_5() -> str:
    case = fa.synthetic.PAPER_CASES[1]
    x, y = curve_of(case, "arac")
    beta = case.recognition_rate
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 3.8), layout="constrained")
        whole, parts = figure.subplots(1, 2)
        whole.fill_between(x, 0, y, color=BLUE, alpha=0.18, linewidth=0)
        whole.text(0.5, 0.45, "$A_{ARAC}$", fontsize=15, ha="center")
        whole.set_title("(a) ARAC-AUC")
        parts.fill_between(x, beta, y, color=BLUE, alpha=0.18, linewidth=0)
        parts.fill_between([0, 1], 0, beta, color=GREEN, alpha=0.14, linewidth=0)
        parts.plot([0, 1], [beta, beta], color=GREY, linewidth=0.8)
        parts.text(0.4, (1 + beta) / 2 - 0.03, "$A_U$", fontsize=15, ha="center")
        parts.text(0.4, beta / 2, "$A_L$", fontsize=15, ha="center")
        parts.set_title("(b) its upper and lower part")
        for ax in (whole, parts):
            draw_curve(ax, case, "arac")
        parts.set_yticks([0, 0.25, 0.5, beta, 1], ["0", "0.25", "0.5", r"$\beta$", "1"])
        return as_svg(figure)


def grid(cases: Sequence[int]) -> str:
    """Distribution, ROC, PR and ARAC curve of each case: a column each."""
    rows = ("density", "roc", "pr", "arac")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(3.3 * len(cases), 10.4), layout="constrained")
        axes = figure.subplots(len(rows), len(cases), squeeze=False, sharey="row")
        for number, column in zip(cases, axes.T, strict=True):
            case = fa.synthetic.PAPER_CASES[number]
            draw_densities(column[0], case)
            column[0].set_title(f"case {number}")
            for ax, kind in zip(column[1:], rows[1:], strict=True):
                draw_curve(ax, case, kind)
        for ax in axes[:, 1:].flat:
            ax.set_ylabel("")
        axes[0, -1].legend(frameon=False, handlelength=1.2)
        return as_svg(figure)


COSTS = fa.VerificationCosts.from_ratios(gamma=1, delta=0)  # of the paper's tables


def paper_table(printed: dict[int, tuple[str, ...]], error_rates: tuple[float, float]) -> str:
    """Population values beside the printed ones, and below them those of a sample with intervals."""
    header = ["case", "", "ROC-AUC", "PR-AUC", "ARAC-AUC", "normalised ARAC-AUC"]
    header += [f"W(θ), ε = {rate:g}" for rate in error_rates]
    rows = []
    for number, values in printed.items():
        case = fa.synthetic.PAPER_CASES[number]
        computed = [
            case.roc_auc_score(),
            case.pr_auc_score(),
            case.arac_auc_score(),
            case.normalized_arac_auc_score(),
            *case.performance_at_error_rate(error_rates, costs=COSTS).tolist(),
        ]
        cells = [side_by_side(*pair) for pair in zip(computed, values, strict=True)]
        rows.append([str(number), "population / printed", *cells])
        sweep = fa.threshold_sweep(*case.sample(SAMPLE, random_state=number))
        sampled = [
            with_interval(sweep, "roc_auc", 3),
            with_interval(sweep, "pr_auc", 3),
            with_interval(sweep, "arac_auc", 3),
            with_interval(sweep, "normalized_arac_auc", 3),
            *(
                f"{value:.2f}"
                for value in fa.costs.performance_at_error_rate(
                    sweep, max_error_rate=error_rates, costs=COSTS
                )
            ),
        ]
        rows.append(["", f"sample of {SAMPLE:,}", *sampled])
    return markdown(header, rows)


def with_interval(sweep: fa.ThresholdSweep, statistic: str, digits: int) -> str:
    """The value and its interval of 95 % confidence; marked where the library warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", fa.UnreliableIntervalWarning)
        found = fa.asymptotic_interval(sweep, statistic=statistic)
    mark = "†" if caught else ""
    return f"{found.estimate:.{digits}f} ({found.low:.{digits}f}–{found.high:.{digits}f}){mark}"


def figure_8() -> str:
    displays = (
        fa.displays.ARACDisplay,
        fa.displays.ARPDisplay,
        fa.displays.RocCurveDisplay,
        fa.displays.PrecisionRecallDisplay,
    )
    titles = ("(a) ARAC curve", "(b) ARP curve", "(c) ROC curve", "(d) PR curve")
    sweeps = digits_sweeps()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 8.4), layout="constrained")
        for ax, display, title in zip(figure.subplots(2, 2).flat, displays, titles, strict=True):
            draw_curves(sweeps, display=display, ax=ax)
            ax.set_title(title)
        return as_svg(figure)


def experiment_2() -> str:
    """The columns of the paper's table 7 for the digits, each with its interval where there is one."""
    header = ["model", "ARAC-AUC", "normalised ARAC-AUC", "ARP-AUC"]
    header += ["normalised ARP-AUC", "ROC-AUC", "PR-AUC"]
    rows = []
    for name, sweep in digits_sweeps().items():
        cells = [
            with_interval(sweep, "arac_auc", 4),
            with_interval(sweep, "normalized_arac_auc", 4),
            with_interval(sweep, "arp_auc", 4),
            with_interval(sweep, "normalized_arp_auc", 4),
            with_interval(sweep, "roc_auc", 4),
            with_interval(sweep, "pr_auc", 4),
        ]
        rows.append([f"`{name}`", *cells])
    return markdown(header, rows)


MAKERS: dict[str, Callable[[], str]] = {
    "paper_figure_2.svg": figure_2,
    "paper_figure_3.svg": figure_3,
    "paper_figure_5.svg": figure_5,
    "paper_figure_6.svg": lambda: grid((1, 2, 3)),
    "paper_figure_7.svg": lambda: grid((4, 5)),
    "paper_figure_8.svg": figure_8,
    "paper_table_4.md": lambda: paper_table(TABLE_4, (0.01, 0.05)),
    "paper_table_6.md": lambda: paper_table(TABLE_6, (0.01, 0.02)),
    "paper_experiment_2.md": experiment_2,
}
