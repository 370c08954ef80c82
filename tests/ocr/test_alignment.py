"""Words and outputs side by side: what is right, wrong, merged, split, inserted and missed."""

from __future__ import annotations

import random
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel
from strategies import few_letters, plain_texts, texts

from fastarac.ocr.words import matching
from fastarac.ocr.words.alignment import PageText, align_texts
from fastarac.ocr.words.matching import Block, match


def spans(truth: list[str], outputs: list[str], **options: bool) -> list[tuple[list[str], list[str]]]:
    """What belongs together, as texts."""
    found = align_texts(PageText(truth), PageText(outputs), **options)
    return [(truth[i:k], outputs[j:m]) for i, k, j, m in found.tolist()]


def common(first: str, second: str) -> int:
    """Length of a longest common subsequence, by the textbook."""
    row = [0] * (len(second) + 1)
    for x in first:
        before = 0
        for j, y in enumerate(second, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


@given(texts, texts)
def test_each_word_and_each_output_is_in_one_span_in_order(truth, outputs):
    found = align_texts(PageText(truth), PageText(outputs))
    ends = np.concatenate([[[0, 0]], found[:, 1::2]])
    assert np.array_equal(ends[:-1], found[:, ::2])
    assert ends[-1].tolist() == [len(truth), len(outputs)]


@given(texts)
def test_a_text_beside_itself(words):
    assert spans(words, words) == [([word], [word]) for word in words]


@given(texts, texts)
def test_truth_and_engine_the_other_way_round(truth, outputs):
    there, back = (
        align_texts(PageText(truth), PageText(outputs)),
        align_texts(PageText(outputs), PageText(truth)),
    )
    swapped = back[:, [2, 3, 0, 1]]

    def in_order(rows: np.ndarray) -> list[list[int]]:
        return sorted(rows.tolist())

    assert in_order(there) == in_order(swapped)


@given(st.lists(few_letters, max_size=9), st.lists(few_letters, max_size=9))
def test_as_many_characters_are_matched_as_can_be(truth, outputs):
    first, second = " ".join(truth), " ".join(outputs)
    blocks = match(first, second)
    assert sum(block.length for block in blocks) == common(first, second)
    assert all(first[i : i + n] == second[j : j + n] for i, j, n in blocks)
    ends = [Block(0, 0, 0), *blocks]
    assert all(
        block.first >= before.first + before.length and block.second >= before.second + before.length
        for before, block in zip(ends, blocks, strict=False)
    )


@given(plain_texts, st.data())
def test_a_missed_word_comes_out_as_missed(words, data):
    at = data.draw(st.integers(0, len(words) - 1))
    found = spans(words, words[:at] + words[at + 1 :])
    expected = [([word], [word] if i != at else []) for i, word in enumerate(words)]
    assert found == expected


@given(plain_texts, st.data())
def test_an_inserted_output_comes_out_as_inserted(words, data):
    at = data.draw(st.integers(0, len(words)))
    found = spans(words, [*words[:at], "WVZ", *words[at:]])
    expected = [([word], [word]) for word in words]
    expected.insert(at, ([], ["WVZ"]))
    assert found == expected


@given(plain_texts.filter(lambda words: len(words) > 1), st.data())
def test_merged_words_come_out_as_merged(words, data):
    at = data.draw(st.integers(0, len(words) - 2))
    found = spans(words, [*words[:at], words[at] + words[at + 1], *words[at + 2 :]])
    assert (words[at : at + 2], [words[at] + words[at + 1]]) in found
    assert len(found) == len(words) - 1


@given(plain_texts, st.data())
def test_a_split_word_comes_out_as_split(words, data):
    at = data.draw(st.integers(0, len(words) - 1))
    cut = data.draw(st.integers(1, len(words[at]) - 1))
    parts = [words[at][:cut], words[at][cut:]]
    found = spans(words, [*words[:at], *parts, *words[at + 1 :]])
    assert ([words[at]], parts) in found
    assert len(found) == len(words)


@given(plain_texts, st.data())
def test_a_replaced_word_comes_out_as_wrong(words, data):
    at = data.draw(st.integers(0, len(words) - 1))
    found = spans(words, [*words[:at], "WVZ", *words[at + 1 :]])
    assert found == [([word], [word if i != at else "WVZ"]) for i, word in enumerate(words)]


@pytest.mark.parametrize(
    ("truth", "outputs", "expected"),
    [
        ("the then", "then", [("the", ""), ("then", "then")]),
        ("of of the", "of the", [("of", "of"), ("of", ""), ("the", "the")]),
        ("abc xyz abd", "abd", [("abc", ""), ("xyz", ""), ("abd", "abd")]),
        ("a house in an", "ahousein am", [("a house in", "ahousein"), ("an", "am")]),
        ("or a few", "ora few", [("or a", "ora"), ("few", "few")]),
        ("we", "uu", [("we", "uu")]),
        ("any word it has of the rest", "af rest", None),
    ],
)  # fmt: skip
def test_what_belongs_together(truth, outputs, expected):
    found = [(" ".join(a), " ".join(b)) for a, b in spans(truth.split(), outputs.split())]
    if expected is None:  # "af" may be that of any of the words, and is of one
        assert max(len(a.split()) for a, _ in found) == 1
    else:
        assert found == expected


def test_characters_that_one_stands_for():
    assert spans(list("barn"), list("bam"), merge_gaps=True)[2:] == [(["r", "n"], ["m"])]
    assert spans(list("bam"), list("barn"), merge_gaps=True)[2:] == [(["m"], ["r", "n"])]
    assert spans(list("bxxxc"), list("byc"), merge_gaps=True)[1:4] == [
        (["x"], ["y"]), (["x"], []), (["x"], []),
    ]  # fmt: skip


def noisy_page(n_words: int, seed: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(1, 9))) for _ in range(2000)]
    truth = rng.choices(vocabulary, k=n_words)
    outputs = [
        "".join(letter if rng.random() > 0.03 else rng.choice("xyz") for letter in word)
        for word in truth
        if rng.random() > 0.02
    ]
    return truth, outputs


