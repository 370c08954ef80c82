"""The command `fastarac ocr`, as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import sys
from functools import partial

import commands
import numpy as np
import pytest
from commands import settings
from typer.testing import CliRunner

import fastarac as fa
from fastarac._core.text import rounded_percent
from fastarac.cli._app import app
from fastarac.evaluation.limits import read_limits
from fastarac.ocr import (
    align,
    align_files,
    load_sample,
    pair_files,
    sample_folders,
    sensitivity,
)
from fastarac.ocr.words.error_rates import figures_of

BOX = [[0, 0], [1, 0], [1, 1], [0, 1]]


SAMPLE = (sample_folders().truth, *sample_folders().outputs.values())


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """The demo writes its report into the current folder."""
    monkeypatch.chdir(tmp_path)


run = partial(commands.detailed, "ocr")


refusal = partial(commands.reason, "ocr")


def write_output(path, words) -> None:
    """JSON of an engine that writes boxes, texts and confidences."""
    path.write_text(json.dumps([[BOX, text, sure] for text, sure in words]))


@pytest.fixture
def folders(tmp_path):
    """Three pages, two engines; the second one misses a word and inserts another."""
    pages = {"p1": "amber bishop cloud", "p2": "dust elk fjord", "p3": "ghost hymn ivory"}
    for name in ("truth", "one", "two"):
        (tmp_path / name).mkdir()
    for k, (page, text) in enumerate(pages.items()):
        (tmp_path / "truth" / f"{page}.gt.txt").write_text(text)
        words = text.split()
        sure = [0.9 - 0.1 * k, 0.85 - 0.1 * k, 0.6 - 0.1 * k]
        write_output(tmp_path / "one" / f"{page}.json", zip([*words[:2], "WVZ"], sure, strict=True))
        read = [words[0], "~~"] if page == "p1" else words[:2] if page == "p2" else words
        write_output(tmp_path / "two" / f"{page}.json", zip(read, sure, strict=False))
    return tmp_path


def test_one_engine_in_words():
    folders = sample_folders()
    text = run(folders.truth, folders.outputs["plain"]).stdout
    read = text.partition("What was read")[2]
    counts = next(line for line in read.splitlines() if line.startswith("plain"))
    numbers = ["20", "2,180", "1,909", "142", "61", "0", "6", "10", "62", "2,190"]
    assert counts.split()[1:] == numbers[:-1]
    assert "plain   2,190    0 to 100" in text
    assert "Missed words are wrong and never accepted" in text
    alone = "If nobody looks for missed words, they alone exceed the limit (2.8% of the true"
    said = " ".join(text.partition("All figures")[2].split())
    assert said.count(alone) == 1
    assert "At most 1% errors: accept 70.1% automatically at confidence >= " in text
    assert f"remain wrong. {alone} words). At most 5% errors: " in said
    assert "Intervals are by page" in text
    assert "reject, wrong, right (as above)     70.1%" in text
    assert "other ways to count missed, inserted and moved words change the accepted share by " in said
    assert "Choose one (--missed; inserted and moved in --settings) before you see the figures" in said
    assert "confidence intervals, from 20 pages." in text
    assert "group" not in text


@pytest.mark.slow
def test_two_engines_of_the_sample():
    text = run(*SAMPLE).stdout
    assert text.count("Judged by 20 pages, enlarged's lead over plain (") == 2
    assert "Judged by 20 pages, each engine over its own words, from 1,000 resamples (seed 0)." in text
    assert "best" not in text.lower()
    assert "group" not in text


@pytest.mark.slow
def test_figures_for_programs():
    (plain, enlarged), sample = (
        commands.records(run(*SAMPLE, "--format", "json").stdout)[::-1],
        load_sample(),
    )
    assert (plain["model"], enlarged["model"]) == ("plain", "enlarged")
    aligned = align(sample.truth, sample.outputs["plain"])
    figures = fa.evaluate(aligned.sweep()).to_dict()
    assert plain | figures == plain
    assert plain | aligned.counts == plain
    assert plain["true_words"] == 2180
    assert plain["policy"] == "missed=reject inserted=wrong moved=right"
    effects = sensitivity(aligned, [])
    assert effects.limits == ()
    assert plain["acceptance_rate/0.01/missed/separate/inserted/wrong/moved/right"] == pytest.approx(
        aligned.with_policy(missed="separate").operating_point(max_error_rate=0.01).acceptance_rate
    )
    assert plain["arac_auc_low"] < plain["arac_auc"] < plain["arac_auc_high"]

    rows = list(csv.DictReader(io.StringIO(run(*SAMPLE, "--format", "csv").stdout)))
    assert [row["model"] for row in rows] == ["enlarged", "plain"]
    assert rows[1]["missed"] == "62"
    assert run(*SAMPLE, "--format", "markdown").stdout.count("| engine | pages | true words |") == 1


@pytest.mark.slow
def test_pages_make_intervals_wider():
    def width(group: str) -> float:
        (engine,) = commands.records(
            run(
                sample_folders().truth, sample_folders().outputs["plain"],
                "--group", group, "--format", "json",
            ).stdout
        )  # fmt: skip
        assert engine["group"] == group
        return engine["recognition_rate_high"] - engine["recognition_rate_low"]

    assert width("page") != width("none")
    text = run(*SAMPLE, "--group", "none").stdout
    assert "Intervals treat words as independent (--group none)" in text


def test_error_rates_stand_beside_the_decision(folders):
    engines = [folders / name for name in ("truth", "one", "two")]
    text = run(*engines, "--ci", "0.9").stdout
    table = text.partition("Error rates of the text as read, by page")[2].partition("Items are")[0]
    assert "90% intervals" in table
    one, two = (row.split() for row in table.splitlines() if row.startswith(("one", "two")))
    assert one[2:] == ["33.3%", "33.3%"]  # a word of three on each page, whatever the order
    assert two[2:] == ["33.3%", "33.3%"]
    printed = commands.records(run(*engines, "--format", "json").stdout)
    rows = {row["model"]: row for row in printed}
    found = {
        name: align_files(pair_files(folders / "truth", folders / name)).aligned.error_rates()
        for name in rows
    }
    for name, row in rows.items():
        for figure, value in figures_of(found[name], with_intervals=True).items():
            assert row[figure] == value
    assert found["two"].word_edits.tolist() == [2, 1, 0]
    assert rows["two"]["word_error_rate_high"] > 3 / 9
    assert rows["one"]["word_error_rate_high"] is None  # all pages are alike


def test_a_guarantee_counts_pages():
    plain = sample_folders().truth, sample_folders().outputs["plain"]
    options = "--error-rate", 0.05, "--guarantee", 0.05
    text = run(*plain, *options).stdout
    assert "With 95% confidence at most 5% errors remain: no threshold is safe enough" in text
    assert "There are 20 pages, but a limit of 5% needs about 77 without an error." in text
    assert "pages err independently of each other and have at most 140 outputs each" in text
    large = "--error-rate", 0.5, "--guarantee", 0.05, "--format", "json"
    (figures,) = commands.records(run(*plain, *large).stdout)
    aligned = align(load_sample().truth, load_sample().outputs["plain"])
    sure = fa.guaranteed_operating_point(
        aligned.correct, aligned.confidence, groups=aligned.groups, max_error_rate=0.5
    )
    assert figures["acceptance_rate/guaranteed/0.5"] == aligned.most_accepted
    assert sure.acceptance_rate > 0
    alone = run(*plain, *options, "--group", "none").stdout
    assert "With 95% confidence at most 5% errors remain: accept at confidence >= " in alone
    assert refusal(*plain, "--guarantee", 0.05, "--max-risk", 0.1) == (
        "--guarantee cannot go with --max-risk if the outputs of a page depend on each other; use "
        "--error-rate, or --group none to treat them as independent: with dependent outputs, "
        "--max-risk can be guaranteed only for thresholds that were chosen on other data"
    )


def test_no_point_accepts_missed_words(folders):
    options = ("--missed", "reject", "--error-rate", 0.9, "--format", "json")
    (two,) = commands.records(run(folders / "truth", folders / "two", *options).stdout)
    assert (two["true_words"], two["missed"], two["wrong"]) == (9, 2, 1)
    assert two["acceptance_rate/0.9"] == pytest.approx(7 / 9)
    assert two["acceptance_rate_low/0.9"] < 7 / 9 < two["acceptance_rate_high/0.9"] < 1  # of others
    assert two["performance/0.9"] == pytest.approx(7 / 9 + 6 / 9)


def test_items_in_a_file(folders):
    out = folders / "words.parquet"
    text = run(folders / "truth", folders / "one", folders / "two", "-o", out).stdout
    planned = f"fastarac plan --error-rate 0.05 --pilot {out} --only one --group page"  # of 3 pages
    assert planned in " ".join(text.split())
    both = CliRunner().invoke(app, ["evaluate", str(out), "--model", "model", "--format", "json"])
    assert {row["model"]: row["n"] for row in commands.records(both.stdout)} == {"one": 9, "two": 9}

    single = folders / "one.parquet"
    (of_ocr,) = commands.records(
        run(folders / "truth", folders / "one", "-o", single, "--format", "json").stdout
    )
    evaluated = CliRunner().invoke(app, ["evaluate", str(single), "--format", "json"])
    (of_evaluate,) = commands.records(evaluated.stdout)
    for key, value in of_evaluate.items():
        assert key == "model" or of_ocr[key] == value, key

    table = folders / "one.csv"
    run(folders / "truth", folders / "one", "-o", table)
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert list(rows[0]) == ["id", "page", "kind", "truth", "prediction", "correct", "confidence"]
    assert rows[2]["prediction"] == "WVZ"
    assert [path.name for path in folders.iterdir() if path.name.startswith(".")] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_file_gives_the_same_figures(tmp_path, kind):
    """Missed words that are rejected have no confidence there, and no threshold accepts them."""
    out = tmp_path / f"words.{kind}"
    limits = "--error-rate", 0.01, "--error-rate", 0.9, "--max-risk", 0.9
    prices = "--costs", "verification=2,correction=5,error=200"
    options = (*limits, *prices, "--format", "json")
    found = commands.records(run(*SAMPLE, "--missed", "reject", "-o", out, *options).stdout)
    evaluate = ["evaluate", str(out), "--model", "model", "--group", "page", "--ci", "0.95"]
    same = [*evaluate, *map(str, options)]
    again = commands.records(CliRunner().invoke(app, same).stdout)
    assert [row["model"] for row in again] == ["enlarged", "plain"]
    for of_ocr, of_file in zip(found, again, strict=True):
        assert of_ocr["model"] == of_file.pop("model")
        assert {key: of_ocr[key] for key in of_file} == pytest.approx(of_file, rel=1e-12)
        assert of_file["acceptance_rate/0.9"] == 1 - of_ocr["missed"] / of_file["n"]
        assert of_file["acceptance_rate/risk/0.9"] == of_file["acceptance_rate/0.9"]
        assert of_file["acceptance_rate/cheapest"] <= of_file["acceptance_rate/0.9"]
    text = CliRunner().invoke(app, [*evaluate, "--details"], env={"COLUMNS": "10000"}).stdout
    assert "62 of 2,190 items have no output with a confidence: they are never accepted" in text
    refused = CliRunner().invoke(app, [*evaluate[:4], "--by", "page"])
    assert refused.exit_code == 2
    assert (
        "--by needs a confidence for each output, but some outputs have none, such as" in refused.stderr
    )
    policy = ["fit", str(out), "-o", str(tmp_path / "policy.json"), "--error-rate", "0.2"]
    fitted = commands.detailed(*policy, "--group", "page", "--only", "plain").stdout
    assert "62 of 2,190 items have no output with a confidence: they are never accepted" in fitted
    plan = ["plan", "--half-width", "0.02", "--pilot", str(out), "--group", "page", "--only", "plain"]
    assert CliRunner().invoke(app, plan).exit_code == 0

    folders, of_one = sample_folders(), tmp_path / f"plain.{kind}"
    run(folders.truth, folders.outputs["plain"], "--missed", "reject", "-o", of_one)
    divided = [str(tmp_path / "policy.json"), str(of_one), "-o", str(tmp_path / "accepted.csv")]
    review = tmp_path / "review.csv"
    applied = CliRunner().invoke(app, ["apply", *divided, "--review", str(review)])
    assert applied.exit_code == 0, applied.stderr
    to_verify = list(csv.DictReader(io.StringIO(review.read_text(encoding="utf-8"))))
    assert sum(row["kind"] == "missed" for row in to_verify) == found[1]["missed"]


@pytest.mark.slow
def test_the_cheapest_threshold_may_be_that_of_all_read_words():
    cheap = "--missed", "reject", "--costs", "verification=2,correction=5,error=5"
    text = run(*SAMPLE, *cheap).stdout
    assert "At these prices, the cheapest threshold of plain accepts outputs without a" in text
    folders = sample_folders()
    plain = run(folders.truth, folders.outputs["plain"], *cheap, "--format", "json").stdout
    (alone,) = commands.records(plain)
    assert alone["acceptance_rate/cheapest"] == 1 - alone["missed"] / alone["n"]


@pytest.mark.slow
def test_a_comparison_of_the_file_is_that_of_python(tmp_path):
    out = tmp_path / "words.csv"
    run(*SAMPLE, "--missed", "reject", "-o", out)
    compare = ["compare", str(out), "--model", "model", "--id", "id", "--group", "page"]
    compare += ["--format", "json"]
    (by_area,) = json.loads(CliRunner().invoke(app, compare).stdout)["comparisons"]
    (pair,) = by_area["pairs"]
    sample = load_sample()
    engines = {
        name: align(sample.truth, words, missed="reject") for name, words in sample.outputs.items()
    }
    rows = {name: dict(zip(each.id, range(len(each)), strict=True)) for name, each in engines.items()}
    shared = [number for number in rows["plain"] if number in rows["enlarged"]]
    taken = {name: [rows[name][number] for number in shared] for name in engines}
    expected = fa.compare_models(
        {name: (engines[name].correct[at], engines[name].confidence[at]) for name, at in taken.items()},
        groups=engines["plain"].groups[taken["plain"]],
    ).pair("enlarged", "plain")
    assert pair["difference"] == pytest.approx(expected.difference, rel=1e-12)
    assert pair["pvalue"] == pytest.approx(expected.pvalue, rel=1e-9)
    wide = [*compare, "--statistic", "acceptance_at_error_rate:max_error_rate=0.9"]
    assert "only if it accepted outputs without a confidence" in CliRunner().invoke(app, wide).stderr


def test_options_of_the_alignment(folders):
    options = ("--format", "json")
    two = (folders / "truth", folders / "two")
    (lines,) = commands.records(run(*two, "--unit", "line", *options).stdout)
    assert (lines["true_words"], lines["split"], lines["unit"]) == (3, 2, "line")  # boxes are lines
    (dropped,) = commands.records(
        run(*two, *settings(folders, 'inserted = "drop"'), "--missed", "neighbour", *options).stdout
    )
    assert dropped["policy"] == "missed=neighbour inserted=drop moved=right"
    text = run(
        *two, "--fold", "case", "--fold", "whitespace", *settings(folders, 'join = "max"')
    ).stdout
    said = " ".join(text.split())
    assert "are wrong, unless their texts are equal without spaces. They have the largest" in said
    assert "Differences in upper and lower case; and the spaces between words do not count." in text


def test_names(folders):
    one, two = folders / "one", folders / "two"
    text = run(folders / "truth", one, two, "--name", "Alpha", "--name", "Beta").stdout
    alone = "Beta: if nobody looks for missed words, they alone exceed the limit (22.2% of"
    assert alone in " ".join(text.split())
    assert refusal(folders / "truth", one, two, "--name", "A").startswith("--name is given once")
    assert "several engines are called A;" in refusal(
        folders / "truth", one, two, "--name", "A", "--name", "A"
    )


def test_an_engine_without_any_output_is_named(folders):
    for path in (folders / "one").iterdir():
        path.write_text("[]")
    assert refusal(folders / "truth", folders / "one").startswith(
        "one: words must have at least one output, got none on 3 pages with"
    )


def test_what_has_no_partner_is_listed(folders):
    (folders / "one" / "p2.json").unlink()
    (folders / "one" / "p9.json").write_text("[]")
    message = refusal(folders / "truth", folders / "one")
    assert "1 file of truth without an output" in message
    assert "p2.gt.txt; 1 file of output without a truth" in message
    assert message.endswith("--skip-unmatched leaves them out")
    text = run(folders / "truth", folders / "one", "--skip-unmatched").stdout
    assert "Left out: 1 of truth without output: p2.gt.txt." in text
    assert "Left out: 1 of output without truth: p9.json." in text


def test_pairs_from_a_table_and_by_patterns(folders):
    rows = [f"truth/p{k}.gt.txt,{name},{name}/p{k}.json" for name in ("one", "two") for k in (1, 2, 3)]
    table = folders / "pairs.csv"
    table.write_text("\n".join(["truth,engine,output", *rows]))
    asked = "--format", "json", "--group", "none"
    truth, engines = folders / "truth", (folders / "one", folders / "two")
    expected = run(truth, *engines, *asked).stdout
    assert run("--pair", table, *asked).stdout == expected
    assert refusal(truth, "--pair", table).startswith("--pair names truth, engines and outputs; leave")
    (folders / "one" / "p1.log").write_text("done")
    (truth / "notes.md").write_text("none")
    chosen = settings(folders, 'pattern = "*.json"\ntruth_pattern = "*.gt.txt"')
    assert run(truth, *engines, *chosen, *asked).stdout == expected
    assert "p1.log" in refusal(truth, folders / "one")


def test_the_level_of_the_text(folders):
    def page(*texts):
        words = "".join(
            f'<Word><TextEquiv conf="0.9"><Unicode>{text}</Unicode></TextEquiv></Word>'
            for text in texts
        )
        whole = "<TextEquiv><Unicode>amber, bishop cloud</Unicode></TextEquiv>"
        return (
            f"<PcGts><Page><TextRegion><TextLine>{words}{whole}</TextLine></TextRegion></Page></PcGts>"
        )

    (folders / "right.xml").write_text(page("amber", ",", "bishop", "cloud"))
    (folders / "read.xml").write_text(page("amber,", "bishop", "clovd"))
    pair = folders / "right.xml", folders / "read.xml", "--format", "json", "--group", "none"
    (by_itself,) = commands.records(run(*pair).stdout)
    assert (by_itself["true_words"], by_itself["right"]) == (3, 2)
    (by_word,) = commands.records(run(*pair, *settings(folders, 'level = "word"')).stdout)
    assert (by_word["true_words"], by_word["right"]) == (4, 1)


def test_what_cannot_be_read_or_written(folders):
    truth, one = folders / "truth", folders / "one"
    assert refusal() == "give TRUTH and at least one OCR, or --pair (see --help)"
    assert "does not exist" in refusal(truth, folders / "none")
    assert "x.xlsx must end in .parquet or .csv, got" in refusal(truth, one, "-o", "x.xlsx")
    assert refusal(truth, one, "-o", folders / "no" / "x.parquet") == (
        f"{folders / 'no' / 'x.parquet'}: it cannot be written: there is no folder {folders / 'no'}"
    )
    (folders / "x.parquet").mkdir()
    assert "it cannot be written: it is a folder" in refusal(truth, one, "-o", folders / "x.parquet")
    (one / "p2.json").write_text("[[[")
    assert "p2.json" in refusal(truth, one)


def test_confidences_that_are_absent_or_all_alike(folders, tmp_path):
    for page in ("p1", "p2", "p3"):
        words = (folders / "truth" / f"{page}.gt.txt").read_text().split()
        write_output(folders / "one" / f"{page}.json", [(word, 0.5) for word in words])
    text = run(folders / "truth", folders / "one").stdout
    assert "All 9 confidences are 0.5: no threshold can separate outputs." in text
    hocr = "<html><body><div class='ocr_page'><span class='ocrx_word'>amber</span></div></body></html>"
    page = tmp_path / "page.hocr"
    page.write_text(hocr)
    message = refusal(folders / "truth" / "p1.gt.txt", page)
    assert "the one word of p1 (hOCR) has no confidence" in message
    assert "x_wconf" in message


def test_pages_that_hardly_align_are_named_with_their_effect(folders):
    write_output(folders / "one" / "p3.json", [("zzzz", 0.99), ("qqqqq", 0.98)])
    text = run(folders / "truth", folders / "one").stdout
    assert "without 1 page that hardly aligns" in " ".join(text.split())
    assert "1 page with more than half of the characters different: p3. The truth may be" in text
    found = run(folders / "truth", folders / "one", "--format", "json").stdout
    (engine,) = commands.records(found)
    row = next(line for line in text.splitlines() if line.startswith("without 1 page"))
    share = engine["acceptance_rate/0.01/hardly_aligned/drop"]
    assert f"{rounded_percent(share)}" in row
    assert any("different: p3." in warning for warning in json.loads(found)["warnings"])


def test_the_same_pages_are_left_out_for_all_engines(folders):
    write_output(folders / "one" / "p3.json", [("zzzz", 0.99), ("qqqqq", 0.98)])
    write_output(folders / "two" / "p1.json", [("amber", 0.9), ("bishop", 0.8)])
    write_output(folders / "two" / "p2.json", [("xxxx", 0.97)])
    arguments = folders / "truth", folders / "one", folders / "two"
    found = commands.records(run(*arguments, "--format", "json").stdout)
    text, report = run(*arguments, "--report", folders / "r.html").stdout, folders / "r.html"
    assert "without 2 pages that hardly align" in " ".join(text.split())
    assert report.read_text().count("without 2 pages that hardly align") == 2
    fa.report.write_report(
        report, {name: align_files(pair_files(arguments[0], folders / name)) for name in ("one", "two")}
    )
    assert report.read_text().count("without 2 pages that hardly align") == 2
    for engine in found:
        assert engine["hardly_aligned_pages"] == 2
        aligned = align_files(pair_files(arguments[0], folders / engine["model"])).aligned
        point = aligned.without_pages(["p2", "p3"]).operating_point(max_error_rate=0.01)
        assert engine["acceptance_rate/0.01/hardly_aligned/drop"] == point.acceptance_rate


@pytest.fixture
def many(tmp_path):
    """Twelve pages of twenty words, and a way to write what an engine makes of each word."""
    rng = np.random.default_rng(3)
    letters = np.array(list("abcdefgklmnoprstuv"))
    pages = [["".join(rng.choice(letters, 6)) for _ in range(20)] for _ in range(12)]
    (tmp_path / "truth").mkdir()
    for k, words in enumerate(pages):
        (tmp_path / "truth" / f"p{k:02}.txt").write_text(" ".join(words))

    def engine(name, read) -> None:
        (tmp_path / name).mkdir()
        for k, words in enumerate(pages):
            write_output(tmp_path / name / f"p{k:02}.json", read(k, words))

    def read(word: str) -> tuple[str, float]:
        wrong = rng.random() < 0.1
        text = f"{word[:-1]}x" if wrong else word
        return text, round(rng.uniform(0.3, 0.9) - 0.2 * wrong, 3)

    def turned(word: str) -> tuple[str, float]:
        text, sure = read(word)
        return text, round(1 - sure, 3)

    def merged(words: list[str]) -> list[str]:
        return [a + b for a, b in zip(words[::2], words[1::2], strict=True)]

    engine("good", lambda _, words: [read(word) for word in words])
    engine("blank", lambda k, words: [] if k % 3 else [(word, 0.95) for word in words])
    engine("merges", lambda _, words: [read(text) for text in merged(words)])
    engine("drops", lambda _, words: [read(word) for word in words[::2]])
    engine("turned", lambda _, words: [turned(word) for word in words])
    return tmp_path


def test_an_engine_that_is_blank_on_most_pages_does_not_win(many):
    text = " ".join(run(many / "truth", many / "blank", many / "good").stdout.split())
    notes, _, text = text.partition("All figures")
    limit = "At most 1% errors:"
    order = f"{limit} as counted here, good accepts "
    before, _, said = text.partition("At most 5% errors: good accepts most")[0].partition(order)
    assert limit not in before
    assert "The order of the engines depends on how missed words count." in said
    assert "; with missed words counted separately, blank accepts " in said
    assert "missed=" not in said
    assert f"{limit} good accepts most: " in said
    alone = "if nobody looks for missed words, they alone exceed the limit (66.7% of the true"
    assert f"blank: {alone}" in said
    counts = "(160 missed and 0 merged of 240): most of these words are on empty pages."
    assert f"blank: 66.7% of the true words are missed or merged {counts}" in notes
    assert "blank: 8 pages without any output: p01, p02, p04, p05, p07 and 3 more." in notes


def test_engines_that_lose_words_are_named_with_the_likely_reason(many):
    text = " ".join(run(many / "truth", many / "merges", many / "drops", many / "good").stdout.split())
    assert "merges: 100% of the true words are missed or merged (0 missed and 240 merged of" in text
    assert "as if spaces were dropped; --unit character compares characters, regardless" in text
    assert "drops: 50.0% of the true words are missed or merged (120 missed and 0 merged of" in text
    assert "240): parts of the pages are not read, such as columns, margins or small print." in text
    assert "good: " not in text.partition("parts of the pages")[2]


def test_reversed_is_said_where_words_are_ranked_errors_first(many):
    def said(engine, *options) -> str:
        return " ".join(run(many / "truth", many / engine, *options).stdout.split())

    turned = said("turned")
    assert (
        "The confidence of turned seems reversed: correct items tend to have lower confidence" in turned
    )
    assert " among words that are neither merged nor split (ROC-AUC = 0." in turned
    # of which missed words above all others would say the same
    for options in ((), ("--missed", "residual")):
        assert "seems reversed" not in said("drops", *options)


@pytest.mark.parametrize("missed", ["reject", "residual", "separate"])
def test_missed_words_have_a_price(many, missed):
    """At its own price each costs that; else what verifying and correcting does, or an unseen error."""
    verification, correction, error = 2.0, 5.0, 60.0
    prices = ("--costs", "verification=2,correction=5,error=60", "--missed", missed)
    options = (*prices, "--error-rate", 0.3, "--format", "json")

    def cost(*more) -> dict[str, float]:
        (row,) = commands.records(run(many / "truth", many / "drops", *options, *more).stdout)
        return row

    row, priced = cost(), cost(*settings(many, "missed_price = 11"))
    n = row["n"]
    usual = {"reject": verification + correction, "residual": error, "separate": 0}[missed]
    by = (11 - usual) * row["missed"] / n * 1000
    key = "cost_per_1000/0.3"
    assert priced[key] == pytest.approx(row[key] + by)
    if missed != "separate":
        assert priced["cost_per_1000/cheapest"] == pytest.approx(row["cost_per_1000/cheapest"] + by)
        assert priced["threshold/cheapest"] == row["threshold/cheapest"]
    alone = settings(many, "missed_price = 11")
    assert "missed_price needs --costs" in refusal(many / "truth", many / "drops", *alone)
    alone = settings(many, "missed_price = -1")
    assert "missed_price must be a number of at least 0, such as 5, got -1" in refusal(
        many / "truth", many / "drops", *alone
    )


@pytest.mark.parametrize(("page", "looks"), [(0.5, True), (5000.0, False)])
def test_people_look_at_pages_for_missed_words_if_that_is_cheaper(many, page, looks):
    prices = "verification=2,correction=5,error=60"
    options = (many / "truth", many / "drops", "--error-rate", 0.3, "--format", "json")
    done = run(*options, "--costs", f"{prices},page={page}")
    (row,) = commands.records(done.stdout)
    n_pages, missed = row["pages"], row["missed"]
    found = min(page * n_pages + 5 * missed, 60 * missed)
    assert looks == (found < 60 * missed)
    own = settings(many, f"missed_price = {found / missed!r}")
    (same,) = commands.records(run(*options, "--costs", prices, *own).stdout)
    for key in ("cost_per_1000/0.3", "cost_per_1000/cheapest"):
        assert row[key] == pytest.approx(same[key])
    end = "look for them" if looks else "the costs assume that nobody looks"
    assert f"{end}." in done.stdout
    text = run(*options[:-2], "--costs", f"{prices},page={page}").stdout
    assert f"--costs {prices},page={page}" in " ".join(text.split())  # the next command, as given
    assert "give only one of missed_price and page in --costs" in refusal(
        *options, "--costs", f"{prices},page={page}", *own
    )
    unknown = run(*options, "--costs", f"{prices},pages=1", code=2).stderr
    assert "and page=PRICE for looking at a page" in " ".join(unknown.split()).replace(" │ │ ", " ")


def test_pages_of_a_written_file_are_groups_by_themselves(folders):
    """Engines have items of their own; what says that words of a page depend on each other is used."""
    engines = folders / "truth", folders / "one", folders / "two"
    run(*engines, "-o", "two.csv")
    compared = commands.detailed("compare", "two.csv", "--model", "model")
    assert 'ages in column "page" are groups' in compared.stdout
    assert "from influence values of 3 groups" in " ".join(compared.stdout.split())
    alone = commands.run("compare", "two.csv", "--model", "model", "--group", "none")
    assert 'Column "id" matches the items of all models' in " ".join(alone.stdout.split())
    with_pages = commands.run("evaluate", "two.csv", "--model", "model", "--ci", "0.95")
    assert 'ages in column "page" are groups' in with_pages.stdout
    none = commands.run("evaluate", "two.csv", "--model", "model", "--ci", "0.95", "--group", "none")
    assert 'ages in column "page" are groups' not in none.stdout
    assert none.stdout != with_pages.stdout
    assert commands.run("evaluate", "two.csv", "--model", "model", "--group", "page").exit_code == 0
    arguments = "two.csv", "--only", "one", "--error-rate", "0.5", "-o", "policy.json"
    fitted = commands.detailed("fit", *arguments, code=3)
    assert 'ages in column "page" are groups' in fitted.stdout
    assert "There are 3 groups" in fitted.stdout
    alone = commands.detailed("fit", *arguments, "--group", "none", code=None)
    assert "groups" not in alone.stdout


def test_agreement_is_of_several_engines(folders):
    for page in ("p1", "p2", "p3"):
        words = (folders / "truth" / f"{page}.gt.txt").read_text().split()
        write_output(folders / "one" / f"{page}.json", [(word, 1.0) for word in words])
    arguments = folders / "truth", folders / "one", "--error-rate", "0.1", "--report", "r.html"
    said, report = run(*arguments).stdout, (folders / "r.html").read_text()
    assert "all engines agree on" not in said + report
    few = "9 outputs are few for a limit of 10% errors: these figures depend mostly on chance."
    assert few in " ".join(said.split())
    assert few in report[report.index('id="decision"') : report.index("All figures")]


def test_missed_words_that_nobody_looks_for_exceed_a_limit(folders):
    """Of nine true words two are missed: 22.2% are wrong whatever threshold and whoever verifies."""
    arguments = folders / "truth", folders / "two", "--missed", "residual", "--error-rate", "0.01"
    said = " ".join(run(*arguments, "--report", "r.html").stdout.split())
    aligned = align_files(pair_files(folders / "truth", folders / "two"), missed="residual").aligned
    left = np.mean(aligned.kind == "missed")
    assert "At most 1% errors: no threshold keeps this limit, even with all outputs verified." in said
    assert "missed words, so 22.2% of the true words remain wrong" in said
    report = (folders / "r.html").read_text()
    card = report[report.index('id="decision"') : report.index("All figures")]
    assert f"no threshold keeps the limit, as {rounded_percent(left)} of all words stay wrong" in card
    assert " interval " not in card
    (row,) = commands.records(run(*arguments, "--format", "json").stdout)
    assert row["acceptance_rate/0.01"] == 0.0
    assert row["error_rate/0.01"] == pytest.approx(left, abs=1e-12)
    assert "acceptance_rate_low/0.01" not in row
    point = aligned.operating_point(max_error_rate=0.01)
    assert point.error_rate == pytest.approx(left, abs=1e-12)
    (at,) = aligned.without_rejected(fa.evaluate(aligned.sweep(), max_error_rate=0.01)).limits
    assert at.point == point
    assert aligned.operating_point(max_error_rate=0.9).reviewer is None  # they are accepted first


@pytest.mark.parametrize("missed", ["reject", "residual"])
def test_what_is_said_of_other_policies_counts_all_rows(folders, missed):
    arguments = folders / "truth", folders / "two", "--missed", missed, "--error-rate", "0.01"
    aligned = align_files(pair_files(folders / "truth", folders / "two"), missed=missed).aligned
    shares = [row[0] for row in sensitivity(aligned, read_limits(0.01, (), ())).accepted.values()]
    assert min(shares) == 0.0
    said = " ".join(run(*arguments, "--report", "r.html").stdout.split())
    assert f"change the accepted share by up to {100 * max(shares):.1f} points" in said
    assert f"{100 * max(shares):.1f} points apart" in (folders / "r.html").read_text()


def test_names_of_which_none_are_alike(folders):
    for path in (folders / "one").iterdir():
        path.rename(path.with_name(f"scan_{path.name}"))
    message = refusal(folders / "truth", folders / "one")
    assert "no names match: list the pairs of files in a table for --pair" in message
    assert "name its columns in the file of --settings" in message
    assert "--skip-unmatched" not in message


def test_how_to_install_what_alignment_needs(folders, monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    install = 'one: rapidfuzz is not installed; in the source folder run: pip install ".[ocr]"'
    assert refusal(folders / "truth", folders / "one") == install
