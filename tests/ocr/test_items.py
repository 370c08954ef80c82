"""From words to items: kinds, policies, units, foldings and joins."""

from __future__ import annotations

import json
import multiprocessing
import pickle

import numpy as np
import pytest
import reference_ocr as reference
from hypothesis import given
from hypothesis import strategies as st
from strategies import any_word, few_letters

import fastarac as fa
from fastarac.evaluation.limits import Limit
from fastarac.evaluation.sources import Beside
from fastarac.ocr import (
    NoConfidenceError,
    OcrFileError,
    Words,
    align,
    align_files,
    load_sample,
    pair_files,
    sensitivity,
)
from fastarac.ocr.words.folding import FOLDINGS, folded
from fastarac.ocr.words.policies import INSERTED, MISSED, AlignmentPolicy
from fastarac.ocr.words.records import KINDS, Reading, Records, records_of
from fastarac.ocr.words.units import tokens


def words_of(pages: dict[str, str | list[tuple[str, float]]], scale: str | None = "percent") -> Words:
    """Words of pages, from texts with lines, or from texts with confidences."""
    texts, confidence, page, line = [], [], [], []
    n_lines = 0
    for number, content in enumerate(pages.values()):
        if isinstance(content, str):
            lines = [[(word, np.nan) for word in row.split()] for row in content.splitlines()]
        else:
            lines = [content]
        for row in lines:
            texts += [text for text, _ in row]
            confidence += [value for _, value in row]
            page += [number] * len(row)
            line += [n_lines] * len(row)
            n_lines += 1
    unknown = all(np.isnan(confidence))
    return Words(
        tuple(texts),
        np.array(confidence, float),
        np.array(page, int),
        np.array(line, int),
        tuple(pages),
        scale=None if unknown else scale,
    )


TRUTH = words_of({"p1": "one fine day\nwe went home", "p2": "nothing here", "p3": "last page"})
OUTPUT = words_of(
    {
        "p1": [("one", 90), ("fineday", 80), ("wc", 70), ("we", 60), ("nt", 50), ("~~", 40)],
        "p2": [],
        "p3": [("page", 30)],
    }
)


def columns(aligned) -> list[tuple]:
    return list(
        zip(
            aligned.id,
            aligned.kind.tolist(),
            aligned.truth,
            aligned.prediction,
            aligned.correct.tolist(),
            aligned.confidence.tolist(),
            aligned.groups.tolist(),
            strict=True,
        )
    )


def test_every_kind():
    aligned = align(TRUTH, OUTPUT)
    assert columns(aligned) == [
        ("p1:1", "right", "one", "one", True, 90, "p1"),
        ("p1:2", "merged", "fine", "fineday", False, 80, "p1"),
        ("p1:3", "merged", "day", "fineday", False, 80, "p1"),
        ("p1:4", "wrong", "we", "wc", False, 70, "p1"),
        ("p1:5", "split", "went", "we nt", False, 50, "p1"),
        ("p1:6", "wrong", "home", "~~", False, 40, "p1"),
        ("p2:1", "missed", "nothing", "", False, -1, "p2"),
        ("p2:2", "missed", "here", "", False, -1, "p2"),
        ("p3:1", "missed", "last", "", False, -1, "p3"),
        ("p3:2", "right", "page", "page", True, 30, "p3"),
    ]
    assert aligned.policy == AlignmentPolicy("reject", "wrong")
    assert aligned.counts == dict(zip(KINDS, (2, 2, 2, 1, 0, 0, 3), strict=True))
    assert (aligned.true_words, aligned.missed, len(aligned)) == (10, 3, 10)
    assert aligned.hardly_aligned == ("p2", "p3")
    assert repr(aligned) == (
        "AlignedOutputs(10 items on 3 pages, 2 right; 3 of 10 true words missed, 'reject')"
    )


