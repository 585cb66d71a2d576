"""Encodes positions and moves of Sunda to Sahul as arrays (docs/environments.md), using ``engine.sunda.observation``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from arena.environments.encoding import Array, Column, Encoder, Field, RowIds
from engine.core import Game, Move, State, View
from engine.sunda.board.claims import TOKENS, TRIBE_SIZE
from engine.sunda.board.tiles import N_TILES
from engine.sunda.board.trigrid import REACH
from engine.sunda.game import SundaGame
from engine.sunda.notation.moves import KIND_WORDS
from engine.sunda.observation import LARGEST, WINDOW, SundaPacker, pack, pack_moves, pack_rows
from engine.sunda.options import SundaOptions
from engine.sunda.position import MAX_RAIDS, PHASE_WORDS, Ending

ACTIONS: Final = 5120
"""The number of actions in mode ``turns``. A position had up to 1,872 legal moves in random games, and 4,336 if tiles were spread out."""
TICK_ACTIONS: Final = 3328
"""The number of actions in simultaneous play. A raid's victim seizes 2 of the raider's up to 78 tiles (68 dealt, 10 won): 3,003 pairs."""

CHANNELS: Final = (
    "wedges", "type", "up", "down", "complete", "lake", "node", "refused", "lake_right", "focus",
    *(f"token_{height}" for height in range(TRIBE_SIZE)),
)  # fmt: skip
"""What each layer of the grid contains."""
ENDINGS: Final = tuple(Ending)

_COLUMNS: Final = (
    Column("kind", 0, len(KIND_WORDS)),
    Column("tile", 0, N_TILES),
    Column("tile2", 0, N_TILES),
    Column("seat", 0, 3),
    Column("x", -REACH, REACH),
    Column("y", -REACH, REACH),
    Column("d", 0, 5),
    Column("x2", -REACH, REACH),
    Column("y2", -REACH, REACH),
    Column("d2", 0, 5),
    Column("value", 0, LARGEST),
    Column("closes_land", 0, 4),
    Column("closes_water", 0, 4),
)
_DECISION: Final = (
    Column("phase", 0, len(PHASE_WORDS) - 1),
    Column("turn", 0, 3),
    Column("step", 0, 1),
    Column("agreed", 0, 4),
    Column("rights", 0, 2),
    Column("claimed", 0, 1),
    Column("newest", 0, N_TILES),
    Column("victim", 0, 4),
    Column("stolen", 0, N_TILES),
    Column("ending", 0, len(ENDINGS)),
)
_SEATS: Final = (
    Column("tokens", 0, max(TOKENS)),
    Column("points", 0, LARGEST),
    Column("raids", 0, MAX_RAIDS),
    Column("pot", 0, N_TILES),
    Column("chosen", 0, 1),
    Column("queue", 0, 4),
)
SEATS: Final = tuple(column.name for column in _SEATS)
"""What each column of the array ``seats`` contains."""


_KINDS: Final = {
    "start": ("tile",),
    "place": ("tile", "x", "y", "d"),
    "shift": ("x2", "y2", "d2", "x", "y", "d"),
    "claim": ("x", "y"),
    "join": ("x", "y"),
    "lake": ("x", "y"),
    "resource": ("value", "x", "y"),
    "challenge": ("x", "y", "x2", "y2"),
    "raid": ("seat", "tile"),
    "seize": ("tile", "tile2"),
}
"""The columns that distinguish moves of the same kind; the other kinds have a single move."""
_PLACE: Final = (-272, 272)  # no tile lies farther out: see REACH in engine.sunda.board.trigrid
_TILE: Final = (1, N_TILES)
_BOUNDS: Final = {"x": _PLACE, "y": _PLACE, "x2": _PLACE, "y2": _PLACE, "tile": _TILE, "value": (0, 99)}


def _columns(columns: Sequence[Column], *rows: int) -> Field:
    return Field((*rows, len(columns)), np.int16, [column.low for column in columns], [column.high for column in columns])


class SundaEncoder(Encoder):
    """Encodes Sunda to Sahul for P players as int16 arrays (``grid`` is int8), with a row for each of at most N legal moves.

    Coordinates are as in the rules. Tiles are numbered from 0 to 135 in the ASCII order of their ids (``engine.sunda.board.tiles.IDS``).
    Seats are counted from the observer: 0 is the agent itself, 1 the next to act; "seat + 1" is 0 if there is no seat. Values without a
    bound in the rules are capped at 32,767.

    - ``grid`` (15, 48, 48): a value for each vertex, at ``[layer, x - origin x, y - origin y]``. The layers are: how many triangles
      around the vertex are covered (6: closed); its type (0 none, 1 land, 2 water); whether its up triangle is covered; whether its down
      triangle is covered; whether its island or lake is complete; seat + 1 of the owner of the water rights (at a lake's smallest vertex);
      new nodes of the step; tribes that refused; lakes that may be claimed; the vertex of the tribe that is asked or of the token that may
      get a marker; and five layers with the seat + 1 of each token of a tribe, from the bottom up
    - ``origin`` (2): x and y of the grid's first cell. The grid is centred on the middle of the board; tiles beyond its edges are missing
      from it, but not from ``tiles``
    - ``tiles`` (136, 4): 0 if on the board, 1 if in the observer's own or the shared pot, otherwise seat + 1 of its pot; then ``x``, ``y``,
      ``d`` of its placement
    - ``seats`` (P, 6): tokens left, points, raids done, tiles in the pot, whether the seat has chosen in the tick, its place in the queue
      of choices to be carried out (0 if none)
    - ``markers`` (6, 3): markers on the board: value, ``x``, ``y``
    - ``supply`` (6): values of the markers that are left
    - ``choices`` (P, 13): the known choices of the tick, as rows of ``moves``
    - ``decision`` (10): phase (0 start, 1 lay, 2 choose, 3 shift, 4 land, 5 answer, 6 resource, 7 lake, 8 challenge, 9 seize, 10 over);
      seat whose turn it is; step; number of players who have agreed; land rights left; whether a token was placed in the step; tile just
      laid + 1 (in a shift); raided seat + 1 and stolen tile + 1 (in a seizure); ending (0 none, 1 tokens, 2 tiles, 3 blocked, 4 agreed)
    - ``moves`` (N, 13): for each legal move: kind (1 start, 2 place, 3 shift, 4 claim, 5 join, 6 accept, 7 refuse, 8 lake, 9 resource, 10
      challenge, 11 skip, 12 agree, 13 stop, 14 raid, 15 wait, 16 seize); tile + 1; second tile + 1 (in a seizure); raided seat; ``x``,
      ``y``, ``d`` where the tile is laid or the token is put (in a challenge: of the challenging tribe); ``x2``, ``y2``, ``d2`` where the
      shifted tile comes from (in a challenge: of the challenged tribe); value of a marker; number of land vertices and of water vertices
      that the tile would close (before any shift). The remaining rows are 0
    """

    columns = _COLUMNS
    row_type = np.int16

    def __init__(self, players: int, options: SundaOptions) -> None:
        self.actions = TICK_ACTIONS if options.is_simultaneous else ACTIONS
        self.fields = {
            "grid": Field((len(CHANNELS), WINDOW, WINDOW), np.int8, 0, 6),
            "origin": Field((2,), np.int16, -REACH, REACH),
            "tiles": Field((N_TILES, 4), np.int16, [0, -REACH, -REACH, 0], [players, REACH, REACH, 5]),
            "seats": _columns(_SEATS, players),
            "markers": Field((6, 3), np.int16, [0, -REACH, -REACH], [LARGEST, REACH, REACH]),
            "supply": Field((6,), np.int16, 0, LARGEST),
            "choices": _columns(_COLUMNS, players),
            "decision": _columns(_DECISION),
        }

    def action_ids(self) -> RowIds:
        """Return the action ids of the game. There are too many of them for a mask."""
        return RowIds("sunda", self, [_KINDS.get(word, ()) for word in KIND_WORDS], _BOUNDS)

    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` as bytes, using only what ``state.view(seat)`` shows."""
        return pack(state, seat)

    def packer(self) -> SundaPacker:
        """Return a packer, which joins what ``pack`` returns for many states."""
        return SundaPacker()

    def pack_rows(self, state: State, seat: int) -> bytes:
        """Return the rows of the seat's first ``actions`` legal moves as bytes; they are empty if it is another seat's turn."""
        return pack_rows(state, seat, self.actions) if state.actor == seat else b""

    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves."""
        return np.ndarray((len(moves), len(_COLUMNS)), np.int16, bytearray(pack_moves(view.position, moves, view.seat)))


def encoder(game: Game, players: int) -> SundaEncoder:
    """Return the encoder for the game; its plug-in refers to this function."""
    assert isinstance(game, SundaGame)
    return SundaEncoder(players, game.settings)
