"""From a line-up to the tickets of a block: which bot has which number, who sits where, on which seeds, under which ids.

It never looks at a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.spec.seatings import count_balanced_blocks, seat
from arena.spec.seeds.keys import Keys
from arena.spec.seeds.secret import TournamentSecret, open_root
from engine.records import Ticket

if TYPE_CHECKING:
    from arena.spec.spec import Spec


def derivation_of(spec: Spec, secret: TournamentSecret | None = None) -> Derivation:
    """Return the derivation of a spec. Without the secret of a tournament that has one, its schedule can only be counted."""
    if spec.seed is not None:
        return Derivation(spec, open_root(spec.seed))
    return Derivation(spec, None if secret is None else secret.root)


class Derivation:
    """Everything follows from a root by HMAC, and from numbers: a bot that is renamed changes nothing but its name.

    Bots are numbered from 0.
    """

    def __init__(self, spec: Spec, root: bytes | None) -> None:
        self._keys = None if root is None else Keys.of(root, spec.name, spec.game, dict(spec.make_game().options))
        self._schedule = spec.schedule

    @property
    def keys(self) -> Keys:
        """The tournament's keys. Raises ValueError where its secret is not known."""
        if self._keys is None:
            raise ValueError("the matches of this tournament follow from its secret, which is not known here")
        return self._keys

    def draw(self, *labels: str | int) -> int:
        """Return a seed for a draw of the schedule."""
        return self.keys.draw(*labels)

    def block(
        self, lineup: Sequence[int], names: Sequence[str], players: int, block: int, more: Sequence[str | int], number: int
    ) -> Iterator[Ticket]:
        """Yield the tickets of a block: one line-up, by number, in all its seatings; solo, every bot of the line-up alone.

        Seatings balance seats and neighbours, and each match has a deck of its own unless the spec shares it. ``more`` tells apart blocks
        of the same number that the line-up plays, in other rounds for one; ``number`` is the round's.
        """
        same = [] if players == 1 else list(lineup)  # solo, a bot's matches are the same whoever else has entered
        keys = self.keys.of_block(players, same, block, *more)
        key = keys.key
        shared = keys.shared_deck if self._schedule.shares_deck(players) else None
        called = tuple(names[bot] for bot in lineup)
        for rotation, seated in enumerate(self._seatings(lineup, players, block, more)):
            match = keys.match_id(seated)
            deck = keys.deck(seated) if shared is None else shared
            seats = tuple([names[bot] for bot in seated])
            yield Ticket(match, called, block, rotation, seats, deck, number, key, self.keys.bot_key(match))

    def _seatings(self, lineup: Sequence[int], players: int, block: int, more: Sequence[str | int]) -> Iterator[tuple[int, ...]]:
        if players == 1:
            return ((bot,) for bot in lineup)
        mode = self._schedule.seats
        draw = self.keys.draw("seats", players, list(lineup), block // count_balanced_blocks(mode, players), *more)
        return (tuple(lineup[part] for part in seating) for seating in seat(mode, players, draw, block))
