"""Reports as tests look at them, without a browser."""

from __future__ import annotations

import json
import warnings
from html.parser import HTMLParser
from pathlib import Path

import fastarac as fa


class Page(HTMLParser):
    """Elements, attributes and texts of a page; a browser has the last word."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.of: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        self.of.setdefault(inside, []).append(data)
        if inside not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def data(self):
        return json.loads(self.of["script"][0])


def report_of(models, **options) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path("report.html")
        fa.report.write_report(path, models, **options)
        return path.read_text(encoding="utf-8")
