"""What the page on operation shows: how often promises hold, and what fields accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tables import markdown

from fastarac._core.text import percent

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data"  # by python -m bench.simulations.operation


def read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def promises() -> str:
    """Each promise where what it needs is true, and where it is not (in italics)."""
    rows = []
    before = ""
    for row in read("operation.json"):
        share = f"{100 * row['happened'] / row['samples']:.1f} %"
        if row["promised"] is not None:
            share += f", {100 * row['promised']:.1f} % promised"
        ratio = f"{row['ratio']:.2f}" if row["promise"].startswith("limit") else ""
        words = row["words"] if row["holds"] else f"*{row['words']}*"
        said = f"{row['counted']} in {share}"
        if not row["holds"]:
            said = f"**{said}**"
        promise = "" if row["promise"] == before else row["promise"]
        before = row["promise"]
        rows.append([promise, words, said, ratio])
    table = markdown(["promise", "situation", "simulated", "mean rate over the limit"], rows)
    return table.replace("| ---: | ---: | ---: |", "| --- | --- | ---: |", 1)


def acceptance() -> str:
    """Accepted shares by number of outputs and limit; the largest of each row is bold."""
    rows = []
    for row in read("operation_fields.json"):
        shares = [row[name] for name in ("raw", "each", "merged")]
        shown = [f"**{x:.2f}**" if x == max(shares) else f"{x:.2f}" for x in shares]
        rows.append([f"{row['n']:,}", percent(row["limit"]), *shown])
    header = ["outputs verified", "limit", "one raw threshold", "the limit in each field"]
    return markdown([*header, "one limit over both"], rows)


def looks() -> str:
    """Rules down, rates across: in how many samples any of eight looks gave a verdict."""
    rows = read("repeated_looks.json")
    cases = list(dict.fromkeys((row["rate"], row["counted"]) for row in rows))
    lines = []
    for units, rule in dict.fromkeys((row["units"], row["rule"]) for row in rows):
        own = [row for row in rows if (row["units"], row["rule"]) == (units, rule)]
        lines.append([rule, units, *(f"{100 * x['happened'] / x['samples']:.1f} %" for x in own)])
    header = ["rule", "of", *(f"“{counted}” {rate}" for rate, counted in cases)]
    return markdown(header, lines)


def choices() -> str:
    """Ways down, sizes across: the limits broken, and the share accepted."""
    rows = read("choices.json")
    sizes = sorted({row["n"] for row in rows})
    lines = []
    for kind, way in dict.fromkeys((row["kind"], row["way"]) for row in rows):
        own = {row["n"]: row for row in rows if (row["kind"], row["way"]) == (kind, way)}
        cells = [_broken(own[n]) if n in own else "–" for n in sizes]
        is_promised = next(iter(own.values()))["holds"]
        lines.append([way if is_promised else f"*{way}*", kind, *cells])
    return markdown(["way", "of", *(f"{n:,} outputs" for n in sizes)], lines)


def risk_scales() -> str:
    """Ways down, sizes across: the limits broken, and the share accepted."""
    rows = read("risk_scales.json")
    sizes = sorted({row["n"] for row in rows})
    lines = []
    for units, way in dict.fromkeys((row["units"], row["way"]) for row in rows):
        own = {row["n"]: row for row in rows if (row["units"], row["way"]) == (units, way)}
        lines.append([way, units, *(_broken(own[n]) for n in sizes)])
    return markdown(["way", "of", *(f"{n:,} outputs" for n in sizes)], lines)


def _broken(row: dict[str, Any]) -> str:
    return f"{100 * row['broken'] / row['samples']:.1f} %, {row['accepted']:.3f}"


MAKERS: dict[str, Callable[[], str]] = {
    "operation_promises.md": promises,
    "operation_acceptance.md": acceptance,
    "operation_looks.md": looks,
    "operation_choices.md": choices,
    "operation_risk_scales.md": risk_scales,
}
