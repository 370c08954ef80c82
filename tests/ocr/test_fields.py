"""Fields of forms: tables in every format, rejected fields, comparisons by field, whole documents."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac.ocr import OcrFileError, PairingError, is_field_table, read_fields
from fastarac.results import FieldOutputs, StraightThrough

ROWS = [
    ("a", "total", "12.50", 0.9, "12.50"),
    ("a", "name", "Finch", 0.8, "Finch"),
    ("b", "total", "88.00", 0.7, "88.60"),
    ("b", "name", None, None, "Mill"),
    ("c", "total", None, None, ""),
    ("c", "name", "Li", 0.6, "Li"),
]
COLUMNS = ("document", "field", "prediction", "confidence", "truth")


def write_json_lines(path, rows, columns=COLUMNS):
    path.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    return path


def write_csv(path, rows, columns=COLUMNS, delimiter=","):
    lines = [columns, *(["" if value is None else str(value) for value in row] for row in rows)]
    path.write_text("".join(delimiter.join(line) + "\n" for line in lines))
    return path


def write_parquet(path, rows, columns=COLUMNS):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows]), path)
    return path


@pytest.mark.parametrize("write", [write_json_lines, write_csv, write_parquet])
def test_every_kind_of_table_gives_the_same(tmp_path, write):
    # the name says nothing, and may hold what a pattern would
    path = write(tmp_path / "fields[1]*.dat", ROWS)
    assert is_field_table(path)
    fields = read_fields(path)
    assert fields.document == ("a", "a", "b", "b", "c", "c")
    assert fields.correct.tolist() == [True, True, False, False, True, True]
    assert fields.rejected.tolist() == [False, False, False, True, True, False]
    assert fields.confidence.tolist() == [0.9, 0.8, 0.7, -1, -1, 0.6]
    assert fields.never_accepted == -1
    assert fields.groups.tolist() == list(fields.document)
    assert fields.by.tolist() == list(fields.field)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_delimiters(tmp_path, delimiter):
    assert len(read_fields(write_csv(tmp_path / "f", ROWS, delimiter=delimiter))) == 6


def test_truth_in_another_file_is_joined_by_document_and_field(tmp_path):
    truth = [(document, field, truth) for document, field, *_, truth in reversed(ROWS)]
    truth.append(("d", "total", "5"))
    outputs = [row[:4] for row in ROWS if row[2] is not None]
    path = write_json_lines(tmp_path / "o", outputs, COLUMNS[:4])
    fields = read_fields(path, write_csv(tmp_path / "t", truth, ("document", "field", "truth")))
    assert fields.document == ("c", "c", "b", "b", "a", "a", "d")
    assert fields.correct.tolist() == [True, True, False, False, True, True, False]
    assert fields.rejected.tolist() == [False, True, True, False, False, False, True]
    assert fields.notes[0] == "1 document without any output, whose fields are rejected: d"
    assert fields.notes[1] == "3 fields without an output are rejected, 1 of them rightly empty"


def test_outputs_without_a_truth_are_listed(tmp_path):
    path = write_csv(tmp_path / "o", [row[:4] for row in ROWS], COLUMNS[:4])
    truth = write_csv(tmp_path / "t", [("a", "total", "12.50")], ("document", "field", "truth"))
    with pytest.raises(
        PairingError, match="3 outputs without a truth: name of a, name of c, total of b"
    ):
        read_fields(path, truth)
    fields = read_fields(path, truth, skip_unmatched=True)
    assert len(fields) == 1
    assert fields.notes[0].startswith("3 outputs without a truth left out: name of a")


def test_fields_that_an_engine_names_otherwise(tmp_path):
    """`po` is never found, since the engine calls it PO; a field that is rarely found is an error."""
    documents = [f"d{i}" for i in range(6)]
    names = ("document", "field", "truth")
    truth = [(document, field, "1") for document in documents for field in ("po", "total", "date")]
    outputs = [(document, field, "1", 0.9) for document in documents for field in ("PO no", "total")]
    outputs.append(("d3", "date", "2", 0.8))
    given = write_csv(tmp_path / "o", outputs, COLUMNS[:4]), write_csv(tmp_path / "t", truth, names)
    with pytest.raises(PairingError, match="6 outputs without a truth: PO no of 6 documents"):
        read_fields(*given)
    fields = read_fields(*given, skip_unmatched=True)
    assert fields.never_found == {"po": 6}
    assert fields.without_truth == {"PO no": 6}
    few = read_fields(given[0], write_csv(tmp_path / "f", truth[:12], names), skip_unmatched=True)
    assert few.never_found == {}


def test_an_empty_text_with_a_confidence_is_an_output(tmp_path):
    rows = [("a", "x", "", 0.9, ""), ("a", "y", "", 0.8, "full"), ("a", "z", "read", None, "read")]
    fields = read_fields(write_json_lines(tmp_path / "f", rows))
    assert fields.correct.tolist() == [True, False, True]
    assert fields.rejected.tolist() == [False, False, True]


def test_rejected_fields_are_below_every_confidence(tmp_path):
    rows = [("a", "x", "1", -7.5, "1"), ("a", "y", None, None, "2")]  # logarithms of probabilities
    fields = read_fields(write_json_lines(tmp_path / "f", rows))
    assert fields.confidence.tolist() == [-7.5, -9]
    assert fields.straight_through(-1e9).fields_accepted == 1
    assert fields.straight_through(-1e9).documents_accepted == 0
    assert fa.operating_point(fields.correct, fields.confidence, max_error_rate=0).threshold == -7.5


def test_fields_and_documents_side_by_side(tmp_path):
    fields = read_fields(write_csv(tmp_path / "f", ROWS))
    documents = fields.documents()
    assert documents.name == ("a", "b", "c")
    assert documents.correct.tolist() == [True, False, True]
    assert documents.confidence.tolist() == [0.8, -1, -1]
    assert documents.n_fields.tolist() == [2, 2, 2]
    counts = fields.straight_through(0.7)
    assert counts == StraightThrough(0.7, 6, 3, 1, 3, 1, 0)
    assert counts.field_acceptance_rate == 3 / 6
    assert counts.field_error_rate == 1 / 6
    assert counts.straight_through_rate == 1 / 3
    assert counts.document_error_rate == 0
    assert repr(fields) == "FieldOutputs(6 fields of 3 documents, 4 right, 2 rejected)"
    assert repr(documents) == "DocumentOutputs(3 documents, 2 right)"
    with pytest.raises(ValueError, match="threshold must be a number, got nan"):
        fields.straight_through(np.nan)


names = st.sampled_from(["total", "po", "items[]"])
pairs = st.lists(
    st.tuples(st.sampled_from("abc"), names, st.booleans(), st.none() | st.integers(0, 4)), min_size=1
)


def outputs_of(rows, optional=(), *, fields_complete=True):
    """Fields of (document, name, whether it is right, its confidence or None)."""
    rejected = np.array([confidence is None for *_, confidence in rows])
    return FieldOutputs(
        document=tuple(row[0] for row in rows),
        field=tuple(f"{row[1]}{i}" for i, row in enumerate(rows)),
        name=tuple(row[1] for row in rows),
        truth=("",) * len(rows),
        prediction=("",) * len(rows),
        correct=np.array([right for _, _, right, _ in rows]),
        confidence=np.array([-1.0 if value is None else value for *_, value in rows]),
        kind=("right",) * len(rows),
        rejected=rejected,
        never_accepted=-1.0 if rejected.any() else None,
        comparisons={},
        optional=tuple(optional),
        fields_complete=fields_complete,
    )


def goes_through(mine, required, threshold):
    """Whether one document does, from the rule in words."""
    given = [(name, value) for _, name, _, value in mine if value is not None]
    return (
        bool(given)
        and all(value >= threshold for _, value in given)
        and required <= {name for name, _ in given}
    )


@given(pairs, st.sets(names), st.integers(-2, 5))
def test_a_document_goes_through_iff_its_outputs_do_and_it_lacks_no_required_field(
    rows, optional, threshold
):
    fields = outputs_of(rows, optional)
    every = {row[1] for row in rows}
    of_each = {name: [row for row in rows if row[0] == name] for name in dict.fromkeys(fields.document)}
    wrong = {name: not all(right for _, _, right, _ in mine) for name, mine in of_each.items()}

    def counts_with(optional):
        through = {
            name: goes_through(mine, every - optional, threshold) for name, mine in of_each.items()
        }
        return sum(through.values()), sum(through[name] and wrong[name] for name in of_each)

    counts = fields.straight_through(threshold)
    assert counts.documents == len(of_each)
    assert (counts.documents_accepted, counts.document_errors) == counts_with(optional)
    documents = fields.documents()
    through = ~documents.rejected & (documents.confidence >= threshold)
    assert int(through.sum()) == counts.documents_accepted
    for each in fields.absent_fields(threshold):
        with_output = {d for d, name, _, value in rows if name == each.field and value is not None}
        missed = {d for d, name, right, _ in rows if name == each.field and not right}
        absent = {d for d, _, _, value in rows if value is not None} - with_output
        assert (each.documents, each.absent) == (len(of_each), len(absent))
        assert (each.rightly, each.unlisted) == (len(absent - missed), 0)
        assert each.now == counts
        other = each.otherwise.documents_accepted, each.otherwise.document_errors
        assert other == counts_with(optional ^ {each.field})
    lacking = {each.field for each in fields.absent_fields(threshold)}
    assert lacking == {
        name for name in every if any(not any(r[1] == name and r[3] is not None for r in mine)
                                      and any(r[3] is not None for r in mine)
                                      for mine in of_each.values())
    }  # fmt: skip
    every_one = fields.all_optional(threshold)
    assert (every_one.documents_accepted, every_one.document_errors) == counts_with(every)


def test_what_a_document_lacks_in_words():
    rows = [
        *[(name, "total", True, 3) for name in "abcd"],
        ("a", "po", True, 3),
        ("b", "po", True, None),  # rightly empty
        ("c", "po", False, None),  # missed
    ]
    (found,) = outputs_of(rows).absent_fields(1)
    assert str(found) == (
        "po: no output in 75.0% of documents, really empty in 66.7% of these; if optional, "
        "100% of documents would go through instead of 25.0%, and undetected errors are 25.0% "
        "instead of 0%"
    )
    (found,) = outputs_of(rows, ["po"]).absent_fields(1)
    assert str(found).endswith(
        "; if required, 25.0% of documents would go through instead of 100%, and undetected errors "
        "are 0% instead of 25.0%"
    )
    (found,) = outputs_of(rows, fields_complete=False).absent_fields(1)
    assert str(found) == (
        "po: no output in 75.0% of documents, really empty in 33.3% of these, in 33.3% of these not "
        "listed in the truth"
    )


def test_found_missed_rightly_empty_and_invented(tmp_path):
    rows = [
        ("a", "po", "7", 0.9, "7"),
        ("b", "po", None, None, "8"),
        ("c", "po", None, None, ""),
        ("d", "po", "9", 0.8, ""),
        ("e", "po", "9", None, "9"),
    ]
    fields = read_fields(write_json_lines(tmp_path / "f", rows))
    assert fields.kind == ("right", "missed", "empty", "inserted", "right")
    assert fields.correct.tolist() == [True, False, True, False, True]
    assert fields.rejected.tolist() == [False, True, True, False, True]


def test_what_the_truth_does_not_list(tmp_path):
    rows = [*ROWS, ("d", "total", "5", 0.9, "5")]  # and nothing is said of its name
    path = write_csv(tmp_path / "f", rows)
    assert read_fields(path, optional=["total"]).optional == ("total",)
    with pytest.raises(
        ValueError,
        match='optional names "name", but the truth does not list it for 1',
    ):
        read_fields(path, optional=["name"])
    fields = read_fields(path, optional=["name"], fields_complete=True)
    assert fields.straight_through(0.5).documents_accepted == 3  # but c, which lacks a total
    with pytest.raises(
        ValueError, match='optional names "sum", but the only fields are "total", "name"'
    ):
        read_fields(path, optional=["sum"])
    ways = tmp_path / "ways.toml"
    ways.write_text('total = { compare = "number", optional = true }\n')
    fields = read_fields(path, compare=ways)
    assert (fields.optional, fields.comparisons["total"]) == (("total",), "number")
    ways.write_text("total = { optional = 7 }\n")
    with pytest.raises(OcrFileError, match=", or a table of compare and optional"):
        read_fields(path, compare=ways)


def test_an_output_that_a_complete_truth_does_not_list_is_invented(tmp_path):
    outputs = write_csv(tmp_path / "o", [("a", "total", "5", 0.9), ("a", "po", "7", 0.8)], COLUMNS[:4])
    truth = write_csv(
        tmp_path / "t", [("a", "total", "5"), ("b", "po", "8")], ("document", "field", "truth")
    )
    with pytest.raises(PairingError, match="1 output without a truth: po of a"):
        read_fields(outputs, truth)
    fields = read_fields(outputs, truth, fields_complete=True)
    assert tuple(zip(fields.document, fields.name, fields.kind, strict=True)) == (
        ("a", "total", "right"),
        ("a", "po", "inserted"),
        ("b", "po", "missed"),
    )


ITEMS = [
    ("a", "items[0].name", "Lamp", 0.9, "Lamp"),
    ("a", "items[1].name", "Desk", 0.7, "Desk"),
    ("b", "total", "5", 0.8, "5"),
    ("b", "items[0].name", None, None, "Vase"),
    ("c", "total", "6", 0.6, "6"),
]


def test_the_number_of_rows_is_a_field_of_the_document(tmp_path):
    def counts(fields):
        columns = fields.document, fields.truth, fields.prediction, fields.confidence, fields.kind
        every = zip(fields.name, *columns, strict=True)
        return {row[1]: row[2:] for row in every if row[0] == "items.count"}

    found = counts(read_fields(write_json_lines(tmp_path / "f", ITEMS), compare={"*": "text"}))
    assert found == {
        "a": ("2", "2", 0.7, "right"),
        "b": ("1", "0", 0.8, "wrong"),  # as sure as the least sure output of the document
        "c": ("", "0", 0.6, "inserted"),  # of which the truth says nothing
    }
    found = counts(read_fields(tmp_path / "f", fields_complete=True))
    assert found["c"] == ("0", "0", 0.6, "right")
    # the same of two files, where the order is another and a row is inserted
    outputs = [row[:4] for row in ITEMS if row[2]] + [("c", "items[4].name", "Chair", 0.5)]
    outputs = write_json_lines(tmp_path / "o", outputs, COLUMNS[:4])
    truth = write_json_lines(
        tmp_path / "t", [(*row[:2], row[4]) for row in ITEMS], ("document", "field", "truth")
    )
    fields = read_fields(outputs, truth)
    assert counts(fields) == {
        "a": ("2", "2", 0.7, "right"),
        "b": ("1", "0", 0.8, "wrong"),
        "c": ("", "1", 0.5, "inserted"),
    }
    assert fields.notes[-1].startswith(
        "1 output of a row count is inserted, and wrong, because the truth has no row there; "
        "use fields_complete=True if a list that the truth does not name has 0 rows: items.count of c"
    )
    fields = read_fields(outputs, truth, fields_complete=True)
    assert counts(fields)["c"] == ("0", "1", 0.5, "wrong")
    # without any output nothing is counted
    rows = [("a", "items[0].name", None, None, "Lamp"), ("b", "items[0].name", "Lamp", 0.9, "Lamp")]
    found = counts(read_fields(write_json_lines(tmp_path / "f", rows)))
    assert found["a"] == ("1", None, -1, "missed")


def test_a_number_of_rows_that_is_given_is_taken(tmp_path):
    truth = [("a", "items.count", "3"), ("a", "items[0].name", "Lamp"), ("b", "items[0].name", "Desk")]
    outputs = [
        ("a", "items[0].name", "Lamp", 0.9),
        ("a", "items.count", "3", 0.4),
        ("b", "items[0].name", "Desk", 0.8),
    ]
    fields = read_fields(
        write_csv(tmp_path / "o", outputs, COLUMNS[:4]),
        write_csv(tmp_path / "t", truth, ("document", "field", "truth")),
    )
    every = zip(fields.field, fields.prediction, fields.confidence.tolist(), fields.kind, strict=True)
    assert [row for row in every if row[0] == "items.count"] == [
        ("items.count", "3", 0.4, "right"),
        ("items.count", "1", 0.8, "right"),
    ]


def test_comparisons_by_field(tmp_path):
    rows = [("a", "total", "1,250", 0.9, "1250.00"), ("a", "name", "FINCH", 0.9, "Finch")]
    path = write_json_lines(tmp_path / "f", rows)
    assert read_fields(path).correct.tolist() == [False, False]
    fields = read_fields(path, compare={"*": "text", "t?tal": "number:point"})
    assert fields.correct.tolist() == [True, True]
    assert fields.comparisons == {"total": "number:point", "name": "text"}
    assert [str(each) for each in fields.folded] == [
        'total: 1 right by number:point, such as "1,250" for "1250.00"',
        'name: 1 right by text, such as "FINCH" for "Finch"',
    ]
    ways = tmp_path / "ways.toml"
    ways.write_text('"t*" = "amount:comma"\ntotal = "amount:point"\n')
    assert read_fields(path, compare=ways).comparisons == {"total": "amount:point", "name": "exact"}
    with pytest.raises(ValueError, match='compare names "sum", but the fields are "total", "name"'):
        read_fields(path, compare={"sum": "number"})


def test_what_can_be_read_in_two_ways_is_said_and_not_guessed(tmp_path):
    rows = [
        ("a", "x", "1.234", 0.9, "1234"),
        ("b", "x", "1.234", 0.8, "1.234"),  # the same in either way
        ("c", "x", "1.234,00", 0.8, "1234"),
        ("d", "x", "twelve", 0.8, "12"),
    ]
    path = write_csv(tmp_path / "f", rows, delimiter=";")
    fields = read_fields(path, compare="amount")
    assert fields.correct.tolist() == [False, True, True, False]
    assert fields.notes == (
        (
            "1 output can be read in two ways, of which only one is right, and is wrong until an "
            "option of the comparison chooses one (point or comma; dmy, mdy or ymd): "
            'x of a: "1.234" for "1234"'
        ),
        (
            "1 output is not of the kind that the comparison expects, and wrong: "
            'x of d: "twelve" for "12"'
        ),
    )
    assert read_fields(path, compare="amount:comma").correct.tolist() == [True, True, True, False]


def test_the_same_number_in_other_words_waits_for_a_comparison(tmp_path):
    rows = [
        ("a", "no", "7", 0.9, "7"),
        ("b", "no", "007", 0.8, "7"),
        ("b", "sum", "1250.00", 0.7, "1250"),
        ("c", "sum", "n/a", 0.7, "9"),
        ("d", "sum", "1.234", 0.7, "1234"),  # in one of two ways
    ]
    path = write_csv(tmp_path / "f", rows)
    with pytest.raises(OcrFileError) as caught:
        read_fields(path)
    assert str(caught.value).endswith(
        'field "no" of document "b": the output "007" and the truth "7" differ as texts but are the '
        "same number, as in 2 items (no, sum); compare={'no': 'number'} takes such outputs as right, "
        "compare={'no': 'text'} as wrong"
    )
    with pytest.raises(OcrFileError, match=r"as in 1 item \(sum\)"):
        read_fields(path, compare={"no": "text"})
    for compare, right in (
        ({"no": "number", "sum": "text"}, 2),
        ("exact", 1),
        ({"*": "number", "sum": "exact"}, 2),
    ):
        assert read_fields(path, compare=compare).correct.sum() == right


def test_fields_of_which_no_output_is_right_are_shown(tmp_path):
    rows = [(f"d{i}", "day", f"{i} May", 0.5 + i / 100, f"{i}/05") for i in range(1, 11)]
    none = read_fields(write_csv(tmp_path / "none", rows)).notes
    shown = '"1 May" for "1/05", "2 May" for "2/05" and "3 May" for "3/05"'
    assert none[0] == f"none of the 10 outputs is right: for example, {shown}"
    rows += [("d1", "no", "7", 0.9, "7"), ("d2", "no", "x", 0.9, "7"), ("d1", "po", "1", 0.9, "2")]
    some = read_fields(write_csv(tmp_path / "some", rows)).notes
    assert some[0] == f"none of the 10 outputs of day is right: for example, {shown}"
    assert sum("is right: for example" in note for note in some) == 1


def test_wrong_outputs_that_another_comparison_takes_for_right_are_said(tmp_path):
    rows = [
        ("a", "day", "3 May 2026", 0.9, "2026-05-03"),
        ("b", "day", "4 May 2026", 0.8, "2026-05-03"),
        ("b", "sum", "21561.60", 0.7, "21561.6"),
    ]
    assert read_fields(write_csv(tmp_path / "f", rows), compare="exact").notes[1:] == (
        (
            "2 of 3 wrong outputs differ from the truth only in form; they are right with compare: "
            "day=date (1 of 2), sum=number (1 of 1)"
        ),
    )


def test_numbers_of_json_are_texts_as_they_are_written(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text(
        '{"document": 7, "field": "x", "prediction": 12.50, "confidence": 9e-1, "truth": "12.50"}\n'
        '{"document": 7, "field": "y", "prediction": true, "confidence": NaN, "truth": null,'
        ' "pages": [1, 2]}\n'
    )
    fields = read_fields(path)
    assert fields.document == ("7", "7")
    assert fields.correct.tolist() == [True, False]
    assert fields.rejected.tolist() == [False, True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty, but must be a table of fields"),
        ("document,field\n", 'there is no column "prediction", "confidence", "truth"; the columns are'),
        ("document,field,field\n", 'line 1: two columns are named "field"'),
        (",".join(COLUMNS) + "\n", "there are no rows"),
        (",".join(COLUMNS) + "\na,x,1,0.5\n", "line 2: the header has 5 fields, the row has 4"),
        (",".join(COLUMNS) + '\na,x,"1,0.5,1\n', "line 2: unexpected end of data"),
        (
            ",".join(COLUMNS) + "\na,,1,0.5,1\n",
            'line 2: document and field must both have a name, got "a"',
        ),
        (
            ",".join(COLUMNS) + "\na,x,1,high,1\n",
            'line 2: field "x" of document "a": confidence must be a',
        ),
        (
            ";".join(COLUMNS) + "\na;x;1;12,345;1\n",
            "cannot separate thousands, as in 99,9 and 0,125: write",
        ),
        (
            ",".join(COLUMNS) + "\na,x,1,inf,1\n",
            'line 2: field "x" of document "a": confidence must be a',
        ),
        (
            ",".join(COLUMNS) + "\na,x,1,0.5,1\n\na,x,2,0.6,1\n",
            'line 4: field "x" of document "a" is already in line 2; keep',
        ),
        ('{"document": "a"}\n{"document"\n', "line 2: it is not valid JSON"),
        ("[1]\n", ", expected a document with its fields"),
        ("PAR1 nothing", "it is not a Parquet file, or it is damaged"),
    ],
)
def test_tables_that_are_wrong(tmp_path, content, message):
    path = tmp_path / "f.dat"
    path.write_text(content)
    with pytest.raises(OcrFileError, match=message):
        read_fields(path)


def test_other_files_are_no_tables_of_fields(tmp_path):
    path = tmp_path / "f.dat"
    for content in ("", "Total 12,50\n", "level\tpage_num\tblock_num\n", '{"Blocks": []}', "<alto/>"):
        path.write_text(content)
        assert not is_field_table(path)


def test_a_decimal_comma_is_read(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(";".join(COLUMNS) + "\na;x;1;99,9;1\n")
    assert read_fields(path).confidence.tolist() == [99.9]
