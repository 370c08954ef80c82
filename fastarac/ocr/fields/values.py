"""Parse numbers, amounts of money and dates from forms.

`1.234` can be read as two different numbers, and `03/04/2024` as two dates. The functions return all
readings, unless an option chooses one.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

#: Maximum number of characters of a number, and maximum power of ten; a float64 is below 1e309.
LONGEST = 400
SPACES = " \u00a0\u2009\u202f'’"

_NUMBER = (
    r"[+-]?(?:(?:[1-9]\d{{0,2}}(?P<group>[{group} \u00a0\u2009\u202f'’])\d{{3}}"
    r"(?:(?P=group)\d{{3}})*|\d+)"
    r"(?:{point}\d+)?|{point}\d+)"
)
SEPARATORS = {  # thousands separator, decimal separator, pattern of the numbers
    "point": (",", ".", re.compile(_NUMBER.format(group=",", point=r"\."), re.ASCII)),
    "comma": (".", ",", re.compile(_NUMBER.format(group=".", point=","), re.ASCII)),
}

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN
BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS
GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW
KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN
NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK
SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS
VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL
"""
CODES = frozenset(_CODES.split())
_DOLLARS = frozenset(code for code in CODES if code.endswith("D")) | {"MXN", "ARS", "CLP", "COP", "UYU"}
SYMBOLS = {
    "€": frozenset({"EUR"}),
    "EURO": frozenset({"EUR"}),
    "£": frozenset({"GBP", "EGP", "FKP", "GIP", "SHP"}),
    "$": _DOLLARS,
    "US$": frozenset({"USD"}),
    "CA$": frozenset({"CAD"}),
    "C$": frozenset({"CAD"}),
    "A$": frozenset({"AUD"}),
    "AU$": frozenset({"AUD"}),
    "NZ$": frozenset({"NZD"}),
    "HK$": frozenset({"HKD"}),
    "S$": frozenset({"SGD"}),
    "R$": frozenset({"BRL"}),
    "¥": frozenset({"JPY", "CNY"}),
    "円": frozenset({"JPY"}),
    "元": frozenset({"CNY", "TWD"}),
    "₹": frozenset({"INR"}),
    "RS.": frozenset({"INR", "PKR", "LKR", "NPR", "MUR"}),
    "₩": frozenset({"KRW"}),
    "₽": frozenset({"RUB"}),
    "₺": frozenset({"TRY"}),
    "₪": frozenset({"ILS"}),
    "₫": frozenset({"VND"}),
    "₴": frozenset({"UAH"}),
    "฿": frozenset({"THB"}),
    "ZŁ": frozenset({"PLN"}),
    "KČ": frozenset({"CZK"}),
    "FT": frozenset({"HUF"}),
    "KR": frozenset({"SEK", "NOK", "DKK", "ISK"}),
    "KR.": frozenset({"SEK", "NOK", "DKK", "ISK"}),
    "FR.": frozenset({"CHF"}),
    "SFR.": frozenset({"CHF"}),
}
_NAMES = "|".join(re.escape(name) for name in sorted((*SYMBOLS, *CODES), key=len, reverse=True))
BEFORE = re.compile(rf"\s*(-|\+|\(|)\s*(?:({_NAMES})\s*|)(?=[-+.,\d(])", re.IGNORECASE)
AFTER = re.compile(rf"(?<=[\d.,)–—-])\s*(?:({_NAMES})|)\s*(-|\)|)\s*(?:({_NAMES})|)\s*", re.IGNORECASE)
ROUND = re.compile(r"(?<=\d)[.,][-–—]+(?!\d)")  # a dash can replace zero cents: 12,- means 12

