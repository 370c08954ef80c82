"""Pages to verify: what is marked in them, whole folders or none, and names of files."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

import fastarac as fa
from fastarac.report import write_review_pages

POLICY = fa.operation.fit_policy(
    np.r_[np.zeros(400), np.ones(600)], np.arange(1000) / 10.0, max_error_rate=0.005
)
HOSTILE = "&lt;/script&gt;&lt;b&gt;"


def write_page(path, *lines, size="bbox 0 0 800 600"):
    """Write an hOCR page of lines of (text, confidence), with places where it has a size."""
    inside = ""
    for y, line in enumerate(lines):
        words = "".join(
            f"<span class='ocrx_word' title='bbox {90 * x} {30 * y} {90 * x + 80} {30 * y + 20}; "
            f"x_wconf {sure}'>{text}</span> "
            for x, (text, sure) in enumerate(line)
        )
        inside += f"<span class='ocr_line'>{words}</span>"
    path.write_text(f"<html><body><div class='ocr_page' title='{size}'>{inside}</div></body></html>")


@pytest.fixture
def pages(tmp_path):
    (folder := tmp_path / "ocr").mkdir()
    write_page(folder / "a.hocr", [("sure", 95), ("doubt", 3)], [("next", 90), (HOSTILE, 2)])
    write_page(folder / "b.hocr")
    return fa.ocr.apply_to_files(POLICY, folder)


def marks(text):
    return re.findall(r'<a class="mark" [^>]*><bdi>(.*?)</bdi></a>', text)


def test_what_is_to_verify_is_marked_in_its_line(pages, tmp_path):
    names = write_review_pages(tmp_path / "look", pages)
    assert names == ["a.html", "b.html"]
    first, blank = ((tmp_path / "look" / name).read_text() for name in names)
    assert marks(first) == ["doubt", HOSTILE]
    assert (
        '<p class="line" dir="auto">sure <a class="mark" id="w1" href="#w1" title="confidence 3">'
        in (first)
    )
    assert first.count('class="line"') == 2
    assert "2 of 4 outputs to verify; 2 accepted, with about" in first
    assert first.count('class="marked"') == first.count('class="accepted"') == 2
    assert '<rect class="marked" x="90.0" y="0.0" width="80.0" height="20.0">' in first
    assert "</script><b>" not in first
    assert 'href="b.html" rel="next"' in first
    assert "http" not in re.sub(r'(xmlns|http-equiv)="?[^" ]*', "", first)
    assert marks(blank) == []
    assert "The engine read nothing on this page." in blank


def test_images_are_in_the_pages_and_places_in_their_pixels(pages, tmp_path):
    (images := tmp_path / "images").mkdir()
    Image.new("RGB", (1600, 1200), "white").save(images / "a.scan.png")
    write_review_pages(tmp_path / "look", pages, images=images)
    text = (tmp_path / "look" / "a.html").read_text()
    assert 'viewBox="0 0 1600.0 1200.0"' in text
    assert text.count("data:image/jpeg;base64,") == 1
    assert '<rect class="marked" x="180.0" y="0.0" width="160.0" height="40.0">' in text
    assert 'class="accepted"' not in text
    assert "data:image" not in (tmp_path / "look" / "b.html").read_text()


@pytest.mark.parametrize("is_whole", [True, False])
def test_places_without_a_size_are_shown_in_a_page_of_their_own(tmp_path, is_whole):
    path = tmp_path / "a.hocr"
    write_page(path, [("sure", 95), ("doubt", 3)], size="" if is_whole else "bbox 0 0 800 600")
    write_review_pages(tmp_path / "look", fa.ocr.apply_to_files(POLICY, path))
    size = "170.0 20.0" if is_whole else "800.0 600.0"
    assert f'viewBox="0 0 {size}"' in (tmp_path / "look" / "a.html").read_text()


def test_folders_appear_whole_or_not_at_all(pages, tmp_path):
    before = sorted(tmp_path.iterdir())
    (images := tmp_path / "images").mkdir()
    (images / "b.png").write_bytes(b"no image")
    with pytest.raises(OSError, match="look"):
        write_review_pages(tmp_path / "look", pages, images=images)
    (images / "b.png").rename(images / "c.png")
    with pytest.raises(ValueError, match=", but are called c; the pages are a, b"):
        write_review_pages(tmp_path / "look", pages, images=images)
    assert sorted(tmp_path.iterdir()) == sorted([*before, images])
    with pytest.raises(FileExistsError, match="is not empty"):
        write_review_pages(images, pages)
    with pytest.raises(FileExistsError, match="it is a file"):
        write_review_pages(images / "c.png", pages)
    with pytest.raises(FileExistsError, match="there is no directory"):
        write_review_pages(tmp_path / "no" / "look", pages)
    with pytest.raises(TypeError, match=r"be a result of fastarac\.ocr\.apply_to_files or"):
        write_review_pages(tmp_path / "look", [])
    (tmp_path / "look").mkdir()
    assert len(write_review_pages(tmp_path / "look", pages)) == 2


def test_each_page_has_a_file_of_its_own_name(tmp_path):
    for folder, name in (("x", "p 1"), ("y", "p 1"), ("x", "50%")):
        (tmp_path / folder).mkdir(exist_ok=True)
        write_page(tmp_path / folder / f"{name}.hocr", [("one", 95)])
    names = write_review_pages(tmp_path / "look", fa.ocr.apply_to_files(POLICY, tmp_path))
    assert names == ["50%25.html", "x%2Fp 1.html", "y%2Fp 1.html"]
    assert 'href="50%2525.html"' in (tmp_path / "look" / names[1]).read_text()
    for name in ("Q", "q"):
        write_page(tmp_path / "y" / f"{name}.hocr", [("one", 95)])
    with pytest.raises(ValueError, match="Q, q differ only in upper and lower case, so"):
        write_review_pages(tmp_path / "again", fa.ocr.apply_to_files(POLICY, tmp_path / "y"))
