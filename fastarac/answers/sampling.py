"""Describe outputs to verify: samples, audits, and the batches of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.text import percent, plural
from fastarac.answers.answer import Answer
from fastarac.answers.limits import OPTIONS
from fastarac.answers.screen import Note, Screen, Weight
from fastarac.answers.verification import reader_figures
from fastarac.guarantees.weighted_betting import least_limit
from fastarac.partial_truth.sampling import GUARANTEES

if TYPE_CHECKING:
    from pathlib import Path

    from fastarac.ocr.verification.drawing import SampledWords
    from fastarac.partial_truth.adaptive_search import AdaptiveThresholdSearch
    from fastarac.partial_truth.sampling import VerificationSample
    from fastarac.reviewer import Reviewer

FAILURE = 0.05  # failure probability of the guarantees mentioned in the sentences

DOCUMENTS = (
    "Documents were drawn whole: answer every row of them. In a row without an output, 1 means that "
    "the field is rightly empty."
)


def drawn_answer(
    sample: VerificationSample,
    goal: Path,
    *,
    is_audit: bool,
    has_groups: bool = False,
    words: SampledWords | None = None,
    crops: Path | None = None,
    answers: Path | None = None,
    double: float = 0.0,
    whole_documents: bool = False,
    limit: tuple[str, float] | None = None,
    implied: bool = False,
    price: float | None = None,
) -> Answer:
    """Describe how many outputs were drawn into a file, and which limits they can prove.

    `crops` is the folder of the words' pictures. `answers` is a file of earlier answers, which are
    kept. `double` is the share of outputs that two people answer. `implied` is true if the purpose is
    not given, but follows from the limit.
    """
    n, drawn = len(sample.selected), int(sample.selected.sum())
    least, most = sample.inclusion_probability.min(), sample.inclusion_probability.max()
    chance = f"with probability {least:.4g}"
    if most > least:
        chance = f"with a probability from {least:.4g} to {most:.4g}"
    what = f"{n:,} {'accepted ' if is_audit else ''}{plural('output', n)}"
    where = " where drawn is 1" if is_audit else ""
    mean = round(sample.expected_size)
    if drawn != mean:
        what += f" ({mean:,} on average, as each is drawn by chance)"
    said = f'Drew {drawn:,} of {what}: fill in the column "correct" of {goal}{where}.'
    n_answers = drawn + round(double * drawn)
    if price is not None:
        said += f" The {n_answers:,} {plural('answer', n_answers)} cost {n_answers * price:,.2f}."
    notes = []
    if limit is not None:
        notes.append(Note(best_case_sentence(sample, *limit, has_groups=has_groups), Weight.DECIDES))
    elif not is_audit and not has_groups:
        notes.append(Note(least_limit_sentence(sample), Weight.DECIDES))
    if not is_audit:
        notes.append(Note(purpose_sentence(sample, implied=implied), Weight.ASSUMES))
    if double:
        twice = (
            'Where "double" is 1, a second person fills in "second_correct", without seeing "correct".'
        )
        notes.append(Note(twice, Weight.DECIDES))
    if whole_documents:
        notes.append(Note(DOCUMENTS, Weight.DECIDES))
    if answers is not None:
        notes.append(
            Note(f"The answers of {answers} are kept: fill in the empty ones.", Weight.ASSUMES)
        )
    if words is not None:
        notes.append(Note(pages_sentence(words, crops), Weight.LITTLE))
    notes.append(Note(f"Each output was drawn {chance}."))
    figures = {
        "path": str(goal), "n_items": n, "drawn": drawn, "expected_size": sample.expected_size,
        "least_probability": sample.least_probability,
        "for": None if is_audit else sample.purpose,
        "best_acceptance_rate": sample.best_acceptance_rate,
    }  # fmt: skip
    if price is not None:
        figures["price"] = n_answers * price
    found = Answer(Screen([said], notes=notes), figures)
    return found if words is None else found.with_warnings(words.notes)


def pages_sentence(words: SampledWords, crops: Path | None) -> str:
    """Return a sentence on the words and pages sampled, and on the folder of pictures."""
    of_words = f"{words.n_words:,} {plural('word', words.n_words)}"
    said = f"The sample is drawn from {of_words} on {words.n_pages:,} {plural('page', words.n_pages)}."
    if crops is not None:
        said += f" {words.n_crops:,} {plural('crop', words.n_crops)} are in {crops}."
    return said


def least_limit_sentence(sample: VerificationSample) -> str:
    """Return a sentence on the lowest limit that this sample, and a simple random one, could prove."""
    n = len(sample.selected)
    probabilities = sample.least_probability, sample.expected_size / n
    aimed, even = (percent(least_limit(each, n, FAILURE), 3) for each in probabilities)
    said = (
        f"Without a single error, this sample proves a limit of {aimed} at best, with "
        f"{percent(1.0 - FAILURE)} confidence"
    )
    return (
        f"{said}."
        if aimed == even
        else f"{said}; a sample drawn with --for guarantee-new proves {even}."
    )


def best_case_sentence(
    sample: VerificationSample, criterion: str, limit: float, *, has_groups: bool
) -> str:
    """Return a sentence on the share that can be accepted if no error is found."""
    best, drawn = sample.best_acceptance_rate or 0.0, f"{int(sample.selected.sum()):,}"
    uneven = sample.purpose not in GUARANTEES
    # If at most 1% of the outputs are accepted, at most 1% are wrong, without any answer.
    if best > (limit if criterion == "max_error_rate" else 0.0):
        said = (
            f"If none of the {drawn} is wrong, a policy for {percent(limit)} can accept "
            f"{percent(best, 3)} of the outputs, with {percent(1.0 - FAILURE)} confidence"
        )
        more = "--for guarantee-new proves more" if uneven else "each error found lowers this share"
        return f"{said}; {more}."
    said = f"Even without an error, these {drawn} outputs prove nothing at a limit of {percent(limit)}"
    if uneven:
        return f"{said}: use --for guarantee-new, or a larger --budget."
    if has_groups:
        return f"{said}: use a larger --budget, for more groups."
    return f"{said}: fastarac plan {OPTIONS[criterion]} {limit:g} --expect 0 shows how many you need."


def purpose_sentence(sample: VerificationSample, *, implied: bool) -> str:
    """Return a sentence on the sample's purpose, or on a command for another purpose."""
    search = "For these outputs, fastarac search proves more with the same number of answers."
    if sample.purpose == "guarantee-these":
        return search
    if sample.purpose == "guarantee-new":
        said = "all outputs were equally likely to be drawn"
        said = f"A limit implies --for guarantee-new: {said}" if implied else said.capitalize()
        return f"{said}. {search}"
    if sample.purpose == "comparison":
        return "Draw the other model's outputs with the same --seed and --judge, to get the same rows."
    return "The sample is for estimates; for a guarantee, add --error-rate or --for guarantee-new."


