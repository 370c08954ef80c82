"""Pair the files of a truth with the files of an engine by name, and match their pages."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.results import Result, Table
from fastarac._core.text import few_of, plural
from fastarac.ocr.mapping import WordColumns, read_table
from fastarac.ocr.page_files import PageFile, found_files, names_of_files
from fastarac.ocr.readers._detection import read_file
from fastarac.ocr.readers._files import (
    OcrFileError,
    decoded,
    names_of_pages,
    open_file,
    page_stem,
    shown,
)
from fastarac.ocr.words.regions import EVERYTHING, PageParts, counted_words
from fastarac.ocr.words.truth import read_truth_file
from fastarac.ocr.words.words import ReadingNote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.words.words import Words

PAIR_COLUMNS = "truth", "engine", "output"

#: Maximum number of names that an error message lists.
LISTED = 20


class PairingError(ValueError):
    """Files cannot be paired: some files have no partner, or several files have the same name.

    Attributes
    ----------
    without_output, without_truth : tuple of Path
        The files without a partner.
    ambiguous : tuple of Path
        The files that share their name with another file on the same side.
    n_paired : int or None
        Number of pairs that were found; None if files are not paired by name.

    See Also
    --------
    pair_files : pair files of the truth and of an engine by name
    read_pairs : read the pairs of files that a table names
    """

    def __init__(
        self,
        message: str,
        without_output: tuple[Path, ...] = (),
        without_truth: tuple[Path, ...] = (),
        ambiguous: tuple[Path, ...] = (),
        n_paired: int | None = None,
    ) -> None:
        super().__init__(message)
        self.without_output = without_output
        self.without_truth = without_truth
        self.ambiguous = ambiguous
        self.n_paired = n_paired


@dataclass(frozen=True, slots=True, eq=False)
class Pair(Result):
    """A file with the true text of some pages, and an engine's output for the same pages.

    Attributes
    ----------
    name : str
        The name of the pair: usually, the truth's file name up to the first dot (see
        :func:`pair_files`).
    truth, output : Path
        The two files.
    columns : WordColumns, optional
        The columns of `output`, if it is the user's own table of words.
    page : str, optional
        The name of the page in that table.

    See Also
    --------
    Pairing : files of truth and of output, paired by name
    pair_files : pair files of the truth and of an engine by name

    Examples
    --------
    >>> import fastarac as fa
    >>> folders = fa.ocr.sample_folders()
    >>> pair = fa.ocr.pair_files(folders.truth, folders.outputs["plain"]).pairs[0]
    >>> pair.name, pair.truth.name, pair.output.name
    ('article_bees', 'article_bees.txt', 'article_bees.tsv')
    """

    name: str
    truth: Path
    output: Path
    columns: WordColumns | None = None
    page: str | None = None

    def read(self, *, level: Level = "auto", hyphenated: Hyphenated = "whole") -> tuple[Words, Words]:
        """Read both files.

        Parameters
        ----------
        level : {"auto", "region", "line", "word"}, default="auto"
            The level to read if regions, lines and words each carry text: see `fastarac.ocr.read`.
        hyphenated : {"whole", "parts"}, default="whole"
            How words broken at line ends are read: see `fastarac.ocr.read`.

        Returns
        -------
        truth, words : Words
            Both have the same pages, with the same names. The notes of `words` include the notes on the
            truth.

        Raises
        ------
        OcrFileError
            If a file cannot be read.
        PairingError
            If the files have different numbers of pages.
        """
        return read_pair(self, level=level, hyphenated=hyphenated)


def read_pair(
    pair: Pair,
    *,
    level: Level,
    hyphenated: Hyphenated,
    digits: bool | None = None,
    parts: PageParts = EVERYTHING,
) -> tuple[Words, Words]:
    """Return the words of the truth and of the output, as :meth:`Pair.read` does.

    `digits` says whether ALTO files write 6% as 0.6, a fault of Tesseract; None: find out from each
    file.
    """
    ignored = parts.ignored
    truth = read_truth_file(
        open_file(pair.truth, truth=True, level=level, hyphenated=hyphenated, ignored=ignored)
    )
    if pair.columns is not None and pair.page is not None:
        words = read_table(pair.output, pair.columns)[pair.page]
    else:
        words = read_file(
            open_file(pair.output, level=level, hyphenated=hyphenated, digits=digits, ignored=ignored)
        )
    words = replace(words, notes=(*words.notes, *truth.notes))
    if parts:
        if len(truth.page_names) != len(words.page_names):
            raise PairingError(
                f"{pair.name}: the truth has {len(truth.page_names)} pages and the output has "
                f"{len(words.page_names)}; selecting regions needs the same pages on both sides"
            )
        words = counted_words(words, truth, pair.truth, parts)
    return match_pages(truth, words, name=pair.name)


@dataclass(frozen=True, slots=True, eq=False)
class Pairing(Table, Result):
    """Files of truth and of output, paired by name.

    Attributes
    ----------
    pairs : tuple of Pair
        The pairs, sorted by name.
    without_output, without_truth : tuple of Path
        Files without a partner, left out at the caller's request.
    images : tuple of Path
        Images and PDF files in the same folders, which are not read.

    See Also
    --------
    pair_files : pair files of the truth and of an engine by name
    Pair : a file with the true text of some pages, and an engine's output for the same pages

    Examples
    --------
    >>> import fastarac as fa
    >>> folders = fa.ocr.sample_folders()
    >>> pairing = fa.ocr.pair_files(folders.truth, folders.outputs["plain"])
    >>> len(pairing.pairs), pairing.without_output
    (20, ())
    """

    pairs: tuple[Pair, ...]
    without_output: tuple[Path, ...] = ()
    without_truth: tuple[Path, ...] = ()
    images: tuple[Path, ...] = ()

    def to_columns(self) -> dict[str, Any]:
        """Return the pairs as columns of strings (name, truth and output), one row for each pair."""
        return {
            name: [str(getattr(pair, name)) for pair in self.pairs]
            for name in ("name", "truth", "output")
        }


def pair_files(
    truth: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    pattern: str | None = None,
    truth_pattern: str | None = None,
    skip_unmatched: bool = False,
) -> Pairing:
    """Pair the files of a truth with the files of an engine by their names, up to the first dot.

    ``page01.gt.txt`` and ``page01.A.tsv`` are a pair. A single file of truth and a single file of
    output are a pair, whatever their names.

    Parameters
    ----------
    truth, output : str, path-like, or iterable of them
        Files and folders. A folder stands for all files in it and its subfolders, except hidden files
        and images.
    pattern, truth_pattern : str, optional
        Pattern for the files to take from folders of output, and from folders of truth, such as
        ``"*.tsv"``. A pattern that contains a slash is compared with the file's path inside the folder:
        ``"a/*.tsv"``.
    skip_unmatched : bool, default=False
        Whether to leave out files without a partner. If False, such files raise an error.

    Returns
    -------
    pairing : Pairing
        The pairs, and the files left out.

    Raises
    ------
    PairingError
        If a file has no partner, if two files on one side have the same name, or if there is no pair.
    FileNotFoundError
        If a file or a folder does not exist, or if no file matches a pattern.

    See Also
    --------
    read_pairs : read the pairs of files that a table names.

    Notes
    -----
    If two files of a folder have the same name up to the first dot (``vol.1.gt.txt`` and
    ``vol.2.gt.txt``), names are formed in another way: each file name loses only the longest ending
    that is common to all files of its side, which gives ``vol.1`` and ``vol.2``. If a name occurs in
    several subfolders, the subfolder is put before it: ``a/p1`` and ``b/p1``.

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
    truths, outputs = found_files(truth, truth_pattern), found_files(output, pattern)
    images = (*truths.images, *outputs.images)
    if truths.is_single and outputs.is_single:
        path = truths.files[0].path
        return Pairing((Pair(page_stem(path), path, outputs.files[0].path),), images=images)
    names = names_of_files(truths.files, outputs.files)
    shared = set(names[0]) & set(names[1])
    of_truth = _by_name(truths.files, names[0], "truth", shared)
    of_output = _by_name(outputs.files, names[1], "output", shared)
    without_output = tuple(path for name, path in of_truth.items() if name not in of_output)
    without_truth = tuple(path for name, path in of_output.items() if name not in of_truth)
    if (without_output or without_truth) and not skip_unmatched:
        lacking = {"truth without an output": without_output, "output without a truth": without_truth}
        said = [f"{_files(each)} of {what}: {_list(each)}" for what, each in lacking.items() if each]
        raise PairingError(
            f"{'; '.join(said)} (names are compared up to the first dot)",
            without_output,
            without_truth,
            n_paired=len(of_truth) - len(without_output),
        )
    pairs = tuple(
        Pair(name, of_truth[name], of_output[name]) for name in sorted(of_truth) if name in of_output
    )
    if not pairs:
        raise PairingError(
            f"no file of truth has the same name as a file of output (files of truth: "
            f"{len(of_truth)}, of output: {len(of_output)}); names are compared up to the first dot",
            without_output,
            without_truth,
            n_paired=0,
        )
    return Pairing(pairs, without_output, without_truth, images)


