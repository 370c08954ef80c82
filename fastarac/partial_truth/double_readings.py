"""Outputs verified by two people: draw them, and estimate the share of errors that a person finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import fraction_of
from fastarac._core.files import path_of
from fastarac._core.random_state import generator_for
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct, Number
from fastarac.io._sources import connect
from fastarac.operation.logs import column_of
from fastarac.reviewer import Reviewer

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

DOUBLE = "double"  # name of the column that has 1 in rows for two people
SECOND = "second_correct"  # name of the column of the second person's answers


def drawn_twice(rows: NDArray[Any], double: float, key: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Draw the share `double` of the drawn rows at random for a second person."""
    share = fraction_of(double, "double")
    chosen = np.zeros(len(rows), np.int8)
    order = generator_for(key, rows.astype("<i8")).permutation(len(rows))
    chosen[order[: round(share * len(rows))]] = 1
    return chosen


def reader_of_answers(
    path: str | os.PathLike[str], *, from_confidence: float = -np.inf, confidence: str = "confidence"
) -> Reviewer | None:
    r"""Estimate the share of errors that the first of two people finds, from a second reading.

    Parameters
    ----------
    path : str or path-like
        The file that :func:`.sample_outputs` wrote with `double`, with ``correct`` and
        ``second_correct`` filled in. Rows that one of the two people left open are ignored.
    from_confidence : float, optional
        Count only outputs with at least this confidence, such as those above a threshold.
    confidence : str, default="confidence"
        The column of confidences.

    Returns
    -------
    Reviewer or None
        A reviewer with `double_readings`; None if the file has no second answers, or the second person
        found no error.

    Raises
    ------
    DataFileError
        As in :func:`.read_outputs`.

    See Also
    --------
    sample_outputs : draw outputs to verify, some of them by two people
    fastarac.Reviewer : people who miss errors

    References
    ----------
    Seber 1982, "The estimation of animal abundance", on two captures.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> rows = "correct,second_correct,confidence\n0,0,.9\n0,0,.8\n1,0,.8\n1,1,.9\n0,,.7\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "answers.csv")
    ...     _ = path.write_text(rows)
    ...     fa.partial_truth.reader_of_answers(path).double_readings
    (2, 0, 1)
    """
    with connect() as connection:
        source = open_source(path_of(path, "path"), connection)
        if SECOND not in source.columns:
            return None
        first, second = (
            column_of(source, Correct("correct", name), empty=True) for name in ("correct", SECOND)
        )
        counted = ~np.isnan(first) & ~np.isnan(second)
        if from_confidence > -np.inf:
            values = column_of(source, Number("confidence", confidence), empty=True)
            counted &= values >= from_confidence
    wrong, too = (first == 0.0) & counted, (second == 0.0) & counted
    both, alone, others = (int(each.sum()) for each in (wrong & too, wrong & ~too, ~wrong & too))
    return Reviewer(double_readings=(both, alone, others)) if both + others else None
