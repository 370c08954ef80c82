"""What ``--help`` shows: one screen a command, one meaning an option."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict

import pytest
from commands import run
from typer.core import TyperOption

from fastarac.cli._help import MORE, TASKS, Commands
from fastarac.cli._panels import Panel

COMMANDS = Commands()
LINES, COLUMNS = 50, 80
DIFFERS = {"--output", "--format"}  # in what is written, in the formats that there are


def options_of(command: str) -> list[TyperOption]:
    return [each for each in COMMANDS[command].params if isinstance(each, TyperOption)]


def name_of(option: TyperOption) -> str:
    return max(option.opts, key=len)


@pytest.fixture(autouse=True)
def _narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def test_commands_have_one_line_each_in_the_order_of_use():
    lines = run("--help").stdout.splitlines()
    rows = [line.split()[0] for line in lines if re.match(r"  [a-z]+ {2,}[A-Z]", line)]
    assert rows == [name for names in TASKS.values() for name in names]
    assert sorted(rows) == sorted(COMMANDS)
    assert len(lines) <= LINES


def test_the_list_of_commands_imports_none():
    code = "import sys; from fastarac.cli import main; sys.argv[1:] = ['--help']; main()"
    say = "import atexit, sys; atexit.register(lambda: print('numpy' in sys.modules)); "
    done = subprocess.run(
        [sys.executable, "-c", say + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("\nFalse\n")


@pytest.mark.parametrize("command", COMMANDS)
class TestCommands:
    def test_the_list_has_its_sentence(self, command):
        (sentence,) = (names[command] for names in TASKS.values() if command in names)
        assert COMMANDS[command].help.split("\n\n")[0] == sentence

    def test_help_is_one_screen(self, command):
        lines = run(command, "--help").stdout.splitlines()
        assert len(lines) <= LINES
        assert max(map(len, lines)) <= COLUMNS
        hides = MORE in (COMMANDS[command].epilog or "")
        hides |= any(option.hidden for option in options_of(command))
        assert any(line.endswith(" --help-all shows all options.") for line in lines) == hides

    def test_each_option_is_in_its_panel(self, command):
        has_more = any(option.name == "help_all" for option in COMMANDS[command].params)
        all_options = "--help-all" if has_more else "--help"
        some, every = (run(command, each).stdout for each in ("--help", all_options))
        for option in options_of(command):
            listed = re.compile(rf"^  (?:-\w, )?{name_of(option)}\b", re.MULTILINE)
            if has_more or option.rich_help_panel != Panel.other:
                assert listed.search(every), name_of(option)
            in_some = bool(listed.search(some))
            assert in_some == (not option.hidden and option.rich_help_panel != Panel.other)
        panels = [line[:-1] for line in every.splitlines() if re.fullmatch(r"[A-Z][a-z ]+:", line)]
        assert panels == [each for each in ("Arguments", *Panel) if each in panels]

    def test_texts_are_one_sentence(self, command):
        for option in options_of(command):
            text = re.sub(r" *\[default: .*?\]", "", option.help)
            assert re.fullmatch(r"[^.]+(?:\.\w[^.]*)*\.", text), text


def test_one_name_is_one_option():
    """Every option is declared once: its help, its panel and its value are the same in all commands."""
    seen = defaultdict(set)
    for command in COMMANDS:
        for option in options_of(command):
            text = re.sub(r" *\[default: .*?\]", "", option.help)
            what = "" if name_of(option) in DIFFERS else text
            seen[name_of(option)].add((what, option.metavar, option.rich_help_panel, option.hidden))
    assert {name: found for name, found in seen.items() if len(found) > 1} == {}


def test_one_sentence_is_one_option():
    """No two options are for one concept."""
    seen = defaultdict(set)
    for command in COMMANDS:
        for option in options_of(command):
            seen[option.help].add(name_of(option))
    assert {text: names for text, names in seen.items() if len(names) > 1} == {}
