"""Stations as files: what they ask about, what they show, and what is refused."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import reason, run
from PIL import Image

import fastarac as fa
from fastarac import QuestionableInputWarning
from fastarac.io import DataFileError

ROWS = [("p1", "10 10 30 20", "foo", 0.9), ("p1", "40 10 60 20", "bär", 0.4), ("p2", "", None, 0.1)]


def write_table(path, rows=ROWS, **columns):
    names = ["page", "box", "text", "confidence", *columns]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([*row, *more] for row, *more in zip(rows, *columns.values(), strict=True))
    return path


def data_of(page):
    """What the script of a page reads."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text)[1])


@pytest.fixture
def scans(tmp_path):
    (tmp_path / "scans").mkdir()
    Image.new("L", (100, 50), 255).save(tmp_path / "scans" / "p1.png")
    return tmp_path / "scans"


def asked(page):
    return [item["row"] for item in data_of(page)["items"]]


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ({}, [0, 1, 2]),
        ({"correct": ["", "1", " "]}, [0, 2]),
        ({"drawn": [1, 0, 1], "correct": ["", "", ""]}, [0, 2]),
        ({"drawn": ["true", "true", ""], "correct": ["0", "", ""]}, [1]),
    ],
)
def test_open_rows_are_asked_about(tmp_path, columns, rows):
    page = tmp_path / "s.html"
    assert fa.station.write_station(page, write_table(tmp_path / "t.csv", **columns)) == len(rows)
    assert asked(page) == rows
    assert len(data_of(page)["rows"]) == len(ROWS)  # the file that is saved has all of them


def test_what_would_sway_people_is_not_shown(tmp_path):
    table = write_table(tmp_path / "t.csv", score=[1, 2, 3], judge=[1, 0, 1], field=["a", "b", "c"])
    page = tmp_path / "s.html"
    run("station", table, "-o", page, "--confidence", "score", "--judge", "judge")
    found = data_of(page)
    assert [found["columns"][i] for i in found["facts"]] == ["page", "confidence", "field"]
    assert found["columns"][found["output"]] == "text"
    assert "confidence" not in json.dumps(found["items"])


def test_places_are_cut_out_with_their_box(tmp_path, scans):
    pixels = np.full((50, 100), 255, np.uint8)
    pixels[10:20, 40:60] = 0
    Image.fromarray(pixels).save(scans / "p1.png")
    page = tmp_path / "s.html"
    with pytest.warns(QuestionableInputWarning, match=r"^1 output of the station has no picture: p2$"):
        fa.station.write_station(page, write_table(tmp_path / "t.csv"), images=scans)
    number, size, box = data_of(page)["items"][1]["picture"]
    assert data_of(page)["images"][number].startswith("data:image/jpeg;base64,")
    assert (size, box) == ([100, 37], [40.0, 10.0, 20.0, 10.0])
    assert data_of(page)["items"][2]["picture"] is None
    shares = [("p1", "0.4 0.2 0.6 0.4", "foo", 0.9)]
    fa.station.write_station(page, write_table(tmp_path / "u.csv", shares), images=scans)
    assert data_of(page)["items"][0]["picture"][1:] == [size, box]


def test_pictures_of_the_table_stand_beside_it(tmp_path, scans):
    table = write_table(tmp_path / "t.csv", image=["scans/p1.png"] * 3, crop=["", "scans/p1.png", ""])
    page = tmp_path / "s.html"
    fa.station.write_station(page, table)
    assert [item["picture"][2] is None for item in data_of(page)["items"]] == [False, True, True]


def test_documents_have_several_pages(tmp_path, scans):
    for name in ("a", "b-1", "b-2"):
        Image.new("L", (40 if name == "b-2" else 30, 30), 255).save(scans / f"{name}.png")
    path = tmp_path / "t.csv"
    rows = ["a,,total,9", "b,1,total,9", "b,2,date,May"]
    path.write_text("\n".join(["document,page,field,prediction", *rows, "b,2,name,Ö"]) + "\n")
    fa.station.write_station(tmp_path / "s.html", path, images=scans)
    found = data_of(tmp_path / "s.html")
    sizes = [item["picture"][1] for item in found["items"]]
    assert sizes == [[30, 30], [30, 30], [40, 30], [40, 30]]
    assert len(found["images"]) == 2  # each picture once, as often as it is shown


