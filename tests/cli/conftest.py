"""What tests of commands share."""

from __future__ import annotations

from functools import partial

import pytest

from fastarac import operation


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let plans of policies draw few samples, for which the command has no option."""
    few = partial(operation.sample_size_for_policy, n_runs=20)
    monkeypatch.setattr(operation, "sample_size_for_policy", few)
