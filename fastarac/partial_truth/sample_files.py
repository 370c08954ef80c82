"""Draw outputs to verify from a file, and join the answers with all outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from fastarac._core.checks import choice
from fastarac._core.exceptions import warn_unreliable
from fastarac._core.files import path_of
from fastarac._core.random_state import key_of
from fastarac._core.text import quoted
from fastarac.io._cells import around_query
from fastarac.io._formats import JsonLines, RowsOfFiles, open_source
from fastarac.io._pages import ID
from fastarac.io._picks import Correct, Label, Number, Open, Pick, warn_of_open
from fastarac.io._sources import DataFileError, connect, copied_to, explained, sql_name, sql_text
from fastarac.operation.acceptance import NewOutputs
from fastarac.operation.application import all_columns, copy_options, require_format
from fastarac.operation.document_logs import require_listed, without_confidence
from fastarac.operation.logs import (
    OF_AUDIT,
    PROBABILITY,
    ROUNDING,
    column_of,
    labels_of,
    read_columns,
    warn_of_accepted_alone,
)
from fastarac.partial_truth.double_readings import DOUBLE, SECOND, drawn_twice
from fastarac.partial_truth.label_files import has_labels_alone, labels_by_id
from fastarac.partial_truth.sampling import VerificationSample, draw_verification_sample

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.io._sources import FileSource
    from fastarac.operation.policy import Policy
    from fastarac.partial_truth.sampling import Purpose

ROW = "row"
LEAST = "least_probability"
# This column repeats the number of drawn rows in each row, so that deleted rows are noticed.
SIZE = "sample_size"
# If whole groups were drawn, this column repeats the name of the column of groups in each row.
DRAWN_BY = "drawn_by"
ANSWER = 'nullif(drawn.correct, -1) AS "correct"'


def sample_outputs(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    budget: float,
    *,
    purpose: Purpose | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    confidence: str = "confidence",
    judge: str | None = None,
    mix: float | None = None,
    strata: str | None = None,
    groups: str | None = None,
    policy: Policy | None = None,
    by: str | None = None,
    documents: str | None = None,
    types: str | None = None,
    answers: str | os.PathLike[str] | None = None,
    double: float = 0.0,
    random_state: RandomState = 0,
) -> VerificationSample:
    r"""Draw outputs to verify from a file, and write a file that people fill in.

    Parameters
    ----------
    path : str or path-like, or sequence of them
        A file as in :func:`.read_outputs`; no truth is needed. Several files with the same columns,
        such as the two files of :func:`.apply_policy`, are read one after the other.
    output : str or path-like
        The file to write: ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. It contains the
        drawn rows with all their columns, in the order of the input. Added columns: ``row``, the row
        number from 1; ``inclusion_probability``; ``least_probability``, the smallest probability among
        all rows of the input, for guarantees; ``sample_size``, the number of drawn rows; and an empty
        ``correct``. With `groups`, the column ``drawn_by`` repeats the name of the column of groups.
    budget : float
        The average number of outputs to verify.
    purpose, max_error_rate, max_risk
        As in :func:`.draw_verification_sample`; not with a policy.
    confidence : str, default="confidence"
        The column of confidences.
    judge, strata, groups : str, optional
        The columns for these parameters of :func:`.draw_verification_sample`.
    mix : float, optional
        As in :func:`.draw_verification_sample`. For audits the default is 1 even with a judge, because
        the guarantee is exact only with equal probabilities.
    policy : Policy, optional
        Draw audits of the outputs that the policy accepts, instead of a sample of all outputs. The file
        then has all rows, with ``accepted``, ``drawn`` and ``audit_probability``. Fill in ``correct``
        for the drawn outputs, and read the file with :func:`.read_audits`. An existing column
        ``accepted`` must agree with the policy. Rows without a confidence are never accepted, and are
        left out. With a policy for whole documents, whole documents are drawn. The file then keeps rows
        without a confidence; their answer says whether it is right that the field is empty.
    by : str, optional
        The column of fields, if the policy has thresholds by field.
    documents, types : str, optional
        The columns of documents and of their types, if the policy accepts whole documents.
    answers : str or path-like, optional
        A file from an earlier call with a smaller budget and the same columns and seed. The new sample
        contains its rows, and keeps their answers. A seed gives each row a permanent random number
        (Ohlsson 1995), so that a larger sample contains every smaller one. All rows get the
        `inclusion_probability` of the new sample.
    double : float, default=0.0
        The share of the drawn rows that two people answer. These rows have 1 in a column ``double``.
        Fill in the second answer as ``second_correct``; :func:`reader_of_answers` reads both. Not
        allowed with a policy or `answers`.
    random_state : int, SeedSequence, Generator or None, default=0
        The same integer draws the same rows.

    Returns
    -------
    VerificationSample
        The sample of all rows or, for audits, of the accepted rows.

    Raises
    ------
    DataFileError
        As in :func:`.read_outputs`; also if the file already has one of the added columns, if `answers`
        has rows that are not drawn with this budget and seed, or if an accepted document has no row for
        an optional field, because a missed value would then go unnoticed.
    ValueError
        As in :func:`.draw_verification_sample`; also if `answers` is given with a policy, or if a file
        name has an unknown extension.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    draw_verification_sample : draw the outputs that people verify
    join_answers : write all outputs with the answers to those that were drawn
    read_verified : read outputs of which some are verified

    References
    ----------
    Ohlsson 1995, "Coordination of samples using permanent random numbers", in: Business survey methods.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> with TemporaryDirectory() as folder:
    ...     path, goal = Path(folder, "a.csv"), Path(folder, "to_verify.csv")
    ...     _ = path.write_text("text,confidence\nfoo,0.9\nbar,0.4\n")
    ...     sample = fa.partial_truth.sample_outputs(path, goal, 2)
    ...     print(goal.read_text())
    row,text,confidence,inclusion_probability,least_probability,sample_size,correct
    1,foo,0.9,1.0,1.0,2,
    2,bar,0.4,1.0,1.0,2,
    <BLANKLINE>
    """
    paths = _paths_of(path)
    goal = goal_of(output, *paths, *([] if answers is None else [answers]))
    return draw_rows(
        lambda connection: opened_tables(paths, connection), goal, budget,
        purpose=purpose, max_error_rate=max_error_rate, max_risk=max_risk,
        confidence=confidence, judge=judge, mix=mix, strata=strata, groups=groups, policy=policy, by=by,
        documents=documents, types=types, answers=answers, double=double, random_state=random_state,
    )  # fmt: skip


def join_answers(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    answers: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    confidence: str = "confidence",
    open: Open = "refuse",  # noqa: A002, as users say it
) -> tuple[int, int]:
    r"""Write all outputs of a file, with the answers to the drawn ones.

    Parameters
    ----------
    path : str or path-like, or sequence of them
        The file or files from which outputs were drawn.
    answers : str or path-like
        The file that :func:`sample_outputs` wrote, with ``correct`` filled in where it is known. Or a
        file with the columns ``id`` and ``correct``, of outputs that were drawn at random; they are
        matched by the column ``id`` of `path`, and all get the same probability, with a warning.
    output : str or path-like
        The file to write: all rows of `path`, with ``inclusion_probability``, ``drawn`` and
        ``correct``. The columns ``least_probability`` and ``drawn_by`` are added if `answers` has them.
    confidence : str, default="confidence"
        The column of confidences, used to check that both files have the same outputs.
    open : {"refuse", "wrong"}, default="refuse"
        What to do with a drawn output without an answer: leave ``correct`` empty, which other functions
        refuse, or write it as wrong.

    Returns
    -------
    drawn, answered : int
        The number of drawn rows, and the number of those rows that have an answer.

    Raises
    ------
    DataFileError
        As in :func:`.read_outputs`; also if a row of `answers` occurs twice, is not in the file, or has
        a different confidence there, or if a drawn row is missing.
    ValueError
        If a file name has an unknown extension, or the files are not all different.

    See Also
    --------
    sample_outputs : draw the outputs of a file that people verify
    read_verified : read outputs of which some are verified

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> with TemporaryDirectory() as folder:
    ...     path, drawn, goal = (Path(folder, name) for name in ("a.csv", "b.csv", "c.csv"))
    ...     _ = path.write_text("confidence\n0.9\n0.4\n")
    ...     _ = drawn.write_text("row,confidence,inclusion_probability,correct\n2,0.4,0.5,1\n")
    ...     found = fa.partial_truth.join_answers(path, drawn, goal)
    ...     print(goal.read_text())
    confidence,inclusion_probability,drawn,correct
    0.9,,0,
    0.4,0.5,1,1
    <BLANKLINE>
    >>> found
    (1, 1)
    """
    paths = _paths_of(path)
    return join_rows(
        lambda connection: opened_tables(paths, connection), answers,
        goal_of(output, *paths, answers), confidence=confidence, open=open,
    )  # fmt: skip


def draw_rows(
    open_rows: Callable[[DuckDBPyConnection], FileSource],
    goal: Path,
    budget: float,
    *,
    purpose: Purpose | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    confidence: str = "confidence",
    judge: str | None = None,
    mix: float | None = None,
    strata: str | None = None,
    groups: str | None = None,
    policy: Policy | None = None,
    by: str | None = None,
    documents: str | None = None,
    types: str | None = None,
    answers: str | os.PathLike[str] | None = None,
    double: float = 0.0,
    random_state: RandomState = 0,
    beside: Callable[[NDArray[np.intp]], Mapping[str, Sequence[str]]] | None = None,
) -> VerificationSample:
    """Draw as :func:`sample_outputs` does, from the rows that `open_rows` opens.

    `beside` maps the positions of the drawn rows to additional text columns.
    """
    aims: dict[str, Any] = {"purpose": purpose, "max_error_rate": max_error_rate, "max_risk": max_risk}
    added = _columns_added(groups, policy, answers, aims, double=bool(double))
    mix = _mix_of(mix, judge, policy)
    with connect() as connection:
        source = open_rows(connection)
        of_apply = policy is not None and "accepted" in source.columns
        refuse_columns(source, [name for name in added if not of_apply or name != "accepted"])
        _refuse_answered(goal, connection)
        labels = {"strata": strata, "groups": groups or documents, "by": by, "types": types}
        read = columns_to_draw(source, confidence, judge, labels, empty=policy is not None)
        given = ~np.isnan(read["confidence"])
        taken = given if policy is None else _accepted_by(policy, source, read, given)
        columns = {
            name: None if read[name] is None else read[name][taken]
            for name in ("judge", "strata", "groups")
        }
        values = without_confidence(read["confidence"])[0][taken]
        sample = draw_verification_sample(
            values, budget, mix=mix, random_state=random_state, **aims, **columns
        )
        if policy is None:
            table = _design_of(sample)
        else:
            whole = policy.documents is not None
            table = _log_of(sample, taken, np.ones(len(given), np.bool_) if whole else given)
        answer = 'NULL AS "correct"'
        if answers is not None:
            of_answers = open_source(path_of(answers, "answers"), connection)
            before = _Answers.read(of_answers, source, confidence, read["confidence"])
            table["correct"], answer = before.among(sample)[sample.selected], ANSWER
        hidden = ROW, "correct"
        if double:
            table[DOUBLE] = drawn_twice(table[ROW], double, key_of(random_state))
            answer += f', NULL AS "{SECOND}"'
        columns_added = [f"drawn.{sql_name(name)}" for name in table if name not in hidden]
        columns_added += _said_by(groups)
        if beside is not None:
            texts = _texts_beside(beside, np.flatnonzero(taken)[sample.selected], table[ROW])
            columns_added += [f"nullif(drawn.{each}, '') AS {each}" for each in map(sql_name, texts)]
            table |= texts
        write_rows(source, goal, table, [*columns_added, answer], first=True)
        source.require_unchanged()
    return sample


def _columns_added(
    groups: str | None, policy: Policy | None, answers: Any, aims: dict[str, Any], *, double: bool
) -> list[str]:
    """Return the columns that the sample file adds; raise for incompatible options."""
    added = [ROW, PROBABILITY, LEAST, SIZE, "correct", *([] if groups is None else [DRAWN_BY])]
    if policy is not None:
        _refuse_beside_policy(answers=answers, groups=groups, **aims)
        added = [ROW, "accepted", "drawn", OF_AUDIT, "correct"]
    return [*added, *_doubled(answers=answers, policy=policy)] if double else added


def _mix_of(mix: float | None, judge: str | None, policy: Policy | None) -> float | None:
    """Return `mix`, or 1 for a policy by default; raise if a judge would have no effect."""
    if mix is None and policy is not None:
        mix = 1.0
    if judge is not None and mix == 1.0:
        raise ValueError(
            "judge needs a mix below 1: with a mix of 1, the default for a policy, the judge has no "
            "effect"
        )
    return mix


def _log_of(
    sample: VerificationSample, accepted: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """Return, for the `kept` rows, which are accepted, which are drawn, and with what probability."""
    n = len(accepted)
    drawn, probability = np.zeros(n, np.int8), np.ones(n)
    drawn[accepted], probability[accepted] = sample.selected, sample.inclusion_probability
    log: dict[str, NDArray[Any]] = {ROW: np.arange(1, n + 1), "accepted": accepted.astype(np.int8)}
    log |= {"drawn": drawn, OF_AUDIT: probability}
    return {name: values[kept] for name, values in log.items()}


def _texts_beside(
    beside: Callable[[NDArray[np.intp]], Mapping[str, Sequence[str]]],
    drawn: NDArray[np.intp],
    rows: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """Return additional columns for `rows`, numbered from 1; only `drawn` rows get texts."""
    found = {}
    for name, texts in beside(drawn).items():
        every = np.full(int(rows.max(initial=0)), "", object)
        every[drawn] = texts
        found[name] = every[rows - 1]
    return found


def _accepted_by(
    policy: Policy, source: FileSource, read: Mapping[str, Any], given: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which rows the policy accepts; raise if the column ``accepted`` differs."""
    of_documents = policy.documents is not None
    confidence, missing = without_confidence(read["confidence"])
    documents = read["groups"] if of_documents else None
    outputs = NewOutputs(confidence, read["by"], documents, missing, read["types"])
    accepted = policy.rule.apply(outputs)
    if of_documents and not policy.fields_complete:
        try:
            require_listed(policy.rule, outputs)
        except ValueError as error:
            raise DataFileError(source.path, str(error)) from None
    if "accepted" in source.columns:
        told = column_of(source, Correct("accepted", "accepted"), empty=False) == 1
        does = np.where(accepted, "the policy accepts it", "the policy rejects it")
        bad = told != accepted
        refuse_where(source, "accepted", bad, str(does[bad.argmax()]))
    if not accepted.any():
        raise DataFileError(source.path, "the policy accepts none of the outputs")
    if not of_documents:
        _warn_without_confidence(given)
    warn_of_accepted_alone(policy, accepted)
    return accepted


