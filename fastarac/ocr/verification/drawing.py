"""Draw a sample of an engine's words for people to verify, and join the answers to the words."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.extras import require
from fastarac._core.files import whole_folder
from fastarac._core.text import few_of, plural
from fastarac.io._formats import RowsOfArrays
from fastarac.ocr.application import require_one_threshold, same_scale
from fastarac.ocr.engine_outputs import OF_OUTPUTS, columns_of_pages
from fastarac.ocr.verification.crops import check_images, write_crops
from fastarac.partial_truth.sample_files import draw_rows, goal_of, join_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from fastarac.io._picks import Open
    from fastarac.ocr.engine_outputs import EngineOutputs
    from fastarac.operation import Policy
    from fastarac.partial_truth.sampling import VerificationSample

CROP = "crop"


class SampledWords(NamedTuple):
    """The sample drawn, the numbers of words, pages and crops, and notes."""

    sample: VerificationSample
    n_words: int
    n_pages: int
    n_crops: int
    notes: tuple[str, ...]


class Crops(NamedTuple):
    """The folder for the crops of words, and a mapping from page names to images."""

    folder: Path
    images: Mapping[str, Path]


def sample_words(
    outputs: EngineOutputs,
    goal: str | os.PathLike[str],
    budget: float,
    *,
    policy: Policy | None = None,
    crops: Crops | None = None,
    answers: str | os.PathLike[str] | None = None,
    **options: Any,
) -> SampledWords:
    """Draw words to verify or, if a policy is given, accepted words to audit.

    Parameters
    ----------
    outputs : EngineOutputs
        The outputs. Only outputs with a confidence are drawn, because no threshold accepts others.
    goal : str or path-like
        The file to write. It has the columns page, number, box, text and confidence, and the columns
        that :func:`.sample_outputs` writes. If `crops` is given, the column crop has the path of each
        word's crop, relative to the folder of this file.
    budget, policy, answers, **options
        As for :func:`.sample_outputs`. Groups and strata must be columns of the file written.
    crops : Crops, optional
        The images, and a new folder for the crops of the words drawn. The file name of a crop is the
        row number of its word.

    Raises
    ------
    DataFileError, ValueError
        As for :func:`.sample_outputs` and :func:`.apply_to_files`; also if a page has no image.
    FileExistsError
        If the folder for crops contains files.
    """
    words = _with_confidence(outputs)
    path = goal_of(goal, *outputs.files, *([] if answers is None else [answers]))
    if policy is not None:
        require_one_threshold(policy)
        same_scale(policy, words.named, words.confidence, words.page)
    if crops is not None:
        _require_images(words, crops.images)
    done: set[int] = set()
    n_drawn = 0
    with ExitStack() as stack:
        beside: Callable[[NDArray[np.intp]], dict[str, list[str]]] | None = None
        if crops is not None:
            inside = stack.enter_context(whole_folder(crops.folder))
            shown = os.path.relpath(crops.folder, path.parent)
            width = len(str(len(words.text)))

            def crops_of(places: NDArray[np.intp]) -> dict[str, list[str]]:
                nonlocal n_drawn
                n_drawn = len(places)
                files = {row: f"{row + 1:0{width}d}.png" for row in places.tolist()}
                boxes = words.page, words.box
                done.update(write_crops(inside, crops.images, words.words, boxes, files))
                names = (Path(shown, files[row]).as_posix() if row in done else "" for row in files)
                return {CROP: list(names)}

            beside = crops_of

        sample = draw_rows(
            _opener(words), path, budget, policy=policy, answers=answers, beside=beside, **options
        )
    notes = list(words.notes)
    if crops is not None and len(done) < n_drawn:
        n = n_drawn - len(done)
        notes.append(f"{n:,} drawn {plural('word', n)} without a box, and therefore without a crop")
    return SampledWords(sample, len(words.text), len(words.page_names), len(done), tuple(notes))


def join_answers_of_words(
    outputs: EngineOutputs,
    answers: str | os.PathLike[str],
    goal: str | os.PathLike[str],
    *,
    open: Open = "refuse",  # noqa: A002, as users say it
) -> tuple[int, int, tuple[str, ...]]:
    """Write all words that have a confidence, with the answers, as :func:`.join_answers` does.

    Return the number of words drawn, the number of drawn words with an answer, and notes.
    """
    words = _with_confidence(outputs)
    path = goal_of(goal, *outputs.files, answers)
    return (*join_rows(_opener(words), answers, path, open=open), words.notes)


def _with_confidence(outputs: EngineOutputs) -> EngineOutputs:
    """Return the outputs that have a confidence, with a note on the others."""
    given = ~np.isnan(outputs.confidence)
    left, n = int((~given).sum()), len(given)
    if not left:
        return outputs
    rows = np.flatnonzero(given)
    kept = {name: getattr(outputs, name)[rows] for name in OF_OUTPUTS if name != "text"}
    text = tuple(outputs.text[row] for row in rows.tolist())
    have = "has" if left == 1 else "have"
    note = (
        f"{left:,} of {n:,} words {have} no confidence: they are never accepted, and none of them is "
        "drawn"
    )
    return outputs._replace(text=text, notes=(*outputs.notes, note), **kept)


def _opener(words: EngineOutputs) -> Callable[[DuckDBPyConnection], RowsOfArrays]:
    """Return a function that creates a table of the words in a DuckDB connection."""
    columns = columns_of_pages(words)
    columns["box"] = np.array([box or None for box in columns["box"].tolist()], object)
    return lambda connection: RowsOfArrays(words.named, connection, columns)


def _require_images(words: EngineOutputs, images: Mapping[str, Path]) -> None:
    """Raise if a page that has words has no image."""
    require("PIL", "ocr")
    names = words.page_names
    check_images(images, names)
    lacking = [names[page] for page in np.unique(words.page) if names[page] not in images]
    if lacking:
        raise ValueError(
            f"images lacks the image of {len(lacking):,} {plural('page', len(lacking))}, "
            f"{few_of(lacking, 5)}; give each page an image with the name of the page"
        )
