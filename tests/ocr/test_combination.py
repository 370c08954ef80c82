"""Several engines put together: their places, the vote, what is learnt, and what is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastarac as fa
from fastarac.ocr import Combination, Words, combine, combine_fields, read_fields
from fastarac.ocr.combination.fitting import folds_of
from fastarac.ocr.combination.pages import places_of_page
from fastarac.ocr.words import reordering

NO_WORD = ""


def words_of(pages, scale="percent"):
    """Return Words of pages by name: lists of (text, confidence)."""
    rows = [(text, sure, k) for k, page in enumerate(pages.values()) for text, sure in page]
    texts, sure, page = zip(*rows, strict=True) if rows else ((), (), ())
    number = np.array(page, np.intp)
    return Words(tuple(texts), np.array(sure, float), number, number, tuple(pages), scale=scale)


def truth_of(pages):
    rows = [(text, k) for k, page in enumerate(pages.values()) for text in page]
    number = np.array([k for _, k in rows], np.intp)
    none = np.full(len(rows), np.nan)
    return Words(tuple(text for text, _ in rows), none, number, number, tuple(pages))


def two_readings(rng, n_pages=12, n_words=40, rates=(0.1, 0.15)):
    """Return a truth and two engines that err independently, and know a little of it."""
    names = [f"p{k:02d}" for k in range(n_pages)]
    letters = rng.choice(list("bcdfghklmnprstvw"), (n_pages, n_words, 5))
    true = {name: list(map("".join, page)) for name, page in zip(names, letters.tolist(), strict=True)}
    engines = []
    for number, rate in enumerate(rates):
        wrong = rng.random((n_pages, n_words)) < rate
        sure = np.where(wrong, rng.beta(4, 2, wrong.shape), rng.beta(7, 2, wrong.shape))
        engines.append(
            words_of(
                {
                    name: [
                        (word[:number] + "x" + word[number + 1 :] if bad else word, 100 * c)
                        for word, bad, c in zip(true[name], *columns, strict=True)
                    ]
                    for name, columns in zip(
                        names, zip(wrong.tolist(), sure.tolist(), strict=True), strict=True
                    )
                }
            )
        )
    return truth_of(true), dict(zip("AB", engines, strict=True))


def share(aligned, limit=0.01):
    return aligned.operating_point(max_error_rate=limit).acceptance_rate


# places, against a slow reference that knows equal words alone


def longest_common(a, b):
    """Return the length of a longest common subsequence, by the table of the textbook."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


WORDS = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee"]), max_size=8)


@given(readings=st.tuples(WORDS, WORDS, WORDS))
def test_three_readings_share_as_many_words_as_can_be_in_order(readings):
    # words have no character in common, so that their alignment is one of words
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reordering, "CHANCE", 1e-30)  # no run is long enough to have moved
        found = [each.tolist() for each in places_of_page(readings)]
    n = max((place for places in found for place in places), default=-1) + 1
    table = [[NO_WORD] * n for _ in readings]
    for row, words, places in zip(table, readings, found, strict=True):
        assert len(words) == len(places)
        assert places == sorted(set(places))  # in order, one at each place
        for word, place in zip(words, places, strict=True):
            row[place] = word
    columns = list(zip(*table, strict=True))
    assert all(any(column) for column in columns)
    first, second, third = readings
    before = [a or b for a, b, _ in columns if a or b]
    assert sum(a == b != NO_WORD for a, b, _ in columns) == longest_common(first, second)
    assert sum((a or b) == c != NO_WORD for a, b, c in columns) == longest_common(before, third)


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (["No fine day", "N0 fineday", "No fine day yet"], [[0, 1, 1], [0, 1], [0, 1, 1, 2]]),
        (["one two", "one and two", "one and two"], [[0, 2], [0, 1, 2], [0, 1, 2]]),
        (["fineday", "fine day", "fineday ~~"], [[0], [0, 0], [0, 1]]),
        (["", "one two", "one two"], [[], [0, 1], [0, 1]]),
        (["one", "", "one two"], [[0], [], [0, 1]]),
        (["", "", ""], [[], [], []]),
    ],
)
def test_merged_inserted_and_missing_words_have_places(readings, expected):
    assert [each.tolist() for each in places_of_page([r.split() for r in readings])] == expected


