"""Read fields of documents from JSON: the response of a service, or nested JSON of any model."""

from __future__ import annotations

import json
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.text import few_of
from fastarac.ocr.fields.rows import FieldFile, Row
from fastarac.ocr.fields.services import DEEPEST, JsonNumber, Leaf, service_of, written_of
from fastarac.ocr.fields.tables import field_rows, is_table, with_points
from fastarac.ocr.page_files import files_inside
from fastarac.ocr.readers._detection import begins_as, json_reader
from fastarac.ocr.readers._files import (
    OcrFileError,
    decoded,
    is_image,
    names_of_pages,
    open_file,
    page_stem,
    shown,
)
from fastarac.ocr.readers._json import Node, parsed

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from fastarac.ocr.fields.services import Service
    from fastarac.ocr.readers._files import InputFile

DOCUMENT, FIELDS = "document", "fields"
LISTED = 5  # maximum number of kinds of files that an error message lists
WITHOUT_TRUTH = "it is JSON without a truth; give the truth in a file of its own"


def has_fields(path: str | os.PathLike[str]) -> bool:
    r"""Return whether a file or folder has fields: a table of fields, or documents in JSON.

    A truth in JSON always holds fields, because the true text of a page is never JSON.

    See Also
    --------
    read_fields : read fields of documents and their truth
    is_field_table : return whether a file is a table of fields

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import has_fields
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a1.json")
    ...     _ = path.write_text('{"total": 12.50, "items": [{"name": "Lamp"}]}')
    ...     has_fields(path), has_fields(folder)
    (True, True)
    """
    files = _files(Path(path))
    if not files:
        return False
    file = open_file(files[0])
    if is_table(file):
        return True
    if begins_as(file) != "json":
        return False
    try:
        next(_values(file), None)
    except OcrFileError:
        return False
    return True


def read_field_file(
    path: str | os.PathLike[str],
    role: str,
    value_key: str = "value",
    confidence_key: str = "confidence",
) -> FieldFile:
    """Read the fields of a file or folder.

    Parameters
    ----------
    path : str or path-like
    role : {"truth", "prediction", "both"}
        The part of the fields to read.
    value_key, confidence_key : str
        The keys of values and confidences in nested JSON.

    Raises
    ------
    OcrFileError
        If there are no fields, or a file cannot be read.
    """
    files = _files(Path(path))
    if not files:
        raise OcrFileError(path, "it is a folder without files, but must hold documents in JSON")
    opened = [open_file(each) for each in files]
    if is_table(opened[0]):
        if len(opened) > 1:
            raise OcrFileError(
                path,
                f"it is a folder of {len(opened)} files, but {files[0].name} is a table of fields; "
                "name one table",
            )
        table = with_points(field_rows(opened[0], role))
        names = tuple(dict.fromkeys(row.document for row in table))
        return FieldFile(opened[0].path, table, names, whole=False, kind="a table")
    rows: list[Row] = []
    documents: dict[str, Path] = {}
    kinds: dict[str, Path] = {}
    for file in opened:
        if begins_as(file) != "json":
            field_rows(file, role)  # always raises, because the file is not a table of fields
        found = _read_json(file, role, value_key, confidence_key)
        for name, kind, leaves in found:
            if name in documents:
                raise OcrFileError(
                    file.path,
                    f"document {shown(name)} is already in {documents[name]}; keep one of the two",
                )
            documents[name] = file.path
            kinds.setdefault(kind, file.path)
            rows += [_row(file, name, leaf, role) for leaf in leaves]
    require_one_kind(path, kinds)
    kind = next(iter(kinds), "JSON")
    return FieldFile(Path(path), with_points(rows), tuple(documents), whole=True, kind=kind)


def require_one_kind(path: str | os.PathLike[str], kinds: Mapping[str, Path]) -> None:
    """Raise unless all files are of one kind; `kinds` maps each kind to an example file."""
    if len(kinds) > 1:
        told = few_of((f"{kind} ({file.name})" for kind, file in kinds.items()), LISTED)
        raise OcrFileError(
            path,
            f"all files must be of one kind, because other kinds have other confidence scales: {told}",
        )


def _row(file: InputFile, document: str, leaf: Leaf, role: str) -> Row:
    if role == "truth":
        return Row(document, leaf.field, file.path, leaf.place, truth=leaf.prediction)
    return Row(
        document, leaf.field, file.path, leaf.place, leaf.prediction, leaf.confidence,
        position=leaf.position,
    )  # fmt: skip


def _files(path: Path) -> list[Path]:
    """Return the file or, for a folder, all files in it and its subfolders, except images."""
    if not path.is_dir():
        return [path]
    return [each for each in sorted(files_inside(path)) if not is_image(open_file(each).head)]


