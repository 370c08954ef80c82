"""The OCR formats that can be read, and how to make engines write confidences in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import os

    from fastarac.ocr.words.words import Scale, Unit, Words


@dataclass(frozen=True, slots=True)
class Format:
    """A format of an OCR engine's output.

    Attributes
    ----------
    name : str
        Identifier, used in `Words.source`.
    title : str
        Name to show to users.
    told_by : str
        The content by which a file of this format is recognized.
    scale : {"percent", "unit"}
        Whether confidences run from 0 to 100 or from 0 to 1.
    unit : {"word", "line"}
        Whether each word or each line has a confidence.
    gives : str
        Where the file has the confidence, and peculiarities of the confidence.
    option : str
        How to make the engine write confidences.
    tried : str
        The engines and versions whose files the tests read, and where these files come from.

    See Also
    --------
    read : read the words of one file of an OCR engine, with their confidences
    is_engine_output : whether a file was written by an OCR engine
    """

    name: str
    title: str
    told_by: str
    scale: Scale
    unit: Unit
    gives: str
    option: str
    tried: str


_ALL = (
    Format(
        "tesseract-tsv",
        "Tesseract TSV",
        "a header line that begins with `level` and `page_num`, a first row of a page, or JSON with "
        "these columns",
        "percent",
        "word",
        "`conf` of rows of level 5, with six decimals since Tesseract 5, in whole percent before",
        "`tesseract IMAGE OUT tsv` writes it, and so do pytesseract's `image_to_data` and tesserocr's "
        "`GetTSVText`",
        "Tesseract 5.3.0 (its own output); tables of pytesseract, tesserocr, pandas (made by hand)",
    ),
    Format(
        "tesseract-js",
        "Tesseract.js",
        "JSON with `text`, `confidence` and `blocks`, `lines` or `words`",
        "percent",
        "word",
        "`confidence` of each word",
        "`recognize(image, {}, {blocks: true})`",
        "results with blocks, lines or words (made by hand)",
    ),
    Format(
        "hocr",
        "hOCR",
        "HTML with elements of class `ocr_page`",
        "percent",
        "word",
        "`x_wconf` or `x_conf` of `ocrx_word` and `ocr_word`, else the lowest of `x_confs`, else the "
        "confidence of the line; Tesseract truncates confidences to whole percents, which makes ties",
        "`tesseract IMAGE OUT hocr` writes it; kraken: write ALTO (`-a`); other engines: the option "
        "that adds `x_wconf` to words",
        "Tesseract 5.3.0 (its own output); kraken, Chronicling America (made by hand)",
    ),
    Format(
        "alto",
        "ALTO 2–4",
        "XML with the root `alto`",
        "unit",
        "word",
        "`WC` of `String`; Tesseract truncates it to whole percent, and up to version 5.5 writes 6% as "
        "`0.6` (the reader corrects this)",
        "`tesseract IMAGE OUT alto` writes `WC`; ABBYY FineReader: the ALTO export with word "
        "confidences; kraken: `-a`",
        "Tesseract 5.3.0 (its own output); FineReader 12, the dialect of the French national "
        "library (made by hand)",
    ),
    Format(
        "page",
        "PAGE XML",
        "XML with the root `PcGts`",
        "unit",
        "word",
        "`conf` of the `TextEquiv` of `Word`, else the lowest of its glyphs, else the "
        "confidence of the line",
        "`tesseract IMAGE OUT page` with `-c page_xml_level=1` writes one for each word (Tesseract 5.4 "
        "or later); Transkribus and OCR-D processors: export words with `TextEquiv/@conf`",
        "OCR-D core 1.0 and other tools of OCR-D (public files); Transkribus, Calamari (made "
        "after public files)",
    ),
    Format(
        "textract",
        "Amazon Textract",
        "JSON with `Blocks`, or with `ExpenseDocuments` that have `Blocks`",
        "percent",
        "word",
        "`Confidence` of blocks of type `WORD`, or `LINE` where there are no words",
        "`DetectDocumentText` and `AnalyzeDocument` always write it; keep the whole response",
        "DetectDocumentText, AnalyzeDocument, AnalyzeExpense (made by hand)",
    ),
    Format(
        "rekognition",
        "Amazon Rekognition",
        "JSON with `TextDetections`",
        "percent",
        "word",
        "`Confidence` of detections of type `WORD`, or `LINE` where there are no words",
        "`DetectText` always writes it",
        "DetectText 3.0 (made by hand)",
    ),
    Format(
        "azure-read",
        "Azure AI Vision Read",
        "JSON with `readResults` or `readResult`",
        "unit",
        "word",
        "`confidence` of each word",
        "Read 3.0 or later and Image Analysis 4.0 always write it; the older OCR call does not",
        "Read 3, Image Analysis 4.0 (made by hand)",
    ),
    Format(
        "azure-document-intelligence",
        "Azure AI Document Intelligence",
        "JSON with `analyzeResult` and `pages` of `words`",
        "unit",
        "word",
        "`confidence` of each word",
        "`prebuilt-read` and all models built on it always write it; keep `analyzeResult.pages`",
        "prebuilt-read and models built on it (made by hand)",
    ),
    Format(
        "azure-content-understanding",
        "Azure Content Understanding",
        "JSON with `contents` and an `analyzerId`",
        "unit",
        "word",
        "`confidence` of each word",
        "document analyzers with `enableOcr` write it; keep `contents[].pages`",
        "2025-05-01-preview (made by hand)",
    ),
    Format(
        "google-vision",
        "Google Cloud Vision",
        "JSON with `fullTextAnnotation`",
        "unit",
        "word",
        "`confidence` of each word; words without a break between them (a word and its comma) become "
        "one word, with the lowest confidence of its parts",
        "ask for `DOCUMENT_TEXT_DETECTION` (with `TEXT_DETECTION`, set "
        "`textDetectionParams.enableTextDetectionConfidenceScore`)",
        "v1, as JSON and as its Python library writes it (made by hand)",
    ),
    Format(
        "google-document-ai",
        "Google Document AI",
        "JSON with `text` and `pages` of `tokens`",
        "unit",
        "word",
        "`layout.confidence` of each token; tokens without white space between them become one word, "
        "with the lowest confidence of its parts",
        "the OCR processor always writes it; the field mask must include `text` and `pages.tokens`",
        "v1 (made by hand)",
    ),
    Format(
        "paddleocr",
        "PaddleOCR",
        "JSON with `rec_texts` and `rec_scores`, by itself, in PP-StructureV3 or as PaddleX serves it; "
        "lists of box and `[text, score]`; regions of PP-Structure 2",
        "unit",
        "line",
        "`rec_scores`, the mean over the characters of a line; each word gets the value of its line",
        "`result.save_to_json(…)` writes it (3.x); `json.dump(ocr.ocr(image), file)` (2.x)",
        "PaddleOCR 2 and 3, PP-Structure 2 and 3, PaddleX 3 serving (made by hand)",
    ),
    Format(
        "easyocr",
        "EasyOCR",
        "JSON lists of box, text and confidence, or objects with `boxes`, `text` and `confident`",
        "unit",
        "line",
        "the third value of each box of text: each word gets the value of its box",
        "`readtext(…, detail=1, paragraph=False)` gives it; `paragraph=True` leaves it out",
        "lists and objects of readtext (made by hand)",
    ),
    Format(
        "rapidocr",
        "RapidOCR",
        "JSON lists of objects with `box`, `txt` and `score`, or of lines of `[text, score, box]`",
        "unit",
        "line",
        "`score`, the mean over the characters of a line; each word gets the value of "
        "its line; in `word_results` each character has its own value, except in lines of Latin words "
        "(see below)",
        "`json.dump(result.to_json(), file)`; for scripts without spaces `return_word_box=True` and "
        "`json.dump(result.word_results, file)`",
        "3.10.0 (its own output)",
    ),
    Format(
        "doctr",
        "docTR",
        "JSON with `pages` of `blocks`, or of `predictions` (KIE), with `dimensions`",
        "unit",
        "word",
        "`confidence` of each word",
        "`json.dump(result.export(), file)` always writes it",
        "results of its OCR and KIE predictors (made by hand)",
    ),
    Format(
        "surya",
        "Surya",
        "JSON with pages of `text_lines`",
        "unit",
        "line",
        "`confidence` of each word, or of each line without words",
        "`surya_ocr` writes it into `results.json`",
        "results.json with and without words (made by hand)",
    ),
    Format(
        "docling",
        "Docling",
        "a JSON list of pages with `page_no` and `cells`",
        "unit",
        "line",
        "`confidence` of each word cell, or of each cell; text embedded in the file has none",
        "keep `result.pages` of the conversion; the exported document has no confidences",
        "pages with cells (made by hand)",
    ),
    Format(
        "apple-vision",
        "Apple Vision",
        "JSON with `observations`, or ocrmac's lists of text, confidence and box",
        "unit",
        "line",
        "`confidence` of each line: 0.3, 0.5 or 1, so that thresholds are coarse",
        "Vision's text recognition always gives it",
        "lists of ocrmac, observations of command-line tools (made by hand)",
    ),
    Format(
        "abbyy-xml",
        "ABBYY FineReader XML",
        "XML with the root `document` and ABBYY's namespace",
        "percent",
        "word",
        "the lowest `charConfidence` of a word; without confidences, the `suspicious` marks (0 or 100)",
        "the XML export with extended character attributes",
        "exports of characters in the form of FineReader 8 and 10 (made by hand)",
    ),
)

#: All formats, by name.
FORMATS: dict[str, Format] = {each.name: each for each in _ALL}


def listed() -> str:
    """Return the titles of all formats, for an error message."""
    return ", ".join(each.title for each in _ALL)


class NoConfidenceError(ValueError):
    """No word has a confidence, so no threshold can be set.

    See Also
    --------
    require_confidence : raise if no word has a confidence
    read : read the words of one file of an OCR engine, with their confidences
    """


def require_confidence(words: Words, path: str | os.PathLike[str] | None = None) -> None:
    """Raise if no word has a confidence; the error names the engine's option that writes confidences.

    Parameters
    ----------
    words : Words
        The words, from `fastarac.ocr.read`.
    path : str or path-like, optional
        The file to name in the error message.

    Raises
    ------
    NoConfidenceError
        If there are words, and none has a confidence.

    See Also
    --------
    NoConfidenceError : no word has a confidence
    Words : words in reading order, with their confidence and their place

    Examples
    --------
    >>> import numpy as np
    >>> from fastarac.ocr import Words, require_confidence
    >>> none, first = np.array([np.nan]), np.array([0])
    >>> words = Words(("Total",), none, first, first, page_names=("p",), source="doctr")
    >>> require_confidence(words)
    Traceback (most recent call last):
    fastarac.ocr.formats.NoConfidenceError: the one word of p (docTR) has no confidence; ...
    """
    if not len(words) or not np.isnan(words.confidence).all():
        return
    found = FORMATS.get(words.source)
    title = found.title if found else words.source
    shown = str(path) if path is not None else ", ".join(words.page_names[:3])
    n = len(words)
    message = f"{'the one word' if n == 1 else f'none of the {n:,} words'} of {shown} ({title}) has "
    message += "no confidence" if n == 1 else "a confidence"
    if found:
        message += f"; {found.option.replace('`', '')}"
    raise NoConfidenceError(message)
