"""What pages and pictures are made with: names of seats, shades, templates, and modules of scripts."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from arena.web.play.seat_view import seat_view
from arena.web.rendering.static_files import STATIC, content, linked, modules, script_tags, version
from arena.web.rendering.templates import shade as shade_of
from arena.web.rendering.templates import with_decisions
from arena.web.settings import WebSettings
from arena.web.viewer.documents import document_of
from engine.core import OptionValue
from engine.registry import find_game
from engine.render.drawing import named
from engine.replay.verifier import ReplayTimeline
from tests.arena.web.replays import ALL, timeline_of_vector
from tests.arena.web.visits import table_of

NAMES = ("Maui", "Hina", "Tane", "Rongo", "Tu", "Pele")

SEAT = re.compile(r"\bseat \d", re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Seat 0 is to move", "Maui is to move"),
        ("lands 1 of seat 2 on beach 0", "lands 1 of Tane on beach 0"),
        ("seats 2 and seat 12", "seats 2 and seat 12"),
        ("a seat is free", "a seat is free"),
    ],
)
def test_a_seat_is_named_if_there_is_a_name(text: str, words: str) -> None:
    assert named(text, NAMES) == words


@pytest.mark.sampled(1)
@pytest.mark.parametrize("vector", ALL[::12])
def test_no_text_of_a_replay_has_a_seats_number(vector: str) -> None:
    found = timeline_of_vector(vector)
    timeline = ReplayTimeline(found.replay, NAMES[: found.replay.players], found.states, found.moves)

    document = document_of(timeline)

    texts = [*document.words, *(sign.words for sign in (*document.signs, *document.legend))]
    for frame in document.frames:
        texts += [frame.move.words] if frame.move else []
        texts += [text for event in frame.events for text in (event.words, *(who for who, _ in event.dice))]
    assert [text for text in texts if SEAT.search(text)] == []
    assert any(name in text for text in texts for name in timeline.names)


@pytest.mark.parametrize(("game", "options", "players"), [("tongiaki", {}, 3), ("sunda", {"level": 4, "mode": "simultaneous"}, 2)])
def test_no_text_at_a_table_has_a_seats_number(game: str, options: dict[str, OptionValue], players: int) -> None:
    rules, rng = find_game(game, options), Random(5)
    state, moves = rules.new(players, 5), list[str]()
    seen = set()
    for _ in range(25):
        if state.actor is None:
            break
        view = seat_view(replace(table_of(rules, *NAMES[:players], seed=5, moves=tuple(moves)).look(state.actor), is_asked=True))
        assert view.offers is not None
        texts = [view.status, *view.facts, *(choice.words for choice in view.offers.choices.values())]
        texts += [text for told in view.log for text in (told.words, *(event.words for event in told.events))]
        assert [text for text in texts if SEAT.search(text)] == []
        seen |= {name for name in NAMES if any(name in text for text in texts)}
        move = state.random_move(rng)
        state.play(move)
        moves.append(str(move))
    assert len(seen) >= 2


@pytest.mark.parametrize(("share", "shade"), [(0, "share0"), (0.5, "share4"), (1, "share8"), (0.94, "share8")])
def test_shades_go_from_lost_to_won(share: float, shade: str) -> None:
    assert shade_of(share) == shade


def test_decisions_in_a_sentence_are_links_and_the_rest_is_escaped() -> None:
    said = with_decisions("<b> won: it lost 3 at decision 12, and 4 in two (decisions 3 to 5).", "/m/a")
    first, second = ('<a href="/m/a#d=12">decision 12</a>', '<a href="/m/a#d=3">decisions 3 to 5</a>')
    assert said == f"&lt;b&gt; won: it lost 3 at {first}, and 4 in two ({second})."


OURS = sorted(path.name for path in STATIC.glob("*.js"))

IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./(.*)";$', re.MULTILINE)


def exports(name: str) -> set[str]:
    text = content(name).decode()
    return {*re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", text, re.MULTILINE), *re.findall(r"\w+ as (\w+)", text)}


def test_a_module_comes_after_all_that_it_imports() -> None:
    found = modules("table.js")

    assert found[-1] == "table.js"
    for index, name in enumerate(found):
        assert {target for _, target in IMPORT.findall(content(name).decode())} <= set(found[:index])


@pytest.mark.parametrize("name", OURS)
def test_a_linked_script_imports_nothing(name: str) -> None:
    text = linked(name)

    assert re.findall(r"^(?:import|export)\b|\bexport\{|</script|<!--", text, re.MULTILINE) == []
    assert text.count("const $module") == len(modules(name))


def test_pages_preload_what_a_script_imports_and_those_of_a_site_load_one_script() -> None:
    served, written = (script_tags("visitor.js", WebSettings("x.db", is_static=is_static)) for is_static in (False, True))

    assert served == (
        f'<link rel="modulepreload" href="/static/{version()}/storage.js">\n'
        f'<script type="module" src="/static/{version()}/visitor.js"></script>'
    )
    assert written == '<script src="/static/visitor.js" defer></script>'
