"""Sweeps and reviewers for tests of costs."""

from __future__ import annotations

import numpy as np
import reference_verification as slow
from hypothesis import strategies as st

import fastarac as fa

share = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]), st.floats(0, 1))


people = st.tuples(share, share)


def points_of(sweep: fa.ThresholdSweep) -> list[slow.Counts]:
    return slow.to_points(sweep.true_accepts.tolist(), sweep.false_accepts.tolist())


@st.composite
def sweeps(draw, count: st.SearchStrategy | None = None) -> fa.ThresholdSweep:
    """Sweeps from counts: small ones that often lie on lines, huge integers, or weights."""
    if count is None:
        count = draw(
            st.sampled_from(
                [
                    st.integers(0, 3),
                    st.integers(0, 2**57),
                    st.sampled_from([0, 1, 2**31, 2**57 - 1]),
                    st.floats(0, 10, width=32),
                    st.sampled_from([0.0, 0.1, 0.2, 0.3]),
                    st.sampled_from([0.0, 1e-9, 1e9, 1.0]),
                ]
            )
        )
    pairs = draw(
        st.lists(st.tuples(count, count), min_size=1, max_size=12).filter(
            lambda rows: any(a or b for a, b in rows)
        )
    )
    correct, incorrect = zip(*pairs, strict=True)
    dtype = np.int64 if isinstance(correct[0], int) else np.float64
    return fa.ThresholdSweep.from_counts(
        range(len(pairs)), np.array(correct, dtype), np.array(incorrect, dtype)
    )
