"""How many outputs to verify, as a sentence and a small table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console

from fastarac import operation
from fastarac._core.exceptions import collected
from fastarac._core.text import listed, percent, sentence
from fastarac.answers.tables import Column
from fastarac.cli import _html, _plot
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._files import notes_of_pages, refuse_samples, with_pages
from fastarac.cli._json import answer
from fastarac.cli._options import RefusalError, require_files
from fastarac.cli._policies import labels_of, one_group_of, outputs_of_pilot, refusing
from fastarac.operating_points.points import operating_point

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fastarac.operation.planning import SampleSizes

DEFAULTS = {"failure_probability": 0.05, "power": 0.8, "design_effect": 1.0}
LEVEL = 0.95
SHARES = (0.0, 0.25, 0.5, 0.75)  # of the limit, for which the table has rows
OF_RATES = "; --difference is one of recognition rates"


def run(
    rates: Mapping[str, Any],
    models: Mapping[str, float | None],
    interval: Mapping[str, Any],
    given: Mapping[str, float | None],
    fits: Mapping[str, Any],
    level: float | None,
    delivery: tuple[Path | None, str, Path | None],
) -> None:
    """Plan what the options ask for: exactly one thing."""
    plot, form, report = delivery
    asked = {
        "--error-rate": rates["error_rate"] is not None,
        "--max-risk": fits["max_risk"] is not None,
        "--difference": models["difference"] is not None,
        "--half-width": interval["half_width"] is not None,
    }
    if sum(asked.values()) != 1:
        raise RefusalError(f"exactly one of {', '.join(asked)} is expected")
    limits = ("--error-rate", "--max-risk")
    for name, value, beside in (
        ("--expect", rates["expect"], limits),
        ("--audit", rates["audit"], ("--error-rate",)),
        ("--discordance", models["discordance"], ("--difference",)),
        ("--statistic", interval["statistic"], ("--half-width",)),
        ("--guarantee", given["failure_probability"], limits),
        ("--power", given["power"], (*limits, "--difference")),
        ("--ci", level, ("--half-width", "--difference")),
        ("--pilot", interval["pilot"], (*limits, "--half-width")),
        ("--group", interval["group"], (*limits, "--half-width")),
    ):
        if value is not None and not any(asked[each] for each in beside):
            raise RefusalError(
                f"{name} is for {listed(beside)}{OF_RATES if name == '--statistic' else ''}"
            )
    limited = any(asked[name] for name in limits)
    of_groups = interval["pilot"] or fits["icc"] is not None or fits["group_sizes"]
    of_policy = limited and rates["audit"] is None and bool(asked["--max-risk"] or of_groups)
    for name, value in fits.items():
        if value is not None and name != "max_risk" and not of_policy:
            option = f"--{name.replace('_', '-')}"
            source = "--expect" if name in ("icc", "group_sizes") else "--pilot"
            raise RefusalError(f"{option} is for plans of a policy, by {source}")
    if given["design_effect"] is not None and rates["audit"] is None and not asked["--difference"]:
        raise RefusalError(
            "--design-effect is for --audit and --difference; --pilot, or --expect with --group-sizes "
            "and --icc, plan for groups"
        )
    options = {name: DEFAULTS[name] if value is None else value for name, value in given.items()}
    with_expected = asked["--error-rate"] and rates["expect"] is not None and not of_policy
    for name, file in (("--plot", plot), ("--report", report)):
        if file is not None and not with_expected:
            raise RefusalError(f"{name} is for --error-rate with --expect alone")
    if rates["outputs"] is not None and rates["audit"] is None:
        raise RefusalError("--outputs is for --audit alone")
    require_files(plot, report)
    level = LEVEL if level is None else level
    said: list[str] = []
    if interval["pilot"] is not None:
        refuse_samples([interval["pilot"]], taken=False)
    elif interval["only"] is not None:
        raise RefusalError("--only is for --pilot, which is not given")
    interval, notes = _of_pilot(interval, fits)
    with collected(notes):
        if asked["--difference"]:
            plan = _comparison(models, options, level)
        elif asked["--half-width"]:
            if interval["pilot"] is None:
                raise RefusalError("--pilot is expected beside --half-width")
            plan = _interval(interval, level)
        elif of_policy:
            plan = _policy(rates, interval, options, fits, notes)
        elif (rates["expect"] is None) == (rates["audit"] is None):
            raise RefusalError(
                "exactly one of --expect, --audit and --pilot is expected beside --error-rate"
            )
        elif rates["audit"] is not None:
            effect, said = _with_design_effect(rates, interval, given, options)
            plan = _audits(rates, {**options, "design_effect": effect})
        elif interval["group"] is not None:
            raise RefusalError("--group is a column of --pilot, which is not given")
        else:
            plan = _guarantee(rates["error_rate"], rates["expect"], options, plot, report)
    rows = plan.figures.get("rates", ())
    answer(
        form,
        "plan",
        {"plan": plan.figures},
        [*said, *plan.said],
        notes,
        title="expected\nerror rate",
        names=[percent(row["expected_error_rate"], 4) for row in rows],
        columns=[
            Column("first\npower at", [f"{row['first']:,}" for row in rows]),
            Column("always\nfrom", [f"{row['stable']:,}" for row in rows]),
        ],
    )


def _of_pilot(
    interval: Mapping[str, Any], fits: Mapping[str, Any]
) -> tuple[Mapping[str, Any], list[str]]:
    """Return what is said of a pilot, with its pages as groups where `fit` takes them, and notes."""
    pilot = interval["pilot"]
    if pilot is None or (fits["max_risk"] is not None and interval["group"] is None):
        return interval, []
    columns, notes = with_pages([pilot], {"group": interval["group"], "by": fits["by"]})
    notes += notes_of_pages([pilot], columns, interval["only"])
    return {**interval, "group": columns["group"]}, notes


class _Answer(NamedTuple):
    """What a plan says, in words, and its figures by their names."""

    said: list[str]
    figures: dict[str, Any]


def _policy(
    rates: Mapping[str, Any],
    interval: Mapping[str, Any],
    options: Mapping[str, float],
    fits: Mapping[str, Any],
    notes: list[str],
) -> _Answer:
    """How many outputs a policy takes, from samples of a pilot or of a stated model."""
    pilot, group = interval["pilot"], interval["group"]
    if (pilot is None) == (rates["expect"] is None):
        raise RefusalError("exactly one of --pilot and --expect is expected for a policy")
    if pilot is None and group is not None:
        raise RefusalError("--group is a column of --pilot, which is not given")
    arrays: dict[str, Any] = {"by": fits["by"]}  # refused where there is no pilot
    with interrupts_end_at_once():
        if pilot is not None:
            columns = {"group": group, "by": fits["by"]}
            outputs = outputs_of_pilot(pilot, interval["only"], columns, notes)
            arrays = {
                "correct": outputs.correct,
                "confidence": outputs.confidence,
                "by": labels_of(outputs.by),
                "groups": one_group_of(outputs),
            }
        found = refusing(
            str(pilot),
            lambda: operation.sample_size_for_policy(
                **arrays,
                max_error_rate=rates["error_rate"],
                max_risk=fits["max_risk"],
                failure_probability=options["failure_probability"],
                max_group_size=fits["max_group_size"],
                method="gamma" if fits["approximate"] else "auto",
                accept=fits["accept"],
                expected_error_rate=rates["expect"],
                icc=fits["icc"],
                group_sizes=fits["group_sizes"],
                power=options["power"],
                progress=Console(stderr=True).is_terminal,
            ),
        )
    given: dict[str, Any] = {} if pilot is None else {"pilot": str(pilot)}
    return _Answer([sentence(found)], {"for": "policy", **given, **found.to_dict()})


def _with_design_effect(
    rates: Mapping[str, Any],
    interval: Mapping[str, Any],
    given: Mapping[str, float | None],
    options: Mapping[str, float],
) -> tuple[float, list[str]]:
    """By how much groups raise the variance of audits, and what a pilot says of it, in words."""
    pilot, group = interval["pilot"], interval["group"]
    if (pilot is None) != (group is None):
        raise RefusalError("--pilot and --group are expected together beside --audit")
    if pilot is None:
        return options["design_effect"], []
    if given["design_effect"] is not None:
        raise RefusalError("--design-effect is for plans without --pilot")
    with interrupts_end_at_once():
        outputs = outputs_of_pilot(pilot, interval["only"], {"group": group})
        pair = (outputs.correct, outputs.confidence)
        limit = rates["error_rate"]
        point = refusing("", lambda: operating_point(*pair, max_error_rate=limit))
        codes: Any = one_group_of(outputs)
        found: float = operation.design_effect(*pair, groups=codes, threshold=point.threshold)
    group = group if isinstance(group, str) else " and ".join(group)
    said = (
        f"The {group}s of {pilot.name} raise the variance of the error rate to {found:.2f} times that "
        f"of independent outputs, at the threshold of {percent(limit)} there."
    )
    return found, [said]


def _guarantee(
    limit: float,
    expected: Any,
    options: Mapping[str, float],
    plot: Path | None,
    report: Path | None,
) -> _Answer:
    asked = {name: options[name] for name in ("failure_probability", "power")}

    def sizes(rate: float) -> SampleSizes:
        found: SampleSizes = refusing(
            "", lambda: operation.sample_size_for_guarantee(limit, rate, **asked)
        )
        return found

    found = sizes(expected)
    sure = percent(1.0 - options["failure_probability"])
    power = percent(options["power"])
    between = ""
    if found.first != found.stable:
        between = f" ({found.first:,} may do; between the two not every number does)"
    advice = (
        f"Verify {found.stable:,} outputs drawn at random{between}: if {percent(expected)} of "
        f"them are undetected errors at the threshold, a limit of {percent(limit)} is then "
        f"guaranteed with {sure} confidence in "
        f"{power} of the cases. Fewer than {found.least:,} cannot guarantee it, however good they are."
    )
    rates = sorted({*(share * limit for share in SHARES), expected})
    rows = [{"expected_error_rate": rate} | sizes(rate)._asdict() for rate in rates]
    if plot is not None:
        _draw(limit, expected, options, plot)
    given = {"max_error_rate": limit, "expected_error_rate": expected, **asked}
    refusing(str(report), lambda: _html.save_operation(report, plan=given))
    lines = [advice, *([] if report is None else [_html.WRITTEN.format(path=report)])]
    return _Answer(lines, {"for": "guarantee", **given, **found._asdict(), "rates": rows})


def _draw(limit: float, expected: float, options: Mapping[str, float], plot: Path) -> None:
    from fastarac.displays import PowerDisplay

    display = refusing(
        str(plot),
        lambda: PowerDisplay.from_rates(
            limit,
            expected,
            failure_probability=options["failure_probability"],
            power=options["power"],
        ),
    )
    refusing(str(plot), lambda: _plot.write(display.figure_, plot))


def _audits(rates: Mapping[str, Any], options: Mapping[str, float]) -> _Answer:
    limit, actual, outputs = rates["error_rate"], rates["audit"], rates["outputs"]
    found = refusing("", lambda: operation.audit_plan(limit, actual, n_outputs=outputs, **options))
    share = "" if outputs is None else f" ({percent(found.audit_probability, 3)} of {outputs:,})"
    said = (
        f"Audit {found.stable:,} outputs drawn at random{share}: an error rate of {percent(actual)} is "
        f"then seen to be above {percent(limit)} in {percent(options['power'])} of the cases, with a "
        f"false alarm in at most {percent(options['failure_probability'])}."
    )
    given = {"max_error_rate": limit, "actual_error_rate": actual, "n_outputs": outputs, **options}
    return _Answer([said], {"for": "audits", **given, **found._asdict()})


def _comparison(models: Mapping[str, Any], options: Mapping[str, float], level: float) -> _Answer:
    difference, discordance = models["difference"], models["discordance"]
    if discordance is None:
        raise RefusalError("--discordance is expected beside --difference")
    given = {"confidence_level": level, **{of: options[of] for of in ("power", "design_effect")}}
    n = refusing("", lambda: operation.sample_size_for_comparison(difference, discordance, **given))
    share = 100 * difference
    points = f"{share:.4g} percentage point{'' if share == 1 else 's'}"
    said = (
        f"Verify {n:,} outputs that both models read: recognition rates that are {points} apart, where "
        f"one model alone is right on {percent(discordance)} of the outputs, are then told apart in "
        f"{percent(options['power'])} of the cases."
    )
    rates = {"difference": difference, "discordance": discordance}
    return _Answer([said], {"for": "comparison", **rates, **given, "n": n})


def _interval(interval: Mapping[str, Any], level: float) -> _Answer:
    pilot, width = interval["pilot"], interval["half_width"]
    statistic = interval["statistic"] or "arac_auc"
    with interrupts_end_at_once():
        outputs = outputs_of_pilot(pilot, interval["only"], {"group": interval["group"]})
        groups = one_group_of(outputs)
        n = refusing(
            str(pilot),
            lambda: operation.sample_size_for_interval(
                outputs.correct,
                outputs.confidence,
                statistic=statistic,
                half_width=width,
                confidence_level=level,
                groups=groups,
            ),
        )
    said = (
        f"Verify {n:,} outputs: the {percent(level)} confidence interval of {statistic} is "
        f"then about {width:g} wide on either side."
    )
    given = {"statistic": statistic, "half_width": width, "confidence_level": level}
    return _Answer([said], {"for": "interval", "pilot": str(pilot), **given, "n": n})
