"""Pages of outputs that people verify: one HTML file each, beside its image where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import quote

from fastarac._core.extras import require
from fastarac._core.files import path_of, whole_folder
from fastarac._core.text import few_of, plural
from fastarac.report.frame import page_of
from fastarac.report.images import images_in

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from fastarac.evaluation.review import ReviewOutput, ReviewPage

__all__ = ["Reviewable", "write_review_pages"]

STATIC = ("report.css", "review.css"), ("review.js",)


@runtime_checkable
class Reviewable(Protocol):
    """What pages to verify are written of, such as :class:`fastarac.ocr.AppliedPages`."""

    @property
    def page_names(self) -> Sequence[str]:
        """The names of the pages."""
        ...

    def __review__(self, images: Mapping[str, Path]) -> Iterable[ReviewPage]:
        """Return the pages in the order of their names; `images` are those of pages by name."""
        ...


def write_review_pages(
    path: str | os.PathLike[str],
    pages: Reviewable,
    *,
    images: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write one HTML file for each page, in which the outputs to verify are marked in their lines.

    Where the places of the outputs are known, they are marked on the page, too, and on its image where
    there is one. Each file is complete in itself: it works from the disk, by keyboard, printed and on a
    phone.

    Parameters
    ----------
    path : str or path-like
        Where to write them: a new folder or an empty one, which appears once all are complete.
    pages : AppliedPages
        As :func:`fastarac.ocr.apply_to_files` returns them.
    images : str or path-like, optional
        Folder with the images of the pages, named as the pages are.

    Returns
    -------
    list of str
        The names of the files, in the order of the pages: the page's name, in which characters other
        than letters, digits, spaces and ``-._~`` are percent-encoded.

    Raises
    ------
    FileExistsError
        If the folder holds files already, or is a file.
    ValueError
        If two pages would have one file where upper and lower case are one; if no page has an image,
        or two images share a name.
    TypeError
        If `pages` is nothing that pages are written of.
    ModuleNotFoundError
        If Jinja is not installed, or, for images, Pillow.

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
    if not isinstance(pages, Reviewable):
        raise TypeError(
            f"pages is a {type(pages).__name__}; what fastarac.ocr.apply_to_files returns is expected"
        )
    names = list(pages.page_names)
    files = _files(names)
    pictures = {} if images is None else images_in(Path(images))
    with whole_folder(path_of(path)) as inside:
        for i, page in enumerate(pages.__review__(pictures)):
            links = [
                None if not 0 <= k < len(files) else (quote(files[k]), names[k]) for k in (i - 1, i + 1)
            ]
            (inside / files[i]).write_text(_rendered(page, links), encoding="utf-8")
    return files


def _files(names: Sequence[str]) -> list[str]:
    """Return the names of the files; raise where two are one on disks that ignore case."""
    files = ["".join(each if _is_plain(each) else quote(each, "") for each in n) for n in names]
    first: dict[str, str] = {}
    for name, file in zip(names, files, strict=True):
        other = first.setdefault(file.casefold(), name)
        if other != name:
            raise ValueError(
                f"pages {few_of([other, name], 2)} differ in upper and lower case alone, and their "
                "files would be one on some disks; other names are expected"
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


def _said(output: ReviewOutput) -> str:
    """Return the confidence of an output, in words."""
    if output.confidence is None:
        return "no confidence"
    return f"confidence {output.confidence:.4g}"
