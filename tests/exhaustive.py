"""What is computed for every order of n items, by the library and by `reference_orders`.

``python tests/exhaustive.py`` goes through all orders of up to ten items, prints how many they are, and
writes the counts to docs/_data/exhaustive.json; ``python tests/exhaustive.py 9 10`` does so for those
of nine and of ten items. The tests go as far as their time allows.

Up to `EVERYTHING` items, each order goes through every call twice: as counts and as columns. Beyond,
through every function with each estimator and interpolation, by one of the two ways, while the limits,
ranges and prices take turns: an order meets one of them, drawn at random.
"""

from __future__ import annotations

import json
import operator
import sys
import time
import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import reference_orders as ref

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from reference_orders import Array, Orders

DATA = Path(__file__).parents[1] / "docs" / "_data" / "exhaustive.json"
ESTIMATORS = ("trapezoid", "mean", "exact")
GAMMAS = (1.0, 2.5)
EIGHTHS = ((0, 3), (1, 6))
MANY_LIMITS = (0.0, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.375, 0.5, 0.6, 0.75, 1.0)
LIMITS = (0.0, 0.125, 0.2, 0.3, 0.5, 1.0)
ACCEPTANCE = ref.POINT.index("acceptance_rate")
THRESHOLDS = (np.inf, 0.9375, 0.90625, 0.75, -np.inf)
EVERYTHING = 8
NEVER_IN_TURN = ("estimator", "interpolation", "interpolate")
ULPS = 4  # where a logarithm enters
ABSOLUTE = 4e-15  # counts and rates within a tie, which follow a limit that is a double


