"""Compare models on the same items for ``fastarac compare``, and print the result."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.console import Console

from fastarac._core.exceptions import collected, unquestioned
from fastarac.answers.compared_models import ComparisonFindings, ComparisonRequest
from fastarac.cli._json import print_models
from fastarac.cli._options import (
    Certainty,
    RefusalError,
    in_words_of_options,
    refused,
)
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.cli._costs import Prices
    from fastarac.cli._options import Delivery
    from fastarac.io import Outputs
    from fastarac.uncertainty.comparison_results import ModelComparison
    from fastarac.uncertainty.paired import Pairing

ORDER = (
    "This assumes that all models have the same items in the same order; --id COLUMN matches items by "
    "their ids."
)
ORDER_AND_TRUTH = (
    "All models seem to have the same items in the same order, because their truths agree; "
    "--id COLUMN matches items by id."
)
BY_IDS = (
    'Column "id" matches the items of all models; --id none takes outputs in the order of the files.'
)
SHARED = "Only shared items are compared"
KEY = re.compile(r"(\w+)/(?:(risk|threshold)/)?([^/:]+)")  # the key of a figure in JSON
# An example of a key for each parameter that a key may contain.
EXAMPLES = {
    "threshold": "{0}/threshold/0.9",
    "max_error_rate": "acceptance_rate/0.01",
    "max_risk": "acceptance_rate/risk/0.01",
}


def request_of(
    statistic: str,
    level: float,
    prices: Prices | None,
    *,
    unseen_pages: bool = False,
) -> ComparisonRequest:
    """Return the options of a comparison, or refuse them."""
    Certainty(level).check()
    request = ComparisonRequest(statistic_of(statistic), level)
    if prices is not None:
        request = replace(request, costs=prices.costs, reviewer=prices.reviewer)
    tiny = {name: ([True, False], [1.0, 0.0]) for name in ("a", "b")}
    with collected([]), refused(ValueError, words=in_words_of_options):
        request.compare(tiny, resamples=2)
    return replace(request, unseen_pages=unseen_pages)


def deliver(
    models: Mapping[str, Outputs],
    request: ComparisonRequest,
    delivery: Delivery,
    *,
    order: str | None = None,
    difference: str | None = None,
    paired: Pairing = "items",
    by: str | None = None,
    notes: Sequence[str] = (),
    command: str = "",
) -> ModelComparison:
    """Compare the models and print the result; `difference` is a note if the models' items differ."""
    progress = Console(stderr=True).is_terminal
    with refused(ValueError, words=in_words_of_options):
        findings = ComparisonFindings.of(models, request, order, paired, by, progress=progress)
    print_findings(findings, delivery, difference=difference, notes=notes, command=command)
    return findings.comparison


def print_findings(
    findings: ComparisonFindings,
    delivery: Delivery,
    *,
    difference: str | None = None,
    notes: Sequence[str] = (),
    command: str = "",
) -> None:
    """Print the result and the suggested command; with JSON or CSV, `notes` also go to stderr."""
    apart = difference and f"{difference}. {SHARED}"
    screen = findings.screen(delivery.page().width, notes, apart)
    told = [apart, *findings.notes, findings.order, *notes]
    print_models(
        delivery,
        "compare",
        replace(screen, command=command),
        list(filter(None, told)),
        models=findings.models,
        rows=findings.records,
        comparisons=findings.comparisons,
    )


def _spelled_out(text: str) -> str:
    """Return "name:parameter=value" for a JSON key such as ``acceptance_rate/0.01``."""
    found = KEY.fullmatch(text)
    if found is None:
        return text
    figure, kind, value = found.groups()
    if kind == "threshold":
        return f"{figure}:threshold={value}"
    if figure != "acceptance_rate":
        raise RefusalError(
            "--statistic must be a name, or a key such as acceptance_rate/0.01 or "
            f"error_rate/threshold/0.9, got {text}"
        )
    limit = "error_rate" if kind is None else kind
    return f"acceptance_at_{limit}:max_{limit}={value}"


def statistic_of(text: str) -> Statistic:
    """Return the statistic for a text such as ``acceptance_rate/0.01`` or ``aurc:estimator=exact``."""
    name, *parameters = _spelled_out(text).split(":")
    if name == "cost":
        raise RefusalError(
            "prices cannot be given in --statistic cost: leave out --statistic and give the prices "
            "with --costs"
        )
    values: dict[str, Any] = {}
    for parameter in parameters:
        key, equals, value = (part.strip() for part in parameter.partition("="))
        if not equals:
            raise RefusalError(
                f"--statistic must have PARAMETER=VALUE after a colon, got {parameter!r}"
            )
        if re.search(r",\s*\w+\s*=", value):
            raise RefusalError(
                f"--statistic must have a colon between parameters, got {parameter!r}: write "
                f"{name}:{parameter.replace(',', ':', 1)}"
            )
        try:
            values[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            values[key] = value
    try:
        with unquestioned():  # the comparison itself notes questionable parameters
            return Statistic(name, **values)
    except (ValueError, TypeError) as error:
        missing = re.search(r"needs (\w+):", str(error))
        if missing is not None:
            example = EXAMPLES.get(missing[1], "{0}:{1}=0.1").format(name, missing[1])
            raise RefusalError(f"--statistic {name} needs {missing[1]}, as in {example}") from None
        if str(error).partition(" ")[0] in values:
            raise RefusalError(f"--statistic {name}: {error}") from None
        raise RefusalError(in_words_of_options(error)) from None