def pair_table(
    truth: str | os.PathLike[str],
    table: str | os.PathLike[str],
    columns: WordColumns,
    *,
    truth_pattern: str | None = None,
) -> Pairing:
    r"""Pair each page of a table of words with a file of the truth; the table can have any columns.

    Parameters
    ----------
    truth : str or path-like
        A file or folder of true texts.
    table : str or path-like
        A CSV, TSV, JSON lines or Parquet file with one row for each output, in reading order.
    columns : WordColumns
        The columns of the table.
    truth_pattern : str, optional
        Pattern for the files to take from the folder of the truth.

    Returns
    -------
    pairing : Pairing
        A pair for each page. Names of pages and of files of the truth are compared up to the first
        dot: the page ``scan_01.png`` pairs with ``scan_01.gt.txt``.

    Raises
    ------
    DataFileError
        If the table cannot be read, lacks a column, or has an unexpected value in one.
    PairingError
        If pages of the table and files of the truth do not have the same names.

    See Also
    --------
    WordColumns : names of the columns of a table of words
    pair_files : pair files of the truth and of an engine by name

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import WordColumns, align_files, pair_table
    >>> with TemporaryDirectory() as folder:
    ...     truth, table = Path(folder, "p1.txt"), Path(folder, "words.csv")
    ...     _ = truth.write_text("Total 12,50")
    ...     _ = table.write_text("image,word,score\np1.png,Total,0.9\np1.png,12.50,0.4\n")
    ...     engine = align_files(pair_table(truth, table, WordColumns("word", "score", page="image")))
    >>> engine.aligned.correct.tolist(), engine.aligned.confidence.tolist()
    ([True, False], [0.9, 0.4])
    """
    path = Path(table)
    truths = found_files(truth, truth_pattern)
    of_truth: dict[str, Path] = {}
    for file in truths.files:
        if (stem := page_stem(file.path)) in of_truth:
            raise PairingError(
                f"{of_truth[stem]} and {file.path} are both called {stem}; keep one file for each "
                "page (truth_pattern chooses files)",
                ambiguous=(of_truth[stem], file.path),
            )
        of_truth[stem] = file.path
    names = list(read_table(path, columns))
    if truths.is_single and len(names) == 1:
        (name, file_of_truth), *_ = of_truth.items()
        return Pairing(
            (Pair(name, file_of_truth, path, columns, names[0]),), images=tuple(truths.images)
        )
    known = {name if name in of_truth else page_stem(Path(name)): name for name in names}
    without_truth = [name for stem, name in known.items() if stem not in of_truth]
    without_output = [stem for stem in of_truth if stem not in known]
    if without_truth or without_output or len(known) < len(names):
        lacking = {
            "pages without a file of truth": without_truth,
            "files of truth without a page": without_output,
        }
        said = [f"{what}: {few_of(found, LISTED)}" for what, found in lacking.items() if found]
        if len(known) < len(names):
            said.append("two pages with the same name")
        raise PairingError(
            f"{path}: {'; '.join(said)} (names are compared up to the first dot)",
            without_output=tuple(of_truth[stem] for stem in without_output),
        )
    pairs = tuple(Pair(stem, of_truth[stem], path, columns, known[stem]) for stem in sorted(known))
    return Pairing(pairs, images=tuple(truths.images))


