"""Reports about what is in use: a part for each result, and texts that stay texts."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import fastarac as fa
from fastarac import operation
from fastarac.operation.logs import AuditColumns

HOSTILE = "<script>document.title='run'</script>"


def draw(n, seed, fields=("date", HOSTILE)):
    rng = np.random.default_rng(seed)
    field, confidence = rng.choice(fields, n), rng.random(n)
    correct = rng.random(n) >= np.where(field == fields[0], 0.05, 0.5) * (1 - confidence)
    return correct, confidence, field


@pytest.fixture(scope="module")
def parts():
    correct, confidence, field = draw(4000, 0)
    policy = operation.fit_policy(correct, confidence, by=field, max_error_rate=0.03)
    correct, confidence, field = draw(1000, 1)
    monitors = operation.MonitorSet({HOSTILE: {"max_error_rate": 0.03}, "b": {"max_risk": 0.05}})
    monitors[HOSTILE].update(90, 500)
    seen = confidence < 0.5
    truth = np.where(seen | (np.arange(1000) % 5 == 0), correct, np.nan)
    return {
        "plan": {"max_error_rate": 0.02, "expected_error_rate": 0.01},
        "policy": policy,
        "check": policy.check(correct, confidence, by=field),
        "shift": policy.shift(confidence, by=field),
        "log": AuditColumns(
            truth,
            confidence,
            np.full(1000, 0.2),
            ~seen,
            ~seen & ~np.isnan(truth),
            None,
            ~seen & ~np.isnan(truth),
            None,
        ),
        "monitor": monitors,
    }


@pytest.fixture(scope="module")
def page(parts, tmp_path_factory):
    path = tmp_path_factory.mktemp("operation") / "report.html"
    fa.report.write_operation_report(path, **parts)
    return path.read_text(encoding="utf-8")


def numbers(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])


def test_every_part(page, parts):
    for title in (
        "How many outputs to verify", "The policy", "Does the limit hold?",
        "Have the confidences moved?", "What the audits say", "The monitor of b",
    ):  # fmt: skip
        assert f"{title}</h2>" in page
    sizes = operation.sample_size_for_guarantee(**parts["plan"])
    assert f'<p class="share">{sizes.stable:,}</p>' in page
    assert f'<p class="share">{parts["check"].verdict}</p>' in page
    assert '<p class="share">alarm</p>' in page
    assert "Guarantee now" in page


def test_charts_have_the_numbers_of_the_results(page, parts):
    drawn = numbers(page)["drawn"]
    check = parts["check"]
    (series,) = drawn["check-chart-0"]["series"]
    rates = [check.interval.estimate, *(each.rate for each in check.fields)]
    assert series["y"] == pytest.approx(rates, rel=1e-5)
    assert series["high"] == pytest.approx(
        [check.interval.high, *(each.high for each in check.fields)], rel=1e-5
    )
    policy = parts["policy"]
    steps = drawn["policy-chart-0"]
    for curve in steps["series"]:
        i = policy.fields.index(curve["name"])
        expected = policy.calibrations[i].at(steps["x"])
        known = [k for k, y in enumerate(curve["y"]) if y is not None]
        assert len(known) > 3
        shown = np.array([curve["y"][k] for k in known])
        # numbers of charts have six digits, which may move a place below a step
        assert np.mean(np.isclose(shown, expected[known], rtol=1e-5)) > 0.5
    assert drawn["monitor0-chart-0"]["marks"] == [
        {"at": 500, "text": "alarm"},
        {"at": 500, "text": "change"},
    ]
    (estimate,) = drawn["log-chart-0"]["series"]
    whole = fa.threshold_sweep(parts["log"].truth, parts["log"].confidence)
    assert estimate["y"][-1] == pytest.approx(whole.error_rate[-1], rel=1e-5)


def test_texts_are_texts_and_nothing_is_loaded(page):
    assert HOSTILE not in page
    assert "&lt;script&gt;document.title" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)


def test_a_file_that_was_divided(tmp_path, parts):
    path, page = tmp_path / "week.csv", tmp_path / "r.html"
    path.write_text("field,confidence\ndate,0.9\ndate,0.1\nother,0.9\n")
    goals = {"accepted": tmp_path / "a.csv", "review": tmp_path / "b.csv"}
    done = operation.apply_policy(parts["policy"], path, **goals, by="field")
    fa.report.write_operation_report(page, applied=done)
    text = page.read_text(encoding="utf-8")
    assert "What went through</h2>" in text
    assert "of unknown fields" in text


def test_one_threshold_and_nothing_accepted(tmp_path):
    page = tmp_path / "r.html"
    with pytest.warns(fa.SampleTooSmallWarning):
        policy = operation.fit_policy([1] * 50, range(50), max_error_rate=0.001)
    fa.report.write_operation_report(
        page, policy=policy, monitor=operation.ErrorRateMonitor(max_risk=0.1)
    )
    text = page.read_text(encoding="utf-8")
    assert "No audits yet" in text
    assert "never" in text
    with pytest.raises(TypeError, match="give at least one part: plan, policy, …, monitor"):
        fa.report.write_operation_report(page)
    with pytest.raises(ValueError, match="confidence_level must be a number strictly"):
        fa.report.write_operation_report(page, policy=policy, confidence_level=95)
