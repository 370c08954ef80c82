"""Which measures of a confusion table change with more negatives: computed, and as Tharwat says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import markdown

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = {"tp": 70, "fp": 20, "fn": 30, "tn": 80}  # section 2.9.1
FACTORS = (1, 2, 10, 100)

# What sections 2.1 to 2.8 say of each measure; of some they say nothing.
SUITABLE = {
    "false_positive_rate", "false_negative_rate", "sensitivity", "specificity",
    "positive_likelihood_ratio", "negative_likelihood_ratio", "youden_index", "discriminant_power",
    "balanced_accuracy", "balanced_error_rate", "geometric_mean",
}  # fmt: skip
SENSITIVE = {
    "accuracy", "error_rate", "precision", "negative_predictive_value", "matthews_correlation", "f1",
    "markedness", "adjusted_geometric_mean", "optimized_precision", "jaccard",
}  # fmt: skip


def with_more_negatives(factor: int) -> dict[str, float]:
    cells = TABLE | {name: factor * TABLE[name] for name in ("fp", "tn")}
    return fa.measures.confusion_measures(**cells).compute()


def said(name: str) -> str:
    if name in SUITABLE:
        return "does not change"
    return "changes" if name in SENSITIVE else "–"


def imbalance() -> str:
    columns = [with_more_negatives(factor) for factor in FACTORS]
    rows = []
    for name, value in columns[0].items():
        changes = any(abs(column[name] - value) > 1e-12 * abs(value) for column in columns)
        computed = "changes" if changes else "does not change"
        source = said(name)
        if source not in ("–", computed):
            message = f"{name} {computed}, the source says that it {source}"
            raise AssertionError(message)
        values = [f"{column[name]:.4f}" for column in columns]
        rows.append([f"`{name}`", *values, computed, source])
    header = ["measure", *(f"α = {factor}" for factor in FACTORS), "computed", "Tharwat"]
    return markdown(header, rows)


MAKERS: dict[str, Callable[[], str]] = {"imbalance.md": imbalance}
