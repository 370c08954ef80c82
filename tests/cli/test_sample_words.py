"""`fastarac sample` from the files of an OCR engine: words, crops, answers, audits."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fastarac as fa
from fastarac.partial_truth import draw_verification_sample
from tests.commands import reason, run, settings

BY = ("--inclusion-probability", "inclusion_probability")
HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
SIDE = 20  # pixels of a word's box


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fill_in(path, wanted=lambda _: True, answer=lambda row: int(float(row["confidence"]) > 20)):
    found = rows(path)
    for row in found:
        row["correct"] = answer(row) if wanted(row) else ""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Twelve pages of a line of ten words each; the image of a page tells each word by its grey."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "ocr").mkdir()
    (folder / "scans").mkdir()
    rng = np.random.default_rng(0)
    for page in range(12):
        lines = [HEADER, f"1\t1\t0\t0\t0\t0\t0\t0\t{80 * 10}\t100\t-1\t"]
        image = np.full((100, 800), 255, np.uint8)
        for word in range(10):
            left = 80 * word + 30
            image[40 : 40 + SIDE, left : left + SIDE] = 10 * word + page
            place = f"1\t1\t1\t1\t{word + 1}\t{left}\t40\t{SIDE}\t{SIDE}"
            lines.append(f"5\t{place}\t{100 * rng.random():.4f}\tw{page}x{word}")
        (folder / "ocr" / f"p{page:02}.tsv").write_text("\n".join(lines) + "\n")
        Image.fromarray(image).save(folder / "scans" / f"p{page:02}.png")
    return folder


def test_there_and_back(pages, tmp_path):
    goal, verified, crops = tmp_path / "to_verify.csv", tmp_path / "verified.csv", tmp_path / "crops"
    ocr = pages / "ocr"
    sample = ("sample", ocr, "--budget", 40, "-o", goal)
    done = run(*sample, "--images", pages / "scans", "--crops", crops)
    drawn = rows(goal)
    assert f"Drew {len(drawn)} of 120 outputs" in done.stdout
    assert f"from 120 words on 12 pages. {len(drawn)} crops are in" in " ".join(done.stdout.split())
    words = fa.ocr.Words.concatenate(fa.ocr.read(path) for path in sorted(ocr.iterdir()))
    expected = draw_verification_sample(words.confidence, 40, random_state=0)
    assert [int(row["row"]) - 1 for row in drawn] == expected.indices.tolist()
    for row in drawn:
        place = int(row["row"]) - 1
        page, word = divmod(place, 10)
        assert (row["page"], row["number"], row["text"]) == (
            f"p{page:02}",
            str(word + 1),
            words.text[place],
        )
        assert [float(end) for end in row["box"].split()] == words.box[place].tolist()
        assert row["correct"] == ""
        with Image.open(tmp_path / row["crop"]) as crop:
            grey = np.asarray(crop)
        assert set(grey.ravel().tolist()) == {255, 10 * word + page}  # this word, whole, and no other
        assert np.count_nonzero(grey < 255) == SIDE**2
    assert sorted(path.name for path in crops.iterdir()) == [f"{int(r['row']):03}.png" for r in drawn]

    fill_in(goal)
    run("sample", *sorted(ocr.iterdir()), "--answers", goal, "-o", verified)
    found = rows(verified)
    assert [float(row["confidence"]) for row in found] == words.confidence.tolist()
    answers = {row["row"]: row["correct"] for row in rows(goal)}
    for place, row in enumerate(found):
        assert row["correct"] == answers.get(str(place + 1), "")
    printed = json.loads(run("evaluate", verified, *BY, "--format", "json").stdout)["models"][0]
    truth = fa.PartialTruth(
        np.where(expected.selected, words.confidence > 20, np.nan),
        inclusion_probability=expected.inclusion_probability,
    )
    assert printed["n_verified"] == len(drawn)
    figures = fa.evaluate(truth, words.confidence)
    assert printed["arac_auc"] == pytest.approx(figures.arac.auc, rel=1e-9)
    policy = tmp_path / "policy.json"
    run("fit", verified, *BY, "--error-rate", 0.45, "-o", policy)
    assert "No verdict" in run("check", policy, verified, *BY, code=3).stdout

    log = tmp_path / "log.csv"
    audit = ("sample", ocr, "--audit", policy, "--budget", 30, "-o", log)
    run(*audit, "--images", pages / "scans", "--crops", tmp_path / "audits")
    found = rows(log)
    assert len(found) == 120
    assert all((row["crop"] != "") == (row["drawn"] == "1") for row in found)
    fill_in(log, lambda row: row["drawn"] == "1" or row["accepted"] == "0")
    assert "audits" in run("check", policy, log, "--log", "--details", code=None).stdout


def test_whole_pages(pages, tmp_path):
    goal, verified = tmp_path / "to_verify.jsonl", tmp_path / "verified.csv"
    run("sample", pages / "ocr", "--budget", 60, "--group", "page", "-o", goal)
    drawn = [json.loads(line) for line in goal.read_text().splitlines()]
    assert all(
        sum(row["page"] == page for row in drawn) == 10 for page in {row["page"] for row in drawn}
    )
    assert {row["drawn_by"] for row in drawn} == {"page"}
    for row in drawn:
        row["correct"] = int(row["number"] != 3)
    goal.write_text("".join(json.dumps(row) + "\n" for row in drawn))
    run("sample", pages / "ocr", "--answers", goal, "-o", verified)
    assert "drawn whole" in run("evaluate", verified, *BY, "--ci", 0.9, "--details").stdout


def test_words_without_a_confidence_or_a_place(tmp_path):
    """They are not drawn, and named; a word without a box has no crop."""
    ocr, scans = tmp_path / "ocr", tmp_path / "scans"
    ocr.mkdir()
    hocr = "".join(
        f"<span class='ocrx_word' title='{'' if i else 'bbox 1 1 9 9; '}x_wconf {10 * i}'>w{i}</span>"
        if i < 5
        else f"<span class='ocrx_word' title='bbox 1 1 9 9'>w{i}</span>"
        for i in range(8)
    )
    (ocr / "p00.hocr").write_text(
        "<html xmlns='http://www.w3.org/1999/xhtml'><body><div class='ocr_page' title='bbox 0 0 50 50'>"
        f"<span class='ocr_line' title='bbox 0 0 50 10'>{hocr}</span></div></body></html>"
    )
    scans.mkdir()
    Image.new("L", (50, 50)).save(scans / "p00.png")
    goal = tmp_path / "to_verify.csv"
    done = run(
        *("sample", ocr, "--budget", 5, "--mix", 1, "-o", goal),
        *("--images", scans, "--crops", tmp_path / "crops", "--details"),
    )
    assert "3 of 8 words have no confidence" in done.stdout
    assert "4 drawn words without a box, and therefore without a crop" in done.stdout
    assert [row["crop"] != "" for row in rows(goal)] == [True, False, False, False, False]


def test_refusals(pages, tmp_path):
    ocr, goal, scans = pages / "ocr", tmp_path / "to_verify.csv", pages / "scans"
    sample = ("sample", ocr, "--budget", 20, "-o", goal)
    full = tmp_path / "full"
    full.mkdir()
    (full / "a.txt").write_text("x")
    pictures = ("--images", scans, "--crops")
    assert "the folder is not empty" in reason(*sample, *pictures, full)
    assert "--images needs --crops" in reason(*sample, "--images", scans)
    assert "--crops needs --images" in reason(*sample, "--crops", tmp_path / "c")
    one = tmp_path / "one"
    one.mkdir()
    (one / "p01.png").write_bytes((scans / "p01.png").read_bytes())
    message = reason(*sample, "--images", one, "--crops", tmp_path / "c")
    assert "lacks the image of 11 pages, p00, p02" in message
    assert not goal.exists()
    assert not (tmp_path / "c").exists()
    assert "--judge is for tables" in reason(*sample, "--judge", "judge")
    assert "--confidence is for tables" in reason(*sample, "--confidence", "score")
    table = tmp_path / "table.csv"
    table.write_text("confidence\n0.5\n0.7\n")
    of_table = ("sample", table, "--budget", 1, "-o", goal)
    assert "--images is for OCR" in reason(*of_table, *pictures, tmp_path / "c")
    assert "--settings is for OCR" in reason(*of_table, *settings(tmp_path, 'unit = "line"'))
    first = next(Path(ocr).iterdir())
    assert ", which is also read: choose another file" in reason(
        "sample", first, "--budget", 1, "-o", first
    )
    assert 'no column "kind"; the columns are "page"' in reason(*sample, "--by", "kind")
    run(*sample)
    fill_in(goal)
    fewer = sorted(ocr.iterdir())[1:]
    assert "of the same row" in reason("sample", *fewer, "--answers", goal, "-o", tmp_path / "v.csv")
    scale = fa.operation.fit_policy([1] * 400, np.linspace(0.5, 1, 400), max_error_rate=0.2)
    scale.save(tmp_path / "p.json")
    log = ("sample", ocr, "--audit", tmp_path / "p.json", "--budget", 20, "-o", tmp_path / "log.csv")
    assert "scale" in reason(*log)
