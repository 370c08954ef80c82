"""Rows of simulations, as the documentation shows them: JSON with one a line."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

Row = TypeVar("Row")


def rows_of(kind: type[Row], path: Path) -> list[Row]:
    """The rows of a file; empty without the file."""
    return (
        [kind(**row) for row in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []
    )


def save(rows: Iterable[Any], path: Path) -> None:
    """Replace the rows of a file by dataclasses, one per line, with four digits of each fraction."""
    lines = [
        json.dumps(
            {
                key: float(f"{value:.4g}") if isinstance(value, float) else value
                for key, value in asdict(row).items()
            },
            ensure_ascii=False,
        )
        for row in rows
    ]
    unfinished = path.with_suffix(".part")
    unfinished.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    unfinished.replace(path)


def run(
    program: str,
    about: str | None,
    kind: type[Row],
    by: str,
    names: Collection[str],
    simulate: Callable[[str, int | None], Iterable[Row]],
    line: Callable[[Row], str],
    output: Path,
) -> None:
    """Simulate the rows of the chosen names, print each, and save them with those that are known.

    `by` is the field of a row that names what it belongs to, and the option that chooses.
    """
    parser = argparse.ArgumentParser(prog=program, description=about)
    parser.add_argument(f"--{by}", dest="chosen", choices=names, action="append")
    parser.add_argument("--samples", type=int, help="of each row")
    parser.add_argument("--output", type=Path, default=output)
    options = parser.parse_args()
    known = rows_of(kind, options.output)
    found = {name: [row for row in known if getattr(row, by) == name] for name in names}
    for name in options.chosen or names:
        found[name] = []
        for row in simulate(name, options.samples):
            found[name].append(row)
            sys.stdout.write(line(row))
            sys.stdout.flush()
        save([row for rows in found.values() for row in rows], options.output)


def parser_of(program: str, about: str | None, samples: int, output: Path) -> argparse.ArgumentParser:
    """Return a parser of the options of a table that goes on where it stopped."""
    parser = argparse.ArgumentParser(prog=program, description=about)
    parser.add_argument("--samples", type=int, default=samples, help="of each row")
    parser.add_argument("--again", action="store_true", help="even what is known")
    parser.add_argument("--output", type=Path, default=output)
    return parser


def fill(
    options: argparse.Namespace,
    kind: type[Row],
    cells: Iterable[tuple[Any, ...]],
    cell_of: Callable[[Row], tuple[Any, ...]],
    simulate: Callable[..., Iterable[Row]],
    line: Callable[[Row], str],
    order: Callable[[Row], Any],
) -> None:
    """Simulate the cells that are not known of enough samples yet; print and save the rows of each.

    `simulate` takes a cell and the number of samples; `order` is the key that the file is sorted by.
    """
    for cell in cells:
        known = rows_of(kind, options.output)
        own: list[Any] = [row for row in known if cell_of(row) == cell]
        if own and all(row.samples >= options.samples for row in own) and not options.again:
            continue
        rows = list(simulate(*cell, options.samples))
        sys.stdout.write("".join(map(line, rows)))
        sys.stdout.flush()
        others = [row for row in known if cell_of(row) != cell]
        save(sorted(others + rows, key=order), options.output)


def fill_ways(
    program: str,
    about: str | None,
    samples: int,
    output: Path,
    kind: type[Row],
    by: str,
    sizes: Mapping[str, Iterable[int]],
    ways: Iterable[str],
    simulate: Callable[..., Iterable[Row]],
    line: Callable[[Row], str],
) -> None:
    """Fill a table that has a row for each way to go, at each of the sizes of each of the names.

    `by` is the field of a row that has the name, and the option that chooses names.
    """
    parser = parser_of(program, about, samples, output)
    parser.add_argument(f"--{by}", dest="chosen", choices=sizes, action="append")
    options = parser.parse_args()
    name, place = attrgetter(by, "n"), attrgetter(by, "n", "way")
    order = [(each, n, way) for each in sizes for n in sizes[each] for way in ways]
    cells = [(each, n) for each in options.chosen or sizes for n in sizes[each]]
    fill(options, kind, cells, name, simulate, line, order=lambda row: order.index(place(row)))
