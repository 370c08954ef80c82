"""Reports in a real browser: nothing fails or is loaded, everything is drawn and can be reached."""

from __future__ import annotations

import base64
import re
import warnings
from io import BytesIO

import numpy as np
import pytest
from browsers import By, Keys, opened_in, require_no_request, started
from PIL import Image

import fastarac as fa
from fastarac.ocr import Words, align, load_sample

pytestmark = pytest.mark.slow  # a browser has to start

HOSTILE = "<script>document.title='run'</script>"
CHARTS = 8  # two of curves, and three of each of two engines
DRAWN = 5  # without those of the engine that is hidden


def page_of(text):
    names = ("page one", HOSTILE)
    numbers = np.array([0, 0, 0, 1, 1])
    return lambda words, sure: Words(
        tuple(words), np.array(sure, float), numbers, numbers, names,
        scale="percent" if text else None,
    )  # fmt: skip


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports on the sample, and on words that look like a program; and the sample's sweep."""
    folder = tmp_path_factory.mktemp("reports")
    sample = load_sample()
    engines = {name: align(sample.truth, words) for name, words in sample.outputs.items()}
    truth = page_of("")(["fine", "day", "indeed", "so", "far"], [np.nan] * 5)
    output = page_of("read")(["fine", HOSTILE, "indeed", "</script>", "far"], [90, 99, 80, 97, 60])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fa.report.write_report(folder / "sample.html", engines)
        fa.report.write_report(folder / "hostile.html", {HOSTILE: align(truth, output)}, title=HOSTILE)
    correct, confidence, field = np.arange(4000) % 9 > 0, np.arange(4000.0), np.arange(4000) % 3
    policy = fa.operation.fit_policy(correct, confidence, by=field, max_error_rate=0.05)
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.05)
    monitor.update(20, 100)
    fa.report.write_operation_report(
        folder / "operation.html", plan={"max_error_rate": 0.05, "expected_error_rate": 0.02},
        policy=policy, check=policy.check(correct[:900], confidence[:900], by=field[:900]),
        shift=policy.shift(confidence[:900], by=field[:900]), monitor=monitor,
    )  # fmt: skip
    policy = fa.operation.fit_policy(confidence > 1600, confidence / 40.0, max_error_rate=0.01)
    pages = fa.ocr.apply_to_files(policy, fa.ocr.sample_folders().outputs["plain"])
    images = folder / "images"
    images.mkdir()
    Image.new("L", (595, 842), 255).save(images / "worn_lab_report.png")
    fa.report.write_review_pages(folder / "review", pages, images=images)
    fa.report.write_review_pages(folder / "texts", fa.ocr.compare_texts(engines))
    return folder, engines["enlarged"].sweep()


@pytest.fixture(scope="module")
def browser():
    with started() as driver:
        yield driver


@pytest.fixture
def look(browser, reports):
    """Open a report at a width, in a scheme, as on paper; and say what went wrong."""

    def opened(name="sample", *, width=1280, scheme="light"):
        return opened_in(browser, reports[0] / f"{name}.html", width=width, scheme=scheme)

    yield opened
    assert browser.get_log("browser") == []
    require_no_request(browser, n_pages=3)


def colours(browser, selector) -> set[tuple[int, ...]]:
    """The colours that a canvas really has."""
    data = browser.execute_script(
        "return document.querySelector(arguments[0] + ' canvas').toDataURL('image/png')", selector
    )
    image = Image.open(BytesIO(base64.b64decode(data.partition(",")[2]))).convert("RGBA")
    return {pixel[:3] for _, pixel in image.getcolors(1 << 24) if pixel[3] == 255}


def brightness(browser, selector="body"):
    value = browser.execute_script(
        "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor", selector
    )
    return sum(map(int, value.removeprefix("rgb(").removesuffix(")").split(",")))


def test_charts_are_drawn(look):
    browser = look()
    assert len(browser.find_elements(By.CSS_SELECTOR, ".chart")) == CHARTS
    drawn = browser.find_elements(By.CSS_SELECTOR, ".chart[data-drawn] canvas")
    assert len(drawn) == DRAWN
    for selector in ("#chart-accuracy", "#chart-risk", "#m0 [data-chart=histogram]"):
        assert (0x0B, 0x6B, 0xB5) in colours(browser, selector), selector
    assert (0xC9, 0x4F, 0x00) in colours(browser, "#m0 [data-chart=wrong]")
    assert (0x0B, 0x6B, 0xB5) in colours(browser, "#m0 [data-chart=calibration]")