def test_words_that_moved_are_at_the_places_of_the_first_engine():
    left = ["these", "words", "stand", "in", "the", "left", "column", "of", "it"]
    right = ["others", "are", "printed", "beside", "them", "as", "you", "see"]
    first, second = places_of_page([left + right, right + left])
    n = len(left)
    assert first.tolist() == list(range(2 * n - 1))
    assert second.tolist() == [*range(n, 2 * n - 1), *range(n)]


# the vote


TEXTS = st.lists(
    st.tuples(st.sampled_from(["one", "two", "tvo", "three", "."]), st.integers(0, 100)), max_size=6
)
PAGES = st.fixed_dictionaries({"p1": TEXTS, "p2": TEXTS})


@settings(max_examples=30)
@given(pages=PAGES, n=st.integers(2, 3))
def test_engines_that_read_the_same_give_the_same_words(pages, n):
    words = words_of(pages, "percent" if any(pages.values()) else None)
    for agreement in (None, "exact"):
        found = combine(dict(zip("ABC"[:n], [words] * n, strict=False)), agreement=agreement)
        assert found.words.text == words.text
        assert found.words.page.tolist() == words.page.tolist()
        assert found.words.line.tolist() == np.unique(words.line, return_inverse=True)[1].tolist()
        assert (found.agreeing == n).all()
        assert agreement is None or (found.words.confidence == 1.0).all()


@settings(max_examples=30)
@given(first=PAGES, second=PAGES, third=PAGES)
def test_the_order_of_the_engines_does_not_matter(first, second, third):
    engines = {}
    for name, pages in zip("ABC", (first, second, third), strict=True):
        engines[name] = words_of(pages, "percent" if any(pages.values()) else None)
    found = combine(engines)
    other = combine({name: engines[name] for name in "CAB"})
    assert found.words == other.words
    assert [found.names[k] for k in found.engine] == [other.names[k] for k in other.engine]


def test_agreement_is_worth_more_than_ranks():
    one = words_of({"p": [("It", 10), ("was", 90), ("tbe", 95), ("end", 20)]})
    two = words_of({"p": [("It", 30), ("was", 80), ("the", 40), ("end", 5)]})
    three = words_of({"p": [("It", 1), ("vas", 99), ("the", 2), ("end", 3)]})
    found = combine({"A": one, "B": two, "C": three})
    assert found.words.text == ("It", "was", "the", "end")
    assert found.agreeing.tolist() == [3, 2, 2, 3]
    # ranks of A: 1/8, 5/8, 7/8, 3/8; of B 3/8, 7/8, 5/8, 1/8; of C 1/8, 7/8, 3/8, 5/8
    least = np.array([1 / 8, 5 / 8, 3 / 8, 1 / 8])
    assert found.words.confidence == pytest.approx((np.array([2, 1, 1, 2]) + least) / 3)
    exact = combine({"A": one, "B": two, "C": three}, agreement="exact")
    assert exact.words.confidence.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert exact.words.text == found.words.text


