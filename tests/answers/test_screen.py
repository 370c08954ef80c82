"""One screen: its order, its length, and which notes it has room for."""

from fastarac.answers.screen import WIDTH, Note, Screen, Section, Weight, lines_of, shortened
from fastarac.answers.tables import AnswerTable, Column, Said

ASIDE, DECIDES = Note("An aside."), Note("The order changes.", Weight.DECIDES)
FEW, ASSUMED = Note("100 outputs are few.", Weight.LITTLE), Note("If they err alone.", Weight.ASSUMES)


def test_notes_that_change_the_decision_come_first_and_the_others_are_counted():
    screen = Screen(["Accept 90%."], notes=[ASIDE, FEW, DECIDES, ASSUMED, DECIDES])
    shown = [DECIDES.text, ASSUMED.text, FEW.text, "1 more note: --details"]
    assert screen.shown_notes() == shown
    assert screen.shown_notes(lines=2) == [DECIDES.text, "3 more notes: --details"]
    assert screen.shown_notes(lines=0) == [DECIDES.text, "3 more notes: --details"]
    assert Screen([], notes=[ASIDE]).shown_notes() == [ASIDE.text]


def test_a_note_has_at_most_two_lines_and_is_whole_in_the_details():
    long = "A sentence of some length that says one thing. " * 5
    for note in (Note(long), Note("word " * 100), Note(long, brief="In brief.")):
        assert lines_of(shortened(note, WIDTH), WIDTH) <= 2
    assert shortened(Note(long, brief="In brief."), WIDTH) == "In brief."
    assert shortened(Note(long), WIDTH).endswith("one thing.")
    assert Screen([], notes=[Note(long)]).shown_notes()[-1] == "Notes in full: --details"


def test_each_further_model_and_limit_has_lines_of_its_own():
    def screen(n_models, n_limits, below=None):
        column = Column("accepted", ["1%"] * n_models, below=below and [below] * n_models)
        return Screen(["At most 1%."] * n_limits, AnswerTable(["m"] * n_models, [[column]]))

    assert screen(4, 2).room_for_notes(20) == 4
    assert screen(6, 2).room_for_notes(20) == 6
    assert screen(6, 3, below="0-2%").room_for_notes(20) == 10


def test_beside_many_rows_only_what_decides_is_said():
    table = AnswerTable(["m"] * 50, [[Column("accepted", ["1%"] * 50)]])
    screen = Screen(["At most 1%."], table, notes=[ASSUMED, DECIDES, FEW])
    assert screen.shown_notes() == [DECIDES.text, "2 more notes: --details"]
    screen = Screen(["At most 1%."], table, notes=[ASSUMED, FEW])
    assert screen.shown_notes() == ["2 notes: --details"]


def test_json_has_the_answer_before_the_sentences_of_the_details():
    parts = [
        Said("Title", "bold"),
        Said("More."),
        Said("Beware.", "yellow"),
        Said(),
        Said("Accept 9%."),
    ]
    screen = Screen(["Accept 9%."], details=[Section("All", parts)]).with_notes(ASIDE)
    assert screen.sentences() == ["Accept 9%.", ASIDE.text, "More."]
