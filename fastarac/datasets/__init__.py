"""Real data that ships with the package, for examples and trials."""

from fastarac.datasets._digits import DigitsOCR, load_digits_ocr

__all__ = ["DigitsOCR", "load_digits_ocr"]


def __dir__() -> list[str]:
    return __all__
