"""Words that were read right but out of order."""

from __future__ import annotations

import itertools
import random
import tracemalloc

import numpy as np
import pytest
import reference_ocr as reference
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from fastarac.ocr import Words, align
from fastarac.ocr.words import reordering
from fastarac.ocr.words.alignment import PageText
from fastarac.ocr.words.page_alignment import align_page
from fastarac.ocr.words.reordering import moved_words, tiles

COMMON = {
    "English": "the of and to in a is that for it was as with be by on not he his but at are this have "
    "from or had an they which one you were her all she there would their we him been has when who",
    "German": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch "
    "es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum",
    "French": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce "
    "il sont la avec son aux mais comme ou si leur y dont elle deux ces tout nous sa été être ont",
}
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnrst" for vowel in "aeio"]


def zipfian(language: str, rng: random.Random, n_words: int) -> list[str]:
    """A text of common words of a language and of made ones, as often as Zipf says."""
    common = COMMON[language].split()
    made = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 5))) for _ in range(3000)]
    words = common + made
    return rng.choices(words, weights=[1 / rank for rank in range(1, len(words) + 1)], k=n_words)


def read_badly(words: list[str], rng: random.Random, share: float) -> list[str]:
    """What an engine makes of words: some with a wrong letter, some left out."""
    read = [word if rng.random() > share else f"{word[:-1]}q" for word in words]
    return [word for word in read if rng.random() > share / 4]


def row_by_row(columns: list[list[list[str]]]) -> list[str]:
    """The lines of columns, read across."""
    lines = itertools.chain.from_iterable(itertools.zip_longest(*columns, fillvalue=[]))
    return list(itertools.chain.from_iterable(lines))


def right_words(truth: list[str], outputs: list[str]) -> int:
    spans = align_page(PageText(truth), PageText(outputs)).spans.tolist()
    return sum(truth[i:k] == outputs[j:m] for i, k, j, m in spans if k == i + 1 and m == j + 1)


numbers = st.lists(st.integers(0, 3), max_size=14)


@given(numbers, numbers, st.floats(0.5, 6), st.randoms(use_true_random=False))
def test_the_longest_runs_first(first, second, needed, rng):
    bits = [rng.choice([0.5, 1.0, 2.0]) for _ in first]
    sides = np.array(first, np.intp), np.array(second, np.intp)
    found = tiles(*sides, np.array(bits), needed)
    assert [tuple(run) for run in found] == reference.longest_tiles(first, second, bits, needed)


@given(texts, texts)
def test_each_word_and_each_output_is_in_one_row(truth, outputs):
    found = align_page(PageText(truth), PageText(outputs))
    for begin, end, n in ((0, 1, len(truth)), (2, 3, len(outputs))):
        covered = [k for row in found.spans.tolist() for k in range(row[begin], row[end])]
        assert sorted(covered) == list(range(n))
    assert found.spans[:, 0].tolist() == sorted(found.spans[:, 0].tolist())


@given(st.data())
def test_each_word_is_in_one_row_where_blocks_have_moved(data):
    words = data.draw(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=20, max_size=40))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(words) - 1), max_size=4)))
    blocks = [words[i:k] for i, k in itertools.pairwise([0, *cuts, len(words)])]
    outputs = [f"{word}!" if data.draw(st.integers(0, 9)) == 0 else word
               for block in data.draw(st.permutations(blocks)) for word in block]  # fmt: skip
    test_each_word_and_each_output_is_in_one_row.hypothesis.inner_test(words, outputs)


@given(texts)
def test_nothing_has_moved_in_the_same_text(words):
    assert not align_page(PageText(words), PageText(words)).moved.any()
    assert len(moved_words(words, words).pairs) == 0


