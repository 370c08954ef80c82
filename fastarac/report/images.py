"""Find images in a folder by name."""

from __future__ import annotations

import os
from pathlib import Path

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif")


class FoundImages(dict[str, Path]):
    """Image files, indexed by the possible names of their pages.

    Attributes
    ----------
    ambiguous : dict of str to tuple of (Path, Path)
        Names that fit two images, with these images.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ambiguous: dict[str, tuple[Path, Path]] = {}


def images_in(folder: Path) -> FoundImages:
    """Return the images in a folder and its subfolders, indexed by the possible names of their pages.

    A page's name is the image's name up to the first or the last dot, with or without the subfolder. A
    name that fits two images is left out.

    Raise ValueError if there is no image, or if two images differ only in their extensions.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} must be a folder with the images of the pages")
    images: list[tuple[str, Path]] = []
    seen: set[str] = set()
    for above, folders, names in os.walk(folder, followlinks=True):
        if os.path.realpath(above) in seen:
            folders.clear()
            continue
        seen.add(os.path.realpath(above))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = Path(above).relative_to(folder).as_posix()
        images += (
            ("" if inside == "." else f"{inside}/", Path(above, name))
            for name in sorted(names)
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith(".")
        )
    if not images:
        raise ValueError(f"{folder} has no image with a known suffix ({', '.join(SUFFIXES)})")
    found = FoundImages()
    for with_folder, short in ((True, False), (True, True), (False, False), (False, True)):
        level: dict[str, Path] = {}
        several: dict[str, tuple[Path, Path]] = {}
        for inside, path in images:
            name = (path.name.partition(".")[0] if short else path.stem) or path.name
            name = inside + name if with_folder else name
            first = level.setdefault(name, path)
            if first is not path and with_folder and not short:
                raise ValueError(
                    f"{first} and {path} are both images of {name}; keep one for each page"
                )
            if first is not path:
                several[name] = first, path
        for name, path in level.items():
            if name in found or name in found.ambiguous:
                continue
            if name in several:
                found.ambiguous[name] = several[name]
            else:
                found[name] = path
    return found