def test_what_is_inserted_is_known_by_the_word_before_it():
    truth = words_of({"p": "amber bishop"})
    output = words_of({"p": [("~", 9), ("amber", 8), ("~", 7), ("^", 6), ("bishop", 5)]})
    aligned = align(truth, output)
    assert aligned.id == ("p:0+1", "p:1", "p:1+1", "p:1+2", "p:2")
    dropped = aligned.with_policy(inserted="drop")
    assert dropped.id == ("p:1", "p:2")
    assert dropped.counts == aligned.counts


def test_missed_words_by_every_policy():
    def of(policy: str) -> tuple[list, list]:
        aligned = align(TRUTH, OUTPUT, missed=policy)
        return aligned.correct.tolist(), aligned.confidence.tolist()

    plain = [True, False, False, False, False, False, True], [90, 80, 80, 70, 50, 40, 30]
    assert of("separate") == of("drop") == plain
    # the item after the gap where none is before it; none on a page without items
    assert of("neighbour") == ([*plain[0][:-1], False], plain[1])
    missed_among = [True, False, False, False, False, False, False, False, False, True]
    assert of("reject") == (missed_among, [90, 80, 80, 70, 50, 40, -1, -1, -1, 30])
    assert of("residual") == (missed_among, [90, 80, 80, 70, 50, 40, 101, 101, 101, 30])
    assert align(TRUTH, OUTPUT, missed="reject").never_accepted == -1
    assert align(TRUTH, OUTPUT, missed="residual").never_accepted is None
    assert align(TRUTH, OUTPUT, missed="reject").missed == 3


def test_a_missed_word_in_the_middle_makes_the_item_before_it_wrong():
    truth = words_of({"p": "amber bishop cloud", "q": "dust"})
    output = words_of({"p": [("amber", 0.9), ("cloud", 0.8)], "q": [("dust", 0.7)]}, "unit")
    aligned = align(truth, output, missed="neighbour")
    assert aligned.correct.tolist() == [False, True, True]
    assert align(truth, output, missed="residual").confidence.tolist() == [0.9, 2, 0.8, 0.7]


def test_another_policy_needs_no_other_alignment():
    aligned = align(TRUTH, OUTPUT)
    for missed in MISSED:
        for inserted in INSERTED:
            again = aligned.with_policy(missed=missed, inserted=inserted)
            assert again == align(TRUTH, OUTPUT, missed=missed, inserted=inserted)
            assert again.policy == AlignmentPolicy(missed, inserted)
            assert aligned.sweep() == fa.threshold_sweep(aligned.correct, aligned.confidence)


def test_outputs_without_a_confidence_are_below_all_others():
    output = words_of({"p": [("amber", 0.0), ("bishop", np.nan), ("cloud", 50)]})
    aligned = align(words_of({"p": "amber bishop cloud"}), output)
    assert aligned.confidence.tolist() == [0, -1, 50]
    assert aligned.correct.all()
    assert (aligned.never_accepted, aligned.n_without_confidence) == (-1, 1)


@pytest.mark.parametrize(("join", "expected"), [("min", 50), ("mean", 55), ("max", 60)])
def test_join(join, expected):
    aligned = align(TRUTH, OUTPUT, join=join)
    assert aligned.confidence[4] == expected


def test_lines():
    truth = words_of({"p": "amber bishop\ncloud dust\nelk fjord"})
    lines = {"p": "amber bishop\ncloud dust elk fjord"}
    output = words_of(lines)
    output = Words(
        output.text, np.array([9, 8, 7, 6, 5, 4.0]), output.page, output.line, ("p",), scale="percent"
    )
    aligned = align(truth, output, unit="line")
    assert [row[1:6] for row in columns(aligned)] == [
        ("right", "amber bishop", "amber bishop", True, 8),
        ("merged", "cloud dust", "cloud dust elk fjord", False, 4),
        ("merged", "elk fjord", "cloud dust elk fjord", False, 4),
    ]
    assert align(truth, output, unit="line", fold="whitespace").correct.all()


def test_characters():
    aligned = align(
        words_of({"p": "barn to"}), words_of({"p": [("bam", 9), ("t0", 8)]}), unit="character"
    )
    assert [row[1:6] for row in columns(aligned)] == [
        ("right", "b", "b", True, 9),
        ("right", "a", "a", True, 9),
        ("merged", "r", "m", False, 9),
        ("merged", "n", "m", False, 9),
        ("right", "t", "t", True, 8),
        ("wrong", "o", "0", False, 8),
    ]


