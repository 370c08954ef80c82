"""Several models in files: joined, matched by identifiers, and told apart where they differ."""

from __future__ import annotations

import re

import numpy as np
import pytest
from files import WRITERS, write_delimited, write_parquet
from hypothesis import given, settings
from hypothesis import strategies as st

from fastarac.io import DataFileError, _labels, read_models


def write_models(folder, models: dict[str, dict[str, list]]) -> dict[str, object]:
    return {
        name: write_delimited(folder / f"{name}.csv", {"correct": [1] * len(columns["id"])} | columns)
        for name, columns in models.items()
    }


def refusal(files, **columns) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011, the caller looks at the message
        read_models(files, **columns)
    assert not isinstance(caught.value, DataFileError)
    return str(caught.value)


A = {"id": ["x", "y", "z"], "confidence": [1, 2, 3]}


@pytest.mark.parametrize("files", [["a.csv"], "a.csv", None])
def test_files_have_names(files):
    with pytest.raises(TypeError, match=r"files must be a mapping of names.*, got type .*"):
        read_models(files)


class TestMatching:
    @pytest.mark.slow
    @given(data=st.data())
    @settings(max_examples=15, deadline=None)
    def test_any_order(self, data, tmp_path_factory):
        folder = tmp_path_factory.mktemp("order")
        names = data.draw(st.lists(st.text(max_size=3), min_size=1, max_size=9, unique=True))
        files, places = {}, {}
        for model in "abc":
            places[model] = data.draw(st.permutations(range(len(names))))
            columns = {
                "id": [names[k] for k in places[model]],
                "confidence": [float(k) for k in places[model]],
                "correct": [k % 2 for k in places[model]],
            }
            files[model] = write_parquet(folder / f"{model}.parquet", columns)
        found = read_models(files, item="id", same_items=True)
        assert found.difference is None
        for outputs in found.outputs.values():
            assert outputs.confidence.tolist() == places["a"]
            assert outputs.correct.tolist() == [k % 2 == 1 for k in places["a"]]
            assert outputs.item is outputs.truth is None

    def test_any_format(self, tmp_path):
        files = {}
        for name, write in WRITERS.items():
            ids = ["1", "2"] if write is write_parquet else [1, 2]
            columns = {"id": ids, "confidence": [1, 2], "correct": [1, 0]}
            if len(files) % 2:
                columns = {name: values[::-1] for name, values in columns.items()}
            files[name] = write(tmp_path / name, columns)
        for outputs in read_models(files, item="id", same_items=True).outputs.values():
            assert outputs.confidence.tolist() == [1, 2]
            assert outputs.correct.tolist() == [True, False]

    def test_what_is_missing(self, tmp_path):
        b = {"id": ["y", "v", "z", "w"], "confidence": [1, 2, 3, 4]}
        files = write_models(tmp_path, {"a": A, "b": b})
        difference = read_models(files, item="id").difference
        of_b = re.fullmatch(
            r'the models have different items and share only 2: a lacks "[vw]" and '
            r'"[vw]" and b lacks "x"',
            difference,
        )
        assert of_b is not None
        found = read_models(files, item="id", same_items=True)
        assert found.difference == difference
        assert found.outputs["a"].confidence.tolist() == [2, 3]
        assert found.outputs["b"].confidence.tolist() == [1, 3]

    def test_nothing_in_common(self, tmp_path):
        files = write_models(tmp_path, {"a": A, "b": A | {"id": ["p", "q", "r"]}})
        message = refusal(files, item="id", same_items=True)
        assert message.startswith("the models have different items and share only 0")
        others = write_models(tmp_path, {"a": A, "b": A | {"id": list("pqr")}})
        without_name = refusal(others, same_items=True)
        assert re.search(r'a lacks "[pqr]", "[pqr]" and "[pqr]" and b', without_name)
        assert without_name.endswith("use outputs of the same items")
        assert message.endswith("; use outputs of the same items")

    def test_groups(self, tmp_path):
        files = write_models(
            tmp_path,
            {"a": A | {"g": [1, 1, 2]}, "b": {n: v[::-1] for n, v in A.items()} | {"g": [2, 1, 1]}},
        )
        found = read_models(files, item="id", group="g", same_items=True).outputs
        assert found["b"].group.names == ("1", "2")
        assert found["b"].group.codes.tolist() == found["a"].group.codes.tolist() == [0, 0, 1]
        assert refusal(files, item=False, group="g", same_items=True).startswith(
            'the group of output 1 is "1" for a and "2" for b'
        )

    @pytest.mark.parametrize("same_items", [True, False])
    def test_items_twice(self, tmp_path, same_items):
        files = write_models(tmp_path, {"a": A, "b": A | {"id": ["z", "z", "x"]}})
        message = 'the item "z" is in the outputs of b more than once; keep one'
        assert refusal(files, item="id", same_items=same_items) == message

    def test_numbers(self, tmp_path):
        files = write_models(tmp_path, {"a": A, "b": A, "c": {"id": ["x"], "confidence": [1]}})
        numbers = "the models have different numbers of outputs, 3 of a, 3 of b and 1 of c"
        assert read_models(files).difference == numbers
        assert refusal(files, item=False, same_items=True).startswith(
            f"{numbers}; use outputs of the same items"
        )
        del files["c"]
        assert read_models(files).difference is None

    def test_many(self, tmp_path):
        rng = np.random.default_rng(0)
        order = rng.permutation(5000)
        columns = {"id": [f"page {k}" for k in range(5000)], "confidence": np.arange(5000.0)}
        a = write_parquet(tmp_path / "a.parquet", columns | {"correct": columns["confidence"] > 9})
        shuffled = {name: np.array(values)[order] for name, values in columns.items()}
        b = write_parquet(tmp_path / "b.parquet", shuffled | {"correct": order > 9})
        found = read_models({"a": a, "b": b}, item="id", same_items=True).outputs["b"]
        assert np.array_equal(found.confidence, np.arange(5000.0))
        assert np.array_equal(found.correct, np.arange(5000) > 9)


