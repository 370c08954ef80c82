"""What is said of likely mistakes: the argument by its name, and what was meant."""

from __future__ import annotations

import re
import warnings

import pytest

import fastarac as fa


@pytest.mark.parametrize("given", [0.95, 1, 95])
def test_a_level_of_confidence_is_no_failure_probability(given):
    """Of 0.95 or 95, where 0.05 is meant, a guarantee would fail 19 times in 20."""
    pair, limit = ([1, 0, 1, 0], [0.9, 0.8, 0.2, 0.1]), {"max_error_rate": 0.1}
    wrong = {"failure_probability": given}
    calls = (
        lambda: fa.guaranteed_operating_point(*pair, **limit, **wrong),
        lambda: fa.evaluate(*pair, **limit, **wrong),
        lambda: fa.evaluate(*pair, max_error_rate=(), threshold=0.5, **wrong),
        lambda: fa.operation.fit_policy(*pair, **limit, **wrong),
        lambda: fa.operation.fit_policy(*pair, by=list("aabb"), **limit, **wrong),
        lambda: fa.operation.ErrorRateMonitor(**limit, **wrong),
        lambda: fa.operation.MonitorSet({"a": limit}, **wrong),
        lambda: fa.operation.sample_size_for_guarantee(0.1, 0.05, **wrong),
        lambda: fa.operation.sample_size_for_policy(expected_error_rate=0.05, **limit, **wrong),
        lambda: fa.operation.guarantee_power([100], 0.1, 0.05, **wrong),
        lambda: fa.operation.audit_plan(0.1, 0.2, **wrong),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"guarantee fails, such as 0\.05 for 95% confidence"):
            call()


def test_the_wrong_argument_is_named():
    with pytest.raises(TypeError, match=r"^thresholds has type <U.*not text such as '0\.9'$"):
        fa.guaranteed_operating_point([1, 0], [0.9, 0.1], max_risk=0.1, thresholds=[0.9, "a"])
    for thresholds in ([0.9, float("nan")], []):
        with pytest.raises(ValueError, match="thresholds must hold at least one number, all"):
            fa.guaranteed_operating_point([1, 0], [0.9, 0.1], max_risk=0.1, thresholds=thresholds)


def test_a_threshold_outside_the_probabilities():
    with pytest.raises(ValueError, match=r"must be in \[0, 1\], because y_score holds probabilities,"):
        fa.correctness([0, 1], [0.1, 0.9], threshold=50)
    correct, _ = fa.correctness([0, 1], [-3.0, 0.9], threshold=-2)
    assert correct.tolist() == [True, True]


def test_an_interval_wider_than_its_statistic():
    pair = ([1, 0, 1, 1] * 10, [0.4, 0.5, 0.6, 0.7] * 10)
    plan = fa.operation.sample_size_for_interval
    with pytest.raises(ValueError, match=r"half_width must be at most 0\.25, as arac_auc"):
        plan(*pair, statistic="arac_auc", half_width=5)
    assert plan(*pair, statistic="recognition_rate", half_width=0.5) > 1


class Table:
    columns = ("correct", "confidence")


