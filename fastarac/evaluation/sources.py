"""What the items of a model are: their names, and what tables and reports add about them."""

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

    # A template's text, and what it shows as `section`.
    Section: TypeAlias = tuple[str, Mapping[str, Any]]

__all__ = ["Beside", "Source"]


class Beside(NamedTuple):
    """What a report is given beside the items.

    Attributes
    ----------
    images : mapping of str to Path
        The images of pages by the pages' names.
    texts : bool
        Whether the report may hold texts of pages.
    attributes : object or None
        What is known of pages, as those who made the items read it.
    """

    images: Mapping[str, Path] = MappingProxyType({})
    texts: bool = True
    attributes: object = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Source:
    """Outputs of which nothing else is known; what is of another kind says so.

    Attributes
    ----------
    kind : str
        What a model is called: "model", or "engine".
    units, units_of_part : str
        What the items are called, of all and of a part: of one field, documents.
    group_word, part_word : str
        What a group of items that depend on each other is called, and a part that is reported apart.
    has_confidence : ndarray of shape (n,), bool, or None
        Whether the confidence of each item was given; None where rejected items alone have none.
    has_output : ndarray of shape (n,), bool, or None
        Whether there is an output for each item; None where there is.
    judged : ndarray of shape (n,), bool, or None
        By which items the order of the confidences is judged; None for all that have one.
    judged_items : str
        What these are; empty for all.
    highest : float or None
        The end of the confidences' scale, 1 or 100, where it is known.
    missed : ndarray of shape (n_groups,), intp, or None
        How much of each group has no output, where that is known.
    notes : sequence of str
        What speaks against relying on the confidences, a sentence each.
    size : sequence of str
        How much there is, in words; empty where that is the numbers of items and groups.
    apart : tuple of (int, float, str, str), or None
        How many have a price of their own, which, whether these are among the ``"rejected"`` items, the
        ``"accepted"`` ones, or ``"outside"`` of all, and what they are called.
    further : sequence of (str, str)
        Name and text of each figure that is to stand beside those of the items.
    holds : str
        What a report holds that not everybody may see, a sentence; empty for nothing.
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
        """Return the figures with what the items alone do not show."""
        return figures

    def beside_others(self, sources: Mapping[str, Source]) -> Self:  # noqa: ARG002
        """Return the source as it is shown beside those of all models: one that leaves out the same."""
        return self

    def splits(self, outputs: Outputs) -> Sequence[ItemParts]:  # noqa: ARG002
        """Return what divides the items into parts, in which models may be in another order."""
        return ()

    def overview(
        self,
        sources: Mapping[str, Source],  # noqa: ARG002
        confidence_level: float,  # noqa: ARG002
    ) -> Sequence[Section]:
        """Return what stands below the figures, of all models by name."""
        return ()

    def across(
        self,
        models: Mapping[str, tuple[Source, Outputs, Evaluation]],  # noqa: ARG002
        confidence_level: float,  # noqa: ARG002
    ) -> Sequence[Section]:
        """Return what sets all models side by side in parts of their items."""
        return ()

    def remark(self, limit: int) -> tuple[str, str, bool] | None:  # noqa: ARG002
        """Return what else moves the share accepted at a limit: title, text, whether it decides."""
        return None

    def order(self, sources: Mapping[str, Source], limit: int) -> str:  # noqa: ARG002
        """Return on what the order of all models at a limit depends, a sentence to be said first."""
        return ""

    def straight_through(self, threshold: float) -> tuple[float, float] | None:  # noqa: ARG002
        """Return the share of documents that go through whole, and that are then wrong, of all."""
        return None

    def caveat(self, limit: int) -> str:  # noqa: ARG002
        """Return what a limit does not hold for, a clause; empty where there is nothing."""
        return ""

    def sections(
        self,
        evaluation: Evaluation,  # noqa: ARG002
        most: Callable[[int], int],  # noqa: ARG002
    ) -> tuple[Sequence[Section], Sequence[Section]]:
        """Return what stands before and after the parts; `most` shortens lists for many models."""
        return (), ()
