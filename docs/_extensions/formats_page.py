"""The table of what is saved, with the versions that this code writes and reads."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

from tables import markdown

from fastarac.bounds import sketch_format
from fastarac.ocr.combination import model
from fastarac.operation import policy_files
from fastarac.operation.monitoring import saved_state

if TYPE_CHECKING:
    from collections.abc import Callable


def versions() -> str:
    """Return each format: what writes it, the version that is written, those that are read."""
    schema = json.loads((files("fastarac.cli") / "schema.json").read_text(encoding="utf-8"))
    printed = schema["properties"]["format"]["const"]
    rows = [
        ["output of commands", "`--format json`", "`format`", str(printed), ""],
        *(
            [name, f"`{kind}`", "`version`", str(version), str(version)]
            for name, kind, version in (
                ("policy", policy_files.KIND, policy_files.VERSION),
                ("state of a monitor", saved_state.KIND, saved_state.VERSION),
                ("combination of engines", model.KIND, model.VERSION),
            )
        ),
        [
            "sketch",
            f"`{sketch_format.MAGIC.decode().strip()}`",
            "bytes 17 and 18",
            str(sketch_format.VERSION),
            f"1 to {sketch_format.VERSION}",
        ],
    ]
    return markdown(["what", "identified by", "its version in", "written", "read"], rows)


MAKERS: dict[str, Callable[[], str]] = {"formats_versions.md": versions}
