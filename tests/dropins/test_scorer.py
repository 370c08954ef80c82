"""From classifiers to (correct, confidence), inside scikit-learn's model selection."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate

import fastarac as fa


def data(n_classes: int):
    return make_classification(
        300, 8, n_informative=6, n_classes=n_classes, n_clusters_per_class=1, flip_y=0.2, random_state=0
    )


def by_hand(model, X, y):
    """Whether each prediction is right, and its confidence, one item at a time."""
    right, confidence = [], []
    for row, label in zip(X, y, strict=True):
        if hasattr(model, "predict_proba"):
            scores = model.predict_proba(row[None])[0].tolist()
        else:
            scores = np.ravel(model.decision_function(row[None])).tolist()
        right.append(model.predict(row[None])[0] == label)
        confidence.append(max(scores) if len(scores) > 1 else abs(scores[0]))
    return right, confidence


@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize("make", [LogisticRegression, RidgeClassifier])
def test_scores_are_those_of_the_predictions(n_classes, make):
    X, y = data(n_classes)
    y = np.array(list("dacbjihgfe"))[y]  # columns follow classes_, not the order of the labels
    model = make().fit(X[:200], y[:200])
    correct, confidence = by_hand(model, X[200:], y[200:])
    for metric, expected in (
        ("arac_auc", fa.arac_auc_score(correct, confidence)),
        ("aurc", -fa.aurc_loss(correct, confidence)),
        ("recognition_rate", np.mean(correct)),
    ):
        assert fa.make_scorer(metric)(model, X[200:], y[200:]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_inside_model_selection(n_classes):
    X, y = data(n_classes)
    scorer = fa.make_scorer("acceptance_at_error_rate", max_error_rate=0.05)
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    search = GridSearchCV(LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=scorer, cv=3).fit(X, y)
    assert 0 <= search.best_score_ <= 1
    several = {"arac": fa.make_scorer(), "aurc": fa.make_scorer("aurc")}
    found = cross_validate(LogisticRegression(), X, y, scoring=several, cv=3)
    assert (found["test_arac"] > 0.5).all()
    assert (found["test_aurc"] < 0).all()
    importance = permutation_importance(
        LogisticRegression().fit(X, y), X, y, scoring=fa.make_scorer(), n_repeats=2, random_state=0
    )
    assert importance.importances_mean.max() > 0


def test_the_positive_class_plays_no_part():
    correct, confidence = fa.correctness([0, 1, 1, 0], [0.1, 0.2, 0.9, 0.5])
    assert correct.tolist() == [True, False, True, False]
    assert confidence == pytest.approx([0.4, 0.3, 0.4, 0.0])
    swapped = fa.correctness([1, 0, 0, 1], [-0.1, -0.2, -0.9, -0.5000001], threshold=-0.5)
    assert swapped[0].tolist() == correct.tolist()
    weighted = fa.make_scorer("recognition_rate")
    model = DummyClassifier(strategy="prior").fit([[0]] * 3, [0, 0, 1])
    assert weighted(model, [[0], [0]], [0, 1], sample_weight=[3, 1]) == 0.75


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([0, 1], ["a", "b"]), TypeError, "y_score must hold real numbers, got type <U1"),
        (
            ([0, 1], [0.1, np.nan]),
            ValueError,
            "y_score must hold finite numbers, got NaN or infinite ones",
        ),
        (([0, 1], [0.1]), ValueError, r"must have shape \(n,\) and y_score \(n, n_classes\)"),
        (([], []), ValueError, "with n >= 1"),
        (
            ([0, 1], [[0.1, 0.2, 0.7]] * 2),
            ValueError,
            "_true has 2 classes, but y_score has columns for 3",
        ),
        (([0, 0], [0.1, 0.2]), ValueError, "y_true has 1 classes, but y_score has columns"),
    ],
)
def test_refusals(arguments, error, message):
    with pytest.raises(error, match=message):
        fa.correctness(*arguments)


def test_more_refusals():
    with pytest.raises(ValueError, match=r"y_true must hold only the classes \[0, 1\], got"):
        fa.correctness([0, 2], [0.1, 0.2], classes=[0, 1])
    with pytest.raises(TypeError, match="LinearRegression has neither predict_proba nor"):
        fa.make_scorer()(LinearRegression(), [[0]], [0])
    with pytest.raises(ValueError, match="it must be one of recognition_rate, arac_auc,"):
        fa.make_scorer("arac")
    with pytest.raises(TypeError, match=r"metric must be a name, got 3 \(int\)"):
        fa.make_scorer(3)
    with pytest.raises(TypeError, match="statistic 'aurc' has no parameter 'gamma'"):
        fa.make_scorer("aurc", gamma=1)


def test_the_scorer_of_scikit_learn_asks_something_else():
    """What the documentation warns of: it takes class 1 for "correct", or labels for confidences."""
    X, y = data(2)
    model = LogisticRegression().fit(X, y)
    right = fa.make_scorer()(model, X, y)
    assert right == pytest.approx(fa.arac_auc_score(*by_hand(model, X, y)))
    of_class_1 = make_scorer(fa.arac_auc_score, response_method="predict_proba")(model, X, y)
    of_labels = make_scorer(fa.arac_auc_score)(model, X, y)
    assert of_class_1 == fa.arac_auc_score(y, model.predict_proba(X)[:, 1])
    assert min(abs(of_class_1 - right), abs(of_labels - right)) > 0.01
    X, y = data(10)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"for class probabilities, use fastarac\.correctness"):
        make_scorer(fa.arac_auc_score, response_method="predict_proba")(model, X, y == y[0])


def test_a_cost_is_a_loss():
    prices = fa.VerificationCosts(verification=1, correction=1, error=10)
    assert fa.make_scorer("cost", costs=prices).sign == -1
