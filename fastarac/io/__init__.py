"""Read a machine's outputs from CSV, TSV, JSON lines and Parquet files.

DuckDB reads them, which the extra ``cli`` installs. It is one package without
dependencies for all four formats, and takes less than half the space of polars or pyarrow. Texts
are compared inside it, so that no Python string is made per item, and numbers come back as numpy
arrays. A row of a CSV file with too few fields is an error, where other readers fill it with nulls.

Its guesses about dialects and types are switched off: every field of a text file is read as text,
and what it means is decided here. It loads no extensions and never reaches for the network.
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
ROWS = 1 << 16  # of a file that are read at a time where it is streamed


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
) -> Outputs:
    r"""Read outputs and their confidences from a file.

    Without `correct`, `prediction` and `truth`, the column ``correct`` is used if there is one, else
    ``prediction`` and ``truth``.

    Parameters
    ----------
    path : str or path-like
        A ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet`` file; text in UTF-8, also with
        ``.gz``. CSV and TSV files have a header; a CSV file is separated by whichever of comma,
        semicolon, tab and bar divides it most, and may have quotes. Or a directory of Parquet files
        with the same columns and nothing else, read in the order of their names.
    confidence : str, default="confidence"
        The column of confidences: finite numbers. ``76%`` is 0.76. The point may be a comma where it
        cannot part thousands: ``0,125``, but not ``12,345``. A column is written in one way throughout.
    correct : str, optional
        The column that says whether an output is right: true or false, or 1 or 0; in texts also one
        pair of yes/no, right/wrong, correct/incorrect, ok/error.
    prediction : str, optional
        The column of outputs. An empty or null output is the empty text: nothing was read.
    truth : str, optional
        The column of what the outputs should be; not null, unless `empty_truth` says so. In a CSV file
        an empty field is null, and ``""`` in quotes is the empty text.
    model : str, optional
        The column with the name of the machine that made each output.
    by : str, optional
        The column with the group each item belongs to.
    weight : str, optional
        The column of weights: finite numbers, not negative.
    item : str, optional
        The column that identifies each item: texts or numbers, not null.
    keep_truth : bool, default=False
        Whether to return the truths, too.
    empty_truth : bool, default=False
        Whether a null truth is the empty text, as Python's ``csv.writer`` and pandas write it.
    group : str or sequence of str, optional
        The column of groups of items that depend on each other, such as pages: not null. Two columns
        may be nested, of which the outer one is kept, or crossed.
    empty_confidence : bool, default=False
        Whether the confidence may be null, or empty: no threshold accepts such outputs. Files of
        ``fastarac ocr -o`` always may have such.
    compare : {"text", "number"}, optional
        Whether texts that are written differently and are the same number, such as ``9.0`` and ``9``,
        are different or the same. Without it they are an error.

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
        The columns as arrays. Other columns of the file are not converted, and those of a Parquet
        file not even read.

    Raises
    ------
    DataFileError
        If the file cannot be read, has no rows, lacks a column, holds a value that does not belong
        there, or exceeds :func:`reading_limits`. The message names the file, the row and the column.
    ValueError
        If `correct` is given together with `prediction` or `truth`, or only one of the latter.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    read_models : the same of several models
    Outputs : outputs of machines, one row per item
    fastarac.evaluate : all figures of one model

    Notes
    -----
    Predictions and truths in text files, and numbers of JSON lines, are compared as texts unless
    `compare` says otherwise. In Parquet files texts are compared as texts and numbers as numbers; one
    of each is an error, unless `compare` is "number".
    """
    first, second = _columns_of_groups(group)
    columns = Columns(
        confidence, correct, prediction, truth, model, by, weight, item, keep_truth, empty_truth, first,
        empty_confidence, second, compare,
    )  # fmt: skip
    with connect() as connection:
        texts = {field: Texts() for field in FIELDS}
        fields = columns.read(open_source(path_of(path), connection), texts)
        found = with_names(with_codes(fields, texts), texts)
        return found.with_outermost().with_rejects_below()


def read_models(
    files: Mapping[str, str | os.PathLike[str]],
    *,
    confidence: str = "confidence",
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
    same_items: bool = False,
    on_file: Callable[[str], None] | None = None,
) -> Models:
    r"""Read the outputs of several models: one a file, or as a column says.

    Parameters
    ----------
    files : mapping of str to path-like
        The files, by the names of their models. With `model` the column says which model made an
        output, and the outputs of a model may stand in several files.
    confidence, correct, prediction, truth, model, by, weight
        As :func:`read_outputs` takes them.
    empty_truth, group, empty_confidence, compare
        As :func:`read_outputs` takes them.
    item : str or False, optional
        The column that identifies each item, once in the outputs of a model. Of the same items, by
        default, the column ``id`` where all files have it, without gaps, and no model has a value
        twice; False for none.
    same_items : bool, default=False
        Whether outputs are those of the items that all models have, in the order of the first model:
        matched by `item`, or without that as they stand in the files, which then have to have equal
        numbers of them. By a column ``id`` that was not named, all models have to have all items.
    on_file : callable, optional
        Is told the name of each file before it is read.

    Returns
    -------
    models : Models
        The outputs by model, and what tells that the models have different items.

    Raises
    ------
    DataFileError
        As by :func:`read_outputs`.
    ValueError
        If an item is in the outputs of a model more than once, or, of the same items, if there is one
        model alone, if there are none that all models have, or if the truth, the weight or the group
        of an item depends on the model.

    See Also
    --------
    read_outputs : read outputs and their confidences from a file
    fastarac.compare_models : compare models on the same items or groups
    Models : the outputs of several models

    Notes
    -----
    Items are matched as texts, by 128 bits of hashes that DuckDB finds while it reads the files.

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
        confidence, correct, prediction, truth, model, by, weight, item, same_items, empty_truth, first,
        empty_confidence, second, compare,
    )  # fmt: skip
    if not isinstance(files, Mapping):
        raise TypeError(f"files must be a mapping of names to paths, got type {type(files).__name__}")
    paths = {name: Path(path) for name, path in files.items()}
    found = read_files(paths, columns, same_items=same_items, on_file=on_file)
    outputs = {name: each.with_outermost() for name, each in found.outputs.items()}
    return found._replace(outputs=read_only(outputs))


def _columns_of_groups(group: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the one column of groups, or both."""
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
    r"""Count the outputs in a file of any size, a batch of rows at a time.

    Parameters
    ----------
    path : str or path-like
        A file as :func:`read_outputs` takes it.
    max_width : float, default=1e-3
        As for :class:`.ThresholdSketch`: the largest width of the bounds of the ROC-AUC, in [1e-12, 1).
    max_memory : int, optional
        Bytes that DuckDB may take to read the file; what it takes by default is most of the machine's.
    confidence, correct, prediction, truth, empty_truth, compare
        As :func:`read_outputs` takes them.

    Returns
    -------
    ThresholdSketch

    Raises
    ------
    DataFileError
        As by :func:`read_outputs`, also for numbers beyond 2**53 and where the memory does not do.
    ValueError
        As by :func:`read_outputs`; also for a `max_width` outside [1e-12, 1).
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    fastarac.frames.ThresholdSketch : counts of a stream of items, in memory that does not grow with it
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
