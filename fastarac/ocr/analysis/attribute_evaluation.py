"""Evaluation of an engine's items by attributes of their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.checks import inner_fraction
from fastarac.ocr.analysis.attribute_figures import figures_by_attribute

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastarac.evaluation.limits import Limit
    from fastarac.ocr.analysis.attribute_figures import AttributeFigures
    from fastarac.ocr.analysis.attributes import PageAttributes
    from fastarac.ocr.words.items import AlignedOutputs


def evaluate_attributes(
    aligned: AlignedOutputs,
    attributes: PageAttributes,
    limits: Iterable[Limit],
    *,
    confidence_level: float = 0.95,
    by_page: bool = True,
) -> AttributeFigures:
    """Evaluate the pages with each attribute value, at thresholds chosen on all pages.

    Parameters
    ----------
    aligned : AlignedOutputs
        The items of an engine.
    attributes : PageAttributes
        The attributes, as :func:`read_attributes` returns them.
    limits : iterable of Limit
        For each limit, one threshold is chosen on all pages together. Every attribute value is
        evaluated at this threshold.
    confidence_level : float, default=0.95
        Level of the intervals and the verdicts, in (0, 1).
    by_page : bool, default=True
        Whether to treat items on the same page as dependent. If False, all items are treated as
        independent.

    Returns
    -------
    AttributeFigures

    Raises
    ------
    ValueError
        If pages and rows do not match, as for :meth:`PageAttributes.rows_of`.

    See Also
    --------
    fastarac.operation.Policy.check : the same test on new pages.

    Notes
    -----
    Verdicts use the two tests of :meth:`.Policy.check`: is the error rate below the limit, or is it
    above? Each test has level (1 − `confidence_level`)/2. The tests bet on pages in random order
    (Waudby-Smith and Ramdas 2024). If `by_page` is False, they use the binomial distribution. Holm's
    correction accounts for testing all values of the attribute. A betting test must allow for pages on
    which everything is wrong. Therefore, proving a limit of 1% takes hundreds of error-free pages.
    Intervals for the rates use linearisation and Student's t quantile, as for the error rates of texts.
    With few pages, they are approximate, and may be entirely below the limit although the test proves
    nothing.

    Because the thresholds are chosen on the evaluated pages themselves, new pages will do slightly
    worse on average.

    References
    ----------
    Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting".

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.evaluation.limits import Limit
    >>> sample = fa.ocr.load_sample()
    >>> aligned = fa.ocr.align(sample.truth, sample.outputs["enlarged"])
    >>> names = aligned.records.page_names
    >>> worn = {"page": names, "worn": ["yes" if "worn" in name else "no" for name in names]}
    >>> found = fa.ocr.evaluate_attributes(
    ...     aligned, fa.ocr.read_attributes(worn), [Limit("max_error_rate", 0.05)]
    ... )
    >>> found
    AttributeFigures(2 values of worn)
    >>> dict(zip(found.value, found.at[0].error_rate.round(3).tolist()))
    {'no': 0.024, 'yes': 0.094}
    """
    wanted = tuple(limits)
    level = inner_fraction(confidence_level, "confidence_level")
    thresholds = [
        aligned.operating_point(**{limit.criterion: limit.value}).threshold for limit in wanted
    ]
    return figures_by_attribute(
        attributes, aligned.pages, aligned.page, aligned.correct, aligned.confidence,
        list(zip(wanted, thresholds, strict=True)), level, by_page=by_page,
    )  # fmt: skip
