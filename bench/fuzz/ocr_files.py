"""Files of OCR engines, true texts and tables of fields: wrong bytes, wrong structure.

A valid file is taken apart where its format has parts, these are dropped, doubled, moved, nested and
given other values, and then its bytes are changed. Every reader must give words (or rows), or refuse
with an error that names the file, in memory that the file's size allows.
"""

from __future__ import annotations

import copy
import json
import re
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.fuzz.running import memory_watched
from fastarac import ocr

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Mutation = Callable[[random.Random, bytes], bytes]

TESTS = Path(__file__).parents[2] / "tests" / "ocr" / "data"
SAMPLE = Path(ocr.__file__).parent / "sample"
PATIENCE = 20.0  # seconds for one file; the largest take one
LARGEST = 4 << 20  # bytes of an enlarged file
ENLARGED = 0.02  # share of the files

TABLES = (
    b"document,field,prediction,confidence,truth\na1,total,12.50,0.93,12.50\na1,date,,,2024-01-02\n",
    b'{"document": "a1", "field": "sum", "prediction": 12.50, "confidence": 0.9, "truth": null}\n' * 2,
)
NUMBERS = (
    *("0", "-1", "1e400", "-1e400", "nan", "NaN", "inf", "Infinity", "1e-400", "0x10", "1_000", "½"),
    *("9" * 400, "9" * 5000, "18446744073709551616", "-9223372036854775809", "10000000", "٣", "", " "),
)
VALUES = (
    *(None, True, False, 5, -1, 0, 10**7, 10**400, 2**63, float("inf"), float("nan"), 1e-320, 0.5),
    *("", "x", "5", "a b", "\x00", "\ud800", "\u2028", "9" * 5000, "[" * 100_000, '{"a": 1}', "HYPHEN"),
    *([], [[]], [None], [1, 2, 3], ["a", "b"], {}, {"a": 1}, {"pages": [{}]}, [[[0, 0]], ["x", 1]]),
)
TEXTS = (
    "",
    " ",
    "x",
    "a b",
    "\u00ad",
    "\u2028",
    "\U0001f600",
    "e" + "\u0301" * 50,
    "<",
    "&",
    "x" * 5000,
)
NAMES = (
    "Page",
    "String",
    "TextLine",
    "TextRegion",
    "Word",
    "TextEquiv",
    "Unicode",
    "HYP",
    "span",
    "div",
)
SNIPPETS = (
    *(
        b"<",
        b">",
        b"&",
        b'"',
        b"'",
        b"\t",
        b"\n",
        b"\r",
        b"\f",
        b"\x00",
        b"\xff",
        b"\x1a",
        b"-1",
        b"]]>",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xff\xfe\x00\x00",
        b"\x00\x00\xfe\xff",
        b"\xed\xa0\x80",
    ),
    *(b"\xf4\x90\x80\x80", b"&nbsp;", b"&#0;", b"&#xFFFFFFFF;", b"&undeclared;", b"<![CDATA[", b"<!--"),
    *(
        b'<!DOCTYPE alto SYSTEM "file:///etc/passwd">',
        b'<!DOCTYPE a [<!ENTITY b "c">]>',
        b"\\ud800",
        b"\\",
    ),
    *(
        b"<?xml version='1.0' encoding='utf-7'?>",
        b"encoding='x'",
        b"[[[[[[[[",
        b"}}}}",
        b"\x89PNG",
        b"PAR1",
    ),
)


@cache
def corpus() -> tuple[bytes, ...]:
    """Return the valid files, each once."""
    folders = TESTS, *(SAMPLE / name for name in ("plain", "enlarged", "truth"))
    paths = sorted(path for folder in folders for path in folder.iterdir() if path.is_file())
    return (*TABLES, *(path.read_bytes() for path in paths if not path.name.startswith("_")))


