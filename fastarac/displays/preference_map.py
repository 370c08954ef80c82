"""A map of the cheapest model for each pair of cost ratios."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.costs.preferences import PreferenceMap, preference_map
from fastarac.displays._base import Display
from fastarac.displays._style import COLORS, shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.patches import Patch
    from matplotlib.text import Text
    from numpy.typing import ArrayLike, NDArray

    from fastarac.models import Models
    from fastarac.reviewer import Reviewer

    FloatArray = NDArray[np.float64]

PALEST = 0.25  # colour strength where two models cost the same; 1 is the full colour
CLEAR_MARGIN = 0.9  # quantile of the differences in cost from which colours have full strength
TITLE = "The cheapest model; pale where another costs nearly as little"
# Least width of a region with a name in it, as a share of the grid's shorter side.
ROOM_FOR_A_NAME = 0.14


@dataclass(eq=False, repr=False)
class PreferenceMapDisplay(Display):
    """Map of the cheapest model by colour, paler where another model costs nearly as little.

    ``from_models`` creates and draws it.

    Parameters
    ----------
    preferences : PreferenceMap
        The result of :func:`.preference_map`.
    name : str, optional
        The title, above the explanation of the colours.

    Attributes
    ----------
    mesh_ : matplotlib QuadMesh
        The grid of colours, with one cell for each pair of ratios.
    labels_ : dict of str to matplotlib Text
        The names written inside regions that are large enough.
    ax_, figure_ : matplotlib Axes and Figure
        The axes with the map, and their figure.

    See Also
    --------
    preference_map : Computes the map.

    Notes
    -----
    An axis whose ratios grow by a constant factor is logarithmic. Models whose regions are too small
    for a name are in the legend. With more than eight models, some models share a colour and are
    distinguished by their names.

    Examples
    --------
    >>> import fastarac as fa
    >>> import numpy as np
    >>> from fastarac.datasets import load_digits_ocr
    >>> display = fa.displays.PreferenceMapDisplay.from_models(
    ...     load_digits_ocr(), gammas=np.geomspace(0.01, 1, 40), deltas=np.geomspace(0.1, 1000, 40)
    ... )
    >>> display.ax_.get_xscale()
    'log'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    preferences: PreferenceMap

    mesh_: QuadMesh = field(init=False)
    labels_: dict[str, Text] = field(init=False)
    _without_room: list[Patch] = field(init=False)

    _labels = (
        "γ: cost of verifying an output / cost of correcting it",
        "δ: (cost of an error / cost of correcting it) − 1",
    )

    @classmethod
    def from_models(
        cls,
        models: Models,
        *,
        gammas: ArrayLike,
        deltas: ArrayLike,
        reviewer: Reviewer | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw the map.

        Parameters
        ----------
        models, gammas, deltas, reviewer
            As for :func:`.preference_map`.
        name, ax : str and matplotlib Axes, optional
            The title, and the axes; by default a new figure.
        **options
            Keywords of :meth:`.plot`. `curve_kwargs` go to matplotlib's ``pcolormesh``; there is no
            chance level.

        Returns
        -------
        display : PreferenceMapDisplay
        """
        found = preference_map(models, gammas=gammas, deltas=deltas, reviewer=reviewer)
        return cls(found, name=name).plot(ax, **options)

    def _cycle(self) -> dict[str, Any]:
        return {}

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        raise ValueError("plot_chance_level must be False, because a map has no chance level")

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        from matplotlib.colors import to_rgb

        ax, found = self.ax_, self.preferences
        palette = np.array([to_rgb(COLORS[i % len(COLORS)]) for i in range(len(found.names))])
        strength = self._strength()[..., None]
        colors = 1.0 - strength * (1.0 - palette[found.best])
        x_edges, x_scale = _edges(found.gammas)
        y_edges, y_scale = _edges(found.deltas)
        plain: dict[str, Any] = {"shading": "flat", "rasterized": True}
        self.mesh_ = ax.pcolormesh(x_edges, y_edges, colors.swapaxes(0, 1), **plain | style)
        ax.set(xscale=x_scale, yscale=y_scale, xlim=(x_edges[0], x_edges[-1]))
        ax.set_ylim(ylim if isinstance(ylim, tuple) else (y_edges[0], y_edges[-1]))
        ax.set_title("\n".join([*label.values(), TITLE]))
        self._name_regions(palette)

    def _strength(self) -> FloatArray:
        """Return the colour strength of each cell, low where another model is nearly as cheap."""
        margin = self.preferences.margin
        clear = np.quantile(margin, CLEAR_MARGIN) if np.isfinite(margin).all() else 0.0
        if clear <= 0:
            return np.ones(margin.shape)
        return PALEST + (1 - PALEST) * np.sqrt(np.minimum(margin / clear, 1.0))

    def _name_regions(self, palette: FloatArray) -> None:
        from matplotlib.patches import Patch
        from matplotlib.patheffects import withStroke

        found = self.preferences
        self.labels_ = {}
        without_room: list[Patch] = []
        for index, name in enumerate(found.names):
            region = found.best == index
            if not region.any():
                continue
            shown = shown_name(name)
            (row, column), reach = _middle(region)
            if 2 * reach + 1 < ROOM_FOR_A_NAME * min(region.shape):
                without_room.append(Patch(color=tuple(palette[index]), label=shown))
                continue
            self.labels_[name] = self.ax_.text(
                found.gammas[row],
                found.deltas[column],
                shown.strip(),
                ha="center",
                va="center",
                color="black",
                path_effects=[withStroke(linewidth=3, foreground="white")],
            )
        self._without_room = without_room

    def _draw_legend(self) -> None:
        if self._without_room:
            self.ax_.legend(handles=self._without_room, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _edges(ratios: FloatArray) -> tuple[FloatArray, str]:
    """Return the edges of cells around increasing ratios, and the axis scale "log" or "linear"."""
    if len(ratios) == 1:
        return np.array([ratios[0] - 0.5, ratios[0] + 0.5]), "linear"
    factors = ratios[1:] / ratios[:-1] if ratios[0] > 0 else np.zeros(1)
    if len(ratios) > 2 and np.allclose(factors, factors[0], rtol=1e-6) and factors[0] > 0:
        logarithms = _edges_between(np.log(ratios))
        return np.exp(logarithms), "log"
    return _edges_between(ratios), "linear"


def _edges_between(values: FloatArray) -> FloatArray:
    middles = (values[1:] + values[:-1]) / 2
    first, last = 2 * values[0] - middles[0], 2 * values[-1] - middles[-1]
    return np.concatenate([[first], middles, [last]])


def _middle(region: NDArray[np.bool_]) -> tuple[tuple[int, int], int]:
    """Return the cell farthest from the edge of a region, and that distance in cells."""
    inner, reach = region, 0
    while True:
        padded = np.pad(inner, 1)
        eroded = inner & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
        if not eroded.any():
            break
        inner, reach = eroded, reach + 1
    cells = np.argwhere(inner)
    nearest = np.abs(cells - cells.mean(axis=0)).sum(axis=1).argmin()
    row, column = cells[nearest].tolist()
    return (row, column), reach
