"""What all results have in common: equal by value, read-only, the same after pickling, and shown."""

from __future__ import annotations

import copy
import json
import math
import pickle
import pickletools
import re
import sys
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields, is_dataclass
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import fastarac as fa
from fastarac._core.export import BACKENDS, flat, html_of_columns, plain
from fastarac._core.results import Result, Table, TupleResult, in_one_line
from fastarac.dropins.curves import DropIn
from fastarac.results import HarnessOutputs

CORRECT, CONFIDENCE = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
SWEEP = fa.threshold_sweep(CORRECT, CONFIDENCE)
BINS = fa.frames.BoundedSweep.from_bins([0, 0.5, 0.9, 1], [10, 30, 50], [20, 5, 1])
PRICES = fa.VerificationCosts(1, 2, 3)
MANY = [1, 0] * 60, np.arange(120) / 120
COUNTS = [[85, 3], [5, 7]]
COST_MATRIX = [[0, 5], [1, 0]]


def _monitor():
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    monitor.update(2, 50)
    return monitor


def _accuracy(y_true, y_pred, sample_weight):
    return np.average(y_true == y_pred, weights=sample_weight)


def _policy():
    return fa.operation.fit_policy([1] * 300, range(300), max_error_rate=0.01)


def _log(folder):
    path = folder / "log.csv"
    path.write_text(
        "confidence,accepted,audited,audit_probability,correct\n0.9,1,1,0.5,1\n0.3,0,0,,0\n"
    )
    return fa.operation.read_audits(path, threshold=0.5)


def _applied(folder):
    path = folder / "outputs.csv"
    path.write_text("confidence\n299\n3\n")
    return fa.operation.apply_policy(
        _policy(), path, accepted=folder / "accepted.csv", review=folder / "review.csv"
    )


def _models(folder):
    for name in "ab":
        rows = "1,0.9,x,7,2\n0,0.5,y,8,1\n"
        (folder / f"{name}.csv").write_text(f"correct,confidence,field,page,w\n{rows}")
    files = {name: folder / f"{name}.csv" for name in "ab"}
    return fa.io.read_models(files, by="field", group="page", weight="w")


def _applied_fields(folder):
    path = folder / "new.csv"
    path.write_text("document,field,prediction,confidence\na,total,7,300\na,date,,\n")
    policy = fa.operation.fit_policy(
        [1] * 400, range(400), by=["total", "date"] * 200, max_error_rate=0.05,
        documents=np.arange(400) // 2,
    )  # fmt: skip
    return fa.ocr.apply_to_fields(policy, path)


def _week(folder):
    """Return a week; `run_week` needs Jinja, which not every Python here has."""
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.1)
    monitor.update(3, 40)
    return fa.results.PolicyWeek(
        number=2, folder=str(folder), n_files=1, is_new=True, applied=_applied(folder), drawn=40,
        answered=40, reviewed=0, known=0, late=0, known_files=0, open=38, counted=1,
        criterion="max_error_rate", limit=0.1, errors=3, audited=40, unanswered=0,
        rate=monitor.interval, alarm=False, changes=(), changed=False, since=None,
        check=_policy().check([1] * 300, range(300)), check_left_out=False, verified="", n_verified=0,
        failure_probability=0.05, monitor_failure_probability=0.05,
    )  # fmt: skip


def _drift():
    return fa.operation.judge_drift([1, 1, 0, 0], {"v1": [1, 1, 0, 0], "v2": [1, 0, 0, 1]})


def _fields(folder):
    path = folder / "fields.csv"
    path.write_text("document,field,prediction,confidence,truth\n1,date,2024-01-02,0.9,2024-01-02\n")
    return fa.ocr.read_fields(path)


def _documents(folder):
    path = folder / "documents.csv"
    rows = "1,total,7.0,0.9,7\n1,date,2024-01-02,0.8,2024-01-02\n2,total,8,0.7,9\n"
    path.write_text(f"document,field,prediction,confidence,truth\n{rows}")
    return fa.ocr.read_fields(path, compare={"total": "number"})


