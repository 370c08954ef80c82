"""Try crafted and damaged inputs: ``python -m bench.fuzz --seconds 60``.

Every target is tried for the given time, each in a process of its own. The command prints how many
inputs each was given, and ends with 1 where one failed; it says how to repeat that. ``--record`` writes
docs/_data/fuzz.json, of which the page on what to rely on makes its table.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench.fuzz import running

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "fuzz.json"


def main(arguments: list[str] | None = None) -> int:
    """Run the targets, and return the status to end with."""
    known = running.targets()
    parser = argparse.ArgumentParser(
        prog="python -m bench.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=15.0, help="for each target (15)")
    parser.add_argument("--seed", type=int, default=0, help="of the first attempt (0)")
    parser.add_argument("--attempts", type=int, help="the most of each target")
    parser.add_argument("--target", nargs="+", choices=known, default=known, help="these alone")
    parser.add_argument("--record", action="store_true", help="write docs/_data/fuzz.json")
    given = parser.parse_args(arguments)
    outcomes = []
    for target in given.target:
        outcome = running.run(target, seconds=given.seconds, seed=given.seed, attempts=given.attempts)
        outcomes.append(outcome)
        state = "FAILED" if outcome.failure else "passed"
        print(
            f"{target:<16}{outcome.attempts:>10,} inputs{outcome.seconds:>8.0f} s  {state}", flush=True
        )
        if outcome.failure:
            print(outcome.failure, file=sys.stderr, flush=True)
    if any(outcome.failure for outcome in outcomes):
        return 1
    if given.record:
        rows = [
            {"target": each.target, "about": each.about, "inputs": each.attempts} for each in outcomes
        ]
        content = {"seconds": given.seconds, "seed": given.seed, "targets": rows}
        OUTPUT.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
