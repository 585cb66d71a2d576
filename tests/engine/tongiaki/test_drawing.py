"""Pictures: each tile and ship once and in its place, as SVG and in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import cos, radians, sin, sqrt
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.core import Move
from engine.render.drawing import svg
from engine.render.palette import SEAT_COLORS
from engine.replay.format import read_replay
from engine.replay.verifier import walk
from engine.tongiaki import TONGIAKI, Phase, TongiakiState
from engine.tongiaki.board.tiles import ISLANDS, N_ISLANDS, NAMES, TILE_OF_NAME, WATERS
from engine.tongiaki.render.last_move import marks_of
from engine.tongiaki.render.terminal import lines
from tests.engine.tongiaki.helpers import SMALL, VECTORS, played, position

SVG = "{http://www.w3.org/2000/svg}"

STEPS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""Directions 0 to 5 of RULES 1."""

SOME = ("r2-409", "r3-73", "r4-45", "r6-169")


def replayed(name: str) -> Iterator[tuple[TongiakiState, Move | None, TongiakiState | None]]:
    """Each position of a vector, with the move that led to it and the position before."""
    path = next(path for path in VECTORS if path.stem == name)
    before = None
    for state, move in walk(read_replay(path.read_text())):
        assert isinstance(state, TongiakiState)
        yield state, move, before
        before = state.copy()


def drawn(state: TongiakiState, last: str = "", before: TongiakiState | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(svg(state, last=TONGIAKI.parse(last) if last else None, before=before))  # noqa: S314  # our own


def tiles(picture: ElementTree.Element) -> dict[str, ElementTree.Element]:
    groups = [element for element in picture.iter(f"{SVG}g") if element.get("class") in {"island", "water"}]
    named = {element.get("data-tile", ""): element for element in groups}
    assert len(named) == len(groups), "no tile is drawn twice"
    return named


def seats(element: ElementTree.Element, kind: str = "ship") -> list[int]:
    return sorted(int(group.get("data-seat", "")) for group in element.iter(f"{SVG}g") if group.get("class") == kind)


def shift(element: ElementTree.Element) -> tuple[float, float]:
    match = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    assert match is not None
    return float(match[1]), float(match[2])


def rotation(element: ElementTree.Element) -> float:
    match = re.search(r"rotate\((\S+)\)", element.get("transform", ""))
    return float(match[1]) if match else 0.0


def middle(q: float, r: float) -> tuple[float, float]:
    """RULES 1: flat-topped, north is (0,-1) and up, south-east is (1,0)."""
    return 150 * q, 100 * sqrt(3) * (r + q / 2)


def half_way(direction: int) -> tuple[float, float]:
    """Where a tile meets its neighbour in that direction."""
    x, y = middle(*STEPS[direction % 6])
    return x / 2, y / 2


def turned(x: float, y: float, angle: float) -> tuple[float, float]:
    sine, cosine = sin(radians(angle)), cos(radians(angle))
    return x * cosine - y * sine, x * sine + y * cosine


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SOME)
def test_every_position_of_a_game_shows_each_tile_and_each_ship_once(name: str) -> None:
    for state, move, before in replayed(name):
        text = svg(state, last=move, before=before)
        assert len(text) < 150_000
        picture = ElementTree.fromstring(text)  # noqa: S314  # our own
        laid = tiles(picture)
        assert set(laid) == {NAMES[tile] for tile in state.board.cells.values()}
        for seat in range(state.players):
            board = next(element for element in picture if element.get("class") == "board")
            ashore = sum(packed >> 4 * seat & 15 for packed in (*state.board.packed, *state.board.stranded.values()))
            assert seats(board).count(seat) == ashore
            assert seats(board, "royal").count(seat) == state.board.royals(seat)


def test_a_tile_lies_where_its_coordinates_say() -> None:
    laid = tiles(drawn(position(SMALL)))
    for name, (q, r) in {"Tonga": (0, 0), "Samoa": (1, -1), "Nauru": (-1, 0), "W05": (0, 1)}.items():
        assert shift(laid[name]) == pytest.approx(middle(q, r), abs=0.06)


@pytest.mark.parametrize("orientation", range(6))
@pytest.mark.parametrize("name", ["Samoa", "Tuamotu", "Muroroa"])
def test_the_crest_faces_the_orientation_and_piers_the_sides_counted_from_it(name: str, orientation: int) -> None:
    state = position(f"tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 01 01 - - - -\n{name} 0,1 {orientation}:{' -' * _beaches(name)}")
    tile = tiles(drawn(state))[name]
    inner = next(element for element in tile if element.tag == f"{SVG}g" and rotation(element) == 60 * orientation)
    crest = next(element for element in inner if element.get("href") == "#tg-crest")
    assert turned(0, -86.6, rotation(inner) + rotation(crest)) == pytest.approx(half_way(orientation), abs=0.1)
    piers = [element for element in inner if element.get("class") == "pier"]
    sides = [(beach, side) for beach, each in enumerate(ISLANDS[TILE_OF_NAME[name]].beaches) for side in each.piers]
    assert len(piers) == len(sides)
    for pier, (beach, side) in zip(piers, sides, strict=True):
        assert pier.get("data-beach") == str(beach)
        assert turned(0, -86.6, rotation(inner) + rotation(pier)) == pytest.approx(half_way(orientation + side), abs=0.1)


