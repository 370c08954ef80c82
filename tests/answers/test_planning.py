"""What is said of plans."""

from __future__ import annotations

import pytest

from fastarac import operation
from fastarac.answers import planning


def test_a_guarantee():
    plan = planning.guarantee_plan(0.01, 0.005)
    found = planning.guarantee_answer(plan)
    assert found.sentences() == [
        (
            "Verify 2,185 outputs drawn at random. If 0.5% of all outputs are accepted and wrong, "
            "80% of such samples prove the limit of 1% with 95% confidence."
        ),
        "This holds if the verification is right.",
        "At least 299 outputs are needed, even without a single error.",
        "The smallest sufficient size is 1,941; from 2,185 on, every size suffices.",
    ]
    sizes = operation.sample_size_for_guarantee(0.01, 0.005)
    assert {name: found.figures[name] for name in sizes._fields} == sizes._asdict()
    rates = [row["expected_error_rate"] for row in found.figures["rates"]]
    assert rates == [0.0, 0.0025, 0.005, 0.0075]
    table = found.screen.table
    assert table is not None
    assert table.names == ["0%", "0.25%", "0.5%", "0.75%"]
    (columns,) = table.blocks
    assert [column.cells[-1] for column in columns] == ["8,753", "9,409"]


@pytest.mark.parametrize(("n_outputs", "share"), [(None, ""), (40_000, " (2.54% of 40,000)")])
def test_audits(n_outputs, share):
    asked = {"n_outputs": n_outputs, "failure_probability": 0.05, "power": 0.8, "design_effect": 1.0}
    plan = operation.audit_plan(0.01, 0.02, **asked)
    found = planning.audit_answer(plan, max_error_rate=0.01, actual_error_rate=0.02, **asked)
    said, note = found.sentences()
    assert note == "This holds if the verification is right."
    assert said == (
        f"Audit 1,015 outputs drawn at random{share}: 80% of such audits notice an error rate of 2%, "
        "and at most 5% give a false alarm at 1%."
    )
    assert found.figures["stable"] == plan.stable


@pytest.mark.parametrize(
    ("difference", "points"), [(0.01, "1 percentage point"), (0.02, "2 percentage points")]
)
def test_a_comparison(difference, points):
    asked = {"confidence_level": 0.95, "power": 0.8, "design_effect": 1.0}
    found = planning.comparison_answer(3923, difference=difference, discordance=0.05, **asked)
    (said,) = found.sentences()
    assert said == (
        "Verify 3,923 outputs that both models read. If exactly one model is right on 5% of the "
        f"outputs, 80% of such samples show a difference of {points}."
    )


def test_an_interval():
    found = planning.interval_answer(100, statistic="roc_auc", half_width=0.01, confidence_level=0.95)
    (said,) = found.sentences()
    assert said == "Verify 100 outputs: the 95% interval of roc_auc is then about ± 0.01."


def test_a_design_effect():
    assert planning.design_effect_sentence(1.234, ["form", "page"], "a.csv", 0.02) == (
        "Errors cluster by form and page in a.csv, so the plan multiplies the number of outputs by "
        "1.23, measured at the pilot's threshold for at most 2% errors."
    )
