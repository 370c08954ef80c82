"""Comparisons that decide whether the output of a field equals its truth."""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from fastarac._core.extras import require
from fastarac.ocr.fields.values import Amount, Unreadable, amounts, days, exactly, numbers
from fastarac.ocr.readers._files import OcrFileError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from fastarac.ocr.fields.values import Day

Reading = TypeVar("Reading")

#: The comparisons of fields, by name. Each description completes the phrase "takes as equal".
COMPARISONS = {
    "exact": "the same text",
    "text": "texts that differ in case and in white space",
    "number": "the same number: 1,234.50 and 1234.5",
    "amount": "the same amount of money: $1,234.50 and 1234.50 USD",
    "date": "the same day: 2026-11-22 and 22 November 2026",
    "similarity": "texts that have at least this share of their characters in common: similarity>=0.9",
    "regex": "texts in which a pattern matches the same part: regex:[0-9]+",
}
EXPECTED = (
    "use exact, text, number, amount, date, similarity>=0.9 or regex:PATTERN, with options as in "
    "amount:comma,tolerance=0.01 or date:dmy"
)
_HOW = re.compile(rf"({'|'.join(COMPARISONS)})(?::(.*)|>=(.*)|)", re.DOTALL)
ORDERS = ("dmy", "mdy", "ymd")
# Maximum processor time of a regular expression, in seconds: for one text, and for all texts together.
# On some texts of untrusted files, an expression could run for hours.
SECONDS_FOR_A_TEXT, SECONDS_FOR_ALL = 1.0, 60.0


class TooSlowError(ValueError):
    """Matching a pattern takes too long; the message names the text and says what to use instead."""


class Written(NamedTuple):
    """The text of a field and, if known, its normalized value."""

    text: str
    """The text as written on the page, or in the file of true values."""
    value: str | None = None
    """The normalized value, if a service or file gives one: 1234.5, EUR 1234.5, 2026-11-22."""


class Judgement(NamedTuple):
    """Whether an output is right, with a remark."""

    right: bool
    remark: str = ""
    """`folded`: the output is right though the texts differ. `undecided`: a text has several readings,
    and only some would be right. `unreadable`: the output is not of the kind that the comparison
    expects."""


