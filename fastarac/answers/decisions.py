"""Describe an evaluation: a sentence per limit, a table, and notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastarac._core.text import (
    UNDEFINED,
    by_chance,
    capitalised,
    count,
    few_of,
    interval_text,
    listed,
    money,
    percent,
    plural,
    printable,
    rounded_percent,
    share,
)
from fastarac.answers import intervals, wrong_groups
from fastarac.answers.costs import UNIT
from fastarac.answers.figures import FiguresOfModel
from fastarac.answers.groups import Groups
from fastarac.answers.limits import kept, opening
from fastarac.answers.screen import MANY, Note, Weight, one_table
from fastarac.answers.tables import AnswerTable, Column
from fastarac.evaluation.limits import as_given, exact, few_for, is_given, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastarac.answers.costs import Priced
    from fastarac.answers.models import Model
    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.model_ranking import Lead
    from fastarac.guarantees.exact import GuaranteedOperatingPoint

NAMED = 3  # maximum number of model names in a sentence; the rest become a number
# Mention a cheaper, stricter limit if the given limit costs at least this many times as much.
NOTABLY = 1.01
FITTED = "Thresholds are fitted to these {units}; new {units} may have more errors."
GUARANTEED = " --guarantee 0.05 keeps each limit on new {units} with 95% confidence."


def too_few_groups(models: Sequence[Model]) -> bool:
    """Return whether some model has too few groups to guarantee any limit at 95% confidence."""
    limits = [limit.value for limit in models[0].limits if not is_given(limit)]
    groups = min(model.n_groups or math.inf for model in models)
    return bool(limits) and are_too_few(groups, max(limits))


def are_too_few(n_groups: float, limit: float) -> bool:
    """Return whether groups are too few to guarantee a limit at 95%, even if none has an error."""
    # With no errors in n groups, the lowest limit that can be proved is about ln(1/0.05) / n.
    return limit * n_groups < math.log(20.0)


def sentences(models: Sequence[Model], leads: Sequence[Lead | None] = ()) -> list[str]:
    """Return a sentence on the cheapest threshold, if there are prices, and one for each limit."""
    limits = range(len(models[0].limits))
    decided = [at_limit(models, k, leads[k] if k < len(leads) else None) for k in limits]
    if len(models) > MANY:  # keep the text short: the table matters more
        first, *others = [said.removesuffix(".") for said in decided]
        decided = [f"{'; '.join([first, *(said[:1].lower() + said[1:] for said in others)])}."]
    return [*_cheapest(models), *decided]


def at_limit(models: Sequence[Model], index: int, lead: Lead | None = None) -> str:
    """Return the sentence for a limit; for documents, first the share that pass unchecked."""
    said = _of_items(models, index, lead)
    through = straight_through(models, index)
    if through is None or not through[0]:
        return said
    share, wrong = map(rounded_percent, through)
    return f"{share} of all documents go straight through, {wrong} of all with an error. {said}"


def straight_through(models: Sequence[Model], index: int) -> tuple[float, float] | None:
    """Return the shares of documents that pass unchecked, and that pass with an error, or None."""
    model = leader(models, index)
    return model.source.straight_through(threshold_of(model, index))


def _of_items(models: Sequence[Model], index: int, lead: Lead | None) -> str:
    limit = models[0].limits[index]
    if is_given(limit):
        return f"{opening(limit)}: {_at_given(models, index)}."
    if any(model.at(index).guaranteed is not None for model in models):
        return _guaranteed(models, index)
    leaders = leaders_at(models, index)
    if not leaders:
        return capitalised(nothing_kept(models, index, kept(limit)))
    said = _accepted(leaders, index, several=len(models) > 1)
    return f"{opening(limit)}: {said}{_lead_in_brief(lead) if len(leaders) == 1 else ''}."


def leaders_at(models: Sequence[Model], index: int) -> list[Model]:
    """Return the models with the largest share at a limit; empty if no threshold keeps the limit."""
    best = max(model.point(index).acceptance_rate for model in models)
    return [model for model in models if best and model.point(index).acceptance_rate == best]


def nothing_kept(models: Sequence[Model], index: int, limit: str) -> str:
    """Return the sentence for a limit that no threshold keeps, in lower case."""
    # with all outputs verified, errors can remain: people do not see words that an engine missed
    if all(model.point(index).error_rate for model in models):
        return f"no threshold keeps {limit}, even with all outputs verified."
    return f"no threshold keeps {limit}: review everything."


def accepts_most(leaders: Sequence[Model]) -> str:
    """Return the beginning of a sentence on the best models, "A and B accept most"."""
    return f"{_names(leaders)} {'accepts' if len(leaders) == 1 else 'accept'} most"


def _accepted(leaders: Sequence[Model], index: int, *, several: bool) -> str:
    """Return what the best models accept, with threshold and interval, as part of a sentence."""
    first, point = leaders[0], leaders[0].point(index)
    everything = point.acceptance_rate == 1
    wrong = [f"{rounded_percent(model.point(index).error_rate)}" for model in leaders]
    if len(leaders) > 1:
        names = _names(leaders)
        if everything:
            return f"{names} accept everything ({_each(wrong)} wrong)"
        share = rounded_percent(point.acceptance_rate)
        return f"{accepts_most(leaders)}, {share} at confidence >= {_thresholds(leaders, index)}"
    sure = _interval(first, index)
    if everything:
        said = f"{printable(first.name)} accepts everything" if several else "accept everything"
        return f"{said} ({wrong[0]} wrong)"
    said = f"{accepts_most(leaders)}," if several else "accept"
    share = rounded_percent(point.acceptance_rate)
    among = ""
    if not several and first.limits[index].criterion == "max_error_rate" and point.error_rate:
        risk = point.error_rate / point.acceptance_rate
        among = f"; {rounded_percent(risk)} of these are wrong"
    return f"{said} {share} at confidence >= {first.threshold(index)}{sure}{among}"


def _thresholds(models: Sequence[Model], index: int) -> str:
    texts = [model.threshold(index) for model in models]
    return texts[0] if len(set(texts)) == 1 else _each(texts)


def _each(texts: Sequence[str]) -> str:
    return listed(texts) if len(texts) <= NAMED else f"{texts[0]} to {texts[-1]}"


def _names(models: Sequence[Model]) -> str:
    names = [printable(model.name) for model in models]
    return listed(names) if len(names) <= NAMED else few_of(names, NAMED)


def _interval(model: Model, index: int) -> str:
    found = model.intervals.get(f"acceptance_rate/{model.limits[index].key}")
    if found is None:
        return ""
    return f" ({percent(found.confidence_level)} interval {interval_text(found.low, found.high)})"


def _guaranteed(models: Sequence[Model], index: int) -> str:
    """Return a sentence on the model with the largest accepted share at a guaranteed threshold."""
    limit = models[0].limits[index]
    every = [(model, sure) for model in models if (sure := model.at(index).guaranteed) is not None]
    confidence = percent(1.0 - every[0][1].failure_probability)
    on_new = f"on new {models[0].units}"
    best = max(sure.acceptance_rate if sure.threshold < math.inf else 0.0 for _, sure in every)
    if not best:
        here = max(models, key=lambda model: model.point(index).acceptance_rate)
        share = here.point(index).acceptance_rate
        at = f"{rounded_percent(share)} at {here.threshold(index)}"
        return (
            f"No threshold keeps {kept(limit)} {on_new} with {confidence} confidence: review everything"
            f"{f' (in this sample {at})' if share else ''}."
        )
    promise = f"{opening(limit)} {on_new}, with {confidence} confidence"
    leaders = [(model, sure) for model, sure in every if sure.acceptance_rate == best]
    if len(leaders) > 1:
        thresholds = [exact(sure.threshold) for _, sure in leaders]
        most = accepts_most([model for model, _ in leaders])
        return f"{promise}: {most}, {_share(best)} at confidence >= {_each(thresholds)}."
    model, sure = leaders[0]
    who = f"{accepts_most([model])}," if len(models) > 1 else "accept"
    of_sample = rounded_percent(model.point(index).acceptance_rate)
    return (
        f"{promise}: {who} {_share(best)} at confidence >= {exact(sure.threshold)} (in this sample "
        f"{of_sample} at {model.threshold(index)})."
    )


def _share(rate: float) -> str:
    return "everything" if rate == 1 else rounded_percent(rate)


def _at_given(models: Sequence[Model], index: int) -> str:
    """Return a sentence on a given threshold; of many models, only on the best and the worst."""
    if len(models) == 1:
        return _outcome(models[0], index)
    ranked = sorted(models, key=lambda model: -model.point(index).acceptance_rate)
    shown = ranked if len(models) <= NAMED else [ranked[0], ranked[-1]]
    said = listed([f"{printable(model.name)} accepts {_given(model, index)}" for model in shown])
    return said if len(shown) == len(models) else f"of {len(models)} models, {said}"


def _given(model: Model, index: int) -> str:
    point = model.point(index)
    if not point.acceptance_rate:
        return "nothing"
    return f"{_share(point.acceptance_rate)} ({rounded_percent(point.error_rate)} wrong)"


def _outcome(model: Model, index: int) -> str:
    point = model.point(index)
    if not point.acceptance_rate:
        return "nothing is accepted"
    wrong = rounded_percent(point.error_rate)
    share = _share(point.acceptance_rate)
    return f"accept {share}{_interval(model, index)}; {wrong} of all {model.units} remain wrong"


def _lead_in_brief(lead: Lead | None) -> str:
    """Return the end of a sentence, which says whether the best model's advantage may be chance."""
    if lead is None:
        return ""
    leader, *others = lead.comparison.names
    elsewhere = lead.exception
    pairs = {other: lead.comparison.pair(leader, other) for other in others}
    open_ = [name for name, pair in pairs.items() if not lead.is_clear(pair)]
    if open_:
        over = listed(list(map(printable, open_))) if len(open_) <= NAMED else f"{len(open_)} others"
        reverse = elsewhere.removeprefix("except ")
        why = by_chance([pairs[each].adjusted_pvalue for each in open_], clear=False)
        return f"; its lead over {over} may be chance{why}" + (
            f"; {reverse} the order is reversed" if reverse else ""
        )
    over = listed(list(map(printable, others))) if len(others) <= NAMED else "all others"
    if lead.is_of_few:
        return f"; {lead.n_units:,} {lead.unit}s are too few to be sure of its lead over {over}"
    why = by_chance([pair.adjusted_pvalue for pair in pairs.values()], clear=True)
    return f"; its lead over {over} is beyond chance{why}" + (f", {elsewhere}" if elsewhere else "")


