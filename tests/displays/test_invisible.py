"""Long curves are drawn with few vertices, and no picture up to 3840 by 2160 pixels shows it.

The whole curve of each display is computed anew here, moved into pixels as its axes do where they
fill such a picture, and compared with what the display has drawn.
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import fastarac as fa
from fastarac import det_curve, displays, precision_recall_curve, roc_curve
from fastarac.displays.decimation import COLUMNS, HEIGHT, WIDTH
from fastarac.displays.rates import along_ties

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

N = 30_000  # several points in each of the columns of the decimation
HALF_A_PIXEL = 0.5 + 1e-6


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def sweep_of(kind: str) -> fa.ThresholdSweep:
    rng = np.random.default_rng(9)
    chance = rng.random(N)
    confidence = np.arange(N)
    if kind == "good":
        correct = chance < 0.5 + 0.5 * confidence / N
    elif kind == "noise":
        correct = chance < 0.8
    elif kind == "one class first":  # a steep end on either side
        correct = (chance < 0.7) & (confidence > 300) | (confidence > N - 300)
    elif kind == "wrong first":
        correct = (chance < 0.99) & (confidence < N - 50)
    elif kind == "ties":
        correct = chance < 0.5 + 0.5 * confidence / N
        confidence = confidence // 40
    return fa.ThresholdSweep.from_counts(confidence, correct, ~correct)


KINDS = ["good", "noise", "one class first", "wrong first", "ties"]


def axes_of_a_large_picture():
    figure = plt.figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    return figure.add_axes((0, 0, 1, 1))


def in_pixels(ax, x, y) -> np.ndarray:
    return ax.transData.transform(np.stack([np.asarray(x, float), np.asarray(y, float)], axis=1))


def steps_after(x, y) -> tuple[np.ndarray, np.ndarray]:
    """Every height lasts until the next x."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def farthest(points: np.ndarray, line: np.ndarray) -> float:
    """Largest distance of points to a line whose x rises, from the segments near their columns."""
    column = np.floor(points[:, 0])
    first = np.maximum(np.searchsorted(line[:, 0], column - 1) - 1, 0)
    last = np.searchsorted(line[:, 0], column + 2, side="right").clip(max=len(line) - 1)
    number = last - first  # of segments for each point; all pairs of them, so many at a time
    assert number.min() > 0
    worst = 0.0
    full = np.flatnonzero(np.diff(number.cumsum() // 100_000)) + 1
    for part in np.split(np.arange(len(points)), full):
        starts = number[part].cumsum() - number[part]
        which = np.arange(number[part].sum()) + np.repeat(first[part] - starts, number[part])
        pairs = distances(np.repeat(points[part], number[part], axis=0), line[which], line[which + 1])
        worst = max(worst, np.minimum.reduceat(pairs, starts).max())
    return worst


def distances(points, start, end) -> np.ndarray:
    """Distance of each point to a segment of its own."""
    x, y = (end - start).T
    off_x, off_y = (points - start).T
    length = x * x + y * y
    share = ((off_x * x + off_y * y) / np.where(length > 0, length, 1)).clip(0, 1)
    return np.hypot(off_x - share * x, off_y - share * y)


def sampled(line: np.ndarray) -> np.ndarray:
    """Vertices, and points at most a pixel apart on the segments between them, in the picture."""
    length = np.hypot(*np.diff(line, axis=0).T)
    number = np.ceil(np.minimum(length, 50 * WIDTH)).astype(int).clip(1)
    which = np.repeat(np.arange(len(number)), number)
    part = (np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)) / number[which]
    points = line[which] + part[:, None] * np.diff(line, axis=0)[which]
    points = np.concatenate([points, line[-1:]])
    inside = ((points >= 0) & (points <= (WIDTH, HEIGHT))).all(axis=1)
    return points[inside]


def assert_same_looks(whole: np.ndarray, drawn: np.ndarray):
    whole, drawn = (line if line[0, 0] <= line[-1, 0] else line[::-1] for line in (whole, drawn))
    assert farthest(sampled(whole), drawn) <= HALF_A_PIXEL
    assert farthest(sampled(drawn), whole) <= HALF_A_PIXEL


def deviates(rates) -> np.ndarray:
    from scipy.stats import norm

    eps = np.finfo(float).eps
    return norm.ppf(np.clip(rates, eps, 1 - eps))


CURVES = {
    "ARACDisplay": lambda sweep: fa.arac_curve(sweep)[:2],
    "ARPDisplay": lambda sweep: fa.arp_curve(sweep)[:2],
    "RCDisplay": lambda sweep: fa.rc_curve(sweep)[:2],
    "GeneralizedRCDisplay": lambda sweep: fa.generalized_rc_curve(sweep)[:2],
    "RocCurveDisplay": lambda sweep: roc_curve(sweep, drop_intermediate=False)[:2],
    "PrecisionRecallDisplay": lambda sweep: steps_after(*precision_recall_curve(sweep)[1::-1]),
    "DetCurveDisplay": lambda sweep: map(deviates, along_ties(*det_curve(sweep)[:2])),
}


# Lines, steps and transformed axes meet every kind of curve, the others the most frequent one.
CASES = [
    (kind, sweep)
    for kind in ("ARACDisplay", "PrecisionRecallDisplay", "DetCurveDisplay")
    for sweep in KINDS
]
CASES += [(kind, "good") for kind in CURVES if (kind, "good") not in CASES]


@pytest.mark.parametrize(("kind", "sweep"), CASES)
def test_curves(kind, sweep):
    sweep = sweep_of(sweep)
    options = {} if "RC" in kind or "AR" in kind else {"drop_intermediate": False}
    ax = axes_of_a_large_picture()
    display = getattr(displays, kind).from_sweep(sweep, ax=ax, **options)
    ax.set_aspect("auto")  # a square picture would be smaller
    x, y = CURVES[kind](sweep)
    drawn = in_pixels(ax, *display.line_.get_data())
    assert len(drawn) < len(x)
    assert_same_looks(in_pixels(ax, x, y), drawn)


@pytest.mark.parametrize("sweep", ["noise", "wrong first", "ties"])
def test_stacked_areas(sweep):
    sweep = sweep_of(sweep)
    ax = axes_of_a_large_picture()
    display = displays.ConfusionDisplay.from_sweep(sweep, ax=ax)
    counts = sweep.false_accepts, sweep.true_accepts, sweep.false_rejects, sweep.true_rejects
    tops = np.cumsum(counts, axis=0) / sweep.total
    for area, top in zip(reversed(display.areas_.values()), tops, strict=True):
        outline = area.get_xy()
        assert outline[[0, -2, -1]].tolist() == [[0, 0], [1, 0], [0, 0]]
        whole = in_pixels(ax, sweep.acceptance_rate, top)
        assert_same_looks(whole, in_pixels(ax, *outline[1:-2].T))


@pytest.mark.parametrize("sweep", ["noise", "wrong first"])
@pytest.mark.parametrize("drawstyle", ["default", "steps", "steps-pre", "steps-mid", "steps-post"])
def test_drawstyles(drawstyle, sweep):
    from matplotlib.cbook import STEP_LOOKUP_MAP

    sweep = sweep_of(sweep)
    ax = axes_of_a_large_picture()
    display = displays.ARPDisplay.from_sweep(sweep, ax=ax, curve_kwargs={"drawstyle": drawstyle})
    whole = STEP_LOOKUP_MAP[drawstyle](sweep.acceptance_rate, sweep.precision)
    assert_same_looks(in_pixels(ax, *whole), in_pixels(ax, *display.line_.get_data()))


def test_several_curves_share_the_axes():
    """The axes show more than each curve asks for: all of them are as good."""
    ax = axes_of_a_large_picture()
    sweeps = {kind: sweep_of(kind) for kind in ("good", "noise")}
    drawn = displays.draw_curves(sweeps, display=displays.RCDisplay, ax=ax)
    for kind, sweep in sweeps.items():
        whole = in_pixels(ax, sweep.acceptance_rate, sweep.risk)
        assert_same_looks(whole, in_pixels(ax, *drawn[kind].line_.get_data()))


def test_the_number_of_vertices_is_bounded():
    x = np.linspace(0, 1, 1_000_000)
    y = np.arange(1_000_000) % 2.0
    line = displays.ARPDisplay(x, y).plot().line_
    assert len(line.get_xdata()) <= 4 * (COLUMNS + 2)
