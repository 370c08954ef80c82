"""What ``fastarac ocr`` has found out about engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastarac.cli._compare import Findings
    from fastarac.cli._model import Model
    from fastarac.ocr import Engine, Pairing, Sensitivity


@dataclass(frozen=True, slots=True)
class Found:
    """All that is known of the engines: what the text, the figures and the report are made of.

    Attributes
    ----------
    engines : dict of str to Engine
        Their items, words and files.
    models : list of Model
        Their figures, the one of the largest ARAC-AUC first.
    sensitivities : dict of str to Sensitivity
        The accepted shares under other policies.
    pairings : dict of str to Pairing
        Which files are paired, and which are left out.
    comparison : Findings or None
        The engines side by side, where there are several.
    lacking : dict of str to int
        How many items each engine has not, of those that any of them has.
    by_page : bool
        Whether intervals are by page.
    """

    engines: dict[str, Engine]
    models: list[Model]
    sensitivities: dict[str, Sensitivity]
    pairings: dict[str, Pairing]
    comparison: Findings | None
    lacking: dict[str, int]
    by_page: bool
