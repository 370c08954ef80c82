"""Files that are saved: whole ones or none, beside whatever else is there and whoever else writes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from fastarac import operation
from fastarac._core.files import whole_file, write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes of POSIX")
POLICY = operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


class TestNamesOfPartialFiles:
    def test_nobody_can_guess_them(self, tmp_path):
        seen = set()
        for _ in range(20):
            with whole_file(tmp_path / "page.html") as partial:
                assert partial.parent == tmp_path
                assert partial.suffix == ".html"
                assert str(os.getpid()) not in partial.name[:-32]
                seen.add(partial.name)
        assert len(seen) == 20
        assert all(len(set(name)) > 12 for name in seen)

    def test_there_is_room_for_long_names(self, tmp_path):
        path = tmp_path / ("x" * 250 + ".txt")
        write_whole(path, "a")
        assert path.read_text() == "a"

    @posix
    def test_an_existing_file_or_link_is_not_written_through(self, tmp_path, monkeypatch):
        other = tmp_path / "other.txt"
        other.write_text("mine")
        monkeypatch.setattr("secrets.token_hex", lambda _: "known")
        (tmp_path / ".fastarac-known.txt").symlink_to(other)
        with pytest.raises(FileExistsError, match=r"saved\.txt"):
            write_whole(tmp_path / "saved.txt", "new")
        assert other.read_text() == "mine"
        assert names_in(tmp_path) == [".fastarac-known.txt", "other.txt"]


def test_threads_that_save_to_one_path_leave_one_whole_file(tmp_path):
    path, n = tmp_path / "state.json", 20_000
    texts = [letter * n for letter in "ab"]
    path.write_text(texts[0])

    def save(text):
        for _ in range(150):
            write_whole(path, text)

    with ThreadPoolExecutor(2) as pool:
        saving = [pool.submit(save, text) for text in texts]
        while not all(each.done() for each in saving):
            assert path.read_text() in texts
    for each in saving:
        each.result()
    assert names_in(tmp_path) == ["state.json"]


@posix
class TestWhatIsReplaced:
    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o660, 0o444])
    def test_its_mode_stays(self, tmp_path, mode):
        path = tmp_path / "policy.json"
        path.write_text("old")
        path.chmod(mode)
        with whole_file(path) as partial:
            assert partial.stat().st_mode & 0o077 == 0  # until it is complete, too
            partial.write_text("new")
        assert path.stat().st_mode & 0o7777 == mode
        assert path.read_text() == "new"

    def test_duckdb_leaves_the_mode_and_no_file_of_its_own(self, tmp_path):
        source, goal = tmp_path / "new.csv", tmp_path / "accepted.csv"
        source.write_text("confidence\n300\n-1\n")
        goal.write_text("old")
        goal.chmod(0o640)
        operation.apply_policy(POLICY, source, accepted=goal, review=tmp_path / "review.csv")
        assert goal.read_text() == "confidence\n300\n"
        assert goal.stat().st_mode & 0o7777 == 0o640
        assert names_in(tmp_path) == ["accepted.csv", "new.csv", "review.csv"]

    def test_new_files_have_the_default_of_the_process(self, tmp_path):
        old = os.umask(0o027)
        try:
            write_whole(tmp_path / "a.txt", "a")
        finally:
            os.umask(old)
        assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640

    def test_a_link_stays(self, tmp_path):
        (tmp_path / "there").mkdir()
        path, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
        link.symlink_to(path)
        for text in ("new", "newer"):  # where there is nothing yet, too
            write_whole(link, text)
            assert link.is_symlink()
            assert path.read_text() == text
        assert names_in(tmp_path / "there") == ["a.txt"]


@posix
class TestStreams:
    def test_a_named_pipe_stays_one_and_gets_all(self, tmp_path):
        pipe = tmp_path / "accepted.csv"
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        reader.start()
        write_whole(pipe, "a" * 200_000)
        reader.join()
        assert got == ["a" * 200_000]
        assert names_in(tmp_path) == ["accepted.csv"]
        assert pipe.is_fifo()

    @pytest.mark.parametrize("into", ["pipe", "file"])
    def test_standard_output(self, tmp_path, into):
        code = (
            "from fastarac._core.files import write_whole; print('before', flush=True); "
            "write_whole('/dev/stdout', 'text\\n')"
        )
        command = [sys.executable, "-c", code]
        if into == "pipe":
            found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        else:
            with (tmp_path / "out").open("w") as out:
                subprocess.run(command, check=True, stdout=out)
            found = (tmp_path / "out").read_text()
        assert found == "before\ntext\n"

    def test_nothing_is_sent_of_what_fails(self, tmp_path):
        with pytest.raises(ZeroDivisionError), whole_file(Path("/dev/null")) as partial:
            partial.write_text(str(1 // 0))
        assert not partial.exists()
        assert Path("/dev/null").is_char_device()

    def test_a_full_device(self):
        with pytest.raises(OSError, match="/dev/full") as caught:
            write_whole("/dev/full", "a")
        assert caught.value.errno == errno.ENOSPC


LIMITED = """
import resource, sys
from fastarac._core import files
from fastarac.cli import main

created, limit = files._created, int(sys.argv.pop(1))

def created_on_a_full_disk(*arguments):
    found = created(*arguments)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return found