def test_scripts_without_spaces_are_taken_character_by_character():
    truth = words_of({"p": "東京タワー is 333 m"})
    output = words_of({"p": [("東京", 9), ("タワ一", 8), ("is", 7), ("333", 6), ("m", 5)]})
    aligned = align(truth, output)
    assert aligned.kind.tolist() == ["right"] * 4 + ["wrong"] + ["right"] * 3
    assert aligned.confidence.tolist() == [9, 9, 8, 8, 8, 7, 6, 5]
    assert aligned.records.n_unspaced == 5


def test_words_written_from_right_to_left():
    truth = words_of({"p": "שלום עולם יפה"})
    output = words_of({"p": [("שלום", 9), ("עולס", 8), ("\u200fיפה", 7)]})
    assert align(truth, output).kind.tolist() == ["right", "wrong", "right"]


@pytest.mark.parametrize(
    ("fold", "truth", "output"),
    [
        ("case", "Straße", "STRASSE"),
        ("quotes", "“it’s”", '"it\'s"'),
        ("punctuation", "(end).", "end"),
        ("whitespace", "ice cream", "icecream"),
        ("whitespace", "icecream", "ice cream"),
        ("nfkc", "ﬁne Ａ", "fine A"),
        ("historical", "Waſſer aͤlter Fürſt", "Wasser älter Fürst"),
        ("historical", "we\ueba6en \uf502r\ue644t \ua75bot", "wessen chröt rot"),
        ("historical", "ver⸗", "ver-"),
    ],
)
def test_a_folding_makes_equal_what_it_says(fold, truth, output):
    of_engine = words_of({"p": [(word, 50) for word in output.split()]})
    assert not align(words_of({"p": truth}), of_engine).correct.all()
    assert align(words_of({"p": truth}), of_engine, fold=fold).correct.all()


def test_spaces_of_lines_stay_where_compatible_characters_are_folded():
    truth, output = words_of({"p": "ﬁne day"}), words_of({"p": [("fineday", 50)]})
    assert align(truth, output, unit="line", fold="nfkc").kind.tolist() == ["wrong"]
    output = words_of({"p": [("fine", 50), ("day", 60)]})
    found = align(truth, output, unit="line", fold="nfkc")
    assert found.kind.tolist() == ["right"]
    assert folded(["a \u00b4b", "c"], ["nfkc"]) == ["a \u0301b", "c"]


def test_composed_and_decomposed_letters_are_equal():
    output = words_of({"p": [("Cafe\u0301", 50)]})
    assert align(words_of({"p": "Café"}), output).correct.all()


def test_what_folding_leaves_empty_is_left_out():
    truth = words_of({"p": "amber — bishop"})
    output = words_of({"p": [("amber", 9), ("•", 8), ("bishop", 7)]})
    aligned = align(truth, output, fold="punctuation")
    assert aligned.id == ("p:1", "p:3")
    assert aligned.records.n_emptied == 1 + 1  # a bullet is punctuation too


@given(st.lists(any_word | few_letters), st.sets(st.sampled_from(FOLDINGS)))
def test_folding_twice_changes_nothing_more(words, fold):
    names = tuple(name for name in FOLDINGS if name in fold)
    once = folded(words, names)
    assert len(once) == len(words)
    assert folded(once, names) == once


pages = st.dictionaries(
    st.sampled_from(["p1", "p2", "p3", "p4"]),
    st.tuples(
        st.lists(few_letters | any_word, max_size=6), st.lists(few_letters | any_word, max_size=6)
    ),
    min_size=1,
)


