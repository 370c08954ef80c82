"""Rules on the fields of a document, such as ``net + tax == total``.

A document that breaks a rule goes to people.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from fastarac._core.text import count, few_of, listed, plural, quoted
from fastarac.ocr.fields.values import Unreadable, amounts, days, exactly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fastarac.ocr.fields.comparisons import Written
    from fastarac.operation.policy import Policy

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, "<": operator.lt, ">=": operator.ge,
    ">": operator.gt,
}  # fmt: skip
EXAMPLES = "net + tax == total, sum(items[].amount) == net, or date <= due"
# Sums that differ by less than this are equal, because services round.
HALF_A_CENT = Decimal("0.005")
MOST_READINGS = 64  # maximum number of values of one sum (a number such as 1.234 has two readings)
LISTED = 6  # maximum number of rules that a note names
BROKEN, RULES = "broken_rule", "rules"  # columns of the tables written
SEPARATOR = "; "  # between two rules in the column of rules
_TOKEN = re.compile(
    r"\s*(?:(sum)\s*\(|([+\-])|(\))|\"([^\"]+)\"|(\d+(?:\.\d+)?)(?![\w\[])|([\w.\[\]]+))"
)
_NAME = re.compile(r"\s*(?:\"([^\"]+)\"|([\w.\[\]]+))\s*\)")  # the field named in sum(…)


@dataclass(frozen=True, slots=True)
class _Term:
    """A field, the sum of a field over all rows, or a number, with its sign."""

    sign: int
    field: str | None
    number: Decimal = Decimal(0)
    is_sum: bool = False


@dataclass(frozen=True, slots=True)
class FieldRule:
    """A comparison of two sums of fields, or of two dates.

    Attributes
    ----------
    text : str
        The rule as written.
    left, right : tuple of _Term
        The terms on both sides.
    comparison : str
        One of ``==``, ``!=``, ``<=``, ``<``, ``>=``, ``>``.
    """

    text: str
    left: tuple[_Term, ...]
    right: tuple[_Term, ...]
    comparison: str

    @classmethod
    def of(cls, text: str) -> FieldRule:
        """Parse a rule; raise ValueError if the text is not a rule."""
        parts = re.split(r"(==|!=|<=|>=|<|>)", text)
        if len(parts) != 3:
            raise _unknown(text)
        left, comparison, right = parts
        return cls(text.strip(), _terms(left, text), _terms(right, text), comparison)

    @property
    def fields(self) -> list[str]:
        """The fields of the rule, without item numbers."""
        return [term.field for term in (*self.left, *self.right) if term.field is not None]

    def is_broken(self, values: Mapping[str, Sequence[Written]]) -> bool:
        """Return whether a document breaks the rule; `values` are the outputs of each field.

        An ambiguous number such as 1.234 breaks the rule only if no reading satisfies the rule.
        """
        if any(not values.get(name) for name in self.fields):
            return False
        compare = COMPARISONS[self.comparison]
        try:
            left, right = _sums(self.left, values), _sums(self.right, values)
        except Unreadable:
            if len(self.left) > 1 or len(self.right) > 1:
                return True
            try:
                dates = [_dates(term, values) for term in (*self.left, *self.right)]
            except Unreadable:
                return True
            return not any(compare(a, b) for a in dates[0] for b in dates[1])
        return not any(compare(*_rounded(a, b)) for a in left for b in right)


def rules_of(texts: Sequence[str], known: Iterable[str]) -> tuple[FieldRule, ...]:
    """Parse rules; raise ValueError if a rule names a field that is not among the `known` ones."""
    rules, names = tuple(map(FieldRule.of, texts)), list(known)
    for rule in rules:
        for name in rule.fields:
            if name not in names:
                raise ValueError(
                    f"rules must name fields of the truth ({listed(list(map(quoted, names)))}), got "
                    f"{quoted(name)} in {quoted(rule.text)}"
                )
    return rules


def broken_rules(
    rules: Sequence[FieldRule], outputs: Iterable[tuple[str, str, Written | None]]
) -> dict[str, str]:
    """Return the first broken rule of each document; `outputs` are (document, field, output)."""
    if not rules:
        return {}
    by_document: dict[str, dict[str, list[Written]]] = {}
    for document, field, written in outputs:
        if written is not None and written.text:
            by_document.setdefault(document, {}).setdefault(field, []).append(written)
    found = {}
    for document, values in by_document.items():
        broken = next((rule.text for rule in rules if rule.is_broken(values)), None)
        if broken is not None:
            found[document] = broken
    return found


def rules_of_policy(policy: Policy) -> Sequence[str]:
    """Return the rules that are stored in a policy."""
    found: Sequence[str] = policy.columns.get(RULES, ())
    return found


def rule_columns(
    documents: Sequence[str], rules: Sequence[str], broken: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the columns "rules" and "broken_rule", one row per document; {} without rules."""
    if not rules:
        return {}
    return {
        BROKEN: [broken.get(name, "") for name in documents],
        RULES: [SEPARATOR.join(rules)] * len(documents),
    }


