"""Fingerprints by which a policy recognizes the outputs that it was fitted on."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.operation.shifts import Reference

# Minimum number of cells (ranges of confidences) for a fingerprint. With fewer, other outputs of the
# same source might have the same fingerprint by chance.
FEWEST = 8
DIGITS = 32
SEEDS = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03


def digest_of(text: str, digits: int) -> str:
    """Return hexadecimal digits that identify a text."""
    # Python reads undecodable bytes of a name as lone surrogates, which plain UTF-8 cannot encode.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:digits]


def fingerprint_of(
    confidence: NDArray[Any], field: NDArray[Any] | None, right: NDArray[np.bool_] | None
) -> str:
    """Return hexadecimal digits that identify a set of outputs, in any order.

    The last 32 digits depend only on confidences and fields, because more of the truth may become known
    later. With `right`, another 32 digits come first, and also depend on the truth.

    Each output is hashed to 64-bit numbers (splitmix64; Steele, Lea and Flood 2014). The digits are
    sums of these numbers over all outputs.
    """
    n = len(confidence)
    # Adding 0.0 turns -0.0 into 0.0, so that both have the same bits.
    values = np.add(confidence, 0.0, dtype=np.float64).view(np.uint64)
    code = np.full(n, 2, np.uint64)
    if field is not None:
        code += np.uint64(4) * field.astype(np.uint64)
    codes = [code] if right is None else [code - np.uint64(2) + right, code]
    return "".join(
        f"{int(np.sum(_mixed(_mixed(values + np.uint64(seed)) ^ code))):016x}"
        for code in codes
        for seed in SEEDS
    )


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))


def was_fitted_on(
    fitted_on: str | None,
    references: Sequence[Reference],
    confidence: NDArray[Any],
    field: NDArray[Any] | None,
    right: NDArray[np.bool_] | None,
    given: NDArray[np.bool_] | slice = slice(None),
) -> bool:
    """Return whether a policy was fitted on these outputs (those marked by `given`).

    The truth is compared only if all of it was known at the fit and is known now.
    """
    values = confidence[given]
    if fitted_on is None or len(values) > sum(int(each.counts.sum()) for each in references):
        return False
    field, right = (None if part is None else part[given] for part in (field, right))
    found = fingerprint_of(values, field, right)
    if len(fitted_on) == len(found):
        return fitted_on == found
    return fitted_on[-DIGITS:] in (found[:DIGITS], found[-DIGITS:])
