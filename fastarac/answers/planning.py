"""Describe how many outputs to verify."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.exceptions import collected
from fastarac._core.text import percent, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.screen import Note, Screen, Weight
from fastarac.answers.tables import AnswerTable, Column
from fastarac.answers.verification import reader_figures, verification_note
from fastarac.operation.planning import sample_size_for_guarantee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.operation.pilot_plans import PolicySampleSize
    from fastarac.operation.planning import AuditPlan, SampleSizes
    from fastarac.reviewer import Reviewer

WEEK = 40.0  # working hours of one person in a week
SHARES = (0.0, 0.25, 0.5, 0.75)  # expected error rates in the table, as fractions of the limit


class GuaranteePlan(NamedTuple):
    """The sample size of a guarantee, for the expected error rate and for other rates."""

    max_error_rate: float
    expected_error_rate: float
    failure_probability: float
    power: float
    sizes: SampleSizes
    rates: Sequence[tuple[float, SampleSizes]]
    truth_reader: Reviewer | None = None

    @property
    def least_words(self) -> str:
        """A sentence on the smallest sample that can give a guarantee."""
        return f"At least {self.sizes.least:,} outputs are needed, even without a single error."

    @property
    def aim(self) -> str:
        """A phrase on the confidence of the guarantee and the probability of reaching it."""
        sure = percent(1.0 - self.failure_probability)
        return f"{sure} confidence in {percent(self.power)} of samples"


def guarantee_plan(
    max_error_rate: float,
    expected_error_rate: float,
    *,
    failure_probability: float = 0.05,
    power: float = 0.8,
    truth_reader: Reviewer | None = None,
) -> GuaranteePlan:
    """Plan a guarantee for the expected error rate and for other error rates."""
    options: Any = {
        "failure_probability": failure_probability, "power": power, "truth_reader": truth_reader,
    }  # fmt: skip
    sizes = sample_size_for_guarantee(max_error_rate, expected_error_rate, **options)
    rates = sorted({*(share * max_error_rate for share in SHARES), expected_error_rate})
    # If people overlook errors, no sample may be large enough for a rate near the limit.
    if truth_reader is not None:
        rates = [rate for rate in rates if rate <= expected_error_rate]
    with collected([]):  # the first call already raised these warnings
        rows = [(rate, sample_size_for_guarantee(max_error_rate, rate, **options)) for rate in rates]
    return GuaranteePlan(
        max_error_rate, expected_error_rate, failure_probability, power, sizes, rows, truth_reader
    )


def work_words(n: int, seconds: float) -> str:
    """Return the hours that n outputs take, and how many people can verify them in a week."""
    hours = _hours(n, seconds)
    return (
        f"{hours:,.1f} hours of work at {seconds:g} seconds an output, or {hours / WEEK:,.2g} people "
        f"at {WEEK:g} hours a week"
    )


def _hours(n: int, seconds: float) -> float:
    return n * seconds / 3600.0


def with_work(answer: Answer, n: int, seconds: float) -> Answer:
    """Return the answer with the working hours for verifying n outputs, at `seconds` each."""
    note = Note(f"{n:,} outputs are {work_words(n, seconds)}.", Weight.DECIDES)
    figures = {**answer.figures, "hours": _hours(n, seconds)}
    return replace(answer, screen=answer.screen.with_notes(note), figures=figures)


def guarantee_answer(plan: GuaranteePlan) -> Answer:
    """Describe how many outputs to verify for a guarantee."""
    sizes, given = plan.sizes, plan._asdict()
    said = (
        f"Verify {sizes.stable:,} outputs drawn at random. If {percent(plan.expected_error_rate)} of "
        f"all outputs are accepted and wrong, {percent(plan.power)} of such samples prove the limit of "
        f"{percent(plan.max_error_rate)} with {percent(1.0 - plan.failure_probability)} confidence."
    )
    notes = [Note(plan.least_words, Weight.LITTLE), verification_note(plan.truth_reader)]
    if sizes.first != sizes.stable:
        some = f"The smallest sufficient size is {sizes.first:,}; from {sizes.stable:,} on, every size"
        notes.append(Note(f"{some} suffices."))
    del given["sizes"], given["rates"], given["truth_reader"]
    given |= reader_figures(plan.truth_reader)
    rates = [{"expected_error_rate": rate, **row._asdict()} for rate, row in plan.rates]
    columns = [
        Column("some are\nenough from", [f"{row.first:,}" for _, row in plan.rates]),
        Column("all are\nenough from", [f"{row.stable:,}" for _, row in plan.rates]),
    ]
    table = AnswerTable([percent(rate, 4) for rate, _ in plan.rates], [columns], "accepted\nand wrong")
    figures = {"for": "guarantee", **given, **sizes._asdict(), "rates": rates}
    return Answer(Screen([said], table, notes=notes), figures)


def audit_answer(
    plan: AuditPlan,
    *,
    max_error_rate: float,
    actual_error_rate: float,
    n_outputs: int | None,
    failure_probability: float,
    power: float,
    design_effect: float,
    truth_reader: Reviewer | None = None,
) -> Answer:
    """Describe how many outputs to audit."""
    share = ""
    if n_outputs is not None:
        share = f" ({percent(plan.audit_probability, 3)} of {n_outputs:,})"
    said = (
        f"Audit {plan.stable:,} outputs drawn at random{share}: {percent(power)} of such audits notice "
        f"an error rate of {percent(actual_error_rate)}, and at most {percent(failure_probability)} "
        f"give a false alarm at {percent(max_error_rate)}."
    )
    given = {
        "max_error_rate": max_error_rate, "actual_error_rate": actual_error_rate,
        "n_outputs": n_outputs, "failure_probability": failure_probability, "power": power,
        "design_effect": design_effect, **reader_figures(truth_reader),
    }  # fmt: skip
    notes = [verification_note(truth_reader)]
    return Answer(Screen([said], notes=notes), {"for": "audits", **given, **plan._asdict()})


def design_effect_sentence(effect: float, groups: Sequence[str], pilot: str, limit: float) -> str:
    """Return a sentence on how much larger the sample must be because of groups."""
    return (
        f"Errors cluster by {' and '.join(groups)} in {pilot}, so the plan multiplies the number of "
        f"outputs by {effect:.2f}, measured at the pilot's threshold for at most "
        f"{percent(limit)} errors."
    )


def comparison_answer(
    n: int,
    *,
    difference: float,
    discordance: float,
    confidence_level: float,
    power: float,
    design_effect: float,
) -> Answer:
    """Describe how many outputs to verify for a comparison of two models."""
    share = 100 * difference
    points = f"{share:.4g} percentage point{'' if share == 1 else 's'}"
    said = (
        f"Verify {n:,} outputs that both models read. If exactly one model is right on "
        f"{percent(discordance)} of the outputs, {percent(power)} of such samples show a difference of "
        f"{points}."
    )
    given = {
        "difference": difference, "discordance": discordance, "confidence_level": confidence_level,
        "power": power, "design_effect": design_effect,
    }  # fmt: skip
    return Answer(Screen([said]), {"for": "comparison", **given, "n": n})


def interval_answer(n: int, *, statistic: str, half_width: float, confidence_level: float) -> Answer:
    """Describe how many outputs to verify for an interval."""
    said = (
        f"Verify {n:,} outputs: the {percent(confidence_level)} interval of {statistic} is then about "
        f"± {half_width:g}."
    )
    given = {
        "statistic": statistic, "half_width": half_width, "confidence_level": confidence_level,
    }  # fmt: skip
    return Answer(Screen([said]), {"for": "interval", **given, "n": n})


def policy_answer(size: PolicySampleSize) -> Answer:
    """Describe how many outputs to verify for a policy."""
    figures: dict[str, Any] = size.to_dict()
    remarks = [Note(sentence(each), Weight.LITTLE) for each in size.remarks()]
    remarks.append(verification_note(size.truth_reader))
    return Answer(Screen([sentence(size.decision)], notes=remarks), {"for": "policy", **figures})