@given(st.lists(st.integers(3, 9), min_size=4, max_size=8), st.randoms(use_true_random=False))
def test_blocks_in_any_order_stay_right(sizes, rng):
    blocks = [[f"{block}.{k}" for k in range(size)] for block, size in enumerate(sizes)]
    truth = [word for block in blocks for word in block]
    rng.shuffle(blocks)
    outputs = [word for block in blocks for word in block]
    found = align_page(PageText(truth), PageText(outputs))
    assert right_words(truth, outputs) == len(truth)
    assert found.differing_share == 0
    # what stays is a part in order, of the greatest weight
    stays = [block for block in blocks if not found.moved[truth.index(block[0])]]
    assert stays == sorted(stays, key=lambda block: int(block[0].split(".")[0]))


@pytest.mark.parametrize("language", COMMON)
@pytest.mark.parametrize("longest", [5, 9])
def test_columns_that_are_read_row_by_row(language, longest):
    rng = random.Random(f"{language} {longest}")
    lost = right = without = 0
    for share in (0.0, 0.03, 0.06):
        truth, columns = [], []
        for _ in range(2):
            words, column = zipfian(language, rng, 200), []
            while words:
                n = rng.randint(2, longest)
                truth += words[:n]
                column.append(read_badly(words[:n], rng, share))
                words = words[n:]
            columns.append(column)
        in_order = right_words(truth, [word for column in columns for line in column for word in line])
        across = row_by_row(columns)
        right += in_order
        lost += in_order - right_words(truth, across)
        without += align_page(PageText(truth), PageText(across)).moved.sum()
    assert lost <= 0.02 * right
    assert without >= 0.4 * right  # half of the words are in the other column


@pytest.mark.parametrize("language", COMMON)
@pytest.mark.parametrize("n_words", [50, 400, 2000])
def test_unrelated_pages_of_a_language(language, n_words):
    rng = random.Random(f"{language} {n_words}")
    truth, outputs = zipfian(language, rng, n_words), zipfian(language, rng, n_words)
    assert align_page(PageText(truth), PageText(outputs)).moved.sum() <= 0.05 * n_words


def test_a_word_alone_does_not_move():
    words = [f"word{k}" for k in range(100)]
    for word in ("the", "word50"):
        truth = [*words[:50], word, *words[51:]]
        outputs = [*words[:20], word, *words[20:50], *words[51:]]
        assert not align_page(PageText(truth), PageText(outputs)).moved.any()


def test_a_line_of_one_word_moves_with_its_column():
    """Columns are read across: the long lines of either stay in order, and the others move."""
    left = [[f"l{k}{i}" for i in range(8 if k < 15 else 4)] for k in range(30)]
    right = [[f"r{k}{i}" for i in range(4 if k < 15 else 8)] for k in range(30)]
    for k in (14, 15):  # the last that moves, and the first that stays
        columns = [*left, *right[:k], ["alone"], *right[k + 1 :]]
        truth = [word for line in columns for word in line]
        outputs = [word for n in range(30) for word in (*left[n], *columns[30 + n])]
        found = align_page(PageText(truth), PageText(outputs))
        place, output = truth.index("alone"), outputs.index("alone")
        assert [place, place + 1, output, output + 1] in found.spans.tolist()
        assert (len(found.spans), found.distance) == (len(truth), 0)


def test_a_word_left_over_moves_only_beside_its_neighbours():
    left = [[f"l{k}{i}" for i in range(8 if k < 15 else 4)] for k in range(30)]
    right = [[f"r{k}{i}" for i in range(4 if k < 15 else 8)] for k in range(30)]
    truth = [word for line in [*left, *right[:15], ["alone"], *right[15:]] for word in line]
    outputs = [word for both in zip(left, right, strict=True) for line in both for word in line]
    for at in (0, len(outputs)):
        found = align_page(PageText(truth), PageText([*outputs[:at], "alone", *outputs[at:]]))
        assert [at, at] not in found.spans[found.moved][:, 2:].tolist()
        assert len(found.spans) == len(truth) + 1  # missed here, inserted there


def test_what_was_read_wrongly_moves_along():
    words = [f"{letter}{letter}{k}" for k in range(5) for letter in "abcdefghij"]
    moved = [*words[30:35], "XX9", *words[36:40]]
    found = align_page(PageText(words), PageText([*moved, *words[:30], *words[40:]]))
    assert found.moved.sum() == 10
    assert [35, 36, 5, 6] in found.spans[found.moved].tolist()


