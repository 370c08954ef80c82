"""Groups of options that commands share; a command takes a group as one parameter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any

from fastarac.cli import _options as options
from fastarac.cli._help import HelpAll
from fastarac.cli._options import (
    NONE,
    Delivery,
    Limits,
    Printing,
    RefusalError,
    ends_quietly,
    one_column,
)
from fastarac.cli._refusals import incompatible, incomplete

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import typer


# Parameters of `evaluate` and `compare` that cannot go with partly verified outputs.
NOT_OF_VERIFIED = "model", "weight", "plot", "max_memory", "unseen_pages"
# The name of --confidence with several columns, in tables of options that exclude each other.
SEVERAL_CONFIDENCES = "--confidence of several columns"


@dataclass(frozen=True, slots=True)
class OptionsOf:
    """Annotation of a parameter with the value ``make(...)``; the parameters of `make` are options."""

    make: Callable[..., Any]


def grouped(run: Callable[..., None]) -> Callable[..., None]:
    """Return `run` as a Typer command: groups become single options, errors become exit statuses."""
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    taken: list[Parameter] = []
    for name, parameter in signature(run, eval_str=True).parameters.items():
        own = [parameter]
        for each in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(each, OptionsOf):
                own = list(signature(each.make, eval_str=True).parameters.values())
                groups[name] = each.make, [option.name for option in own]
        taken += [option.replace(kind=Parameter.KEYWORD_ONLY) for option in own]
    if "\f" in run.__globals__.get("EXAMPLES", "") or any(map(_is_hidden, taken)):
        taken.append(Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll))

    @wraps(run)
    def as_typer_calls_it(**given: Any) -> None:
        given.pop("help_all", None)
        with ends_quietly():
            for name, (make, names) in groups.items():
                given[name] = make(**{option: given.pop(option) for option in names})
            run(**given)

    as_typer_calls_it.__dict__["__signature__"] = Signature(taken)
    as_typer_calls_it.__annotations__ = {each.name: each.annotation for each in taken}
    return as_typer_calls_it


def _is_hidden(parameter: Parameter) -> bool:
    """Return whether only ``--help-all`` shows an option."""
    return any(
        getattr(each, "hidden", False) for each in getattr(parameter.annotation, "__metadata__", ())
    )


def given_options(context: typer.Context) -> dict[str, str]:
    """Return the options that the user typed, by parameter name."""
    return {
        each.name: each.opts[0]
        for each in context.command.params
        if each.name and is_typed(context, each.name)
    }


def is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


@dataclass(frozen=True, slots=True)
class ReadColumns:
    """Options that name the columns of confidence and correctness."""

    confidence: options.Confidence = "confidence"
    correct: options.Correct = None
    prediction: options.Prediction = None
    truth: options.Truth = None
    compare: options.CompareNumbers = None
    allow_empty: options.AllowEmpty = None

    @property
    def empty_confidence(self) -> bool:
        """Whether to read outputs without a confidence, which are never accepted."""
        return "confidence" in (self.allow_empty or ())

    def confidences(self, paths: Sequence[Path]) -> str | list[str]:
        """Return the column of confidences, or a list if ``--confidence`` names several with commas."""
        from fastarac.io._pages import columns_in

        names = self.confidence.split(",")
        if len(names) == 1 or any(self.confidence in columns_in(path) for path in paths):
            return self.confidence
        if len(set(names)) < len(names):
            raise RefusalError(f"--confidence must name each column once, got {self.confidence}")
        return names

    def columns(self, **others: Any) -> dict[str, Any]:
        """Return these columns and others as arguments of :func:`fastarac.io.read_models`."""
        given = {name: getattr(self, name) for name in ("confidence", "correct", "prediction", "truth")}
        empty = {f"empty_{each}": each in (self.allow_empty or ()) for each in options.MayBeEmpty}
        compare = None if self.compare is None else str(self.compare)
        given |= {"compare": compare, **empty}
        return {**given, "by": None, "item": None, "group": None, **others}


@dataclass(frozen=True, slots=True)
class PartlyVerified:
    """Options of samples drawn for verification: their columns, and how missing answers count."""

    inclusion_probability: options.InclusionProbability = None
    judge: options.JudgeColumns = None
    open: options.OpenAnswers = options.Open.refuse

    @property
    def how_open(self) -> str:
        return str(self.open)

    @property
    def open_option(self) -> tuple[str, ...]:
        """The words ``--open`` and its value on a command line; empty for the default."""
        return () if self.open is options.Open.refuse else ("--open", self.how_open)

    def columns(
        self,
        context: typer.Context,
        reading: ReadColumns,
        group: str | tuple[str, ...] | None,
        *refused: str,
        paths: Sequence[Path],
        **others: str | None,
    ) -> dict[str, Any] | None:
        """Return the columns as arguments of `read_verified`, or None if none is given.

        `refused` names the command's parameters that cannot go with these options. Raise if a file in
        `paths` needs these options.
        """
        from fastarac.cli._files import refuse_samples

        if self.inclusion_probability is None and self.judge is None:
            refuse_samples(paths)
        if self.judge is None and self.inclusion_probability in (None, NONE):
            return None
        given = given_options(context)
        of_all = ("prediction", "truth", "compare", "allow_empty", *refused)
        beside = given["judge" if self.inclusion_probability is None else "inclusion_probability"]
        incompatible(given.values(), [(given[name], [beside]) for name in of_all if name in given])
        incomplete(given.values(), [("--judge", ("--inclusion-probability",))])
        if NONE in (self.inclusion_probability, group):
            without_draw = self.inclusion_probability == NONE
            refused_one = "--judge" if without_draw else f"--group {NONE}"
            other = f"--inclusion-probability{f' {NONE}' if without_draw else ''}"
            raise RefusalError(f"{refused_one} cannot go with {other}: leave out one of the two")
        groups = (group,) if isinstance(group, str) else group
        return {
            "confidence": reading.confidence, "correct": reading.correct or "correct",
            "inclusion_probability": self.inclusion_probability, "judge": self.judge,
            "groups": one_column(groups), "open": self.how_open, **others,
        }  # fmt: skip


ReadingOptions = Annotated[ReadColumns, OptionsOf(ReadColumns)]
VerifiedOptions = Annotated[PartlyVerified, OptionsOf(PartlyVerified)]
LimitOptions = Annotated[Limits, OptionsOf(Limits.of)]
DeliveryOptions = Annotated[Delivery, OptionsOf(Delivery)]
PrintingOptions = Annotated[Printing, OptionsOf(Printing)]