def test_the_other_engine(look):
    browser = look()
    first, second = browser.find_elements(By.CSS_SELECTOR, "article.model")
    assert (first.is_displayed(), second.is_displayed()) == (True, False)
    browser.find_elements(By.NAME, "model")[1].send_keys(Keys.SPACE)
    assert (first.is_displayed(), second.is_displayed()) == (False, True)
    assert len(browser.find_elements(By.CSS_SELECTOR, ".chart[data-drawn]")) == CHARTS


def test_the_slider(look, reports):
    browser = look()
    article = browser.find_element(By.ID, "m0")
    outcome = article.find_element(By.CLASS_NAME, "outcome")
    sweep = reports[1]
    point = fa.operating_point(sweep, max_error_rate=0.01)
    accepted = point.true_accepts + point.false_accepts
    at_limit = f"{accepted:,} of {sweep.total:,} words ({100 * point.acceptance_rate:.1f}%) go through"
    assert outcome.text.startswith(f"{at_limit} unchecked, {point.false_accepts} of them wrong")
    slider = article.find_element(By.CLASS_NAME, "slider")
    slider.send_keys(Keys.HOME)
    assert outcome.text.startswith(f"0 of {sweep.total:,} words (0%)")
    people = re.search(r"People verify ([\d,]+), look for the (\d+) missed and correct", outcome.text)
    assert sum(int(each.replace(",", "")) for each in people.groups()) == sweep.total
    assert outcome.text.endswith(f"correct {sweep.n_incorrect:,}.")
    slider.send_keys(Keys.END)
    readable = sweep.total - int(people[2])  # missed words are never accepted
    assert outcome.text.startswith(f"{readable:,} of {sweep.total:,} words (")
    assert slider.get_attribute("aria-valuetext").startswith("confidence at least ")
    cost = article.find_element(By.CLASS_NAME, "cost")
    assert cost.text.startswith("Enter what these cost")
    for name, price in (("verification", "1"), ("correction", "2"), ("error", "100")):
        article.find_element(By.CSS_SELECTOR, f"[data-price={name}]").send_keys(price)
    costs = fa.VerificationCosts(1.0, 2.0, 100.0)
    best = fa.costs.optimal_operating_point(sweep, costs=costs)
    everything = 1000 * costs.cost(fa.operating_point(sweep, threshold=0.0))
    assert cost.text.startswith(f"{everything:,.2f} here")
    assert f"the least cost is {1000 * costs.cost(best):,.2f}, at confidence ≥ " in cost.text
    article.find_element(By.CSS_SELECTOR, "[data-cheapest]").click()
    assert cost.text.startswith(f"{1000 * costs.cost(best):,.2f} here")
    article.find_element(By.CSS_SELECTOR, "[data-step]").click()
    assert outcome.text.startswith(at_limit)


def test_by_keyboard(look):
    browser = look()
    seen = []
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    for _ in range(5):
        active = browser.switch_to.active_element
        seen.append(active.get_attribute("class") or active.get_attribute("id"))
        assert active.value_of_css_property("outline-style") != "none", seen
        active.send_keys(Keys.TAB)
    assert seen == ["skip", "scroll", "scroll", "scroll", "chart"]
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    unseen = browser.execute_script(
        "return [...document.querySelectorAll('#m0 :is(input, button, summary, [tabindex])')]"
        ".filter((e) => !e.disabled).filter((e) => { e.focus({ focusVisible: true }); "
        "return document.activeElement !== e || getComputedStyle(e).outlineStyle === 'none' })"
        ".map((e) => e.outerHTML)"
    )
    assert unseen == []

    chart = browser.find_element(By.ID, "chart-accuracy")
    readout = chart.find_element(By.XPATH, "following-sibling::p")
    chart.send_keys(Keys.END)
    assert "100% accepted" in readout.text
    assert "enlarged: " in readout.text
    chart.send_keys(Keys.ARROW_LEFT)
    assert "100% accepted" not in readout.text
    summary = browser.find_element(By.TAG_NAME, "summary")
    summary.send_keys(Keys.ENTER)
    assert not browser.find_element(By.CSS_SELECTOR, "details table").is_displayed()
    summary.send_keys(Keys.ENTER)
    assert browser.find_element(By.CSS_SELECTOR, "details[open] table").is_displayed()


