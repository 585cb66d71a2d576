"""Encodes positions and moves of Tongiaki as arrays (docs/environments.md), using ``engine.tongiaki.observation``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from arena.environments.encoding import ActionIds, Array, Column, Encoder, Field
from engine.core import Game, Move, State, View
from engine.tongiaki.board.tiles import BERTHS, N_BEACHES, N_ISLANDS, N_TILES, POINTS, SHIPS
from engine.tongiaki.notation.moves import CROWNS, ENTERS, EXPANDS, PLACES, SAILS, SETTLES, TAKES, THE_PASS, THE_RECOLONISE, Kind
from engine.tongiaki.observation import MOST, ROW_HEAD, TongiakiPacker, pack, pack_moves, pack_rows
from engine.tongiaki.position import Ending, Phase

ACTIONS: Final = 1024
"""The number of rows for legal moves. In 500,000 random games, a landing had up to 720 legal moves, other decisions up to 90."""
FARTHEST: Final = N_TILES - 1

_LISTED: Final[list[Move]] = [
    *PLACES,
    *(move for choices in EXPANDS for moves in choices[1:] for move in moves),
    *TAKES,
    THE_PASS,
    *CROWNS,
    THE_RECOLONISE,
    *(move for moves in ENTERS for move in moves),
    *SETTLES,
    *SAILS,
]
_ID_OF: Final = {move: number for number, move in enumerate(_LISTED)}
_SPAN: Final = 2 * FARTHEST + 1
_LAYS: Final = _SPAN * _SPAN * 6

MOST_BEACHES: Final = max(N_BEACHES)
PHASES: Final = tuple(Phase)
ENDINGS: Final = tuple(Ending)

_DECISION: Final = (
    Column("phase", 0, len(PHASES) - 1),
    Column("active", 0, 5),
    Column("hand", 0, N_TILES),
    Column("target", 0, N_TILES),
    Column("taken_from", 0, len(BERTHS)),
    Column("recolonising", 0, 1),
    Column("laid", 0, 1),
    Column("departures", 0, MOST),
    Column("idle", 0, MOST),
    Column("ending", 0, len(ENDINGS)),
)
SHIPS_AT: Final = ROW_HEAD
"""The index of the first column for ships in a move's row. Each beach of the island has a column for each seat, beach after beach."""


