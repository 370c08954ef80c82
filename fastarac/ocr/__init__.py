"""From the files of an OCR engine and the true text to outputs that are right or wrong."""

from fastarac.ocr.formats import FORMATS, Format, NoConfidenceError, require_confidence
from fastarac.ocr.items import AlignedOutputs, PageCounts, align
from fastarac.ocr.pairing import Pair, Pairing, PairingError, match_pages, pair_files
from fastarac.ocr.readers import OcrFileError, read
from fastarac.ocr.sample import Sample, SampleFolders, load_sample, sample_folders
from fastarac.ocr.truth import read_truth
from fastarac.ocr.words import Words

__all__ = [
    "FORMATS",
    "AlignedOutputs",
    "Format",
    "NoConfidenceError",
    "OcrFileError",
    "PageCounts",
    "Pair",
    "Pairing",
    "PairingError",
    "Sample",
    "SampleFolders",
    "Words",
    "align",
    "load_sample",
    "match_pages",
    "pair_files",
    "read",
    "read_truth",
    "require_confidence",
    "sample_folders",
]
