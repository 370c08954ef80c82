"""Write the page on which a person marks, row by row, which outputs are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.extras import require
from fastarac._core.files import path_of, write_whole
from fastarac._core.text import count, plural
from fastarac.report.frame import page_of, require_page
from fastarac.station.pictures import pictures_of
from fastarac.station.table import Questions

if TYPE_CHECKING:
    import os

    from fastarac.station.pictures import ReadPages

STATIC = ("report.css", "station.css"), ("station.js",)


def write_station(
    path: str | os.PathLike[str],
    table: str | os.PathLike[str],
    *,
    images: str | os.PathLike[str] | None = None,
    pages: ReadPages | None = None,
    prediction: str | None = None,
    confidence: str = "confidence",
    judge: str | None = None,
) -> int:
    r"""Write one HTML file in which a person marks which outputs of a table are right.

    The page shows one row at a time. The person answers by keyboard or touch: right, wrong (with the
    correct text), or unsure. The page uses no network. The browser stores each answer at once. "Save"
    makes a CSV file of the whole table with the answers.

    Parameters
    ----------
    path : str or path-like
        The file, which appears once it is complete.
    table : str or path-like
        A file that :func:`.sample_outputs`, :func:`.search_outputs` or :func:`.apply_policy` wrote, or
        any file that :func:`.read_outputs` takes. The page asks about rows in which ``correct`` is
        empty; if there is a column ``drawn``, only about drawn rows. A column ``crop`` or ``image``
        names files of pictures, relative to the folder of the table.
    images : str or path-like, optional
        Folder with the images of the pages, named as in the column ``page`` or ``document`` (the second
        page of a document is ``invoice7-2.png``). The page shows the part of the image that the column
        ``box`` gives. The numbers of a box are pixels of the image. If no number in the column is above
        1, they are fractions of the image's width and height.
    pages : AppliedPages, optional
        The engine's pages from which the rows come. The page then shows the line of text around each
        output. Boxes are in the unit of these pages.
    prediction : str, optional
        The column whose value is right or wrong; by default ``prediction``, ``text`` or ``output``.
        Without any of these columns, the person judges the whole row.
    confidence, judge : str, optional
        Columns that the page hides, because their values might influence the person.

    Returns
    -------
    int
        The number of rows that the page asks about.

    Raises
    ------
    DataFileError
        If :func:`.read_outputs` would refuse the table, if there is no row to answer, or if there are
        more than 100,000 rows. Also if the table already has one of the columns that the saved file
        adds: ``truth``, ``answered_by``, ``answered_at`` or ``station``.
    ValueError
        If a box is outside its image, if a file is not an image, or if no page has an image.
    ModuleNotFoundError
        If Jinja or DuckDB is not installed; for pictures, also Pillow.

    See Also
    --------
    fastarac.partial_truth.sample_outputs : draw the outputs of a file that people verify
    fastarac.report.write_review_pages : write one HTML page for each page of text

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> with TemporaryDirectory() as folder:
    ...     table, page = Path(folder, "to_verify.csv"), Path(folder, "station.html")
    ...     _ = table.write_text("text,confidence,correct\nfoo,0.9,\nbar,0.4,\n")
    ...     fa.station.write_station(page, table)
    2
    """
    require("jinja2", "report")
    goal = path_of(path)
    require_page(goal)
    questions = Questions.read(path_of(table, "table"), prediction)
    facts = questions.facts([confidence, judge])
    pictures = pictures_of(questions, None if images is None else path_of(images, "images"), pages)
    if not (questions.output or facts or pictures):
        raise ValueError(
            f"{questions.path}: there is nothing to show in a row; add a column prediction, text or "
            "output, or set prediction to the name of the column of outputs"
        )
    lines = {} if pages is None else _lines(questions, pages)
    once = dict.fromkeys(picture.uri for picture in pictures.values())
    place = {uri: i for i, uri in enumerate(once)}
    shown = {row: (place[uri], *more) for row, (uri, *more) in pictures.items()}
    items = [{"row": row, "line": lines.get(row), "picture": shown.get(row)} for row in questions.asked]
    data: dict[str, Any] = {
        "fingerprint": questions.fingerprint, "name": questions.path.name.partition(".")[0],
        "delimiter": questions.delimiter, "columns": questions.columns, "rows": questions.rows,
        "output": None if questions.output is None else questions.columns.index(questions.output),
        "facts": facts, "items": items, "images": list(place),
    }  # fmt: skip
    n = len(items)
    page = page_of(
        "station.html.jinja", f"Verify {questions.path.name}", data, static=STATIC,
        package="fastarac.station", about=f"{count(n)} {plural('output', n)} to verify.", n=n,
        holds="It holds the rows of the table, and the pictures.",
    )  # fmt: skip
    write_whole(goal, page)
    return n


def _lines(questions: Questions, pages: ReadPages) -> dict[int, tuple[str, str]]:
    """Return the text before and after each output in its line; raise if a row is not in `pages`."""
    first = np.searchsorted(pages.page, np.arange(len(pages.page_names)))
    begin = dict(zip(pages.page_names, first.tolist(), strict=True))
    page, number, text = (questions.column(name) for name in ("page", "number", "text"))
    found = {}
    for row in questions.asked:
        place = begin.get(page[row] or "", -1) + int(number[row] or 0) - 1
        if page[row] not in begin or pages.text[place : place + 1] != (text[row],):
            raise ValueError(
                f"{questions.path}: row {row + 1} is not an output of pages; give the pages from which "
                "the table was made"
            )
        same = np.flatnonzero(pages.line == pages.line[place]).tolist()
        words = {i: " " * bool(pages.space[i]) + pages.text[i] for i in same}
        before = "".join(words[i] for i in same if i < place) + " " * bool(pages.space[place])
        found[row] = before.lstrip(), "".join(words[i] for i in same if i > place)
    return found
