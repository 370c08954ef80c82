"""Every file that a command reads, damaged: an error that names this very file, in plain words."""

from __future__ import annotations

import random
import re
import shutil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from commands import run, settings
from files import WRITERS

from fastarac.ocr import sample_folders

if TYPE_CHECKING:
    from pathlib import Path

# Words of the parsers below, which say nothing to who has damaged a file.
JARGON = re.compile(
    r"Traceback|DuckDB|duckdb|[A-Z]\w+ Error:|Error on Line|Expecting|Extra data|codec|"
    r"magic|Snappy|TProtocol|INTERNAL|\w+Exception|\w+Error\b|char \d"
)
N = 400


class Job(NamedTuple):
    """A command, with the file that is damaged in it."""

    name: str
    words: tuple[str, ...]
    damaged: str


def outputs(seed: int, *, labelled: bool = True) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(N).round(6)
    correct = rng.random(N) > 0.2 * (1 - confidence)
    columns: dict[str, list] = {
        "id": [f"item {i}" for i in range(N)], "field": rng.choice(["a", "b"], N).tolist(),
        "confidence": confidence.tolist(), "correct": correct.astype(int).tolist(),
    }  # fmt: skip
    if not labelled:
        del columns["correct"]
    return columns


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that the commands take, from steps before them."""
    folder = tmp_path_factory.mktemp("inputs")
    for ending in ("csv", "jsonl", "parquet", "csv.gz"):
        write = WRITERS[f"f.{ending}"]
        write(folder / f"a.{ending}", outputs(1))
        write(folder / f"new.{ending}", outputs(2, labelled=False))
    WRITERS["f.csv"](folder / "b.csv", outputs(3))
    at = {"policy": folder / "policy.json", "a": folder / "a.csv", "new": folder / "new.csv"}
    run("fit", at["a"], "--error-rate", "0.1", "-o", at["policy"])
    run("monitor", at["policy"], at["a"], "--state", folder / "monitor.json")
    run("search", at["new"], "--error-rate", "0.1", "--state", folder / "search.json",
        "-o", folder / "batch.csv")  # fmt: skip
    run("sample", at["new"], "--budget", "100", "-o", folder / "drawn.csv")
    sample = sample_folders()
    shutil.copytree(sample.truth, folder / "truth")
    for name, output in sample.outputs.items():
        shutil.copytree(output, folder / name)
    run("ocr", folder / "truth", *(folder / name for name in sample.outputs), "--combine",
        "--save-combination", folder / "combination.json")  # fmt: skip
    pages = sorted(path.name.partition(".")[0] for path in (folder / "truth").iterdir())
    (folder / "pages.csv").write_text(
        "page,kind\n" + "".join(f"{page},{'xy'[i % 2]}\n" for i, page in enumerate(pages))
    )
    (folder / "pairs.csv").write_text(
        "truth,engine,output\n" + "".join(f"truth/{p}.txt,x,plain/{p}.tsv\n" for p in pages)
    )
    settings(folder, 'combination = "combination.json"')
    (folder / "compare.toml").write_text('"*" = "text"\n')
    (folder / "fields.csv").write_text(
        "document,field,prediction,confidence,truth\nx,total,1,0.9,1\ny,total,2,0.8,3\n"
    )
    stages = [f'[[stage]]\nname = "{x}"\nfile = "{x}.csv"\nprice = 0.1\n' for x in "ab"]
    people = '[[stage]]\nname = "clerk"\nprice = 2\n'
    costs = "max_error_rate = 0.1\n[costs]\ncorrection = 5\nerror = 200\n"
    (folder / "stages.toml").write_text("".join([costs, *stages, people]))
    return folder


def jobs() -> list[Job]:
    found = []
    written = ("-o", "x.csv", "--review", "y.csv")
    for ending in ("csv", "jsonl", "parquet", "csv.gz"):
        a, new = f"a.{ending}", f"new.{ending}"
        policy = ("policy.json", a)
        found += [
            Job("evaluate", ("evaluate", a), a),
            Job("evaluate by", ("evaluate", a, "--by", "field"), a),
            Job("evaluate in a stream", ("evaluate", a, "--max-memory", "100MB"), a),
            Job("compare", ("compare", "b.csv", a, "--id", "id"), a),
            Job("fit", ("fit", *policy[1:], "--error-rate", "0.2", "-o", "out.json"), a),
            Job("check", ("check", "policy.json", a), a),
            Job("apply", ("apply", "policy.json", new, *written), new),
            Job("monitor", ("monitor", "policy.json", a), a),
            Job("sample", ("sample", new, "--budget", "50", "-o", "x.csv"), new),
            Job("plan", ("plan", "--pilot", a, "--error-rate", "0.2"), a),
        ]
    answers = ("sample", "new.csv", "--answers", "drawn.csv", "-o", "x.csv")
    search = ("search", "new.csv", "--error-rate", "0.1", "--state", "search.json", "-o", "batch.csv")
    ocr = ("ocr", "truth", "plain")
    engines = ("plain", "enlarged", "--settings", "settings.toml")
    return [
        *found,
        Job("check's policy", ("check", "policy.json", "a.csv"), "policy.json"),
        Job("apply's policy", ("apply", "policy.json", "new.csv", *written), "policy.json"),
        Job("sample's policy", ("sample", "new.csv", "--audit", "policy.json", "--budget", "50", "-o",
            "x.csv"), "policy.json"),
        Job("monitor's policy", ("monitor", "policy.json", "a.csv"), "policy.json"),
        Job("monitor's state", ("monitor", "policy.json", "b.csv", "--state", "monitor.json"),
            "monitor.json"),
        Job("search's state", search, "search.json"),
        Job("search's batch", search, "batch.csv"),
        Job("search's outputs", search, "new.csv"),
        Job("sample's answers", answers, "drawn.csv"),
        Job("sample's outputs", answers, "new.csv"),
        Job("cascade's stages", ("cascade", "stages.toml"), "stages.toml"),
        Job("cascade's outputs", ("cascade", "stages.toml"), "b.csv"),
        Job("the attributes of pages", (*ocr, "--attributes", "pages.csv"), "pages.csv"),
        Job("pairs of files", ("ocr", "--pair", "pairs.csv"), "pairs.csv"),
        Job("a combination", ("ocr", "truth", *engines), "combination.json"),
        Job("apply's combination", ("apply", "policy.json", *engines, *written), "combination.json"),
        Job("comparisons", ("ocr", "fields.csv", "--compare", "compare.toml"), "compare.toml"),
        Job("an engine's file", ocr, "plain/article_bees.tsv"),
    ]  # fmt: skip


def damages(content: bytes) -> dict[str, bytes]:
    """Ways to damage a file that no reader can take for another file of the same kind."""
    rng = random.Random(len(content))
    middle = len(content) // 2
    noise = rng.randbytes(40)
    return {
        "empty": b"",
        "cut": content[: middle + 3],
        "noise inside": content[:middle] + noise + content[middle + 40 :],
        "noise alone": rng.randbytes(300),
        "another text": b"<html><body>502 Bad Gateway</body></html>\n",
        "an open quote": content[:middle] + b'"' + content[middle:],
    }


def problems(folder: Path, monkeypatch: pytest.MonkeyPatch, job: Job) -> list[str]:
    """Return what is wrong with how a command refuses damaged files."""
    monkeypatch.chdir(folder)
    found = []
    path = folder / job.damaged
    content = path.read_bytes()
    others = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    for damage, damaged in damages(content).items():
        restore(folder, others)
        path.write_bytes(damaged)
        result = run(*job.words, code=None)
        said = f"{job.name}, {damage}: {result.exit_code} {result.stderr.strip()}"
        if result.exit_code in (0, 3) and (damage in CAN_BE_RIGHT or job.damaged in MAY_BE_EMPTY):
            continue
        first = result.stderr.removeprefix("fastarac: error: ")
        if result.exit_code != 2 or job.damaged not in first or JARGON.search(result.stderr):
            found.append(said)
    restore(folder, others)
    path.write_bytes(content)
    return found


def restore(folder: Path, contents: dict[str, bytes]) -> None:
    """Write the files that have changed, which takes far longer than to compare them."""
    for name, data in contents.items():
        if (folder / name).read_bytes() != data:
            (folder / name).write_bytes(data)


MAY_BE_EMPTY = ("compare.toml", "plain/article_bees.tsv")  # no comparisons, and a page without words
CAN_BE_RIGHT = ("cut", "an open quote", "noise inside")  # text may lose rows, or have other names


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("job", jobs(), ids=lambda job: f"{job.name}: {job.damaged}")
def test_a_damaged_file_is_named_in_plain_words(folder, monkeypatch, job):
    assert problems(folder, monkeypatch, job) == []
