"""Read the saved items and pages of the study from their Parquet files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fastarac.io import Labels, Outputs
from fastarac.ocr.words.error_rates import COUNTS, rates_of_pages

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import pandas as pd

    from fastarac.results import ErrorRates

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Study:
    """All sources of a folder.

    Attributes
    ----------
    folder : Path
        With a Parquet file for each source, and ``pages.parquet``.
    """

    folder: Path = DATA

    @cached_property
    def items(self) -> pd.DataFrame:
        """Every item: source, engine, page, quality, kind, correct, confidence (NaN: none)."""
        import pandas as pd

        files = sorted(path for path in self.folder.glob("*.parquet") if path.stem != "pages")
        return pd.concat(
            [pd.read_parquet(path).assign(source=path.stem) for path in files], ignore_index=True
        )

    @cached_property
    def pages(self) -> pd.DataFrame:
        """The edits of each engine on each page."""
        import pandas as pd

        return pd.read_parquet(self.folder / "pages.parquet")

    @cached_property
    def typeset(self) -> list[str]:
        """The sources that are pages."""
        return sorted(set(self.pages.source))


def where(
    table: pd.DataFrame,
    *,
    source: str | Collection[str] | None = None,
    quality: str | Collection[str] | None = None,
    engine: str | None = None,
    pages: Collection[str] | None = None,
) -> pd.DataFrame:
    """Return the rows of some sources, qualities, one engine, and some pages."""
    keep = np.ones(len(table), bool)
    for column, wanted in (
        ("source", source),
        ("quality", quality),
        ("engine", engine),
        ("page", pages),
    ):
        if wanted is not None:
            keep &= table[column].isin([wanted] if isinstance(wanted, str) else wanted).to_numpy()
    return table[keep]


def outputs_of(items: pd.DataFrame) -> Outputs:
    """Return items as outputs: those without a confidence are rejected, pages are the groups."""
    confidence = items.confidence.to_numpy(np.float64)
    rejected = np.isnan(confidence)
    lowest = float(confidence[~rejected].min()) - 1.0
    names, codes = np.unique(items.page.to_numpy(str), return_inverse=True)
    return Outputs(
        items.correct.to_numpy(bool),
        np.where(rejected, lowest, confidence),
        group=Labels(tuple(names.tolist()), codes.astype(np.intp)),
        rejected=rejected if rejected.any() else None,
    )


def engines_in(items: pd.DataFrame) -> list[str]:
    """Return the engines of some items, by name."""
    return sorted(set(items.engine))


def shared_pages(items: pd.DataFrame, engines: Iterable[str]) -> set[str]:
    """Return the pages that all these engines have read."""
    sets = [set(items.page[items.engine == engine]) for engine in engines]
    return set.intersection(*sets)


def rates_of(pages: pd.DataFrame) -> ErrorRates:
    """Return the error rates of some rows of the table of pages, one engine's."""
    counts = pages[list(COUNTS)].to_numpy(np.int64)
    return rates_of_pages(tuple(pages.page), counts, 0.95)
