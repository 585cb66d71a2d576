"""The histories of a game that one seat can't distinguish from the true one, followed from decision to decision."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from engine.openspiel.game import SpielGame

MOST: Final = 300
"""The most histories that are followed; if more are possible, a random sample of this size is followed."""
_KEPT: Final = 200
"""The number of beliefs that are cached, so that each decision of a match takes one step."""


class Step(NamedTuple):
    """What a seat knows at a decision of any seat, and, if the last decision was its own, its action there."""

    own: int | None
    actor: int
    says: str


Path: TypeAlias = tuple[Step, ...]
Belief: TypeAlias = tuple[tuple[float, Any], ...]
"""Pairs of a probability, assuming that everybody plays at random, and a ``pyspiel.State``, which must not be changed."""


def words(game: SpielGame, bare: Any, seat: int) -> str:
    """Return OpenSpiel's text of what a seat knows; an empty text for a spectator."""
    if seat < 0:
        return ""
    said: str = bare.information_state_string(seat) if game.has_information_states else bare.observation_string(seat)
    return said


def path_of(game: SpielGame, bare: Any, seat: int) -> Path:
    """Return what the seat knew at each decision of a history."""
    state, own, path = game.bare.new_initial_state(), None, []
    for each in bare.full_history():
        if each.player >= 0:
            path.append(_step(game, state, seat, own))
            own = each.action if each.player == seat else None
        state.apply_action(each.action)
    return (*path, _step(game, state, seat, own))


def belief(game: SpielGame, seat: int, path: Path) -> Belief:
    """Return all histories consistent with the path, or a random sample of ``MOST`` if there are more; the sample may be empty."""
    found: Belief = ()
    for length in range(1, len(path) + 1):
        found = _belief(game, seat, path[:length])
    return found


def drawn_from(found: Belief, rng: Random) -> Any:
    """Return a history drawn by weight, or None if there is none; copy it before changing it."""
    return rng.choices([state for _, state in found], [weight for weight, _ in found])[0] if found else None


def rng_of(seat: int, path: Path) -> Random:
    """Return a generator seeded only with what the seat has known, so that its draws reveal nothing more."""
    return Random(blake2b(f"{seat} {path}".encode(), digest_size=16).digest())


@lru_cache(maxsize=_KEPT)
def _belief(game: SpielGame, seat: int, path: Path) -> Belief:
    last, rng = path[-1], rng_of(seat, path)
    waiting = [(1.0, game.bare.new_initial_state())]
    if len(path) > 1:
        waiting = [after for weight, state in _belief(game, seat, path[:-1]) for after in _decided(weight, state, last.own)]
    found: list[tuple[float, Any]] = []
    while waiting:
        chosen = [(weight, state) for weight, state in waiting if not state.is_chance_node()]
        found += [each for each in chosen if _step(game, each[1], seat, last.own) == last]
        waiting = _few([after for weight, state in waiting if state.is_chance_node() for after in _dealt(weight, state)], rng)
    total = sum(weight for weight, _ in found)
    return tuple((weight / total, state) for weight, state in _few(found, rng))


def _decided(weight: float, state: Any, own: int | None) -> Iterator[tuple[float, Any]]:
    """Yield the successors of a history: by the action ``own``, or by every legal action if it is None."""
    legal = state.legal_actions()
    for action in legal if own is None else [own] if own in legal else []:
        yield weight / len(legal), state.child(action)


def _dealt(weight: float, state: Any) -> Iterator[tuple[float, Any]]:
    for action, probability in state.chance_outcomes():
        if probability > 0:
            yield weight * probability, state.child(action)


def _few(states: list[tuple[float, Any]], rng: Random) -> list[tuple[float, Any]]:
    """Return the states, or a sample of ``MOST`` drawn by weight if there are more."""
    if len(states) <= MOST:
        return states
    share = sum(weight for weight, _ in states) / MOST
    return [(share, state) for _, state in rng.choices(states, [weight for weight, _ in states], k=MOST)]


def _step(game: SpielGame, state: Any, seat: int, own: int | None) -> Step:
    return Step(own, state.current_player(), words(game, state, seat))
