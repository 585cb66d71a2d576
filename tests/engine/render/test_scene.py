"""What every picture and every sentence of a move share."""

from __future__ import annotations

import re
from random import Random
from xml.etree import ElementTree

import pytest

from engine import registry
from engine.core import TextMove
from engine.registry import find_game
from engine.render import drawing
from engine.render.drawing import describe_move
from engine.render.scene import Box, EventText, Scene
from engine.simple import Position, simple_game
from engine.sunda.render import move_text as sunda_text
from engine.tongiaki.render import move_text as tongiaki_text
from tests.arena.web.replays import ALL, SUNDA, TONGIAKI, timeline_of_vector


def test_pieces_are_written_in_their_order_into_their_groups() -> None:
    scene = Scene(Box(0, 0, 1, 1))
    scene.add("b", "<b/>", order=2)
    group = scene.group("g", 'class="g"', order=1, inside="<title/>")
    scene.add("z", "<z/>", parent=group, order=1)
    scene.add("y", "<y/>", parent=group, order=1)
    scene.add("x", "<x/>", parent=group, order=1.5)
    scene.group("empty", 'class="e"', order=3)
    assert scene.drawn() == '<g class="g"><title/><y/><z/><x/></g>\n<b/>\n<g class="e"></g>'


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("draw Rapa_Nui", "Rapa Nui is drawn"),
        ("draw W05", "the water W05 is drawn"),
        ("fails W05", "the voyage fails on the water W05: too few colours"),
        ("stays W05", "the group stays on the water W05"),
        ("turns back Samoa", "Samoa is royal: the group turns back"),
        ("collapses Samoa", "Samoa collapses"),
        ("dice 3 5|2", "dice 3 5|2"),
    ],
)
def test_events_of_tongiaki_in_words(event: str, words: str) -> None:
    assert tongiaki_text.describe_event(event) == EventText(words)


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        ("dice 3 5|2", EventText("rolls 3 and 5 against 2: the challenger wins", (("challenger", (3, 5)), ("other", (2,))))),
        ("dice 4|4", EventText("rolls 4 against 4: the challenger wins", (("challenger", (4,)), ("other", (4,))))),
        ("dice 1|4 2", EventText("rolls 1 against 4 and 2: the challenger loses", (("challenger", (1,)), ("other", (4, 2))))),
        (
            "order 0:5 1:2 2:5/3 3:5/6",
            EventText(
                "the dice decide the order: seat 3, seat 2, seat 0, seat 1",
                (("seat 0", (5,)), ("seat 1", (2,)), ("seat 2", (5, 3)), ("seat 3", (5, 6))),
            ),
        ),
        ("unable 1", EventText("seat 1 can't lay a tile anywhere")),
        ("void 2", EventText("the choice of seat 2 no longer has an effect")),
        ("draw Samoa", EventText("draw Samoa")),
        ("dice x|2", EventText("dice x|2")),
        ("unable", EventText("unable")),
    ],
)
def test_events_of_sunda_in_words(event: str, shown: EventText) -> None:
    assert sunda_text.describe_event(event) == shown


