"""The study for a hurried reader: its main picture, and what was found, from what was recorded."""

from __future__ import annotations

import json
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from figures import STYLE, as_svg
from matplotlib.figure import Figure
from study_tables import ENGINES, NAMES, QUALITIES, found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes

LIMIT = 0.01
ASKED = f"{100 * LIMIT:g} %"
ENGINE = "tesseract-psm3"
MARKS = {"clean": "o", "scan": "s", "noisy": "^", "photo": "D"}
SHADES = {"clean": "1.0", "scan": "0.75", "noisy": "0.45", "photo": "0.0"}
TITLES = {"clean": "clean", "scan": "scan", "noisy": "noisy scan", "photo": "photograph"}

Ends = tuple[float, float, float]


def accepted(limit: float = LIMIT) -> dict[str, dict[str, Ends]]:
    """The share that can be accepted, with its interval, by language and quality."""
    rows: dict[str, dict[str, Ends]] = {}
    for row in found()["shares"]:
        if row["engine"] == ENGINE:
            rows.setdefault(row["language"], {})[row["quality"]] = row[f"accepted/{limit}"]
    return rows


def remaining() -> dict[str, dict[str, Ends]]:
    """The errors that remain with a threshold from clean pages, by language and quality."""
    return {
        row["name"]: {quality: on["threshold"]["errors"] for quality, on in row["on"].items()}
        for row in found()["transfer"]
        if row["engine"] == ENGINE and row["name"] != "all"
    }


