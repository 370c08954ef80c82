"""The public surface: how many names, what their parameters are called, what their results print as."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import typing
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn_plugin import NAMES as DROP_INS

import fastarac as fa
from fastarac._core.results import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST = 75  # names at the top besides the modules
RESULTS_AT_THE_TOP = {"ThresholdSweep", "Interval", "OperatingPoint", "Evaluation"}
# The modules of `adapters` need packages of their own: `tests/heavy` looks at them.
MODULES = [
    None,
    *(n for n in fa.__all__ if isinstance(getattr(fa, n), ModuleType) and n != "adapters"),
]
# What several items or curves are called that come first; `a` and `b` are two models.
FIRST = [("correct", "confidence"), ("y_true", "y_score"), ("y_true", "score_a", "score_b")]

# One name, one meaning. What stands here may be a parameter of anything public.
MEANINGS = {
    # Items, and what stands in for them
    "correct": "(n,) whether each output is right",
    "confidence": "(n,) real; accepted iff >= threshold (in `fa.io`, `fa.frames`: the column of that)",
    "y_true": "(n,) labels of the positives and negatives",
    "y_score": "(n,) scores of the positive label",
    "score_a": "(n,) scores of one of two models",
    "score_b": "(n,) scores of the other",
    "sample_weight": "(n,) weights of the items",
    "graded": "whether `correct` holds grades from 0 to 1",
    "corners_only": "whether thresholds inside runs of correct items are left out",
    "groups": "(n,) labels of items that depend on each other",
    "inclusion_probability": "(n,) with which probability each item was chosen to be verified",
    "open": "what becomes of items that were drawn and have no answer",
    "reference": "a policy, or outputs of the same source with their truth",
    "budget": "how many outputs to verify, on average",
    "indices": "(k,) which outputs are meant, from 0",
    "state": "file of what a search knows so far",
    "batch_file": "file of the outputs to verify next",
    "judge": "(n,) or (n, J) guesses at the probability of being right (of files: the column of that)",
    "mix": "share of the budget that is spread evenly",
    "purpose": "what the answers of a sample are for",
    "strata": "(n,) labels of parts that get their shares of the budget (of files: the column of that)",
    "folder": "where several files are written",
    "seed": "the first of several seeds",
    "answers": "the file with the truth of the outputs that were drawn",
    "double": "share of the drawn outputs that two people answer",
    "seconds": "time that a person takes for one output",
    "from_confidence": "the least confidence of an output that is counted",
    "paired": "what the models have in common: items, or groups",
    "by": "(n,) labels of items that are reported apart (in `fa.io`, `fa.frames`: the column of that)",
    "sweep": "a ThresholdSweep",
    "sweeps": "several sweeps of one model: the folds",
    "models": "a mapping of names to (correct, confidence) or sweeps",
    "a": "one of two models",
    "b": "the other",
    "thresholds": "(m,) confidences, of counts per confidence or fixed beforehand; of engines by name",
    "correct_counts": "(m,) correct items at each threshold",
    "incorrect_counts": "(m,) incorrect items at each threshold",
    "true_accepts": "(m + 1,) TA at each threshold",
    "false_accepts": "(m + 1,) FA at each threshold",
    "false_rejects": "(m + 1,) FR at each threshold",
    "true_rejects": "(m + 1,) TR at each threshold",
    # Limits and criteria
    "threshold": "the confidence from which items are accepted",
    "max_error_rate": "limit of errors among all items",
    "max_risk": "limit of errors among the accepted items",
    "max_false_discard_rate": "limit of correct discarded items among all items",
    "max_false_omission_rate": "limit of correct items among the discarded ones",
    "metric_func": "function of labels and predictions, such as scikit-learn's metrics",
    "metric_params": "further arguments of `metric_func`",
    "min_acceptance_rate": "the least share to accept",
    "interpolate": "whether part of a tie may be accepted",
    "limit": "one limit of those that a result was made for",
    "limits": "several limits of either kind",
    # Operation
    "expected_error_rate": "at the threshold, of outputs to come",
    "actual_error_rate": "that audits are to see",
    "power": "with which probability something is to be found",
    "accept": "the share of items that a fit is to accept",
    "icc": "correlation of errors within a group",
    "group_sizes": "sizes that groups have",
    "n_runs": "samples that are drawn",
    "design_effect": "by how much groups raise the variance",
    "difference": "of two rates",
    "discordance": "share of items on which two models differ",
    "half_width": "of an interval",
    "n_items": "numbers of outputs",
    "n_outputs": "number of outputs to come",
    "errors": "number of errors",
    "log": "a log of audits",
    "audited": "number of audits, (n,) which outputs were audited, or abscissae of a curve",
    "batch": "what names a batch of audits",
    "details": "what each audit was like",
    "ids": "what names each audit",
    "outcomes": "whether each audit found an error",
    "monitor": "an ErrorRateMonitor",
    "alarm_at": "audits at which an alarm was given",
    "changes_at": "audits at which there were alarms of a change",
    "deadline": "how long answers are waited for",
    "drawn_at": "when outputs were drawn",
    "detect": "which alarms a monitor gives",
    "mean_updates_to_false_alarm": "of changes, at least, while the limit is kept",
    "wanted": "the power that is wanted",
    "policy": "a Policy; in `fa.ocr`: what counts as an item",
    "accepted": "(n,) which outputs were accepted; for a file, the one of what is accepted",
    "rejected": "(n,) which outputs have no confidence, and are never accepted",
    "review": "the file of what people verify",
    "audit_probability": "with which probability an accepted output was audited",
    "drawn": "(n,) which outputs were drawn for an audit; in a file, the column that says so",
    "shift": "a ConfidenceShift",
    "check": "a PolicyCheck",
    "looks": "a Looks",
    "policy_digest": "what tells a policy from others",
    "sample": "the outputs of one look",
    "once": "whether this is the only look at outputs",
    "declared": "how many looks there will be at most",
    "candidates": "by name, in which arguments of fit_policy each differs",
    "common": "the arguments that all candidates share",
    "plan": "what sample_size_for_guarantee takes",
    "applied": "an AppliedPolicy",
    "field": "one of those of an AppliedPolicy",
    "fields": "names on an axis",
    "before": "quantiles before",
    "now": "quantiles of new confidences",
    "n_bins": "number of bins of confidences",
    "documents": "(n,) the document of each item, accepted as a whole",
    "rule": "how items make the confidence of a document",
    "optional": "the fields that an accepted document may lack",
    "types": "(n,) the type of each item's document; in a file, the column that says so",
    "fields_complete": "whether a field that a document has no row of has no true value",
    "text": "of a JSON file",
    "content": "of a JSON file, as a dict",
    "probability": "the largest error probability to accept",
    # Prices and people
    "costs": "VerificationCosts, or the costs of predictions (a CostMatrix)",
    "reviewer": "the people who verify what is rejected",
    "truth_reader": "the people whose answers are the truth",
    "called_right": "(n,) whether a judge calls each output right",
    "called_wrong": "number of outputs that a judge calls wrong",
    "estimated_from": "numbers of wrong and of right outputs from which the rates of a judge come",
    "double_readings": "errors that both of two readers found, only the first, only the second",
    "verification": "C_R",
    "correction": "C_C; in comparisons, that of several p-values",
    "error": "C_E",
    "stages": "those of a cascade: models, people and abstention, in their order",
    "stage": "one of them",
    "price": "of an item that reaches a stage",
    "abstains": "whether a stage gives no answer",
    "cascade": "a Cascade",
    "share": "of the items, what a stage decides",
    "cost_share": "of the cost, what falls to a stage",
    "within": "where a limit is kept",
    "baseline": "the cost without the decisions of a stage",
    "max_share": "the greatest share of the items that may reach a stage",
    "gamma": "γ, what verifying costs relative to correcting",
    "delta": "δ, what an error costs relative to correcting, less 1",
    "gammas": "several γ",
    "deltas": "several δ",
    "detection_rate": "share of the errors that people find",
    "false_alarm_rate": "share of the correct outputs that people spoil",
    "reject_cost": "λ, the relative cost of a rejected item",
    "benefits": "costs with the other sign",
    "probabilities": "(n, K) class probabilities",
    "cost_fn": "the cost of a false negative",
    "cost_fp": "the cost of a false positive",
    "p_positive": "share of the positives",
    "fpr": "false positive rates",
    "tpr": "true positive rates",
    "fnr": "false negative rates",
    "slopes": "slopes of lines of equal performance",
    "slope": "one of them",
    "low": "the least of them",
    "high": "the largest of them",
    "at": "a sweep or an operating point",
    # Curves and areas
    "estimator": "how an area is estimated",
    "optimum": "which best order the area is compared with",
    "acceptance_range": "an interval of acceptance rates",
    "fpr_range": "an interval of false positive rates",
    "recall_range": "an interval of recalls",
    "tpr_range": "an interval of true positive rates",
    "standardize": "how a partial area is put on one scale",
    "interpolation": "how precision goes between two points",
    "recall_levels": "where precision is read",
    "along": "which axis is held when curves are averaged",
    "grid": "where curves are read",
    "curve": "the name of a curve",
    # Counts in bins
    "edges": "(k + 1,) edges of bins of confidence",
    "single_valued": "(k,) which bins hold one confidence only",
    "best": "the best or the worst order inside the bins",
    "steps": "points inside a bin",
    "max_width": "of the bounds of the ROC-AUC",
    "max_memory": "bytes",
    "max_line": "bytes of a line, or of a row of a CSV file",
    "max_ratio": "bytes to which a compressed file expands, over its own",
    "data": "the bytes of a sketch",
    # Uncertainty
    "statistic": "the name of a statistic, a Statistic or a callable",
    "metrics": "the names of figures to compute",
    "metric": "the name of one figure",
    "figures": "an Evaluation",
    "name": "of a model, a stage, a statistic or a page",
    "parameters": "those of a statistic",
    "intervals": "whether to compute an Interval beside each figure",
    "confidence_level": "of an interval, in (0, 1)",
    "unseen_pages": "whether intervals have room for groups wrong throughout that were not seen",
    "failure_probability": "δ of a guarantee, in (0, 1)",
    "never_accepted": "the confidence at and below which no threshold accepts",
    "max_group_size": "items that a group has at most",
    "least_probability": "what all probabilities of being verified are at least, said beforehand",
    "scale": "declared scale of the confidences",
    "pilot": "other confidences of the same source, without truth",
    "n_resamples": "number of resamples",
    "random_state": "seed or generator",
    "n_threads": "number of threads",
    "n_workers": "number of processes",
    "stratified": "whether correct and incorrect items are resampled apart",
    "method": "of an interval or a test, or of counting the items of a frame",
    "kind": "pointwise or simultaneous",
    "progress": "whether to report it",
    "laplace": "λ, added to each count",
    # Tables of counts
    "counts": "a table of counts, or the four counts at thresholds",
    "measure": "the name of a measure",
    "measures": "several names of measures",
    "tolerance": "largest difference of a metric from the best one",
    "midpoints": "whether a threshold is halfway to the next lower confidence",
    "size": "number of thresholds at a time",
    "prediction_counts": "(K, K) rows predicted, columns actual",
    "predicted": "(n,) predicted labels",
    "predicted_1": "(n,) predicted labels of one of two models",
    "predicted_2": "(n,) predicted labels of the other",
    "actual": "(n,) true labels",
    "label": "the label of a part",
    "labels": "the classes and their order",
    "classes": "the classes, in the order of the columns of scores",
    "tp": "true positives",
    "fp": "false positives",
    "fn": "false negatives",
    "tn": "true negatives",
    "weights": "of disagreements, by their distance",
    "variant": "which definition of a measure",
    # Rankings
    "relevance": "of the ranked items, best rank first",
    "gains": "graded relevance of the ranked items",
    "judged_gains": "graded relevance of all judged items",
    "n_relevant": "number of relevant items in all",
    "k": "rank at which to stop",
    "discount": "how gains decrease with the rank",
    "rankings": "several rankings",
    "depth": "rank down to which rankings are pooled",
    "scores": "of the values to rank",
    "values": "to rank",
    # The drop-ins' own, as in scikit-learn
    "x": "abscissae",
    "y": "ordinates",
    "y1": "labels of one annotator",
    "y2": "labels of the other",
    "pos_label": "the label of the positives",
    "drop_intermediate": "whether to leave out points within a line",
    "average": "how several classes become one figure, or the curve that is drawn",
    "max_fpr": "the largest false positive rate",
    "multi_class": "one class against the others, or against each",
    "log_base": "of the discount",
    "ignore_ties": "whether there are none",
    "replace_undefined_by": "the value where there is none",
    # Synthetic items
    "n": "number of items",
    "weight_correct": "share of the correct items",
    "mean_correct": "mean before truncation",
    "sd_correct": "standard deviation before truncation",
    "mean_incorrect": "mean before truncation",
    "sd_incorrect": "standard deviation before truncation",
    # Pictures
    "ax": "matplotlib's axes",
    "options": "of matplotlib, or of the function that is named beside them",
    "area": "the area to write into the legend",
    "roc_auc": "the area to write into the legend",
    "average_precision": "the area to write into the legend",
    "equal_error_rate": "the rate to write into the legend",
    "prevalence_pos_label": "as in scikit-learn",
    "operating_points": "to mark on the curve",
    "acceptance_rate": "abscissae of a curve",
    "accuracy_after_correction": "ordinates of a curve",
    "precision": "ordinates of a curve",
    "recall": "abscissae of a curve",
    "coverage": "abscissae of a curve",
    "risk": "ordinates of a curve",
    "error_rate": "ordinates of a curve; never a limit",
    "rejection_rate": "abscissae of a curve",
    "accuracy": "ordinates of a curve",
    "cost": "ordinates of a curve",
    "normalized_cost": "ordinates of a curve",
    "normalized_expected_cost": "ordinates of a curve",
    "probability_cost": "abscissae of a curve",
    "rates": "the two rates of the points that cost lines are drawn of",
    "band": "to draw around a curve",
    "hull": "a ROCConvexHull",
    "preferences": "a PreferenceMap",
    "display": "a class of displays",
    "point_labels": "to write beside the marks",
    "folds": "displays of one curve",
    "band_kw": "options of Matplotlib for the bands of a picture",
    "curve_kwargs": "as in scikit-learn",
    "plot_thresholds": "whether to write thresholds beside the marks",
    "shade_areas": "whether to shade the two parts of the area",
    "plot_folds": "whether to draw each fold",
    "plot_cost_lines": "whether to draw the line of each threshold",
    # Files
    "path": "of a file",
    "prediction": "column of the outputs",
    "truth": "column or file of the truth, or its words",
    "model": "column of the models' names",
    "frame": "whose columns hold the items",
    "dialect": "of SQL",
    "table": "what SQL reads from",
    "weight": "column of the weights",
    "item": "column of what tells the items apart",
    "group": "column of the groups",
    "items": "numbers of the items to keep",
    "files": "several files, each of one or more models",
    "same_items": "whether all models must have the same items",
    "on_file": "what is called before each file",
    "keep_truth": "whether to keep the texts of the truth",
    "n_unread": "how many items have no output, or none with a confidence",
    "missed_rate": "share of the true words that have no output",
    "empty_truth": "whether an empty field is an empty truth",
    "empty_confidence": "whether outputs without a confidence are never accepted",
    "words": "of an OCR engine",
    "output": "file or folder of an engine's output",
    "pairing": "of files of truth and output",
    "compare": "when an output is right beside its truth: one comparison, or one by field",
    "releases": "by name, (n,) whether a release of a judge calls each anchor right",
    "rules": "comparisons of sums of fields, or of dates, that each document must keep",
    "rename": "the name that the truth has, by field of the outputs",
    "engines": "what each engine read, by their names",
    "combination": "what was learnt of engines from other pages",
    "agreement": "the rule of agreement in place of what is learnt",
    "n_folds": "number of parts of the pages, each combined by what the others teach",
    "value_key": "member of nested JSON that holds a value",
    "confidence_key": "member of nested JSON that holds a confidence",
    "skip_unmatched": "whether to leave out what has no partner",
    "unit": "what is an item: word, line, character or field",
    "missed": "the policy for missed words",
    "inserted": "the policy for inserted outputs",
    "moved": "the policy for words out of order",
    "fold": "differences between texts that do not count",
    "join": "how confidences of parts become one",
    "hyphenated": "what becomes of hyphenated words",
    "aligned": "AlignedOutputs",
    "records": "what became of each word",
    "reading": "which outputs an engine gave",
    "criterion": "the kind of a limit",
    "names": "of pages",
    "pages": "numbers of pages",
    "part": "which of a Words' columns",
    "read_options": "how files of OCR are read",
    "images": "folder with the images of pages",
    "attributes": "what is known of pages: quality, language and the like",
    "by_page": "whether items of a page depend on each other",
    "texts": "whether there may be what stands on the pages",
    "level": "whose text counts: regions, lines or words",
    "within_truth": "whether outputs outside the regions of the truth are left out",
    "regions": "of which parts of pages outputs are",
    "ignore_regions": "types of regions whose text does not count",
    "columns": "which column of a table of words holds what",
    "pattern": "of names of files",
    "truth_pattern": "of names of files with truth",
    "title": "of a report",
    "parts": "several Words",
}
# Names that mean one thing in a few places, and would be a second name of another thing elsewhere.
RATIOS = r"VerificationCosts\.from_ratios|TruncatedNormalMixture\.\w+"
ONLY_IN = {
    "gamma": rf"(normalized_)?ar(ac|p)_a\w+|evaluate_groups|{RATIOS}",
    "delta": RATIOS,
    "gammas": r"preference_map|PreferenceMapDisplay\.\w+",
    "deltas": r"preference_map|PreferenceMapDisplay\.\w+",
    "error_rate": r"GeneralizedRCDisplay|RejectionCostDisplay|(Monitor|Audit|FieldErrors)Display",
    "risk": r"RCDisplay",
    "weight": r"read_(outputs|models)|threshold_sweep|evaluate",
    "model": r"read_(outputs|models)",
    "item": r"read_(outputs|models)",
    "group": r"read_(outputs|models)",
    "weights": r"cohen_kappa_score",
    "sweeps": r"average_curves|AverageCurveDisplay\.\w+",
    "thresholds": r"ThresholdSweep(\.from_counts)?|(guaranteed|three_way)_operating_point|fit_policy"
    r"|\w+\.accepted_at|evaluate_cascade|compare_texts|net_benefit_curve",
    "correction": r"VerificationCosts|compare_models|compare_parts",
    "x": r"auc",
    "y": r"auc",
    "y1": r"cohen_kappa_score",
    "y2": r"cohen_kappa_score",
    "n": r"TruncatedNormalMixture\.sample",
}


def module_of(name: str | None) -> ModuleType:
    return fa if name is None else importlib.import_module(f"fastarac.{name}")


def is_result(value: Any) -> bool:
    """Say whether users get such objects, and do not make them: their fields are attributes."""
    if not isinstance(value, type):
        return False
    fields = dataclasses.is_dataclass(value) or hasattr(value, "_fields")
    return value.__name__ in fa.results.__all__ or (fields and value.__module__.startswith(HANDED_OUT))


# Modules whose classes hold what functions return; those of the others are made by users.
HANDED_OUT = tuple(f"fastarac.{module}" for module in ("ocr", "io", "datasets", "operation", "bounds"))


def public() -> Iterator[tuple[str, str, Any]]:
    """Module, name and value of what is public and can be called, warnings and errors left out."""
    for module in MODULES:
        for name in module_of(module).__all__:
            value = getattr(module_of(module), name)
            is_error = isinstance(value, type) and issubclass(value, Exception)
            if callable(value) and not is_error:
                yield f"fastarac.{module}" if module else "fastarac", name, value


PUBLIC = {f"{module}.{name}": value for module, name, value in public()}


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, the constructors that users call, and the public methods of classes."""
    for path, value in PUBLIC.items():
        if not is_result(value) or path == "fastarac.ThresholdSweep":
            yield path, value
        if isinstance(value, type):
            for name in vars(value):
                method = getattr(value, name)
                if not name.startswith("_") and (
                    inspect.isfunction(method) or inspect.ismethod(method)
                ):
                    yield f"{path}.{name}", method


