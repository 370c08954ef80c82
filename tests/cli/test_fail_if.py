"""Gates of a build: `--fail-if`, and the exit statuses on which scripts branch."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import reason, run, write

VERIFIED = "--inclusion-probability", "pi"
PRICES = ("--costs", "verification=2,correction=5,error=200")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two versions of a model on the same outputs, the new one clearly worse; half a truth of each."""
    folder = tmp_path_factory.mktemp("build")
    rng = np.random.default_rng(0)
    confidence = rng.random(1200).round(4)
    draws, known = rng.random(1200), rng.random(1200) < 0.5
    for name, errors in (("old", 0.2), ("new", 0.6)):
        correct = (draws >= errors * (1 - confidence)).astype(int)
        write(folder / f"{name}.csv", correct, confidence, id=range(1200), field=["a", "b"] * 600)
        cells = [str(c) if k else "" for c, k in zip(correct, known, strict=True)]
        write(folder / f"part_{name}.csv", cells, confidence, pi=[0.5] * 1200)
    write(folder / "right.csv", [1] * 50, np.arange(50) / 50)
    both = "".join(
        f"{name},{line}\n"
        for name in ("old", "new")
        for line in (folder / f"{name}.csv").read_text().splitlines()[1:]
    )
    (folder / "both.csv").write_text("version,correct,confidence,id,field\n" + both)
    return folder


def failures(done):
    start = "fastarac: failed: "
    lines = done.stderr.splitlines()
    return [line.removeprefix(start) for line in lines if line.startswith(start)]


def figures(*arguments):
    given = list(arguments)
    if "--format" in given:  # an option is given once
        place = given.index("--format")
        del given[place : place + 2]
    return json.loads(run(*given, "--format", "json").stdout)["models"]


WAYS = {
    "items": ("new.csv", "--guarantee", 0.05, "--ci", 0.9, *PRICES),
    "groups": ("new.csv", "--by", "field", "--threshold", 0.5),
    "pages": ("new.csv", "--group", "id", "--ci", 0.9),
    "markdown": ("new.csv", "--format", "markdown", "--max-risk", 0.1),
    "CSV": ("new.csv", "--format", "csv", "--threshold", 0.5),
    "verified": ("part_new.csv", *VERIFIED, "--guarantee", 0.05, "--ci", 0.9, *PRICES),
    "verified, groups": ("part_new.csv", *VERIFIED, "--threshold", 0.5, "--format", "csv"),
    "streams": ("new.csv", "--max-memory", "64MB", "--threshold", 0.5),
}


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS)
def test_every_key_can_be_in_a_condition(folder, arguments, monkeypatch):
    monkeypatch.chdir(folder)
    (found,) = figures("evaluate", *arguments)
    numbers = {key: value for key, value in found.items() if not isinstance(value, str | list)}
    assert len(numbers) >= 20
    never = [
        option
        for key, value in numbers.items()
        if value is not None
        for option in ("--fail-if", f"{key} < {value:.17g}", "--fail-if", f"{key}>{value:.17g}")
    ]
    passed = run("evaluate", *arguments, *never)
    assert failures(passed) == []
    always = [
        option
        for key, value in numbers.items()
        for option in ("--fail-if", f"{key} >= {value if value is not None else 0:.17g}")
    ]
    done = run("evaluate", *arguments, *always, code=1)
    assert done.stdout == passed.stdout
    assert [each.split()[0] for each in failures(done)] == list(numbers)


