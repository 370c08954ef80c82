"""Sections that every public docstring has: neighbours, and the works that formulas are from."""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType

import pytest

import fastarac as fa

# The modules of `adapters` need packages of their own.
MODULES = ["fastarac"] + [
    f"fastarac.{name}"
    for name in fa.__all__
    if isinstance(getattr(fa, name), ModuleType) and name != "adapters"
]
# A work by its year: "Fawcett 2006", "DeLong et al. 1988", "Tharwat (2020)".
WORK = re.compile(r"\b[A-ZÄÖÜ][\w’-]+(?: et al\.| and others)?,? \(?(?:19|20)\d\d\b")
ENTRY = re.compile(r"^(?P<names>\S[^:]*?)(?: : (?P<said>\S.*))?$")


def callables():
    """Return every public function and class once, by the name it has in the module it is found in."""
    found = {}
    for module in MODULES:
        inside = importlib.import_module(module)
        for name in inside.__all__:
            value = getattr(inside, name)
            if callable(value):
                found.setdefault(id(value), (f"{module}.{name}", value))
    return dict(found.values())


PUBLIC = callables()


def sections(docstring):
    """Return the lines of each section by its title; what comes before is under the empty title."""
    found, title = {"": []}, ""
    lines = docstring.splitlines()
    for i, line in enumerate(lines):
        if i and line and set(line) == {"-"} and len(line) == len(lines[i - 1]):
            found[title].pop()
            title = lines[i - 1]
            found[title] = []
        else:
            found[title].append(line)
    return found


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_sections(name):
    """Each has one to four neighbours that exist, and References where its text cites a work."""
    found = sections(inspect.getdoc(PUBLIC[name]) or "")
    assert "See Also" in found, "has no See Also"
    lines = found["See Also"]
    entries = [line for line in lines if line.strip() and not line[0].isspace()]
    neighbours = [each for line in entries for each in ENTRY.fullmatch(line)["names"].split(", ")]
    assert 1 <= len(neighbours) <= 4
    for each in neighbours:
        assert _exists(each), each
        assert each not in (name, name.rpartition(".")[2]), "is its own neighbour"
    text = "\n".join(line for title in ("", "Notes") for line in found.get(title, ()))
    if WORK.search(text):
        assert "".join(found.get("References", ())).strip(), f"cites {WORK.search(text)[0]}"


def _exists(each):
    """Return whether a neighbour is a public name, or an attribute of one."""
    for start in map(importlib.import_module, MODULES):
        value = start
        try:
            for part in each.removeprefix("fastarac.").split("."):
                value = getattr(value, part)
        except AttributeError:
            continue
        return True
    return False
