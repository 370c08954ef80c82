"""Error rates of texts, page by page: for characters, for words, and for words in any order."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import inner_fraction
from fastarac._core.export import flat
from fastarac._core.extras import require
from fastarac._core.results import Result, Table
from fastarac._core.text import UNDEFINED, rounded_percent
from fastarac.ocr.words.matching import edit_distance
from fastarac.uncertainty.ratios import ratio_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac._core.interval import Interval
    from fastarac.ocr.words.alignment import PageText

#: Names of the counts of a page, in the order of the columns.
COUNTS = (
    "character_edits",
    "characters",
    "word_edits",
    "words",
    "missing_words",
    "surplus_words",
)
#: The names of the error rates, by their usual abbreviations.
RATES = {
    "character_error_rate": "CER",
    "word_error_rate": "WER",
    "bag_of_words_error_rate": "bag of words",
}

# In a text of these characters only (Latin, Greek, Cyrillic, punctuation, kana and Han, without
# combining marks), each character is a grapheme cluster.
ALONE = re.compile(
    "[\\u0000-\\u000c\\u000e-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u2010-\\u2027\\u2030-\\u205e"
    "\\u20a0-\\u20bf\\u3001-\\u3029\\u3041-\\u3096\\u309b-\\u30ff\\u4e00-\\u9fff]*"
)
CLUSTER = r"\X"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ErrorRates(Table, Result):
    """Error rates of an engine's unreviewed text.

    Attributes
    ----------
    page : tuple of str
        Names of the pages.
    character_edits, characters : ndarray of shape (n_pages,), int64
        Number of grapheme clusters that must be substituted, deleted or inserted to turn the output
        into the truth, and number of grapheme clusters in the true text. Words are separated by single
        spaces.
    word_edits, words : ndarray of shape (n_pages,), int64
        The same two numbers, for words.
    missing_words, surplus_words : ndarray of shape (n_pages,), int64
        Number of true words missing from the output, and number of output words missing from the truth,
        in any order. Each repetition of a word counts.
    character_error_rate, word_error_rate, bag_of_words_error_rate : Interval
        Rates over all pages. The first two rates are edits divided by the length of the true text. The
        bag-of-words error rate is the sum over pages of max(missing, surplus), divided by the number of
        true words. A rate can exceed 1 if text is inserted, and it is NaN if there is no true text.
        Interval ends are NaN if there are fewer than two pages or if all pages have the same rate.

    See Also
    --------
    align : align an engine's words with the true ones.

    Notes
    -----
    Edits are Levenshtein distances over the whole page. Therefore, words that are read right but out of
    order are errors. The texts are compared as in :func:`align`: in normal form C, without invisible
    formatting characters, and folded; ``fold="whitespace"`` removes spaces. A word divided at a line
    end is joined if the other text has it in one piece. In scripts written without spaces, each
    character is a word. The unit of the alignment does not matter. Intervals treat the pages as a
    random sample; they use linearisation and Student's t quantile. A page without true text contributes
    only edits.

    References
    ----------
    Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and reversals".

    Examples
    --------
    >>> import fastarac as fa
    >>> sample = fa.ocr.load_sample()
    >>> rates = fa.ocr.align(sample.truth, sample.outputs["plain"]).error_rates()
    >>> rates
    ErrorRates(20 pages: CER 0.0545, WER 0.13, bag of words 0.121)
    >>> rates.word_error_rate
    Interval(0.130275 [0.0715503, 0.189], 95%, wald)
    """

    page: tuple[str, ...]
    character_edits: NDArray[np.int64]
    characters: NDArray[np.int64]
    word_edits: NDArray[np.int64]
    words: NDArray[np.int64]
    missing_words: NDArray[np.int64]
    surplus_words: NDArray[np.int64]
    character_error_rate: Interval
    word_error_rate: Interval
    bag_of_words_error_rate: Interval

    def __len__(self) -> int:
        return len(self.page)

    def __repr__(self) -> str:
        rates = ", ".join(f"{said} {getattr(self, name).estimate:.3g}" for name, said in RATES.items())
        return f"ErrorRates({len(self)} page{'s' * (len(self) != 1)}: {rates})"

    @property
    def rates(self) -> dict[str, Interval]:
        """The three rates over all pages, by name."""
        return {name: getattr(self, name) for name in RATES}

    def to_columns(self) -> dict[str, Any]:
        """Return the counts and rates of each page; rates are NaN for a page without true text."""
        counts = {name: getattr(self, name) for name in COUNTS}
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = [
                np.where(total > 0, edits / total, np.nan) for edits, total in _ratios(*counts.values())
            ]
        return {"page": self.page, **counts, **dict(zip(RATES, rates, strict=True))}


def rates_of_pages(
    page: tuple[str, ...], counts: NDArray[np.int64], confidence_level: float
) -> ErrorRates:
    """Return the rates for page counts of shape (n_pages, 6), with the columns of `COUNTS`."""
    level = inner_fraction(confidence_level, "confidence_level")
    columns = counts.T
    return ErrorRates(page, *columns, *(ratio_interval(*both, level) for both in _ratios(*columns)))


def figures_of(found: ErrorRates, *, with_intervals: bool) -> dict[str, float | None]:
    """Return the rates by name, with interval ends if `with_intervals`; None where undefined."""
    figures: dict[str, float] = {}
    for name, rate in found.rates.items():
        figures[name] = rate.estimate
        if with_intervals:
            figures |= {f"{name}_low": rate.low, f"{name}_high": rate.high}
    return flat(figures)


def count_edits(truth: PageText, output: PageText) -> tuple[int, int, int, int, int, int]:
    """Count the edits of a page, in the order of `COUNTS`; the texts must already be folded.

    Examples
    --------
    >>> from fastarac.ocr.words.error_rates import count_edits
    >>> from fastarac.ocr.words.alignment import PageText
    >>> count_edits(PageText("to be or not".split()), PageText("be to or nut".split()))
    (5, 12, 3, 4, 1, 1)
    """
    ours, theirs = truth.text, output.text
    clusters = grapheme_clusters(ours), grapheme_clusters(theirs)
    words, others = truth.words, output.words
    expected, found = Counter(words), Counter(others)
    return (
        edit_distance(*clusters),
        len(clusters[0]),
        edit_distance(words, others),
        len(words),
        (expected - found).total(),
        (found - expected).total(),
    )


def grapheme_clusters(text: str) -> Sequence[str]:
    r"""Return the characters as readers perceive them: Unicode's extended grapheme clusters.

    Examples
    --------
    >>> from fastarac.ocr.words.error_rates import grapheme_clusters
    >>> len("किताब"), len(grapheme_clusters("किताब"))
    (5, 3)
    """
    if ALONE.fullmatch(text):
        return text
    require("regex", "ocr")
    import regex

    found: list[str] = regex.findall(CLUSTER, text)
    return text if len(found) == len(text) else found


def rate_text(rate: float) -> str:
    """Format a rate as a percentage, or say that it is undefined."""
    return UNDEFINED if math.isnan(rate) else rounded_percent(rate)


def _ratios(
    character_edits: NDArray[np.int64],
    characters: NDArray[np.int64],
    word_edits: NDArray[np.int64],
    words: NDArray[np.int64],
    missing: NDArray[np.int64],
    surplus: NDArray[np.int64],
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
    """Return the numerator and the denominator of each rate, in the order of `RATES`."""
    return (
        (character_edits, characters),
        (word_edits, words),
        (np.maximum(missing, surplus), words),
    )
