"""Positions of OpenSpiel games with hidden information, and OpenSpiel's texts for what one seat knows of them."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, Final, Self, final

import msgspec

from engine.core import Outcome, PositionError
from engine.openspiel.state import SpielState, outcome_of

if TYPE_CHECKING:
    from engine.openspiel.game import SpielGame


def words(game: SpielGame, bare: Any, seat: int) -> str:
    """Return OpenSpiel's text for what a seat knows, or an empty string for a spectator."""
    if seat < 0:
        return ""
    said: str = bare.information_state_string(seat) if game.has_information_states else bare.observation_string(seat)
    return said


_TRIES: Final = 50


class Knowledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a seat (-1: a spectator) knows of a position."""

    seat: int
    actor: int | None
    says: str
    """OpenSpiel's information state of the seat, or its observation if the game has no information states."""
    moves: list[str] = []
    """The legal moves, if it is this seat's turn."""
    scores: list[int | float] | None = None
    """The scores once the game is over."""
    example: list[int] | None = None
    """An OpenSpiel history that agrees with all that the seat knows, if the game can be sampled; it reveals nothing more."""


@final
class SecretState(SpielState):
    """A position of which each seat knows only a part. In a view, it contains only what one seat knows (``_known``)."""

    __slots__ = ("_known", "_origin")

    tells_chance = False

    def __init__(self, game: Any, bare: Any, seed: int | None) -> None:
        super().__init__(game, bare, seed)
        self._known: Knowledge | None = None
        self._origin: tuple[Knowledge, Any] | None = None
        """For a sampled position, what another sample needs: the knowledge, and its example as a ``pyspiel.State``."""

    @classmethod
    def of_knowledge(cls, game: Any, known: Knowledge) -> SecretState:
        """Return a read-only position that contains a seat's knowledge. Raises PositionError."""
        seats = range(-1, game.max_players)
        if known.seat not in seats or known.actor not in {None, *seats[1:]} or (known.scores is None) != (known.actor is not None):
            raise PositionError(f"invalid position of {game.name}: no such seat or actor, or scores before the end, or none at the end")
        if bool(known.moves) != (known.actor is not None and known.seat == known.actor):
            raise PositionError(
                f"invalid position of {game.name}: the seat that has to decide must have moves, and other seats must have none"
            )
        state = cls(game, None, None)
        state._known = known
        state._named = dict.fromkeys(known.moves, 0)
        state.read_only = True
        return state

    @property
    def actor(self) -> int | None:
        return self._known.actor if self._known else super().actor

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, with OpenSpiel's returns as scores, or None while the game goes on."""
        if self._known is None:
            return super().outcome
        return None if self._known.scores is None else outcome_of(tuple(self._known.scores))

    @property
    def text(self) -> str:
        """The whole position as text or, in a view, all that the seat knows."""
        return super().text if self._known is None else msgspec.json.encode(self._known).decode()

    def __str__(self) -> str:
        if self._known is None:
            return super().__str__()
        if self._known.seat < 0:
            return "A spectator knows only whose turn it is." if self._known.scores is None else "The game is over."
        return self._known.says.rstrip() or f"Seat {self._known.seat} knows nothing yet."

    def observation_string(self, seat: int) -> str:
        """Return OpenSpiel's text for what the seat sees. In a view, raises PositionError for any seat but the view's own."""
        if self._known is None:
            return super().observation_string(seat)
        if seat != self._known.seat:
            raise PositionError(f"this position contains only what seat {self._known.seat} knows, not what seat {seat} knows")
        return str(self)

    def _choose(self, action: int) -> None:
        super()._choose(action)
        self._origin = None

    def copy(self) -> Self:
        if self._known is None:
            other = super().copy()
        else:
            other = type(self)(self._game, None, None)
            other._known, other._named = self._known, self._named
            other.events, other.read_only = self.events, self.read_only
        other._origin = self._origin
        return other

    def count_moves(self) -> int:
        return super().count_moves() if self._known is None else len(self._known.moves)

    def redact(self, seat: int) -> None:
        """Remove everything except what the seat knows according to OpenSpiel."""
        if self._known is not None:
            if self._known.seat != seat:
                raise PositionError(f"this position contains only what seat {self._known.seat} knows, not what seat {seat} knows")
            return
        actor = self.actor
        says = words(self._game, self._bare, seat)
        is_sampled = self._game.can_sample and seat >= 0 and actor is not None
        # Seeded only with what the seat knows, so that the example reveals nothing more.
        rng = Random(blake2b(f"{seat} {says}".encode(), digest_size=16).digest())
        example = self._resampled(self._bare, seat, says, rng) if is_sampled else None
        self._known = Knowledge(
            seat,
            actor,
            says,
            list(self._notations()) if seat == actor else [],
            None if actor is not None else list(self._returns()),
            None if example is None else example.history(),
        )
        self._named = dict.fromkeys(self._known.moves, 0)
        self._bare = self._seed = self._actions = self._origin = None
        self._draws = 0

    def _resampled(self, bare: Any, seat: int, says: str, rng: Random) -> Any:
        """Return a state that the seat can't distinguish from ``bare``, or None if none was found; the caller must not change it."""
        actor = bare.current_player()
        for _ in range(_TRIES):
            other = bare.resample_from_infostate(seat, rng.random)
            if other.current_player() == actor and words(self._game, other, seat) == says:
                return other
        return None

    def determinize(self, rng: Random) -> None:
        """Become a state that the view's seat can't distinguish from the true one. Raises PositionError if the game can't be sampled."""
        if self._known is not None and self._known.scores is not None:
            self.read_only = False  # the game is over, and nothing is secret any longer
            return
        if self._known is not None:
            self._origin = (self._known, self._replayed(self._known))
            self._known, self.read_only = None, False
        if self._origin is not None:
            known, example = self._origin
            resampled = self._resampled(example, known.seat, known.says, rng)
            self._bare = (resampled or example).clone()
            self._actions = self._named = None
            self._draws = sum(each.player < 0 for each in self._bare.full_history())
        self._seed = rng.getrandbits(48)

    def _replayed(self, known: Knowledge) -> Any:
        """Return the example as a ``pyspiel.State``. Raises PositionError if there is none, or if it contradicts what the seat knows."""
        if known.example is None:
            who = f"what seat {known.seat} knows of {self._game.name}" if self._game.can_sample else self._game.name
            raise PositionError(f"{who} can't be sampled: there is no way to draw what the players hide from each other")
        state = SecretState(self._game, self._game.bare.new_initial_state(), None).begin(known.example, whole=False)
        if state.actor != known.actor or words(self._game, state._bare, known.seat) != known.says:
            raise PositionError("the history in 'example' contradicts what the seat knows")
        return state._bare

    def tally(self) -> dict[str, Any]:
        outcome = self.outcome
        return {"returns": (0,) * self.players if outcome is None else outcome.scores}

    def observation(self, seat: int) -> None:
        return

    @property
    def opening(self) -> str:
        return ""

    def has_hidden_choice(self, seat: int) -> bool:
        return not self._game.has_open_moves