def _pairing():
    folders = fa.ocr.sample_folders()
    return fa.ocr.pair_files(folders.truth, folders.outputs["plain"])


def _attributes():
    return fa.ocr.read_attributes({"page": ["p", "q"], "quality": ["scan", "photo"]})


def _attribute_figures():
    page = np.array([0, 0, 1, 1])
    truth = fa.ocr.Words(("a", "b", "c", "d"), np.full(4, np.nan), page, page, ("p", "q"))
    words = fa.ocr.Words(("a", "x", "c", "d"), [9, 8, 7, 6], page, page, ("p", "q"), scale="percent")
    limit = fa.results.Limit("max_risk", 0.5)
    return fa.ocr.evaluate_attributes(fa.ocr.align(truth, words), _attributes(), [limit])


def _aligned():
    texts, page = ("No", "fine", "day"), np.zeros(3)
    truth = fa.ocr.Words(texts, np.full(3, np.nan), page, page, ("p",))
    words = fa.ocr.Words(("N0", "fine"), [71, 42], page[1:], page[1:], ("p",), scale="percent")
    return fa.ocr.align(truth, words, missed="reject")


def _evaluation():
    return fa.evaluate(*MANY, max_error_rate=[0.3], intervals=True, failure_probability=0.1)


def _verified(folder):
    path = folder / "verified.csv"
    path.write_text("confidence,correct,inclusion_probability\n0.9,1,0.5\n0.8,,\n0.3,0,0.5\n")
    return fa.partial_truth.read_verified(path)


def _partial():
    correct = np.where(np.arange(200) % 3 == 0, np.arange(200) % 2, np.nan)
    return fa.PartialTruth(correct, inclusion_probability=1 / 3)


