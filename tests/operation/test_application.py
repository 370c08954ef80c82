"""Policies over files: the same decisions as on arrays, whole files or none, in constant memory."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import duckdb
import numpy as np
import pytest

from fastarac import operation
from fastarac.io import DataFileError
from fastarac.report import write_operation_report

RNG = np.random.default_rng(8)
FIELD, CONFIDENCE = RNG.choice(["date", "name"], 3000), RNG.random(3000).round(3)
CORRECT = RNG.random(3000) >= np.where(FIELD == "date", 0.05, 0.5) * (1 - CONFIDENCE)
POLICY = operation.fit_policy(CORRECT, CONFIDENCE, by=FIELD, max_error_rate=0.03)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "all.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "field", "confidence", "text"])
        for i in range(500):
            writer.writerow([i, FIELD[i], CONFIDENCE[i], 'a, "b"' if i % 3 else ""])
    return path


def applied(path, folder, ending=".csv", **options):
    goals = {name: folder / f"{name}{ending}" for name in ("accepted", "review")}
    return operation.apply_policy(POLICY, path, **goals, **{"by": "field"} | options), goals


def read(path):
    if path.suffix == ".parquet":
        return duckdb.connect().read_parquet(str(path)).fetchall()
    if path.suffix == ".jsonl":
        return [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        return [tuple(row) for row in csv.reader(file, delimiter="\t" if ".tsv" in path.name else ",")][
            1:
        ]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_decisions_are_those_on_arrays(table, tmp_path, ending):
    done, goals = applied(table, tmp_path, ending)
    expected = POLICY.apply(CONFIDENCE[:500], by=FIELD[:500])
    for name, chosen in (("accepted", expected), ("review", ~expected)):
        rows = read(goals[name])
        assert [int(row[0]) for row in rows] == np.flatnonzero(chosen).tolist()
        assert all(row[3] == 'a, "b"' for row in rows if int(row[0]) % 3)
    taken = [int(np.sum(expected & (FIELD[:500] == name))) for name in POLICY.fields]
    errors = POLICY.expected_errors(taken)
    assert done.n_items == 500
    assert done.accepted == expected.sum()
    assert done.expected_errors == errors.estimate
    assert (done.expected_low, done.expected_high) == (errors.low, errors.high)
    again, _ = applied(goals["accepted"], tmp_path / "..", ".csv") if ending == ".jsonl" else (done, 0)
    assert again.accepted == done.accepted


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_csv_files_keep_their_separator(tmp_path, mark):
    path = tmp_path / "new.csv"
    path.write_text(f"id{mark}field{mark}confidence\n1{mark}date{mark}0.999\n")
    done, goals = applied(path, tmp_path)
    assert done.accepted == 1
    assert goals["accepted"].read_text() == path.read_text()
    assert goals["review"].read_text() == f"id{mark}field{mark}confidence\n"


def test_policies_of_one_threshold_and_of_vast_integers(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(f"confidence\n{2**62}\n{2**62 + 1}\n{2**62 + 2}\n")
    confidence = np.array([2**62] * 300 + [2**62 + 1] * 300, np.int64)
    policy = operation.fit_policy(confidence > 2**62, confidence, max_error_rate=0.1)
    assert policy.thresholds == (2**62 + 1,)
    done = operation.apply_policy(policy, path, accepted=tmp_path / "a.csv", review=tmp_path / "r.csv")
    assert (done.accepted, done.rejected) == (2, 1)
    assert (tmp_path / "r.csv").read_text() == f"confidence\n{2**62}\n"


class TestShift:
    """The test for a shift is that on arrays, from counts alone."""

    @pytest.mark.parametrize("documents", [False, True])
    @pytest.mark.parametrize("power", [1, 3])
    def test_is_that_on_arrays(self, tmp_path, documents, power):
        rng = np.random.default_rng(10)
        field, confidence = rng.choice(["date", "name", "sum"], 900), rng.random(900) ** power
        path, policy, options = tmp_path / "new.csv", POLICY, {}
        if documents:
            policy = operation.fit_policy(
                CORRECT, CONFIDENCE, by=FIELD, documents=np.arange(3000) // 3, max_error_rate=0.2
            )
            options["documents"] = "form"
        lines = [f"{i // 3},{f},{c}" for i, (f, c) in enumerate(zip(field, confidence, strict=True))]
        path.write_text("\n".join(["form,field,confidence", *lines]) + "\n")
        goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
        found = operation.apply_policy(policy, path, **goals, by="field", **options)
        expected = policy.shift(confidence, by=field)
        assert found.shift.shifted == (power == 3)
        for name in ("shifted", "pvalue", "statistic", "field"):
            assert getattr(found.shift, name) == getattr(expected, name)
        assert np.array_equal(found.shift.before, expected.before)
        assert np.allclose(found.shift.now, expected.now, rtol=6e-4)
        assert ("have moved" in str(found)) == (power == 3)

    def test_integers_and_fields_that_nobody_knows(self, tmp_path):
        path = tmp_path / "new.parquet"
        policy = operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
        duckdb.sql("SELECT range + 250 AS confidence FROM range(300)").write_parquet(str(path))
        goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
        found = operation.apply_policy(policy, path, **goals).shift
        expected = policy.shift(range(250, 550))
        assert found == expected
        other = tmp_path / "other.csv"
        other.write_text("field,confidence\nsum,0.5\n")
        assert operation.apply_policy(POLICY, other, **goals, by="field").shift is None

    @pytest.mark.parametrize("factor", [100, 0.01])
    def test_another_scale_is_refused(self, tmp_path, factor):
        """A policy for 0.05 to 1, with confidences up to 100 and down to 0.0005."""
        rng = np.random.default_rng(11)
        confidence = rng.uniform(0.05, 1, 3000).round(4)
        policy = operation.fit_policy(rng.random(3000) < 0.99, confidence, max_error_rate=0.05)
        path = tmp_path / "new.csv"
        new = [*(factor * rng.uniform(0.05, 1, 300)), *([0.5] if factor > 1 else [])]
        path.write_text("\n".join(["confidence", *map(str, new)]) + "\n")
        goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
        with pytest.raises(DataFileError, match="the policy was fitted on another scale"):
            operation.apply_policy(policy, path, **goals)
        assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["product", "least"])
def test_whole_documents_are_decided_as_on_arrays(tmp_path, rule):
    """Also in files of several row groups, whose rows keep their order."""
    rng = np.random.default_rng(9)
    n = 200_000
    field, confidence = (
        rng.choice(["date", "name", "sum"], n, p=[0.5, 0.49, 0.01]),
        rng.random(n).round(2),
    )
    documents = rng.integers(0, n // 4, n)
    policy = operation.fit_policy(
        CORRECT, CONFIDENCE, by=FIELD, documents=np.arange(3000) // 3, max_error_rate=0.2, rule=rule
    )
    path = tmp_path / "all.csv"
    lines = zip(range(n), documents, field, confidence, strict=True)
    path.write_text(
        "id,form,field,confidence\n" + "".join(f"{i},{d},{f},{c}\n" for i, d, f, c in lines)
    )
    goals = {name: tmp_path / f"{name}.parquet" for name in ("accepted", "review")}
    done = operation.apply_policy(policy, path, **goals, by="field", documents="form")
    expected = policy.apply(confidence, by=field, documents=documents)
    assert 0 < expected.sum() < n
    for name, chosen in (("accepted", expected), ("review", ~expected)):
        ids = duckdb.sql(f"SELECT id FROM '{goals[name]}'").fetchnumpy()["id"].astype(int)
        assert np.array_equal(ids, np.flatnonzero(chosen))
    lacking = set(range(n // 4)).intersection(documents) - (
        set(documents[field == "date"]) & set(documents[field == "name"])
    )
    assert done.lacking_documents == len(lacking)
    assert not lacking.intersection(documents[expected])
    assert (done.n_items, done.accepted, done.unknown_fields) == (
        n,
        expected.sum(),
        (field == "sum").sum(),
    )
    assert done.accepted_documents == len(np.unique(documents[expected]))
    assert done.straight_through_rate == done.accepted_documents / len(np.unique(documents))
    rate = (policy.errors + 1) / (policy.accepted + 1)
    assert done.expected_errors == pytest.approx(rate * done.accepted_documents)
    assert str(done).startswith(
        f"accept {done.accepted_documents:,} of {done.n_documents:,} documents ("
    )


def test_documents_need_a_name_a_row(tmp_path):
    path = tmp_path / "bad.csv"
    policy = operation.fit_policy(
        CORRECT, CONFIDENCE, documents=np.arange(3000) // 3, max_error_rate=0.2
    )
    goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
    for row, message in ((",0.5", 'column "form" is empty'), ("7,x", 'column "confidence" holds "x"')):
        path.write_text(f"form,confidence\n7,0.5\n{row}\n")
        with pytest.raises(DataFileError, match=rf"row 2 \(line 3\): {message}"):
            operation.apply_policy(policy, path, **goals, documents="form")
    assert list(tmp_path.iterdir()) == [path]


def test_fields_are_counted_apart(table, tmp_path):
    done, _ = applied(table, tmp_path)
    accepted = POLICY.apply(CONFIDENCE[:500], by=FIELD[:500])
    tested, wrong = np.array(POLICY.accepted_by_field), np.array(POLICY.errors_by_field)
    overall = (POLICY.errors + 1) / (POLICY.accepted + 1)
    rates = (wrong + 3) / (tested + 3 / overall)
    rates *= overall * POLICY.accepted / (tested @ rates)
    for found, name, rate in zip(done.fields, ("date", "name"), rates, strict=True):
        own = FIELD[:500] == name
        assert found[:3] == (name, own.sum(), (own & accepted).sum())
        assert found.expected_errors == pytest.approx(rate * found.accepted)
    assert sum(each.expected_errors for each in done.fields) == pytest.approx(done.expected_errors)


def test_json_lines_keep_their_values_and_late_keys(tmp_path):
    path = tmp_path / "f.jsonl"
    first = {"field": "date", "confidence": 1.0, "box": [1, {"a": 2}]}
    rows = [first] * 1500 + [{"field": "sum", "confidence": 1, "late": True}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done, goals = applied(path, tmp_path, ".jsonl")
    assert done.unknown_fields == 1
    kept = [json.loads(line) for line in goals["accepted"].read_text().splitlines()]
    assert kept == [first | {"late": None}] * 1500
    last = {"field": "sum", "confidence": 1, "box": None, "late": True}
    assert json.loads(goals["review"].read_text()) == last


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "date,oops,x",
            r'row 3 \(line 4\): column "confidence" holds "oops"; expected a finite number',
        ),
        ("date,inf,x", r'row 3 \(line 4\): column "confidence" holds "inf"'),
        (",0.5,x", r'row 3 \(line 4\): column "field" is empty; expected a name'),
        ("date,0.5", r"row 3 \(line 4\): the header has 3 fields, the row has 2"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(tmp_path, row, message):
    path = tmp_path / "bad.csv"
    path.write_text(f"field,confidence,note\ndate,0.5,a\nname,0.1,b\n{row}\ndate,0.3,c\n")
    with pytest.raises(DataFileError, match=message):
        applied(path, tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_refusals(table, tmp_path):
    with pytest.raises(ValueError, match="which is also an input file: choose another name"):
        operation.apply_policy(POLICY, table, accepted=table, review=tmp_path / "r.csv", by="field")
    with pytest.raises(ValueError, match=r"review must end in one of"):
        operation.apply_policy(
            POLICY, table, accepted=tmp_path / "a.csv", review=tmp_path / "r.xlsx", by="field"
        )
    with pytest.raises(TypeError, match="by is missing: the policy was fitted with by"):
        applied(table, tmp_path, by=None)
    whole = operation.fit_policy(
        CORRECT, CONFIDENCE, documents=np.arange(3000) // 2, max_error_rate=0.2
    )
    with pytest.raises(TypeError, match="documents is missing: the policy was fitted with documents"):
        operation.apply_policy(whole, table, accepted=tmp_path / "a.csv", review=tmp_path / "r.csv")
    with pytest.raises(DataFileError, match='there is no column "score"'):
        applied(table, tmp_path, confidence="score")
    assert list(tmp_path.iterdir()) == [table]


MEASURE = """
import resource, sys
from fastarac import operation
policy = operation.Policy.load("policy.json")
operation.apply_policy(policy, sys.argv[1], accepted="a.csv", review="r.csv", by="field")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_memory_does_not_depend_on_the_size_of_the_file(tmp_path):
    POLICY.save(tmp_path / "policy.json")
    used = []
    for n in (150_000, 1_500_000):
        path = tmp_path / f"{n}.csv"
        duckdb.sql(
            f"COPY (SELECT i AS id, round(random(), 6) AS confidence, CASE WHEN i % 2 = 0 THEN 'date' "
            f"ELSE 'name' END AS field FROM range({n}) t(i)) TO '{path}'"
        )
        command = [sys.executable, "-c", MEASURE, str(path)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        used.append(int(done.stdout))
    assert used[1] < 1.5 * used[0], used


@pytest.mark.parametrize("kind", ["by", "documents", "groups"])
def test_a_file_without_rows_is_divided_into_none(tmp_path, kind):
    rng = np.random.default_rng(3)
    label, confidence = np.arange(2000) // 5 % (2 if kind == "by" else 400), rng.random(2000)
    correct = rng.random(2000) >= 0.02 * (1 - confidence)
    policy = operation.fit_policy(correct, confidence, max_error_rate=0.3, **{kind: label})
    path, yes, no = (tmp_path / name for name in ("night.csv", "yes.csv", "no.csv"))
    path.write_text("id,confidence,label\n")
    found = operation.apply_policy(policy, path, accepted=yes, review=no, **{kind: "label"})
    assert (found.n_items, found.accepted, found.expected_errors) == (0, 0, 0.0)
    assert str(found) == "there are no outputs: nothing to accept, nothing to verify"
    assert yes.read_text() == no.read_text() == "id,confidence,label\n"
    write_operation_report(tmp_path / "night.html", policy=policy, applied=found)
