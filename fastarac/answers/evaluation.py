"""Describe evaluated models: a table, a sentence per limit, notes, and all figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fastarac._core.text import (
    area,
    capitalised,
    count,
    listed,
    percent,
    printable,
    rounded_percent,
)
from fastarac.answers import costs, decisions, guarantees, intervals
from fastarac.answers.groups import Groups
from fastarac.answers.limits import header, opening
from fastarac.answers.screen import WIDTH, Screen, Section
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.evaluation.limits import few_for, is_given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fastarac.answers.models import Model
    from fastarac.answers.tables import Part
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.evaluation.results import Evaluation
    from fastarac.operating_points.points import OperatingPoint

CAUTION = (
    "Thresholds are fitted to these outputs: new ones may well exceed the limit. Check a threshold on "
    "other outputs."
)
BESIDE_GUARANTEE = (
    "Thresholds without a guarantee are fitted to these outputs: new ones may well exceed the limit. "
    "A guarantee holds for new outputs from the same source, for each model and limit on its own, if "
    "{that}."
)
GROUP = "group"


def in_words(n_groups: int, kind: str) -> str:
    """Return a number of groups with its noun, such as "12 pages"."""
    groups = f"{n_groups:,} {kind}{'s' * (n_groups != 1)}"
    return f"{groups} of dependent outputs" if kind == GROUP else groups


def parts(models: Sequence[Model], *, leads: Sequence[Lead | None] = ()) -> Iterator[Part]:
    """Yield the table of all models, and sentences about them."""
    yield AnswerTable([model.name for model in models], blocks(models))
    yield from _sizes(models)
    for model in models:
        if model.by_group is not None:
            of_model = f", of {printable(model.name)}" if len(models) > 1 else ""
            yield from Groups.of(model).parts(of_model, model.limits)
            yield Said()
    yield from map(Said, words(models, leads=leads))
    if len(models) > 1 and not leads:
        yield Said(_whether_more_than_chance(models), "dim")
    yield from map(Said, guarantees.sentences(models))
    if models[0].cost_evaluation is not None:
        yield Said(costs.sentence(models))
    for warning in reliability_warnings(models):
        yield Said(capitalised(warning) if len(models) == 1 else warning, "yellow")
    yield from _cautions(models)


def screen(
    models: Sequence[Model],
    *,
    leads: Sequence[Lead | None] = (),
    width: int = WIDTH,
    more: Iterable[Section] = (),
) -> Screen:
    """Return what to print about an evaluation; `more` sections go to the end of the details."""
    sections = Section("All figures", list(parts(models, leads=leads)))
    return Screen(
        decisions.sentences(models, leads),
        decisions.table(models, width),
        decisions.caption(models),
        list(decisions.notes(models, leads)),
        details=[sections, *more],
    )


def _sizes(models: Sequence[Model]) -> Iterator[Said]:
    """Yield the number of outputs, and a line that explains the intervals."""
    numbers = {count(model.evaluation.n) for model in models}
    if len(numbers) == 1:
        (n,) = numbers
        said = f"Sum of weights: {n}" if _unit(models) == "weight" else f"Outputs: {n}"
        yield Said(f"{said}{' each' if len(models) > 1 else ''}.\n", "dim")
    ends = next(iter(models[0].evaluation.intervals.values()), None)
    if ends is not None:
        level = percent(ends.confidence_level)
        groups = [in_words(m.n_groups, m.source.group_word) for m in models if m.n_groups is not None]
        resting = f", from {' or '.join(dict.fromkeys(groups))}" if groups else ""
        yield Said(f"Below the figures: {level} confidence intervals{resting}.\n", "dim")


def _cautions(models: Sequence[Model]) -> Iterator[Said]:
    """Yield cautions: few outputs for a limit, and thresholds fitted to these outputs."""
    fitted = [limit for limit in models[0].limits if not is_given(limit)]
    if not fitted:
        return
    few = few_for(
        min(fitted, key=lambda limit: limit.value), min(model.evaluation.n for model in models)
    )
    sure = any(found.guaranteed is not None for found in models[0].evaluation.limits)
    if few and not sure:  # a guarantee has its own note
        yield Said(few)
    caution = BESIDE_GUARANTEE.format(that=guarantees.premise(models)) if sure else CAUTION
    yield Said(caution, "dim")


def reliability_warnings(models: Sequence[Model]) -> list[str]:
    """Return warnings about the figures: doubtful confidences, or too few outputs."""
    doubts = [f"{capitalised(doubt)}." for model in models for doubt in model.doubts]
    doubts += filter(None, [decisions.scales(models)])
    of_models = decisions.notes_of_models(models)
    return doubts + [
        f"{note}." if len(models) == 1 else f"{listed(names)}: {note}."
        for note, names in of_models.items()
        if not any(longer.startswith(f"{note}:") and names == of_models[longer] for longer in of_models)
    ]


def words(models: Sequence[Model], *, leads: Sequence[Lead | None] = ()) -> list[str]:
    """Return for each limit a sentence on the model that accepts most, and on its threshold.

    `leads` has for each limit the comparison that tells whether the advantage may be chance.
    """
    sentences = []
    for index, limit in enumerate(models[0].limits):
        lead = leads[index] if leads else None
        exception = "" if lead is None else lead.exception
        told = _outcomes(models, index) if is_given(limit) else _advice(models, index, exception)
        if lead is not None and lead.note:
            sentences.append(f"{opening(limit)}: {lead.note}")
        sources = {model.name: model.source for model in models}
        first = models[0].source.order(sources, index)
        if first:
            sentences.append(f"{opening(limit)}: {first[:1].lower()}{first[1:]}")
        sentence = f"{opening(limit)}: {told}"
        if lead is not None:
            sentence += f" {lead.sentence}"
        if models[0].cost_evaluation is not None:
            sentence += f" {costs.at_limit(models, limit)}"
        sentences.append(sentence)
        for model in models:
            caveat = model.source.caveat(index)
            if caveat:
                who = f"{printable(model.name)}: {caveat}" if len(models) > 1 else capitalised(caveat)
                sentences.append(f"{who}.")
    notes = (lead.note for lead in leads[len(models[0].limits) :] if lead is not None)
    return sentences + [f"By ARAC-AUC: {note}" for note in notes if note]


def records(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Return rows of all figures, one per model or per group of a model."""
    rows: list[dict[str, Any]] = []
    for model in models:
        if model.by_group is not None:
            rows += Groups.of(model).records(model.name)
        else:
            rows.append({"model": model.name, **costs.in_units(model.evaluation.to_dict())})
    return rows


