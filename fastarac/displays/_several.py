"""Several models in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from fastarac.displays._banded import AcceptanceDisplay
from fastarac.displays._base import ItemDisplay
from fastarac.displays._labels import LABEL, place_labels
from fastarac.displays._style import MOST_NAMES_INSIDE, root_figure
from fastarac.displays.arac import ARACDisplay
from fastarac.displays.rates import PrecisionRecallDisplay
from fastarac.displays.rejection_cost import AccuracyRejectionCostDisplay
from fastarac.models import Models, as_models

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Displays whose chance level depends on the share of correct items.
DEPENDENT = (AcceptanceDisplay, PrecisionRecallDisplay, AccuracyRejectionCostDisplay)

DisplayT = TypeVar("DisplayT", bound=ItemDisplay)


@overload
def draw_curves(
    models: Models, *, display: type[ARACDisplay] = ..., ax: Axes | None = None, **options: Any
) -> dict[str, ARACDisplay]: ...
@overload
def draw_curves(
    models: Models, *, display: type[DisplayT], ax: Axes | None = None, **options: Any
) -> dict[str, DisplayT]: ...
def draw_curves(
    models: Models, *, display: type[ItemDisplay] = ARACDisplay, ax: Axes | None = None, **options: Any
) -> Any:
    """Draw the curves of several models on the same axes, in colours that anyone can tell apart.

    Parameters
    ----------
    models : mapping of str to (correct, confidence), (correct, confidence, ids) or ThresholdSweep
        The models by name, in the order of the legend; what :func:`.compare_models` takes as well.
    display : type, default=ARACDisplay
        The class of the curves.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.
    **options
        What the ``from_sweep`` of that class takes by keyword, such as `max_error_rate` of ARAC curves.
        Chance levels and best orders that differ are drawn in the colours of the curves.

    Returns
    -------
    displays : dict of str to display
        The displays by the names of their models.

    See Also
    --------
    ARACDisplay : ARAC curve
    fastarac.arac_curve : acceptance rate – accuracy after correction curve

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
    differ = len({sweep.recognition_rate for sweep in sweeps.values()}) > 1
    if differ and issubclass(display, DEPENDENT):
        own = {key: "own" for key in ("plot_chance_level", "plot_best_possible") if options.get(key)}
        options |= own
    displays, given = {}, ax
    for name, sweep in sweeps.items():
        displays[name] = display.from_sweep(sweep, name=name, ax=ax, **options)
        ax = displays[name].ax_
    if given is None and ax is not None:
        _make_room(ax)
        if any(text.get_label() == LABEL for text in ax.texts):
            ax.figure.canvas.figure.draw_without_rendering()  # now the axes have their size
            place_labels(ax)
    return displays


def _make_room(ax: Axes) -> None:
    """Make a new figure higher by a legend below the axes, so that these keep their size."""
    legend, figure = ax.get_legend(), root_figure(ax)
    if legend is not None and figure is not None and len(legend.get_texts()) > MOST_NAMES_INSIDE:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + legend.get_window_extent().height / figure.dpi)
