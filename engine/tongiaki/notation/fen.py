"""Positions of Tongiaki as text: ``write_position`` and ``read_position``.

A position has one fact per line, so that it can be written by hand for a test or a bug report::

    tongiaki
    players 2
    decides 1 sail
    idle 3
    turn departures 2, laid, returned Tonga:1
    Tonga 0,0 0: 01 0 111 - 0 -
    Samoa 1,-1 4 royal 1
    W05 0,1 2
    deck W07 Nauru W01

``decides`` gives the seat and what it has to decide: ``place``, ``turn``, ``taken Samoa:0``, ``lay W05 recolonise`` (or ``collapse``),
``settle Samoa``, ``sail``, ``land Samoa 001``, ``over``. The line of a tile has its cell and its orientation; then, for an island, the
seats of the ships on each beach, or ``royal`` and the seat of the royal ship; for a water with stranded ships, ``stays`` and their seats.
``idle`` counts turns without a new tile, ``turn`` says what has happened in this turn, and ``end`` why the end is triggered; each is left
out if there is nothing to say. A view's text has ``unseen`` instead of ``deck``: the tiles are known, but not their order. It is read-only.
"""

from __future__ import annotations

import re
from typing import Final

from engine.core import Game, PositionError
from engine.tongiaki.board.board import ORIGIN, cell_of, coordinates
from engine.tongiaki.board.tiles import (
    BERTHS,
    FIRST_BEACH,
    ISLAND_OF_BEACH,
    N_BEACHES,
    N_ISLANDS,
    N_TILES,
    NAMES,
    SHIPS,
    TILE_OF_NAME,
    TONGA,
)
from engine.tongiaki.position import Ending, Phase
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.rules.legal import MAX_ROYALS
from engine.tongiaki.state import TongiakiState

_TILE: Final = re.compile(r"(\w+) (-?\d{1,2}),(-?\d{1,2}) ([0-5])(?:: ([-0-5 ]+)| royal ([0-5])| stays ([0-5]+))?", re.ASCII)
_COUNT: Final = re.compile(r"[0-9]{1,6}")
_ONCE: Final = frozenset(["decides", "idle", "turn", "end", "deck", "unseen"])
_FARTHEST: Final = N_TILES - 1
_WORDS_AFTER: Final = {Phase.TAKEN: 1, Phase.LAY: 2, Phase.SETTLE: 1, Phase.LAND: 2}


def write_position(state: TongiakiState) -> str:
    """Return the position as text; equal positions have equal texts."""
    lines = ["tongiaki", f"players {state.players}", f"decides {state.active} {_decision(state)}"]
    if state.idle:
        lines.append(f"idle {state.idle}")
    turn = [f"departures {state.departures}"] if state.departures else []
    if state.laid:
        turn.append("laid")
    turn += [f"returned {NAMES[island]}:{times}" for island, times in sorted(state.returned.items())]
    if turn:
        lines.append(f"turn {', '.join(turn)}")
    if state.ending is not None:
        lines.append(f"end {state.ending.value}")
    board = state.board
    lines += [_tile_line(state, island) for island in board.islands]
    lines += [_tile_line(state, water) for water in range(N_ISLANDS, N_TILES) if board.where[water] >= 0]
    deck = [NAMES[tile] for tile in reversed(state.deck)]
    lines.append(" ".join(["unseen" if state.read_only else "deck", *deck]))
    return "\n".join(lines) + "\n"


def _decision(state: TongiakiState) -> str:
    phase = state.phase
    if phase is Phase.TAKEN:
        island = ISLAND_OF_BEACH[state.taken_from]
        return f"taken {NAMES[island]}:{state.taken_from - FIRST_BEACH[island]}"
    if phase is Phase.LAY:
        return f"lay {NAMES[state.hand]} {'recolonise' if state.recolonising else 'collapse'}"
    if phase is Phase.SETTLE:
        return f"settle {NAMES[state.target]}"
    if phase is Phase.LAND:
        return f"land {NAMES[state.target]} {_seats(state.group)}"
    return phase.value


def _seats(packed: int) -> str:
    return "".join(map(str, packed_seats(packed))) or "-"


def _tile_line(state: TongiakiState, tile: int) -> str:
    board = state.board
    q, r = coordinates(board.where[tile])
    line = f"{NAMES[tile]} {q},{r} {board.turned[tile]}"
    if tile >= N_ISLANDS:
        return f"{line} stays {_seats(board.stranded[tile])}" if tile in board.stranded else line
    if board.royal[tile] >= 0:
        return f"{line} royal {board.royal[tile]}"
    first = FIRST_BEACH[tile]
    return f"{line}: {' '.join(_seats(board.packed[beach]) for beach in range(first, first + N_BEACHES[tile]))}"


