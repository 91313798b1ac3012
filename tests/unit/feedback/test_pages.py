"""The page of feedback: what it says, and that no text in it becomes markup."""

import html
import re
from dataclasses import replace
from pathlib import Path

import html5lib
import pytest
from helpers.golden import assert_golden
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec import structs

import grader.feedback
from grader.course.model import Criterion, Exercise, Limits, Task
from grader.feedback.closing import Section
from grader.feedback.pages import feedback_pages
from grader.grading.score import Change, CriterionResult, Diagnosis, FinalResult, Received, TaskPicture
from grader.results.final import final_result
from grader.results.student import load_result, result_bytes

ROUNDS_UP = Criterion(
    task="paged_slots",
    visibility="visible",
    tests="TestPagedUp",
    points=2,
    sentence="rounds a sequence up to whole blocks",
    hint="Draw the blocks of one sequence.",
    id="paged-up",
)
NO_EMPTY = Criterion(
    task="paged_slots",
    visibility="hidden",
    tests="TestPagedNone",
    points=3,
    sentence="hands out no block without a token",
    hint="Try a sequence that fills its last block.",
    id="paged-none",
)
COUNTED = Criterion(
    task="hands_on",
    visibility="visible",
    tests="TestCount",
    points=5,
    sentence="says how many slots are reserved",
    hint="Count every region.",
    id="count",
)
EXERCISE = Exercise(
    name="lesson",
    title="Reservation & paging",
    points=10,
    due=None,
    late=None,
    limits=Limits(),
    tasks=(
        Task(file="hands_on.py", title="Part 1: count (TODO 1 to 3)", name="hands_on"),
        Task(file="reservation.py", title="Slots with paging (TODO 4)", name="paged_slots"),
    ),
    criteria=(COUNTED, ROUNDS_UP, NO_EMPTY),
    platform={},
)


def outcome(criterion, status, message="", kind=""):
    """One criterion's line: all its points when it passed, none otherwise."""
    earned = criterion.points if status == "passed" else 0
    return CriterionResult(
        criterion.id, criterion.task, criterion.visibility, earned, criterion.points, status, message, kind
    )


def result(*criteria, **changes):
    """A graded result of these criteria."""
    made = FinalResult(
        student="u1001",
        exercise="lesson",
        status="graded",
        score=sum(criterion.points for criterion in criteria),
        max_score=10,
        late_penalty=0,
        criteria=criteria,
        diagnoses=(),
        flags=(),
        submission=Received("5f" * 32, "2027-03-01T10:00:00Z", ("hands_on.py", "reservation.py")),
    )
    return replace(made, **changes)


WRONG = "paged_slots([33], 16) returned 32; expected 48."
TYPICAL = result(
    outcome(COUNTED, "passed"),
    outcome(ROUNDS_UP, "needs-work", WRONG),
    outcome(NO_EMPTY, "needs-work", "paged_slots([32], 16) returned 48; expected 32."),
    flags=("tried-network",),
    diagnoses=(Diagnosis("paged_slots", "rounds-down", "You seem to leave out the last block."),),
    notes=("reservation (1).py was taken as reservation.py.",),
)


def feedback_html(*given, **options):
    """The page as HTML."""
    return feedback_pages(*given, **options)[0]


def feedback_markdown(*given, **options):
    """The page as Markdown."""
    return feedback_pages(*given, **options)[1]


def page(shown, **options):
    """The HTML page as text."""
    return feedback_html(shown, EXERCISE, **options).decode()


