"""The monitor: its e-value, its chances of an alarm (exact, over all paths), its state."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from fastarac import operation
from fastarac._core.special import log_beta_tail
from fastarac.operation.monitoring.detectors import AuditedOutputs, Update

AUDITS = 3000


def _e_value(errors, audited, limit):
    law = AuditedOutputs(limit)
    law.add(Update(errors, audited))
    return math.exp(law.log_e_value())


def test_tail_of_the_beta_distribution():
    rng = np.random.default_rng(0)
    for _ in range(500):
        a, b = 10 ** rng.uniform(-0.5, 3), 10 ** rng.uniform(-0.5, 4)
        x = rng.beta(a, b) if rng.random() < 0.7 else rng.uniform(0.01, 0.9)
        expected = stats.beta.logsf(x, a, b)
        if 0 < x < 1 and -300 < expected < -1e-12:
            assert log_beta_tail(a, b, x) == pytest.approx(expected, rel=1e-7, abs=1e-11)


@pytest.mark.parametrize("short_of_one", [1e-6, 1e-9, 1e-12, 2.0**-53])
def test_limits_close_to_one_take_no_longer(short_of_one):
    limit = 1.0 - short_of_one
    # the fraction on the other side would need 40 s for the third of these, and weeks for the last
    expected = math.log(special.betaincc(0.5, 0.5 / limit, limit))
    assert log_beta_tail(0.5, 0.5 / limit, limit) == pytest.approx(expected, rel=1e-9)
    for errors, audited in ((0, 10**12), (10**12, 10**12), (10**11, 10**12), (5, 10)):
        law = AuditedOutputs(limit)
        law.add(Update(errors, audited))
        assert math.isfinite(law.log_e_value())


def test_check_value_and_the_integral():
    assert _e_value(10, 500, 0.01) == pytest.approx(3.510808, abs=5e-7)
    assert _e_value(0, 0, 0.01) == pytest.approx(1, rel=1e-12)
    for s, t, eps in ((3, 40, 0.05), (0, 25, 0.1), (9, 60, 0.08)):
        weight = stats.beta(0.5, 0.5 / eps)

        def ratio(p, s=s, t=t, eps=eps, weight=weight):
            likelihood = (p / eps) ** s * ((1 - p) / (1 - eps)) ** (t - s)
            return weight.pdf(p) * likelihood / weight.sf(eps)

        # over rates far above none has weight
        expected = integrate.quad(ratio, eps, 1, limit=200)[0]
        assert _e_value(s, t, eps) == pytest.approx(expected, rel=1e-6)


def errors_for_an_alarm(limit, every=1, delta=0.05):
    """The least errors that give an alarm after each number of audits; none between the looks."""
    least, found = 0, np.full(AUDITS + 1, AUDITS + 1)
    for n in range(1, AUDITS + 1):
        while least <= n and _e_value(least, n, limit) < 1 / delta:
            least += 1
        if n % every == 0:
            found[n] = least
    return found


def chance_of_alarm(least, rate):
    """The probability that there was an alarm by each number of audits, over all paths."""
    chance, gone, found = np.zeros(400), 0.0, [0.0]
    chance[0] = 1
    for n in range(1, AUDITS + 1):
        chance[1:] = chance[1:] * (1 - rate) + chance[:-1] * rate
        chance[0] *= 1 - rate
        if least[n] < len(chance):
            gone += chance[least[n] :].sum()
            chance[least[n] :] = 0
        found.append(gone)
    return np.array(found)


def test_chances_of_alarms():
    """At every moment against a fixed test every 100 audits; exact, not simulated."""
    least = errors_for_an_alarm(0.01)
    at_the_limit, at_twice = (chance_of_alarm(least, rate) for rate in (0.01, 0.02))
    assert at_the_limit[-1] == pytest.approx(0.02595, abs=5e-5)
    assert np.argmax(at_twice >= 0.5) == 767
    fixed = np.full(AUDITS + 1, AUDITS + 1)
    looks = np.arange(100, AUDITS + 1, 100)
    fixed[looks] = stats.binom.isf(0.05, looks, 0.01) + 1
    assert chance_of_alarm(fixed, 0.01)[-1] == pytest.approx(0.1663, abs=5e-4)


@pytest.mark.slow
def test_the_confidence_sequence_contains_the_rate_always():
    rng = np.random.default_rng(4)
    runs, missed = 200, 0
    for _ in range(runs):
        monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
        for errors in rng.binomial(50, 0.03, 20).tolist():
            monitor.update(errors, 50)
        history = monitor.history()
        missed += not ((history.low <= 0.03) & (history.high >= 0.03)).all()
    assert missed / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)


def test_dependent_audits_give_false_alarms():
    """The assumption broken: whole pages of 10 that are wrong together, audited item by item."""
    rng = np.random.default_rng(5)
    least = errors_for_an_alarm(0.01)
    pages = rng.random((2000, AUDITS // 10)) < 0.01
    errors = np.cumsum(np.repeat(pages, 10, axis=1), axis=1)
    alarms = (errors >= least[1:]).any(axis=1).mean()
    assert 0.3 < alarms < 0.7


class TestMonitor:
    def test_an_alarm_stays(self):
        monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
        monitor.update(25, 500)
        assert monitor.alarm_at == 500
        monitor.update(0, 20_000)
        assert monitor.e_value < 1
        assert monitor.alarm
        assert str(monitor).startswith("alarm: the error rate exceeds the limit of 1%; 25 of 20,500 ")

    def test_before_the_first_audit(self):
        monitor = operation.ErrorRateMonitor(max_risk=0.02)
        assert monitor.e_value == pytest.approx(1)
        assert (monitor.interval.low, monitor.interval.high) == (0, 1)
        assert len(monitor.history().audited) == 0
        assert str(monitor) == "no audits yet; the limit is 2%"

    def test_intervals_are_those_of_the_mixture(self):
        monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
        monitor.update(10, 500)
        found = monitor.interval
        for p in (found.low, found.high):
            mixture = integrate.quad(
                lambda q, p: stats.beta.pdf(q, 0.5, 50) * (q / p) ** 10 * ((1 - q) / (1 - p)) ** 490,
                0, 0.5, points=[0.02, 0.1], limit=200, args=(p,),
            )[0]  # fmt: skip
            assert mixture == pytest.approx(20, rel=1e-4)

    def test_state(self, tmp_path):
        path = tmp_path / "state.json"
        monitor = operation.ErrorRateMonitor(max_error_rate=0.01, failure_probability=0.1)
        monitor.update(3, 100, batch="monday")
        monitor.update(9, 100, batch="tuesday")
        monitor.save(path)
        again = operation.ErrorRateMonitor.load(path)
        assert again == monitor
        again.update(9, 100, batch="tuesday")
        assert again == monitor
        assert again.has_seen("monday")
        assert list(tmp_path.iterdir()) == [path]
        content = json.loads(path.read_text())
        del content["limit"]
        with pytest.raises(ValueError, match='damaged: "limit" is missing'):
            operation.ErrorRateMonitor.from_json(json.dumps(content))
        with pytest.raises(ValueError, match="not the file of a set of fastarac monitors"):
            operation.MonitorSet.load(path)

    def test_a_crash_loses_nothing_and_counts_nothing_twice(self, tmp_path, monkeypatch):
        path = tmp_path / "state.json"
        batches = {f"day {i}": (i % 3, 50) for i in range(6)}
        for crash in (2, 4, None):
            found = (
                operation.ErrorRateMonitor.load(path)
                if path.exists()
                else operation.ErrorRateMonitor(max_error_rate=0.05)
            )
            with monkeypatch.context() as patched:
                for i, (name, counts) in enumerate(batches.items()):
                    found.update(*counts, batch=name)
                    if i == crash:
                        patched.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("power")))
                        with pytest.raises(OSError, match="power"):
                            found.save(path)
                        break
                    found.save(path)
        assert (found.errors, found.audited) == (6, 300)
        assert len(found.history().audited) == 6

    def test_several_share_their_level(self, tmp_path):
        limits = {"a": {"max_error_rate": 0.01}, "b": {"max_risk": 0.02}}
        monitors = operation.MonitorSet(limits)
        monitors["b"].update(40, 500)
        assert monitors.alarms == ("b",)
        monitors.save(tmp_path / "s.json")
        again = operation.MonitorSet.load(tmp_path / "s.json")
        assert [again[name] for name in again] == [monitors[name] for name in monitors]
        assert len(again) == 2
        assert str(again).startswith("a: no audits yet")
        with pytest.raises(ValueError, match="limits is empty"):
            operation.MonitorSet({})

    def test_refusals(self):
        monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
        with pytest.raises(ValueError, match="errors must be at most 2, the number audited, got 3"):
            monitor.update(3, 2)
        with pytest.raises(TypeError, match="exactly one of max_error_rate, max_risk"):
            operation.ErrorRateMonitor()
        with pytest.raises(
            ValueError, match=r"max_risk must be a number strictly between 0 and 1, got 0\.0"
        ):
            operation.ErrorRateMonitor(max_risk=0)
