"""Files of outputs (CSV, TSV, JSON lines, Parquet), compressed or not: wrong bytes, parts and sizes.

A valid file is made anew for each attempt; its bytes are changed, cut, doubled and put together with
those of others, before and after it is compressed, and now and then it is made to expand far. Reading
it must give outputs, or refuse with an error that names the file, in memory that its size allows.
"""

from __future__ import annotations

import gzip
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bench.fuzz.running import memory_watched
from fastarac.io import DataFileError, read_outputs, reading_limits, sketch_outputs

if TYPE_CHECKING:
    import random

HEADS = {".csv": b"id,correct,confidence\n", ".tsv": b"id\tcorrect\tconfidence\n", ".jsonl": b""}
ROWS = {
    ".csv": (
        b"a,1,0.5\n",
        b'"b, c",0,0.25\n',
        b'"d\n""e",1,99\r\n',
        b";;;\n",
        b',"",\n',
        b"f,true,9e99\n",
    ),
    ".tsv": (b"a\t1\t0.5\n", b'"b\t0\t0.25\n', b"\t\t\n", b"c\t1\t0,5\n"),
    ".jsonl": (
        b'{"id": "a", "correct": 1, "confidence": 0.5}\n',
        b'{"id": {"x": [1]}, "correct": false, "confidence": 1e400}\n',
        b'{"confidence": null, "confidence": 2}\n',
        b"[" * 200 + b"\n",
    ),
}
VALID = 0.7  # share of the rows that are as they should be
INSIDE = (
    b"\0",
    b'"',
    b"\n",
    b"\r",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"9" * 400,
    b"[" * 5000,
    b"nan",
    b"{}",
)
NAMES = ("correct", "confidence", "id")
EXPANSIONS = 2_000_000, 80_000_000  # bytes: the first are read, the others are beyond the limit
EXPANDED = 0.02  # share of the files
FLAGS = b"\x1f\x8b\x08"


def attempt(rng: random.Random) -> None:
    """Read one file of outputs, at once or in a stream."""
    _load()
    kind = rng.choice([*HEADS, *HEADS, ".parquet"])
    data = _mutated(rng, _parquet(rng.randrange(4)) if kind == ".parquet" else _text(rng, kind))
    name = f"f{kind}"
    if kind != ".parquet" and rng.random() < 0.7:
        name += ".gz"
        data = _expanding(rng, kind) if rng.random() < EXPANDED else _compressed(rng, data)
    lines = {} if rng.random() < 0.8 else {"max_line": rng.choice([1, 50, 5000])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        columns = {} if rng.random() < 0.7 else {"by": rng.choice(NAMES), "item": rng.choice(NAMES)}
        with memory_watched(len(data)), reading_limits(**lines):
            try:
                if rng.random() < 0.7:
                    read_outputs(path, **columns)
                else:
                    sketch_outputs(path)
            except DataFileError as error:
                if not str(error).startswith(str(path)):
                    raise


@cache
def _load() -> None:
    """Read a valid file, so that compiled code is loaded before memory is watched."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.parquet")
        path.write_bytes(_parquet(0))
        read_outputs(path, by="id", item="id")
        sketch_outputs(path)


def _text(rng: random.Random, kind: str) -> bytes:
    rows = ROWS[kind]
    chosen = [rows[0] if rng.random() < VALID else rng.choice(rows) for _ in range(rng.randrange(40))]
    return HEADS[kind] + b"".join(chosen)


@cache
def _parquet(which: int) -> bytes:
    """Return one of a few Parquet files, of several compressions and with several groups of rows."""
    import duckdb

    compression = ("snappy", "gzip", "zstd", "uncompressed")[which]
    columns = "range::VARCHAR AS id, range % 3 = 0 AS correct, range / 7 AS confidence"
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder, "f.parquet")
        options = f"FORMAT parquet, COMPRESSION {compression}, ROW_GROUP_SIZE 2048"
        connection.execute(f"COPY (SELECT {columns} FROM range(5000)) TO '{path}' ({options})")
        return path.read_bytes()


def _mutated(rng: random.Random, data: bytes) -> bytes:
    """Change, cut out, double or put in bytes, at some places; those of Parquet's footer more often."""
    changed = bytearray(data)
    for _ in range(rng.choice([0, 1, 1, 2, 8])):
        size = len(changed)
        place = rng.randrange(size + 1) if rng.random() < 0.6 else max(0, size - rng.randrange(1, 400))
        length = rng.choice([1, 1, 4, 50, 2000])
        action = rng.randrange(5)
        if action == 0:
            changed[place : place + 1] = rng.randbytes(1)
        elif action == 1:
            del changed[place : place + length]
        elif action == 2:
            changed[place:place] = changed[place : place + length] * rng.choice([1, 2, 20])
        elif action == 3:
            changed[place:place] = rng.choice(INSIDE)
        else:
            del changed[place:]
    return bytes(changed)


def _compressed(rng: random.Random, data: bytes) -> bytes:
    """Compress data as one file or several ones behind each other; change bytes of these, too."""
    middle = rng.randrange(len(data) + 1)
    parts = [data] if rng.random() < 0.5 else [data[:middle], data[middle:]]
    packed = b"".join(gzip.compress(part, rng.choice([0, 1, 9])) for part in parts)
    end = rng.choice([b"", b"", b"\0" * 20, b"end", FLAGS, packed])
    return (_mutated(rng, packed) if rng.random() < 0.5 else packed) + end


def _expanding(rng: random.Random, kind: str) -> bytes:
    """Compress one row again and again, or one byte, to a file that is far smaller."""
    row = rng.choice([ROWS[kind][0], b"z", b'"', b"\n", rng.choice(ROWS[kind])])
    size = rng.choice(EXPANSIONS)
    pack = zlib.compressobj(9, wbits=31)
    block = row * (100_000 // len(row))
    parts = [pack.compress(HEADS[kind])]
    parts += [pack.compress(block) for _ in range(size // len(block))]
    return b"".join([*parts, pack.flush(rng.choice([zlib.Z_FINISH, zlib.Z_SYNC_FLUSH]))])
