"""`fastarac evaluate --max-memory`: bounds of figures, for files larger than memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from fastarac import evaluate, io
from fastarac._core.text import capitalised, printable
from fastarac.answers import streams
from fastarac.answers.file_notes import notes_of_none_right
from fastarac.answers.screen import Note, Weight
from fastarac.bounds.sketch import ThresholdSketch
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._fail_if import end
from fastarac.cli._files import in_words, named_files
from fastarac.cli._json import print_models
from fastarac.cli._options import RefusalError, bytes_of, refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.cli._fail_if import Conditions
    from fastarac.cli._settings import Settings
    from fastarac.evaluation.bounds import BoundedEvaluation

LEAST = 64 * 10**6
COLUMNS = ("confidence", "correct", "prediction", "truth", "empty_truth", "compare")
OF_SKETCH = 10  # a sketch (a file's summary of bounded size) takes at most 1/OF_SKETCH of the memory
BYTES_OF_WIDTH = 4e3  # a sketch of relative width w takes at most BYTES_OF_WIDTH / w bytes
WIDTHS = 1e-4, 1e-2
EXAMPLE = [True, False], [0.75, 0.25]  # correctness and confidence of two outputs, to list all keys


def evaluate_streams(
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    settings: Settings,
    max_memory: str,
    conditions: Conditions,
) -> None:
    """Print bounds of each file's figures."""
    size = _bytes(max_memory)
    streamed = {name: columns[name] for name in COLUMNS}
    width = min(max(BYTES_OF_WIDTH * OF_SKETCH / size, WIDTHS[0]), WIDTHS[1])
    files = named_files(paths)
    conditions.require_models(files)
    some = ThresholdSketch()
    some.update(*EXAMPLE)
    conditions.require_keys(evaluate(some.bounds(), **settings.arguments).to_dict())
    found = {}
    for name, path in files.items():
        reading = f"Reading {escape(printable(name))}"
        status = Console(stderr=True).status(reading)
        with interrupts_end_at_once(), status, refused(ValueError, words=in_words):
            sketch = io.sketch_outputs(path, max_width=width, max_memory=size, **streamed)
        found[name] = evaluate(sketch.bounds(), **settings.arguments)
    none = {name: int(figures.n) for name, figures in found.items() if figures.recognition_rate == 0.0}
    notes = notes_of_none_right(files, none, columns)
    _print(found, settings, notes)
    end(conditions.failures([{"name": name, **each.to_dict()} for name, each in found.items()]))


def _print(found: Mapping[str, BoundedEvaluation], settings: Settings, notes: Sequence[str]) -> None:
    decisive = [Note(f"{capitalised(note)}.", Weight.DECIDES) for note in notes]
    screen = streams.screen(found, decisive, settings.delivery.page().width)
    print_models(
        settings.delivery,
        "evaluate",
        screen,
        notes,
        models=lambda: [{"name": name, **each.to_dict()} for name, each in found.items()],
        rows=lambda: [{"model": name, **each.to_dict()} for name, each in found.items()],
    )


def _bytes(text: str) -> int:
    size = bytes_of(text)
    if size is None:
        raise RefusalError(f"--max-memory must be a size such as 500MB or 2GB, got {text!r}")
    if size < LEAST:
        raise RefusalError(f"--max-memory must be at least {LEAST // 10**6}MB, got {text!r}")
    return size
