"""Describe a week of a policy in use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.text import plural, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.application import application_figures
from fastarac.answers.planning import work_words
from fastarac.answers.screen import WIDTH, Note, Screen, Section, Weight, wrapped
from fastarac.answers.tables import Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.operation.week_results import PolicyWeek


def week_answer(week: PolicyWeek) -> Answer:
    """Describe whether to go on, which files were written and which weeks were counted."""
    screen = Screen(
        [f"{week.decision}.", *([f"{week.audits}."] if week.audits else []), *_of_files(week)],
        notes=list(_notes(week)),
        written=list(_written(week)),
        details=[Section("Check", [Said(sentence(week.check.decision))])] if week.check else [],
    )
    return Answer(screen, week_figures(week)).with_warnings(map(sentence, week.notes))


def summary_text(week: PolicyWeek) -> str:
    """Return the summary of a week as text."""
    screen = week_answer(week).screen
    notes = [note.text for note in screen.ranked_notes()]
    parts = [" ".join(screen.answer), *notes, *screen.written]
    return "\n\n".join("\n".join(wrapped(each, WIDTH)) for each in parts) + "\n"


def _of_files(week: PolicyWeek) -> Iterator[str]:
    if week.applied is not None:
        yield (
            f"Week {week.number}: {week.applied.accepted:,} of {week.applied.n_items:,} outputs "
            f"accepted{_of_documents(week)}; {week.to_people:,} go to people: "
            f"{week.applied.rejected:,} to review and {_drawn(week)}{_hours(week)}."
        )
    elif week.n_files:
        yield f"Week {week.number} has these files already: nothing was split or drawn again."
    else:
        yield "Without new files, nothing was split or drawn."


def _of_documents(week: PolicyWeek) -> str:
    """Return the number of accepted documents, if whole documents are accepted."""
    applied = week.applied
    if applied is None or applied.n_documents is None:
        return ""
    return f" ({applied.accepted_documents:,} of {applied.n_documents:,} documents)"


def _drawn(week: PolicyWeek) -> str:
    if week.drawn_documents is None:
        return f"{week.drawn:,} {plural('audit', week.drawn)}"
    n = week.drawn_documents
    return f"{week.drawn:,} {plural('audit', week.drawn)} of {n:,} {plural('document', n)}"


def _hours(week: PolicyWeek) -> str:
    if week.to_people is None or week.seconds is None:
        return ""
    return f", {work_words(week.to_people, week.seconds)}"


def _notes(week: PolicyWeek) -> Iterator[Note]:
    if week.applied is not None and week.applied.warning is not None:
        yield Note(sentence(week.applied.warning), Weight.DECIDES)
    if week.since is not None:
        text = (
            f"{week.n_verified:,} {week.unit} were verified since week {week.since}: {week.verified}."
        )
        if week.n_verified:
            text += (
                f" Rejected {week.unit} that nobody verified count as wrong."
                if week.drawn_documents is None
                else " They are a random sample of all documents; an unverified field counts as wrong."
            )
        yield Note(text, Weight.DECIDES)
    elif week.changes:
        weeks = ", ".join(map(str, week.changes))
        yield Note(
            f"An alarm in week {weeks} reported that the error rate had changed.", Weight.DECIDES
        )
    yield Note(_answers_sentence(week), Weight.ASSUMES)
    if week.check is not None:
        found = "too few outputs to decide" if week.check.verdict == "too few" else week.check.verdict
        weeks = "week 1" if week.counted == 1 else f"weeks 1 to {week.counted}"
        yield Note(f"Check of {weeks}: {found}.", Weight.ASSUMES)
    if week.check_left_out:
        text = (
            "The check was left out: the number of audits is so far from the expected one that chance "
            "explains it only once in 1,000 weeks."
        )
        yield Note(text, Weight.LITTLE)
    yield Note(f"{week.spending}.", Weight.ASSUMES)
    if week.applied is not None:
        yield from (Note(sentence(each), Weight.LITTLE) for each in week.applied.remarks())


def _answers_sentence(week: PolicyWeek) -> str:
    """Return a sentence on new answers, repeated answers, late answers, and the counted weeks."""
    taken = f"{week.answered:,} new {plural('answer', week.answered)} to audits"
    if week.reviewed:
        taken += f" and {week.reviewed:,} to reviewed outputs"
    old = []
    if week.known:
        old.append(f"{week.known:,} were taken before")
    if week.known_files:
        files = f"{week.known_files:,} {plural('file', week.known_files)}"
        old.append(f"{files} of answers {'was' if week.known_files == 1 else 'were'} taken before")
    if week.late:
        old.append(f"{week.late:,} came after their week was counted")
    counted = f"weeks 1 to {week.counted} are" if week.counted > 1 else "week 1 is"
    counted = f"{counted} counted" if week.counted else "no week is counted yet"
    return f"{'; '.join([taken, *old, counted])}."


def _written(week: PolicyWeek) -> Iterator[str]:
    if week.applied is not None:
        folder = Path(week.folder)
        yield f"{folder} has accepted.csv and review.csv; answer audits.html in a browser."


def week_figures(week: PolicyWeek) -> dict[str, Any]:
    """Return the figures of a week by name."""
    names = (
        *("number", "folder", "n_files", "is_new", "go_on", "drawn", "drawn_documents"),
        *("to_people", "hours", "answered", "reviewed", "known", "late"),
        *("known_files", "open", "counted", "criterion", "limit", "errors", "audited", "unanswered"),
        *("alarm", "changed", "since", "verified", "n_verified", "check_left_out"),
        *("failure_probability", "monitor_failure_probability", "spent"),
    )
    rate = week.rate
    return {
        **{name: getattr(week, name) for name in names},
        "changes": list(week.changes),
        "rate": None if rate is None else rate.estimate,
        "low": None if rate is None else rate.low,
        "high": None if rate is None else rate.high,
        "verdict": None if week.check is None else week.check.verdict,
        "look": None if week.check is None else week.check.look,
        "applied": None if week.applied is None else application_figures(week.applied),
    }
