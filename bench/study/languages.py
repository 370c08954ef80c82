"""The languages of the pages: punctuation, numbers, fonts, dictionaries, and names for each engine."""

from __future__ import annotations

from dataclasses import dataclass

DICTIONARIES = "/usr/share/dict"
FONTS = "/usr/share/fonts"
LATIN = "A-Za-zÀ-ÖØ-öø-ÿŒœŸẞ"
SERIF = f"{FONTS}/truetype/dejavu/DejaVuSerif.ttf"
SANS = f"{FONTS}/truetype/dejavu/DejaVuSans.ttf"
TIMES = f"{FONTS}/truetype/liberation/LiberationSerif-Regular.ttf"
ARIAL = f"{FONTS}/truetype/liberation/LiberationSans-Regular.ttf"
LATIN_FACES = (TIMES, SERIF, ARIAL, SANS)
CJK_FACES = (
    f"{FONTS}/opentype/noto/NotoSerifCJK-Regular.ttc",
    f"{FONTS}/opentype/noto/NotoSansCJK-Regular.ttc",
)


@dataclass(frozen=True)
class Language:
    """A language, as the composer, the typesetter and the engines need to know it.

    Attributes
    ----------
    code : str
        ISO 639-1; `wordfreq` knows the language by it.
    tesseract : str
        Tesseract's model (Debian: ``tesseract-ocr-`` and this name).
    letters : str
        The letters of a word, as the inside of a character class.
    faces : tuple of str
        Font files, one of which each page takes.
    face_index : int
        Of the font in a collection: the same characters have other shapes in Japanese and Chinese.
    comma, ends, quotes
        The marks inside, at the end of and around a part of a sentence; the first end is the usual
        one.
    dictionary : str, optional
        A file of Debian's word lists: other words are left out, and capital letters are as there.
    hyphens : str, optional
        The patterns of `pyphen`, in languages whose words are divided at line ends here.
    spaces, right_to_left : bool
        How words are written.
    decimal, thousands, date : str
        How numbers and days are written.
    elided : tuple of str
        What may stand before a vowel, with an apostrophe.
    """

    code: str
    tesseract: str
    letters: str
    faces: tuple[str, ...]
    face_index: int = 0
    comma: str = ","
    ends: str = "...?!"
    quotes: str = "“”"
    dictionary: str | None = None
    hyphens: str | None = None
    spaces: bool = True
    right_to_left: bool = False
    decimal: str = "."
    thousands: str = ","
    date: str = "{day}/{month}/{year}"
    elided: tuple[str, ...] = ()


_ALL = (
    Language(
        "de",
        "deu",
        LATIN,
        LATIN_FACES,
        quotes="„“",
        dictionary=f"{DICTIONARIES}/ngerman",
        hyphens="de_DE",
        decimal=",",
        thousands=".",
        date="{day}.{month}.{year}",
    ),
    Language("en", "eng", f"{LATIN}'", LATIN_FACES, dictionary=f"{DICTIONARIES}/american-english"),
    Language(
        "fr",
        "fra",
        LATIN,
        LATIN_FACES,
        ends=".",  # other ends stand behind a space
        dictionary=f"{DICTIONARIES}/french",
        hyphens="fr",
        decimal=",",
        thousands=".",
        elided=("l", "d", "qu", "n", "s"),
    ),
    Language(
        "ja",
        "jpn",
        "぀-ヿ一-鿿々",
        CJK_FACES,
        comma="、",
        ends="。。。",
        quotes="「」",
        spaces=False,
        date="{year}年{month}月{day}日",
    ),
    Language(
        "zh",
        "chi_sim",
        "一-鿿",
        CJK_FACES,
        face_index=2,
        comma="，",
        ends="。。。！？",
        quotes="“”",
        spaces=False,
        date="{year}年{month}月{day}日",
    ),
    Language(
        "ar",
        "ara",
        "ء-غف-ي",
        (
            f"{FONTS}/opentype/fonts-hosny-amiri/Amiri-Regular.ttf",
            SANS,
        ),
        comma="،",
        ends="...؟!",
        quotes="«»",
        right_to_left=True,
    ),
)

#: Every language by its code.
LANGUAGES: dict[str, Language] = {each.code: each for each in _ALL}
