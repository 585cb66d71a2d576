"""The terms on which a server checks a submitted bot: those of its ladder, or of a game of this server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.entries.bot_check import CheckTerms
from arena.entries.ladder_entry import NoLadderError, ladders
from arena.season import entry
from arena.web.data.offered_games import OfferedGames
from arena.web.errors import RefusedError
from bots.protocol import ClockSpec
from bots.runtime import Runtime
from engine.core import OptionsError
from engine.registry import game_or_only
from leaderboard.storage.store import Store


def largest_bundle(store: Store, runtime: Runtime) -> int:
    """Return how many bytes a bot may have if the host has set a limit for a ladder or for this server, else 0."""
    return max([runtime.bundle or 0, *(spec.runtime.bundle or 0 for spec in ladders(store).values())])


def find_terms(store: Store, ladder: str, game: str, players: Sequence[int], games: OfferedGames, runtime: Runtime) -> CheckTerms:
    """Return the terms of a ladder or, without one, those for a game of this server in its ``runtime``, at tables of ``players`` if given.

    Raises RefusedError.
    """
    if ladder and players:
        raise RefusedError("players", f"a bot for the ladder '{ladder:.80}' is checked at its own tables; leave out the number of players")
    try:
        if ladder:
            return CheckTerms.of_tournament(entry.find_terms(store, ladder))
        terms = CheckTerms.of_game(games.find(game_or_only(game)), ClockSpec(), runtime)
    except NoLadderError as error:
        raise RefusedError("ladder", str(error)) from None
    except OptionsError as error:
        raise RefusedError("ladder" if ladder else "game", str(error)) from None
    try:
        for size in players:
            terms.game.check_start(size, 0)
    except OptionsError as error:
        raise RefusedError("players", str(error)) from None
    return replace(terms, sizes=tuple(dict.fromkeys(players)) or terms.sizes)
