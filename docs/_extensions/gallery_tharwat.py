"""Tharwat 2020 for the gallery: the two worked examples, and iris with PCA and an SVM."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from figures import BLUE, GREEN, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from tables import markdown

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Rows are predicted, columns are actual, as printed: figure 3 of the source.
THREE_CLASSES = [[80, 15, 0], [15, 70, 10], [5, 15, 90]]
PRINTED = {"sensitivity": ("0.8", "0.7", "0.9"), "specificity": ("0.93", "0.875", "0.9")}
IRIS_PRINTED = {
    "accuracy": 99.33,
    "sensitivity": 100.0,
    "specificity": 98.0,
    "precision": 99.01,
    "negative_predictive_value": 100.0,
}


def binary_example() -> str:
    measures = fa.measures.confusion_measures(tp=70, fp=20, fn=30, tn=80).compute()
    return markdown(["measure", "value"], [[f"`{k}`", f"{v:.4f}"] for k, v in measures.items()])


def three_classes() -> str:
    counts = fa.measures.class_counts(THREE_CLASSES)
    measures = fa.measures.confusion_measures(counts.tp, counts.fp, counts.fn, counts.tn)
    rows = []
    for name, printed in PRINTED.items():
        values = getattr(measures, name)
        rows += [
            [f"{name} of {label}", f"{value:.4g}", text]
            for label, value, text in zip("ABC", values, printed, strict=True)
        ]
    total = np.trace(THREE_CLASSES) / np.sum(THREE_CLASSES)
    rows.append(["accuracy", f"{total:.4g}", "(80 + 70 + 90)/(100 + 100 + 100)"])
    return markdown(["", "computed", "printed"], rows)


@cache
def iris_scores() -> tuple[Any, ...]:
    """For each class, whether an item is of it, and its score by a model of that class."""
    data = load_iris()
    model = make_pipeline(PCA(n_components=2), SVC(kernel="rbf"))
    folds = StratifiedKFold(5)
    return tuple(
        (
            name,
            data.target == k,
            cross_val_predict(model, data.data, data.target == k, cv=folds, method="decision_function"),
        )
        for k, name in enumerate(data.target_names)
    )


def tables_of_iris() -> Iterator[tuple[str, fa.measures.confusion.ConfusionMeasures]]:
    for name, actual, score in iris_scores():
        predicted = score > 0
        counts = fa.costs.prediction_counts(predicted, actual)
        (tn, fn), (fp, tp) = counts.tolist()
        yield str(name), fa.measures.confusion_measures(tp, fp, fn, tn)


def iris_figure() -> str:
    colors = (BLUE, ORANGE, GREEN)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 4), layout="constrained")
        roc, pr = figure.subplots(1, 2)
        for (name, actual, score), color in zip(iris_scores(), colors, strict=True):
            area = fa.roc_auc_score(actual, score)
            precision = fa.average_precision_score(actual, score)
            fpr, tpr, _ = fa.roc_curve(actual, score, drop_intermediate=False)
            roc.plot(fpr, tpr, color=color, label=f"{name} (AUC {area:.3f})", clip_on=False)
            heights, recall, _ = fa.precision_recall_curve(actual, score)
            pr.plot(recall, heights, color=color, label=f"{name} (AP {precision:.3f})", clip_on=False)
        roc.set(xlabel="False positive rate", ylabel="True positive rate", title="ROC curves")
        pr.set(xlabel="Recall", ylabel="Precision", title="Precision–recall curves", ylim=(0, 1.02))
        for ax in (roc, pr):
            ax.legend(frameon=False, loc="lower right" if ax is roc else "lower left")
        return as_svg(figure)


def iris_confusion() -> str:
    rows = [
        [name, *(f"{getattr(t, cell).item()}" for cell in ("tp", "fp", "fn", "tn"))]
        + [f"{100 * getattr(t, measure):.2f}" for measure in IRIS_PRINTED]
        for name, t in tables_of_iris()
    ]
    return markdown(["class", "TP", "FP", "FN", "TN", "Acc", "TPR", "TNR", "PPV", "NPV"], rows)


def iris_printed() -> str:
    """Which table the printed figures belong to."""
    swapped = fa.measures.confusion_measures(tp=100, fp=1, fn=0, tn=49)
    first = fa.measures.confusion_measures(tp=49, fp=0, fn=1, tn=100)
    rows = [
        [
            name,
            f"{printed:.4g}",
            f"{100 * getattr(swapped, name):.4g}",
            f"{100 * getattr(first, name):.4g}",
        ]
        for name, printed in IRIS_PRINTED.items()
    ]
    header = ["", "printed", "TP 100, FP 1, FN 0, TN 49", "TP 49, FP 0, FN 1, TN 100"]
    return markdown(header, rows)


MAKERS: dict[str, Callable[[], str]] = {
    "tharwat_binary.md": binary_example,
    "tharwat_three.md": three_classes,
    "tharwat_iris.svg": iris_figure,
    "tharwat_iris.md": iris_confusion,
    "tharwat_iris_printed.md": iris_printed,
}
