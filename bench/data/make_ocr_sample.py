"""Make ``fastarac/ocr/sample``: twenty pages as Tesseract reads them, with two settings.

Run it with ``python -m bench.data.make_ocr_sample [FOLDER]``; it needs Pillow, Tesseract
with its English model, the fonts DejaVu and Liberation (Debian: tesseract-ocr, fonts-dejavu,
fonts-liberation) and a minute or two. The shipped files were made with Tesseract 5.3.0 and Pillow 13.0.

The true texts in ``sample/truth`` were written for this purpose: letters, invoices, notices, tables
and a form, 83 to 140 words each. Each page is drawn in one of four fonts in the size of a screen
(about 75 dots an inch, where Tesseract wants 300), turned by up to half a degree, blurred, and
covered with noise, by an amount of its own; the random state is the number of the page. The eight
pages whose names begin with ``worn`` are damaged before that: stains darken them, patches are faded,
and specks lie on them. The images are not shipped.

``plain``
    The image as it is, with Tesseract's own analysis of the page (``--psm 3``).
``enlarged``
    The image enlarged threefold by cubic interpolation and smoothed, read as one block of text
    (``--psm 6``).

The amounts of noise were chosen so that between nine tenths and all of the words of most pages are
read right, and the damage so that on worn pages several words are missed and several specks are read
as words; which words are wrong was not looked at.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

SAMPLE = Path(__file__).parents[2] / "fastarac" / "ocr" / "sample"
FONTS = Path("/usr/share/fonts/truetype")
FACES = (
    ("liberation/LiberationSerif-Regular.ttf", 17),
    ("dejavu/DejaVuSans.ttf", 14),
    ("liberation/LiberationMono-Regular.ttf", 15),
    ("dejavu/DejaVuSerif.ttf", 14),
)
MARGIN = 40
WORN = "worn"
SETTINGS = {"plain": ("--psm", "3"), "enlarged": ("--psm", "6")}


def page_image(text: str, number: int, *, worn: bool) -> Image.Image:
    """Draw a text, and spoil it as a bad scan would."""
    chance = random.Random(number)
    face, size = FACES[number % len(FACES)]
    font = ImageFont.truetype(str(FONTS / face), size)
    lines = text.splitlines()
    width = max(int(font.getlength(line)) for line in lines) + 2 * MARGIN
    height = int(len(lines) * size * 1.5) + 2 * MARGIN
    image = Image.new("L", (width, height), 245)
    draw = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        draw.text((MARGIN, MARGIN + i * size * 1.5), line, font=font, fill=30)
    if worn:
        image = damaged(image, chance)
    turned = image.rotate(chance.uniform(-0.5, 0.5), Image.Resampling.BICUBIC, fillcolor=245)
    blurred = turned.filter(ImageFilter.GaussianBlur(chance.uniform(0.35, 0.75)))
    noise = np.random.default_rng(number).normal(0, chance.uniform(6, 26), (height, width))
    return Image.fromarray(np.clip(np.asarray(blurred) + noise, 0, 255).astype(np.uint8))


def damaged(image: Image.Image, chance: random.Random) -> Image.Image:
    """Darken a page by stains, fade parts of it, and cover it with specks."""
    width, height = image.size

    def blot(radius: float) -> Image.Image:
        """Return a mask of a round patch with a ragged edge, somewhere on the page."""
        mask = Image.new("L", image.size, 0)
        draw = ImageDraw.Draw(mask)
        x, y = chance.uniform(0.1, 0.9) * width, chance.uniform(0.1, 0.9) * height
        for _ in range(9):
            u, v = chance.gauss(x, radius / 2), chance.gauss(y, radius / 3)
            r = chance.uniform(0.4, 0.9) * radius
            draw.ellipse((u - r, v - 0.6 * r, u + r, v + 0.6 * r), fill=255)
        return mask.filter(ImageFilter.GaussianBlur(radius / 8))

    stained = ImageChops.multiply(image, Image.new("L", image.size, 95))
    faded = image.point([245 - (245 - grey) // 6 for grey in range(256)])
    for _ in range(2):
        image = Image.composite(stained, image, blot(chance.uniform(22, 38)))
        image = Image.composite(faded, image, blot(chance.uniform(18, 34)))
    draw = ImageDraw.Draw(image)
    for _ in range(chance.randint(25, 60)):
        x, y, r = chance.uniform(0, width), chance.uniform(0, height), chance.uniform(0.5, 2.2)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=chance.randint(30, 120))
    return image


def read_by_tesseract(image: Image.Image, setting: str, folder: Path) -> str:
    """Return the table that Tesseract makes of an image."""
    if setting == "enlarged":
        size = (3 * image.width, 3 * image.height)
        image = image.resize(size, Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(1.5))
    path = folder / "page.png"
    image.save(path)
    command = ["tesseract", str(path), "stdout", *SETTINGS[setting], "-l", "eng", "tsv"]
    # one thread, so that sums come in one order
    surroundings = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, check=True, capture_output=True, env=surroundings)
    return done.stdout.decode("utf-8")


def is_worn(path: Path) -> bool:
    """Return whether the page is damaged."""
    return path.name.startswith(WORN)


def main() -> None:
    """Write a folder for each setting."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted((SAMPLE / "truth").glob("*.txt"), key=lambda path: (is_worn(path), path))
        for number, path in enumerate(paths):
            image = page_image(path.read_text(encoding="utf-8"), number, worn=is_worn(path))
            for setting in SETTINGS:
                table = read_by_tesseract(image, setting, Path(folder))
                written = target / setting / f"{path.stem}.tsv"
                written.parent.mkdir(parents=True, exist_ok=True)
                written.write_text(table, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