CALLABLES = dict(callables())


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    found = inspect.signature(function).parameters.values()
    return [parameter for parameter in found if parameter.name not in {"self", "cls"}]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_all_is_what_dir_shows(module):
    found = module_of(module)
    assert sorted(found.__all__) == sorted(dir(found))
    assert len(set(found.__all__)) == len(found.__all__)
    assert not [name for name in found.__all__ if name.startswith("_")]


def test_the_top_is_small():
    names = {name for name in fa.__all__ if not isinstance(getattr(fa, name), ModuleType)}
    assert len(names) <= LARGEST
    assert {name for name in names if name in fa.results.__all__} == RESULTS_AT_THE_TOP


def test_no_name_stands_in_two_modules():
    """Result classes stand in `fa.results`, and some at the top too; `fa.frames` is for frames."""
    homes: dict[str, list[str]] = {}
    for path in PUBLIC:
        module, _, name = path.rpartition(".")
        if module != "fastarac.results":
            homes.setdefault(name, []).append(module)
    twice = {name for name, found in homes.items() if len(found) > 1}
    assert twice == {"evaluate", "threshold_sweep"}
    assert all(homes[name] == ["fastarac", "fastarac.frames"] for name in twice)


def test_items_come_first_and_the_rest_by_name():
    for path, function in CALLABLES.items():
        found = parameters(function)
        first = next((f for f in FIRST if tuple(p.name for p in found[: len(f)]) == f), None)
        if first and path.removeprefix("fastarac.") not in DROP_INS:
            rest = found[len(first) :]
            by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
            assert [p.name for p in rest if p.kind not in by_name] == [], path


