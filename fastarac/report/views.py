"""What the templates show: sentences and rows, ready to be written down."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.text import listed, money, percent, rounded_percent
from fastarac.evaluation import wording
from fastarac.evaluation.costs import evaluate_costs
from fastarac.ocr.policies import BRIEFLY
from fastarac.report.crops import check_images, crops_of
from fastarac.report.errors import (
    ConfusionTable,
    Error,
    MissedOnPage,
    confusions_of,
    errors_of,
    errors_of_fields,
    missed_of,
)
from fastarac.report.health import Health, health_of, interval_text
from fastarac.report.parts import Parts, parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.costs.verification import VerificationCosts
    from fastarac.report.curves import Steps
    from fastarac.report.subjects import Subject
    from fastarac.reviewer import Reviewer

__all__ = ["Decision", "Detail", "decisions_of", "detail_of"]

#: A policy that moves the accepted share by so much decides: a share of all items.
DECISIVE = 0.01
UNIT = 1000  # items that a sum of money is for
ROWS, ERRORS, CONFUSIONS, MISSED = 200, 50, 30, 40


@dataclass(frozen=True, slots=True)
class Decision:
    """What a limit comes to, for the model that automates most under it.

    Attributes
    ----------
    limit : str
        As it opens a sentence: "At most 1 % errors".
    name : str
        Of the model.
    subject : int
        Its index.
    share, threshold : str
    interval : str
        Of the share; empty without intervals.
    nothing : bool
        Whether nothing can be accepted.
    remaining : str
        How many errors go through.
    policy : str
        How far other policies move the share; empty where there are none.
    decisive : bool
        Whether they move it by a point or more.
    guarantee : str
        What holds on new items; empty unless asked for.
    is_given : bool
        Whether a threshold was given, not a limit.
    others : list of tuple
        Name, share, interval and threshold of every model, this one included.
    tied : str
        The other models that accept as much; empty where there are none.
    chance : str
        Whether the lead is more than chance; empty where the models are not compared.
    cost : str
        What outputs cost there, beside everything checked; empty without prices.
    """

    limit: str
    name: str
    subject: int
    share: str
    threshold: str
    interval: str
    nothing: bool
    everything: bool
    remaining: str
    policy: str
    decisive: bool
    guarantee: str
    is_given: bool
    others: list[tuple[str, str, str, str]]
    tied: str
    chance: str
    cost: str


def decisions_of(
    subjects: Sequence[Subject],
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    chance: Sequence[str] = (),
) -> list[Decision]:
    """Return what each limit comes to."""
    found = []
    for index, limit in enumerate(subjects[0].limits):
        best = max(range(len(subjects)), key=lambda k: subjects[k].point(index).acceptance_rate)
        subject = subjects[best]
        point = subject.point(index)
        policy, decisive = _policy(subject, index)
        tied = [
            each.name
            for each in subjects
            if each is not subject and each.point(index).acceptance_rate == point.acceptance_rate
        ]
        found.append(
            Decision(
                wording.opening(limit),
                subject.name,
                best,
                rounded_percent(point.acceptance_rate),
                _threshold(subject, index),
                _interval(subject, index),
                point.acceptance_rate == 0,
                point.acceptance_rate == 1,
                _remaining(subject, index),
                policy,
                decisive,
                _guarantee(subject, index),
                wording.is_given(limit),
                [
                    (
                        each.name,
                        rounded_percent(each.point(index).acceptance_rate),
                        _interval(each, index),
                        _threshold(each, index),
                    )
                    for each in subjects
                ],
                listed(tied) if tied else "",
                chance[index] if chance else "",
                "" if costs is None else _cost(subject, index, costs, reviewer),
            )
        )
    return found


def _cost(subject: Subject, index: int, costs: VerificationCosts, reviewer: Reviewer | None) -> str:
    found, spending = subject.evaluation.limits[index], subject.evaluation.spending
    if spending is None:  # where only the ratios of the prices are known
        points = {found.limit.key: found.point}
        spending = evaluate_costs(subject.sweep, costs, reviewer, points)
    here, everything = UNIT * spending.at_limits[found.limit.key], UNIT * spending.everything_checked
    prices = ", ".join(
        f"{name} {getattr(costs, name):g}" for name in ("verification", "correction", "error")
    )
    said = (
        f"{UNIT:,} {subject.units} then cost {money(here)}; with everything checked {money(everything)}"
    )
    if here > everything:
        said = (
            f"{UNIT:,} {subject.units} then cost {money(here)}, more than with everything checked "
            f"({money(everything)}): at these prices the limit does not pay"
        )
    return f"{said} ({prices})."


def _threshold(subject: Subject, index: int) -> str:
    limit = subject.limits[index]
    if wording.is_given(limit):
        return wording.as_given(limit)
    return subject.threshold(subject.point(index).threshold)


def _interval(subject: Subject, index: int) -> str:
    found = subject.evaluation.intervals.get(f"acceptance_rate@{subject.limits[index].key}")
    return "" if found is None else interval_text(found.low, found.high)


def _remaining(subject: Subject, index: int) -> str:
    point, limit = subject.point(index), subject.limits[index]
    errors = point.false_accepts
    if not point.acceptance_rate:
        return f"people verify all {subject.units}"
    rejected = point.false_rejects + point.true_rejects
    rest = f"people verify the other {_count(rejected)}" if rejected else "people verify nothing"
    if not errors and not point.error_rate:
        return f"no wrong one is among them; {rest}"
    said = f"{rounded_percent(point.error_rate)} of all {subject.units} stay wrong unseen"
    if limit.criterion == "max_risk":
        said = f"{rounded_percent(point.risk)} of what is accepted is wrong"
    elif point.reviewer is None:
        said = f"{_count(errors)} wrong ones are among them, {rounded_percent(point.error_rate)} of all"
    return f"{said}; {rest}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _policy(subject: Subject, index: int) -> tuple[str, bool]:
    effects = subject.sensitivity
    if effects is None:
        return "", False
    if len(effects.accepted) == 1:
        return "Nothing depends on a policy: no other one changes the items.", False
    shares = [row[index] for row in effects.accepted.values()]
    spread = effects.spread(index)
    ends = interval_text(min(shares), max(shares))
    points = f"{100 * spread:.1f} points"
    if spread < 0.0005:
        return "Policies of missed and inserted outputs hardly move it.", False
    if spread < DECISIVE:
        return f"Policies of missed and inserted outputs move it by at most {points}.", False
    said = (
        f"It depends on what a missed or inserted output counts as: {ends}, {points} apart. Before the "
        "figures, choose the policy that says who would see a missed word."
    )
    return said, True


def _guarantee(subject: Subject, index: int) -> str:
    sure = subject.evaluation.limits[index].guaranteed
    if sure is None:
        return ""
    confidence = percent(1.0 - sure.failure_probability)
    if sure.threshold == math.inf:
        return f"With {confidence} confidence no threshold is sure to keep this limit on new outputs."
    return (
        f"With {confidence} confidence the limit is kept on new outputs too at confidence ≥ "
        f"{wording.exact(sure.threshold)}, which accepts {rounded_percent(sure.acceptance_rate)}."
    )


@dataclass(frozen=True, slots=True)
class Detail:
    """All parts of a report that are about one model.

    Attributes
    ----------
    id : str
        Prefix of the ids of its elements.
    subject : Subject
    steps : Steps
        Of the slider.
    health : Health
    parts : Parts or None
    errors, confusions, missed
        Of an OCR engine; None for other models.
    n_with_missed : int
        On how many pages something is missed.
    crops : dict of int to str
        Data URIs by record.
    """

    id: str
    subject: Subject
    steps: Steps
    health: Health
    parts: Parts | None
    errors: list[Error] | None
    confusions: ConfusionTable | None
    missed: list[MissedOnPage] | None
    n_with_missed: int
    crops: dict[int, str]

    @property
    def start(self) -> int:
        """Where the slider starts: at the first limit, or at the end where there is none."""
        of_limits = self.steps.of_limits
        return of_limits[0] if of_limits else len(self.steps.threshold) - 1

    @property
    def headers(self) -> list[str]:
        """The limits, as headers of columns."""
        return [wording.short(limit) for limit in self.subject.limits]

    @property
    def policy(self) -> list[str]:
        """The policy and the way texts are compared, in sentences."""
        aligned = self.subject.aligned
        return [] if aligned is None else aligned.policy.sentences(aligned.reading)

    @property
    def policies(self) -> list[tuple[str, str, list[str]]]:
        """Name, meaning and accepted shares of each policy, that of the report first."""
        effects, aligned = self.subject.sensitivity, self.subject.aligned
        if effects is None or aligned is None:
            return []
        rows = []
        several = len({policy.inserted for policy in effects.accepted}) > 1
        for policy, shares in effects.accepted.items():
            said = BRIEFLY[policy.missed].format(units=self.subject.units)
            if several:
                how = "are wrong" if policy.inserted == "wrong" else "are left out"
                said += f"; inserted outputs {how}"
            rows.append(
                (f"{policy.missed}, {policy.inserted}", said, [rounded_percent(s) for s in shares])
            )
        if effects.accepted_without:
            n = len(effects.without_pages)
            said = f"as the first, without {n} page{'s' * (n != 1)} that hardly align"
            rows.append(
                ("without these pages", said, list(map(rounded_percent, effects.accepted_without)))
            )
        return rows

    @property
    def documents(self) -> list[tuple[str, str, str, str, str]]:
        """For each limit: its threshold, fields accepted, documents straight through, wrong ones."""
        fields = self.subject.fields
        if fields is None:
            return []
        rows = []
        for index, header in enumerate(self.headers):
            found = fields.straight_through(self.subject.point(index).threshold)
            rows.append(
                (
                    header,
                    _threshold(self.subject, index),
                    rounded_percent(found.field_acceptance_rate),
                    rounded_percent(found.straight_through_rate),
                    rounded_percent(found.document_error_rate),
                )
            )
        return rows

    @property
    def verdicts(self) -> list[str]:
        """For each limit a sentence: how many parts hold, fail or are too small to say."""
        if self.parts is None:
            return []
        said = []
        for header, found in zip(self.headers, self.parts.verdicts, strict=True):
            if found:
                hold, fail, few = found["holds"], found["fails"], found["too few"]
                said.append(
                    f"At {header}: {hold:,} of {self.parts.n:,} {'holds' if hold == 1 else 'hold'}, "
                    f"{fail:,} {'fails' if fail == 1 else 'fail'}, {few:,} "
                    f"{'has' if few == 1 else 'have'} too few {self.subject.units_of_part}."
                )
        return said


def detail_of(subject: Subject, index: int, steps: Steps, level: float, n_subjects: int) -> Detail:
    """Collect the parts of a report that are about one model; with many models, shorter ones."""

    def most(rows: int) -> int:
        return max(rows // 10, rows // n_subjects)

    aligned = subject.aligned
    errors = confusions = missed = None
    n_with_missed, crops = 0, {}
    if aligned is not None:
        errors = errors_of(subject, aligned, most(ERRORS))
        confusions = confusions_of(subject, aligned, most(CONFUSIONS))
        missed, n_with_missed = missed_of(aligned, most(MISSED))
        if subject.images and subject.words is not None:
            check_images(subject.images, aligned.records.page_names)
            rows = [error.record for error in errors]
            crops = crops_of(subject.images, subject.words, aligned.records, rows)
    if subject.fields is not None:
        errors = errors_of_fields(subject, subject.fields, most(ERRORS))
    return Detail(
        f"m{index}",
        subject,
        steps,
        health_of(subject, level),
        parts_of(subject, level, most(ROWS)),
        errors,
        confusions,
        missed,
        n_with_missed,
        crops,
    )
