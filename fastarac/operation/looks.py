"""A log of looks: repeated checks of one limit, with their outputs, their order and their rule."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import largest_group, require_type, whole_number
from fastarac._core.files import SavedAsJson
from fastarac._core.locks import locked
from fastarac._core.text import json_text, quoted
from fastarac.operation.checked_outputs import Checked, LookRule
from fastarac.operation.fingerprints import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

VERSION = 1
KIND = "fastarac looks"
MOST_LOOKS = 1000
# Looks that share at least this many outputs may be repetitions. Fewer may be shared by chance.
LEAST_ALIKE = 10
# Numbers of hexadecimal digits: in the digest of one item or group, and in the digest of a look.
OF_KEY, OF_LOOK = 16, 16
RULES = ("once", "declared", "sequence")


class LookedAt(NamedTuple):
    """Items (outputs or documents) of one check, or of all checks so far."""

    checked: Checked
    fields: NDArray[np.intp] | None
    n_unread: int
    keys: Sequence[str]
    """The name of each item; without names, a text of its values."""
    named: bool
    """Whether `keys` are names, which no two items share."""
    groups: Sequence[str] | None
    """The name of each item's group."""


class LookRequest(NamedTuple):
    """The arguments that concern looks: the log, and the names and groups of the new outputs."""

    looks: Looks
    policy_digest: str
    once: bool
    names: NDArray[Any] | None
    groups: NDArray[Any] | None

    @classmethod
    def of(
        cls,
        looks: Looks | None,
        policy_digest: str,
        *,
        once: bool,
        ids: Any,
        documents: Any,
        groups: Any,
    ) -> LookRequest | None:
        """Check the arguments that concern a log of looks; return None without a log."""
        if looks is None:
            for name, is_given in (("once", once), ("ids", ids is not None)):
                if is_given:
                    raise TypeError(f"{name} needs looks: give a log of looks, or leave out {name}")
            return None
        require_type(looks, Looks, "looks", "a Looks")
        if documents is not None:
            if ids is not None:
                raise TypeError("ids cannot go with documents: their labels serve as ids")
            ids = documents
        # For nested groups, use the outermost column, which has the fewest labels.
        if isinstance(groups, tuple):
            columns = [np.asarray(each).ravel() for each in groups]
            groups = min(columns, key=lambda labels: len(np.unique(labels)))
        parts = [None if each is None else np.asarray(each).ravel() for each in (ids, groups)]
        return cls(looks, policy_digest, once, *parts)

    def add(
        self,
        checked: Checked,
        fields: NDArray[np.intp] | None,
        n_unread: int,
        rows: NDArray[np.intp],
        columns: Sequence[NDArray[Any] | None],
    ) -> LookedAt:
        """Add a look at the items of these rows, and return the items to test.

        Without ids, the values in `columns` identify items.
        """
        names, groups = (
            None if each is None else [str(label) for label in each[rows].tolist()]
            for each in (self.names, self.groups)
        )
        named = names is not None
        if names is None:
            told = [each[rows].tolist() for each in (*columns, self.groups) if each is not None]
            names = ["|".join(map(repr, row)) for row in zip(*told, strict=True)]
        sample = LookedAt(checked, fields, n_unread, names, named, groups)
        return self.looks.add(self.policy_digest, sample, once=self.once)

    def weighted(self, checked: Checked, columns: Sequence[NDArray[Any] | None]) -> Checked:
        """Add a look at partly verified outputs; return them with the rule of the look."""
        rows = np.arange(len(checked.accepted))
        return self._replace(names=None).add(checked, None, 0, rows, columns).checked


@contextmanager
def kept_looks(path: Path, declared: int | None = None) -> Iterator[Looks]:
    """Lock and load the log of looks in a file, and save it at the end if it changed.

    Raises
    ------
    ValueError
        If `declared` is not the number of looks that was declared at the first look; also as
        :meth:`Looks.load`.
    OSError
        If the file cannot be read, written or locked.
    """
    with locked(path):
        looks = Looks.load(path) if path.exists() else Looks(declared)
        if declared not in (None, looks.declared):
            known = "no looks were" if looks.declared is None else f"{looks.declared} looks were"
            raise ValueError(
                f"{path}: declared is {declared}, but {known} declared at the first look; the number "
                "cannot change"
            )
        before = looks.to_json()
        yield looks
        if looks.to_json() != before:
            looks.save(path)


class _Look(NamedTuple):
    """One look and the items that it added to the log; with partial truth, only their joint digest."""

    rule: str
    digest: str
    named: bool
    keys: tuple[str, ...]
    outcomes: str
    """For each item 0 if rejected, 1 if accepted and right, 2 if accepted and wrong."""
    fields: tuple[int, ...] | None
    groups: tuple[str, ...] | None
    max_group_size: int | None
    n_unread: int

    @property
    def n(self) -> int:
        return len(self.outcomes)