def test_lines_and_boxes_are_kept():
    text, sure = ("Ver-", "bindung", "da"), np.array([9.0, 8, 7])
    line = np.array([0, 1, 1])
    box = np.array([[0, 0, 10, 5], [0, 10, 20, 15], [22, 10, 30, 15.0]])
    size = np.array([[100.0, 200]])
    first = Words(text, sure, np.zeros(3), line, ("p",), box, size, scale="percent")
    second = Words(
        ("Ver-", "bindnng", "da", "~"), np.array([5.0, 1, 1, 1]), np.zeros(4), np.array([0, 1, 1, 2]),
        ("p",), np.tile([0, 0, 2, 4.0], (4, 1)), size / 10, scale="percent",
    )  # fmt: skip
    found = combine({"A": first, "B": second}).words
    assert found.text == ("Ver-", "bindung", "da", "~")
    assert found.line.tolist() == [0, 1, 1, 2]
    # in the units of the engine that has most words
    assert found.page_size.tolist() == (size / 10).tolist()
    assert found.box[:3] == pytest.approx(box / 10)
    assert found.box[3].tolist() == [0, 0, 2, 4]
    truth = Words(("Verbindung", "da"), np.full(2, np.nan), np.zeros(2), np.zeros(2), ("p",))
    assert (
        combine({"A": first, "B": second}, truth=truth, agreement="exact").aligned.counts["right"] == 2
    )


# what is learnt


def test_the_combination_is_better_than_each_engine_and_than_agreement():
    truth, engines = two_readings(np.random.default_rng(1), n_pages=20)
    found = combine(engines, truth=truth)
    alone = [share(fa.ocr.align(truth, words)) for words in engines.values()]
    exact = combine(engines, truth=truth, agreement="exact").aligned
    assert share(found.aligned) > max(*alone, share(exact))
    right = [fa.ocr.align(truth, words).correct.sum() for words in engines.values()]
    assert found.aligned.correct.sum() > max(right)
    # the confidence is a probability
    assert found.words.confidence.mean() == pytest.approx(found.aligned.correct.mean(), abs=0.02)


def test_texts_are_folded_as_they_were_of_each_engine():
    """What is right of an engine alone is right of the combination, unless something else is said."""
    truth, engines = two_readings(np.random.default_rng(3), n_pages=6)
    loud = Words(
        tuple(text.upper() for text in truth.text), truth.confidence, truth.page, truth.page,
        truth.page_names,
    )  # fmt: skip

    def aligned(**folds):
        return {
            name: fa.ocr.Engine(fa.ocr.align(loud, words, fold=folds[name]), words, loud)
            for name, words in engines.items()
        }

    folded = combine(aligned(A="case", B="case"), truth=loud)
    plain = combine(engines, truth=truth)
    assert folded.combination.fold == folded.aligned.reading.fold == ("case",)
    assert folded.aligned.correct.tolist() == plain.aligned.correct.tolist()
    assert not combine(aligned(A="case", B="case"), truth=loud, fold=()).aligned.correct.any()
    with pytest.raises(ValueError, match=r"'A' with case and 'B' with nothing\); give one fold"):
        combine(aligned(A="case", B=()), truth=loud)


def test_pages_that_teach_nothing_give_nothing():
    """Where right is drawn anew for each word, nothing tells right words from wrong ones."""
    areas = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        _, engines = two_readings(rng)
        coin = rng.random(len(engines["A"])) < 0.5
        drawn = tuple(
            word if right else f"{word[1:]}z"
            for word, right in zip(engines["A"].text, coin.tolist(), strict=True)
        )
        # of one engine beside itself with other confidences; equal texts, so that all words agree
        texts, page = engines["A"].text, engines["A"].page
        other = Words(
            texts, rng.permutation(engines["A"].confidence), page, page,
            engines["A"].page_names, scale="percent",
        )  # fmt: skip
        truth = Words(drawn, np.full(len(drawn), np.nan), page, page, engines["A"].page_names)
        aligned = combine({"A": engines["A"], "B": other}, truth=truth).aligned
        areas.append(fa.roc_auc_score(aligned.correct, aligned.confidence))
        assert share(aligned) < 0.05
    # somewhat below a half: a fold with more right words is judged by others with fewer
    assert 0.45 < np.mean(areas) < 0.52


