"""The notation of Sunda to Sahul positions. Reading checks that the position can occur in a game.

The notation has one fact per line, so that a position for a test or a bug report can be written by hand::

    sunda
    players 2
    dice 7 3
    turn 0 2
    tile LLLL+-++ 1,-2,0
    tribe 1,-1 0 1 1
    water 4,2 1
    resource 6 1,-1
    nodes 2,0 3,0
    rights 2
    decide land

- ``dice``: the seed, and the number of dice rolled so far
- ``turn``: the seat and its step; ``agreed``: how many seats in a row have agreed to end; ``raids``: how many each seat has made
- ``tribe``: a vertex, and the seats of its tokens from the bottom up
- ``pot 0 LLLL+--+ ...``: with private pots, the tiles left in each
- ``decide``: ``start``, ``lay``, ``choose 1`` (the seat), ``shift LLLL+-++`` (the tile just laid), ``land``, ``answer 1,-1``,
  ``resource 1,-1``, ``lake``, ``challenge``, ``seize 1 LLLL+--+`` (the victim, the stolen tile) or ``over tiles``

Lines of zeros, such as ``agreed 0``, are left out, and so are empty lines. ``engine.sunda.position`` explains ``nodes``, ``rights``,
``refused``, ``lakes``, ``claimed``, ``choice 0 wait`` and ``queue 2 0``. ``tokens`` are computed from the board; they may be given as a
check. In a view's notation, the seed of the dice and hidden choices are written as ``?``; such a position is read-only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, final

from engine.core import PositionError
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.claims import TOKENS, TRIBE_SIZE, Claims, controller
from engine.sunda.board.tiles import HALF_TURN, IDS, LAND, MASK_FITTING, N_TILES, PATTERN_OF_TILE, SYMMETRIC
from engine.sunda.board.trigrid import lozenge_of, triangles_of
from engine.sunda.notation.moves import (
    PLACE,
    RAID,
    WAIT,
    SundaMove,
    parse_move,
    read_number,
    read_placement,
    read_tile,
    read_vertex,
    write_placement,
    write_vertex,
)
from engine.sunda.options import SundaOptions
from engine.sunda.position import (
    ANSWER,
    BEGIN,
    CHOOSE,
    FIGHT,
    HIDDEN,
    LAKE_RIGHT,
    LAND_RIGHT,
    LAY,
    MAX_RAIDS,
    MEND,
    OVER,
    PHASE_WORDS,
    RESOURCE_RIGHT,
    STRIKE_BACK,
    Ending,
    Position,
)
from engine.sunda.rules.legal import can_place, challenges, count_moves, may_choose, may_join
from engine.sunda.rules.pots import TABLE, Dice, PotTiles


def write_position(p: Position) -> str:
    """Return the notation of a position; equal positions have the same notation."""
    lines = ["sunda", f"players {p.players}", f"dice {'?' if p.dice is None else p.dice.seed} {p.rolled}", f"turn {p.seat} {p.step + 1}"]
    if p.agreed:
        lines.append(f"agreed {p.agreed}")
    if any(p.raids):
        lines.append(f"raids {_numbers(p.raids)}")
    lines += _table(p)
    lines += _rights(p)
    for seat, choice in enumerate(p.choices):
        if choice is not None:
            lines.append(f"choice {seat} {'?' if choice is HIDDEN else choice}")
    if p.queue:
        lines.append(f"queue {_numbers(p.queue)}")
    lines.append(f"decide {_decision(p)}")
    return "\n".join(lines) + "\n"


def _numbers(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def _vertices(vertices: list[int]) -> str:
    return " ".join(map(write_vertex, vertices))


def _table(p: Position) -> list[str]:
    lines = [f"tile {IDS[tile]} {write_placement(place)}" for tile, place in sorted(p.board.lies.items())]
    if p.private:
        lines += [" ".join(["pot", str(seat), *(IDS[tile] for tile in p.pots.tiles(seat))]) for seat in range(p.players)]
    claims = p.claims
    lines += [f"tribe {write_vertex(vertex)} {_numbers(list(tribe))}" for vertex, tribe in sorted(claims.tribes.items())]
    lines += [f"water {write_vertex(lake)} {seat}" for lake, seat in sorted(claims.lakes.items())]
    lines += [f"resource {value} {write_vertex(vertex)}" for value, vertex in sorted(claims.markers)]
    return lines


def _rights(p: Position) -> list[str]:
    lines: list[str] = []
    if p.nodes:
        lines.append(f"nodes {_vertices(p.nodes)}")
    if p.rights:
        lines.append(f"rights {p.rights}")
    if p.refused:
        lines.append(f"refused {_vertices(p.refused)}")
    if p.lakes:
        lines.append(f"lakes {_vertices(p.lakes)}")
    if p.has_claimed:
        lines.append("claimed")
    return lines


def _decision(p: Position) -> str:
    word = PHASE_WORDS[p.phase]
    if p.phase == CHOOSE:
        return f"{word} {p.chosen}"
    if p.phase == MEND:
        return f"{word} {IDS[p.newest]}"
    if p.phase in {ANSWER, RESOURCE_RIGHT}:
        return f"{word} {write_vertex(p.focus)}"
    if p.phase == STRIKE_BACK:
        return f"{word} {p.victim} {IDS[p.stolen]}"
    if p.phase == OVER and p.ending is not None:
        return f"{word} {p.ending.value}"
    return word


T = TypeVar("T")

_ONCE: Final = (
    *("sunda", "players", "dice", "turn", "agreed", "tokens", "raids"),
    *("nodes", "rights", "refused", "lakes", "claimed", "queue", "decide"),
)
_OFTEN: Final = ("tile", "pot", "tribe", "water", "resource", "choice")


def read_position(text: str, options: SundaOptions) -> Position:
    """Return the position with this notation in a game with these options. Raises PositionError; the message names the invalid line."""
    return _Reader(text, options).position


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise PositionError(sentence)


@final
class _Reader:
    """Reads the lines of a notation, grouped by their first words, into ``position``."""

    def __init__(self, text: str, options: SundaOptions) -> None:
        self.lines: dict[str, list[list[str]]] = {word: [] for word in _ONCE + _OFTEN}
        for line in text.splitlines():
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] not in self.lines:
                raise PositionError(f"{line!r}: a line of a position must begin with one of {', '.join(sorted(self.lines))}")
            if words[0] in _ONCE and self.lines[words[0]]:
                raise PositionError(f"{line!r}: a position can have only one {words[0]!r} line")
            self.lines[words[0]].append(words[1:])
        players = self._one("players", read_number, default=2)
        most = 1 if options.is_private else 0
        _require(most < players <= 4, f"players {players}: these options are for {most + 1} to 4 players")
        pots = PotTiles(players if options.is_private else 1)
        self.position = Position(options, players, SundaBoard(), Claims(players, options.resources), pots)
        self._read_source()
        self._read_tiles()
        self._read_pots()
        self._read_claims()
        self._read_turn()
        self._read_rights()
        self._read_choices()
        self._read_decision()

    # Words

    def _only(self, word: str) -> list[str]:
        lines = self.lines[word]
        return lines[0] if lines else []

    def _value(self, word: str, read: Callable[[str], T], text: str) -> T:
        try:
            return read(text)
        except ValueError as error:  # or an EngineError, a subclass
            raise PositionError(f"{word}: {error}") from None

    def _one(self, word: str, read: Callable[[str], T], *, default: T) -> T:
        lines = self.lines[word]
        if not lines:
            return default
        _require(len(lines[0]) == 1, f"{word} takes one value, not {len(lines[0])}")
        return self._value(word, read, lines[0][0])

    def _many(self, word: str, read: Callable[[str], T]) -> list[T]:
        return [self._value(word, read, text) for text in self._only(word)]

    def _seat(self, word: str, text: str) -> int:
        seat = self._value(word, read_number, text)
        _require(0 <= seat < self.position.players, f"{word}: there is no seat {seat}")
        return seat

    # Lines

    def _read_source(self) -> None:
        p = self.position
        words = self._only("dice") or ["0", "0"]
        _require(len(words) == 2, "dice takes a seed (or ?) and the number of dice rolled so far")
        p.rolled = self._value("dice", read_number, words[1])
        seed = None if words[0] == "?" else self._value("dice", _read_seed, words[0])
        _require(p.rolled >= 0 and (seed is None or seed >= 0), "dice: neither number may be negative")
        if seed is not None:
            p.dice = Dice(seed, after_deal=p.private)

    def _read_tiles(self) -> None:
        board = self.position.board
        for words in self.lines["tile"]:
            _require(len(words) == 2, "tile takes an id and a placement x,y,d")
            tile = self._value("tile", read_tile, words[0])
            placement = self._value("tile", read_placement, words[1])
            _require(tile not in board.lies, f"tile {words[0]} occurs twice")
            _require(not SYMMETRIC[tile] or placement % 6 < 3, f"tile {words[0]}: the direction of a symmetric tile must be 0, 1 or 2")
            lozenge = lozenge_of(placement)
            pattern = PATTERN_OF_TILE[tile] if lozenge == placement else HALF_TURN[PATTERN_OF_TILE[tile]]
            _require(board.spots.cover.keys().isdisjoint(triangles_of(lozenge)), f"tile {' '.join(words)} overlaps another tile")
            fits = MASK_FITTING[board.spots.demand(lozenge)] >> pattern & 1
            _require(bool(fits), f"tile {' '.join(words)} does not match the tiles next to it")
            board.lay(tile, placement)

    def _read_pots(self) -> None:
        p = self.position
        if not p.private:
            _require(not self.lines["pot"], "pot: a shared pot can't be given, since it holds every tile that is not on the board")
            for tile in range(N_TILES):
                if tile not in p.board.lies:
                    p.pots.add(tile, 0)
            return
        for words in self.lines["pot"]:
            _require(bool(words), "pot takes a seat and tiles")
            seat = self._seat("pot", words[0])
            for name in words[1:]:
                tile = self._value("pot", read_tile, name)
                _require(tile not in p.board.lies and p.pots.pot_of[tile] == TABLE, f"pot {seat}: {name} is on the board or in two pots")
                p.pots.add(tile, seat)
        for tile in range(N_TILES):
            _require(tile in p.board.lies or p.pots.pot_of[tile] != TABLE, f"pot: tile {IDS[tile]} is neither in a pot nor on the board")

    def _read_claims(self) -> None:
        p = self.position
        claims = p.claims
        for words in self.lines["tribe"]:
            _require(2 <= len(words) <= TRIBE_SIZE + 1, "tribe takes a vertex and the seats of one to five tokens from the bottom up")
            vertex = self._value("tribe", read_vertex, words[0])
            _require(_is_node(p.board, vertex), f"tribe {words[0]}: this vertex is not a land node")
            _require(vertex not in claims.tribes and (len(words) == 2 or p.level >= 2), f"tribe {words[0]}: too many tokens for one node")
            for text in words[1:]:
                claims.add_to_tribe(vertex, self._seat("tribe", text))
        for words in self.lines["water"]:
            _require(len(words) == 2, "water takes a vertex and a seat")
            lake = self._value("water", read_vertex, words[0])
            _require(p.level >= 1 and _is_lake(p.board, lake), f"water {words[0]}: this vertex is not the smallest vertex of a lake")
            _require(lake not in claims.lakes, f"water {words[0]} is claimed twice")
            claims.add_to_lake(p.board, lake, self._seat("water", words[1]))
        for words in self.lines["resource"]:
            _require(len(words) == 2 and p.level >= 5, "resource takes a value and a vertex, from level 5 on")
            value = self._value("resource", read_number, words[0])
            vertex = self._value("resource", read_vertex, words[1])
            _require(value in claims.supply, f"resource {value}: there is no such marker left")
            _require(vertex in claims.lakes or _is_node(p.board, vertex), f"resource {value} {words[1]}: this is not a node with a token")
            claims.add_marker(value, vertex)
        _require(min(claims.tokens) >= 0, f"a seat has more than its {TOKENS[p.players]} tokens on the board")
        _require(not (p.alone and claims.held), "there are no tokens or markers in solo play")
        left = self._many("tokens", read_number)
        _require(not left or left == claims.tokens, f"tokens: according to the tokens on the board, {claims.tokens} are left")

    def _read_turn(self) -> None:
        p = self.position
        words = self._only("turn") or ["0", "1"]
        _require(len(words) == 2, "turn takes a seat and step 1 or 2")
        p.seat = self._seat("turn", words[0])
        p.step = self._value("turn", read_number, words[1]) - 1
        _require(p.step in {0, 1} and not (p.ticks and p.step), "turn takes a seat and step 1 or 2 (in ticks always 1)")
        p.agreed = self._one("agreed", read_number, default=0)
        _require(0 <= p.agreed <= p.players, f"agreed {p.agreed}: there are only {p.players} players")
        raids = self._many("raids", read_number)
        if raids:
            in_range = len(raids) == p.players and p.ticks and min(raids) >= 0 and max(raids) <= MAX_RAIDS
            _require(in_range, f"raids takes a number up to {MAX_RAIDS} for each seat of a simultaneous game")
            p.raids = raids

    def _read_rights(self) -> None:
        p = self.position
        p.nodes = sorted(self._many("nodes", read_vertex))
        for node in p.nodes:
            _require(_is_node(p.board, node) and node not in p.claims.tribes, f"nodes: {write_vertex(node)} is not a free land node")
        p.rights = self._one("rights", read_number, default=0)
        _require(0 <= p.rights <= min(2, len(p.nodes)), f"rights {p.rights}: it must be at most 2, and at most the number of nodes")
        p.refused = sorted(self._many("refused", read_vertex))
        for vertex in p.refused:
            _require(vertex in p.claims.tribes, f"refused: there is no tribe at {write_vertex(vertex)}")
        p.lakes = sorted(self._many("lakes", read_vertex))
        for lake in p.lakes:
            _require(_is_lake(p.board, lake) and lake not in p.claims.lakes, f"lakes: {write_vertex(lake)} is not a lake without an owner")
        _require(not self._only("claimed"), "claimed takes no value")
        p.has_claimed = bool(self.lines["claimed"])

    def _read_choices(self) -> None:
        p = self.position
        for words in self.lines["choice"]:
            _require(len(words) >= 2 and p.ticks, "choice takes a seat and a move, in a simultaneous game")
            seat = self._seat("choice", words[0])
            move = HIDDEN if words[1] == "?" else self._value("choice", parse_move, " ".join(words[1:]))
            _require(move is HIDDEN or move.kind in {PLACE, RAID, WAIT}, f"choice {seat}: {' '.join(words[1:])} can't be chosen in a tick")
            p.choices[seat] = move
        p.queue = [self._seat("queue", text) for text in self._only("queue")]
        _require(len(set(p.queue)) == len(p.queue), "queue: a seat occurs twice")

    def _read_decision(self) -> None:
        p = self.position
        words = self._only("decide") or ["lay"]
        _require(words[0] in PHASE_WORDS, f"decide {words[0]}: it must be one of {', '.join(PHASE_WORDS)}")
        p.phase = PHASE_WORDS.index(words[0])
        takes = {CHOOSE: 1, MEND: 1, ANSWER: 1, RESOURCE_RIGHT: 1, STRIKE_BACK: 2, OVER: 1}.get(p.phase, 0)
        _require(len(words) == takes + 1, f"decide {words[0]} takes {takes} more value{'' if takes == 1 else 's'}")
        if p.phase == CHOOSE:
            p.chosen = self._seat("decide", words[1])
        elif p.phase == MEND:
            p.newest = self._value("decide", read_tile, words[1])
        elif p.phase in {ANSWER, RESOURCE_RIGHT}:
            p.focus = self._value("decide", read_vertex, words[1])
        elif p.phase == STRIKE_BACK:
            p.victim = self._seat("decide", words[1])
            p.stolen = self._value("decide", read_tile, words[2])
        elif p.phase == OVER:
            _require(words[1] in tuple(Ending), f"decide over {words[1]}: it must be one of {', '.join(Ending)}")
            p.ending = Ending(words[1])
        _check_decision(p)
        _check_tick(p)


def _read_seed(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{text!r} is not a seed")
    return int(text)


def _is_node(board: SundaBoard, vertex: int) -> bool:
    return board.is_closed(vertex) and board.types[vertex] == LAND


def _is_lake(board: SundaBoard, vertex: int) -> bool:
    if vertex not in board.types or board.types[vertex] == LAND or not board.is_complete(vertex):
        return False
    return board.islands.smallest(board.islands.name[vertex]) == vertex


def _check_decision(p: Position) -> None:
    word = PHASE_WORDS[p.phase]
    _require(bool(p.board.lies) == (p.phase != BEGIN), f"decide {word}: the board must be empty at the start, and must not be empty later")
    spaces = {space for placement in p.board.lies.values() for space in p.board.spots.spaces_at(lozenge_of(placement))}
    if p.phase == MEND:
        by_newest = p.newest in p.board.lies and p.board.spots.spaces_at(lozenge_of(p.board.lies[p.newest])) == list(spaces)
        _require(len(spaces) == 1 and by_newest, f"decide {word}: the board must have one triangular space, next to {IDS[p.newest]}")
    else:
        _require(not spaces, f"decide {word}: the board has a triangular space")
    _require(_can_stand(p), f"decide {word}: there is no such decision in this position")


def _can_stand(p: Position) -> bool:
    phase = p.phase
    has_token = p.claims.tokens[p.seat] > 0
    if phase == LAY:
        return not p.ticks and can_place(p, p.seat)
    if phase == CHOOSE:
        return p.ticks
    if phase == MEND:
        return count_moves(p) > 0
    if phase == LAND_RIGHT:
        return p.rights > 0 and has_token
    if phase == ANSWER:
        asked = p.claims.tribes.get(p.focus)
        return asked is not None and p.level >= 3 and has_token and p.rights > 0 and controller(asked) != p.seat and may_join(p, p.focus)
    if phase == RESOURCE_RIGHT:
        has_tokens = p.focus in p.claims.tribes or p.focus in p.claims.lakes
        return p.level >= 5 and has_tokens and p.claims.may_add_marker(p.board, p.focus)
    if phase == LAKE_RIGHT:
        return bool(p.lakes) and has_token
    if phase == FIGHT:
        return p.level >= 4 and p.has_claimed and bool(challenges(p))
    if phase == STRIKE_BACK:
        return p.ticks and p.victim != p.seat and p.pots.pot_of[p.stolen] == p.seat and p.pots.sizes[p.seat] > 1
    return True


def _check_tick(p: Position) -> None:
    chosen = [seat for seat in range(p.players) if p.choices[seat] is not None]
    if p.phase == CHOOSE:
        _require(chosen == list(range(p.chosen)), "choice: exactly the seats before the seat that has to choose must have chosen")
        _require(not p.queue, "queue: it must be empty while seats choose")
        for seat in chosen:
            move = p.choices[seat]
            _require(move is HIDDEN or (move is not None and may_choose(p, seat, move)), f"choice {seat}: {move} is not legal")
        return
    _require(sorted(p.queue) == chosen, "queue: it must contain exactly the seats whose choices are still to be carried out")
    for seat in chosen:
        move = p.choices[seat]
        _require(isinstance(move, SundaMove) and move.kind in {PLACE, RAID}, f"choice {seat}: only place and raid can be carried out")