def _beaches(name: str) -> int:
    return len(ISLANDS[TILE_OF_NAME[name]].beaches)


@pytest.mark.parametrize("number", range(len(WATERS)))
def test_a_foam_route_joins_its_two_sides_and_shows_its_number(number: int) -> None:
    orientation = number % 6
    state = position(
        f"tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 01 01 - - - -\n{WATERS[number].name} 0,1 {orientation}",
        deck=f"deck {WATERS[number - 1].name} Oahu",
    )

    tile = tiles(drawn(state))[WATERS[number].name]

    routes = [element for element in tile.iter(f"{SVG}g") if element.get("class") == "route"]
    for route, expected in zip(routes, WATERS[number].routes, strict=True):
        coordinates_of = [float(number) for number in re.findall(r"-?[\d.]+", route[0].get("d", ""))]
        for end, side in zip((coordinates_of[:2], coordinates_of[-2:]), expected.sides, strict=True):
            assert turned(end[0], end[1], 60 * orientation) == pytest.approx(half_way(orientation + side), abs=0.2)
    badges = [element[1].text for element in tile.iter(f"{SVG}g") if element.get("class") == "colors"]
    assert badges == [str(route.colors) for route in WATERS[number].routes if route.colors > 1]


def test_a_ship_has_its_seats_colour_and_number_counted_from_one() -> None:
    picture = drawn(position(SMALL))
    assert len({color.hex for color in SEAT_COLORS}) == len({color.xterm for color in SEAT_COLORS}) == 6
    for ship in (element for element in picture.iter(f"{SVG}g") if element.get("class") == "ship"):
        seat = int(ship.get("data-seat", ""))
        hull, number = ship
        assert (hull.get("fill"), number.text) == (SEAT_COLORS[seat].hex, str(seat + 1))


def test_a_royal_island_shows_the_mask_and_neither_ships_nor_berths() -> None:
    nauru = tiles(drawn(position(SMALL)))["Nauru"]
    assert (seats(nauru, "royal"), seats(nauru)) == ([2], [])
    assert not [element for element in nauru.iter(f"{SVG}use") if element.get("class") == "berth"]


def marked(picture: ElementTree.Element) -> set[str]:
    return {element.get("data-tile", "") for element in picture.iter(f"{SVG}g") if element.get("class") == "last"}


def fresh(picture: ElementTree.Element) -> int:
    return sum(element.get("class") == "new" for element in picture.iter(f"{SVG}circle"))


def test_the_last_move_is_marked_with_its_new_ships() -> None:
    before = position(SMALL)
    after = played(before.copy(), "expand Samoa 0,2")
    picture = drawn(after, "expand Samoa 0,2", before)
    assert (marked(picture), fresh(picture)) == ({"Samoa"}, 2)
    assert marked(drawn(after)) == set()


def test_a_landing_is_marked_when_the_position_before_is_known() -> None:
    before = position(
        "tongiaki\nplayers 2\ndecides 0 land Samoa 01\nTonga 0,0 0: 0 1 - - - -\nSamoa 0,-1 0: - - -\n"
        "Oahu 0,1 0: 0 1 -\nHawaii 1,0 0: 0 1 -"
    )
    after = played(before.copy(), "land 0:0 1:1")
    assert marked(drawn(after, "land 0:0 1:1", before)) == {"Samoa"}
    assert marked(drawn(after, "land 0:0 1:1")) == set(), "it may have been Oahu, so nothing is claimed"


def test_a_collapsed_island_is_marked_where_it_lay() -> None:
    before, after, move = next(
        (before, state.copy(), move)
        for state, move, before in replayed("r2-409")
        if any(event.startswith("collapses") for event in state.events)
    )
    picture = drawn(after, str(move), before)
    sunk = [element for element in picture.iter(f"{SVG}g") if element.get("class") == "sunk"]
    assert len(sunk) == sum(event.startswith("collapses") for event in after.events)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_drawn_voyage_ends_where_the_group_did(path: Path) -> None:
    for state, move, before in replayed(path.stem):
        marks = marks_of(state, move, before)
        assert all(state.board.where[tile] >= 0 for tile in marks.tiles)
        if not marks.voyage:
            continue
        last = marks.voyage[-1][0]
        words = {event.rsplit(" ", 1)[0]: event.rsplit(" ", 1)[1] for event in state.events}
        ends = [words[word] for word in ("turns back", "fails", "stays") if word in words]
        if not ends and state.phase is Phase.LAND:
            ends = [NAMES[state.target]]
        assert NAMES[last] == ends[0]
        assert marks.voyage[0][0] == getattr(move, "island", None)
        laid = {event.split(" ")[1] for event in state.events if event.startswith("draw ")}
        assert {TILE_OF_NAME[name] for name in laid} - {state.hand} <= marks.tiles


