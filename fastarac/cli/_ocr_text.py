"""What ``fastarac ocr`` tells people."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from fastarac._core.text import count, few_of, listed, plural, printable, rounded_percent, sentence
from fastarac.cli import _ocr
from fastarac.cli._tables import Column, tables
from fastarac.evaluation.wording import header, short
from fastarac.ocr.policies import BRIEFLY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.console import Console

    from fastarac.cli._ocr import Found
    from fastarac.cli._settings import Settings
    from fastarac.ocr import Engine
    from fastarac.ocr.policies import MissedPolicy, Policy

ALONE = (
    "Intervals take {units} for independent of each other (--group none): they are too narrow where "
    "those of one page have much in common."
)
CLUSTERED = "Intervals are by page: {units} of one page depend on each other, pages do not."


def text_of(found: Found, settings: Settings, output: Path | None) -> str:
    """Return counts, policy, figures, decision, sensitivity, comparison and notes, in this order."""
    several = len(found.engines) > 1
    group = "page" if found.by_page else None
    options = _ocr.options_for(settings, several=several, group=group)
    parts = partial(_parts, found, settings)
    return _ocr.text_of(parts, settings, output, "items", options)


def _parts(found: Found, settings: Settings, console: Console) -> Iterator[Any]:
    """Yield what is printed, block by block."""
    engines = {model.name: found.engines[model.name] for model in found.models}
    first = next(iter(engines.values())).aligned
    units = plural(first.reading.unit)
    yield from tables(list(engines), [_counts(engines)], console, "engine")
    yield ""
    yield Text(" ".join(first.policy.sentences(first.reading)))
    yield from (Text(sentence) for sentence in _missed(engines, units))
    yield ""
    yield _ocr.printed_figures(found.models, found.comparison, settings, console)
    if settings.certainty.level is not None:
        yield Text((CLUSTERED if found.by_page else ALONE).format(units=units), style="dim")
    for name in engines:
        yield ""
        yield from _sensitivity(name, found, console, several=len(engines) > 1)
    others = {policy: None for name in engines for policy in found.sensitivities[name].accepted}
    if len(others) > 1:
        yield Text(_legend(others, units), style="dim")
    if found.comparison is not None:
        yield ""
        yield Text(_lacking(found))
        yield _ocr.printed_comparison(found.comparison, console)
    notes = list(notes_on(found))
    if notes:
        yield ""
    yield from (Text(note, style="yellow") for note in notes)


def _counts(engines: Mapping[str, Engine]) -> list[Column]:
    every = [engine.aligned for engine in engines.values()]
    columns = [
        Column("pages", [count(len(a.records.page_names)) for a in every]),
        Column(f"true\n{every[0].reading.unit}s", [count(a.true_words) for a in every]),
    ]
    columns += [Column(kind, [count(a.counts[kind]) for a in every]) for kind in every[0].counts]
    return [*columns, Column("items", [count(len(a)) for a in every])]


def _missed(engines: Mapping[str, Engine], units: str) -> Iterator[str]:
    """Yield how much was missed, where that is in no other figure."""
    for name, engine in engines.items():
        aligned = engine.aligned
        if aligned.policy.missed == "separate" and aligned.missed:
            who = f"{printable(name)} missed" if len(engines) > 1 else "Missed:"
            share = rounded_percent(aligned.missed / aligned.true_words)
            yield (
                f"{who} {share} of the true {units} ({aligned.missed:,} of {aligned.true_words:,}), "
                "beside all figures below."
            )


def _sensitivity(name: str, found: Found, console: Console, *, several: bool) -> Iterator[Any]:
    effects = found.sensitivities[name]
    aligned = found.engines[name].aligned
    model = next(model for model in found.models if model.name == name)
    of_engine = f" of {printable(name)}" if several else ""
    if len(effects.accepted) == 1:
        yield Text(
            f"Nothing{of_engine} is missed or inserted: no policy changes what is accepted."
            if not aligned.missed and not aligned.counts["inserted"]
            else f"No other policy makes items{of_engine} with a confidence."
        )
    else:
        yield Text(f"Accepted share{of_engine} under other policies of missed and inserted outputs:")
        yield ""
        rows = [f"{policy.missed}, {policy.inserted}" for policy in effects.accepted]
        rows[0] += " (as above)"
        shares = list(effects.accepted.values())
        if effects.accepted_without:
            rows.append(f"without {len(effects.without_pages)} hardly aligned")
            shares.append(effects.accepted_without)
        columns = [
            Column(header(limit), [rounded_percent(row[index]) for row in shares])
            for index, limit in enumerate(model.limits)
        ]
        yield from tables(rows, [columns], console, "missed, inserted")
        yield ""
        widest = max(range(len(effects.limits)), key=effects.spread)
        yield Text(_spread(effects.spread(widest), short(model.limits[widest])))


def _legend(policies: Mapping[Policy, object], units: str) -> str:
    """Say in few words what the policies mean."""
    missed: dict[MissedPolicy, None] = dict.fromkeys(policy.missed for policy in policies)
    said = [f"{name}: {BRIEFLY[name].format(units=units)}" for name in missed]
    if len({policy.inserted for policy in policies}) > 1:
        said.append("wrong, drop: inserted outputs are wrong, or left out")
    return f"{'; '.join(said)}."


def _spread(spread: float, limit: str) -> str:
    points = f"{100 * spread:.1f} points"
    if spread < 0.01:
        return f"What missed and inserted outputs count as moves the share by at most {points}."
    return (
        f"At {limit}, what missed and inserted outputs count as (--missed, --inserted) moves the share "
        f"by up to {points}: choose it by who would see a missed word, before the figures."
    )


def _lacking(found: Found) -> str:
    lacking = [
        f"{printable(name)} lacks {number:,}" for name, number in found.lacking.items() if number
    ]
    n = found.comparison.comparison.n if found.comparison is not None else 0
    pairs = f"Engines are compared by the {count(n)} items that all of them have"
    clustered = ", clustered by page" if found.by_page else ""
    return f"{pairs}{clustered}" + (f"; {listed(lacking)}." if lacking else ".")


def notes_on(found: Found) -> Iterator[str]:
    """Yield what is to be known of the files and the confidences, a sentence each."""
    from fastarac.ocr.shared import doubts
    from fastarac.ocr.words import WITHOUT_CONFIDENCE

    for name, engine in found.engines.items():
        who = f"{printable(name)}: " if len(found.engines) > 1 else ""
        of_words = [str(note) for note in engine.words.notes if note[1:] != WITHOUT_CONFIDENCE]
        for note in (*doubts(engine.aligned), *of_words):
            yield f"{who}{sentence(note)}"
        pairing = found.pairings[name]
        for paths, what in (
            (pairing.without_output, "truth without output"),
            (pairing.without_truth, "output without truth"),
        ):
            if paths:
                names = few_of((path.name for path in paths), 5)
                yield f"{who}Left out: {len(paths)} of {what}: {names}."
