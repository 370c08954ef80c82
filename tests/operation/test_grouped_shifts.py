"""Whether confidences of pages have moved: by permutation of whole pages."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from fastarac import operation
from fastarac.io import DataFileError
from fastarac.operation import shifts
from fastarac.operation.shifts import MOST_GROUPS, Reference, permuted_groups


def draw(rng, n_groups, move=0.0):
    """Pages of 1 to 20 outputs, half of whose variance is the page's."""
    sizes = rng.integers(1, 21, n_groups)
    pages = np.repeat(np.arange(n_groups), sizes)
    z = rng.normal(size=n_groups)[pages] + rng.normal(size=len(pages)) - move
    return 1 / (1 + np.exp(-z)), pages


def test_all_permutations():
    """Of three pages among seven, in Python."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 4, (7, 5)) + 1
    now = [0, 2, 5]

    def distance(new):
        sides = ([row for i, row in enumerate(table) if (i in new) == side] for side in (True, False))
        first, second = (np.cumsum(np.sum(side, axis=0)) / np.sum(side) for side in sides)
        return max(abs(first - second))

    found, p = permuted_groups(np.delete(table, now, axis=0), table[now])
    assert found == pytest.approx(distance(now))
    all_of_them = [distance(new) for new in itertools.combinations(range(7), 3)]
    assert p == pytest.approx(np.mean(np.array(all_of_them) >= found - 1e-12), abs=0.04)


@pytest.mark.slow
def test_level_and_power(monkeypatch):
    """Of 400 and 40 samples, with 199 permutations, of which a p-value is as valid as of more."""
    monkeypatch.setattr(shifts, "GROUP_DRAWS", 199)
    rng = np.random.default_rng(1)
    found = {0.0: 0, 0.8: 0}
    runs = {0.0: 400, 0.8: 40}
    for move in found:
        for _ in range(runs[move]):
            reference = Reference.of(*draw(rng, 80))
            new = reference.counts_by_group(*draw(rng, 30, move))
            found[move] += permuted_groups(reference.groups, new)[1] <= 0.05
    assert found[0.0] <= 0.05 * runs[0.0] + 2.5 * np.sqrt(0.0475 * runs[0.0])
    assert found[0.8] > 0.6 * runs[0.8]


class TestPolicies:
    @pytest.fixture
    def policy(self):
        rng = np.random.default_rng(2)
        confidence, pages = draw(rng, 120)
        right = rng.random(len(pages)) < 0.99
        return operation.fit_policy(right, confidence, max_error_rate=0.2, groups=pages)

    def test_shift(self, policy):
        rng = np.random.default_rng(3)
        pvalues = []
        for _ in range(7):
            confidence, pages = draw(rng, 25)
            found = policy.shift(confidence, groups=pages), policy.shift(confidence)
            pvalues.append([each.pvalue for each in found])
        by_pages, by_outputs = np.median(pvalues, axis=0)
        assert by_pages > 0.1
        assert by_outputs < 0.05
        confidence, pages = draw(rng, 60, 2.0)
        assert policy.shift(confidence, groups=pages).shifted

    def test_by_field(self):
        rng = np.random.default_rng(4)
        confidence, pages = draw(rng, 200)
        field = rng.choice(["a", "b"], len(pages))
        right = rng.random(len(pages)) < 0.99
        policy = operation.fit_policy(right, confidence, by=field, max_error_rate=0.2, groups=pages)
        moved = np.where(field == "b", confidence**4, confidence)
        found = policy.shift(moved, by=field, groups=pages)
        assert (found.shifted, found.field) == (True, "b")

    def test_a_policy_without_groups(self):
        policy = operation.fit_policy([1] * 100, range(100), max_error_rate=0.2)
        assert not policy.has_groups
        with pytest.raises(
            TypeError, match="groups is given, but the policy was fitted without groups"
        ):
            policy.shift([1.0, 2.0], groups=[0, 0])

    def test_files(self, policy):
        again = operation.Policy.from_json(policy.to_json())
        assert again == policy
        assert again.to_json() == policy.to_json()
        content = json.loads(policy.to_json())
        n_cells = len(content["references"][0]["edges"])
        for groups, message in (
            ([], r"references\[0\].groups is empty"),
            ([[0]], r"\[0\] must be a list that alternates .* index below 64"),
            ([[n_cells, 1]], rf"index below {n_cells} and each count at least 1"),
            ([[1, 1, 0, 1]], r"groups\[0\], every second element,"),
            ([[0, 10**6]], r"the sum of references\[0\]\.groups in cell 0 must"),
        ):
            content["references"][0]["groups"] = groups
            with pytest.raises(ValueError, match=message):
                operation.Policy.from_json(json.dumps(content))

    def test_many_groups_are_drawn_from(self):
        rng = np.random.default_rng(5)
        confidence, pages = draw(rng, MOST_GROUPS + 100)
        reference = Reference.of(confidence, pages)
        assert reference.groups.shape == (MOST_GROUPS, len(reference.edges))
        assert (reference.groups.sum(axis=0) <= reference.counts).all()


@pytest.fixture(scope="module")
def of_pages():
    """A policy by field of 300 pages, and 60 new ones: confidence, page and field."""
    rng = np.random.default_rng(11)
    confidence, pages = draw(rng, 300)
    by = np.array(["date", "name"])[rng.integers(0, 2, len(pages))]
    correct = rng.random(len(pages)) < 0.99
    policy = operation.fit_policy(
        correct, confidence, by=by, groups=pages, max_error_rate=0.05, method="gamma"
    )
    confidence, pages = draw(rng, 60)
    return policy, confidence, pages, np.array(["date", "name"])[rng.integers(0, 2, len(pages))]


def applied(policy, columns, folder, **options):
    path = folder / "new.csv"
    names = ",".join(columns)
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([names, *(",".join(map(str, row)) for row in rows)]) + "\n")
    goals = {"accepted": folder / "yes.csv", "review": folder / "no.csv"}
    return operation.apply_policy(policy, path, by="field", **goals, **options)


def test_files_are_tested_by_whole_pages(of_pages, tmp_path):
    policy, confidence, pages, by = of_pages
    columns = {"confidence": confidence, "page": pages, "field": by}
    found = applied(policy, columns, tmp_path, groups="page")
    expected = policy.shift(confidence, by=by, groups=pages)
    assert found.n_groups == 60
    assert found.shift.statistic == pytest.approx(expected.statistic)
    # groups are permuted in another order
    assert found.shift.pvalue == pytest.approx(expected.pvalue, abs=0.06)
    alone = applied(policy, columns, tmp_path)
    assert alone.n_groups is None
    assert alone.shift.pvalue == policy.shift(confidence, by=by).pvalue < found.shift.pvalue
    assert " outputs in 60 groups (" in str(found)
    taken = [int(policy.apply(confidence, by=by)[by == field].sum()) for field in policy.fields]
    interval = policy.expected_errors(taken)
    assert (found.expected_low, found.expected_high) == (interval.low, interval.high)


def test_files_of_moved_pages_and_of_many(of_pages, tmp_path):
    policy, confidence, pages, by = of_pages
    columns = {"confidence": confidence * 0.5, "page": pages, "field": by}
    assert applied(policy, columns, tmp_path, groups="page").shift.shifted
    many, parts = draw(np.random.default_rng(12), 700)  # of which 500 are permuted
    columns = {"confidence": many, "page": parts, "field": ["date"] * len(many)}
    assert applied(policy, columns, tmp_path, groups="page").n_groups == 700
    with pytest.raises(DataFileError, match="page"):
        applied(policy, {**columns, "page": ["", *parts[1:]]}, tmp_path, groups="page")


def test_groups_are_for_policies_that_were_fitted_with_them(tmp_path):
    policy = operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    path = tmp_path / "new.csv"
    path.write_text("confidence,page\n7,1\n")
    with pytest.raises(TypeError, match="groups is given, but the policy was fitted without groups"):
        operation.apply_policy(
            policy, path, accepted=tmp_path / "a.csv", review=tmp_path / "r.csv", groups="page"
        )
