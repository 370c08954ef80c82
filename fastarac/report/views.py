"""Prepare the sentences and rows that templates show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.text import interval_text, listed, percent, rounded_percent, sentence
from fastarac.answers import decisions, guarantees
from fastarac.answers import limits as wording
from fastarac.answers.costs import PricedModel, at_limit
from fastarac.evaluation.costs import evaluate_costs
from fastarac.evaluation.limits import few_for, short
from fastarac.report.health import Health, health_of
from fastarac.report.parts import Parts, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastarac.answers.models import Model
    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.evaluation.sources import Section
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.report.curves import Steps
    from fastarac.reviewer import Reviewer

ROWS = 200


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer at one limit, for the model that accepts most.

    Attributes
    ----------
    limit : str
        The beginning of a sentence, such as "At most 1% errors".
    name : str
        The name of the model.
    share, threshold : str
        The accepted share, and the threshold.
    interval : str
        The interval of the share; empty without intervals.
    nothing : bool
        Whether nothing can be accepted.
    remaining : str
        A phrase on the errors that remain, and on the work for people.
    remark : tuple of (str, str, bool) or None
        A remark on other facts that affect the share: title, text, and whether it is decisive.
    guarantee : str
        The threshold that holds for new items; empty unless asked for.
    tied : str
        The other models with the same share; empty if there are none.
    chance : str
        Whether the advantage of this model may be chance; empty if models are not compared.
    cost : str
        The cost of outputs at this limit, and with everything checked; empty without prices.
    order : str
        Notes on facts that decide the order of the models, or on parts in which it is reversed; may be
        empty.
    caveats : list of str
        For each model with exceptions, a sentence on outputs that the limit does not cover.
    few : str
        A sentence if the outputs are too few for the limit; otherwise empty.
    exception : str
        The parts in which another model accepts more, such as "except in ru"; empty for none.
    large, promise, claim : str
        `large` is the guaranteed share, or the share of documents that go through without a person;
        `promise` says how sure a guaranteed limit is, and `claim` is a sentence about both. All are
        empty if only the share in this sample is known.
    """

    limit: str
    name: str
    share: str
    threshold: str
    interval: str
    nothing: bool
    everything: bool
    remaining: str
    remark: tuple[str, str, bool] | None
    guarantee: str
    tied: str
    chance: str
    cost: str
    order: str
    caveats: list[str]
    few: str
    exception: str
    large: str
    promise: str
    claim: str


def decisions_of(
    models: Sequence[Model],
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    leads: Sequence[Lead | None] = (),
) -> list[Decision]:
    """Return the answer at each limit of the models."""
    found = []
    for index, limit in enumerate(models[0].limits):
        model = max(models, key=lambda each: _preference(each.point(index)))
        lead = leads[index] if index < len(leads) else None
        point = model.point(index)
        tied = [
            each.name
            for each in models
            if each is not model and each.point(index).acceptance_rate == point.acceptance_rate
        ]
        found.append(
            Decision(
                wording.opening(limit),
                model.name,
                rounded_percent(point.acceptance_rate),
                model.threshold(index),
                _interval(model, index),
                point.acceptance_rate == 0,
                point.acceptance_rate == 1,
                _remaining(model, index),
                model.source.remark(index),
                " ".join(guarantees.at_limit([model], index)),
                listed(tied) if tied else "",
                "" if lead is None else lead.sentence,
                "" if costs is None else _cost(model, index, costs, reviewer),
                _first(models, lead, index),
                list(_caveats(models, index)),
                few_for(limit, min(each.evaluation.n for each in models)),
                "" if lead is None else lead.exception,
                *_beyond_the_sample(models, index, lead),
            )
        )
    return found


def _beyond_the_sample(models: Sequence[Model], index: int, lead: Lead | None) -> tuple[str, str, str]:
    """Return `large`, `promise` and `claim` of a :class:`Decision`."""
    through = decisions.straight_through(models, index)
    sure = decisions.leader(models, index).at(index).guaranteed
    if through is None and sure is None:
        return "", "", ""
    share = decisions.accepted_share(decisions.leader(models, index), index)
    if through is not None and through[0]:
        share = through[0]
    elif sure is None:
        return "", "", ""
    claim = decisions.at_limit(models, index, lead).replace(">=", "≥")
    if not share:
        return "Nothing", "", claim
    promise = ""
    if sure is not None:
        promise = f"guaranteed with {percent(1.0 - sure.failure_probability)} confidence"
    return rounded_percent(share), promise, claim


def _preference(point: OperatingPoint) -> tuple[float, float]:
    """Return a sort key: the acceptance rate and, if that is 0, the negative error rate."""
    return point.acceptance_rate, 0.0 if point.acceptance_rate else -point.error_rate


def _first(models: Sequence[Model], lead: Lead | None, index: int) -> str:
    """Return notes on the order of models, such as parts of the items with another order."""
    order = models[0].source.order({each.name: each.source for each in models}, index)
    return " ".join(filter(None, ("" if lead is None else lead.note, order)))