def read_position(game: Game, text: str) -> TongiakiState:
    """Return the state that a text describes. Raises PositionError, which names the line at fault."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or lines[0] != "tongiaki":
        raise PositionError("a Tongiaki position must begin with the line 'tongiaki'")
    state = TongiakiState(game, _players(lines), [])
    decided = ""
    seen: set[str] = set()
    for line in lines[2:]:
        word, _, rest = line.partition(" ")
        try:
            if word in _ONCE:
                _check_once(word, seen)
            if word == "decides":
                decided = line
                state.active, state.phase = _who_decides(state.players, rest)
            elif word == "idle":
                state.idle = _count(rest)
            elif word == "turn":
                _read_turn(state, rest)
            elif word == "end":
                state.ending = Ending(rest)
            elif word in {"deck", "unseen"}:
                state.deck = [_tile(name) for name in reversed(rest.split())]
                state.read_only = word == "unseen"
            else:
                _read_tile(state, line)
        except PositionError as error:
            raise PositionError(f"line '{line}': {error}") from None
        except (ValueError, LookupError):
            raise PositionError(f"line '{line}' can't be read; docs/notation.md shows how a position is written") from None
    if not decided:
        raise PositionError("the line 'decides SEAT WHAT' is missing")
    try:
        _read_decision(state, decided.split(" ")[3:])
        _check(state)
    except PositionError as error:
        raise PositionError(f"line '{decided}': {error}" if state.phase is not Phase.OVER else str(error)) from None
    except (ValueError, LookupError):
        raise PositionError(f"line '{decided}' can't be read; docs/notation.md shows how a position is written") from None
    return state


def _check_once(word: str, seen: set[str]) -> None:
    word = "deck" if word == "unseen" else word
    if word in seen:
        raise PositionError("there is already such a line")
    seen.add(word)


def _count(text: str) -> int:
    if not _COUNT.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _players(lines: list[str]) -> int:
    match = re.fullmatch(r"players ([2-6])", lines[1]) if len(lines) > 1 else None
    if match is None:
        raise PositionError("the second line of a Tongiaki position must be 'players N' with N from 2 to 6")
    return int(match[1])


def _who_decides(players: int, rest: str) -> tuple[int, Phase]:
    seat, phase = rest.split(" ")[:2]
    if _count(seat) >= players:
        raise PositionError(f"there is no seat {seat}")
    return int(seat), Phase(phase)


def _tile(name: str) -> int:
    if name not in TILE_OF_NAME:
        raise PositionError(f"there is no tile '{name}'")
    return TILE_OF_NAME[name]


def _island(name: str) -> int:
    island = _tile(name)
    if island >= N_ISLANDS:
        raise PositionError(f"there is no island '{name}'")
    return island


def _read_turn(state: TongiakiState, rest: str) -> None:
    for part in rest.split(", "):
        word, _, value = part.partition(" ")
        if word == "departures":
            state.departures = _count(value)
        elif word == "returned":
            name, times = value.split(":")
            state.returned[_island(name)] = _count(times)
        elif part == "laid":
            state.laid = True
        else:
            raise PositionError(f"'{part}' should be 'departures N', 'laid' or 'returned ISLAND:N'")


def _read_tile(state: TongiakiState, line: str) -> None:
    match = _TILE.fullmatch(line)
    if match is None or match[1] not in TILE_OF_NAME:
        raise PositionError("it is neither a tile, such as 'W01 1,0 0', nor a line that begins with a word such as 'decides' or 'deck'")
    tile = _tile(match[1])
    q, r = int(match[2]), int(match[3])
    if max(abs(q), abs(r)) > _FARTHEST:
        raise PositionError(f"a tile can't lie more than {_FARTHEST} cells from 0,0")
    cell = cell_of(q, r)
    board = state.board
    if board.where[tile] >= 0 or cell in board.cells:
        raise PositionError("the tile or its cell occurs in an earlier line")
    board.lay(tile, cell, int(match[4]))
    if tile >= N_ISLANDS:
        if match[5] or match[6]:
            raise PositionError("a water can't have beaches or a royal ship")
        if match[7]:
            board.stranded[tile] = _pack(state, match[7])
    elif match[6]:
        if tile == TONGA:
            raise PositionError("Tonga can't be royal")
        board.royal[tile] = int(match[6])
        _pack(state, match[6])
    else:
        _read_beaches(state, tile, (match[5] or "").split(" "))


def _read_beaches(state: TongiakiState, island: int, beaches: list[str]) -> None:
    if len(beaches) != N_BEACHES[island]:
        raise PositionError(f"{NAMES[island]} has {N_BEACHES[island]} beaches, not {sum(map(bool, beaches))}; write - for an empty beach")
    for beach, seats in enumerate(beaches, start=FIRST_BEACH[island]):
        if len(seats) > BERTHS[beach]:
            raise PositionError(f"'{seats}' is more ships than the beach has berths")
        ships = "" if seats == "-" else seats
        _pack(state, ships)
        for seat in ships:
            state.board.put(beach, int(seat))


def _pack(state: TongiakiState, seats: str) -> int:
    packed = 0
    for digit in seats:
        seat = int(digit)
        if seat >= state.players:
            raise PositionError(f"there is no seat {seat}")
        if not state.supply[seat]:
            raise PositionError(f"seat {seat} has more than {SHIPS} ships")
        state.supply[seat] -= 1
        packed += 1 << 4 * seat
    return packed


def _read_decision(state: TongiakiState, rest: list[str]) -> None:
    phase = state.phase
    if len(rest) > _WORDS_AFTER.get(phase, 0):
        raise PositionError(f"nothing may follow '{' '.join([phase.value, *rest[: _WORDS_AFTER.get(phase, 0)]])}'")
    if phase is Phase.SETUP:
        state.placed = sum(SHIPS - supply for supply in state.supply)
    elif phase is Phase.TAKEN:
        name, beach = rest[0].split(":")
        island = _island(name)
        if _count(beach) >= N_BEACHES[island] or state.board.where[island] < 0:
            raise PositionError(f"there is no beach {beach} of {name} on the board")
        state.taken_from = FIRST_BEACH[island] + int(beach)
    elif phase is Phase.LAY:
        state.hand = _tile(rest[0])
        state.recolonising = {"recolonise": True, "collapse": False}[rest[1]]
    elif phase is Phase.SETTLE:
        state.target = _tile(rest[0])
        state.recolonising = True
    elif phase is Phase.LAND:
        state.target = _tile(rest[0])
        state.group = _pack(state, rest[1])


def _check(state: TongiakiState) -> None:
    board = state.board
    undrawn = [*state.deck, *([state.hand] if state.hand >= 0 else [])]
    known = [*board.cells.values(), *undrawn]
    if len(set(known)) != len(known):
        twice = next(tile for tile in known if known.count(tile) > 1)
        raise PositionError(f"{NAMES[twice]} occurs twice")
    if TONGA in undrawn:
        raise PositionError("Tonga can't be in the deck")
    if any(board.royals(seat) > MAX_ROYALS for seat in range(state.players)):
        raise PositionError(f"a seat can't have more than {MAX_ROYALS} royal islands")
    _check_end(state, undrawn)
    if state.phase in {Phase.SETTLE, Phase.LAND}:
        if state.target >= N_ISLANDS or board.where[state.target] < 0:
            raise PositionError(f"{NAMES[state.target]} is not an island on the board")
        if board.royal[state.target] >= 0:
            raise PositionError(f"{NAMES[state.target]} is royal")
    if state.phase is Phase.SETUP:
        if board.cells != {ORIGIN: TONGA}:
            raise PositionError("during set-up, Tonga must be the only tile and lie on 0,0")
        if state.active != state.placed % state.players or state.placed >= 2 * state.players:
            raise PositionError("during set-up, the seats must place one ship at a time in turn, two per seat in all")
    if board.full and state.phase in {Phase.SETUP, Phase.TURN, Phase.TAKEN, Phase.SETTLE}:
        raise PositionError("no beach can be full at the start of a turn")
    if state.phase is not Phase.OVER and not state.list_moves():
        raise PositionError("there is nothing to decide in this position")


def _check_end(state: TongiakiState, undrawn: list[int]) -> None:
    """Check that the end is triggered exactly when no island or no water is left to draw (RULES 6). Raises PositionError."""
    if state.phase is Phase.OVER and state.ending is None:
        raise PositionError("a game that is over must have a line 'end islands', 'end waters' or 'end idle'")
    islands = any(tile < N_ISLANDS for tile in undrawn)
    waters = any(tile >= N_ISLANDS for tile in undrawn)
    if state.ending in {None, Ending.IDLE}:
        if not (islands and waters):
            what, ending = ("water", Ending.WATERS) if islands else ("island", Ending.ISLANDS)
            raise PositionError(f"no {what} is left to draw, so there must be a line 'end {ending.value}'")
    elif islands if state.ending is Ending.ISLANDS else waters:
        raise PositionError(f"the line 'end {state.ending.value}' is wrong while {state.ending.value} are left to draw")
    if state.ending is not None and state.phase in {Phase.SETUP, Phase.TURN, Phase.TAKEN}:
        raise PositionError("the game must be over after the turn in which its end was triggered")
    if state.ending is Ending.IDLE and state.phase is not Phase.OVER:
        raise PositionError("with the line 'end idle', the game must be over")