def text_of(source):
    """What a browser would show of a page's body, as one line; the page must be valid HTML."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(source)
    return " ".join(" ".join(tree.find("body").itertext()).split()).replace(" ,", ",")


def rendered(shown, **options):
    """The Markdown page as HTML, with raw HTML allowed, as a careless renderer would."""
    source = feedback_markdown(shown, EXERCISE, **options).decode()
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(source)


def test_whole_pages_word_for_word():
    """Score, a table, a section a task; of a failure what happened, a hint and the place."""
    whole = page(TYPICAL, student_name="Ada Example")
    assert_golden("page.html", re.sub(r"(<style>).*?(</style>)", r"\1\2", whole, flags=re.DOTALL))
    assert_golden("page.md", feedback_markdown(TYPICAL, EXERCISE, "Ada Example").decode())


@pytest.mark.parametrize(
    ("kind", "words"),
    [("slow", "what ends it"), ("IndexError", "The list has no such place"), ("arguments", "the stub's")],
)
def test_hint_follows_what_happened(kind, words):
    """Too slow, an error and wrong arguments have their own hints; a hidden criterion keeps its own."""
    shown = result(
        outcome(COUNTED, "passed"),
        outcome(ROUNDS_UP, "needs-work", WRONG, kind),
        outcome(NO_EMPTY, "needs-work"),
    )
    for said in (text_of(page(shown)), rendered(shown)):
        assert words in said.replace("&#39;", "'")
        assert ROUNDS_UP.hint not in said
        assert NO_EMPTY.hint in said


def test_headlines_and_notes_word_for_word():
    """What stands on top of a page in each case; the rest is the same everywhere."""
    everything = [outcome(criterion, "passed") for criterion in EXERCISE.criteria]
    why = "reservation.py could not be read: it is UTF-16."
    nothing = [outcome(criterion, "not-run", why) for criterion in EXERCISE.criteria]
    late = result(outcome(COUNTED, "passed"), outcome(ROUNDS_UP, "passed"), late_penalty=1.5)
    shown = {"everything passed": result(*everything), "late": late}
    shown["points by hand"] = replace(TYPICAL, score=7.5, by_hand=True)
    shown["points by hand, late"] = replace(late, score=9, by_hand=True)
    for status in ("missing", "unreadable", "grader-error"):
        shown[status] = result(*nothing, status=status, score=None, late_penalty=None, submission=None)
    tops = [
        f"{case}: {feedback_markdown(one, EXERCISE).decode().partition('| Task')[0]}"
        for case, one in shown.items()
    ]
    assert_golden("page_tops.txt", "".join(tops))


@pytest.mark.parametrize("make", [feedback_html, feedback_markdown])
def test_hidden_tests_and_flags_stay_out(make):
    """Messages of hidden criteria are not shown, nor ids, nor any flag; their goals and hints are."""
    shown = make(TYPICAL, EXERCISE).decode()
    assert "Hint: Try a sequence that fills its last block." in re.sub("</?strong>", "", shown)
    for secret in (
        "[32], 16",
        "tried-network",
        "TestPaged",
        "paged-none",
        "rounds-down",
    ):
        assert secret not in shown


@pytest.mark.parametrize("make", [feedback_html, feedback_markdown])
def test_a_result_read_back_gives_the_same_bytes(make, tmp_path):
    """Pages can be made again from result.json, without grading."""
    (tmp_path / "result.json").write_bytes(result_bytes(TYPICAL))
    again = final_result(load_result(tmp_path / "result.json"))
    assert make(again, EXERCISE, "Ada Example") == make(TYPICAL, EXERCISE, "Ada Example")


def test_the_document_is_valid_and_accessible():
    """Valid HTML: a language, a title that tells, one h1, an h2 a task, caption and scopes; no script."""
    source = page(TYPICAL, student_name="Ada Example")
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(source)
    assert tree.get("lang") == "en"
    assert tree.findtext("head/title") == "Ada Example: Reservation & paging, 5 of 10 points"
    assert [item.text for item in tree.iter("h1")] == ["Reservation & paging"]
    assert [item.text for item in tree.iter("h2")] == [
        "Next step",
        "Part 1: count (TODO 1 to 3)",
        "Slots with paging (TODO 4)",
        "About what you handed in",
    ]
    assert [item.text for item in tree.iter("caption")] == ["Points by task"]
    assert {item.get("scope") for item in tree.iter("th")} == {"col", "row"}
    assert not [item.tag for item in tree.iter() if item.tag in ("script", "img", "link", "a", "iframe")]
    assert "url(" not in source
    assert "http://" not in source
    assert "https://" not in source


STATES = {
    "passed": "✓ passed",
    "needs-work": "✗ needs work",
    "not-started": "○ not started",
    "not-run": "\u2013 not run",
    "stopped": "■ stopped",
}


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_word_symbol_and_colour(state):
    """Each is shown as a symbol, a word, and a class that the style sheet colours."""
    shown = page(result(outcome(COUNTED, state, "a message" if state != "passed" else "")))
    assert f'<span class="state {state}"><span aria-hidden="true">' in shown
    assert STATES[state] in text_of(shown)


@pytest.mark.parametrize(
    ("states", "word"),
    [
        (("passed", "passed"), "✓ passed"),
        (("passed", "not-started"), "✗ needs work"),
        (("not-started", "not-started"), "○ not started"),
        (("stopped", "needs-work"), "■ stopped"),
        (("needs-work", "stopped"), "✗ needs work"),
        (("passed", "stopped"), "✗ needs work"),
        (("not-run", "not-started"), "\u2013 not run"),
    ],
)
def test_state_of_a_task(states, word):
    """The state of the whole task; begun in part is needs work, and so is any fault of a hidden test."""
    shown = page(result(outcome(ROUNDS_UP, states[0]), outcome(NO_EMPTY, states[1])))
    row = re.search(r"<tr><th scope=\"row\">Slots.*?</tr>", shown)
    assert word in text_of(f"<!DOCTYPE html><title>x</title><table>{row[0]}</table>") if row else False


def test_what_is_not_started_gets_no_hint():
    """A task that is not started shows where to begin, and no hint."""
    shown = text_of(page(result(outcome(ROUNDS_UP, "not-started", "paged_slots is not started."))))
    assert "paged_slots is not started." in shown
    assert "Hint:" not in shown


def test_a_message_that_all_of_a_task_share_is_said_once():
    """A file that cannot be imported fails each of its criteria with the same sentence."""
    broken = "reservation.py line 4 is not valid Python: expected ':'."
    other = structs.replace(ROUNDS_UP, id="paged-each", points=3)
    exercise = replace(EXERCISE, criteria=(COUNTED, ROUNDS_UP, other))
    shown = result(outcome(ROUNDS_UP, "not-run", broken), outcome(other, "not-run", broken))
    assert feedback_html(shown, exercise).decode().count("is not valid Python") == 1


@pytest.mark.parametrize("status", ["missing", "unreadable", "grader-error"])
@pytest.mark.parametrize("make", [feedback_html, feedback_markdown])
def test_not_graded_is_never_shown_as_zero(make, status):
    """No points, no table, nothing that reads like a score."""
    criteria = tuple(outcome(criterion, "not-run", "Unreadable.") for criterion in EXERCISE.criteria)
    shown = result(*criteria, status=status, score=None, late_penalty=None, submission=None)
    text = make(shown, EXERCISE).decode()
    assert "Not graded" in text
    assert not re.search(r"\d+ of \d+", text)
    assert "points" not in text.partition("<body>")[2]


def test_lateness_is_told_only_when_it_costs():
    """The score is after lateness; the points earned and taken off are shown beside it."""
    criteria = (outcome(COUNTED, "passed"), outcome(ROUNDS_UP, "passed"))
    shown = text_of(page(result(*criteria, late_penalty=1.5)))
    assert "5.5 of 10 points 7 earned, 1.5 taken off" in shown
    assert "late" not in text_of(page(result(*criteria)))


def test_lateness_never_goes_below_zero():
    """A penalty larger than what was earned leaves 0 points."""
    shown = text_of(page(result(outcome(COUNTED, "passed"), late_penalty=10)))
    assert "0 of 10 points 5 earned, 10 taken off" in shown


def test_a_criterion_that_the_course_dropped_is_still_shown():
    """An old result keeps its points; a criterion that the course no longer has is shown by its id."""
    gone = CriterionResult(
        "old-idea", "old_task", "visible", 0, 4, "needs-work", "f() returned 1; expected 2."
    )
    shown = text_of(page(result(gone)))
    assert "old_task 0 of 4 ✗ needs work" in shown
    assert "Goal: old-idea. f() returned 1; expected 2." in shown


@pytest.mark.parametrize(
    "visible", [("needs-work", WRONG), ("not-run", "reservation.py has no f."), ("passed", "")]
)
def test_hidden_criteria_are_passed_or_open(visible):
    """Whatever happened to a hidden criterion, and to the visible one beside it, the page is the same."""
    for render in (page, rendered):
        pages = {
            render(result(outcome(ROUNDS_UP, *visible), outcome(NO_EMPTY, state)))
            for state in ("needs-work", "not-started", "not-run", "stopped")
        }
        assert len(pages) == 1
    shown = text_of(page(result(outcome(ROUNDS_UP, *visible), outcome(NO_EMPTY, "stopped"))))
    assert "open 0 of 3, hidden test Goal: your function hands out no block without a token." in shown


def test_the_next_step_comes_first():
    """The first open criterion stands on top with what happened; below, its message is not said again."""
    shown = text_of(page(TYPICAL))
    assert "Next step reservation.py, TODO 4 (paged_slots): needs work. Goal: your function rounds" in shown
    assert shown.index("Next step") < shown.index("Points by task")
    assert shown.count(WRONG) == 1
    assert shown.count("You seem to leave out the last block.") == 1
    assert "Next step" not in page(result(*(outcome(criterion, "passed") for criterion in EXERCISE.criteria)))


def test_one_cause_is_said_once():
    """A file that does not load is told on top, and under none of its criteria."""
    broken = "reservation.py line 4 is not valid Python: expected ':'."
    other = structs.replace(ROUNDS_UP, id="other", task="used_slots")
    tasks = (*EXERCISE.tasks, Task(file="reservation.py", title="Used (TODO 5)", name="used_slots"))
    exercise = replace(EXERCISE, criteria=(*EXERCISE.criteria, other), tasks=tasks)
    states = [outcome(criterion, "not-run", broken) for criterion in (ROUNDS_UP, NO_EMPTY, other)]
    shown = text_of(feedback_html(result(outcome(COUNTED, "passed"), *states), exercise).decode())
    assert f"Put this right first; what depends on it could not be run. {broken}" in shown
    assert shown.count("is not valid Python") == 1
    assert "Hint" not in shown


def test_points_by_hand_are_told_by_criterion():
    """The page shows the points that count, who gave them and why."""
    found = replace(TYPICAL, flags=())
    change = Change("paged-up", 1.5, "adjust", by="Grace", because="The file came broken.")
    shown = text_of(page(final_result(found, [change])))
    assert "6.5 of 10 points" in shown
    assert "Slots with paging (TODO 4) 1.5 of 5 ✗ needs work" in shown
    goal = "1.5 of 2 Goal: your function rounds a sequence up to whole blocks."
    assert f"{goal} Points set by hand by Grace: The file came broken." in shown


PICTURE = ("Blocks of 16 slots", [("A: 33 <tokens>", [[("token", 16)], [("token", 1), ("slack", 15)]])])


def test_a_picture_of_the_call():
    """Inline SVG with a text alternative, in Markdown a block of text; what it says is escaped."""
    drawn = replace(TYPICAL, pictures=(TaskPicture("paged_slots", PICTURE),))
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page(drawn))
    (svg,) = tree.iter("{http://www.w3.org/2000/svg}svg")
    assert (svg.get("role"), svg.get("aria-label")) == ("img", "Blocks of 16 slots. A: 33 <tokens>.")
    assert "  [████████████████][█▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒]" in feedback_markdown(drawn, EXERCISE).decode()
    assert len(page(drawn)) < 100_000


def test_what_comes_after_full_marks():
    """The lesson's closing is shown when everything is passed, and at no other time."""
    closing = (Section("What you found", ("300 & 96 slots.",), (PICTURE,)),)
    everything = result(*(outcome(criterion, "passed") for criterion in EXERCISE.criteria))
    assert "What you found 300 & 96 slots." in text_of(page(everything, closing=closing))
    assert "## What you found" in feedback_markdown(everything, EXERCISE, closing=closing).decode()
    assert "What you found" not in page(TYPICAL, closing=closing)


