"""Place texts beside marks, where they cover no other text and little of the curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.displays._style import MARK, FloatArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation


LABEL = "_mark"
# Distances to try between the centre of a mark and its label, in points. Lines join labels to their
# marks from the second distance on.
GAPS = (6.0, 20.0, 36.0, 54.0, 74.0, 96.0, 120.0)
# Directions from a mark to its label, in order of preference. Around a falling curve, the largest free
# areas are below left and above right.
PLACES = ((-1, -1), (1, 1), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1))
ACROSS = {-1: "right", 0: "center", 1: "left"}
UP = {-1: "top", 0: "center", 1: "bottom"}
STEP = 3.0  # spacing, in pixels, of sample points along the curves; labels avoid these points
# Maximum number of sample points that a label may cover: about those of two curves that cross it.
MOST_COVERED = 24


def label_marks(ax: Axes, marks: Line2D, texts: Sequence[str]) -> None:
    """Add a text label beside each mark, then place all labels in the axes again."""
    color, zorder = marks.get_color(), marks.get_zorder() + 1
    behind = {"boxstyle": "square,pad=0.1", "facecolor": ax.get_facecolor(), "alpha": 0.8, "lw": 0}
    leader = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 3}
    for point, text in zip(np.asarray(marks.get_xydata()).tolist(), texts, strict=True):
        ax.annotate(
            text, point, (0, 0), textcoords="offset points", label=LABEL, fontsize="small", color=color,
            bbox=behind, arrowprops=leader, zorder=zorder, annotation_clip=True,
        ).set_in_layout(False)  # fmt: skip
    place_labels(ax)


def place_labels(ax: Axes) -> None:
    """Place the labels of all visible marks, given the current size of the axes.

    A label goes to the nearest place where it covers only a little of the curves, and no other label,
    mark or legend.
    """
    labels: list[Annotation] = [text for text in ax.texts if text.get_label() == LABEL]  # type: ignore[misc]
    if not labels:
        return
    pixel = ax.figure.dpi / 72
    radius = MARK["markersize"] / 2 * pixel
    middles = np.asarray(ax.transData.transform([label.xy for label in labels]))
    frame = np.array(ax.bbox.extents)
    marks = [np.concatenate([at - radius, at + radius]) for at in middles]
    taken = [mark for mark in marks if _overlap(mark, frame)]
    legend = ax.get_legend()
    if legend is not None:
        taken.append(np.array(legend.get_window_extent().extents))
    covered = _points_within([_points(line) for line in ax.lines], frame)
    seen = set()
    for label, middle, mark in zip(labels, middles, marks, strict=True):
        said = (*middle.round().tolist(), label.get_text(), label.get_color())
        label.set_visible(said not in seen)
        if said in seen or not _overlap(mark, frame) or not label.get_text():
            continue
        seen.add(said)
        taken.append(_place(label, middle, pixel, taken, frame, covered))


def _place(
    label: Annotation,
    middle: FloatArray,
    pixel: float,
    taken: Sequence[FloatArray],
    frame: FloatArray,
    covered: Callable[[FloatArray], int],
) -> FloatArray:
    """Move a label to the best place near its mark; return its box in pixels."""
    size = _size(label)
    costs: list[tuple[int, int, int, int, FloatArray]] = []
    for ring, gap in enumerate(GAPS):
        for place, toward in enumerate(PLACES):
            corner = middle + np.multiply(toward, gap * pixel) + size * (np.array(toward) - 1) / 2
            box = np.concatenate([corner, corner + size])
            if (box[:2] >= frame[:2]).all() and (box[2:] <= frame[2:]).all():
                texts = sum(_overlap(box, other) for other in taken)
                costs.append((texts, covered(box), ring, place, box))
        if any(not texts and curves <= MOST_COVERED for texts, curves, *_ in costs):
            break
    if not costs:  # the axes are smaller than the text
        return np.concatenate([middle, middle])
    *_, ring, place, box = min(costs, key=lambda each: each[:4])
    (across, up), gap = PLACES[place], GAPS[ring]
    label.set(ha=ACROSS[across], va=UP[up], position=(gap * across, gap * up))
    if label.arrow_patch is not None:
        label.arrow_patch.set_visible(ring > 0)
    return box


def _points_within(points: Iterable[FloatArray], frame: FloatArray) -> Callable[[FloatArray], int]:
    """Return a function that counts the points in a box."""
    low, high = frame[:2], frame[2:]
    shape = np.maximum(np.ceil((high - low) / STEP), 1).astype(int)
    all_points = np.concatenate([np.empty((0, 2)), *points])
    inside = all_points[((all_points >= low) & (all_points < high)).all(axis=1)]
    cells = np.minimum((inside - low) // STEP, shape - 1).astype(int)
    sums = np.zeros(shape + 1, np.int64)
    np.add.at(sums, tuple(cells.T + 1), 1)
    sums = sums.cumsum(axis=0).cumsum(axis=1)

    def count(box: FloatArray) -> int:
        ends = np.concatenate([(box[:2] - low) // STEP, -((low - box[2:]) // STEP)])
        left, bottom, right, top = np.clip(ends, 0, np.tile(shape, 2)).astype(int)
        return int(sums[right, top] - sums[left, top] - sums[right, bottom] + sums[left, bottom])

    return count


def _size(label: Annotation) -> FloatArray:
    """Return the width and height of a label in pixels, even if its mark is out of view."""
    from matplotlib.text import Text

    return np.asarray(Text.get_window_extent(label).size)


def _points(line: Line2D) -> FloatArray:
    """Return points along a line, in pixels, at most about `STEP` apart."""
    corners = np.asarray(line.get_transform().transform(line.get_xydata()), np.float64)
    if line.get_linestyle() == "None" or len(corners) < 2:
        return np.empty((0, 2))
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0.0, along[-1], int(along[-1] / STEP) + 2)
    return np.stack([np.interp(at, along, corner) for corner in corners.T], axis=1)


def _overlap(box: FloatArray, other: FloatArray) -> bool:
    return bool((box[:2] < other[2:]).all() and (other[:2] < box[2:]).all())
