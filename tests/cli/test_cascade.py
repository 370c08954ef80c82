"""`fastarac cascade`: what it prints in each format, and what it refuses, with file and key."""

from __future__ import annotations

import csv
import io
import json

import pytest
from commands import reason, run

import fastarac as fa
from fastarac.datasets import load_digits_ocr

STAGES = """max_error_rate = 0.01
[columns]
id = "id"
[costs]
correction = 5
error = 200
[[stage]]
name = "quick"
price = 0.1
file = "quick.csv"
[[stage]]
name = "thorough"
price = 0.5
file = "thorough.csv"
[[stage]]
name = "clerk"
price = 2
detection_rate = 0.98
max_share = 0.2
[[stage]]
name = "expert"
price = 20
"""
DIGITS = load_digits_ocr()
MODELS = {"quick": DIGITS["knn-votes"], "thorough": DIGITS["svm-rbf"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    rows = ["model,id,page,correct,confidence"]
    for name, (correct, confidence) in MODELS.items():
        own = [
            f"{name},{i},{i // 20},{int(right)},{sure}"
            for i, (right, sure) in enumerate(zip(correct, confidence, strict=True))
        ]
        rows += own
        (folder / f"{name}.csv").write_text("\n".join([rows[0], *own]) + "\n")
    (folder / "both.csv").write_text("\n".join(rows) + "\n")
    (folder / "one.csv").write_text("id,correct,confidence\n1,1,0.9\n2,1,0.9\n")
    (folder / "empty.csv").write_text("id,correct,confidence\n1,1,0.9\n2,1,\n")
    (folder / "stages.toml").write_text(STAGES)
    return folder


def stages():
    people = fa.Reviewer(0.98)
    return [
        fa.costs.Stage("quick", 0.1, correct=MODELS["quick"][0], confidence=MODELS["quick"][1]),
        fa.costs.Stage(
            "thorough", 0.5, correct=MODELS["thorough"][0], confidence=MODELS["thorough"][1]
        ),
        fa.costs.Stage("clerk", 2, reviewer=people, max_share=0.2),
        fa.costs.Stage("expert", 20),
    ]


COSTS = fa.VerificationCosts(0, 5, 200)


def test_a_column_of_ids_is_used_without_being_named(folder, tmp_path):
    for name in MODELS:
        header, *rows = (folder / f"{name}.csv").read_text().splitlines()
        order = rows[::-1] if name == "thorough" else rows
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *order]) + "\n")
    path = tmp_path / "stages.toml"
    found = {}
    for key in ("", 'id = "id"', 'id = "none"'):
        path.write_text(STAGES.replace('id = "id"', key))
        found[key] = run("cascade", path, "--format", "json").stdout
    assert found[""] == found['id = "id"'] != found['id = "none"']


def test_it_prints_what_the_library_finds(folder):
    found = fa.costs.optimize_cascade(stages(), max_error_rate=0.01, costs=COSTS)
    path = folder / "stages.toml"
    printed = json.loads(run("cascade", path, "--format", "json").stdout)
    assert printed["cascade"] == found.to_dict()
    rows = list(csv.DictReader(io.StringIO(run("cascade", path, "--format", "csv").stdout)))
    assert [row["names"] for row in rows] == list(found.names)
    assert [float(row["shares"]) for row in rows] == list(found.shares)
    shown = run("cascade", path).stdout
    assert all(name in shown for name in found.names)
    assert "the rest" in shown
    assert "new ones may exceed it" in shown
    assert "| clerk |" in run("cascade", path, "--format", "markdown").stdout


