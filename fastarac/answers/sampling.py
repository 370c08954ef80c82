"""What is said of outputs that people are to verify: samples, audits, and batches of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.text import percent, plural
from fastarac.answers.answer import Answer
from fastarac.guarantees.weighted_betting import least_limit

if TYPE_CHECKING:
    from pathlib import Path

    from fastarac.ocr.verification.drawing import SampledWords
    from fastarac.partial_truth.adaptive_search import AdaptiveThresholdSearch
    from fastarac.partial_truth.sampling import VerificationSample

FAILURE = 0.05  # probability with which a guarantee that is spoken of may fail


def drawn_answer(
    sample: VerificationSample,
    goal: Path,
    *,
    is_audit: bool,
    has_groups: bool = False,
    words: SampledWords | None = None,
    crops: Path | None = None,
    answers: Path | None = None,
) -> Answer:
    """Say what was drawn into a file, and what it can guarantee.

    `words` are those of an engine that were drawn from, `crops` the folder of their pictures, and
    `answers` the file whose answers are kept.
    """
    n, drawn = len(sample.selected), int(sample.selected.sum())
    least, most = sample.inclusion_probability.min(), sample.inclusion_probability.max()
    chance = f"a probability of {least:.4g}"
    if most > least:
        chance = f"probabilities from {least:.4g} to {most:.4g}"
    what = f"{n:,} {plural('output', n)}{' that the policy accepts' if is_audit else ''}"
    said = [f"{drawn:,} of {what} were drawn to be verified, with {chance}."]
    if words is not None:
        said.append(pages_sentence(words, crops))
    if not is_audit and not has_groups:
        said.append(least_limit_sentence(sample))
    if answers is not None:
        said.append(f"The answers of {answers} are kept: fill in what is empty.")
    then = "; then fastarac sample --answers"
    if is_audit:
        then = " where drawn is 1; then fastarac check --log"
    said.append(f'Fill in the column "correct" of {goal}{then}.')
    figures = {
        "path": str(goal), "n_items": n, "drawn": drawn, "expected_size": sample.expected_size,
        "least_probability": sample.least_probability,
    }  # fmt: skip
    return Answer(said, figures, () if words is None else words.notes)


def pages_sentence(words: SampledWords, crops: Path | None) -> str:
    """Say of how many words and pages a sample is, and where their pictures are."""
    of_words = f"{words.n_words:,} {plural('word', words.n_words)}"
    said = f"They are from {of_words} on {words.n_pages:,} {plural('page', words.n_pages)}."
    if crops is not None:
        said += f" {words.n_crops:,} {plural('crop', words.n_crops)} are in {crops}."
    return said


def least_limit_sentence(sample: VerificationSample) -> str:
    """Say which limits a sample can guarantee at best, and which one an even draw of its size could."""
    n = len(sample.selected)
    probabilities = sample.least_probability, sample.expected_size / n
    aimed, even = (percent(least_limit(each, n, FAILURE), 3) for each in probabilities)
    said = (
        f"Where none of them is wrong, at best limits from {aimed} on can be guaranteed with "
        f"{percent(1.0 - FAILURE)} confidence"
    )
    return f"{said}." if aimed == even else f"{said}; of as many drawn with --mix 1, from {even} on."


def joined_answer(drawn: int, answered: int, goal: Path) -> Answer:
    """Say how many outputs of a sample have an answer."""
    left = drawn - answered
    open_ones = ""
    if left:
        open_ones = f" {left:,} {plural('answer', left)} {'is' if left == 1 else 'are'} open."
    said = f"{answered:,} of {drawn:,} drawn outputs have an answer.{open_ones} Written to {goal}."
    return Answer([said], {"path": str(goal), "drawn": drawn, "answered": answered})


def search_answer(search: AdaptiveThresholdSearch, batch: Path) -> Answer:
    """Say what a search has proved, and what is to be verified next."""
    left = len(search.open)
    then = "Further answers cannot change that."
    if not search.done:
        then = (
            f'Fill in the column "correct" of {batch}, {left:,} {plural("output", left)}, and run the '
            "same command again."
        )
    figures = {
        "path": str(batch),
        "criterion": search.criterion,
        "limit": search.limit,
        "failure_probability": search.failure_probability,
        "budget": search.budget,
        "threshold": search.threshold,
        "acceptance_rate": search.acceptance_rate,
        "verified": search.n_verified,
        "errors": search.n_errors,
        "open": left,
        "done": search.done,
    }
    return Answer([*accepted_sentences(search), then], figures)


def accepted_sentences(search: AdaptiveThresholdSearch) -> list[str]:
    """Say how many outputs can go through, by how many answers."""
    verified = search.n_verified
    planned = "" if search.budget is None else f" of {search.budget:,} planned"
    answers = f"{verified:,} {plural('answer', verified)}{planned} with {search.n_errors:,} wrong"
    if search.acceptance_rate == 0.0:
        return [f"Nothing can go through yet, by {answers}."]
    share = f"{100.0 * search.acceptance_rate:.2f}% of the outputs"
    through = f"{share} can go through, those of confidence >= {search.threshold!r}"
    of_all = search.criterion == "max_error_rate"
    if of_all and search.acceptance_rate <= search.limit:
        return [f"{through}: so few that all of them may be wrong.", f"So far: {answers}."]
    limit = f"at most {100.0 * search.limit:.6g}%"
    promise = f"{limit} of what is accepted is wrong"
    if of_all:
        promise = f"{limit} of all outputs are wrong and accepted"
    sure = f"{100.0 * (1.0 - search.failure_probability):.6g}%"
    return [f"{through}: with a probability of {sure} {promise}, by {answers}."]
