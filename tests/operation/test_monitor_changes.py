"""Alarms of changes: an exact slow reference, false alarms and delays by simulation, and groups."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastarac import operation

EPS = Fraction(1, 100)


def reference(updates, limit, goal):
    """M after each update, and the numbers of those with an alarm; in decimals of 60 digits."""
    with localcontext() as context:
        context.prec = 60
        eps = Decimal(limit.numerator) / limit.denominator
        rates = [min(eps * 2 ** (Decimal(k) / 2), (1 + eps) / 2) for k in range(1, 9)]
        r, found, alarms = [Decimal(0)] * 8, [], []
        for number, (s, m) in enumerate(updates, 1):
            r = [
                (1 + each) * (p / eps) ** s * ((1 - p) / (1 - eps)) ** (m - s)
                for each, p in zip(r, rates, strict=True)
            ]
            found.append(sum(r) / 8)
            if found[-1] >= goal:
                alarms.append(number)
                r = [Decimal(0)] * 8
    return found, tuple(alarms)


def reference_of_groups(updates, limit, largest, goal):
    """M of groups and E of all of them, in fractions."""
    bets = [Fraction(1, 2**k) / (limit * largest) for k in range(1, 9)]
    r, e, found, alarms = [Fraction(0)] * 8, [Fraction(1)] * 8, [], []
    for number, groups in enumerate(updates, 1):
        won = [math.prod(1 + bet * (s - limit * m) for s, m in groups) for bet in bets]
        r = [(1 + each) * factor for each, factor in zip(r, won, strict=True)]
        e = [each * factor for each, factor in zip(e, won, strict=True)]
        found.append((sum(r) / 8, sum(e) / 8))
        if found[-1][0] >= goal:
            alarms.append(number)
            r = [Fraction(0)] * 8
    return found, tuple(alarms)


def watched(updates, limit=0.01, **options):
    monitor = operation.ErrorRateMonitor(max_error_rate=limit, **options)
    for errors, audited in updates:
        monitor.update(errors, audited)
    return monitor


def test_check_values():
    monitor = watched([(s, 200) for s in (0, 2, 5, 6, 7)])
    expected = [0.0737291190, 0.2622575627, 2.6997980698, 28.8851410845, 867.8683375094]
    np.testing.assert_allclose(monitor.history().change_statistic, expected, atol=5e-11)
    assert monitor.changes == ()
    monitor.update(5, 200)
    assert monitor.changes == (6,)
    assert monitor.changed
    monitor.update(0, 200)  # begins anew at 0
    assert monitor.change_statistic == pytest.approx(expected[0], abs=5e-11)
    assert not monitor.changed


counts = st.integers(0, 60).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m)))


@given(
    st.lists(counts, max_size=12), st.sampled_from(["1/100", "1/3", "9/10"]), st.sampled_from([5, 200])
)
@settings(max_examples=15, deadline=None)
def test_the_reference(updates, limit, goal):
    limit = Fraction(limit)
    some = [each for each in updates if each[1]]
    found, alarms = reference(some, limit, goal)
    if any(abs(each / goal - 1) < 1e-8 for each in found):
        return
    monitor = watched(updates, float(limit), mean_updates_to_false_alarm=goal)
    assert monitor.changes == alarms
    history = monitor.history()
    np.testing.assert_allclose(history.change_statistic, [float(x) for x in found], rtol=1e-9)
    assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor


@given(st.lists(st.lists(counts, min_size=1, max_size=5), max_size=6), st.sampled_from([5, 200]))
@settings(max_examples=15, deadline=None)
def test_the_reference_of_groups(updates, goal):
    some = [[each for each in groups if each[1]] for groups in updates]
    some = [groups for groups in some if groups]
    found, alarms = reference_of_groups(some, EPS, 60, goal)
    if any(abs(m / goal - 1) < Fraction(1, 10**8) for m, _ in found):
        return
    monitor = operation.ErrorRateMonitor(
        max_error_rate=0.01, max_group_size=60, mean_updates_to_false_alarm=goal
    )
    for groups in updates:
        monitor.update([s for s, _ in groups], [m for _, m in groups])
    assert monitor.changes == alarms
    history = monitor.history()
    np.testing.assert_allclose(history.change_statistic, [float(m) for m, _ in found], rtol=1e-9)
    np.testing.assert_allclose(history.e_value, [float(e) for _, e in found], rtol=1e-9)
    assert (history.low <= history.error_rate).all()
    assert (history.error_rate <= history.high).all()
    assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor


def test_extremes_do_not_overflow():
    monitor = watched([(10**6, 10**6)] * 3, 1e-9, detect="change")
    assert monitor.changes == (1, 2, 3)
    assert math.isfinite(monitor.change_statistic)
    assert watched([(0, 10**9)] * 3, 0.5, detect="change").change_statistic == 0
    assert watched([(1, 5)], math.nextafter(1, 0), detect="change").change_statistic <= 1
    pages = operation.ErrorRateMonitor(max_error_rate=1e-9, max_group_size=10**6)
    pages.update([10**6] * 50, [10**6] * 50)
    assert pages.alarm
    assert pages.changed
    assert math.isfinite(pages.change_statistic)


def first_alarms(rng, goal, runs, errors_of):
    """The number of updates to the first alarm of each run."""
    found = []
    for _ in range(runs):
        monitor = operation.ErrorRateMonitor(
            max_error_rate=0.05, mean_updates_to_false_alarm=goal, detect="change",
            max_group_size=10 if errors_of is pages else None,
        )  # fmt: skip
        number = 0
        while not monitor.changes:
            number += 1
            monitor.update(*errors_of(rng))
        found.append(number)
    return np.array(found)


def outputs(rng):
    return int(rng.binomial(40, 0.05)), 40


def pages(rng):
    """Five pages of 3 to 10 outputs, correlated at .2, at the limit."""
    sizes = rng.integers(3, 11, 5)
    return rng.binomial(sizes, rng.beta(0.2, 3.8, 5)), sizes


@pytest.mark.slow
@pytest.mark.parametrize("errors_of", [outputs, pages])
def test_mean_updates_to_a_false_alarm(errors_of):
    """At the limit at least N in the mean, here 20, less three standard errors of 250 runs."""
    found = first_alarms(np.random.default_rng(3), 20, 250, errors_of)
    assert found.mean() + 3 * found.std() / math.sqrt(len(found)) >= 20


@pytest.mark.slow
@pytest.mark.parametrize(("ratio", "weeks", "least"), [(1.5, 26, 20), (2, 9, 7)])
def test_a_change_after_long_quiet_is_found(ratio, weeks, least):
    """After 104 weeks at half the limit; the median to within 6 weeks of 26, and 2 of 9."""
    rng = np.random.default_rng(11)
    delays, proved = [], 0
    for _ in range(100):
        monitor = watched([(s, 200) for s in rng.binomial(200, 0.005, 104).tolist()], detect="change")
        if monitor.changes:
            continue
        while not monitor.changes:
            monitor.update(int(rng.binomial(200, 0.01 * ratio)), 200)
        delays.append(monitor.changes[0] - 104)
        proved += watched([(monitor.errors, monitor.audited)], detect="proof").alarm
    assert len(delays) >= 95
    assert least <= np.median(delays) <= 2 * weeks - least
    assert proved == 0


class TestGroups:
    def test_a_page_counts_once_and_whole(self):
        monitor = operation.ErrorRateMonitor(max_error_rate=0.1, max_group_size=3)
        told = {"details": [1, 2, 3, 4], "groups": ["p", "q", "p", "q"]}
        assert monitor.count([1, 0, 0, 0], ids=list("abcd"), **told) == 4
        assert monitor.count([1, 0, 0, 0], ids=list("abcd"), **told) == 0
        assert monitor.to_dict()["updates"][0]["groups"] == [
            {"errors": 1, "audited": 2, "unanswered": 0},
            {"errors": 0, "audited": 2, "unanswered": 0},
        ]
        before = monitor.to_json()
        with pytest.raises(
            ValueError, match=r'groups\[0\] is "p"; some audits of the group were counted'
        ):
            monitor.count([1, 0], details=[1, 7], ids=["a", "e"], groups=["p", "p"])
        with pytest.raises(
            ValueError, match=r'groups\[0\] is "r"; the group has 4 audits, but max_group_size is 3'
        ):
            monitor.count([0] * 4, details=[5, 6, 7, 8], groups=["r"] * 4)
        with pytest.raises(TypeError, match="groups is missing"):
            monitor.count([0], details=[9])
        with pytest.raises(ValueError, match=r"audited\[1\] must be at most max_group_size, 3, got 4"):
            monitor.update([0, 0], [1, 4])
        with pytest.raises(
            ValueError, match=r"one number for each group, got shapes \(2,\) and \(1,\)"
        ):
            monitor.update([0, 0], [1])
        assert monitor.to_json() == before
        with pytest.raises(TypeError, match="groups is given, but the monitor has no max_group_size"):
            watched([]).count([0], details=[9], groups=["p"])

    @pytest.mark.slow
    def test_false_alarms_and_intervals(self):
        """Pages wrong together: E at the limit within δ, the sequence contains the rate always."""
        rng = np.random.default_rng(5)
        runs, alarms, missed = 120, 0, 0
        for _ in range(runs):
            monitor = operation.ErrorRateMonitor(max_error_rate=0.05, max_group_size=10)
            for _ in range(6):
                weeks = [pages(rng) for _ in range(4)]
                monitor.update(*(np.concatenate(each) for each in zip(*weeks, strict=True)))
            history = monitor.history()
            alarms += monitor.alarm
            missed += not ((history.low <= 0.05) & (history.high >= 0.05)).all()
        tolerance = 2.5 * math.sqrt(0.05 * 0.95 / runs)
        assert alarms / runs <= 0.05 + tolerance
        assert missed / runs <= 0.05 + tolerance


def alarms_of_a_year(delay, runs=200):
    """False alarms in a year of 200 audits a week at the limit; right ones are answered later."""
    rng, found = np.random.default_rng(8), 0
    for _ in range(runs):
        wrong = rng.binomial(200, 0.01, 52)
        right = np.concatenate([np.zeros(delay, np.int64), (200 - wrong)[: 52 - delay]])
        found += watched(list(zip(wrong.tolist(), (wrong + right).tolist(), strict=True))).alarm
    return found / runs


@pytest.mark.slow
def test_answers_counted_when_they_come_give_false_alarms():
    """The assumption broken: errors are known at once, right outputs four weeks later."""
    assert alarms_of_a_year(0) <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / 200)
    assert alarms_of_a_year(4) > 0.5


def test_words():
    monitor = watched([(0, 2000), (14, 200), (0, 200)])
    assert monitor.changes == (2,)
    assert not monitor.alarm
    assert "; changed lately: no alarm since the one at update 2 (statistic 0.0737" in str(monitor)
    found = str(watched([(0, 2000), (14, 200)]))
    assert found.startswith(
        "alarm: the error rate seems to have risen above the limit of 1% lately; 14 of 2,200 audits"
    )
    assert "changed lately: alarm at update 2 (statistic " in found
    assert "changed" not in str(watched([(14, 200)], detect="proof"))
    assert "proved" not in str(watched([(1, 200)], detect="change"))
    with pytest.raises(ValueError, match="detect must be one of 'both', 'proof', 'change',"):
        watched([], detect="all")
    with pytest.raises(ValueError, match="mean_updates_to_false_alarm must be an integer"):
        watched([], mean_updates_to_false_alarm=1)


def test_policies_share_their_false_alarms():
    limits = {"a": {"max_error_rate": 0.01}, "b": {"max_risk": 0.02}}
    monitors = operation.MonitorSet(limits, mean_updates_to_false_alarm=50)
    assert [each.mean_updates_to_false_alarm for each in map(monitors.__getitem__, "ab")] == [100, 100]
    monitors["b"].update(9, 100)
    assert monitors.changed == ("b",)
    again = operation.MonitorSet.from_json(monitors.to_json())
    assert again.to_json() == monitors.to_json()
    for detect in ("proof", "change"):
        monitors = operation.MonitorSet(limits, detect=detect)
        assert operation.MonitorSet.from_json(monitors.to_json()).to_json() == monitors.to_json()
