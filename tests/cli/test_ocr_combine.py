"""`fastarac ocr --combine`: engines together beside each alone, their prices, and what is saved."""

from __future__ import annotations

import json
from functools import partial

import commands
import numpy as np
import pytest
from commands import settings

from fastarac.ocr import Combination, align_files, combine, pair_files, read_fields
from fastarac.ocr.combination.fields import combine_fields

run = partial(commands.detailed, "ocr")
refusal = partial(commands.reason, "ocr")
BOX = [[0, 0], [1, 0], [1, 1], [0, 1]]
PRICES = "--costs", "verification=1,correction=1,error=20"


@pytest.fixture
def folders(tmp_path):
    """Eight pages of twenty words, and two engines that misread different ones of them."""
    rng = np.random.default_rng(3)
    letters = rng.choice(list("abcdefgh"), (8, 20, 5)).tolist()
    for name in ("truth", "one", "two"):
        (tmp_path / name).mkdir()
    for k, page in enumerate(letters):
        words = list(map("".join, page))
        (tmp_path / "truth" / f"p{k}.gt.txt").write_text(" ".join(words))
        for name, rate in (("one", 0.1), ("two", 0.2)):
            wrong = rng.random(20) < rate
            sure = np.where(wrong, rng.beta(4, 3, 20), rng.beta(8, 2, 20)).round(3).tolist()
            read = [f"{name}{w[:2]}" if bad else w for w, bad in zip(words, wrong, strict=True)]
            lines = [[BOX, text, c] for text, c in zip(read, sure, strict=True)]
            (tmp_path / name / f"p{k}.json").write_text(json.dumps(lines))
    return tmp_path


def arguments(folders):
    return folders / "truth", folders / "one", folders / "two"


def test_the_combination_and_the_rule_are_rows_of_their_own(folders):
    model = folders / "both.json"
    options = "--combine", "--error-rate", "0.05", "--format", "json", "--save-combination", model
    found = json.loads(run(*arguments(folders), *options, *PRICES).stdout)
    rows = {row["name"]: row for row in found["models"]}
    assert set(rows) == {"one", "two", "one + two", "one = two"}
    engines = {
        name: align_files(pair_files(folders / "truth", folders / name)) for name in ("one", "two")
    }
    truth = engines["one"].truth
    for name, how in (("one + two", {}), ("one = two", {"agreement": "exact"})):
        aligned = combine(engines, truth=truth, **how).aligned
        point = aligned.operating_point(max_error_rate=0.05)
        assert rows[name]["acceptance_rate/0.05"] == pytest.approx(point.acceptance_rate)
        assert rows[name]["missed"] == aligned.missed
    assert Combination.load(model).names == ("one", "two")
    said = " ".join(found["decisions"])
    assert "one = two: all engines agree on " in said
    assert "is worth up to" in said or "saves nothing" in said
    # with what was learnt, on other pages (here the same)
    both = settings(folders, f'combination = "{model.name}"')
    again = json.loads(run(*arguments(folders), *both, "--format", "json").stdout)
    assert {row["name"] for row in again["models"]} == set(rows)


def test_prices_of_engines_are_added_to_costs(folders):
    def costs(*options):
        found = json.loads(
            run(*arguments(folders), "--combine", *PRICES, "--format", "json", *options).stdout
        )
        return found, {row["name"]: row["cost_per_1000/cheapest"] for row in found["models"]}

    _, before = costs()
    found, after = costs(*settings(folders, "engine_prices = {one = 2, two = 3}"))
    n = {row["name"]: row["n"] for row in found["models"]}
    for name, price in (("one", 2), ("two", 3), ("one + two", 5), ("one = two", 5)):
        assert after[name] == pytest.approx(before[name] + 1000 * price * 8 / n[name])
    assert any("including the prices of the engines" in each for each in found["decisions"])
    dear = settings(folders, "engine_prices = {one = 0, two = 9}")
    text = run(*arguments(folders), "--combine", *PRICES, *dear).stdout
    assert "both together are not cheaper" in " ".join(text.split())


