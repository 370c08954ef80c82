"""The test vectors: inputs and exact results, made from `reference` and never from the library.

``python tests/vectors.py`` writes docs/vectors/vectors.json; a test says whether it is up to date.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import reference as ref

if TYPE_CHECKING:
    from collections.abc import Callable

PATH = Path(__file__).parents[1] / "docs" / "vectors" / "vectors.json"
DIGITS = 30

ABOUT = (
    "Exact results of everything that fastarac computes from outputs (correct, confidence), to test"
    " other implementations with. An output is accepted iff confidence >= threshold; equal "
    "confidences are one threshold, and no result depends on the order of the outputs. TA, FA: "
    "accepted correct and incorrect outputs; FR, TR: rejected ones; n+ = TA + FR, n- = FA + TR, "
    "Omega = n+ + n- (sums of the weights, 1 each where there are none); X = (TA + FA)/Omega, the "
    "acceptance rate; R_E = FA/Omega, the error rate; Y = 1 - R_E, the accuracy after correction; "
    "risk = FA/(TA + FA); precision = TA/(TA + FA); recall = TPR = TA/n+; FPR = FA/n-; beta = "
    "n+/Omega, the recognition rate. The sweep is the list of points (X, Y, ...) from the threshold"
    " inf, where nothing is accepted, down over every distinct confidence. Curves are straight "
    "between neighbouring points of the sweep. A value is a fraction p/q, exactly, and a decimal of"
    " 30 significant digits; a value with a logarithm has no fraction. null is undefined. Numbers "
    "among the inputs and parameters are exact as written."
)

INPUTS: dict[str, dict[str, list[Any]]] = {
    "one": {"correct": [1], "confidence": [0.5]},
    "five": {"correct": [1, 1, 0, 1, 0], "confidence": [0.875, 0.75, 0.75, 0.625, 0.5]},
    "wrong first": {"correct": [0, 0, 1, 1], "confidence": [4, 3, 2, 1]},
    "all correct": {"correct": [1, 1, 1], "confidence": [3, 2, 1]},
    "all incorrect": {"correct": [0, 0, 0], "confidence": [0.25, 0.75, 0.25]},
    "one tie": {"correct": [1, 0, 1, 1], "confidence": [7, 7, 7, 7]},
    "percent": {
        "correct": [1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
        "confidence": [99, 99, 99, 98, 98, 97, 95, 95, 95, 90, 88, 88, 80, 75, 75, 75, 60, 50, 50, 12],
    },
    "weighted": {
        "correct": [1, 0, 1, 1, 0, 1, 0, 1],
        "confidence": [0.875, 0.875, 0.75, 0.625, 0.5, 0.5, 0.25, 0.125],
        "weight": [2, 0.5, 1, 0.25, 3, 1.5, 1, 0],
    },
}
UNWEIGHTED = [name for name, columns in INPUTS.items() if "weight" not in columns]


class Quantity(NamedTuple):
    """One quantity: its definition, fastarac's function, and how the reference computes it."""

    name: str
    definition: str
    function: str
    field: str | None
    compute: Callable[..., Any]
    parameters: tuple[dict[str, Any], ...] = ({},)
    logarithm: bool = False
    weights: bool = True


def rate(name: str, definition: str) -> Quantity:
    """A column of the sweep."""
    return Quantity(
        f"sweep.{name}",
        f"At every point of the sweep: {definition}",
        "threshold_sweep",
        name,
        lambda items: ref.column(
            ref.sweep(items), name.removesuffix("s") if name == "thresholds" else name
        ),
    )


def part(function: str, name: str, definition: str, area: Any, *parameters: dict[str, Any]) -> Quantity:
    """A part of an area under a curve that ends at (1, beta)."""
    return Quantity(
        f"{function}.{name}",
        definition,
        function,
        name,
        lambda items, **keywords: getattr(area(items, **keywords), name),
        parameters or ({},),
    )


