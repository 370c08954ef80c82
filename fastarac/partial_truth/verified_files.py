"""Read files of partly verified outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from fastarac._core.checks import choice
from fastarac._core.files import path_of
from fastarac._core.results import Table, TupleResult
from fastarac._core.text import plural, quoted
from fastarac.io._formats import open_source
from fastarac.io._picks import COUNT_OPEN, Correct, Number, Open, Pick, warn_of_open
from fastarac.io._sources import DataFileError, connect
from fastarac.operation.logs import read_columns
from fastarac.partial_truth.sample_files import DRAWN_BY, LEAST, SIZE, drawn_by, least_of
from fastarac.samples.partial import PartialTruth, truth_of_some

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.io._sources import FileSource


class _VerifiedOutputs(NamedTuple):
    correct: PartialTruth
    confidence: NDArray[Any]


class VerifiedOutputs(Table, TupleResult, _VerifiedOutputs):
    """Partly verified outputs: the known truth, and the confidences of all outputs.

    See Also
    --------
    fastarac.partial_truth.read_verified : read outputs of which some are verified
    fastarac.PartialTruth : truth of those items that people verified

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> truth = fa.PartialTruth([1, np.nan], inclusion_probability=0.5)
    >>> fa.results.VerifiedOutputs(truth, np.array([0.9, 0.8]))
    VerifiedOutputs(correct=PartialTruth(1 of 2 verified), confidence=array([0.9, 0.8]))
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, Any]:
        """Return columns with one row per output; `correct` is NaN for unverified outputs."""
        return self.correct.to_columns() | {"confidence": self.confidence}


def read_verified(
    path: str | os.PathLike[str],
    *,
    confidence: str = "confidence",
    correct: str = "correct",
    inclusion_probability: str = "inclusion_probability",
    judge: str | Sequence[str] | None = None,
    groups: str | None = None,
    drawn: str | None = None,
    least_probability: str | None = None,
    open: Open = "refuse",  # noqa: A002, as users say it
) -> VerifiedOutputs:
    r"""Read partly verified outputs from a file, such as one that :func:`join_answers` wrote.

    Parameters
    ----------
    path : str or path-like
        A file as in :func:`.read_outputs`.
    confidence, correct, inclusion_probability : str
        The columns; `correct` is empty for unverified outputs, and the probability may be empty for
        outputs that were not drawn.
    judge : str or sequence of str, optional
        The column of a judge, or those of several judges.
    groups, drawn, least_probability : str, optional
        The columns for these parameters of :class:`.PartialTruth`. `drawn` and `least_probability`
        default to columns of these names, if the file has them. `groups` defaults to the column named
        in ``drawn_by``, which :func:`sample_outputs` writes if groups were drawn whole.
    open : {"refuse", "wrong"}, default="refuse"
        What to do with drawn outputs without an answer: raise an error, or count them as wrong with a
        warning.

    Returns
    -------
    VerifiedOutputs
        A tuple that functions accept instead of (correct, confidence).

    Raises
    ------
    DataFileError
        As in :func:`.read_outputs`; also for a judge value outside [0, 1], for a drawn output without
        an answer, and in all other cases in which :class:`.PartialTruth` raises.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    join_answers : write all outputs with the answers to those that were drawn
    fastarac.PartialTruth : truth of those items that people verified
    fastarac.io.read_outputs : read outputs whose truth is known

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> rows = ["confidence,correct,inclusion_probability", "0.9,1,0.5", "0.8,,", "0.3,0,0.5"]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "verified.csv")
    ...     _ = path.write_text("\n".join(rows))
    ...     correct, confidence = fa.partial_truth.read_verified(path)
    >>> correct
    PartialTruth(2 of 3 verified)
    """
    return read_verified_fields(
        path, by=None, confidence=confidence, correct=correct,
        inclusion_probability=inclusion_probability, judge=judge, groups=groups, drawn=drawn,
        least_probability=least_probability, open=open,
    )[0]  # fmt: skip


def read_verified_models(
    sources: Mapping[str, tuple[Path, str]], *, item: str | None = None, **columns: Any
) -> dict[str, VerifiedOutputs]:
    """Read the partly verified outputs of several models, each as :func:`read_verified` does.

    `sources` holds each model's file and column of confidences. `item` is the column that identifies
    items; without it, outputs are matched by position. All outputs are sorted as in the first file.
    Each file must have the same items, because items in common would have unknown probabilities.
    """
    read = {
        name: read_verified_fields(path, by=item, **{**columns, "confidence": confidence})
        for name, (path, confidence) in sources.items()
    }
    found = {name: outputs for name, (outputs, _) in read.items()}
    if item is None:
        return found
    orders: dict[str, NDArray[np.intp]] = {}
    first, names = "", np.empty(0)
    for name, (_, of_file) in read.items():
        labels: NDArray[Any] = np.asarray(of_file)
        of_items, places, counts = np.unique(labels, return_index=True, return_counts=True)
        path = sources[name][0]
        if counts.max() > 1:
            twice = quoted(str(of_items[counts > 1][0]))
            raise DataFileError(
                path, f"column {quoted(item)} must hold each item once, got {twice} twice"
            )
        if not orders:
            first, names = name, of_items
        for lacking, there, missing in (
            (path, sources[first][0], np.setdiff1d(names, of_items)),
            (sources[first][0], path, np.setdiff1d(of_items, names)),
        ):
            if len(missing):
                which = f"{len(missing):,} of its items, such as {quoted(str(missing[0]))}, are"
                if len(missing) == 1:
                    which = f"its item {quoted(str(missing[0]))} is"
                raise DataFileError(
                    there,
                    f"{which} not in {lacking}; both must have the same items, each with its "
                    "probability of being drawn",
                )
        orders[name] = places
    back = np.argsort(orders[first], kind="stable")
    for name, (correct, confidence) in found.items():
        order = orders[name][back]
        found[name] = VerifiedOutputs(truth_of_some(correct, order), confidence[order])
    return found


