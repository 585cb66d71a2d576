"""Pictures as pieces, and what is told beside them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from engine import registry
from engine.registry import find_game
from engine.render import drawing
from engine.render.scene import Box, EventText, Scene
from engine.render.svg import from_one
from engine.simple import Position, simple_game
from engine.sunda.render import move_text as sunda_text
from engine.tongiaki.render import move_text as tongiaki_text


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
        ("draw Rapa_Nui", "draws Rapa Nui"),
        ("draw W05", "draws the water W05"),
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
                "dice for the order: seat 3, seat 2, seat 0, seat 1",
                (("seat 0", (5,)), ("seat 1", (2,)), ("seat 2", (5, 3)), ("seat 3", (5, 6))),
            ),
        ),
        ("unable 1", EventText("seat 1 has no place for a tile")),
        ("void 2", EventText("the choice of seat 2 does nothing any more")),
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
    assert len(drawing.legend(state)) == signs
    picture = drawing.svg(state)
    for sign in drawing.legend(state):
        assert from_one(sign.words) in picture
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
    assert drawing.sheet(state).title == "Piles & more"
    assert drawing.summarize(state).columns == {"points": (0, 0)}
    assert drawing.legend(state) == ()
    assert drawing.supply(state) is None
    assert drawing.describe_event("piles", "roll 3").words == "roll 3"
    move = state.list_moves()[0]
    assert drawing.describe_move(state, move) == state.game.explain(move)
