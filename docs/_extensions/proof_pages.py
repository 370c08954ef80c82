"""What the pages on the tests show: the orders gone through, the mutants, the test vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data"
EQUIVALENT = Path(__file__).parents[2] / "bench" / "mutation_equivalent.json"
VECTORS = Path(__file__).parents[1] / "vectors" / "vectors.json"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def orders() -> str:
    """Orders and calls by the number of items."""
    data = read(DATA / "exhaustive.json")  # by python tests/exhaustive.py
    sizes = data["sizes"]
    rows = [[str(row["n"]), f"{row['orders']:,}", f"{row['calls']:,}"] for row in sizes]
    total = [f"{sum(row[name] for row in sizes):,}" for name in ("orders", "calls")]
    table = markdown(["items", "orders", "calls compared"], [*rows, ["**all**", *total]])
    every, calls, families = (
        data[key] for key in ("everything_up_to", "calls_of_an_order", "families")
    )
    return (
        f"Up to {every} items, every order goes through {calls} calls, once as counts and once as "
        f"columns. Beyond, through each of {families} kinds of call, as counts or as columns, "
        f"while limits, ranges and prices take turns.\n\n{table}"
    )


def mutants() -> str:
    """Changes of each file of kernels, and what became of them."""
    rows, total = [], [0, 0, 0, 0, 0]
    data = read(DATA / "mutation.json")  # by python -m bench.mutation
    for row in data["files"]:
        name = Path(row["file"]).stem
        equivalent = len(row["survivors"].keys() & reasons(name).keys())
        counts = [row["changes"], row["tried"], row["noticed"], equivalent]
        counts.append(len(row["survivors"]) - equivalent)
        total = [a + b for a, b in zip(total, counts, strict=True)]
        rows.append([f"`{name}.py`", *map(str, counts), score(counts)])
    header = ["kernels", "changes", "tried", "noticed", "equivalent", "not noticed", "score"]
    rows.append(["**all**", *(f"{count:,}" for count in total), score(total)])
    return f"{markdown(header, rows)}\nSample: {data['sample']} of each file, seed {data['seed']}.\n"


def reasons(name: str) -> dict[str, str]:
    """Return why no test can notice some changes of a file."""
    found: dict[str, str] = read(EQUIVALENT).get(name, {})
    return found


def score(counts: list[int]) -> str:
    """Share noticed of what could be noticed."""
    _, tried, noticed, equivalent, _ = counts
    return f"{100 * noticed / (tried - equivalent):.0f} %" if tried > equivalent else "–"


def left_over() -> str:
    """The changes that no test noticed, each with the reason why none can, if there is one."""
    lines = []
    for row in read(DATA / "mutation.json")["files"]:
        name = Path(row["file"]).stem
        for mutant in row["survivors"]:
            function, _, change = mutant.partition(": ")
            reason = reasons(name).get(mutant, "**Not noticed.**")
            lines.append(f"- `{name}.py`, `{function}`: `{change}`. {reason}\n")
    return "".join(lines) or "None.\n"


def vectors() -> str:
    """Every quantity of the test vectors with its definition."""
    rows = [
        [f"`{each['name']}`", each["definition"].replace("*", r"\*").replace("|", r"\|")]
        for each in read(VECTORS)["quantities"]
    ]
    return markdown(["quantity", "definition"], rows).replace("---:", ":---")


def conventions() -> str:
    """What the file says of itself."""
    return f"> {read(VECTORS)['about'].replace('*', chr(92) + '*')}\n"


def runs() -> str:
    """How many tests of which kind passed, and how much of the kernels they reach."""
    data = read(DATA / "runs.json")  # by python -m bench.trust
    rows = [[each["what"], each["figure"]] for each in data["rows"]]
    return markdown(["of one run of the gate", "passed or measured"], rows)


def fuzz() -> str:
    """How many crafted and damaged inputs of each kind were tried."""
    data = read(DATA / "fuzz.json")  # by python -m bench.fuzz --record
    rows = [[each["about"].replace("|", r"\|"), f"{each['inputs']:,}"] for each in data["targets"]]
    total = sum(each["inputs"] for each in data["targets"])
    table = markdown(["inputs", "tried"], [*rows, ["**all**", f"{total:,}"]])
    return f"{table}\n{data['seconds']:g} seconds each, seed {data['seed']}; none failed.\n"


MAKERS: dict[str, Callable[[], str]] = {
    "exhaustive.md": orders,
    "fuzz.md": fuzz,
    "mutants.md": mutants,
    "mutants_left.md": left_over,
    "runs.md": runs,
    "vectors.md": vectors,
    "vectors_about.md": conventions,
}