GAMMAS = ({"gamma": 1}, {"gamma": 2.5})
SWEEP = [
    rate("thresholds", "the threshold; the first is inf."),
    rate("true_accepts", "TA."),
    rate("false_accepts", "FA."),
    rate("false_rejects", "FR."),
    rate("true_rejects", "TR."),
    rate("acceptance_rate", "X = (TA + FA)/Omega."),
    rate("verification_rate", "1 - X."),
    rate("correction_rate", "TR/Omega."),
    rate("error_rate", "R_E = FA/Omega."),
    rate("accuracy_after_correction", "Y = 1 - FA/Omega."),
    rate("risk", "FA/(TA + FA); the first point repeats the value of the second."),
    rate("precision", "TA/(TA + FA); the first point repeats the value of the second."),
    rate("recall", "TA/n+; undefined where no output is correct."),
    rate("false_positive_rate", "FA/n-; undefined where every output is correct."),
]
ARAC = [
    part(
        "arac_area",
        "auc",
        "Area under Y over X, by trapezoids from (0, 1) to (1, beta).",
        ref.arac_area,
    ),
    part("arac_area", "upper", "A_U = the area under Y over X, minus beta.", ref.arac_area),
    part(
        "arac_area",
        "improved",
        "A' = gamma*A_U/(1 - beta) + beta; gamma + 1 where beta = 1.",
        ref.arac_area,
        *GAMMAS,
    ),
    part("arac_area", "normalized", "A'/(gamma + 1), with A' as above.", ref.arac_area, *GAMMAS),
    Quantity("augrc_loss", "Area under R_E over X, by trapezoids.", "augrc_loss", None, ref.augrc),
    Quantity(
        "roc_auc_score",
        "Share of the pairs of a correct and an incorrect output, by the products of their weights, in "
        "which the correct one has the higher confidence; equal confidences count half. Undefined with "
        "one class only.",
        "roc_auc_score",
        None,
        ref.roc_auc,
    ),
]
ESTIMATORS = {
    "trapezoid": "by trapezoids over the points of the sweep, flat from X = 0 to the first of them",
    "mean": "as the mean over k = 1 ... n of the expected precision of the k most confident outputs, "
    "where outputs of one confidence come in random order; without weights only",
    "exact": "where the outputs of one confidence are accepted in continuous random order: p correct "
    "and q incorrect ones, g = p + q, after T0 correct of N0 accepted ones add "
    "[p + (T0 - p*N0/g)*ln((N0 + g)/N0)]/Omega, and p/Omega where N0 = 0",
}
OPTIMA = {
    "finite": "the same estimator for the same outputs, all correct ones before the incorrect, each "
    "with a confidence of its own",
    "asymptotic": "1 - beta + beta*ln(beta)",
}


BETWEEN = (
    "(A - B)/(1 - beta - B), with A = aurc_loss, {estimator}, and B = {best}. Undefined with one class "
    "only."
)


def over_precision() -> list[Quantity]:
    """Areas over precision and risk, by each estimator."""
    found = []
    for estimator, words in ESTIMATORS.items():
        log, options = estimator == "exact", ({"estimator": estimator},)
        weights = estimator != "mean"
        for name, function, definition in (
            ("arp_auc_score", ref.arp_auc, "Area under the precision over X, "),
            ("aurc_loss", ref.aurc, "1 minus the area under the precision over X, "),
        ):
            found.append(
                Quantity(
                    f"{name}, {estimator}", f"{definition}{words}.", name, None, function, options, log,
                    weights,
                )
            )  # fmt: skip
        for optimum, best in OPTIMA.items():
            both = ({"estimator": estimator, "optimum": optimum},)
            any_log = log or optimum == "asymptotic"
            for name, function, definition in (
                (
                    "excess_aurc_loss",
                    ref.excess_aurc,
                    f"A - B, with A = aurc_loss, {estimator}, and B = {best}.",
                ),
                (
                    "normalized_aurc_loss",
                    ref.normalized_aurc,
                    BETWEEN.format(estimator=estimator, best=best),
                ),
            ):
                found.append(
                    Quantity(
                        f"{name}, {estimator}, {optimum}", definition, name, None, function, both,
                        any_log, weights and any_log,
                    )
                )  # fmt: skip
    return found


