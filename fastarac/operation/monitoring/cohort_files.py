"""Files of audits with when their outputs were drawn, open ones among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.files import path_of
from fastarac.io._columns import Correct, Label, Number
from fastarac.io._formats import open_source
from fastarac.io._sources import connect
from fastarac.operation.logs import column_of, labels_of

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray


class DrawnColumns(NamedTuple):
    """Audits of a file; `correct` is NaN where an answer is open."""

    ids: NDArray[Any]
    drawn_at: NDArray[Any]
    correct: NDArray[np.float64]
    confidence: NDArray[np.float64]
    by: NDArray[Any] | None
    groups: NDArray[Any] | None


def read_drawn(
    path: str | os.PathLike[str],
    *,
    ids: str,
    drawn_at: str,
    correct: str,
    confidence: str,
    by: str | None,
    group: str | None,
) -> DrawnColumns:
    """Read the columns of audits; raises DataFileError as :func:`.read_outputs` does."""
    with connect() as connection:
        import duckdb

        source = open_source(path_of(path), connection)
        source.require(correct)
        source.require(confidence)
        for name in (ids, drawn_at, by, group):
            if name is not None:
                source.require(name, is_label=True)
        try:
            found = DrawnColumns(
                labels_of(source, Label("ids", ids)),
                labels_of(source, Label("drawn_at", drawn_at)),
                column_of(source, Correct("correct", correct), empty=True),
                column_of(source, Number("confidence", confidence), empty=False),
                None if by is None else labels_of(source, Label("by", by)),
                None if group is None else labels_of(source, Label("group", group)),
            )
        except duckdb.Error as failure:
            raise source.explain(failure) from None
        source.require_unchanged()
    try:
        return found._replace(drawn_at=found.drawn_at.astype("float64"))
    except ValueError:  # dates, which the monitor reads
        return found