def test_the_tile_in_hand_and_a_waiting_group_stand_beside_the_board() -> None:
    start = position(SMALL, deck="deck W02 Mangareva W04 Rarotonga")
    in_hand = drawn(played(start.copy(), "recolonise"))
    assert "in hand: W02" in "".join(in_hand.itertext())
    waiting = drawn(position("tongiaki\nplayers 2\ndecides 0 land Samoa 011\nTonga 0,0 0: 0 1 - - - -\nSamoa 0,-1 0: - - -"))
    assert [seats(sign) for sign in waiting.iter(f"{SVG}svg") if sign is not waiting] == [[0, 1, 1]]


def test_a_picture_needs_nothing_from_outside_and_runs_nothing() -> None:
    *_, (state, move, before) = replayed("r4-45")
    text = svg(state, last=move, before=before)
    assert not re.search(r"<script|<foreignObject|\bon\w+=|<image|@import|javascript:", text)
    assert set(re.findall(r'href="(.)', text)) == {"#"}
    assert set(re.findall(r"https?://[^\"]*", text)) == {"http://www.w3.org/2000/svg"}


ANSI = re.compile(r"\x1b\[[0-9;]*m")


def plain(state: TongiakiState, last: str = "", width: int = 80, height: int | None = None) -> list[str]:
    return lines(state, last=TONGIAKI.parse(last) if last else None, width=width, height=height, color=False)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", VECTORS[::3], ids=lambda path: path.stem)
@pytest.mark.parametrize(("width", "height"), [(80, None), (80, 12), (40, 9), (21, 5), (9, 2), (200, 60)])
def test_no_line_is_wider_and_no_board_higher_than_asked(path: Path, width: int, height: int | None) -> None:
    before: TongiakiState | None = None
    for state, move in walk(read_replay(path.read_text())):
        assert isinstance(state, TongiakiState)
        _check(state, move, before, width, height)
        before = state.copy()


def _check(state: TongiakiState, last: Move | None, before: TongiakiState | None, width: int, height: int | None) -> None:
    without = lines(state, last=last, before=before, width=width, height=height, color=False)
    colored = lines(state, last=last, before=before, width=width, height=height, color=True)
    assert all(len(line) <= width for line in without)
    assert height is None or len(without) <= height
    assert not any("\x1b" in line for line in without)
    assert [ANSI.sub("", line).rstrip() for line in colored] == without


def test_a_small_board_looks_like_this() -> None:
    assert plain(position(SMALL)) == [
        "┌Nauru────2┐          ┌Samoa────5┐",
        "│          │          │↖↑0··     │",
        "│royal 2   ├Tonga────0┤↗↘112·    │",
        "│          │↑01· ↗0·· │↓·····    │",
        "└──────────┤↘··· ↓2·· ├──────────┘",
        "           │↙··· ↖1·· │",
        "           ├W05───────┤",
        "           │↗─↙ 4     │",
        "           │↑─↘ 3     │",
        "           │↓─↖       │",
        "           └──────────┘",
    ]


def test_a_narrow_terminal_gets_narrow_tiles() -> None:
    assert plain(position(SMALL), width=25) == [
        "┌Nauru─2┐       ┌Samoa─5┐",
        "│       │       │↖↑0··  │",
        "│royal 2├Tonga─0┤↗↘112· │",
        "│       │01· 0··│↓····· │",
        "└───────┤··· 2··├───────┘",
        "        │··· 1··│",
        "        ├W05────┤",
        "        │↗─↙4   │",
        "        │↑─↘3   │",
        "        │↓─↖    │",
        "        └───────┘",
    ]


def test_the_last_move_has_a_thick_frame() -> None:
    state = played(position(SMALL), "expand Samoa 0,2")
    shown = plain(state, "expand Samoa 0,2")
    assert shown[:5] == [
        "┌Nauru────2┐          ┏Samoa━━━━5┓",
        "│          │          ┃↖↑01·     ┃",
        "│royal 2   ├Tonga────0┃↗↘112·    ┃",
        "│          │↑01· ↗0·· ┃↓1····    ┃",
        "└──────────┤↘··· ↓2·· ┗━━━━━━━━━━┛",
    ]


def test_what_is_cropped_is_told() -> None:
    state = position(SMALL)
    assert plain(state, height=6)[-1] == "cut off: 4 of 4 tiles, wholly or in part"
    assert plain(state, width=20, height=6)[-1] == "cut off: 4 of 4 tile"
    assert plain(state, width=24)[-1] == "cut off: 1 of 4 tiles, w"


def test_each_seats_ships_have_its_colour() -> None:
    shown = "\n".join(lines(position(SMALL), color=True))
    for seat, ships in ((0, 3), (1, 4), (2, 3)):
        assert len(re.findall(rf"48;5;{SEAT_COLORS[seat].xterm}m{seat}+", shown)) >= 1
        assert sum(len(ships_shown) for ships_shown in re.findall(rf"48;5;{SEAT_COLORS[seat].xterm}m(\d+)", shown)) == ships


def test_no_two_tiles_have_the_same_short_name() -> None:
    from engine.tongiaki.render.terminal import _FORMS, _name

    for form in _FORMS:
        assert len({_name(tile, form) for tile in range(N_ISLANDS)}) == N_ISLANDS
