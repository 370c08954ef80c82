"""What each folding makes of the sample of pages, as tables."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import fastarac as fa
from fastarac._core.text import rounded_percent
from fastarac.ocr import align, load_sample
from fastarac.ocr.words.folding import EXPLAINED, HISTORICAL

if TYPE_CHECKING:
    from collections.abc import Callable


def foldings() -> str:
    """What each folding, and each unit, makes of the setting `plain`."""
    sample = load_sample()
    words = sample.outputs["plain"]
    rows = [
        "| option | items | right | ARAC-AUC | accepted at 1 % errors |",
        "|---|---:|---:|---:|---:|",
    ]
    options: dict[str, dict[str, str]] = {"none": {}}
    options |= {f'`fold="{name}"`: {said}': {"fold": name} for name, said in EXPLAINED.items()}
    options |= {f'`unit="{name}"`': {"unit": name} for name in ("line", "character")}
    for label, option in options.items():
        aligned = align(sample.truth, words, **option)  # type: ignore[arg-type]
        point = aligned.operating_point(max_error_rate=0.01)
        area = fa.arac_auc_score(aligned.sweep())
        share = rounded_percent(point.acceptance_rate)
        right = rounded_percent(float(aligned.correct.mean()))
        rows.append(f"| {label} | {len(aligned):,} | {right} | {area:.4f} | {share} |")
    return "\n".join(rows) + "\n"


def historical() -> str:
    """What the folding of historical prints takes for the same."""
    rows = ["| | code | name | read as |", "| --- | --- | --- | --- |"]
    for letter, meant in HISTORICAL.items():
        private = "\ue000" <= letter <= "\uf8ff"
        name = "in the Private Use Area" if private else unicodedata.name(letter).lower()
        shown = "" if private else f"◌{letter}" if unicodedata.combining(letter) else letter
        taken = f"◌{meant}" if unicodedata.combining(meant[0]) else unicodedata.normalize("NFC", meant)
        rows.append(f"| {shown} | U+{ord(letter):04X} | {name} | {taken} |")
    return "\n".join(rows) + "\n"


MAKERS: dict[str, Callable[[], str]] = {
    "ocr_foldings.md": foldings,
    "ocr_historical.md": historical,
}
