"""Files that something has damaged: words or an error that names the file, and nothing else."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.ocr import OcrFileError, read, read_truth

DATA = Path(__file__).parent / "data" / "ocr"
JSON_FILES = sorted(path.name for path in DATA.glob("*.json"))
OTHER_FILES = sorted(path.name for path in DATA.iterdir() if path.suffix != ".json")

WRONG = st.sampled_from(
    [None, 5, -1, 1e400, "x", "5", True, [], [[]], [None], [1, 2, 3], ["a", "b"], {}, {"a": 1}]
)


def read_or_refuse(path, reader=read):
    try:
        words = reader(path)
    except OcrFileError as error:
        said = str(error)
    else:
        said = f"{path}: {len(words)} words"
    assert said.startswith(str(path))


def places(value, above=()):
    """Yield the keys that lead to each value of a JSON document."""
    yield above
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*above, key))


@pytest.mark.parametrize("name", JSON_FILES)
@given(data=st.data())
def test_json_with_a_wrong_value(tmp_path_factory, name, data):
    document = json.loads((DATA / name).read_text(encoding="utf-8"))
    keys = data.draw(st.sampled_from(list(places(document))[1:]))
    changed = copy.deepcopy(document)
    holder = changed
    for key in keys[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()):
        holder[keys[-1]] = data.draw(WRONG)
    else:
        del holder[keys[-1]]
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    read_or_refuse(path)


@pytest.mark.parametrize("name", OTHER_FILES)
@given(data=st.data())
def test_tables_and_xml_with_wrong_bytes(tmp_path_factory, name, data):
    content = (DATA / name).read_bytes()
    begin = data.draw(st.integers(0, len(content) - 1))
    end = data.draw(st.integers(begin, min(len(content), begin + 40)))
    put = data.draw(
        st.binary(max_size=4) | st.sampled_from([b"<", b">", b"&", b'"', b"\t", b"\n", b"-1"])
    )
    path = tmp_path_factory.getbasetemp() / "damaged.dat"
    path.write_bytes(content[:begin] + put + content[end:])
    read_or_refuse(path)
    read_or_refuse(path, read_truth)
