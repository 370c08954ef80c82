"""Pages that show the true text next to the engines' readings, for people to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.checks import real_scalar
from fastarac._core.results import Result
from fastarac._core.text import plural
from fastarac.evaluation.review import ComparedPage
from fastarac.ocr.engines import Engine
from fastarac.ocr.words.items import AlignedOutputs
from fastarac.ocr.words.page_texts import compared_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastarac.ocr.words.records import Records


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedTexts(Result):
    """Pages with their true text and the reading of each engine.

    Attributes
    ----------
    records : dict of str to Records
        The records of each engine.
    thresholds : dict of str to float
        For each engine with a known threshold, this threshold. Outputs at or above it are accepted.
    units : str
        Name of the unit, in the plural.

    See Also
    --------
    compare_texts : put the true text of all pages next to the engines' readings
    fastarac.report.write_review_pages : write one HTML file for each page
    """

    records: Mapping[str, Records]
    thresholds: Mapping[str, float]
    units: str

    def __repr__(self) -> str:
        n, engines = len(self.page_names), len(self.records)
        return f"ComparedTexts({n} {plural('page', n)}, {engines} {plural('engine', engines)})"

    @property
    def page_names(self) -> tuple[str, ...]:
        """The sorted names of all pages."""
        return tuple(sorted({name for each in self.records.values() for name in each.page_names}))

    def __review__(self, images: Mapping[str, Path]) -> Iterator[ComparedPage]:
        """Yield the pages in the order of their names."""
        places = {
            engine: {name: k for k, name in enumerate(records.page_names)}
            for engine, records in self.records.items()
        }
        for name in self.page_names:
            texts = tuple(
                (engine, compared_text(records, places[engine][name], self.thresholds.get(engine)))
                for engine, records in self.records.items()
                if name in places[engine]
            )
            yield ComparedPage(name, self.units, texts)


def compare_texts(
    engines: Mapping[str, Engine | AlignedOutputs], *, thresholds: Mapping[str, float] | None = None
) -> ComparedTexts:
    """Put the true text of all pages next to the engines' readings.

    Parameters
    ----------
    engines : mapping of str to Engine or AlignedOutputs
        The results of :func:`align_files` or :func:`align`, by name of the engine.
    thresholds : mapping of str to float, optional
        Threshold of each engine. Outputs at or above it are accepted unchecked, and accepted errors are
        marked.

    Returns
    -------
    ComparedTexts
        Pass it to :func:`fastarac.report.write_review_pages`, which writes one file per page.

    Raises
    ------
    TypeError, ValueError
        If `engines` is empty or has a value of another type, if a threshold is not a number or belongs
        to no engine, or if the engines have different units.

    See Also
    --------
    fastarac.report.write_report : shows the worst pages in the same form.

    Notes
    -----
    The lines are those of the true text, but lines of more than 20 words are broken. A reading is shown
    next to its true words, even if the engine read it elsewhere on the page ("moved").

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> sample = fa.ocr.load_sample()
    >>> texts = fa.ocr.compare_texts(
    ...     {name: fa.ocr.align(sample.truth, words) for name, words in sample.outputs.items()}
    ... )
    >>> texts
    ComparedTexts(20 pages, 2 engines)
    >>> with TemporaryDirectory() as folder:
    ...     files = fa.report.write_review_pages(Path(folder, "pages"), texts)
    >>> files[0]
    'article_bees.html'
    """
    if not isinstance(engines, Mapping) or not engines:
        raise TypeError(
            "engines must be a mapping of names to results of align or align_files, got "
            f"{engines!r:.60}"
        )
    aligned: dict[str, AlignedOutputs] = {}
    for name, each in engines.items():
        found = each.aligned if isinstance(each, Engine) else each
        if not isinstance(found, AlignedOutputs):
            raise TypeError(
                f"engines[{name!r}] must be a result of fastarac.ocr.align or align_files, got a "
                f"{type(each).__name__}"
            )
        aligned[name] = found
    units = {each.reading.unit for each in aligned.values()}
    if len(units) > 1:
        raise ValueError(f"engines must all have the same unit, got {', '.join(sorted(units))}")
    given = {} if thresholds is None else dict(thresholds)
    unknown = sorted(set(given) - set(aligned))
    if unknown:
        raise ValueError(f"thresholds must have names of engines, got {', '.join(map(repr, unknown))}")
    values = {name: real_scalar(value, f"thresholds[{name!r}]") for name, value in given.items()}
    return ComparedTexts(
        {name: each.records for name, each in aligned.items()}, values, plural(units.pop())
    )