@pytest.mark.parametrize("name", ["sample", "hostile"])
def test_on_a_phone(look, name):
    browser = look(name, width=390)
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    width = browser.execute_script("return document.documentElement.scrollWidth")
    assert width == 390
    wide = browser.execute_script(
        "return [...document.querySelectorAll('main *')].filter((e) => !e.closest('.scroll') "
        "&& e.getBoundingClientRect().right > 391 && e.offsetParent).map((e) => e.outerHTML)"
    )
    assert wide == []
    scrolling = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)"
        ".map((e) => getComputedStyle(e).backgroundAttachment)"
    )
    assert scrolling  # with a shadow where there is more to show
    assert set(scrolling) == {"local, local, scroll, scroll"}


def test_in_the_dark_and_on_paper(look):
    browser = look(scheme="dark")
    assert brightness(browser) < 120
    assert (0x6C, 0xB8, 0xF5) in colours(browser, "#chart-accuracy")
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert (0x0B, 0x6B, 0xB5) in colours(browser, "#chart-accuracy")  # light, on paper
    assert all(each.is_displayed() for each in browser.find_elements(By.CSS_SELECTOR, ".model"))
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert (0x6C, 0xB8, 0xF5) in colours(browser, "#chart-accuracy")
    browser = look("hostile", scheme="dark")
    paper = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert paper.startswith(b"%PDF")
    assert brightness(browser) < 120
    browser = look("hostile", scheme="light")
    assert brightness(browser) > 600


def test_words_are_not_run(look):
    browser = look("hostile")
    assert browser.title == HOSTILE
    assert browser.find_element(By.TAG_NAME, "h1").text == HOSTILE
    assert HOSTILE in browser.find_element(By.CLASS_NAME, "errors").text.replace("\n", "")
    assert len(browser.find_elements(By.TAG_NAME, "script")) == 2


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_in_use(look, width):
    browser = look("operation", width=width)
    charts = browser.find_elements(By.CSS_SELECTOR, ".chart")
    assert len(charts) == 6  # two of the monitor: the rate, and what has changed lately
    assert len(browser.find_elements(By.CSS_SELECTOR, ".chart[data-drawn] canvas")) == len(charts)
    for part in ("plan", "policy", "check", "shift", "monitor0"):
        assert (0x0B, 0x6B, 0xB5) in colours(browser, f"#{part}-chart-0"), part
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    chart = browser.find_element(By.ID, "check-chart-0")
    chart.send_keys(Keys.HOME)
    readout = chart.find_element(By.XPATH, "following-sibling::p")
    assert readout.text.startswith("all\nrate: ")
    chart.send_keys(Keys.ARROW_RIGHT)
    assert readout.text.startswith("0\nrate: ")


def test_keys_go_from_one_word_to_verify_to_the_next(look):
    for width in (1280, 390):
        browser = look("review/worn_lab_report", width=width)
        marks = browser.find_elements(By.CSS_SELECTOR, ".mark")
        body = browser.find_element(By.TAG_NAME, "body")
        for key, k in (("n", 0), (Keys.ARROW_RIGHT, 1), ("p", 0), (Keys.ARROW_LEFT, len(marks) - 1)):
            body.send_keys(key)
            assert browser.switch_to.active_element == marks[k]
            text = browser.find_element(By.CSS_SELECTOR, ".now").text
            assert text.startswith(f"{k + 1} of {len(marks)}: {marks[k].text}, confidence ")
            assert marks[k].is_displayed()
            assert browser.find_elements(By.CSS_SELECTOR, ".current .marked")
        assert browser.find_element(By.CSS_SELECTOR, ".lens").is_displayed()
        script = "return document.documentElement.scrollWidth <= innerWidth"
        assert browser.execute_script(script)


@pytest.mark.parametrize("name", ["sample", "texts/worn_newspaper_flood"])
def test_true_lines_stand_beside_what_was_read(look, name):
    for width in (1280, 390):
        browser = look(name, width=width)
        folded = browser.find_elements(By.CSS_SELECTOR, "article:not([hidden]) .sides summary")
        if folded:
            assert not browser.find_element(By.CSS_SELECTOR, "article .pair").is_displayed()
            folded[0].send_keys(Keys.ENTER)
        line = browser.find_elements(By.CSS_SELECTOR, "main .pair:not(.heads)")[0]
        assert line.is_displayed()
        truth, read = (each.rect for each in line.find_elements(By.TAG_NAME, "p"))
        if width > 500:
            assert truth["y"] == read["y"]
            assert truth["x"] + truth["width"] <= read["x"]
        else:
            assert truth["y"] + truth["height"] <= read["y"]
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
