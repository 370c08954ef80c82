"""Character, word and bag-of-words error rates, beside jiwer, a bootstrap of pages and by hand."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter

import jiwer
import numpy as np
import pytest
import reference_ocr as reference
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from strategies import any_word, few_letters

import fastarac as fa
from fastarac.ocr import Words, align, load_sample
from fastarac.ocr.words.alignment import PageText
from fastarac.ocr.words.error_rates import (
    ALONE,
    COUNTS,
    RATES,
    ErrorRates,
    count_edits,
    figures_of,
    grapheme_clusters,
)
from fastarac.uncertainty.ratios import ratio_interval

words = st.lists(any_word | few_letters, max_size=6)


def words_of(*pages: str) -> Words:
    """Words of pages, one line each."""
    texts = [page.split() for page in pages]
    page = np.repeat(np.arange(len(pages)), [len(each) for each in texts])
    confidence = np.linspace(0.1, 0.9, len(page))
    names = tuple(f"p{k}" for k in range(len(pages)))
    return Words(tuple(w for t in texts for w in t), confidence, page, page, names, scale="unit")


def rates_of(truth: list[str], output: list[str], **options) -> ErrorRates:
    return align(words_of(*truth), words_of(*output), **options).error_rates()


def counts_of(rates: ErrorRates) -> list[tuple[int, ...]]:
    return list(zip(*(getattr(rates, name).tolist() for name in COUNTS), strict=True))


class TestCounts:
    @settings(max_examples=50)
    @given(words, words)
    def test_plain_definitions(self, truth, output):
        first, second = " ".join(truth), " ".join(output)
        clusters = [tuple(regex.findall(r"\X", text)) for text in (first, second)]
        expected, found = Counter(truth), Counter(output)
        assert count_edits(PageText(truth, None), PageText(output, None)) == (
            reference.distance(*clusters),
            len(clusters[0]),
            reference.distance(tuple(truth), tuple(output)),
            len(truth),
            sum(max(0, expected[word] - found[word]) for word in expected),
            sum(max(0, found[word] - expected[word]) for word in found),
        )

    @pytest.mark.parametrize("name", ["plain", "enlarged"])
    def test_those_of_jiwer(self, name):
        sample = load_sample()
        aligned = align(sample.truth, sample.outputs[name])
        assert aligned.records.n_joined == 0
        texts = [
            [unicodedata.normalize("NFC", " ".join(side.text[part])) for part in side.page_slices()]
            for side in (sample.truth, sample.outputs[name])
        ]
        rates = aligned.error_rates()
        assert rates.word_error_rate.estimate == pytest.approx(jiwer.wer(*texts), rel=1e-14)
        assert rates.character_error_rate.estimate == pytest.approx(jiwer.cer(*texts), rel=1e-14)
        of_pages = rates.to_columns()
        for k, (truth, output) in enumerate(zip(*texts, strict=True)):
            assert rates.character_edits[k] == Levenshtein.distance(truth, output)
            assert of_pages["word_error_rate"][k] == pytest.approx(jiwer.wer(truth, output), rel=1e-14)

    def test_by_hand(self):
        rates = rates_of(["to be or not to be", "one two"], ["to bee or to be", "two one"])
        # "be" misread and "not " missed; six letters in other places
        assert counts_of(rates) == [(5, 18, 2, 6, 2, 1), (6, 7, 2, 2, 0, 0)]
        assert rates.character_error_rate.estimate == 11 / 25
        assert rates.word_error_rate.estimate == 4 / 8
        assert rates.bag_of_words_error_rate.estimate == 2 / 8

    def test_moved_words_are_errors(self):
        truth = "left column has these words right column has others instead"
        moved = "right column has others instead left column has these words"
        aligned = align(words_of(truth), words_of(moved))
        assert aligned.correct.all()
        rates = aligned.error_rates()
        assert rates.word_error_rate.estimate == 6 / 10
        assert rates.bag_of_words_error_rate.estimate == 0
        wrong = align(words_of(truth), words_of(moved), moved="wrong")
        assert wrong.error_rates() == rates

    @pytest.mark.parametrize("unit", ["line", "character"])
    def test_the_unit_does_not_matter(self, unit):
        sample = load_sample()
        sides = sample.truth, sample.outputs["plain"]
        assert align(*sides, unit=unit).error_rates() == align(*sides).error_rates()

    def test_what_is_compared(self):
        assert counts_of(rates_of(["Ka\u0308se"], ["K\u00e4se"])) == [(0, 4, 0, 1, 0, 0)]
        assert counts_of(rates_of(["na\u00adme"], ["name"])) == [(0, 4, 0, 1, 0, 0)]
        assert counts_of(rates_of(["“No!”"], ["no"], fold=["case", "punctuation"]))[0][:4] == (
            0,
            2,
            0,
            1,
        )
        # a word of punctuation alone is none; without spaces, words stay as they are
        assert counts_of(rates_of(["a — b"], ["a b"], fold="punctuation"))[0][:4] == (0, 3, 0, 2)
        assert counts_of(rates_of(["ab cd"], ["abcd"], fold="whitespace"))[0][:4] == (0, 4, 2, 2)
        assert counts_of(rates_of(["東京 now"], ["東亰 now"]))[0][:4] == (1, 6, 1, 3)

    def test_line_ends(self):
        truth = Words(
            ("die", "Wasser-", "leitung", "rinnt"), np.full(4, np.nan), [0] * 4, [0, 0, 1, 1], ("p0",)
        )
        whole = words_of("die Wasserleitung rinnt")
        for unit in ("word", "line"):
            assert counts_of(align(truth, whole, unit=unit).error_rates()) == [(0, 23, 0, 3, 0, 0)]


class TestClusters:
    def test_devanagari_and_emoji(self):
        truth, output = "नमस्ते 👩‍👩‍👧 ok", "नमस्त 👩 ok"
        n = [len(regex.findall(r"\X", text)) for text in (truth, output)]
        assert n[0] < len(truth)
        (found,) = counts_of(rates_of([truth], [output]))
        assert found[:2] == (2, n[0])  # a cluster each, of however many code points
        assert jiwer.cer(truth, output) > 2 / n[0]

    def test_characters_that_stand_alone(self):
        alone = [chr(code) for code in range(0x110000) if ALONE.fullmatch(chr(code))]
        assert len(alone) > 20_000
        other = regex.compile(r"[\p{GCB=Other}\p{GCB=Control}\p{GCB=LF}]*")
        assert other.fullmatch("".join(alone))

    @settings(max_examples=50)
    @given(st.text(max_size=12))
    def test_all_texts(self, text):
        assert list(grapheme_clusters(text)) == regex.findall(r"\X", text)


class TestIntervals:
    def test_empty_sides(self):
        rates = rates_of(["", "one two", "three"], ["noise", "", "three"])
        assert counts_of(rates) == [(5, 0, 1, 0, 0, 1), (7, 7, 2, 2, 2, 0), (0, 5, 0, 1, 0, 0)]
        assert rates.character_error_rate.estimate == 1
        assert rates.bag_of_words_error_rate.estimate == 1
        of_pages = rates.to_columns()
        assert [math.isnan(rate) for rate in of_pages["word_error_rate"]] == [True, False, False]
        assert rates.to_dict()["word_error_rate_estimate"] == 1
        empty = rates_of(["", ""], ["noise", "more noise"])
        assert all(math.isnan(rate.estimate) and math.isnan(rate.low) for rate in empty.rates.values())

    def test_one_page_has_none(self):
        rates = rates_of(["one two"], ["one too"])
        assert rates.word_error_rate.estimate == 0.5
        assert math.isnan(rates.word_error_rate.low)
        assert math.isnan(rates.word_error_rate.high)

    def test_pages_of_one_rate_have_none(self):
        rate = ratio_interval(np.array([0, 0, 0]), np.array([10, 20, 30]), 0.95)
        assert rate.estimate == 0
        assert math.isnan(rate.high)

    def test_pages_that_are_left_out(self):
        truth, output = ["one two", "three", "four five"], ["one too", "xxx", "four five"]
        rest = align(words_of(*truth), words_of(*output)).without_pages(["p1"]).error_rates()
        assert rest.page == ("p0", "p2")
        expected = ratio_interval(np.array([1, 0]), np.array([2, 2]), 0.95)
        assert rest.word_error_rate == expected

    def test_levels(self):
        aligned = align(words_of("one two", "three four five"), words_of("one too", "three four five"))
        narrow, wide = (aligned.error_rates(level).word_error_rate for level in (0.5, 0.9))
        assert wide.low <= narrow.low < narrow.high < wide.high
        assert wide.low == 0  # not below
        with pytest.raises(
            ValueError, match="confidence_level must be a number strictly between 0 and 1,"
        ):
            aligned.error_rates(1)

    def test_a_bootstrap_of_pages(self):
        edits, lengths = drawn_pages(np.random.default_rng(1), 1, 60)
        rng = np.random.default_rng(2)
        times = rng.multinomial(60, np.full(60, 1 / 60), size=4000)
        ratios = (times @ edits[0]) / (times @ lengths[0])
        found = ratio_interval(edits[0], lengths[0], 0.95)
        assert found.standard_error == pytest.approx(ratios.std(), rel=0.06)
        assert (found.low, found.high) == pytest.approx(np.quantile(ratios, [0.025, 0.975]), rel=0.15)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("beta", "n_pages", "expected"),
        [
            ((2, 18), 12, 0.96),
            ((2, 18), 24, 0.96),
            ((2, 18), 100, 0.96),
            ((0.3, 5.7), 24, 0.93),  # few pages hold most errors
            ((0.3, 5.7), 100, 0.94),
        ],
    )
    def test_coverage(self, beta, n_pages, expected):
        pages = zip(*drawn_pages(np.random.default_rng(n_pages), 1500, n_pages, beta), strict=True)
        intervals = [ratio_interval(*page, 0.95) for page in pages]
        rate = beta[0] / sum(beta)
        within = np.mean([found.low <= rate <= found.high for found in intervals])
        assert within == pytest.approx(
            expected, abs=0.015
        )  # two standard errors of 1,500 runs and .005


def drawn_pages(rng, n_samples: int, n_pages: int, beta=(2, 18)) -> tuple[np.ndarray, np.ndarray]:
    """Edits and lengths of pages of 50 to 600 words, whose own rates are beta."""
    lengths = rng.integers(50, 601, (n_samples, n_pages))
    return rng.binomial(lengths, rng.beta(*beta, lengths.shape)), lengths


def test_a_result_like_the_others():
    rates = align(load_sample().truth, load_sample().outputs["plain"]).error_rates(0.9)
    figures = figures_of(rates, with_intervals=True)
    assert figures["word_error_rate_low"] == rates.word_error_rate.low
    assert list(figures_of(rates, with_intervals=False)) == list(RATES)
    assert rates.to_dict()["character_error_rate_confidence_level"] == 0.9
    frame = rates.to_frame()
    assert list(frame.columns) == ["page", *COUNTS, *RATES]
    assert frame["words"].sum() == 2180
    assert fa.results.ErrorRates is ErrorRates
