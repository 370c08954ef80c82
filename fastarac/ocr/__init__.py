"""From the files of an OCR engine and the true text to outputs that are right or wrong."""

from fastarac.ocr.words import Words

__all__ = ["Words"]