def _design_of(sample: VerificationSample) -> dict[str, NDArray[Any]]:
    """Return the numbers (from 1) and probabilities of the drawn rows, and the size of the sample."""
    n = np.count_nonzero(sample.selected)
    return {
        ROW: np.flatnonzero(sample.selected) + 1,
        PROBABILITY: sample.inclusion_probability[sample.selected],
        LEAST: np.full(n, sample.least_probability),
        SIZE: np.full(n, n),
    }


def join_rows(
    open_rows: Callable[[DuckDBPyConnection], FileSource],
    answers: str | os.PathLike[str],
    goal: Path,
    *,
    confidence: str = "confidence",
    open: Open = "refuse",  # noqa: A002, as users say it
) -> tuple[int, int]:
    """Join as :func:`join_answers` does, with the rows that `open_rows` opens."""
    with connect() as connection:
        of_answers = open_source(path_of(answers, "answers"), connection)
        source = open_rows(connection)
        is_by_group = DRAWN_BY in of_answers.columns
        refuse_columns(source, [PROBABILITY, "drawn", LEAST, "correct", *([DRAWN_BY] * is_by_group)])
        source.require(confidence)
        by_group = drawn_by(of_answers) if is_by_group else None
        ours = column_of(source, Number("confidence", confidence), empty=True)
        found = _Answers.read(of_answers, source, confidence, ours)
        choice(open, "open", get_args(Open))
        n_answered = int(np.sum(~np.isnan(found.correct)))
        if open == "wrong":
            warn_of_open(of_answers, "correct", len(found.correct) - n_answered, len(found.correct))
            found = found._replace(correct=np.nan_to_num(found.correct, nan=0.0))
        given = np.full(len(ours), np.nan)
        given[found.places] = found.probability
        table = {
            ROW: np.arange(1, len(ours) + 1),
            PROBABILITY: given,
            "drawn": (~np.isnan(given)).astype(np.int8),
            "correct": found.spread(len(ours)),
        }
        added = [f"nullif(drawn.{PROBABILITY}, 'nan'::DOUBLE) AS {PROBABILITY}", "drawn.drawn"]
        if found.least is not None:
            table[LEAST] = np.full(len(ours), found.least)
            added.append(f"drawn.{LEAST}")
        added += [*_said_by(by_group), ANSWER]
        write_rows(source, goal, table, added, first=False)
        source.require_unchanged()
    return len(found.places), n_answered


