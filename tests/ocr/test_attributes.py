"""Attributes of pages: tables of them, which page a row is of, and the figures of each value."""

from __future__ import annotations

import math
from itertools import pairwise

import duckdb
import numpy as np
import pytest

import fastarac as fa
from fastarac.evaluation.limits import Limit
from fastarac.ocr import Words, align, evaluate_attributes, read_attributes
from fastarac.operation.checked_outputs import Checked
from fastarac.results import Attribute

LIMITS = [Limit("max_error_rate", 0.05), Limit("max_risk", 0.02), Limit("threshold", 60)]
TABLE = {"page": ["p1", "p2", "p3"], "quality": ["scan", "photo", "scan"], "dpi": ["300", "200", "300"]}


def write(path):
    """Write the table as the name of the file says."""
    rows = list(zip(*TABLE.values(), strict=True))
    mark = {".csv": ";", ".tsv": "\t"}.get(path.suffix)
    if mark is not None:
        path.write_text("\n".join(mark.join(row) for row in [tuple(TABLE), *rows]) + "\n")
    elif path.suffix == ".jsonl":
        path.write_text(
            "".join(f'{{"page": "{a}", "quality": "{b}", "dpi": {c}}}\n' for a, b, c in rows)
        )
    else:
        select = " UNION ALL ".join(f"SELECT '{a}' page, '{b}' quality, {c} dpi" for a, b, c in rows)
        duckdb.sql(f"COPY ({select}) TO '{path}' (FORMAT PARQUET)")