def _cheapest(models: Sequence[Model]) -> Iterator[str]:
    spent = [(model, costs) for model in models if (costs := model.cost_evaluation) is not None]
    if spent:
        model, costs = min(spent, key=lambda row: row[1].at_cheapest)
        of_document, n = "", model.source.n_documents
        if n is not None:
            of_document = f" ({money(costs.at_cheapest * model.evaluation.n / n)} per document)"
        yield cheapest(spent, units=f"{models[0].units}{of_document}")


def cheapest(
    spent: Sequence[tuple[Priced, CostEvaluation]], over: str = "", units: str = "outputs"
) -> str:
    """Return a sentence on the cheapest model and threshold; `over` is appended to "Cheapest"."""
    model, costs = min(spent, key=lambda row: row[1].at_cheapest)
    point = costs.cheapest
    who = f"{printable(model.name)}, " if len(spent) > 1 else ""
    share = rounded_percent(point.acceptance_rate)
    threshold = model.decimal(point.threshold)
    where = f"accept {share} at confidence >= {threshold}"
    if point.acceptance_rate in (0, 1):
        where = "accept everything" if point.acceptance_rate else "check everything"
    return (
        f"Cheapest{over}: {who}{where}: {money(UNIT * costs.at_cheapest)} per {UNIT:,} {units}, "
        f"{money(UNIT * costs.everything_checked)} with everything checked."
    )