@pytest.mark.parametrize("seed", range(3))
def test_a_division_loses_no_common_character(monkeypatch, seed):
    first, second = map(" ".join, noisy_page(150, seed))
    whole = match(first, second)
    monkeypatch.setattr(matching, "LARGEST_TABLE", 2000)
    divided = match(first, second)
    lengths = [sum(block.length for block in found) for found in (whole, divided)]
    assert lengths[0] == lengths[1] == common(first, second)


def test_a_division_step_by_step_changes_next_to_nothing(monkeypatch):
    truth, outputs = noisy_page(600, 6)
    whole = {tuple(row) for row in align_texts(PageText(truth), PageText(outputs)).tolist()}
    for name, limit in (("TABLE", 3000), ("UNDIVIDED", 1 << 40), ("HALVED", 100_000)):
        monkeypatch.setattr(matching, f"LARGEST_{name}", limit)
    monkeypatch.setattr(matching, "STEP", 300)
    divided = {tuple(row) for row in align_texts(PageText(truth), PageText(outputs)).tolist()}
    assert len(whole ^ divided) <= 0.01 * len(whole)


def test_a_division_at_words_that_stand_once_changes_next_to_nothing(monkeypatch):
    truth, outputs = noisy_page(600, 5)
    whole = {tuple(row) for row in align_texts(PageText(truth), PageText(outputs)).tolist()}
    monkeypatch.setattr(matching, "LARGEST_UNDIVIDED", 1000)
    monkeypatch.setattr(matching, "LARGEST_TABLE", 1000)
    divided = {tuple(row) for row in align_texts(PageText(truth), PageText(outputs)).tolist()}
    assert len(whole ^ divided) <= 0.01 * len(whole)


@pytest.mark.slow
def test_memory_grows_with_the_length_of_a_page(monkeypatch):
    tables = []

    def opcodes(first: str, second: str) -> object:
        tables.append(len(first) * len(second))
        return Indel.opcodes(first, second)

    monkeypatch.setattr(matching, "LARGEST_TABLE", 1 << 19)
    monkeypatch.setattr("rapidfuzz.distance.Indel", SimpleNamespace(opcodes=opcodes))
    peaks = []
    for n_words in (500, 2000):
        truth, outputs = noisy_page(n_words, 1)
        tracemalloc.start()
        align_texts(PageText(truth), PageText(outputs))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]  # four times as many words
    assert max(tables) <= 1 << 19  # of bits, in memory that is not traced