def attempt(rng: random.Random) -> None:
    """Change one file and read it in every way.

    Raises
    ------
    AssertionError
        If a refusal does not name the file, or a reader takes too long or too much memory.
    """
    content = changed(rng, rng.choice(corpus()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "damaged.dat")
        path.write_bytes(content)
        for reader in (
            lambda: ocr.read(path),
            lambda: ocr.read(path, hyphenated="parts"),
            lambda: ocr.read_truth(path),
            lambda: ocr.is_field_table(path),
            lambda: ocr.read_fields(path),
            lambda: ocr.inspect_file(path),
        ):
            begin = time.perf_counter()
            with memory_watched(len(content)):
                _read_or_refused(reader, path)
            if (taken := time.perf_counter() - begin) > PATIENCE:
                message = f"{taken:.0f} s for a file of {len(content):,} bytes"
                raise AssertionError(message)


def _read_or_refused(reader: Callable[[], object], path: Path) -> None:
    try:
        reader()
    except ocr.OcrFileError as error:
        if not str(error).startswith(str(path)):
            message = f"the refusal does not name the file: {error}"
            raise AssertionError(message) from error


def changed(rng: random.Random, content: bytes) -> bytes:
    """Return a file with some changes, of its structure first and then of its bytes."""
    if rng.random() < 0.7:
        content = _structure(rng, content)
    if rng.random() < 0.6:
        for _ in range(_few(rng)):
            content = rng.choice(BYTES)(rng, content)
    if rng.random() < ENLARGED:
        content = _enlarged(rng, content)
    return content


def _few(rng: random.Random) -> int:
    return rng.choice((1, 1, 1, 2, 2, 3, 5, 9))


def _structure(rng: random.Random, content: bytes) -> bytes:
    begin = content.lstrip()[:1]
    if begin == b"<":
        return _xml(rng, content)
    try:
        value = json.loads(content)
    except ValueError:
        return _table(rng, content)
    return _json(rng, value)


# --- JSON ----------------------------------------------------------------------------------------


def _json(rng: random.Random, value: Any) -> bytes:
    outer = [value]
    for _ in range(_few(rng)):
        holder, key = rng.choice(list(_places(outer)))
        kind = rng.randrange(6)
        if kind == 0:
            del holder[key]
            if not outer:
                outer = [None]
        elif kind == 1:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
        elif kind == 2:
            depth = rng.choice((1, 3, 40))
            for _ in range(depth):
                holder[key] = [holder[key]] if rng.random() < 0.5 else {"a": holder[key]}
        elif kind == 3 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        elif kind == 4:
            other, at = rng.choice(list(_places(outer)))
            holder[key] = copy.deepcopy(other[at])
        elif isinstance(holder, dict):
            holder[rng.choice(("text", "pages", "confidence", "Page", "x", "type"))] = holder.pop(key)
    if rng.random() < 0.05:  # JSON in JSON, as EasyOCR writes it
        outer = [[json.dumps(outer[0])]]
    return json.dumps(outer[0], ensure_ascii=rng.random() < 0.7).encode("utf-8", "surrogatepass")


def _places(outer: list[Any]) -> list[tuple[Any, Any]]:
    """Return the list or object, and the index or key, of every value."""
    found: list[tuple[Any, Any]] = []
    rest: list[Any] = [outer]
    while rest:
        holder = rest.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                rest.append(holder[key])
    return found or [(outer, 0)]


# --- XML -----------------------------------------------------------------------------------------


def _xml(rng: random.Random, content: bytes) -> bytes:
    from lxml import etree

    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    info = root.getroottree().docinfo.doctype
    for _ in range(_few(rng)):
        _change_element(rng, root)
    encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "iso-8859-1", "ascii"))
    return etree.tostring(root, encoding=encoding, xml_declaration=True, doctype=info or None)


def _change_element(rng: random.Random, root: Any) -> None:
    every = [each for each in root.iter("*") if each is not root]
    if not every:
        return
    element = rng.choice(every)
    above, kind = element.getparent(), rng.randrange(8)
    if kind == 0:
        above.remove(element)
    elif kind == 1:
        above.insert(rng.randrange(len(above) + 1), copy.deepcopy(element))
    elif kind == 2:
        other = rng.choice(every)
        if not any(each is element for each in (other, *other.iterancestors())):
            other.append(element)
    elif kind == 3:
        for _ in range(rng.choice((1, 5, 100, 300))):
            outside = element.makeelement(element.tag, dict(element.attrib))
            above.replace(element, outside)
            outside.append(element)
            above = outside
    elif kind == 4:
        namespace, _, _ = element.tag.rpartition("}")
        element.tag = f"{namespace}}}{rng.choice(NAMES)}" if namespace else rng.choice(NAMES)
    elif kind == 5:
        element.text = rng.choice(TEXTS)
    elif element.attrib:
        name = rng.choice(list(element.attrib))
        if kind == 6:
            del element.attrib[name]
        else:
            written = element.attrib[name]
            choices = (
                rng.choice(NUMBERS),
                rng.choice(TEXTS),
                _other_number(rng, written),
                written * 500,
            )
            element.set(name, rng.choice(choices))