def broken_note(broken: Mapping[str, str]) -> str:
    """Return a note on the number of documents that break each rule."""
    n = len(broken)
    of_rules = [f"{quoted(rule)} ({k:,})" for rule, k in Counter(broken.values()).most_common()]
    return (
        f"{count(n)} {plural('document', n)} {'breaks' if n == 1 else 'break'} a rule and "
        f"{'goes' if n == 1 else 'go'} to people: {few_of(of_rules, LISTED)}"
    )


def _terms(side: str, text: str) -> tuple[_Term, ...]:
    found: list[_Term] = []
    sign, place, is_open = 1, 0, True  # is_open: whether a term must follow
    while side[place:].strip():
        token = _TOKEN.match(side, place)
        if token is None:
            raise _unknown(text)
        begins_sum, plus, closes, quoted_name, number, name = token.groups()
        place = token.end()
        if plus:
            if is_open and found:
                raise _unknown(text)
            sign, is_open = (1 if plus == "+" else -1), True
            continue
        if not is_open or closes:
            raise _unknown(text)
        if begins_sum:
            inside = _NAME.match(side, place)
            if inside is None:
                raise _unknown(text)
            place = inside.end()
            found.append(_Term(sign, inside.group(1) or inside.group(2), is_sum=True))
        elif number:
            found.append(_Term(sign, None, Decimal(number)))
        else:
            field = quoted_name or name
            if "[]" in field:  # a field of several rows has no single value
                raise _unknown(text)
            found.append(_Term(sign, field))
        sign, is_open = 1, False
    if is_open:
        raise _unknown(text)
    return tuple(found)


def _unknown(text: str) -> ValueError:
    return ValueError(f"rules must compare sums of fields or dates, such as {EXAMPLES}, got {text!r}")


def _sums(terms: Sequence[_Term], values: Mapping[str, Sequence[Written]]) -> set[Decimal]:
    """Return the possible values of a sum; raise Unreadable if a text is no number."""
    totals = {Decimal(0)}
    for term in terms:
        if term.field is None:
            totals = {total + term.sign * term.number for total in totals}
            continue
        for written in values[term.field]:
            readings = _numbers(written)
            totals = {total + term.sign * number for total in totals for number in readings}
            if len(totals) > MOST_READINGS:
                raise Unreadable("several ambiguous numbers")
    return totals


def _numbers(written: Written) -> list[Decimal]:
    if written.value is not None:
        return [exactly(written.value.rpartition(" ")[2])]
    return [each.number for each in amounts(written.text)]


def _dates(term: _Term, values: Mapping[str, Sequence[Written]]) -> list[date]:
    """Return the readings of a date; raise Unreadable for anything else."""
    if term.field is None or term.is_sum:
        raise Unreadable("a date")
    found = []
    for written in values[term.field]:
        readings = days(written.text) if written.value is None else days(written.value)
        found += [
            date(2000 + each.year if each.short else each.year, each.month, each.day)
            for each in readings
        ]
    return found


def _rounded(a: Decimal, b: Decimal) -> tuple[Decimal, Decimal]:
    """Return the numbers, made equal if they differ by less than half a cent."""
    return (a, a) if abs(a - b) < HALF_A_CENT else (a, b)
