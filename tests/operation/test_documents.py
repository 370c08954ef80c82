"""Documents and fields that are absent: who opens them, what counts as an error, what is advised."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from bench.simulations import absent_fields
from fastarac import operation

N = 800
FIELDS = np.array(["date", "po", "total"])


class Rows:
    """Rows of documents, in which `po` is often empty and sometimes missed."""

    def __init__(self, n: int = N, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.documents = np.repeat(np.arange(n), 3)
        self.by = np.tile(FIELDS, n)
        self.confidence = rng.random(3 * n).round(3)
        correct = rng.random(3 * n) >= 0.06 * (1 - self.confidence)
        is_po, chance = self.by == "po", rng.random(3 * n)
        empty, missed = is_po & (chance < 0.3), is_po & (chance >= 0.995)
        self.rejected = empty | missed
        self.correct = np.where(self.rejected, empty, correct)

    def of(self, chosen: object = slice(None), **more: object) -> dict[str, object]:
        """The columns beside (correct, confidence)."""
        names = "by", "documents", "rejected"
        return {name: getattr(self, name)[chosen] for name in names} | more

    def fit(self, **more: object) -> operation.Policy:
        """A policy of all rows."""
        options = {"max_error_rate": 0.05} | self.of(**more)
        return operation.fit_policy(self.correct, self.confidence, **options)


@pytest.fixture(scope="module")
def rows():
    return Rows()


def shares(policy, rows):
    """Accepted documents, and accepted ones with an error, by the truth."""
    accepted = policy.apply(rows.confidence, **rows.of()).reshape(-1, 3).all(axis=1)
    return accepted, accepted & ~rows.correct.reshape(-1, 3).all(axis=1)


class TestRequired:
    def test_nothing_missed_passes(self, rows):
        policy = rows.fit()
        accepted, _ = shares(policy, rows)
        assert accepted.any()
        assert not accepted[rows.rejected.reshape(-1, 3).any(axis=1)].any()
        assert policy.n_items == N // 2  # shares are of all documents

    def test_no_row_is_as_a_row_without_a_confidence(self, rows):
        for optional in ((), ("po",)):
            policy, there = rows.fit(optional=optional), ~rows.rejected
            of_all = policy.apply(rows.confidence, **rows.of())
            of_outputs = policy.apply(
                rows.confidence[there], by=rows.by[there], documents=rows.documents[there]
            )
            assert np.array_equal(of_all[there], of_outputs)

    def test_fields_that_are_not_known_decide_nothing(self, rows):
        policy = rows.fit(optional=["po"])
        new = policy.apply([0.99, 0.99, 0.0], by=["date", "total", "iban"], documents=[1, 1, 1])
        assert new.all()
        assert not policy.apply([0.99], by=["iban"], documents=[1]).any()  # no output of the policy's
        assert not policy.apply([0.99, 0.99], by=["date", "iban"], documents=[1, 1]).any()
        checked = policy.check(
            [1, 1, 0], [0.99, 0.99, 0.5], by=["date", "total", "iban"], documents=[1, 1, 1],
            fields_complete=True,
        )  # fmt: skip
        assert (checked.accepted, checked.errors, checked.unknown_fields) == (1, 0, 1)

    def test_a_document_without_an_output_counts(self, rows):
        policy = rows.fit(optional=list(FIELDS))
        options = {"by": ["date", "date"], "documents": [1, 2], "rejected": [False, True]}
        assert policy.apply([0.999, 0.0], **options).tolist() == [True, False]
        checked = policy.check([True, False], [0.999, 0.0], **options, fields_complete=True)
        assert (checked.n_items, checked.accepted) == (2, 1)

    def test_line_items_lack_a_field_where_none_has_an_output(self):
        """In use a row that was not read is not there: one without a confidence decides nothing."""
        n = 600
        rng = np.random.default_rng(1)
        documents, by = np.repeat(np.arange(n), 2), np.full(2 * n, "amount")
        rejected = rng.random(2 * n) < 0.1
        correct = ~rejected & (rng.random(2 * n) < 0.99)
        columns = {"by": by, "documents": documents, "rejected": rejected}
        confidence = np.tile([0.9, 0.8], n)
        policy = operation.fit_policy(correct, confidence, max_error_rate=0.3, **columns)
        none = rejected.reshape(-1, 2).all(axis=1)
        accepted = policy.apply(confidence, **columns)[::2]
        assert np.array_equal(accepted, ~none)
        found = policy.check(correct, confidence, **columns)
        assert found.errors == (~none & ~correct.reshape(-1, 2).all(axis=1)).sum()

    def test_without_fields_every_output_needs_a_confidence(self, rows):
        policy = operation.fit_policy(
            rows.correct, rows.confidence, documents=rows.documents, max_error_rate=0.2
        )
        found = policy.apply([0.99, 0.99], documents=[1, 1], rejected=[False, True])
        assert not found.any()


class TestEverythingFound:
    """Where no document lacks a field, policies are those of documents whose fields nobody counted."""

    BEFORE = (
        ({"max_error_rate": 0.08}, (0.8595758891300719, 151, 15, 0.0759486982995954), 930),
        (
            {"max_error_rate": 0.08, "rule": "least"},
            (0.9166666666666666, 168, 16, 0.07987962312006988),
            1011,
        ),
        ({"max_error_rate": 0.1, "groups": True}, (0.8900966183574879, 127, 15, None), 795),
        ({"max_risk": 0.25}, (0.5961038961038961, 299, 35, 0.1521907869038305), 1797),
    )

    @pytest.mark.parametrize(("options", "counts", "outputs"), BEFORE)
    def test_shares_are_what_they_were(self, options, counts, outputs):
        rng = np.random.default_rng(11)
        by, documents = np.tile(FIELDS, 600), np.repeat(np.arange(600), 3)
        confidence = rng.random(1800).round(3)
        correct = rng.random(1800) >= 0.1 * (1 - confidence)
        if "groups" in options:
            options = options | {"groups": documents // 2}
        columns = {"by": by, "documents": documents}
        found = [
            operation.fit_policy(correct, confidence, **columns, **options, **more)
            for more in ({}, {"optional": ["po"]}, {"rejected": np.zeros(1800, bool)})
        ]
        for policy in found:
            names = "document_threshold", "accepted", "errors", "bound"
            for name, expected in zip(names, counts, strict=True):
                assert expected is None or getattr(policy, name) == expected
            assert policy.apply(confidence, **columns).sum() == outputs
            assert policy.settings == policy.advice == ()
        assert found[0] == found[2]


class TestOptional:
    def test_missed_ones_are_errors_and_empty_ones_right(self, rows):
        policy = rows.fit(optional=["po"])
        accepted, wrong = shares(policy, rows)
        absent = rows.rejected.reshape(-1, 3).any(axis=1)
        assert (accepted & absent).any()
        checked = policy.check(rows.correct, rows.confidence, **rows.of())
        assert (checked.n_items, checked.accepted) == (N, accepted.sum())
        assert checked.errors == wrong.sum()
        assert (wrong & absent).any()

    def test_what_is_not_listed_is_unlabelled(self, rows):
        listed = ~rows.rejected
        given = rows.correct[listed], rows.confidence[listed]
        columns = {"by": rows.by[listed], "documents": rows.documents[listed]}
        options = {"max_error_rate": 0.05, "optional": ["po"]}
        message = r'\d+ documents have no row for an optional field, such as "po" of document "\d+"'
        with pytest.raises(ValueError, match=message):
            operation.fit_policy(*given, **columns, **options)
        policy = operation.fit_policy(*given, **columns, **options, fields_complete=True)
        with pytest.raises(ValueError, match="complete=True if a field without a row has no"):
            policy.check(*given, **columns)
        assert policy.check(*given, **columns, fields_complete=True).n_items == N
        assert operation.fit_policy(*given, **columns, max_error_rate=0.05).optional == ()

    def test_wrong_arguments(self, rows):
        for given, error, message in (
            ({"optional": ["vat"]}, ValueError, 'optional must name fields in by .*, got "vat"'),
            ({"optional": "po"}, TypeError, r"optional must be a sequence, such as \['po'\], got 'po'"),
            ({"documents": None}, TypeError, "rejected needs documents"),
            ({"optional": ["po"], "by": None}, TypeError, "optional needs by"),
            ({"rejected": [True]}, ValueError, "rejected must have the shape"),
            ({"rejected": np.ones(3 * N, bool)}, ValueError, "rejected marks every output"),
        ):
            with pytest.raises(error, match=message):
                operation.fit_policy(
                    rows.correct, rows.confidence, **{"max_error_rate": 0.05} | rows.of() | given
                )

    def test_a_field_that_is_never_found(self, rows):
        rejected = rows.rejected | (rows.by == "po")
        columns = {"by": rows.by, "documents": rows.documents, "rejected": rejected}
        correct = rows.correct | (rows.by == "po")
        for optional, some in (((), False), (("po",), True)):
            policy = operation.fit_policy(
                correct, rows.confidence, max_error_rate=0.05, optional=optional, **columns
            )
            assert (policy.accepted > 0) == some
            assert operation.Policy.from_json(policy.to_json()) == policy
        assert not policy.apply([1.0] * 3, by=FIELDS, documents=[1] * 3).any()  # nothing is known of po
        assert policy.check(correct, rows.confidence, **columns).of_fit


class TestTypes:
    @pytest.fixture
    def typed(self):
        rows = Rows(1200, 3)
        rows.types = np.where(rows.documents % 2, "invoice", "receipt")
        has = (rows.types == "invoice") | (rows.by != "po")
        for name in ("documents", "by", "confidence", "rejected", "correct", "types"):
            setattr(rows, name, getattr(rows, name)[has])
        return rows

    def test_fields_are_required_of_their_types_alone(self, typed):
        policy = typed.fit(types=typed.types)
        assert [each.fields for each in policy.types] == [("date", "po", "total"), ("date", "total")]
        columns = {"by": ["date", "total"], "documents": [1, 1]}
        for kind, accepted in (("receipt", True), ("invoice", False), ("letter", False)):
            found = policy.apply([0.999, 0.999], **columns, types=[kind] * 2)
            assert found.all() == found.any() == accepted
        with pytest.raises(TypeError, match="types is missing: the policy was fitted with types"):
            policy.apply([0.999, 0.999], **columns)
        with pytest.raises(
            ValueError, match="types must have one type for each document, got a second type at index 1"
        ):
            policy.apply([0.999, 0.999], **columns, types=["receipt", "invoice"])
        assert operation.Policy.from_json(policy.to_json()) == policy
        found = policy.check(typed.correct, typed.confidence, **typed.of(types=typed.types))
        assert (found.n_items, found.of_fit) == (1200, True)
        assert policy.accepted > typed.fit().accepted

    @pytest.mark.parametrize("optional", [(), ("po",)])
    @pytest.mark.parametrize("rule", ["product", "least"])
    def test_apply_to_a_file(self, typed, tmp_path, optional, rule):
        path = tmp_path / "all.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["document", "field", "confidence", "type"])
            for d, f, c, no, t in zip(
                typed.documents, typed.by, typed.confidence, typed.rejected, typed.types, strict=True
            ):
                writer.writerow([d, f, "" if no else c, t])
        policy = typed.fit(types=typed.types, optional=optional, rule=rule)
        goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
        columns = {"by": "field", "documents": "document", "types": "type", "empty_confidence": True}
        done = operation.apply_policy(policy, path, **goals, **columns)
        expected = policy.apply(typed.confidence, **typed.of(types=typed.types))
        assert done.accepted == expected.sum()
        assert done.accepted_documents == len(np.unique(typed.documents[expected]))
        lines = goals["accepted"].read_text().splitlines()[1:]
        assert {int(line.split(",")[0]) for line in lines} == set(typed.documents[expected].tolist())


class TestAdvice:
    def test_it_is_of_the_half_that_ranks(self, rows):
        policy = rows.fit()
        po = next(each for each in policy.absences if each.field == "po")
        assert (po.n_documents, po.optional, po.unlisted) == (N // 2, False, 0)
        assert 0.2 < po.absent / po.n_documents < 0.45
        now, other = policy.settings
        assert (now.optional, other.optional) == ((), ("po",))
        (words,) = policy.advice
        assert words.startswith("With po optional, ")
        assert " po: no output in " in words
        again = rows.fit(optional=["po"])
        assert again.settings[0] == other  # the same halves, so that the advice is what it was
        assert again.settings[1] == now

    def test_fields_that_are_absent_together(self):
        items = absent_fields.draw(1200, np.random.default_rng(0), "together")
        policy = absent_fields.fitted(items)
        best = max(policy.settings, key=lambda each: each.straight_through_rate)
        assert set(best.optional) == {"po", "vat"}
        assert policy.advice[0].startswith("With po and vat optional, ")

    def test_what_is_not_listed_is_not_advised(self, rows):
        there = ~rows.rejected
        policy = operation.fit_policy(
            rows.correct[there], rows.confidence[there], by=rows.by[there],
            documents=rows.documents[there], max_error_rate=0.05,
        )  # fmt: skip
        po = next(each for each in policy.absences if each.field == "po")
        assert po.unlisted == po.absent > 0
        assert [each.optional for each in policy.settings] == [()]
        (words,) = policy.advice
        assert words.startswith("po: no output in 3")
        assert "in 100% of these, the truth does not list the field (fields_complete=True" in words


class TestFile:
    def test_older_files_require_all_fields(self, rows):
        content = json.loads(rows.fit(optional=["po"]).to_json())
        for name in ("optional", "types", "absences", "settings"):
            del content[name]
        policy = operation.Policy.from_json(json.dumps(content))
        assert policy.optional == ()
        assert not policy.apply([0.999, 0.999], by=["date", "total"], documents=[1, 1]).any()

    @pytest.mark.parametrize(
        ("to", "message"),
        [
            ({"optional": ["vat"]}, 'optional must hold names from fields, got "vat"'),
            (
                {"optional": ["po", "date"]},
                r'optional\[1\] must be more than "po" \(the value before\), got "date"',
            ),
            (
                {"types": [{"type": "a", "fields": ["vat"]}]},
                r'types\[0\]\.fields must hold names from fields, got "vat"',
            ),
            ({"absences": []}, None),
            ({"optional": []}, "absences and optional must name the same optional fields"),
            ({"optional": [], "absences": []}, r"settings\[0\].optional must be the same as optional"),
            ({"documents": None}, "optional needs documents"),
            ({"settings": [{"optional": [], "straight_through_rate": 2}]}, r"settings\[0\]"),
        ],
    )
    def test_what_does_not_fit(self, rows, to, message):
        content = json.loads(rows.fit(optional=["po"]).to_json()) | to
        if to == {"documents": None}:
            content |= {"accepted_by_field": [0, 0, 0], "errors_by_field": [0, 0, 0]}
            content |= {"accepted": 0, "errors": 0, "errors_per_group": 1.0}
        if message is None:
            assert operation.Policy.from_json(json.dumps(content)).optional == ("po",)
            return
        with pytest.raises(ValueError, match=message):
            operation.Policy.from_json(json.dumps(content))


@pytest.mark.slow
@pytest.mark.parametrize("absent", absent_fields.ABSENT)
def test_the_limit_is_kept_by_who_follows_the_advice(absent):
    """A small part of the simulation: the best setting that `fit` advises, fitted to the same file."""
    rng = np.random.default_rng(7)
    runs = 25
    broken = sum(absent_fields.followed(500, absent, rng) > absent_fields.LIMIT for _ in range(runs))
    assert broken / runs <= absent_fields.DELTA + 2 * np.sqrt(0.05 * 0.95 / runs)


def test_without_fields_every_row_without_an_output_holds_a_document_back():
    """In fit, apply and check alike: nothing tells which rows a document has to have."""
    rng = np.random.default_rng(0)
    documents = np.repeat(np.arange(600), 3)
    rejected = rng.random(1800) < 0.05
    confidence = rng.uniform(0.5, 1, 1800)
    correct = (rng.random(1800) < 0.995) & ~rejected
    of = {"documents": documents, "rejected": rejected}
    policy = operation.fit_policy(correct, confidence, max_error_rate=0.05, **of)
    has_gap = np.bincount(documents, rejected) > 0
    accepted = policy.apply(confidence, **of).reshape(-1, 3).all(axis=1)
    assert not (accepted & has_gap).any()
    found = policy.check(correct, confidence, **of)
    assert found.accepted == accepted.sum()
    wrong = ~correct.reshape(-1, 3).all(axis=1)
    assert found.errors == (accepted & wrong).sum()
    assert policy.acceptance_rate == pytest.approx((~has_gap).mean(), abs=0.08)
