"""The tables, as Markdown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import fastarac as fa
from fastarac.datasets import load_digits_ocr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# As printed in Kimura et al. 2024. The number of decimals is the paper's.
TABLE_4 = {
    1: ("0.921", "0.970", "0.954", "0.783", "1.21", "1.46"),
    2: ("0.921", "0.822", "0.704", "0.423", "0.36", "0.47"),
    3: ("0.998", "0.994", "0.718", "0.437", "0.50", "0.55"),
}
TABLE_6 = {
    4: ("0.760", "0.982", "0.987", "0.849", "1.49", "1.70"),
    5: ("0.998", "0.9999", "0.999", "0.961", "1.91", "1.92"),
}
# Table 7: ARAC-AUC, normalised ARAC-AUC, ARP-AUC, normalised ARP-AUC, ROC-AUC of four models.
TABLE_7 = {
    1: (0.9876, 0.8575, 0.9820, 0.8052, 0.7840),
    2: (0.9956, 0.9317, 0.9953, 0.9291, 0.9407),
    3: (0.9579, 0.7941, 0.9421, 0.7521, 0.8409),
    4: (0.9717, 0.8307, 0.9675, 0.8196, 0.9311),
}


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def side_by_side(computed: float, printed: str) -> str:
    """The computed value with the printed one after it; bold where they differ."""
    text = f"{computed:.{len(printed.partition('.')[2])}f}"
    pair = f"{text} / {printed}"
    return pair if text == printed else f"**{pair}**"


def recognition_rate(arac_auc: float, roc_auc: float) -> float:
    """β from the two areas: the identity solved for 1 − β."""
    misorder = 1 - roc_auc
    root = math.sqrt(misorder**2 + (2 - 4 * misorder) * (1 - arac_auc))
    return 1 - (root - misorder) / (1 - 2 * misorder)


def table_7() -> str:
    rows = []
    for model, (arac_auc, normalized, arp_auc, normalized_arp, roc_auc) in TABLE_7.items():
        beta = recognition_rate(arac_auc, roc_auc)
        pairs = [
            f"{((area - beta) / (1 - beta) + beta) / 2:.3f} / {printed:.4f}"
            for area, printed in ((arac_auc, normalized), (arp_auc, normalized_arp))
        ]
        areas = [f"{area:.4f}" for area in (arac_auc, roc_auc, arp_auc)]
        rows.append([str(model), *areas, f"{beta:.3f}", *pairs])
    header = ["model", "ARAC-AUC", "ROC-AUC", "ARP-AUC", "β that follows"]
    header += ["normalised ARAC-AUC: follows / printed", "normalised ARP-AUC: follows / printed"]
    return markdown(header, rows)


def digits() -> str:
    header = ["model", "β", "ROC-AUC", "ARAC-AUC", "AUGRC × 1000", "normalised ARAC-AUC"]
    rows = []
    for name, items in load_digits_ocr().items():
        figures = fa.evaluate(*items)
        rows.append(
            [
                f"`{name}`",
                f"{figures.recognition_rate:.4f}",
                f"{figures.roc_auc:.4f}",
                f"{figures.arac.auc:.4f}",
                f"{1000 * figures.augrc:.2f}",
                f"{figures.arac.normalized:.4f}",
            ]
        )
    return markdown(header, rows)


MAKERS: dict[str, Callable[[], str]] = {
    "table_7.md": table_7,
    "digits.md": digits,
}