ATTACKS = {
    "script": '<script>alert(1)</script> <img src=x onerror=alert(2)> " onmouseover="alert(3) </pre> &amp;',
    "fence": "x\n```\n# Score: 10/10\n[a](javascript:alert(1)) ![i](http://127.0.0.1/x.png)\n````\n| a | b |",
    "tildes": "~~~\n<details><summary>Score: 10 of 10</summary>\n\n- [x] done\n@staff #1 !2 $x$",
    "template": "{{ view.digest }} {% raw %} {# gone #}",
    "entity": "&lt;b&gt; &#60;script&#62;",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_text_of_a_student_is_shown_as_typed(attack):
    """Markup in a message is shown as text in both pages, and the score is shown once."""
    message = ATTACKS[attack]
    shown = result(outcome(ROUNDS_UP, "needs-work", message))
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page(shown))
    assert [item.text for item in tree.iter("pre")] == [message]
    made = rendered(shown)
    assert f'<code class="language-text">{html.escape(message, quote=False)}\n</code>' in made.replace(
        "&quot;", '"'
    )
    outside = re.sub(r"<pre>.*?</pre>", "", made, flags=re.DOTALL)
    assert outside.count("Score") == 1
    assert not re.search(r"<(script|img|a|details|h[3-6])\b", made)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_name_is_shown_as_typed(attack):
    """A student's id, name, files and notes are one line each, and markup in them is text."""
    text = " ".join(ATTACKS[attack].split())
    shown = result(outcome(COUNTED, "passed"), student=text, notes=(text,))
    shown = replace(shown, submission=Received("00" * 32, "", (text,)))
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page(shown, student_name=text))
    assert tree.find("body/header/p").text == f"{text} ({text})"
    assert tree.find("body/main/section[2]/ul/li").text == text
    made = rendered(shown, student_name=text)
    assert not re.search(r"<(script|img|a|details|h[3-6])\b", made)
    assert re.sub(r"<(code|pre)[ >].*?</\1>", "", made, flags=re.DOTALL).count("Score") == 1