def _values(file: InputFile) -> Iterator[tuple[Any, str]]:
    """Yield the JSON value of a file, or of each line of JSON Lines, and its place in the file."""
    # Numbers repeat often: store equal ones once, to save memory.
    shared = lru_cache(maxsize=1 << 12)(JsonNumber)
    text = decoded(file)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise OcrFileError(file.path, f"an object has the key {shown(twice)} twice")
        return found

    parse = partial(
        parsed,
        path=file.path,
        object_pairs_hook=once,
        parse_float=shared,
        parse_int=shared,
        parse_constant=lambda name: None if name == "NaN" else JsonNumber(name),
    )
    lines = [
        (f"line {number}", line)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if len(lines) > 1 and _is_json(lines[0][1]):
        for place, line in lines:
            yield parse(line, place=place), place
    else:
        yield parse(text, place="line 1" if "\n" not in text.strip() else None), ""


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _read_json(
    file: InputFile, role: str, value_key: str, confidence_key: str
) -> list[tuple[str, str, list[Leaf]]]:
    """Return the name, the kind and the fields of each document of a file."""
    values = list(_values(file))
    stem = page_stem(file.path)
    if len(values) == 1 and role != "truth":
        root = Node(values[0][0], file)
        service = service_of(root)
        if service is not None:
            each = service.documents(root, file.path)
            names = names_of_pages(stem, len(each))
            for name, leaves in zip(names, each, strict=True):
                _check_scale(file, name, leaves, service)
            return [(name, service.name, leaves) for name, leaves in zip(names, each, strict=True)]
    found, alone = [], len(values) == 1 and not isinstance(values[0][0], list)
    if len(values) == 1 and not alone:
        values = [(value, f"[{number}]") for number, value in enumerate(values[0][0])]
        if not values:
            problem = "it is an empty list; it must hold documents, such as {} for one without fields"
            raise OcrFileError(file.path, problem)
    for value, place in values:
        name, fields = _document(file, value, place, stem if alone else None)
        every = partial(_leaves, file, name, fields, value_key, confidence_key, place)
        # Refuse a file of words before listing its leaves, which takes many times the file's memory.
        if role != "truth" and alone and all(leaf.confidence is None for leaf in every()):
            _refuse_words(file, fields, value_key, confidence_key)
        if role == "both":
            raise OcrFileError(file.path, WITHOUT_TRUTH)
        found.append((name, "JSON", list(every())))
    return found


def _document(file: InputFile, value: Any, place: str, stem: str | None) -> tuple[str, dict[str, Any]]:
    """Return the name of a document (`stem` if it has none) and its fields."""
    if not isinstance(value, dict):
        raise OcrFileError(
            file.path,
            f"found {shown(value)}, expected a document with its fields",
            place=place or None,
        )
    name = value.get(DOCUMENT)
    if isinstance(name, str) and name.strip():
        fields = {key: each for key, each in value.items() if key != DOCUMENT}
        inner = fields.get(FIELDS)
        return str(name), inner if len(fields) == 1 and isinstance(inner, dict) else fields
    if stem is None:
        raise OcrFileError(
            file.path,
            f'there are several documents, so "{DOCUMENT}" must name this one, got {shown(name)}',
            place=place,
        )
    return stem, value


def _refuse_words(file: InputFile, value: dict[str, Any], value_key: str, confidence_key: str) -> None:
    if json_reader(Node(value, file)) is not None:
        raise OcrFileError(
            file.path,
            "it has words of pages but no fields; use the response of a service that reads fields, or "
            f'leaves such as {{"{value_key}": …, "{confidence_key}": …}}',
        )


def _leaves(
    file: InputFile,
    document: str,
    value: dict[str, Any],
    value_key: str,
    confidence_key: str,
    place: str,
) -> Iterator[Leaf]:
    """Yield the fields of a document: objects with a value and a confidence, and plain values."""

    def error(name: str, problem: str) -> OcrFileError:
        return OcrFileError(
            file.path,
            f"field {shown(name)} of document {shown(document)}: {problem}",
            place=place or None,
        )

    def walk(value: Any, name: str, confidence: Any, depth: int) -> Iterator[Leaf]:
        if depth > DEEPEST:
            raise error(name, f"it is nested more than {DEEPEST} levels deep")
        if isinstance(value, dict) and value_key in value and name:
            own = value.get(confidence_key)
            if own is not None and not isinstance(own, str):
                raise error(name, f"{confidence_key} must be a finite number, got {shown(own)}")
            yield from walk(value[value_key], name, confidence if own is None else own, depth + 1)
        elif isinstance(value, dict):
            for key, inner in value.items():
                if not key.strip():
                    raise error(name, f"it has a value whose name is blank: {shown(key)}")
                yield from walk(inner, f"{name}.{key}" if name else key, confidence, depth + 1)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                yield from walk(inner, f"{name}[{number}]", confidence, depth + 1)
        else:
            yield Leaf(name, written_of(value), confidence, place or name)

    return walk(value, "", None, 0)


def _check_scale(file: InputFile, document: str, leaves: list[Leaf], service: Service) -> None:
    for leaf in leaves:
        if leaf.confidence is not None and not 0 <= float(leaf.confidence) <= service.highest:
            raise OcrFileError(
                file.path,
                f"field {shown(leaf.field)} of document {shown(document)}: the confidence must be "
                f"from 0 to {service.highest:g} in files of {service.name}, got {leaf.confidence}",
                place=leaf.place or None,
            )
