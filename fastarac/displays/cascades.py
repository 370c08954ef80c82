"""Pictures of cascades: the shares of each stage, and the cost against a threshold."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import percent
from fastarac.costs.cascade import cost_over_threshold
from fastarac.displays._base import SIDES, Display, level, with_margin
from fastarac.displays._style import MARK, WHOLE, FloatArray, shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

    from fastarac.costs.cascade import Cascade
    from fastarac.costs.stages import Stage
    from fastarac.costs.verification import VerificationCosts
    from fastarac.displays.decimation import Range

WIDTH = 0.38  # width of a bar, where the distance between neighbouring stages is 1
HEADROOM = 1.12  # axis height relative to the highest bar, which has a number above it
ROUNDING = 1e-12  # relative tolerance for comparing an error rate with its limit
PALE = 0.45  # opacity of the cost bars, relative to the other bars


@dataclass(eq=False, repr=False)
class CascadeDisplay(Display):
    """Shares of the items and of the cost by stage of a cascade, created by ``from_cascade``.

    Parameters
    ----------
    stages : sequence of str
        The names of the stages.
    share, cost_share : array_like of shape (k,)
        Share of all items that each stage decides, and share of the total cost that it causes.
    name : str, optional
        The title.

    Attributes
    ----------
    bars_ : tuple of matplotlib BarContainer
        The bars of the items and of the cost.
    ax_, figure_ : matplotlib Axes and Figure
        The axes with the bars, and their figure.

    See Also
    --------
    optimize_cascade : Chooses the thresholds of stages.

    Examples
    --------
    >>> import fastarac as fa
    >>> stages = [
    ...     fa.costs.Stage("machine", 1, correct=[1, 1, 0, 1], confidence=[0.9, 0.8, 0.7, 0.6]),
    ...     fa.costs.Stage("clerk", 20),
    ... ]
    >>> cascade = fa.costs.optimize_cascade(stages, max_error_rate=0)
    >>> display = fa.displays.CascadeDisplay.from_cascade(cascade)
    >>> [float(bar.get_height()) for bar in display.bars_[0]]
    [0.5, 0.5]
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    stages: tuple[str, ...]
    share: FloatArray
    cost_share: FloatArray

    bars_: tuple[BarContainer, BarContainer] = field(init=False)

    _arrays = ("share", "cost_share")
    _labels = ("", "Share of the items, and of the cost")

    @classmethod
    def from_cascade(
        cls, cascade: Cascade, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the stages of a cascade.

        Parameters
        ----------
        cascade : Cascade
            The result of :func:`.optimize_cascade`.
        name : str, optional
            The title.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`. `curve_kwargs` go to matplotlib's ``bar``; there is no chance
            level.

        Returns
        -------
        CascadeDisplay
        """
        costs = np.array(cascade.stage_costs)
        whole = cascade.cost or 1.0
        return cls(cascade.names, np.array(cascade.shares), costs / whole, name=name).plot(
            ax, **options
        )

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        raise ValueError(
            "plot_chance_level must be False, because the bars of stages have no chance level"
        )

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        ax, places = self.ax_, np.arange(len(self.stages))
        style = {key: value for key, value in style.items() if key != "linestyle"}
        named = {"items decided": self.share, "cost": self.cost_share}
        bars = []
        for turn, (what, heights) in enumerate(named.items()):
            opacity = style.get("alpha", 1.0) * (PALE if turn else 1.0)
            own: dict[str, Any] = {"label": what} | style | {"alpha": opacity}
            drawn = ax.bar(places + (turn - 0.5) * WIDTH, heights, WIDTH, **own)
            ax.bar_label(drawn, [percent(height, 3) for height in heights], padding=2, fontsize="small")
            bars.append(drawn)
        self.bars_ = bars[0], bars[1]
        ax.set_xticks(places, [shown_name(each) for each in self.stages])
        highest = max(float(self.share.max()), float(self.cost_share.max()))
        ax.set_ylim(*(ylim if isinstance(ylim, tuple) else (0.0, HEADROOM * highest)))
        if label:
            ax.set_title(label["label"])

    def _draw_legend(self) -> None:
        self.ax_.legend()


@dataclass(eq=False, repr=False)
class CascadeCostDisplay(Display):
    """Cost against one stage's threshold, with all other thresholds fixed; see ``from_stages``.

    Parameters
    ----------
    share, cost : array_like of shape (k,)
        Share of all items that the stage decides, in increasing order, and the cost per item at that
        share.
    within : array_like of shape (k,)
        1 where the error limit is kept, and 0 where it is exceeded; there, the curve is dotted.
    at : tuple of two float
        Share and cost at the threshold of the cascade.
    baseline : float, optional
        Cost per item when the stage decides nothing; the chance level of :meth:`plot`.
    name : str, optional
        The name of the stage, for the legend.

    Attributes
    ----------
    point_ : matplotlib Line2D
        The circle at the threshold of the cascade.
    beyond_ : matplotlib Line2D
        The dotted curve, visible where the limit is exceeded.
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the cost without the stage's decisions.

    See Also
    --------
    optimize_cascade : Chooses the thresholds of stages.

    Examples
    --------
    >>> import fastarac as fa
    >>> stages = [
    ...     fa.costs.Stage("machine", 1, correct=[1, 1, 0, 1], confidence=[0.9, 0.8, 0.7, 0.6]),
    ...     fa.costs.Stage("clerk", 20),
    ... ]
    >>> cascade = fa.costs.optimize_cascade(stages, max_error_rate=0)
    >>> display = fa.displays.CascadeCostDisplay.from_stages(stages, cascade, stage="machine")
    >>> display.cost
    array([21., 16., 11.,  6.,  1.])
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    share: FloatArray
    cost: FloatArray
    within: FloatArray
    _: KW_ONLY
    at: tuple[float, float] | None = None
    baseline: float | None = None

    point_: Line2D = field(init=False)
    beyond_: Line2D = field(init=False)

    _arrays = ("share", "cost", "within")
    _labels = ("Share of the items that the stage decides", "Cost of an item")

    @classmethod
    def from_stages(
        cls,
        stages: Sequence[Stage | Mapping[str, Any]],
        cascade: Cascade,
        *,
        stage: str,
        costs: VerificationCosts | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the cost against the threshold of a stage.

        Parameters
        ----------
        stages : sequence of Stage or dict
            As for :func:`.optimize_cascade`.
        cascade : Cascade
            The thresholds of all stages, and the limit.
        stage : str
            The name of the stage whose threshold varies; it cannot be the last stage.
        costs : VerificationCosts, optional
            As for :func:`.optimize_cascade`.
        name : str, optional
            The legend name; by default the name of the stage.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        CascadeCostDisplay
        """
        found = cost_over_threshold(stages, cascade, stage, costs)
        limit = cascade.max_error_rate
        highest = np.inf if limit is None else limit * (1 + ROUNDING)
        kept = (found.error_rate <= highest).astype(np.float64)
        return cls(
            found.share, found.cost, kept, at=found.at, baseline=float(found.cost[0]),
            name=stage if name is None else name,
        ).plot(ax, **options)  # fmt: skip

    def _view(self) -> tuple[Range, Range]:
        return SIDES, with_margin(0.0, float(self.cost.max()))

    def _vertices(self, _style: dict[str, Any]) -> tuple[FloatArray, FloatArray]:
        return self.share, np.where(self.within > 0, self.cost, np.nan)

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        super()._draw(label, style, ylim)
        dotted: dict[str, Any] = style | {"color": self.line_.get_color(), "linestyle": ":"}
        dotted |= {"marker": "none", "label": "_beyond the limit"}
        (self.beyond_,) = self.ax_.plot(self.share, self.cost, **dotted)
        at = self.at or (float("nan"), float("nan"))
        mark: dict[str, Any] = MARK | {"color": self.line_.get_color(), "label": "_chosen"}
        (self.point_,) = self.ax_.plot(*at, **mark)

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return level("Without its decisions", WHOLE, float(self.baseline or 0.0))