def arac_partial(items: Any, acceptance_range: Any = None, max_error_rate: Any = None) -> Fraction:
    if max_error_rate is None:
        return ref.arac_partial_by_acceptance(items, *acceptance_range)
    return ref.arac_partial_by_error_rate(items, max_error_rate)


def roc_partial(items: Any, standardize: str | None = None, **axis: Any) -> Fraction | None:
    [(name, ends)] = axis.items()
    return ref.roc_partial(items, name.removesuffix("_range"), *ends, standardize)


def pr_partial(items: Any, recall_range: Any, **options: Any) -> Fraction | None:
    return ref.pr_partial(items, *recall_range, **options)


PARTIAL = [
    Quantity(
        "arac_partial_auc_score",
        "acceptance_range = [a, b]: the mean of Y over a <= X <= b. max_error_rate = e: the mean over "
        "the allowed error rates from 0 to e of the largest X whose R_E is within them, along the "
        "straight lines of the curve.",
        "arac_partial_auc_score",
        None,
        arac_partial,
        (
            {"acceptance_range": [0, 0.5]},
            {"acceptance_range": [0.25, 0.75]},
            {"max_error_rate": 0.125},
            {"max_error_rate": 1},
        ),
    ),
    Quantity(
        "roc_partial_auc_score",
        "fpr_range = [a, b]: the area under TPR over a <= FPR <= b. tpr_range = [a, b]: the area under "
        "1 - FPR over a <= TPR <= b. Undefined with one class only.",
        "roc_partial_auc_score",
        None,
        roc_partial,
        ({"fpr_range": [0, 0.25]}, {"tpr_range": [0.5, 1]}),
    ),
    Quantity(
        "roc_partial_auc_score, mcclish",
        "(1 + (A - L)/(b - a - L))/2, with A the area over the range [a, b] and L that of the diagonal "
        "FPR = TPR. Undefined with one class only and where A < L.",
        "roc_partial_auc_score",
        None,
        roc_partial,
        (
            {"fpr_range": [0, 0.25], "standardize": "mcclish"},
            {"tpr_range": [0.5, 1], "standardize": "mcclish"},
        ),
    ),
]
INTERPOLATIONS = {
    "davis-goadrich": "with TA and FA growing linearly between neighbouring points of the sweep: p "
    "correct and q incorrect outputs, g = p + q, after T0 correct of N0 accepted ones add "
    "p/(g*n+)*[p + (T0 - p*N0/g)*ln((N0 + g)/N0)], and p*p/(g*n+) where N0 = 0",
    "linear": "by trapezoids over the points of the sweep, the first of them (recall 0, precision 1)",
    "step": "as the sum over the points of the sweep of (gain in recall)*(precision there)",
}


def first(point: Any) -> Any:
    return None if point is None else point[0]


def second(point: Any) -> Any:
    return None if point is None else point[1]