# One of every class in `fa.results`, each made as a user makes it; those in files get a folder.
EXAMPLES = {
    "ARACCurve": lambda _: fa.arac_curve(CORRECT, CONFIDENCE),
    "ARACHull": lambda _: fa.costs.arac_convex_hull(CORRECT, CONFIDENCE),
    "ARPCurve": lambda _: fa.arp_curve(*MANY),
    "NetBenefitCurve": lambda _: fa.net_benefit_curve(CORRECT, CONFIDENCE),
    "AcceptanceCounts": lambda _: SWEEP.at([[0.5, 0.7]]),
    "AccuracyRejectionCostCurve": lambda _: fa.costs.accuracy_rejection_cost_curve(SWEEP, costs=PRICES),
    "AccuracyRejectionCurve": lambda _: fa.accuracy_rejection_curve(SWEEP),
    "AppliedPages": lambda _: fa.ocr.apply_to_files(
        _policy(), fa.ocr.sample_folders().outputs["plain"] / "receipt_ironmonger.tsv"
    ),
    "AppliedPolicy": _applied,
    "AuditColumns": _log,
    "JudgeDrift": lambda _: _drift(),
    "JudgedRelease": lambda _: _drift().releases[1],
    "AuditPlan": lambda _: fa.operation.audit_plan(0.01, 0.02),
    "AverageCurve": lambda _: fa.measures.average_curves([SWEEP] * 2, grid=[0.5, 1.0]),
    "AveragedMeasures": lambda _: fa.measures.class_counts([[8, 1], [2, 9]]).macro(),
    "BestThreshold": lambda _: fa.measures.confusion_measures(SWEEP).best("f1"),
    "BoundedEvaluation": lambda _: fa.evaluate(BINS),
    "BoundedLimitEvaluation": lambda _: fa.evaluate(BINS).limits[0],
    "BoundedOperatingPoint": lambda _: fa.operating_point(BINS, max_error_rate=0.1),
    "BreakEvenPoint": lambda _: fa.break_even_point(CORRECT, CONFIDENCE),
    "Calibration": lambda _: fa.operation.isotonic_calibration(CORRECT, CONFIDENCE),
    "CalibrationError": lambda _: fa.operation.expected_calibration_error(*MANY),
    "CalibrationTable": lambda _: fa.operation.calibration_table(CORRECT, CONFIDENCE),
    "ClassCounts": lambda _: fa.measures.class_counts([[8, 1], [2, 9]]),
    "ConfidenceBand": lambda _: fa.bootstrap_band(*MANY, n_resamples=3, random_state=0),
    "ConfidenceShift": lambda _: _policy().shift(CONFIDENCE),
    "ConfusionMatrixAtThresholds": lambda _: fa.confusion_matrix_at_thresholds(CORRECT, CONFIDENCE),
    "MetricAtThresholds": lambda _: fa.metric_at_thresholds(CORRECT, CONFIDENCE, _accuracy),
    "ConfusionMeasures": lambda _: fa.measures.confusion_measures([70, 0], 20, [30, 100], 80),
    "Cascade": lambda _: fa.costs.optimize_cascade(
        [
            fa.costs.Stage("model", 1, correct=CORRECT, confidence=CONFIDENCE),
            fa.costs.Stage("people", 2),
        ],
        max_error_rate=0.1,
    ),
    "CornerSweep": lambda _: fa.threshold_sweep(CORRECT, CONFIDENCE, corners_only=True),
    "CostCurve": lambda _: fa.costs.cost_curve(CORRECT, CONFIDENCE),
    "CostCurveBand": lambda _: fa.costs.cost_curve_band(CORRECT, CONFIDENCE, random_state=0),
    "CostDifference": lambda _: fa.costs.bcost_delta(
        CORRECT, CORRECT[::-1], CORRECT, COST_MATRIX, laplace=0, random_state=0
    ),
    "CostEvaluation": lambda _: fa.evaluate(*MANY, costs=fa.VerificationCosts(1, 2, 9)).cost_evaluation,
    "CostInterval": lambda _: fa.costs.bcost(COUNTS, [COST_MATRIX] * 2, laplace=0, random_state=0),
    "CurveBounds": lambda _: fa.arac_curve(BINS),
    "CurveArea": lambda _: fa.arac_area(CORRECT, CONFIDENCE),
    "DETCurve": lambda _: fa.det_curve(CORRECT, CONFIDENCE),
    "DeLongTest": lambda _: fa.delong_test(MANY[0], MANY[1], MANY[1][::-1]),
    "EqualErrorRate": lambda _: fa.equal_error_rate(CORRECT, CONFIDENCE),
    "Evaluation": lambda _: _evaluation(),
    "GeneralizedRCCurve": lambda _: fa.generalized_rc_curve(SWEEP),
    "GroupEvaluation": lambda _: fa.evaluate_groups(CORRECT, CONFIDENCE, by=list("aabbb")),
    "GuaranteedOperatingPoint": lambda _: _evaluation().limits[0].guaranteed,
    "HarnessOutputs": lambda _: HarnessOutputs(*np.array([[1, 0.5], [0.9, 0.4], [1, 2]])),
    "HullVertex": lambda _: fa.costs.roc_convex_hull({"a": SWEEP})[1],
    "Interval": lambda _: fa.bootstrap(*MANY, n_resamples=3, random_state=0),
    "LeadDifference": lambda _: EXAMPLES["PartComparison"](None).leads[0],
    "Limit": lambda _: _evaluation().limits[0].limit,
    "LimitEvaluation": lambda _: _evaluation().limits[0],
    "ModelComparison": lambda _: fa.compare_models(
        {"a<b": MANY, "c": (MANY[0], MANY[1][::-1])},
        statistic=fa.Statistic("acceptance_rate", threshold=0.1),
    ),
    "MonitorHistory": lambda _: _monitor().history(),
    "OperatingPoint": lambda _: fa.operating_point(
        [0, 0], [1, 2], max_error_rate=0.2, reviewer=fa.Reviewer(detection_rate=0.9)
    ),
    "PairDifference": lambda _: EXAMPLES["ModelComparison"](None).pairs[0],
    "PartComparison": lambda _: fa.compare_parts(
        {"a<b": MANY, "c": (MANY[0], MANY[1][::-1])}, np.arange(len(MANY[0])) % 2
    ),
    "PolicyChoice": lambda _: fa.operation.fit_policies(
        {"a": {}, "b": {"max_group_size": 3}},
        correct=[1] * 300,
        confidence=range(300),
        groups=np.arange(300) // 3,
        max_error_rate=0.1,
    ),
    "PolicyCheck": lambda _: _policy().check([1] * 300, range(300)),
    "PolicyWeek": _week,
    "PolicySampleSize": lambda _: fa.operation.sample_size_for_policy(
        max_error_rate=0.1, expected_error_rate=0.01, n_runs=20
    ),
    "PrecisionRecallCurve": lambda _: fa.precision_recall_curve(CORRECT, CONFIDENCE),
    "PreferenceMap": lambda _: fa.costs.preference_map({"a": SWEEP}, gammas=[0.1], deltas=[0, 2]),
    "RCCurve": lambda _: fa.rc_curve(SWEEP),
    "ROCConvexHull": lambda _: fa.costs.roc_convex_hull({"a": SWEEP}),
    "ROCCurve": lambda _: fa.roc_curve(*MANY),
    "Reference": lambda _: _policy().references[0],
    "RejectionCostCurve": lambda _: fa.costs.rejection_cost_curve(SWEEP),
    "SampleSizes": lambda _: fa.operation.sample_size_for_guarantee(0.1, 0.01),
    "Scorer": lambda _: fa.make_scorer("aurc"),
    "ThreeWayPoint": lambda _: fa.three_way_operating_point(
        *MANY, max_error_rate=0.2, max_false_discard_rate=0.2, failure_probability=0.4
    ),
    "SweepMeasures": lambda _: fa.measures.confusion_measures(fa.threshold_sweep(*MANY)),
    "NearOptimalThresholds": lambda _: fa.near_optimal_thresholds(SWEEP, measure="f1", tolerance=0.1),
    "ThresholdBootstrap": lambda _: fa.bootstrap_threshold(
        *MANY, measure="f1", n_resamples=3, random_state=0
    ),
    "ThresholdSweep": lambda _: fa.threshold_sweep(CORRECT, CONFIDENCE),
    "EstimatedSweep": lambda _: fa.threshold_sweep(_partial(), range(200)),
    "VerifiedOutputs": _verified,
    "PartialTruth": lambda _: _partial(),
    "ConfidenceBasedEstimate": lambda _: fa.partial_truth.confidence_based_estimate(
        (CORRECT, CONFIDENCE), CONFIDENCE
    ),
    "VerificationSample": lambda _: fa.partial_truth.draw_verification_sample(
        CONFIDENCE, 2, random_state=1
    ),
    "AlignedOutputs": lambda _: _aligned(),
    "AppliedFields": _applied_fields,
    "DocumentOutputs": lambda folder: _fields(folder).documents(),
    "ErrorRates": lambda _: _aligned().error_rates(),
    "FieldOutputs": _fields,
    "Sensitivity": lambda _: fa.ocr.sensitivity(_aligned(), [fa.results.Limit("max_risk", 0.5)]),
    "AppliedPageCounts": lambda _: EXAMPLES["AppliedPages"](None).pages,
    "AbsentField": lambda folder: _documents(folder).absent_fields(0.5)[0],
    "FieldCounts": lambda folder: _fields(folder).by_field(0.5)[0],
    "FoldedField": lambda folder: _documents(folder).folded[0],
    "StraightThrough": lambda folder: _fields(folder).straight_through(0.5),
    "Attribute": lambda _: _attributes().attributes[0],
    "PageAttributes": lambda _: _attributes(),
    "AttributeFigures": lambda _: _attribute_figures(),
    "AttributeAtLimit": lambda _: _attribute_figures().at[0],
    "CombinedFields": lambda folder: fa.ocr.combine_fields(
        {"a": _fields(folder), "b": _fields(folder)}, agreement="exact"
    ),
    "CombinedOutputs": lambda _: fa.ocr.combine(fa.ocr.load_sample().outputs),
    "ComparedTexts": lambda _: fa.ocr.compare_texts({"a": _aligned()}),
    "FileInspection": lambda _: fa.ocr.inspect_file(_pairing().pairs[0].output),
    "PageCounts": lambda _: _aligned().pages,
    "Pair": lambda _: _pairing().pairs[0],
    "Pairing": lambda _: _pairing(),
    # of modules whose classes are not listed in `fa.results`
    "Stage": lambda _: fa.costs.Stage("model", 1, correct=CORRECT, confidence=CONFIDENCE),
    "CostMatrix": lambda _: fa.costs.CostMatrix(COST_MATRIX),
    "BoundedSweep": lambda _: BINS,
    "Bounds": lambda _: BINS.roc_auc,
    "Records": lambda _: _aligned().records,
    "Words": lambda _: fa.ocr.load_sample().truth,
    "Labels": lambda folder: _models(folder).outputs["a"].by,
    "Models": _models,
    "Outputs": lambda folder: _models(folder).outputs["a"],
    "DigitsOCR": lambda _: fa.datasets.load_digits_ocr(),
}