def test_limits_of_the_command_line_groups_and_a_column_of_models(folder, tmp_path):
    looser = json.loads(
        run("cascade", folder / "stages.toml", "--error-rate", 0.03, "--format", "json").stdout
    )
    assert looser["cascade"]["max_error_rate"] == 0.03
    text = STAGES.replace("quick.csv", "both.csv").replace("thorough.csv", "both.csv")
    text = text.replace('id = "id"', 'id = "id"\nmodel = "model"\ngroup = "page"')
    text = text.replace("max_error_rate = 0.01", "max_error_rate = 0.1\nfailure_probability = 0.1")
    (folder / "both.toml").write_text(text)
    plot = tmp_path / "stages.png"
    printed = json.loads(
        run("cascade", folder / "both.toml", "--format", "json", "--plot", plot).stdout
    )
    assert printed["cascade"]["max_group_size"] == 20
    assert plot.read_bytes().startswith(b"\x89PNG")
    (folder / "few.toml").write_text(text.replace("0.1\nfailure", "0.001\nfailure"))
    result = run("cascade", folder / "few.toml")
    assert "he test has 45 groups" in result.stdout
    assert "people verify everything" in result.stdout


def test_a_cascade_that_abstains_keeps_a_limit_of_the_risk(folder):
    path = folder / "judges.toml"
    people = STAGES[STAGES.index('[[stage]]\nname = "clerk"') :]
    path.write_text(STAGES.replace(people, '[[stage]]\nname = "no answer"\nabstains = true\n'))
    asked = "--max-risk", 0.02, "--guarantee", 0.1
    printed = json.loads(run("cascade", path, *asked, "--format", "json").stdout)
    found = fa.costs.optimize_cascade(
        [*stages()[:2], fa.costs.Stage("no answer", None, abstains=True)],
        max_risk=0.02, failure_probability=0.1, costs=COSTS,
    )  # fmt: skip
    assert printed["cascade"] == found.to_dict()
    assert printed["cascade"]["kinds"] == ["model", "model", "abstention"]
    assert printed["cascade"]["max_error_rate"] is None  # that of the file is replaced
    shown = " ".join(run("cascade", path, *asked).stdout.split())
    assert "are accepted unverified, and " in shown
    assert " of these remain wrong." in shown
    assert "90% confidence, at most 2% of the new outputs that models accept are wrong." in shown
    assert "abstains of stage" in reason("cascade", _with(folder, path, "abstains = 3"), *asked)


