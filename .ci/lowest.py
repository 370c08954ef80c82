"""Print the lowest versions that pyproject.toml allows of what the package uses, as requirements."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

EXTRAS = ("cli", "plot", "ocr", "frames", "test")
# What only runs tests, or is compared with in tests that are not run here.
NOT_USED = re.compile(
    r"fastarac|pytest|hypothesis|jsonschema|mypy|scikit-learn|scipy|selenium|slipcover"
)
AS_THEY_ARE = ["pytest>=8", "hypothesis>=6.100"]

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
asked = set(project["dependencies"])
asked.update(*(project["optional-dependencies"][extra] for extra in EXTRAS))
lowest = {line.replace(">=", "==") for line in asked if not NOT_USED.match(line)}
print(*sorted(lowest), *AS_THEY_ARE, sep="\n")