def test_a_saved_combination_divides_new_pages(folders):
    model, items, policy = (folders / name for name in ("both.json", "words.parquet", "policy.json"))
    run(*arguments(folders), "--combine", "--save-combination", model, "-o", items)
    fit = "--only", "one + two", "--error-rate", "0.2", "--group", "none", "-o", policy
    commands.run("fit", items, *fit, "--allow-empty", "confidence")
    goals = "-o", folders / "accepted.csv", "--review", folders / "review.csv"
    engines = folders / "one", folders / "two"
    both = settings(folders, f'combination = "{model.name}"')
    found = commands.run("apply", policy, *engines, *both, *goals)
    assert found.stdout.startswith("Accept ")
    rows = (folders / "accepted.csv").read_text().splitlines()
    assert len(rows) > 100
    reason = partial(commands.reason, "apply", policy)
    assert "at least two" in reason(engines[0], *both, *goals)
    renamed = settings(folders, f'combination = "{model.name}"\nnames = ["a", "b"]')
    assert "the engines must be" in reason(*engines, *renamed, *goals)


def test_fields_are_combined(tmp_path):
    rng = np.random.default_rng(0)
    true = rng.integers(100, 999, (12, 3))
    for name, rate in (("one", 0.15), ("two", 0.3)):
        rows = ["document,field,prediction,confidence,truth"]
        for k in range(12):
            for j in range(3):
                wrong = rng.random() < rate
                sure = round(rng.beta(4, 3) if wrong else rng.beta(8, 2), 3)
                rows.append(f"d{k:02d},f{j},{true[k, j] + wrong},{sure},{true[k, j]}")
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    (tmp_path / "truth.csv").write_text(
        "document,field,truth\n"
        + "\n".join(f"d{k:02d},f{j},{true[k, j]}" for k in range(12) for j in range(3))
    )
    paths = tmp_path / "truth.csv", tmp_path / "one.csv", tmp_path / "two.csv"
    options = "--combine", "--error-rate", "0.1", "--format", "json"
    found = json.loads(run(*paths, *options).stdout)
    rows = {row["name"]: row for row in found["models"]}
    assert set(rows) == {"one", "two", "one + two", "one = two"}
    engines = {
        name: read_fields(path, paths[0]) for name, path in zip(("one", "two"), paths[1:], strict=True)
    }
    fields = combine_fields(engines).fields
    assert rows["one + two"]["right"] == fields.correct.sum()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--save-combination", "m.json"), "--save-combination needs --combine"),
        (("--name", "A", "--name", "A", "--combine"), "several engines are called"),
    ],
)
def test_options_that_do_not_fit_are_refused(folders, options, message):
    assert message in refusal(*arguments(folders), *options)


@pytest.mark.parametrize(
    ("prices", "text", "message"),
    [
        ((), "engine_prices.one = 1", "engine_prices needs --costs"),
        (PRICES, "engine_prices.one = 1", 'a price for each of "one" and "two", got "one"'),
        (PRICES, "engine_prices.one = -1", "engine_prices must be a table such as"),
        (PRICES, "engine_prices = {one = 1, three = 1}", 'got "one" and "three"'),
        (PRICES, "missed_price = 1\nengine_prices.one = 1", "only one of missed_price and engine_p"),
        ((), "within = true", "settings.toml: the keys must be some of unit, names, combination"),
        ((), "level = 3", "settings.toml: level must be a text, got 3"),
        ((), "within_truth = 'yes'", "settings.toml: within_truth must be true or false, got 'yes'"),
        ((), "level =", "settings.toml: it is not valid TOML"),
    ],
)
def test_settings_that_do_not_fit_are_refused(folders, prices, text, message):
    assert message in refusal(*arguments(folders), *prices, *settings(folders, text))


def test_what_cannot_be_combined_is_refused(folders, tmp_path):
    truth, one, two = arguments(folders)
    assert "--combine needs the outputs of at least two engines" in refusal(truth, one, "--combine")
    both = truth, one, two, "--combine"
    (tmp_path / "damaged.json").write_text("{}")
    assert "not the file of a fastarac combination" in refusal(
        *both, *settings(tmp_path, 'combination = "damaged.json"')
    )
    (two / "p7.json").unlink()
    assert "has 1 page that two lacks: p7; both need the" in refusal(*both, "--skip-unmatched")
    for folder in (truth, one, two):
        for path in sorted(folder.iterdir())[1:]:
            path.unlink()
    assert "truth must have at least two pages, got one: each page is combined by rules" in refusal(
        *both
    )
