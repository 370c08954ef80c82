"""The judge: scikit-learn's own tests, run over fastarac's functions of the same names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sklearn_plugin

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("sklearn", minversion="1.9")

MODULES = ("test_ranking", "test_classification", "test_common")
# Of test_classification only Cohen's kappa is ours.
CHOSEN = "(test_ranking or test_common or cohen_kappa) and not array_api"  # these would be skipped
# Of some that call none of ours, and take long.
CHOSEN += " and not label_ranking and not lrap and not representation_invariance and not all_zeroes"
LEAST = 400  # tests that call one of our functions
FAILING: dict[str, str] = {}  # test: why it fails


def report_of_the_suite(folder: Path) -> dict[str, Any]:
    """Which names were called, and how each test ended that called one of them."""
    tests = Path(__file__).parents[1]
    file = folder / "report.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "sklearn_plugin", "-p", "no:cacheprovider"]
    command += ["--assert=plain", "-c", os.devnull, "--rootdir", str(folder)]
    command += ["--fastarac-report", str(file)]
    command += ["-k", CHOSEN, "--pyargs", *(f"sklearn.metrics.tests.{module}" for module in MODULES)]
    path = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        command,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert file.exists(), run.stdout + run.stderr
    return json.loads(file.read_text())


@pytest.mark.slow
def test_the_suite_is_passed_and_judges_every_function(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    report = report_of_the_suite(tmp_path)
    ran = {test: outcome for test, outcome in report["tests"].items() if outcome != "skipped"}
    failed = {test for test, outcome in ran.items() if outcome != "passed"}
    record_property("tests of scikit-learn", len(ran))
    assert len(ran) >= LEAST
    assert failed == set(FAILING)
    assert len(failed) <= 0.03 * len(ran)

    own = ("fastarac.dropins.correctness", "fastarac.dropins.scorer")
    homes = {name: getattr(getattr(fa, name), "__module__", "") for name in fa.__all__}
    public = {
        n for n, home in homes.items() if home.startswith("fastarac.dropins.") and home not in own
    }
    assert public == set(sklearn_plugin.NAMES)
    assert public <= set(report["called"])