@pytest.mark.parametrize("make", [feedback_html, feedback_markdown])
def test_invisible_characters_are_escaped(make):
    """Escape sequences, returns, direction marks, surrogates: no such character reaches a page."""
    message = "\x1b[2J\x1b[31mFAILED\x1b[0m\rPASSED \b \x07 \u202egnp.exe \u200b \x00 \ud83d end"
    shown = make(result(outcome(ROUNDS_UP, "needs-work", message), student="a\u202eb\x1b"), EXERCISE).decode()
    assert r"\x1b[2J\x1b[31mFAILED\x1b[0m\rPASSED \x08 \x07 \u202egnp.exe \u200b \x00 \ud83d end" in shown
    assert not [letter for letter in shown if ord(letter) < 32 and letter != "\n"]
    assert not set(shown) & set("\u202e\u200b\x7f")


@pytest.mark.parametrize("make", [feedback_html, feedback_markdown])
def test_five_megabytes_make_a_small_page(make):
    """A giant message is cut with a count; the page stays below 200 kB whatever stands in it."""
    flood = '"' * 5_000_000
    criteria = tuple(outcome(criterion, "needs-work", flood) for criterion in EXERCISE.criteria)
    shown = make(result(*criteria, student="i" * 5000, notes=("n" * 5_000_000,)), EXERCISE)
    assert len(shown) < 200_000 / 2
    assert b"characters left out" in shown