def objects(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Return all figures of each model as dictionaries, with those of its groups nested."""
    found = []
    for model in models:
        each = {"name": model.name, **costs.in_units(model.evaluation.to_dict())}
        if model.n_groups is not None:
            each["n_groups"] = model.n_groups
        if model.by_group is not None:
            each["groups"] = Groups.of(model).objects()
        found.append(each)
    return found


WHETHER = "To see whether a lead is more than chance, run: fastarac compare"


def _whether_more_than_chance(models: Sequence[Model]) -> str:
    """Return a hint on the command that tests the differences between models."""
    for limit in models[0].limits:
        if limit.criterion != "threshold":
            return f"{WHETHER} FILES --statistic acceptance_rate/{limit.key}"
    return f"{WHETHER} FILES"


def _outcomes(models: Sequence[Model], index: int) -> str:
    """Return a sentence on each model's accepted share and undetected errors at a given threshold."""
    several = len(models) > 1
    each = []
    for model in models:
        point = model.point(index)
        name = f"{printable(model.name)} " if several else ""
        outcome = f"{name}{'accepts' if several else 'accept'} {_share(point)} automatically"
        if point.acceptance_rate:
            outcome += f" ({_remaining(model, index)})"
        each.append(outcome)
    return f"{listed(each)}."


def _share(point: OperatingPoint) -> str:
    rate = point.acceptance_rate
    if rate in (0, 1):
        return "everything" if rate else "nothing"
    return rounded_percent(rate)


def _advice(models: Sequence[Model], index: int, exception: str = "") -> str:
    leaders = decisions.leaders_at(models, index)
    if not leaders:
        return decisions.nothing_kept(models, index, "this limit")
    share = _share(leaders[0].point(index))
    if len(leaders) == 1:
        who = ""
        if len(models) > 1:
            but = f", {exception}" if exception else ""
            who = f"{decisions.accepts_most(leaders[:1])}{but}: "
        where, errors = _where(leaders[0], index), _remaining(leaders[0], index)
        return f"{who}accept {share} automatically {where}; {errors}."
    names = [printable(model.name) for model in leaders]
    each = [
        f"{name} {_where(model, index)} ({_remaining(model, index)})"
        for name, model in zip(names, leaders, strict=True)
    ]
    return f"{listed(names)} tie; each accepts {share} automatically: {listed(each)}."


def _where(model: Model, index: int) -> str:
    if model.point(index).acceptance_rate == 1:
        return "at any confidence"
    return f"at confidence >= {model.threshold(index)}"


def _remaining(model: Model, index: int) -> str:
    limit, point = model.limits[index], model.point(index)
    if not point.error_rate:
        return "no errors remain"
    if limit.criterion == "max_risk":
        return f"{rounded_percent(point.risk)} of the accepted {model.units} are wrong"
    return f"{rounded_percent(point.error_rate)} of all {model.units} remain wrong"


def blocks(models: Sequence[Model]) -> list[list[Column]]:
    """Return the columns of figures; a table that is split keeps each block of columns together."""

    def column(
        header: str, name: str, text: Callable[[float], str], *, lower_is_better: bool = False
    ) -> Column:
        values = [_figure(model.evaluation, name) for model in models]
        ranked = [-value for value in values] if lower_is_better else values
        return Column(header, [text(value) for value in values], ranked, intervals.below(models, name))

    found = [
        [
            column("recog.\nrate", "recognition_rate", rounded_percent),
            column("ARAC-\nAUC", "arac_auc", area),
            column("norm.\nARAC-\nAUC", "normalized_arac_auc", area),
            column("ROC-\nAUC", "roc_auc", area),
        ],
        [column("AURC", "aurc", area, lower_is_better=True)],
    ]
    for place, (name, _) in enumerate(models[0].source.further):
        found[0].append(Column(name, [model.source.further[place][1] for model in models]))
    numbers = [count(model.evaluation.n) for model in models]
    if len(set(numbers)) > 1:
        found[0].insert(0, Column(_unit(models), numbers))
    for index, limit in enumerate(models[0].limits):
        rates = [model.point(index).acceptance_rate for model in models]
        shares = [rounded_percent(rate) for rate in rates]
        below = intervals.below(models, f"acceptance_rate/{limit.key}")
        if is_given(limit):
            errors = [rounded_percent(model.point(index).error_rate) for model in models]
            of_errors = intervals.below(models, f"error_rate/{limit.key}")
            block = [
                Column(header(limit), shares, below=below),
                Column("errors\nthat\nremain", errors, below=of_errors),
            ]
        else:
            thresholds = [model.threshold(index) for model in models]
            block = [
                Column(header(limit), shares, rates, below),
                Column("confid.\n>=", thresholds),
            ]
        found.append(block)
    if models[0].cost_evaluation is not None:
        found.append(costs.columns(models))
    return found


def _unit(models: Sequence[Model]) -> str:
    return "weight" if any(isinstance(model.evaluation.n, float) for model in models) else "outputs"


def _figure(figures: Evaluation, name: str) -> float:
    value = figures.to_dict()[name]
    return math.nan if value is None else float(value)