def test_the_truths_of_other_pages_make_no_engine_sure():
    truth, engines = two_readings(np.random.default_rng(3), n_words=20)
    names = list(truth.page_names)
    pages = [truth.text[part] for part in truth.page_slices()]
    shuffled = truth_of(dict(zip(names, pages[1:] + pages[:1], strict=True)))
    found = combine(engines, truth=shuffled)
    assert found.aligned.correct.mean() < 0.01
    assert share(found.aligned) == 0.0
    assert found.words.confidence.mean() < 0.05


def test_each_page_is_combined_by_what_the_others_teach():
    truth, engines = two_readings(np.random.default_rng(4), n_pages=6, n_words=30)
    found = combine(engines, truth=truth, n_folds=3)
    assert sorted(found.fold_of_page.tolist()) == [0, 0, 1, 1, 2, 2]
    held = [k for k, fold in enumerate(found.fold_of_page.tolist()) if fold == 0]
    rest = [k for k in range(6) if k not in held]
    names = list(truth.page_names)
    # other truths of the pages of a fold change nothing on them
    pages = {name: truth.text[part] for name, part in zip(names, truth.page_slices(), strict=True)}
    for k in held:
        pages[names[k]] = tuple(reversed(pages[names[k]]))
    other = combine(engines, truth=truth_of(pages), n_folds=3)
    for of, same in ((held, True), (rest, False)):
        mine, theirs = (each.words.select_pages(of) for each in (found, other))
        assert (mine.text == theirs.text and np.array_equal(mine.confidence, theirs.confidence)) is same
    # by hand: learnt from the rest, applied to the pages of the fold
    taught = combine(
        {name: words.select_pages(rest) for name, words in engines.items()},
        truth=truth.select_pages(rest),
    )
    by_hand = combine(
        {name: words.select_pages(held) for name, words in engines.items()},
        combination=taught.combination,
    )
    mine = found.words.select_pages(held)
    assert by_hand.words.text == mine.text
    assert by_hand.words.confidence == pytest.approx(mine.confidence, rel=1e-9)


def test_folds_depend_on_the_names_of_pages_alone():
    names = [f"p{k}" for k in range(11)]
    found = dict(zip(names, folds_of(names, 5).tolist(), strict=True))
    backwards = names[::-1]
    assert dict(zip(backwards, folds_of(backwards, 5).tolist(), strict=True)) == found
    assert sorted(np.bincount(list(found.values())).tolist()) == [2, 2, 2, 2, 3]


def test_what_is_learnt_is_saved_and_read(tmp_path):
    truth, engines = two_readings(np.random.default_rng(5), n_pages=4)
    third = {**engines, "C": engines["A"]}
    for given_engines in (engines, third):
        found = combine(given_engines, truth=truth)
        path = tmp_path / "model.json"
        found.combination.save(path)
        again = Combination.load(path)
        assert again == found.combination == pickle.loads(pickle.dumps(found.combination))
        assert len(again.features["A"]) == len(again.engines[0].right.coefficients)
        applied = combine(given_engines, combination=again)
        assert applied.words == combine(given_engines, combination=found.combination).words
        assert applied.aligned is None
        assert applied.fold_of_page is None
    assert "Combination(A + B + C, learnt from 4 pages)" in repr(again)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version of the file must be 1, got 2"),
        ({"kind": "fastarac policy"}, "not the file of a fastarac combination"),
        ({"engines": []}, "engines must have at least 2 elements, got 0"),
        ({"order": ["A", "C"]}, "order must be the names of the engines, got A and C"),
        ({"n_groups": 0}, "n_groups"),
        ({"unit": "line"}, "unit"),
        ({"more": 1}, "unknown"),
        ({("knots",): []}, "knots is empty"),
        ({("knots",): [2, 1]}, r"knots\[1\] must .*got 1"),
        ({("odds",): [0]}, r"have 2 elements \(as many as engines\[0\]\.knots\), got 1"),
        (
            {("right",): {"intercept": 0, "coefficients": [1]}},
            r"coefficients must have 14 elements \(as many as features\), got",
        ),
        ({("highest",): 10}, "highest must be 100 or 1, got 10"),
        ({("name",): "Z"}, "the names of engines"),
    ],
)
def test_damaged_files_are_refused(change, message):
    content = json.loads(learnt().to_json())
    for key, value in change.items():
        if isinstance(key, tuple):
            content["engines"][0][key[0]] = value
        else:
            content[key] = value
    with pytest.raises(ValueError, match=message):
        Combination.from_json(json.dumps(content))


