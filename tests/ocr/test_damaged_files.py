"""Files that something has damaged: words or an error that names the file, and nothing else."""

from __future__ import annotations

import copy
import json
import random
import re
import time
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.fuzz import ocr_files
from bench.fuzz.running import memory_watched
from fastarac.ocr import OcrFileError, is_field_table, read, read_fields, read_truth

DATA = Path(__file__).parent / "data"
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


def test_inputs_of_the_fuzzer():
    for seed in range(50):
        ocr_files.attempt(random.Random(seed))


BIG = "1" + "0" * 400
WORD = '{{"BlockType": "WORD", "Id": "a", "Text": "x", "Confidence": {}, "Page": {}}}'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f'{{"Blocks": [{WORD.format(BIG, 1)}]}}', "Blocks[0].Confidence: found"),
        (
            f'{{"Blocks": [{WORD.format(5, 10**9)}]}}',
            "Blocks[0].Page: found 1000000000, expected a whole number",
        ),
        # which would leave the word out
        (f'{{"Blocks": [{WORD.format(5, -1)}]}}', "a whole number from 1 to 100,000"),
        (
            '{"Blocks": [], "DocumentMetadata": {"Pages": 1000000000}}',
            "DocumentMetadata.Pages: found 1000000000, expected a whole",
        ),
        (f'[[[[0, 0], [1, {BIG}]], "x", 0.5]]', "a list of points"),
        (r'[[[[0, 0], [1, 1]], "a\ud800b", 0.5]]', "is only half of a character"),
        (r'["{\"a\": ' + "[" * 100_000 + '"]', "[0]: it is nested too deeply"),
        ('["{"]', "[0]: it is not valid JSON"),
        (
            '{"analyzeResult": {"pages": [{"words": [{"span": {"offset": "' + "9" * 5000 + '"}}]}]}}',
            "words[0].span.offset: ",
        ),
        (
            '{"analyzeResult": {"modelId": "a", "pages": [{"words": [0]}]}}',
            "words[0]: found 0, expected an object",
        ),
        ("[" + "[]," * 400_000 + "[]]", "it has more lists and objects than any output of an OCR"),
    ],
)
def test_crafted_json(tmp_path, content, said):
    path = tmp_path / "crafted.json"
    path.write_text(content)
    with pytest.raises(OcrFileError, match=re.escape(said)) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value)) < 400


def test_a_version_of_thousands_of_digits(tmp_path):
    path = tmp_path / "p.xml"
    software = f"<softwareName>tesseract {'9' * 5000}.0</softwareName>"
    path.write_text(
        f'<alto>{software}<Page><TextLine><String CONTENT="a" WC="0.6"/></TextLine></Page></alto>'
    )
    assert read(path).confidence.tolist() == [0.6]


def test_halves_of_characters_in_a_table_of_fields(tmp_path):
    path = tmp_path / "fields.jsonl"
    row = {"document": "a", "field": "t", "prediction": "\ud83d\ude00", "confidence": 1, "truth": ""}
    path.write_text(json.dumps(row))
    assert read_fields(path).prediction == ("\U0001f600",)
    path.write_text(json.dumps(row | {"truth": "\udc00"}))
    with pytest.raises(OcrFileError, match=r"1: \\udc00 is only half of a character"):
        read_fields(path)


def test_titles_of_hocr_are_read_in_one_pass(tmp_path):
    path = tmp_path / "p.hocr"
    title = 'image "a; b.tif"; bbox 1 2 3 4; x_wconf 50; x_font ' + "a " * 100_000 + '"'
    path.write_text(
        "<html><body><div class='ocr_page' title='image \"a;bbox 9 9 9 9\"; bbox 0 0 5 6'>"
        f"<span class='ocrx_word' title='{title}'>x</span></div></body></html>"
    )
    words = read(path)
    assert words.confidence.tolist() == [50.0]
    assert words.box.tolist() == [[1.0, 2.0, 3.0, 4.0]]
    assert words.page_size.tolist() == [[5.0, 6.0]]


TSV_HEADER = (DATA / "tesseract.tsv").read_text(encoding="utf-8").partition("\n")[0]


@pytest.mark.parametrize(
    ("content", "reader"),
    [
        (",".join(map(str, range(200_000))) + ",0", is_field_table),
        (TSV_HEADER + "".join(f"\n1\t{i}\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t" for i in range(100_000)), read),
        (f"<alto>{'<softwareName>tesseract</softwareName><Page/>' * 40_000}</alto>", read),
    ],
    ids=["columns", "pages", "software"],
)
def test_as_many_columns_and_pages_as_a_file_can_hold(tmp_path, content, reader):
    path = tmp_path / "many"
    path.write_text(content)
    begin = time.process_time()
    reader(path)
    assert time.process_time() - begin < 10.0  # minutes, where each is looked for among all others


def refused(path):
    with pytest.raises(OcrFileError):
        read_truth(path) if path.read_bytes()[:1] == b"a" else read(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "reader"),
    [
        ("a " * 3_000_000, read_truth),
        ("Total 12.50 of\n" * 500_000, read_truth),
        (
            "document,field,prediction,confidence,truth\n"
            + "".join(f"a{i},t,1,1,1\n" for i in range(300_000)),
            read_fields,
        ),
        (
            f'{{"analyzeResult": {{"modelId": "a", "pages": [{{"words": [{"0," * 2_000_000}0]}}]}}}}',
            refused,
        ),
        ('{"rec_texts": [' + '"a",' * 1_500_000 + '"a"], "rec_scores": []}', read),
        ("a\f" * 2_000_000, refused),
    ],
    ids=["one line", "text", "fields", "no words", "many words", "pages"],
)
def test_memory_is_in_proportion_to_the_file(tmp_path, content, reader):
    path = tmp_path / "large.txt"
    path.write_text(content)
    with memory_watched(len(content)):
        reader(path)


@pytest.mark.slow
def test_a_parquet_file_that_expands_far(tmp_path):
    path = tmp_path / "fields.parquet"
    columns = "'a' AS field, 'b' AS prediction, 0.5 AS confidence, 'b' AS truth"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT CAST(range AS VARCHAR) AS document, {columns} FROM range(3)) TO '{path}'"
        )
        assert len(read_fields(path)) == 3
        connection.execute(
            f"COPY (SELECT 'a' AS document, {columns} FROM range(10_000_000)) TO '{path}'"
        )
    assert path.stat().st_size < 100_000
    with memory_watched(path.stat().st_size):
        assert not is_field_table(path)
        with pytest.raises(OcrFileError, match=r"expands to more than 200 times its .* bytes"):
            read_fields(path)


def test_a_text_that_is_named_like_a_compressed_one(tmp_path):
    path = tmp_path / "page.txt.gz"
    path.write_bytes(b"caf\xe9 au lait")
    with pytest.raises(OcrFileError, match=r"it is not UTF-8 text; .*\(Excel often writes cp1252"):
        read_truth(path)
