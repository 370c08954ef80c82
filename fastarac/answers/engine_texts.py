"""Answers about the texts that engines read: the words, and how they are counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from fastarac._core.text import (
    UNDEFINED,
    count,
    few_of,
    listed,
    money,
    percent,
    plural,
    printable,
    rounded_percent,
    sentence,
)
from fastarac.answers import attributes as answers
from fastarac.answers.intervals import of_share
from fastarac.answers.limits import header
from fastarac.answers.screen import Note, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said, broken
from fastarac.evaluation.limits import short
from fastarac.ocr.analysis.sensitivities import what_counts
from fastarac.ocr.words.error_rates import RATES, figures_of, rate_text
from fastarac.ocr.words.policies import BRIEFLY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastarac.answers.models import Model
    from fastarac.answers.tables import Part
    from fastarac.costs.verification import VerificationCosts
    from fastarac.io import Outputs
    from fastarac.ocr import Engine
    from fastarac.ocr.report_extras import ReportedPages
    from fastarac.ocr.words.policies import AlignmentPolicy, MissedPolicy
    from fastarac.results import AlignedOutputs, AttributeFigures, ErrorRates, Pairing, Sensitivity

WIDE_NAME = 16  # maximum length of a name, in characters, that a table heading keeps on one line
MOVES = 0.01  # least change of the accepted share at which a rule for counting words matters


@dataclass(frozen=True, slots=True)
class EngineTexts:
    """The texts that the engines have read on pages.

    Attributes
    ----------
    engines : mapping of str to Engine
        The items, words and files of each engine.
    pairings : mapping of str to Pairing
        The paired files of each engine, and the files left out.
    sources : mapping of str to (Outputs, ReportedPages)
    parts : str
        The parts of the pages that count; empty for all.
    """

    engines: Mapping[str, Engine]
    pairings: Mapping[str, Pairing]
    sources: Mapping[str, tuple[Outputs, ReportedPages]]
    parts: str = ""

    items = "items"
    # Engines are compared by group, because they split the text into different items.
    paired: ClassVar[Literal["items", "groups"]] = "groups"
    notes_beside_rows = False

    def with_missed_price(self, model: Model, price: float) -> Model:
        """Return the model with costs that include `price` for each word that it missed."""
        from fastarac.ocr.analysis.missed_prices import with_missed_price

        figures, aligned = model.evaluation, self.engines[model.name].aligned
        if figures.cost_evaluation is None:
            return model
        points = {found.limit.key: found.point for found in figures.limits}
        costs = with_missed_price(figures.cost_evaluation, aligned, points, price)
        where = {"reject": "rejected", "residual": "accepted"}.get(aligned.policy.missed, "outside")
        return replace(
            model,
            evaluation=replace(figures, cost_evaluation=costs),
            source=replace(model.source, apart=(aligned.missed, price, where, "missed")),
        )

    def price_of_missed(
        self, name: str, costs: VerificationCosts, page_price: float
    ) -> tuple[float, str] | None:
        """Return the cost per missed word, and a note; None if the engine missed no words.

        To find missed words, people must look at every page, which costs `page_price` per page. If that
        costs more than leaving the words out, each missed word costs as much as an error.
        """
        aligned = self.engines[name].aligned
        n, looking = aligned.missed, page_price * self.n_parts
        if not n:
            return None
        correcting, errors = n * costs.correction, n * costs.error
        words = f"{n:,} missed {plural(aligned.reading.unit, n)}"
        pages = f"{self.n_parts:,} {plural('page', self.n_parts)}"
        said = (
            f"{printable(name)}: to look at all {pages} for {words} and correct them costs "
            f"{money(looking + correcting)}; left as errors, they cost {money(errors)}"
        )
        if looking + correcting < errors:
            return (looking + correcting) / n, f"{said}: look for them."
        return costs.error, f"{said}: the costs assume that nobody looks."

    def with_attributes(self, model: Model, level: float) -> Model:
        """Return the model with figures by page attribute, if there are attributes."""
        source = cast("ReportedPages", model.source)
        figures = source.attribute_figures(model.outputs, model.evaluation, level)
        return replace(model, source=replace(source, by_attribute=figures))

    @property
    def single(self) -> tuple[str, ...]:
        """The names of the engines, without those of combined engines."""
        return tuple(self.pairings)

    @property
    def n_parts(self) -> int:
        """Number of pages."""
        return len(next(iter(self.engines.values())).words.page_names)

    def flat(self, model: Model) -> dict[str, Any]:
        """Return the figures by page attribute, for a flat row."""
        figures = _attributes_of(model)
        return {} if figures is None else answers.flat(figures)

    def row(self, model: Model, group: str, level: float | None) -> dict[str, Any]:
        """Return a flat row of figures for OCR only; error rates have intervals if `level` is given."""
        aligned, effects = self._of(model.name)
        policy, reading = aligned.policy, aligned.reading
        return {
            **aligned.counts,
            "pages": len(aligned.records.page_names),
            "true_words": aligned.true_words,
            "policy": " ".join(f"{name}={value}" for name, value in policy._asdict().items()),
            "unit": reading.unit,
            "fold": " ".join(reading.fold),
            "join": reading.join,
            "group": group,
            **effects.to_dict(),
            **figures_of(self._rates(model.name, level), with_intervals=level is not None),
        }

    def inside(self, model: Model) -> dict[str, Any]:
        """Return nested figures for JSON: by page attribute, and without hardly alignable pages."""
        effects = self._of(model.name)[1]
        without = zip(model.limits, effects.accepted_without, strict=False)
        figures = _attributes_of(model)
        return {
            **({} if figures is None else {"attributes": answers.objects(figures)}),
            "scale": self.sources[model.name][1].scale,
            "hardly_aligned_pages": len(effects.without_pages),
            **{f"acceptance_rate/{limit.key}/hardly_aligned/drop": share for limit, share in without},
        }

    def columns(self, name: str) -> dict[str, Any]:
        """Return the items of an engine as columns."""
        columns = self.engines[name].aligned.to_columns()
        if self.parts:
            columns["regions"] = [self.parts] * len(columns["id"])
        return columns

    def notes(self) -> Iterator[str]:
        """Yield notes on the files and the confidences, one sentence each."""
        from fastarac.ocr.words.words import WITHOUT_CONFIDENCE

        for name, engine in self.engines.items():
            who = f"{printable(name)}: "
            of_words = [str(note) for note in engine.words.notes if note[1:] != WITHOUT_CONFIDENCE]
            for note in (*self.sources[name][1].notes, *of_words):
                yield f"{who}{sentence(note)}"
            pairing = self.pairings.get(name)
            if pairing is None:  # a combination of engines has no files of its own
                continue
            for paths, what in (
                (pairing.without_output, "truth without output"),
                (pairing.without_truth, "output without truth"),
            ):
                if paths:
                    names = few_of((path.name for path in paths), 5)
                    yield f"{who}Left out: {len(paths)} of {what}: {names}."

    def read(self, names: Sequence[str], level: float | None) -> Iterator[Part]:
        """Yield tables of how much each engine has read and of error rates, and a sentence on items."""
        yield AnswerTable(names, self._counts(names), "engine")
        said = "Error rates of the text as read, by page; moved words are errors"
        yield Said(f"{said}:\n" if level is None else f"{said}; {percent(level)} intervals:\n")
        rates = [self._rates(name, level).rates for name in names]
        columns = []
        for key, title in RATES.items():
            own = [each[key] for each in rates]
            below = None if level is None else [of_share(rate.low, rate.high) for rate in own]
            columns.append(Column(title, [rate_text(rate.estimate) for rate in own], below=below))
        yield AnswerTable(names, [columns], "engine")
        first = self.engines[names[0]].aligned
        yield Said(" ".join(first.policy.sentences(first.reading)))

    def _counts(self, names: Sequence[str]) -> list[list[Column]]:
        every = [self.engines[name].aligned for name in names]
        columns = [
            Column("pages", [count(len(a.records.page_names)) for a in every]),
            Column(f"true\n{every[0].reading.unit}s", [count(a.true_words) for a in every]),
        ]
        columns += [Column(kind, [count(a.counts[kind]) for a in every]) for kind in every[0].counts]
        scales = [self.sources[name][1].scale for name in names]
        items = Column("items", [count(len(a)) for a in every])
        return [columns, [items, Column("scale of\nconfidence", scales)]]

    def about(self, names: Sequence[str]) -> str:
        """Return a line on how much the engines have read."""
        first = self.engines[names[0]].aligned
        n, unit = len(first.records.page_names), first.reading.unit
        words = f"{count(first.true_words)} true {plural(unit, first.true_words)}"
        return f"{n:,} {plural('page', n)}, {words}."

    def notes_of_items(self, models: Sequence[Model]) -> Iterator[Note]:
        """Yield notes on the rules for counting items: their effect and their assumptions."""
        spread = self._widest(models)
        if spread is not None:
            text, decides = spread
            brief = f"{text.partition(': choose')[0]}."
            yield Note(text, Weight.DECIDES if decides else Weight.ASIDE, brief)
        first = self.engines[models[0].name].aligned
        said = first.policy.sentences(first.reading)
        yield Note(" ".join(said), Weight.ASSUMES, said[1])

    def sections(self, models: Sequence[Model]) -> Iterator[Section]:
        """Yield figures by page attribute, and accepted shares under other rules for counting words."""
        figures = {model.name: _attributes_of(model) for model in models}
        by_attribute = {name: each for name, each in figures.items() if each is not None}
        if by_attribute:
            yield Section("By attribute of the pages", list(answers.parts(by_attribute)))
        yield Section("Other policies", list(self._policies(models)))

    def _policies(self, models: Sequence[Model]) -> Iterator[Part]:
        """Yield the shares that each engine accepts under other rules for counting words."""
        every = {model.name: self._of(model.name)[1] for model in models}
        policies = dict.fromkeys(policy for each in every.values() for policy in each.accepted)
        if len(policies) == 1:
            aligned = [self._of(model.name)[0] for model in models]
            yield Said(
                "Other policies add no items with a confidence, so none is compared here."
                if any(each.missed or each.counts["inserted"] for each in aligned)
                else "Nothing is missed or inserted: no policy changes what is accepted."
            )
            return
        of_engines = " of each engine" if len(models) > 1 else ""
        kinds = {name for each in every.values() for name in each.varied}
        what = what_counts(name for name in next(iter(policies))._fields if name in kinds)
        yield Said(f"Accepted share{of_engines} if {what} are counted in another way:\n")
        rows = [policy.name for policy in policies]
        rows[0] += " (as above)"
        hard = any(each.accepted_without for each in every.values())
        if hard:
            rows.append(f"without {next(iter(every.values())).left_out}")
        blocks = []
        for index, limit in enumerate(models[0].limits):
            block = []
            for name, each in every.items():
                shares = [each.under(policy) for policy in policies]
                if hard:
                    shares.append(each.accepted_without or None)
                cells = [UNDEFINED if row is None else rounded_percent(row[index]) for row in shares]
                of = f"{broken(printable(name), WIDE_NAME)}\n" if len(models) > 1 else ""
                block.append(Column(f"{of}{header(limit)}", cells))
            blocks.append(block)
        yield AnswerTable(rows, blocks, "missed, inserted, moved")
        spread = self._widest(models)
        if spread is not None:
            yield Said(spread[0])
        yield Said(_legend(policies, models[0].units), "dim")

    def _widest(self, models: Sequence[Model]) -> tuple[str, bool] | None:
        """Return a sentence on the largest effect of a word-counting rule, and whether it is large."""
        moved = {}
        for model in models:
            effects = self._of(model.name)[1]
            for index in range(len(model.limits) if len(effects.accepted) > 1 else 0):
                low, high = effects.ends(index)
                moved[model.name, index] = high - low
        if not moved:
            return None
        name, index = max(moved, key=lambda key: moved[key])
        of = f" of {printable(name)}" if len(models) > 1 else ""
        varied = self._of(name)[1].varied
        limit = short(models[0].limits[index])
        return _spread(moved[name, index], of, limit, varied), moved[name, index] >= MOVES

    def _rates(self, name: str, level: float | None) -> ErrorRates:
        aligned = self.engines[name].aligned
        return aligned.error_rates() if level is None else aligned.error_rates(level)

    def _of(self, name: str) -> tuple[AlignedOutputs, Sensitivity]:
        return self.engines[name].aligned, self.sources[name][1].sensitivity


def _attributes_of(model: Model) -> AttributeFigures | None:
    return cast("ReportedPages", model.source).by_attribute


def _legend(policies: Mapping[AlignmentPolicy, object], units: str) -> str:
    """Return a legend of the rules for counting words."""
    missed: dict[MissedPolicy, None] = dict.fromkeys(policy.missed for policy in policies)
    said = [f"{name}: {BRIEFLY[name].format(units=units)}" for name in missed]
    if len({policy.inserted for policy in policies}) > 1:
        said.append("wrong, drop: inserted outputs are wrong or left out")
    if len({policy.moved for policy in policies}) > 1:
        said.append("right, wrong: moved words are right or wrong")
    return f"{'; '.join(said)}."


def _spread(spread: float, of: str, limit: str, varied: Sequence[str]) -> str:
    points, what = f"{100 * spread:.1f} points", what_counts(varied)
    if spread < MOVES:
        return f"Counting {what} in another way changes the accepted share by at most {points}."
    options = ["--missed"] if "missed" in varied else []
    if others := [name for name in varied if name != "missed"]:
        options.append(f"{listed(others)} in --settings")
    return (
        f"At {limit}, other ways to count {what} change the accepted share{of} by up to {points}. "
        f"Choose one ({'; '.join(options)}) before you see the figures: consider who would notice such "
        "a word."
    )
