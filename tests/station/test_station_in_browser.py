"""Stations in a real browser: answered by keyboard, reloaded, saved, compared, and read by commands."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from browsers import ActionChains, By, Keys, opened_in, require_no_request, started
from commands import run
from PIL import Image, ImageDraw

import fastarac as fa

pytestmark = pytest.mark.slow  # a browser has to start

N, PAGES, WORDS = 500, 9, 60
HOSTILE = [
    "</script><script>document.title='run'</script>",
    "<img src=x onerror=alert(1)>",
    "a\u2028b\u202ec",
]
HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
CHANCE = "--inclusion-probability", "inclusion_probability"


@pytest.fixture(scope="module")
def browser():
    with started() as driver:
        yield driver


@pytest.fixture
def look(browser, tmp_path):
    """Open a page without answers from before; say what went wrong."""
    downloads = tmp_path / "downloads"
    behavior = {"behavior": "allow", "downloadPath": str(downloads)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
    browser.get_log("browser")

    def opened(page, *, clear=True, **options):
        opened_in(browser, page, **options)
        if clear:
            browser.execute_script("localStorage.clear()")
            opened_in(browser, page, **options)
        return browser

    yield opened
    assert browser.get_log("browser") == []
    require_no_request(browser, n_pages=12)


@pytest.fixture(scope="module")
def scanned(tmp_path_factory):
    """Pages that an engine read, with noisy images: some words are read as other ones."""
    folder = tmp_path_factory.mktemp("scanned")
    (folder / "ocr").mkdir()
    (folder / "scans").mkdir()
    rng = np.random.default_rng(0)
    for page in range(PAGES):
        lines = [HEADER, "1\t1\t0\t0\t0\t0\t0\t0\t1200\t800\t-1\t"]
        image = Image.new("L", (1200, 800), 235)
        pen = ImageDraw.Draw(image)
        for word in range(WORDS):
            left, top = 30 + 190 * (word % 6), 30 + 70 * (word // 6)
            sure = rng.random()
            right = rng.random() < 0.75 + 0.25 * sure
            pen.text((left, top), f"word{page}x{word}", fill=20, font_size=26)
            text = f"word{page}x{word}" if right else f"w0rd{page}x{word}"
            place = f"{word // 6 + 1}\t{word % 6 + 1}\t{left}\t{top}\t150\t28"
            lines.append(f"5\t1\t1\t1\t{place}\t{100 * sure:.4f}\t{text}")
        noisy = np.asarray(image) + rng.normal(0, 12, (800, 1200))
        Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(folder / f"scans/p{page:02}.png")
        (folder / f"ocr/p{page:02}.tsv").write_text("\n".join(lines) + "\n")
    return folder


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_right(text):
    return "0rd" not in text


def fill_in(path, goal):
    """Write the answers by hand: to the rows that were drawn."""
    rows = rows_of(path)
    for row in rows:
        if row.get("drawn", "1") == "1":
            row["correct"] = int(is_right(row["text"]))
    with goal.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def answer(browser, texts):
    """Answer by keyboard alone, with the correct text where it is wrong."""
    keys = ActionChains(browser)
    for text in texts:
        if is_right(text):
            keys.send_keys("r")
        else:
            keys.send_keys("w").send_keys(text.replace("0rd", "ord"), Keys.ENTER)
    keys.perform()


def say(browser):
    return browser.find_element(By.ID, "message").text


def saved(browser, tmp_path, name):
    browser.find_element(By.ID, "save").click()
    path = tmp_path / "downloads" / name
    for _ in range(100):
        if path.exists():
            return path
        browser.execute_async_script("setTimeout(arguments[0], 50)")
    raise AssertionError(say(browser))


def figures(*arguments):
    found = json.loads(run(*arguments, "--format", "json", code=None).stdout)
    return json.dumps({name: found[name] for name in sorted(found) if name in KEYS})


KEYS = "models", "policy", "check", "monitor"


def test_five_hundred_words_there_and_back(look, scanned, tmp_path):
    page, table = tmp_path / "station.html", tmp_path / "words.csv"
    sample = "sample", scanned / "ocr", "--budget", N, "--mix", 1, "-o", table
    run(*sample, "--images", scanned / "scans", "--station", page)
    texts = [row["text"] for row in rows_of(table)]
    assert len(texts) >= 480
    assert page.stat().st_size <= 30e6
    browser = look(page)
    timing = (
        "const [e] = performance.getEntriesByType('navigation'); return e.domComplete - e.startTime"
    )
    assert browser.execute_script(timing) <= 2000
    half = len(texts) // 2
    answer(browser, texts[:half])
    browser = look(page, clear=False)
    count = browser.find_element(By.ID, "count")
    assert count.text == f"{half} of {len(texts)} answered; not saved"
    assert browser.find_element(By.ID, "output").text == texts[half]
    answer(browser, texts[half:])
    assert browser.find_element(By.ID, "progress").get_attribute("value") == str(len(texts))
    took = browser.execute_script(
        "const times = [];"
        "for (let i = 0; i < 50; i++) { const t = performance.now(), key = 'rz'[i % 2];"
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));"
        "document.body.offsetHeight; times.push(performance.now() - t) } return times"
    )
    assert np.median(took) <= 50
    name = browser.find_element(By.ID, "who")
    name.send_keys("Ann", Keys.TAB)
    path = saved(browser, tmp_path, "words-answered-Ann.csv")
    assert count.text.endswith("; saved")
    rows = rows_of(path)
    assert [row["correct"] for row in rows] == [str(int(is_right(text))) for text in texts]
    assert [row["truth"] for row in rows] == [text.replace("0rd", "ord") for text in texts]
    assert {row["answered_by"] for row in rows} == {"Ann"}
    assert all(row["answered_at"].endswith("Z") for row in rows)

    (tmp_path / "hand").mkdir()
    by_hand = tmp_path / "hand" / path.name
    fill_in(table, by_hand)
    for each in (path, by_hand):
        run("sample", scanned / "ocr", "--answers", each, "-o", each.with_suffix(".all.csv"))
    every = [each.with_suffix(".all.csv") for each in (path, by_hand)]
    assert every[0].read_bytes() == every[1].read_bytes()
    limit = *CHANCE, "--error-rate", 0.05
    for command, *options in (("evaluate", *limit), ("fit", *limit, "-o", tmp_path / "p.json")):
        first, second = (figures(command, each, *options) for each in every)
        assert first == second


def test_an_audit_goes_to_check_and_monitor(look, tmp_path):
    rng = np.random.default_rng(1)
    score = rng.random(3000).round(6)
    texts = [f"w{'o' if right else '0'}rd{i}" for i, right in enumerate(rng.random(3000) < 0.5 + score)]
    policy = fa.operation.fit_policy([is_right(t) for t in texts], score, max_error_rate=0.05)
    policy.save(tmp_path / "p.json")
    lines = [f'{text};"{c}"'.replace(".", ",") for text, c in zip(texts, score, strict=True)]
    (tmp_path / "today.csv").write_text("text;confidence\n" + "\n".join(lines) + "\n")
    log, page, by_hand = (tmp_path / name for name in ("log.csv", "s.html", "by_hand.csv"))
    audit = "sample", tmp_path / "today.csv", "--audit", tmp_path / "p.json", "--budget", 60
    run(*audit, "-o", log, "--station", page)
    with log.open(newline="", encoding="utf-8") as file:
        drawn = [row["text"] for row in csv.DictReader(file, delimiter=";") if row["drawn"] == "1"]
    browser = look(page)
    answer(browser, drawn)
    path = saved(browser, tmp_path, "log-answered.csv")
    answers = {text: int(is_right(text)) for text in drawn}
    rows = [line.split(";") for line in log.read_text().splitlines()]
    for row in rows[1:]:
        row[-1] = str(answers.get(row[rows[0].index("text")], ""))
    by_hand.write_text("".join(";".join(row) + "\n" for row in rows))
    for command in ("check", "monitor"):
        options = ["--log"] * (command == "check")
        first, second = (
            figures(command, tmp_path / "p.json", each, *options) for each in (path, by_hand)
        )
        assert first == second
        assert '"n' in first or "audits" in first


@pytest.fixture
def small(tmp_path):
    """A table of texts that look like programs, with cells that need quotes, and its page."""
    table, page = tmp_path / "small.csv", tmp_path / "small.html"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["note", "text", "confidence"])
        writer.writerows(
            [f'"quoted", {i}\nline', text, i / 10] for i, text in enumerate([*HOSTILE, "", "e"])
        )
    fa.station.write_station(page, table)
    return table, page


def test_texts_are_not_run_and_come_back_as_they_were(look, small, tmp_path):
    table, page = small
    browser = look(page)
    shown = browser.find_element(By.ID, "output")
    seen = []
    for _ in range(5):
        seen.append(shown.get_property("textContent"))
        browser.find_element(By.ID, "right").click()
    assert seen == [HOSTILE[0], HOSTILE[1], "a\ufffdb\ufffdc", "nothing was read", "e"]
    assert browser.title == "Verify small.csv"
    assert len(browser.find_elements(By.CSS_SELECTOR, "script, img")) == 2
    rows = rows_of(saved(browser, tmp_path, "small-answered.csv"))
    before = rows_of(table)
    assert [{name: row[name] for name in before[0]} for row in rows] == before
    assert [row["truth"] for row in rows] == [row["text"] for row in before]


def test_keys_undo_and_unsure(look, small, tmp_path):
    browser = look(small[1])
    count, place = (browser.find_element(By.ID, name) for name in ("count", "place"))
    ActionChains(browser).send_keys("rw", Keys.ESCAPE, "uurb").perform()
    assert (count.text, place.text) == ("4 of 5 answered, 2 unsure; not saved", "Output 4 of 5")
    path = saved(browser, tmp_path, "small-answered.csv")
    assert [row["correct"] for row in rows_of(path)] == ["1", "", "", "1", ""]
    assert say(browser).endswith("; 3 of 5 outputs are open in it.")
    path.unlink()
    ActionChains(browser).send_keys("zz").perform()  # after saving, too
    assert (count.text, place.text) == ("2 of 5 answered, 1 unsure; not saved", "Output 3 of 5")
    ActionChains(browser).send_keys("bbo").perform()
    assert place.text == "Output 3 of 5"
    browser.find_element(By.ID, "who").send_keys("rwu")  # no answers
    browser.find_element(By.ID, "keys").click()
    browser.find_element(By.TAG_NAME, "body").send_keys("r")
    assert count.text.startswith("2 of 5")


def test_two_people_see_where_they_differ(look, small, tmp_path):
    browser = look(small[1])
    browser.find_element(By.ID, "who").send_keys("Ann", Keys.TAB)
    body = browser.find_element(By.ID, "item")
    body.send_keys("rrrr")
    rows = rows_of(saved(browser, tmp_path, "small-answered-Ann.csv"))
    for row, correct in zip(rows, ["1", "0", "", "1", "1"], strict=True):
        row |= {"correct": correct, "truth": "x" if correct == "0" else "", "answered_by": "Ben"}
        row["answered_at"] = "2026-01-01T00:00:00Z"
    theirs = tmp_path / "ben.csv"

    def give(rows):
        with theirs.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        browser.find_element(By.ID, "other").send_keys(str(theirs))
        browser.execute_async_script("setTimeout(arguments[0], 100)")
        return say(browser)

    assert give(rows) == "Ben and you both answered 4 outputs, 2 (50.0%) of them alike."
    browser.find_element(By.ID, "take").click()
    assert say(browser) == "Ben and you both answered 5 outputs, 3 (60.0%) of them alike."
    browser.find_element(By.ID, "differ").click()
    place, said = (browser.find_element(By.ID, name) for name in ("place", "answer"))
    assert place.text == "Difference 1 of 2: output 2 of 5"
    assert said.text == "Ben: wrong: “x”. You: right."
    browser.find_element(By.ID, "item").send_keys("wx", Keys.ENTER)
    assert said.text == "Ben: unsure. You: right."
    browser.find_element(By.ID, "all").click()
    assert place.text == "Output 3 of 5"
    (tmp_path / "downloads" / "small-answered-Ann.csv").unlink()
    found = rows_of(saved(browser, tmp_path, "small-answered-Ann.csv"))
    assert [row["correct"] for row in found] == ["1", "0", "1", "1", "1"]
    assert [row["answered_by"] for row in found] == ["Ann"] * 4 + ["Ben"]
    assert give(rows[:-1]).endswith("it is of another sample, or its rows were changed.")
    assert give([row | {"station": "0" * 16} for row in rows]).endswith("rows were changed.")
    assert give([{"correct": 1}]).endswith("it is no file that a station has saved.")
    assert "row 1 must have 1, 0 or nothing" in give([row | {"correct": "ja"} for row in rows])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everything_is_named_and_fits(look, scanned, tmp_path, width, scheme):
    page = tmp_path / "s.html"
    sample = "sample", scanned / "ocr", "--budget", 20, "-o", tmp_path / "t.csv"
    run(*sample, "--images", scanned / "scans", "--station", page)
    browser = look(page, width=width, scheme=scheme)
    browser.find_element(By.ID, "wrong").click()
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    background = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) < 120) == (scheme == "dark")
    browser.execute_cdp_cmd("Accessibility.enable", {})
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = {(each["role"]["value"], each["name"]["value"].strip()) for each in nodes if "name" in each}
    assert {
        ("progressbar", "Answered"), ("button", "Right"), ("button", "Unsure"), ("button", "Undo"),
        ("button", "Save as CSV"), ("textbox", "The correct text"), ("textbox", "Your name"),
        ("checkbox", "Keys"), ("image", "The place on the page, with a frame around the output"),
    } <= named  # fmt: skip
    controls = {"button", "textbox", "checkbox", "image", "link", "progressbar", "region", "group"}
    assert not [role for role, name in named if role in controls and not name]
