"""The note of groups that are wrong throughout."""

import numpy as np
import pytest

from fastarac.answers import wrong_groups
from fastarac.io import Outputs
from fastarac.io._outputs import labels_of


def outputs(n, *, wrong=(), size=2):
    """Outputs of n pages; every second one is right unless its page is wrong."""
    pages = np.repeat(np.arange(n), size)
    correct = (np.arange(size * n) % 2 == 0) & ~np.isin(pages, wrong)
    groups = labels_of(np.array([f"p{k:03}" for k in pages]))
    return Outputs(correct, np.arange(float(size * n)), group=groups)


@pytest.mark.parametrize(
    ("n", "share"), [(8, "31%"), (20, "14%"), (40, "7%"), (150, "2%"), (299, "1%")]
)
def test_none_of_few(n, share):
    said = f"none of {n} pages had only errors; of all pages, up to {share} may"
    assert wrong_groups.sentence(outputs(n), "page", 0.95) == said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([7], "1 of 60 pages had only errors; of all pages, up to 8% may"),
        ([3, 7, 9], "3 of 60 pages had only errors; of all pages, up to 12% may"),
        (range(9), "9 of 60 pages had only errors; of all pages, up to 25% may"),
        (range(10), None),
    ],
)
def test_some_of_few(wrong, said):
    """The share is the upper end of Clopper and Pearson's one-sided interval."""
    assert wrong_groups.sentence(outputs(60, wrong=wrong, size=6), "page", 0.95) == said


def test_where_nothing_is_said():
    """For many pages, one page, short pages wrong by chance, and no pages."""
    assert wrong_groups.sentence(outputs(300), "page", 0.95) is None
    assert wrong_groups.sentence(outputs(1), "page", 0.95) is None
    assert wrong_groups.sentence(outputs(40, wrong=[3]), "page", 0.95) is None
    assert wrong_groups.sentence(Outputs(np.ones(4, bool), np.arange(4.0)), "page", 0.95) is None


def test_models_of_which_the_same_is_said():
    models = {"a": outputs(40), "b": outputs(40, wrong=[1]), "c": outputs(40)}
    said = "'a', 'c': none of 40 groups had only errors; of all groups, up to 11% may"
    assert wrong_groups.notes(models.items(), "group", 0.99) == [said]
