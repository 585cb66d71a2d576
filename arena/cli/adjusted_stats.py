"""Results with luck taken off, for ``arena stats --adjusted``: computed with progress on stderr."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from arena.cli.analyse import progress
from arena.cli.progress import LINE_SECONDS
from arena.cli.support import UserError, say, warn

if TYPE_CHECKING:
    from arena.analysis.adjusted import LessLuck
    from leaderboard.storage.store import Store, StoredTournament


def adjust_stored(store: Store, tournament: StoredTournament) -> LessLuck:
    """Return the adjusted results of a tournament. Raises UserError for a game without a value function, StoreError and SpecError."""
    from arena.analysis.adjusted import adjust_tournament
    from arena.analysis.cache import open_cache
    from arena.analysis.luck_pool import LuckPool
    from arena.analysis.match_luck import NoLuckError
    from arena.tournament.spec import make_stored_spec

    game = make_stored_spec(tournament.spec, store.name).make_game()
    cache = open_cache()
    try:
        with LuckPool(game, cache) as pool, progress("matches") as report:
            found = adjust_tournament(store, tournament, pool, report or _Lines().show)
    except NoLuckError as error:
        raise UserError(str(error)) from None
    if cache.trouble:
        warn(cache.trouble)
    return found


class _Lines:
    """Says now and then how many matches are done, where there is no terminal."""

    def __init__(self) -> None:
        self._last = monotonic()

    def show(self, done: int, total: int) -> None:
        """Say so, unless it was said just now."""
        now = monotonic()
        if now - self._last >= LINE_SECONDS:
            self._last = now
            say(f"luck of {done} of {total} matches", err=True)
