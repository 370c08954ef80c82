"""Read untrusted XML: no entities, no inline document type, no network access."""

from __future__ import annotations

import codecs
import html
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from fastarac._core.extras import needed_by_ocr
from fastarac.ocr.readers._builder import NAN, Builder
from fastarac.ocr.readers._files import HEAD, InputFile, OcrFileError, encoding_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from lxml import etree

    Element: TypeAlias = etree._Element  # noqa: SLF001, it has no public name

W3C = "-//W3C//DTD "  # start of the public identifiers of XHTML and HTML
DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)""")
SINGLE_BYTES = frozenset(
    {b"iso-8859-1", b"iso-8859-15", b"latin1", b"latin-1", b"windows-1252", b"cp1252"}
)
OF_PLACES = frozenset({"HPOS", "VPOS", "WIDTH", "HEIGHT", "x", "y", "imageWidth", "imageHeight"})
CONFIDENCE = "a number from 0 to 1"  # as ALTO and PAGE write confidences
LEGACY = "about:legacy-compat"  # HTML 5 allows this system identifier for software that must write one


class Root(NamedTuple):
    """The root element of an XML file: its name without the namespace, and the namespace."""

    name: str
    namespace: str


class _RootFound(Exception):  # noqa: N818, nothing is wrong
    pass


def root_of(file: InputFile) -> Root:
    """Return the root element of an XML file; only the beginning of the file is read.

    Raises
    ------
    OcrFileError
        If the file is not XML, declares entities or an inline document type, or refers to an external
        document type. No OCR format needs them, and they can make a small file expand to any size or
        include other files. The W3C document type of XHTML is allowed, but not fetched.
    """
    found: list[str] = []
    of_html: list[str] = []
    # Expat reports each declaration before it expands an entity.
    parser = expat.ParserCreate(namespace_separator="\n")

    def refused(problem: str) -> OcrFileError:
        problem += "; for safety, such declarations are not allowed"
        return OcrFileError(file.path, problem, place=f"line {parser.CurrentLineNumber}")

    def on_doctype(name: str, system: str | None, public: str | None, internal: int) -> None:  # noqa: ARG001
        if internal:
            raise refused("the document type has its own declarations (entities, elements)")
        if (public or "").startswith(W3C) or system == LEGACY:
            of_html.append(system or "")
        elif system:
            raise refused(f"the document type is declared in another file ({shown(system)})")

    def on_element(name: str, attributes: dict[str, str]) -> None:  # noqa: ARG001
        found.append(name)
        if of_html and name.rpartition("\n")[2].lower() != "html":
            raise refused(f"the document type is declared in another file ({shown(of_html[0])})")
        raise _RootFound

    parser.StartDoctypeDeclHandler = on_doctype
    parser.StartElementHandler = on_element
    try:
        with file.path.open("rb") as stream:
            data = stream.read(HEAD)
            parser.Parse(data, len(data) < HEAD)
    except _RootFound:
        namespace, _, name = found[0].rpartition("\n")
        return Root(name, namespace)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise OcrFileError(
            file.path, f"it is not XML: {message}", place=f"line {error.lineno}"
        ) from None
    except OcrFileError:
        raise
    except (ValueError, LookupError) as error:
        problem = f"its encoding cannot be read ({error}); use UTF-8 or UTF-16"
        raise OcrFileError(file.path, problem, place="line 1") from None
    raise OcrFileError(file.path, f"there is no element in the first {HEAD:,} bytes")


def elements(
    file: InputFile,
    names: Sequence[str],
    *,
    wanted: Callable[[Element], bool] = lambda _: True,
    as_html: bool = False,
) -> Iterator[Element]:
    """Yield each element with one of these names when it is complete; discard it afterwards.

    Therefore, reading a whole book takes only the memory of one page.
    """
    with needed_by_ocr("reading XML and hOCR needs lxml"):
        from lxml import etree

    with file.path.open("rb") as stream:
        context = etree.iterparse(
            stream,
            events=("end",),
            tag=list(names) if as_html else [f"{{*}}{name}" for name in names],
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
            html=as_html,
            encoding=_html_encoding(file) if as_html else None,
        )
        try:
            for _, element in context:
                if not wanted(element):
                    continue
                yield element
                element.clear(keep_tail=False)
                parent = element.getparent()
                if parent is not None:
                    while element.getprevious() is not None:
                        del parent[0]
        except etree.XMLSyntaxError as error:
            problem = f"it is not well-formed XML: {error.msg}"
            raise OcrFileError(file.path, problem, place=f"line {error.lineno}") from None


def note_encoding(file: InputFile, builder: Builder[Element]) -> None:
    """Add a note if XML declares a single-byte encoding although its bytes are valid UTF-8."""
    declared = DECLARED.match(file.head)
    if declared is None or declared[1].lower() not in SINGLE_BYTES:
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    ascii_alone = True
    try:
        with file.path.open("rb") as stream:
            while chunk := stream.read(HEAD):
                ascii_alone &= chunk.isascii()
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return
    if not ascii_alone:
        name = declared[1].decode("ascii").upper()
        end = "as declared, so accented letters may be wrong; if they are, correct the declaration"
        builder.note(
            1,
            f"file declares {name}, but its bytes are valid UTF-8: it is read {end}",
            f"files declare {name}, but their bytes are valid UTF-8: they are read {end}",
        )


def _html_encoding(file: InputFile) -> str | None:
    """Return the encoding of HTML, found from its bytes; None if the file declares its encoding."""
    encoding = encoding_of(file.head)
    if encoding == "utf-8" and b"charset=" in file.head.lower():
        return None
    return encoding.removesuffix("-sig")


def line_of(element: Element) -> str:
    """Return the place of an element, for an error message."""
    return f"line {element.sourceline}, element {local_name(element)}"


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def children(element: Element, name: str) -> Iterator[Element]:
    """Return the children with this name in any namespace."""
    return element.iterchildren(f"{{*}}{name}")


def text_of(
    element: Element, file: InputFile, texts: Mapping[Element, str] = MappingProxyType({})
) -> str:
    """Return the text in an element and its descendants; `texts` replaces the text of some elements."""
    from lxml import etree

    parts = [element.text or ""]
    for child in element:
        if child in texts:
            parts.append(texts[child])
        elif child.tag is etree.Entity:
            parts.append(_character(child, file))
        else:
            parts.append(text_of(child, file, texts))
        parts.append(child.tail or "")
    return "".join(parts)


def _character(entity: Element, file: InputFile) -> str:
    """Return the character of a named HTML entity, such as ``&nbsp;``."""
    written = entity.text or ""
    meant = html.unescape(written)
    if meant == written:
        problem = f"{shown(written)} is not declared; write the character itself"
        raise OcrFileError(file.path, problem, place=f"line {entity.sourceline}")
    return meant


def number(element: Element, attribute: str, file: InputFile, expected: str = "a number") -> float:
    """Return an attribute as a number; NaN if it is absent or empty.

    `expected` completes the error message "the attribute must be …".
    """
    text = element.get(attribute)
    if not text or text.isspace():
        return NAN
    try:
        return float(text)
    except ValueError:
        if file.truth and attribute in OF_PLACES:  # coordinates are optional in a truth
            return NAN
        problem = f"{attribute} must be {expected}, got {shown(text)}"
        raise OcrFileError(file.path, problem, place=line_of(element)) from None