def read_verified_fields(
    path: str | os.PathLike[str],
    *,
    by: str | None,
    confidence: str = "confidence",
    correct: str = "correct",
    inclusion_probability: str = "inclusion_probability",
    judge: str | Sequence[str] | None = None,
    groups: str | None = None,
    drawn: str | None = None,
    least_probability: str | None = None,
    open: Open = "refuse",  # noqa: A002, as users say it
) -> tuple[VerifiedOutputs, NDArray[Any] | None]:
    """Read outputs as :func:`read_verified` does, and their fields from the column `by`."""
    picks: dict[str, Pick] = {
        "confidence": Number("confidence", confidence),
        "correct": Correct("correct", correct),
        "inclusion_probability": Number("inclusion_probability", inclusion_probability),
    }
    judges = {
        f"judge {j}": name for j, name in enumerate([judge] if isinstance(judge, str) else judge or ())
    }
    picks |= {key: Number(key, name) for key, name in judges.items()}
    with connect() as connection:
        source = open_source(path_of(path), connection)
        if drawn is not None or "drawn" in source.columns:
            picks["drawn"] = Correct("drawn", drawn or "drawn")
        if least_probability is not None or LEAST in source.columns:
            picks[LEAST] = Number(LEAST, least_probability or LEAST)
        if groups is None and DRAWN_BY in source.columns:
            groups = drawn_by(source)
        may_be_empty = ("correct", "inclusion_probability")
        found = read_columns(source, picks, {"groups": groups, "by": by}, may_be_empty)
        if (
            SIZE in source.columns
            and "drawn" not in found
            and not (found["inclusion_probability"] == 1.0).all()
        ):
            raise DataFileError(
                source.path,
                "it has only the drawn outputs, but all outputs are needed, together with the answers: "
                "join_answers, or fastarac sample FILE --answers ANSWERS -o ALL, writes such a file",
            )
        choice(open, "open", get_args(Open))
        if open == "wrong" and "drawn" in found:
            left = (found["drawn"] == 1) & np.isnan(found["correct"])
            warn_of_open(source, correct, int(left.sum()), int((found["drawn"] == 1).sum()))
            found["correct"][left] = 0.0
        least = _checked_least(source, picks, found, judges)
        try:
            truth = PartialTruth(
                found["correct"],
                inclusion_probability=found["inclusion_probability"],
                judge=np.stack([found[key] for key in judges], axis=1) if judges else None,
                groups=found["groups"],
                least_probability=least,
            )
        except ValueError as error:
            message = str(error).replace("correct is NaN", f"column {quoted(correct)} is empty")
            raise DataFileError(source.path, message) from None
    return VerifiedOutputs(truth, found["confidence"]), found["by"]


def _checked_least(
    source: FileSource,
    picks: Mapping[str, Pick],
    found: Mapping[str, Any],
    judges: Mapping[str, str],
) -> float | None:
    """Return the least probability, or None if the file lacks the column; raise for invalid rows."""
    column = {name: pick.column for name, pick in picks.items()}
    known, probability = ~np.isnan(found["correct"]), found["inclusion_probability"]
    is_drawn = found["drawn"] == 1 if "drawn" in found else known
    no_chance = ~((probability > 0) & (probability <= 1))
    wanted = "expected a number above 0 and at most 1"
    for bad, why in (
        (is_drawn & no_chance, f"{wanted} for a drawn output"),
        (~np.isnan(probability) & no_chance, f"{wanted}, or an empty cell if it is unknown"),
    ):
        _refuse_rows(source, column["inclusion_probability"], bad, why)
    for key, name in judges.items():
        bad = ~((found[key] >= 0) & (found[key] <= 1))
        _refuse_rows(source, name, bad, "expected a number in [0, 1]")
    surplus = "it must be empty, because the output was not drawn"
    _refuse_rows(source, column["correct"], known & ~is_drawn, surplus)
    least = None
    if LEAST in found:
        least = least_of(source, column[LEAST], found[LEAST])
        why = f"expected a number of at least {least:g}, the least probability"
        _refuse_rows(source, column["inclusion_probability"], probability < least, why)
    unanswered = f"the output was drawn: fill in the answer, or {COUNT_OPEN}"
    _refuse_rows(source, column["correct"], is_drawn & ~known, unanswered)
    return least


def _refuse_rows(source: FileSource, column: str, bad: NDArray[np.bool_], why: str) -> None:
    """Raise an error about the first bad row, with the number of bad rows."""
    if bad.any():
        others = int(bad.sum()) - 1
        beside = f" (and {others:,} more such {plural('row', others)})" if others else ""
        raise source.unexpected(column, int(bad.argmax()), why + beside)
