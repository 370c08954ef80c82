"""Search for a threshold with files: each call reads a batch of answers and writes the next batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from fastarac._core.checks import choice, exactly_one, whole_number
from fastarac._core.files import path_of, read_saved, write_whole
from fastarac._core.locks import locked
from fastarac.io._formats import open_source
from fastarac.io._pages import BATCH
from fastarac.io._picks import Correct, Number, Open, warn_of_open
from fastarac.io._sources import connect
from fastarac.operation.logs import read_columns
from fastarac.partial_truth.adaptive_search import AdaptiveThresholdSearch
from fastarac.partial_truth.sample_files import (
    ROW,
    columns_to_draw,
    goal_of,
    refuse_columns,
    refuse_twice,
    refuse_where,
    write_rows,
)

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from duckdb import DuckDBPyConnection

    from fastarac._core.random_state import RandomState


def search_outputs(
    path: str | os.PathLike[str],
    state: str | os.PathLike[str],
    batch_file: str | os.PathLike[str],
    *,
    batch: int = 50,
    confidence: str = "confidence",
    judge: str | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    failure_probability: float = 0.05,
    budget: int | None = None,
    random_state: RandomState = 0,
    open: Open = "refuse",  # noqa: A002, as users say it
) -> AdaptiveThresholdSearch:
    r"""Do one step of a search: read the answers of the last batch, and write the next batch.

    Parameters
    ----------
    path : str or path-like
        A file as in :func:`.read_outputs`; no truth is needed.
    state : str or path-like
        The state of the search, a JSON file. If the file does not exist, a search begins. It is locked
        during the call.
    batch_file : str or path-like
        The file of outputs to verify: ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. It
        has three more columns: ``row``, the number of the output from 1; ``search_batch``, which tells
        other commands that these rows are not a random sample; and ``correct``, to be filled in. If the
        file exists, its answers are read before it is overwritten. Outputs without an answer stay in
        the next batch.
    batch : int, default=50
        The largest number of outputs in a batch.
    confidence, judge : str
        The columns for these parameters of :class:`AdaptiveThresholdSearch`.
    max_error_rate, max_risk, failure_probability, budget, random_state
        As in :class:`AdaptiveThresholdSearch`. An existing search keeps its random state, and refuses
        other values of the other parameters.
    open : {"refuse", "wrong"}, default="refuse"
        Whether outputs of the last batch without an answer are asked again, or count as wrong.

    Returns
    -------
    AdaptiveThresholdSearch
        The search after these answers. Its attribute `open` has the outputs of the written batch.

    Raises
    ------
    DataFileError
        As in :func:`.read_outputs`; also if the batch has rows that the search did not ask for, or if
        an earlier answer has changed.
    ValueError
        If the state is damaged, or belongs to other outputs or limits.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    AdaptiveThresholdSearch : the same search, without files
    sample_outputs : draw the outputs of a file that people verify

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> with TemporaryDirectory() as folder:
    ...     path, state, goal = (Path(folder, name) for name in ("a.csv", "s.json", "batch.csv"))
    ...     _ = path.write_text("text,confidence\nfoo,0.9\nbar,0.4\n")
    ...     search = fa.partial_truth.search_outputs(path, state, goal, max_risk=0.1)
    ...     print(goal.read_text())
    row,text,confidence,search_batch,correct
    1,foo,0.9,1,
    2,bar,0.4,1,
    <BLANKLINE>
    """
    saved_as = path_of(state, "state")
    goal = goal_of(batch_file, path, saved_as)
    limits = {"max_error_rate": max_error_rate, "max_risk": max_risk}
    criterion = exactly_one(**limits)
    whole_number(batch, "batch", 1)
    choice(open, "open", get_args(Open))
    with locked(saved_as), connect() as connection:
        source = open_source(path_of(path), connection)
        refuse_columns(source, [ROW, BATCH, "correct"])
        read = columns_to_draw(source, confidence, judge, {})
        given = {"judge": read["judge"]}
        if not saved_as.exists():
            search = AdaptiveThresholdSearch(
                read["confidence"], failure_probability=failure_probability, budget=budget,
                random_state=random_state, **limits, **given,
            )  # fmt: skip
        else:
            search = read_saved(
                saved_as,
                lambda text: AdaptiveThresholdSearch.from_json(text, read["confidence"], **given),
            )
            _require_same(
                search, saved_as, criterion=criterion, **{criterion: limits[criterion]},
                failure_probability=failure_probability, budget=budget,
            )  # fmt: skip
            if goal.exists():
                _take_answers(search, goal, connection, len(read["confidence"]), open)
        wanted = batch - len(search.open)
        if wanted > 0 and not search.done:
            search.ask(wanted)
        source.require_unchanged()
        write_whole(saved_as, search.to_json())  # before the batch, whose writing may fail
        rows = np.sort(search.open) + 1
        if len(rows) and not search.done:
            added = f'1 AS "{BATCH}"', 'NULL AS "correct"'
            write_rows(source, goal, {ROW: rows}, [*added], first=True)
    return search


def _require_same(search: AdaptiveThresholdSearch, state: Path, **given: Any) -> None:
    """Raise if a given parameter has another value in the saved search."""
    for name, value in given.items():
        found = search.limit if name == search.criterion else getattr(search, name)
        if found != value:
            raise ValueError(
                f"{state}: its {name} is {found}, but {value} is given: use {found}, or a new state "
                "file"
            )


def _take_answers(
    search: AdaptiveThresholdSearch,
    batch_file: Path,
    connection: DuckDBPyConnection,
    n: int,
    open: Open,  # noqa: A002, as users say it
) -> None:
    """Pass the answers of a batch file to the search."""
    batch = open_source(batch_file, connection)
    picks = {ROW: Number(ROW, ROW), "correct": Correct("correct", "correct")}
    found = read_columns(batch, picks, {}, ["correct"])
    numbers, answers = found[ROW], found["correct"]
    asked = np.concatenate([search.open, search.answered]) + 1
    refuse_where(batch, ROW, ~np.isin(numbers, asked),
                 f"expected the number of a row in one of the batches, at most {n:,}")  # fmt: skip
    if open == "wrong":
        warn_of_open(batch, "correct", int(np.isnan(answers).sum()), len(answers))
        answers = np.nan_to_num(answers, nan=0.0)
    known = ~np.isnan(answers)
    refuse_twice(batch, numbers)
    search.tell(numbers[known].astype(np.intp) - 1, answers[known].astype(np.bool_))
