"""Files of outputs in every format that is read."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastarac.io import DataFileError, read_outputs

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = {
    "id": [1, 2, 3, 4],
    "prediction": ["007", "7", "", 'ö, "x"\nz'],
    "truth": ["007", "007", "a", 'ö, "x"\nz'],
    "confidence": [0.9, 0.5, -1e-3, 12.25],
    "correct": [True, False, False, True],
    "engine": ["b", "a", "b", "b"],
    "page": ["p1", "p1", "p2", "p2"],
    "weight": [1.0, 0.0, 2.5, 3.0],
}


def field(value: object) -> str:
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',;\t"\n') else text


def write_delimited(path: Path, columns: dict[str, list], delimiter: str = ",") -> Path:
    rows = [columns, *zip(*columns.values(), strict=True)]
    text = "".join(delimiter.join(map(field, row)) + "\n" for row in rows)
    return write_text(path, text)


def write_quoted_tsv(path: Path, columns: dict[str, list]) -> Path:
    """Write a file of which the first character says that its fields may be in quotes."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    first, *others = ("\t".join(map(field, row)) + "\n" for row in rows)
    name, _, names = first.partition("\t")
    return write_text(path, f'"{name}"\t{names}{"".join(others)}')


def write_text(path: Path, text: str) -> Path:
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_json(path: Path, columns: dict[str, list]) -> Path:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return write_text(path, "".join(json.dumps(row) + "\n" for row in rows))


def write_parquet(path: Path, columns: dict[str, object]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


WRITERS = {
    "f.csv": write_delimited,
    "f.CSV": write_delimited,
    "f.csv.gz": write_delimited,
    "f.tsv": write_quoted_tsv,
    "f.tsv.gz": write_quoted_tsv,
    "semicolon.csv": lambda path, columns: write_delimited(path, columns, ";"),
    "f.jsonl": write_json,
    "f.ndjson": write_json,
    "f.jsonl.gz": write_json,
    "f.parquet": write_parquet,
}


def refusal(path: Path, **columns: str) -> DataFileError:
    with pytest.raises(DataFileError) as caught:
        read_outputs(path, **columns)
    error = caught.value
    assert error.path == path
    assert str(error).startswith(str(path))
    assert "\n" not in str(error)
    return error
