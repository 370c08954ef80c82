"""Save the finished parts of a file of figures next to it until the whole file is complete."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Part:
    """A file beside that of the results; JSON, too."""

    results: Path

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.results.with_suffix(".part")

    def read(self, default: Any) -> Any:
        """Return what an interrupted run has left, or the default."""
        return json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else default

    def write(self, found: Any) -> None:
        """Write what there is, whole or not at all."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(found), encoding="utf-8")
        new.replace(self.path)

    def remove(self) -> None:
        """Remove it, once the results are written."""
        self.path.unlink(missing_ok=True)
