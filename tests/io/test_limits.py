"""Limits on what files may hold: of lines, of how far compressed files expand, and of columns."""

from __future__ import annotations

import gzip
import math
import random
import subprocess
import sys
import zlib
from pathlib import Path

import duckdb
import numpy as np
import pytest
from commands import reason as refused
from commands import run

from bench.fuzz import compressed as compressed_files
from fastarac import operation
from fastarac.io import DataFileError, read_models, read_outputs, reading_limits, sketch_outputs

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
HEADER = b"correct,confidence\n"
POLICY = operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
MEASURED = """
import sys
from bench import memory
from fastarac.io import DataFileError, read_outputs

open(sys.argv[2], "w").write("correct,confidence\\n1,0.5\\n")
read_outputs(sys.argv[2])
before = memory.peak()
try:
    print(read_outputs(sys.argv[1]))
except DataFileError as error:
    print(error)
print(memory.peak() - before)
"""


def measured(path):
    """What came of a file, and by how many bytes the peak of memory rose in a process of its own."""
    command = [sys.executable, "-c", MEASURED, str(path), str(path.parent / "small.csv")]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    said, grown = found.stdout.splitlines()
    return said, int(grown)


def compressed(path, *parts):
    """Write a .gz file of repeated bytes without having all of them in memory."""
    pack = zlib.compressobj(9, wbits=31)
    with path.open("wb") as file:
        for part, times in parts:
            block = part * max(1, MIB // len(part))
            blocks, rest = divmod(times * len(part), len(block))
            for _ in range(blocks):
                file.write(pack.compress(block))
            file.write(pack.compress(block[:rest]))
        file.write(pack.flush())
    return path


def refusal(path, **columns):
    with pytest.raises(DataFileError) as caught:
        read_outputs(path, **columns)
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


TOO_FAR = (
    r"it expands to more than 200 times its [\d,]+ bytes.*reading_limits\(max_ratio=RATIO\) allows"
)


class TestExpansion:
    @pytest.mark.parametrize("name", ["f.csv.gz", "f.tsv.gz", "f.jsonl.gz"])
    def test_a_bomb_takes_little_memory(self, tmp_path, name):
        row = {"f.tsv.gz": b"1\t0.5\n", "f.jsonl.gz": b'{"correct": 1, "confidence": 0.5}\n'}
        head = HEADER.replace(b",", b"\t") if "tsv" in name else HEADER
        parts = [] if "json" in name else [(head, 1)]
        line = row.get(name, b"1,0.5\n")
        path = compressed(tmp_path / name, *parts, (line, 96 * MIB // len(line)))
        said, grown = measured(path)
        assert f"expands to more than 200 times its {path.stat().st_size:,} bytes" in said
        assert grown < 64 * MIB

    def test_one_long_line_takes_little_memory(self, tmp_path):
        path = compressed(tmp_path / "f.csv.gz", (HEADER, 1), (b"z", 96 * MIB))
        with reading_limits(max_ratio=math.inf):
            assert "a line has more than 16,777,216 bytes" in refusal(path)
        assert measured(path)[1] < 64 * MIB

    def test_one_long_line_in_a_file_too_small_for_the_ratio(self, tmp_path):
        path = compressed(tmp_path / "f.csv.gz", (HEADER + b"1,0.5\n", 1), (b"z", 20 * MIB))
        assert "a line has more than 16,777,216 bytes" in refusal(path)

    def test_what_the_file_says_of_its_size_is_not_believed(self, tmp_path):
        path = compressed(tmp_path / "f.csv.gz", (HEADER, 1), (b"1,0.5\n", 20 * MIB))
        path.write_bytes(path.read_bytes()[:-4] + b"\x10\0\0\0")
        with pytest.raises(DataFileError, match=TOO_FAR):
            read_outputs(path)

    @pytest.mark.parametrize("between", [b"", b"\0" * 9])
    def test_several_files_one_behind_the_other(self, tmp_path, between):
        rows = gzip.compress(b"1,0.5\n" * (2 * MIB))
        path = tmp_path / "f.csv.gz"
        path.write_bytes(gzip.compress(HEADER) + between + (rows + between) * 7)
        with pytest.raises(DataFileError, match=TOO_FAR):
            read_outputs(path)

    def test_an_error_in_the_middle_ends_it(self, tmp_path):
        rows = gzip.compress(b"1,0.5\n" * (2 * MIB))
        path = tmp_path / "f.csv.gz"
        path.write_bytes(gzip.compress(HEADER) + rows[:-5] + b"\1" + rows[-4:] + rows * 7)
        assert "it is damaged: its checksum is wrong" in refusal(path)

    def test_up_to_64_mib_any_ratio_is_read(self, tmp_path):
        path = compressed(tmp_path / "f.csv.gz", (HEADER, 1), (b"1,0.5\n", 2 * MIB))
        assert 200 * path.stat().st_size < 12 * MIB
        assert len(read_outputs(path)) > MIB

    def test_an_honest_file_that_compresses_well_is_read_on_request(self, tmp_path):
        path = compressed(tmp_path / "f.csv.gz", (HEADER, 1), (b"1,0.5\n", 12 * MIB))
        goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
        readers = (
            lambda: len(read_outputs(path)),
            lambda: len(read_models({"a": path}).outputs["a"]),
            lambda: sketch_outputs(path).n_items,
            lambda: operation.apply_policy(POLICY, path, **goals).n_items,
        )
        for read in readers:
            with pytest.raises(DataFileError, match=TOO_FAR):
                read()
        with reading_limits(max_ratio=2000):
            assert readers[0]() > 11 * MIB
        with pytest.raises(DataFileError, match=TOO_FAR):
            readers[0]()

    def test_files_that_expand_as_others_do(self, tmp_path):
        rng = np.random.default_rng(3)
        rows = "".join(f"{i % 2},{value:.5f}\n" for i, value in enumerate(rng.random(200_000)))
        path = tmp_path / "f.csv.gz"
        path.write_bytes(gzip.compress(HEADER + rows.encode()))
        assert path.stat().st_size > MIB / 2  # so that it is looked at
        assert len(read_outputs(path)) == 200_000

    def test_parquet(self, tmp_path):
        path = tmp_path / "f.parquet"
        rows = "SELECT 1.0::DOUBLE AS confidence, true AS correct FROM range(10000000)"
        duckdb.sql(rows).write_parquet(str(path))
        assert path.stat().st_size < MIB / 4
        said, grown = measured(path)
        assert "expands to more than 200 times its" in said
        assert grown < 64 * MIB
        with reading_limits(max_ratio=math.inf):
            assert len(read_outputs(path)) == 10_000_000


class TestLines:
    @pytest.mark.parametrize("name", ["f.csv", "f.csv.gz", "f.tsv", "f.jsonl", "f.jsonl.gz"])
    def test_the_limit(self, tmp_path, name):
        mark, path = ("\t" if "tsv" in name else ","), tmp_path / name
        lines = [f"note{mark}correct{mark}confidence", f"a{mark}1{mark}0.5"]
        lines.append(f"{'z' * 5000}{mark}1{mark}0.5")
        if "json" in name:
            lines[1:] = [
                f'{{"note": "{n}", "correct": 1, "confidence": 0.5}}' for n in ("", "z" * 5000)
            ]
            del lines[0]
        text = "".join(f"{line}\n" for line in lines).encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
        assert len(read_outputs(path)) == 2
        with reading_limits(max_line=5100):
            assert len(read_outputs(path)) == 2
        with reading_limits(max_line=5000):
            message = refusal(path)
        assert f"line {len(lines)} has more than 5,000 bytes; reading_limits(max_line=BYTES)" in message

    @pytest.mark.parametrize("name", ["f.csv", "f.jsonl"])
    def test_the_default(self, tmp_path, name):
        path = tmp_path / name
        for length in (15 * MIB, 17 * MIB):
            text = f'correct,confidence,note\n1,0.5,"{"z" * length}"\n'
            if name.endswith("jsonl"):
                text = f'{{"correct": 1, "confidence": 0.5, "note": "{"z" * length}"}}\n'
            path.write_text(text)
            if length < 16 * MIB:
                assert len(read_outputs(path)) == 1
            else:
                assert "has more than 16,777,216 bytes" in refusal(path)
                with reading_limits(max_line=64 * MIB):
                    assert len(read_outputs(path)) == 1

    @pytest.mark.parametrize("mib", [17, 40])
    def test_a_last_line_that_does_not_end(self, tmp_path, mib):
        path = tmp_path / "f.csv"
        path.write_bytes(HEADER + b"1,0.5\n" * 3 + b"z" * mib * MIB)
        assert "the last line has more than 16,777,216 bytes" in refusal(path)
        path.write_bytes(HEADER + b"1,0.5\n" * 3 + b"1,0.25" + b" " * 2 * MIB)
        assert read_outputs(path).confidence.tolist() == [0.5, 0.5, 0.5, 0.25]

    def test_long_lines_among_short_ones(self, tmp_path):
        path = tmp_path / "f.csv"
        short = "a,1,0.5\n" * (MIB // 2)
        path.write_text("note,correct,confidence\n" + f"{short}{'z' * 15 * MIB},0,0.25\n" * 3 + short)
        outputs = read_outputs(path)
        assert len(outputs) == 2 * MIB + 3
        assert outputs.confidence[~outputs.correct].tolist() == [0.25] * 3

    def test_a_quote_that_is_never_closed_takes_little_memory(self, tmp_path):
        path = tmp_path / "f.csv"
        with path.open("wb") as file:
            file.write(HEADER + b'1,"')
            for _ in range(200):
                file.write((b"z" * 1023 + b"\n") * 1024)
        said, grown = measured(path)
        assert "f.csv, row 1 (line 2): the row has more than 16,777,216 bytes" in said
        assert grown < 250 * MIB

    def test_many_columns(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_text("correct,confidence" + ",a" * 100_000 + "\n1,0.5" + ",1" * 100_000 + "\n")
        said, grown = measured(path)
        assert "/f.csv: it must have at most 10,000 columns, got" in said
        assert grown < 64 * MIB


def test_inputs_of_the_fuzzer():
    for seed in range(40):
        compressed_files.attempt(random.Random(seed))


class TestLimits:
    def test_inner_ones_keep_what_they_do_not_name(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_bytes(HEADER + b"1,0.5\n")
        with reading_limits(max_line=10):
            with reading_limits(max_ratio=5):
                assert "line 1 has more than 10 bytes" in refusal(path)
            with reading_limits(max_line=30):
                assert len(read_outputs(path)) == 1
            assert "line 1 has more than 10 bytes" in refusal(path)
        assert len(read_outputs(path)) == 1

    @pytest.mark.parametrize(
        ("limits", "kind", "message"),
        [
            ({"max_line": 0}, ValueError, "max_line must be an integer of at least 1, got 0"),
            ({"max_line": 1.5}, TypeError, r"max_line must be an integer, got 1\.5 \(float\)"),
            ({"max_ratio": 0.5}, ValueError, r"max_ratio must be a number of at least 1, got 0\.5"),
            ({"max_ratio": math.nan}, ValueError, "max_ratio must be a number, got nan"),
            ({"max_ratio": "9"}, TypeError, r"max_ratio must be a number, got '9' \(str\)"),
        ],
    )
    def test_wrong_ones(self, limits, kind, message):
        with pytest.raises(kind, match=message), reading_limits(**limits):
            pass

    def test_of_commands(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_text(f"note,correct,confidence\n{'z' * 900},1,0.5\nb,0,0.25\n")

        problem = "line 2 has more than 500 bytes; fastarac --max-line SIZE allows longer ones"
        assert refused("--max-line", "500", "evaluate", path) == f"{path}: {problem}"
        assert "At most 1% errors" in run("--max-line", "1KB", "evaluate", path).stdout
        for words in (["--max-line", "much"], ["--max-ratio", "0.5"], ["--max-ratio", "x"]):
            said = run(*words, "evaluate", path, code=2).stderr
            assert f"Invalid value for '{words[0]}': '{words[1]}' is" in said
        assert len(read_outputs(path)) == 2  # the limits of a command end with it


def test_a_damaged_footer_names_the_file(tmp_path):
    path = tmp_path / "f.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT true AS correct, 0.5 AS confidence) TO '{path}'")
    data = path.read_bytes()
    place = data.rindex(b"correct")  # in what the footer says of a column
    path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    with pytest.raises(DataFileError, match="or it is damaged") as caught:
        read_outputs(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["f.jsonl.gz", "f.csv.gz"])
def test_text_in_a_damaged_gzip_file_that_is_not_utf8(tmp_path, name):
    path = tmp_path / name
    data = gzip.compress(b"\xaa")
    path.write_bytes(data[:-8] + bytes(4) + data[-4:])  # another checksum
    with pytest.raises(DataFileError) as caught:
        read_outputs(path)
    assert str(caught.value).startswith(f"{path}: ")
