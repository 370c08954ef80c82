"""Read a machine's outputs from CSV, TSV, JSON lines and Parquet files.

DuckDB, which the extra ``cli`` installs, reads the files, without extensions or network access. It
raises an error if a CSV row has too few fields. It reads every field of a text file as text, and this
package interprets the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fastarac._core.checks import whole_number
from fastarac._core.files import path_of
from fastarac._core.results import read_only
from fastarac.io._columns import Columns
from fastarac.io._formats import open_source
from fastarac.io._labels import FIELDS, Texts
from fastarac.io._limits import reading_limits as reading_limits
from fastarac.io._models import Models as Models
from fastarac.io._models import read_files, with_codes, with_names
from fastarac.io._outputs import Labels as Labels
from fastarac.io._outputs import Outputs as Outputs
from fastarac.io._sources import DataFileError as DataFileError
from fastarac.io._sources import connect

if TYPE_CHECKING:
    import os

    from fastarac.bounds.sketch import ThresholdSketch

__all__ = [
    "DataFileError",
    "Labels",
    "Models",
    "Outputs",
    "read_models",
    "read_outputs",
    "reading_limits",
    "sketch_outputs",
]
ROWS = 1 << 16  # number of rows per chunk when a file is streamed


def __dir__() -> list[str]:
    return __all__


def read_outputs(
    path: str | os.PathLike[str],
    *,
    confidence: str = "confidence",
    correct: str | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    model: str | None = None,
    by: str | None = None,
    weight: str | None = None,
    item: str | None = None,
    keep_truth: bool = False,
    empty_truth: bool = False,
    group: str | Sequence[str] | None = None,
    empty_confidence: bool = False,
    compare: Literal["text", "number"] | None = None,
    open: Literal["refuse", "wrong"] = "refuse",  # noqa: A002, as users say it
) -> Outputs:
    r"""Read outputs and their confidences from a file.

    By default, the column ``correct`` is used or, if it is missing, the columns ``prediction`` and
    ``truth``.

    Parameters
    ----------
    path : str or path-like
        A ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet`` file, or a directory that holds
        only Parquet files with the same columns. These are read in the order of their names. Text files
        are in UTF-8 and may end in ``.gz``. CSV and TSV files have a header. The delimiter of a CSV
        file is a comma, semicolon, tab or vertical bar: the one that splits the header into the largest
        number of fields. Fields may be quoted.
    confidence : str, default="confidence"
        The column of confidences, which must be finite numbers. ``76%`` is read as 0.76. A comma is
        read as a decimal comma if it cannot separate thousands, as in ``0,125`` but not in ``12,345``.
        All numbers of a column must have the same style.
    correct : str, optional
        The column that says whether an output is right: true or false, or 1 or 0. In text columns, the
        words may also be yes/no, right/wrong, correct/incorrect or ok/error.
    prediction : str, optional
        The column of outputs. A null output counts as an empty text, which means that nothing was read.
    truth : str, optional
        The column of true outputs, which must not be null unless `empty_truth` is set. In a CSV file,
        an empty field is null, and ``""`` (two quotes) is an empty text.
    model : str, optional
        The column with the name of the machine that made each output.
    by : str, optional
        The column with the group of each item.
    weight : str, optional
        The column of weights, which must be finite and not negative.
    item : str, optional
        The column that identifies each item by a text or number; it must not be null.
    keep_truth : bool, default=False
        Whether to return the true outputs, too.
    empty_truth : bool, default=False
        Whether a null truth counts as an empty text. Python's ``csv.writer`` and pandas write empty
        texts this way.
    group : str or sequence of str, optional
        The column with groups of dependent items, such as pages; it must not be null. There may be two
        such columns. If one is nested in the other, only the outer column is kept; otherwise the groups
        are crossed.
    empty_confidence : bool, default=False
        Whether confidences may be null or empty. Outputs without a confidence are never accepted, at
        any threshold. Files written by ``fastarac ocr -o`` may have empty confidences even without this
        option.
    compare : {"text", "number"}, optional
        Whether two texts for the same number, such as ``9.0`` and ``9``, count as different ("text") or
        as equal ("number"). Without `compare`, such a pair raises an error.
    open : {"refuse", "wrong"}, default="refuse"
        Whether an empty answer in `correct` raises an error ("refuse"), or counts as wrong and a
        warning gives the number of such answers ("wrong"). Use "wrong" only if people were to verify
        all rows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.io import read_outputs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "outputs.csv")
    ...     _ = path.write_text("prediction,truth,confidence\n007,007,0.9\n7,007,0.4\n")
    ...     outputs = read_outputs(path, compare="text")
    >>> outputs.correct, outputs.confidence
    (array([ True, False]), array([0.9, 0.4]))

    Returns
    -------
    outputs : Outputs
        The columns as arrays. Other columns of the file are not converted; in a Parquet file, they are
        not even read.

    Raises
    ------
    DataFileError
        If the file cannot be read, has no rows, lacks a column, holds an invalid value, or exceeds
        :func:`reading_limits`. The message names the file, the row and the column.
    ValueError
        If `correct` is given together with `prediction` or `truth`, or if only one of `prediction` and
        `truth` is given.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    read_models : read the outputs of several models
    Outputs : outputs of machines, one row per item
    fastarac.evaluate : compute all metrics of one model

    Notes
    -----
    Text files are compared as texts by default, including numbers in JSON lines. Parquet files are
    compared as texts or as numbers; comparing texts with numbers is an error unless `compare` is
    "number".
    """
    first, second = _columns_of_groups(group)
    columns = Columns(
        confidence, correct, prediction, truth, model, by, weight, item, keep_truth, empty_truth, first,
        empty_confidence, second, compare, open,
    )  # fmt: skip
    with connect() as connection:
        texts = {field: Texts() for field in FIELDS}
        fields = columns.read(open_source(path_of(path), connection), texts)
        found = with_names(with_codes(fields, texts), texts)
        return found.with_outermost().with_rejects_below()


def read_models(
    files: Mapping[str, str | os.PathLike[str]],
    *,
    confidence: str | Sequence[str] = "confidence",
    correct: str | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    model: str | None = None,
    by: str | None = None,
    weight: str | None = None,
    item: str | Literal[False] | None = None,
    empty_truth: bool = False,
    group: str | Sequence[str] | None = None,
    empty_confidence: bool = False,
    compare: Literal["text", "number"] | None = None,
    open: Literal["refuse", "wrong"] = "refuse",  # noqa: A002, as users say it
    same_items: bool = False,
    on_file: Callable[[str], None] | None = None,
) -> Models:
    r"""Read the outputs of several models, with one file per model or a column of model names.

    Parameters
    ----------
    files : mapping of str to path-like
        The files, by model name. With `model`, these names are ignored, because that column holds the
        model of each output; a model's outputs may then be spread over several files.
    confidence : str or sequence of str, default="confidence"
        The column of confidences, as in :func:`read_outputs`, or several columns. Each of several
        columns is a model, named after the column, with the file's name before it if there are several
        files.
    correct, prediction, truth, model, by, weight
        As in :func:`read_outputs`.
    empty_truth, group, empty_confidence, compare, open
        As in :func:`read_outputs`.
    item : str or False, optional
        The column that identifies each item; within a model's outputs, no value may occur twice. False
        means that there is no such column. With `same_items`, the default is the column ``id``, if all
        files have it without empty values and no model has a value twice.
    same_items : bool, default=False
        Whether to return only items that all models have, in the order of the first model. Items are
        matched by `item`. Without an item column, they are matched by position, and all models must
        have the same number of outputs. If the column ``id`` is used because `item` was left out, all
        models must have the same items.
    on_file : callable, optional
        Called with the name of each file before it is read.

    Returns
    -------
    models : Models
        The outputs by model, and a message if the models have different items.

    Raises
    ------
    DataFileError
        As in :func:`read_outputs`.
    ValueError
        If an item occurs more than once in a model's outputs, if `confidence` has a column twice, or
        if it has several and `model` is given. With `same_items`, also if there is only one model, if
        no item is in all models, or if the truth, weight or group of an item depends on the model.

    See Also
    --------
    read_outputs : read outputs and their confidences from a file
    fastarac.compare_models : compare models on the same items or groups
    Models : the outputs of several models

    Notes
    -----
    Items are matched as texts, by 128-bit hashes that DuckDB computes while it reads the files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.io import read_models
    >>> with TemporaryDirectory() as folder:
    ...     a, b = Path(folder, "a.csv"), Path(folder, "b.csv")
    ...     _ = a.write_text("page,correct,confidence\np1,1,0.9\np2,0,0.4\n")
    ...     _ = b.write_text("page,correct,confidence\np2,1,0.8\np1,1,0.7\n")
    ...     models = read_models({"a": a, "b": b}, item="page", same_items=True).outputs
    >>> models["b"].confidence
    array([0.7, 0.8])
    """
    first, second = _columns_of_groups(group)
    columns = Columns(
        _first_confidence(confidence, model), correct, prediction, truth, model, by, weight, item,
        same_items, empty_truth, first, empty_confidence, second, compare, open,
    )  # fmt: skip
    if not isinstance(files, Mapping):
        raise TypeError(f"files must be a mapping of names to paths, got type {type(files).__name__}")
    paths = {name: Path(path) for name, path in files.items()}
    found = read_files(paths, columns, confidence, same_items=same_items, on_file=on_file)
    outputs = {name: each.with_outermost() for name, each in found.outputs.items()}
    return found._replace(outputs=read_only(outputs))


def _first_confidence(confidence: str | Sequence[str], model: str | None) -> str:
    """Return the first column of confidences; raise if one repeats, or if several go with `model`."""
    if isinstance(confidence, str):
        return confidence
    if not confidence or len(set(confidence)) < len(confidence):
        raise ValueError(
            f"confidence must name one column, or several different ones, got {list(confidence)}"
        )
    if model is not None:
        raise ValueError("confidence must name one column if model is given")
    return confidence[0]


def _columns_of_groups(group: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return two names of columns of groups; a missing one is None."""
    names = [group] if group is None or isinstance(group, str) else list(group)
    if not 1 <= len(names) <= 2:
        raise ValueError(f"group must name one or two columns, got {len(names)}")
    return names[0], names[1] if len(names) > 1 else None


