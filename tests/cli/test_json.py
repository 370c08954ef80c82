"""What every command prints with `--format json`: one object, as the schema that ships describes it."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest
from commands import detailed as run
from jsonschema import Draft202012Validator

import fastarac as fa
from fastarac.answers.tables import ABBREVIATED
from fastarac.cli import _json
from fastarac.cli._help import Commands
from fastarac.ocr import sample_folders

SCHEMA = json.loads((files("fastarac.cli") / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
PRICES = ("--costs", "verification=2,correction=5,error=200")
TEXTS = sample_folders()
VERIFIED = "--inclusion-probability", "pi", "--judge", "judge"
PAGES = TEXTS.truth, TEXTS.outputs["plain"], TEXTS.outputs["enlarged"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Outputs of two models, in two fields and on pages, a policy for them, and a table of fields."""
    folder = tmp_path_factory.mktemp("json")
    rng = np.random.default_rng(0)
    for name, errors in (("a", 0.3), ("b", 0.6)):
        lines = ["id,field,page,correct,confidence"]
        for i in range(1200):
            confidence = round(rng.random(), 4)
            correct = int(rng.random() >= errors * (1 - confidence))
            lines.append(f"{i},{'date' if i % 3 else 'name'},{i // 4},{correct},{confidence}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    lines = (folder / "a.csv").read_text().splitlines()
    part = [f"{lines[0]},pi,judge"]
    for line in lines[1:]:
        *others, correct, confidence = line.split(",")
        known = correct if rng.random() < 0.5 else ""
        part.append(f"{','.join(others)},{known},{confidence},{0.5 if known else ''},0.8")
    (folder / "part.csv").write_text("\n".join(part) + "\n")
    named = [f"{line},{line.split(',')[1]}" for line in (folder / "b.csv").read_text().splitlines()[1:]]
    (folder / "named.csv").write_text("\n".join([f"{lines[0]},policy", *named]) + "\n")
    (folder / "part_b.csv").write_text("\n".join([part[0], *part[:0:-1]]) + "\n")
    states = [f"{path.name},{path.name > 'r'}" for path in sorted(PAGES[0].iterdir())]
    (folder / "state.csv").write_text("\n".join(["page,late", *states]) + "\n")
    (folder / "right.csv").write_text("correct,confidence\n1,0.9\n1,0.8\n1,0.7\n")
    (folder / "drawn.csv").write_text("text,confidence\n" + "a,0.5\nb,0.25\n" * 50)
    fields = ["document,field,prediction,confidence,truth"]
    fields += [
        f"{i // 2},{'total' if i % 2 else 'due'},{i % 7 or 9},0.{i + 1:02},{i % 7}" for i in range(40)
    ]
    (folder / "fields.csv").write_text("\n".join(fields) + "\n")
    right, confidence = np.r_[np.zeros(400), np.ones(600)], np.arange(1000) / 10.0
    fa.operation.fit_policy(right, confidence, max_error_rate=0.01).save(folder / "w.json")
    fa.operation.fit_policy(
        right, confidence / 100.0, groups=np.arange(1000) // 4, max_error_rate=0.2, method="gamma"
    ).save(folder / "g.json")
    (folder / "stages.toml").write_text(
        'max_error_rate = 0.1\n[[stage]]\nname = "a"\nprice = 1\nfile = "a.csv"\n'
        '[[stage]]\nname = "people"\nprice = 9\n'
    )
    (folder / "policies").mkdir()
    run("fit", folder / "a.csv", "--by", "field", "--error-rate", 0.05, "-o", folder / "p.json")
    run("fit", folder / "a.csv", "--error-rate", 0.05, "-o", folder / "policies" / "date.json")
    run("fit", folder / "a.csv", "--error-rate", 0.05, "-o", folder / "policies" / "name.json")
    (folder / "today.csv").write_text("text,field,confidence\n" + "a,date,0.99\nb,name,0.98\n" * 40)
    options = "--budget", 20, "-o", folder / "weeks"
    run("week", folder / "p.json", folder / "today.csv", *options)
    return folder


COMMANDS = {
    "evaluate": ("evaluate", "a.csv", "b.csv", "--ci", 0.9, "--guarantee", 0.05),
    "evaluate, groups": ("evaluate", "a.csv", "--by", "field", "--ci", 0.9, *PRICES),
    "evaluate, undefined": ("evaluate", "right.csv", "--threshold", 0.75, "--max-risk", 0.1),
    "evaluate, verified": ("evaluate", "part.csv", *VERIFIED, "--ci", 0.9, "--guarantee", 0.05),
    "evaluate, streams": ("evaluate", "a.csv", "b.csv", "--max-memory", "64MB"),
    "compare": ("compare", "a.csv", "b.csv", *PRICES),
    "compare, bootstrap": (
        *("compare", "a.csv", "b.csv", "--id", "id", "--group", "page"),
        *("--statistic", "acceptance_at_risk:max_risk=0.1"),
    ),
    "ocr": ("ocr", *PAGES, "--error-rate", 0.05, *PRICES),
    "ocr, attributes": ("ocr", *PAGES, "--attributes", "state.csv", "--max-risk", 0.05),
    "ocr, fields": ("ocr", "fields.csv", "--error-rate", 0.05, "-o", "items.csv"),
    "demo": ("demo",),
    "cascade": ("cascade", "stages.toml"),
    "drift": ("drift", "right.csv", "--release", "correct"),
    "plan": ("plan", "--error-rate", 0.01, "--expect", 0.005),
    "plan, pilot": (
        *("plan", "--error-rate", 0.05, "--detect", 0.08, "--pilot", "a.csv", "--group", "page"),
    ),
    "plan, policy": ("plan", "--max-risk", 0.2, "--expect", 0.01),
    "plan, audits": ("plan", "--error-rate", 0.01, "--detect", 0.02),
    "plan, difference": ("plan", "--difference", 0.01, "--discordance", 0.05),
    "plan, interval": ("plan", "--pilot", "a.csv", "--half-width", 0.01),
    "fit": ("fit", "a.csv", "--error-rate", 0.05, "-o", "q.json", "--group", "page"),
    "fit, fields": ("fit", "a.csv", "--error-rate", 0.05, "--by", "field", "-o", "q.json"),
    "fit, nothing": ("fit", "b.csv", "--error-rate", 0.0001, "-o", "q.json"),
    "check": ("check", "p.json", "b.csv"),
    "apply": ("apply", "p.json", "b.csv", "-o", "yes.csv", "--review", "no.csv"),
    "apply, groups": (*("apply", "g.json", "b.csv", "-o", "yes.csv", "--review", "no.csv"),),
    "apply, pages": ("apply", "w.json", PAGES[1], "-o", "yes.csv", "--review", "no.csv"),
    "monitor": ("monitor", "p.json", "b.csv", "b.csv"),
    "monitor, policies": ("monitor", "policies", "named.csv"),
    "week": ("week", "p.json", "today.csv", "-o", "weeks"),
    "fit, verified": (
        *("fit", "part.csv", *VERIFIED, "--by", "field", "--error-rate", 0.1, "-o", "part.json"),
    ),
    "check, verified": ("check", "policies/date.json", "part.csv", *VERIFIED),
    "sample": ("sample", "drawn.csv", "--budget", 20, "-o", "to_verify.csv"),
    "sample, words": ("sample", PAGES[1], "--budget", 30, "-o", "words.csv"),
    "compare, verified": ("compare", "part.csv", "part_b.csv", *VERIFIED, "--id", "id"),
    "station": ("station", "drawn.csv", "-o", "station.html"),
    "search": (*("search", "drawn.csv", "--error-rate", 0.05), "--state", "s.json", "-o", "next.csv"),
    "inspect": ("inspect", next(PAGES[1].iterdir()), "a.csv"),
    "doctor": ("doctor",),
}


WITH_DETAILS = {  # which print all sentences of JSON with it alone
    *("apply", "cascade", "check", "doctor", "drift", "fit", "inspect", "monitor", "plan", "sample"),
    *("search", "week"),
}


def words(text):
    return " ".join(text.split())


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_object(folder, arguments, monkeypatch):
    monkeypatch.chdir(folder)
    done = run(*arguments, "--format", "json", code=None)
    assert done.exit_code != 2, done.stderr
    found = json.loads(done.stdout, parse_constant=pytest.fail)
    VALIDATOR.validate(found)
    assert found["command"] == arguments[0]
    assert found["version"] == fa.__version__
    told = [line.partition(": ")[2].partition(": ")[2] for line in done.stderr.splitlines()]
    assert [words(each) for each in found["warnings"]] == list(map(words, told))

    details = ["--details"] if arguments[0] in WITH_DETAILS else []
    text = run(*arguments, *details, code=done.exit_code)
    stdout = "".join(
        line for line in text.stdout.splitlines(keepends=True) if not line.startswith("Next: ")
    )
    printed = words(stdout + text.stderr)
    said = list(map(words, found["decisions"]))
    if arguments[0] == "doctor":  # what was compiled between the two runs, and seconds, differ
        constant = [each for each in said if not each.startswith(("compiled", "fastarac"))]
        assert all(each in printed for each in constant)
        return
    assert all(each in printed for each in said)
    left = printed.casefold()
    for each in sorted([*said, *map(words, found["warnings"])], key=len, reverse=True):
        left = left.replace(each.casefold(), "")
    for short in ABBREVIATED:
        left = left.replace(short, "")
    assert ". " not in left  # tables, but no sentence


def test_every_command_has_it():
    commands = set(Commands())
    assert commands == {arguments[0] for arguments in COMMANDS.values()}
    assert commands == set(SCHEMA["properties"]["command"]["enum"])


def test_the_schema_is_one_and_strict():
    Draft202012Validator.check_schema(SCHEMA)
    good = {"format": 2, "command": "plan", "version": "1", "plan": {"for": "interval", "n": 3}}
    good |= {"comparisons": [], "decisions": [], "warnings": []}
    assert VALIDATOR.is_valid(good)
    for bad in (
        {"more": 1},
        {"format": 1},
        {"command": "fit"},
        {"models": [{"name": "a"}]},
        {"decisions": [""]},
        {"plan": {"for": "interval", "n": "3"}},
    ):
        assert not VALIDATOR.is_valid(good | bad)


def test_numbers_that_are_not_finite_are_null(capsys):
    about = {"plan": {"for": "interval", "a": math.nan, "b": [np.float64("inf"), np.int64(3)]}}
    _json.write_object("plan", about, comparisons=({"x": (-math.inf,)} for _ in range(1)))
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["plan"] == {"for": "interval", "a": None, "b": [None, 3]}
    assert found["comparisons"] == [{"x": [None]}]


def test_keys_are_what_trackers_take():
    good = {"format": 2, "command": "demo", "version": "1", "models": [{"name": "a", "cost/0.01": 1}]}
    good |= {"comparisons": [], "decisions": [], "warnings": []}
    assert VALIDATOR.is_valid(good)
    for key in ("cost@0.01", "cost/risk=0.01", "cost|field/total", "cost/guaranteed:0.01", "a b"):
        assert not VALIDATOR.is_valid(good | {"models": [{"name": "a", key: 1}]})


def test_what_is_undefined(folder):
    done = run("evaluate", folder / "right.csv", "--format", "json")
    (model,) = json.loads(done.stdout)["models"]
    assert model["name"] == "right"
    assert model["roc_auc"] is None


def test_groups_are_inside_their_model(folder):
    done = run("evaluate", folder / "a.csv", "--by", "field", "--format", "json")
    (model,) = json.loads(done.stdout)["models"]
    assert model["n"] == 1200
    assert {each["name"]: each["n"] for each in model["groups"]} == {"date": 800, "name": 400}


def test_a_refusal_prints_no_object(folder):
    done = run("evaluate", folder / "none.csv", "--format", "json", code=2)
    assert done.stdout == ""
    assert done.stderr.startswith("fastarac: error: ")
