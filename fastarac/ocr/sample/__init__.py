"""A sample of twenty pages: the true text, and the output of Tesseract with two settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fastarac.ocr.pairing import pair_files
from fastarac.ocr.words.words import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent
SETTINGS = ("plain", "enlarged")


@dataclass(frozen=True, slots=True)
class SampleFolders:
    """The folders of the sample.

    Attributes
    ----------
    truth : Path
        The folder with the true texts, one file for each page.
    outputs : mapping of str to Path
        For each setting, the folder with the tables that Tesseract wrote.

    See Also
    --------
    sample_folders : return the folders of the sample, for trying the command line
    load_sample : return twenty pages with their truth and Tesseract's output
    """

    truth: Path
    outputs: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Sample:
    """The words of the sample.

    Attributes
    ----------
    truth : Words
        The true words.
    outputs : mapping of str to Words
        For each setting, the words that Tesseract read on the same pages.

    See Also
    --------
    load_sample : return twenty pages with their truth and Tesseract's output
    SampleFolders : the folders of the sample
    """

    truth: Words
    outputs: Mapping[str, Words]


def sample_folders() -> SampleFolders:
    """Return the folders of the sample, for trying the command line.

    Returns
    -------
    folders : SampleFolders
        The folder of true texts, and one folder for each of the settings ``plain`` and ``enlarged``.

    See Also
    --------
    load_sample : return twenty pages with their truth and Tesseract's output
    pair_files : pair files of the truth and of an engine by name

    Examples
    --------
    >>> from fastarac.ocr import sample_folders
    >>> folders = sample_folders()
    >>> sorted(path.name for path in folders.truth.iterdir())[:2]
    ['article_bees.txt', 'bill_of_lading.txt']
    >>> list(folders.outputs)
    ['plain', 'enlarged']
    """
    return SampleFolders(FOLDER / "truth", {setting: FOLDER / setting for setting in SETTINGS})


def load_sample() -> Sample:
    """Return twenty pages of letters, invoices, tables and notices, as Tesseract 5.3 read them.

    The pages were rendered at screen resolution, then rotated, blurred and covered with noise (see
    ``bench/data/make_ocr_sample.py``). Eight of them are also stained and faded. With the setting
    ``plain``, Tesseract read the images as they are; with ``enlarged``, at three times the size.

    Returns
    -------
    sample : Sample
        2180 true words, and Tesseract's words with each setting.

    See Also
    --------
    sample_folders : return the folders of the sample, for trying the command line
    align : align an engine's words with the true ones

    Examples
    --------
    >>> from fastarac.ocr import load_sample
    >>> sample = load_sample()
    >>> sample.truth
    Words(2180 words on 20 pages, confidences absent, source='text')
    >>> sample.outputs["plain"]
    Words(2095 words on 20 pages, confidences in percent, source='tesseract-tsv')
    """
    folders = sample_folders()
    truths: list[Words] = []
    outputs: dict[str, Words] = {}
    for setting, folder in folders.outputs.items():
        pairs = [pair.read() for pair in pair_files(folders.truth, folder).pairs]
        truths = [truth for truth, _ in pairs]
        outputs[setting] = Words.concatenate(words for _, words in pairs)
    return Sample(Words.concatenate(truths), outputs)