def table(models: Sequence[Model], width: int) -> AnswerTable:
    """Return one table of all models: items, recognition rate, and share accepted at each limit."""
    ranked = sorted(models, key=_rank)
    figures = [model.evaluation for model in ranked]
    units = "weight" if any(isinstance(each.n, float) for each in figures) else models[0].units
    columns = [
        Column(units, [count(each.n) for each in figures]),
        Column(
            "right",
            [share(each.recognition_rate) for each in figures],
            [each.recognition_rate for each in figures],
            intervals.below(ranked, "recognition_rate"),
        ),
    ]
    for index in range(len(models[0].limits)):
        columns += _of_limit(ranked, index)
    return one_table([model.name for model in ranked], columns, models[0].source.kind, width)


def caption(models: Sequence[Model]) -> str:
    """Return a caption that explains the intervals in the table, if there are any."""
    ends = next(iter(models[0].intervals.values()), None)
    if ends is None:
        return ""
    groups = models[0].n_groups
    kind = models[0].source.group_word
    resting = "" if groups is None else f", from {groups:,} {plural(kind, groups)}"
    return f"The ranges are {percent(ends.confidence_level)} intervals{resting}."


def leader(models: Sequence[Model], index: int) -> Model:
    """Return the model that accepts most at a limit, at guaranteed thresholds if available."""
    return max(models, key=lambda model: accepted_share(model, index))


