"""Reports of OCR engines: the worst pages as whole texts, no texts at all, and attributes of pages."""

from __future__ import annotations

import re

import numpy as np
import pytest
from reported import Page, report_of

import fastarac as fa
from fastarac._core.text import interval_text, rounded_percent
from fastarac.evaluation.limits import Limit
from fastarac.ocr import align, load_sample, report_extras
from fastarac.ocr.words.page_texts import page_order
from fastarac.ocr.words.records import MOVED, RIGHT


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def sample():
    found = load_sample()
    return {name: align(found.truth, words) for name, words in found.outputs.items()}


@pytest.fixture
def page(sample):
    return Page(report_of(sample))


def test_the_worst_come_first(page, sample):
    text = page.text.partition("The worst pages, true text beside what was read")[2]
    records = sample["enlarged"].records
    order = page_order(records)
    names = [records.page_names[k] for k in order.page]
    heads = [attributes for tag, attributes in page.tags if attributes.get("class") == "sides"]
    assert len(heads) == sum(len(page_order(each.records).page) for each in sample.values())
    places = [text.index(f" {name} ") for name in names[:3]]
    assert places == sorted(places)
    counts = [np.bincount(records.kind[records.page == k], minlength=7) for k in order.page]
    assert order.differences.tolist() == [int(c.sum() - c[RIGHT] - c[MOVED]) for c in counts]


def test_what_has_no_room_is_said(sample, monkeypatch):
    monkeypatch.setattr(report_extras, "TEXTS", 6000)
    page = Page(report_of({"plain": sample["plain"]}))
    (said,) = re.findall(r"The (\d) pages with most differences; (\d+) more have", page.text)
    assert int(said[0]) + int(said[1]) == len(page_order(sample["plain"].records).page)
    assert "--review-pages writes all pages" in page.text


def test_without_texts(sample):
    page = Page(report_of({"plain": sample["plain"]}, texts=False))
    assert "The worst pages" not in page.text
    assert "The texts are left out (--no-text)." in page.text
    assert "Pettifer" not in page.text
    with pytest.raises(ValueError, match="give only one of images and texts=False: images show texts"):
        report_of({"plain": sample["plain"]}, texts=False, images=".")


def test_by_attribute(sample):
    names = sample["plain"].records.page_names
    states = ["worn" if "worn" in name else "clean" for name in names]
    attributes = fa.ocr.read_attributes({"page": names, "state": states, "kind": ["a"] * len(names)})
    page = Page(report_of(sample, attributes=attributes))
    text = page.text.partition("By attributes of the pages")[2]
    found = fa.ocr.evaluate_attributes(
        sample["enlarged"], attributes, [Limit("max_error_rate", rate) for rate in (0.01, 0.05)]
    )
    cells = []
    for at in found.at:
        for rate in ("acceptance", "error"):
            values = [getattr(at, f"{rate}_{end}")[1] for end in ("rate", "low", "high")]
            cells += [rounded_percent(values[0]), interval_text(*values[1:])]
        cells.append(at.verdict[1])
    row = ["worn", "enlarged", str(found.pages[1]), f"{found.true_words[1]:,}", *cells]
    assert " ".join(row) in text
    assert found.rule in text
    assert "attribute kind is left out: it is a for all pages." in text
    with pytest.raises(TypeError, match=r"must be the result of fastarac\.ocr\.read_attributes"):
        report_of(sample, attributes={"page": names})
