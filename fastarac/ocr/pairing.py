"""Files of truth and files of an engine's output, paired by name; and their pages."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fastarac._core.text import few_of, plural
from fastarac.ocr.readers import read
from fastarac.ocr.readers._files import is_image, names_of_pages, open_file, page_stem
from fastarac.ocr.truth import read_truth
from fastarac.ocr.words import Note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.words import Words

__all__ = ["Pair", "Pairing", "PairingError", "match_pages", "pair_files"]

#: So many names are written out in an error; the attributes of the error have all.
LISTED = 20


class PairingError(ValueError):
    """Files that cannot be paired: without a partner, or several of one name.

    Attributes
    ----------
    without_output, without_truth : tuple of Path
        The files that have no partner.
    ambiguous : tuple of Path
        The files that share their name with another one on the same side.
    """

    def __init__(
        self,
        message: str,
        without_output: tuple[Path, ...] = (),
        without_truth: tuple[Path, ...] = (),
        ambiguous: tuple[Path, ...] = (),
    ) -> None:
        super().__init__(message)
        self.without_output = without_output
        self.without_truth = without_truth
        self.ambiguous = ambiguous


@dataclass(frozen=True, slots=True)
class Pair:
    """A file of truth and the output that an engine read from the same pages.

    Attributes
    ----------
    name : str
        The name that both have: that of the truth up to the first dot.
    truth, output : Path
        The two files.
    """

    name: str
    truth: Path
    output: Path

    def read(self, *, level: Level = "auto", hyphenated: Hyphenated = "whole") -> tuple[Words, Words]:
        """Read both files.

        Parameters
        ----------
        level : {"auto", "region", "line", "word"}, default="auto"
            Whose text counts, where regions, lines and words have one each: see `fastarac.ocr.read`.
        hyphenated : {"whole", "parts"}, default="whole"
            What becomes of words that line ends divide: see `fastarac.ocr.read`.

        Returns
        -------
        truth, words : Words
            Of the same pages, by the same names. What is to be known of the truth stands among the
            notes of the words.

        Raises
        ------
        OcrFileError
            If a file cannot be read.
        PairingError
            If they have different numbers of pages.
        """
        truth = read_truth(self.truth, level=level, hyphenated=hyphenated)
        words = read(self.output, level=level, hyphenated=hyphenated)
        words = replace(words, notes=(*words.notes, *truth.notes))
        return match_pages(truth, words, name=self.name)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Files of truth and of output, paired by name.

    Attributes
    ----------
    pairs : tuple of Pair
        In the order of their names.
    without_output, without_truth : tuple of Path
        Files without a partner, which were left out because the caller said so.
    images : tuple of Path
        Images and PDF files that lie beside the texts, and are not read.
    """

    pairs: tuple[Pair, ...]
    without_output: tuple[Path, ...] = ()
    without_truth: tuple[Path, ...] = ()
    images: tuple[Path, ...] = ()


def pair_files(
    truth: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    skip_unmatched: bool = False,
) -> Pairing:
    """Pair the files of the truth with those of an engine by name, up to the first dot.

    ``page01.gt.txt`` and ``page01.A.tsv`` are a pair. Two single files are a pair whatever they are
    called.

    Parameters
    ----------
    truth, output : str, path-like, or iterable of them
        Files and folders. Of a folder, every file in it is taken, but for hidden ones and for
        images; folders inside it are not entered.
    skip_unmatched : bool, default=False
        Whether files without a partner are left out. Otherwise they are an error.

    Returns
    -------
    pairing : Pairing
        The pairs, and what was left out.

    Raises
    ------
    PairingError
        If a file has no partner, if two files on one side have one name, or if there is no pair.
    FileNotFoundError
        If a file or a folder does not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import pair_files
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("truth/p1.gt.txt", "ocr/p1.tsv"):
    ...         path = Path(folder, name)
    ...         path.parent.mkdir()
    ...         path.touch()
    ...     pairing = pair_files(Path(folder, "truth"), Path(folder, "ocr"))
    >>> [(pair.name, pair.truth.name, pair.output.name) for pair in pairing.pairs]
    [('p1', 'p1.gt.txt', 'p1.tsv')]
    """
    truths, single_truth, truth_images = _files_of(truth)
    outputs, single_output, output_images = _files_of(output)
    images = (*truth_images, *output_images)
    if single_truth and single_output:
        return Pairing((Pair(page_stem(truths[0]), truths[0], outputs[0]),), images=images)
    of_truth, of_output = _by_name(truths, "truth"), _by_name(outputs, "output")
    without_output = tuple(path for name, path in of_truth.items() if name not in of_output)
    without_truth = tuple(path for name, path in of_output.items() if name not in of_truth)
    if (without_output or without_truth) and not skip_unmatched:
        parts = []
        if without_output:
            parts.append(
                f"{_files(without_output)} of truth without an output: {_list(without_output)}"
            )
        if without_truth:
            parts.append(f"{_files(without_truth)} of output without a truth: {_list(without_truth)}")
        raise PairingError(
            f"{'; '.join(parts)} (names are compared up to the first dot)",
            without_output,
            without_truth,
        )
    pairs = tuple(
        Pair(name, of_truth[name], of_output[name]) for name in sorted(of_truth) if name in of_output
    )
    if not pairs:
        raise PairingError(
            f"no file of truth has the name of an output: {len(of_truth)} of truth, "
            f"{len(of_output)} of output; names are compared up to the first dot",
            without_output,
            without_truth,
        )
    return Pairing(pairs, without_output, without_truth, images)


