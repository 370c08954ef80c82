"""Images that stand in a folder, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["images_in"]

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif")


def images_in(folder: Path) -> dict[str, Path]:
    """Return the images in a folder by their names up to the first dot, as pages are called.

    ValueError is raised if there is no image, or two share a name.
    """
    found: dict[str, Path] = {}
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; a folder with the images of the pages is expected")
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in SUFFIXES or path.name.startswith("."):
            continue
        name = path.name.partition(".")[0] or path.name
        if name in found:
            raise ValueError(
                f"{found[name]} and {path} are both images of {name}; one a page is expected"
            )
        found[name] = path
    if not found:
        raise ValueError(f"{folder} holds no image; {', '.join(SUFFIXES)} are expected")
    return found
