"""Read fields from JSON of Azure Document Intelligence, Amazon Textract and Google Document AI."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from fastarac.ocr.fields.comparisons import Written
from fastarac.ocr.fields.positions import NOWHERE, Position, position_of
from fastarac.ocr.fields.values import CODES
from fastarac.ocr.readers._files import OcrFileError
from fastarac.ocr.readers._json import each_page
from fastarac.ocr.readers.azure import result_of
from fastarac.ocr.readers.google import segments_of
from fastarac.ocr.readers.textract import require_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from fastarac.ocr.readers._json import Node

#: Keys of Google's normalized values. Google's libraries write each key in one of two spellings.
NORMALIZED = {
    "moneyValue": "money_value",
    "dateValue": "date_value",
    "integerValue": "integer_value",
    "floatValue": "float_value",
}
NO_LABEL = "(without a label)"
#: Maximum depth of nested fields; deeper files are refused.
DEEPEST = 32


class Leaf(NamedTuple):
    """A field of a document, as a service gives it.

    Attributes
    ----------
    field : str
        Its name: ``items[3].amount``.
    prediction : Written or None
        The text read.
    confidence : str, float or None
        The confidence as written in the file.
    place : str
        The place in the file, for error messages.
    position : Position
        The place of the field in the document.
    """

    field: str
    prediction: Written | None
    confidence: str | float | None
    place: str
    position: Position = NOWHERE


class JsonNumber(str):
    """A number in a JSON file, as it is written there."""

    __slots__ = ()


class Service(NamedTuple):
    """A service that reads fields.

    Attributes
    ----------
    name : str
    highest : float
        Maximum of the service's scale of confidences.
    documents : callable
        Returns the fields of each document, given a file's outermost JSON value and its path.
    """

    name: str
    highest: float
    documents: Callable[[Node, Path], list[list[Leaf]]]


def service_of(root: Node) -> Service | None:
    """Return the service that wrote this JSON, recognized by its keys; None for other JSON."""
    first = root
    if isinstance(root.value, list) and root.value:
        first = root.items()[0]
    if any(first.has(key) for key in ("ExpenseDocuments", "IdentityDocuments", "Blocks")):
        return TEXTRACT
    if root.has("analyzeResult") or (root.has("status") and root.has("createdDateTime")):
        return AZURE
    if isinstance(root.value, dict) and (root.has("modelId") or root.has("model_id")):
        own = (root.value.get(key) for key in ("documents", "keyValuePairs", "key_value_pairs"))
        if any(isinstance(each, list) for each in own):
            return AZURE
    holder = root.value
    if isinstance(holder, dict) and isinstance(holder.get("document"), dict):
        holder = holder["document"]
    if not isinstance(holder, dict):
        return None
    entities, pages = holder.get("entities"), holder.get("pages")
    if isinstance(entities, list) and all(
        isinstance(each, dict) and "type" in each for each in entities
    ):
        return GOOGLE
    if isinstance(pages, list) and any(
        isinstance(page, dict) and ("formFields" in page or "form_fields" in page) for page in pages
    ):
        return GOOGLE
    return None


def written_of(value: object) -> Written | None:
    """Return a JSON value as written in the file; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return Written("true" if value else "false")
    text = str(value)
    return Written(text, text) if isinstance(value, JsonNumber) else Written(text)


def _numbered(names: list[str]) -> list[str]:
    """Return the names; repeated names get item numbers: ``a[0]``, ``a[1]``."""
    several = {name for name, n in Counter(names).items() if n > 1}
    before: Counter[str] = Counter()
    found = []
    for name in names:
        found.append(f"{name}[{before[name]}]" if name in several else name)
        before[name] += 1
    return found


def _with_numbers(leaves: list[Leaf]) -> list[Leaf]:
    """Return the fields; fields with the same name get item numbers."""
    names = _numbered([leaf.field for leaf in leaves])
    return [leaf._replace(field=name) for name, leaf in zip(names, leaves, strict=True)]


