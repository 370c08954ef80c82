"""Compute all figures of the study, ``docs/_data/study.json``, from its saved items.

Everything is computed by the library's own functions; a seed is fixed wherever something is drawn.
"""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench.study.kept import Study, engines_in, outputs_of, rates_of, shared_pages, where
from bench.study.parts import Part
from fastarac.answers.models import Model
from fastarac.evaluation.limits import Limit
from fastarac.evaluation.model_ranking import leads_of
from fastarac.operation import (
    ErrorRateMonitor,
    calibration_table,
    expected_calibration_error,
    fit_policy,
)
from fastarac.uncertainty.ratios import ratio_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from fastarac import Interval
    from fastarac.io import Outputs

RESULTS = Path(__file__).parents[2] / "docs" / "_data" / "study.json"
LIMITS = (0.005, 0.01, 0.05)
ASKED = 0.01  # the limit of all that looks at one
AREAS = ("arac_auc", "roc_auc", "aurc")
QUALITIES = ("clean", "scan", "noisy", "photo")
SEED = 2026
SIZES = (5, 10, 20, 40, 80)  # pages that are verified
DRAWS = 200
VERIFIED = 500


def compute(study: Study, results: Path) -> dict[str, Any]:
    """Return every figure of the study.

    What is computed is written beside `results` after each step, so that an interrupted run goes on.
    """
    steps: dict[str, Callable[[Study], Any]] = {
        "sources": sources,
        "figures": figures,
        "shares": shares,
        "leads": leads,
        "orders": orders,
        "calibration": calibration,
        "transfer": transfer,
        "decisions": decisions,
        "verified": verified,
    }
    part = Part(results)
    found: dict[str, Any] = part.read({})
    for name, step in steps.items():
        if name in found:
            continue
        print(name, flush=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few pages; the intervals say it
            found[name] = _finite(step(study))
        part.write(found)
    return found


def languages(study: Study) -> dict[str, list[str]]:
    """Return the sources of each language that was typeset."""
    found: dict[str, list[str]] = {}
    for source in study.typeset:
        found.setdefault(source.split("-")[0], []).append(source)
    return found


def sources(study: Study) -> list[dict[str, Any]]:
    """Return the size of each source."""
    rows = []
    for source, items in study.items.groupby("source"):
        for engine, part in items.groupby("engine"):
            rows.append(
                {
                    "source": source,
                    "engine": engine,
                    "items": len(part),
                    "pages": part.page.nunique(),
                    "right": float(part.correct.mean()),
                    "missed": int((part.kind == "missed").sum()),
                }
            )
    return rows


def figures(study: Study) -> list[dict[str, Any]]:
    """Return accepted shares, areas and error rates of every source, engine and quality."""
    rows = []
    for source, of_source in study.items.groupby("source"):
        for engine, items in of_source.groupby("engine"):
            for quality in (None, *sorted(set(items.quality), key=_rank)):
                if quality is not None and items.quality.nunique() == 1:
                    continue
                row = {"source": source, "engine": engine, "quality": quality or "all"}
                part = where(items, quality=quality)
                row |= _of_items(outputs_of(part)) | _of_texts(study, source, engine, quality)
                rows.append(row | {"items": len(part), "pages": part.page.nunique()})
    for source in study.typeset:
        plain = set(study.pages[study.pages.source == source].engine)
        for engine in sorted(plain - set(study.items[study.items.source == source].engine)):
            for quality in (None, *QUALITIES):
                row = {"source": source, "engine": engine, "quality": quality or "all"}
                rows.append(row | _of_texts(study, source, engine, quality))
    return rows


def shares(study: Study) -> list[dict[str, Any]]:
    """Return what can be accepted in each language, both layouts together, by engine and quality."""
    rows = []
    for language, of_language in languages(study).items():
        items = where(study.items, source=of_language)
        for engine in engines_in(items):
            for quality in (None, *QUALITIES):
                part = where(items, engine=engine, quality=quality)
                if part.empty:
                    continue
                row = {"language": language, "engine": engine, "quality": quality or "all"}
                rows.append(row | _of_items(outputs_of(part)) | {"pages": part.page.nunique()})
    return rows


def _rank(quality: str) -> int:
    return QUALITIES.index(quality) if quality in QUALITIES else -1


def _of_items(outputs: Outputs) -> dict[str, Any]:
    evaluation = Model.of("", outputs, None, max_error_rate=LIMITS, intervals=True).evaluation
    intervals = evaluation.intervals
    found = {name: _ends(intervals[name]) for name in (*AREAS, "recognition_rate")}
    for limit, at in zip(LIMITS, evaluation.limits, strict=True):
        # the share of the point, which leaves what is rejected to people
        ends = _ends(intervals[f"acceptance_rate/{limit:g}"])[1:]
        found[f"accepted/{limit}"] = [float(f"{at.point.acceptance_rate:.6g}"), *ends]
    return found


def _of_texts(study: Study, source: str, engine: str, quality: str | None) -> dict[str, Any]:
    pages = where(study.pages, source=source, engine=engine, quality=quality)
    if pages.empty:
        return {}
    return {name: _ends(rate) for name, rate in rates_of(pages).rates.items()}


def _ends(interval: Interval) -> list[float | None]:
    values = (interval.estimate, interval.low, interval.high)
    return [None if math.isnan(value) else float(f"{value:.6g}") for value in values]


def leads(study: Study) -> list[dict[str, Any]]:
    """Return which engine accepts most in each language, and how sure that is."""
    rows = []
    for language, of_language in languages(study).items():
        items = where(study.items, source=of_language)
        every = engines_in(items)
        sets = [[name for name in every if name.startswith("tesseract")], every]
        for engines in [each for n, each in enumerate(sets) if each not in sets[:n]]:
            pages = shared_pages(items, engines)
            shared = where(items, pages=pages)
            outputs = {name: outputs_of(where(shared, engine=name)) for name in engines}
            limits = [Limit("max_error_rate", value) for value in LIMITS]
            for lead in leads_of(outputs, limits, paired="groups", unit="page"):
                assert lead is not None
                rows.append(
                    {
                        "language": language,
                        "limit": lead.limit.value if lead.limit else None,
                        "engines": engines,
                        "pages": len(pages),
                        "sentence": lead.sentence,
                        "order": list(lead.comparison.names),
                        "pairs": [
                            {
                                "first": pair.a,
                                "second": pair.b,
                                "difference": pair.difference,
                                "interval": [pair.adjusted_interval.low, pair.adjusted_interval.high],
                                "pvalue": pair.adjusted_pvalue,
                                "clear": lead.is_clear(pair),
                            }
                            for pair in lead.comparison.pairs
                        ],
                    }
                )
    return rows


def orders(study: Study) -> dict[str, Any]:
    """Return how often engines come in another order by CER than by what can be accepted.

    Settings are the pages of one source and quality, and all pages of a language; every pair of engines
    in one is a comparison, on the pages that both have read.
    """
    narrow = [([source], quality) for source in study.typeset for quality in QUALITIES]
    wide = [(sources, None) for sources in languages(study).values()]
    settings = {
        name: [row for setting in each for row in _pairs(study, *setting)]
        for name, each in (("source and quality", narrow), ("language", wide))
    }
    return {
        "pairs": [row | {"setting": name} for name, rows in settings.items() for row in rows],
        "summary": {name: _orders_in(rows) for name, rows in settings.items()},
    }


def _pairs(study: Study, sources: Sequence[str], quality: str | None) -> list[dict[str, Any]]:
    """Return of each pair of engines error rates, accepted shares, and which differences are clear."""
    rows = []
    items = where(study.items, source=sources, quality=quality)
    for pair in combinations(engines_in(items), 2):
        names = shared_pages(items, pair)
        outputs = {name: outputs_of(where(items, engine=name, pages=names)) for name in pair}
        texts = [
            where(study.pages, source=sources, engine=engine, pages=names).sort_values("page")
            for engine in pair
        ]
        row: dict[str, Any] = {"source": " ".join(sources), "quality": quality or "all"}
        row |= {"engines": list(pair), "pages": len(names)}
        row["cer"] = [rates_of(each).character_error_rate.estimate for each in texts]
        row["fewer_errors_is_clear"] = _is_clear(*texts)
        limits = [Limit("max_error_rate", limit) for limit in LIMITS]
        tests = leads_of(outputs, limits, paired="groups", unit="page")
        for limit, lead in zip(LIMITS, tests, strict=True):
            points = [_point(each, limit) for each in outputs.values()]
            row[f"accepted/{limit}"] = [point.acceptance_rate for point in points]
            clear = lead is not None and lead.is_clear(lead.comparison.pairs[0])
            row[f"more_accepted_is_clear/{limit}"] = clear
        rows.append(row)
    return rows


def _orders_in(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Count pairs in another order at each limit, without those that are equal in either."""
    found = {}
    for limit in LIMITS:
        counts = dict.fromkeys(("pairs", "other_order", "clear_pairs", "clear_other_order"), 0)
        for row in rows:
            order = np.sign(row["cer"][1] - row["cer"][0]) * np.sign(_difference(row, limit))
            clear = row["fewer_errors_is_clear"] and row[f"more_accepted_is_clear/{limit}"]
            counts["pairs"] += int(order != 0)
            counts["other_order"] += int(order < 0)
            counts["clear_pairs"] += int(clear and order != 0)
            counts["clear_other_order"] += int(clear and order < 0)
        found[str(limit)] = counts
    return found


def _difference(row: dict[str, Any], limit: float) -> float:
    first, second = row[f"accepted/{limit}"]
    return float(first - second)


def _is_clear(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether the CER of two engines on the same pages differ by more than two standard errors."""
    characters = first.characters.to_numpy(np.int64)
    edits = first.character_edits.to_numpy(np.int64) - second.character_edits.to_numpy(np.int64)
    error = ratio_interval(edits, characters, 0.95).standard_error
    return bool(error and abs(edits.sum() / characters.sum()) > 2.0 * error)


def _point(outputs: Outputs, limit: float) -> fa.OperatingPoint:
    """Return the operating point that keeps a limit on these very items."""
    return Model.of("", outputs, None, max_error_rate=(limit,)).evaluation.limits[0].point


def calibration(study: Study) -> list[dict[str, Any]]:
    """Return how far confidences are from shares of right outputs, for each language and engine."""
    rows = []
    groups = {**languages(study)}
    groups |= {name: [name] for name in sorted(set(study.items.source) - set(study.typeset))}
    for name, of_group in groups.items():
        items = where(study.items, source=of_group)
        for engine in engines_in(items):
            part = where(items, engine=engine).dropna(subset="confidence")
            scale = 100.0 if engine.startswith("tesseract") else 1.0
            confidence = np.clip(part.confidence.to_numpy(np.float64) / scale, 0.0, 1.0)
            correct = part.correct.to_numpy(bool)
            error = expected_calibration_error(correct, confidence)
            table = calibration_table(correct, confidence, n_bins=10)
            spread = _spread_over_pages(correct, confidence, part.page)
            ends = [error.estimate + side * spread for side in (-1.0, 1.0)]
            rows.append(
                {
                    "name": name,
                    "engine": engine,
                    "error": [error.estimate, max(0.0, ends[0]), min(1.0, ends[1])],
                    "by_chance": error.by_chance,
                    "confidence": [round(value, 5) for value in table.confidence.tolist()],
                    "accuracy": [round(value, 5) for value in table.accuracy.tolist()],
                }
            )
    return rows


def _spread_over_pages(correct: Any, confidence: Any, page: pd.Series[Any]) -> float:
    """Return 1.96 standard deviations of the calibration error over samples of pages.

    Quantiles of the resampled errors would not do: resampled pages repeat, which by itself moves the
    mean distance up.
    """
    rng = np.random.default_rng(SEED)
    names, codes = np.unique(page.to_numpy(str), return_inverse=True)
    rows = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    errors = []
    for _ in range(DRAWS // 2):
        taken = np.concatenate([rows[k] for k in rng.integers(len(names), size=len(names))])
        errors.append(expected_calibration_error(correct[taken], confidence[taken]).estimate)
    return 1.96 * float(np.std(errors, ddof=1))


def transfer(study: Study) -> list[dict[str, Any]]:
    """Return what happens to thresholds that were chosen on clean pages, on pages of each quality.

    One half of the clean pages is for the choice, the other is as new as the scans and photographs.
    Three choices: what keeps the limit on the pages themselves, the approximation, the proof.
    """
    sets = {**languages(study), "all": study.typeset}
    rows = []
    for name, of_set in sets.items():
        for engine in ("tesseract-psm3", "rapidocr"):
            items = where(study.items, source=of_set, engine=engine)
            if items.empty:
                continue
            clean = where(items, quality="clean")
            names = sorted(set(clean.page))
            chosen = set(np.random.default_rng(SEED).permutation(names)[: len(names) // 2].tolist())
            fitted = where(clean, pages=chosen)
            new = {q: where(items, quality=q) for q in QUALITIES}
            new["clean"] = where(clean, pages=set(names) - chosen)
            before = outputs_of(fitted)
            row = {
                "name": name,
                "engine": engine,
                "pages": len(chosen),
                "threshold": _point(before, ASKED).threshold,
            }
            groups = np.asarray(fitted.page)
            policies = {
                how: fit_policy(
                    before.correct,
                    before.confidence,
                    max_error_rate=ASKED,
                    groups=groups,
                    method=how,
                    random_state=SEED,
                )
                for how in ("auto", "gamma")
            }
            row["proof"] = policies["auto"].thresholds[0]
            row["approximation"] = policies["gamma"].thresholds[0]
            # the same policy with the threshold that has no guarantee: what would people be told?
            plain = replace(policies["gamma"], thresholds=(float(row["threshold"]),))
            row["on"] = {q: _on(part, row, plain) for q, part in new.items()}
            rows.append(_finite(row))
    return rows


def _on(items: pd.DataFrame, row: dict[str, Any], policy: Any) -> dict[str, Any]:
    """Return the errors on new pages, and what the test for shifts, the check and the monitor say."""
    outputs = outputs_of(items)
    groups = np.asarray(items.page)
    found: dict[str, Any] = {"pages": items.page.nunique()}
    for how in ("threshold", "approximation", "proof"):
        accepted = outputs.confidence >= row[how]
        if outputs.rejected is not None:
            accepted &= ~outputs.rejected
        wrong = accepted & ~outputs.correct
        pages = items.assign(accepted=accepted, wrong=wrong).groupby("page")
        sizes = pages.size().to_numpy(np.int64)
        rate = ratio_interval(pages.wrong.sum().to_numpy(np.int64), sizes, 0.95)
        found[how] = {"accepted": float(accepted.mean()), "errors": _ends(rate)}
        if how == "threshold":
            found["monitor"] = _alarm(pages.wrong.sum().to_numpy(int), sizes)
    shift = policy.shift(outputs.confidence, groups=groups)
    check = policy.check(outputs.correct, outputs.confidence, groups=groups, rejected=outputs.rejected)
    found["shift"] = shift.pvalue
    found["shifted"] = shift.shifted
    found["check"] = check.verdict
    return found


def _alarm(errors: Any, sizes: Any) -> int | None:
    """Return after how many pages, all of whose words are verified, the monitor gives an alarm."""
    monitor = ErrorRateMonitor(max_error_rate=ASKED, max_group_size=int(sizes.max()))
    order = np.random.default_rng(SEED).permutation(len(errors))
    for n, k in enumerate(order.tolist(), 1):
        monitor.update([errors[k]], [sizes[k]])
        if monitor.alarm_at is not None or monitor.changes:
            return n
    return None


def decisions(study: Study) -> list[dict[str, Any]]:
    """Return how pages that are drawn decide: on a threshold, and on which engine accepts more."""
    rows = []
    rng = np.random.default_rng(SEED)
    for language, of_language in languages(study).items():
        items = where(study.items, source=of_language)
        engines = ("tesseract-psm3", "tesseract-psm6")
        parts = [_Pages(where(items, engine=engine)) for engine in engines]
        rest = [part.point(part.all).acceptance_rate for part in parts]
        for size in SIZES:
            if 2 * size > len(parts[0].all):
                continue
            errors, shares, right = [], [], []
            for _ in range(DRAWS):
                order = rng.permutation(parts[0].all)
                point = parts[0].point(order[:size])
                others = parts[0].outputs(order[size:])
                accepted = others.confidence >= point.threshold
                errors.append(float((accepted & ~others.correct).mean()))
                shares.append(point.acceptance_rate)
                other = parts[1].point(order[:size]).acceptance_rate
                right.append((shares[-1] > other) == (rest[0] > rest[1]))
            rows.append(
                {
                    "language": language,
                    "pages": size,
                    "of": len(parts[0].all),
                    "errors": np.quantile(errors, [0.05, 0.5, 0.95]).tolist(),
                    "accepted": np.quantile(shares, [0.05, 0.5, 0.95]).tolist(),
                    "above": float(np.mean(np.array(errors) > ASKED)),
                    "above_by_half": float(np.mean(np.array(errors) > 1.5 * ASKED)),
                    "same_leader": float(np.mean(right)),
                    "difference": rest[0] - rest[1],
                }
            )
    return rows


class _Pages:
    """Items of one engine, drawn by pages."""

    def __init__(self, items: pd.DataFrame) -> None:
        self._outputs = outputs_of(items)
        self._rows = {str(page): rows for page, rows in items.groupby("page").indices.items()}
        self.all = np.array(sorted(self._rows))

    def outputs(self, pages: Sequence[str] | Any) -> Outputs:
        return self._outputs.take(np.concatenate([self._rows[page] for page in pages]))

    def point(self, pages: Sequence[str] | Any) -> fa.OperatingPoint:
        return _point(self.outputs(pages), ASKED)


def verified(study: Study) -> list[dict[str, Any]]:
    """Return what 500 verified words say of all words, with and without a judge.

    The judge of a language is its confidence, calibrated on the pages of the other languages.
    """
    rows = []
    engine = "tesseract-psm3"
    every = where(study.items, engine=engine, source=study.typeset).dropna(subset="confidence")
    for language, of_language in languages(study).items():
        mine = every[every.source.isin(of_language)]
        others = every[~every.source.isin(of_language)]
        if others.empty:  # no other language to calibrate the judge on
            continue
        curve = fa.operation.isotonic_calibration(
            others.correct.to_numpy(bool), others.confidence.to_numpy(np.float64)
        )
        confidence = mine.confidence.to_numpy(np.float64)
        correct = mine.correct.to_numpy(bool)
        judge = 1.0 - curve.at(confidence)
        for how in ("alike", "aimed", "judged"):
            rows.append({"language": language, "how": how, "items": len(mine)})
            rows[-1] |= _estimates(correct, confidence, judge, how)
    return rows


def _estimates(correct: Any, confidence: Any, judge: Any, how: str) -> dict[str, Any]:
    """Return coverage and width of intervals of the rate of right words and of ARAC-AUC."""
    statistics = ("recognition_rate", "arac_auc")
    truths = {
        name: fa.asymptotic_interval(correct, confidence, statistic=name).estimate
        for name in statistics
    }
    found: dict[str, list[tuple[bool, float]]] = {name: [] for name in statistics}
    for seed in range(DRAWS // 2):
        sample = fa.partial_truth.draw_verification_sample(
            confidence,
            VERIFIED,
            judge=judge if how != "alike" else None,
            mix=1.0 if how == "alike" else 0.5,
            random_state=seed,
        )
        answers = np.where(sample.selected, correct, np.nan)
        truth = fa.PartialTruth(
            answers,
            inclusion_probability=sample.inclusion_probability,
            judge=judge if how == "judged" else None,
        )
        for name in statistics:
            interval = fa.asymptotic_interval(truth, confidence, statistic=name)
            inside = interval.low <= truths[name] <= interval.high
            found[name].append((inside, interval.high - interval.low))
    return {
        name: {
            "coverage": float(np.mean([inside for inside, _ in pairs])),
            "width": float(np.mean([width for _, width in pairs])),
        }
        for name, pairs in found.items()
    }


def _finite(value: Any) -> Any:
    """Return JSON that every reader takes: a threshold above everything is null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        # six digits: sums of as many numbers in another order differ in the last ones
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def save(found: dict[str, Any], path: Path) -> None:
    """Write the figures."""
    text = json.dumps(found, indent=None, separators=(",", ":"), ensure_ascii=False)
    path.write_text(text.replace('},{"', '},\n{"') + "\n", encoding="utf-8", newline="\n")
    Part(path).remove()
