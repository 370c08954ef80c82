"""The accepted shares of the sample of pages under every policy, as a table."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

import fastarac as fa
from fastarac._core.text import rounded_percent
from fastarac.ocr import align, load_sample
from fastarac.ocr.words.folding import EXPLAINED, HISTORICAL
from fastarac.ocr.words.policies import INSERTED, MISSED

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = (0.005, 0.01, 0.05)


def policies() -> str:
    """Accepted share of each setting at each limit, under each pair of policies."""
    sample = load_sample()
    settings = {name: align(sample.truth, words) for name, words in sample.outputs.items()}
    header = [f"{name}, {rounded_percent(limit)}" for name in settings for limit in LIMITS]
    rows = [f"| missed | inserted | {' | '.join(header)} |", "|---|---|" + "---:|" * len(header)]
    for missed in MISSED:
        for inserted in INSERTED:
            cells = []
            for aligned in settings.values():
                items = aligned.with_policy(missed=missed, inserted=inserted)
                points = [items.operating_point(max_error_rate=limit) for limit in LIMITS]
                cells += [rounded_percent(point.acceptance_rate) for point in points]
            rows.append(f"| `{missed}` | `{inserted}` | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def missed() -> str:
    """What is found on the clean pages, and on the worn ones."""
    sample = load_sample()
    rows = [
        "| setting | pages | true words | right | missed | inserted |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for setting, words in sample.outputs.items():
        pages = align(sample.truth, words).pages
        worn = np.array([name.startswith("worn") for name in pages.name])
        for label, part in (("clean", ~worn), ("worn", worn)):
            columns = (pages.true_words, pages.right, pages.missed, pages.inserted)
            cells = " | ".join(f"{column[part].sum():,}" for column in columns)
            rows.append(f"| {setting} | {part.sum()} {label} | {cells} |")
    return "\n".join(rows) + "\n"


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
    "ocr_policies.md": policies,
    "ocr_missed.md": missed,
    "ocr_foldings.md": foldings,
    "ocr_historical.md": historical,
}
