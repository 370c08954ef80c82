"""Names of the library: a role that links them, a directive and a check that document all of them."""

from __future__ import annotations

import inspect
from importlib import import_module
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
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


class Names(SphinxDirective):
    """Names of the current module, one a line: a table of their summaries, and each of them in full.

    Many on one page: a page for each name would spend most of the build on navigation.
    """

    has_content = True
    # What every result, tuple or exception has is said once, in words.
    inherited = "tuple, Exception, Mapping, Shown, Table, TupleResult"

    def run(self) -> list[nodes.Node]:
        names = [line.strip() for line in self.content if line.strip()]
        lines = [".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in names), ""]
        with mock(self.config.autodoc_mock_imports):
            module = import_module(self.env.ref_context["py:module"])
            kinds = {name: self.kind_of(getattr(module, name)) for name in names}
        for name, kind in kinds.items():
            lines += [f".. auto{kind}:: {name}"]
            if kind != "function":
                lines += ["   :members:", f"   :inherited-members: {self.inherited}"]
            lines.append("")
        self.content = StringList(lines, self.get_source_info()[0])
        parsed = self.parse_content_to_nodes()
        for node in parsed:
            for entry in node.findall(addnodes.desc):
                for member in entry.findall(addnodes.desc_signature):
                    if member.parent is not entry:  # in tables of contents: names, not their members
                        member["_toc_name"] = ""
        return parsed

    @staticmethod
    def kind_of(value: object) -> str:
        if not inspect.isclass(value):
            return "function" if callable(value) else "data"
        return "exception" if issubclass(value, BaseException) else "class"


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


def fields_as_signature(
    _app: Sphinx, what: str, _name: str, value: object, _options: object, signature: str, returns: str
) -> tuple[str, str]:
    """Show the fields of a named tuple, which takes them by ``*args, **kwargs``."""
    fields = getattr(value, "_fields", ())
    return (f"({', '.join(fields)})", returns) if what == "class" and fields else (signature, returns)


def no_aliases(
    _app: Sphinx, _what: str, _name: str, _value: object, _options: object, lines: list[str]
) -> None:
    """Leave out what Python itself says of the fields of a named tuple: their numbers."""
    if "".join(lines).startswith("Alias for field number"):
        lines.clear()


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
    app.add_directive("names", Names)
    app.connect("doctree-read", prefer_the_top)
    app.connect("autodoc-process-signature", fields_as_signature)
    app.connect("autodoc-process-docstring", no_aliases)
    app.connect("missing-reference", find_in_modules)
    app.connect("env-check-consistency", check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
