"""Models compared by parts: each part alone, parts against each other, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import fastarac as fa
from bench.simulations import part_differences

pytestmark = pytest.mark.interpreted

STATISTICS = ["recognition_rate", "arac_auc", "aurc", "roc_auc"]


def two_models(seed: int, n: int = 600, parts: int = 3):
    """Return two models of the same items, the part of each item, and groups that lie across parts."""
    rng = np.random.default_rng(seed)
    part = rng.integers(0, parts, n)
    page = rng.integers(0, 30, n)
    ease = rng.normal(1.0, 0.6, 30)[page] - 0.3 * part
    models = {}
    for name in ("a", "b"):
        margin = ease + rng.normal(size=n)
        models[name] = margin > 0, np.abs(margin) + rng.random(n)
    return models, np.array(["x", "y", "z", *"uvw"])[part], page


def of_part(models, chosen):
    """The models on some items."""
    return {name: (right[chosen], confidence[chosen]) for name, (right, confidence) in models.items()}


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("grouped", [False, True])
def test_each_part_is_compared_as_if_alone(statistic, grouped):
    models, part, page = two_models(1)
    weight = np.random.default_rng(2).integers(0, 3, len(part)).astype(float)
    options = {"statistic": statistic, "correction": None}
    found = fa.compare_parts(
        models, part, groups=page if grouped else None, sample_weight=weight, **options
    )
    assert found.parts == ("x", "y", "z")
    for label in found.parts:
        chosen = (part == label) & (weight > 0)
        alone = fa.compare_models(
            of_part(models, chosen), groups=page[chosen] if grouped else None,
            sample_weight=weight[chosen], **options,
        )  # fmt: skip
        assert found.part(label).pairs == alone.pairs
        assert found.part(label).intervals == alone.intervals


def test_parts_of_shared_groups_are_compared_as_if_alone():
    """Each model with items of its own."""
    models, part, page = two_models(3)
    rng = np.random.default_rng(4)
    kept = {name: rng.random(len(part)) < 0.9 for name in models}
    own = {name: tuple(column[kept[name]] for column in models[name]) for name in models}
    by, groups = ({name: column[kept[name]] for name in models} for column in (part, page))
    found = fa.compare_parts(own, by, groups=groups, paired="groups", correction=None)
    for label in found.parts:
        chosen = {name: by[name] == label for name in models}
        alone = fa.compare_models(
            {name: tuple(column[chosen[name]] for column in own[name]) for name in own},
            groups={name: groups[name][chosen[name]] for name in own},
            paired="groups",
            correction=None,
        )
        pair, expected = found.part(label).pairs[0], alone.pairs[0]
        assert pair.difference == expected.difference
        assert pair.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
        assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


def test_partly_verified_parts_are_compared_as_if_alone():
    models, part, _ = two_models(5, 3000)
    rng = np.random.default_rng(6)
    known = rng.random(len(part)) < 0.4
    share = np.full(len(part), 0.4)

    def partial(right, chosen):
        values = np.where(known, right, np.nan)[chosen]
        return fa.PartialTruth(values, inclusion_probability=share[chosen])

    every = np.ones(len(part), bool)
    some = {name: (partial(right, every), confidence) for name, (right, confidence) in models.items()}
    found = fa.compare_parts(some, part, correction=None)
    for label in found.parts:
        chosen = part == label
        alone = fa.compare_models(
            {
                name: (partial(right, chosen), confidence[chosen])
                for name, (right, confidence) in models.items()
            }
        )
        assert found.part(label).pairs == alone.pairs


def by_hand(models, part, page):
    """The test between parts for the share of right items, from sums over pages, step by step."""
    labels, pages = sorted(set(part)), sorted(set(page))
    difference = models["a"][0].astype(float) - models["b"][0]
    alone = fa.compare_parts(models, part, statistic="recognition_rate", groups=page, correction=None)
    values, sums = [], []
    for label in labels:
        own = difference[part == label]
        values.append(own.mean())
        sums.append(
            [
                np.sum(difference[(part == label) & (page == one)] - own.mean()) / len(own)
                for one in pages
            ]
        )
    errors = [each.pairs[0].standard_error for each in alone.comparisons]
    degrees = [each.pairs[0].degrees_of_freedom for each in alone.comparisons]
    for k, own in enumerate(sums):  # at most as many as pages effectively contribute
        degrees[k] = min(degrees[k], np.sum(np.square(own)) ** 2 / np.sum(np.power(own, 4)))
    sizes = [len(set(page[part == label])) for label in labels]
    pvalues = []
    for k in range(len(labels)):
        weights = [-size / (sum(sizes) - sizes[k]) for size in sizes]
        weights[k] = 1.0
        variance = 0.0
        for i, j in np.ndindex(len(labels), len(labels)):
            correlation = np.dot(sums[i], sums[j]) / math.sqrt(
                np.dot(sums[i], sums[i]) * np.dot(sums[j], sums[j])
            )
            variance += weights[i] * weights[j] * errors[i] * errors[j] * correlation
        added = [(weight * error) ** 2 for weight, error in zip(weights, errors, strict=True)]
        freedom = sum(added) ** 2 / sum(a**2 / nu for a, nu in zip(added, degrees, strict=True))
        t = np.dot(weights, values) / math.sqrt(variance)
        pvalues.append(2.0 * stats.t.sf(abs(t), math.floor(freedom)))
    return min(1.0, len(labels) * min(pvalues)), labels[int(np.argmin(pvalues))]


@pytest.mark.parametrize("seed", range(5))
def test_parts_that_share_pages_are_compared_by_their_covariance(seed):
    models, part, page = two_models(seed)
    lead = fa.compare_parts(models, part, statistic="recognition_rate", groups=page).leads[0]
    pvalue, label = by_hand(models, part, page)
    assert lead.part == label
    assert lead.pvalue == pytest.approx(pvalue, rel=1e-6)


def test_two_parts_have_one_test():
    """That of the difference of their differences."""
    models, part, _ = two_models(7, parts=2)
    found = fa.compare_parts(models, part, statistic="recognition_rate")
    first, second = (each.pairs[0] for each in found.comparisons)
    lead = found.leads[0]
    error = math.hypot(first.standard_error, second.standard_error)
    t = (first.difference - second.difference) / error
    assert lead.pvalue == pytest.approx(2 * stats.norm.sf(abs(t)), rel=0.02)  # with many degrees
    assert abs(lead.there - lead.elsewhere) == pytest.approx(abs(t) * error)


@pytest.mark.parametrize("worse", ["neither part", "y"])
def test_of_two_parts_both_are_named(worse):
    """Not "the others", of which there is only one."""
    models, part, _ = two_models(7, parts=2)
    right, confidence = models["a"]
    models["a"] = right & ((part != worse) | (np.arange(len(part)) % 2 == 0)), confidence
    found = fa.compare_parts(models, part, statistic="recognition_rate")
    text = " ".join(str(found).split())
    assert ("may be the same in both parts" in text) == (worse == "neither part")
    for each, label in zip(found.comparisons, found.parts, strict=True):
        assert f"{each.pairs[0].difference:+.4f} in {label}" in text
    assert "others" not in text


def test_order_and_names_do_not_matter():
    models, part, page = two_models(8)
    found = fa.compare_parts(models, part, groups=page)
    order = np.random.default_rng(9).permutation(len(part))
    other = fa.compare_parts(of_part(models, order), part[order], groups=page[order])
    turned = fa.compare_parts(dict(reversed(models.items())), part, groups=page)
    for one, same, back in zip(found.comparisons, other.comparisons, turned.comparisons, strict=True):
        assert one.pairs[0].adjusted_pvalue == pytest.approx(same.pairs[0].adjusted_pvalue, rel=1e-9)
        assert one.pairs[0].difference == -back.pairs[0].difference
    assert found.leads[0].pvalue == pytest.approx(turned.leads[0].pvalue, rel=1e-9)
    assert found.leads[0].there == -turned.leads[0].there


def test_pvalues_are_adjusted_over_parts_and_pairs():
    models, part, _ = two_models(10)
    models["c"] = two_models(11)[0]["a"]
    plain, holm, bonferroni = (
        fa.compare_parts(models, part, correction=correction)
        for correction in (None, "holm", "bonferroni")
    )
    pvalues = [pair.pvalue for each in plain.comparisons for pair in each.pairs]
    assert len(pvalues) == 9
    of_bonferroni = [pair.adjusted_pvalue for each in bonferroni.comparisons for pair in each.pairs]
    assert of_bonferroni == pytest.approx([min(1.0, 9 * pvalue) for pvalue in pvalues])
    of_holm = [pair.adjusted_pvalue for each in holm.comparisons for pair in each.pairs]
    assert min(of_holm) == pytest.approx(min(of_bonferroni))
    assert all(a <= b for a, b in zip(of_holm, of_bonferroni, strict=True))
    for each in holm.comparisons:
        for pair in each.pairs:
            inside = pair.adjusted_interval.low <= 0 <= pair.adjusted_interval.high
            assert inside == (pair.adjusted_pvalue >= 0.05)


def test_a_part_without_errors_is_left_out_of_all_tests():
    models, part, _ = two_models(12)
    models = {name: (right | (part == "z"), score) for name, (right, score) in models.items()}
    found = fa.compare_parts(models, part, statistic="recognition_rate")
    without = fa.compare_parts(
        of_part(models, part != "z"), part[part != "z"], statistic="recognition_rate"
    )
    assert math.isnan(found.part("z").pairs[0].adjusted_pvalue)
    assert found.leads == without.leads
    assert found.comparisons[:2] == without.comparisons
    assert "z: 'a' has 0 incorrect items" in found.notes[0]
    assert "Not tested:\nz: 'a'" in str(found)


def test_a_single_part_with_errors_has_nothing_to_be_compared_with():
    models, part, _ = two_models(13, parts=2)
    models = {name: (right | (part == "y"), score) for name, (right, score) in models.items()}
    found = fa.compare_parts(models, part, statistic="recognition_rate")
    assert found.leads[0].part is None
    assert math.isnan(found.leads[0].pvalue)
    assert "fewer than two have enough errors" in " ".join(str(found).split())


def test_what_is_refused():
    models, part, page = two_models(14)
    with pytest.raises(ValueError, match="by must have at least two parts, got 1"):
        fa.compare_parts(models, ["x"] * len(part))
    with pytest.raises(
        ValueError, match="by and confidence must have the same number of items, got 3 and 600"
    ):
        fa.compare_parts(models, ["x", "y", "x"])
    with pytest.raises(TypeError, match="by must be one array for all models"):
        fa.compare_parts(models, dict.fromkeys(models, part))
    groups = dict.fromkeys(models, page)
    with pytest.raises(TypeError, match="by must be a mapping of each model's name"):
        fa.compare_parts(models, part, groups=groups, paired="groups")
    with pytest.raises(ValueError, match="model 'b' has no items where by is 'z'"):
        fa.compare_parts(
            models, {"a": part, "b": np.where(part == "z", "x", part)}, groups=groups, paired="groups"
        )
    crossed = page, np.arange(len(page)) % 7
    with pytest.raises(ValueError, match="groups has columns that are crossed"):
        fa.compare_parts(models, part, groups=crossed)
    with pytest.raises(ValueError, match="correction"):
        fa.compare_parts(models, part, correction="sidak")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "lead"),
    [("5 fields of 100 documents", "equal"), ("5 parts of 200 items", "same lead")],
)
def test_equal_differences_are_seldom_told_apart(design, lead):
    """At most 5% of 150 samples, and 2 standard errors of that; whole tables by bench.simulations."""
    samples = 150
    most = samples * (0.05 + 2.0 * math.sqrt(0.05 * 0.95 / samples))
    for row in part_differences.simulate(design, lead, samples):
        assert row.between <= most, row
        if lead == "equal":
            assert row.any_part <= most, row