class TestIds:
    """A column "id" that nobody named pairs the items where it can."""

    B = {name: values[::-1] for name, values in A.items()} | {"confidence": [7, 8, 9]}

    def test_shuffled(self, tmp_path):
        files = write_models(tmp_path, {"a": A, "b": self.B})
        found = read_models(files, same_items=True)
        assert found.item == "id"
        assert found.outputs["b"].confidence.tolist() == [9, 8, 7]
        for item in ("id", False):
            named = read_models(files, item=item, same_items=True)
            assert named.item == (item or None)
            assert named.outputs["b"].confidence.tolist() == ([7, 8, 9] if not item else [9, 8, 7])
        assert read_models(files).item is None

    def test_models_of_one_file(self, tmp_path):
        rows = {name: A[name] + self.B[name] for name in A} | {"model": list("aaabbb")}
        files = write_models(tmp_path, {"f": rows})
        found = read_models(files, model="model", same_items=True)
        assert found.item == "id"
        assert found.outputs["b"].confidence.tolist() == [9, 8, 7]
        rows["id"] = ["x", "x", "z", "z", "y", "x"]
        found = read_models(write_models(tmp_path, {"f": rows}), model="model", same_items=True)
        assert found.item is None
        assert found.outputs["b"].confidence.tolist() == [7, 8, 9]

    @pytest.mark.parametrize("ids", [["x", "x", "y"], ["x", "", "y"], None])
    def test_where_it_tells_no_items(self, tmp_path, ids):
        b = {"id" if ids else "page": ids or [1, 2, 3], "confidence": [7, 8, 9]}
        files = write_models(tmp_path, {"a": A})
        files["b"] = write_delimited(tmp_path / "b.csv", b | {"correct": [1, 1, 1]})
        found = read_models(files, same_items=True)
        assert found.item is None
        assert found.outputs["b"].confidence.tolist() == [7, 8, 9]

    def test_another_use(self, tmp_path):
        files = write_models(tmp_path, {"a": A, "b": A})
        assert read_models(files, group="id", same_items=True).item is None

    def test_ids_that_differ(self, tmp_path):
        files = write_models(tmp_path, {"a": A, "b": A | {"id": ["z", "y", "w"]}})
        assert refusal(files, same_items=True).startswith(
            'the models have different items and share only 2: a lacks "w" and b lacks "x"'
        )
        assert len(read_models(files, item="id", same_items=True).outputs["a"]) == 2