class TongiakiIds(ActionIds):
    """The ids of Tongiaki moves, grouped by kind.

    The kinds come in this order: place (6 beaches), expand (for each island, each choice of beaches, fewest first), take (47 beaches),
    pass, crown (16 islands), recolonise, enter (for each island, each choice of beaches), settle (6 beaches), sail (6 sides of each
    island), lay (``6 * (63 * (q + 31) + r + 31) + orientation``), and land (1,024 ids, in the order of the legal landings).
    """

    name = "tongiaki"
    count = len(_LISTED) + _LAYS + ACTIONS

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves. If there are more than ``ACTIONS`` landings, only the first ``ACTIONS`` have ids."""
        moves: Sequence[Any] = state.list_moves()
        first = len(_LISTED)
        if moves and moves[0].code == Kind.LAY:
            places = [move.numbers for move in moves]
            return [first + ((q + FARTHEST) * _SPAN + r + FARTHEST) * 6 + orientation for q, r, orientation in places]
        if moves and moves[0].code == Kind.LAND:
            return list(range(first + _LAYS, first + _LAYS + min(len(moves), ACTIONS)))
        return [_ID_OF[move] for move in moves]


class TongiakiEncoder(Encoder):
    """Encodes Tongiaki for P players as int8 arrays, with a row for each of at most N legal moves.

    Seats are counted from the observer: 0 is the agent itself, 1 the next to act; "seat + 1" is 0 if there is no seat. Beaches, tiles and
    kinds are numbered as in the notation and the rules.

    - ``tiles`` (32, 5): for each tile (islands 0 to 15, then W01 to W16): 1 if it is laid, its cell ``q``, ``r``, its orientation, and
      seat + 1 of its royal ship; all 0 if it is not laid
    - ``ships`` (47, P): ships of each seat on each beach; beaches are numbered consecutively over all islands
    - ``stranded`` (16, P): ships of each seat that are stranded on each water tile
    - ``seats`` (P, 4): ships in supply, points, islands held, royal islands
    - ``unseen`` (32): 1 for each tile that is still in the deck
    - ``group`` (P): ships of each seat that are about to land
    - ``returned`` (16): departures of this turn that came back to each island, at most 127
    - ``decision`` (10): phase (0 place, 1 turn, 2 taken, 3 lay, 4 settle, 5 sail, 6 land, 7 over); active seat; tile in hand + 1; island to
      land or settle on + 1; beach (of 47) a ship was taken from + 1; whether recolonising; whether a tile was laid this turn; departures in
      this turn (at most 127); turns without a new tile; ending (0 none, 1 islands, 2 waters, 3 idle)
    - ``moves`` (N, 7 + 6 P): for each legal move: kind (1 place, 2 expand, 3 take, 4 pass, 5 crown, 6 recolonise, 7 enter, 8 lay, 9 settle,
      10 sail, 11 land); island + 1; the island's points; ``q``, ``r``, orientation (of the tile to be laid); side + 1 (of a departure);
      then the ships that the move adds to each beach of the island, grouped by beach and then by seat (-1 for a ship that is taken). The
      remaining rows are 0
    """

    actions = ACTIONS
    row_type = np.int8

    def __init__(self, players: int) -> None:
        self.columns = (
            Column("kind", 0, len(Kind)),
            Column("island", 0, N_ISLANDS),
            Column("points", 0, max(POINTS)),
            Column("q", -FARTHEST, FARTHEST),
            Column("r", -FARTHEST, FARTHEST),
            Column("orientation", 0, 5),
            Column("side", 0, 6),
            *(Column(f"ships_{beach}_{seat}", -1, max(BERTHS)) for beach in range(MOST_BEACHES) for seat in range(players)),
        )
        columns = [(0, 1), (-FARTHEST, FARTHEST), (-FARTHEST, FARTHEST), (0, 5), (0, players)]
        low, high = [column[0] for column in columns], [column[1] for column in columns]
        self.fields = {
            "tiles": Field((N_TILES, 5), np.int8, low, high),
            "ships": Field((len(BERTHS), players), np.int8, 0, max(BERTHS)),
            "stranded": Field((N_TILES - N_ISLANDS, players), np.int8, 0, SHIPS),
            "seats": Field((players, 4), np.int8, 0, [SHIPS, sum(POINTS), N_ISLANDS, N_ISLANDS]),
            "unseen": Field((N_TILES,), np.int8, 0, 1),
            "group": Field((players,), np.int8, 0, SHIPS),
            "returned": Field((N_ISLANDS,), np.int8, 0, MOST),
            "decision": Field((len(_DECISION),), np.int8, [c.low for c in _DECISION], [c.high for c in _DECISION]),
        }

    def action_ids(self) -> TongiakiIds:
        """Return the action ids."""
        return TongiakiIds()

    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` as bytes."""
        return pack(state, seat)

    def packer(self) -> TongiakiPacker:
        """Return a packer, which joins what ``pack`` returns for many states."""
        return TongiakiPacker()

    def pack_rows(self, state: State, seat: int) -> bytes:
        """Return the rows of the seat's legal moves as bytes."""
        return pack_rows(state, seat, self.actions)

    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves."""
        packed = pack_moves(view.position, view.seat, moves)
        return np.ndarray((len(moves), len(self.columns)), self.row_type, bytearray(packed))


def encoder(game: Game, players: int) -> TongiakiEncoder:
    """Return the encoder for the game; its plug-in refers to this function."""
    return TongiakiEncoder(players)