@pytest.fixture(params=EXAMPLES)
def make(request, tmp_path):
    return lambda: EXAMPLES[request.param](tmp_path)


MADE = {}


@pytest.fixture
def made(request, make):
    """A result that tests share, none of which changes it: it is read-only."""
    name = request.node.callspec.params["make"]
    if name not in MADE:
        MADE[name] = make()
    return MADE[name]


def inside(value):
    """All that a result is made of, in depth: of other results, tuples and mappings too."""
    if isinstance(value, tuple):
        parts = list(value)
    elif isinstance(value, Mapping):
        parts = list(value.values())
    elif is_dataclass(value):
        parts = [getattr(value, f.name) for f in fields(value)]
    else:
        return [value]
    return [value, *(each for part in parts for each in inside(part))]


def arrays(value):
    return [each for each in inside(value) if isinstance(each, np.ndarray)]


def test_there_is_one_of_every_class():
    assert set(fa.results.__all__) <= set(EXAMPLES)
    for name in fa.results.__all__:
        assert issubclass(getattr(fa.results, name), Result | TupleResult), name


@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
class TestEvery:
    def test_is_of_its_class(self, request, made):
        name = request.node.callspec.params["make"]
        assert type(made).__name__ == name

    @pytest.mark.pickles
    def test_copies_are_equal_and_read_only(self, make):
        first = make()
        name = first._fields[0] if isinstance(first, tuple) else fields(first)[0].name
        copies = copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first))
        for other in (make(), *copies):
            assert type(other) is type(first)
            assert other == first
            assert not other != first  # noqa: SIM202
            for array in arrays(other):
                assert array.flags.writeable == isinstance(first, DropIn)  # as scikit-learn's are
                if isinstance(first, DropIn):
                    continue
                with pytest.raises(ValueError, match="read-only"):
                    array[...] = 0
            for each in inside(other):
                assert not isinstance(each, list | set | bytearray)
                if isinstance(each, Mapping):
                    with pytest.raises(TypeError, match="does not support item assignment"):
                        each["n"] = 0
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(first, name, None)
        assert first != "something else"
        if arrays(first):
            with pytest.raises(TypeError, match=r"unhashable type: 'numpy\.ndarray'"):
                hash(first)
        else:
            assert {hash(other) for other in copies} == {hash(first)}

    @pytest.mark.pickles
    def test_pickles_name_public_modules_alone(self, made):
        """Files inside the package may be moved, and a pickle is read all the same."""
        written = pickletools.genops(pickle.dumps(made))
        names = {found for _, found, _ in written if isinstance(found, str)}
        ours = {name.partition(":")[0] for name in names if re.match(r"fastarac[\w.]*(:\w+)?$", name)}
        assert ours
        public = {"fastarac", *(f"fastarac.{name}" for name in fa.__all__)}
        private = {
            "fastarac.ocr.words.policies",
            "fastarac.ocr.words.records",
        }  # of parts that have no public name
        assert ours <= public | private

    def test_is_represented_in_one_line(self, made):
        assert "\n" not in repr(made)

    def test_is_a_flat_dictionary_for_json(self, made):
        found = made.to_dict()
        assert found
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert not any(isinstance(value, dict) for value in found.values())

    def test_is_a_table_in_notebooks(self, made):
        reader = _Reader()
        shown = made._repr_html_()
        assert not re.search("(color|background)\\s*:", shown)  # read on light and on dark ones
        reader.feed(shown)
        reader.close()
        assert reader.open == []
        assert reader.tables
        for table in reader.tables:
            assert len({len(row) for row in table}) == 1  # no ragged rows
            cells = [cell for row in table for cell in row]
            assert not [cell for cell in cells if "array(" in cell or cell.startswith(("(", "["))]


