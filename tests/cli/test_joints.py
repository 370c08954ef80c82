"""What each command writes, as it is, into each other one: it works, or is refused by name."""

from __future__ import annotations

import csv
import json
import re
import shutil

import numpy as np
import pytest
from commands import run

import fastarac as fa
from fastarac._core.text import percent
from fastarac.ocr import sample_folders

pytestmark = pytest.mark.slow

PAGES, WORDS = 12, 15
HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
STAGES = """max_error_rate = 0.3
[[stage]]
name = "{name}"
price = 0.1
file = "{file}"
[[stage]]
name = "clerk"
price = 2
"""


def write_engine(folder, rng, missed):
    """Write the words of an engine as Tesseract does: some wrong, one a page inserted, some missed."""
    folder.mkdir()
    for page in range(PAGES):
        rows = [HEAD]
        for word in range(WORDS + 1):
            if rng.random() < missed:
                continue
            sure = rng.uniform(30, 99)
            wrong = rng.random() < 0.5 * (1 - sure / 100)
            text = "inserted" if word == WORDS else "xx" if wrong else f"word{page}n{word}"
            rows.append(f"5\t1\t1\t1\t1\t{word + 1}\t{60 * word}\t0\t50\t20\t{sure:.4f}\t{text}")
        (folder / f"p{page:02}.tsv").write_text("\n".join(rows) + "\n")


def write_fields(folder, rng):
    """Write fields of documents and their truth, some of them missed, as JSON lines."""
    truth, found = [], []
    for document in range(40):
        for field in ("date", "total"):
            text = f"{field}{document}"
            truth.append({"document": f"d{document}", "field": field, "truth": text})
            sure = float(rng.uniform(30, 99))
            if rng.random() < 0.1:
                continue
            wrong = rng.random() < 0.5 * (1 - sure / 100)
            found.append(
                {
                    "document": f"d{document}",
                    "field": field,
                    "prediction": "xx" if wrong else text,
                    "confidence": sure,
                }
            )
    for name, rows in (("truth.jsonl", truth), ("found.jsonl", found)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def answered(path, goal, keep=None):
    """Fill in the answers of what was drawn, every seventh wrong; with `keep` every third is open."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for i, row in enumerate(rows):
        if row.get("drawn", "1") == "1":
            row["correct"] = "" if keep and i % 3 == 0 else int(i % 7 > 0)
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files that commands write, one of each kind, and a policy."""
    folder = tmp_path_factory.mktemp("joints")
    rng = np.random.default_rng(4)
    (folder / "truth").mkdir()
    for page in range(PAGES):
        text = " ".join(f"word{page}n{word}" for word in range(WORDS))
        (folder / "truth" / f"p{page:02}.txt").write_text(text + "\n")
    for name, missed in (("a", 0.1), ("b", 0.05)):
        write_engine(folder / name, rng, missed)
    write_fields(folder, rng)
    at = {name: folder / f"{name}.csv" for name in KINDS}
    truth = folder / "truth"
    run("ocr", truth, folder / "a", "-o", at["words"])
    run("ocr", truth, folder / "a", folder / "b", "-o", at["engines"])
    run("ocr", folder / "truth.jsonl", folder / "found.jsonl", "-o", at["fields"])
    policy = folder / "policy.json"
    run("fit", at["words"], "--error-rate", 0.12, "--group", "none", "-o", policy)
    with at["words"].open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["confidence"]]
    for name, columns in (
        ("table", ["id", "page", "prediction", "confidence"]),
        ("verified", ["id", "page", "prediction", "confidence", "correct"]),
    ):
        lines = [",".join(columns), *(",".join(row[key] for key in columns) for row in rows)]
        at[name].write_text("\n".join(lines) + "\n")
    # a week without outputs
    at["week"].write_text(at["verified"].read_text().partition("\n")[0] + "\n")
    run("sample", at["table"], "--budget", 60, "--mix", 0.5, "-o", at["drawn"])
    answered(at["drawn"], at["answered"])
    run("sample", at["table"], "--answers", at["answered"], "-o", at["joined"])
    run("sample", at["table"], "--budget", 60, "--for", "guarantee-new", "-o", folder / "even_open.csv")
    answered(folder / "even_open.csv", at["even"])
    run("sample", at["table"], "--audit", policy, "--budget", 60, "-o", at["log"])
    answered(at["log"], at["log_part"], keep=True)
    answered(at["log"], at["log_done"])
    state = folder / "search.json"
    search = "search", at["table"], "--error-rate", 0.3, "--state", state
    run(*search, "-o", folder / "batch_open.csv")
    answered(folder / "batch_open.csv", at["batch"])
    run("apply", policy, at["table"], "-o", at["accepted"], "--review", at["review"])
    return folder