@pytest.mark.parametrize("game", ["tongiaki", "sunda"])
def test_a_picture_shows_the_players_names_as_text(game: str) -> None:
    state = find_game(game).new(2, 3)
    picture = drawing.svg(state, names=("a<b>&c", "a very long name of more than any row has room for"))
    words = [element.text or "" for element in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314  # our own
    assert "a<b>&c" in words
    assert any(word.startswith("a very") and word.endswith("…") for word in words)
    assert "Seat 0" not in words
    assert "Seat 1" in drawing.svg(state)


@pytest.mark.parametrize(("game", "level", "signs"), [("tongiaki", None, 8), ("sunda", 0, 8), ("sunda", 1, 9), ("sunda", 5, 10)])
def test_a_legend_explains_what_the_game_has(game: str, level: int | None, signs: int) -> None:
    state = find_game(game, {} if level is None else {"level": level}).new(2, 3)
    assert len(drawing.drawer(state).legend(state)) == signs
    for sign in drawing.drawer(state).legend(state):
        ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{sign.markup}</svg>')  # noqa: S314  # our own


class Piles(Position):
    """Some piles of matches; it draws nothing."""

    piles: tuple[int, ...] = (3, 5)

    def moves(self) -> list[str]:
        """Take a whole pile."""
        return [str(number) for number, size in enumerate(self.piles) if size]

    def show(self) -> str:
        """One line for each pile."""
        return "\n".join("<" + "|" * size for size in self.piles)


def test_a_game_without_drawings_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = simple_game(Piles, "piles", title="Piles & more", players=(2, 2))
    monkeypatch.setitem(vars(registry)["_registry"]().plugins, "piles", plugin)
    monkeypatch.setitem(vars(registry)["_registry"]().registrations, "piles", registry.Registration("piles", "", "piles", "1"))
    state = registry.find_game("piles").new(2, 0)

    picture = drawing.svg(state, names=("Ann <1>", "Bob"))
    ElementTree.fromstring(picture)  # noqa: S314  # our own
    assert "&lt;|||||" in picture
    assert "Ann &lt;1&gt;" in picture
    assert drawing.lines(state) == ["<|||", "<|||||"]
    assert drawing.lines(state, height=1) == ["… 2 more lines"]
    assert drawing.drawer(state).sheet.title == "Piles & more"
    assert drawing.drawer(state).summarize(state).columns == {"points": (0, 0)}
    assert drawing.drawer(state).legend(state) == ()
    assert drawing.drawer(state).supply(state) is None
    assert drawing.drawer_of("piles").describe_event("roll 3").words == "roll 3"
    move = state.list_moves()[0]
    assert drawing.describe_move(state, move) == state.game.explain(move)


_NOTATION = re.compile(r"[LW]{4}|[-+]{4}|(on|off|,) beach|side \d|-?\d,-?\d")


@pytest.mark.parametrize(("name", "level"), [("tongiaki", None), ("sunda", 5)])
def test_moves_are_told_without_notation(name: str, level: int | None) -> None:
    state = find_game(name, {} if level is None else {"level": level}).new(3, 5)
    rng = Random(5)
    while state.actor is not None:
        for move in state.list_moves()[:20]:
            words = describe_move(state, move)
            assert not _NOTATION.search(words), words
        played = state.random_move(rng)
        state.play(played)
        words = describe_move(state, played, is_done=True)
        assert not _NOTATION.search(words), words


@pytest.mark.parametrize("name", ALL[::6])
def test_a_seat_is_told_the_same_as_a_spectator(name: str) -> None:
    timeline = timeline_of_vector(name)
    for state, move in zip(timeline.states, timeline.moves, strict=False):
        assert state.actor is not None
        words = [describe_move(view.position, move) for view in (state.view(state.actor), state.view(-1))]
        assert words == 2 * [describe_move(state, move)]


def test_a_beach_is_told_by_where_it_lies() -> None:
    state = find_game("tongiaki").new(2, 3)
    assert describe_move(state, state.list_moves()[0]) == "places a ship on the north beach of Tonga"


def test_landings_of_the_same_ships_are_told_together() -> None:
    timeline = timeline_of_vector("tongiaki/r2-70")
    assert [describe_move(timeline.states[at], timeline.moves[at]) for at in (27, 9)] == [
        "lands a ship on each of the north, north-east and south-west beaches of Muroroa",
        "lands on Tuvalu: a ship of seat 1 on the west beach; a ship of seat 0 on each of the north and east beaches",
    ]


@pytest.mark.parametrize("name", ["tongiaki", "sunda"])
def test_a_move_or_a_position_of_another_game_is_refused(name: str) -> None:
    state, other = find_game(name).new(2, 0), find_game({"tongiaki": "sunda", "sunda": "tongiaki"}[name]).new(2, 0)
    with pytest.raises(TypeError, match="not TextMove"):
        describe_move(state, TextMove("pass"))
    with pytest.raises(TypeError, match="not "):
        describe_move(other, state.list_moves()[0])


NOWHERE = {"pass", "recolonise", "land", "accept", "refuse", "skip", "agree", "stop", "raid", "wait", "seize"}
"""Moves that are nowhere on the board; a landing for which no berth is free is written without any."""


@pytest.mark.parametrize("name", [TONGIAKI, SUNDA, "sunda/turns-L5-3p-10"])
def test_a_move_on_the_board_is_drawn_there_and_any_other_is_not(name: str) -> None:
    timeline = timeline_of_vector(name)
    for state, move in zip(timeline.states, timeline.moves, strict=False):
        sketch = drawing.sketch(state, move)
        word, *rest = str(move).split()
        assert (sketch is None) == (word in NOWHERE and not (word == "land" and rest)), move
        if sketch is not None:
            x, y, width, height = sketch.box
            assert x < sketch.at[0] < x + width
            assert y < sketch.at[1] < y + height
            assert ElementTree.fromstring(f"<svg>{sketch.markup}</svg>").tag == "svg"  # noqa: S314  # our own


def test_a_ship_is_drawn_in_the_berth_that_it_takes() -> None:
    timeline = timeline_of_vector(TONGIAKI)
    state = timeline.states[0]
    sketch = drawing.sketch(state, state.game.parse("place 1"))
    assert sketch is not None
    after = state.copy()
    after.play(state.game.parse("place 1"))
    ships = [piece.markup for piece in drawing.scene(after).pieces.values() if 'class="ship"' in piece.markup]
    assert len(ships) == 1
    assert 'data-seat="0"' in sketch.markup
    assert drawing.sketch(after, state.game.parse("place 1")) != sketch, "the first berth is taken now"


def test_a_tile_is_sketched_where_it_would_lie() -> None:
    timeline = timeline_of_vector("sunda/turns-L0-2p-34")
    at = next(index for index, move in enumerate(timeline.moves) if str(move).startswith("place"))
    sketch = drawing.sketch(timeline.states[at], timeline.moves[at])
    assert sketch is not None
    after = drawing.scene(timeline.states[at + 1], last=timeline.moves[at], before=timeline.states[at])
    edge = after.pieces["last tile"].markup.partition('d="')[2].partition('"')[0]
    assert f'd="{edge}"' in sketch.markup
    assert isinstance(sketch.box, Box)


def test_a_move_of_another_game_is_refused() -> None:
    state = find_game("tongiaki").new(2, 1)
    with pytest.raises(TypeError, match="a Tongiaki move"):
        drawing.sketch(state, find_game("sunda").new(2, 1).legal_moves[0])