def _confidence(node: Node, *keys: str) -> str | float | None:
    """Return a confidence as written in the file."""
    found = node.at(*keys)
    if found.value is None or isinstance(found.value, JsonNumber):
        return found.value
    raise found.error("a number")


def _leaf(
    name: str,
    node: Node,
    text: str,
    confidence: str | float | None,
    position: Position = NOWHERE,
    value: str | None = None,
) -> Leaf:
    return Leaf(name, Written(text, value) if text else None, confidence, str(node), position)


def _check_depth(node: Node, depth: int) -> None:
    if depth > DEEPEST:
        raise node.error(f"a field that is nested at most {DEEPEST} levels deep")


def _azure(root: Node, path: Path) -> list[list[Leaf]]:
    result = result_of(path, root)
    pairs = result.items("keyValuePairs", "key_value_pairs")
    if pairs and not result.items("documents"):
        return [_azure_pairs(pairs)]
    if not result.has("documents"):
        raise OcrFileError(
            path,
            "there are neither documents with fields nor keyValuePairs; use the response of a "
            "model for documents, such as prebuilt-invoice, or one with key-value pairs",
        )
    found = []
    for document in result.items("documents"):
        leaves: list[Leaf] = []
        for name, field in _members(document.at("fields")):
            _azure_field(field, name, 1, leaves)
        found.append(leaves)
    return found


def _azure_pairs(pairs: Sequence[Node]) -> list[Leaf]:
    """Return the key-value pairs of a form, read by a general model, as fields."""
    leaves = []
    for pair in pairs:
        name = _label(pair.at("key").text("content")) or NO_LABEL
        text = pair.at("value").text("content") if pair.has("value") else ""
        position = position_of(pair.at("value"), pair.at("key"))
        leaves.append(_leaf(name, pair, text, _confidence(pair, "confidence"), position))
    return _with_numbers(leaves)


def _members(node: Node) -> Iterator[tuple[str, Node]]:
    if node.value is None:
        return
    if not isinstance(node.value, dict):
        raise node.error("an object")
    for name in node.value:
        if not name.strip():
            raise node.error("a name for each field")
        yield name, node.at(name)


def _azure_field(node: Node, name: str, depth: int, leaves: list[Leaf]) -> None:
    _check_depth(node, depth)
    if node.value is None:
        leaves.append(Leaf(name, None, None, str(node)))
        return
    kind = node.text("type", "valueType", "value_type")
    if node.has("valueArray") or kind in ("array", "list"):
        for number, item in enumerate(node.items("valueArray", "value")):
            _azure_field(item, f"{name}[{number}]", depth + 1, leaves)
    elif node.has("valueObject") or kind in ("object", "dictionary"):
        for part, inner in _members(node.at("valueObject", "value")):
            _azure_field(inner, f"{name}.{part}", depth + 1, leaves)
    else:
        value = _azure_value(node, kind)
        leaves.append(Leaf(name, value, _confidence(node, "confidence"), str(node), position_of(node)))


def _azure_value(node: Node, kind: str) -> Written | None:
    """Return the text of a field, with the number or date that the service gives for it."""
    key = f"value{kind[:1].upper()}{kind[1:]}" if kind else ""
    if not node.has(key):
        key = next(
            (each for each in node.value if each.startswith("value") and each != "value_type"), key
        )
    found = node.at(*filter(None, (key, "value")))
    text = node.text("content")
    if kind == "selectionMark" or key == "valueSelectionMark":
        return written_of(found.value)
    value: str | None = None
    if isinstance(found.value, JsonNumber):
        value = str(found.value)
    elif isinstance(found.value, dict) and isinstance(found.value.get("amount"), JsonNumber):
        code = found.text("currencyCode", "code")
        value = f"{code if code in CODES else ''} {found.value['amount']}".strip()
    elif isinstance(found.value, str):
        text = text or found.value
        value = found.value if kind == "date" or key == "valueDate" else None
    elif isinstance(found.value, bool):
        text = text or str(found.value).lower()
    text = text or value or ""
    return Written(text, value) if text else None


