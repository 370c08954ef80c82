"""The role ``{fa}`` for names of the library, and the check that every public name is documented."""

from __future__ import annotations

import inspect
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

import fastarac

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)


class LibraryName(SphinxRole):
    """A link to a public name: ``{fa}`ThresholdSweep.risk```; with ``~`` before it, only ``risk``."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        target = self.text.removeprefix("~")
        shown = target.rpartition(".")[2] if self.text.startswith("~") else target
        link = addnodes.pending_xref(
            "",
            nodes.literal("", shown, classes=["xref", "py", "py-obj"]),
            refdomain="py",
            reftype="obj",
            reftarget=f"fastarac.{target}",
            refexplicit=False,
            refwarn=True,
            refdoc=self.env.docname,
        )
        self.set_source_info(link)
        return [link], []


ADAPTERS = "adapters"  # which cannot be imported without the tools that they are for
MODULES = [
    name for name in fastarac.__all__ if name != ADAPTERS and inspect.ismodule(getattr(fastarac, name))
]


def public_names() -> list[str]:
    """Return what ``import fastarac as fa`` offers, in its modules too."""
    names = [name for name in fastarac.__all__ if name not in (*MODULES, ADAPTERS)]
    for module in MODULES:
        names += [f"{module}.{name}" for name in resolve_name(f"fastarac.{module}").__all__]
    return [name for name in names if name not in {"results." + top for top in fastarac.__all__}]


def find_in_modules(
    _app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Resolve a bare name of "See Also", where its module is another than that of the page."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or target.startswith("fastarac."):
        return None
    domain = env.domains.python_domain
    names = [f"fastarac.{target}", *(f"fastarac.{module}.{target}" for module in MODULES)]
    found = [name for name in names if name in domain.objects]
    if not found:
        return None
    place = domain.objects[found[0]]
    builder = _app.builder
    return make_refnode(builder, node["refdoc"], place.docname, place.node_id, content, found[0])


def prefer_the_top(_app: Sphinx, doctree: nodes.document) -> None:
    """Let ``.evaluate`` be that of the top, where a module has one of the same name."""
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refspecific") and node["reftarget"] in fastarac.__all__:
            node["reftarget"] = f"fastarac.{node['reftarget']}"
            node["refspecific"] = False


def check_names(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about public names without a page."""
    documented = env.domains.python_domain.objects
    for name in public_names():
        if f"fastarac.{name}" not in documented:
            logger.warning("fastarac.%s is public: give it a line in docs/api/", name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_role("fa", LibraryName())
    app.connect("doctree-read", prefer_the_top)
    app.connect("missing-reference", find_in_modules)
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
