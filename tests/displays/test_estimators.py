"""Displays of estimators and of cross-validations, beside those of scikit-learn."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.svm import SVC

import fastarac as fa
from fastarac import displays

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

X, Y = make_classification(160, flip_y=0.2, random_state=0)
LABELS = np.array(["no", "yes"])[Y]
WEIGHT = np.arange(160) % 3 + 1
BOTH = ["RocCurveDisplay", "PrecisionRecallDisplay", "DetCurveDisplay"]
OF_FOLDS = BOTH[:2]
ARRAYS = ("fpr", "tpr", "fnr", "precision", "recall", "roc_auc", "average_precision")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def found():
    model = SVC(random_state=0)
    return cross_validate(model, X, LABELS, cv=3, return_estimator=True, return_indices=True)


def flat(found) -> np.ndarray:
    return np.concatenate([np.ravel(one) for one in (found if isinstance(found, list) else [found])])


def same(ours, theirs) -> bool:
    """Whether the arrays, areas and labels are those of scikit-learn."""
    names = [name for name in ARRAYS if hasattr(theirs, name)]
    assert len(names) >= 2
    pairs = [[flat(getattr(d, name)) for d in (ours, theirs)] for name in names]
    assert set(flat(ours.pos_label)) == {theirs.pos_label}
    return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-12) for a, b in pairs)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("model", [LogisticRegression(), SVC(random_state=0)])
@pytest.mark.parametrize("options", [{}, {"pos_label": "no", "sample_weight": WEIGHT}])
def test_estimators(kind, model, options):
    model.fit(X, LABELS)
    ours = getattr(displays, kind).from_estimator(model, X, LABELS, **options)
    theirs = getattr(metrics, kind).from_estimator(model, X, LABELS, **options)
    assert same(ours, theirs)
    assert ours.name == type(model).__name__
    assert ours.ax_.get_xlabel() == theirs.ax_.get_xlabel()


@pytest.mark.parametrize("kind", OF_FOLDS)
@pytest.mark.parametrize("options", [{}, {"pos_label": "no", "sample_weight": WEIGHT}])
def test_folds(kind, options, found):
    options = options | {"name": "svc", "plot_chance_level": True, "chance_level_kwargs": {"lw": 2}}
    ours = getattr(displays, kind).from_cv_results(found, X, LABELS, **options)
    theirs = getattr(metrics, kind).from_cv_results(found, X, LABELS, **options)
    assert same(ours, theirs)
    names = [[text.get_text() for text in d.ax_.get_legend().get_texts()] for d in (ours, theirs)]
    assert names[0][0].startswith("svc (")
    assert "±" in names[0][0]
    assert len(names[0]) == len(names[1]) == 2
    styles = {(line.get_color(), line.get_alpha(), line.get_linestyle()) for line in ours.line_}
    assert len(styles) == 1
    again = ours.plot(name="again")
    assert again.line_[0].get_label().startswith("again (")
    assert again.ax_ is not theirs.ax_


def test_own_styles(found):
    styles = [{"c": "r"}, {"c": "g"}, {"c": "b"}]
    names = ["one", "two", "three"]
    options = {"curve_kwargs": styles, "name": names}
    shown = displays.RocCurveDisplay.from_cv_results(found, X, LABELS, **options)
    assert [line.get_color() for line in shown.line_] == ["r", "g", "b"]
    assert [text.get_text().split()[0] for text in shown.ax_.get_legend().get_texts()] == names
    one = displays.RocCurveDisplay.from_cv_results(found, X, LABELS, curve_kwargs={"label": "mine"})
    assert [text.get_text() for text in one.ax_.get_legend().get_texts()] == ["mine"]


def test_correctness_of_several_classes():
    classes = np.arange(160) % 3
    model = LogisticRegression().fit(X, classes)
    display = displays.ARACDisplay.from_estimator(model, X, classes, max_error_rate=0.1)
    items = fa.correctness(classes, model.predict_proba(X))
    assert display.area == fa.arac_auc_score(*items)
    assert display.operating_points[0] == fa.operating_point(*items, max_error_rate=0.1)
    scores = model.decision_function(X)
    display = displays.RCDisplay.from_estimator(
        model, X, classes, response_method="decision_function", name="margins"
    )
    assert display.area == fa.aurc_loss(*fa.correctness(classes, scores))


def test_folds_of_other_curves(found):
    shown = displays.ARACDisplay.from_cv_results(
        found, X.tolist(), list(LABELS), plot_chance_level=True
    )
    each = list(zip(found["estimator"], found["indices"]["test"], strict=True))
    items = [
        (LABELS[rows] == model.predict(X[rows]), np.abs(model.decision_function(X[rows])))
        for model, rows in each
    ]
    assert shown.area == [fa.arac_auc_score(*one) for one in items]
    names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert names[1] == "Chance levels"
    rates = {np.mean(LABELS[rows] == model.predict(X[rows])) for model, rows in each}
    assert sorted({line.get_ydata()[-1] for line in shown.chance_level_}) == pytest.approx(
        sorted(rates)
    )


def test_refused(found):
    roc = displays.RocCurveDisplay
    with pytest.raises(
        TypeError, match="LinearRegression has neither predict_proba nor decision_funct"
    ):
        roc.from_estimator(LinearRegression(), X, Y)
    model = LogisticRegression().fit(X, np.arange(160) % 3)
    with pytest.raises(ValueError, match="LogisticRegression must have two classes, got 3"):
        roc.from_estimator(model, X, Y)
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match=r"pos_label must be one of the classes \[0, 1\], got 2"):
        roc.from_estimator(model, X, Y, pos_label=2)
    with pytest.raises(ValueError, match="response_method must be one of 'auto',"):
        roc.from_estimator(model, X, Y, response_method="predict")
    with pytest.raises(TypeError, match="SVC has no predict_proba; use a classifier that"):
        roc.from_estimator(SVC().fit(X, Y), X, Y, response_method="predict_proba")
    with pytest.raises(ValueError, match=r"from cross_validate\(return_indices=True"):
        roc.from_cv_results({"estimator": []}, X, Y)
    with pytest.raises(ValueError, match="have 160 rows, as in cross_validate, got 100"):
        roc.from_cv_results(found, X[:100], LABELS[:100])
    with pytest.raises(ValueError, match="curve_kwargs must have 3 entries, one for each"):
        roc.from_cv_results(found, X, LABELS, curve_kwargs=[{}])
    with pytest.raises(ValueError, match="with a list of 3 curve_kwargs, it may be a list of 3 names"):
        roc.from_cv_results(found, X, LABELS, name=["a", "b", "c"])
    with pytest.raises(TypeError, match="ConfusionDisplay fills its axes"):
        displays.ConfusionDisplay.from_cv_results(found, X, LABELS)
