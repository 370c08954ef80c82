"""Tables of the measurements: for the terminal, as Markdown, as JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import commands, fresh, memory
from bench.compare import AVX2, OURS, Cell, with_avx2
from bench.timing import summarize
from bench.works import SORT, TIME, WORKS, Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.memory import Growth
    from bench.works import Work

MET, MISSED = "✓", "✗"
LIMITS = fresh.LIMITS | commands.LIMITS  # of whole processes
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Table(NamedTuple):
    """Text in rows and columns; an empty row separates groups."""

    title: str
    header: list[str]
    rows: list[list[str]]


class Run(NamedTuple):
    """All that was measured in one run."""

    facts: dict[str, str]
    cells: list[Cell]
    start: dict[str, list[float]]
    memory: list[Growth]


def size_text(n: int) -> str:
    """10⁶ for a power of ten, 250,000 for anything else."""
    power = len(str(n)) - 1
    return f"10{str(power).translate(_SUPERSCRIPTS)}" if n == 10**power else f"{n:,}"


def seconds_text(*seconds: float) -> str:
    """Return the first one with its unit, and the others in the same unit, in brackets."""
    units = {"s": 1, "ms": 1e3, "µs": 1e6}
    unit = next((unit for unit, scale in units.items() if seconds[0] * scale >= 1), "µs")
    scaled = [value * units[unit] for value in seconds]
    first, *others = (f"{value:.0f}" if value >= 10 else f"{value:.2g}" for value in scaled)
    return f"{first} {unit}{_bracket(others)}"


def ratio_text(*ratios: float) -> str:
    """Return 0.83, or 1/52 where the first one is small; the others likewise, in brackets."""
    if ratios[0] < 0.1:
        first, *others = (
            f"1/{1 / ratio:.0f}" if ratio < 0.1 else f"1/{1 / ratio:.2g}" for ratio in ratios
        )
    else:
        first, *others = (f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}" for ratio in ratios)
    return f"{first}{_bracket(others)}"


def _bracket(texts: Sequence[str]) -> str:
    return f" ({'–'.join(texts)})" if texts else ""


def _mark(value: float, limit: float) -> str:
    return MET if value <= limit else MISSED


def measures_of(cells: Sequence[Cell]) -> list[str]:
    """What the cells of a work were measured by, in the order of the lines."""
    names = dict.fromkeys(name for cell in cells for name in cell.times if name != OURS)
    return [TIME, *names]


def is_against(target: Target, measure: str) -> bool:
    """Whether a measure is judged by the target; both builds of np.sort are."""
    return measure in {target.against, with_avx2(target.against)}


def label_of(measure: str) -> str:
    """What the line shows."""
    if measure == TIME:
        return "time"
    dispatched = measure.startswith(SORT) and not measure.endswith(AVX2)
    return f"÷ {measure}, as dispatched" if dispatched else f"÷ {measure}"


def target_text(work: Work, measure: str, cells: Mapping[int, Cell]) -> str:
    """Return the targets of a line, each with its mark if its size was measured."""
    text = seconds_text if measure == TIME else ratio_text
    parts = []
    for target in work.targets:
        if not is_against(target, measure):
            continue
        figure = cells[target.size].figure(measure) if target.size in cells else None
        mark = _mark(figure.median, target.limit) if figure else ""
        parts.append(f"≤ {text(target.limit)} at {size_text(target.size)} {mark}".rstrip())
    return ", ".join(parts)


def comparison(cells: Sequence[Cell]) -> Table:
    """Works in groups of lines, sizes in columns."""
    sizes = sorted({cell.n for cell in cells})
    rows: list[list[str]] = []
    for work in WORKS:
        of_work = {cell.n: cell for cell in cells if cell.work == work.name}
        if not of_work:
            continue
        rows += [[]] if rows else []
        for measure in measures_of(list(of_work.values())):
            text = seconds_text if measure == TIME else ratio_text
            figures = [of_work[n].figure(measure) if n in of_work else None for n in sizes]
            shown = [text(*figure) if figure else "" for figure in figures]
            name = work.name if measure == TIME else ""
            rows.append([name, label_of(measure), *shown, target_text(work, measure, of_work)])
    header = ["work", "fastarac", *map(size_text, sizes), "target"]
    return Table("median (least–greatest) over the rounds", header, rows)


def missed_of(run: Run) -> list[str]:
    """Name the targets that even the best round misses."""
    works = {work.name: work for work in WORKS}
    missed = []
    for cell in run.cells:
        for target in works[cell.work].targets:
            figure = cell.figure(target.against) if target.size == cell.n else None
            if figure and figure.low > target.limit:
                text = seconds_text if target.against == TIME else ratio_text
                found = f"{label_of(target.against)} {text(*figure)}"
                missed.append(f"{cell.work} at {size_text(cell.n)}: {found}, not {text(target.limit)}")
    for name, seconds in run.start.items():
        limit = LIMITS.get(name)
        if limit and min(seconds) > limit:
            missed.append(f"{name}: {seconds_text(min(seconds))}, not {seconds_text(limit)}")
    return missed + [
        f"memory at {size_text(growth.n)}: {growth.ratio:.2f}, not {memory.LIMIT}"
        for growth in run.memory
        if growth.name == OURS and growth.ratio > memory.LIMIT
    ]


def process_rows(times: Mapping[str, Sequence[float]]) -> list[dict[str, str]]:
    """Rows for the import, the first result and whole commands: time, limit, and whether it is met."""
    rows = []
    for name, seconds in times.items():
        limit = LIMITS.get(name)
        figure = summarize(seconds)
        judged = {"limit": seconds_text(limit), "met": _mark(figure.median, limit)} if limit else {}
        rows.append({"what": name, "found": seconds_text(*figure), "limit": "", "met": "", **judged})
    return rows


def start_table(times: Mapping[str, Sequence[float]]) -> Table:
    """Import, first result and whole commands."""
    rows = [
        [row["what"], row["found"], f"≤ {row['limit']} {row['met']}" if row["limit"] else ""]
        for row in process_rows(times)
    ]
    return Table("fresh processes", ["what", "time", "target"], rows)


def memory_rows(growths: Sequence[Growth]) -> list[dict[str, str]]:
    """Peak memory over the inputs, in bytes and in multiples of the confidences."""
    return [
        {
            "name": growth.name,
            "n": size_text(growth.n),
            "extra": f"{growth.extra / 2**20:,.0f} MiB",
            "found": f"{growth.ratio:.2f}",
            "limit": str(memory.LIMIT) if growth.name == OURS else "",
            "met": _mark(growth.ratio, memory.LIMIT) if growth.name == OURS else "",
        }
        for growth in growths
    ]


def memory_table(growths: Sequence[Growth]) -> Table:
    """Peak memory over the inputs."""
    rows = [
        [*list(row.values())[:4], f"≤ {row['limit']} {row['met']}" if row["limit"] else ""]
        for row in memory_rows(growths)
    ]
    header = ["AUC by", "n", "extra", "÷ confidences", "target"]
    return Table("peak memory over the inputs", header, rows)


def tables_of(run: Run) -> list[Table]:
    """Return the tables of what was measured."""
    tables = [comparison(run.cells)] if run.cells else []
    tables += [start_table(run.start)] if run.start else []
    return [*tables, memory_table(run.memory)] if run.memory else tables


def notes_of(run: Run) -> list[str]:
    """Name the peers whose values differ from ours."""
    return [
        f"{cell.work} at {size_text(cell.n)}: by {peer} the area is {difference:+.1e} from ours"
        for cell in run.cells
        for peer, difference in cell.differing.items()
    ]


def as_markdown(run: Run) -> str:
    """Facts as a list, and the tables."""
    lines = [f"- {name}: {fact}" for name, fact in run.facts.items()]
    for table in tables_of(run):
        width = len(table.header)
        lines += ["", f"**{table.title}**", ""]
        rules = ["---"] * 2 + ["---:"] * (width - 2)
        rows = [table.header, rules, *(row for row in table.rows if row)]
        lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *notes_of(run)]).rstrip()


def as_text(run: Run) -> str:
    """Facts and tables in columns of equal width."""
    width = max(map(len, run.facts))
    lines = [f"{name:<{width}}  {fact}" for name, fact in run.facts.items()]
    for table in tables_of(run):
        filled = [row for row in [table.header, *table.rows] if row]
        widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
        lines += ["", table.title]
        for row in [table.header, *table.rows]:
            lines.append(
                "  ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=False)).rstrip()
            )
    return "\n".join([*lines, "", *notes_of(run)]).rstrip()


def print_rich(run: Run) -> None:
    """Print in colour; needs rich."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(highlight=False)
    width = max(map(len, run.facts))
    for name, fact in run.facts.items():
        console.print(Text(f"{name:<{width}}  ", style="dim") + Text(fact), soft_wrap=True)
    for table in tables_of(run):
        view = RichTable(title=table.title, title_justify="left")
        for title in table.header:
            view.add_column(title, no_wrap=True)
        for row in table.rows:
            if not row:
                view.add_section()
                continue
            *texts, target = map(Text, row)
            target.highlight_regex(MET, "bold green")
            target.highlight_regex(MISSED, "bold red")
            view.add_row(*texts, target)
        needed = console.measure(view, options=console.options.update(width=1000)).maximum
        console.width = max(console.width, needed)  # a narrow terminal wraps rather than loses
        console.print()
        console.print(view)
    for note in notes_of(run):
        console.print(Text(note), soft_wrap=True)