def _files_of(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> tuple[list[Path], bool, list[Path]]:
    """Return the files, whether they are a single file that was named, and the images left out."""
    given = [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(path) for path in paths]
    found: list[Path] = []
    images: list[Path] = []
    for path in given:
        if not path.is_dir():
            if not path.exists():
                raise FileNotFoundError(f"{path} does not exist; a file or a folder is expected")
            found.append(path)
            continue
        for inside in sorted(path.iterdir()):
            if inside.name.startswith(".") or not inside.is_file():
                continue
            (images if is_image(open_file(inside).head) else found).append(inside)
    return found, len(given) == 1 and found == given, images


def _by_name(paths: list[Path], side: str) -> dict[str, Path]:
    named: dict[str, list[Path]] = {}
    for path in paths:
        named.setdefault(page_stem(path), []).append(path)
    ambiguous = tuple(path for group in named.values() if len(group) > 1 for path in group)
    if ambiguous:
        count = sum(len(group) > 1 for group in named.values())
        raise PairingError(
            f"{count} {plural('name', count)} of {side} occur{'s' * (count == 1)} more than once: "
            f"{_list(ambiguous)}; one file for each name (up to the first dot) is expected, so put the "
            "truth and the outputs of each engine into folders of their own",
            ambiguous=ambiguous,
        )
    return {name: group[0] for name, group in named.items()}


def _files(paths: tuple[Path, ...]) -> str:
    return f"{len(paths)} {plural('file', len(paths))}"


def _list(paths: tuple[Path, ...]) -> str:
    return few_of(map(str, paths), LISTED)


def match_pages(truth: Words, words: Words, *, name: str) -> tuple[Words, Words]:
    """Return both with the same pages, by the same names.

    Parameters
    ----------
    truth, words : Words
        What one file of truth and one of output hold.
    name : str
        What their pages are called: ``name``, or ``name:1``, ``name:2`` and so on.

    Returns
    -------
    truth, words : Words
        Pages are matched by their order. Where one of the two has a single page and the other
        several, all of it is one page, and a note of `words` says so: without page breaks in the
        truth it is not known which word is on which page.

    Raises
    ------
    PairingError
        If both have several pages, and not the same number.

    Examples
    --------
    >>> import fastarac as fa
    >>> words = fa.ocr.load_sample().truth
    >>> fa.ocr.match_pages(words, words, name="scan")[1].page_names[:2]
    ('scan:1', 'scan:2')
    """
    n_truth, n_words = len(truth.page_names), len(words.page_names)
    if n_truth == n_words:
        names = names_of_pages(name, n_truth)
        return replace(truth, page_names=names), replace(words, page_names=names)
    if n_truth > 1 and n_words > 1:
        raise PairingError(
            f"{name}: the truth has {n_truth} pages and the output has {n_words}; the same number is "
            "expected (in plain text, a form feed begins a page)"
        )
    side = "truth" if n_truth == 1 else "output"
    note = Note(
        1,
        f"document has no page breaks in its {side}: its pages are one page, and one group",
        f"documents have no page breaks in their {side}: the pages of each are one page, and one group",
    )
    truth, words = truth.as_one_page(name), words.as_one_page(name)
    return truth, replace(words, notes=(*words.notes, note))