class _Reader(HTMLParser):
    """Reads tables, and fails where an element is not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tables = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
def test_every_result_becomes_a_frame(made):
    columns = made.to_columns()
    assert columns
    assert isinstance(made, Table) or list(columns) == list(made.to_dict())
    lengths = {len(column) for column in columns.values()}
    assert len(lengths) == 1
    for backend in BACKENDS:
        frame = made.to_frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        assert list(getattr(frame, "column_names", getattr(frame, "columns", None))) == list(columns)
        assert {len(frame)} == lengths
    assert made.to_frame().equals(made.to_frame("pandas"))


@pytest.mark.pickles
@pytest.mark.parametrize(
    "value",
    [
        PRICES, fa.Reviewer(detection_rate=0.9), fa.Statistic("acceptance_rate", threshold=0.1),
        fa.synthetic.PAPER_CASES[1], fa.results.Limit("max_risk", 0.5),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_copies_of_arguments(value):
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
        with pytest.raises(FrozenInstanceError):
            setattr(other, fields(value)[0].name, None)


@pytest.mark.pickles
def test_no_class_keeps_a_state_of_its_own():
    """Frozen dataclasses with slots lose these methods in Python 3.11.0 to 3.11.3."""
    package = Path(fa.__file__).parent
    for path in package.rglob("*.py"):
        assert "def __getstate__" not in path.read_text(encoding="utf-8"), path
        assert "def __setstate__" not in path.read_text(encoding="utf-8"), path


def test_vast_integers():
    sweep = fa.threshold_sweep([1, 0], np.array([2**63, 1], np.uint64))
    assert pickle.loads(pickle.dumps(sweep)) == sweep
    assert sweep.to_dict()["thresholds"] == [None, 2**63, 1]
    assert sweep.to_frame()["thresholds"].tolist() == [math.inf, 2**63, 1]


def test_items_and_pairs_are_rows(tmp_path):
    point = fa.operating_point(SWEEP, threshold=0.6).to_frame()
    assert point[["threshold", "acceptance_rate"]].to_numpy().tolist() == [[0.6, 0.8]]
    bounds = fa.arac_curve(BINS).to_frame()
    assert bounds["order"].unique().tolist() == ["worst", "best"]
    verified = _verified(tmp_path).to_frame()
    assert verified["correct"].isna().tolist() == [False, True, False]
    assert list(verified) == ["correct", "inclusion_probability", "confidence"]
    assert _models(tmp_path).outputs["a"].to_frame()["by"].tolist() == ["x", "y"]
    assert _attributes().to_frame()["quality"].tolist() == ["scan", "photo"]
    assert len(_pairing().to_frame()) == len(_pairing().pairs)
    assert _documents(tmp_path).to_frame()["truth"].tolist() == ["7", "2024-01-02", "9"]
    assert _applied_fields(tmp_path).to_frame()["prediction"].isna().tolist() == [False, True]


def test_frames_hold_the_columns():
    frame = SWEEP.to_frame("polars")
    assert frame["true_accepts"].to_list() == SWEEP.true_accepts.tolist()
    curve = fa.precision_recall_curve([0, 1], np.array([3, 4])).to_frame()
    assert curve["thresholds"].tolist() == [3, 4, None]
    assert math.isnan(fa.precision_recall_curve([0, 1], [0.5, 0.6]).to_frame()["thresholds"].iloc[-1])
    preferences = fa.costs.preference_map({"a": SWEEP}, gammas=[0.1], deltas=[0, 2]).to_frame()
    assert preferences["delta"].tolist() == [0, 2]
    assert preferences["best"].tolist() == ["a", "a"]
    with pytest.raises(ValueError, match="backend must be one of 'pandas', 'polars', 'pyarrow'"):
        SWEEP.to_frame("spark")


def test_frames_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ModuleNotFoundError, match="polars is not installed; run: pip install polars"):
        SWEEP.to_frame("polars")


def test_what_is_inside_is_named_after_it():
    point = fa.operating_point(SWEEP, threshold=0.6, reviewer=fa.Reviewer(detection_rate=0.9))
    found = point.to_dict()
    assert found["threshold"] == 0.6
    assert found["acceptance_rate"] == 0.8
    assert found["reviewer_detection_rate"] == 0.9
    test = fa.delong_test(MANY[0], MANY[1], MANY[1][::-1])
    assert test.to_dict()["interval_low"] == test.interval.low
    compared = EXAMPLES["ModelComparison"](None)
    assert compared.to_dict()["threshold"] == 0.1
    assert compared.to_dict()["pairs_a"] == ["a<b"]
    assert "a&lt;b" in compared._repr_html_()


def test_values_of_other_types():
    assert plain(np.array([1.5, math.inf])) == [1.5, None]
    assert plain(np.array(["2024-01-02"], "M8[ns]")) == ["2024-01-02T00:00:00.000000000"]
    assert plain((np.float32(0.5), Fraction(1, 3), None)) == [0.5, "1/3", None]
    assert flat({"a": {"b": -math.inf}, 1: ()}) == {"a_b": None, "1": []}


def test_texts_of_users_are_no_html():
    """Nothing that a file says is run in a notebook, or fills it."""
    script = "<script>alert('&')</script>"
    words = fa.ocr.Words((script, "x" * 5000), [np.nan] * 2, [0, 0], [0, 0], (script,))
    for shown in (words._repr_html_(), html_of_columns({script: [script, "b"]})):
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
        assert len(shown) < 2000


def test_long_tables_show_their_ends():
    shown = html_of_columns({"x": np.arange(100)})
    reader = _Reader()
    reader.feed(shown)
    assert [row[0] for row in reader.tables[0]] == [
        "x", *map(str, range(8)), "…", *map(str, range(92, 100)),
    ]  # fmt: skip
    assert "100 rows" in shown


def test_an_array_that_is_given_stays_writable():
    given = np.array([1.0, 2.0])
    interval = fa.Interval(0.5, 0.4, 0.6, 0.1, 0.95, "percentile", given)
    assert given.flags.writeable
    assert not interval.distribution.flags.writeable
    assert interval != fa.Interval(0.5, 0.4, 0.6, 0.1, 0.95, "percentile", np.array([1.0, 3.0]))
    assert repr(interval) == "Interval(0.5 [0.4, 0.6], 95%, percentile)"


def test_what_is_given_as_a_dict_is_not_held_by_the_result():
    given = {"n": np.array([1, 2])}
    result = fa.results.GroupEvaluation(np.array([0, 1]), given)
    given["m"] = np.array([3, 4])
    assert list(result.values) == ["n"]
    assert given["n"].flags.writeable
    assert in_one_line("Name", {"a": result.values}) == "Name(a={'n': array([1, 2])})"


def test_outputs_that_were_read_say_what_they_are(tmp_path):
    found = _models(tmp_path)
    outputs = found.outputs["a"]
    assert repr(outputs) == "Outputs(2 items, 1 correct, by, weight, group)"
    assert repr(outputs.by) == "Labels(2 items, 2 names)"
    assert repr(found).startswith("Models(outputs={'a': Outputs(2 items, 1 correct, by,")
    assert outputs != outputs.take(np.array([1, 0]))


def test_nan_is_equal_to_nan_with_one_hash():
    def interval(value):
        return fa.Interval(0.5, 0.4, float(value), 0.1, 0.95, "wald")

    assert interval("nan") == interval("nan")
    assert hash(interval("nan")) == hash(interval("nan"))
    assert interval("nan") != interval(1)
    assert is_dataclass(interval(1))
