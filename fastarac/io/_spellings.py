"""How a column of texts writes its numbers or labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fastarac._core.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastarac.io._sources import FileSource

# A number whose comma must be a decimal comma: 99,9 and 0,125, but not 12,345.
DECIMAL_COMMA = r"\s*[+-]?(0*,[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,}))([eE][+-]?[0-9]+)?\s*"
COMMA_HINT = (
    "; a comma is read as a decimal comma only where it cannot separate thousands, as in 99,9 and "
    "0,125: write a point here"
)
# Before the percent sign, spreadsheets may put a space, a no-break space or a narrow no-break space.
PERCENTAGE = r"^\s*([+-]?[0-9.,]+)[\s\x{A0}\x{202F}]*%\s*$"
WRITTEN_TRUE = r"\s*((?i:true)|\+?0*1(\.0*)?([eE][+-]?0+)?)\s*"
WRITTEN_FALSE = r"\s*((?i:false)|[+-]?(0+(\.0*)?|\.0+)([eE][+-]?[0-9]+)?)\s*"
#: Words for right and wrong, in upper or lower case. Also allowed are true and false, 1 and 0.
PAIRS = (("yes", "no"), ("right", "wrong"), ("correct", "incorrect"), ("ok", "error"))


class NumberSpelling(NamedTuple):
    """The style of a column's numbers, derived from its first texts with a %, a point or a comma.

    Mixed styles would be ambiguous: beside 0,5, the text 1.234 may be more than a thousand.

    Attributes
    ----------
    percentage : str or None
        The first text that contains a %, a point or a comma, if it contains a %; otherwise None.
    decimal : str or None
        The first text that contains a point or a comma.
    """

    percentage: str | None
    decimal: str | None

    @classmethod
    def of_column(cls, source: FileSource, column: str) -> NumberSpelling:
        return cls._of(lambda marks: source.first_text(column, marks))

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> NumberSpelling:
        return cls._of(lambda marks: next((text for text in texts if re.search(marks, text)), None))

    @classmethod
    def _of(cls, first_with: Callable[[str], str | None]) -> NumberSpelling:
        first = first_with("[.,%]")
        if first is None or "%" not in first:
            return cls(None, first)
        return cls(first, first_with("[.,]"))

    @property
    def has_comma(self) -> bool:
        return self.decimal is not None and "," in self.decimal

    def expression(self, name: str) -> str:
        """Return the SQL expression of a column's numbers; it is null for texts in another style."""
        text = name if self.percentage is None else f"regexp_extract({name}, '{PERCENTAGE}', 1)"
        # DuckDB would read 1_000 as a number, but in the output of an OCR engine it is a misread text.
        cases = [f"WHEN contains({name}, '_') THEN NULL"]
        number = text
        if self.has_comma:
            cases.append(
                f"WHEN contains({text}, '.') OR contains({text}, ',') "
                f"AND NOT regexp_full_match({text}, '{DECIMAL_COMMA}') THEN NULL"
            )
            number = f"replace({text}, ',', '.')"
        if self.percentage is not None:
            # 76.3e-2 is rounded once, as 0.763 is; 76.3 / 100 would be rounded twice.
            number += " || 'e-2'"
        return f"CASE {' '.join(cases)} ELSE TRY_CAST({number} AS DOUBLE) END"

    def with_point(self, text: str) -> str | None:
        """Convert a text in the column's style so that `float` can read it; None for another style."""
        if "_" in text:  # `float` would read 1_000 as a number, but it is a misread text
            return None
        exponent = ""
        if self.percentage is not None:
            matched = re.match(PERCENTAGE.replace(r"\x{A0}\x{202F}", "\xa0\u202f"), text)
            if matched is None:
                return None
            text, exponent = matched[1], "e-2"
        if self.has_comma:
            if "." in text or ("," in text and not re.fullmatch(DECIMAL_COMMA, text)):
                return None
            text = text.replace(",", ".")
        return None if "," in text or "%" in text else text + exponent

    def hint(self, value: str) -> str:
        """Return a hint on the meaning of a value that is not a number in this style."""
        first = self.percentage or self.decimal
        if first is not None and ("%" in value) != (self.percentage is not None):
            return f", written like {quoted(first)} elsewhere in the column"
        other = "." if self.has_comma else ","
        if self.decimal is not None and other in value and value != quoted(self.decimal):
            return f", written like {quoted(self.decimal)} elsewhere in the column"
        return COMMA_HINT if "," in value else ""


class LabelSpelling(NamedTuple):
    """A column's pair of words for right and wrong, such as yes and no; None for 1/0 and true/false."""

    words: tuple[str, str] | None
    is_known: bool

    @classmethod
    def of_column(cls, source: FileSource, column: str) -> LabelSpelling:
        first = (source.first_text(column, r"\S") or "").strip()
        pair = next((pair for pair in PAIRS if first.lower() in pair), None)
        numbers = re.fullmatch(f"{WRITTEN_TRUE}|{WRITTEN_FALSE}", first) is not None
        return cls(pair, pair is not None or numbers)

    def expression(self, name: str) -> str:
        """Return the SQL expression of a column's labels; it is null for texts in another style."""
        if self.words is not None:
            right, wrong = self.words
            return (
                rf"CASE WHEN regexp_full_match({name}, '\s*(?i:{right})\s*') THEN true "
                rf"WHEN regexp_full_match({name}, '\s*(?i:{wrong})\s*') THEN false END"
            )
        # As numbers, 1e-400 would be 0 and 0_1 would be 1. The usual spellings come first, because
        # matching patterns is slow.
        return (
            f"CASE WHEN {name} IN ('1', 'true', 'True') THEN true "
            f"WHEN {name} IN ('0', 'false', 'False') THEN false "
            f"WHEN regexp_full_match({name}, '{WRITTEN_TRUE}') THEN true "
            f"WHEN regexp_full_match({name}, '{WRITTEN_FALSE}') THEN false END"
        )

    @property
    def expected(self) -> str:
        """A description of valid values, for error messages."""
        if self.words is not None:
            return f"{' or '.join(self.words)}, as elsewhere in the column"
        expected = "true or false, or 1 or 0"
        if self.is_known:
            return f"{expected}, as elsewhere in the column"
        return f"{expected} (also {', '.join(' or '.join(pair) for pair in PAIRS)})"
