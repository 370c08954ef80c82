"""Formulas as MathML, which browsers draw themselves: no script, and nothing fetched."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


logger = logging.getLogger(__name__)

SHORT_FRACTION = re.compile(r"\\frac(\d)(\d|\\[A-Za-z]+)")  # docutils reads \frac12 as \frac{12}{…}
PRIME = '<mo lspace="0" rspace="0">\N{PRIME}</mo>'


def visit_inline(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append(as_mathml(node))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append(f'<div class="math">{as_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def as_mathml(node: nodes.Element, *, as_block: bool = False) -> str:
    """Return the formula as MathML; where docutils cannot read it, as it is written, and warn."""
    formula = node.astext()
    try:
        mathml = tex2mathml(SHORT_FRACTION.sub(r"\\frac{\1}{\2}", formula), as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", formula, error, location=node)
        return f"<code>{escape(formula)}</code>"
    return mathml.replace("<mo>'</mo>", PRIME)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config["html_math_renderer"] = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