class _Answers(NamedTuple):
    """The content of a file of drawn rows, with their positions among all outputs."""

    source: FileSource
    places: NDArray[np.intp]
    probability: NDArray[np.float64]
    correct: NDArray[np.float64]
    """NaN without an answer."""
    least: float | None
    """The least probability of all outputs; None if the file does not give it."""

    @classmethod
    def read(
        cls, source: FileSource, outputs: FileSource, confidence: str, ours: NDArray[np.float64]
    ) -> _Answers:
        """Read drawn rows, or labels by id; `ours` are the confidences of all outputs."""
        if has_labels_alone(source, ROW, PROBABILITY) and ID in outputs.columns:
            return cls.of_labels(source, outputs, len(ours))
        picks: dict[str, Pick] = {
            ROW: Number(ROW, ROW),
            PROBABILITY: Number(PROBABILITY, PROBABILITY),
            "correct": Correct("correct", "correct"),
            "confidence": Number("confidence", confidence),
        }
        picks |= {name: Number(name, name) for name in (SIZE, LEAST) if name in source.columns}
        found = read_columns(source, picks, {}, ["correct"])
        rows = found[ROW]
        refuse_where(
            source,
            ROW,
            ~np.isin(rows, np.arange(1, len(ours) + 1)),
            f"expected the number of one of the {len(ours):,} rows of {outputs.path}",
        )
        refuse_twice(source, rows)
        places = rows.astype(np.intp) - 1
        refuse_where(source, confidence, ours[places] != found["confidence"],
                f"expected the confidence of the same row in {outputs.path}")  # fmt: skip
        probability = found[PROBABILITY]
        refuse_where(source, PROBABILITY, ~((probability > 0) & (probability <= 1)),
                "expected a number above 0 and at most 1")  # fmt: skip
        if SIZE in found:
            size = found[SIZE]
            refuse_where(source, SIZE, size != size[:1], "expected the same number in all rows")
            if len(size) != size[0]:
                raise DataFileError(
                    source.path,
                    f"it has {len(size):,} of the {size[0]:,.0f} rows that were drawn; keep all of "
                    "them, and leave correct empty where there is no answer, because the missing rows "
                    "may be wrong more often",
                )
        least = least_of(source, LEAST, found[LEAST]) if LEAST in found else None
        return cls(source, places, probability, found["correct"], least)

    @classmethod
    def of_labels(cls, source: FileSource, outputs: FileSource, n: int) -> _Answers:
        """Read labels by id, as if they were for a simple random sample of the outputs."""
        places, correct = labels_by_id(source, outputs)
        warn_unreliable(
            f"the {len(places):,} answers count as a random sample of the {n:,} outputs; if they were "
            "chosen in another way, such as for low confidence, figures are wrong"
        )
        share = len(places) / n
        return cls(source, places, np.full(len(places), share), correct, share)

    def spread(self, n: int) -> NDArray[np.int8]:
        """Return the answer to each of the n outputs; -1 where there is none."""
        found = np.full(n, -1, np.int8)
        known = ~np.isnan(self.correct)
        found[self.places[known]] = self.correct[known]
        return found

    def among(self, sample: VerificationSample) -> NDArray[np.int8]:
        """Return each output's answer or -1; raise unless `sample` includes all rows of this file."""
        larger = sample.inclusion_probability[self.places] * (1.0 + ROUNDING)
        refuse_where(
            self.source, ROW, ~sample.selected[self.places] | (self.probability > larger),
            "this row is not in the new sample: use the same options and seed, and no smaller budget",
        )  # fmt: skip
        return self.spread(len(sample.selected))