PAIR = ([1, 0, 1, 0], [0.9, 0.8, 0.2, 0.1])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fa.report.write_report("r.html", PAIR), TypeError, "models must be a mapping of"),
        (
            lambda: fa.operation.apply_policy("p.json", "b.csv", accepted="a.csv", review="r.csv"),
            TypeError,
            r"policy must be a Policy, as Policy\.load reads it",
        ),
        (
            lambda: fa.operation.MonitorSet({"a": 0.1}),
            TypeError,
            r"limits\['a'\] must be a mapping such as \{'max_error_rate': 0\.01\}, got 0\.1",
        ),
        (
            lambda: fa.operation.MonitorSet(0.1),
            TypeError,
            "limits must be a mapping of names to limits, got",
        ),
        (
            lambda: fa.ocr.align("a", "b"),
            TypeError,
            r"must be Words, as fastarac\.ocr\.read_truth",
        ),
        (
            lambda: fa.io.read_outputs(Table()),
            TypeError,
            r"a Table \(fastarac\.frames takes data frames\)",
        ),
        (
            lambda: fa.evaluate(Table()),
            TypeError,
            r"\) or a ThresholdSweep \(fastarac\.frames\.evaluate",
        ),
        (
            lambda: fa.evaluate("a.csv"),
            TypeError,
            r"\) or a ThresholdSweep \(fastarac\.io\.read_outputs",
        ),
        (lambda: fa.arac_auc_score("a.csv"), TypeError, r"\(fastarac\.io\.read_outputs reads files\)"),
        (
            lambda: fa.frames.evaluate("a.csv", confidence="x", correct="y"),
            TypeError,
            r"pyarrow, DuckDB, PySpark or Dask, got type str \(fastarac\.io\.read_outputs",
        ),
        (
            lambda: fa.evaluate(*PAIR[::-1]),
            ValueError,
            "did you swap correct and confidence",
        ),
        (
            lambda: fa.evaluate([0.5, 1], [0.3, 0.1]),
            ValueError,
            "for grades, use threshold_sweep with graded=True",
        ),
        (lambda: fa.Statistic("arac"), ValueError, r"\(did you mean 'arac_auc'\?\)"),
        (lambda: fa.Statistic("ARAC_AUC"), ValueError, r"\(did you mean 'arac_auc'\?\)"),
        (lambda: fa.Statistic("roc-auc"), ValueError, r"\(did you mean 'roc_auc'\?\)"),
        (lambda: fa.Statistic("arac_auc_score"), ValueError, r"\(did you mean 'arac_auc'\?\)"),
        (
            lambda: fa.bootstrap(*PAIR, statistic="acceptance_at_error_rate:max_error_rate=0.05"),
            ValueError,
            r"\(.* Statistic\('acceptance_at_error_rate', max_error_rate=0\.05\)\)",
        ),
        (
            lambda: fa.guaranteed_operating_point(*PAIR, max_risk=0.5),
            TypeError,
            "max_risk needs thresholds that were fixed without these items:",
        ),
    ],
)
def test_what_was_meant_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_results_print_figures():
    assert str(fa.threshold_sweep(*PAIR)) == "4 items, 50.0% correct, 4 thresholds"
    found = fa.evaluate_groups(*PAIR, by=list("aabb"), metrics=["n", "recognition_rate"])
    assert str(found).split("\n") == [
        "group  n  recognition_rate", "a      2  0.5", "b      2  0.5",
    ]  # fmt: skip
    many = fa.evaluate_groups([1] * 21, [0.5] * 21, by=range(21), metrics="n")
    assert str(many).endswith("\nand 1 group more")
    models = {"a": PAIR, "b": (PAIR[0], [0.1, 0.2, 0.3, 0.4])}
    with pytest.warns(fa.UnreliableIntervalWarning):
        said = str(fa.compare_models(models, method="bootstrap", n_resamples=10))
    assert "best in: how often a model comes first in the resamples" in said


def test_one_is_not_several():
    with pytest.raises(ValueError, match="models must have at least 2 entries, got 1"):
        fa.compare_models({"a": PAIR})
    with pytest.raises(ValueError, match=r"models\['b'\]: correct\[0\] must be 0 \(incorrect\) or"):
        fa.compare_models({"a": PAIR, "b": ([2, 1, 0, 1], PAIR[1])})
    assert repr(fa.evaluate(*PAIR, max_error_rate=0.1)).endswith(", 1 limit)")
    only = fa.costs.preference_map({"a": PAIR}, gammas=[1.0], deltas=[1.0])
    assert repr(only).startswith("PreferenceMap(1 gamma x 1 delta, ")
    assert "(1 policy, " in repr(fa.operation.MonitorSet({"a": {"max_error_rate": 0.1}}))