def _outcomes(value: Any, name: str) -> str:
    if not isinstance(value, str) or set(value) - set("012"):
        raise saved.unexpected(value, name, "a text of the digits 0, 1 and 2")
    return value


_CHECK = saved.record(
    {
        "policy_digest": saved.optional(saved.hexadecimal(64)),
        "declared": saved.optional(saved.whole(1)),
        "looks": saved.sequence(
            saved.record(
                {
                    "rule": saved.word(*RULES),
                    "digest": saved.hexadecimal(OF_LOOK),
                    "named": saved.boolean,
                    "keys": saved.sequence(saved.hexadecimal(OF_KEY)),
                    "outcomes": _outcomes,
                    "fields": saved.optional(saved.sequence(saved.whole(-1))),
                    "groups": saved.optional(saved.sequence(saved.hexadecimal(OF_KEY))),
                    "max_group_size": saved.optional(saved.whole(1)),
                    "n_unread": saved.whole(),
                }
            ),
            MOST_LOOKS,
        ),
    }
)


class Looks(SavedAsJson):
    """A log of the looks at a policy's limit; each look is one check of the limit.

    :meth:`.Policy.check` adds a look to the log and tests the outputs of all looks together. Without a
    log, a check is an exact test, and each of its verdicts is wrong with a probability of at most δ,
    the policy's failure probability. If you look again and again, with more outputs each time, this
    probability is higher: in eight such looks at a limit that is just kept, at least one verdict is
    "fails" in about 14% of all cases.

    Parameters
    ----------
    declared : int, optional
        The largest number of looks, declared before the first look. Each look is then an exact test
        that uses an equal part of δ. By default, a confidence sequence is used, which allows any number
        of looks.

    See Also
    --------
    Policy.check : test on new verified outputs whether the limit holds

    Notes
    -----
    Outputs are tested in the order of their looks. Items are recognized by their `ids`, and documents
    by their labels. Without ids, a repetition is recognized in two cases only: a look has the same
    outputs as an earlier look, or it begins with all outputs so far, in any order.

    *Sequence.* The lower bounds at all looks hold together with a probability of at least 1 − δ, and so
    do the upper bounds (Robbins 1970; Howard and others 2021). The bounds come from a mixture of bets
    on each output or, with groups, from bets on the groups in their order (Waudby-Smith and Ramdas
    2024). A sequence needs 1.8 to 2.4 times as many outputs as one exact test.

    *Declared.* With K declared looks, each look is an exact test with failure probability δ/K.

    *Partly verified outputs and logs of audits* are not pooled. Look k tests only its own outputs, with
    δ/(k(k + 1)) in a sequence, or with δ/K for K declared looks.

    References
    ----------
    Robbins 1970, "Statistical methods related to the law of the iterated logarithm"; Howard, Ramdas,
    McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences".

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 1000, range(1000), max_error_rate=0.02)
    >>> looks = fa.operation.Looks()
    >>> rng = np.random.default_rng(0)
    >>> for month in range(3):
    ...     new = rng.random(400) > 0.002
    ...     check = policy.check(new, 1000 + rng.random(400), looks=looks)
    ...     print(check.n_items, check.verdict)
    400 holds
    800 holds
    1200 holds
    """

    def __init__(self, declared: int | None = None) -> None:
        self.declared = None if declared is None else whole_number(declared, "declared", 1)
        self.policy_digest: str | None = None
        self._looks: list[_Look] = []

    def __len__(self) -> int:
        """The number of looks so far."""
        return len(self._looks)

    def __repr__(self) -> str:
        of = "" if self.declared is None else f", {self.declared} declared"
        return f"Looks({len(self)} made{of}, {sum(each.n for each in self._looks):,} outputs)"

    def add(self, policy_digest: str, sample: LookedAt, *, once: bool = False) -> LookedAt:
        """Add a look if any of the outputs is new; return the outputs to test.

        Raises
        ------
        ValueError
            If the log belongs to another policy, or if all declared looks are used. If `once` is given
            for outputs of an earlier look. If an id now has another outcome. Without ids, if only some
            of the outputs belong to an earlier look. If new outputs have a group of an earlier look. If
            outputs are partly verified in some looks and fully verified in others.
        """
        if self.policy_digest not in (None, policy_digest):
            raise ValueError("looks is the log of another policy; keep one log for each policy")
        if once and self.declared is not None:
            raise ValueError(
                f"once cannot go with declared looks, and {self.declared} looks are declared: leave "
                "out once"
            )
        if self._looks and self._pools != sample.checked.pools:
            kinds = "partly", "fully"
            before, now = kinds[self._pools], kinds[not self._pools]
            raise ValueError(
                f"looks has {before} verified outputs, but these are {now} verified: keep a separate "
                "log for each kind"
            )
        keys = [digest_of(key, OF_KEY) for key in sample.keys]
        new = self._new(sample, keys)
        if once and not new.all():
            return self._once_again(sample, keys)
        if new.any():
            if self.declared is not None and len(self) >= self.declared:
                raise ValueError(
                    f"all {self.declared} declared looks have been made; none is left for these outputs"
                )
            kept = self._kept(sample, keys, new, once=once)
            self._looks.append(kept)
            self.policy_digest = policy_digest
        return self._pooled(sample, keys, once=once)

    @property
    def _pools(self) -> bool:
        return bool(self._looks[0].n)

    def _new(self, sample: LookedAt, keys: list[str]) -> NDArray[np.bool_]:
        """Return which items are new; with partial truth, all are new or none is."""
        n, known_looks = len(keys), {each.digest for each in self._looks}
        whole = _sum_of(keys)
        if not sample.checked.pools:
            return np.full(n, whole not in known_looks)
        if sample.named:
            return self._new_by_name(sample, keys)
        n_known = sum(each.n for each in self._looks)
        so_far = _sum_of([key for each in self._looks for key in each.keys])
        if whole in known_looks or (n == n_known and whole == so_far):
            return np.zeros(n, np.bool_)
        if LEAST_ALIKE <= n_known < n and _sum_of(keys[:n_known]) == so_far:
            return np.arange(n) >= n_known
        known = Counter(key for each in self._looks for key in each.keys)
        alike = sum((known & Counter(keys)).values())
        if alike >= max(LEAST_ALIKE, min(n, n_known) // 2) and len(set(keys)) >= 0.9 * n:
            raise ValueError(
                f"{alike:,} of these {n:,} outputs were looked at before; give ids, or only the "
                "new outputs, or all outputs so far followed by the new ones"
            )
        return np.ones(n, np.bool_)

    def _new_by_name(self, sample: LookedAt, keys: list[str]) -> NDArray[np.bool_]:
        if len(set(keys)) < len(keys):
            twice = next(i for i, key in enumerate(keys) if key in keys[:i])
            raise ValueError(f"ids must be unique, got {quoted(sample.keys[twice])} twice")
        known = {
            key: outcome
            for each in self._looks
            if each.named
            for key, outcome in zip(each.keys, each.outcomes, strict=True)
        }
        outcomes = _outcomes_of(sample.checked)
        for i, key in enumerate(keys):
            if known.get(key, outcomes[i]) != outcomes[i]:
                raise ValueError(
                    f"each id must keep its outcome, but {quoted(sample.keys[i])} had another outcome "
                    "in an earlier look"
                )
        return np.array([key not in known for key in keys], np.bool_)

    def _once_again(self, sample: LookedAt, keys: list[str]) -> LookedAt:
        """Turn the first look of a sequence into a single, final look.

        Its exact test refutes at least as many rates as the sequence did.
        """
        only = self._looks[0]
        if len(self) > 1 or only.rule == "once" or only.digest != _sum_of(keys):
            raise ValueError(
                "once allows a single look, but an earlier look had some of these outputs; use outputs "
                "that nobody has looked at"
            )
        self._looks[0] = only._replace(rule="once")
        return self._pooled(sample, keys, once=True)

    def _kept(self, sample: LookedAt, keys: list[str], new: NDArray[np.bool_], *, once: bool) -> _Look:
        rule = "once" if once else "sequence" if self.declared is None else "declared"
        checked = sample.checked
        if not checked.pools:
            return _Look(rule, _sum_of(keys), sample.named, (), "", None, None, None, sample.n_unread)
        chosen = np.flatnonzero(new)
        groups = None
        if sample.groups is not None:
            groups = tuple(digest_of(sample.groups[i], OF_KEY) for i in chosen.tolist())
            before = {label for each in self._looks for label in each.groups or ()}
            double = next((i for i, label in enumerate(groups) if label in before), None)
            if double is not None:
                raise ValueError(
                    "new outputs must come from new groups, but an earlier look had outputs of "
                    f"{quoted(sample.groups[int(chosen[double])])}"
                )
        if self._looks and (groups is None) != (self._looks[0].groups is None):
            had = "none" if groups is not None else "some"
            raise ValueError(f"groups must be given in every look or in none; the first look had {had}")
        largest = None
        if groups is not None:
            largest = largest_group(max(Counter(groups).values()), checked.max_group_size)
        outcomes, unread = _outcomes_of(checked), sample.n_unread
        # If a sample repeats earlier outputs, its unread items include the earlier ones: count only new
        # ones.
        if not new.all():
            unread = max(0, unread - sum(each.n_unread for each in self._looks))
        return _Look(
            rule, _sum_of([keys[i] for i in chosen.tolist()]), sample.named,
            tuple(keys[i] for i in chosen.tolist()),
            "".join(outcomes[i] for i in chosen.tolist()),
            None if sample.fields is None else tuple(sample.fields[chosen].tolist()),
            groups, largest, unread,
        )  # fmt: skip

    def _pooled(self, sample: LookedAt, keys: list[str], *, once: bool) -> LookedAt:
        """Return the outputs to test: all outputs so far or, with `once`, only those of the look."""
        if not sample.checked.pools:
            digests = [each.digest for each in self._looks]
            rule = self._rule(digests.index(_sum_of(keys)) + 1, once=once)
            return sample._replace(checked=replace(sample.checked, rule=rule))
        looks = self._looks
        if once:
            looks = [each for each in looks if each.digest == _sum_of(keys)][-1:]
        outcomes = np.frombuffer("".join(each.outcomes for each in looks).encode(), np.uint8) - ord("0")
        number = np.repeat(np.arange(len(looks)), [each.n for each in looks])
        codes = fields = None
        # Number the groups of all looks consecutively, so that groups of different looks stay distinct.
        if looks[0].groups is not None:
            parts = [np.unique(each.groups or (), return_inverse=True)[1] for each in looks]
            shifts = np.cumsum([0, *(int(part.max()) + 1 for part in parts[:-1])])
            codes = np.concatenate([part + shift for part, shift in zip(parts, shifts, strict=True)])
        if looks[0].fields is not None:
            fields = np.concatenate([np.array(each.fields, np.intp) for each in looks])
        sizes = None if codes is None else tuple(each.max_group_size or 1 for each in looks)
        rule = self._rule(len(looks), once=once)
        checked = Checked(outcomes > 0, outcomes == 2, codes, looks=number, sizes=sizes, rule=rule)
        n_unread = sum(each.n_unread for each in looks)
        return sample._replace(checked=checked, fields=fields, n_unread=n_unread)

    def _rule(self, look: int, *, once: bool) -> LookRule:
        if once:
            return LookRule("once", logged=True)
        return LookRule("sequence" if self.declared is None else "declared", look, self.declared)

    def to_json(self) -> str:
        """Return the log as the text of a JSON file."""
        content = {
            "kind": KIND, "version": VERSION, "policy_digest": self.policy_digest,
            "declared": self.declared, "looks": [each._asdict() for each in self._looks],
        }  # fmt: skip
        return json_text(content, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the log written by :meth:`to_json`.

        Raises
        ------
        ValueError
            If the text is not a log. Also if a field is missing, is unknown, has another type, is
            outside its range, or contradicts another field.
        """
        content = _CHECK(saved.content_of(text, KIND, VERSION), "")
        looks = cls(content["declared"])
        looks.policy_digest = content["policy_digest"]
        looks._looks = [_Look(**each) for each in content["looks"]]
        if looks.declared is not None:
            saved.require_at_most(len(looks), "the number of looks", looks.declared, "declared")
        if (looks.policy_digest is None) != (not len(looks)):
            raise ValueError("policy_digest must be given if there are looks, and null otherwise")
        for i, each in enumerate(looks._looks):
            for name in ("keys", "fields", "groups"):
                if (values := getattr(each, name)) is not None:
                    saved.require_length(values, f"looks[{i}].{name}", each.n, "outcomes")
                elif (getattr(looks._looks[0], name) is None) != (values is None):
                    raise ValueError(f"looks[{i}].{name} is null, but looks[0].{name} is not")
            if (each.rule == "declared") != (looks.declared is not None):
                expected = "a rule that agrees with declared"
                raise saved.unexpected(each.rule, f"looks[{i}].rule", expected)
            if each.groups is not None and each.max_group_size is None:
                expected = "a number because groups are given"
                raise saved.unexpected(None, f"looks[{i}].max_group_size", expected)
        return looks


def _outcomes_of(checked: Checked) -> str:
    """Return one digit per item: 0 rejected, 1 accepted and right, 2 accepted and wrong."""
    digits = checked.accepted.astype(np.uint8) + checked.wrong + np.uint8(ord("0"))
    return bytes(digits.astype(np.uint8)).decode()


def _sum_of(keys: Sequence[str]) -> str:
    """Return a fingerprint of the items that does not depend on their order."""
    numbers = np.array([int(key, 16) for key in keys], np.uint64)
    return digest_of(f"{len(keys)}:{int(numbers.sum(dtype=np.uint64)) if len(keys) else 0}", OF_LOOK)
