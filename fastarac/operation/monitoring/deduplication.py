"""Recognize audits that were counted before, with a bounded number of fingerprints.

With ids, each of the last `MOST_AUDITS` audits is recognized. Its id is stored with a fingerprint of
its content, because another audit with this id is an error, not a repetition. The last `MOST_BATCHES`
batches are recognized by their names, or by the contents of their audits in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core import saved
from fastarac._core.text import quoted
from fastarac.operation.audit_logs import LogError
from fastarac.operation.fingerprints import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

MOST_AUDITS = 1 << 16
MOST_BATCHES = 1 << 12
# Recognize a batch of at least this size at the beginning of another one. A shorter batch may match by
# chance.
LEAST_GROWN = 10
# Numbers of hexadecimal digits: in the fingerprint of an id, and in the fingerprint of the content of
# an audit.
OF_ID, OF_CONTENT = 16, 8

CHECK = saved.record(
    {
        "audits": saved.sequence(saved.hexadecimal(OF_ID + OF_CONTENT), MOST_AUDITS),
        "batches": saved.sequence(
            saved.record(
                {"audits": saved.optional(saved.whole(1)), "digest": saved.hexadecimal(OF_ID)}
            ),
            MOST_BATCHES,
        ),
    }
)


class Batch(NamedTuple):
    """A counted batch: its number of audits, if known, and its fingerprint."""

    audits: int | None
    digest: str

    @classmethod
    def named(cls, name: str) -> Batch:
        """Return the batch with this name."""
        return cls(None, digest_of(name, OF_ID))


class CountedAudits:
    """The counted audits and batches; the oldest ones are forgotten first."""

    def __init__(self, audits: Mapping[str, str] = {}, batches: Iterable[Batch] = ()) -> None:
        self._audits = dict(audits)
        self._batches = dict.fromkeys(batches)

    def __contains__(self, batch: Batch) -> bool:
        return batch in self._batches

    def add(self, batch: Batch) -> None:
        """Record a batch."""
        self._batches[batch] = None
        _forget(self._batches, MOST_BATCHES)

    def copy(self) -> CountedAudits:
        """Return an independent copy."""
        return CountedAudits(self._audits, self._batches)

    @staticmethod
    def fingerprints(name: str, about: str) -> tuple[str, str]:
        """Return the fingerprints of an id and of its audit's content."""
        return digest_of(name, OF_ID), digest_of(about, OF_CONTENT)

    @staticmethod
    def parts_of(fingerprint: str) -> tuple[str, str]:
        """Split a joint fingerprint into its two parts, for the id and for the content."""
        return fingerprint[:OF_ID], fingerprint[OF_ID:]

    def about(self, key: str) -> str | None:
        """Return the fingerprint of an audit's content, given that of its id; None if it is unknown."""
        return self._audits.get(key)

    def note(self, key: str, about: str) -> None:
        """Record one audit by its fingerprints."""
        self._audits[key] = about
        _forget(self._audits, MOST_AUDITS)

    def new_among(
        self, content: Sequence[str], ids: Sequence[str] | None, unanswered: Sequence[str]
    ) -> tuple[NDArray[np.bool_], int, CountedAudits]:
        """Return which audits are new, (n,) bool, the number of late answers, and the updated record.

        `unanswered` has the content of each audit as it would be without an answer. If an audit was
        counted without an answer, its late answer is not counted.

        Raises
        ------
        LogError
            If an id belongs to another audit, or occurs twice with different contents.
        ValueError
            Without ids, if a batch begins with the audits of a counted batch.
        """
        told = content
        if ids is not None:
            told = [f"{name}\n{each}" for name, each in zip(ids, content, strict=True)]
        hashes = np.array([int(digest_of(each, OF_ID), 16) for each in told], np.uint64)
        # The k-th sum (modulo 2⁶⁴) identifies the first k audits of a batch as a set, in any order.
        sums = np.cumsum(hashes)
        digests = [f"{total:016x}" for total in sums.tolist()]
        after, n = CountedAudits(self._audits, self._batches), len(content)
        if n == 0 or Batch(n, digests[-1]) in self._batches:
            return np.zeros(n, np.bool_), 0, after
        for begun, digest in self._batches if ids is None else ():
            if begun is not None and LEAST_GROWN <= begun < n and digests[begun - 1] == digest:
                raise ValueError(
                    f"outcomes begins with the {begun:,} audits of an earlier call: give only "
                    "the new ones, or pass ids"
                )
        after.add(Batch(n, digests[-1]))
        if ids is None:
            return np.ones(n, np.bool_), 0, after
        return *after.add_audits(content, ids, unanswered), after

    def add_audits(
        self, content: Sequence[str], ids: Sequence[str], unanswered: Sequence[str]
    ) -> tuple[NDArray[np.bool_], int]:
        """Record audits; return which of them are new, and how many answers are late."""
        new, late = np.zeros(len(ids), np.bool_), 0
        for row, (name, each, waiting) in enumerate(zip(ids, content, unanswered, strict=True)):
            key, about = digest_of(name, OF_ID), digest_of(each, OF_CONTENT)
            new[row] = key not in self._audits
            known = self._audits.setdefault(key, about)
            # Skip an audit that is the same as before, or that still has no answer.
            if known == about or each == waiting:
                continue
            if known == digest_of(waiting, OF_CONTENT):
                late += 1
            else:
                why = "another audit with this id was counted before: no two audits may share an id"
                raise LogError("ids", row, quoted(name), why)
        _forget(self._audits, MOST_AUDITS)
        return new, late

    def to_dict(self) -> dict[str, Any]:
        """Return the fingerprints, oldest first."""
        return {
            "audits": [key + about for key, about in self._audits.items()],
            "batches": [batch._asdict() for batch in self._batches],
        }

    @classmethod
    def of(cls, content: dict[str, Any]) -> CountedAudits:
        """Load fingerprints from the values of :meth:`to_dict`."""
        found = cls(
            {each[:OF_ID]: each[OF_ID:] for each in content["audits"]},
            [Batch(**each) for each in content["batches"]],
        )
        for key, known in (("audits", found._audits), ("batches", found._batches)):
            if len(known) < len(content[key]):
                raise ValueError(f"counted.{key} has an audit twice")
        return found


def _forget(known: dict[Any, Any], most: int) -> None:
    """Drop the oldest entries beyond the last `most`."""
    for key in list(known)[: max(0, len(known) - most)]:
        del known[key]
