"""The groups of a model's outputs (fields, documents, languages), worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.export import plain
from fastarac._core.text import area, count, few_of, listed, money, printable, share
from fastarac.answers import intervals
from fastarac.answers.costs import UNIT
from fastarac.answers.limits import header
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.evaluation.limits import is_given, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.answers.models import Model
    from fastarac.answers.tables import Part
    from fastarac.evaluation.limits import Limit

SHOWN = 20  # maximum number of groups in the printed table; JSON and CSV have all
NAMED = 5  # maximum number of groups that the sentence about a limit names
CHEAPEST = "cheapest"


@dataclass(frozen=True, slots=True)
class Groups:
    """The figures of each group, by increasing ARAC-AUC.

    Attributes
    ----------
    names : list of str
        The names of the groups.
    values : dict of str to ndarray of shape (n_groups,)
        The figures, as :func:`.evaluate_groups` names them. Figures at the cheapest threshold of the
        whole model have names that end in ``/cheapest``.
    """

    names: list[str]
    values: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, model: Model) -> Self:
        """Sort the figures of a model's groups; include costs if there are prices."""
        by, found = model.outputs.by, model.by_group
        if by is None or found is None:
            raise ValueError("the outputs have no groups")
        values = found.values
        # without prices from the user, the cheapest threshold would depend on default prices
        if model.cost_evaluation is None:
            values = {name: value for name, value in values.items() if not name.endswith(CHEAPEST)}
        return cls.ordered([by.names[code] for code in found.groups], values)

    @classmethod
    def ordered(cls, names: Sequence[str], values: Mapping[str, NDArray[Any]]) -> Self:
        """Sort groups by ARAC-AUC; groups with an undefined area come last."""
        order = np.argsort(values["arac_auc"], kind="stable")
        found = {key: column[order] for key, column in values.items()}
        if f"cost/{CHEAPEST}" in found:
            found[f"cost_per_{UNIT}/{CHEAPEST}"] = UNIT * found.pop(f"cost/{CHEAPEST}")
        return cls([names[int(i)] for i in order], found)

    def records(self, model: str) -> list[dict[str, Any]]:
        """Return a flat row per group; undefined figures are None."""
        return [{"model": model, "group": each.pop("name")} | each for each in self.objects()]

    def objects(self) -> list[dict[str, Any]]:
        """Return the name and figures of each group as dictionaries; undefined figures are None."""
        return [
            {"name": name} | {key: plain(column[row]) for key, column in self.values.items()}
            for row, name in enumerate(self.names)
        ]

    def parts(self, model: str, limits: Sequence[Limit]) -> Iterator[Part]:
        """Yield a table of the first `SHOWN` groups, which marks groups that exceed a limit."""
        found = len(self.names)
        title = f"{found} groups, worst first (by ARAC-AUC)"
        if found > SHOWN:
            title = f"The worst {SHOWN} of {found} groups (by ARAC-AUC)"
        yield Said(f"{title}{model}", "bold")
        yield AnswerTable(self.names[:SHOWN], self._blocks(limits), "group")
        yield from map(Said, self.sentences(limits))

    def _blocks(self, limits: Sequence[Limit]) -> Iterator[list[Column]]:
        yield [
            Column(
                "outputs" if self.values["n"].dtype.kind == "i" else "weight",
                [count(n) for n in self.values["n"][:SHOWN].tolist()],
            ),
            self._share("recog.\nrate", "recognition_rate"),
            self._area("ARAC-\nAUC", "arac_auc"),
            self._area("norm.\nARAC-\nAUC", "normalized_arac_auc"),
            self._area("ROC-\nAUC", "roc_auc"),
        ]
        for limit in limits:
            key = limit.key
            fitted = f"accepted,\nthreshold\nfor {short(limit).removesuffix(' errors')}"
            remaining = (
                "errors\namong the\naccepted"
                if limit.criterion == "max_risk"
                else "errors\nthat\nremain"
            )
            rate = "risk" if limit.criterion == "max_risk" else "error_rate"
            block = [
                self._share(header(limit) if is_given(limit) else fitted, f"acceptance_rate/{key}"),
                self._share(remaining, f"{rate}/{key}", kept=self._kept(limit)),
            ]
            yield block
        cost = self.values.get(f"cost_per_{UNIT}/{CHEAPEST}")
        if cost is not None:
            yield [
                self._share("accepted at\nthe cheapest\nthreshold", f"acceptance_rate/{CHEAPEST}"),
                self._share("errors that\nremain", f"error_rate/{CHEAPEST}"),
                Column(f"cost of\n{UNIT:,}", [money(float(sum_)) for sum_ in cost[:SHOWN]]),
            ]

    def _kept(self, limit: Limit) -> NDArray[Any] | None:
        """Return a mask of the groups whose error rate is within the limit or undefined."""
        kept = self.values.get(f"keeps_limit/{limit.key}")
        return None if kept is None else kept | np.isnan(self.values[f"error_rate/{limit.key}"])

    def _share(self, title: str, name: str, kept: NDArray[Any] | None = None) -> Column:
        cells = [share(float(value)) for value in self.values[name][:SHOWN]]
        broken = None if kept is None else [not keeps for keeps in kept[:SHOWN]]
        return Column(title, cells, below=self._below(name, intervals.of_share), broken=broken)

    def _area(self, title: str, name: str) -> Column:
        cells = [area(float(value)) for value in self.values[name][:SHOWN]]
        return Column(title, cells, below=self._below(name, intervals.of_area))

    def _below(self, name: str, text: Any) -> list[str] | None:
        figure, at, key = name.partition("/")
        ends = [self.values.get(f"{figure}_{end}{at}{key}") for end in ("low", "high")]
        if ends[0] is None or ends[1] is None:
            return None
        return [text(float(low), float(high)) for low, high in zip(*ends, strict=True)][:SHOWN]

    def sentences(self, limits: Sequence[Limit]) -> Iterator[str]:
        """Yield for each limit a sentence on the groups that exceed it."""
        for limit in limits:
            kept = self._kept(limit)
            if kept is None or kept.all():
                continue
            broken = [
                printable(name) for name, keeps in zip(self.names, kept, strict=True) if not keeps
            ]
            which = listed(broken) if len(broken) <= NAMED else few_of(broken, NAMED)
            one = len(broken) == 1
            verb = "breaks" if one else "break"
            sure = ""
            if "n_verified" in self.values:  # unverified outputs: error rates are estimates
                verb = f"{'is' if one else 'are'} estimated to break"
                sure = self._surely_broken(limit)
            yield (
                f"{len(broken)} of {len(self.names)} groups {verb} the limit of {short(limit)} "
                f"(marked !): {which}.{sure}"
            )

    def _surely_broken(self, limit: Limit) -> str:
        """Return a sentence on the groups whose whole confidence interval is above the limit."""
        rate = "risk" if limit.criterion == "max_risk" else "error_rate"
        low = self.values.get(f"{rate}_low/{limit.key}")
        if low is None:
            return " Intervals (--ci) show how certain this is."
        beyond = [
            printable(name) for name, end in zip(self.names, low, strict=True) if end > limit.value
        ]
        if not beyond:
            return " No interval is wholly above the limit, so the limit may hold in every group."
        which = listed(beyond) if len(beyond) <= NAMED else few_of(beyond, NAMED)
        return f" The whole interval is above the limit for {which}."