def one_page(texts: list[str], confidence: list[float] | None = None) -> Words:
    n = len(texts)
    return Words(
        tuple(texts),
        np.full(n, np.nan) if confidence is None else np.array(confidence),
        np.zeros(n, int),
        np.arange(n) // 4,
        ("p",),
        scale=None if confidence is None else "percent",
    )


def test_moved_words_are_right_with_the_confidence_of_their_output():
    left, right = (
        ["left", "side", "column", "has", "more", "words"],
        ["right", "column", "has", "others"],
    )
    read = [*left[:5], "worbs"]
    aligned = align(
        one_page([*left, *right]), one_page([*right, *read], [11, 12, 13, 14, 1, 2, 3, 4, 5, 6])
    )
    assert aligned.truth == (*left, *right)
    assert aligned.prediction == (*read, *right)
    assert aligned.kind.tolist() == ["right"] * 5 + ["wrong"] + ["moved"] * 4
    assert aligned.confidence.tolist() == [1, 2, 3, 4, 5, 6, 11, 12, 13, 14]
    assert aligned.correct.tolist() == [True] * 5 + [False] + [True] * 4
    wrong = aligned.with_policy(moved="wrong")
    assert wrong.correct.tolist() == [True] * 5 + [False] * 5
    assert aligned.counts["moved"] == 4
    assert aligned.hardly_aligned == ()
    with pytest.raises(ValueError, match="moved must be one of right, wrong, got 'maybe'"):
        align(one_page(left), one_page(left, [1] * 6), moved="maybe")


def test_lines_and_characters_that_have_moved():
    lines = [f"the {k} line of words {k * k} here".split() for k in range(12)]
    moved = [lines[11], *lines[:11]]
    truth, outputs = (
        Words(
            tuple(word for line in page for word in line),
            np.full(84, value),
            np.zeros(84, int),
            np.repeat(np.arange(12), 7),
            ("p",),
            scale=scale,
        )
        for page, value, scale in ((lines, np.nan, None), (moved, 50.0, "percent"))
    )
    for unit, n in (("line", 1), ("word", 7), ("character", 23)):
        counts = align(truth, outputs, unit=unit).counts
        assert (counts["moved"], counts["wrong"], counts["missed"]) == (n, 0, 0)


@pytest.mark.slow
def test_memory_grows_with_the_length_of_a_page():
    peaks = []
    for n_words in (500, 2000):
        rng = random.Random(n_words)
        words = zipfian("English", rng, n_words)
        blocks = [words[i : i + 5] for i in range(0, n_words, 5)]
        outputs = [word for block in blocks[::-1] for word in block]
        tracemalloc.start()
        moved_words(words, outputs)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]  # four times as many words


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["equal", "periodic", "reversed", "growing", "two words"])
def test_hostile_pages_take_no_time(kind, monkeypatch):
    n = 5000
    rng = random.Random(kind)
    words = zipfian("English", rng, n)
    growing = [[f"{k}.{i}" for i in range(k)] for k in range(1, 100)]
    truth, outputs = {
        "equal": (["a"] * n, ["a"] * (n - 7)),
        "periodic": (["a", "b"] * 1250 + ["c", "d"] * 1250, ["c", "d"] * 1250 + ["a", "b"] * 1250),
        "reversed": (words, [word for k in range(n, 0, -5) for word in words[k - 5 : k]]),
        "growing": tuple(list(itertools.chain(*blocks)) for blocks in (growing, growing[::-1])),
        "two words": tuple(rng.choices("ab", weights=[97, 3], k=n) for _ in range(2)),
    }[kind]
    searches = []
    monkeypatch.setattr(
        reordering._Windows, "_is_common", _counted(reordering._Windows._is_common, searches)
    )
    assert len(align_page(PageText(truth), PageText(outputs)).spans) >= len(truth)
    assert len(searches) < 1000  # each takes a time in proportion to the words


def _counted(method, calls: list[int]):
    def counted(self, length: int) -> bool:
        calls.append(length)
        return method(self, length)

    return counted