@given(pages)
def test_pages_one_by_one_or_together(pages):
    def engine(page: list[str]) -> list[tuple[str, float]]:
        return [(text, float(k)) for k, text in enumerate(page)]

    def both(names) -> tuple[Words, Words]:
        truth = {name: " ".join(pages[name][0]) for name in names}
        return words_of(truth), words_of({name: engine(pages[name][1]) for name in names})

    reading = Reading()
    together = records_of(*both(pages), reading)
    one_by_one = Records.concatenate([records_of(*both([name]), reading) for name in pages])
    assert together == one_by_one
    truth, output = both(pages)
    kinds = together.kind
    assert (kinds != KINDS.index("inserted")).sum() == len(tokens(truth, slice(None), "word").text)
    assert together.n_outputs == len(output)


@given(pages)
def test_truth_beside_itself_is_right(pages):
    texts = {name: " ".join(truth) for name, (truth, _) in pages.items()}
    truth = words_of(texts)
    same = words_of({name: [(word, 1.0) for word in text.split()] for name, text in texts.items()})
    records = records_of(truth, same, Reading())
    assert (records.kind == KINDS.index("right")).all()


def test_a_dynamic_program_over_words_finds_nearly_the_same():
    """On two hundred words with faults, within two items of each other."""
    rng = np.random.default_rng(0)
    vocabulary = (
        "the of and to in a is that for it with as was on be at by this had not are but from or"
    )
    vocabulary = [*vocabulary.split(), *reference_words()]
    truths, outputs = {}, {}
    ours, theirs = [], []
    for page in range(4):
        words = rng.choice(vocabulary, 50).tolist()
        read = misread(words, rng)
        truths[f"p{page}"], outputs[f"p{page}"] = " ".join(words), read
        theirs += reference.items(words, [text for text, _ in read], [sure for _, sure in read])
    aligned = align(words_of(truths), words_of(outputs), missed="separate")
    ours = aligned.sweep()
    theirs = fa.threshold_sweep(*map(np.array, zip(*theirs, strict=True)))
    assert abs(fa.arac_auc_score(ours) - fa.arac_auc_score(theirs)) < 0.01
    assert abs(ours.n_correct - theirs.n_correct) <= 2
    assert abs(ours.n_incorrect - theirs.n_incorrect) <= 2


@pytest.mark.slow
def test_a_dynamic_program_over_words_finds_the_same_in_the_sample():
    """Within a point of accepted share, and 0.002 of ARAC-AUC."""
    sample = load_sample()
    pages = [0, 3, 5, 8]
    truth, output = (words.select_pages(pages) for words in (sample.truth, sample.outputs["plain"]))
    theirs = []
    for of_truth, of_output in zip(truth.page_slices(), output.page_slices(), strict=True):
        read = list(output.text[of_output]), output.confidence[of_output].tolist()
        theirs += reference.items(list(truth.text[of_truth]), *read)
    ours = align(truth, output, missed="separate").sweep()
    sweeps = ours, fa.threshold_sweep(*map(np.array, zip(*theirs, strict=True)))
    areas = [fa.arac_auc_score(sweep) for sweep in sweeps]
    assert abs(areas[0] - areas[1]) < 0.002
    for limit in (0.01, 0.05):
        shares = [fa.operating_point(sweep, max_error_rate=limit).acceptance_rate for sweep in sweeps]
        assert abs(shares[0] - shares[1]) < 0.01


def reference_words() -> list[str]:
    return ["amber", "bishops", "clouded", "industry", "elks", "fjords", "ghostly", "hymnal", "ivory"]


def misread(words: list[str], rng: np.random.Generator) -> list[tuple[str, float]]:
    """Outputs with the faults of an engine, and confidences that are lower where there is one."""
    read: list[tuple[str, float]] = []
    for word in words:
        what, sure, doubtful = rng.random(), rng.uniform(60, 99), rng.uniform(20, 90)
        at = int(rng.integers(1, len(word) + 1))
        if what < 0.03:
            continue
        if what < 0.12:
            read.append((word[: at - 1] + rng.choice(list("xq1~")) + word[at:], doubtful))
        elif what < 0.15 and read:
            before, lower = read.pop()
            read.append((before + word, min(lower, doubtful)))
        elif what < 0.18 and at < len(word):
            read += [(word[:at], doubtful), (word[at:], sure)]
        else:
            read += [("~|", doubtful)] * (what < 0.2) + [(word, sure)]
    return read


