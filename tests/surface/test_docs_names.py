"""Names of the library in the pages, outside the examples that run: in tables and in sentences."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

import fastarac as fa

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if not path.parent.name.startswith("_"))
MODULES = (
    *("costs", "displays", "io", "measures", "ocr", "operation", "partial_truth", "report"),
    *("station", "weeks"),
)
FENCED = re.compile(r"^(`{3,}|:{3,}|~{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
ROLE = re.compile(r"\{fa\}`~?([\w.]+)`")
SPAN = re.compile(r"(?<!\})`([^`\n]+)`")
CALL = re.compile(r"\bfa\.([\w.]+)\(([^()]*)\)?")
KEYWORD = re.compile(r"(?<![\w.\"'])([a-z]\w*)=(?!=)")


def members(value: object) -> list[object]:
    found = [getattr(value, name) for name in dir(value) if not name.startswith("_")]
    return [value, *(member for member in found if callable(member))]


def parameters(value: object) -> set[str]:
    try:
        return set(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return set()


def all_parameters() -> set[str]:
    """Parameters of all public functions, classes and their methods."""
    modules = [fa, *(getattr(fa, name) for name in MODULES)]
    public = [getattr(module, name) for module in modules for name in module.__all__]
    callables = [member for value in public if callable(value) for member in members(value)]
    return set().union(*map(parameters, callables))


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def exists(name: str) -> bool:
    try:
        resolve_name(f"fastarac.{name}")
    except (AttributeError, ImportError):
        owner, _, field = name.rpartition(".")
        return bool(owner) and field in getattr(
            resolve_name(f"fastarac.{owner}"), "__annotations__", {}
        )
    return True


def our_cells(text: str) -> list[str]:
    """Cells of tables, but for the columns about other libraries."""
    cells, header = [], None
    for line in text.splitlines():
        if not line.startswith("|"):
            header = None
            continue
        row = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        header = header or row
        cells += row[-1:] if "there" in header else row
    return cells


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
class TestPages:
    def test_names_exist(self, page):
        names = ROLE.findall(prose(page))
        assert [name for name in names if not exists(name)] == []

    def test_keywords_in_tables_are_parameters(self, page):
        known = all_parameters()
        spans = [span for cell in our_cells(prose(page)) for span in SPAN.findall(cell)]
        assert [s for s in spans if not set(KEYWORD.findall(s)) <= known] == []

    def test_calls_have_their_keywords(self, page):
        calls = [call for span in SPAN.findall(prose(page)) for call in CALL.findall(span)]
        for name, arguments in calls:
            value = resolve_name(f"fastarac.{name}")
            takes = inspect.signature(value).parameters
            if not any(p.kind is p.VAR_KEYWORD for p in takes.values()):
                assert set(KEYWORD.findall(arguments)) <= set(takes), f"fa.{name}({arguments})"


def test_a_keyword_that_does_not_exist_is_seen():
    cells = our_cells("| quantity | picture |\n|---|---|\n| area | `shade=True` |\n")
    keywords = [word for cell in cells for span in SPAN.findall(cell) for word in KEYWORD.findall(span)]
    assert keywords == ["shade"]
    assert not set(keywords) & all_parameters()


def test_the_api_pages_have_every_public_name_once():
    found, module = [], ""
    pages = sorted((DOCS / "api").glob("*.md"))
    for line in "\n".join(page.read_text(encoding="utf-8") for page in pages).splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.removeprefix(".. currentmodule:: fastarac").removeprefix(".")
        elif name := re.fullmatch(r"(?:   |\.\. py:data:: )(\w+)", line):
            found.append(f"{module}.{name[1]}".removeprefix("."))
    modules = [name for name in fa.__all__ if inspect.ismodule(getattr(fa, name))]
    names = [name for name in fa.__all__ if name not in modules]
    adapters = fa.adapters.__all__
    modules.remove("adapters")
    for adapter in adapters:  # whose packages may not be installed
        source = Path(fa.adapters.__file__).with_name(f"{adapter}.py").read_text(encoding="utf-8")
        (listed,) = re.findall(r"^__all__ = (\[.*\])$", source, re.MULTILINE)
        names += [f"adapters.{adapter}.{name}" for name in ast.literal_eval(listed)]
    for module in modules:
        public = getattr(fa, module).__all__
        names += [f"{module}.{name}" for name in public if module != "results" or name not in names]
    assert sorted(found) == sorted(names)
