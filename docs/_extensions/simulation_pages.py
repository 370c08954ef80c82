"""What the simulations of guarantees and of tests found, as tables."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data"
GUARANTEES = DATA / "guarantees.json"  # by python -m bench.simulations.guarantees
TYPE_ONE = DATA / "type_one.json"  # by python -m bench.simulations.type_one
PAIRED_GROUPS = DATA / "paired_groups.json"  # by python -m bench.simulations.paired_groups
PAIRED_POWER = DATA / "paired_power.json"  # by python -m bench.simulations.paired_power
EQUAL_COSTS = DATA / "equal_costs.json"  # by python -m bench.simulations.equal_costs
THRESHOLDS = DATA / "thresholds.json"  # by python -m bench.simulations.thresholds
AUDITS = DATA / "audits.json"  # by python -m bench.simulations.audits
CASCADES = DATA / "cascades.json"  # by python -m bench.simulations.cascades
CASCADE_RISKS = DATA / "cascade_risks.json"  # by python -m bench.simulations.cascade_risks
SEARCHES = DATA / "adaptive_search.json"  # by python -m bench.simulations.adaptive_search
SAMPLING_GOALS = DATA / "sampling_goals.json"  # by python -m bench.simulations.sampling_goals
TRUTH_READERS = DATA / "truth_readers.json"  # by python -m bench.simulations.truth_readers
CROSSED_GROUPS = DATA / "crossed_groups.json"  # by python -m bench.simulations.crossed_groups
WRONG_PAGES = DATA / "wrong_pages.json"  # by python -m bench.simulations.wrong_pages
PART_DIFFERENCES = DATA / "part_differences.json"  # by python -m bench.simulations.part_differences
LEVEL = 0.05
SURELY = 2.0  # standard errors above the level, from which a share is shown bold
FEWEST = 20  # samples of which a share is told
SOME = 5.0  # percent of samples with a warning, from which they are named


def wrong_pages() -> str:
    """Coverage by default, with room, and where a wrong page is shown, by population and statistic."""
    lines = []
    for row in json.loads(WRONG_PAGES.read_text(encoding="utf-8")):
        n, shown = max(row["defined"], 1), row["shown"]
        where = {1.0: "the top", 0.0: "the bottom"}.get(row["place"], f"{100 * row['place']:g}%")
        lines.append([
            f"{100 * row['share']:g}% of {row['pages']} {row['sizes']} pages at {where}",
            f"{100 * row['error_rate']:g}%",
            row["statistic"],
            f"{100 * row['covered'] / n:.1f}",
            f"{100 * row['covered_wide'] / n:.1f}",
            f"{100 * row['covered_shown'] / shown:.1f}" if shown else "–",
            f"{row['width']:.3g}",
            f"{row['width_wide']:.3g}",
        ])  # fmt: skip
    header = ["wrong throughout", "other errors", "statistic", "default", "`unseen_pages`"]
    return markdown([*header, "default, one shown", "width", "with room"], lines)


def rows_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def standard_error(samples: int) -> float:
    """Of a share of samples, if it is the level."""
    return math.sqrt(LEVEL * (1.0 - LEVEL) / samples)


def percent(count: int, samples: int) -> str:
    """Of samples; bold where it is surely above the level."""
    share = count / samples
    text = f"{100 * share:.1f}\N{NO-BREAK SPACE}%"
    return f"**{text}**" if share > LEVEL + SURELY * standard_error(samples) else text


def points(samples: int) -> str:
    """The standard error in percentage points."""
    return f"{100 * standard_error(samples):.1f}"


def truth_readers_table() -> str:
    """Who overlooks what and which rule, with what is accepted and how often the limit is exceeded."""
    rules = "taken as true", "given", "estimated", "estimated, accepted", "given, confirmed"
    kinds = {"max_error_rate": "all", "max_risk": "accepted"}
    rows = [row for row in rows_of(TRUTH_READERS) if row["rule"] in rules and row["criterion"] in kinds]
    sizes = sorted({row["n"] for row in rows})
    head = ["readers", "limit of errors among", "share found is"]
    for n in sizes:
        head += [f"accepted, {n:,}", f"with true answers, {n:,}", f"exceeded, {n:,}"]
    lines = []
    keys = dict.fromkeys((r["case"], r["overlooked"], r["criterion"], r["rule"]) for r in rows)
    for key in keys:
        case, overlooked, criterion, rule = key
        who = f"{case}, {100 * overlooked:g}\N{NO-BREAK SPACE}% overlooked" if overlooked else case
        if case == "constant":
            who = f"{100 * overlooked:g}\N{NO-BREAK SPACE}% overlooked"
        line = [who, kinds[criterion], rule]
        for n in sizes:
            own = [
                r for r in rows
                if (r["case"], r["overlooked"], r["criterion"], r["rule"], r["n"]) == (*key, n)
            ]  # fmt: skip
            line += [
                f"{own[0]['accepted']:.3f}", f"{own[0]['faultless']:.3f}",
                percent(own[0]["happened"], own[0]["samples"]),
            ] if own else ["-", "-", "-"]  # fmt: skip
        lines.append(line)
    return markdown(head, lines)


def sampling_goals_table() -> str:
    """Ways to draw, by population and number of answers: shares accepted, and broken promises."""
    rows = rows_of(SAMPLING_GOALS)
    budgets = sorted({row["budget"] for row in rows})
    head = ["population", "drawn by"]
    for budget in budgets:
        head += [f"accepted, {budget:,}", f"exceeded, {budget:,}"]
    head += ["± points"]
    lines = []
    for population, way in dict.fromkeys((row["population"], row["way"]) for row in rows):
        own = {r["budget"]: r for r in rows if (r["population"], r["way"]) == (population, way)}
        line = [population, way]
        for budget in budgets:
            row = own[budget]
            broken = row["broken_these" if way.startswith("search") else "broken_new"]
            line += [
                f"{row['accepted']:.3f}", percent(round(broken * row["samples"]), row["samples"])
            ]  # fmt: skip
        lines.append([*line, points(row["samples"])])
    return markdown(head, lines)


def guarantee_table(table: str, source: str, unit: str = "items", *, rate: bool = False) -> str:
    """Rules down, sizes across: the share accepted, and of the samples those that exceed the limit."""
    rows = [row for row in rows_of(GUARANTEES) if (row["table"], row["source"]) == (table, source)]
    sizes = list(dict.fromkeys(row["n"] for row in rows))
    lines = []
    for rule in dict.fromkeys(row["rule"] for row in rows):
        of_rule = {row["n"]: row for row in rows if row["rule"] == rule}
        line = [rule]
        for n in sizes:
            row = of_rule[n]
            cells = [f"{row['accepted']:.2f}", percent(row["exceeded"], row["samples"])]
            cells += [f"{100 * row['rate']:.2f}\N{NO-BREAK SPACE}%"] if rate else []
            line.append(", ".join(cells))
        lines.append([*line, points(of_rule[sizes[0]]["samples"])])
    return markdown(["rule", *(f"{n:,} {unit}" for n in sizes), "± points"], lines)


def few_table() -> str:
    """Limits, sources and sizes down, rules across: shares accepted, and samples beyond the limit."""
    limits = {"few": (LEVEL, None), "few, 10 %": (0.1, (100, 300)), "few, 15 %": (0.15, (100, 300))}
    rows = [row for row in rows_of(GUARANTEES) if row["table"] in limits]
    rules = list(dict.fromkeys(row["rule"] for row in rows))
    lines = []
    for table, source, n in dict.fromkeys((row["table"], row["source"], row["n"]) for row in rows):
        limit, sizes = limits[table]
        if sizes is None or n in sizes:
            cell = table, source, n
            own = {r["rule"]: r for r in rows if (r["table"], r["source"], r["n"]) == cell}
            cells = [
                f"{own[rule]['accepted']:.3f}, {percent(own[rule]['exceeded'], own[rule]['samples'])}"
                for rule in rules
            ]
            lines.append([source, f"{100 * limit:g}\N{NO-BREAK SPACE}%", f"{n:,}", *cells])
    return markdown(["source", "limit", "items", *rules], lines)


def with_warnings(row: dict[str, Any], hits: str = "rejected") -> str:
    """Of the samples, those of a kind; where some warn, how many, and of these and of the others."""
    text = percent(row[hits], row["samples"])
    warned = row["warned"]
    if 100 * warned / row["samples"] < SOME:
        return text
    parts = [(row[f"{hits}_warned"], warned)]
    parts.append((row[hits] - row[f"{hits}_warned"], row["samples"] - warned))
    given = " / ".join(f"{100 * k / n:.1f}" if n >= FEWEST else "–" for k, n in parts)
    return f"{text} ⚠{100 * warned / row['samples']:.0f} ({given})"


def type_one_table(*, documents: bool, unequal: bool = False) -> str:
    """Tests down, items across: of the samples, those in which a difference was found, or missed."""
    rows = [
        row
        for row in rows_of(TYPE_ONE)
        if row["documents"] == documents and (row.get("other") is not None) == unequal
    ]

    def place_of(row: dict[str, Any]) -> tuple[float, int, float | None]:
        return row["error_rate"], row["n"], row.get("other")

    places = sorted(set(map(place_of, rows)), key=lambda place: place[0] * place[1])
    lines = []
    for test in dict.fromkeys(row["test"] for row in rows):
        of_test = {place_of(row): row for row in rows if row["test"] == test}
        line = [test]
        line += [with_warnings(of_test[place]) if place in of_test else "" for place in places]
        lines.append([*line, points(next(iter(of_test.values()))["samples"])])
    header = [
        f"{rate * n:.3g} errors of {n:,}"
        if other is None
        else f"{rate * n:.3g} and {other * n:.3g} of {n:,}"
        for rate, n, other in places
    ]
    return markdown(["of" if unequal else "test", *header, "± points"], lines)


def crossed_groups_table(kind: str) -> str:
    """Figures and designs down, columns of groups across: of the samples, those with a hit."""
    rows = [row for row in rows_of(CROSSED_GROUPS) if row["kind"] == kind]
    lines = []
    for design, figure in dict.fromkeys((row["design"], row["figure"]) for row in rows):
        line = [figure, design]
        for row in rows:
            if (row["design"], row["figure"]) == (design, figure):
                text = f"{100 * row['hits'] / row['samples']:.1f}\N{NO-BREAK SPACE}%"
                warned = 100 * row["warned"] / row["samples"]
                line.append(f"{text} ⚠{warned:.0f}" if warned >= SOME else text)
        lines.append(line)
    return markdown(["of", "groups", "by the first", "by the second", "by both"], lines)


def part_differences_table() -> str:
    """Designs and statistics down: told apart in some part, and between parts, by kind of lead."""
    rows = rows_of(PART_DIFFERENCES)
    known = {(row["design"], row["statistic"], row["lead"]): row for row in rows}
    lines = []
    for design, statistic in dict.fromkeys((row["design"], row["statistic"]) for row in rows):
        line = [design, statistic]
        for lead, count in (
            ("equal", "any_part"), ("equal", "between"), ("same lead", "between"),
            ("one part", "any_part"), ("one part", "between"),
        ):  # fmt: skip
            row = known.get((design, statistic, lead))
            line.append("–" if row is None else f"{100 * row[count] / row['samples']:.1f}")
        lines.append(line)
    header = ["equal: in some part", "equal: between parts", "same lead: between parts"]
    header += ["one part worse: in some part", "one part worse: between parts"]
    return markdown(["outputs", "statistic", *header], lines)


def paired_groups_table() -> str:
    """Tests and designs down, pages across: of the samples, those in which a difference was found."""
    rows = rows_of(PAIRED_GROUPS)
    pages = sorted({row["pages"] for row in rows})
    lines = []
    for test in dict.fromkeys(row["test"] for row in rows):
        for design in dict.fromkeys(row["design"] for row in rows):
            line = [test, design]
            for number in pages:
                key = (test, design, number)
                row = next((r for r in rows if (r["test"], r["design"], r["pages"]) == key), None)
                if row is None:
                    line.append("–")
                    continue
                line.append(with_warnings(row))
            lines.append(line)
    header = [f"{number} pages" for number in pages]
    return markdown(["of", "pages are", *header], lines)


def paired_power_table() -> str:
    """Tests and designs down, differences across: found by the test, and by two others of its error."""
    rows = rows_of(PAIRED_POWER)
    shares = sorted({row["spoiled"] for row in rows})
    lines = []
    for test, design in dict.fromkeys((row["test"], row["design"]) for row in rows):
        line = [test, design]
        for share in shares:
            key = (test, design, share)
            row = next((r for r in rows if (r["test"], r["design"], r["spoiled"]) == key), None)
            if row is None:
                line.append("–")
                continue
            counts = (row["rejected"], row["by_pages"], row["known"])
            line.append(" / ".join(f"{100 * count / row['samples']:.0f}" for count in counts))
        lines.append(line)
    header = [f"{100 * share:g}\N{NO-BREAK SPACE}% spoiled" for share in shares]
    return markdown(["of", "pages are", *header], lines)


def equal_costs_table() -> str:
    """Laws and prices down, items across: of the samples, those in which a difference was found."""
    rows = rows_of(EQUAL_COSTS)
    sizes = sorted({(row["n"], row["errors"]) for row in rows})
    lines = []
    for law, price, shared in dict.fromkeys((r["law"], r["price"], r["shared"]) for r in rows):
        of_law = {
            (row["n"], row["errors"]): row
            for row in rows
            if (row["law"], row["price"], row["shared"]) == (law, price, shared)
        }
        line = [law, f"{price:g}" if shared else f"{price:g}, independent"]
        lines.append(line + [with_warnings(of_law[size]) if size in of_law else "–" for size in sizes])
    header = [f"{errors:g} of {n:,}" for n, errors in sizes]
    return markdown(["errors", "price", *header], lines)


def thresholds_table() -> str:
    """Ways to choose and numbers of items down: how often the interval covers, and both metrics."""
    lines = [
        [
            row["chosen_by"],
            f"{row['n']:,}",
            f"{100 * row['covered'] / row['samples']:.1f}",
            *(f"{row[name]:.3f}" for name in ("deviation", "bootstrap_deviation")),
            *(f"{row[name]:.4f}" for name in ("apparent", "out_of_bag", "true")),
        ]
        for row in rows_of(THRESHOLDS)
    ]
    header = ["chosen by", "items", "interval contains the best, %", "SD over samples"]
    return markdown(
        [*header, "SD by resamples", "metric on its items", "out of bag", "in the population"], lines
    )


def audits_of(table: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Rows of a table, by case and rule."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows_of(AUDITS):
        if row["table"] == table:
            found.setdefault(row["case"], {})[row["rule"]] = row
    return found


def audited_guarantees_table() -> str:
    """Shares of uniform audits down, rules across: what is accepted, and how often the limit breaks."""
    cases = audits_of("guarantees")
    rules = list(dict.fromkeys(rule for case in cases.values() for rule in case))
    lines = [
        [
            f"{100 * float(share):g}\N{NO-BREAK SPACE}%",
            *(
                f"{case[rule]['figure']:.2f}, {percent(case[rule]['happened'], case[rule]['samples'])}"
                if rule in case
                else "–"
                for rule in rules
            ),
        ]
        for share, case in cases.items()
    ]
    return markdown(["uniform", *rules], lines)


def audited_limits_table() -> str:
    """Populations down, outputs across: wrong proofs at the limit, and proofs at two fifths of it."""
    cases = audits_of("at the limit")
    sizes = list(dict.fromkeys(name.split(", ")[0] for name in cases))
    lines = []
    for kind in dict.fromkeys(name.split(", ")[1] for name in cases):
        rows = [cases.get(f"{size}, {kind}", {}).get("betting") for size in sizes]
        cells = [
            "–" if row is None else f"{percent(row['happened'], row['samples'])}, {row['figure']:.2f}"
            for row in rows
        ]
        lines.append([kind, *cells])
    return markdown(["errors are", *(f"{size} outputs" for size in sizes)], lines)


def audited_estimates_table() -> str:
    """Populations down: how many intervals contain the rate, and their mean width."""
    lines = []
    for name, case in audits_of("estimates").items():
        kind, rate, probabilities = name.split(", ")
        (row,) = case.values()
        covered = f"{100 * row['happened'] / row['samples']:.1f}\N{NO-BREAK SPACE}%"
        errors = f"{row['errors']:.0f}"
        lines.append(
            [f"{100 * float(rate):g} %, {kind}", probabilities, errors, covered, f"{row['figure']:.4f}"]
        )
    return markdown(["errors", "π", "found", "contain the rate", "mean width"], lines)


def audited_needs_table() -> str:
    """Errors that were found down: how many more were asked for, and how often these decided."""
    lines = [
        [name, f"{row['figure']:,.0f}", f"{100 * row['happened'] / row['samples']:.0f} %"]
        for name, case in audits_of("needed").items()
        for row in case.values()
    ]
    return markdown(["errors of a check", "still needed", "decided"], lines)


def cascades_table() -> str:
    """How often the limit is exceeded, with a promise and without, and what people do not see."""
    lines = [
        [
            row["case"],
            f"{row['n']:,}",
            *(f"{100 * row[name] / row['samples']:.1f} %" for name in ("exceeded", "exceeded_without")),
            f"{100 * row['unseen']:.0f} %",
        ]
        for row in rows_of(CASCADES)
    ]
    return markdown(["", "items", "exceeded", "without a promise", "seen by no one"], lines)


def cascade_risks_table() -> str:
    """How often cascades that abstain exceed the limit, and what they accept, by either rule."""
    ways = ("exceeded", "accepted"), ("exceeded_stagewise", "accepted_stagewise")
    lines = [
        [
            row["case"],
            f"{row['n']:,}",
            *(
                f"{100 * share:.1f} %"
                for exceeded, accepted in ways
                for share in (row[exceeded] / row["samples"], row[accepted])
            ),
        ]
        for row in rows_of(CASCADE_RISKS)
    ]
    head = ["", "outputs", "exceeded", "accepted", "exceeded, theirs", "accepted, theirs"]
    return markdown(head, lines)


def searches_table(*, hostile: bool) -> str:
    """Populations down: what searches accept by the number of answers, or how often they failed."""
    rows = [row for row in rows_of(SEARCHES) if row["hostile"] == hostile]
    rows = [row for row in rows if row["failure"] == LEVEL]  # a file of one's own may have another
    lines = []
    for row in rows:
        exceeded = [percent(row[name], row["searches"]) for name in ("exceeded", "exceeded_budgeted")]
        line = [row["population"], f"{100 * row['limit']:g}\N{NO-BREAK SPACE}%", str(row["labels"])]
        if hostile:
            lines.append([*line, f"{row['searches']:,}", *exceeded])
        else:
            even = "" if row["uniform"] is None else f"{100 * row['uniform']:.1f}"
            accepted = [f"{100 * row[name]:.1f}" for name in ("best", "accepted", "budgeted")]
            lines.append([*line, *accepted, even, *exceeded])
    head = ["", "limit", "answers"]
    if hostile:
        return markdown([*head, "searches", "exceeded", "with a budget"], lines)
    columns = "possible", "search", "with a budget", "fixed sample", "exceeded", "with a budget"
    return markdown([*head, *columns], lines)


MAKERS: dict[str, Callable[[], str]] = {
    "coverage_wrong_pages.md": wrong_pages,
    **{
        f"guarantees_{table.replace(' ', '_')}_{source.replace(' ', '_')}.md": partial(
            guarantee_table, table, source, unit, rate=table == "error rate"
        )
        for table, sources, unit in (
            ("risk", ("items", "falling", "flat"), "items"),
            ("others", ("items", "falling", "flat"), "items"),
            ("error rate", ("items",), "items"),
            ("pages", ("pages", "documents 0.05", "documents 0.2", "documents 0.5"), "pages"),
            ("risk of pages", ("pages", "documents 0.2"), "pages"),
            ("giants", ("giants",), "pages"),
            ("approximation", ("unequal", "bursts", "thirds"), "pages"),
            ("approximation of risk", ("unequal", "bursts"), "pages"),
        )
        for source in sources
    },
    "guarantees_few.md": few_table,
    "crossed_groups_intervals.md": partial(crossed_groups_table, "interval"),
    "crossed_groups_tests.md": partial(crossed_groups_table, "test"),
    "type_one_unequal.md": partial(type_one_table, documents=False, unequal=True),
    "type_one.md": partial(type_one_table, documents=False),
    "part_differences.md": part_differences_table,
    "paired_groups.md": paired_groups_table,
    "paired_power.md": paired_power_table,
    "equal_costs.md": equal_costs_table,
    "chosen_thresholds.md": thresholds_table,
    "cascades_promises.md": cascades_table,
    "cascade_risks.md": cascade_risks_table,
    "searches.md": partial(searches_table, hostile=False),
    "searches_at_the_limit.md": partial(searches_table, hostile=True),
    "audits_guarantees.md": audited_guarantees_table,
    "audits_limits.md": audited_limits_table,
    "audits_estimates.md": audited_estimates_table,
    "audits_needed.md": audited_needs_table,
    "truth_readers.md": truth_readers_table,
    "sampling_goals.md": sampling_goals_table,
    "type_one_documents.md": partial(type_one_table, documents=True),
}
