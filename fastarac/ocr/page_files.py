"""Find files in folders, and derive the page names by which truth and outputs are paired."""

from __future__ import annotations

import os
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fastarac.ocr.readers._files import composed, is_image, open_file, page_stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class PageFile(NamedTuple):
    """A file, and its folder relative to the searched folder (empty for files directly in it)."""

    path: Path
    folder: str = ""


class FoundFiles(NamedTuple):
    """Files, and images that were left out; `is_single` says whether the input was a single file."""

    files: list[PageFile]
    is_single: bool
    images: list[Path]


def found_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], pattern: str | None
) -> FoundFiles:
    """Return the given files, and all files in the given folders except hidden files and images.

    Raises
    ------
    FileNotFoundError
        If a file or a folder does not exist, or no file in the folders matches the pattern.
    """
    given = [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(path) for path in paths]
    files: list[PageFile] = []
    images: list[Path] = []
    searched = 0
    for path in given:
        if not path.is_dir():
            if not path.exists():
                raise FileNotFoundError(f"{path} does not exist: name a file or a folder")
            files.append(PageFile(path))
            continue
        for inside in files_inside(path):
            within = inside.relative_to(path)
            if pattern is not None and not fnmatchcase(
                within.as_posix() if "/" in pattern else inside.name, pattern
            ):
                searched += 1
            elif is_image(open_file(inside).head):
                images.append(inside)
            else:
                folder = within.parent.as_posix()
                files.append(PageFile(inside, "" if folder == "." else folder))
    if searched and not files:
        raise FileNotFoundError(
            f"none of the {searched} files in {', '.join(map(str, given))} matches the pattern "
            f"{pattern!r}"
        )
    return FoundFiles(files, len(given) == 1 and not given[0].is_dir(), images)


def files_inside(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and its subfolders, except hidden ones.

    Links are followed, but no folder is read twice.
    """
    seen: set[str] = set()
    for above, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(above)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(above, name)
            if not name.startswith(".") and path.is_file():
                yield path


def names_of_files(
    truth: Sequence[PageFile], output: Sequence[PageFile]
) -> tuple[list[str], list[str]]:
    """Return the page names of the files of truth and of output; equal names make a pair.

    The rules are those of :func:`.pair_files`. In addition, if the files of one side have no common
    ending, they take page names of the other side. Each file takes the longest name that its own name
    begins with. Accents are composed (NFC).

    Examples
    --------
    >>> from pathlib import Path
    >>> from fastarac.ocr.page_files import PageFile, names_of_files
    >>> truth = [PageFile(Path("a.1.gt.txt")), PageFile(Path("a.2.gt.txt"))]
    >>> output = [PageFile(Path("a.1.tsv"), "x"), PageFile(Path("a.1.tsv"), "y")]
    >>> names_of_files(truth, output)
    (['a.1', 'a.2'], ['x/a.1', 'y/a.1'])
    """
    sides = truth, output
    stems = [[page_stem(file.path) for file in side] for side in sides]
    in_folders = [
        Counter((file.folder, stem) for file, stem in zip(side, each, strict=True))
        for side, each in zip(sides, stems, strict=True)
    ]
    if any(count > 1 for counts in in_folders for count in counts.values()):
        ends = [_common_ending([file.path.name for file in side]) for side in sides]
        stems = [
            [_without(file.path, end) for file in side] for side, end in zip(sides, ends, strict=True)
        ]
        # If the files of a side share no ending, use the other side's names.
        for k, side in enumerate(sides):
            if not ends[k] or len({file.path.name for file in side}) == 1:
                others = set(stems[1 - k])
                stems[k] = [_fitting(file.path, others) for file in side]
    again = {stem for each in stems for stem, count in Counter(each).items() if count > 1}
    named = [
        [
            f"{file.folder}/{stem}" if stem in again and file.folder else stem
            for file, stem in zip(side, each, strict=True)
        ]
        for side, each in zip(sides, stems, strict=True)
    ]
    return named[0], named[1]


def _fitting(path: Path, stems: set[str]) -> str:
    """Return the longest of `stems` that equals the file name up to one of its dots.

    If none fits, return the file name up to its first dot.
    """
    name = composed(path.name)
    while "." in name:
        name = name.rpartition(".")[0]
        if name in stems:
            return name
    return page_stem(path)


def _common_ending(names: list[str]) -> str:
    """Return the longest common ending of all names, starting at a dot."""
    common = names[0] if names else ""
    for name in names:
        while not name.endswith(common):
            common = common[1:]
    return common[common.index(".") :] if "." in common else ""


def _without(path: Path, ending: str) -> str:
    return (composed(path.name.removesuffix(ending)) if ending else "") or page_stem(path)
