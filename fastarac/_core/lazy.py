"""Public modules that load their names on first use.

The stub of a module (``__init__.pyi``, ``results.pyi``) lists these names, one line each: ``from .sweep
import threshold_sweep as threshold_sweep``.

``import fastarac`` imports only this module, which imports almost nothing. The command-line program can
then install its interrupt handler before slow imports.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Names = tuple[Callable[[str], object], Callable[[], list[str]], list[str]]


def attach(module: str, package: str, file: str) -> Names:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of the module in `file`, from its stub.

    Examples
    --------
    >>> import fastarac.costs
    >>> load, listed, public = attach("fastarac.costs", "fastarac.costs", fastarac.costs.__file__)
    >>> "bcost" in public, listed() == public
    (True, True)
    >>> load("bcost") is fastarac.costs.bcost
    True
    """
    loader: Any = sys.modules[module].__loader__  # a loader can also read from a zip file
    stub = loader.get_data(f"{file.rpartition('.')[0]}.pyi").decode()
    home = {}
    for line in stub.splitlines():
        match line.split():
            case ["from", origin, "import", name, "as", again] if (
                origin.startswith((".", "fastarac.")) and name == again
            ):
                home[name] = origin

    def load(name: str) -> object:
        from importlib import import_module

        if name not in home:
            message = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(message + elsewhere(name), name=name, obj=sys.modules[module])
        if home[name] == ".":  # the name is a submodule of the package
            return import_module(f".{name}", package)
        value: object = getattr(import_module(home[name], package), name)
        vars(import_module(module))[name] = value
        return value

    def elsewhere(name: str) -> str:
        """Return a hint at the public submodules that have an attribute `name`, or an empty text."""
        from importlib import import_module

        below = (other for other, origin in home.items() if origin == "." and not name.startswith("_"))
        modules = (import_module(f".{other}", package) for other in below)
        return "".join(f"; {each.__name__} has one" for each in modules if name in each.__all__)

    names = sorted(name for name in home if not name.startswith("_"))
    return load, lambda: names, names