_MONTHS = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
jänner februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
jan feb mar apr may jun jul aug sep oct nov dec
jän feb mär apr mai jun jul aug sept okt nov dez
"""
MONTHS = {
    name: number for line in _MONTHS.split("\n") for number, name in enumerate(line.split(), start=1)
}

ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})(\d{2})(\d{2})", re.ASCII)
DAY_FIRST = re.compile(
    r"(\d{1,2})(?:\.|st|nd|rd|th)?[ -](?:de |of )?([^\W\d_]+)[.,]?[ -](?:de )?(\d{4}|\d{2})"
)
MONTH_FIRST = re.compile(r"([^\W\d_]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
NUMERIC = re.compile(r"(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})", re.ASCII)
#: For each order of the numbers in a date, the indices of the year, the month and the day.
ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}


class Unreadable(ValueError):  # noqa: N818, one of several outcomes
    """A text is not of the kind that its comparison expects."""


class Amount(NamedTuple):
    """An amount of money."""

    number: Decimal
    currencies: frozenset[str] | None
    """The possible codes of its currency; None if no currency is written."""


class Day(NamedTuple):
    """A day of the calendar."""

    year: int
    month: int
    day: int
    short: bool = False
    """Whether the year has two digits, so its century is unknown."""

    def same(self, other: Day) -> bool:
        """Return whether two days are the same; if a year has two digits, centuries are ignored."""
        if self[1:3] != other[1:3]:
            return False
        century = 100 if self.short or other.short else 10_000
        return self.year % century == other.year % century


def exactly(text: str) -> Decimal:
    """Parse a number in machine notation: 1234.5, -2e3.

    Raises
    ------
    Unreadable
        If the text is not a finite number, or has too many digits.
    """
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise Unreadable("a number such as 1234.50") from None
    if not number.is_finite() or len(text) > LONGEST or abs(number.adjusted()) > LONGEST:
        raise Unreadable(f"a finite number of at most {LONGEST} digits")
    return number


def numbers(text: str, separators: str | None = None) -> tuple[Decimal, ...]:
    """Parse a number: return one reading, or two if a separator can be read in two ways.

    Parameters
    ----------
    text : str
    separators : {"point", "comma"}, optional
        The decimal separator; by default, both are tried.

    Returns
    -------
    readings : tuple of Decimal
        The reading with a decimal point and the reading with a decimal comma, or one reading if they
        are equal.

    Raises
    ------
    Unreadable
        If the text is not a number.

    Examples
    --------
    >>> from fastarac.ocr.fields.values import numbers
    >>> numbers("1,234.50")
    (Decimal('1234.50'),)
    >>> numbers("1.234"), numbers("1.234", "comma")
    ((Decimal('1.234'), Decimal('1234')), (Decimal('1234'),))
    """
    written = text.strip().replace("\u2212", "-")
    if len(written) > LONGEST:
        raise Unreadable(f"a number of at most {LONGEST} digits")
    found: list[Decimal] = []
    for name, (group, point, pattern) in SEPARATORS.items():
        if separators in (None, name) and pattern.fullmatch(written):
            plain = "".join(sign for sign in written if sign not in SPACES)
            number = Decimal(plain.replace(group, "").replace(point, "."))
            if number not in found:
                found.append(number)
    if not found:
        shapes = {"point": "1,234.50", "comma": "1.234,50"}
        raise Unreadable(f"a number such as {shapes.get(separators or '', '1,234.50 or 1.234,50')}")
    return tuple(found)


def amounts(text: str, separators: str | None = None) -> tuple[Amount, ...]:
    """Parse an amount of money: return one or two readings, as `numbers` does.

    The currency is a symbol or a code before or after the number. A minus sign before or after the
    number, or parentheses around the amount, make it negative.

    Raises
    ------
    Unreadable
        If the text is not an amount.

    Examples
    --------
    >>> from fastarac.ocr.fields.values import amounts
    >>> amounts("(EUR 1.234,50)")
    (Amount(number=Decimal('-1234.50'), currencies=frozenset({'EUR'})),)
    """
    written = text.strip().replace("\u2212", "-")
    begin = BEFORE.match(written)
    if begin is None or len(written) > LONGEST:
        raise Unreadable("an amount such as 1,234.50, $1,234.50 or 1.234,50 EUR")
    signs, names = [begin[1]], [begin[2]]
    rest = ROUND.sub("", written[begin.end() :])
    if rest[:1] in ("-", "(", "+"):
        signs.append(rest[0])
        rest = rest[1:].lstrip()
    for end in AFTER.finditer(rest):
        if end.end() == len(rest):
            names += [end[1], end[3]]
            signs.append(end[2])
            rest = rest[: end.start()]
            break
    signs = [sign for sign in signs if sign]
    given = [name.upper() for name in names if name]
    well = not signs or signs in (["-"], ["+"], ["(", ")"])
    if not well or len(given) > 2:
        raise Unreadable("an amount such as 1,234.50, $1,234.50 or 1.234,50 EUR")
    currencies: frozenset[str] | None = None
    for name in given:
        codes = SYMBOLS.get(name) or frozenset({name})
        currencies = codes if currencies is None else currencies & codes
    if currencies is not None and not currencies:
        raise Unreadable("an amount in one currency")
    try:
        readings = numbers(rest, separators)
    except Unreadable:
        raise Unreadable("an amount such as 1,234.50, $1,234.50 or 1.234,50 EUR") from None
    negative = bool(signs) and signs[0] in "-("
    return tuple(
        Amount(number.copy_negate() if negative else number, currencies) for number in readings
    )


def days(text: str, order: str | None = None, form: str | None = None) -> tuple[Day, ...]:
    """Parse a date: return one reading, or several if the order of day, month and year is ambiguous.

    Parameters
    ----------
    text : str
        The text, such as 2024-04-03, 20240403, 3 April 2024, April 3, 2024, 03/04/2024 or 3.4.24. Month
        names may be English, German, French, Spanish, Italian, Portuguese or Dutch.
    order : {"dmy", "mdy", "ymd"}, optional
        The order of the numbers in a date that does not begin with a four-digit year. By default, every
        order that gives a valid date is a reading.
    form : str, optional
        A format of :meth:`datetime.datetime.strptime`, tried first.

    Returns
    -------
    readings : tuple of Day

    Raises
    ------
    Unreadable
        If the text is not a date.

    Examples
    --------
    >>> from fastarac.ocr.fields.values import days
    >>> days("22/11/2026")
    (Day(year=2026, month=11, day=22, short=False),)
    >>> len(days("03/04/2024")), len(days("03/04/2024", "dmy"))
    (2, 1)
    """
    if form is not None:
        try:
            found = datetime.strptime(text.strip(), form).date()  # noqa: DTZ007, only the date is kept
            return (Day(found.year, found.month, found.day, "%y" in form),)
        except ValueError:
            pass
    written = unicodedata.normalize("NFC", " ".join(text.split()).casefold())
    if match := ISO.fullmatch(written):
        year, month, day = match.group(1, 3, 4) if match[1] else match.group(5, 6, 7)
        readings = [_calendar(year, int(month), day)]
    elif match := DAY_FIRST.fullmatch(written):
        readings = [_calendar(match[3], MONTHS.get(match[2], 0), match[1])]
    elif match := MONTH_FIRST.fullmatch(written):
        readings = [_calendar(match[3], MONTHS.get(match[1], 0), match[2])]
    elif match := NUMERIC.fullmatch(written):
        parts = match.group(1, 3, 4)
        readings = []
        for name, (year_at, month_at, day_at) in ORDERS.items():
            fits = order in (None, name) and (name != "ymd" or len(parts[2]) == 2)
            if fits:
                readings.append(_calendar(parts[year_at], int(parts[month_at]), parts[day_at]))
    else:
        readings = []
    known = tuple(dict.fromkeys(day for day in readings if day is not None))
    if not known:
        shapes = {"dmy": "22/11/2026", "mdy": "11/22/2026", "ymd": "26-11-22"}
        raise Unreadable(
            f"a day such as 2026-11-22, 22 November 2026 or {shapes.get(order or '', '22/11/2026')}"
        )
    return known


def _calendar(year: str, month: int, day: str) -> Day | None:
    short = len(year) == 2
    try:
        date(2000 + int(year) if short else int(year), month, int(day))
    except ValueError:
        return None
    return Day(int(year), month, int(day), short)