def read_pairs(path: str | os.PathLike[str], *, skip_unmatched: bool = False) -> dict[str, Pairing]:
    r"""Read a table of pairs of files (truth and output); the names of the files need not agree.

    Parameters
    ----------
    path : str or path-like
        A CSV file with the columns truth, engine and output, and one row for each page and engine.
        Paths are relative to the folder of this file.
    skip_unmatched : bool, default=False
        Whether pages of an engine may be missing. If False, a missing page raises an error.

    Returns
    -------
    dict of str to Pairing
        The pairs of each engine, in the order of the file. The name of a page comes from its file of
        truth, as in :func:`pair_files`.

    Raises
    ------
    OcrFileError
        If the file cannot be read, lacks a column, or has a row with an empty cell.
    PairingError
        If a page has two outputs of one engine, or an engine lacks a page that another engine has.
    FileNotFoundError
        If a file named in the table does not exist.

    See Also
    --------
    pair_files : pair files of the truth and of an engine by name
    Pairing : files of truth and of output, paired by name

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import read_pairs
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("right.txt", "scan_0001.tsv"):
    ...         Path(folder, name).touch()
    ...     table = Path(folder, "pairs.csv")
    ...     _ = table.write_text("truth,engine,output\nright.txt,A,scan_0001.tsv\n")
    ...     pairs = read_pairs(table)
    >>> [(pair.name, pair.output.name) for pair in pairs["A"].pairs]
    [('right', 'scan_0001.tsv')]
    """
    file = open_file(path)
    rows = csv.reader(decoded(file).splitlines())
    header = [name.strip() for name in next(rows, [])]
    if not set(PAIR_COLUMNS) <= set(header):
        problem = f"the columns must be {', '.join(PAIR_COLUMNS)}, got {shown(header)}"
        raise OcrFileError(file.path, problem, place="line 1")
    found: dict[str, dict[Path, Path]] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
        truth, engine, output = (cells.get(name, "") for name in PAIR_COLUMNS)
        place = f"line {rows.line_num}"
        if not (truth and engine and output):
            problem = f"the row must be truth, engine and output, got {shown(row)}"
            raise OcrFileError(file.path, problem, place=place)
        files = [file.path.parent / each for each in (truth, output)]
        for each in files:
            if not each.is_file():
                raise FileNotFoundError(f"{file.path}: {place}: {each} is not a file")
        if files[0] in found.setdefault(engine, {}):
            raise PairingError(
                f"{file.path}: {place}: engine {engine} has two outputs of {files[0]}; keep one",
                ambiguous=(files[0],),
            )
        found[engine][files[0]] = files[1]
    if not found:
        raise OcrFileError(file.path, "there is no pair of files; add a row for each page and engine")
    truths = list(dict.fromkeys(each for pairs in found.values() for each in pairs))
    above = os.path.commonpath([each.parent.absolute() for each in truths])
    folders = [os.path.relpath(each.parent.absolute(), above) for each in truths]
    named = [PageFile(each, "" if at == "." else at) for each, at in zip(truths, folders, strict=True)]
    names = dict(zip(truths, names_of_files(named, ())[0], strict=True))
    pairings = {}
    for engine, pairs in found.items():
        without = tuple(each for each in truths if each not in pairs)
        if without and not skip_unmatched:
            raise PairingError(
                f"{file.path}: engine {engine} has no output for {_files(without)} of truth, "
                f"although other engines have one: {_list(without)}",
                without,
            )
        every = sorted((names[truth], truth, output) for truth, output in pairs.items())
        pairings[engine] = Pairing(tuple(Pair(*each) for each in every), without)
    return pairings


