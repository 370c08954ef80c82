"""The style of displays: colours, decimated lines, legends and guides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastarac._core.extras import require
from fastarac._core.text import printable, rounded
from fastarac.displays.decimation import Range, corners, decimate, edges_of_columns, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D


FloatArray = NDArray[np.float64]
LegendPlace = Literal["best", "lower left", "lower right", "upper left", "upper right"]

# Okabe and Ito's palette, for people with colour vision deficiency. Violet and brown replace its yellow
# (too pale for a line) and its black (invisible on a dark background).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#785EF0", "#7F5539")
LINE_STYLES = ("-", "--", "-.", ":")
# Grey guides are visible on light and dark backgrounds. The curves are in front of them.
CURVE_ZORDER = 2
GUIDE: dict[str, Any] = {"color": "0.45", "linewidth": 1, "linestyle": "--", "zorder": 1.5}
MARK: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 6.5}
BAND_OPACITY = 0.2

WHOLE = (0.0, 1.0)
MOST_NAMES_INSIDE = 6  # maximum number of entries in a legend inside the axes; longer legends go below
BELOW_LABELS = 4.5  # distance between the axes and a legend below them, in font sizes
ROOM_FOR_LEGEND = 0.85  # maximum width of a legend below the axes, as a share of the figure's width
# Font sizes to try for a legend inside the axes, relative to the default size.
LEGEND_SIZES = (1.0, 0.85, 0.7)
MOST_HEIGHT = 0.6  # maximum height of a legend inside the axes, as a share of the axes' height
# In letters: the shortest line to which names are wrapped, and the width of a legend's line sample.
FEWEST_LETTERS, MARGIN_LETTERS = 12, 6


def axes_or_new(ax: Axes | None, projection: str | None = None) -> Axes:
    """Return `ax`, or the axes of a new pyplot figure."""
    if ax is not None:
        if projection is not None and ax.name != projection:
            raise ValueError(f"ax must have the projection {projection!r}, got {ax.name!r}")
        return ax
    require("matplotlib", "plot")
    from matplotlib import pyplot as plt

    axes: Axes = plt.figure(layout="constrained").add_subplot(projection=projection)
    return axes


def next_style(ax: Axes) -> dict[str, Any]:
    """Return the first combination of colour and line style that no line in the axes has.

    If the user's property cycle (rcParams) sets line styles, take the combinations from this cycle.
    """
    from matplotlib import rcParams
    from matplotlib.colors import to_hex

    used = {(to_hex(line.get_color()).upper(), line.get_linestyle()) for line in ax.lines}
    cycle = [(color, dashes) for dashes, color in product(LINE_STYLES, COLORS)]
    own = rcParams["axes.prop_cycle"]
    if "linestyle" in own.keys:
        cycle = [(to_hex(style.get("color", "black")).upper(), style["linestyle"]) for style in own]
    color, dashes = next((style for style in cycle if style not in used), cycle[0])
    return {"color": color, "linestyle": dashes}


def canonical(kwargs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a line's keywords without matplotlib's abbreviations, such as "c"."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    if not isinstance(kwargs or {}, Mapping):
        expected = "a dictionary such as {'linewidth': 2}"
        raise TypeError(f"keywords for a line must be {expected}, got {kwargs!r:.60}")
    return normalize_kwargs(dict(kwargs or {}), Line2D)


def draw_line(
    ax: Axes, x: FloatArray, y: FloatArray, style: dict[str, Any], xlim: Range, ylim: Range
) -> Line2D:
    """Draw a curve without vertices that make no visible difference in axes with these ranges.

    Keep all vertices if the line has markers, if x is not monotonic, or if a value is not finite.
    `style` must have matplotlib's full keywords.
    """
    if not has_markers(style) and _is_curve(x, y):
        steps = style.pop("drawstyle", "default")
        if steps == "default":
            vertices = decimate(x, y, xlim=xlim, ylim=ylim)
            x, y = x[vertices], y[vertices]
        else:
            x, y = _few_steps(x, y, steps, xlim=xlim, ylim=ylim)
    (line,) = ax.plot(x, y, **style)
    return line


def _few_steps(
    x: FloatArray, y: FloatArray, drawstyle: str, *, xlim: Range, ylim: Range
) -> tuple[FloatArray, FloatArray]:
    """Return the visible vertices of the staircase that matplotlib draws for this `drawstyle`."""
    from matplotlib.cbook import STEP_LOOKUP_MAP

    kept = thin(x, y, edges_of_columns(xlim))
    x, y = np.asarray(STEP_LOOKUP_MAP[drawstyle](x[kept], y[kept]), np.float64)
    if len(x) <= 2:
        return x, y
    vertices = corners(x, y, xlim=xlim, ylim=ylim)
    return x[vertices], y[vertices]


def has_markers(style: dict[str, Any]) -> bool:
    """Return whether a line of this style, without abbreviations, has markers."""
    from matplotlib import rcParams

    return style.get("marker", rcParams["lines.marker"]) not in (None, "None", "none", "", " ")


def _is_curve(x: FloatArray, y: FloatArray) -> bool:
    steps = x[1:] >= x[:-1]
    one_way = steps.all() or (x[1:] <= x[:-1]).all()
    return bool(one_way and np.isfinite(x).all() and np.isfinite(y).all())


def draw_guide(ax: Axes, points: tuple[FloatArray, ...], style: dict[str, Any]) -> Line2D:
    """Draw a guide line if the axes lack it; the legend lists each name once."""
    style = GUIDE | style
    name = style["label"]
    alike = [line for line in ax.lines if str(line.get_label()).removeprefix("_guide ") == name]
    for line in alike:
        same = line.get_linestyle() == style["linestyle"] and line.get_color() == style["color"]
        if same and np.array_equal(line.get_xydata(), np.transpose(points[:2])):
            return line
    style["label"] = f"_guide {name}" if alike else name
    (line,) = ax.plot(*points, **style)
    return line


def draw_marks(
    ax: Axes, line: Line2D, x: Sequence[float], y: Sequence[float], name: str = "_marks"
) -> Line2D:
    """Draw hollow circles on a curve, in the curve's colour; the legend lists their name once."""
    named = any(other.get_label() == name for other in ax.lines)
    style: dict[str, Any] = MARK | {
        "label": f"_guide {name}" if named else name,
        "color": line.get_color(),
        "markerfacecolor": ax.get_facecolor(),
        "zorder": line.get_zorder() + 1,
    }
    (marks,) = ax.plot(x, y, **style)
    return marks


