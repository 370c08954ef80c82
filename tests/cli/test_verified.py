"""`fastarac evaluate` and `compare` of files in which some outputs are verified."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import fastarac as fa
from fastarac.partial_truth import read_verified
from tests.commands import detailed as run
from tests.commands import reason

BY = ("--inclusion-probability", "pi", "--judge", "judge")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    for seed, name in enumerate(("a", "b")):
        rng = np.random.default_rng(seed)
        lines = ["correct,confidence,judge,pi,page"]
        for i in range(3000):
            confidence = round(rng.random(), 4)
            right = rng.random() >= 0.3 * (1 - confidence)
            judge = np.clip(0.1 + 0.8 * right + rng.normal(0, 0.2), 0, 1)
            chosen = rng.random() < 0.2
            known = str(int(right)) if chosen else ""
            lines.append(f"{known},{confidence},{judge:.3f},{0.2 if chosen else ''},{i // 10}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return folder


def columns(**others):
    return {"inclusion_probability": "pi", "judge": "judge", **others}


def test_each_column_of_confidences_is_a_model(folder, tmp_path):
    head, *lines = (folder / "a.csv").read_text().splitlines()
    path, one = tmp_path / "both.csv", tmp_path / "new.csv"
    rows = [line.split(",") for line in lines]
    table = [",".join([*row, str(round(float(row[1]) ** 2 + i % 2, 6))]) for i, row in enumerate(rows)]
    path.write_text("\n".join([f"{head},new", *table]) + "\n")
    both = ("--confidence", "confidence,new")
    models = json.loads(run("evaluate", path, *BY, *both, "--format", "json").stdout)["models"]
    one.write_text(path.read_text().replace("confidence", "old", 1).replace("new", "confidence", 1))
    alone = json.loads(run("evaluate", one, *BY, "--format", "json").stdout)["models"]
    assert [model.pop("name") for model in models] == ["confidence", "new"]
    assert models[1] == {key: value for key, value in alone[0].items() if key != "name"}
    found = json.loads(run("compare", path, *BY, *both, "--format", "json").stdout)
    assert {model["name"] for model in found["models"]} == {"confidence", "new"}
    assert found["comparisons"][0]["pairs"][0]["pvalue"] < 0.001


def test_evaluate(folder):
    path = folder / "a.csv"
    outputs = read_verified(path, **columns())
    found = fa.evaluate(*outputs, max_error_rate=0.05, intervals=True)
    done = run("evaluate", path, *BY, "--error-rate", 0.05, "--ci", 0.95, "--guarantee", 0.1)
    verified = f"{outputs.correct.n_verified} of 3,000 outputs are verified"
    assert verified in done.stdout
    assert str(found) in done.stdout
    point = fa.guaranteed_operating_point(
        *outputs, max_error_rate=0.05, failure_probability=0.1, random_state=0
    )
    assert f"Guaranteed: {point}." in " ".join(done.stdout.split())
    several = run("evaluate", path, folder / "b.csv", *BY, "--error-rate", 0.05, "--format", "json")
    models = json.loads(several.stdout)["models"]
    assert [model["name"] for model in models] == ["a", "b"]
    assert models[0]["arac_auc"] == found.arac.auc
    assert models[0]["n_verified"] == outputs.correct.n_verified


def test_guarantees_have_the_keys_of_plain_outputs(folder, tmp_path):
    lines = (folder / "a.csv").read_text().splitlines()
    header, known = lines[0], [line for line in lines[1:] if line[0] in "01"]
    plain = tmp_path / "plain.csv"
    plain.write_text("\n".join([header, *known]) + "\n")
    options = "--error-rate", 0.05, "--guarantee", 0.1, "--ci", "none", "--format", "json"
    (of_all,) = json.loads(run("evaluate", plain, *options).stdout)["models"]
    (of_some,) = json.loads(run("evaluate", folder / "a.csv", *BY, *options).stdout)["models"]
    assert set(of_some) == {*of_all, "n_verified"}
    outputs = read_verified(folder / "a.csv", **columns())
    point = fa.guaranteed_operating_point(*outputs, max_error_rate=0.05, failure_probability=0.1)
    assert of_some["threshold/guaranteed/0.05"] == point.threshold
    assert of_some["error_rate/guaranteed/0.05"] == point.point.error_rate
    assert of_some["bound/guaranteed/0.05"] is None  # bets have none
    assert of_some["failure_probability"] == 0.1


def test_costs(folder, tmp_path):
    """Prices and people as for outputs that are all known, and each group at the cheapest threshold."""
    path = folder / "a.csv"
    prices = fa.VerificationCosts(1, 2, 12)
    people = fa.Reviewer(detection_rate=0.9)
    expected = fa.evaluate(
        *read_verified(path, **columns()), costs=prices, reviewer=people, max_error_rate=0.05
    ).cost_evaluation
    options = "--costs", "verification=1,correction=2,error=12,detection_rate=0.9"
    command = "evaluate", path, *BY, *options, "--error-rate", 0.05
    words = " ".join(run(*command).stdout.split())
    assert (
        f"of people too {expected.cheapest.error_rate:.4f} cost of an item {expected.at_cheapest:.6g}"
        in words
    )
    done = run(*command, "--by", "page", "--format", "json")
    (found,) = json.loads(done.stdout)["models"]
    assert found["cost_per_1000/cheapest"] == 1000 * expected.at_cheapest
    assert found["cost_per_1000/0.05"] == 1000 * expected.at_limits["0.05"]
    known = [group for group in found["groups"] if group["n_verified"] > 1]
    assert all(np.isfinite(group["cost_per_1000/cheapest"]) for group in known)
    assert "--report cannot go with --costs for partly verified outputs" in reason(
        *command, "--report", tmp_path / "r.html"
    )


def test_report(folder, tmp_path):
    """Each limit, the curve and the figures of each model; what is left out is said."""
    report, paths = tmp_path / "report.html", (folder / "a.csv", folder / "b.csv")
    limits = ("--error-rate", 0.05, "--guarantee", 0.1)
    done = run("evaluate", *paths, *BY, *limits, "--report", report)
    assert f"{report} has the report" in done.stdout
    assert "\ufffd" not in done.stdout
    page = report.read_text(encoding="utf-8")
    for path in paths:
        outputs = read_verified(path, **columns())
        found = fa.evaluate(*outputs, max_error_rate=0.05, intervals=True)
        point, ends = found.limits[0].point, found.intervals["acceptance_rate/0.05"]
        assert f"At most 5% errors, {path.stem}" in page
        assert f"{100 * point.acceptance_rate:.3g}%" in page
        assert f"{100 * ends.low:.3g}% to {100 * ends.high:.3g}%" in page
        low, high = found.intervals["roc_auc"].low, found.intervals["roc_auc"].high
        assert f"{found.roc_auc:.4f}<small>{low:.4f} to {high:.4f}</small>" in page
        assert f"of {len(outputs.correct):,} outputs are verified" in page
        sure = fa.guaranteed_operating_point(*outputs, max_error_rate=0.05, failure_probability=0.1)
        title = f"At most 5% errors, {path.stem}, guaranteed with 90% confidence"
        share = f'<p class="share">{100 * sure.acceptance_rate:.3g}%</p>'
        assert re.search(f"{title}</a></h3>\\s*{share}", page)
    assert "This report leaves out what needs the truth of all outputs" in page
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert all(f'id="{target}"' in page for target in targets)


def test_csv(folder):
    path = folder / "a.csv"
    header, row = run("evaluate", path, *BY, "--format", "csv").stdout.splitlines()
    figures = dict(zip(header.split(","), row.split(","), strict=True))
    found = fa.evaluate(*read_verified(path, **columns()))
    assert figures["model"] == "a"
    assert float(figures["arac_auc"]) == found.arac.auc


def test_compare(folder):
    paths = folder / "a.csv", folder / "b.csv"
    done = run("compare", *paths, *BY, "--statistic", "roc_auc", "--format", "json")
    models = {path.stem: tuple(read_verified(path, **columns())) for path in paths}
    expected = fa.compare_models(models, statistic="roc_auc", random_state=0)
    found = json.loads(done.stdout)
    of_model = {model["name"]: model for model in found["models"]}
    for name, interval in zip(expected.names, expected.intervals, strict=True):
        assert (of_model[name]["estimate"], of_model[name]["low"]) == (interval.estimate, interval.low)
    (pair,), (other,) = found["comparisons"][0]["pairs"], expected.pairs
    assert pair["pvalue"] == other.pvalue
    assert abs(pair["difference"]) == abs(other.difference)
    assert "all models have the same items in the same order" in done.stderr
    text = run("compare", *paths, *BY, "--statistic", "roc_auc").stdout
    assert f"{expected.intervals[0].estimate:.4f}" in text
    assert "run,minus" not in text
    assert run("compare", *paths, *BY, "--format", "csv").stdout.startswith("model,minus,")


def test_compare_by_id(folder, tmp_path):
    """Rows in another order are the same outputs where a column says so."""
    a, b, mixed = folder / "a.csv", tmp_path / "b.csv", tmp_path / "mixed.csv"
    header, *rows = (folder / "b.csv").read_text().splitlines()
    named = [f"{row},x{i}" for i, row in enumerate(rows)]
    order = np.random.default_rng(0).permutation(len(rows))
    first = [f"{row},x{i}" for i, row in enumerate(a.read_text().splitlines()[1:])]
    a = tmp_path / "a.csv"
    for path, lines in ((a, first), (b, named), (mixed, [named[k] for k in order])):
        path.write_text("\n".join([f"{header},id", *lines]) + "\n")
    options = (*BY, "--statistic", "recognition_rate", "--id", "id", "--format", "json")
    straight, found = (
        json.loads(run("compare", a, path, *options).stdout)["comparisons"] for path in (b, mixed)
    )
    assert found[0]["pairs"][0]["difference"] == straight[0]["pairs"][0]["difference"]
    assert found[0]["pairs"][0]["pvalue"] == pytest.approx(straight[0]["pairs"][0]["pvalue"], rel=0.05)
    unnamed = run("compare", a, mixed, *options[:-4], "--format", "json")
    assert json.loads(unnamed.stdout)["comparisons"] == found
    assert 'Column "id" matches the items of all models' in unnamed.stderr
    in_place = (*options[:-4], "--id", "none", "--format", "json")
    by_place = json.loads(run("compare", a, mixed, *in_place).stdout)
    wider = by_place["comparisons"][0]["pairs"][0]["standard_error"]
    assert wider != straight[0]["pairs"][0]["standard_error"]
    mixed.write_text("\n".join([f"{header},id", *named[1:]]) + "\n")
    for pair in ((a, mixed), (mixed, a)):
        message = reason("compare", *pair, *options)
        assert 'its item "x0" is not in' in message
        assert message.startswith(str(a))
    mixed.write_text("\n".join([f"{header},id", *named, named[0]]) + "\n")
    assert 'column "id" must hold each item once, got' in reason("compare", a, mixed, *options)


def test_samples_need_the_option(folder, tmp_path):
    """A file of a sample is not read as if it had all truth, unless an option says so."""
    header, *rows = (folder / "a.csv").read_text().splitlines()
    sample, plain = tmp_path / "drawn.csv", tmp_path / "plain.csv"
    rows = [row for row in rows if row[0] != ","]
    plain.write_text("\n".join([header, *rows]) + "\n")
    sample.write_text("\n".join([header.replace("pi", "inclusion_probability"), *rows]) + "\n")
    policy = tmp_path / "policy.json"
    run("fit", plain, "--error-rate", 0.2, "-o", policy)
    fit = "fit", "--error-rate", 0.2, "-o", tmp_path / "new.json"
    for command in (("evaluate",), fit, ("check", policy)):
        message = reason(*command, sample)
        assert "add --inclusion-probability inclusion_probability --judge judge" in message
        as_they_are = run(*command, sample, "--inclusion-probability", "none", code=None).stdout
        expected = run(*command, plain, code=None).stdout
        again = as_they_are.replace("drawn", "plain").replace(" --inclusion-probability none", "")
        assert again == expected
    assert "if it holds all outputs, as fastarac sample --answers writes them, add" in reason(
        "compare", plain, sample
    )
    run("compare", plain, sample, "--inclusion-probability", "none")
    beside = "--inclusion-probability", "none", "--judge", "judge"
    assert "--judge cannot go with --inclusion-probability" in reason("evaluate", sample, *beside)


def test_groups_of_the_draw_are_noted(folder, tmp_path):
    _, *rows = (folder / "a.csv").read_text().splitlines()
    policy = tmp_path / "policy.json"
    drawn = ("sample", folder / "a.csv", "--budget", 900, "--group", "page", "-o", tmp_path / "by.csv")
    columns = folder / "bare.csv"
    columns.write_text(
        "\n".join(["confidence,page", *(",".join(row.split(",")[1::3]) for row in rows)]) + "\n"
    )
    run(*drawn[:1], columns, *drawn[2:])
    answered = (tmp_path / "by.csv").read_text().splitlines()
    assert answered[0].endswith("inclusion_probability,least_probability,sample_size,drawn_by,correct")
    answered[1:] = [line + str(int(k % 9 > 0)) for k, line in enumerate(answered[1:])]
    (tmp_path / "by.csv").write_text("\n".join(answered) + "\n")
    whole = tmp_path / "whole.csv"
    run("sample", columns, "--answers", tmp_path / "by.csv", "-o", whole)
    option = ("--inclusion-probability", "inclusion_probability")
    fit = ("fit", whole, *option, "--error-rate", 0.2, "-o", policy)
    silent, told = run(*fit, "--group", "page"), run(*fit)
    assert "drawn whole" in told.stdout
    assert "drawn whole" not in silent.output
    assert silent.stdout.splitlines()[0] == told.stdout.splitlines()[0]
    assert "drawn whole" in run("evaluate", whole, *option).stdout
    header, *rows = whole.read_text().splitlines()
    whole.write_text("\n".join([header, *(row.replace(",page,", ",sheet,") for row in rows)]) + "\n")
    assert 'column "drawn_by" must hold the name of one column' in reason(*fit)


def test_the_page_is_that_of_python(folder, tmp_path):
    pages = [tmp_path / f"{name}.html" for name in ("command", "python", "mixed", "known", "plain")]
    run(
        "evaluate", folder / "a.csv", *BY, "--group", "page", "--error-rate", 0.05, "--report", pages[0]
    )
    truth, confidence = read_verified(folder / "a.csv", **columns())
    groups = (np.arange(3000) // 10).astype(str)
    fa.report.write_report(pages[1], {"a": (truth, confidence)}, max_error_rate=0.05, groups=groups)
    answers = confidence < 0.9
    everything = fa.PartialTruth(answers, inclusion_probability=1.0)
    models = {"<a>": (truth, confidence), "b": (answers, confidence)}
    fa.report.write_report(pages[2], models, max_error_rate=0.001)
    fa.report.write_report(pages[3], {"b": (everything, confidence)})
    fa.report.write_report(pages[4], {"b": (answers, confidence)})
    command, python, mixed, known, plain = (page.read_text(encoding="utf-8") for page in pages)
    assert command == python
    assert re.search("&lt;a&gt;: [^<]*within at most 0.1% errors (is|are) based", mixed)
    assert "outputs: all of them." in mixed
    assert known == plain
    with pytest.raises(TypeError, match="by cannot go with a PartialTruth"):
        fa.report.write_report(pages[0], {"a": (truth, confidence)}, by=groups)
    sample = fa.ocr.load_sample()
    aligned = fa.ocr.align(sample.truth, sample.outputs["plain"])
    with pytest.raises(TypeError, match=", got a AlignedOutputs"):
        fa.report.write_report(pages[0], models | {"b": aligned})


def test_groups(folder):
    path = folder / "a.csv"
    done = run("evaluate", path, *BY, "--group", "page", "--ci", 0.9, "--error-rate", 0.05)
    outputs = read_verified(path, **columns(groups="page"))
    found = fa.evaluate(*outputs, max_error_rate=0.05, intervals=True, confidence_level=0.9)
    assert str(found) in done.stdout
    alone = fa.evaluate(
        *read_verified(path, **columns()), max_error_rate=0.05, intervals=True, confidence_level=0.9
    )
    assert found.intervals["arac_auc"] != alone.intervals["arac_auc"]


def test_groups_of_outputs(folder, tmp_path):
    path = tmp_path / "fields.csv"
    header, *rows = (folder / "a.csv").read_text().splitlines()
    fields = ["none" if row[0] == "," and i % 2 else "abc"[i % 3] for i, row in enumerate(rows)]
    path.write_text(
        "\n".join([f"{header},field", *map(",".join, zip(rows, fields, strict=True))]) + "\n"
    )
    by = (path, *BY, "--by", "field", "--ci", 0.9, "--error-rate", 0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fa.evaluate_groups(
            *read_verified(path, **columns()), by=fields, max_error_rate=0.05, intervals=True,
            confidence_level=0.9,
        )  # fmt: skip
    done = run("evaluate", *by, "--format", "json")
    model = json.loads(done.stdout)["models"][0]
    assert "1 group has no verified item: 'none'" in done.stderr
    groups = {each.pop("name"): each for each in model["groups"]}
    assert list(groups)[-1] == "none"
    for row, name in enumerate(found.groups):
        for key, column in found.values.items():
            assert groups[name][key] == (None if np.isnan(column[row]) else column[row])
    rows = run("evaluate", *by, "--format", "csv").stdout.splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [["fields", name] for name in groups]
    done = run("evaluate", *by)
    assert "4 groups, worst first" in done.stdout
    assert not re.search(r"groups? breaks? .*none", done.stdout)


def test_refusals(folder, tmp_path):
    path = folder / "a.csv"
    assert "--judge needs --inclusion-probability" in reason("evaluate", path, "--judge", "judge")
    assert "--format markdown cannot go with" in reason("evaluate", path, *BY, "--format", "markdown")
    assert "should end in .html" in reason("evaluate", path, *BY, "--report", tmp_path / "a.txt")
    by = (*BY, "--by", "page")
    assert "--report cannot go with --by for partly verified outputs" in reason(
        "evaluate", path, *by, "--report", tmp_path / "a.html"
    )
    assert "--guarantee cannot go with --by" in reason("evaluate", path, *by, "--guarantee", 0.1)
    assert "for partly verified outputs, got 'equal_error_rate'" in reason(
        "compare", path, folder / "b.csv", *BY, "--statistic", "equal_error_rate"
    )
    header, *rows = path.read_text().splitlines()
    bad = tmp_path / "bad.csv"
    for row, message in (
        ("1,0.5,0.5,,0", "expected a number above 0 and at most 1"),
        ("1,0.5,0.5,0,0", "expected a number above 0 and at most 1"),
        (",0.5,0.5,1.5,0", "at most 1, or an empty cell if it is unknown"),
        ("1,0.5,1.5,0.2,0", "expected a number in"),
        ("2,0.5,0.5,0.2,0", "true or false"),
        ("1,,0.5,0.2,0", "a finite number"),
    ):
        bad.write_text("\n".join([header, *rows, row]) + "\n")
        found = reason("evaluate", bad, *BY)
        assert message in found
        assert "row 3,001" in found or "row 3001" in found
    assert "--max-risk" in reason("evaluate", path, *BY, "--max-risk", 0.1, "--guarantee", 0.05)


def test_policies(folder, tmp_path):
    path, goal = folder / "a.csv", tmp_path / "policy.json"
    outputs = read_verified(path, **columns(groups="page"))
    expected = fa.operation.fit_policy(*outputs, max_error_rate=0.1)
    done = run("fit", path, *BY, "--group", "page", "--error-rate", 0.1, "-o", goal)
    policy = fa.operation.Policy.load(goal)
    assert replace(policy, columns={}) == expected
    n = outputs.correct.n_verified
    assert f"{n} verified outputs" in done.stdout
    done = run("check", goal, path, *BY, "--group", "page", "--format", "json", code=None)
    found = json.loads(done.stdout)["check"]
    check = expected.check(*outputs)
    assert done.exit_code == check.exit_status
    assert (found["rate"], found["high"]) == (check.interval.estimate, check.interval.high)
    assert found["of_fit"]
    assert found["n_verified"] == n
    by_page = tmp_path / "by.json"
    run("fit", path, *BY, "--by", "page", "--error-rate", 0.3, "-o", by_page)
    run("check", by_page, path, *BY, code=None)
    report = tmp_path / "report.html"
    run("check", goal, path, *BY, "--report", report, code=None)
    assert f"{n} verified of 3,000 outputs" in report.read_text()


def test_policies_refuse(folder, tmp_path):
    path, goal = folder / "a.csv", tmp_path / "policy.json"
    to = ("--error-rate", 0.1, "-o", goal)
    assert "--judge needs --inclusion-probability" in reason("fit", path, "--judge", "judge", *to)
    assert "--document cannot go with" in reason("fit", path, *BY, "--document", "page", *to)
    lines = path.read_text().splitlines()
    drawn = tmp_path / "drawn.csv"
    flags = ["drawn", *("1" if line[0] != "," else "0" for line in lines[1:])]
    for row, flag, message in (
        (",0.5,0.5,0.2,0", "1", "the output was drawn: fill in the answer"),
        ("1,0.5,0.5,0.2,0", "0", "it must be empty, because the output was not drawn"),
        ("1,0.5,0.5,,0", "1", "expected a number above 0 and at most 1"),
        ("1,0.5,nan,0.2,0", "1", "a finite number"),
        ("1,0.5,-0.1,0.2,0", "1", "expected a number in"),
    ):
        joined = zip([*lines, row], [*flags, flag], strict=True)
        drawn.write_text("\n".join(map(",".join, joined)) + "\n")
        for command in (("fit", drawn, *BY, *to), ("evaluate", drawn, *BY)):
            found = reason(*command)
            assert message in found
            assert "row 3,001" in found or "row 3001" in found
        assert not goal.exists()
    run("fit", path, *BY, *to)
    assert message in reason("check", goal, drawn, *BY)
    assert "--log cannot go with" in reason("check", goal, path, *BY, "--log")


def test_plans_and_cascades_refuse_outputs_that_were_drawn(tmp_path):
    (tmp_path / "drawn.csv").write_text(
        "correct,confidence,inclusion_probability\n1,0.9,0.5\n,0.8,0.5\n"
    )
    stages = tmp_path / "stages.toml"
    stages.write_text('[[stage]]\nname = "a"\nprice = 1\nfile = "drawn.csv"\n')
    for command in (
        ("plan", "--pilot", tmp_path / "drawn.csv", "--half-width", 0.1),
        ("plan", "--pilot", tmp_path / "drawn.csv", "--error-rate", 0.1),
        ("cascade", stages),
    ):
        assert 'drawn.csv has a column "inclusion_probability"' in reason(*command)
