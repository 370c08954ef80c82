"""Which model is best for which ratios of costs, as a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import printable
from fastarac.costs.preferences import PreferenceMap, preference_map
from fastarac.displays._base import COLORS, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Text
    from numpy.typing import ArrayLike, NDArray

    from fastarac.models import Models
    from fastarac.operating.reviewer import Reviewer

    FloatArray = NDArray[np.float64]

PALEST = 0.25  # of a colour where the models are alike; 1 is the colour itself
CLEAR_MARGIN = 0.9  # quantile of the margins from which a colour is full
ROOM_FOR_A_NAME = 0.14  # of the grid's shorter side, across a region


class PreferenceMapDisplay:
    """Preference map visualization: the best model by colour, paler where others are nearly as good.

    Make it with ``from_models``, which draws it as well.

    Parameters
    ----------
    preferences : PreferenceMap
        What :func:`.preference_map` returns.

    Attributes
    ----------
    mesh_ : matplotlib QuadMesh
        The grid of colours, a cell for each pair of ratios.
    labels_ : dict of str to matplotlib Text
        The names in the regions that have room for them.
    ax_ : matplotlib Axes
        The axes with the map.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    preference_map : Computes the map.

    Notes
    -----
    An axis whose ratios grow by a constant factor is logarithmic. Models whose regions have no room
    for a name are in the legend. More than seven models share colours; the names tell them apart.

    Examples
    --------
    >>> import fastarac as fa
    >>> import numpy as np
    >>> from fastarac.datasets import load_digits_ocr
    >>> display = fa.displays.PreferenceMapDisplay.from_models(
    ...     load_digits_ocr(), np.geomspace(0.01, 1, 40), np.geomspace(0.1, 1000, 40)
    ... )
    >>> display.ax_.get_xscale()
    'log'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, preferences: PreferenceMap) -> None:
        self.preferences = preferences

    @classmethod
    def from_models(
        cls,
        models: Models,
        gammas: ArrayLike,
        deltas: ArrayLike,
        *,
        reviewer: Reviewer | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Compute and draw the map.

        Parameters
        ----------
        models : mapping of str to (correct, confidence) or ThresholdSweep
            The models by name.
        gammas : array_like of shape (g,)
            γ = C_R/C_C, at least 0, strictly rising.
        deltas : array_like of shape (d,)
            δ = C_E/C_C − 1, at least -1, strictly rising.
        reviewer : Reviewer, optional
            The people who verify what is rejected; by default they find and correct every error.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **kwargs : dict
            Passed on to matplotlib's ``pcolormesh``.

        Returns
        -------
        display : PreferenceMapDisplay
            The display, drawn.
        """
        return cls(preference_map(models, gammas=gammas, deltas=deltas, reviewer=reviewer)).plot(
            ax, **kwargs
        )

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **kwargs : dict
            Passed on to matplotlib's ``pcolormesh``.

        Returns
        -------
        display : PreferenceMapDisplay
            The display itself.
        """
        ax = self.ax_ = axes_or_new(ax)
        from matplotlib.colors import to_rgb

        self.figure_ = ax.figure
        found = self.preferences
        palette = np.array([to_rgb(COLORS[i % len(COLORS)]) for i in range(len(found.names))])
        strength = self._strength()[..., None]
        colors = 1.0 - strength * (1.0 - palette[found.best])
        x_edges, x_scale = _edges(found.gammas)
        y_edges, y_scale = _edges(found.deltas)
        style: dict[str, Any] = {"shading": "flat", "rasterized": True} | kwargs
        self.mesh_: QuadMesh = ax.pcolormesh(x_edges, y_edges, colors.swapaxes(0, 1), **style)
        ax.set(
            xscale=x_scale,
            yscale=y_scale,
            xlim=(x_edges[0], x_edges[-1]),
            ylim=(y_edges[0], y_edges[-1]),
            xlabel="γ: verifying, over correcting",
            ylabel="δ: an error, over correcting, less 1",
        )
        self._name_regions(palette)
        return self

    def _strength(self) -> FloatArray:
        """How much colour a cell has: little where the runner-up is as good."""
        margin = self.preferences.margin
        clear = np.quantile(margin, CLEAR_MARGIN) if np.isfinite(margin).all() else 0.0
        if clear <= 0:
            return np.ones(margin.shape)
        return PALEST + (1 - PALEST) * np.sqrt(np.minimum(margin / clear, 1.0))

    def _name_regions(self, palette: FloatArray) -> None:
        from matplotlib.patches import Patch
        from matplotlib.patheffects import withStroke

        found = self.preferences
        self.labels_: dict[str, Text] = {}
        without_room = []
        for index, name in enumerate(found.names):
            region = found.best == index
            if not region.any():
                continue
            shown = printable(name).replace("$", r"\$")
            (row, column), reach = _middle(region)
            if 2 * reach + 1 < ROOM_FOR_A_NAME * min(region.shape):
                patch = Patch(color=tuple(palette[index]))
                patch.set_label(f" {shown}" if shown.startswith("_") else shown)
                without_room.append(patch)
                continue
            self.labels_[name] = self.ax_.text(
                found.gammas[row],
                found.deltas[column],
                shown,
                ha="center",
                va="center",
                color="black",
                path_effects=[withStroke(linewidth=3, foreground="white")],
            )
        if without_room:
            self.ax_.legend(handles=without_room, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _edges(ratios: FloatArray) -> tuple[FloatArray, str]:
    """The edges of the cells around rising ratios, and the scale of their axis."""
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
    """A cell of the region that is farthest from its edge, and how many cells that is."""
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