def learnt():
    truth, engines = two_readings(np.random.default_rng(6), n_pages=3, n_words=12)
    return combine(engines, truth=truth).combination


def test_words_without_confidence_and_empty_pages():
    truth, engines = two_readings(np.random.default_rng(7), n_pages=5, n_words=30)
    sure = np.array(engines["A"].confidence)
    sure[::3] = np.nan
    first = engines["A"]
    holes = Words(first.text, sure, first.page, first.page, first.page_names, scale="percent")
    for given_truth in (truth, None):
        found = combine({"A": holes, "B": engines["B"]}, truth=given_truth)
        assert np.isfinite(found.words.confidence).all()
    blank = engines["B"].select_pages([0])
    pages = {name: [] for name in first.page_names}
    pages[first.page_names[0]] = list(zip(blank.text, blank.confidence.tolist(), strict=True))
    found = combine({"A": first, "B": words_of(pages)}, truth=truth)
    assert set(found.words.page.tolist()) == set(range(5))  # what one engine alone has stays


def test_characters_of_scripts_without_spaces_are_voted_on_one_by_one():
    one = words_of({"p": [("東京都", 50), ("にあ", 60), ("る", 40)]})
    two = words_of({"p": [("東京", 70), ("部", 20), ("にある", 80)]})
    found = combine({"A": one, "B": two})
    assert "".join(found.words.text) == "東京都にある"
    assert found.agreeing.tolist() == [2, 2, 1, 2, 2, 2]


# what is refused


def test_bad_input_is_refused():
    truth, engines = two_readings(np.random.default_rng(8), n_pages=3, n_words=10)
    first, second = engines.values()
    none = Words(first.text, np.full(30, np.nan), first.page, first.page, first.page_names)
    for match, arguments, options in [
        ("must have at least two elements, got 1", {"A": first}, {}),
        ("A has 1 page that B lacks: p02; both", {"A": first, "B": second.select_pages([0, 1])}, {}),
        ("the truth lacks: p02; both need the same", engines, {"truth": truth.select_pages([0, 1])}),
        (r"engines\['B'\]: none of the 30 words", {"A": first, "B": none}, {}),
        ("'exact' or None", engines, {"agreement": "most"}),
        ("and combination are both given", engines, {"agreement": "exact", "combination": learnt()}),
        ("n_folds", engines, {"n_folds": 1}),
        ('be "A" and "B", as in the combination, got "A"', {"A": first, "C": second},
         {"combination": learnt()}),
        ("nothing, as when the combination was", engines, {"combination": learnt(), "fold": "case"}),
        (
            "truth must have at least two pages, got one: each page is combined by rules",
            {name: words.select_pages([0]) for name, words in engines.items()},
            {"truth": truth.select_pages([0])},
        ),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=match):
            combine(arguments, **options)
    unit = Words(second.text, second.confidence / 100, second.page, second.page, second.page_names,
                 scale="unit")  # fmt: skip
    with pytest.raises(ValueError, match="run from 0 to 1, but those that the combination"):
        combine({"A": first, "B": unit}, combination=learnt())
    for arguments, options in [
        ([first, second], {}),
        ({"A": first, "B": "page.tsv"}, {}),
        (engines, {"truth": "truth"}),
        (engines, {"combination": "model.json"}),
    ]:
        with pytest.raises(TypeError, match=" must be "):
            combine(arguments, **options)