def least_of(source: FileSource, column: str, values: NDArray[np.float64]) -> float:
    """Return the probability in a column; raise unless all its rows hold the same one."""
    bad = ~((values > 0) & (values <= 1)) | (values != values[:1])
    refuse_where(source, column, bad, "expected one number above 0 and at most 1 in all rows")
    return float(values[0])


def drawn_by(source: FileSource) -> str:
    """Return the name of the column of groups that were drawn, which each row has in ``drawn_by``."""
    source.require(DRAWN_BY, is_label=True)
    named = np.unique(labels_of(source, Label(DRAWN_BY, DRAWN_BY))).tolist()
    if len(named) != 1 or named[0] not in source.columns:
        raise DataFileError(
            source.path,
            f"column {quoted(DRAWN_BY)} must hold the name of one column of the file, the same in each "
            f"row, got {quoted(str(named[0]))}",
        )
    return str(named[0])


def _said_by(groups: str | None) -> list[str]:
    return [] if groups is None else [f'{sql_text(groups)} AS "{DRAWN_BY}"']


def _warn_without_confidence(given: NDArray[np.bool_]) -> None:
    """Warn if rows are left out because they have no confidence."""
    n, left = len(given), int((~given).sum())
    if left:
        warn_unreliable(
            f"{left:,} of {n:,} outputs have no confidence: they are never accepted, so the sample "
            "leaves them out, and a check applies to the other outputs only"
        )


