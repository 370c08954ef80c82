"""Fill in the templates of pages; each page contains its style, script and numbers.

The JavaScript library uPlot (MIT licence, 50 kB, unmodified in ``static``) draws the charts. uPlot does
not use `eval`, so the page forbids `eval`.

No text from a file can run as code. Templates escape texts. Numbers and texts for the script are JSON
in which ``<`` is escaped. The page's content security policy allows only scripts and styles with listed
hashes, and no network access.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.extras import require
from fastarac._core.files import PAGES, suffix_problem
from fastarac._core.text import count, interval_text, printable, rounded_percent, sentence
from fastarac._version import __version__

if TYPE_CHECKING:
    import os

    import jinja2
    import numpy as np
    from numpy.typing import NDArray

DIGITS = 6
PACKAGE = "fastarac.report"

#: The style files and the script files of pages with charts.
CHARTS = ("uPlot.min.css", "report.css"), ("uPlot.min.js", "report.js")


def page_of(
    template: str,
    title: str,
    data: dict[str, Any],
    *,
    static: tuple[tuple[str, ...], tuple[str, ...]] = CHARTS,
    package: str = PACKAGE,
    **values: Any,
) -> str:
    """Return a page from a template; its script reads `data`.

    `static` names the files of styles and of scripts. `package` may add templates and static files.
    """
    require("jinja2", "report")
    from markupsafe import Markup

    style, script = (_joined(names, package) for names in static)
    return (
        _environment(package)
        .get_template(template)
        .render(
            title=title,
            version=__version__,
            policy=_security(style, script),
            style=Markup(style),  # noqa: S704, files of this package
            script=Markup(script),  # noqa: S704, files of this package
            data=Markup(_json(data)),  # noqa: S704, escaped there
            **{"holds": "", **values},
        )
    )


@cache
def _joined(names: tuple[str, ...], package: str) -> str:
    folders = [files(each) / "static" for each in (package, PACKAGE)]
    found = (next(each / name for each in folders if (each / name).is_file()) for name in names)
    return "\n".join(file.read_text(encoding="utf-8").strip() for file in found)


@cache
def _environment(package: str) -> jinja2.Environment:
    import jinja2
    from markupsafe import Markup

    def shown(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, Markup):
            return printable(value)  # replace control characters
        return value

    def characters(text: str) -> str:
        if not text:
            return Markup('<span class="label">nothing</span>')
        said = printable(text).replace(" ", "␣")
        return Markup("<bdi><code>{}</code></bdi>").format(said)

    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(name) for name in dict.fromkeys([package, PACKAGE])]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=shown,
    )
    environment.filters |= {
        "count": lambda value: count(value if isinstance(value, int) else float(value)),
        "share": lambda value: rounded_percent(float(value)),
        "number": lambda value: f"{value:.6g}",
        "sentence": sentence,
    }
    environment.globals |= {
        "interval": interval_text,
        "characters": characters,
        "template": environment.from_string,
    }
    return environment


@cache
def _security(style: str, script: str) -> str:
    """Return a content security policy that allows only this style and script, and no network."""

    def known(text: str) -> str:
        digest = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; script-src {known(script)}; style-src {known(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _json(content: object) -> str:
    """Return JSON in which no text can close the script element."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def rounded(value: float) -> float:
    """Return a number rounded to the digits that a chart can show."""
    return float(f"{value:.{DIGITS}g}")


def counted(count: float) -> str:
    """Return a count as text; an estimated count has one decimal."""
    return f"{count:,}" if isinstance(count, int) else f"{count:,.1f}"


def rounded_values(values: NDArray[np.float64]) -> list[float | None]:
    """Return numbers rounded to the digits that a chart can show; NaN becomes None."""
    return [None if math.isnan(value) else rounded(value) for value in values.tolist()]


def require_page(path: str | os.PathLike[str]) -> None:
    """Raise a ValueError unless the file name ends in .html or .htm."""
    problem = suffix_problem(Path(path), "report", PAGES)
    if problem is not None:
        raise ValueError(problem)
