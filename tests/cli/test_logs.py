"""`fastarac check --log`: verdicts from logs of audits, and logs that are refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from commands import refusal, run

from fastarac import operation

N, PI = 20_000, 0.2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Verified outputs, and policies fitted to them with one threshold and by field."""
    folder = tmp_path_factory.mktemp("logs")
    field, confidence, correct = outputs(4000, 0)
    rows = [f"{f},{y:d},{c}" for f, y, c in zip(field, correct, confidence, strict=True)]
    (folder / "verified.csv").write_text("\n".join(["field,correct,confidence", *rows]) + "\n")
    fit = "fit", folder / "verified.csv", "--error-rate", 0.02, "-o"
    run(*fit, folder / "one.json")
    run(*fit, folder / "fields.json", "--by", "field")
    return folder


@pytest.fixture
def one(folder):
    return folder / "one.json"


def outputs(n, seed, rate=0.5):
    rng = np.random.default_rng(seed)
    field, confidence = rng.choice(["date", "name"], n), rng.random(n).round(4)
    wrong = rng.random(n) < np.where(field == "date", 0.1, 1.0) * rate * (1 - confidence)
    return field, confidence, ~wrong


class Log:
    """A log of what a policy accepted, as arrays and as the rows of a file."""

    def __init__(self, path, rate=0.5):
        self.policy = operation.Policy.load(path)
        self.field, self.confidence, self.correct = outputs(N, 40, rate)
        self.accepted = self.policy.apply(self.confidence)
        self.drawn = self.accepted & (np.random.default_rng(41).random(N) < PI)

    def truth(self, answered):
        return np.where(answered | ~self.accepted, self.correct, np.nan)

    def lines(self, answered, **columns):
        names = ["field", "confidence", "accepted", "audit_probability", "correct", *columns]
        values = zip(
            self.field, self.confidence, self.accepted, self.truth(answered), *columns.values(),
            strict=True,
        )  # fmt: skip
        return [",".join(names)] + [
            ",".join([
                f"{f},{c},{a:d},{PI if a else ''},{'' if np.isnan(y) else int(y)}",
                *(f"{flag:d}" for flag in flags),
            ])
            for f, c, a, y, *flags in values
        ]  # fmt: skip

    def write(self, path, answered, **columns):
        path.write_text("\n".join(self.lines(answered, **columns)) + "\n")
        return path


@pytest.mark.slow
def test_figures_sentences_and_the_page(folder, one, tmp_path):
    log, page = Log(one), tmp_path / "log.html"
    answered = log.drawn & (np.arange(N) % 50 > 0)
    path = log.write(tmp_path / "log.csv", answered, drawn=log.drawn)
    done = run("check", one, path, "--log", "--format", "json", "--report", page, code=None)
    found = json.loads(done.stdout)["check"]
    expected = log.policy.check(
        log.truth(answered), log.confidence, audit_probability=PI, drawn=log.drawn,
        looks=operation.Looks(),
    )  # fmt: skip
    assert (found["low"], found["high"]) == (expected.interval.low, expected.interval.high)
    n_open = int((log.drawn & ~answered).sum())
    assert (found["audited"], found["unanswered"]) == (answered.sum(), n_open)
    assert done.exit_code == expected.exit_status
    text = page.read_text()
    assert "What the audits say" in text
    assert f"{n_open} outputs were drawn and have no answer; they count as errors." in text
    out = run("check", one, path, "--log", code=None).stdout
    assert f"from {answered.sum():,} audits; {n_open} drawn outputs without a result count as " in out
    assert ": 2.27% of these outputs are accepted and" in out
    assert "if every output that was drawn has its result" not in out


@pytest.mark.slow
def test_refusals(folder, one, tmp_path):
    log = Log(one)
    path = log.write(tmp_path / "log.csv", log.drawn, drawn=log.drawn)
    assert 'there is no column "x"' in refusal("check", one, path, "--log", "--group", "x")
    missing = refusal("check", one, folder / "verified.csv", "--log")
    assert 'there is no column "audit_probability"' in missing
    by_field = "check", folder / "fields.json", path, "--log"
    assert 'holds "' in refusal(*by_field)
    lines = log.lines(log.drawn, drawn=log.drawn)
    path.write_text("\n".join([*lines, f"date,0.0001,1,{PI},,0"]) + "\n")
    message = refusal("check", one, path, "--log")
    assert 'row 20001 (line 20002): column "accepted" holds "1"; the policy rejects it' in message
    path.write_text("\n".join([*lines, f"date,1,1,{PI},1,0"]) + "\n")
    message = refusal("check", one, path, "--log")
    assert 'row 20001 (line 20002): column "drawn" holds "0"; the output was accepted and ' in message


@pytest.mark.slow
def test_a_log_in_which_nobody_audited(one, tmp_path):
    log = Log(one)
    nobody = np.zeros(N, np.bool_)
    n = int(log.accepted.sum())
    for column in ("audited", "drawn"):
        path = log.write(tmp_path / f"{column}.csv", nobody, **{column: nobody})
        message = refusal("check", one, path, "--log")
        assert (
            f"{path}: audit_probability does not fit: of {n:,} accepted outputs with probability 0.2"
            in message
        )
        assert (
            f"should be audited, but 0 {'were drawn' if column == 'drawn' else 'have a result'}"
            in message
        )
    path = log.write(tmp_path / "open.csv", nobody, drawn=log.drawn)
    message = refusal("check", one, path, "--log")
    assert f"none of the {int(log.drawn.sum()):,} outputs that were drawn has a result" in message


@pytest.mark.slow
def test_only_a_log_that_says_what_was_drawn_holds(one, tmp_path):
    log = Log(one, rate=0.02)
    path = log.write(tmp_path / "drawn.csv", log.drawn, drawn=log.drawn)
    assert run("check", one, path, "--log").stdout.startswith("The limit of 2% holds: ")
    path = log.write(tmp_path / "log.csv", log.drawn, audited=log.drawn)
    check = "check", one, path, "--log"
    out = " ".join(run(*check, code=3).stdout.split())
    assert out.startswith("No verdict on the limit of 2% without a column drawn: ")
    assert "A threshold fitted to this log" not in out
    found = json.loads(run(*check, "--format", "json", code=3).stdout)["check"]
    assert (found["verdict"], found["unanswered"], found["still_needed"]) == ("too few", None, None)


def test_a_log_too_small_for_a_threshold_is_a_note(one, tmp_path):
    """The limit is named as it was set, and how many outputs it takes at this share of audits."""
    policy, n, share = operation.Policy.load(one), 600, 0.125
    confidence = 0.9 + np.arange(n) / n / 10
    drawn = np.arange(n) % 8 == 0
    rows = [f"{c},1,{share},{d:d},{'1' if d else ''}" for c, d in zip(confidence, drawn, strict=True)]
    path, page = tmp_path / "small.csv", tmp_path / "small.html"
    path.write_text("\n".join(["confidence,accepted,audit_probability,drawn,correct", *rows]) + "\n")
    assert policy.thresholds[0] <= 0.9
    done = run("check", one, path, "--log", "--report", page, "--details", code=None)
    assert re.search(r"the limit of 2% needs at least \d+ items", done.stdout)
    assert done.stdout.count("without an error") == 1
    assert "Warning" not in done.output
    assert "max_error_rate" not in done.output
    text = page.read_text()
    assert "of these outputs are " in text
    assert "Numbers of the chart; 90% intervals, each taken alone" in text