def test_intervals_are_printed_with_their_level():
    policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    check = policy.check([1] * 397 + [0] * 3, range(400))
    assert re.search(r"is [0-9.]+% to [0-9.]+% with 90% confidence", str(check))
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01, failure_probability=0.1)
    monitor.update(1, 100)
    assert "% with 90% confidence)" in str(monitor)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"intervals": 0.9}, TypeError, r"intervals must be True or False, got 0\.9 \(float\)"),
        ({"intervals": "yes"}, TypeError, r"False, got 'yes' \(str\); confidence_level= sets"),
        ({"confidence_level": 0.9}, ValueError, "confidence_level needs intervals=True"),
    ],
)
def test_intervals_are_asked_for_by_yes_or_no(options, error, message):
    for evaluate in (
        fa.evaluate,
        lambda *pair, **given: fa.evaluate_groups(*pair, by=PAIR[0], **given),
    ):
        with pytest.raises(error, match=message):
            evaluate(*PAIR, **options)


def test_a_file_of_another_kind_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("correct,confidence\n")
    for load in (
        fa.operation.Policy.load,
        fa.operation.ErrorRateMonitor.load,
        fa.operation.MonitorSet.load,
    ):
        with pytest.raises(ValueError, match=r"a\.csv: it is not valid JSON"):
            load(path)


def test_one_group_is_said_to_be_one():
    with pytest.warns(fa.UnreliableIntervalWarning, match="^there is 1 group; "):
        fa.asymptotic_interval(*PAIR, groups=[0] * 4)


def test_warnings_point_to_the_caller():
    for call in (fa.evaluate, fa.guaranteed_operating_point, fa.operation.fit_policy):
        with pytest.warns(fa.SampleTooSmallWarning) as caught:
            call(*PAIR, max_error_rate=0.01, failure_probability=0.05)
        assert {warning.filename for warning in caught} == {__file__}


def test_warnings_from_any_depth_name_the_line_of_the_caller():
    items = [1] * 32 + [0], range(33)
    calls = (
        lambda: fa.evaluate(*items, intervals=True, groups=[k % 4 for k in range(33)]),
        lambda: fa.compare_models({"a": items, "b": (items[0], range(33, 0, -1))}),
        lambda: fa.evaluate([1, 1], [0.5, 0.4], intervals=True, groups=[0, 1]),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("labels", [[0.5, 1], [1.0, float("nan")], [0.25, 0.75], [1 + 0j, 0.5j]])
def test_fractions_are_no_classes(labels):
    with pytest.raises(ValueError, match=r"y_true must hold classes \(texts, booleans or"):
        fa.correctness(labels, [0.1, 0.9])
    named = fa.correctness([0.5, 1.0], [0.1, 0.9], classes=[0.5, 1.0])
    assert named[0].tolist() == [True, True]
    whole = fa.correctness([0.0, 1.0], [0.1, 0.9])
    assert whole[0].tolist() == [True, True]


def test_scores_in_the_place_of_labels():
    with pytest.raises(ValueError, match=r"numbers\), got 0\.1 \(y_true comes before y_score\);"):
        fa.correctness([0.1, 0.9], [0, 1])


@pytest.mark.parametrize(
    "function",
    [fa.bootstrap, fa.asymptotic_interval, fa.bootstrap_band, fa.evaluate, fa.arp_area],
)
def test_a_statistic_in_the_place_of_confidences(function):
    sweep = fa.threshold_sweep([1, 0, 1], [0.9, 0.2, 0.5])
    with pytest.raises(TypeError, match="pass other arguments by keyword, such as statistic='aurc'"):
        function(sweep, "aurc")
    with pytest.raises(TypeError, match="confidence cannot go with a ThresholdSweep"):
        function(sweep, [0.9, 0.2, 0.5])


def test_percentages_are_recognised():
    """A limit or a level of 5 is an error that says what 5% is."""
    with pytest.raises(ValueError, match=r"max_error_rate must be a number in \[0, 1\], got 5"):
        fa.operating_point([1, 0], [0.9, 0.1], max_error_rate=5)
    with pytest.raises(ValueError, match="confidence_level must be a number strictly"):
        fa.bootstrap([1, 0], [0.9, 0.1], confidence_level=95)
    with pytest.raises(ValueError, match=r", use fastarac\.correctness\)"):
        fa.arac_auc_score([1, 0], [[0.9, 0.1], [0.2, 0.8]])


def test_a_name_that_stands_elsewhere_is_pointed_out():
    with pytest.raises(AttributeError, match=r"no attribute 'bcost'; fastarac\.costs has one"):
        fa.bcost  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        fa.nothing  # noqa: B018
