"""Check the programs in README and documentation as readers would: mypy --strict, and pyright.

Each page is one program: a module with the page's code on the same lines, and empty lines elsewhere.
Its mypy settings are those of ``programs.*`` in pyproject.toml.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(\{?[a-z]*)")
PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)")
PYRIGHT = {
    "pythonVersion": "3.11",
    "extraPaths": [str(ROOT)],
    "useLibraryCodeForTypes": False,  # packages without types say nothing about them
    "reportMissingImports": False,
    "reportMissingModuleSource": False,
    "reportMissingTypeStubs": False,
    "reportUnusedExpression": False,  # a session shows what they are
}


def program_of(page: str) -> str:
    """Return the lines of code of a page, each on its line."""
    language, lines = "", []
    for line in page.splitlines():
        fence = FENCE.match(line)
        code = ""
        if fence:
            language = fence[1]
            prompts = False
        elif language in ("python", "pycon"):
            prompts |= line.startswith(">>>")
            if not prompts and language == "python":
                code = line
            elif PROMPT.match(line):
                code = line[4:]
        lines.append(code)
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the programs into a folder, check them, and name the pages instead of it."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    with TemporaryDirectory() as folder:
        programs = Path(folder) / "programs"
        programs.mkdir()
        names = {}
        for page in pages:
            path = page.relative_to(ROOT)
            if any(part.startswith("_") for part in path.parts):
                continue  # made by Sphinx
            program = program_of(page.read_text(encoding="utf-8"))
            if program.strip():
                module = programs / f"{'__'.join(path.with_suffix('').parts)}.py"
                module.write_text(program, encoding="utf-8")
                names[str(module)] = str(path)
        (programs / "__init__.py").touch()
        (Path(folder) / "pyrightconfig.json").write_text(json.dumps(PYRIGHT), encoding="utf-8")
        failed = 0
        for command in (["mypy", str(programs)], ["pyright", "--project", folder]):
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
            said = done.stdout + done.stderr
            for module, page in names.items():
                said = said.replace(module, page).replace(str(Path(module).relative_to(folder)), page)
            print(said, end="")
            failed |= done.returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