def _paths_of(path: Any) -> list[Path]:
    paths = [path_of(each) for each in (path if isinstance(path, list | tuple) else [path])]
    if not paths or len({each.resolve() for each in paths}) < len(paths):
        found = "no file" if not paths else "one file twice"
        raise ValueError(f"path must name one file, or several different files, got {found}")
    return paths


def opened_tables(paths: Sequence[Path], connection: DuckDBPyConnection) -> FileSource:
    """Open tables with the same columns as one table, with the rows of the files in order."""
    written = [path for path in paths if not _is_without_lines(path)]
    sources = [open_source(path, connection) for path in written or paths[:1]]
    return sources[0] if len(sources) == 1 else RowsOfFiles(sources)


def _is_without_lines(path: Path) -> bool:
    """Return whether a JSON lines file has no rows."""
    of_lines = path.suffix.lower() in (".jsonl", ".ndjson")
    return of_lines and path.is_file() and path.stat().st_size == 0


def _doubled(**others: Any) -> list[str]:
    """Return the columns for a second person's answers; raise if another option excludes them."""
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"double needs a new sample: leave out {name}")
    return [DOUBLE, SECOND]


def _refuse_beside_policy(*, answers: Any, groups: Any, **aims: Any) -> None:
    for name, value in aims.items():
        if value is not None:
            raise ValueError(
                f"{name} cannot go with a policy, whose audits are drawn evenly: leave out {name}"
            )
    if answers is not None:
        raise ValueError(
            "answers cannot go with a policy, because a sample of audits cannot be enlarged: leave out "
            "answers"
        )
    if groups is not None:
        raise ValueError(
            "groups cannot go with a policy, whose audits are single outputs; to draw whole groups, "
            "leave out the policy (a check accepts such a sample, too)"
        )