@lru_cache
def judged(*, right: bool, remark: str = "") -> Judgement:
    """Return a judgement; equal judgements are the same object, to save memory."""
    return Judgement(right, remark)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FieldComparison:
    """A comparison of a field's output with its truth, made by :func:`comparison`.

    Attributes
    ----------
    name : str
        The comparison's notation, such as ``amount:comma``.
    values : {"none", "truth", "both"}
        Where the comparison uses a service's normalized number or date in place of the text: nowhere,
        in the truth, or in truth and output.
    """

    name: str
    _judge: Callable[[Written, Written], Judgement]
    values: str = "none"

    def __repr__(self) -> str:
        return f"FieldComparison({self.name!r})"

    def of_truth(self, written: Written) -> Written:
        """Return a true value; drop its normalized value if the comparison does not use it."""
        return written if self.values != "none" or written.value is None else Written(written.text)

    def of_prediction(self, written: Written) -> Written:
        """Return an output; drop its normalized value if the comparison does not use it."""
        return written if self.values == "both" or written.value is None else Written(written.text)

    def judge(self, truth: Written, prediction: Written) -> Judgement:
        """Return whether an output is right. An empty output is right if the truth is also empty.

        Raises
        ------
        Unreadable
            If the truth cannot be read as the comparison expects, for example as a number or a date.
        TooSlowError
            If a pattern takes more than one second for a text, or more than one minute for all texts so
            far.
        """
        truth, prediction = self.of_truth(truth), self.of_prediction(prediction)
        true, read = (_composed(each.value or each.text) for each in (truth, prediction))
        if not true.strip() or not read.strip():
            if true.strip():
                # The result is not needed: this raises if the truth is unreadable.
                self._judge(truth, truth)
            return judged(right=not true.strip() and not read.strip())
        found = self._judge(truth, prediction)
        return judged(right=True, remark="" if true == read else "folded") if found.right else found


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def comparison(how: str) -> FieldComparison:
    """Return the comparison with this notation, such as ``amount:comma,tolerance=0.01``.

    Parameters
    ----------
    how : str
        One of

        - ``exact``: the same text (all comparisons first bring texts to Unicode's normal form C);
        - ``text``: the same text, ignoring case and the amount of white space;
        - ``number``, ``amount``: exactly the same number. Options, joined by commas: ``point`` or
          ``comma`` (the decimal separator), ``tolerance=0.01`` or ``tolerance=1%`` (of the truth),
          ``written`` (compare the text on the page, not the number that a service gives). Amounts in
          different currencies are always different;
        - ``date``: the same day. Options: ``dmy``, ``mdy``, ``ymd``, ``written``, or a format of
          ``strptime`` that begins with %;
        - ``similarity>=0.9``: 1 − edit distance / length of the longer text, in characters, is at least
          0.9;
        - ``regex:PATTERN``: the pattern's first match is the same in truth and output. If the pattern
        has groups, the groups are compared. Matching may take at most one second for one text and one
        minute for all texts.

    Returns
    -------
    comparison : FieldComparison

    Raises
    ------
    ValueError
        If there is no such comparison or option.

    Examples
    --------
    >>> from fastarac.ocr.fields.comparisons import Written, comparison
    >>> comparison("amount").judge(Written("1234.50 EUR"), Written("€ 1.234,50"))
    Judgement(right=True, remark='folded')
    >>> comparison("number").judge(Written("1234"), Written("1.234"))
    Judgement(right=False, remark='undecided')
    """
    match = _HOW.fullmatch(how) if isinstance(how, str) else None
    if match is None or (match[3] is not None and match[1] != "similarity"):
        raise ValueError(f"compare is {how!r}; {EXPECTED}")
    name, given, least = match.groups()
    if name == "similarity":
        return FieldComparison(how, _by_similarity(how, least))
    if name == "regex":
        return FieldComparison(how, _by_pattern(how, given))
    if name in ("exact", "text"):
        if given is not None:
            raise ValueError(f"compare is {how!r}, but {name} has no options; {EXPECTED}")
        key: Callable[[str], Hashable] = _composed if name == "exact" else _without_case_and_space
        return FieldComparison(how, lambda a, b: judged(right=key(a.text) == key(b.text)))
    if name == "date":
        return _by_day(how, given)
    return _by_number(how, name, given)