def _caveats(models: Sequence[Model], index: int) -> Iterator[str]:
    for model in models:
        caveat = model.source.caveat(index)
        if caveat:
            yield f"{model.name}: {caveat}." if len(models) > 1 else sentence(caveat)


def _cost(subject: Model, index: int, costs: VerificationCosts, reviewer: Reviewer | None) -> str:
    found, cost_evaluation = subject.evaluation.limits[index], subject.evaluation.cost_evaluation
    if cost_evaluation is None:  # the evaluation had price ratios but no prices
        points = {found.limit.key: found.point}
        cost_evaluation = evaluate_costs(subject.sweep, costs, reviewer, points)
    prices = ", ".join(
        f"{name} {getattr(costs, name):g}" for name in ("verification", "correction", "error")
    )
    if subject.source.apart is not None:
        _, price, _, what = subject.source.apart
        prices += f", {what} {price:g}"
    priced = PricedModel(subject.name, subject.sweep, subject.dtype, cost_evaluation)
    said = at_limit([priced], found.limit, subject.units)
    return f"{said.removesuffix('.')} ({prices})."


def _interval(model: Model, index: int) -> str:
    found = model.evaluation.intervals.get(f"acceptance_rate/{model.limits[index].key}")
    return "" if found is None else interval_text(found.low, found.high)


def _remaining(model: Model, index: int) -> str:
    point, limit = model.point(index), model.limits[index]
    errors = point.false_accepts
    if not point.acceptance_rate:
        if point.error_rate:  # people who verify outputs do not see missed words
            left = rounded_percent(point.error_rate)
            return (
                f"no threshold keeps the limit, as {left} of all {model.units} stay wrong even "
                "if people verify everything"
            )
        return f"people verify all {model.units}"
    rest = _work(model, point.false_rejects + point.true_rejects)
    if not errors and not point.error_rate:
        return f"none of them is wrong; {rest}"
    said = f"{rounded_percent(point.error_rate)} of all {model.units} are errors that nobody sees"
    if limit.criterion == "max_risk":
        said = f"{rounded_percent(point.risk)} of the accepted {model.units} are wrong"
    elif point.reviewer is None:
        verb = "is" if errors == 1 else "are"
        share = rounded_percent(point.error_rate)
        said = f"{_count(errors)} of them {verb} wrong, {share} of all {model.units}"
    return f"{said}; {rest}"


def _work(model: Model, rejected: float) -> str:
    """Return a phrase on people's work: verify outputs, and look for missed items."""
    missed = model.n_without_output
    verified = rejected - missed
    work = [f"verify the other {_count(verified)}"] if verified else []
    if missed:
        units = model.units.removesuffix("s") if missed == 1 else model.units
        work.append(f"look for the {_count(missed)} missed {units}")
    return f"people {' and '.join(work) or 'verify nothing'}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


@dataclass(frozen=True, slots=True)
class Detail:
    """The content of a report about one model.

    Attributes
    ----------
    id : str
        Prefix of the element ids.
    model : Model
    steps : Steps
        The stops of the slider.
    health : Health
    parts : Parts or None
    before, after : sequence of Section
        Sections that the source of the items adds, before and after the parts.
    """

    id: str
    model: Model
    steps: Steps
    health: Health
    parts: Parts | None
    before: Sequence[Section]
    after: Sequence[Section]

    @property
    def start(self) -> int:
        """Initial position of the slider: the threshold of the first limit or, by default, the end."""
        of_limits = self.steps.of_limits
        return of_limits[0] if of_limits else len(self.steps.threshold) - 1

    @property
    def headers(self) -> list[str]:
        """The limits as column headers."""
        return [short(limit) for limit in self.model.limits]

    @property
    def thresholds(self) -> list[str]:
        """The thresholds for the limits."""
        return [self.model.threshold(index) for index in range(len(self.model.limits))]

    @property
    def verdicts(self) -> list[str]:
        """A sentence per limit on how many parts keep it, exceed it, or are too small to decide."""
        if self.parts is None:
            return []
        said = []
        for header, found in zip(self.headers, self.parts.verdicts, strict=True):
            if found:
                hold, fail, few = found["holds"], found["fails"], found["too few"]
                said.append(
                    f"At {header}: {hold:,} of {self.parts.n:,} {'holds' if hold == 1 else 'hold'}, "
                    f"{fail:,} {'fails' if fail == 1 else 'fail'}, {few:,} "
                    f"{'has' if few == 1 else 'have'} too few {self.model.source.units_of_part}."
                )
        return said


def detail_of(model: Model, index: int, steps: Steps, level: float, n_models: int) -> Detail:
    """Return the content of a report about one model; tables are shorter if there are many models."""

    def most(rows: int) -> int:
        return max(rows // 10, rows // n_models)

    before, after = model.source.sections(model.evaluation, most)
    parts = parts_of(model, level, most(ROWS))
    return Detail(f"m{index}", model, steps, health_of(model, level), parts, before, after)
