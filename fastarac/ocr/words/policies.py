"""Policies for missed, inserted and moved words, and their descriptions."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from fastarac._core.text import plural
from fastarac.ocr.words.folding import EXPLAINED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.ocr.words.records import Reading

MissedPolicy = Literal["reject", "residual", "separate", "neighbour", "drop"]
InsertedPolicy = Literal["wrong", "drop"]
MovedPolicy = Literal["right", "wrong"]

MISSED: tuple[MissedPolicy, ...] = get_args(MissedPolicy)
INSERTED: tuple[InsertedPolicy, ...] = get_args(InsertedPolicy)
MOVED: tuple[MovedPolicy, ...] = get_args(MovedPolicy)

#: The allowed values of each field of a policy, starting with the default.
CHOICES: dict[str, tuple[str, ...]] = {"missed": MISSED, "inserted": INSERTED, "moved": MOVED}

_OF_MISSED: dict[MissedPolicy, str] = {
    "reject": "Missed {units} are items that are wrong and never accepted: people look for them.",
    "residual": "Missed {units} are items that are wrong and accepted before all others: errors that "
    "remain at any threshold, because nobody looks for them.",
    "separate": "Missed {units} are not items: they are counted separately.",
    "neighbour": "A missed {unit} makes the item before it wrong: a person who verifies that item sees "
    "the gap.",
    "drop": "Missed {units} are left out of all figures.",
}
#: Short descriptions of the policies for missed words, for a legend.
BRIEFLY: dict[MissedPolicy, str] = {
    "reject": "missed {units} are never accepted; people look for them",
    "residual": "nobody looks for missed {units}; they remain as errors",
    "separate": "missed {units} are counted separately",
    "neighbour": "the gap makes the item before it wrong",
    "drop": "missed {units} are left out",
}
_OF_INSERTED: dict[InsertedPolicy, str] = {
    "wrong": "Inserted outputs are items that are wrong.",
    "drop": "Inserted outputs are left out of all figures.",
}
_OF_MOVED: dict[MovedPolicy, str] = {
    "right": "Moved {units}, read right but out of order, are right: a person who looks at one sees no "
    "error.",
    "wrong": "Moved {units}, read right but out of order, are wrong.",
}
_OF_JOIN = {
    "min": "the smallest",
    "mean": "the mean",
    "max": "the largest",
}


#: Phrases that say how another policy differs from the policy in use, as in "with moved words counted
#: as wrong, B accepts 20.0 points more".
_APART: dict[str, dict[str, str]] = {
    "missed": {
        "reject": "if people look for missed words",
        "residual": "if nobody looks for missed words",
        "separate": "with missed words counted separately",
        "neighbour": "with each missed word making the item before it wrong",
        "drop": "with missed words left out",
    },
    "inserted": {
        "wrong": "with inserted outputs counted as wrong",
        "drop": "with inserted outputs left out",
    },
    "moved": {
        "right": "with moved words counted as right",
        "wrong": "with moved words counted as wrong",
    },
}


class AlignmentPolicy(NamedTuple):
    """How missed words, inserted outputs and moved words count.

    Attributes
    ----------
    missed : {"reject", "residual", "separate", "neighbour", "drop"}
    inserted : {"wrong", "drop"}
    moved : {"right", "wrong"}
    """

    missed: MissedPolicy = "reject"
    inserted: InsertedPolicy = "wrong"
    moved: MovedPolicy = "right"

    def check(self) -> None:
        """Raise ValueError if a field has an unknown value."""
        for name, value in self._asdict().items():
            names = CHOICES[name]
            if value not in names:
                raise ValueError(f"{name} must be one of {', '.join(names)}, got {value!r}")

    @property
    def has_missed_items(self) -> bool:
        """Whether true words without an output are items."""
        return self.missed in ("reject", "residual")

    @property
    def name(self) -> str:
        """The values of all fields, such as ``"reject, wrong, right"``."""
        return ", ".join(self)

    def apart(self, own: AlignmentPolicy) -> str:
        """Say how the policy differs from `own`: ``"with missed words counted separately"``."""
        return " and ".join(_APART[name][getattr(self, name)] for name in self.fields_apart(own))

    def fields_apart(self, own: AlignmentPolicy) -> list[str]:
        """Return the names of the fields whose values differ from `own`."""
        return [name for name in self._fields if getattr(self, name) != getattr(own, name)]

    @property
    def key(self) -> str:
        """The names and values of all fields: ``"missed/reject/inserted/wrong/moved/right"``."""
        return "/".join(f"{name}/{value}" for name, value in self._asdict().items())

    def sentences(self, reading: Reading) -> list[str]:
        """Describe the policy and the comparison of texts in sentences."""
        unit, units = plural(reading.unit, 1), plural(reading.unit)
        items = "Items are the true {units}"
        items += "" if self.has_missed_items else " that have an output"
        items += " and the inserted outputs." if self.inserted == "wrong" else "."
        said = [items, _OF_MISSED[self.missed], _OF_INSERTED[self.inserted]]
        if self.has_missed_items:
            said[1] = said[1].replace("items that are ", "", 1)
        if self.inserted == "wrong":
            said[2] = "Inserted outputs are wrong."
        said.append(_OF_MOVED[self.moved])
        joined = _OF_JOIN[reading.join]
        equal = ", unless their texts are equal without spaces" if "whitespace" in reading.fold else ""
        said.append(
            f"Merged and split {{units}} are wrong{equal}. They have {joined} confidence of their "
            "outputs."
        )
        if reading.fold:
            said.append(
                f"Differences in {_listed([EXPLAINED[name] for name in reading.fold])} do not count."
            )
        return [sentence.format(unit=unit, units=units) for sentence in said]


def others(own: AlignmentPolicy, counts: Mapping[str, int]) -> list[AlignmentPolicy]:
    """Return `own`, followed by the policies that give different items.

    `counts` has the number of words of each kind. A field is varied only if words of its kind occur.
    `moved` is varied only if all other fields equal those of `own`.
    """
    varied: dict[str, list[str]] = {}
    for name, value in own._asdict().items():
        varied[name] = [value]
        if counts[name] and name != "moved":
            # For missed words, "drop" and "separate" give the same items.
            alike = {value, "drop", *(("separate",) if value == "drop" else ())}
            if name != "missed":
                alike = {value}
            varied[name] += [choice for choice in CHOICES[name] if choice not in alike]
    names = list(reversed(varied))
    found = [
        AlignmentPolicy(**dict(zip(names, values, strict=True)))  # type: ignore[arg-type]
        for values in product(*(varied[name] for name in names))
    ]
    if counts["moved"]:
        found += (own._replace(moved=choice) for choice in MOVED if choice != own.moved)
    return found


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"
