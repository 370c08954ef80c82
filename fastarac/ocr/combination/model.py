"""A learnt combination, which chooses among the words of several engines and gives them confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import require_type
from fastarac._core.export import fields_of
from fastarac._core.files import read_saved, write_whole
from fastarac._core.results import Result
from fastarac._core.text import json_text, listed, plural, quoted
from fastarac.ocr.combination.features import feature_names, features_of
from fastarac.ocr.words.folding import FOLDINGS
from fastarac.ocr.words.words import HIGHEST

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.ocr.combination.readings import Readings

KIND, VERSION = "fastarac combination", 1
#: Maximum absolute value of log-odds: `exp` overflows float64 at about 709.8.
FARTHEST = 700.0


class Regression(NamedTuple):
    """A logistic regression: log-odds = `intercept` + dot product of `coefficients` and features."""

    intercept: float
    coefficients: tuple[float, ...]

    def probability(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability for each row of features, of shape (n,)."""
        odds = self.intercept + features @ np.array(self.coefficients)
        found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(odds, -FARTHEST, FARTHEST)))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class EngineModel(Result):
    """The models learnt for one engine.

    Attributes
    ----------
    name : str
    highest : float
        Maximum of the engine's scale of confidences: 100 or 1.
    knots : tuple of float
        Increasing confidences; the log-odds are interpolated linearly between them.
    odds : tuple of float
        Log-odds at each knot that a word is right, in non-decreasing order.
    right : Regression
        Model of the probability that a word is right. `Combination.features` names its features.
    real : Regression or None
        Model of the probability that there is a true word at the place of a word, used for words that
        at most half of the engines have. None if all such words in the training data have a true word.
    """

    name: str
    highest: float
    knots: tuple[float, ...]
    odds: tuple[float, ...]
    right: Regression
    real: Regression | None

    def calibrated(self, confidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of being right at each confidence, of shape (n,); NaN stays NaN."""
        return np.interp(confidence, self.knots, self.odds)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combination(Result):
    """A rule for combining the words of several engines, which :func:`combine` learns from true texts.

    :meth:`save` writes the rule to a JSON file without code, and :meth:`load` reads the file.

    Attributes
    ----------
    engines : tuple of EngineModel
        The models of the engines, sorted by name.
    order : tuple of str
        The engines, in decreasing order of the number of words that are right and in order. The first
        engine determines the reading order.
    unit : {"word", "field"}
        Whether the combination was learnt from words or from fields.
    fold : tuple of str
        The foldings: kinds of differences to ignore when texts are compared.
    n_groups, n_words : int
        Number of pages or documents in the training data, and number of words of all engines in them.

    See Also
    --------
    combine : combine the words of several engines
    combine_fields : combine the fields of several engines
    """

    engines: tuple[EngineModel, ...]
    order: tuple[str, ...]
    unit: str
    fold: tuple[str, ...]
    n_groups: int
    n_words: int

    def __repr__(self) -> str:
        groups = plural("page" if self.unit == "word" else "document", self.n_groups)
        return f"Combination({' + '.join(self.names)}, learnt from {self.n_groups:,} {groups})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the engines, sorted."""
        return tuple(engine.name for engine in self.engines)

    @property
    def features(self) -> dict[str, list[str]]:
        """The names of the feature columns for each engine's regressions."""
        return {name: feature_names(self.names, k) for k, name in enumerate(self.names)}

    def to_json(self) -> str:
        """Return the JSON text that :meth:`save` writes."""
        engines = [
            fields_of(each)
            | {
                "right": each.right._asdict(),
                "real": None if each.real is None else each.real._asdict(),
            }
            for each in self.engines
        ]
        content = {
            "kind": KIND,
            "version": VERSION,
            "unit": self.unit,
            "fold": list(self.fold),
            "order": list(self.order),
            "n_groups": self.n_groups,
            "n_words": self.n_words,
            "engines": engines,
        }
        return json_text(content, indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the combination to a JSON file; an error leaves no incomplete file."""
        write_whole(path, self.to_json())

    @classmethod
    def from_json(cls, text: str) -> Combination:
        """Return the combination from the text that :meth:`to_json` wrote.

        Raises
        ------
        ValueError
            If the text is not a combination of this version, or if a field is missing, unknown, of a
            wrong type, out of range or inconsistent with another field. The message names the field.
        """
        return cls(**_checked(_FIELDS(saved.content_of(text, KIND, VERSION), "")))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Combination:
        """Read a combination from the file that :meth:`save` wrote."""
        return read_saved(path, cls.from_json)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise saved.unexpected(value, name, "a text")
    return value


def _highest(value: Any, name: str) -> float:
    found: float = _REAL(value, name)
    if found not in HIGHEST.values():
        raise saved.unexpected(value, name, "100 or 1")
    return found


_REAL = saved.number()
_REGRESSION = saved.record({"intercept": _REAL, "coefficients": saved.sequence(_REAL)})


def _regression(value: Any, name: str) -> Regression:
    return Regression(**_REGRESSION(value, name))


_ENGINE = saved.record(
    {
        "name": _text,
        "highest": _highest,
        "knots": saved.sequence(_REAL),
        "odds": saved.sequence(_REAL),
        "right": _regression,
        "real": saved.optional(_regression),
    }
)
_FIELDS = saved.record(
    {
        "unit": saved.word("word", "field"),
        "fold": saved.sequence(saved.word(*FOLDINGS)),
        "order": saved.sequence(_text),
        "n_groups": saved.whole(1),
        "n_words": saved.whole(1),
        "engines": saved.sequence(_ENGINE),
    }
)


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a combination after checking that they are consistent."""
    names = [each["name"] for each in found["engines"]]
    if len(names) < 2:
        raise ValueError(f"engines must have at least 2 elements, got {len(names)}")
    saved.require_rising(tuple(names), "the names of engines")
    if sorted(found["order"]) != names:
        raise ValueError(f"order must be the names of the engines, got {listed(found['order'])}")
    engines = []
    for k, each in enumerate(found["engines"]):
        where, n = f"engines[{k}]", len(feature_names(names, k))
        if not each["knots"]:
            raise ValueError(f"{where}.knots is empty; give at least one number")
        saved.require_rising(each["knots"], f"{where}.knots")
        saved.require_length(each["odds"], f"{where}.odds", len(each["knots"]), f"{where}.knots")
        saved.require_rising(each["odds"], f"{where}.odds", strictly=False)
        for key in ("right", "real"):
            if each[key] is not None:
                what = f"{where}.{key}.coefficients"
                saved.require_length(each[key].coefficients, what, n, "features")
        engines.append(EngineModel(**each))
    return found | {"engines": tuple(engines)}


def probabilities(
    combination: Combination, readings: Readings
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """For each engine's words, return P(word is right) and P(there is a true word at its place)."""
    calibrated = [
        engine.calibrated(confidence)
        for engine, confidence in zip(combination.engines, readings.confidence, strict=True)
    ]
    right, real = [], []
    for k, engine in enumerate(combination.engines):
        features = features_of(readings, k, calibrated, engine.highest)
        right.append(engine.right.probability(features))
        is_real = np.ones(len(features))
        if engine.real is not None:
            is_real = engine.real.probability(features)
        real.append(is_real)
    return right, real


def require_engines(combination: Combination, highest: Mapping[str, float | None], unit: str) -> None:
    """Raise unless `combination` fits these engines, their scales (None: any scale) and the unit."""
    expected = "a Combination, as Combination.load reads it from a file"
    require_type(combination, Combination, "combination", expected)
    names = combination.names
    if combination.unit != unit:
        raise ValueError(f"the combination must be for {unit}s, got one for {combination.unit}s")
    if set(highest) != set(names):
        raise ValueError(
            f"the engines must be {listed(list(map(quoted, names)))}, as in the combination, got "
            f"{listed(list(map(quoted, highest)))}"
        )
    for engine in combination.engines:
        found = highest[engine.name]
        if found is not None and found != engine.highest:
            raise ValueError(
                f"the confidences of {engine.name!r} run from 0 to {found:g}, but those that "
                f"the combination learnt from run from 0 to {engine.highest:g}; use one scale"
            )


def order_of(right: Sequence[int], n_words: Sequence[int], names: Sequence[str]) -> tuple[str, ...]:
    """Return the engines by decreasing number of right words; ties by decreasing number of words."""
    order = sorted(range(len(names)), key=lambda k: (-right[k], -n_words[k], names[k]))
    return tuple(names[k] for k in order)
