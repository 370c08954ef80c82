"""``fastarac doctor``: versions, threads, the cache, and what extras lack."""

from __future__ import annotations

import json

import numpy as np
from commands import run

from fastarac.answers import installation


def test_what_is_printed(monkeypatch):
    monkeypatch.setenv("FASTARAC_NUM_THREADS", "1")
    out = run("doctor").stdout
    assert f"numpy {np.__version__}" in out
    assert "1 of " in out
    assert "(FASTARAC_NUM_THREADS)" in out
    assert "0.96875" in out
    monkeypatch.setenv("FASTARAC_NUM_THREADS", "many")
    assert "FASTARAC_NUM_THREADS is 'many'" in run("doctor").stdout


def test_for_programs():
    found = json.loads(run("doctor", "--format", "json").stdout)["doctor"]
    assert found["trial"]["area"] == 0.96875
    assert found["packages"]["numpy"] == np.__version__


def test_what_extras_lack(monkeypatch):
    lines = [
        "numpy>=2",
        "fastarac[report]; extra == 'cli'",
        "typer>=0.16; extra == 'cli'",
        "jinja2>=3.1; extra == 'report'",
        "fastarac[cli]; extra == 'ocr'",
        "lxml>=5; extra == 'ocr'",
    ]
    monkeypatch.setattr(installation, "requires", lambda _: lines)
    monkeypatch.setattr(installation, "_installed", lambda package: package == "typer")
    lacking = {"cli": ["jinja2"], "report": ["jinja2"], "ocr": ["jinja2", "lxml"]}
    assert installation.examine()["extras"] == lacking
    out = run("doctor", "--details").stdout
    assert "ocr: lacks jinja2 and lxml" in out
    assert 'Next: pip install ".[cli,report,ocr]"' in out


def test_a_wrong_area_ends_with_1(monkeypatch):
    monkeypatch.setattr("fastarac.arac_auc_score", lambda *_: 0.5)
    assert "0.5 instead of 0.96875" in run("doctor", code=1).stdout
