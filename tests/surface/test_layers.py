"""Which folder imports which, how long files are, and what stands at the top of the repository."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import fastarac as fa

PACKAGE = Path(fa.__file__).parent

# From the bottom up: a module imports from its own folder and from those above it here, and no module
# is an exception from its folder. `results` lists names that are loaded on first use.
LAYERS = [
    {"_version", "_kernels"},
    {"_core"},
    {"_engine"},
    {"sweep"},
    {"reviewer"},
    {"samples"},
    {"models"},
    {"areas"},
    {"bounds"},
    {"io", "datasets"},
    {"curves"},
    {"operating_points"},
    {"guarantees"},
    {"costs"},
    {"uncertainty"},
    {"dropins"},
    {"measures", "synthetic"},
    {"evaluation"},
    {"frames"},
    {"operation"},
    {"partial_truth"},
    {"results"},
    {"ocr"},
    {"answers"},
    {"displays"},
    {"report"},
    {"station"},
    {"weeks"},
    {"adapters"},
    {"cli"},
    {"__main__"},
]
DEPTH = {name: depth for depth, names in enumerate(LAYERS) for name in names}
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
    if path != PACKAGE / "__init__.py"
}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> set[str]:
    """Modules of the package that a file imports: at its top, inside functions, for types alone."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            assert not any(a.name.startswith("fastarac.") for a in node.names), path
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fastarac"):
            parent = node.module.removeprefix("fastarac").removeprefix(".")
            for alias in node.names:
                inside = f"{parent}.{alias.name}".removeprefix(".")
                found.add(inside if inside in MODULES else parent)
    return found - {""}


def depth(module: str) -> int:
    folder = module.partition(".")[0]
    assert folder in DEPTH, f"{folder} belongs to no layer"
    return DEPTH[folder]


@pytest.mark.slow
def test_imports_go_down():
    for module, path in MODULES.items():
        above = {other for other in imports_of(path) if depth(other) > depth(module)}
        assert not above, f"{module} imports {above} from above"


def test_each_folder_stands_on_the_page_on_how_the_library_is_built():
    page = (PACKAGE.parent / "docs" / "design.md").read_text(encoding="utf-8")
    folders = {module.partition(".")[0] for module in MODULES} - {"_version", "__main__"}
    rows = [
        line.split("|")[1].strip(" `").removesuffix(".py") for line in page.splitlines() if "|" in line
    ]
    assert folders == {row for row in rows if row in DEPTH}
    depths = [DEPTH[row] for row in rows if row in DEPTH]
    assert depths == sorted(depths)  # a folder imports from those above it


def test_reports_know_nothing_of_ocr():
    # what a report says of pages and fields, it is given
    for module, path in MODULES.items():
        if module.startswith("report."):
            of_ocr = {other for other in imports_of(path) if other.partition(".")[0] == "ocr"}
            assert not of_ocr, f"{module} imports {of_ocr}"


def test_imports_make_no_circle():
    # what a package lists of its own modules, it loads on first use
    graph = {
        module: {other for other in imports_of(path) if not other.startswith(f"{module}.")} - {module}
        for module, path in MODULES.items()
    }
    assert len(list(TopologicalSorter(graph).static_order())) >= len(graph)


def test_kernels_import_only_numpy_and_numba():
    for path in (PACKAGE / "_kernels").glob("*.py"):
        assert all(name.startswith("_kernels") for name in imports_of(path)), path
        source = path.read_text(encoding="utf-8")
        assert "parallel=" not in source
        assert "prange" not in source


# At the top of the repository stand these, and nothing that a run has left.
FOLDERS = {".ci", "bench", "docs", "fastarac", "tests"}
FILES = {
    ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md",
    "LICENSE", "README.md", "SECURITY.md", "hatch_build.py", "pyproject.toml",
}  # fmt: skip


def test_the_top_of_the_repository_holds_what_belongs_there():
    root = PACKAGE.parent
    if not (root / ".git").exists():  # a source distribution holds some of these, and PKG-INFO
        found = {path.name for path in root.iterdir() if not path.name.startswith(".")}
        assert found - FOLDERS - FILES <= {"PKG-INFO", "build", "dist"}
        return
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--full-name", "."]
    done = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True, timeout=60)
    paths = [Path(line) for line in done.stdout.splitlines()]
    assert {path.parts[0] for path in paths if len(path.parts) > 1} == FOLDERS
    assert {path.name for path in paths if len(path.parts) == 1} == FILES


def test_no_two_classes_have_one_name():
    classes: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(module)
    assert {name: found for name, found in classes.items() if len(found) > 1} == {}
