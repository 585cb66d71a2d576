"""The data of a Sunda to Sahul position, and its hash key. ``rules.legal`` lists the legal moves, and ``rules.apply`` plays them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, final

from engine.sunda.board.board import SundaBoard
from engine.sunda.board.claims import Claims, controller
from engine.sunda.board.shifts import ALWAYS, has_known_shift, shift_prospect
from engine.sunda.notation.moves import SundaMove
from engine.sunda.options import SundaOptions
from engine.sunda.rules.move_cache import MoveCache
from engine.sunda.rules.pots import Dice, PotTiles

# The pending decision: plain integers, because the engine branches on them at every decision.
BEGIN: Final = 0
LAY: Final = 1
CHOOSE: Final = 2
MEND: Final = 3
LAND_RIGHT: Final = 4
ANSWER: Final = 5
RESOURCE_RIGHT: Final = 6
LAKE_RIGHT: Final = 7
FIGHT: Final = 8
STRIKE_BACK: Final = 9
OVER: Final = 10

PHASE_WORDS: Final = ("start", "lay", "choose", "shift", "land", "answer", "resource", "lake", "challenge", "seize", "over")
"""The word for the pending decision in a position's notation, indexed by phase."""

MAX_RAIDS: Final = 10
"""The maximum number of raids of a seat in a game (RULES 7)."""

HIDDEN: Final = SundaMove(-1)
"""Used in place of a choice that is hidden from the seat of a view."""


class Ending(StrEnum):
    """Why a game of Sunda to Sahul ended (RULES 4)."""

    TOKENS = "tokens"
    TILES = "tiles"
    BLOCKED = "blocked"
    AGREED = "agreed"


@final
class UsageHint:
    """Records whether the moves of a position or of its copies, which share this object, have been listed. It affects only speed."""

    __slots__ = ("lists_moves",)

    def __init__(self) -> None:
        self.lists_moves = False


@final
class PlacementCounts:
    """How many legal placements the tiles of a pot have: for each tile, as packed counts (``fields``), and in total (``number``).

    ``unsure`` lists the lozenges of tight spots where a tile may leave no shift (see ``Position.prospect``), and ``doubtful`` lists the
    legal (tile, placement) pairs on these spots.
    """

    __slots__ = ("doubtful", "fields", "number", "pot", "unsure")

    def __init__(self, pot: int, fields: int, number: int, unsure: list[int], doubtful: list[tuple[int, int]]) -> None:
        self.pot: Final = pot
        self.fields: Final = fields
        self.number: Final = number
        self.unsure: Final = unsure
        self.doubtful: Final = doubtful


