"""Parts of a page: what lies in the regions of the truth, and types of regions that do not count."""

from __future__ import annotations

import numpy as np
import pytest
from commands import detailed, run, settings

import fastarac as fa
from fastarac.ocr import OcrFileError, align_files, pair_files
from fastarac.ocr.readers._regions import Region
from fastarac.ocr.readers.tesseract_tsv import COLUMNS
from fastarac.ocr.words.regions import _inside

PAGE_SPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
ALTO_SPACE = "http://www.loc.gov/standards/alto/ns-v4#"


def region(text, box, kind="TextRegion", more=""):
    left, top, right, bottom = box
    points = f"{left},{top} {right},{top} {right},{bottom} {left},{bottom}"
    line = f"<TextLine><TextEquiv><Unicode>{text}</Unicode></TextEquiv></TextLine>" if text else ""
    return f'<{kind} id="r{left}-{top}" {more}><Coords points="{points}"/>{line}</{kind}>'


def files(tmp_path, truth, words, size=(100, 100), name="p.xml"):
    """Write a truth and the words of an engine: each with the left and top of a box of 8 by 8."""
    for folder in ("truth", "out"):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "truth" / name).write_text(truth)
    rows = ["\t".join(COLUMNS), f"1\t1\t0\t0\t0\t0\t0\t0\t{size[0]}\t{size[1]}\t-1\t"]
    for text, left, top in words:
        rows.append(f"5\t1\t1\t1\t{top}\t1\t{left}\t{top}\t8\t8\t90\t{text}")
    (tmp_path / "out" / "p.tsv").write_text("\n".join(rows))
    return pair_files(tmp_path / "truth", tmp_path / "out")


def page(*regions, size='imageWidth="100" imageHeight="100"'):
    return f'<PcGts xmlns="{PAGE_SPACE}"><Page {size}>{"".join(regions)}</Page></PcGts>'


ARTICLE = region("alpha beta", (0, 0, 50, 50))
WORDS = [("alpha", 1, 1), ("beta", 20, 1), ("advert", 60, 60), ("here", 80, 60)]


class TestWithinTruth:
    def test_outputs_elsewhere_are_left_out(self, tmp_path):
        pairing = files(tmp_path, page(ARTICLE), WORDS)
        assert align_files(pairing).aligned.kind.tolist().count("inserted") == 2
        engine = align_files(pairing, within_truth=True)
        assert engine.aligned.prediction == ("alpha", "beta")
        assert "2 outputs outside the regions of the truth are left out" in str(engine.words.notes[-1])

    @pytest.mark.parametrize("size", [(200, 200), (50, 25)])
    def test_pages_of_another_size(self, tmp_path, size):
        scale = np.array(size) / 100
        words = [(text, *(np.array(at) * scale).astype(int)) for text, *at in WORDS]
        engine = align_files(files(tmp_path, page(ARTICLE), words, size), within_truth=True)
        assert engine.aligned.prediction == ("alpha", "beta")

    def test_images_are_no_text(self, tmp_path):
        truth = page(ARTICLE, region("", (50, 50, 99, 99), "ImageRegion"))
        engine = align_files(files(tmp_path, truth, WORDS), within_truth=True)
        assert engine.aligned.prediction == ("alpha", "beta")

    def test_truths_and_outputs_without_places(self, tmp_path):
        truth = f'<PcGts xmlns="{PAGE_SPACE}"><Page>{ARTICLE.replace("Coords", "Box")}</Page></PcGts>'
        with pytest.raises(OcrFileError, match="no regions with text and coordinates"):
            align_files(files(tmp_path, truth, WORDS), within_truth=True)
        (tmp_path / "truth" / "p.xml").rename(tmp_path / "truth" / "p.txt")
        (tmp_path / "truth" / "p.txt").write_text("alpha beta")
        with pytest.raises(OcrFileError, match="no regions with text and coordinates"):
            align_files(pair_files(tmp_path / "truth", tmp_path / "out"), within_truth=True)
        with pytest.raises(TypeError, match="within_truth"):
            align_files(pair_files(tmp_path / "truth", tmp_path / "out"), within_truth="page")


