"""Convert the files of the engines to items: right or wrong, with confidence, kind and page.

A source is a language in a layout, a data set, or the invoices; of each there is a Parquet file of
items. ``pages.parquet`` has the edits of each page. Texts are not saved, because they can be generated
again.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.study import classifiers, invoices
from bench.study.engines import ENGINES
from bench.study.languages import LANGUAGES
from bench.study.reading import engines_of
from fastarac import ocr
from fastarac.ocr.words.error_rates import COUNTS
from fastarac.ocr.words.records import Reading, Records, records_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from bench.study.pages import Recipe
    from bench.study.reading import Settings
    from fastarac.ocr.words.folding import Folding

DATA = Path(__file__).parent / "data"
FOLD: tuple[Folding, ...] = (
    "nfkc",
    "quotes",
)  # the width of a mark and the shape of a quotation mark are no errors
N_INVOICES = 1000


def words_of(folder: Path, language: str, engine: str, names: Sequence[str]) -> ocr.Engine:
    """Return what an engine with confidences made of some pages of a language, aligned.

    Parameters
    ----------
    folder : Path
        With a folder for each language.
    language, engine : str
        Its code, and the name of the engine's folder.
    names : sequence of str
        Of the pages.
    """
    inside = folder / language
    form = "json" if engine == "rapidocr" else "tsv"
    truth = [inside / "lines" / f"{name}.txt" for name in names]
    outputs = [inside / engine / f"{name}.{form}" for name in names]
    return ocr.align_files(ocr.pair_files(truth, outputs), fold=FOLD)


def _without_confidences(folder: Path, language: str, engine: str, names: Sequence[str]) -> Records:
    """Return the records of an engine that writes nothing but a text."""
    truth, found = (
        ocr.Words.concatenate(
            ocr.read_truth(folder / language / each / f"{name}.txt") for name in names
        )
        for each in ("lines", engine)
    )
    return records_of(truth, found, Reading(fold=FOLD))


def sources(settings: Settings, folder: Path) -> Iterator[tuple[str, list[pa.Table], list[Any]]]:
    """Return of each source its name, its items by engine, and the rows of its pages."""
    wanted = list(settings.complete(folder))
    for language in settings.languages:
        for layout in settings.layouts:
            mine = [each for each in wanted if (each.language, each.layout) == (language, layout)]
            if mine:
                yield f"{language}-{layout}", *_pages(folder, language, mine)
    yield "invoices", [_invoices()], []
    for name in classifiers.SETS:
        parts = []
        for engine, correct, confidence in classifiers.items(name):
            kind = np.where(correct, "right", "wrong")
            examples = [f"{i:04d}" for i in range(len(correct))]
            parts.append(_table(engine, examples, ["clean"] * len(correct), kind, correct, confidence))
        yield name, parts, []


def _pages(folder: Path, language: str, mine: list[Recipe]) -> tuple[list[pa.Table], list[Any]]:
    """Return items and pages of one source, all engines."""
    quality = {each.name: each.quality for each in mine}
    parts, rows = [], []
    for engine in ENGINES:
        names = [each.name for each in mine if engine in engines_of(each)]
        if not names:
            continue
        if engine == "ocrad":
            records = _without_confidences(folder, language, engine, names)
        else:
            read = words_of(folder, language, engine, names)
            aligned, records = read.aligned, read.aligned.records
            if not LANGUAGES[language].spaces:
                # some engines write a space after each character, which is no error here
                reading = Reading(fold=(*FOLD, "whitespace"))
                records = records_of(read.truth, read.words, reading)
            never = aligned.never_accepted
            confidence = np.where(aligned.confidence == never, np.nan, aligned.confidence)
            pages = aligned.groups.tolist()
            qualities = [quality[page] for page in pages]
            parts.append(_table(engine, pages, qualities, aligned.kind, aligned.correct, confidence))
        for page, edits in zip(records.page_names, records.edits.astype(int).tolist(), strict=True):
            counted = dict(zip(COUNTS, edits, strict=True))
            rows.append({"engine": engine, "page": page, "quality": quality[page], **counted})
    return parts, rows


def _invoices() -> pa.Table:
    """Return the fields of made-up invoices: what was read of them, and how surely, was drawn."""
    with TemporaryDirectory() as name:
        made = invoices.make(N_INVOICES)
        truth, outputs, ways = invoices.write(Path(name), made, "azure")
        fields = ocr.read_fields(outputs, truth, compare=ways)
    confidence = np.where(fields.rejected, np.nan, fields.confidence)
    qualities = ["drawn"] * len(confidence)
    documents = fields.groups.tolist()
    return _table("drawn", documents, qualities, fields.kind, fields.correct, confidence)


def _table(
    engine: str, page: list[str], quality: list[str], kind: Any, correct: Any, confidence: Any
) -> pa.Table:
    """Return the items of one engine; those without a confidence have a null, not NaN."""
    import pyarrow as pa

    return pa.table(
        {
            "engine": pa.array([engine] * len(page)),
            "page": pa.array(page),
            "quality": pa.array(quality),
            "kind": pa.array(list(map(str, kind))),
            "correct": pa.array(correct, pa.bool_()),
            "confidence": pa.array(confidence.astype(np.float32), pa.float32(), from_pandas=True),
        }
    )


def write(settings: Settings, folder: Path, data: Path = DATA) -> dict[str, int]:
    """Write the Parquet files of all sources; return how many items each has."""
    import pyarrow as pa

    data.mkdir(exist_ok=True)
    sizes, pages = {}, []
    for name, parts, rows in sources(settings, folder):
        items = pa.concat_tables(parts)
        _save(items, data / f"{name}.parquet")
        sizes[name] = len(items)
        pages += [{"source": name, **row} for row in rows]
    _save(pa.Table.from_pylist(pages), data / "pages.parquet")
    return sizes


def _save(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    dictionary = [name for name in table.column_names if name != "confidence"]
    # the bytes of a float apart from each other: those that are alike stand together
    split = {"confidence"} & set(table.column_names)
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=dictionary,
        use_byte_stream_split=sorted(split),
    )
