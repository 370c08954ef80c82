"""The words of the study's pages, from the packages that bring them."""

from pathlib import Path

import pytest

from bench.study.composing import Vocabulary
from bench.study.languages import LANGUAGES


def test_vocabularies_of_the_packages():
    """German nouns have their capitals."""
    language = LANGUAGES["de"]
    if not Path(str(language.dictionary)).exists():
        with pytest.raises(FileNotFoundError, match="Debian's package wngerman"):
            Vocabulary.load(language)
        return
    words = Vocabulary.load(language).words
    assert len(words) == 20_000
    assert {"Haus", "der", "schön"} < set(words)