def as_record(run: Run) -> str:
    """What the page of benchmarks shows: medians, and each target beside what was found.

    Of whole processes and of the peak memory what was found stands as the tables show it.
    """
    works = {work.name: work for work in WORKS}
    targets = []
    for cell in run.cells:
        for target in works[cell.work].targets:
            figure = cell.figure(target.against) if target.size == cell.n else None
            if figure:
                text = seconds_text if target.against == TIME else ratio_text
                targets.append(
                    {
                        "work": cell.work,
                        "n": cell.n,
                        "measure": label_of(target.against),
                        "found": text(*figure),
                        "limit": text(target.limit),
                        "met": _mark(figure.median, target.limit),
                    }
                )
    cells = [
        {
            "work": cell.work,
            "n": cell.n,
            "seconds": {
                name: summarize(times).median
                for name, times in cell.times.items()
                if not name.endswith(AVX2)
            },
        }
        for cell in run.cells
    ]
    document = {
        "facts": run.facts,
        "cells": cells,
        "targets": targets,
        "processes": process_rows(run.start),
        "memory": memory_rows(run.memory),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_json(run: Run) -> str:
    """Every single time in seconds, and the summaries by measure."""
    works = {work.name: work for work in WORKS}

    def cell_dict(cell: Cell) -> dict[str, Any]:
        figures = {name: figure for name in measures_of([cell]) if (figure := cell.figure(name))}
        targets = [
            {"measure": measure, "limit": target.limit, "met": figure.median <= target.limit}
            for target in works[cell.work].targets
            for measure, figure in figures.items()
            if target.size == cell.n and is_against(target, measure)
        ]
        return {
            "work": cell.work,
            "n": cell.n,
            "figures": {measure: figure._asdict() for measure, figure in figures.items()},
            "targets": targets,
            "seconds": cell.times,
            "differing": {
                name: value if math.isfinite(value) else None for name, value in cell.differing.items()
            },
        }

    document = {
        "facts": run.facts,
        "comparison": [cell_dict(cell) for cell in run.cells],
        "start": run.start,
        "memory": [{**growth._asdict(), "ratio": growth.ratio} for growth in run.memory],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)