@settings(max_examples=40, deadline=None)
@given(st.text(), st.text(min_size=1))
def test_any_text_gives_valid_pages(message, name):
    """Whatever a message or a name holds, the HTML parses strictly and the Markdown has its one score."""
    shown = result(outcome(ROUNDS_UP, "needs-work", message), student=name)
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page(shown))
    assert len(list(tree.iter("h1"))) == 1
    made = rendered(shown)
    assert re.sub(r"<(code|pre)[ >].*?</\1>", "", made, flags=re.DOTALL).count("<strong>Score") == 1
    assert made.count("<h1>") == 1


def _luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_the_guidelines_say():
    """Black on white is 21 to 1; the known figure for the green of *passed* on white is 6.35."""
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#0b6e3b", "#ffffff") == pytest.approx(6.35, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1, 2], ids=["light", "dark", "print"])
def test_every_colour_can_be_read(scheme):
    """Text and states on the page, text on its blocks: at least 4.5 to 1, light, dark and on paper."""
    sheet = (Path(grader.feedback.__file__).parent / "templates" / "feedback.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", sheet, flags=re.DOTALL)
    assert len(blocks) == 3
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", blocks[scheme]))
    for text in ("text", "passed", "open", "muted"):
        assert _contrast(colours[text], colours["page"]) >= 4.5
    for ground in ("block", "cause"):
        assert _contrast(colours["text"], colours[ground]) >= 4.5
