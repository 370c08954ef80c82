"""Texts beside marks, where they cover no other ones and little of the curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.displays._style import MARK, FloatArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation


LABEL = "_mark"
GAP = 6.0  # points from the middle of a mark to its text, across and up
# Where falling curves leave room: below them and above; then straight below, above and beside.
PLACES = ((-1, -1), (1, 1), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1))
ACROSS = {-1: "right", 0: "center", 1: "left"}
UP = {-1: "top", 0: "center", 1: "bottom"}
STEP = 3.0  # pixels between the points of curves that texts keep away from
MOST_COVERED = 24  # such points, about two curves along a text


def label_marks(ax: Axes, marks: Line2D, texts: Sequence[str]) -> None:
    """Write a text beside each mark, and place all such texts in the axes anew.

    One without room, where it would cover another one, a mark or several curves, is hidden.
    """
    from matplotlib.patheffects import withStroke

    outline = [withStroke(linewidth=2.5, foreground=ax.get_facecolor())]
    for point, text in zip(np.asarray(marks.get_xydata()).tolist(), texts, strict=True):
        ax.annotate(
            text, point, (0, 0), textcoords="offset points", label=LABEL, fontsize="small",
            color=marks.get_color(), path_effects=outline, zorder=marks.get_zorder() + 1,
            annotation_clip=True,
        ).set_in_layout(False)  # fmt: skip
    place_labels(ax)


def place_labels(ax: Axes) -> None:
    """Place the texts beside all marks in the axes, as large as these are now."""
    labels: list[Annotation] = [text for text in ax.texts if text.get_label() == LABEL]  # type: ignore[misc]
    if not labels:
        return
    pixel = ax.figure.dpi / 72
    radius = MARK["markersize"] / 2 * pixel
    middles = np.asarray(ax.transData.transform([label.xy for label in labels]))
    taken = [np.concatenate([at - radius, at + radius]) for at in middles]
    curves = np.concatenate([_points(line) for line in ax.lines])
    x0, y0, x1, y1 = ax.bbox.extents
    for label, middle in zip(labels, middles, strict=True):
        label.set_visible(True)
        size = _size(label)
        free: list[tuple[int, int, tuple[int, int], FloatArray]] = []
        for place in PLACES:
            corner = middle + np.multiply(place, GAP * pixel) + size * (np.array(place) - 1) / 2
            box = np.concatenate([corner, corner + size])
            inside = x0 <= box[0] and y0 <= box[1] and box[2] <= x1 and box[3] <= y1
            if inside and not any(_overlap(box, other) for other in taken):
                covered = ((curves >= box[:2]) & (curves <= box[2:])).all(axis=1).sum()
                if covered <= MOST_COVERED:
                    free.append((int(covered), len(free), place, box))
        label.set_visible(bool(free))
        if free:
            _, _, (across, up), box = min(free, key=lambda each: each[:2])
            label.set(ha=ACROSS[across], va=UP[up], position=(GAP * across, GAP * up))
            taken.append(box)


def _size(label: Annotation) -> FloatArray:
    """Return width and height in pixels, also of a text whose mark is out of sight."""
    from matplotlib.text import Text

    return np.asarray(Text.get_window_extent(label).size)


def _points(line: Line2D) -> FloatArray:
    """Return points along a line in pixels, none of which are far from each other."""
    corners = np.asarray(line.get_transform().transform(line.get_xydata()), np.float64)
    if line.get_linestyle() == "None" or len(corners) < 2:
        return np.empty((0, 2))
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0.0, along[-1], int(along[-1] / STEP) + 2)
    return np.stack([np.interp(at, along, corner) for corner in corners.T], axis=1)


def _overlap(box: FloatArray, other: FloatArray) -> bool:
    return bool((box[:2] < other[2:]).all() and (other[:2] < box[2:]).all())