def root_figure(ax: Axes) -> Figure | None:
    """Return the outermost figure of the axes, also for matplotlib before 3.10."""
    figure = ax.get_figure()
    return None if figure is None else figure.canvas.figure


def draw_legend(ax: Axes, place: LegendPlace = "best") -> None:
    """Draw the legend: curves in drawing order, then bands and guides.

    A legend with many or long names goes below the axes, unless the figure's layout leaves no space
    there.
    """
    handles, names = ax.get_legend_handles_labels()
    if not names:
        return
    order = sorted(range(len(names)), key=lambda i: _is_curve_line(handles[i]), reverse=True)
    handles, names = [_of_all(ax, handles[i]) for i in order], [names[i] for i in order]
    figure = root_figure(ax)
    has_layout = figure is not None and figure.get_layout_engine() is not None
    if len(names) <= MOST_NAMES_INSIDE or not has_layout:
        room = ax.bbox.width
        for size in LEGEND_SIZES:
            box = _legend(ax, handles, names, size=size, loc=place).get_window_extent()
            if box.width <= room and box.height <= MOST_HEIGHT * ax.bbox.height:
                return
        if not has_layout:
            size = LEGEND_SIZES[-1]
            width = _legend(ax, handles, names, size=size, loc=place).get_window_extent().width
            if width > room:
                _legend(ax, handles, _wrapped(names, room / width), size=size, loc=place)
            return
    width = ax.bbox.width if figure is None or len(figure.axes) > 1 else figure.bbox.width
    below: dict[str, Any] = {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, 0),
        "borderaxespad": BELOW_LABELS,
    }
    room = width * ROOM_FOR_LEGEND
    for columns in (3, 2, 1):
        needed = _legend(ax, handles, names, ncols=columns, **below).get_window_extent().width
        if needed <= room:
            return
    _legend(ax, handles, _wrapped(names, room / needed), **below)


def _legend(ax: Axes, handles: list[Any], names: list[str], size: float = 1, **options: Any) -> Legend:
    """Draw a legend with `size` times matplotlib's default font size."""
    from matplotlib.font_manager import FontProperties

    points = FontProperties(size=_setting("legend.fontsize")).get_size_in_points()
    return ax.legend(handles, names, fontsize=size * points, **options)


def _setting(name: Literal["legend.fontsize"]) -> Any:
    from matplotlib import rcParams

    return rcParams[name]


def _wrapped(names: list[str], share: float) -> list[str]:
    """Return names with line breaks; lines have at most about `share` of the longest name's length."""
    longest = max(map(len, names))
    return [fill(name, max(FEWEST_LETTERS, int(share * longest) - MARGIN_LETTERS)) for name in names]


def is_below(legend: Legend) -> bool:
    return legend.get_bbox_to_anchor().width == 0


def _is_curve_line(handle: Any) -> bool:
    """Return whether a legend handle is of a curve or a filled area, not of a guide, band or mark."""
    is_mark = getattr(handle, "get_linestyle", str)() == "None"
    return bool(handle.get_zorder() >= CURVE_ZORDER) and not is_mark


def _of_all(ax: Axes, handle: Any) -> Any:
    """Return a legend handle; it is grey if it represents guides or bands of several colours."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if any(band.get_label() == f"_{handle.get_label()}" for band in ax.collections):
        return Patch(color=GUIDE["color"], alpha=BAND_OPACITY, linewidth=0)
    hidden = f"_guide {handle.get_label()}"
    if not any(line.get_label() == hidden for line in ax.lines):
        return handle
    neutral = Line2D([], [])
    neutral.update_from(handle)
    neutral.set_color(GUIDE["color"])
    return neutral


def shown_name(name: str) -> str:
    r"""Return a name that matplotlib shows as it is, even with "$" or a leading "_"."""
    name = printable(name).replace("$", r"\$")
    return f" {name}" if name.startswith("_") else name


def legend_name(
    name: str | None, measure: str, value: float | None, text: Callable[[float], str] = rounded
) -> str | None:
    """Return a curve's entry in the legend, such as ``"svm (ARAC-AUC = 0.987)"``."""
    name = None if name is None else shown_name(name)
    if value is None:
        return name
    area = f"{measure} = {text(value)}"
    return area if name is None else f"{name} ({area})"
