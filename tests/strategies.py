"""Named Hypothesis strategies for `Sample` objects: the columns that the library takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in {"", "0"}  # or the kernels are plain Python
LARGEST = 40  # items, few enough for that


class Sample(NamedTuple):
    """Columns of equal length; `sample_weight` is None for unweighted items."""

    correct: np.ndarray
    confidence: np.ndarray
    sample_weight: np.ndarray | None = None

    @property
    def weighted(self) -> dict[str, np.ndarray]:
        """The weights as a keyword argument; empty without weights."""
        return {} if self.sample_weight is None else {"sample_weight": self.sample_weight}

    def take(self, rows: Any) -> Sample:
        """Return some of the items, given by indices, a slice or a mask."""
        return Sample(*(None if column is None else column[rows] for column in self))


def some_bytes(n: int) -> st.SearchStrategy[list[int]]:
    """A number below 256 for each of n items, in a single draw, because draws take the time."""
    return st.binary(min_size=n, max_size=n).map(list)


@st.composite
def column(draw, n: int, values: st.SearchStrategy, dtype: Any) -> np.ndarray:
    """Confidences with at most twelve distinct values."""
    levels = draw(st.lists(values, min_size=1, max_size=12))
    return np.array([levels[place % len(levels)] for place in draw(some_bytes(n))], dtype=dtype)


label_dtypes = st.sampled_from([np.bool_, np.int64, np.uint8, np.int8, np.float32, np.float64])


@st.composite
def samples(
    draw, confidence: st.SearchStrategy, dtype: Any, is_correct: Callable = lambda byte: byte & 1
) -> Sample:
    """Labels of any dtype and confidences of the given dtype, independent of each other."""
    n = draw(st.integers(1, LARGEST))
    labels = [is_correct(byte) for byte in draw(some_bytes(n))]
    return Sample(np.array(labels, dtype=draw(label_dtypes)), draw(column(n, confidence, dtype)))


@st.composite
def tied(draw) -> Sample:
    """At most four distinct confidences: many ties, up to all items tied."""
    levels = draw(st.lists(st.floats(0, 1), min_size=1, max_size=4))
    return draw(samples(st.sampled_from(levels), np.float64))


@st.composite
def one_class_only(draw) -> Sample:
    """All correct, or all incorrect."""
    label = draw(st.booleans())
    dtype = draw(st.sampled_from([float, int]))
    return draw(samples(st.integers(0, 10), dtype, lambda _: label))


@st.composite
def near_tied_floats(draw) -> Sample:
    """A float and the next larger floats, with nothing in between."""
    dtype = draw(st.sampled_from([np.float64, np.float32, np.float16]))
    ladder = [dtype(draw(st.floats(-100, 100, width=16)))]
    for _ in range(5):
        ladder.append(np.nextafter(ladder[-1], dtype(np.inf)))
    return draw(samples(st.sampled_from(ladder), dtype))


FLOAT64 = np.finfo(np.float64)
MAGNITUDES = [0.0, FLOAT64.smallest_subnormal, FLOAT64.tiny, 1e-300, 1.0, 1e308, FLOAT64.max]


@st.composite
def extreme_magnitudes(draw) -> Sample:
    """Subnormals, zeros and the largest floats, of both signs, among any other floats."""
    ends = st.sampled_from([sign * size for size in MAGNITUDES for sign in (1.0, -1.0)])
    return draw(samples(ends | st.floats(allow_nan=False, allow_infinity=False), np.float64))


@st.composite
def huge_integers(draw) -> Sample:
    """Integers that differ by 1 but are equal as float64, near 2⁵³ and the ends of the range."""
    dtype = draw(st.sampled_from([np.int64, np.uint64]))
    ends = np.iinfo(dtype)
    starts = [2**53, 2**62, ends.max - 4] + ([-(2**53) - 4, ends.min] if ends.min else [2**63 - 2])
    start = draw(st.sampled_from(starts))
    return draw(samples(st.integers(start, start + 4), dtype))


@st.composite
def small_dtypes(draw) -> Sample:
    """Every dtype below 64 bits, over its whole range."""
    kinds = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32]
    dtype = np.dtype(draw(st.sampled_from([*kinds, np.float16, np.float32])))
    if dtype.kind == "b":
        values = st.booleans()
    elif dtype.kind == "f":
        values = st.floats(width=8 * dtype.itemsize, allow_nan=False, allow_infinity=False)
    else:
        values = st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    return draw(samples(values, dtype))


@st.composite
def skewed(draw) -> Sample:
    """Softmax-like: just below 1, with many ties at 0 and 1, and rarely incorrect."""
    close_to_one = st.floats(0, 17).map(lambda digits: 1 - 10**-digits)
    confidence = st.one_of(close_to_one, close_to_one, st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    return draw(samples(confidence, dtype, lambda byte: byte % 5 > 0))


@st.composite
def odd_layouts(draw) -> Sample:
    """Strided, reversed, big-endian and read-only columns, as views of arrays that the caller keeps."""
    sample = draw(tied() | small_dtypes())
    step = draw(st.sampled_from([1, 2, -1, -3]))

    def view(column: np.ndarray) -> np.ndarray:
        order = column.dtype.newbyteorder(draw(st.sampled_from("=>")))
        spread = np.repeat(column.astype(order), abs(step))[::step]
        spread.flags.writeable = draw(st.booleans())
        return spread

    return Sample(view(sample.correct), view(sample.confidence))


unweighted = st.one_of(
    tied(),
    one_class_only(),
    near_tied_floats(),
    extreme_magnitudes(),
    huge_integers(),
    small_dtypes(),
    skewed(),
    odd_layouts(),
)


@st.composite
def weighing(draw, weight: st.SearchStrategy, dtype: Any) -> Sample:
    """Any unweighted sample with such weights, not all of them 0."""
    sample = draw(unweighted)
    weights = column(len(sample.correct), weight, dtype).filter(np.any)
    return sample._replace(sample_weight=draw(weights))


@st.composite
def weighted(draw) -> Sample:
    """Float weights over eighteen orders of magnitude, including zeros."""
    size = st.floats(-9, 9).map(lambda exponent: 10**exponent)
    return draw(weighing(size | size | st.just(0.0), np.float64))


@st.composite
def integer_weighted(draw) -> Sample:
    """Small whole numbers of any dtype, including zeros, with exact sums."""
    dtype = draw(st.sampled_from([np.float64, np.int64, np.uint8, np.float32]))
    return draw(weighing(st.integers(0, 4), dtype))


whole_weights = integer_weighted()
any_weights = st.one_of(weighted(), whole_weights)
exact_sums = st.one_of(unweighted, whole_weights)
items = st.one_of(unweighted, any_weights)


# Words that have few characters in common, so that it is plain what became of each.
PLAIN_WORDS = (
    "amber", "bishop", "cloud", "dust", "elk", "fjord", "ghost", "hymn", "ivory", "jumbo", "kiwi",
    "lynx", "mango", "nymph", "opus", "pixel", "quartz", "rhubarb", "sphinx", "tundra",
)  # fmt: skip
plain_texts = st.lists(st.sampled_from(PLAIN_WORDS), min_size=1, max_size=20, unique=True)
any_word = st.text(st.characters(blacklist_categories=("Z", "C")), min_size=1, max_size=6)
few_letters = st.text(st.sampled_from("abc."), min_size=1, max_size=5)
texts = st.lists(any_word | few_letters, max_size=12)
