"""The figure of the note on partial AUC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from figures import GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

Y_TRUE = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
PREDICTIONS = {
    "many": [0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
    "few": [1, 0, 0, 0, 1, 1, 1, 1, 1, 0],
    "no": [0, 0, 0, 0, 0, 0, 0, 0, 1, 1],
}
LIMIT = 0.3


def partial_auc() -> str:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 3.5), layout="constrained")
        for ax, (name, y_pred) in zip(figure.subplots(1, 3), PREDICTIONS.items(), strict=True):
            fpr, tpr, _ = fa.roc_curve(Y_TRUE, y_pred)
            whole = fa.roc_auc_score(Y_TRUE, y_pred)
            part = fa.roc_auc_score(Y_TRUE, y_pred, max_fpr=LIMIT)
            ax.plot(fpr, tpr, color=ORANGE, linewidth=2)
            ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--")
            ax.plot([LIMIT, LIMIT], [0, 1], color=GREY, linewidth=1, linestyle="-.")
            ax.set(xlabel="False positive rate", ylabel="True positive rate")
            ax.set_title(f"{name} false positives (auc: {whole:.2f}  pauc: {part:.2f})", fontsize=10)
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {"partial_auc.svg": partial_auc}