def _textract(root: Node, path: Path) -> list[list[Leaf]]:
    require_complete(path, root)
    responses = list(each_page(root))
    expenses = [each for response in responses for each in response.items("ExpenseDocuments")]
    if expenses:
        return [_expense(each) for each in expenses]
    cards = [each for response in responses for each in response.items("IdentityDocuments")]
    if cards:
        return [_typed_fields(each.items("IdentityDocumentFields"), "") for each in cards]
    blocks: dict[str, Node] = {}
    for response in responses:
        for block in response.items("Blocks"):
            if blocks.setdefault(block.text("Id"), block) is not block:
                raise block.at("Id").error("an Id that no other block has")
    leaves = [*_forms(blocks), *_queries(blocks)]
    kinds = {block.text("BlockType") for block in blocks.values()}
    empty = any(
        each.has(key) for each in responses for key in ("ExpenseDocuments", "IdentityDocuments")
    )
    if not kinds & {"KEY_VALUE_SET", "QUERY"} and not empty:
        raise OcrFileError(
            path,
            "there are no fields; use a response of AnalyzeExpense or AnalyzeID, or one with "
            "FORMS or QUERIES",
        )
    return [leaves]


def _expense(document: Node) -> list[Leaf]:
    leaves = _typed_fields(document.items("SummaryFields"), "")
    number = 0
    for group in document.items("LineItemGroups"):
        for item in group.items("LineItems"):
            leaves += _typed_fields(item.items("LineItemExpenseFields"), f"LineItems[{number}].")
            number += 1
    return leaves


def _typed_fields(nodes: Sequence[Node], before: str) -> list[Leaf]:
    """Return the fields of an invoice, of one of its items, or of an identity document."""
    leaves = []
    for node in nodes:
        name = node.at("Type").text("Text") if node.has("Type") else ""
        # The type is unknown: use the printed label.
        if name in ("", "OTHER") and node.has("LabelDetection"):
            name = _label(node.at("LabelDetection").text("Text")) or name
        name = before + (name or "OTHER")
        value = node.at("ValueDetection")
        text, day, confidence = "", None, None
        if value.value is not None:
            text, confidence = value.text("Text"), _confidence(value, "Confidence")
            normalized = value.at("NormalizedValue")
            if normalized.value is not None and normalized.text("ValueType") == "Date":
                day = normalized.text("Value").partition("T")[0] or None
        leaves.append(_leaf(name, node, text, confidence, position_of(value, node), day))
    return _with_numbers(leaves)


def _label(text: str) -> str:
    """Return the printed label of a field as its name, without the colon at the end."""
    return " ".join(text.split()).rstrip(":： ").strip()


def _related(block: Node, kind: str, blocks: dict[str, Node]) -> list[Node]:
    """Return the blocks to which a block refers by relationships of this type."""
    found = []
    for relation in block.items("Relationships"):
        if relation.text("Type") == kind:
            for each in relation.items("Ids"):
                if each.value not in blocks:
                    raise each.error("the Id of a block of the file")
                found.append(blocks[each.value])
    return found


def _words(block: Node, blocks: dict[str, Node]) -> str:
    """Return the text of a block's children; a checkbox becomes its selection status."""
    children = _related(block, "CHILD", blocks)
    texts = [child.text("SelectionStatus") or child.text("Text") for child in children]
    return " ".join(text for text in texts if text)


def _forms(blocks: dict[str, Node]) -> list[Leaf]:
    leaves = []
    for block in blocks.values():
        if block.text("BlockType") != "KEY_VALUE_SET":
            continue
        if "KEY" not in [each.value for each in block.items("EntityTypes")]:
            continue
        name = _label(_words(block, blocks)) or NO_LABEL
        values = _related(block, "VALUE", blocks)
        text = " ".join(filter(None, (_words(value, blocks) for value in values)))
        given = [_confidence(value, "Confidence") for value in values]
        known = [each for each in given if each is not None]
        confidence = min(known, key=float) if known else None
        leaves.append(_leaf(name, block, text, confidence, position_of(*values, block)))
    return _with_numbers(leaves)


