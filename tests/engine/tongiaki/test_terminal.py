from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.core import Move
from engine.render.palette import SEAT_COLORS
from engine.replay.format import read_replay
from engine.replay.verifier import walk
from engine.tongiaki import TONGIAKI, TongiakiState
from engine.tongiaki.board.tiles import N_ISLANDS
from engine.tongiaki.render.terminal import lines
from tests.engine.tongiaki.helpers import SMALL, VECTORS, played, position

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
    assert plain(state, height=6)[-1] == "cut off: 3 tiles north, 1 tile south"
    assert plain(state, width=20, height=6)[-1] == "cut off: 1E 3N 1S"
    assert plain(state, width=24)[-1] == "cut off: 1 tile east"


def test_each_seats_ships_have_its_colour() -> None:
    shown = "\n".join(lines(position(SMALL), color=True))
    for seat, ships in ((0, 3), (1, 4), (2, 3)):
        assert len(re.findall(rf"48;5;{SEAT_COLORS[seat].xterm}m{seat}+", shown)) >= 1
        assert sum(len(ships_shown) for ships_shown in re.findall(rf"48;5;{SEAT_COLORS[seat].xterm}m(\d+)", shown)) == ships


def test_no_two_tiles_have_the_same_short_name() -> None:
    from engine.tongiaki.render.terminal import _FORMS, _name

    for form in _FORMS:
        assert len({_name(tile, form) for tile in range(N_ISLANDS)}) == N_ISLANDS
