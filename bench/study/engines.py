"""Run Tesseract, RapidOCR and ocrad on pages, in parallel processes, except for existing outputs.

Run it with ``python -m bench.study.engines FOLDER``, the folder that ``bench.study.pages`` made: beside
the images of a language it writes a folder for each engine, which `fastarac ocr` takes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.study.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ENDS = {"tsv": "tsv", "hocr": "hocr", "alto": "xml"}  # of the files that Tesseract writes
ENGINES = ("tesseract-psm3", "tesseract-psm6", "ocrad", "rapidocr")
#: What an engine reads, where that is not everything: RapidOCR with the model that comes with it.
READS = {"rapidocr": ("de", "en", "fr", "ja", "zh"), "ocrad": ("en",)}


@dataclass(frozen=True)
class Task:
    """An image to read, and the folder beside the images that gets what is read."""

    engine: str
    image: Path
    folder: Path
    language: str
    form: str

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The files to write, the one by which a page counts as read last."""
        if self.engine == "rapidocr":
            names = (f"{self.engine}-words", self.engine)
            return tuple(self.folder / name / f"{self.image.stem}.json" for name in names)
        if self.engine == "ocrad":
            return (self.folder / self.engine / f"{self.image.stem}.txt",)
        name = self.engine if self.form == "tsv" else f"{self.engine}-{self.form}"
        return (self.folder / name / f"{self.image.stem}.{ENDS[self.form]}",)


def tesseract(task: Task) -> None:
    """Let Tesseract read an image with a mode of page segmentation, into a file of one format."""
    (out,) = task.outputs
    part = _unfinished(out)
    command = ["tesseract", str(task.image), str(part.with_suffix("")), "--psm", task.engine[-1]]
    command += ["-l", LANGUAGES[task.language].tesseract, "--dpi", str(_dots(task.image)), task.form]
    _call(command, task)
    part.replace(out)


def ocrad(task: Task) -> None:
    """Let ocrad read an image, into a file of text: its confidences are not to be had."""
    from PIL import Image

    (out,) = task.outputs
    part = _unfinished(out)
    gray = part.with_suffix(".pgm")
    with Image.open(task.image) as opened:
        opened.convert("L").save(gray)
    # made for letters of a page at 300 dots an inch
    scale = max(1, math.ceil(295 / _dots(task.image)))
    command = ["ocrad", "--format=utf8", "--layout", f"--scale={scale}"]
    _call([*command, "--output", str(part), str(gray)], task)
    gray.unlink()
    part.replace(out)


def _call(command: Sequence[str], task: Task) -> None:
    # one thread a page: pages run side by side
    surroundings = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, check=False, env=surroundings, capture_output=True, encoding="utf-8")
    if done.returncode:
        said = done.stderr.strip()
        raise RuntimeError(f"{task.image}: {command[0]} ended with {done.returncode}: {said}")


def _unfinished(out: Path) -> Path:
    """Return where a file is written: outside the folder, in which only whole files appear."""
    folder = out.parents[1] / "unfinished"
    folder.mkdir(exist_ok=True)
    return folder / f"{out.parent.name}-{out.name}"


def _dots(image: Path) -> int:
    """Return the dots an inch of an image, whose page is as high as A5."""
    from PIL import Image

    with Image.open(image) as opened:
        return round(opened.height / 8.27)


def rapidocr(task: Task) -> None:
    """Let RapidOCR read an image: the words (characters) of its lines, and the lines."""
    found = _rapidocr()(str(task.image), return_word_box=True)
    for out, result in zip(task.outputs, (found.word_results, found.to_json()), strict=True):
        part = _unfinished(out)
        part.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
        part.replace(out)


@cache
def _rapidocr() -> Callable[..., Any]:
    from rapidocr import RapidOCR

    threads = "EngineConfig.onnxruntime.intra_op_num_threads"
    return RapidOCR(params={threads: 1, "Global.log_level": "critical"})


def reads(engine: str, language: str) -> bool:
    """Return whether an engine reads a language."""
    return language in READS.get(engine, LANGUAGES)


def tasks(folder: Path, engines: Sequence[str], form: str, pattern: str) -> Iterator[Task]:
    """Return what has not been read of the pages whose names match a pattern."""
    for inside in sorted(path for path in folder.iterdir() if path.name in LANGUAGES):
        for engine in engines:
            if not reads(engine, inside.name):
                print(f"{engine} does not read {inside.name}", file=sys.stderr)
                continue
            for image in sorted((inside / "images").glob(f"{pattern}.*")):
                task = Task(engine, image, inside, inside.name, form)
                if not task.outputs[-1].exists():
                    yield task


def read(task: Task) -> float:
    """Read one page; return the seconds it takes."""
    start = time.perf_counter()
    for out in task.outputs:
        out.parent.mkdir(exist_ok=True)
    {"rapidocr": rapidocr, "ocrad": ocrad}.get(task.engine, tesseract)(task)
    return time.perf_counter() - start


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.study.engines", description=__doc__)
    parser.add_argument("folder", type=Path, help="with a folder for each language")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--format", choices=ENDS, default="tsv", help="what Tesseract writes")
    parser.add_argument("--pages", default="*", help="a pattern of their names, as de-2col-*")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    # RapidOCR's libraries look at this when they are first imported
    os.environ["OMP_NUM_THREADS"] = "1"
    found = list(tasks(given.folder, given.engines, given.format, given.pages))
    with ProcessPoolExecutor(given.workers) as pool:
        taken = list(pool.map(read, found))
    for name in given.engines:
        seconds = [second for task, second in zip(found, taken, strict=True) if task.engine == name]
        if seconds:
            print(f"{name}: {len(seconds)} pages, {sum(seconds) / len(seconds):.1f} s each")


if __name__ == "__main__":
    main()