@final
class Position:
    """The data of a position.

    - ``seat``: the seat whose turn it is, or whose choice in the tick is being carried out
    - ``step``, ``agreed``: the step within the turn, 0 or 1; how many players in a row have agreed to end the game
    - ``nodes``, ``rights``, ``refused``, ``lakes``, ``has_claimed``: of the step: unused nodes, token rights left, tribes that
      refused, lakes that may be claimed, and whether a token was placed (RULES 5)
    - ``newest``: the tile laid in the step
    - ``focus``: the vertex of the tribe that a seat asks to join, or of the token next to which a resource may be put
    - ``choices``, ``chosen``: the choice of each seat in the tick, and how many seats have chosen
    - ``queue``: the seats whose choices are still to be carried out
    - ``victim``, ``stolen``: the seat that was raided, and the tile it lost
    - ``rolled``: how many dice have been rolled so far
    """

    def __init__(self, options: SundaOptions, players: int, board: SundaBoard, claims: Claims, pots: PotTiles) -> None:
        self.options = options
        self.players = players
        self.level = options.level
        self.alone = players == 1
        self.ticks = options.is_simultaneous
        self.private = options.is_private
        self.board = board
        self.claims = claims
        self.pots = pots
        self.dice: Dice | None = None
        self.rolled = 0
        self.phase = BEGIN
        self.seat = 0
        self.step = 0
        self.agreed = 0
        self.raids: list[int] = [0] * players
        self.newest = 0
        self.nodes: list[int] = []
        self.rights = 0
        self.refused: list[int] = []
        self.lakes: list[int] = []
        self.has_claimed = False
        self.focus = 0
        self.choices: list[SundaMove | None] = [None] * players
        self.chosen = 0
        self.queue: list[int] = []
        self.victim = 0
        self.stolen = 0
        self.ending: Ending | None = None
        # Caches: filled on demand, then dropped or updated at the next move.
        self.shifts: list[tuple[int, int]] | None = None
        self.moves: list[SundaMove] | None = None
        self.counts: PlacementCounts | None = None
        self.seen_claims = 0  # the value of claims.changes for which board.spots.known holds
        self.move_cache: MoveCache | None = None
        self.is_cache_shared = False  # with a copy of the position
        self.usage = UsageHint()

    def copy(self) -> Position:
        """Return an independent copy. It shares the dice with the original, since their rolls never change."""
        other = Position(self.options, self.players, self.board.copy(), self.claims.copy(), self.pots.copy())
        other.dice = self.dice
        other.rolled = self.rolled
        other.phase = self.phase
        other.seat = self.seat
        other.step = self.step
        other.agreed = self.agreed
        other.raids = self.raids.copy()
        other.newest = self.newest
        other.nodes = self.nodes.copy()
        other.rights = self.rights
        other.refused = self.refused.copy()
        other.lakes = self.lakes.copy()
        other.has_claimed = self.has_claimed
        other.focus = self.focus
        other.choices = self.choices.copy()
        other.chosen = self.chosen
        other.queue = self.queue.copy()
        other.victim = self.victim
        other.stolen = self.stolen
        other.ending = self.ending
        other.shifts = self.shifts
        other.counts = self.counts
        other.seen_claims = self.seen_claims
        other.usage = self.usage
        if self.move_cache is not None:
            other.move_cache = self.move_cache
            other.is_cache_shared = self.is_cache_shared = True
        return other

    def prospect(self, lozenge: int) -> int:
        """Return whether a shift exists after a tile is laid on a tight spot: NEVER, ALWAYS, or SOMETIMES if it may depend on the tile."""
        if self.seen_claims != self.claims.changes:
            self.seen_claims = self.claims.changes
            self.board.spots.forget_shifts()
        if has_known_shift(self.board, self.claims.held, lozenge):
            return ALWAYS
        return shift_prospect(self.board, self.claims.held, lozenge)

    def own_move_cache(self) -> MoveCache:
        """Return a cache of placements that no other position uses, so that it may be changed."""
        if self.move_cache is None:
            self.move_cache = MoveCache()
        elif self.is_cache_shared:
            self.move_cache = MoveCache(self.move_cache)
        self.is_cache_shared = False
        return self.move_cache

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""
        phase = self.phase
        if phase == OVER:
            return None
        if phase == CHOOSE:
            return self.chosen
        if phase == ANSWER:
            return controller(self.claims.tribes[self.focus])
        if phase == STRIKE_BACK:
            return self.victim
        return self.seat

    def pot(self, seat: int) -> int:
        """Return the number of the pot from which a seat lays tiles."""
        return seat if self.private else 0


_ENDING: Final = {ending: number for number, ending in enumerate(Ending, start=1)}
_NOTHING_CHOSEN: Final = 0
_UNKNOWN: Final = -1
"""Used in the key in place of the seed of hidden dice."""


def key_of(p: Position) -> int:
    """Return the hash key of a position; see ``State.key``."""
    dice = p.dice
    ending = p.ending
    return hash(
        (
            p.board.key,
            p.claims.key,
            p.pots.key if p.private else 0,
            p.options.key,
            p.players,
            _UNKNOWN if dice is None else dice.seed,
            p.rolled,
            p.seat,
            p.step,
            p.agreed,
            _rights(p) if p.nodes or p.refused or p.lakes or p.rights or p.has_claimed else 0,
            _tick(p) if p.ticks else 0,
            p.phase,
            _decision(p),
            0 if ending is None else _ENDING[ending],
        )
    )


def _rights(p: Position) -> int:
    return hash((tuple(p.nodes), p.rights, tuple(p.refused), tuple(p.lakes), p.has_claimed))


def _tick(p: Position) -> int:
    choices = [_NOTHING_CHOSEN if choice is None else hash(choice) for choice in p.choices]
    return hash((tuple(p.raids), tuple(choices), tuple(p.queue)))


def _decision(p: Position) -> int:
    phase = p.phase
    if phase == CHOOSE:
        return p.chosen
    if phase == MEND:
        return p.newest
    if phase in {ANSWER, RESOURCE_RIGHT}:
        return p.focus
    if phase == STRIKE_BACK:
        return p.stolen * p.players + p.victim
    return 0