def test_pages_left_out():
    aligned = align(TRUTH, OUTPUT)
    rest = aligned.without_pages(["p1", "p2"])
    assert rest.id == ("p3:1", "p3:2")
    assert rest.true_words == 2
    assert aligned.pages.missed.tolist() == [0, 2, 1]
    assert rest.pages.missed.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="names must be names of pages, got 'p9'"):
        aligned.without_pages(["p9"])


def test_a_table():
    frame = align(TRUTH, OUTPUT).to_frame()
    assert frame["id"].to_list()[0] == "p1:1"
    assert list(frame.columns) == [
        "id", "page", "kind", "truth", "prediction", "correct", "confidence",
    ]  # fmt: skip


@pytest.mark.pickles
def test_pickling_keeps_everything_read_only():
    aligned = align(TRUTH, OUTPUT, missed="reject")
    again = pickle.loads(pickle.dumps(aligned))
    assert again == aligned
    assert again.never_accepted == -1
    assert not again.confidence.flags.writeable
    assert again != aligned.with_policy(missed="drop")


def test_a_flat_dictionary():
    found = align(TRUTH, OUTPUT, missed="reject", fold="case").to_dict()
    columns = align(TRUTH, OUTPUT, missed="reject", fold="case").to_columns()
    assert {name: list(column) for name, column in columns.items()} == {
        name: found[name] for name in columns
    }
    assert {name: found[name] for name in found.keys() - columns.keys()} == {
        "unit": "word", "fold": ["case"], "join": "min",
        "policy_missed": "reject", "policy_inserted": "wrong", "policy_moved": "right",
        "true_words": 10, "never_accepted": -1.0,
        **{f"counts_{kind}": number for kind, number in align(TRUTH, OUTPUT).counts.items()},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "page"}, "unit must be one of word, line, character, got 'page'"),
        ({"unit": "field"}, "unit is 'field', but fields need no alignment:"),
        ({"missed": "skip"}, "missed must be one of reject, residual,"),
        ({"inserted": "skip"}, "inserted must be one of wrong, drop, got 'skip'"),
        ({"join": "sum"}, "join must be one of min, mean, max, got 'sum'"),
        ({"fold": ["case", "accents"]}, "fold must be some of case, quotes, punctuation,"),
    ],
)
def test_unknown_options(options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        align(TRUTH, OUTPUT, **options)


def test_pages_without_a_partner_are_listed():
    with pytest.raises(ValueError, match="truth has 2 pages that words lacks: p2, p3; both need the"):
        align(TRUTH, words_of({"p1": [("one", 50)]}))
    with pytest.raises(ValueError, match="words has 1 page that truth lacks: p9; both need"):
        align(words_of({"p1": "one"}), words_of({"p1": [("one", 50)], "p9": [("two", 40)]}))


def test_confidences_must_be_there():
    with pytest.raises(NoConfidenceError, match="the one word of p "):
        align(words_of({"p": "one"}), words_of({"p": "one"}))
    with pytest.raises(
        ValueError, match="words must have at least one output, got none on 1 page with 1 true words"
    ):
        align(words_of({"p": "one"}), words_of({"p": []}))
    # what has a confidence is no item, and what is an item has none
    output = words_of({"p": [("amber", np.nan), ("WVZ", 40)]})
    assert align(words_of({"p": "amber"}), output).confidence.tolist() == [-1, 40]
    with pytest.raises(
        ValueError, match="words must have at least one item with a confidence, got none on"
    ):
        align(words_of({"p": "amber"}), output, inserted="drop")


def test_no_point_accepts_what_has_no_confidence():
    truth = words_of({"p": "amber bishop cloud dust"})
    output = words_of({"p": [("amber", 9), ("bishop", 8), ("dust", 7)]})
    aligned = align(truth, output, missed="reject")
    assert fa.operating_point(aligned.sweep(), max_error_rate=0.5).acceptance_rate == 1
    for criterion in ({"max_error_rate": 0.5}, {"max_risk": 0.5}, {"threshold": -5}):
        point = aligned.operating_point(**criterion)
        assert (point.threshold, point.acceptance_rate, point.error_rate) == (7, 0.75, 0)
    assert aligned.operating_point(threshold=8).acceptance_rate == 0.5


def test_what_a_decision_owes_to_the_policies():
    truth = words_of({"p": "amber bishop cloud dust", "q": "elk fjord ghost hymn"})
    output = words_of({"p": [("amber", 9), ("~", 8.5), ("bishop", 8), ("dust", 7)], "q": [("WVZ", 6)]})
    limits = [Limit("max_error_rate", 0.0), Limit("max_risk", 0.3), Limit("threshold", 6.5)]
    found = sensitivity(align(truth, output, missed="separate"), limits)
    assert [limit.key for limit in found.limits] == ["0", "risk/0.3", "threshold/6.5"]
    assert next(iter(found.accepted)) == AlignmentPolicy("separate", "wrong")
    assert len(found.accepted) == 4 * 2
    assert found.accepted[AlignmentPolicy("separate", "wrong")] == (1 / 5, 4 / 5, 4 / 5)
    assert found.accepted[AlignmentPolicy("separate", "drop")] == (3 / 4, 1, 3 / 4)
    assert found.accepted[AlignmentPolicy("residual", "drop")][0] == 0
    assert found.accepted[AlignmentPolicy("reject", "drop")][0] == 3 / 8
    assert found.ends(0) == (0, 3 / 4)  # what nobody looks for leaves nothing to accept
    assert found.varied == ["missed", "inserted"]
    assert found.without_pages == ("q",)
    assert found.accepted_without == (1 / 4, 1, 1)
    assert found.to_dict()["acceptance_rate/0/missed/reject/inserted/drop/moved/right"] == 3 / 8

    of_dropped = sensitivity(align(truth, output, missed="drop"), limits)
    assert AlignmentPolicy("separate", "wrong") not in of_dropped.accepted
    plain = sensitivity(align(truth.select_pages([0]), output.select_pages([0])), limits)
    assert plain.accepted_without == ()


@pytest.mark.slow
def test_files_in_worker_processes(tmp_path):
    for number in range(70):
        (tmp_path / f"p{number}.gt.txt").write_text("one fine day")
        box = [[0, 0], [1, 0], [1, 1], [0, 1]]
        page = [[box, "one fime day", number / 100]]
        (tmp_path / f"p{number}.json").write_text(json.dumps(page))
    pairing = pair_files(sorted(tmp_path.glob("*.txt")), sorted(tmp_path.glob("*.json")))
    done = []
    alone = align_files(pairing, n_workers=1)
    together = align_files(pairing, n_workers=2, progress=done.append)
    assert together.aligned == alone.aligned
    assert together.words.text == alone.words.text
    assert sum(done) == 70
    (tmp_path / "p33.json").write_text("[[[")
    with pytest.raises(OcrFileError, match="p33"):
        align_files(pairing, n_workers=2)


@pytest.mark.slow
def test_a_worker_that_is_killed_is_an_error(tmp_path):
    for k in range(80):
        (tmp_path / f"p{k}.txt").write_text("one fine day")
        (tmp_path / f"p{k}.json").write_text('[[[[0, 0], [9, 9]], "one fine day", 0.9]]')
    texts, outputs = sorted(tmp_path.glob("*.txt")), sorted(tmp_path.glob("*.json"))

    def kill(_: int) -> None:
        for worker in multiprocessing.active_children():
            worker.kill()
            worker.join()

    with pytest.raises(ChildProcessError, match="a worker process has ended before its work was done"):
        align_files(pair_files(texts, outputs), n_workers=2, progress=kill)
    assert multiprocessing.active_children() == []


def test_a_limit_of_the_risk_without_the_items_that_are_never_accepted():
    """Outputs without a confidence may be right, and lower the risk where they are accepted."""
    texts = ("one", "fine", "day", "in", "May")
    truth = Words(texts, np.full(5, np.nan), np.zeros(5), np.zeros(5), ("p",))
    words = Words(
        ("one", "fire", "day", "in", "May"), np.array([0.9, 0.8, *[np.nan] * 3]),
        np.zeros(5, int), np.zeros(5, int), ("p",), scale="unit",
    )  # fmt: skip
    aligned = align(truth, words)
    assert aligned.never_accepted == -1
    point = aligned.operating_point(max_risk=0.2)
    assert (point.threshold, point.acceptance_rate, point.risk) == (0.9, 0.2, 0)
    assert aligned.operating_point(max_error_rate=1.0).acceptance_rate == 0.4
    assert aligned.operating_point(max_risk=0).threshold == 0.9
    assert aligned.most_accepted == 0.4
    figures = fa.evaluate(aligned.sweep(), max_error_rate=0.9, max_risk=0.9, failure_probability=0.4)
    by_rate, by_risk = aligned.without_rejected(figures).limits
    assert (by_rate.guaranteed.threshold, by_rate.guaranteed.acceptance_rate) == (0.8, 0.4)
    assert by_risk.guaranteed.threshold >= 0.8
    assert figures.limits[0].guaranteed.threshold == -1
    told = fa.evaluate(
        aligned.sweep(), max_error_rate=0.9, max_risk=0.9, failure_probability=0.4, never_accepted=-1
    )
    assert told == aligned.without_rejected(figures) == aligned.without_rejected(told)


def test_shares_without_the_items_that_are_never_accepted_vary_with_the_sample():
    """Where all outputs are accepted, the share has the interval of a proportion, by pages."""
    missed = np.arange(400) % 20 == 7
    missed[:20] = True  # a page that is blank
    items = ~missed, np.where(missed, -1.0, 0.5 + np.arange(400) / 1000)
    pages = np.repeat(np.arange(20), 20)
    shares = []
    for groups in (None, pages):
        found = fa.evaluate(
            *items,
            max_error_rate=0.2,
            threshold=[0, -1],
            intervals=True,
            groups=groups,
            never_accepted=-1.0,
        )  # fmt: skip
        share, *of_thresholds = (
            found.intervals[f"acceptance_rate/{at.limit.key}"] for at in found.limits
        )
        assert share.estimate == found.limits[0].point.acceptance_rate == 0.9025
        of_rate = fa.asymptotic_interval(
            *items, statistic=fa.Statistic("acceptance_rate", threshold=0), groups=groups
        )
        for each in (share, *of_thresholds):
            assert each.low <= of_rate.low < 0.9025
            assert each.high >= of_rate.high - 1e-12 > 0.9025
        assert share.low > 0.6
        shares.append(share)
    assert shares[1].low < shares[0].low < shares[0].high < shares[1].high
    assert fa.evaluate(*items, intervals=True).intervals["acceptance_rate/0.05"].low < 0.95


def test_hints_have_counts_and_pages():
    """Of outputs without a confidence, and of words that stand elsewhere."""
    truth = words_of({"p": "amber bishop cloud dust", "q": "elk fjord", "r": "ghost"})
    output = words_of(
        {"p": [("amber", np.nan), ("bishop", np.nan), ("cloud", 0.5), ("dust", 0.4)],
         "q": [("elk", 0.3), ("fjord", np.nan)], "r": [("ghost", 0.2)]}, "unit",
    )  # fmt: skip
    notes = align(truth, output).__report__([], Beside())[1].notes
    assert notes[-1] == "3 of 7 items have no confidence (2 pages: p, q): they are never accepted."
    assert align(truth, output).__report__([], Beside())[1].scale == "0 to 1"


def test_spaces_between_characters_of_scripts_without_spaces_are_no_errors():
    """An engine that writes each character as a word of its own has read the page."""
    truth = Words(("東京は日本の首都です。",), [np.nan], [0], [0], ("p",))
    texts = tuple(truth.text[0])
    output = Words(
        texts, np.full(len(texts), 0.9), [0] * len(texts), [0] * len(texts), ("p",), scale="unit"
    )
    found = align(truth, output)
    assert found.records.differing_share.tolist() == [0.0]
    assert found.records.hardly_aligned == ()
    assert align(truth, output, unit="character").records.differing_share.tolist() == [0.0]