@dataclass(frozen=True)
class Quantity:
    """One result of the library, and the same of the reference.

    Parameters
    ----------
    name
        The call, as one would write it.
    family
        What it shares with those that it may take turns with.
    call
        From a sweep or (correct, confidence) to a tuple of numbers or of arrays.
    expected
        From all orders of n items to as many arrays: the results of all orders, one after the other.
    ulps
        How many units in the last place the result may be off; 0 for the nearest double.
    scale
        The largest of the terms that the result is a sum of, where their last place is meant.
    absolute
        How far it may be off where it is not measured in such units.
    of_two_classes
        Whether it is an error to ask for it where all items are correct, or all incorrect.
    """

    name: str
    family: str
    call: Callable[..., tuple[Any, ...]]
    expected: Callable[[Orders], tuple[Array, ...]]
    ulps: int = 0
    scale: Callable[[Orders], tuple[Array, ...]] | None = None
    absolute: float = 0.0
    of_two_classes: bool = False

    def values(self, data: Iterable[tuple[Any, ...]]) -> tuple[Array, ...]:
        """Return the library's results for these items, one after the other."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = [self.call(*items) for items in data]
        return tuple(np.hstack(values) for values in zip(*results, strict=True))

    def wrong(self, o: Orders, data: Iterable[tuple[Any, ...]]) -> Iterator[str]:
        """Say where the library is further off than it may be."""
        values, expected = self.values(data), self.expected(o)
        scales = self.scale(o) if self.scale else expected
        for got, wanted, scale in zip(values, expected, scales, strict=True):
            assert got.shape == wanted.shape, self.name
            equal = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
            if self.ulps or self.absolute:
                with np.errstate(invalid="ignore"):
                    off = np.abs(got - wanted)
                    place = np.spacing(np.fmax(np.abs(wanted), np.abs(scale)))
                    equal |= off <= self.ulps * place + self.absolute
            if not equal.all():
                index = np.argmin(equal)
                yield (
                    f"{self.name}, n = {o.n}: {np.sum(~equal)} of {len(got)} values are off, such as "
                    f"{got[index]!r} for {wanted[index]!r}"
                )


def call_of(function: str, *fields: str, **keywords: Any) -> Callable[..., tuple[Any, ...]]:
    """A function of fastarac, and which fields of its result are looked at."""
    compute = getattr(fa, function)
    if not fields:
        return lambda *items: (compute(*items, **keywords),)
    pick = operator.attrgetter(*fields)
    if len(fields) == 1:
        return lambda *items: (pick(compute(*items, **keywords)),)
    return lambda *items: pick(compute(*items, **keywords))


def quantity(
    function: str,
    expected: Callable[[Orders], Any],
    *fields: str,
    keywords: dict[str, Any] | None = None,
    **properties: Any,
) -> Quantity:
    """One function of fastarac with its keywords; the properties are those of `Quantity`."""
    keywords = keywords or {}
    options = ", ".join(f"{key}={value!r}" for key, value in keywords.items())

    def several(o: Orders) -> tuple[Array, ...]:
        values = expected(o)
        return values if isinstance(values, tuple) else (values.ravel(),)

    call = call_of(function, *fields, **keywords)
    fixed = {key: value for key, value in keywords.items() if key in NEVER_IN_TURN}
    family = f"{function} {sorted(keywords)} {fixed}"
    return Quantity(f"{function}({options})", family, call, several, **properties)


# --- Sweep and curves --------------------------------------------------------------------------


def all_thresholds(o: Orders) -> Array:
    return np.broadcast_to(o.threshold(np.arange(o.n + 1)), o.t.shape)


def columns(o: Orders, *rates: str, points: Array | None = None) -> tuple[Array, ...]:
    """Rates, then the thresholds, at the points of all orders."""
    points = o.used if points is None else points
    return (*(ref.RATES[rate](o)[points] for rate in rates), all_thresholds(o)[points])


def sweep(*items: Any) -> fa.ThresholdSweep:
    return items[0] if len(items) == 1 else fa.threshold_sweep(*items)


def sweep_columns() -> Quantity:
    fields = operator.attrgetter(*ref.RATES, "thresholds", "recognition_rate")

    def expected(o: Orders) -> tuple[Array, ...]:
        return (*columns(o, *ref.RATES), ref.quotient(o.p, o.n).ravel())

    return Quantity(
        "threshold_sweep()", "threshold_sweep", lambda *items: fields(sweep(*items)), expected
    )


def curve(name: str, **fields: str) -> Quantity:
    """One of the five curves; the fields are those of the result, with the rates that they are."""
    return quantity(name, lambda o: columns(o, *fields.values()), *fields, "thresholds")


def curves() -> list[Quantity]:
    return [
        curve(
            "arac_curve",
            acceptance_rate="acceptance_rate",
            accuracy_after_correction="accuracy_after_correction",
        ),
        curve("arp_curve", acceptance_rate="acceptance_rate", precision="precision"),
        curve("rc_curve", coverage="acceptance_rate", risk="risk"),
        curve("generalized_rc_curve", coverage="acceptance_rate", error_rate="error_rate"),
        curve("accuracy_rejection_curve", rejection_rate="verification_rate", accuracy="precision"),
    ]


# --- Areas -------------------------------------------------------------------------------------


def areas() -> list[Quantity]:
    """ARAC-AUC, ARP-AUC, AURC, ROC-AUC and all that is made of them."""
    found = [
        quantity("arac_auc_score", lambda o: ref.arac_auc(o).rounded()),
        quantity("augrc_loss", lambda o: ref.augrc(o).rounded()),
        quantity("roc_auc_score", lambda o: ref.roc_auc(o).rounded()),
        *parts_of_area("arac", ref.arac_auc),
    ]
    for estimator in ESTIMATORS:
        precision = partial(ref.precision_area, estimator=estimator)
        ulps = ULPS if estimator == "exact" else 0
        keywords = {"estimator": estimator}
        found += parts_of_area("arp", precision, ulps=ulps, **keywords)
        for function, of_risk in (("arp_auc_score", False), ("aurc_loss", True)):
            found.append(
                quantity(
                    function,
                    lambda o, area=precision, of_risk=of_risk: area(o, of_risk=of_risk).rounded(),
                    keywords=keywords,
                    ulps=ulps,
                )
            )
        found += [excess(estimator, optimum) for optimum in ("finite", "asymptotic")]
        found += [normalized(estimator, optimum) for optimum in ("finite", "asymptotic")]
    return [*found, *partial_areas(), *precision_recall()]


def parts_of_area(
    name: str, area: Callable[[Orders], ref.Ratio], ulps: int = 0, **keywords: str
) -> Iterator[Quantity]:
    """`arac_area` or `arp_area`, and the scalar that is one of its parts."""
    for gamma in GAMMAS:

        def expected(o: Orders, gamma: float = gamma) -> tuple[Array, ...]:
            return ref.decomposed(o, area(o), Fraction(gamma))

        def scale(o: Orders, gamma: float = gamma) -> tuple[Array, ...]:
            """As if nothing of the area cancelled against β."""
            whole, _, beta, *_ = expected(o)
            with np.errstate(divide="ignore"):
                improved = np.where(beta < 1, gamma * whole / (1 - beta), 0) + beta
            return whole, whole, beta, improved, improved / (gamma + 1), beta

        options = {**keywords, "gamma": gamma}
        fields = ("auc", "upper", "lower", "improved", "normalized", "gamma")
        yield quantity(f"{name}_area", expected, *fields, keywords=options, ulps=ulps, scale=scale)
        yield quantity(
            f"normalized_{name}_auc_score",
            lambda o, expected=expected: expected(o)[4],
            keywords=options,
            ulps=ulps,
            scale=lambda o, scale=scale: scale(o)[4:5],
        )


def of_logarithms(estimator: str, optimum: str) -> int:
    return ULPS if estimator == "exact" or optimum == "asymptotic" else 0


def largest_term(o: Orders, estimator: str, optimum: str) -> Array:
    """The largest of the areas whose difference is the excess: AURC, 1 − AURC, AURC at best."""
    aurc = ref.precision_area(o, estimator, of_risk=True).rounded()
    best = ref.best_aurc(o, estimator, optimum).rounded()
    return np.maximum(np.maximum(aurc, 1 - aurc), best)


def excess(estimator: str, optimum: str) -> Quantity:
    return quantity(
        "excess_aurc_loss",
        lambda o: ref.excess_aurc(o, estimator, optimum).rounded(),
        keywords={"estimator": estimator, "optimum": optimum},
        ulps=of_logarithms(estimator, optimum),
        scale=lambda o: (largest_term(o, estimator, optimum),),
    )


def normalized(estimator: str, optimum: str) -> Quantity:
    def scale(o: Orders) -> tuple[Array, ...]:
        room = o.q[:, 0] / o.n - ref.best_aurc(o, estimator, optimum).rounded()
        with np.errstate(divide="ignore", invalid="ignore"):
            return (np.where(room > 0, largest_term(o, estimator, optimum) / room, 0),)

    return quantity(
        "normalized_aurc_loss",
        lambda o: ref.normalized_aurc(o, estimator, optimum).rounded(),
        keywords={"estimator": estimator, "optimum": optimum},
        ulps=of_logarithms(estimator, optimum),
        scale=scale,
    )


def partial_areas() -> Iterator[Quantity]:
    """Areas over a range of the acceptance rate, of the error rate or of a rate of the ROC curve."""
    for low, high in EIGHTHS:
        ends = (low / 8, high / 8)
        over = partial(ref.arac_partial_by_acceptance, low=low, high=high)
        yield quantity("arac_partial_auc_score", over, keywords={"acceptance_range": ends})
        for axis, standardize in product(("fpr", "tpr"), (None, "mcclish")):
            yield quantity(
                "roc_partial_auc_score",
                partial(ref.roc_partial, axis=axis, low=low, high=high, standardize=standardize),
                keywords={f"{axis}_range": ends, "standardize": standardize},
            )
    for limit in (1, 5):
        up_to = partial(ref.arac_partial_by_error_rate, limit=limit)
        yield quantity("arac_partial_auc_score", up_to, keywords={"max_error_rate": limit / 8})
        up_to = partial(ref.roc_partial, axis="fpr", low=0, high=limit, standardize="max_fpr")
        yield quantity("roc_auc_score", up_to, keywords={"max_fpr": limit / 8})


def precision_recall() -> list[Quantity]:
    found = [
        quantity(
            "pr_auc_score",
            lambda o, way=way: ref.pr_auc(o, way),
            keywords={"interpolation": way},
            ulps=ULPS if way == "davis-goadrich" else 0,
        )
        for way in ("davis-goadrich", "linear", "step")
    ]

    def interpolated(o: Orders, steps: int) -> Array:
        values = ref.quotient(ref.interpolated_precision(o, steps), ref.COMMON)
        return np.where(o.p == 0, np.nan, values)

    def eleven_points(o: Orders) -> Array:
        total = ref.interpolated_precision(o, 10).sum(axis=1)
        return np.where(o.p[:, 0] == 0, np.nan, ref.quotient(total, 11 * ref.COMMON))

    return [
        *found,
        quantity("average_precision_score", lambda o: ref.pr_auc(o, "step", undefined=0.0)),
        quantity("interpolated_precision", partial(interpolated, steps=10)),
        quantity(
            "interpolated_precision", partial(interpolated, steps=4), keywords={"recall_levels": 5}
        ),
        quantity("eleven_point_average_precision", eleven_points, ulps=1),
        quantity("break_even_point", ref.break_even_point, "value", "threshold"),
        quantity("equal_error_rate", ref.equal_error_rate, "rate", "threshold"),
    ]


# --- Operating points --------------------------------------------------------------------------


def operating_points() -> list[Quantity]:
    """The four criteria, and the acceptance rate at several limits."""
    criteria = ("max_error_rate", "max_risk", "min_acceptance_rate")
    found = [
        point(criterion, limit, interpolate=interpolate)
        for criterion, limit, interpolate in product(criteria, LIMITS, (False, True))
    ]
    found += [point_at(threshold) for threshold in THRESHOLDS]
    for interpolate in (False, True):
        found.append(
            quantity(
                "acceptance_at_error_rate",
                lambda o, i=interpolate: acceptance_at(o, interpolate=i),
                keywords={"max_error_rate": MANY_LIMITS, "interpolate": interpolate},
                absolute=ABSOLUTE if interpolate else 0.0,
            )
        )
    return found


def chosen(o: Orders, criterion: str, limit: float, *, interpolate: bool) -> tuple[Array, ...]:
    decimal = Fraction(str(limit))
    return ref.operating_point(o, ref.choose(o, criterion, decimal, interpolate=interpolate))


def point(criterion: str, limit: float, *, interpolate: bool) -> Quantity:
    return quantity(
        "operating_point",
        lambda o: chosen(o, criterion, limit, interpolate=interpolate),
        *ref.POINT,
        keywords={criterion: limit, "interpolate": interpolate},
        absolute=ABSOLUTE if interpolate else 0.0,
    )


def point_at(threshold: float) -> Quantity:
    def expected(o: Orders) -> tuple[Array, ...]:
        index = ((all_thresholds(o) >= threshold) & o.used).sum(axis=1) - 1
        index = np.maximum(index, 0)
        rates = ref.operating_point(o, ref.Choice(index, index * 0, index * 0 + 1))
        return (*rates[1:], np.full(len(o.t), threshold))

    return quantity(
        "operating_point", expected, *ref.POINT[1:], "threshold", keywords={"threshold": threshold}
    )


def acceptance_at(o: Orders, *, interpolate: bool) -> Array:
    values = [
        chosen(o, "max_error_rate", limit, interpolate=interpolate)[ACCEPTANCE] for limit in MANY_LIMITS
    ]
    return np.stack(values, axis=1)


# --- Drop-ins ----------------------------------------------------------------------------------


def reversed_points(points: Array) -> tuple[Array, Array]:
    """Indices of the same points in rising order of the threshold, order by order."""
    row, column = np.nonzero(points[:, ::-1])
    return row, points.shape[1] - 1 - column


def drop_ins() -> list[Quantity]:
    found = [matrix_at_thresholds()]
    for drop in (True, False):
        found += [roc(drop=drop), precision_recall_points(drop=drop), det(drop=drop)]
    return found


def roc(*, drop: bool) -> Quantity:
    def expected(o: Orders) -> tuple[Array, ...]:
        points = ref.kept(o, "corners") if drop else o.used
        return columns(o, "false_positive_rate", "recall", points=points)

    return quantity(
        "roc_curve", expected, "fpr", "tpr", "thresholds", keywords={"drop_intermediate": drop}
    )


def precision_recall_points(*, drop: bool) -> Quantity:
    def expected(o: Orders) -> tuple[Array, ...]:
        where = reversed_points(ref.kept(o, "recall") if drop else o.used)
        nothing = where[1] == 0
        precision = np.where(nothing, 1.0, ref.RATES["precision"](o)[where])
        recall = np.where(o.p == 0, 1.0, ref.RATES["recall"](o))[where]
        recall = np.where(nothing, 0.0, recall)
        return precision, recall, all_thresholds(o)[where][~nothing]

    fields = "precision", "recall", "thresholds"
    return quantity("precision_recall_curve", expected, *fields, keywords={"drop_intermediate": drop})


def det(*, drop: bool) -> Quantity:
    def expected(o: Orders) -> tuple[Array, ...]:
        points = ref.kept(o, "misses") if drop else o.used
        # from the lowest threshold without a false positive to the highest at which nothing is missed
        column = np.arange(o.n + 1)
        last = np.where(points & (o.t == o.p), column, o.n + 1).min(axis=1)
        first = np.where(points & (o.f == 0), column, -1).max(axis=1)
        points = points & (column >= first[:, None]) & (column <= last[:, None])
        where = reversed_points(points)
        fnr = ref.quotient(o.p - o.t, o.p)[where]
        return ref.RATES["false_positive_rate"](o)[where], fnr, all_thresholds(o)[where]

    fields = "fpr", "fnr", "thresholds"
    return quantity(
        "det_curve", expected, *fields, keywords={"drop_intermediate": drop}, of_two_classes=True
    )


def matrix_at_thresholds() -> Quantity:
    def expected(o: Orders) -> tuple[Array, ...]:
        points = o.used.copy()
        points[:, 0] = False
        counts = "true_rejects", "false_accepts", "false_rejects", "true_accepts"
        return columns(o, *counts, points=points)

    fields = "tns", "fps", "fns", "tps", "thresholds"
    return quantity("confusion_matrix_at_thresholds", expected, *fields)


def quantities() -> list[Quantity]:
    """All that is computed."""
    return [sweep_columns(), *curves(), *areas(), *operating_points(), *drop_ins()]


# --- Items, and how all are gone through -------------------------------------------------------


def sweeps_of(o: Orders) -> list[tuple[Any, ...]]:
    """A sweep from counts for each order, its ties in an order that changes."""
    data = []
    for row, order in enumerate(o.ties):
        confidence = np.roll(ref.confidences(len(order)), row)
        counts = np.roll(np.array(order), row, axis=0)
        data.append((fa.ThresholdSweep.from_counts(confidence, *counts.T),))
    return data


def columns_of(o: Orders) -> list[tuple[Any, ...]]:
    """Columns (correct, confidence) for each order, the items in an order that changes."""
    data = []
    for row, order in enumerate(o.ties):
        sizes = np.array(order)
        labels = np.tile(np.array([1, 0]), len(order))
        correct = np.roll(np.repeat(labels, sizes.ravel()), row)
        confidence = np.roll(np.repeat(ref.confidences(len(order)), sizes.sum(axis=1)), row)
        data.append((correct, confidence))
    return data


def two_classes(o: Orders) -> Array:
    return np.flatnonzero((o.p * o.q)[:, 0])


def failures(found: Quantity, o: Orders, data: list[tuple[Any, ...]]) -> list[str]:
    """What the library gets wrong, in words; `data` has one entry an order."""
    if found.of_two_classes:
        rows = two_classes(o)
        o, data = o.take(rows), [data[row] for row in rows]
    return list(found.wrong(o, data)) if data else []


class Run(NamedTuple):
    """What was found for the orders of n items."""

    n: int
    orders: int
    calls: int
    messages: list[str]


def run_all(n: int) -> Run:
    """Every order through every call, from counts and from columns."""
    o, todo = ref.orders(n), quantities()
    ways = [sweeps_of(o), columns_of(o)]
    messages = [text for data in ways for each in todo for text in failures(each, o, data)]
    return Run(n, len(o.ties), 2 * len(todo) * len(o.ties), messages)


def run_in_turn(n: int) -> Run:
    """Every order through one call of each family, from counts or from columns."""
    o = ref.orders(n)
    rng = np.random.default_rng(n)
    from_counts = rng.random(len(o.ties)) < 0.5
    ways = zip(from_counts, sweeps_of(o), columns_of(o), strict=True)
    data = [sweep if first else items for first, sweep, items in ways]
    families: dict[str, list[Quantity]] = {}
    for each in quantities():
        families.setdefault(each.family, []).append(each)
    messages = []
    for members in families.values():
        turn = rng.integers(len(members), size=len(o.ties))
        for index, each in enumerate(members):
            rows = np.flatnonzero(turn == index)
            messages += failures(each, o.take(rows), [data[row] for row in rows])
    return Run(n, len(o.ties), len(families) * len(o.ties), messages)


def record(run: Run) -> None:
    """Write the counts of a run to the data of the documentation."""
    found = json.loads(DATA.read_text(encoding="utf-8"))["sizes"] if DATA.exists() else []
    sizes = {row["n"]: row for row in found}
    sizes[run.n] = {"n": run.n, "orders": run.orders, "calls": run.calls}
    result = {
        "everything_up_to": EVERYTHING,
        "calls_of_an_order": len(quantities()),
        "families": len({each.family for each in quantities()}),
        "sizes": [sizes[n] for n in sorted(sizes)],
    }
    DATA.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main(sizes: Iterable[int]) -> int:
    """Go through all orders of these numbers of items; print the counts, and write them."""
    wrong = 0
    for n in sizes:
        begin = time.process_time()
        run = run_all(n) if n <= EVERYTHING else run_in_turn(n)
        for message in run.messages:
            print(message)
        wrong += len(run.messages)
        seconds = time.process_time() - begin
        print(f"n = {n}: {run.orders:,} orders, {run.calls:,} calls, {seconds:.0f} s", flush=True)
        if not run.messages:
            record(run)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main([int(n) for n in sys.argv[1:]] or range(1, ref.LARGEST + 1)))
