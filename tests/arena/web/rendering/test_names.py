"""Texts of games name players, where their names are known."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from arena.web.play.seat_view import seat_view
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
