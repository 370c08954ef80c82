"""The note of groups that are wrong throughout."""

import numpy as np
import pytest

from fastarac.answers import wrong_groups
from fastarac.io import Outputs
from fastarac.io._outputs import labels_of


def outputs(n, *, wrong=()):
    """Two outputs of each of n pages, the first of which is right unless the page is wrong."""
    pages = np.repeat(np.arange(n), 2)
    correct = (np.arange(2 * n) % 2 == 0) & ~np.isin(pages, wrong)
    return Outputs(correct, np.arange(2.0 * n), group=labels_of(np.array([f"p{k:03}" for k in pages])))


@pytest.mark.parametrize(
    ("n", "share"), [(8, "31%"), (20, "14%"), (40, "7%"), (150, "2%"), (299, "1%")]
)
def test_none_of_few(n, share):
    said = f"none of {n} pages was wholly wrong; up to {share} may be"
    assert wrong_groups.sentence(outputs(n), "page", 0.95) == said


def test_where_nothing_is_said():
    """Of many pages, one page, pages of which one is wrong, and without pages."""
    assert wrong_groups.sentence(outputs(300), "page", 0.95) is None
    assert wrong_groups.sentence(outputs(1), "page", 0.95) is None
    assert wrong_groups.sentence(outputs(40, wrong=[3]), "page", 0.95) is None
    assert wrong_groups.sentence(Outputs(np.ones(4, bool), np.arange(4.0)), "page", 0.95) is None


def test_models_of_which_the_same_is_said():
    models = {"a": outputs(40), "b": outputs(40, wrong=[1]), "c": outputs(40)}
    said = "'a', 'c': none of 40 groups was wholly wrong; up to 11% may be"
    assert wrong_groups.notes(models.items(), "group", 0.99) == [said]
