"""Policies: thresholds by field, files, checks and shifts."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
import pytest

import fastarac as fa
from fastarac import operation
from fastarac.operation import shifts


def two_fields(n, seed, *, groups=False):
    """Dates that are hardly ever wrong and names that often are, with uniform confidences."""
    rng = np.random.default_rng(seed)
    field = rng.choice(["date", "name"], n)
    confidence = rng.random(n)
    return rng.random(n) >= error_probability(field, confidence), confidence, field


def error_probability(field, confidence):
    return np.where(field == "date", 0.05, 0.5) * (1 - confidence)


class TestFit:
    def test_one_threshold_is_that_of_the_guarantee(self):
        correct, confidence, _ = two_fields(3000, 1)
        policy = operation.fit_policy(correct, confidence, max_error_rate=0.05)
        point = fa.guaranteed_operating_point(correct, confidence, max_error_rate=0.05)
        assert policy.thresholds == (point.threshold,)
        assert policy.bound == point.bound
        assert (policy.apply(confidence) == (confidence >= point.threshold)).all()

    def test_order_of_items_does_not_matter(self):
        correct, confidence, field = two_fields(2000, 2)
        order = np.random.default_rng(0).permutation(2000)
        for options in ({}, {"groups": np.arange(2000) // 4}, {"documents": np.arange(2000) // 4}):
            first = operation.fit_policy(correct, confidence, by=field, max_error_rate=0.05, **options)
            moved = {name: labels[order] for name, labels in options.items()}
            again = operation.fit_policy(
                correct[order], confidence[order], by=field[order], max_error_rate=0.05, **moved
            )
            assert again == first

    def test_thresholds_are_those_of_the_error_probability(self):
        correct, confidence, field = two_fields(4000, 3)
        policy = operation.fit_policy(correct, confidence, by=field, max_error_rate=0.03)
        accepted = policy.apply(confidence, by=field)
        probability = policy.error_probability(confidence, by=field)
        assert probability[accepted].max() < probability[~accepted].min()

    def test_unknown_fields_are_rejected(self):
        correct, confidence, field = two_fields(4000, 3)
        policy = operation.fit_policy(correct, confidence, by=field, max_error_rate=0.03)
        assert policy.apply([1.0, 1.0], by=["date", "sum"]).tolist() == [True, False]
        assert policy.error_probability([1.0], by=["sum"]).tolist() == [1.0]
        with pytest.raises(TypeError, match="by must hold fields of type str"):
            policy.apply([1.0], by=[3])
        with pytest.raises(TypeError, match="by is missing: the policy was fitted with by"):
            policy.apply([1.0])

    def test_whole_documents(self):
        correct, confidence, field = two_fields(6000, 4)
        documents = np.arange(6000) // 3
        for rule in ("product", "least"):
            policy = operation.fit_policy(
                correct, confidence, by=field, documents=documents, max_error_rate=0.05, rule=rule
            )
            accepted = policy.apply(confidence, by=field, documents=documents).reshape(-1, 3)
            assert (accepted.all(axis=1) == accepted.any(axis=1)).all()
            right = 1 - policy.error_probability(confidence, by=field).reshape(-1, 3)
            score = right.min(axis=1) if rule == "least" else right.prod(axis=1)
            has = np.array([len(set(each)) == 2 for each in field.reshape(-1, 3).tolist()])
            assert not accepted[~has].any()
            assert score[accepted[:, 0]].min() > score[has & ~accepted[:, 0]].max()
            checked = policy.check(correct, confidence, by=field, documents=documents)
            assert checked.n_items == 2000
            assert checked.errors == (accepted[:, 0] & ~correct.reshape(-1, 3).all(axis=1)).sum()
        with pytest.raises(TypeError, match="documents is missing"):
            policy.apply([1.0], by=["date"])

    def test_documents_lie_in_one_group(self):
        with pytest.raises(ValueError, match="each document must belong to one group"):
            operation.fit_policy(
                [1, 0, 1], [3, 2, 1], documents=[0, 0, 1], groups=[0, 1, 1], max_error_rate=0.5
            )

    def test_too_few(self):
        with pytest.warns(fa.SampleTooSmallWarning):
            policy = operation.fit_policy([1] * 50, range(50), max_error_rate=0.01)
        assert policy.thresholds == (math.inf,)
        assert not policy.apply([1e9]).any()
        assert str(policy).startswith("no threshold keeps the limit of 1% ")
        with pytest.raises(ValueError, match="at least two items, groups or documents"):
            operation.fit_policy([1], [1], by=["a"], max_error_rate=0.5)


class TestFile:
    def test_saved_and_loaded(self, tmp_path):
        correct, confidence, field = two_fields(2000, 5)
        path = tmp_path / "policy.json"
        for options in (
            {"by": field, "max_error_rate": 0.05}, {"max_error_rate": 0.05}, {"max_risk": 0.2},
            {"by": field == "date", "max_error_rate": 0.05, "groups": np.arange(2000) // 2},
            {"by": field, "documents": np.arange(2000) // 2, "max_error_rate": 0.2},
        ):  # fmt: skip
            policy = operation.fit_policy(correct, confidence, **options)
            policy.save(path)
            assert operation.Policy.load(path) == policy
            assert list(tmp_path.iterdir()) == [path]

    def test_what_is_not_a_policy(self, tmp_path):
        path = tmp_path / "policy.json"
        operation.fit_policy([1] * 400, range(400), max_error_rate=0.05).save(path)
        content = json.loads(path.read_text())
        for text, message in (
            ("{", "not valid JSON"),
            ("[]", "not the file of a fastarac policy"),
            (json.dumps(content | {"version": 2}), "the version of the file must be 1, got 2"),
            (
                json.dumps({k: v for k, v in content.items() if k != "limit"}),
                'damaged: "limit" is missing',
            ),
        ):
            with pytest.raises(ValueError, match=message):
                operation.Policy.from_json(text)

    def test_a_failed_write_leaves_the_old_file(self, tmp_path, monkeypatch):
        path = tmp_path / "policy.json"
        policy = operation.fit_policy([1] * 400, range(400), max_error_rate=0.05)
        policy.save(path)
        before = path.read_bytes()
        monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            policy.save(path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


class TestCheck:
    POLICY = operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.01)

    def checked(self, errors, n, **options):
        correct = np.arange(n) >= errors
        return self.POLICY.check(correct, np.full(n, 5000), **options)

    def test_verdicts(self):
        assert self.checked(0, 299).verdict == "holds"
        few = self.checked(0, 298)
        assert (few.verdict, few.exit_status, few.still_needed) == ("too few", 3, 1)
        fails = self.checked(30, 1000)
        assert (fails.verdict, fails.exit_status) == ("fails", 1)
        assert fails.interval.low > 0.01
        assert self.checked(5, 500).still_needed is None
        assert str(fails).startswith("the limit of 1% fails: 3% of these outputs are ")

    def test_the_items_still_needed_are_enough(self):
        few = self.checked(2, 400)
        n = 400 + few.still_needed
        assert self.checked(math.ceil(0.005 * n - 1e-9), n).verdict == "holds"
        many = self.checked(6, 400)
        n = 400 + many.still_needed
        assert self.checked(int(0.015 * n), n).verdict == "fails"

    @pytest.mark.slow
    @pytest.mark.parametrize(("errors", "words"), [(12, "holds"), (40, "fails")])
    def test_the_groups_still_needed_are_enough(self, errors, words):
        """More than one output, as the limit is inside the interval, and more than of single ones."""
        n, groups = 2000, np.arange(2000) // 5
        correct = np.ones(n, bool)
        correct[np.arange(errors) // 4 * 5 + np.arange(errors) % 4] = False  # four in a group

        def check(copies, **options):
            values = np.tile(correct, copies)
            if options:
                options = {"groups": np.arange(len(values)) // 5}
            return self.POLICY.check(values, np.full(len(values), 5000), **options)

        few = check(1, groups=groups)
        assert few.interval.low < 0.01 < few.interval.high
        assert few.verdict == "too few"
        assert few.expected_verdict == words
        assert few.still_needed > n / 10
        assert check(3 + few.still_needed // n, groups=groups).verdict == words
        assert f"more outputs would show in 4 of 5 cases that the limit {words}, if " in str(few)
        alone = check(1)
        assert alone.verdict == words or alone.still_needed < few.still_needed

    @pytest.mark.slow
    def test_outputs_still_needed_are_more_than_there_are(self):
        """The saw of whole errors does not lead back below the number that did not do."""
        for n in range(429, 1200, 130):
            for errors in range(0, 1 + n // 50, 3):
                found = self.checked(errors, n)
                if found.still_needed is not None:
                    whole = n + found.still_needed
                    rate = errors / n
                    wrong = math.ceil(rate * whole - 1e-9) if rate < 0.01 else int(rate * whole + 1e-9)
                    assert self.checked(wrong, whole).verdict == found.expected_verdict

    def test_groups_of_one_are_nearly_as_good(self):
        alone = self.checked(4, 3000)
        grouped = self.checked(4, 3000, groups=np.arange(3000))
        assert grouped.verdict == alone.verdict == "holds"
        assert grouped.interval.high < 2 * alone.interval.high
        assert self.checked(200, 3000, groups=np.arange(3000)).verdict == "fails"
        with pytest.raises(ValueError, match=r"max_group_size must be at least 3 \(the size of"):
            self.checked(4, 3000, groups=np.arange(3000) // 3, max_group_size=2)

    def test_nothing_accepted(self):
        policy = operation.fit_policy([1] * 1000, range(1000), max_risk=0.1)
        found = policy.check([1, 0], [-5, -5])
        assert (found.accepted, found.verdict) == (2, "too few")


class TestShift:
    @pytest.mark.slow
    def test_p_values_are_uniform_with_ties(self):
        rng = np.random.default_rng(1)
        before = rng.integers(0, 5, 500)
        reference = operation.fit_policy([1] * 500, before, max_error_rate=0.1)
        found = []
        for seed in range(150):
            rng = np.random.default_rng(seed)
            both = np.concatenate([before, rng.integers(0, 5, 200)])
            rng.shuffle(both)
            reference = operation.fit_policy([1] * 500, both[:500], max_error_rate=0.1)
            found.append(reference.shift(both[500:]).pvalue)
        share = np.mean(np.array(found) <= 0.1)
        assert share <= 0.1 + 2.5 * math.sqrt(0.09 / 150)

    def test_a_shift_is_seen_where_it_is(self):
        correct, confidence, field = two_fields(4000, 6)
        policy = operation.fit_policy(correct, confidence, by=field, max_error_rate=0.05)
        new = two_fields(1000, 7)
        assert not policy.shift(new[1], by=new[2]).shifted
        moved = np.where(new[2] == "name", new[1] * 0.8, new[1])
        found = policy.shift(moved, by=new[2])
        assert found.shifted
        assert found.field == "name"
        assert "confidences of name have moved" in str(found)
        with pytest.raises(ValueError, match="one of the policy's fields"):
            policy.shift([0.5], by=["sum"])


def test_a_shift_among_more_than_can_be_drawn():
    """Counts beyond what is drawn from are scaled down; the p-value is that of the old ones."""
    reference = operation.fit_policy([1] * 400, range(400), max_error_rate=0.01).references[0]
    many = shifts.Seen(None, reference.counts * 10**8, reference.quantiles)
    assert not shifts.shift_of([reference], [many], 0.05).shifted
    moved = np.roll(many.counts, 1) + np.arange(len(many.counts)) * 10**8
    assert shifts.shift_of([reference], [many._replace(counts=moved)], 0.05).shifted


def test_a_seed_halves_samples_differently():
    """Not the same ranks in each, so that all samples of a size would be as lucky as one of them."""
    rng, lowest = np.random.default_rng(12), []
    for _ in range(12):
        correct = rng.random(30) < 0.7
        policy = operation.fit_policy(correct, np.arange(30), by=np.zeros(30), max_error_rate=0.5)
        lowest.append(policy.calibrations[0].thresholds[-1])
        order = rng.permutation(30)
        again = operation.fit_policy(
            correct[order], np.arange(30)[order], by=np.zeros(30), max_error_rate=0.5
        )
        assert again == policy
    assert len(set(lowest)) > 1


def test_repr_is_one_line():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = operation.fit_policy([1, 0] * 20, range(40), max_error_rate=0.01)
    assert "\n" not in repr(policy)


def test_one_threshold_for_groups_is_the_guaranteed_one():
    rng = np.random.default_rng(3)
    confidence = rng.beta(6, 1, 6000)
    correct = rng.random(6000) < 1 - 0.35 * (1 - confidence)
    options = {"groups": np.arange(6000) // 12, "max_error_rate": 0.01}
    found = fa.evaluate(correct, confidence, failure_probability=0.05, **options).limits[0].guaranteed
    assert fa.operation.fit_policy(correct, confidence, **options).thresholds == (found.threshold,)


class TestOwnOutputs:
    """The outputs that a policy was fitted on are no check of it, in whatever order they come."""

    @pytest.mark.parametrize("by_field", [False, True])
    def test_are_known(self, by_field):
        rng = np.random.default_rng(3)
        confidence = rng.random(2000)
        correct = rng.random(2000) >= 0.05 * (1 - confidence)
        by = rng.choice(["date", "name"], 2000) if by_field else None
        policy = operation.fit_policy(correct, confidence, by=by, max_error_rate=0.05)
        order = rng.permutation(2000)
        fields = None if by is None else by[order]
        own = policy.check(correct[order], confidence[order], by=fields)
        assert (own.verdict, own.of_fit, own.still_needed) == ("too few", True, None)
        assert own.exit_status == 3
        assert own.expected_verdict == "too few"
        assert "cannot check it" in str(own)
        again = operation.Policy.from_json(policy.to_json())
        assert again.check(correct, confidence, by=by) == own
        # one output with another confidence, truth or field makes others of them
        moved, other = confidence.copy(), correct.copy()
        moved[0] += 1e-9
        other[[0, 1]] = ~other[[0, 1]]
        for outputs in ((correct, moved), (other, confidence)):
            found = policy.check(*outputs, by=by)
            assert (found.verdict, found.of_fit) == ("holds", False)
        if by is not None:
            assert not policy.check(correct, confidence, by=np.roll(by, 1)).of_fit
        assert not policy.check(correct[1:], confidence[1:], by=None if by is None else by[1:]).of_fit

    def test_verified_in_part(self):
        """More answers of the same outputs are no other outputs."""
        rng = np.random.default_rng(4)
        confidence, drawn = rng.random(4000), rng.random(4000)
        right = rng.random(4000) >= 0.05 * (1 - confidence)

        def part(share):
            known = np.where(drawn < share, right, np.nan)
            return fa.PartialTruth(known, inclusion_probability=share)

        policy = operation.fit_policy(part(0.5), confidence, max_error_rate=0.1)
        assert policy.check(part(0.5), confidence).of_fit
        assert policy.check(part(0.7), confidence).verdict == "too few"
        assert not policy.check(part(0.5), confidence[::-1] ** 2).of_fit
        # known in whole at one time and in part at the other: by the confidences
        assert policy.check(right, confidence).of_fit
        of_all = operation.fit_policy(right, confidence, max_error_rate=0.1)
        assert of_all.check(part(0.5), confidence).of_fit
        assert not of_all.check(part(0.5), confidence[::-1] ** 2).of_fit
        by = np.where(drawn < 0.6, "date", "name")
        of_fields = operation.fit_policy(right, confidence, by=by, max_error_rate=0.1)
        again = operation.Policy.from_json(of_fields.to_json())
        assert again.check(part(0.5), confidence, by=by).of_fit
        assert not again.check(part(0.5), confidence, by=by[::-1]).of_fit

    def test_few_confidences_tell_nothing(self):
        policy = operation.fit_policy([1] * 400, np.arange(400) % 5, max_error_rate=0.05)
        assert policy.fitted_on is None
        assert policy.check([1] * 400, np.arange(400) % 5).verdict == "holds"
