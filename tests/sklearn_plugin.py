"""A pytest plugin that runs scikit-learn's own tests over fastarac's functions of the same names.

In a process of its own: ``python -m pytest -p sklearn_plugin --fastarac-report FILE --pyargs
sklearn.metrics.tests.test_ranking``. The names are replaced in scikit-learn before its test modules
are imported. FILE then says, as JSON, which names were called, and of each test that called one of them
how it ended.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest

NAMES = (
    "auc",
    "average_precision_score",
    "cohen_kappa_score",
    "confusion_matrix_at_thresholds",
    "dcg_score",
    "det_curve",
    "metric_at_thresholds",
    "ndcg_score",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
)
OURS = re.compile("auc|average_precision|kappa|dcg|det_curve|recall_curve|roc_curve|at_thresholds")
# Private functions that its tests call, and ours that do the same.
PRIVATE = {"_dcg_sample_scores": "dcg_of_rows", "_ndcg_sample_scores": "ndcg_of_rows"}


def parameters(item: pytest.Item) -> set[str]:
    """Return the texts among the parameters of a test."""
    given = getattr(getattr(item, "callspec", None), "params", {})
    return {value for value in given.values() if isinstance(value, str)}


class Recorder:
    """Knows which tests have called one of our functions, and how they ended."""

    def __init__(self, file: str) -> None:
        self.file = Path(file)
        self.current = ""
        self.ours: set[str] = set()
        self.called: set[str] = set()
        self.outcomes: dict[str, str] = {}

    def wrap(self, function: Any) -> Any:
        """Return the function, noting the running test when it is called."""

        @functools.wraps(function)
        def noting(*args: Any, **keywords: Any) -> Any:
            self.ours.add(self.current)
            self.called.add(function.__name__)
            return function(*args, **keywords)

        return noting

    def replace(self) -> None:
        """Put our functions, and our class of warnings, in place of scikit-learn's."""
        import sklearn.exceptions
        import sklearn.metrics
        from sklearn.metrics import _ranking

        import fastarac as fa
        from fastarac.dropins import _checks, areas, ranking

        for module in (_checks, areas):
            module.UndefinedMetricWarning = sklearn.exceptions.UndefinedMetricWarning
        for name in NAMES:
            setattr(sklearn.metrics, name, self.wrap(getattr(fa, name)))
        for theirs, ours in PRIVATE.items():
            setattr(_ranking, theirs, self.wrap(getattr(ranking, ours)))

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is about a metric of scikit-learn by name, unless it may call one of ours."""
        from sklearn.metrics.tests.test_common import ALL_METRICS

        others = {name for name in ALL_METRICS if not OURS.search(name)}
        left_out = [item for item in items if others & parameters(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not others & parameters(item)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.current = item.nodeid
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        tests = {test.partition("::")[2]: self.outcomes[test] for test in sorted(self.ours - {""})}
        self.file.write_text(json.dumps({"called": sorted(self.called), "tests": tests}, indent=1))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fastarac-report", default="")


def pytest_configure(config: pytest.Config) -> None:
    file = config.getoption("--fastarac-report")
    if file:
        recorder = Recorder(file)
        recorder.replace()
        config.pluginmanager.register(recorder)
