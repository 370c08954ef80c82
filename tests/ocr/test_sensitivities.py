"""Which engines change places under other policies."""

from __future__ import annotations

import pytest

from fastarac.evaluation.limits import Limit
from fastarac.ocr.analysis.sensitivities import Sensitivity, order_changes, order_sentence
from fastarac.ocr.words.policies import AlignmentPolicy

OWN = AlignmentPolicy()
SEPARATE = AlignmentPolicy(missed="separate")
OUT_OF_ORDER = AlignmentPolicy(moved="wrong")
LIMITS = (Limit("max_error_rate", 0.01),)


def effects(shares: dict[AlignmentPolicy, float]) -> Sensitivity:
    return Sensitivity(LIMITS, {policy: (share,) for policy, share in shares.items()})


def test_engines_that_change_places():
    engines = {
        "c": effects({OWN: 0.5, SEPARATE: 0.95}),
        "b": effects({OWN: 0.6}),  # nothing of it is missed or moved: no policy changes its share
        "a": effects({OWN: 0.9, SEPARATE: 0.92, OUT_OF_ORDER: 0.4}),
    }
    first, second, third = order_changes(engines, 0)
    assert first[:2] == ("a", "b")
    assert first.by == pytest.approx(0.3)
    assert first.under == {OUT_OF_ORDER: pytest.approx(0.2)}
    assert second[:2] == ("a", "c")
    assert list(second.under) == [OUT_OF_ORDER, SEPARATE]  # the largest difference first
    assert third[:2] == ("b", "c")
    said = order_sentence(engines, 0)
    assert said == (
        "As counted here, a accepts 30.0 points more than b; with moved words counted as wrong, b "
        "accepts 20.0 points more. a accepts 40.0 points more than c; with moved words counted as "
        "wrong, c accepts 10.0 points more. The order of b and c is reversed, too. The order of the "
        "engines depends on how missed and moved words count."
    )


def test_what_tables_round_to_nothing_changes_no_order():
    engines = {"a": effects({OWN: 0.5, SEPARATE: 0.5}), "b": effects({OWN: 0.4, SEPARATE: 0.5004})}
    assert order_changes(engines, 0) == []
    assert order_sentence(engines, 0) == ""
    assert order_sentence({"a": engines["a"]}, 0) == ""