def joined_answer(drawn: int, answered: int, goal: Path, people: Reviewer | None = None) -> Answer:
    """Describe how many drawn outputs are verified, and how many errors each of two people found."""
    left = drawn - answered
    open_ones = ""
    if left:
        open_ones = f" {left:,} {plural('answer', left)} {'is' if left == 1 else 'are'} open."
    said = f"{answered:,} of {drawn:,} drawn outputs have an answer.{open_ones}"
    written = f"{goal} has all outputs with these answers."
    notes = []
    if people is not None and people.double_readings is not None:
        both, first, second = people.double_readings
        counts = f"{both},{first},{second}"
        text = (
            f"Two people found {both + first + second:,} errors in the same outputs: both {both:,}, "
            f"only the first {first:,}, only the second {second:,} (fit --truth-found {counts})."
        )
        notes.append(Note(text, Weight.DECIDES))
    figures = {"path": str(goal), "drawn": drawn, "answered": answered, **reader_figures(people)}
    return Answer(Screen([said], notes=notes, written=[written]), figures)


def station_answer(n: int, page: Path, table: Path) -> Answer:
    """Describe how many outputs a page asks people to verify."""
    said = f"{n:,} {plural('output', n)} {'is' if n == 1 else 'are'} to be verified."
    screen = Screen([said], written=[station_sentence(page, table)])
    return Answer(screen, {"path": str(page), "n_items": n})


def station_sentence(page: Path, table: Path) -> str:
    """Return a sentence on how to use the page on which people answer."""
    return f"Open {page} in a browser to answer, and use the file that it saves in place of {table}."


def search_answer(search: AdaptiveThresholdSearch, batch: Path) -> Answer:
    """Describe what a search has proved, and which outputs to verify next."""
    left = len(search.open)
    then = "Further answers cannot change that."
    if not search.done:
        outputs = f"{left:,} {plural('output', left)}"
        then = f'Fill in the column "correct" of {batch} ({outputs}), and run the command again.'
    names = "criterion", "limit", "failure_probability", "budget", "threshold", "acceptance_rate"
    figures = {
        "path": str(batch),
        **{name: getattr(search, name) for name in names},
        "verified": search.n_verified,
        "errors": search.n_errors,
        "open": left,
        "done": search.done,
    }
    return Answer(Screen([*accepted_sentences(search), then]), figures)


def accepted_sentences(search: AdaptiveThresholdSearch) -> list[str]:
    """Return sentences on the outputs that may be accepted, and on the answers so far."""
    verified = search.n_verified
    planned = "" if search.budget is None else f" of {search.budget:,} planned"
    answers = "No answers yet."
    if verified:
        number = f"{verified:,}{planned} {plural('answer', search.budget or verified)}"
        answers = f"So far {number}: {search.n_errors:,} {plural('error', search.n_errors)} found."
    if search.acceptance_rate == 0.0:
        return ["Nothing is safe to accept yet.", answers]
    share = percent(search.acceptance_rate, 3)
    which = f"{share} of the outputs, those at confidence >= {search.threshold!r}"
    of_all = search.criterion == "max_error_rate"
    limit = percent(search.limit)
    if of_all and search.acceptance_rate <= search.limit:
        return [f"Accept {which}: even if all of them are wrong, that is within {limit}.", answers]
    whole = "all these outputs are accepted and wrong" if of_all else "the accepted outputs are wrong"
    sure = percent(1.0 - search.failure_probability)
    return [f"Accept {which}: with {sure} confidence, at most {limit} of {whole}.", answers]