files._created = created_on_a_full_disk  # what is written before, such as caches, is none of this
main()
"""


@posix
class TestFullDisks:
    """Limits on the size of files stand for a full disk: writers meet the same kind of error."""

    def command(self, limit, *words):
        command = [sys.executable, "-B", "-c", LIMITED, str(limit), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_text_files_name_themselves(self, tmp_path):
        code = (
            "import resource; from fastarac._core.files import write_whole; "
            "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); write_whole('page.html', 'a' * 99)"
        )
        command = [sys.executable, "-B", "-c", code]
        found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert "File too large: 'page.html'" in found.stderr
        assert names_in(tmp_path) == []

    @pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
    def test_files_of_duckdb_name_themselves(self, tmp_path, ending):
        policy, source = tmp_path / "policy.json", tmp_path / "new.csv"
        goals = [tmp_path / f"{name}{ending}" for name in ("accepted", "review")]
        POLICY.save(policy)
        source.write_text("confidence\n" + "".join(f"{i % 401 + 0.12345}\n" for i in range(20_000)))
        goals[0].write_text("old")
        found = self.command(4_000, "apply", policy, source, "-o", goals[0], "--review", goals[1])
        assert found.returncode == 2
        assert f"error: {goals[0]}: File too large" in found.stderr
        assert goals[0].read_text() == "old"
        assert names_in(tmp_path) == sorted([goals[0].name, "new.csv", "policy.json"])

    def test_a_plot_and_a_report(self, tmp_path):
        source = tmp_path / "a.csv"
        source.write_text("correct,confidence\n" + "1,0.9\n0,0.2\n1,0.7\n" * 20)
        for option, name in (("--plot", "p.pdf"), ("--report", "r.html")):
            (tmp_path / name).write_text("old")
            found = self.command(3_000, "evaluate", source, option, tmp_path / name)
            assert found.returncode == 2
            assert f"error: {tmp_path / name}: it cannot be written: File too large" in found.stderr
            assert (tmp_path / name).read_text() == "old"
        assert names_in(tmp_path) == ["a.csv", "p.pdf", "r.html"]


def test_errors_of_writers_that_say_no_number_name_the_file(tmp_path):
    with pytest.raises(OSError, match=r"encoder.*page\.png"), whole_file(tmp_path / "page.png"):
        raise OSError("encoder error")
    with pytest.raises(FileNotFoundError, match="other"), whole_file(tmp_path / "page.png"):
        Path("other").read_text()
    with pytest.raises(FileNotFoundError, match=r"missing.page\.png'$"):
        write_whole(tmp_path / "missing" / "page.png", "")
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}'$"):
        write_whole(tmp_path, "")
    assert names_in(tmp_path) == []


def test_what_is_written_for_duckdb_may_have_any_name(tmp_path):
    folder = tmp_path / "it's a [folder]*"
    folder.mkdir()
    (folder / "a.csv").write_text("confidence\n300\n")
    goals = {name: folder / f"{name} ü.parquet" for name in ("accepted", "review")}
    operation.apply_policy(POLICY, folder / "a.csv", **goals)
    with duckdb.connect() as connection:
        query = "SELECT count(*) FROM read_parquet(?)"
        path = str(goals["accepted"]).replace("[", "?").replace("*", "?")
        assert connection.execute(query, [path]).fetchall() == [(1,)]


HOLD = """
import sys, time
from pathlib import Path
from fastarac._core.files import whole_file, whole_folder
with whole_file(Path(sys.argv[1], "a.csv")) as a, whole_folder(Path(sys.argv[1], "crops")) as b:
    a.write_text("half")
    (b / "1.png").write_text("half")
    print("there", flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="locks tell there what is written to")
class TestWhatAKilledProcessLeaves:
    @pytest.fixture
    def writer(self, tmp_path):
        command = [sys.executable, "-c", HOLD, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "there\n"
            yield process
            process.kill()

    def test_it_is_removed_by_the_next_that_writes_there(self, tmp_path, writer):
        live = names_in(tmp_path)
        assert len(live) == 2
        write_whole(tmp_path / "b.csv", "b")
        assert names_in(tmp_path) == [*live, "b.csv"]  # somebody writes to them
        writer.kill()
        writer.wait()
        write_whole(tmp_path / "b.csv", "c")
        assert names_in(tmp_path) == ["b.csv"]
        assert (tmp_path / "b.csv").read_text() == "c"

    def test_what_is_called_otherwise_stays(self, tmp_path):
        hexadecimal = "0123456789abcdef" * 2
        others = [f".fastarac-{hexadecimal[1:]}.csv", f"x.fastarac-{hexadecimal}", ".fastarac-notes"]
        for name in others:
            (tmp_path / name).write_text("mine")
        (tmp_path / f".fastarac-{hexadecimal}.csv").symlink_to(tmp_path / others[0])
        write_whole(tmp_path / "b.csv", "b")
        assert len(names_in(tmp_path)) == len(others) + 2

    def test_writers_beside_those_who_clean_up_lose_nothing(self, tmp_path):
        def save(number):
            for _ in range(50):
                write_whole(tmp_path / f"{number}.txt", str(number))

        with ThreadPoolExecutor(4) as pool:
            for saved in [pool.submit(save, number) for number in range(4)]:
                saved.result()
        assert names_in(tmp_path) == [f"{number}.txt" for number in range(4)]
