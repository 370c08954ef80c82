"""Streams through a sketch, small ones, so that the benchmark does not rot."""

from __future__ import annotations

import pytest

from bench import sketch


@pytest.mark.parametrize("stream", sketch.STREAMS)
def test_each_stream_is_measured(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds contain the exact area, and are as narrow as promised."""
    monkeypatch.setattr(sketch, "BATCH", 5_000)
    line = sketch.measure(stream, 20_000)
    assert line.contains is not False
    assert line.width < 1e-3
    assert stream in sketch.table([line])
