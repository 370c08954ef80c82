"""Figures of counts that are estimated, each within what is possible."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fastarac.areas import arac, risk
from fastarac.samples.estimated import EstimatedSweep

if TYPE_CHECKING:
    from fastarac._engine.counts import AcceptedCounts


def figures_of(sweep: AcceptedCounts | None, gamma: float) -> dict[str, Any]:
    """Of an estimated sweep, the figures that its counts alone would tell beyond what is possible."""
    if not isinstance(sweep, EstimatedSweep):
        return {}
    of_arac = arac.arac_area(sweep, gamma=gamma)
    return {
        "recognition_rate": of_arac.lower,
        "arac": of_arac,
        "arp": risk.arp_area(sweep, gamma=gamma),
        "roc_auc": sweep.roc_auc,
        "pr_auc": sweep.precision_area("davis-goadrich"),
        "average_precision": sweep.precision_area("step"),
        "aurc": risk.aurc_loss(sweep),
        "normalized_aurc": math.nan,
        "augrc": arac.augrc_loss(sweep),
    }
