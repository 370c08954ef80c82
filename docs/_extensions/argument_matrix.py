"""The table of what takes weights, groups, a reviewer or prices, read off the signatures."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = ("sample_weight", "groups", "reviewer", "costs")
ITEMS = ("correct", "y_true", "models")  # first arguments of functions of items
OF_COUNTS = ("bcost", "bcost_delta")  # these as well, of items that are counted
SCIKIT_LEARN = "fastarac.dropins"

REASONS = {
    "figure": "Groups (pages, documents) say how much items depend on each other. That decides how "
    "sure a figure is and not the figure, so that intervals, bands and comparisons take them.",
    "untouched": "About the confidence, or about accepted outputs, which no reviewer sees.",
    "perfect": "An area of the curve with every error found; that of other people is the area under "
    "`arac_curve(…, reviewer=…)`.",
    "rate": "Rates and areas are without prices. `gamma=` of the normalised areas is a ratio of them.",
    "in_sweep": "A model may be a sweep, and a sweep of weighted items has their weights.",
    "counts": "The probability statement is about numbers of independent items.",
    "drop_in": "As in scikit-learn.",
    "ratios": "Its result is for all ratios of prices, or for those given as `gamma` and `delta`.",
    "chosen": "The threshold is chosen for people who find every error.",
    "published": "As its source defines it: people find every error.",
    "values": "One value an item: those of a group add up.",
}
# A column without a usual reason needs one for each function that does not take it.
USUAL = {"groups": "figure", "reviewer": "untouched", "costs": "rate"}
# Where a column's usual reason is not the one.
SPECIAL = {
    ("guaranteed_operating_point", "sample_weight"): "counts",
    ("costs.bcost", "sample_weight"): "counts",
    ("costs.bcost_delta", "sample_weight"): "counts",
    ("delong_test", "sample_weight"): "counts",
    ("costs.cost_curve_band", "sample_weight"): "counts",
    ("influence_values", "groups"): "values",
    **{(name, "reviewer"): "chosen" for name in ("bootstrap_threshold", "near_optimal_thresholds")},
    ("costs.preference_map", "sample_weight"): "in_sweep",
    ("costs.roc_convex_hull", "sample_weight"): "in_sweep",
    **{
        (name, "reviewer"): "perfect"
        for name in (
            "arac_area", "arac_auc_score", "normalized_arac_auc_score", "arac_partial_auc_score",
            "augrc_loss", "generalized_rc_curve", "asymptotic_interval", "bootstrap", "bootstrap_band",
            "compare_models", "influence_values",
        )
    },
    **{
        (f"costs.{name}", "costs"): "ratios"
        for name in (
            "arac_convex_hull", "cost_curve", "cost_curve_band", "performance_at_error_rate",
            "preference_map", "rejection_cost_curve", "roc_convex_hull",
        )
    },
    **{
        (f"costs.{name}", "reviewer"): "published"
        for name in (
            "accuracy_rejection_cost_curve", "arac_convex_hull", "bcost", "bcost_delta",
            "performance_at_error_rate",
        )
    },
}  # fmt: skip


def functions() -> dict[str, Callable[..., object]]:
    """Public functions of items, by their names."""
    found = {}
    for prefix, module in (("", fa), ("costs.", fa.costs)):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isfunction(value):
                continue
            if name in OF_COUNTS or next(iter(inspect.signature(value).parameters)) in ITEMS:
                found[prefix + name] = value
    return found


def matrix() -> str:
    lines = [f"| function | {' | '.join(f'`{name}=`' for name in COLUMNS)} |", "|---" * 5 + "|"]
    used: list[str] = []
    for name, function in functions().items():
        parameters = inspect.signature(function).parameters
        cells = []
        for column in COLUMNS:
            if column in parameters:
                cells.append("yes")
                continue
            drop_in = function.__module__.startswith(SCIKIT_LEARN) and column != "groups"
            reason = "drop_in" if drop_in else SPECIAL.get((name, column)) or USUAL[column]
            if reason not in used:
                used.append(reason)
            cells.append(f"– <sup>{used.index(reason) + 1}</sup>")
        lines.append(f"| {{fa}}`{name}` | {' | '.join(cells)} |")
    notes = [f"{number}. {REASONS[reason]}" for number, reason in enumerate(used, 1)]
    return "\n".join([*lines, "", *notes, ""])


MAKERS: dict[str, Callable[[], str]] = {"arguments.md": matrix}