KINDS = (
    *("words", "engines", "fields", "table", "verified", "week", "drawn", "answered", "joined", "even"),
    *("log", "log_part", "log_done", "batch", "accepted", "review"),
)


# The commands, and what each file is to them: "." works, another letter says why it is refused.
COMMANDS = (
    *("evaluate", "compare", "fit", "plan", "check", "check --log", "check --log --group"),
    *("sample", "sample --audit", "search", "cascade", "apply", "monitor"),
)
EXPECTED = {
    "words": "..... LL CCC ...",
    "engines": "..... LL CCC .MM",
    "fields": "..... LL CCC ...",
    "table": "TTTTT LL ... T.T",
    "verified": "..... LL CCC ...",
    "week": "EEEEE LL CCC E..",
    "drawn": "SSSSS LL RRR S.P",
    "answered": "SSSSS LL RRR S.P",
    "joined": "SSSSS LL IDC S.P",
    "even": "SSSSS LL RRR S..",
    "log": "AAAAA UU RRR A..",
    "log_part": "AAAAA .. RRR A..",
    "log_done": "AAAAA .. RRR A..",
    "batch": "BBBBB LL RRR B.B",
    "accepted": "TTTTT LL ... T.T",
    "review": "TTTTT LL .N. T.T",
}
REASONS = {
    "A": 'has the columns "audit_probability" and "drawn", .* use it with fastarac check --log',
    "B": 'has a column "search_batch", .* use outputs drawn at random',
    "C": "it already has the column",
    "D": "it already has the column",
    "E": "there are no rows",
    "I": "it already has the column",
    "L": ", so it is no log of fastarac sample --audit; for verified",
    "M": 'column "model" holds "a" and "b", .* a policy is for one model: give a table of one model',
    "N": "the policy accepts none of the outputs",
    "P": 'column "inclusion_probability" holds .* use a uniform sample, .*--for guarantee-new draws it',
    "R": "it already has the column",
    "S": 'has a column "inclusion_probability", so its outputs were drawn .*'
    "(use other verified outputs|if it holds all outputs)",
    "U": "none of the .* outputs that were drawn has a result; fill in",
    "T": 'there is neither a column "correct" nor the two columns "prediction" and "truth"',
}