class TestIgnoredRegions:
    TRUTH = page(
        ARTICLE,
        region("advert here", (50, 50, 99, 99), "AdvertRegion"),
        region("12", (0, 90, 10, 99), more='type="page-number"'),
    )

    @pytest.mark.parametrize(
        ("ignored", "items"),
        [
            ((), ("alpha", "beta", "advert", "here", "12")),
            ("advert", ("alpha", "beta", "12")),
            (["advert", "page-number"], ("alpha", "beta")),
        ],
    )
    def test_on_both_sides(self, tmp_path, ignored, items):
        words = [*WORDS, ("12", 1, 91)]
        aligned = align_files(files(tmp_path, self.TRUTH, words), ignore_regions=ignored).aligned
        assert aligned.prediction == items
        assert aligned.correct.all()

    def test_types_that_no_truth_has(self, tmp_path):
        with pytest.raises(ValueError, match="has image, but the truth has only advert"):
            align_files(files(tmp_path, self.TRUTH, WORDS), ignore_regions="image")

    @pytest.mark.parametrize("mark", ['TYPE="Advert"', 'TAGREFS="T1"'])
    def test_blocks_of_alto(self, tmp_path, mark):
        block = "<TextBlock HPOS='{}' VPOS='{}' WIDTH='40' HEIGHT='40' {}><TextLine>{}</TextLine>"
        block += "</TextBlock>"
        strings = [
            "<String CONTENT='alpha'/><SP/><String CONTENT='beta'/>",
            "<String CONTENT='advert'/>",
        ]
        truth = (
            f'<alto xmlns="{ALTO_SPACE}"><Tags><LayoutTag ID="T1" LABEL="advert"/></Tags><Layout>'
            f'<Page WIDTH="100" HEIGHT="100"><PrintSpace>{block.format(0, 0, "", strings[0])}'
            f"{block.format(55, 55, mark, strings[1])}</PrintSpace></Page></Layout></alto>"
        )
        pairing = files(tmp_path, truth, WORDS)
        aligned = align_files(pairing, ignore_regions="advert", within_truth=True).aligned
        assert aligned.prediction == ("alpha", "beta")
        assert aligned.correct.all()


def test_points_in_polygons():
    ring = np.array([[0, 0], [4, 0], [4, 4], [2, 1], [0, 4]], float)
    points = np.array([[1, 1], [2, 3], [3.9, 3], [5, 1], [-1, 2], [2, 0.5]])
    shape = Region(0, frozenset(), has_text=True, polygon=ring)
    assert _inside(points, [shape]).tolist() == [True, False, True, False, False, True]


def test_command(tmp_path):
    files(tmp_path, page(ARTICLE, region("", (50, 50, 99, 99), "ImageRegion")), WORDS)
    pages = tmp_path / "truth", tmp_path / "out"
    done = detailed("ocr", *pages, *settings(tmp_path, "within_truth = true"))
    assert "2 outputs outside the regions of the truth are left out" in " ".join(done.output.split())
    run("ocr", *pages, *settings(tmp_path, 'ignore_regions = ["image"]'))
    refused = run("ocr", *pages, *settings(tmp_path, 'ignore_regions = ["advert"]'), code=2)
    assert "ignore_regions has advert, but the truth has only image" in refused.output


def test_every_promise_says_of_which_parts_it_is(tmp_path):
    rng = np.random.default_rng(0)
    texts = [f"w{i}" for i in range(700)]
    words = [(text if i % 350 else "x", 1 + i % 40, 1 + i // 40) for i, text in enumerate(texts)]
    files(tmp_path, page(region(" ".join(texts), (0, 0, 60, 60))), [*words, ("advert", 80, 80)])
    out, policy = tmp_path / "words.csv", tmp_path / "p.json"
    inside = settings(tmp_path, "within_truth = true")
    run("ocr", tmp_path / "truth", tmp_path / "out", *inside, "-o", out)
    lines = out.read_text().splitlines()
    spread = [lines[0], *(row.replace(",90.0", f",{rng.random() * 100:.4f}") for row in lines[1:])]
    out.write_text("\n".join(spread) + "\n")
    told = run("fit", out, "--group", "none", "--error-rate", 0.05, "-o", policy).stdout
    assert "at most 5% of all outputs inside the regions of the truth are accepted and" in told
    plain = tmp_path / "new.csv"
    plain.write_text("confidence\n" + "\n".join(f"{rng.random() * 100:.4f}" for _ in range(50)) + "\n")
    goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
    told = run("apply", policy, plain, *goals).stdout
    assert "inside the regions of the truth" in told
    again = fa.operation.Policy.load(policy)
    assert again.regions == "inside the regions of the truth"
    with pytest.raises(TypeError, match=r"regions must be a text, got 3 \(int\)"):
        again.with_unread(0, regions=3)