def _by_name(files: list[PageFile], names: list[str], side: str, shared: set[str]) -> dict[str, Path]:
    """Return a mapping from page names to files; raise if two files have the same name."""
    named: dict[str, list[Path]] = {}
    # If no name occurs on both sides, a folder may hold each page in several formats. Files with the
    # same name up to the first dot then explain best why there is no pair.
    for file, name in zip(files, names, strict=True):
        key = name if shared else f"{file.folder}/{page_stem(file.path)}"
        named.setdefault(key, []).append(file.path)
    ambiguous = tuple(path for group in named.values() if len(group) > 1 for path in group)
    if ambiguous:
        count = sum(len(group) > 1 for group in named.values())
        raise PairingError(
            f"{count} {plural('name', count)} of {side} occur{'s' * (count == 1)} more than once: "
            f"{_list(ambiguous)}; names are compared up to the first dot. Put the truth and the "
            "outputs of each engine into separate folders, or choose files by pattern and "
            "truth_pattern",
            ambiguous=ambiguous,
        )
    return {name: file.path for file, name in zip(files, names, strict=True)}


def _files(paths: tuple[Path, ...]) -> str:
    return f"{len(paths)} {plural('file', len(paths))}"


def _list(paths: tuple[Path, ...]) -> str:
    return few_of(map(str, paths), LISTED)


def match_pages(truth: Words, words: Words, *, name: str) -> tuple[Words, Words]:
    """Return the truth and the output with the same pages and the same page names.

    Parameters
    ----------
    truth, words : Words
        The words of one file of truth and of one file of output.
    name : str
        The name of the page; several pages get the names ``name:1``, ``name:2`` and so on.

    Returns
    -------
    truth, words : Words
        Both sides with the same pages, matched by their order. If one side has a single page and the
        other has several, all words of each side become one page, and a note of `words` says so. The
        reason is that a single page does not show where the pages begin.

    Raises
    ------
    PairingError
        If both sides have several pages, but not the same number.

    See Also
    --------
    pair_files : pair files of the truth and of an engine by name
    align : align an engine's words with the true ones

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
            f"{name}: truth and output must have the same number of pages, got {n_truth} and {n_words} "
            "(in plain text, a form feed begins a page)"
        )
    side = "truth" if n_truth == 1 else "output"
    note = ReadingNote(
        1,
        f"document has no page breaks in its {side}: all of it counts as one page and one group",
        f"documents have no page breaks in their {side}: each counts as one page and one group",
    )
    truth, words = truth.as_one_page(name), words.as_one_page(name)
    return truth, replace(words, notes=(*words.notes, note))