def commands(folder, kind, into):
    """The commands that take a file of outputs, with the options that anybody would give."""
    path, policy = folder / f"{kind}.csv", folder / "policy.json"
    other = into / "other.csv"
    shutil.copy(path, other)
    stages = into / "stages.toml"
    stages.write_text(STAGES.format(name="a" if kind == "engines" else kind, file=path))
    models = ("--model", "model") if kind == "engines" else ()
    one = ("--only", "a") if kind == "engines" else ()
    limit = "--error-rate", 0.3
    found = (
        ("evaluate", path, *models),
        ("compare", path, *(models or (other,))),
        ("fit", path, *limit, *one, "-o", into / "p.json"),
        ("plan", "--pilot", path, "--half-width", 0.1, *one),
        ("check", policy, path, *one),
        ("check", policy, path, "--log"),
        ("check", policy, path, "--log", "--group", "page"),
        ("sample", path, "--budget", 20, "-o", into / "s.csv"),
        ("sample", path, "--audit", policy, "--budget", 20, "-o", into / "l.csv"),
        ("search", path, *limit, "--state", into / "s.json", "-o", into / "b.csv"),
        ("cascade", stages),
        ("apply", policy, path, "-o", into / "a.csv", "--review", into / "r.csv"),
        ("monitor", policy, path),
    )
    return dict(zip(COMMANDS, found, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_each_file_into_each_command(folder, tmp_path, kind):
    """A verdict is one of 0, 1 and 3; a refusal names the file and a column, and says what to do."""
    row = EXPECTED[kind].replace(" ", "")
    found, wrong = commands(folder, kind, tmp_path), []
    for letter, (name, command) in zip(row, found.items(), strict=True):
        result = run(*command, code=None)
        if letter == ".":
            if result.exit_code not in (0, 1, 3):
                wrong.append(f"{name}: {result.stderr}")
        elif result.exit_code != 2 or result.stdout or result.stderr.count("\n") != 1:
            wrong.append(f"{name}: {result.exit_code}, {letter} is expected: {result.output}")
        elif f"{kind}.csv" not in result.stderr or not re.search(REASONS[letter], result.stderr):
            wrong.append(f"{name}: {letter} is expected: {result.stderr}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("kind", "probability"),
    [("joined", "inclusion_probability"), ("even", "none"), ("answered", "none")],
)
def test_what_a_refused_sample_needs_is_what_it_says(folder, tmp_path, kind, probability):
    """Commands that name an option for a sample take the file with it."""
    path, told = folder / f"{kind}.csv", ("--inclusion-probability", probability)
    run("evaluate", path, *told)
    run("fit", path, *told, "--error-rate", 0.3, "-o", tmp_path / "p.json")
    run("check", folder / "policy.json", path, *told, code=None)
    other = tmp_path / "other.csv"
    shutil.copy(path, other)
    run("compare", path, other, *told)


def test_one_threshold_has_one_share_in_every_command(folder, tmp_path):
    """Of all items, those that the engine missed among them."""
    policy, words = folder / "policy.json", folder / "words.csv"
    fitted = json.loads(policy.read_text())
    (threshold,) = fitted["thresholds"]
    at = f"acceptance_rate/threshold/{threshold}"
    limit = "--threshold", repr(threshold), "--format", "json"
    of_ocr = json.loads(run("ocr", folder / "truth", folder / "a", *limit).stdout)["models"][0]
    of_file = json.loads(run("evaluate", words, *limit).stdout)["models"][0]
    keys = [key for key in of_file if key.startswith("acceptance_rate/threshold")]
    assert len(keys) == 1, at
    share = of_ocr[keys[0]]
    assert share == of_file[keys[0]]
    fit = "fit", words, "--error-rate", 0.12, "--group", "none", "-o", tmp_path / "again.json"
    found = json.loads(run(*fit, "--format", "json").stdout)["policy"]
    assert found["thresholds"][0]["threshold"] == threshold
    assert found["share_of_all_items"] == pytest.approx(share, rel=1e-12)
    n_items, n_missed = of_ocr["n"], of_ocr["missed"]
    assert found["missed_rate"] == n_missed / of_ocr["true_words"]
    said = " ".join(run(*fit).stdout.split())
    assert f"Accept {percent(share, 3)} of {n_items:,} items (" in said
    assert f" of the {n_items - n_missed:,} with an output) at confidence" in said
    check = json.loads(run("check", policy, words, "--format", "json", code=None).stdout)["check"]
    assert (check["n_items"], check["n_unread"]) == (n_items - n_missed, n_missed)
    assert check["accepted"] / n_items == share
    goals = "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"
    applied = json.loads(run("apply", policy, words, *goals, "--format", "json").stdout)["applied"]
    assert (applied["accepted"] / applied["n_items"], applied["n_unread"]) == (share, n_missed)


def test_where_nobody_sees_missed_words_the_rate_of_the_reference_is_said(folder, tmp_path):
    policy, table = folder / "policy.json", folder / "table.csv"
    rate = json.loads(policy.read_text())["missed_rate"]
    sentence = f"{percent(rate, 3)} of the true words"
    goals = "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"
    for command in (
        ("apply", policy, table, *goals),
        ("apply", policy, folder / "a", *goals),
        ("check", policy, folder / "verified.csv"),
        ("monitor", policy, folder / "verified.csv"),
    ):
        assert sentence in " ".join(run(*command, code=None).stdout.split())
    assert sentence not in run("apply", policy, folder / "words.csv", *goals).stdout


def test_only_counts_its_own_model(folder, tmp_path):
    """What is said of a model among others is what is said of it alone."""
    with (folder / "engines.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.pop("model") == "b"]
    alone = tmp_path / "engines.csv"
    with alone.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    together, policy = folder / "engines.csv", tmp_path / "p.json"
    of_policy = "check", folder / "policy.json"
    for before, after in (
        (["fit"], ["--error-rate", 0.3, "-o", policy]),
        (of_policy, []),
        (of_policy, ["--group", "none"]),
        (["plan", "--half-width", 0.1, "--pilot"], []),
        (["plan", "--half-width", 0.1, "--group", "none", "--pilot"], []),
    ):
        found = [
            run(*before, path, *after, *only, code=None)
            for path, only in ((together, ("--only", "b")), (alone, ()))
        ]
        said = [result.output.replace(str(folder), str(tmp_path)) for result in found]
        assert said[0] == said[1]


@pytest.mark.parametrize("missed", ["residual", "separate", "neighbour", "drop"])
def test_the_policy_of_missed_words_is_that_of_the_file(folder, tmp_path, missed):
    """Rows say it: no confidence under reject, one above all others under residual, else no row."""
    path = tmp_path / "a.csv"
    limits = "--error-rate", 0.01, "--error-rate", 0.2, "--threshold", 60, "--format", "json"
    of_ocr = run("ocr", folder / "truth", folder / "a", "--missed", missed, "-o", path, *limits)
    of_file = run("evaluate", path, "--ci", 0.95, *limits)
    ours, theirs = (json.loads(each.stdout)["models"][0] for each in (of_ocr, of_file))
    shared = [key for key in theirs if key in ours and key != "name"]
    assert len(shared) > 30
    assert {key: theirs[key] for key in shared} == {key: ours[key] for key in shared}


def test_reports_have_the_shares_that_are_printed(folder, tmp_path):
    policy, page = tmp_path / "p.json", tmp_path / "page.html"
    told = "--report", page, "--format", "json"
    fit = "fit", folder / "words.csv", "--error-rate", 0.12, "--group", "none", "-o", policy
    found = json.loads(run(*fit, *told).stdout)["policy"]
    text = page.read_text()
    assert percent(found["share_of_all_items"], 3) in text
    of_read = percent(found["acceptance_rate"], 3)
    assert f"are never accepted; {of_read} of the others, for which the limit holds" in text
    run("check", policy, folder / "words.csv", *told, code=None)
    assert f"are never accepted; {of_read} of the others, for which" in page.read_text()


def test_a_file_of_several_engines_is_no_model(tmp_path):
    folders = sample_folders()
    out = tmp_path / "words.csv"
    run("ocr", folders.truth, *folders.outputs.values(), "-o", out)
    for command in ("evaluate", "compare"):
        refused = run(command, out, code=2)
        assert '"model" names several models' in refused.stderr
        assert "use --model model" in refused.stderr
        run(command, out, "--model", "model")


def test_an_empty_list_and_a_percentage_are_no_documents(tmp_path):
    (tmp_path / "docs").mkdir()
    for i in range(3):
        content = f'{{"total": {{"value": "{i}", "confidence": {95 if i == 1 else 0.9}}}}}'
        (tmp_path / "docs" / f"d{i}.json").write_text(content)
    policy = fa.operation.fit_policy(
        [1] * 200, np.linspace(0.5, 1, 200), by=["total"] * 200, documents=range(200),
        max_error_rate=0.05,
    )  # fmt: skip
    policy.save(tmp_path / "p.json")
    apply = ("apply", tmp_path / "p.json", tmp_path / "docs")
    goals = ("-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv")
    assert "are some of them percentages?" in run(*apply, *goals, code=2).stderr
    (tmp_path / "docs" / "d1.json").write_text("[]")
    assert "d1.json: it is an empty list" in run(*apply, *goals, code=2).stderr
    (tmp_path / "docs" / "d1.json").write_text("{}")
    assert "Accept 2 of 3 documents" in run(*apply, *goals).stdout


def test_the_accepted_part_alone_is_no_sample(tmp_path):
    rng = np.random.default_rng(0)
    confidence = rng.random(2000)
    correct = rng.random(2000) < 0.7 + 0.3 * confidence
    policy = fa.operation.fit_policy(correct, confidence, max_error_rate=0.05)
    policy.save(tmp_path / "p.json")
    assert 0.2 < policy.acceptance_rate < 0.8
    for name, rows in (("all", np.arange(2000)), ("accepted", policy.apply(confidence).nonzero()[0])):
        lines = [f"{int(correct[i])},{confidence[i]}" for i in rows if i % 2]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["correct,confidence", *lines]) + "\n")
        own = shutil.copy(tmp_path / "p.json", tmp_path / f"{name}.json")  # with its own looks
        said = run("check", own, path, code=None).stdout
        assert ("add the rejected ones" in said) == (name == "accepted")