def test_any_model_or_one(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = figures("evaluate", "old.csv", "new.csv")
    shares = {each["name"]: each["acceptance_rate/0.01"] for each in found}
    assert shares["new"] < 0.2 < shares["old"]
    few = "acceptance_rate/0.01 < 0.2"
    done = run("evaluate", "old.csv", "new.csv", "--fail-if", few, code=1)
    assert failures(done) == [f"acceptance_rate/0.01 of new is {shares['new']}, below 0.2."]
    run("evaluate", "old.csv", "--fail-if", few)
    run("evaluate", "old.csv", "new.csv", "--fail-if", f"old: {few}")
    run("evaluate", "both.csv", "--model", "version", "--fail-if", f"new: {few}", code=1)
    run("evaluate", "old.csv", "new.csv", "--fail-if", f"best: {few}")  # the old one is better
    done = run("evaluate", "old.csv", "new.csv", "--fail-if", "best: acceptance_rate/0.01 < 1", code=1)
    assert failures(done)[0].startswith("All 2 models fail: acceptance_rate/0.01 of ")
    assert "--ci is given twice" in run("evaluate", "old.csv", "--ci", 0.9, "--ci", 0.8, code=2).stderr
    error = reason("evaluate", "old.csv", "new.csv", "--fail-if", f"newer: {few}")
    assert error == '--fail-if names the model "newer"; use one of "old" and "new"'


def test_what_is_undefined_fails(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for condition in ("roc_auc < 0.5", "roc_auc > 0.5", "threshold/guaranteed/0.01 <= 1"):
        done = run("evaluate", "right.csv", "--guarantee", 0.05, "--fail-if", condition, code=1)
        key = condition.split()[0]
        assert failures(done) == [
            f"{key} of right is undefined or infinite, which fails every condition."
        ]


@pytest.mark.parametrize(
    ("arguments", "key", "nearest"),
    [
        (("new.csv",), "acceptance_rate/0.02", "acceptance_rate/0.05, acceptance_rate/0.01 and "),
        (("new.csv",), "acceptance_rate@0.01", None),
        (("new.csv",), "name", "gamma"),
        (("new.csv", "--by", "field"), "groups", " and "),
        (("part_new.csv", *VERIFIED), "acceptance/0.01", "acceptance_rate/0.01"),
        (
            ("new.csv", "--max-memory", "64MB"), "acceptance_rate/0.01",
            "acceptance_rate_low/0.01, acceptance_rate_high/0.01",
        ),
    ],
)  # fmt: skip
def test_unknown_keys(folder, arguments, key, nearest, monkeypatch):
    monkeypatch.chdir(folder)
    error = reason("evaluate", *arguments, "--fail-if", f"{key} < 1")
    if nearest is None:
        assert error.startswith("--fail-if must be a key of --format json")
        assert error.endswith(f'got "{key} < 1"')
    else:
        assert error.startswith(f'--fail-if has the key "{key}", which no figure has; the nearest are ')
        assert nearest in error


@pytest.mark.parametrize(
    "text", ["", "roc_auc", "roc_auc = 1", "roc_auc < nan", "roc_auc < 60%", "< 1"]
)
def test_conditions_are_read_before_any_file(text):
    error = reason("evaluate", "none.csv", "--fail-if", text)
    assert error.startswith("--fail-if must ")
    assert f'got "{text}"' in error
    error = reason("evaluate", "none.csv", "--fail-if", "nothing < 1")
    assert error.startswith('--fail-if has the key "nothing"')


@pytest.mark.parametrize("options", [(), ("--statistic", "aurc")])
@pytest.mark.parametrize("part", [False, True])
def test_worse_than_the_first_file(folder, options, part, monkeypatch):
    monkeypatch.chdir(folder)
    old, new = ("part_old.csv", "part_new.csv") if part else ("old.csv", "new.csv")
    options = *options, *(VERIFIED if part else ())
    gate = "--fail-if", "worse", *options
    done = run("compare", old, new, *gate, code=1)
    (failure,) = failures(done)
    assert failure.startswith(f"{new[:-4]} is worse than {old[:-4]}: ")
    assert done.stdout == run("compare", old, new, *options).stdout
    run("compare", new, old, *gate)


def test_a_model_as_good_is_not_worse(folder, monkeypatch):
    monkeypatch.chdir(folder)
    write(folder / "same.csv", *np.loadtxt("old.csv", str, delimiter=",", skiprows=1)[:, :2].T)
    run("compare", "old.csv", "same.csv", "--fail-if", "worse")
    error = reason("compare", "both.csv", "--model", "version", "--id", "id", "--fail-if", "worse")
    assert error.startswith("--fail-if cannot go with --model: leave out one")
    write(folder / "also_right.csv", [1] * 50, np.arange(50) / 60)
    files = "right.csv", "also_right.csv"
    done = run("compare", *files, "--statistic", "roc_auc", "--fail-if", "worse", code=1)
    assert failures(done)[0].startswith("Whether also_right is worse than right is undefined: ROC-AUC ")


def test_a_guarantee_that_accepts_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    for arguments in (("old.csv",), ("part_old.csv", *VERIFIED)):
        policy = tmp_path / "policy.json"
        done = run("fit", *arguments, "--error-rate", 0.0001, "-o", policy, "--format", "json", code=3)
        (threshold,) = json.loads(done.stdout)["policy"]["thresholds"]
        assert threshold["threshold"] is None
        assert policy.is_file()
        run("fit", *arguments, "--error-rate", 0.3, "-o", policy)