def _figure() -> Figure:
    """What can go through, and what then remains elsewhere: a row a language, a mark a quality."""
    shares, errors = accepted(), remaining()
    figure = Figure(figsize=(8.6, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for k, language in enumerate(shares):
        at, low, high = (100 * value for value in shares[language]["all"])
        left.barh(
            k, high - low, 0.76, low, color="0.9", zorder=0,
            label="all pages, with the interval" if k == 0 else None,
        )  # fmt: skip
        left.plot([at, at], [k - 0.38, k + 0.38], color="black", linewidth=1, zorder=1)
        for j, quality in enumerate(QUALITIES):
            y = k + 0.19 * (j - 1.5)
            _mark(left, 100 * shares[language][quality][0], y, quality, named=k == 0)
            at, low, high = (100 * value for value in errors[language][quality])
            right.plot([low, high], [y, y], color="0.6", linewidth=1, zorder=1)
            _mark(right, at, y, quality, named=False)
    for ax in (left, right):
        for k in range(1, len(shares)):
            ax.axhline(k - 0.5, color="0.8", linewidth=0.6, zorder=0)
        ax.tick_params(axis="y", length=0)
    left.set_yticks(range(len(shares)), [NAMES[language] for language in shares])
    left.set_ylim(len(shares) - 0.5, -0.5)
    left.set_xlim(0, 102)
    left.set_xlabel(f"accepted at {ASKED} errors, % of all words")
    left.set_title("How much can go through unchecked", fontsize=10.5)
    right.axvline(100 * LIMIT, color="black", linestyle="--", linewidth=1, zorder=0)
    right.set_xlim(0, None)
    right.set_xlabel("errors that remain, % of all words")
    right.set_title(f"A threshold for {ASKED} from clean pages, elsewhere", fontsize=10.5)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    return figure


def _mark(ax: Axes, x: float, y: float, quality: str, *, named: bool) -> None:
    ax.plot(
        [x], [y], MARKS[quality], color=SHADES[quality], markeredgecolor="black", markersize=5.5,
        label=TITLES[quality] if named else None, zorder=2,
    )  # fmt: skip


def picture() -> str:
    with mpl.rc_context(STYLE):
        return as_svg(_figure())


def bitmap() -> bytes:
    """The same for the README, whose readers see no SVG everywhere."""
    with mpl.rc_context(STYLE):
        content = BytesIO()
        metadata = {"Software": None, "Source": digest()}
        _figure().savefig(content, format="png", dpi=140, metadata=metadata)
        return content.getvalue()


def digest() -> str:
    """What tells whether a picture is one of these figures."""
    return sha256(json.dumps([accepted(), remaining()]).encode()).hexdigest()


def caption() -> str:
    """What the picture shows, in a few sentences."""
    of_all = (row for row in found()["shares"] if row["quality"] == "all")
    each = min(row["pages"] for row in of_all if row["engine"] == ENGINE) // len(QUALITIES)
    return (
        f"Tesseract on {each} pages of each language and quality. Left: what the threshold accepts "
        f"that leaves {ASKED} errors on these very pages; gray, the 95 % interval of all pages "
        "together. Right: what one threshold for each language leaves, chosen on half of its clean "
        "pages, on the other half and elsewhere, with intervals.\n"
    )


def _percent(ends: Ends) -> str:
    at, low, high = (100 * value for value in ends)
    return f"{at:.1f} % ({low:.1f} to {high:.1f})"


def _points(ends: Ends) -> str:
    at, low, high = (100 * value for value in ends)
    return f"{at:+.1f} points ({low:+.1f} to {high:+.1f})"


def findings() -> str:
    """Five findings, with their figures."""
    parts = (_how_much(), _who_leads(), _orders(), _elsewhere(), _together())
    return "".join(f"{n}. {text}\n" for n, text in enumerate(parts, 1))


def _how_much() -> str:
    said = []
    for limit, quality in ((LIMIT, "all"), (0.05, "clean"), (0.05, "photo")):
        shares = {name: each[quality] for name, each in accepted(limit).items()}
        (least, few), (most, many) = _extremes(shares)
        said.append(f"from {_percent(few)} in {NAMES[least]} to {_percent(many)} in {NAMES[most]}")
    return (
        f"**The pages decide.** The share of Tesseract's words that can go through at {ASKED} errors "
        f"is, over all pages of a language, {said[0]}. At 5 % errors it is {said[1]} on clean pages, "
        f"and on photographs {said[2]}."
    )


def _who_leads() -> str:
    rows = [row for row in found()["leads"] if row["limit"] == LIMIT and "rapidocr" in row["engines"]]
    if not rows:
        return (
            "**Which engine lets more through** was not asked: RapidOCR has read none of these pages."
        )
    sure = [row for row in rows if all(pair["clear"] for pair in _pairs_of_leader(row))]
    pages = rows[0]["pages"]
    text = (
        f"**{pages} pages seldom say which engine lets more through.** Three readings of {pages} "
        f"pages, those by RapidOCR and by two settings of Tesseract, were compared in {len(rows)} "
        f"languages: the first is ahead of both others beyond chance in {len(sure) or 'none'}"
    )
    for row in sure[:1]:
        pair = next(_pairs_of_leader(row))
        ends = (pair["difference"], *pair["interval"])
        first, second = ENGINES[pair["first"]], ENGINES[pair["second"]]
        text += f": in {NAMES[row['language']]}, {first} is before {second} by {_points(ends)}"
    return f"{text}."


def _pairs_of_leader(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    leader = row["pairs"][0]["first"]
    return (pair for pair in row["pairs"] if pair["first"] == leader)


def _orders() -> str:
    counts = found()["orders"]["summary"]
    one, every = (counts[name][str(LIMIT)] for name in ("source and quality", "language"))
    return (
        "**The character error rate does not settle it.** On pages of one language, layout and "
        f"quality, {one['other_order']} of {one['pairs']} pairs of engines come in another order by "
        "what can go through than by the character error rate, and on all pages of a language "
        f"{every['other_order']} of {every['pairs']}. Where both differences are beyond chance it is "
        f"{one['clear_other_order']} of {one['clear_pairs']}, and {every['clear_other_order']} of "
        f"{every['clear_pairs']}."
    )


def _elsewhere() -> str:
    rows = remaining()
    rough = [(name, quality) for name in rows for quality in ("noisy", "photo")]
    above = [(name, quality) for name, quality in rough if rows[name][quality][1] > LIMIT]
    tests = {row["name"]: row["on"] for row in found()["transfer"] if row["engine"] == ENGINE}
    noticed = sum(tests[name][quality]["shifted"] for name, quality in above)
    text = (
        f"**A threshold holds on pages like those it comes from.** One for {ASKED} errors from clean "
        f"pages leaves more on noisy scans or photographs, beyond chance, in {len(above)} of "
        f"{len(rough)} cases"
    )
    if above:
        _, ((name, quality), most) = _extremes({each: rows[each[0]][each[1]] for each in above})
        text += (
            f", at the most {_percent(most)} ({NAMES[name]}, {TITLES[quality]}). That the confidences "
            f"had moved showed without any truth in {noticed} of these {len(above)}"
        )
    return f"{text}."


def _together() -> str:
    sets = []
    for each in found("study_combined"):
        single = [row for row in each["rows"] if row["name"] in ENGINES]
        best = max(single, key=lambda row: row["accepted"])
        others = [row["name"] for row in single if row["name"] != ENGINE]
        beside = " and ".join(
            "its other setting" if "tess" in name else ENGINES[name] for name in others
        )
        sets.append((best["more"], f"{NAMES[each['pages']]}, Tesseract and {beside}"))
    sets.sort()
    more, less = (sum(test(ends) for ends, _ in sets) for test in (_is_above, _is_below))
    (least, where), (most, there) = sets[0], sets[-1]
    return (
        "**Two engines together mostly let more through than the better one of them.** Beyond chance "
        f"they do so on {more} of {len(sets)} sets of pages, and less on {less or 'none'}: from "
        f"{_points(least)} ({where}) to {_points(most)} ({there})."
    )


def _is_above(ends: Ends) -> bool:
    return ends[1] > 0


def _is_below(ends: Ends) -> bool:
    return ends[2] < 0


def _extremes(values: dict[Any, Ends]) -> tuple[tuple[Any, Ends], tuple[Any, Ends]]:
    order = sorted(values.items(), key=lambda each: each[1][0])
    return order[0], order[-1]


MAKERS: dict[str, Callable[[], str]] = {
    "study_main.svg": picture,
    "study_main.md": caption,
    "study_findings.md": findings,
}
