"""Write pages for people, one HTML file each: outputs to verify, or texts beside the truth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import quote

from fastarac._core.checks import require_type
from fastarac._core.extras import require
from fastarac._core.files import path_of, whole_folder
from fastarac._core.text import few_of, listed, plural
from fastarac.evaluation.review import ComparedPage
from fastarac.report.frame import page_of
from fastarac.report.images import images_in

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from fastarac.evaluation.review import ReviewOutput, ReviewPage

    Page = ReviewPage | ComparedPage

STATIC = ("report.css", "review.css"), ("review.js",)


@runtime_checkable
class Reviewable(Protocol):
    """Results for which pages can be written: :class:`.AppliedPages` or :class:`.ComparedTexts`."""

    @property
    def page_names(self) -> Sequence[str]:
        """The names of the pages."""
        ...

    def __review__(self, images: Mapping[str, Path]) -> Iterable[Page]:
        """Return the pages in the order of their names; `images` maps page names to images."""
        ...


def write_review_pages(
    path: str | os.PathLike[str],
    pages: Reviewable,
    *,
    images: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write an HTML file per page: outputs to verify, or the true text beside the engines' texts.

    Outputs to verify are marked in their lines and, if their positions are known, on the page and its
    image. Beside a true text, the page marks the differences. Each file works offline, by keyboard, in
    print and on a phone.

    Parameters
    ----------
    path : str or path-like
        The folder to write, which must be new or empty. It appears once all files are complete.
    pages : AppliedPages or ComparedTexts
        Result of :func:`fastarac.ocr.apply_to_files` or :func:`fastarac.ocr.compare_texts`.
    images : str or path-like, optional
        Folder with the images of the pages, named like the pages; only for outputs to verify.

    Returns
    -------
    list of str
        The file names in the order of the pages. A file has the name of its page, in which all
        characters except letters, digits, spaces and ``-._~`` are percent-encoded.

    Raises
    ------
    FileExistsError
        If the folder holds files already, or is a file.
    ValueError
        If two pages would have the same file on disks that ignore case, if no page has an image, or if
        two images have the same name.
    TypeError
        If `pages` is of another type.
    ModuleNotFoundError
        If Jinja is not installed; with images, also Pillow.

    See Also
    --------
    fastarac.ocr.compare_texts : set the true texts of all pages beside what engines have read
    write_report : write one HTML page of all figures

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    >>> pages = fa.ocr.apply_to_files(policy, fa.ocr.sample_folders().outputs["plain"])
    >>> with TemporaryDirectory() as folder:
    ...     names = fa.report.write_review_pages(Path(folder, "review"), pages)
    ...     len(names), names[0], Path(folder, "review", names[0]).exists()
    (20, 'article_bees.html', True)
    """
    require("jinja2", "report")
    expected = "a result of fastarac.ocr.apply_to_files or compare_texts"
    require_type(pages, Reviewable, "pages", expected, shown=False)
    names = list(pages.page_names)
    files = _files(names)
    pictures = {} if images is None else images_in(Path(images))
    with whole_folder(path_of(path)) as inside:
        for i, page in enumerate(pages.__review__(pictures)):
            links = [
                None if not 0 <= k < len(files) else (quote(files[k]), names[k]) for k in (i - 1, i + 1)
            ]
            text = _compared(page, links) if isinstance(page, ComparedPage) else _rendered(page, links)
            (inside / files[i]).write_text(text, encoding="utf-8")
    return files


def _files(names: Sequence[str]) -> list[str]:
    """Return the file name of each page; raise if two names differ only in case."""
    files = ["".join(each if _is_plain(each) else quote(each, "") for each in n) for n in names]
    first: dict[str, str] = {}
    for name, file in zip(names, files, strict=True):
        other = first.setdefault(file.casefold(), name)
        if other != name:
            raise ValueError(
                f"pages {few_of([other, name], 2)} differ only in upper and lower case, so some "
                "disks would keep one file for both; rename one"
            )
    return [f"{file}.html" for file in files]


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in " -_"


def _rendered(page: ReviewPage, links: Sequence[tuple[str, str] | None]) -> str:
    marked = [output for line in page.lines for output in line if not output.accepted]
    n = len(marked)
    about = f"{n:,} of {page.n_outputs:,} {plural('output', page.n_outputs)} to verify"
    if page.accepted:
        about += (
            f"; {page.accepted:,} accepted, with about {page.expected_errors:.3g} errors expected "
            "among them"
        )
    data: dict[str, Any] = {
        "boxes": [output.box for output in marked],
        "said": [_said(output) for output in marked],
        "size": page.size,
    }
    return page_of(
        "review.html.jinja", page.name, data, static=STATIC, about=f"{about}.", page=page, links=links,
        said=_said,
    )  # fmt: skip


def _compared(page: ComparedPage, links: Sequence[tuple[str, str] | None]) -> str:
    engines = [name for name, _ in page.texts]
    return page_of(
        "compared.html.jinja", page.name, {}, static=STATIC,
        about=f"The true text beside what {listed(engines)} read, with the differences marked.",
        page=page, links=links, through="", holds="It holds the text of the page.",
    )  # fmt: skip


def _said(output: ReviewOutput) -> str:
    if output.confidence is None:
        return "no confidence"
    return f"confidence {output.confidence:.4g}"
