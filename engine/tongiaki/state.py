"""A position of Tongiaki and how each move changes it: turns, voyages, collapses, the end. Tables and geometry live elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import Final, final

from engine.core import Game, IllegalMoveError, InvalidMoveError, Move, Outcome, PositionError, ReadOnlyError, State, shared_ranks
from engine.tongiaki.board import DELTA, Board, cell_of
from engine.tongiaki.chain import DEPARTURES_GUARD, collapsing, is_sail_move, returns, sail_moves
from engine.tongiaki.landing import landings, may_land, packed_colors
from engine.tongiaki.moves import (
    CROWN,
    ENTER,
    EXPAND,
    LAND,
    LAY,
    PASS,
    PLACE,
    PLACES,
    RECOLONISE,
    SAIL,
    SETTLE,
    SETTLES,
    TAKE,
    TongiakiMove,
)  # fmt: skip
from engine.tongiaki.tiles import (
    BEACH_OF_PIER,
    BERTHS,
    FIRST_BEACH,
    N_BEACHES,
    N_ISLANDS,
    NAMES,
    ROUTE_COLORS,
    ROUTE_EXIT,
    SHIPS,
    TILE_OF_NAME,
    TONGA,
)
from engine.tongiaki.turns import count_turn_moves, is_taken_move, is_turn_move, taken_moves, turn_moves

IDLE_ROUNDS: Final = 10


class Ending(StrEnum):
    """Why a game of Tongiaki was over (RULES 6)."""

    ISLANDS = "islands"
    WATERS = "waters"
    IDLE = "idle"


class Phase(StrEnum):
    """What the active player has to decide."""

    SETUP = "place"
    TURN = "turn"
    TAKEN = "taken"
    LAY = "lay"
    SETTLE = "settle"
    SAIL = "sail"
    LAND = "land"
    OVER = "over"


@final
class TongiakiState(State):
    """A position of Tongiaki.

    ``board`` is what lies on the table, ``supply`` the ships each seat has in hand, ``deck`` the undrawn tiles with the next one last
    (in a view they are merely sorted), ``hand`` the tile drawn and to be laid, ``group`` the packed ships waiting to land on
    ``target``, ``taken_from`` the beach whose ship has been taken into the empty supply.
    """

    __slots__ = (
        "_game", "_moves", "active", "board", "deck", "departures", "ending", "group", "hand", "idle", "laid", "phase", "placed",
        "recolonising", "returned", "supply", "taken_from", "target",
    )  # fmt: skip

    def __init__(self, game: Game, players: int, deck: list[int]) -> None:
        super().__init__(players)
        self._game = game
        self._moves: tuple[TongiakiMove, ...] | None = None
        self.board = Board()
        self.supply: list[int] = [SHIPS] * players
        self.deck = deck
        self.phase = Phase.SETUP
        self.active = 0
        self.placed = 0
        self.idle = 0
        self.laid = False
        self.departures = 0
        self.returned: dict[int, int] = {}
        self.taken_from = -1
        self.hand = -1
        self.recolonising = False
        self.group = 0
        self.target = -1
        self.ending: Ending | None = None

    # What a state answers

    @property
    def game(self) -> Game:
        """Tongiaki."""
        return self._game

    @property
    def actor(self) -> int | None:
        """The active seat, until the game is over."""
        return None if self.phase is Phase.OVER else self.active

    @property
    def outcome(self) -> Outcome | None:
        """Scores and ranks by RULES 6: points, then islands held, then fewer ships on the board."""
        if self.phase is not Phase.OVER or self.ending is None:
            return None
        board = self.board
        scores = tuple([board.points(seat) for seat in range(self.players)])
        keys = [(scores[seat], board.islands_held(seat), self.supply[seat] - SHIPS) for seat in range(self.players)]
        return Outcome(scores, shared_ranks(keys), self.ending)

    @property
    def text(self) -> str:
        """The position as text; see ``engine.tongiaki.position``."""
        from engine.tongiaki.position import write_position  # noqa: PLC0415  # the two know each other

        return write_position(self)

    def tally(self) -> dict[str, tuple[int, ...]]:
        """Points and islands as they would count now, ships in supply, royal islands founded."""
        seats = range(self.players)
        return {
            "points": tuple(self.board.points(seat) for seat in seats),
            "islands": tuple(self.board.islands_held(seat) for seat in seats),
            "supply": tuple(self.supply),
            "royal": tuple(self.board.royals(seat) for seat in seats),
        }

    def copy(self) -> TongiakiState:
        """An independent state that goes on from here in the same way."""
        new = TongiakiState(self._game, self.players, self.deck[:])
        new.events = self.events
        new.read_only = self.read_only
        new._moves = self._moves
        new.board = self.board.copy()
        new.supply = self.supply[:]
        new.phase = self.phase
        new.active = self.active
        new.placed = self.placed
        new.idle = self.idle
        new.laid = self.laid
        new.departures = self.departures
        new.returned = self.returned.copy()
        new.taken_from = self.taken_from
        new.hand = self.hand
        new.recolonising = self.recolonising
        new.group = self.group
        new.target = self.target
        new.ending = self.ending
        return new

    def hide(self, seat: int) -> None:
        """Forget the order of the deck, the only thing that is not public (the same for every seat)."""
        self.deck.sort(reverse=True)

    def fill_in(self, rng: Random) -> None:
        """Shuffle the undrawn tiles."""
        rng.shuffle(self.deck)

    def expect(self, events: Sequence[str]) -> None:
        """Put the tiles that are said to be drawn on top of the deck."""
        drawn = [TILE_OF_NAME.get(event[5:], -1) for event in events if event.startswith("draw ")]
        for tile in drawn:
            if tile not in self.deck:
                raise PositionError(f"the tiles said to be drawn are not in the deck: {', '.join(events)}")
            self.deck.remove(tile)
        self.deck += reversed(drawn)

    # Legal moves

    def list_moves(self) -> tuple[TongiakiMove, ...]:
        """All legal moves, in the order of RULES 7."""
        if self._moves is None:
            self._moves = tuple(self._find_moves())
        return self._moves

    def count_moves(self) -> int:
        """How many legal moves there are; the many of a turn, and of laying a tile, are counted without being listed."""
        if self._moves is None:
            if self.phase is Phase.TURN:
                return count_turn_moves(self.board, self.active, self.supply[self.active])
            if self.phase is Phase.LAY:
                return self.board.count_lays()
        return len(self.list_moves())

    def _find_moves(self) -> Sequence[TongiakiMove]:
        phase = self.phase
        if phase is Phase.TURN:
            return turn_moves(self.board, self.active, self.supply[self.active])
        if phase is Phase.SAIL:
            return sail_moves(self.board, self.ending is not None)
        if phase is Phase.LAND:
            return landings(self.board.free(self.target), self.group)
        if phase is Phase.LAY:
            return self.board.lays()
        if phase is Phase.SETTLE:
            return SETTLES[: N_BEACHES[self.target]]
        if phase is Phase.SETUP:
            return self._places()
        if phase is Phase.TAKEN:
            return taken_moves(self.board, self.active, self.taken_from)
        return []

    def _places(self) -> list[TongiakiMove]:
        """The beaches of Tonga that keep a free berth (RULES 2)."""
        return [move for beach, move in enumerate(PLACES) if self.board.count[beach] < BERTHS[beach] - 1]

    def is_legal(self, move: Move) -> bool:
        """Whether the move may be played now."""
        if not isinstance(move, TongiakiMove):
            return False
        phase = self.phase
        code = move.code
        if phase is Phase.TURN:
            return is_turn_move(self.board, self.active, self.supply[self.active], move)
        if phase is Phase.SAIL:
            return is_sail_move(self.board, self.ending is not None, move)
        if phase is Phase.LAND:
            return code == LAND and may_land(self.board.free(self.target), self.group, move.ships)
        if phase is Phase.LAY:
            return code == LAY and self.board.may_lay(*move.numbers)
        if phase is Phase.SETTLE:
            return move in SETTLES[: N_BEACHES[self.target]]
        if phase is Phase.SETUP:
            return move in self._places()
        return phase is Phase.TAKEN and is_taken_move(self.board, self.active, self.taken_from, move)

    # Playing

    def play(self, move: Move) -> None:
        """Play a legal move in place; see ``State.play``."""
        if self.read_only:
            raise ReadOnlyError("a view's position is read-only: play on view.sample(rng)")
        if not isinstance(move, TongiakiMove):
            raise InvalidMoveError(f"{move} is no move of tongiaki")
        if not self.is_legal(move):
            raise IllegalMoveError(f"'{move}' is not legal: {self._situation()}")
        self.events = ()
        self._moves = None
        code = move.code
        if code == EXPAND:
            self._expand(move.island, move.numbers)
        elif code == SAIL:
            self._sail(move.island, move.numbers[0])
        elif code == LAND:
            self._land(move)
        elif code == LAY:
            self._lay(move.numbers)
        elif code == PLACE:
            self._place(move.numbers[0])
        elif code == SETTLE:
            self._put(FIRST_BEACH[self.target] + move.numbers[0])
            self.target = -1
            self._end_turn()
        elif code == RECOLONISE:
            self._recolonise()
        elif code == ENTER:
            for beach in move.numbers:
                self._put(FIRST_BEACH[move.island] + beach)
            self._go_on()
        elif code == TAKE:
            self.taken_from = FIRST_BEACH[move.island] + move.numbers[0]
            self.board.take(self.taken_from, self.active)
            self.supply[self.active] += 1
            self.phase = Phase.TAKEN
        elif code == CROWN:
            self._crown(move.island)
        else:
            assert code == PASS
            self._end_turn()

    def _situation(self) -> str:
        if self.phase is Phase.OVER:
            return "the game is over"
        first = ", ".join(str(move) for move in self.list_moves()[:4])
        more = len(self.list_moves()) - 4
        return f"seat {self.active} has to choose from {first}" + (f" and {more} more" if more > 0 else "")

    def _put(self, beach: int) -> None:
        self.board.put(beach, self.active)
        self.supply[self.active] -= 1

    def _give_back(self, packed: int) -> None:
        """Return packed ships to their owners' supplies."""
        seat = 0
        while packed:
            self.supply[seat] += packed & 15
            packed >>= 4
            seat += 1

    def _place(self, beach: int) -> None:
        self._put(beach)
        self.placed += 1
        self.active = self.placed % self.players
        if self.placed == 2 * self.players:
            self.phase = Phase.TURN

    def _expand(self, island: int, beaches: tuple[int, ...]) -> None:
        self.taken_from = -1
        for beach in beaches:
            self._put(FIRST_BEACH[island] + beach)
        self._go_on()

    def _crown(self, island: int) -> None:
        for beach in range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island]):
            self._give_back(self.board.clear(beach))
        self.board.royal[island] = self.active
        self.supply[self.active] -= 1
        self._end_turn()

    def _recolonise(self) -> None:
        """All own ships on beaches return, then tiles are drawn until an island comes (RULES 3c)."""
        board = self.board
        for island in board.islands:
            if board.ashore[island] >> 4 * self.active & 15:
                for beach in range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island]):
                    for _ in range(board.packed[beach] >> 4 * self.active & 15):
                        board.take(beach, self.active)
                        self.supply[self.active] += 1
        self.recolonising = True
        self._draw_to_hand()

    def _draw(self) -> int:
        tile = self.deck.pop()
        self.events = (*self.events, f"draw {NAMES[tile]}")
        return tile

    def _draw_to_hand(self) -> None:
        self.hand = self._draw()
        self.phase = Phase.LAY

    def _put_down(self, tile: int, cell: int, orientation: int) -> bool:
        """Lay a drawn tile; the last island or water of the deck triggers the end (RULES 6). Whether the end is triggered now."""
        self.board.lay(tile, cell, orientation)
        self.laid = True
        if self.ending is None:
            if tile < N_ISLANDS:
                if not any(left < N_ISLANDS for left in self.deck):
                    self.ending = Ending.ISLANDS
            elif not any(left >= N_ISLANDS for left in self.deck):
                self.ending = Ending.WATERS
        return self.ending is not None

    def _lay(self, numbers: tuple[int, ...]) -> None:
        tile = self.hand
        self._put_down(tile, cell_of(numbers[0], numbers[1]), numbers[2])
        if tile >= N_ISLANDS:
            self._draw_to_hand()
            return
        self.hand = -1
        if self.recolonising:
            self.target = tile
            self.phase = Phase.SETTLE
        else:
            self._go_on()

    def _sail(self, island: int, side: int) -> None:
        """A full beach leaves by a pier (RULES 4)."""
        if returns(self.board, island, side):
            self.returned[island] = self.returned.get(island, 0) + 1
        self.departures += 1
        group = self.board.clear(BEACH_OF_PIER[6 * island + side])
        target = self._voyage(island, side, group)
        if target < 0:
            self._go_on()
            return
        self.group = group
        self.target = target
        self.phase = Phase.LAND

    def _voyage(self, island: int, side: int, group: int) -> int:
        """Sail the group to the island it lands on; -1 when it fails on a water or stays there, which is then done."""
        board = self.board
        colors = packed_colors(group)
        cell = board.where[island]
        direction = (board.turned[island] + side) % 6
        tile = island
        last = False
        while True:
            cell += DELTA[direction]
            ahead = board.cells.get(cell, -1)
            if ahead < 0:
                if self.ending is not None:
                    self._strand(tile, group)
                    return -1
                ahead = self._draw()
                last = self._put_down(ahead, cell, (direction + 3) % 6)
            tile = ahead
            if tile < N_ISLANDS:
                if board.royal[tile] < 0:
                    return tile
                self.events = (*self.events, f"turns back {NAMES[tile]}")
                return island
            entry = 6 * tile + (direction + 9 - board.turned[tile]) % 6
            if colors < ROUTE_COLORS[entry]:
                self.events = (*self.events, f"fails {NAMES[tile]}")
                self._give_back(group)
                return -1
            if last:
                self._strand(tile, group)
                return -1
            direction = (board.turned[tile] + ROUTE_EXIT[entry]) % 6

    def _strand(self, water: int, group: int) -> None:
        """The group stays on the water for good (RULES 6)."""
        self.events = (*self.events, f"stays {NAMES[water]}")
        self.board.stranded[water] = self.board.stranded.get(water, 0) + group

    def _land(self, move: TongiakiMove) -> None:
        group = self.group
        first = FIRST_BEACH[self.target]
        for beach, seats in move.ships:
            for seat in seats:
                self.board.put(first + beach, seat)
                group -= 1 << 4 * seat
        self._give_back(group)
        self.group = 0
        self.target = -1
        self._go_on()

    def _go_on(self) -> None:
        """The chain goes on while a beach is full; before every departure islands may collapse (RULES 4 and 5)."""
        if self.board.full and self.ending is None and self._collapse() and (not self.board.islands or self.supply[self.active] == SHIPS):
            self.recolonising = False
            self._draw_to_hand()
            return
        if not self.board.full:
            self._end_turn()
            return
        if self.ending is not None and (self.departures >= DEPARTURES_GUARD or not sail_moves(self.board, True)):
            self._end_turn()
            return
        self.phase = Phase.SAIL

    def _collapse(self) -> bool:
        """Take out every island that collapses (RULES 5); whether there was one."""
        doomed = collapsing(self.board, self.departures, self.returned)
        for island in doomed:
            self.events = (*self.events, f"collapses {NAMES[island]}")
            self._give_back(self.board.remove(island))
            self.returned.pop(island, None)
        return bool(doomed)

    def _end_turn(self) -> None:
        self.idle = 0 if self.laid else self.idle + 1
        if self.ending is None and self.idle >= IDLE_ROUNDS * self.players:
            self.ending = Ending.IDLE
        self.laid = False
        self.recolonising = False
        self.departures = 0
        self.returned = {}
        if self.ending is not None:
            self.phase = Phase.OVER
        else:
            self.active = (self.active + 1) % self.players
            self.phase = Phase.TURN


def shuffled_deck(seed: int) -> list[int]:
    """The deck of RULES 2, the top tile last."""
    deck = [tile for tile in range(len(NAMES)) if tile != TONGA]
    Random(seed).shuffle(deck)
    deck.reverse()
    return deck


def sorted_deck() -> list[int]:
    """The same tiles in the order in which a view has them."""
    return [tile for tile in reversed(range(len(NAMES))) if tile != TONGA]


def new_state(game: Game, players: int, deck: list[int]) -> TongiakiState:
    """The start of a game: Tonga on the table, every ship in supply."""
    state = TongiakiState(game, players, deck)
    state.board.lay(TONGA, cell_of(0, 0), 0)
    return state