def _queries(blocks: dict[str, Node]) -> list[Leaf]:
    leaves = []
    for block in blocks.values():
        if block.text("BlockType") == "QUERY":
            query = block.at("Query")
            name = _label(query.text("Alias") or query.text("Text"))
            answers = _related(block, "ANSWER", blocks)
            for answer in answers:
                confidence = _confidence(answer, "Confidence")
                leaves.append(_leaf(name, answer, answer.text("Text"), confidence, position_of(answer)))
            if not answers:
                leaves.append(Leaf(name, None, None, ""))
    return _with_numbers(leaves)


def _google(root: Node, path: Path) -> list[list[Leaf]]:  # noqa: ARG001
    document = root.at("document") if root.has("document") else root
    leaves: list[Leaf] = []
    _google_entities(document, "entities", "", "", 1, leaves)
    return [leaves or _google_forms(document)]


def _google_forms(document: Node) -> list[Leaf]:
    """Return the name-value pairs of a form, read by a general processor, as fields."""
    whole = document.text("text")
    leaves = []
    for page in document.items("pages"):
        for field in page.items("formFields", "form_fields"):
            name = _label(_anchored(field.at("fieldName", "field_name"), whole)) or NO_LABEL
            value = field.at("fieldValue", "field_value")
            text = " ".join(_anchored(value, whole).split()) or field.text("valueType", "value_type")
            confidence = None if value.value is None else _confidence(value, "confidence")
            leaves.append(_leaf(name, field, text, confidence))
    return _with_numbers(leaves)


def _anchored(node: Node, whole: str) -> str:
    """Return a node's text: the content of its text anchor, or the anchor's segments of `whole`."""
    if node.value is None:
        return ""
    anchor = node.at("textAnchor", "text_anchor")
    if anchor.value is None:
        return ""
    if text := anchor.text("content"):
        return text
    return "".join(whole[begin:end] for begin, end in segments_of(anchor, whole))


def _google_entities(
    holder: Node, key: str, before: str, of: str, depth: int, leaves: list[Leaf]
) -> None:
    _check_depth(holder, depth)
    entities = holder.items(key)
    names = []
    for entity in entities:
        kind = entity.text("type", "type_")
        if not kind.strip():
            raise entity.error("an entity with a type")
        names.append(before + kind.removeprefix(f"{of}/"))
    for name, entity in zip(_numbered(names), entities, strict=True):
        if entity.items("properties"):
            _google_entities(
                entity, "properties", f"{name}.", entity.text("type", "type_"), depth + 1, leaves
            )
            continue
        text, value = entity.text("mentionText", "mention_text"), None
        if entity.has("normalizedValue") or entity.has("normalized_value"):
            normalized = entity.at("normalizedValue", "normalized_value")
            value = _google_value(normalized)
            text = text or normalized.text("text") or value or ""
        confidence = _confidence(entity, "confidence")
        leaves.append(_leaf(name, entity, text, confidence, position_of(entity), value))


def _google_value(node: Node) -> str | None:
    """Return the normalized number or date that Google gives for a text."""
    for name, other in NORMALIZED.items():
        found = node.at(name, other)
        if found.value is None:
            continue
        if name == "moneyValue":
            units = Decimal(found.integer("units", absent=0))
            number = units + Decimal(found.integer("nanos", absent=0)).scaleb(-9)
            code = found.text("currencyCode", "currency_code")
            return f"{code if code in CODES else ''} {number.normalize():f}".strip()
        if name == "dateValue":
            parts = [found.integer(key, absent=0) for key in ("year", "month", "day")]
            return None if 0 in parts else "{:04}-{:02}-{:02}".format(*parts)
        if isinstance(found.value, str):
            return str(found.value)
        raise found.error("a number")
    return None


AZURE = Service("Azure Document Intelligence", 1.0, _azure)
TEXTRACT = Service("Amazon Textract", 100.0, _textract)
GOOGLE = Service("Google Document AI", 1.0, _google)
