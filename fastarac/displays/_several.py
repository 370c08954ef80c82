"""Draw the curves of several models in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from fastarac._core.checks import choice
from fastarac._engine.counts import AcceptedCounts
from fastarac.displays._banded import AcceptanceDisplay, BandedDisplay
from fastarac.displays._base import ItemDisplay
from fastarac.displays._labels import LABEL, place_labels
from fastarac.displays._style import is_below, root_figure
from fastarac.displays.arac import ARACDisplay
from fastarac.displays.rates import PrecisionRecallDisplay
from fastarac.displays.rejection_cost import AccuracyRejectionCostDisplay
from fastarac.models import Models, as_models
from fastarac.uncertainty.bands import bootstrap_band

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from fastarac.uncertainty.bands import ConfidenceBand, Kind


# Displays whose chance level depends on the share of correct items.
DEPENDENT = (AcceptanceDisplay, PrecisionRecallDisplay, AccuracyRejectionCostDisplay)

DisplayT = TypeVar("DisplayT", bound=ItemDisplay)


# fmt: off
@overload
def draw_curves(
    models: Models, *, display: type[ARACDisplay] = ..., ax: Axes | None = None,
    band: bool | Kind = False, band_kw: Mapping[str, Any] | None = None, **options: Any,
) -> dict[str, ARACDisplay]: ...
@overload
def draw_curves(
    models: Models, *, display: type[DisplayT], ax: Axes | None = None,
    band: bool | Kind = False, band_kw: Mapping[str, Any] | None = None, **options: Any,
) -> dict[str, DisplayT]: ...
# fmt: on
def draw_curves(
    models: Models,
    *,
    display: type[ItemDisplay] = ARACDisplay,
    ax: Axes | None = None,
    band: bool | Kind = False,
    band_kw: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Draw the curves of several models on the same axes, in colours for colour-blind readers, too.

    Parameters
    ----------
    models : mapping of str to (correct, confidence), (correct, confidence, ids) or ThresholdSweep
        The models by name, in the order of the legend; the same input as :func:`.compare_models`.
    display : type, default=ARACDisplay
        The class of the curves.
    ax : matplotlib Axes, optional
        The axes to draw on; by default a new figure.
    band : bool, "pointwise" or "simultaneous", default=False
        Whether to draw the :func:`.bootstrap_band` of each curve. A text chooses the kind of band; True
        means "pointwise". The legend names the kind.
    band_kw : dict, optional
        Keywords of :func:`.bootstrap_band`, such as `groups` or `confidence_level`; the default is
        ``{"random_state": 0}``, so that the picture is the same each time.
    **options
        Keywords of the display class's ``from_sweep``, such as `max_error_rate` for ARAC curves. If
        models have different chance levels or best possible curves, each is drawn in its model's
        colour.

    Returns
    -------
    displays : dict of str to display
        The display of each model, by name.

    Raises
    ------
    TypeError
        If `band` is set for a display whose curve cannot have a band.
    ValueError, TypeError
        The errors of :func:`.compare_models` for `models` and, with `band`, of :func:`.bootstrap_band`.

    See Also
    --------
    ARACDisplay : ARAC curve
    fastarac.arac_curve : acceptance rate – accuracy after correction curve
    fastarac.bootstrap_band : band around a curve, from resamples of the items

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> displays = fa.displays.draw_curves(load_digits_ocr(), max_error_rate=(0.01, 0.05))
    >>> displays["svm-rbf"].line_.get_label()
    'svm-rbf (ARAC-AUC = 0.996)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(displays["svm-rbf"].figure_)
    """
    sweeps = as_models(models)
    bands = {} if band is False else _bands_of(models, display, band, band_kw)
    differ = len({sweep.recognition_rate for sweep in sweeps.values()}) > 1
    if differ and issubclass(display, DEPENDENT):
        own = {key: "own" for key in ("plot_chance_level", "plot_best_possible") if options.get(key)}
        options |= own
    displays: dict[str, Any] = {}
    given = ax
    for name, sweep in sweeps.items():
        displays[name] = display.from_sweep(sweep, name=name, ax=ax, **options)
        ax = displays[name].ax_
    for name, found in bands.items():
        displays[name].plot_band(found)
    if given is None and ax is not None:
        finish(ax)
    return displays


def _bands_of(
    models: Models, display: type[ItemDisplay], band: bool | Kind, keywords: Mapping[str, Any] | None
) -> dict[str, ConfidenceBand]:
    kind = "pointwise" if band is True else band
    choice(kind, "band", ("pointwise", "simultaneous"))
    if not issubclass(display, BandedDisplay):
        raise TypeError(
            f"band is {band!r}, but {display.__name__} has no band: only ARACDisplay, ARPDisplay, "
            "GeneralizedRCDisplay, RCDisplay and RocCurveDisplay have one"
        )
    asked: dict[str, Any] = {"random_state": 0, "kind": kind, "curve": display._band_of}  # noqa: SLF001
    bands = {}
    for name, model in models.items():
        items: Any = (model,) if isinstance(model, AcceptedCounts) else model[:2]
        bands[name] = bootstrap_band(*items, **(asked | dict(keywords or {})))
    return bands


def finish(ax: Axes) -> None:
    """Make a new figure higher if its legend is below the axes, then place the labels of marks."""
    legend, figure = ax.get_legend(), root_figure(ax)
    if legend is not None and figure is not None and is_below(legend):
        # The axes keep their size.
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + legend.get_window_extent().height / figure.dpi)
    if any(text.get_label() == LABEL for text in ax.texts):
        # The places of labels depend on the final size of the axes.
        ax.figure.canvas.figure.draw_without_rendering()
        place_labels(ax)
