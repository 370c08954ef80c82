"""Results of the test runs, for the documentation's page on what to rely on.

``FASTARAC_RESULTS=folder .ci/run`` leaves the results of its tests in a folder; ``python -m bench.trust
folder`` counts them and writes docs/_data/runs.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "_data"


def outcomes(path: Path) -> list[ET.Element]:
    """Return the tests of a run that were not skipped; all of them have to have passed."""
    tests = [test for test in ET.parse(path).iter("testcase") if test.find("skipped") is None]
    if any(test.find("failure") is not None or test.find("error") is not None for test in tests):
        message = f"{path}: not all tests passed"
        raise ValueError(message)
    return tests


def notes(tests: list[ET.Element]) -> list[tuple[str, str]]:
    """Return the names and values that tests have noted."""
    properties = (each for test in tests for each in test.iter("property"))
    return [(each.get("name", ""), each.get("value", "")) for each in properties]


def rows(folder: Path) -> list[dict[str, str]]:
    """Return what was run and how much of it passed."""
    compiled, plain = outcomes(folder / "tests.xml"), outcomes(folder / "without_compiler.xml")
    covered = json.loads((folder / "coverage.json").read_text(encoding="utf-8"))["totals"]
    mutants = json.loads((DATA / "mutation.json").read_text(encoding="utf-8"))["files"]
    equivalent = json.loads((ROOT / "bench" / "mutation_equivalent.json").read_text(encoding="utf-8"))
    tried = sum(
        row["tried"] - len(row["survivors"].keys() & equivalent.get(Path(row["file"]).stem, {}).keys())
        for row in mutants
    )
    noticed = sum(row["noticed"] for row in mutants)
    orders = json.loads((DATA / "exhaustive.json").read_text(encoding="utf-8"))["sizes"]
    vectors = json.loads((ROOT / "docs" / "vectors" / "vectors.json").read_text(encoding="utf-8"))
    samples = [int(value) for name, value in notes(compiled) if name == "samples"]
    found: list[tuple[str, str]] = [
        ("tests of the compiled library, with the examples in docstrings", f"{len(compiled):,}"),
        (
            "of these, tests over samples that Hypothesis draws",
            f"{len(samples):,}, with {sum(samples):,} samples",
        ),
        ("tests with the kernels as plain Python", f"{len(plain):,}"),
        (
            "lines of the kernels and of what calls them, reached by these",
            f"{covered['percent_covered']:.1f} %",
        ),
        (
            "tests of scikit-learn's own, over the functions of the same names",
            dict(notes(compiled))["tests of scikit-learn"],
        ),
        ("orders of up to ten items", f"all {sum(row['orders'] for row in orders):,}"),
        (
            "calls on them, compared with fractions, without a difference",
            f"{sum(row['calls'] for row in orders):,}",
        ),
        (
            "changes of the kernels' source that tests notice",
            f"{noticed} of {tried} that change a result",
        ),
        (
            "exact results in the test vectors",
            f"{sum(len(each['cases']) for each in vectors['quantities']):,}",
        ),
    ]
    return [{"what": what, "figure": figure} for what, figure in found]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    content = {"rows": rows(folder)}
    (DATA / "runs.json").write_text(
        json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
