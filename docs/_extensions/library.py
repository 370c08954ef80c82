"""The role ``{fa}`` for names of the library, and the check that every public name is documented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

import fastarac

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)


class LibraryName(SphinxRole):
    """A link to a public name, such as ``{fa}`ThresholdSweep.risk```; a name still to come is marked."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        literal = nodes.literal("", self.text, classes=["xref", "py", "py-obj"])
        if not _exists(self.text):
            literal["classes"] = []
            return [literal, nodes.inline("", " (planned)", classes=["planned"])], []
        link = addnodes.pending_xref(
            "",
            literal,
            refdomain="py",
            reftype="obj",
            reftarget=f"fastarac.{self.text}",
            refexplicit=False,
            refwarn=True,
            refdoc=self.env.docname,
        )
        link["py:module"] = link["py:class"] = None
        self.set_source_info(link)
        return [link], []


def _exists(path: str) -> bool:
    value: Any = fastarac
    first, *rest = path.split(".")
    if not hasattr(value, first):
        return False
    value = getattr(value, first)
    return all(hasattr(value, name) or name in _fields(value) for name in rest)


def _fields(value: Any) -> dict[str, Any]:
    return getattr(value, "__annotations__", {})


def public_names() -> list[str]:
    """Return what ``import fastarac as fa`` offers."""
    names = []
    for name in dir(fastarac):
        module = getattr(getattr(fastarac, name), "__module__", None) or ""
        lazy = name in getattr(fastarac, "_LAZY", {})
        if not name.startswith("_") and (lazy or module.startswith("fastarac")):
            names.append(name)
    return names


def check_names(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about public names without a page."""
    documented = env.domains.python_domain.objects
    for name in public_names():
        if f"fastarac.{name}" not in documented:
            logger.warning("fastarac.%s is public: give it a line in docs/api/index.md", name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_role("fa", LibraryName())
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
