"""``python -m bench``: compare fastarac with np.sort and other libraries, in one run."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench import commands, floor, fresh, machine, memory, peers, reads, report
from bench.compare import OURS, Cell, measure
from bench.works import WORKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.memory import Growth
    from bench.peers import Peer

PEERS_MEMORY = 10**7  # items: several of them need ten times their input and more


def whole(text: str) -> int:
    """Read 1000, 1_000 or 1e3."""
    number = float(text)
    if number != int(number) or number < 1:
        raise ValueError(text)
    return int(number)


def size(text: str) -> int:
    """Read a number of items."""
    n = whole(text)
    if n < 100:
        message = f"{text} items are too few for both correct and incorrect ones"
        raise argparse.ArgumentTypeError(message)
    return n


def sizes(text: str) -> list[int]:
    """Parse numbers of items, separated by commas."""
    return [] if text == "none" else [size(part) for part in text.split(",")]


def names(text: str) -> list[str]:
    """Parse names of peers, separated by commas."""
    chosen = {"all": list(peers.NAMES), "none": []}.get(text, text.split(","))
    for name in chosen:
        if name not in peers.NAMES:
            message = f"{name!r} is not one of all, none, {', '.join(peers.NAMES)}"
            raise argparse.ArgumentTypeError(message)
    return chosen


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    add = parser.add_argument
    add(
        "table",
        nargs="?",
        choices=["floor"],
        help="instead, what one read, one partition and one sort in cache cost beside an area",
    )
    add(
        "--sizes",
        type=sizes,
        default=sizes("1e3,1e4,1e5,1e6,1e7"),
        metavar="N,N,…",
        help="numbers of items; none for no table; default: 1e3,1e4,1e5,1e6,1e7",
    )
    add("--works", default="", metavar="TEXT", help="only works with this in their names")
    add(
        "--peers",
        type=names,
        default=names("all"),
        metavar="NAME,…",
        help=f"of {', '.join(peers.NAMES)}; all (default) or none; those not installed are left out",
    )
    add("--rounds", type=whole, default=7, help="rounds in which all take turns; default: 7")
    add(
        "--budget",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="after three rounds a peer leaves a cell once it has used so much; default: 5",
    )
    add(
        "--memory",
        type=size,
        nargs="?",
        const=10**8,
        metavar="N",
        help="also measure the peak memory of an AUC of N (10⁸) items, of peers at most 10⁷",
    )
    add(
        "--start",
        type=whole,
        nargs="?",
        const=5,
        metavar="PROCESSES",
        help="also measure the import and the first result in so many (5) fresh processes",
    )
    add(
        "--commands",
        type=whole,
        nargs="?",
        const=5,
        metavar="PROCESSES",
        help="also measure commands on files of millions of rows, each in so many (5) processes",
    )
    add(
        "--check",
        action="store_true",
        help="end with 1 where a target is missed in every round, the best one included",
    )
    add("--record", type=Path, metavar="FILE", help="also write the data of the page of benchmarks")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown")
    form.add_argument("--json", action="store_true", help="print JSON, with every single time")
    return parser  # fmt: skip


def tell(text: str) -> None:
    """Print what is being measured, if standard error is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def compare(options: argparse.Namespace, found: Sequence[Peer]) -> list[Cell]:
    """Measure the cells of the table."""
    cells = []
    with contextlib.ExitStack() as stack:
        both = bool(options.sizes and floor.avx512_features())
        avx2 = stack.enter_context(floor.AVX2Sort()) if both else None
        for n in options.sizes:
            for work in WORKS:
                if options.works in work.name and n <= work.largest:
                    tell(f"{work.name}, {n:,} items")
                    cells.append(measure(work, n, found, avx2, options.rounds, options.budget))
    return cells


def peak_memory(n: int | None, found: Sequence[Peer]) -> list[Growth]:
    """Measure the peak memory of fastarac and of all peers."""
    if n is None:
        return []
    if not memory.available():
        print("this system does not tell the peak memory of a process", file=sys.stderr)
        return []
    growths = []
    for name in [OURS, *(peer.name for peer in found if peer.name in peers.IN_PROCESS)]:
        tell(f"memory of {name}")
        growths.append(memory.growth(name, n if name == OURS else min(n, PEERS_MEMORY)))
    return growths


def start(processes: int | None) -> dict[str, list[float]]:
    """Measure fresh processes."""
    if processes is None:
        return {}
    tell("fresh processes")
    return fresh.start_times(processes)


def whole_commands(processes: int | None) -> dict[str, list[float]]:
    """Measure commands on files."""
    if processes is None:
        return {}
    tell("commands on files")
    return commands.times(processes)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then print."""
    options = parser().parse_args(arguments)
    if options.table:
        print(reads.table([n for n in options.sizes if n >= reads.SMALLEST], options.rounds))
        return
    asked = {name: peers.find(name) for name in options.peers}
    found = [peer for peer in asked.values() if peer]
    facts = machine.facts(found, [name for name, peer in asked.items() if not peer])
    facts["rounds"] = f"{options.rounds}; slow peers fewer, at least 3 where there are so many"
    run = report.Run(
        facts,
        compare(options, found),
        {**start(options.start), **whole_commands(options.commands)},
        peak_memory(options.memory, found),
    )
    tell("")
    if options.record:
        options.record.write_text(report.as_record(run), encoding="utf-8")
    if options.json:
        print(report.as_json(run))
    elif options.markdown:
        print(report.as_markdown(run))
    else:
        try:
            report.print_rich(run)
        except ModuleNotFoundError:
            print(report.as_text(run))
    missed = report.missed_of(run) if options.check else []
    for text in missed:
        print(f"missed: {text}", file=sys.stderr)
    if missed:
        raise SystemExit(1)


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # not every console has ✓ in its own encoding
    main()
