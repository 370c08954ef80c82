"""The monitor's command on files that come twice, grown, or at once; its state; moved confidences."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import refusal, run

from fastarac._core.locks import locked


def write(path, audits, header="confidence,correct"):
    path.write_text("\n".join([header, *(",".join(map(str, each)) for each in audits)]) + "\n")
    return path


def drawn(n, seed, power=1):
    rng = np.random.default_rng(seed)
    confidence = (rng.random(n) ** power).round(4)
    return [
        (c, int(y)) for c, y in zip(confidence, rng.random(n) >= 0.2 * (1 - confidence), strict=True)
    ]


@pytest.fixture
def policy(tmp_path):
    write(tmp_path / "verified.csv", drawn(3000, 0))
    run("fit", tmp_path / "verified.csv", "--error-rate", 0.05, "-o", tmp_path / "policy.json")
    return tmp_path / "policy.json"


AGAIN = "fastarac: note: {} were counted before and do not count again.\n"


def figures(done):
    """Those of each policy, in what a monitor has printed as JSON."""
    return json.loads(done.stdout)["monitor"]["policies"]


def audited(policy, *files, **more):
    options = [word for name, value in more.items() for word in (f"--{name}", value)]
    state = policy.parent / "state.json"
    result = run("monitor", policy, *files, "--state", state, "--format", "json", *options)
    (found,) = figures(result)
    return found["audited"], result.stderr


class TestAuditsCountOnce:
    @pytest.mark.parametrize("form", ["newline", "order", "separator", "copy", "gzip"])
    def test_the_same_audits_in_another_file(self, policy, tmp_path, form):
        audits = drawn(50, 1)
        first, second = write(tmp_path / "a.csv", audits), tmp_path / "b.csv"
        if form == "gzip":
            import gzip

            second = tmp_path / "b.csv.gz"
            second.write_bytes(gzip.compress(first.read_bytes()))
        elif form == "order":
            write(second, audits[::-1])
        else:
            text = first.read_text()
            second.write_text(
                {"newline": text + "\n", "separator": text.replace(",", ";")}.get(form, text)
            )
        assert audited(policy, first) == (50, "")
        said = AGAIN.format(f"{second}: its 50 audits")
        assert audited(policy, second) == (50, said)
        assert audited(policy, first, second)[0] == 50

    def test_ids(self, policy, tmp_path):
        audits = [(i, *each) for i, each in enumerate(drawn(80, 1))]
        header = "id,confidence,correct"
        first = write(tmp_path / "a.csv", audits[:50], header)
        second = write(tmp_path / "b.csv", audits[30:], header)
        assert audited(policy, first) == (50, "")
        said = AGAIN.format(f"{second}: 20 of its 50 audits")
        assert audited(policy, second) == (80, said)
        named = write(tmp_path / "c.csv", audits[:10], "number,confidence,correct")
        assert audited(policy, named, id="number")[0] == 80
        assert audited(policy, write(tmp_path / "d.csv", audits, header))[0] == 80

    def test_an_id_that_means_another_audit(self, policy, tmp_path):
        header = "id,confidence,correct"
        first = write(tmp_path / "a.csv", [(1, 0.9, 1), (2, 0.8, 1)], header)
        assert audited(policy, first)[0] == 2
        for other in ((2, 0.8, 0), (2, 0.7, 1)):
            second = write(tmp_path / "b.csv", [(3, 0.5, 1), other], header)
            message = refusal("monitor", policy, second, "--state", tmp_path / "state.json")
            assert (
                f'{second}, row 2: column "id" holds "2", the id of an audit that was counted'
                in message
            )
        assert audited(policy, first)[0] == 2

    def test_a_file_that_grew_without_ids(self, policy, tmp_path):
        path, audits = tmp_path / "a.csv", drawn(30, 1)
        assert audited(policy, write(path, audits[:20]))[0] == 20
        message = refusal("monitor", policy, write(path, audits), "--state", tmp_path / "state.json")
        assert f"{path}: it begins with the 20 audits of an earlier file" in message
        assert audited(policy, write(tmp_path / "new.csv", audits[20:]))[0] == 30
        few = write(tmp_path / "few.csv", audits[20:22])
        assert audited(policy, few)[0] == 32
        # that few audits begin another file is no news
        assert audited(policy, write(tmp_path / "other.csv", [*audits[20:22], (0.123, 1)]))[0] == 35

    def test_documents(self, tmp_path):
        rows = [(f"form {i // 2}", *each) for i, each in enumerate(drawn(3000, 0))]
        header = "form,confidence,correct"
        verified, policy = write(tmp_path / "v.csv", rows, header), tmp_path / "p.json"
        columns = ["--document", "form"]
        run("fit", verified, *columns, "--error-rate", 0.2, "-o", policy)
        few = write(tmp_path / "few.csv", rows[:40], header)
        for options in ({}, {"id": "form"}):
            (tmp_path / "state.json").unlink(missing_ok=True)
            assert audited(policy, few, **options) == (20, "")
            assert audited(policy, few, **options)[0] == 20
        more = write(tmp_path / "more.csv", rows[20:60], header)
        assert audited(policy, more, id="form")[0] == 30
        message = refusal("monitor", policy, few, "--id", "confidence")
        assert 'document "form 0" has several ids' in message


def test_processes_that_share_a_state_lose_no_audits(policy, tmp_path):
    files = [write(tmp_path / f"{i}.csv", drawn(100 + i, i)) for i in range(4)]
    state = tmp_path / "state.json"
    command = [sys.executable, "-m", "fastarac", "monitor", policy]
    running = [
        subprocess.Popen(
            [*map(str, command), str(path), "--state", str(state)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for path in files
    ]
    for each in running:
        _, told = each.communicate(timeout=300)
        assert (each.returncode, told) == (0, b"")
    updates = json.loads(state.read_text())["updates"]
    assert sorted(each["audited"] for each in updates) == [100 + i for i in range(4)]
    assert not list(tmp_path.glob(".*"))


def test_a_lock_ends_with_its_process(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    hold = (
        "import sys, time, pathlib\nfrom fastarac._core.locks import locked\n"
        "with locked(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", hold, str(path)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline().strip() == b"held"
            monkeypatch.setattr("fastarac._core.locks.WAIT", 0.1)
            with pytest.raises(TimeoutError, match="another process has held its lock"), locked(path):
                pass
        finally:
            holder.kill()
    with locked(path):
        assert [each.name for each in tmp_path.iterdir()] == [".state.json.lock"]
    assert not list(tmp_path.iterdir())
    link = tmp_path / "link.json"
    link.symlink_to(path)
    with locked(path), pytest.raises(TimeoutError), locked(link):
        pass


def test_the_state_does_not_override_the_policy(policy, tmp_path):
    state = tmp_path / "state.json"
    files = write(tmp_path / "a.csv", drawn(100, 1))
    audited(policy, files)
    content = json.loads(state.read_text())
    state.write_text(json.dumps(content | {"limit": 0.5}))
    message = refusal("monitor", policy, files, "--state", state)
    assert f"{state}: it is" in message
    state.write_text(json.dumps(content | {"criterion": "max_risk"}))
    assert "it is not the state of" in refusal("monitor", policy, files, "--state", state)


@pytest.mark.parametrize("criterion", ["--error-rate", "--max-risk"])
def test_moved_confidences_are_named(tmp_path, criterion):
    """As by check; where audits may be drawn from accepted outputs alone, nothing is said."""
    verified, policy = write(tmp_path / "v.csv", drawn(3000, 0)), tmp_path / "p.json"
    run("fit", verified, criterion, 0.15, "-o", policy)
    same, moved = write(tmp_path / "a.csv", drawn(400, 1)), write(tmp_path / "b.csv", drawn(400, 2, 2))
    checked = run("check", policy, moved, code=None).stdout
    begin = checked.index("The confidences have moved since the fit (p = 0.0002)")
    sentence = checked[begin:].splitlines()[0]
    found = run("monitor", policy, moved, code=None).stdout
    (told,) = figures(run("monitor", policy, moved, "--format", "json", code=None))
    if criterion == "--max-risk":
        assert "The confidences" not in found
        assert told["shifted"] is None
        return
    assert sentence in found
    assert told["shifted"]
    assert told["shift_pvalue"] <= 0.0005
    assert "have moved" not in run("monitor", policy, same, code=None).stdout


def test_ids_are_of_bounded_number(monkeypatch):
    from fastarac import operation
    from fastarac.operation.monitoring import deduplication

    monkeypatch.setattr(deduplication, "MOST_AUDITS", 100)
    monkeypatch.setattr(deduplication, "MOST_BATCHES", 7)
    monitor = operation.ErrorRateMonitor(max_error_rate=0.1)
    for day in range(20):
        ids = list(range(10 * day, 10 * day + 10))
        assert monitor.count([False] * 10, details=ids, ids=ids) == 10
        monitor.update(0, 1, batch=str(day))
    known = monitor.to_dict()["counted"]
    assert (len(known["audits"]), len(known["batches"])) == (100, 7)
    assert monitor.count([False] * 3, details=[199, 150, 200], ids=[199, 150, 200]) == 1
    assert monitor.has_seen("19")
    assert not monitor.has_seen("0")


def test_audits_of_python():
    from fastarac import operation

    monitor = operation.ErrorRateMonitor(max_error_rate=0.1)
    assert monitor.count([], details=[]) == 0
    assert monitor.count([True, True], details=[0.5, 0.5], ids=["a", "a"]) == 1
    assert monitor.count(np.array([0, 1]), details=[[0.5, "x"], [0.7, "y"]]) == 2
    for given, message in (
        (([2], [1]), "outcomes must be a sequence of True and False, one for each audit"),
        (([True], [1, 2]), r"details must have a value"),
        (([True], [1], [None]), "ids"),
    ):
        with pytest.raises(ValueError, match=message):
            monitor.count(given[0], details=given[1], ids=given[2] if len(given) > 2 else None)
    with pytest.raises(ValueError, match=r"ids\[0\] is \"a\"; another audit with this id was counted"):
        monitor.count([False], details=[0.5], ids=["a"])
    assert (monitor.errors, monitor.audited) == (2, 3)


def test_the_lock_of_a_state_that_cannot_be_made(policy, tmp_path):
    path = Path(tmp_path, "nowhere", "state.json")
    message = refusal("monitor", policy, tmp_path / "verified.csv", "--state", path)
    assert f"{path}: No such file or directory" in message


def weeks(tmp_path, errors, header="confidence,correct", per_page=None):
    """A file a week of 200 audits that are accepted, so many of them wrong."""
    found = []
    for week, wrong in enumerate(errors):
        rows = [(0.99 + 1e-6 * week, int(i >= wrong)) for i in range(200)]
        if per_page is not None:
            rows = [(f"{week}-{i // per_page}", *each) for i, each in enumerate(rows)]
        found.append(write(tmp_path / f"week{week}.csv", rows, header))
    return found


def test_a_change_lately(policy, tmp_path):
    files = weeks(tmp_path, [3] * 12 + [30, 1, 2])
    told = ["--state", tmp_path / "state.json"]
    quiet = run("monitor", policy, *files[:12], *told).stdout
    assert quiet.startswith("No alarm: ")
    assert "refit" not in quiet
    result = " ".join(run("monitor", policy, *files[12:14], *told, code=1).stdout.split())
    assert result.startswith("Alarm at update 13: ")
    assert "; 67 of " in result
    # answers from before the change say nothing of the outputs to come
    assert "Refit the policy only on outputs drawn after the change: fastarac sample new.csv" in result
    (found,) = figures(run("monitor", policy, files[14], *told, "--format", "json"))
    assert (found["alarm"], found["changed"], found["changes"]) == (False, False, [13])
    assert 0 < found["change_statistic"] < 1
    again = tmp_path / "again.json"
    for _ in range(2):  # the last update has the alarm, also where nothing is new
        result = run("monitor", policy, *files[:13], "--state", again, code=1)
    assert result.stdout.startswith("Alarm: the error rate seems to have risen ")


def test_pages(policy, tmp_path):
    files = weeks(tmp_path, [3, 60], "page,confidence,correct", per_page=20)
    told = ["--state", tmp_path / "state.json", "--format", "json"]
    options = [*told, "--group", "page", "--max-group-size", 20]
    (found,) = figures(run("monitor", policy, *files, *options))
    assert (found["errors"], found["audited"]) == (63, 400)
    state = json.loads((tmp_path / "state.json").read_text())
    sizes = [[each["audited"] for each in update["groups"]] for update in state["updates"]]
    assert sizes == [[20] * 10] * 2
    message = refusal("monitor", policy, *files, *told, "--group", "page", "--max-group-size", 19)
    assert "it is the state of audits of groups, with --max-group-size 20; use" in message
    message = refusal("monitor", policy, *files, "--group", "page", "--max-group-size", 19)
    assert f'{files[0]}, row 1: column "page" holds "0-0"' in message
    assert "it is the state of audits of groups" in refusal("monitor", policy, *files, *told)
    assert "--group needs --max-group-size" in refusal("monitor", policy, *files, "--group", "page")
    message = refusal("monitor", policy, *files, "--max-group-size", 9)
    assert "--max-group-size needs --group" in message


def test_open_audits_by_date(policy, tmp_path):
    header = "id,drawn_at,confidence,correct"
    first = [("a", "2026-03-02", 0.99, ""), ("b", "2026-03-02", 0.99, 0), ("c", "2026-03-02", 0.0, "")]
    second = [("d", "2026-03-09", 0.99, "")]
    one, two = write(tmp_path / "1.csv", first, header), write(tmp_path / "2.csv", second, header)
    told = ["--state", tmp_path / "state.json", "--deadline", 28]
    (found,) = figures(run("monitor", policy, one, two, *told, "--format", "json"))
    assert (found["errors"], found["audited"], found["open"]) == (0, 0, 2)
    answered = write(tmp_path / "3.csv", [("a", *first[0][1:3], 1), *first[1:]], header)
    (found,) = figures(run("monitor", policy, answered, two, *told, "--format", "json"))
    assert (found["errors"], found["audited"], found["open"]) == (1, 3, 1)
    later = write(tmp_path / "4.csv", [("e", "2026-04-06", 0.99, 1)], header)
    result = run("monitor", policy, later, *told).stdout
    assert "udits without an answer at their deadline (1) count as right" in " ".join(result.split())
    late = write(tmp_path / "5.csv", [(*second[0][:3], 0)], header)
    done = run("monitor", policy, late, *told, "--format", "json")
    assert json.loads(done.stdout)["warnings"] == [
        f"{late}: 1 answers came after their deadline and no longer count."
    ]
    old = write(tmp_path / "6.csv", [("f", "2026-03-03", 0.99, 1)], header)
    message = refusal("monitor", policy, old, *told)
    assert f'{old}, row 1: column "drawn_at" holds' in message
    message = refusal("monitor", policy, late, *told[:2], "--deadline", 7)
    assert "its --deadline is 28; use" in message
    message = refusal("monitor", policy, late, *told, "--group", "id", "--max-group-size", 9)
    assert "it is the state of audits of single outputs" in message


def test_open_audits_of_pages(policy, tmp_path):
    header = "id,drawn_at,confidence,correct,page"
    rows = [
        ("a", 1, 0.99, "", "p"),
        ("b", 1, 0.99, 0, "p"),
        ("c", 1, 0.99, 1, "q"),
        ("d", 2, 0.99, 1, "p"),
    ]
    told = ["--state", tmp_path / "state.json", "--deadline", 3]
    told += ["--group", "page", "--max-group-size", 2, "--format", "json"]
    (found,) = figures(run("monitor", policy, write(tmp_path / "1.csv", rows, header), *told))
    assert (found["errors"], found["audited"], found["open"]) == (0, 0, 1)
    answered = write(tmp_path / "2.csv", [(*rows[0][:3], 0, "p"), *rows[1:]], header)
    (found,) = figures(run("monitor", policy, answered, *told))
    assert (found["errors"], found["audited"], found["open"]) == (2, 3, 0)
    many = write(tmp_path / "3.csv", [(i, 4, 0.99, 1, "r") for i in "efg"], header)
    message = refusal("monitor", policy, many, *told)
    assert f'{many}, row 3: column "page" holds "r"; the group has 3 or more audits' in message