def sketch_outputs(
    path: str | os.PathLike[str],
    *,
    max_width: float = 1e-3,
    max_memory: int | None = None,
    confidence: str = "confidence",
    correct: str | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    empty_truth: bool = False,
    compare: Literal["text", "number"] | None = None,
) -> ThresholdSketch:
    r"""Count the outputs in a file of any size, reading it in batches of rows.

    Parameters
    ----------
    path : str or path-like
        A file as in :func:`read_outputs`.
    max_width : float, default=1e-3
        Maximum width of the bounds of the ROC-AUC, in [1e-12, 1), as for :class:`.ThresholdSketch`.
    max_memory : int, optional
        Maximum memory in bytes that DuckDB may use to read the file; by default, most of the machine's
        memory.
    confidence, correct, prediction, truth, empty_truth, compare
        As in :func:`read_outputs`.

    Returns
    -------
    ThresholdSketch

    Raises
    ------
    DataFileError
        As in :func:`read_outputs`; also if numbers are larger than 2**53, or if memory runs out.
    ValueError
        As in :func:`read_outputs`; also if `max_width` is outside [1e-12, 1).
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    fastarac.frames.ThresholdSketch : counts of a stream of items, in constant memory
    read_outputs : read outputs and their confidences from a file

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.io import sketch_outputs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "outputs.csv")
    ...     _ = path.write_text("prediction,truth,confidence\n007,007,0.9\n7,007,0.4\n")
    ...     sketch = sketch_outputs(path, compare="text")
    >>> sketch.bounds().roc_auc
    Bounds(low=1.0, high=1.0)
    """
    from fastarac.bounds.sketch import ThresholdSketch

    columns = Columns(confidence, correct, prediction, truth, empty_truth=empty_truth, compare=compare)
    sketch = ThresholdSketch(max_width)
    with connect(alone=True) as connection:
        if max_memory is not None:
            connection.execute(f"SET memory_limit = '{whole_number(max_memory, 'max_memory', 1)}B'")
        source = open_source(path_of(path), connection)
        for right, confidences in columns.batches(source, ROWS):
            sketch.update(right, confidences)
    return sketch
