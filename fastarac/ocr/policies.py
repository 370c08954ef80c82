"""Policies: the names of what missed words and inserted outputs may count as, and how each is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from fastarac._core.text import plural
from fastarac.ocr.folding import EXPLAINED

if TYPE_CHECKING:
    from fastarac.ocr.records import Reading

__all__ = ["BRIEFLY", "INSERTED", "MISSED", "AlignmentPolicy", "InsertedPolicy", "MissedPolicy"]

MissedPolicy = Literal["separate", "residual", "reject", "neighbour", "drop"]
InsertedPolicy = Literal["wrong", "drop"]

MISSED: tuple[MissedPolicy, ...] = get_args(MissedPolicy)
INSERTED: tuple[InsertedPolicy, ...] = get_args(InsertedPolicy)

_OF_MISSED: dict[MissedPolicy, str] = {
    "separate": "Missed {units} are no items, as nobody who verifies outputs sees them: they are "
    "counted apart.",
    "residual": "Missed {units} are items that are wrong and accepted before all others: errors that "
    "remain at any threshold.",
    "reject": "Missed {units} are items that are wrong and never accepted: whoever verifies sees that "
    "they are missing.",
    "neighbour": "A missed {unit} makes the item before it wrong: whoever verifies that one sees the "
    "gap.",
    "drop": "Missed {units} are left out of all figures.",
}
#: The same in few words, for a legend.
BRIEFLY: dict[MissedPolicy, str] = {
    "separate": "missed {units} are counted apart",
    "residual": "missed {units} are errors that remain at any threshold",
    "reject": "whoever verifies sees that they are missing",
    "neighbour": "the gap makes the item before it wrong",
    "drop": "missed {units} are left out",
}
_OF_INSERTED: dict[InsertedPolicy, str] = {
    "wrong": "Inserted outputs are items that are wrong.",
    "drop": "Inserted outputs are left out of all figures.",
}
_OF_JOIN = {
    "min": "the least",
    "mean": "the mean",
    "max": "the largest",
}


class AlignmentPolicy(NamedTuple):
    """What counts as an item where truth and outputs have nothing of each other.

    Attributes
    ----------
    missed : {"separate", "residual", "reject", "neighbour", "drop"}
    inserted : {"wrong", "drop"}
    """

    missed: MissedPolicy = "separate"
    inserted: InsertedPolicy = "wrong"

    def check(self) -> None:
        """Raise ValueError where a name is none of a policy."""
        for name, value, names in (
            ("missed", self.missed, MISSED),
            ("inserted", self.inserted, INSERTED),
        ):
            if value not in names:
                raise ValueError(f"{name} is {value!r}; one of {', '.join(names)} is expected")

    def sentences(self, reading: Reading) -> list[str]:
        """Return the policy and the way texts are compared, in words."""
        unit, units = plural(reading.unit, 1), plural(reading.unit)
        items = "Items are the true {units} that have an output"
        items += ", and the inserted outputs." if self.inserted == "wrong" else "."
        said = [items, _OF_MISSED[self.missed], _OF_INSERTED[self.inserted]]
        if self.inserted == "wrong":
            said[2] = "Inserted outputs are wrong."
        joined = _OF_JOIN[reading.join]
        equal = "unless their texts are equal without spaces " if "whitespace" in reading.fold else ""
        said.append(
            f"Merged and split {{units}} are wrong {equal}and have {joined} confidence of their "
            "outputs."
        )
        if reading.fold:
            said.append(
                f"Differences in {_listed([EXPLAINED[name] for name in reading.fold])} do not count."
            )
        return [sentence.format(unit=unit, units=units) for sentence in said]


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"