PRECISION_RECALL = [
    *(
        Quantity(
            f"pr_auc_score, {name}",
            f"Area under the precision over the recall, {words}. Undefined where no output is correct.",
            "pr_auc_score",
            None,
            ref.pr_auc,
            ({"interpolation": name},),
            name == "davis-goadrich",
        )
        for name, words in INTERPOLATIONS.items()
    ),
    *(
        Quantity(
            f"pr_partial_auc_score, {name}",
            "recall_range = [a, b]: the area under the precision over a <= recall <= b, by the curve "
            f"of 'pr_auc_score, {name}'. Undefined where no output is correct.",
            "pr_partial_auc_score",
            None,
            pr_partial,
            ({"recall_range": [0.25, 0.75], "interpolation": name},),
            name == "davis-goadrich",
        )
        for name in INTERPOLATIONS
    ),
    Quantity(
        "average_precision_score",
        "The sum over the points of the sweep of (gain in recall)*(precision there); 0 where no output "
        "is correct.",
        "average_precision_score",
        None,
        ref.average_precision,
    ),
    Quantity(
        "interpolated_precision",
        "For each recall level i/(k - 1), i = 0 ... k - 1, the largest precision of the points of the "
        "sweep, without the first, whose recall is at least the level; k = recall_levels. Undefined "
        "where no output is correct.",
        "interpolated_precision",
        None,
        ref.interpolated_precision,
        ({"recall_levels": 11}, {"recall_levels": 5}),
    ),
    Quantity(
        "eleven_point_average_precision",
        "The mean of the interpolated precision at the recall levels 0, 0.1, ..., 1.",
        "eleven_point_average_precision",
        None,
        ref.eleven_point_average_precision,
    ),
    Quantity(
        "break_even_point.value",
        "The precision where TA + FA = n+, with TA and FA growing linearly between neighbouring points "
        "of the sweep. Undefined where no output is correct.",
        "break_even_point",
        "value",
        lambda items: first(ref.break_even_point(items)),
    ),
    Quantity(
        "break_even_point.threshold",
        "The highest threshold at which TA + FA >= n+.",
        "break_even_point",
        "threshold",
        lambda items: second(ref.break_even_point(items)),
    ),
    Quantity(
        "equal_error_rate.rate",
        "The FPR where FPR = 1 - TPR, with TA and FA growing linearly between neighbouring points of "
        "the sweep. Undefined with one class only.",
        "equal_error_rate",
        "rate",
        lambda items: first(ref.equal_error_rate(items)),
    ),
    Quantity(
        "equal_error_rate.threshold",
        "The highest threshold at which FPR >= 1 - TPR.",
        "equal_error_rate",
        "threshold",
        lambda items: second(ref.equal_error_rate(items)),
    ),
]
CHOICES = {
    "max_error_rate": "the last point of the sweep with R_E <= max_error_rate",
    "max_risk": "the last point of the sweep with risk <= max_risk, or the first point, X = 0, where "
    "there is none",
    "min_acceptance_rate": "the first point of the sweep with X >= min_acceptance_rate",
}
PARTS = {
    "max_error_rate": "then as much of the tie that follows as makes R_E = max_error_rate",
    "max_risk": "then, if it is not the first point, as much of the tie that follows as makes risk = "
    "max_risk",
    "min_acceptance_rate": "but of the tie at its threshold only as much as makes X = "
    "min_acceptance_rate",
}
LIMITS = {
    "max_error_rate": (0, 0.0625, 0.125, 0.25, 1),
    "max_risk": (0, 0.125, 0.25, 0.5),
    "min_acceptance_rate": (0, 0.375, 0.5, 1),
}
FIELDS = {
    "threshold": "The threshold at",
    "acceptance_rate": "X at",
    "error_rate": "R_E at",
    "tie_acceptance": "The share that is accepted of the outputs at the threshold of",
}


def field_of_point(items: Any, name: str, **criterion: Any) -> Any:
    return getattr(ref.operating_point(items, **criterion), name)


OPERATING_POINTS = [
    Quantity(
        f"operating_point.{name}, {criterion}{', interpolate' if interpolate else ''}",
        f"{words} {CHOICES[criterion]}{', ' + PARTS[criterion] if interpolate else ''}.",
        "operating_point",
        name,
        partial(field_of_point, name=name),
        tuple({criterion: limit, "interpolate": interpolate} for limit in LIMITS[criterion]),
    )
    for criterion in CHOICES
    for interpolate in (False, True)
    for name, words in FIELDS.items()
]
RATIOS = "gamma = verification/correction, delta = error/correction - 1."
PRICES = {"verification": 1, "correction": 4, "error": 22}


def at_every_point(items: Any, function: Any, **prices: int) -> list[Fraction]:
    return [function(point, **prices) for point in ref.sweep(items)]