def _with(folder, path, line):
    wrong = folder / "wrong.toml"
    wrong.write_text(path.read_text().replace("abstains = true", line))
    return wrong


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("price = 2\n", "prise = 2\n", "[[stage]] 3 has the unknown key 'prise';"),
        ("price = 2\n", "price = -2\n", "price of stage 'clerk' must"),
        ("price = 2\n", "price = nan\n", "price of stage 'clerk' must"),
        ("price = 2\n", "", "must give verification"),
        ("price = 0.5\n", "", "price of stage 'thorough' is None"),
        ("= 0.98", "= 98", "[[stage]] 3 detection_rate must be a number"),
        ('"clerk"', '"quick"', "names, got 'quick' twice"),
        ("correction = 5\n", "", "[costs] must have correction"),
        ("correction = 5\n", "corection = 5\n", "[costs] has the unknown key 'corection';"),
        ("correction = 5\n", "correction = 0\n", "[costs] correction must be a finite number"),
        ("[costs]", "[prices]", "unknown key 'prices'; keys are"),
        ('id = "id"', 'id = "page"', "is in the outputs of quick more than once"),
        ('id = "id"', "id = 3", "[columns] id must be a text, got 3"),
        ('id = "id"', 'group = "page"', "groups needs failure_probability"),
        ('id = "id"', 'id = "id"\nmodel = "model"', ""),
        ("thorough.csv", "none.csv", "none.csv: it cannot be opened: No such file"),
        ("quick.csv", "one.csv", "the models have different items"),
        ('"quick.csv"', "3", "[[stage]] 1 file must be a text, got 3"),
        ("max_error_rate = 0.01", "max_error_rate = 2", "max_error_rate must be a number in [0, 1],"),
        ("max_error_rate = 0.01", "max_error_rate = ", "it is not valid TOML"),
        ("[[stage]]", "[[stages]]", "unknown key 'stages'; keys are"),
        ('file = "quick.csv"\n', "", "the first stage, 'quick', must be a model,"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(folder, old, new, message):
    path = folder / "wrong.toml"
    assert old in STAGES
    path.write_text(STAGES.replace(old, new))
    if not message:
        run("cascade", path)
        return
    said = reason("cascade", path)
    assert said.startswith(f"{path}: ")
    assert message in said


def test_other_files_that_are_refused(folder):
    path = folder / "wrong.toml"
    assert reason("cascade", folder / "none.toml").endswith("none.toml: No such file or directory")
    for text, message in (
        ("max_error_rate = 0.1\n", ": it must have at least two"),
        ("stage = 3\n", ": it must have at least two"),
        ("stage = [3]\n", "[[stage]] 1 must be a table, got 3"),
        ("costs = 3\n", "costs must be a table [costs], got 3"),
        ('[[stage]]\nname = "a"\nprice = 1\n', "no [[stage]] has a file"),
        (
            '[[stage]]\nname = "a"\nprice = 1\nfile = "one.csv"\n[[stage]]\nprice = 1\n',
            "[[stage]] 2 has no name",
        ),
        (
            '[[stage]]\nname = "a"\nprice = 1\nfile = "one.csv"\n[[stage]]\nname = "b"\nprice = 1\n',
            "give max_error_rate, max_risk or costs: without them errors cost nothing",
        ),
        (
            (
                'max_error_rate = 0.1\n[[stage]]\nname = "a"\nprice = 1\nfile = "one.csv"\n'
                '[[stage]]\nname = "b"\nprice = 1\n'
            ),
            "confidence of stage 'a' must differ between items",
        ),
        (
            '[columns]\nmodel = "model"\n[[stage]]\nname = "a"\nprice = 1\nfile = "both.csv"\n',
            "the stage 'a' is not a model in column 'model', which has quick and thorough",
        ),
    ):
        path.write_text(text)
        assert message in reason("cascade", path)


WORDS = """id,page,kind,truth,prediction,correct,confidence
p:1,p,right,a,a,true,{0}
p:2,p,{1}
p:2+1,p,inserted,,x,false,0.7
p:3,p,right,c,c,true,{2}
"""


def test_items_of_engines_are_joined_where_one_is_silent(tmp_path):
    """An engine that missed a word passes it on; what another one inserted it rightly has not."""
    found = WORDS.format(0.9, "missed,b,,false,", 0.6)
    other = WORDS.format(0.5, "right,b,b,true,0.95", 0.8).replace("p:2+1,p,inserted,,x,false,0.7\n", "")
    other += "p:3+1,p,inserted,,y,false,0.4\n"
    (tmp_path / "one.csv").write_text(found)
    (tmp_path / "two.csv").write_text(other)
    lines = [
        f"{name},{line}" for name, text in (("one", found), ("two", other)) for line in text.split()
    ]
    both = ["model," + lines[0].partition(",")[2], *(each for each in lines if ",id," not in each)]
    (tmp_path / "both.csv").write_text("\n".join(both) + "\n")
    stages = """max_error_rate = 0
[costs]
correction = 1
error = 100
[[stage]]
name = "one"
price = 0.1
file = "{}.csv"
[[stage]]
name = "two"
price = 0.5
file = "{}.csv"
[[stage]]
name = "clerk"
price = 2
"""
    printed = []
    for name, files in (("apart", ("one", "two")), ("together", ("both", "both"))):
        path = tmp_path / f"{name}.toml"
        path.write_text(stages.format(*files))
        result = json.loads(run("cascade", path, "--format", "json").stdout)["cascade"]
        assert (result["n_items"], result["decided"]) == (5, [1, 2, 2])
        assert result["thresholds"][:2] == [0.9, 0.5]
        assert result["corrected"] == [0, 0, 1]  # of two's insertion; of one's it has none
        printed.append(result)
    assert printed[0] == printed[1]
    (tmp_path / "plain.csv").write_text("id,correct,confidence\np:1,1,0.9\n")
    path.write_text(stages.format("one", "plain"))
    assert (
        'one.csv has the items that fastarac ocr -o writes, with the columns "id" and "kind"'
        in reason("cascade", path)
    )
