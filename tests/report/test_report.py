"""Reports: what is in the file, that nothing in it can run, and how large it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import commands
import numpy as np
import pytest
from reported import Page, report_of
from typer.testing import CliRunner

import fastarac as fa
from fastarac._core.text import rounded_percent
from fastarac.answers import limits as wording
from fastarac.answers.models import Model
from fastarac.cli._app import app
from fastarac.evaluation.limits import Limit
from fastarac.evaluation.sources import Beside, Source
from fastarac.io import Labels, Outputs
from fastarac.ocr import Words, align, load_sample, sensitivity
from fastarac.ocr.analysis.errors import confusions_of, errors_of, missed_of
from fastarac.ocr.words.policies import AlignmentPolicy
from fastarac.ocr.words.records import (
    INSERTED,
    LINE_END,
    MISSED,
    RIGHT,
    SPACE,
    WRONG,
    Reading,
    Records,
)
from fastarac.operating_points.points import operating_point
from fastarac.report.health import health_of
from fastarac.report.page import Report, render
from fastarac.report.parts import parts_of
from fastarac.report.writing import _model
from fastarac.results import AlignedOutputs

HOSTILE = (
    "<script>alert(1)</script>", "</script><b>", "\"'&amp;", "a\u2028b", "{{7*7}}", "<!--", "]]>",
    "\x1b[31m", "\u202eevil", "\ud800",
)  # fmt: skip
OPTIONS = {"max_error_rate": (0.01, 0.05), "max_risk": (), "threshold": (), "intervals": False}


def words_of(texts, confidence, page, names):
    return Words(
        tuple(texts),
        np.asarray(confidence, float),
        np.asarray(page),
        np.asarray(page),
        tuple(names),
        scale=None if np.isnan(confidence).all() else "percent",
    )


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def sample():
    found = load_sample()
    return {name: align(found.truth, words) for name, words in found.outputs.items()}


@pytest.fixture(scope="module")
def page(sample, tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "report.html"
    fa.report.write_report(path, sample)
    return Page(path.read_text(encoding="utf-8"))


def model_of(given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _model("model", given, None, None, OPTIONS | options, Beside())


class TestContents:
    def test_the_first_section_answers(self, page, sample):
        first = page.text.partition("How accuracy falls")[0]
        points = {name: each.operating_point(max_error_rate=0.01) for name, each in sample.items()}
        name = max(points, key=lambda name: points[name].acceptance_rate)
        point, aligned = points[name], sample[name]
        share = rounded_percent(point.acceptance_rate)
        assert f"At most 1% errors {share} of the words go through unchecked with {name}" in first
        assert f"confidence ≥ {wording.threshold(point.threshold, aligned.sweep())}" in first
        assert f"{point.false_accepts} of them are wrong" in first
        items = aligned.correct, aligned.confidence
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            every = fa.evaluate(*items, groups=aligned.page, intervals=True).intervals
        figures = every["acceptance_rate/0.01"]
        ends = [f"{100 * end:.1f}" for end in (figures.low, figures.high)]
        n_pages = len(aligned.records.page_names)
        assert f"How sure 95% interval {ends[0]} to {ends[1]}%, from {n_pages} pages." in first
        low, high = sensitivity(aligned, [Limit("max_error_rate", 0.01)]).ends(0)
        assert f"{100 * (high - low):.1f} points" in first
        missed = aligned.counts["missed"]
        others = point.false_rejects + point.true_rejects - missed
        assert f"people verify the other {others} and look for the {missed} missed words" in first
        assert "Lead Judged by 20 pages, enlarged's lead over plain (" in first
        assert "plain: if nobody looks for missed words, they alone exceed the limit" in first
        assert "Side by side" in page.text

    def test_a_guaranteed_share_is_called_so(self, tmp_path):
        rng = np.random.default_rng(0)
        confidence = rng.random(300)
        path = commands.write(tmp_path / "a.csv", rng.random(300) < confidence**0.2, confidence)
        options = "--error-rate", 0.1, "--guarantee", 0.05, "--report", tmp_path / "r.html"
        printed = commands.run("evaluate", path, *options).stdout
        (share,) = re.findall(r"95% confidence: accept (\S+) at", printed)
        text = Page((tmp_path / "r.html").read_text(encoding="utf-8")).text
        assert f"At most 10% errors, guaranteed with 95% confidence {share}" in text

    def test_doubts_are_said(self):
        rng = np.random.default_rng(0)
        confidence = rng.random(300)
        model = (rng.random(300) < confidence, confidence)
        text = Page(report_of({"a": model}, groups=np.arange(300) % 4)).text
        assert "There are 4 groups; intervals are unreliable with fewer than 5." in text

    def test_every_part(self, page):
        for title in (
            "The decision", "How accuracy falls as more is accepted", "Try a threshold",
            "Does every page keep the limit?", "The most confident errors", "Score health",
            "Confused characters", "Missed words", "What counts as an item",
        ):  # fmt: skip
            assert title in page.text
        charts = [attributes["data-chart"] for _, attributes in page.tags if "data-chart" in attributes]
        both = ["histogram", "wrong", "calibration"]
        assert charts == ["accuracy", "risk", *both, *both]
        for _, attributes in page.tags:
            if "data-chart" in attributes:
                assert attributes["role"] == "img"
                assert "table" in attributes["aria-label"]
                assert attributes["tabindex"] == "0"
        assert sum(tag == "table" for tag, _ in page.tags) == sum(t == "caption" for t, _ in page.tags)
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        named = {attributes["for"] for _, attributes in page.tags if "for" in attributes}
        assert named <= set(ids)

    def test_error_rates_with_intervals_by_page(self, page, sample):
        table = page.text.partition("with moved words as errors; 95% intervals by page")[2]
        for aligned in sample.values():
            for rate in aligned.error_rates().rates.values():
                ends = f"{100 * rate.low:.1f} to {100 * rate.high:.1f}%"
                assert f"{100 * rate.estimate:.1f}% {ends}" in table

    def test_curves_are_those_of_the_sweep(self, page, sample):
        curves = page.data["curves"]
        x = np.array(curves["x"])
        assert (np.diff(x) > 0).all()
        assert (x[0], x[-1]) == (0, 1)
        by_name = {model["name"]: model for model in curves["models"]}
        for name, aligned in sample.items():
            sweep = aligned.sweep()
            exact = np.interp(x, sweep.acceptance_rate, sweep.error_rate)
            low, at, high = (np.array(by_name[name][key]) for key in ("low", "error", "high"))
            assert np.allclose(at, exact, atol=1e-5)
            assert (low <= high).all()
            assert ((low <= at + 1e-5) & (at <= high + 1e-5)).mean() > 0.9

    def test_the_slider_stops_at_exact_counts(self, page, sample):
        details = page.data["details"]
        aligned = sample["enlarged"]
        found = details["m0"]
        assert (found["total"], found["right"]) == (len(aligned), aligned.correct.sum())
        for k, text in enumerate(found["threshold"]):
            accepted = aligned.confidence >= (np.inf if k == 0 else float(text))
            assert found["ta"][k] == (accepted & aligned.correct).sum()
            assert found["fa"][k] == (accepted & ~aligned.correct).sum()

    def test_limits_and_prices_as_given(self, sample):
        aligned = {"plain": sample["plain"]}
        costs = fa.VerificationCosts(1.0, 2.5, 40.0)
        page = Page(report_of(aligned, max_error_rate=(), max_risk=0.02, threshold=80, costs=costs))
        assert "At most 2% errors among the accepted" in page.text
        assert "At confidence >= 80" in page.text
        prices = [tag["value"] for name, tag in page.tags if name == "input" and "data-price" in tag]
        assert prices == ["1", "2.5", "40"]
        people = fa.Reviewer(0.9, 0.0001)
        page = Page(report_of(aligned, max_error_rate=0.05, costs=costs, reviewer=people))
        assert page.data["people"] == [0.9, 0.0001]

    def test_of_arrays(self):
        rng = np.random.default_rng(0)
        confidence = rng.random(600)
        correct = rng.random(600) < 0.4 + 0.6 * confidence
        fields = np.repeat(["date", "name", "total"], 200)
        page = Page(report_of({"a": (correct, confidence)}, by=fields))
        for absent in ("Policy", "missed", "mistaken", "Side by side", "pages"):
            assert absent not in page.text
        assert "Does every group keep the limit?" in page.text
        assert "date" in page.text
        assert page.data["units"] == "outputs"
        weighted = Page(report_of({"a": (correct[:50], confidence[:50])}))
        assert "Does every" not in weighted.text

    def test_nothing_to_accept(self):
        correct, confidence = np.array([0, 1, 0, 1] * 20), np.array([0.9, 0.5, 0.5, 0.1] * 20)
        page = Page(report_of({"a": (correct, confidence)}))
        assert "can be accepted unchecked: people verify all outputs." in page.text

    def test_the_same_bytes_again(self, sample):
        one = {"plain": sample["plain"]}
        assert report_of(one) == report_of(one)


class TestNothingRuns:
    @pytest.fixture(scope="class")
    @classmethod
    def hostile(cls, tmp_path_factory):
        n = len(HOSTILE)
        names = [f"page {text}" for text in HOSTILE]
        pages = np.repeat(range(n), 2)
        truth = words_of(["fine", "lost"] * n, [np.nan] * 2 * n, pages, names)
        clean = ["".join(text.split()) for text in HOSTILE]
        output = words_of(clean, np.linspace(99, 60, n), range(n), names)
        path = tmp_path_factory.mktemp("hostile") / "report.html"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fa.report.write_report(
                path, {f"engine {HOSTILE[0]}": align(truth, output)}, title=HOSTILE[1]
            )
        return path.read_text(encoding="utf-8")

    def test_only_scripts_that_are_known_by_their_hash(self, hostile):
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', hostile)[1]
        page = Page(hostile)
        data, script = page.of["script"]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src &#39;sha256-{digest}&#39;;" in policy
        assert "default-src &#39;none&#39;" in policy
        assert "unsafe" not in policy
        (style,) = page.of["style"]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"style-src &#39;sha256-{digest}&#39;;" in policy
        assert not [attributes for _, attributes in page.tags if "style" in attributes]
        assert not [name for _, tag in page.tags for name in tag if name.startswith("on")]
        json.loads(data)

    def test_texts_are_texts(self, hostile):
        assert "<script>alert" not in hostile
        assert "&lt;script&gt;" in hostile
        page = Page(hostile)
        assert [tag for tag, _ in page.tags].count("script") == 2
        assert page.data["curves"]["models"][0]["name"] == f"engine {HOSTILE[0]}"
        for mark in "<>&\u2028\u202e\x1b":
            assert mark not in page.of["script"][0]
        for mark in "\u2028\u202e\x1b\ud800":
            assert mark not in hostile
        assert "{{7*7}}" in page.text.replace("</del>", "")
        assert "49" not in re.findall(r"<h1>(.*?)</h1>", hostile)

    def test_nothing_is_loaded(self, hostile):
        links = [tag[name] for _, tag in Page(hostile).tags for name in ("src", "href") if name in tag]
        assert set(links) <= {"#decision", "data:,"}


def test_errors_confusions_and_missed():
    page, names = [0, 0, 0, 0, 1, 1, 1], ["a", "b"]
    truth = words_of(["the", "rn", "bell", "rang", "lost", "twice", "over"], [np.nan] * 7, page, names)
    read = ["the", "m", "bell", "rong", "twice", "over", "zz"]
    output = words_of(read, [90, 95, 80, 97, 50, 60, 20], page, names)
    aligned = align(truth, output)
    records, thresholds = aligned.records, [aligned.operating_point(max_error_rate=0.5).threshold]
    errors = errors_of(records, thresholds, 10)
    assert [(e.confidence, e.kind, e.page) for e in errors] == [
        (97, "wrong", "a"), (95, "wrong", "a"), (20, "inserted", "b"),
    ]  # fmt: skip
    assert (errors[0].before, errors[0].after) == ("the rn bell", "")
    assert [tuple(piece) for piece in errors[0].pieces] == [
        ("r", "r", False), ("a", "o", True), ("ng", "ng", False),
    ]  # fmt: skip
    assert errors[2].before.endswith("over")
    assert errors[0].accepted == (True,)
    table = confusions_of(records, thresholds, 10)
    assert {(each.truth, each.read) for each in table.shown} == {("a", "o"), ("rn", "m")}
    assert [each.accepted for each in table.shown] == [1, 1]
    missed, n_pages = missed_of(records, 10)
    assert n_pages == 1
    assert tuple(missed[0]) == ("b", 1, 3, ("lost",))


def test_chance_among_many_parts_is_no_failure():
    rng = np.random.default_rng(4)
    n = 20_000
    confidence = rng.random(n)
    correct = rng.random(n) < 0.8 + 0.2 * confidence
    documents = rng.permutation(n) // 5
    names = tuple(f"{document:04}" for document in range(n // 5))

    def in_documents():
        model = model_of((correct, confidence))
        return replace(model, outputs=replace(model.outputs, by=Labels(names, documents)))

    alike = parts_of(in_documents(), 0.95, 100)
    assert alike.n == 4000
    for found in alike.verdicts:
        assert found["fails"] == 0
        assert sum(found.values()) == 4000
    correct[documents == 7] = False
    confidence[documents == 7] = 1.0
    one = parts_of(in_documents(), 0.95, 100)
    assert [found["fails"] for found in one.verdicts] == [1] * len(one.verdicts)
    assert one.shown[0].name == "0007"
    assert one.shown[0].at[0].verdict == "fails"


class TestHealth:
    def checks(self, correct, confidence):
        model = (np.asarray(correct), np.asarray(confidence, float))
        return {check.name: check for check in health_of(model_of(model), 0.95).checks}

    def test_good(self):
        rng = np.random.default_rng(1)
        confidence = rng.beta(4, 1, 3000)
        found = health_of(model_of((rng.random(3000) < confidence, confidence)), 0.95)
        assert found.good
        assert [bin_.n for bin_ in found.bins] == [300] * 10
        assert all(bin_.low <= bin_.mean <= bin_.high for bin_ in found.bins)
        assert all(bin_.right_low <= bin_.right <= bin_.right_high for bin_ in found.bins)
        assert sum(found.right) + sum(found.wrong) == 3000

    def test_one_value(self):
        found = self.checks([1, 0, 1, 1], [0.7] * 4)
        assert found["Distinct values"].meaning == "No threshold can tell outputs apart."
        assert not found["Distinct values"].good

    def test_ties_and_wrong_ones_at_the_top(self):
        found = self.checks([1] * 60 + [0] * 2 + [1, 0] * 19, [1.0] * 62 + [0.5, 0.4] * 19)
        assert found["Largest tie"].found == "1, shared by 62 outputs (62.0%)"
        assert not found["Largest tie"].good
        assert found["At 1"].found == "62 outputs (62.0%), 2 of them wrong"

    def test_cut_reversed_and_coarse(self):
        rng = np.random.default_rng(2)
        confidence = np.maximum(rng.random(1000), 0.3).round(2)
        found = self.checks(rng.random(1000) < 1 - confidence, confidence)
        assert "0.3, an end of the range: were values clipped?" in found["Range"].meaning
        assert (
            "If a lower score means that the model is surer, negate the score"
            in found["Separation (ROC-AUC)"].meaning
        )
        assert not found["Distinct values"].good
        assert not found["Mean confidence"].good

    def test_missing(self, sample):
        truth = words_of(["one", "two"], [np.nan] * 2, [0, 0], ["p"])
        output = words_of(["one", "two"], [80, np.nan], [0, 0], ["p"])
        found = {c.name: c for c in health_of(model_of(align(truth, output)), 0.95).checks}
        assert found["Missing"].found == "1 of 2 words have no confidence"
        assert sum(health_of(model_of(align(truth, output)), 0.95).right) == 1


def many_words() -> AlignedOutputs:
    """256,000 words on 4,000 pages, without aligning them."""
    rng = np.random.default_rng(0)
    n, n_pages = 256_000, 4000
    vocabulary = ["receipt", "Ausführungsbestimmung", "12,50", "the", "of", "Überweisungsträger"]
    misread = ["reccipt", "Ausf0hrungsbestimmung", "12.50", "tbe", "ol", "Uberweisungstrager"]
    confidence = 100 * rng.beta(8, 0.7, n)
    kind = np.where(rng.random(n) < (confidence / 100) ** 0.4, RIGHT, WRONG).astype(np.uint8)
    kind[rng.random(n) < 0.01] = INSERTED
    kind[rng.random(n) < 0.02] = MISSED
    confidence[kind == MISSED] = np.nan
    word = rng.integers(0, len(vocabulary), n).tolist()
    kinds = kind.tolist()
    page = np.arange(n) // (n // n_pages)
    records = Records(
        kind=kind,
        confidence=confidence,
        page=page,
        number=np.arange(n) % (n // n_pages) + 1,
        inserted=(kind == INSERTED).astype(np.intp),
        truth=tuple("" if k == INSERTED else vocabulary[w] for k, w in zip(kinds, word, strict=True)),
        prediction=tuple(
            "" if k == MISSED else vocabulary[w] if k == RIGHT else misread[w]
            for k, w in zip(kinds, word, strict=True)
        ),
        output_begin=np.arange(n),
        output_end=np.arange(n) + 1,
        gap=np.where(np.arange(n) % 10 == 0, LINE_END, SPACE).astype(np.uint8),
        shared=np.zeros(n, bool),
        page_names=tuple(f"volume-12_page-{k:05d}" for k in range(n_pages)),
        differing_share=np.full(n_pages, 0.03),
        edits=np.tile([36.0, 1200.0, 10.0, 250.0, 10.0, 10.0], (n_pages, 1)),
        n_outputs=n,
    )
    return AlignedOutputs.of(records, Reading(), AlignmentPolicy())


@pytest.mark.slow
def test_many_words_are_less_than_two_megabytes():
    aligned = many_words()
    sweep = aligned.sweep()
    limits = [Limit("max_error_rate", rate) for rate in (0.01, 0.05)]
    outputs, source = aligned.__report__(limits, Beside())
    model = Model("engine", outputs, fa.evaluate(sweep), source)
    text = render(Report([model], "Many words"))
    assert len(text.encode()) < 1_500_000
    page = Page(text)
    assert "The 200 of 4,000 pages with the most accepted errors" in page.text
    found = page.data["details"]["m0"]
    points = [operating_point(sweep, max_error_rate=rate) for rate in (0.01, 0.05)]
    for point in points:  # the limits' own thresholds are stops, with their exact counts
        assert (point.true_accepts, point.false_accepts) in list(
            zip(found["ta"], found["fa"], strict=True)
        )
    for ratio in (3.0, 10.0, 200.0):  # and the cheapest ones
        costs = fa.VerificationCosts(1.0, 1.0, ratio)
        best = fa.costs.optimal_operating_point(sweep, costs=costs)
        assert best.false_accepts in found["fa"]
    curve = page.data["curves"]
    x = sweep.acceptance_rate
    drawn = np.interp(x, curve["x"], curve["models"][0]["error"])
    assert np.abs(drawn - sweep.error_rate).max() < sweep.error_rate[-1] / 900


class TestCommands:
    def run(self, *arguments, code=0):
        result = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    @pytest.mark.slow
    def test_of_two_engines(self):
        folders = fa.ocr.sample_folders()
        text = self.run("ocr", folders.truth, *folders.outputs.values(), "--report", "r.html").stdout
        assert "r.html has the report: open it in a browser." in text
        page = Page(Path("r.html").read_text(encoding="utf-8"))
        assert "Side by side" in page.text
        assert "Judged by 20 pages; each figure is of the engine's own words." in page.text

    def test_ocr_with_images(self):
        from PIL import Image, ImageDraw

        for name in ("truth", "ocr", "scans", "others"):
            Path(name).mkdir()
        Path("truth/p.txt").write_text("fine day today\n")
        box = [[10, 10], [60, 10], [60, 30], [10, 30]]
        words = [("fine", 0.9), ("boy", 0.8), ("today", 0.7)]
        Path("ocr/p.json").write_text(json.dumps([[box, text, sure] for text, sure in words]))
        picture = Image.new("L", (200, 60), 255)
        ImageDraw.Draw(picture).rectangle((10, 10, 60, 30), fill=0)
        picture.save("scans/p.png")
        picture.save("others/q.png")
        ocr = ("ocr", "truth", "ocr", "--error-rate", 0.5)
        self.run(*ocr, "--report", "r.html", "--images", "scans")
        (image,) = [tag for name, tag in Page(Path("r.html").read_text()).tags if name == "img"]
        assert image["src"].startswith("data:image/jpeg;base64,")
        said = self.run(*ocr, "--images", "scans", code=2).stderr
        assert "--images needs --report" in said
        said = self.run(*ocr, "--report", "r.html", "--images", "others", code=2).stderr
        assert ", but are called q; the pages are p" in said
        assert "has no image" in self.run(
            *ocr, "--report", "r.html", "--images", "truth", code=2
        ).stderr  # fmt: skip

    def test_evaluate(self):
        rows = ["correct,confidence,field,page"]
        rows += [f"{k % 7 > 0:d},{(k * 37 % 101) / 101},f{k % 3},p{k // 40}" for k in range(1200)]
        Path("outputs.csv").write_text("\n".join(rows))
        evaluate = ("evaluate", "outputs.csv", "--report", "r.html")
        text = self.run(*evaluate).stdout
        assert "r.html has the report" in text
        assert "95% intervals" in text
        self.run(*evaluate, "--by", "field", "--group", "page", "--format", "json")
        page = Page(Path("r.html").read_text(encoding="utf-8"))
        assert "Does every group keep the limit?" in page.text
        assert "from 30 groups" in page.text

    @pytest.mark.filterwarnings("ignore:the confidence seems reversed")  # the surest are wrong
    def test_fields(self):
        rows = ["document,field,prediction,confidence,truth"]
        for k in range(60):
            read = k if k % 9 else k + 1
            rows.append(f"d{k},total,{read},{0.99 - k % 9 / 20},{k}")
            rows.append(f"d{k},name,{'N' if k % 7 else ''},{'' if k % 11 == 3 else 0.9},N")
        Path("fields.csv").write_text("\n".join(rows))
        text = self.run("ocr", "fields.csv", "--report", "r.html", "--error-rate", 0.1).stdout
        assert "r.html has the report" in text
        page = Page(Path("r.html").read_text(encoding="utf-8"))
        for part in ("Whole documents", "Does every field keep the limit?", "from 60 documents"):
            assert part in page.text
        assert "120 fields, 60 documents." in page.text
        assert "too few documents." in page.text
        points = page.data["curves"]["models"][0]["points"]
        found = fa.ocr.read_fields("fields.csv")
        at = fa.operating_point(found.correct, found.confidence, max_error_rate=0.1)
        assert points == [[float(f"{rate:.6g}") for rate in (at.acceptance_rate, at.error_rate)]]
        fields = fa.ocr.read_fields("fields.csv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fa.report.write_report("s.html", {"fields": fields}, max_error_rate=0.1)
        again = Page(Path("s.html").read_text(encoding="utf-8"))
        assert again.data["details"] == page.data["details"]
        threshold = fa.operating_point(fields.correct, fields.confidence, max_error_rate=0.1).threshold
        share = fields.straight_through(threshold).straight_through_rate
        assert rounded_percent(share) in page.text.partition("Whole documents")[2]
        assert max(page.data["details"]["m0"]["ta"]) < fields.correct.sum() + 1
        said = self.run("ocr", "fields.csv", "--report", "r.html", "--images", ".", code=2).stderr
        assert "--images is for pages" in said

    def test_refusals(self):
        Path("outputs.csv").write_text("correct,confidence\n1,0.5\n0,0.4\n")
        evaluate = ("evaluate", "outputs.csv", "--report")
        assert "should end in .html or .htm" in self.run(*evaluate, "r.pdf", code=2).stderr
        assert "there is no directory" in self.run(*evaluate, "no/r.html", code=2).stderr
        Path("d.html").mkdir()
        assert "is a directory" in self.run(*evaluate, "d.html", code=2).stderr

    def test_no_half_of_a_file(self, monkeypatch, sample):
        Path("r.html").write_text("before")
        monkeypatch.setattr(
            Path, "replace", lambda self, target: (_ for _ in ()).throw(OSError(28, "full"))
        )
        with pytest.raises(OSError, match="full"):
            fa.report.write_report("r.html", {"plain": sample["plain"]})
        assert [path.name for path in Path().iterdir()] == ["r.html"]
        assert Path("r.html").read_text() == "before"


def test_bad_input(sample):
    with pytest.raises(ValueError, match="models is empty; give at least one model"):
        fa.report.write_report("r.html", {})
    with pytest.raises(ValueError, match="confidence_level"):
        fa.report.write_report("r.html", {"a": ([1, 0], [0.5, 0.4])}, confidence_level=1.0)
    with pytest.raises(ValueError, match="by"):
        fa.report.write_report("r.html", {"a": ([1, 0], [0.5, 0.4])}, by=["x"])
    with pytest.raises(ValueError, match="be a folder with the images of the pages"):
        fa.report.write_report("r.html", sample, images="nowhere")
    assert not Path("r.html").exists()


class Chapters:
    """What is no OCR, and says of itself what it is."""

    def __report__(self, limits, beside):
        assert [limit.value for limit in limits] == [0.1]
        assert beside == Beside()
        names, codes = ("one", "two"), np.repeat([0, 1], 20)
        outputs = Outputs(np.arange(40) % 9 > 0, np.linspace(0.1, 0.9, 40), group=Labels(names, codes))
        return outputs, OfChapters(units="pages", group_word="chapter", part_word="chapter")


class OfChapters(Source):
    def remark(self, limit):
        return "Beside", f"limit {limit}", True

    def sections(self, evaluation, most):
        return [("<p>{{ section.said }}</p>\n", {"said": "<before>"})], []


def test_whatever_says_what_it_is_can_be_reported():
    page = Page(report_of({"book": Chapters()}, max_error_rate=0.1))
    for said in ("40 pages, 2 chapters.", "Beside limit 0", "<before>", "from 2 chapters"):
        assert said in page.text
    assert "Does every chapter keep the limit?" in page.text


def test_pages_have_names_of_pages(tmp_path):
    path = tmp_path / "r.txt"
    message = r"the name of the report should end in \.html or \.htm"
    with pytest.raises(ValueError, match=message):
        fa.report.write_report(path, {"a": ([1, 0], [0.9, 0.1])})
    with pytest.raises(ValueError, match=message):
        fa.report.write_operation_report(path, plan={"max_error_rate": 0.1})
    assert not path.exists()
