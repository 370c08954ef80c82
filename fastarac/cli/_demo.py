"""``fastarac demo``: evaluate four classifiers of handwritten digits; the data ships with fastarac."""

from __future__ import annotations

from dataclasses import replace

from fastarac.cli import _options as options
from fastarac.cli._option_groups import grouped
from fastarac.cli._options import Certainty, Delivery, Limits
from fastarac.cli._settings import Settings

INTRODUCTION = (
    "{n_models} classifiers have read {n_items:,} images of handwritten digits. At most 1% errors "
    "means: at most 1% of all outputs are wrong and accepted unchecked."
)
AFTER_DEMO = "fastarac evaluate --help"


@grouped
def demo(
    *,
    form: options.OutputFormat = options.PrintedFormat.table,
    details: options.Details = False,
    plot: options.Plot = None,
) -> None:
    """Evaluate four models on handwritten digits, as an example."""
    delivery = Delivery(form, details, plot)
    settings = Settings(Limits.of(), None, delivery, Certainty(0.95))
    from fastarac.datasets import load_digits_ocr
    from fastarac.io import Outputs

    data = load_digits_ocr()
    models = settings.evaluate({name: Outputs(*items) for name, items in data.items()})
    about = INTRODUCTION.format(n_models=len(data), n_items=len(data.truth))
    screen = replace(settings.screen(models), about=about, command=AFTER_DEMO)
    settings.deliver(models, screen, command="demo")