def goal_of(output: str | os.PathLike[str], *read: str | os.PathLike[str]) -> Path:
    """Return the file to write; raise if it is also read, or has an unknown extension."""
    goal = path_of(output, "output")
    if any(path_of(each).resolve() == goal.resolve() for each in read):
        raise ValueError(f"output is {str(goal)!r}, which is also read: choose another file")
    require_format(goal, "output")
    return goal


def refuse_columns(source: FileSource, added: list[str]) -> None:
    """Raise if the file already has one of the columns to add."""
    if isinstance(source, JsonLines):
        source.find_all_columns()
    there = [name for name in added if name in source.columns]
    if there:
        raise DataFileError(
            source.path,
            f"it already has the column {quoted(there[0])}, which a sample adds: rename or remove it",
        )


def refuse_where(source: FileSource, column: str, bad: NDArray[np.bool_], why: str) -> None:
    """Raise an error about the first bad value of a column, with the explanation `why`."""
    if bad.any():
        raise source.unexpected(column, int(bad.argmax()), why)


def refuse_twice(source: FileSource, rows: NDArray[np.float64]) -> None:
    """Raise if a row number occurs more than once."""
    first = np.unique(rows, return_index=True)[1]
    refuse_where(source, ROW, ~np.isin(np.arange(len(rows)), first), "expected each row once")