def threshold_of(model: Model, index: int) -> float:
    """Return the threshold for a limit, guaranteed if possible."""
    sure = model.at(index).guaranteed
    threshold: float = model.point(index).threshold if sure is None else sure.threshold
    return threshold


def _rank(model: Model) -> list[float]:
    """Return a sort key that puts models that accept more first."""
    return [-accepted_share(model, index) for index in range(len(model.limits))]


def accepted_share(model: Model, index: int) -> float:
    """Return the share accepted at a limit, at the guaranteed threshold if there is one."""
    sure = model.at(index).guaranteed
    if sure is None:
        return model.point(index).acceptance_rate
    return sure.acceptance_rate if sure.threshold < math.inf else 0.0


def _of_limit(models: Sequence[Model], index: int) -> list[Column]:
    limit = models[0].limits[index]
    sure = [model.at(index).guaranteed for model in models]
    rates = [accepted_share(model, index) for model in models]
    cells = [rounded_percent(rate) if rate else "none" for rate in rates]
    below = intervals.below(models, f"acceptance_rate/{limit.key}")
    if is_given(limit):
        errors = [rounded_percent(model.point(index).error_rate) for model in models]
        return [
            Column(f"accepted\n>= {as_given(limit)}", cells, below=below),
            Column("remain\nwrong", errors, below=intervals.below(models, f"error_rate/{limit.key}")),
        ]
    at = f"at {percent(limit.value)}" + (" risk" if limit.criterion == "max_risk" else "")
    if any(each is not None for each in sure):
        thresholds = [_guaranteed_threshold(each) for each in sure]
        return [Column(f"guaranteed\n{at}", cells, rates), Column("threshold", thresholds)]
    thresholds = [model.threshold(index) for model in models]
    return [Column(f"accepted\n{at}", cells, rates, below), Column("threshold", thresholds)]


def _guaranteed_threshold(sure: GuaranteedOperatingPoint | None) -> str:
    return UNDEFINED if sure is None or sure.threshold == math.inf else exact(sure.threshold)


def notes(models: Sequence[Model], leads: Sequence[Lead | None] = ()) -> Iterator[Note]:
    """Yield notes on facts that may change the decision, on assumptions, and on too few data."""
    sources = {model.name: model.source for model in models}
    for index, limit in enumerate(models[0].limits):
        lead = leads[index] if index < len(leads) else None
        order = models[0].source.order(sources, index)
        for said in (order, "" if lead is None else lead.note):
            if said:
                yield Note(f"{opening(limit)}: {said[:1].lower()}{said[1:]}", Weight.DECIDES)
    if different := scales(models):
        yield Note(different, Weight.DECIDES)
    yield from _stricter(models)
    several = len(models) > 1
    for model in models:
        for doubt in model.doubts:
            yield Note(f"{capitalised(doubt)}.", Weight.DECIDES)
        caveats = dict.fromkeys(model.source.caveat(k) for k in range(len(model.limits)))
        for caveat in filter(None, caveats):
            who = f"{printable(model.name)}: {caveat}" if several else capitalised(caveat)
            yield Note(f"{who}.", Weight.ASSUMES)
        groups = _groups_of(model)
        if groups is not None:
            of = f"{printable(model.name)}: " if several else ""
            for said in groups.sentences(model.limits):
                yield Note(f"{of}{said.replace(' (marked !)', '')}", Weight.DECIDES)
    yield from _assumptions(models)
    fitted = [limit for limit in models[0].limits if not is_given(limit)]
    if fitted:
        least = min(fitted, key=lambda limit: limit.value)
        few = few_for(least, min(model.evaluation.n for model in models))
        if few and not _asks_for_guarantee(models):  # a guarantee has its own note
            yield Note(few, Weight.LITTLE)
    for note, names in (notes_of_models(models) | _wrong_groups(models)).items():
        who = f"{few_of(names, NAMED)}: {note}" if several else capitalised(note)
        yield Note(f"{who}.", Weight.LITTLE)