def test_each_parameter_has_one_name_and_one_meaning():
    used = {}
    for path, function in CALLABLES.items():
        for parameter in parameters(function):
            used.setdefault(parameter.name, []).append(path)
    assert {name: paths for name, paths in used.items() if name not in MEANINGS} == {}
    for name, places in ONLY_IN.items():
        pattern = re.compile(rf"fastarac\.(\w+\.)?({places})")
        assert [path for path in used.get(name, ()) if not pattern.fullmatch(path)] == [], name
    assert set(MEANINGS) - set(used) == set()


@pytest.mark.parametrize("path", PUBLIC)
def test_docstrings_have_an_example(path):
    text = inspect.getdoc(PUBLIC[path])
    assert text
    assert is_result(PUBLIC[path]) or ">>>" in text


# --- What takes (correct, confidence) ----------------------------------------------------------

RNG = np.random.default_rng(7)
CONFIDENCE = RNG.random(3000).round(3)
CORRECT = RNG.random(3000) < 0.6 + 0.39 * CONFIDENCE
SWEEP = fa.threshold_sweep(CORRECT, CONFIDENCE)
PRICES = fa.VerificationCosts(1.0, 2.0, 5.0)
NEEDED: dict[str, dict[str, Any]] = {  # the arguments without a default
    "acceptance_at_error_rate": {"max_error_rate": 0.05},
    "acceptance_at_risk": {"max_risk": 0.05},
    "arac_partial_auc_score": {"max_error_rate": 0.05},
    "roc_partial_auc_score": {"fpr_range": (0.0, 0.1)},
    "pr_partial_auc_score": {"recall_range": (0.5, 1.0)},
    "operating_point": {"max_error_rate": 0.05},
    "guaranteed_operating_point": {"max_error_rate": 0.1},
    "three_way_operating_point": {"max_error_rate": 0.1, "max_false_discard_rate": 0.1},
    "fit_policy": {"max_error_rate": 0.1},
    "sample_size_for_policy": {"max_error_rate": 0.1, "n_runs": 20},
    "sample_size_for_interval": {"statistic": "roc_auc", "half_width": 0.01},
    "design_effect": {"groups": np.arange(3000) // 3, "threshold": 0.5},
    "expected_calibration_error": {"n_bins": 5},
    "bootstrap": {"n_resamples": 20, "random_state": 1},
    "bootstrap_band": {"n_resamples": 20, "random_state": 1},
    "bootstrap_threshold": {"measure": "f1", "n_resamples": 20, "random_state": 1},
    "near_optimal_thresholds": {"measure": "f1", "tolerance": 0.01},
    "cost_curve_band": {"n_resamples": 20, "random_state": 1},
    "evaluate_groups": {"by": CONFIDENCE > 0.5},
    "optimal_operating_point": {"costs": PRICES},
    "performance_at_error_rate": {"max_error_rate": 0.05, "costs": PRICES},
    "accuracy_rejection_cost_curve": {"costs": PRICES},
    "rejection_cost_curve": {"reject_cost": [0.1, 0.5]},
}
# What needs the items one by one, and cannot take counts.
ITEMS_ONLY = {
    "threshold_sweep", "evaluate_groups", "influence_values", "fit_policy", "calibration_table",
    "sample_size_for_policy",
    "design_effect", "expected_calibration_error",
}  # fmt: skip
TAKE_ITEMS = {
    path: function
    for path, function in PUBLIC.items()
    if not isinstance(function, type)
    and path != "fastarac.correctness"  # it makes them
    and path.removeprefix("fastarac.") not in DROP_INS
    and [p.name for p in parameters(function)][:2] in (["correct", "confidence"], ["y_true", "y_score"])
}


@pytest.mark.parametrize("path", TAKE_ITEMS)
def test_a_sweep_alone_gives_the_same_as_its_items(path):
    name, function = path.rpartition(".")[2], TAKE_ITEMS[path]
    result = function(CORRECT, CONFIDENCE, **NEEDED.get(name, {}))
    if not isinstance(result, np.ndarray):
        assert "\n" not in repr(result)
        assert type(result) is not tuple
    if isinstance(result, tuple):
        assert type(result).__name__ in fa.results.__all__
    if name not in ITEMS_ONLY:
        alone = function(SWEEP, **NEEDED.get(name, {}))
        assert same(alone, result)


@pytest.mark.parametrize("name", sorted(ITEMS_ONLY))
def test_what_needs_the_items_says_so_of_a_sweep(name):
    path = next(path for path in TAKE_ITEMS if path.rpartition(".")[2] == name)
    expected = r"needs \(correct, confidence\), because .*Sweep, which has no items"
    bins = fa.frames.BoundedSweep.from_bins([0, 1, 2], [1, 2], [1, 0])
    for call in (
        lambda: TAKE_ITEMS[path](SWEEP),  # whatever else is missing
        lambda: TAKE_ITEMS[path](correct=bins),
        lambda: TAKE_ITEMS[path](SWEEP, CONFIDENCE, **NEEDED.get(name, {})),
    ):
        with pytest.raises(TypeError, match=expected):
            call()


def test_the_reference_names_what_needs_the_items():
    page = (Path(__file__).parents[2] / "docs" / "api" / "index.md").read_text(encoding="utf-8")
    exceptions = page.partition("The exceptions need each item by itself")[2].partition(". ")[0]
    assert set(re.findall(r"`(?:\w+\.)?(\w+)`", exceptions)) == ITEMS_ONLY


def test_parameters_have_types():
    """`Any` is for thresholds and fields, of the type that the data have, and for any kind of frame."""
    of_any = {
        (path.removeprefix("fastarac."), parameter.name)
        for path, function in PUBLIC.items()
        for parameter in parameters(function)
        if parameter.annotation == "Any" and parameter.kind is not parameter.VAR_KEYWORD
    }
    names = {name for path, name in of_any if path != "Reviewer.errors"}  # numbers or arrays of counts
    thresholds = {"threshold", "accept_threshold", "discard_threshold"}
    assert names <= {"frame", "field", "estimator", "X", "rankings", *thresholds}


@pytest.mark.parametrize(
    "path", [path for path in TAKE_ITEMS if path.rpartition(".")[2] not in ITEMS_ONLY]
)
def test_a_sweep_or_both_arrays_are_expected(path):
    """Type checkers accept these calls: the second array is optional."""
    function, needed = TAKE_ITEMS[path], NEEDED.get(path.rpartition(".")[2], {})
    with pytest.raises(TypeError, match=r"(confidence|y_score) is missing"):
        function(CORRECT, **needed)
    with pytest.raises(TypeError, match="cannot go with a ThresholdSweep"):
        function(SWEEP, CONFIDENCE, **needed)


def test_overloads_differ_in_what_they_return():
    """Those that say only which arguments go together are left to the checks at run time."""
    overloaded = 0
    for function in {*PUBLIC.values(), *CALLABLES.values()}:
        returned = [each.__annotations__["return"] for each in typing.get_overloads(function)]
        assert len(set(returned)) == len(returned), function
        overloaded += bool(returned)
    assert overloaded > 10


def test_the_citation_is_of_this_version():
    text = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", text, re.MULTILINE) == [fa.__version__]
