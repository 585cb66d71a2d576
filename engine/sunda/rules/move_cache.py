"""Legal placements as ready-made moves, kept in the order of RULES 9 and updated from one position to the next.

A position makes a ``MoveCache`` when its moves are first listed; a game that only draws moves at random never does. Which spots there are
comes from ``board.placement_index``, which tight ones are legal from ``board.shifts``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from engine.sunda.board.placement_index import MAX_CHANGES, PlacementIndex
from engine.sunda.board.tiles import N_DEMANDS, N_TILES
from engine.sunda.board.trigrid import half_turned
from engine.sunda.board.ways import WAYS, zeros
from engine.sunda.notation.moves import PLACE, SundaMove

_TILES: Final[i64] = N_TILES
_BLANK: Final = SundaMove(PLACE)
"""What is in a list of moves before it is filled."""


@final
class MoveCache:
    """The placements of all tiles that are in a pot.

    ``moves`` has them in the order of RULES 9, then ``last``, the moves that may be made instead from a shared pot. The list is never
    changed but replaced by another one, so copies of a position share it. ``_lies`` has the placement of each move, ``_ends`` for each tile
    where its moves end. ``unsure`` are the tight spots whose placements are not listed, ``_listed`` maps all others to the demand that
    the listed placements meet.

    An update first notes what comes and goes: a chain for each tile, which begins at its entry in ``_first``. ``_after`` is the next note
    of the chain, 0 at its end, and ``_notes`` twice the placement, plus one if it comes.
    """

    __slots__ = ("_after", "_ends", "_first", "_lies", "_listed", "_notes", "_number", "moves", "unsure")

    def __init__(self, origin: MoveCache | None = None) -> None:
        """An empty cache, or an independent copy of another."""
        self._first: vec[i64] = zeros(0)
        self._after: vec[i64] = zeros(0)
        self._notes: vec[i64] = zeros(0)
        self._number: i64 = 0
        if origin is None:
            self.moves: list[SundaMove] = []
            self.unsure: list[int] = []
            self._lies: vec[i64] = zeros(0)
            self._ends: vec[i64] = zeros(N_TILES)
            self._listed: dict[int, int] = {}
        else:
            self.moves = origin.moves
            self.unsure = origin.unsure
            self._lies = origin._lies
            self._ends = origin._ends
            self._listed = origin._listed.copy()

    def update(self, spots: PlacementIndex, unsure: list[int], pot_of: list[int], last: list[SundaMove]) -> None:
        """Update the spots that have changed; ``unsure`` are the tight ones that are not to be listed."""
        self._first = zeros(N_TILES)
        self._after = zeros(512)
        self._notes = zeros(512)
        self._number = 0
        is_long = not spots.is_watched or len(spots.changed) >= MAX_CHANGES
        changed = [*self._listed, *spots.lozenges[1:]] if is_long else spots.changed
        if unsure or self.unsure:
            changed = changed + self.unsure + unsure
        for lozenge in changed:
            spot = spots.entry(lozenge)
            if spot >= N_DEMANDS:
                spot = 0 if spot >= 2 * N_DEMANDS or (unsure and lozenge in unsure) else spot - N_DEMANDS
            self._list_spot(lozenge, spot, pot_of)
        spots.changed = []
        spots.is_watched = True
        self.unsure = unsure
        self._carry_out(pot_of, last)

    def placements(self, pot: int, pot_of: list[int]) -> list[SundaMove]:
        """Return the placements of the tiles of a pot, in the order of RULES 9."""
        moves: list[SundaMove] = []
        start: i64 = 0
        tile: i64 = 0
        while tile < _TILES:
            end = self._ends[tile]
            if pot_of[tile] == pot and start < end:
                moves += self.moves[start:end]
            start = end
            tile += 1
        return moves

    def _list_spot(self, lozenge: i64, demand: i64, pot_of: list[int]) -> None:
        """List the placements on a lozenge that meet a demand, none for demand 0, instead of those listed before."""
        before: i64 = self._listed.get(lozenge, 0)
        if demand == before:
            return
        if demand:
            self._listed[lozenge] = demand
        else:
            del self._listed[lozenge]
        if before and demand:
            # Usually the spot demands more than before: for each new digit, remove the placements that meet its opposite.
            old = before
            new = demand
            weight: i64 = 1
            while old != new:
                asked = new % 3
                if old % 3 != asked:
                    if old % 3:
                        break
                    self._note(lozenge, before + (3 - asked) * weight, 0, pot_of)
                    before += asked * weight
                old //= 3
                new //= 3
                weight *= 3
            if before == demand:
                return
        if before:
            self._note(lozenge, before, 0, pot_of)
        if demand:
            self._note(lozenge, demand, 1, pot_of)

    def _note(self, lozenge: i64, demand: i64, comes: i64, pot_of: list[int]) -> None:
        """Note that the placements on a lozenge that meet a demand come (1) or go (0)."""
        at = i64(WAYS.starts[demand])
        end = i64(WAYS.starts[demand + 1])
        ways = WAYS.ways
        if self._number + end - at >= len(self._notes):
            self._make_room(2 * len(self._notes) + end - at)
        first = self._first
        after = self._after
        notes = self._notes
        number = self._number
        straight = 2 * lozenge + comes
        turned: i64 = half_turned(lozenge)
        turned = 2 * turned + comes
        while at < end:
            way = i64(ways[at])
            tile = way >> 1
            if pot_of[tile] >= 0:
                number += 1
                note = turned if way & 1 else straight
                notes[number] = note
                before: i64 = 0
                other = first[tile]
                while other and notes[other] < note:
                    before = other
                    other = after[other]
                after[number] = other
                if before:
                    after[before] = number
                else:
                    first[tile] = number
            at += 1
        self._number = number

    def _make_room(self, size: i64) -> None:
        """Make room for so many notes."""
        after = zeros(size)
        notes = zeros(size)
        at: i64 = 0
        while at <= self._number:
            after[at] = self._after[at]
            notes[at] = self._notes[at]
            at += 1
        self._after = after
        self._notes = notes

    def _carry_out(self, pot_of: list[int], last: list[SundaMove]) -> None:
        """Make the list of moves anew: the old one without the tiles that have left their pots, with what was noted."""
        after = self._after
        notes = self._notes
        old_moves = self.moves
        old_lies = self._lies
        old_ends = self._ends
        room: i64 = len(old_lies) + self._number
        moves = [_BLANK] * room
        lies = zeros(room)
        ends = zeros(N_TILES)
        at: i64 = 0
        size: i64 = 0
        tile: i64 = 0
        while tile < _TILES:
            end = old_ends[tile]
            if pot_of[tile] >= 0:
                note = self._first[tile]
                while note:
                    place = notes[note] >> 1
                    while at < end and old_lies[at] < place:
                        moves[size] = old_moves[at]
                        lies[size] = old_lies[at]
                        size += 1
                        at += 1
                    if notes[note] & 1:
                        moves[size] = SundaMove(PLACE, tile, place)
                        lies[size] = place
                        size += 1
                    else:
                        at += 1
                    note = after[note]
                while at < end:
                    moves[size] = old_moves[at]
                    lies[size] = old_lies[at]
                    size += 1
                    at += 1
            at = end
            ends[tile] = size
            tile += 1
        moves[size:] = last
        self.moves = moves
        self._lies = lies[:size]
        self._ends = ends


def merged(moves: list[SundaMove], more: list[tuple[int, int]]) -> list[SundaMove]:
    """Merge sorted placements with more of them, given as (tile, placement), into one sorted list."""
    if not more:
        return moves
    more.sort()
    both: list[SundaMove] = []
    at = 0
    for move in moves:
        while at < len(more):
            tile, placement = more[at]
            if tile > move.first or (tile == move.first and placement > move.second):
                break
            both.append(SundaMove(PLACE, tile, placement))
            at += 1
        both.append(move)
    both += [SundaMove(PLACE, tile, placement) for tile, placement in more[at:]]
    return both