def ratios(verification: int, correction: int, error: int) -> tuple[Fraction, Fraction]:
    return Fraction(verification, correction), Fraction(error, correction) - 1


COSTS = [
    Quantity(
        f"VerificationCosts.{name}",
        f"At every point of the sweep, for prices (parameters): {words}",
        "VerificationCosts",
        name,
        partial(at_every_point, function=function),
        (PRICES,),
    )
    for name, words, function in (
        ("cost", "verification*(1 - X) + correction*TR/Omega + error*FA/Omega.", ref.cost),
        (
            "normalized_cost",
            f"-gamma*X - beta + delta*R_E; {RATIOS}",
            lambda point, **prices: ref.normalized_cost(point, *ratios(**prices)),
        ),
        (
            "performance",
            f"gamma*X + beta - delta*R_E; {RATIOS}",
            lambda point, **prices: ref.performance(point, *ratios(**prices)),
        ),
    )
]
QUANTITIES = [*SWEEP, *ARAC, *over_precision(), *PARTIAL, *PRECISION_RECALL, *OPERATING_POINTS, *COSTS]


def written(value: Any, *, logarithm: bool) -> Any:
    """One value as fraction and decimal; a list of them as a list; null where it is undefined."""
    if isinstance(value, list):
        return [written(each, logarithm=logarithm) for each in value]
    if value is None:
        return None
    if isinstance(value, float) and math.isinf(value):
        return {"fraction": "inf", "decimal": "inf"}
    value = ref.exact(value)
    if logarithm and abs(value) < Fraction(1, 10**50):
        value = Fraction(0)  # sums of logarithms that cancel
    with localcontext(prec=DIGITS):
        decimal = str(Decimal(value.numerator) / Decimal(value.denominator))
    irrational = logarithm and value.denominator > 10**20
    return {"decimal": decimal} if irrational else {"fraction": str(value), "decimal": decimal}


def items_of(name: str) -> tuple[ref.Item, ...]:
    columns = INPUTS[name]
    return ref.to_items(columns["correct"], columns["confidence"], columns.get("weight"))


def keyword(values: Any) -> Any:
    return tuple(values) if isinstance(values, list) else values


def entry(quantity: Quantity) -> dict[str, Any]:
    """The definition of a quantity, and its cases."""
    cases = []
    for parameters in quantity.parameters:
        for name in INPUTS if quantity.weights else UNWEIGHTED:
            keywords = {key: keyword(value) for key, value in parameters.items()}
            value = quantity.compute(items_of(name), **keywords)
            result = written(value, logarithm=quantity.logarithm)
            cases.append({"input": name, "parameters": parameters, "result": result})
    return {
        "name": quantity.name,
        "definition": quantity.definition,
        "function": quantity.function,
        "field": quantity.field,
        "cases": cases,
    }


def text() -> str:
    """The file: a case a line, so that a change shows."""
    number = 0
    blocks = []
    for quantity in QUANTITIES:
        head = entry(quantity)
        lines = []
        for case in head.pop("cases"):
            lines.append(json.dumps({"id": number, **case}))
            number += 1
        fields = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        cases = ",\n   ".join(lines)
        blocks.append(",\n".join([*fields, f'  "cases": [\n   {cases}\n  ]']))
    quantities = "\n },\n {\n".join(blocks)
    inputs = ",\n".join(f"  {json.dumps(name)}: {json.dumps(x)}" for name, x in INPUTS.items())
    return (
        f'{{\n "about": {json.dumps(ABOUT)},\n "inputs": {{\n{inputs}\n }},\n'
        f' "quantities": [\n {{\n{quantities}\n }}\n ]\n}}\n'
    )


def main() -> None:
    """Write the file."""
    PATH.write_text(text(), encoding="utf-8")
    print(f"{len(QUANTITIES)} quantities, {sum(len(entry(q)['cases']) for q in QUANTITIES)} cases")


if __name__ == "__main__":
    main()
