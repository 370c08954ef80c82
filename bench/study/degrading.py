"""Four qualities of one page: as printed, scanned, scanned badly, photographed.

What is done to a page is one projection (skew, perspective, scale), so that its lines can be followed,
and a chain of operations on the light: bleed-through, uneven light, blur, noise, and JPEG.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

if TYPE_CHECKING:
    import random

    Points = list[tuple[float, float]]

__all__ = ["QUALITIES", "Degraded", "degrade"]


@dataclass(frozen=True)
class Quality:
    """How far a quality goes; a pair is the least and the most of it.

    Attributes
    ----------
    scale : pair
        Size of the image beside the printed one, which has 300 dots an inch.
    turn : float
        Degrees of skew, to either side.
    corners : float
        How far a corner moves, as a share of the width.
    blur : pair
        Radius in pixels of the finished image.
    noise : pair
        Standard deviation, in shades of 255.
    bleeding : pair
        How much of the other side shows through.
    light : pair
        How much darker the darkest part of the page is.
    specks : int
        The most dark specks.
    jpeg : pair
        Quality by which the image is saved.
    """

    scale: tuple[float, float]
    turn: float
    corners: float
    blur: tuple[float, float]
    noise: tuple[float, float]
    bleeding: tuple[float, float]
    light: tuple[float, float]
    specks: int
    jpeg: tuple[float, float]


#: What each quality does; `clean` does nothing.
QUALITIES: dict[str, Quality | None] = {
    "clean": None,
    "scan": Quality((0.65, 0.8), 0.6, 0, (0.6, 0.9), (4, 10), (0, 0.06), (0, 0.08), 20, (60, 80)),
    "noisy": Quality((0.45, 0.55), 1.2, 0, (0.6, 1.0), (10, 24), (0.1, 0.25), (0, 0.2), 250, (25, 45)),
    "photo": Quality((0.45, 0.6), 2.0, 0.04, (0.7, 1.3), (5, 12), (0, 0.08), (0.3, 0.6), 0, (35, 60)),
}


@dataclass(frozen=True)
class Degraded:
    """An image, and the projection that leads from the printed page to it (a 3 × 3 matrix)."""

    image: Image.Image
    projection: np.ndarray

    def box(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """Return the upright box around a box of the printed page, cut at the image's edges."""
        left, top, right, bottom = box
        corners = np.array([[left, top, 1], [right, top, 1], [right, bottom, 1], [left, bottom, 1]])
        x, y, w = self.projection @ corners.T
        across = np.clip(x / w, 0, self.image.width)
        down = np.clip(y / w, 0, self.image.height)
        return float(across.min()), float(down.min()), float(across.max()), float(down.max())


def degrade(printed: Image.Image, verso: Image.Image, quality: str, chance: random.Random) -> Degraded:
    """Return a page in one of the qualities.

    Parameters
    ----------
    printed : PIL.Image.Image
        In shades of grey.
    verso : PIL.Image.Image
        The other side of the sheet, of the same size.
    quality : str
        One of `QUALITIES`.
    chance : random.Random
        Decides how far each operation goes.
    """
    how = QUALITIES[quality]
    if how is None:
        return Degraded(printed, np.eye(3))

    def between(bounds: tuple[float, float]) -> float:
        return bounds[0] + chance.random() * (bounds[1] - bounds[0])

    noise = np.random.default_rng(int(chance.random() * 2**53))
    image = _bled_through(printed, verso, between(how.bleeding))
    _speck(image, int(chance.random() * how.specks), chance)
    image, projection = _projected(image, between(how.scale), how, chance)
    pixels = np.asarray(image.filter(ImageFilter.GaussianBlur(between(how.blur))), np.float64)
    pixels *= _light(image.size, between(how.light), chance)
    pixels += noise.normal(0, between(how.noise), pixels.shape)
    image = Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8))
    packed = BytesIO()
    image.save(packed, "JPEG", quality=round(between(how.jpeg)))
    return Degraded(Image.open(packed).copy(), projection)


def _bled_through(printed: Image.Image, verso: Image.Image, share: float) -> Image.Image:
    """Multiply the page by the mirrored and blurred other side, as far as it shows through."""
    other = ImageOps.mirror(verso).filter(ImageFilter.GaussianBlur(2.5))
    faint = other.point([round(255 - share * (255 - grey)) for grey in range(256)])
    return ImageChops.multiply(printed, faint)


def _speck(image: Image.Image, n: int, chance: random.Random) -> None:
    draw = ImageDraw.Draw(image)
    for _ in range(n):
        x, y = chance.random() * image.width, chance.random() * image.height
        r = 0.5 + 3 * chance.random() ** 2
        draw.ellipse((x - r, y - r, x + r, y + r), fill=int(30 + 120 * chance.random()))


def _projected(
    image: Image.Image, scale: float, how: Quality, chance: random.Random
) -> tuple[Image.Image, np.ndarray]:
    """Turn, bend and shrink a page, on a ground as dark as a table where it was photographed."""
    width, height = image.size
    angle = np.deg2rad(how.turn * (2 * chance.random() - 1))
    to: Points = []
    for x, y in ((0, 0), (width, 0), (width, height), (0, height)):
        u, v = x - width / 2, y - height / 2
        turned = (u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle))
        moved = [how.corners * width * (2 * chance.random() - 1) for _ in turned]
        # the page shrinks a little, so that its corners stay in the image
        u, v = ((1 - how.corners) * t + m for t, m in zip(turned, moved, strict=True))
        to.append((float(scale * (u + width / 2)), float(scale * (v + height / 2))))
    size = (round(scale * width), round(scale * height))
    projection = _through([(0, 0), (width, 0), (width, height), (0, height)], to)
    back = np.linalg.inv(projection)
    ground = 90 if how.corners else 245
    smooth = image.filter(ImageFilter.GaussianBlur(0.35 / scale))  # against aliasing
    form = tuple((back / back[2, 2]).ravel()[:8].tolist())
    bent = smooth.transform(
        size, Image.Transform.PERSPECTIVE, form, Image.Resampling.BICUBIC, fillcolor=ground
    )
    return bent, projection


def _through(source: Points, target: Points) -> np.ndarray:
    """Return the projection that leads four points to four others."""
    rows, values = [], []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return np.append(np.linalg.solve(np.array(rows, float), values), 1).reshape(3, 3)


def _light(size: tuple[int, int], depth: float, chance: random.Random) -> np.ndarray:
    """Return factors between 1 and 1 minus the depth: a slope, and a soft shadow across a corner."""
    across, down = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]))
    angle = 2 * np.pi * chance.random()
    slope = np.cos(angle) * across + np.sin(angle) * down
    slope = (slope - slope.min()) / np.ptp(slope)
    edge = across * (chance.random() - 0.5) + down * (chance.random() - 0.5)
    shadow = 1 / (1 + np.exp((edge - np.quantile(edge, 0.3)) * 40))
    return 1 - depth * (0.6 * slope + 0.4 * shadow)