def _other_number(rng: random.Random, text: str) -> str:
    found = list(re.finditer(r"[\d.]+", text))
    if not found:
        return text
    match = rng.choice(found)
    return text[: match.start()] + rng.choice(NUMBERS) + text[match.end() :]


# --- tables and text -----------------------------------------------------------------------------


def _table(rng: random.Random, content: bytes) -> bytes:
    delimiter = b"\t" if b"\t" in content else b","
    rows = [row.split(delimiter) for row in content.split(b"\n")]
    for _ in range(_few(rng)):
        row = rng.choice(rows)
        kind = rng.randrange(5)
        if kind == 0:
            rows.remove(row)
            rows = rows or [[b""]]
        elif kind == 1:
            rows.insert(rng.randrange(len(rows) + 1), list(row))
        elif kind == 2:
            row.pop(rng.randrange(len(row))) if row else row.append(b"")
        elif kind == 3 and row:
            row[rng.randrange(len(row))] = rng.choice(NUMBERS).encode()
        elif row:
            row[rng.randrange(len(row))] = rng.choice((*TEXTS, '"', "a\rb", "\x0b\x1c")).encode()
    return b"\n".join(delimiter.join(row) for row in rows)


# --- bytes ---------------------------------------------------------------------------------------


def _span(rng: random.Random, content: bytes) -> tuple[int, int]:
    begin = rng.randrange(len(content) + 1)
    return begin, min(len(content), begin + rng.choice((0, 1, 2, 8, 40, 1000)))


def _replaced(rng: random.Random, content: bytes) -> bytes:
    begin, end = _span(rng, content)
    put = rng.choice(SNIPPETS) if rng.random() < 0.6 else rng.randbytes(rng.randrange(1, 9))
    return content[:begin] + put + content[end:]


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _doubled(rng: random.Random, content: bytes) -> bytes:
    begin, end = _span(rng, content)
    return content[:end] + content[begin:end] * rng.choice((1, 2, 300)) + content[end:]


def _spliced(rng: random.Random, content: bytes) -> bytes:
    other = rng.choice(corpus())
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other)) :]


def _numbered(rng: random.Random, content: bytes) -> bytes:
    found = list(re.finditer(rb"[\d.]+", content))
    if not found:
        return content
    match = rng.choice(found)
    return content[: match.start()] + rng.choice(NUMBERS).encode() + content[match.end() :]


def _encoded(rng: random.Random, content: bytes) -> bytes:
    encoding = rng.choice(
        ("utf-16", "utf-32", "utf-16-be", "utf-32-le", "latin-1", "cp1252", "utf-8-sig")
    )
    return content.decode("utf-8", "replace").encode(encoding, "replace")


def _marked(rng: random.Random, content: bytes) -> bytes:
    return rng.choice(SNIPPETS) + content


def _enlarged(rng: random.Random, content: bytes) -> bytes:
    """Return a file in which a part is repeated some thousand times."""
    found = list(
        re.finditer(rb"<(\w+)\b[^>]*>[^<]*</\1>|<\w+[^<>]*/>|\{[^{}]*\},|[^\n]*\n|\S+\s", content)
    )
    part = rng.choice(found).span() if found else _span(rng, content)
    begin, end = part
    most = LARGEST // max(1, end - begin)
    return content[:end] + content[begin:end] * rng.randrange(most + 1) + content[end:]


BYTES: tuple[Mutation, ...] = (
    *(
        _replaced,
        _replaced,
        _replaced,
        _cut,
        _doubled,
        _spliced,
        _numbered,
        _numbered,
        _encoded,
        _marked,
    ),
)
