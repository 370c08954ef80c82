"""What the metadata of a distribution say of the place where the source is published.

The environment variable ``FASTARAC_REPOSITORY`` (an address, as https://example.org/fastarac) makes the
links of the README absolute, so that it reads well away from the source, and adds the project's
addresses. Without it both are left as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?\[[^]]*\]\()(?![a-z]+:|#)([^)]+\))")


class Published(MetadataHookInterface):
    """Adds the README and the project's addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set ``readme`` and ``urls``."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home = os.environ.get("FASTARAC_REPOSITORY", "").rstrip("/")
        if home:
            text = LINK.sub(rf"\g<1>{home}/raw/main/\g<2>", text)
            metadata["urls"] = {
                "Source": home,
                "Issues": f"{home}/issues",
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Documentation": f"{home}/tree/main/docs",
            }
        else:
            metadata["urls"] = {}
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
