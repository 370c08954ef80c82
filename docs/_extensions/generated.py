"""What the pages show but nobody types: figures, tables and console sessions, made by every build.

Each maker returns the content of one file in ``docs/_generated``, which git ignores.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import argument_matrix
import benchmark_pages
import combining_tables
import cost_figures
import extras_table
import families
import figures
import formats_page
import frames_page
import gallery_paper
import gallery_partial
import gallery_slides
import gallery_suzuki
import gallery_tharwat
import measure_tables
import ocr_decision
import ocr_policies
import ocr_tables
import operation_tables
import proof_pages
import sessions
import simulation_pages
import study_chapters
import study_summary
import study_tables
import tables
import truth_pages
import uncertainty_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

MODULES = (
    argument_matrix,
    benchmark_pages,
    combining_tables,
    cost_figures,
    extras_table,
    families,
    figures,
    formats_page,
    frames_page,
    gallery_paper,
    gallery_partial,
    gallery_slides,
    gallery_suzuki,
    gallery_tharwat,
    measure_tables,
    ocr_decision,
    ocr_policies,
    ocr_tables,
    operation_tables,
    proof_pages,
    sessions,
    simulation_pages,
    study_chapters,
    study_summary,
    study_tables,
    tables,
    truth_pages,
    uncertainty_pages,
)
MAKERS: dict[str, Callable[[], str]] = {
    name: maker for module in MODULES for name, maker in module.MAKERS.items()
}


def make_all(app: Sphinx) -> None:
    """Write the files; those that have not changed keep their time, so that pages stay built."""
    folder = Path(app.srcdir, "_generated")
    folder.mkdir(exist_ok=True)
    for name, maker in MAKERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            content = maker()
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", make_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
