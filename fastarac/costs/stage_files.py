"""Read the stages of a cascade, their prices and their outputs from a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import io
from fastarac._core.text import listed, printable
from fastarac.costs.stages import Stage
from fastarac.costs.verification import VerificationCosts
from fastarac.io._formats import open_source
from fastarac.io._models import read_engine_items
from fastarac.io._pages import MODEL, PAGE, is_of_ocr, says_kinds
from fastarac.io._sources import connect
from fastarac.reviewer import Reviewer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

LIMITS = ("max_error_rate", "max_risk", "failure_probability", "max_group_size")
TOP = (*LIMITS, "columns", "costs", "stage")
COLUMNS = ("confidence", "correct", "prediction", "truth", "id", "group", "model", "compare", "open")
PRICES = ("verification", "correction", "error")
OF_MODELS = ("name", "price", "file", "max_share")
OF_REVIEWERS = ("detection_rate", "false_alarm_rate")
OF_PEOPLE = ("name", "price", *OF_REVIEWERS, "max_share", "abstains")
INDEPENDENT = "none"  # the value of `id` that matches outputs by position

# Messages of the library name its arguments. These replacements name keys of the TOML file instead.
KEYS = {
    "item=COLUMN matches them": "id in [columns] matches them",
    "item=False": 'id = "none" in [columns]',
    "item='id'": 'id = "id" in [columns]',
    "open='wrong'": 'open = "wrong" in [columns]',
    "compare='number'": 'compare = "number" in [columns]',
    "compare='text'": '"text"',
    "(see model=COLUMN)": "(see model in [columns])",
    "prediction=COLUMN": "prediction in [columns]",
    "truth=COLUMN": "truth in [columns]",
}


class CascadeStages(NamedTuple):
    """The stages, prices and limits of a file, as arguments of `optimize_cascade`."""

    stages: list[Stage]
    costs: VerificationCosts | None
    limits: dict[str, Any]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class StagesFile:
    """A TOML file of stages, checked before any outputs are read.

    Attributes
    ----------
    path : Path
    content : dict
        The content of the file.
    files : dict of str to Path
        The file of outputs of each model.
    """

    path: Path
    content: dict[str, Any]
    files: dict[str, Path]

    @classmethod
    def read(cls, path: Path) -> StagesFile:
        """Read and check the file; raise a ValueError or an OSError on failure."""
        try:
            content = tomllib.loads(path.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            raise ValueError(f"{path}: it is not valid TOML: it is not UTF-8 text") from None
        except ValueError as error:  # TOMLDecodeError is a ValueError
            raise ValueError(f"{path}: it is not valid TOML: {error}") from None
        _only(path, "", content, TOP)
        for name, known in (("columns", COLUMNS), ("costs", PRICES)):
            table = content.get(name, {})
            if not isinstance(table, dict):
                raise ValueError(f"{path}: {name} must be a table [{name}], got {table!r}")  # noqa: TRY004, the content of a file
            _only(path, f"[{name}] ", table, known)
        for key, value in content.get("columns", {}).items():
            if not isinstance(value, str):
                raise ValueError(f"{path}: [columns] {key} must be a text, got {value!r}")  # noqa: TRY004, the content of a file
        stages = content.get("stage")
        if not isinstance(stages, list) or not stages:
            raise ValueError(f"{path}: it must have at least two [[stage]] tables, got none")
        return cls(path, content, _files(path, stages))

    def load(
        self,
        max_error_rate: float | None = None,
        max_risk: float | None = None,
        failure_probability: float | None = None,
    ) -> CascadeStages:
        """Read the outputs of the models; limits given as arguments replace all limits of the file."""
        path, prices = self.path, self.content.get("costs", {})
        costs = None
        if prices:
            missing = [name for name in PRICES[1:] if name not in prices]
            if missing:
                raise ValueError(f"{path}: [costs] must have {listed(missing)}")
            costs = _of(path, lambda: VerificationCosts(**{"verification": 0.0, **prices}), "[costs] ")
        limits = {name: self.content[name] for name in LIMITS if name in self.content}
        if max_error_rate is not None or max_risk is not None:
            limits |= {"max_error_rate": max_error_rate, "max_risk": max_risk}
        if failure_probability is not None:
            limits["failure_probability"] = failure_probability
        outputs, notes = self._outputs(by_pages="failure_probability" in limits)
        group = next(iter(outputs.values())).group
        if group is not None:
            limits["groups"] = group.codes
        stages = [
            self._stage(place, each, outputs) for place, each in enumerate(self.content["stage"], 1)
        ]
        return CascadeStages(stages, costs, limits, notes)

    def _stage(self, place: int, given: Mapping[str, Any], outputs: Mapping[str, Any]) -> Stage:
        path, where = self.path, f"[[stage]] {place} "
        if "name" not in given:
            raise ValueError(f"{path}: {where}has no name")
        own = ("max_share", "abstains")
        options: dict[str, Any] = {name: given[name] for name in own if name in given}
        if given["name"] in outputs:
            read = outputs[given["name"]]
            silent = read.rejected is not None
            confidence = np.where(read.rejected, np.nan, read.confidence) if silent else read.confidence
            options |= {"correct": read.correct, "confidence": confidence}
        else:
            _only(path, where, given, OF_PEOPLE)
            free = "abstains" in given or "verification" in self.content.get("costs", {})
            if "price" not in given and not free:
                raise ValueError(f"{path}: {where}needs a price, or [costs] must give verification")
            people = {name: given[name] for name in OF_REVIEWERS if name in given}
            if people:
                options["reviewer"] = _of(path, partial(Reviewer, **people), where)
        made: Stage = _of(path, partial(Stage, given["name"], given.get("price"), **options))
        return made

    def _outputs(self, *, by_pages: bool) -> tuple[dict[str, io.Outputs], list[str]]:
        """Return the outputs of each model, and notes; `by_pages` groups outputs of OCR by page."""
        path, given = self.path, self.content.get("columns", {})
        columns = {"item" if key == "id" else key: value for key, value in given.items()}
        of_ocr = self._is_of_ocr(columns.get("item", "id"))
        notes: list[str] = []
        if of_ocr and "open" in columns:
            raise ValueError(
                f"{path}: [columns] open cannot go with files of fastarac ocr -o: remove it"
            )
        if of_ocr:
            columns, notes = _columns_of_ocr(list(self.files.values()), columns, by_pages=by_pages)
        elif columns.get("item") == INDEPENDENT:
            columns["item"] = False
        models = self._models(columns, of_ocr=of_ocr)
        for name in self.files:
            if name not in models:
                raise ValueError(
                    f"{path}: the stage {name!r} is not a model in column {columns['model']!r}, "
                    f"which has {listed(list(models))}"
                )
        return {name: models[name] for name in self.files}, notes

    def _models(self, columns: dict[str, Any], *, of_ocr: bool) -> Mapping[str, io.Outputs]:
        path, files = self.path, self.files
        if "model" in columns:
            files = {str(file): file for file in files.values()}
        try:
            if of_ocr:
                return read_engine_items(files, **columns)
            models = io.read_models(files, same_items=len(self.files) > 1, **columns)
        except (ValueError, OSError) as error:
            message = str(error)
            for argument, key in KEYS.items():
                message = message.replace(argument, key)
            if not any(str(file) in message for file in files.values()):
                message += f" (read from {listed(list(map(str, files.values())))})"
            raise ValueError(f"{path}: {message}") from None
        if models.difference is not None:
            raise ValueError(f"{path}: {models.difference}; use outputs of the same items")
        return models.outputs

    def _is_of_ocr(self, item: str) -> bool:
        """Return whether all files have items of ``fastarac ocr -o``; raise if only some files do."""
        found = {file: says_kinds(file, item) for file in self.files.values()}
        if len(set(found.values())) > 1:
            with_kinds, others = (
                next(file for file, has in found.items() if has is kind) for kind in (True, False)
            )
            raise ValueError(
                f"{self.path}: {with_kinds} has the items that fastarac ocr -o writes, with the "
                f'columns "{item}" and "kind", but {others} lacks them: give files of one kind'
            )
        return True in found.values()


def _files(path: Path, stages: Sequence[Any]) -> dict[str, Path]:
    """Return the file of each model; raise if a stage is invalid."""
    files: dict[str, Path] = {}
    for place, each in enumerate(stages, 1):
        where = f"[[stage]] {place} "
        if not isinstance(each, dict):
            raise ValueError(f"{path}: {where}must be a table, got {each!r}")  # noqa: TRY004, the content of a file
        if "file" not in each:
            continue
        _only(path, where, each, OF_MODELS)
        for key in ("name", "file"):
            if not isinstance(each.get(key), str):
                raise ValueError(f"{path}: {where}{key} must be a text, got {each.get(key)!r}")  # noqa: TRY004, the content of a file
        if each["name"] in files:
            raise ValueError(f"{path}: {where}repeats the name {each['name']!r}")
        files[each["name"]] = path.parent / each["file"]
    if not files:
        raise ValueError(f"{path}: no [[stage]] has a file; the first stage must be a model")
    return files


def _columns_of_ocr(
    files: Sequence[Path], columns: Mapping[str, Any], *, by_pages: bool
) -> tuple[dict[str, Any], list[str]]:
    """Return the names of the columns to read, and notes; recognize files of ``fastarac ocr -o``."""
    named: dict[str, Any] = {"item": "id", **columns}
    if "model" not in named and all(MODEL in _columns_in(file) for file in files):
        named["model"] = MODEL
    if not by_pages or "group" in named or not all(map(is_of_ocr, files)):
        return named, []
    note = f'pages in column "{PAGE}" are groups, because words of a page depend on each other'
    return {**named, "group": PAGE}, [note]


def _columns_in(path: Path) -> Sequence[str]:
    with connect() as connection:
        return open_source(path, connection).columns


def _only(path: Path, where: str, table: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise if a table has an unknown key."""
    for key in table:
        if key not in known:
            raise ValueError(
                f"{path}: {where}has the unknown key {printable(key)!r}; keys are {', '.join(known)}"
            )


def _of(path: Path, make: Callable[[], Any], where: str = "") -> Any:
    """Return the result of `make`; if it raises, name the file in the message."""
    try:
        return make()
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {where}{error}") from None
