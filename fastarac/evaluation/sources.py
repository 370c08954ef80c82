"""Kinds of items: the words that reports and tables use for them, and further data to show."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from fastarac.evaluation.part_orders import ItemParts
    from fastarac.evaluation.results import Evaluation
    from fastarac.io import Outputs

    # The text of a template, and the values of the template's variable `section`.
    Section: TypeAlias = tuple[str, Mapping[str, Any]]


class Beside(NamedTuple):
    """Further data for a report, besides the items.

    Attributes
    ----------
    images : mapping of str to Path
        Images of pages, by page name.
    texts : bool
        Whether the report may contain texts of pages.
    attributes : object or None
        Attributes of pages, in the form that the class of the source expects.
    """

    images: Mapping[str, Path] = MappingProxyType({})
    texts: bool = True
    attributes: object = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Source:
    """Description of outputs whose origin is unknown; subclasses describe other kinds of items.

    Attributes
    ----------
    kind : str
        Word for a model: "model" or "engine".
    units, units_of_part : str
        Words for the items overall, and for the items of a part. For example, the items of a single
        field are called documents.
    group_word, part_word : str
        Words for a group of dependent items, and for a part that is reported separately.
    has_confidence : ndarray of shape (n,), bool, or None
        Whether each item has a given confidence; None if only rejected items lack one.
    has_output : ndarray of shape (n,), bool, or None
        Whether each item has an output; None if all have.
    judged : ndarray of shape (n,), bool, or None
        Whether checks for reversed confidences use each item. None if they use all items that have a
        confidence.
    judged_items : str
        Words for the items marked by `judged`. Empty if they are all items.
    highest : float or None
        The upper end of the confidence scale, 1 or 100, if known.
    missed : ndarray of shape (n_groups,), intp, or None
        Number of units without an output in each group, if known.
    notes : sequence of str
        Sentences with reasons not to rely on the confidences.
    size : sequence of str
        The amount of data, in words. If empty, the numbers of items and groups are shown.
    apart : tuple of (int, float, str, str), or None
        Number, price, place and name of units that have a price of their own. The place is
        ``"rejected"`` or ``"accepted"`` if they are among these items, or else ``"outside"``.
    further : sequence of (str, str)
        Name and text of further figures, shown together with those of the items.
    holds : str
        A sentence on confidential content of a report; empty if there is none.
    """

    kind: str = "model"
    units: str = "outputs"
    units_of_part: str = "outputs"
    group_word: str = "group"
    part_word: str = "group"
    has_confidence: NDArray[np.bool_] | None = None
    has_output: NDArray[np.bool_] | None = None
    judged: NDArray[np.bool_] | None = None
    judged_items: str = ""
    highest: float | None = None
    missed: NDArray[np.intp] | None = None
    notes: Sequence[str] = ()
    size: Sequence[str] = ()
    apart: tuple[int, float, str, str] | None = None
    further: Sequence[tuple[str, str]] = ()
    holds: str = ""

    def as_counted(self, figures: Evaluation) -> Evaluation:
        """Return the figures with errors that belong to no item, such as words an engine missed."""
        return figures

    def beside_others(self, sources: Mapping[str, Source]) -> Self:  # noqa: ARG002
        """Return this source without the details that a report shows once for all models."""
        return self

    def splits(self, outputs: Outputs) -> Sequence[ItemParts]:  # noqa: ARG002
        """Return partitions of the items, to test whether the order of models differs between parts."""
        return ()

    def overview(
        self,
        sources: Mapping[str, Source],  # noqa: ARG002
        confidence_level: float,  # noqa: ARG002
    ) -> Sequence[Section]:
        """Return sections about all models, which are shown below the figures."""
        return ()

    def across(
        self,
        models: Mapping[str, tuple[Source, Outputs, Evaluation]],  # noqa: ARG002
        confidence_level: float,  # noqa: ARG002
    ) -> Sequence[Section]:
        """Return sections that compare all models in parts of their items."""
        return ()

    def remark(self, limit: int) -> tuple[str, str, bool] | None:  # noqa: ARG002
        """Return a remark on the accepted share: (title, text, whether it is important)."""
        return None

    def order(self, sources: Mapping[str, Source], limit: int) -> str:  # noqa: ARG002
        """Return a sentence on what decides the order of all models at a limit; may be empty."""
        return ""

    def straight_through(self, threshold: float) -> tuple[float, float] | None:  # noqa: ARG002
        """Return the shares of documents accepted as a whole, and accepted with at least one error."""
        return None

    @property
    def n_documents(self) -> int | None:
        """The number of documents, or None if the items are not fields of documents."""
        return None

    def caveat(self, limit: int) -> str:  # noqa: ARG002
        """Return a warning about errors that a limit does not cover; may be empty."""
        return ""

    def sections(
        self,
        evaluation: Evaluation,  # noqa: ARG002
        most: Callable[[int], int],  # noqa: ARG002
    ) -> tuple[Sequence[Section], Sequence[Section]]:
        """Return the sections to show before and after the sections on parts of the items."""
        return (), ()