def columns_to_draw(
    source: FileSource,
    confidence: str,
    judge: str | None,
    labels: Mapping[str, str | None],
    *,
    empty: bool = False,
) -> dict[str, Any]:
    """Read the columns that the draw needs; a column that is not given is None.

    With `empty`, empty confidences are read as NaN.
    """
    picks: dict[str, Pick] = {"confidence": Number("confidence", confidence)}
    if judge is None:
        labels = {**labels, "judge": None}
    else:
        picks["judge"] = Number("judge", judge)
    found = read_columns(source, picks, labels, ["confidence"] if empty else [])
    if judge is not None:
        values = found["judge"]
        refuse_where(source, judge, ~((values >= 0) & (values <= 1)), "expected a number in [0, 1]")
    return found


def _refuse_answered(goal: Path, connection: DuckDBPyConnection) -> None:
    """Raise if the output file already has answers from people, because they would be lost."""
    import duckdb

    if not goal.is_file():
        return
    try:
        old = open_source(goal, connection)
        if "correct" not in old.columns:
            return
        given = f"trim(CAST({old.identifier('correct')} AS VARCHAR))"
        ((n,),) = old.select(f"count(nullif({given}, ''))").fetchall()
    except (DataFileError, duckdb.Error):  # an unreadable file has no answers to lose
        return
    if n:
        raise ValueError(
            f"output is {str(goal)!r}, which has {n:,} answers in its column correct: choose "
            "another file"
        )


def write_rows(
    source: FileSource, goal: Path, table: Mapping[str, Any], added: list[str], *, first: bool
) -> None:
    """Write the source's rows whose numbers (from 1) are in ``table["row"]``, with columns `added`."""
    run = source.connection
    names = [sql_name(name) for name in source.columns if name not in table]
    for name in source.columns if isinstance(source, JsonLines) else ():
        source.require(name, is_label=True)
    chosen = [*(["drawn.row"] if first else []), *(f"outputs.{name}" for name in names), *added]
    before, behind = around_query(goal)
    with explained(source), copied_to(goal) as target:
        run.register("drawn_rows", dict(table))
        run.execute("CREATE TEMP TABLE drawn AS SELECT * FROM drawn_rows")
        source.select(
            f"row_number() OVER () AS place_of_row, {all_columns(source, goal)}",
            into=f"COPY ({before}SELECT {', '.join(chosen)} FROM (",
            rest=f") outputs JOIN drawn ON drawn.row = place_of_row ORDER BY place_of_row{behind}) "
            f"TO {target} ({copy_options(source, goal)}, USE_TMP_FILE false)",
        )