def test_what_learns_needs_the_extra_and_what_was_learnt_does_not(monkeypatch):
    truth, engines = two_readings(np.random.default_rng(9), n_pages=3, n_words=10)
    model = learnt()
    monkeypatch.setattr(
        "fastarac._core.extras.find_spec", lambda name: None if name == "sklearn" else name
    )
    with pytest.raises(ModuleNotFoundError, match=r'sklearn is not installed.*"\.\[combine\]"'):
        combine(engines, truth=truth)
    assert len(combine(engines, combination=model)) == 30


# fields


def tables(folder, n=30, seed=0):
    """Return the fields of two engines, in files."""
    rng = np.random.default_rng(seed)
    engines = {}
    true = rng.integers(100, 999, (n, 4))
    for name, rate in (("A", 0.1), ("B", 0.2)):
        rows = ["document,field,prediction,confidence,truth"]
        for k in range(n):
            for j in range(4):
                wrong, gone = rng.random() < rate, rng.random() < 0.05
                sure = rng.beta(4, 2) if wrong else rng.beta(8, 2)
                read = "" if gone else int(true[k, j]) + wrong
                rows.append(f"d{k:02d},f{j},{read},{'' if gone else round(sure, 3)},{true[k, j]}")
        path = Path(folder, f"{name}.csv")
        path.write_text("\n".join(rows))
        engines[name] = read_fields(path)
    return engines


def test_fields_are_combined(tmp_path):
    engines = tables(tmp_path)
    found = combine_fields(engines)
    assert len(found.fields) == 120
    assert found.fields.correct.sum() > max(each.correct.sum() for each in engines.values())
    assert found.fields.rejected.sum() == sum(
        a is None and b is None
        for a, b in zip(engines["A"].prediction, engines["B"].prediction, strict=True)
    )
    assert found.combination.unit == "field"
    again = combine_fields(engines, combination=Combination.from_json(found.combination.to_json()))
    assert (again.fields.document, again.fields.field) == (found.fields.document, found.fields.field)
    swapped = combine_fields({name: engines[name] for name in "BA"})
    assert swapped.fields == found.fields
    exact = combine_fields(engines, agreement="exact")
    same = [a == b is not None for a, b in zip(*(e.prediction for e in engines.values()), strict=True)]
    assert (exact.fields.confidence == 1.0).tolist() == same
    assert exact.agreeing.max() == 2


def test_inserted_items_of_lists(tmp_path):
    truth = {"document": "d", "items": [{"amount": "10"}, {"amount": "20"}]}
    (tmp_path / "truth.json").write_text(json.dumps([truth, {**truth, "document": "e"}]))
    engines = {}
    for name, more in (("A", ["10", "20", "99"]), ("B", ["10", "99", "98"])):
        items = [{"amount": {"value": each, "confidence": 0.5}} for each in more]
        content = [{"document": document, "items": items} for document in "de"]
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
        engines[name] = read_fields(tmp_path / f"{name}.json", tmp_path / "truth.json")
    found = combine_fields(engines, agreement="exact").fields
    assert found.kind.count("inserted") >= 2
    assert {f for f, kind in zip(found.field, found.kind, strict=True) if kind != "inserted"} == {
        "items[0].amount",
        "items[1].amount",
        "items.count",
    }


def test_fields_that_do_not_fit_are_refused(tmp_path):
    engines = tables(tmp_path, n=3)
    fewer = tables(tmp_path, n=2)
    one = tables(tmp_path, n=1)
    for match, arguments in [
        ("at least two", {"A": engines["A"]}),
        (
            r"engines\['B'\] lacks: f0 of d02, f1 of d02, f2 of d02, f3 of",
            {"A": engines["A"], "B": fewer["B"]},
        ),
        ("two documents, got one: each document is combined by rules", one),
    ]:
        with pytest.raises(ValueError, match=match):
            combine_fields(arguments)
    with pytest.raises(TypeError, match="must be FieldOutputs"):
        combine_fields({"A": engines["A"], "B": 1})
    with pytest.raises(ValueError, match="fields, got one for words"):
        combine_fields(engines, combination=learnt())
