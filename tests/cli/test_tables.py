"""Tables in the terminal: where they are divided, and how long names are broken."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from fastarac.answers.tables import Column, broken
from fastarac.cli._tables import tables

NAMES = ["azure-document-intelligence-read-v4", "amazon-textract-analyze-2024"]


def printed(names: list[str], widths: list[list[int]], width: int) -> list[list[str]]:
    """Return the lines of each table of blocks of columns of such widths."""
    blocks = [[Column("x" * n, ["7" * n] * len(names)) for n in block] for block in widths]
    console = Console(file=StringIO(), width=width, color_system=None)
    found = []
    for each in tables(names, blocks, console):
        with console.capture() as captured:
            console.print(each)
        found.append([line.rstrip() for line in captured.get().splitlines()])
    return found


@pytest.mark.parametrize("width", [60, 80, 92])
@pytest.mark.parametrize(
    "widths", [[[10, 12, 12, 12], [11, 8]], [[10, 12, 12, 12, 12]], [[20, 20, 20, 20]], [[5]]]
)
def test_names_are_broken_where_their_parts_end(width, widths):
    found = printed(NAMES, widths, width)
    assert all(len(line) <= width for lines in found for line in lines)
    for lines in found:
        firsts = [line.split("  ")[0].strip() for line in lines[2:]]
        names = "".join(first for first in firsts if not set(first) <= set("7"))
        assert names == "".join(NAMES)
        assert not {"document", "intelli", "tex"} & set(firsts)
    columns = sum(line.count("x") for lines in found for line in lines[:1])
    assert columns == sum(map(sum, widths))  # nothing is cut off


def test_a_table_with_room_is_one():
    (lines,) = printed(NAMES, [[10, 10], [10]], 80)
    assert lines[2].startswith(NAMES[0])


def test_words_without_parts_are_broken_anywhere():
    found = printed(["W" * 200], [[10]], 80)
    assert all(len(line) <= 80 for lines in found for line in lines)
    assert sum(line.count("W") for lines in found for line in lines) == 200


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("missed, inserted, moved", 16, ["missed,", "inserted, moved"]),
        ("a_long_name.v2", 8, ["a_long_", "name.v2"]),
        ("short", 16, ["short"]),
        ("unbreakable", 4, ["unbreakable"]),
        ("", 4, [""]),
    ],
)
def test_parts_of_names(name, width, lines):
    assert broken(name, width).split("\n") == lines