def _without_case_and_space(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


def _by_similarity(how: str, least: str | None) -> Callable[[Written, Written], Judgement]:
    try:
        share = Fraction(Decimal(least or ""))
    except (ArithmeticError, ValueError):
        share = Fraction(-1)
    if not 0 < share <= 1:
        raise ValueError(
            f"compare must have a share above 0 and up to 1, as in similarity>=0.9, got {how!r}"
        )

    def judge(truth: Written, prediction: Written) -> Judgement:
        require("rapidfuzz", "ocr")
        from rapidfuzz.distance import Levenshtein

        true, read = _composed(truth.text), _composed(prediction.text)
        distance = Levenshtein.distance(true, read)
        return judged(right=1 - Fraction(distance, max(len(true), len(read))) >= share)

    return judge


def _by_pattern(how: str, given: str | None) -> Callable[[Written, Written], Judgement]:
    if not given:
        raise ValueError(f"compare must have a pattern, as in regex:[0-9]+, got {how!r}")
    require("regex", "ocr")
    import regex

    try:
        pattern = regex.compile(given)
    except (regex.error, OverflowError) as error:
        raise ValueError(f"compare is {how!r}, but its pattern is malformed: {error}") from None
    left = SECONDS_FOR_ALL

    def search(text: str) -> Any:
        nonlocal left
        begin = process_time()
        try:
            return pattern.search(text, timeout=min(SECONDS_FOR_A_TEXT, left))
        except TimeoutError:
            most, of = (
                (SECONDS_FOR_ALL, "all texts up to ")
                if left < SECONDS_FOR_A_TEXT
                else (SECONDS_FOR_A_TEXT, "")
            )
            raise TooSlowError(
                f"the comparison {how!r} takes more than {most:g} s for {of}{shown(text)}; use a "
                "pattern that can match a text in one way only: a+ in place of (a+)+ and (a|aa)+"
            ) from None
        finally:
            left = max(left - (process_time() - begin), 1e-3)

    def judge(truth: Written, prediction: Written) -> Judgement:
        true, read = (search(_composed(each.text)) for each in (truth, prediction))
        if true is None:
            raise Unreadable(f"a text with a match of the pattern {given}")
        if read is None:
            return judged(right=False, remark="unreadable")
        groups = [found.groups() or found.group() for found in (true, read)]
        return judged(right=groups[0] == groups[1])

    return judge


def _by_day(how: str, given: str | None) -> FieldComparison:
    form = given if given is not None and given.startswith("%") else None
    options = [] if form is not None or given is None else given.split(",")
    orders = [each for each in options if each in ORDERS]
    if len(orders) > 1 or any(each not in (*ORDERS, "written") for each in options):
        raise ValueError(
            f"compare must be date with one of {', '.join(ORDERS)}, with written, or with a format "
            f"such as %d.%m.%Y, got {how!r}"
        )
    order = orders[0] if orders else None

    def readings(written: Written) -> Sequence[Day]:
        return days(written.text, order, form) if written.value is None else days(written.value)

    def same(truth: Day, prediction: Day) -> bool:
        return truth.same(prediction)

    return FieldComparison(
        how, _by_readings(readings, same), "truth" if "written" in options else "both"
    )


def _by_number(how: str, name: str, given: str | None) -> FieldComparison:
    separators: str | None = None
    tolerance, relative, as_written = Fraction(0), False, False
    for option in [] if given is None else given.split(","):
        key, _, value = option.partition("=")
        if option in ("point", "comma") and separators is None:
            separators = option
        elif option == "written":
            as_written = True
        elif key == "tolerance" and re.fullmatch(r"\d+(\.\d+)?%?", value, re.ASCII):
            relative = value.endswith("%")
            tolerance = Fraction(value.rstrip("%")) / (100 if relative else 1)
        else:
            raise ValueError(
                f"compare is {how!r}, but {name} has no option {option!r}; use point or comma, "
                "tolerance=0.01 or tolerance=1%, or written"
            )

    def readings(written: Written) -> Sequence[Amount]:
        if written.value is None:
            if name == "amount":
                return amounts(written.text, separators)
            return [Amount(number, None) for number in numbers(written.text, separators)]
        code, _, number = written.value.rpartition(" ")
        (found,) = amounts(f"{code} 0" if code and name == "amount" else "0", "point")
        return [found._replace(number=exactly(number))]

    def same(truth: Amount, prediction: Amount) -> bool:
        currencies = truth.currencies, prediction.currencies
        if None not in currencies and not currencies[0] & currencies[1]:  # type: ignore[operator]
            return False
        if not tolerance:
            return truth.number == prediction.number
        true = Fraction(truth.number)
        most = abs(true) * tolerance if relative else tolerance
        return abs(Fraction(prediction.number) - true) <= most

    return FieldComparison(how, _by_readings(readings, same), "truth" if as_written else "both")


def _by_readings(
    readings: Callable[[Written], Sequence[Reading]], same: Callable[[Reading, Reading], bool]
) -> Callable[[Written, Written], Judgement]:
    """Return a comparison for texts that have several readings, such as 1.234.

    An output is right if it has as many readings as the truth, and if each pair of readings agrees.
    """
    remember = lru_cache(maxsize=1 << 16)(readings)

    def judge(truth: Written, prediction: Written) -> Judgement:
        true = remember(truth)
        try:
            read = remember(prediction)
        except Unreadable:
            return judged(right=False, remark="unreadable")
        if len(true) == len(read) and all(map(same, true, read)):
            return judged(right=True)
        possible = any(same(a, b) for a in true for b in read)
        return judged(right=False, remark="undecided" if possible else "")

    return judge


def read_comparisons(given: Iterable[str]) -> dict[str, str]:
    """Parse arguments of the form ``FIELD=HOW``, ``HOW`` (for all fields) or the path of a TOML file.

    Parameters
    ----------
    given : iterable of str
        The arguments. The name of a TOML file ends in ``.toml``. Its lines are, for example,
        ``"items[].amount" = "amount"`` or ``po = { compare = "text", optional = true }``.

    Returns
    -------
    compare : dict of str to str
        A comparison for each field, as :func:`read_fields` takes them; ``*`` stands for all fields.

    Raises
    ------
    ValueError
        If a field is named twice, a file cannot be read, or a comparison is unknown.

    Examples
    --------
    >>> from fastarac.ocr.fields.comparisons import read_comparisons
    >>> read_comparisons(["text", "total=amount:tolerance=0.01"])
    {'*': 'text', 'total': 'amount:tolerance=0.01'}
    """
    found: dict[str, str] = {}
    for text in given:
        if text.endswith(".toml"):
            each = settings_of_file(Path(text))[0]
        elif _HOW.fullmatch(text):
            each = {"*": text}
        else:
            field, equals, how = text.partition("=")
            if not equals:
                comparison(text)  # always raises: the text is no comparison
            each = {field: how}
        if twice := [field for field in each if field in found]:
            raise ValueError(f"compare has {shown(twice[0])} twice")
        found |= each
    for how in found.values():
        comparison(how)
    return found


def settings_of_file(path: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the comparison of each field in a TOML file, and its optional fields.

    The value of a field is a comparison, or a table with the keys ``compare`` and ``optional``.
    """
    compare: dict[str, str] = {}
    optional: list[str] = []
    for field, value in table_of_file(path).items():
        own = value if isinstance(value, dict) else {"compare": value}
        for key, each in own.items():
            if key == "compare" and isinstance(each, str):
                compare[field] = each
            elif key == "optional" and isinstance(each, bool):
                optional += [field] if each else []
            else:
                problem = (
                    f'found {shown(each)}, expected a comparison such as "amount", or a table '
                    "of compare and optional (true or false)"
                )
                raise OcrFileError(path, problem, place=field)
    return compare, tuple(optional)


def strings_of_file(path: Path, expected: str) -> dict[str, str]:
    """Return the lines of a TOML file as a mapping from names to strings."""
    table = table_of_file(path)
    for field, text in table.items():
        if not isinstance(text, str):
            raise OcrFileError(path, f"found {shown(text)}, expected {expected}", place=field)
    return table


def table_of_file(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OcrFileError(path, f"it cannot be opened: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OcrFileError(path, "it is not valid TOML: it is not UTF-8 text") from None
    except ValueError as error:
        raise OcrFileError(path, f"it is not valid TOML: {error}") from None


def comparisons_by_field(
    compare: str | Mapping[str, str] | os.PathLike[str] | None, fields: Sequence[str]
) -> dict[str, FieldComparison]:
    """Return the comparison of each field; the default is ``exact``.

    A field's exact name takes precedence over patterns; of several patterns, the last one applies.

    Raises
    ------
    ValueError
        If a comparison is unknown, or a pattern matches no field.
    """
    if isinstance(compare, os.PathLike):
        compare = read_comparisons([os.fspath(compare)])
    if isinstance(compare, str):
        compare = {"*": compare}
    if compare is None:
        compare = {}
    if not isinstance(compare, Mapping):
        raise ValueError(  # noqa: TRY004, the same kind of error as for an unknown name
            "compare must be a comparison, a mapping from fields to comparisons, or the path of a "
            f"TOML file, got {compare!r}"
        )
    made = {pattern: comparison(how) for pattern, how in compare.items()}
    matches = {pattern: [f for f in fields if _matches(pattern, f)] for pattern in made}
    if unknown := [pattern for pattern, found in matches.items() if not found and pattern != "*"]:
        raise ValueError(
            f"compare names {', '.join(map(shown, unknown))}, but the fields are "
            f"{', '.join(map(shown, fields))}"
        )
    found = dict.fromkeys(fields, UNTOLD)
    for pattern, its in matches.items():
        found |= dict.fromkeys(its, made[pattern])
    return found | {field: made[field] for field in fields if field in made}


def _matches(pattern: str, field: str) -> bool:
    return fnmatchcase(field, pattern.replace("[", "[[]"))


#: The comparison of fields for which the user chooses none.
UNTOLD = comparison("exact")