class TestTruths:
    def write(self, folder, truths: dict[str, list[str]]) -> dict[str, object]:
        columns = {"id": ["x", "y"], "prediction": ["1", "2"], "confidence": [1, 2]}
        return {
            name: write_delimited(folder / f"{name}.csv", columns | {"truth": values})
            for name, values in truths.items()
        }

    def test_the_same(self, tmp_path):
        files = self.write(tmp_path, {"a": ["1", "3"], "b": ["1", "3"]})
        assert read_models(files, same_items=True).same_truths
        plain = write_delimited(tmp_path / "c.csv", {"correct": [1, 0], "confidence": [1, 2]})
        assert not read_models(files | {"c": plain}, same_items=True).same_truths

    def test_others(self, tmp_path):
        files = self.write(tmp_path, {"a": ["1", "3"], "b": ["1", '4"']})
        assert refusal(files, item=False, same_items=True).startswith(
            'the truth of output 2 is "3" for a and "4\\"" for b'
        )
        assert refusal(files, same_items=True, item="id").startswith(
            'the truth of the item "y" is "3" for a and "4\\"" for b'
        )
        assert len(read_models(files).outputs) == 2


def test_a_model_in_several_files(tmp_path):
    rows = {"id": [1, 2], "confidence": [0.5, 0.25], "correct": [1, 0], "w": [1, 2]}
    files = {
        "f": write_delimited(tmp_path / "f.csv", rows | {"m": ["a", "b"], "g": ["p", "o"]}),
        "g": write_parquet(tmp_path / "g.parquet", rows | {"m": ["c", "a"], "g": ["n", "o"]}),
    }
    seen = []
    found = read_models(files, model="m", by="g", weight="w", item="id", on_file=seen.append)
    assert seen == ["f", "g"]
    assert list(found.outputs) == ["a", "b", "c"]
    a = found.outputs["a"]
    assert a.confidence.tolist() == [0.5, 0.25]
    assert a.weight.tolist() == [1, 2]
    assert [a.by.names[code] for code in a.by.codes] == ["p", "o"]
    assert found.difference == (
        'the models have different items and share only 0: b lacks "1" and c lacks "2"'
    )


def test_a_model_in_files_with_and_without_missed_outputs(tmp_path):
    with_kinds = {
        "model": ["m", "m"], "correct": [1, 0], "confidence": [-3, ""], "kind": ["read", "missed"],
    }  # fmt: skip
    without = {"model": ["m"], "correct": [1], "confidence": [0.5]}
    files = {
        "a": write_delimited(tmp_path / "a.csv", with_kinds),
        "b": write_delimited(tmp_path / "b.csv", without),
    }
    found = read_models(files, model="model").outputs["m"]
    assert found.rejected.tolist() == [False, True, False]
    assert found.confidence.tolist() == [-3, -4, 0.5]


def test_nothing_but_figures_on_the_standard_output(tmp_path, capfd):
    files = write_models(tmp_path, {"a": A, "b": A})
    read_models(files, item="id", same_items=True)
    assert capfd.readouterr() == ("", "")


def test_texts_are_numbered_by_both_hashes():
    """Texts of which one hash is the same are told apart by the other one."""
    rng = np.random.default_rng(0)
    for few in (1, 3, 1000):
        parts = [tuple(rng.integers(0, few, (2, n)).astype(np.uint64)) for n in (50, 1, 70)]
        codes, first, second = _labels.numbered(parts)
        size = len(first)
        pairs = [pair for part in parts for pair in zip(*(p.tolist() for p in part), strict=True)]
        flat = np.concatenate(codes).tolist()
        assert [len(part) for part in codes] == [50, 1, 70]
        assert sorted(set(flat)) == list(range(size)) == list(range(len(set(pairs))))
        of_codes = list(zip(first.tolist(), second.tolist(), strict=True))
        assert [of_codes[code] for code in flat] == pairs


def test_names_of_several_files(tmp_path):
    """Groups that come late, or in one file alone, have their names in all models."""
    columns = {"confidence": np.arange(4000.0), "correct": np.arange(4000) % 2}
    late = ["first"] * 3999 + ["ü"]
    files = {
        "a": write_parquet(tmp_path / "a.parquet", columns | {"g": late}),
        "b": write_delimited(
            tmp_path / "b.csv", {k: list(v) for k, v in columns.items()} | {"g": late[::-1]}
        ),
    }
    found = read_models(files, by="g").outputs
    for outputs, rows in ((found["a"], late), (found["b"], late[::-1])):
        assert outputs.by.names == ("first", "ü")
        assert [outputs.by.names[code] for code in outputs.by.codes] == rows
