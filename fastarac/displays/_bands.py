"""Bands around the curves of displays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from fastarac.uncertainty.bands import ConfidenceBand

OPACITY = 0.2
MARGIN = 0.04  # of the range of the vertical axis
ENOUGH_ACCEPTED = 0.01  # from here on the vertical axis shows the band


class BandedDisplay:
    """A curve that can be drawn with its band."""

    _band_of: ClassVar[str]

    ax_: Axes
    line_: Line2D
    band_: PolyCollection

    def plot_band(self, band: ConfidenceBand, **kwargs: Any) -> Self:
        """Draw a bootstrap band around the curve, which has been drawn.

        The vertical axis is made longer where the band would leave it (from an acceptance rate of 1 %
        on).

        Parameters
        ----------
        band : ConfidenceBand
            Of :func:`.bootstrap_band`, for the same curve.
        **kwargs : dict
            Passed on to matplotlib's ``fill_between``.

        Returns
        -------
        display
            The display itself; the band is its `band_`.

        Raises
        ------
        ValueError
            Where the band is one of another curve.
        AttributeError
            Where the curve has not been drawn.
        """
        if band.curve != self._band_of:
            message = (
                f"band is of the curve {band.curve!r}; one of {self._band_of!r} is expected for "
                f"{type(self).__name__}"
            )
            raise ValueError(message)
        style = {
            "color": self.line_.get_color(),
            "alpha": OPACITY,
            "linewidth": 0,
            "zorder": self.line_.get_zorder() - 0.5,
        }
        before = self.ax_.get_ylim()
        self.band_ = self.ax_.fill_between(band.x, band.low, band.high, **(style | kwargs))
        shown = band.x >= ENOUGH_ACCEPTED
        margin = MARGIN * (before[1] - before[0])
        low = np.nanmin(band.low[shown], initial=before[0] + margin)
        high = np.nanmax(band.high[shown], initial=before[1] - margin)
        self.ax_.set_ylim(min(before[0], low - margin), max(before[1], high + margin))
        return self