class TestTables:
    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet"])
    def test_formats(self, tmp_path, name):
        write(tmp_path / name)
        found = read_attributes(tmp_path / name)
        given = read_attributes(TABLE)
        assert found.page == given.page == ("p1", "p2", "p3")
        assert found.attributes == given.attributes
        assert found.attributes[0] == Attribute("quality", ("photo", "scan"), (1, 0, 1))
        assert found.attributes[1].values == ("200", "300")

    def test_data_frames(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(TABLE | {"dpi": [300.0, 200.0, 300.0]})
        assert read_attributes(frame).attributes == read_attributes(TABLE).attributes

    def test_many_numbers_are_in_parts(self):
        rng = np.random.default_rng(0)
        sizes = rng.integers(100, 999, 40)
        names = [f"p{k}" for k in range(40)]
        found = read_attributes({"page": names, "size": sizes})
        (size,) = found.attributes
        assert len(size.values) == 4
        counts = np.bincount(size.codes)
        assert counts.min() >= 9
        for value, code in zip(size.values, range(4), strict=True):
            inside = sizes[np.array(size.codes) == code]
            assert value == f"{inside.min()} to {inside.max()}"
        ends = [max(sizes[np.array(size.codes) == code]) for code in range(4)]
        assert all(a < b for a, b in pairwise(ends))
        assert (
            f"size has {len(set(sizes.tolist()))} different numbers: they are in 4 bins"
            in found.notes[0]
        )
        few = read_attributes({"page": names, "size": [10, 9, 100, 20] * 10})
        assert few.attributes[0].values == ("9", "10", "20", "100")
        mostly = read_attributes({"page": names, "size": [7] * 30 + list(range(10, 20))})
        assert mostly.attributes[0].values == ("7", "10 to 19")

    def test_what_is_left_out_is_said(self):
        names = [f"p{k}" for k in range(40)]
        many = [f"file {k}" for k in range(40)]
        table = {"page": names, "path": many, "language": ["de"] * 40, "half": ["a", "b"] * 20}
        found = read_attributes(table)
        assert [each.name for each in found.attributes] == ["half"]
        assert found.notes == (
            "attribute path is left out: it has 40 values, and at most 30 are compared",
            "attribute language is left out: it is de for all pages",
        )
        del table["half"]
        with pytest.raises(ValueError, match="no column that distinguishes pages: attribute path is"):
            read_attributes(table)

    def test_refusals(self, tmp_path):
        def refused(match, skip_unmatched=False, **columns):
            with pytest.raises(ValueError, match=match):
                read_attributes(columns, skip_unmatched=skip_unmatched)

        refused(", got quality", quality=["a"])
        refused("at least 1, got page: 1, quality: 2", page=["a"], quality=["a", "b"])
        refused("has only the column page; add a column of attributes", page=["a", "b"])
        refused("page is empty in row 2", page=["a", " "], quality=["a", "b"])
        refused("has two or more rows for page", page=["a", "a"], quality=["a", "b"])
        refused(
            r"quality is empty for 1 page: b; .*skip_unmatched", page=["a", "b"], quality=["a", None]
        )
        (tmp_path / "x.csv").write_text("Page,quality\np1,scan\n")
        with pytest.raises(fa.io.DataFileError, match=r'no column "page" \(did you mean "Page"\?\)'):
            read_attributes(tmp_path / "x.csv")
        (tmp_path / "y.csv").write_text("page,quality\n")
        with pytest.raises(fa.io.DataFileError, match="there are no rows"):
            read_attributes(tmp_path / "y.csv")

    def test_empty_values_are_left_out_on_request(self):
        table = {"page": ["a", "b", "c"], "quality": ["x", "", "y"]}
        found = read_attributes(table, skip_unmatched=True)
        assert found.attributes[0].codes == (0, -1, 1)
        assert found.notes == ("attribute quality of 1 page is empty: b",)


class TestPages:
    def rows(self, given, names, **options):
        table = {"page": given, "quality": [f"{k % 2}" for k in range(len(given))]}
        return read_attributes(table, **options).rows_of(names)

    @pytest.mark.parametrize(
        ("given", "names"),
        [
            (["p1", "p2"], ["p1", "p2"]),
            (["p1.png", "scans/p2.gt.txt"], ["p1", "p2"]),
            (["x/a/p1.png", "x/b/p1.png"], ["a/p1", "b/p1"]),
            (["a.1.tsv", "a.2.tsv"], ["a.1", "a.2"]),
            (["doc:1", "doc:2"], ["doc:1", "doc:2"]),
        ],
    )
    def test_names_are_those_of_files(self, given, names):
        rows, notes = self.rows(given, names)
        assert rows.tolist() == [0, 1]
        assert not notes

    def test_a_document_is_all_of_its_pages(self):
        rows, _ = self.rows(["one.pdf", "two.pdf"], ["one:1", "one:2", "two"])
        assert rows.tolist() == [0, 0, 1]

    def test_pages_that_do_not_match(self):
        names = [f"p{k}" for k in range(9)]
        with pytest.raises(
            ValueError, match=r"no row for 8 pages that were read: p1, p2, .* and 2 more"
        ):
            self.rows(["p0", "p0.png"][:1] * 1 + ["q1"], names)
        with pytest.raises(
            ValueError, match=r"rows of 1 page that was not read: q1 \(skip_unmatched=True"
        ):
            self.rows([*names, "q1"], names)
        rows, notes = self.rows(["p0", "q1"], names[:2], skip_unmatched=True)
        assert rows.tolist() == [0, -1]
        assert [note.partition(" has ")[2] for note in notes] == [
            "no row for 1 page that was read: p1; left out of the figures by attribute",
            "rows of 1 page that was not read: q1; left out of the figures by attribute",
        ]
        with pytest.raises(ValueError, match=r"page p1 has two rows \(p1 and p1.png\)"):
            self.rows(["p1", "p1.png"], ["p1"])
        with pytest.raises(ValueError, match="no row for any of the 1 pages"):
            self.rows(["q1", "q2"], ["p1"], skip_unmatched=True)


def many_pages(n_pages=60, seed=0):
    """Pages of which the second half has far more errors."""
    rng = np.random.default_rng(seed)
    n = 50
    truth, read, sure, page = [], [], [], []
    for k in range(n_pages):
        confidence = rng.integers(0, 1000, n) / 10
        wrong = rng.random(n) < (0.02 if k < n_pages // 2 else 0.6) * (1 - confidence / 200)
        truth += [f"w{i:02}" for i in range(n)]
        read += [f"v{i:02}" if bad else f"w{i:02}" for i, bad in enumerate(wrong.tolist())]
        sure += confidence.tolist()
        page += [k] * n
    names = tuple(f"p{k:02}" for k in range(n_pages))
    line = np.array(page)
    ours = Words(tuple(truth), np.full(len(truth), np.nan), line, line, names)
    theirs = Words(tuple(read), np.array(sure), line, line, names, scale="percent")
    quality = ["good" if k < n_pages // 2 else "bad" for k in range(n_pages)]
    return align(ours, theirs), {
        "page": names,
        "quality": quality,
        "odd": [f"{k % 2}" for k in range(n_pages)],
    }


@pytest.fixture(scope="module")
def figures():
    aligned, table = many_pages()
    return aligned, table, evaluate_attributes(aligned, read_attributes(table), LIMITS)


def test_figures_are_those_of_the_items(figures):
    aligned, table, found = figures
    page = dict(zip(table["page"], zip(table["quality"], table["odd"], strict=True), strict=True))
    items = [
        (*page[name], right, sure)
        for name, right, sure in zip(
            aligned.groups.tolist(), aligned.correct, aligned.confidence, strict=True
        )
    ]
    for k, (attribute, value) in enumerate(zip(found.attribute, found.value, strict=True)):
        mine = [item[2:] for item in items if value == item[("quality", "odd").index(attribute)]]
        assert found.pages[k] == 30
        assert found.true_words[k] == found.items[k] == len(mine) == 1500
        for limit, at in zip(LIMITS, found.at, strict=True):
            threshold = aligned.operating_point(**{limit.criterion: limit.value}).threshold
            accepted = [right for right, sure in mine if sure >= threshold]
            assert at.acceptance_rate[k] == len(accepted) / len(mine)
            of = len(accepted) if limit.criterion == "max_risk" else len(mine)
            errors = accepted.count(False)
            assert (at.accepted[k], at.errors[k]) == (len(accepted), errors)
            assert at.error_rate[k] == (errors / of if of else pytest.approx(math.nan, nan_ok=True))
            if errors:
                assert at.error_low[k] < at.error_rate[k] < at.error_high[k]
    assert [at.verdict is None for at in found.at] == [False, False, True]


def capital(groups, limit, largest, sign):
    """The largest capital of bets on one page after the other, as it is told in the literature."""
    rate = limit if sign > 0 else 1 - limit
    best = money = 0.0
    total, squares = -rate * largest / 2, (rate * largest / 2) ** 2
    for n, (errors, items) in enumerate(groups, start=1):
        outcome = sign * (errors - limit * items)
        bet = min(max(-(total / n) / (squares / n), 0.0), 0.9 / ((1 - rate) * largest))
        money += math.log1p(-bet * outcome)
        best = max(best, money)
        total += outcome
        squares += outcome**2
    return math.exp(best)


def holm(pvalue, of_two):
    """An adjusted p-value, one of two."""
    return min(1.0, 2 * pvalue if pvalue == min(of_two) else max(pvalue, 2 * min(of_two)))


def test_verdicts_are_those_of_bets_with_holms_correction(figures):
    aligned, table, found = figures
    at = found.at[0]
    threshold = at.threshold
    for attribute in ("quality", "odd"):
        values = [v for a, v in zip(found.attribute, found.value, strict=True) if a == attribute]
        pvalues = []
        for value in values:
            groups = []
            for k, each in enumerate(table[attribute]):
                if each == value:
                    of_page = aligned.page == k
                    errors = (aligned.confidence[of_page] >= threshold) & ~aligned.correct[of_page]
                    groups.append((int(errors.sum()), int(of_page.sum())))
            order = np.random.default_rng(0).permutation(len(groups))
            groups = [groups[k] for k in order]
            pvalues.append([1 / capital(groups, 0.05, 50, sign) for sign in (1, -1)])
        for value, both in zip(values, pvalues, strict=True):
            adjusted = [holm(both[side], [other[side] for other in pvalues]) for side in (0, 1)]
            verdict = (
                "holds" if adjusted[0] <= 0.025 else "fails" if adjusted[1] <= 0.025 else "too few"
            )
            assert at.verdict[found.value.index(value)] == verdict
    assert dict(zip(found.value, at.verdict, strict=True)) == {
        "bad": "fails", "good": "too few", "0": "too few", "1": "too few",
    }  # fmt: skip


def test_pvalues_are_those_of_the_intervals():
    rng = np.random.default_rng(1)
    for rate in (0.001, 0.02, 0.3):
        codes = np.repeat(np.arange(400), 5)
        accepted = np.ones(2000, bool)
        wrong = rng.random(2000) < rate
        for groups in (None, codes):
            items = Checked(accepted, wrong, groups)
            within, beyond = items.pvalues("max_error_rate", 0.02)
            ends = items.ends("max_error_rate", 0.02, 0.025)
            assert (within <= 0.025) == (ends.high <= 0.02)
            assert (beyond <= 0.025) == (ends.low > 0.02 or math.isclose(beyond, 0.025))
    nothing = Checked(np.zeros(9, bool), np.zeros(9, bool))
    assert nothing.pvalues("max_risk", 0.1) == (1.0, 1.0)


def test_the_rule_says_what_it_takes(figures):
    aligned, table, found = figures
    assert "about 80 at 5% errors and 203 at 2% risk" in found.rule
    for limit, n in ((0.05, 80), (0.02, 203)):
        enough, less = (capital([(0, 1)] * pages, limit, 1, 1) for pages in (n, n - 1))
        assert less < 2 / 0.05 <= enough
    alone = evaluate_attributes(aligned, read_attributes(table), LIMITS, by_page=False)
    assert "independent of each other" in alone.rule
    assert "Proving that a value" not in alone.rule
    assert alone.at[0].verdict[alone.value.index("good")] == "holds"


def test_results(figures):
    _, _, found = figures
    assert repr(found) == "AttributeFigures(4 values of quality, odd)"
    columns = found.to_columns()
    assert {len(column) for column in columns.values()} == {4}
    assert "verdict/0.05" in columns
    assert "risk_low/risk/0.02" in columns
    assert "verdict/threshold/60" not in columns
    assert found.to_frame().shape == (4, len(columns))


def test_empty_pages_and_values_without_items():
    names = ("a", "b", "c")
    truth = Words(("x",), np.full(1, np.nan), np.zeros(1), np.zeros(1), names)
    read = Words(("x",), np.array([7.0]), np.zeros(1), np.zeros(1), names, scale="percent")
    table = {"page": names, "half": ["1", "2", "2"]}
    found = evaluate_attributes(align(truth, read), read_attributes(table), LIMITS[:1])
    assert found.pages.tolist() == [1, 2]
    assert found.items.tolist() == [1, 0]
    assert found.at[0].verdict == ("too few", "too few")
    assert math.isnan(found.at[0].error_rate[1])


def test_empty_values_stay_empty():
    table = {"page": ["p1", "p2", "p3"], "year": ["1700", "1800", None]}
    assert read_attributes(table, skip_unmatched=True).to_columns()["year"] == ["1700", "1800", None]
