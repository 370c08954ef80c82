"""The curves of all folds of a cross-validation in one picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np

from fastarac._core.text import rounded, significant
from fastarac.displays._style import canonical, legend_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    Style = Mapping[str, Any]
    Names = str | Sequence[str] | None

OPACITY = 0.5  # opacity of a fold's curve, because the curves overlap


class Fold(Protocol):
    """A display of one fold."""

    name: str | None
    ax_: Axes
    line_: Line2D
    chance_level_: Line2D | None

    @property
    def plot(self) -> Callable[..., Any]: ...

    def _draw_legend(self) -> None: ...


FoldT = TypeVar("FoldT", bound=Fold)


class FoldsDisplay:
    """The curves of the folds of a cross-validation.

    Create and draw it with the method ``from_cv_results`` of a display class such as
    :class:`.ARACDisplay`.

    Parameters
    ----------
    folds : sequence of display
        One display per fold, all of the same class.
    measure : str, default=""
        The name of the area measure in the legend.
    area : sequence of float, default=()
        The area of each fold, for the legend.
    name : str or sequence of str, optional
        The name of the model, for the legend; or one name per fold.

    Attributes
    ----------
    line_ : list of matplotlib Line2D
        The curves.
    chance_level_ : matplotlib Line2D, list of them, or None
        The chance level, or a list of them if the folds have different chance levels.
    ax_ : matplotlib Axes
        The axes with the curves.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    AverageCurveDisplay : Draws the mean curve of the folds with a band.

    Notes
    -----
    All other attributes of single displays, such as `fpr`, `tpr` and `roc_auc` of ROC curves, are lists
    here, with one entry per fold.

    Examples
    --------
    >>> import fastarac as fa
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = cross_validate(
    ...     LogisticRegression(C=0.01), X, y, cv=3, return_estimator=True, return_indices=True
    ... )
    >>> display = fa.displays.ARACDisplay.from_cv_results(found, X, y, name="logistic")
    >>> display.line_[0].get_label()
    'logistic (ARAC-AUC = 0.964 ± 0.0104)'
    >>> len(display.area)
    3
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        folds: Sequence[Fold],
        *,
        measure: str = "",
        area: Sequence[float] = (),
        name: Names = None,
    ) -> None:
        self.folds, self.measure, self.area, self.name = list(folds), measure, list(area), name

    def __repr__(self) -> str:
        name = "" if self.name is None else f" {self.name!r}"
        return f"<{type(self).__name__}{name} of {len(self.folds)} {type(self.folds[0]).__name__}s>"

    def __getattr__(self, name: str) -> Any:
        """Return a list of this attribute, with one entry for each fold's display."""
        if name.startswith("__") or name == "folds":
            raise AttributeError(name)
        if name in ("ax_", "figure_"):
            return getattr(self.folds[0], name)
        found = [getattr(fold, name) for fold in self.folds]
        if name == "chance_level_":
            found = list(dict.fromkeys(found))
            return found[0] if len(found) == 1 else found
        return found

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: Names = None,
        curve_kwargs: Style | Sequence[Style] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        name : str or sequence of str, optional
            The name of the model in the legend, by default the display's own `name`. With a list of
            `curve_kwargs`, it may be a list with one name per fold.
        curve_kwargs : dict or list of dict, optional
            Keywords for the matplotlib function that draws a curve. One dict makes all folds look
            alike, and one legend entry shows the mean and the standard deviation of their areas. With
            one dict per fold, each fold has a legend entry of its own.
        **options
            `plot_chance_level`, `chance_level_kw`, `despine` and `ylim` as for
            :meth:`.RocCurveDisplay.plot`.

        Returns
        -------
        display : FoldsDisplay
        """
        name = self.name if name is None else name
        draw_folds([fold.plot for fold in self.folds], name, curve_kwargs, ax, options)
        name_folds(self, name, curve_kwargs)
        return self


def name_folds(
    display: FoldsDisplay, name: Names, curve_kwargs: Style | Sequence[Style] | None
) -> None:
    """Add one entry to the legend for all folds if they look alike."""
    if not _are_alike(curve_kwargs) or "label" in (curve_kwargs or {}):
        return
    label = legend_name(name if isinstance(name, str) else None, "", None)
    if display.area:
        mean, deviation = rounded(float(np.mean(display.area))), float(np.std(display.area))
        area = f"{display.measure} = {mean} ± {significant(deviation)}"
        label = area if label is None else f"{label} ({area})"
    first = display.folds[0]
    first.line_.set_label(label or "_folds")
    levels = display.chance_level_
    for level in levels if isinstance(levels, list) else ():
        level.set_label("Chance levels" if level is levels[0] else "_level")
    first._draw_legend()  # noqa: SLF001, for all folds


def draw_folds(
    draw: Sequence[Callable[..., FoldT]],
    names: Names,
    curve_kwargs: Style | Sequence[Style] | None,
    ax: Axes | None,
    options: Mapping[str, Any],
) -> list[FoldT]:
    """Draw all folds in the same axes, either all alike or each in its own style."""
    n, alike = len(draw), _are_alike(curve_kwargs)
    styles: list[Any] = [curve_kwargs] * n if alike else list(curve_kwargs or ())
    if len(styles) != n:
        raise ValueError(f"curve_kwargs must have {n} entries, one for each fold, got {len(styles)}")
    if not (names is None or isinstance(names, str)) and (alike or len(names) != n):
        raise ValueError(
            f"name must be a text; with a list of {n} curve_kwargs, it may be a list of {n} names"
        )
    drawn: list[FoldT] = []
    for i, one in enumerate(draw):
        style = canonical(styles[i])
        if alike:
            first = {"label": "_fold", "alpha": OPACITY}
            if drawn:
                line = drawn[0].line_
                first |= {"color": line.get_color(), "linestyle": line.get_linestyle()}
            style = first | (style if not drawn else style | {"label": "_fold"})
        name = names if names is None or isinstance(names, str) else names[i]
        drawn.append(one(ax=ax, name=name, curve_kwargs=style, **options))
        ax = drawn[0].ax_
    return drawn


def _are_alike(curve_kwargs: Style | Sequence[Style] | None) -> bool:
    return curve_kwargs is None or isinstance(curve_kwargs, Mapping)
