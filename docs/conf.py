"""Sphinx configuration. Build with ``sphinx-build -W --keep-going docs docs/_build/html``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from fastarac._version import __version__

project = "fastarac"
author = "The fastarac developers"
project_copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "library",  # docs/_extensions: the role {fa}, and a check that every public name is documented
    "mathml",  # formulas without a script from elsewhere
    "generated",  # figures, tables and console sessions, made anew by every build
]

nitpicky = True
default_role = "literal"  # `name` in docstrings
exclude_patterns = ["_build", "_generated"]
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "fieldlist"]
myst_heading_anchors = 3

autosummary_generate = False  # pages hold many names: docs/_extensions/library.py
autodoc_typehints = "none"  # the docstrings say more
autodoc_mock_imports = ["torch", "torchmetrics", "inspect_ai", "lm_eval", "mlflow"]
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc shows them
numpydoc_class_members_toctree = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what one copies can be run: no prompts, no outputs
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

WIDE = 500  # points

html_theme = "furo"
html_title = f"fastarac {release}"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False


def strip_examples(_app: Sphinx, doctree: nodes.document) -> None:
    """Drop the empty line that ends an example in Markdown, where doctest needs it before the fence."""
    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.rawsource.rstrip("\n")
        block.children = [nodes.Text(block.astext().rstrip("\n"))]


def mark_wide_figures(app: Sphinx, doctree: nodes.document) -> None:
    """Give figures of several panels beside each other a class, so that phones scroll them."""
    for figure in doctree.findall(nodes.figure):
        for image in figure.findall(nodes.image):
            path = Path(app.srcdir, image["uri"])
            if path.suffix == ".svg":
                width = re.search(r'width="([\d.]+)pt"', path.read_text(encoding="utf-8"))
                if width and float(width[1]) > WIDE:
                    figure["classes"].append("wide")


def no_navigation_of_sources(
    _app: Sphinx, page: str, _template: str, context: dict[str, object], _doctree: nodes.document | None
) -> None:
    """Leave the tree of all pages, which takes long, out of pages of source, where none is current."""
    if page.startswith("_modules/"):
        context.pop("toctree")


def setup(app: Sphinx) -> None:
    """Connect what is too small for an extension of its own."""
    app.connect("doctree-read", strip_examples)
    app.connect("doctree-read", mark_wide_figures)
    app.connect("html-page-context", no_navigation_of_sources, priority=400)  # before the theme