def test_words_stand_in_their_lines_and_tables_of_other_pages_are_refused(tmp_path):
    folder = fa.ocr.sample_folders().outputs["plain"]
    confidence = np.arange(400) / 4.0
    policy = fa.operation.fit_policy(confidence > 40, confidence, max_error_rate=0.01)
    pages = fa.ocr.apply_to_files(policy, folder)
    accepted, review, page = (tmp_path / name for name in ("a.csv", "r.csv", "s.html"))
    pages.save(accepted=accepted, review=review)
    fa.station.write_station(page, review, pages=pages)
    found = data_of(page)
    places = np.flatnonzero(~pages.accepted)
    texts = [found["rows"][item["row"]][found["output"]] for item in found["items"]]
    assert texts == [pages.text[place] for place in places]
    for place, item in zip(places[:50], found["items"], strict=False):
        words = [pages.text[i] for i in np.flatnonzero(pages.line == pages.line[place])]
        before, behind = item["line"]
        assert f"{before}{pages.text[place]}{behind}" == " ".join(words)
        assert len(before.split()) == np.sum(pages.line[:place] == pages.line[place])
    review.write_text(review.read_text().replace(f",{texts[1]},", ",other,", 1))
    with pytest.raises(ValueError, match=r"row 2 is not an output of pages"):
        fa.station.write_station(page, review, pages=pages)


def test_numbers_are_written_as_they_are(tmp_path):
    score = np.array([0.1, 1 / 3], np.float32)
    pq.write_table(pa.table({"text": ["a", "b"], "confidence": score}), tmp_path / "t.parquet")
    fa.station.write_station(tmp_path / "s.html", tmp_path / "t.parquet")
    written = [float(row[1]) for row in data_of(tmp_path / "s.html")["rows"]]
    assert written == score.astype(float).tolist()


def test_what_is_refused(tmp_path, scans):
    page = tmp_path / "s.html"

    def refused(error, match, rows=ROWS, *, images=None, **columns):
        table = write_table(tmp_path / "t.csv", rows, **columns)
        with pytest.raises(error, match=match):
            fa.station.write_station(page, table, images=images)

    refused(DataFileError, 'column "correct" has no empty cell', correct=[1, 0, 1])
    refused(DataFileError, 'has the column "truth", which a sample adds:', truth=["a", "b", "c"])
    refused(DataFileError, "there are no rows", [])
    outside = [("p1", "90 10 130 20", "foo", 0.9)]
    refused(
        ValueError,
        r"row 1: box must be within the image .100 × 50 pixels., .*, got 90 10 130 20",
        outside,
        images=scans,
    )
    refused(
        ValueError,
        "row 1: box must be left, top, right and bottom, got '1 2 3'",
        [("p1", "1 2 3", "foo", 0.9)],
        images=scans,
    )
    refused(
        ValueError,
        "be named like the pages, but are called p1; the pages are",
        [("q", "", "foo", 0.9)],
        images=scans,
    )
    refused(ValueError, "cannot be read as an image", image=["t.csv"] * 3)
    with pytest.raises(ValueError, match="should end in"):
        fa.station.write_station(tmp_path / "s.pdf", tmp_path / "t.csv")
    assert not page.exists()


class TestCommands:
    def test_search_goes_on_from_what_was_saved(self, tmp_path):
        path = write_table(tmp_path / "t.csv")
        page, batch = tmp_path / "s.html", tmp_path / "next.csv"
        command = "search", path, "--error-rate", 0.4, "--state", tmp_path / "s.json", "-o", batch
        printed = run(*command, "--station", page).stdout
        assert f"Open {page} in a browser to answer, and use" in printed
        assert len(asked(page)) == 3
        assert "--station" in printed.partition("Next: ")[2]

    def test_apply_writes_one_of_what_is_to_be_verified(self, tmp_path, scans):
        rng = np.random.default_rng(0)
        score = rng.random(900)
        policy = fa.operation.fit_policy(rng.random(900) < score**0.1, score, max_error_rate=0.05)
        policy.save(tmp_path / "p.json")
        page, table = (
            tmp_path / "s.html",
            write_table(tmp_path / "t.csv", [ROWS[0], ("p1", "", "b", 0.01)]),
        )
        goals = "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv", "--station", page
        found = run("apply", tmp_path / "p.json", table, *goals, "--images", scans, "--format", "json")
        assert json.loads(found.stdout)["applied"]["station"] == str(page)
        assert 0 < len(asked(page)) == json.loads(found.stdout)["applied"]["rejected"]
        page.unlink()
        table = write_table(tmp_path / "t.csv", [("p1", "", "foo", 0.999)])
        assert "there is nothing to verify" in run("apply", tmp_path / "p.json", table, *goals).stdout
        assert not page.exists()

    def test_refusals(self, tmp_path):
        table, goal = write_table(tmp_path / "t.csv"), tmp_path / "v.csv"
        sample = "sample", table, "--budget", 2, "-o", goal
        assert reason(*sample, "--station", tmp_path / "s.pdf").endswith("should end in .html or .htm")
        assert "--images needs --crops or --station" in reason(*sample, "--images", tmp_path)
        assert "has no image" in reason(
            *sample, "--station", goal.with_suffix(".html"), "--images", tmp_path
        )
        assert not goal.exists()