def notes_of_models(models: Sequence[Model]) -> dict[str, list[str]]:
    """Return each doubt about intervals or guarantees, with the names of its models."""
    found: dict[str, list[str]] = {}
    for model in models:
        for note in model.notes:
            found.setdefault(note, []).append(printable(model.name))
    return found


def scales(models: Sequence[Model]) -> str:
    """Return a warning if one threshold is given for models with confidences of different scales."""
    beyond = [model for model in models if model.confidence_range[1] > 1]
    within = [model for model in models if model.confidence_range[1] <= 1]
    if not (beyond and within and any(map(is_given, models[0].limits))):
        return ""
    return (
        f"Confidences of {_range(beyond)}, but those of {_range(within)}: one threshold does not fit "
        "both."
    )


def _range(models: Sequence[Model]) -> str:
    lows, highs = zip(*(model.confidence_range for model in models), strict=True)
    return f"{_names(models)} run from {min(lows):.4g} to {max(highs):.4g}"


def _stricter(models: Sequence[Model]) -> Iterator[Note]:
    """Yield a note for each limit if a stricter one is cheaper."""
    for index, limit in enumerate(models[0].limits):
        model = leader(models, index)
        costs = model.cost_evaluation
        if costs is None or limit.criterion != "max_error_rate":
            continue
        here, point = costs.at_limits[limit.key], costs.cheapest
        if here > NOTABLY * costs.at_cheapest and point.error_rate < model.point(index).error_rate:
            who = f"{printable(model.name)}: " if len(models) > 1 else ""
            errors = (
                "no errors" if not point.error_rate else f"{rounded_percent(point.error_rate)} errors"
            )
            yield Note(
                f"{who}{UNIT:,} {model.units} cost {money(UNIT * here)} at {short(limit)}; a stricter "
                f"limit is cheaper: {money(UNIT * costs.at_cheapest)} at {errors}.",
                Weight.DECIDES,
            )


def _wrong_groups(models: Sequence[Model]) -> dict[str, list[str]]:
    """Return notes on groups with only errors, with the names of their models."""
    first = next(iter(models[0].intervals.values()), None)
    if first is None:
        return {}
    named = (
        (printable(model.name), model.outputs)
        for model in models
        if not isinstance(model, FiguresOfModel)
    )
    return wrong_groups.sentences(named, models[0].source.group_word, first.confidence_level)


def _groups_of(model: Model | FiguresOfModel) -> Groups | None:
    if isinstance(model, FiguresOfModel):
        return model.groups
    return None if model.by_group is None else Groups.of(model)


def _asks_for_guarantee(models: Sequence[Model]) -> bool:
    return any(models[0].at(k).guaranteed is not None for k in range(len(models[0].limits)))


def _assumptions(models: Sequence[Model]) -> Iterator[Note]:
    from fastarac.answers.guarantees import premise, together

    if all(map(is_given, models[0].limits)):
        return
    units = models[0].units
    if _asks_for_guarantee(models):
        brief = f"A guarantee holds for new {units} from the same source, if the verification is right"
        yield Note(f"{brief} and {premise(models)}.", Weight.ASSUMES, f"{brief}.")
        if of_all := together(models):
            yield Note(of_all, Weight.ASSUMES)
        return
    holds = GUARANTEED.format(units=units) if models[0].takes_guarantee else ""
    if holds and too_few_groups(models):
        n = models[0].n_groups or 0
        holds = f" {n:,} {plural(models[0].source.group_word, n)} are too few for a guarantee."
    yield Note(f"{FITTED.format(units=units)}{holds}", Weight.ASSUMES)
