"""Logs of whole documents: each document is one audit, drawn and answered as a whole."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastarac import io, operation, partial_truth
from fastarac.operation.audit_logs import LogError
from tests.operation.test_documents import Rows

CHANCE = 0.3


@pytest.fixture(scope="module")
def policy():
    return Rows(1500).fit(optional=["po"])


@pytest.fixture(scope="module")
def of_outputs():
    """A policy of single outputs with the same promise, to check documents as if they were outputs."""
    return operation.fit_policy([1] * 400, range(400), max_error_rate=0.05)


class Logged:
    """Rows of documents with a draw of accepted documents."""

    def __init__(self, policy, seed, n=300):
        rng, self.rows = np.random.default_rng(seed), Rows(n, seed + 1)
        self.accepted = policy.apply(self.rows.confidence, **self.rows.of())
        self.by_document = self.accepted.reshape(-1, 3).all(axis=1)
        self.drawn = self.by_document & (rng.random(n) < CHANCE)
        self.answers = np.where(np.repeat(self.drawn, 3), self.rows.correct, np.nan)

    @property
    def truth(self):
        """Whether each drawn document is right, by the answers; NaN while that is open."""
        answers = self.answers.reshape(-1, 3)
        right = np.where(np.isnan(answers).any(axis=1), np.nan, 1.0)
        return np.where((answers == 0).any(axis=1), 0.0, right)

    def check(self, policy, **more):
        drawn = np.repeat(self.drawn, 3)
        options = self.rows.of() | {"audit_probability": CHANCE, "drawn": drawn} | more
        return policy.check(self.answers, self.rows.confidence, **options)


@given(seed=st.integers(0, 10**6), n_open=st.integers(0, 9))
@settings(max_examples=20)
def test_a_document_counts_as_one_output(policy, of_outputs, seed, n_open):
    log = Logged(policy, seed)
    log.answers[np.flatnonzero(~np.isnan(log.answers))[:n_open]] = np.nan
    order = np.random.default_rng(seed).permutation(len(log.answers))
    mixed = log.rows.of(order) | {
        "audit_probability": CHANCE,
        "drawn": np.repeat(log.drawn, 3)[order],
    }
    found = policy.check(log.answers[order], log.rows.confidence[order], **mixed)
    reference = of_outputs.check(
        log.truth, np.where(log.by_document, 400.0, -1.0), audit_probability=CHANCE, drawn=log.drawn
    )
    assert found.documents
    for name in ("verdict", "interval", "n_items", "accepted", "errors", "audited", "unanswered"):
        assert getattr(found, name) == getattr(reference, name), name


def test_contradictions_are_named_by_row(policy):
    log = Logged(policy, 3)
    place = 3 * int(np.flatnonzero(log.drawn)[0])
    drawn = np.repeat(log.drawn, 3)
    drawn[place + 1] = False
    with pytest.raises(LogError, match=rf"drawn\[{place + 1}\] is False; all rows of this doc"):
        log.check(policy, drawn=drawn)
    chance = np.full(len(drawn), CHANCE)
    chance[place + 2] = 0.5
    with pytest.raises(LogError, match=rf"audit_probability\[{place + 2}\] is 0.5; all rows"):
        log.check(policy, audit_probability=chance)
    other = 3 * int(np.flatnonzero(log.by_document & ~log.drawn)[0])
    log.answers[other : other + 3] = 1
    with pytest.raises(LogError, match=rf"drawn\[{other}\] is False; the output was accepted and has"):
        log.check(policy)
    log.answers[other] = 7
    with pytest.raises(LogError, match=rf"correct\[{other}\] is 7.0; use 0, 1 or NaN"):
        log.check(policy)
    with pytest.raises(ValueError, match="correct has 2 rows and confidence has 900"):
        policy.check([1, 0], log.rows.confidence, **log.rows.of(), audit_probability=CHANCE)


def test_a_missed_optional_field_is_an_error(policy):
    log = Logged(policy, 4)
    absent = np.flatnonzero(log.rows.rejected & np.repeat(log.drawn, 3))
    assert len(absent)  # drawn documents without po
    before = log.check(policy).errors
    log.answers[absent[log.answers[absent] == 1]] = 0
    found = log.check(policy)
    assert found.errors > before
    kept = ~log.rows.rejected
    of_kept = log.rows.of(kept) | {"drawn": np.repeat(log.drawn, 3)[kept], "audit_probability": CHANCE}
    with pytest.raises(ValueError, match="no row for an optional field"):
        policy.check(log.answers[kept], log.rows.confidence[kept], **of_kept)
    complete = policy.check(
        log.answers[kept], log.rows.confidence[kept], **of_kept, fields_complete=True
    )
    assert complete.errors < found.errors


def written(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_whole_documents_are_drawn_from_files(policy, tmp_path):
    rows = Rows(300, 8)
    confidence = np.where(rows.rejected, "", rows.confidence.astype(str)).tolist()
    columns = zip(rows.documents.tolist(), rows.by.tolist(), confidence, strict=True)
    table = [{"document": f"d{k}", "field": field, "confidence": c} for k, field, c in columns]
    path, goal = written(tmp_path / "new.csv", table), tmp_path / "log.csv"
    names = {"policy": policy, "by": "field", "documents": "document"}
    sample = partial_truth.sample_outputs(path, goal, 150, **names)
    with goal.open(newline="") as file:
        log = list(csv.DictReader(file))
    assert len(log) == len(table)  # rows without a confidence have an answer, too
    by_document = {}
    for row, right in zip(log, rows.correct.tolist(), strict=True):
        by_document.setdefault(row["document"], set()).add((row["accepted"], row["drawn"]))
        row["correct"] = int(right) if row["drawn"] == "1" else ""
    assert all(len(each) == 1 for each in by_document.values())
    assert int(sample.selected.sum()) == sum(row["drawn"] == "1" for row in log)
    read = operation.read_audits(written(goal, log), **names)
    outputs = read.outputs._asdict()
    found = policy.check(
        read.correct, **outputs, audit_probability=read.audit_probability, drawn=read.drawn
    )
    assert found.audited == sum(each == {("1", "1")} for each in by_document.values())
    with pytest.raises(TypeError, match="documents is missing"):
        partial_truth.sample_outputs(path, tmp_path / "b.csv", 150, policy=policy, by="field")
    kept = [row for row in table if row["confidence"]]
    short = written(tmp_path / "short.csv", kept)
    with pytest.raises(io.DataFileError, match="no row for an optional field"):
        partial_truth.sample_outputs(short, tmp_path / "b.csv", 150, **names)
