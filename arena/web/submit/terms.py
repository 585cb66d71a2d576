"""The terms of a submitted bot's check: the game, clock and runtime of its ladder, or of this server."""

from __future__ import annotations

from dataclasses import dataclass

from arena.entries.stored_tournament import stored_spec
from arena.spec.plans import LadderPlan
from arena.spec.spec import Spec, SpecError
from arena.web.data.offered_games import OfferedGames
from arena.web.errors import RefusedError
from bots.protocol import ClockSpec
from bots.runtime import Runtime
from engine.core import Game, OptionsError
from engine.registry import game_or_only
from leaderboard.storage.store import Store


@dataclass(frozen=True, slots=True)
class Terms:
    """The game, clock and runtime of a bot's check."""

    game: Game
    clock: ClockSpec
    runtime: Runtime


def ladders(store: Store) -> tuple[str, ...]:
    """Return the ladders that can be joined, newest first."""
    return tuple(name for name in reversed(store.tournament_names()) if _ladder(store, name) is not None)


def largest_bundle(store: Store, runtime: Runtime) -> int:
    """Return how many bytes a bot may have if the host has set a limit for the ladder or for this server, else 0."""
    specs = [_ladder(store, name) for name in store.tournament_names()]
    return max([runtime.bundle or 0, *(spec.runtime.bundle or 0 for spec in specs if spec is not None)])


def find_terms(store: Store, ladder: str, game: str, games: OfferedGames, runtime: Runtime) -> Terms:
    """Return the terms of a ladder or, without one, those for a game of this server in its ``runtime``. Raises RefusedError."""
    if not ladder:
        try:
            return Terms(games.find(game_or_only(game)), ClockSpec(), runtime)
        except OptionsError as error:
            raise RefusedError("game", str(error)) from None
    spec = _ladder(store, ladder)
    if spec is None:
        there = ", ".join(ladders(store)) or "none"
        raise RefusedError("ladder", f"there is no ladder '{ladder:.80}' here; the ladders are: {there}")
    return Terms(spec.make_game(), spec.clock.limits, spec.runtime.runtime)


def _ladder(store: Store, name: str) -> Spec | None:
    """Return the spec of the ladder of that name, or None if there is none or it can't be read."""
    tournament = store.tournament(name)
    try:
        spec = None if tournament is None else stored_spec(tournament)
    except SpecError:
        return None
    return spec if spec is not None and isinstance(spec.schedule, LadderPlan) else None
