"""A tournament's results with luck taken off (``adjust_tournament``); ``arena.report.adjusted_tables`` shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from arena.analysis.luck_pool import LuckPool, Wanted
from arena.spec.spec import make_stored_spec
from leaderboard.chunks import chunks
from leaderboard.errors import StoreError
from leaderboard.statistics.adjustment import Adjustment, SeatLuck, adjust
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.columns import read_results
from leaderboard.storage.store import Store, StoredTournament


@dataclass(frozen=True, slots=True)
class LessLuck:
    """Adjusted results, and a sentence for each match whose luck could not be computed."""

    adjustment: Adjustment
    troubles: tuple[str, ...]


def adjust_tournament(
    store: Store, tournament: StoredTournament, pool: LuckPool, report: Callable[[int, int], None] = lambda _done, _of: None
) -> LessLuck:
    """Return the adjusted results of all complete blocks at tables of two or more.

    ``report`` is told how many matches are done, of how many. Raises StoreError and SpecError.
    """
    spec = make_stored_spec(tournament.spec, store.name)
    results = read_results(store, tournament)
    blocks = find_blocks(results, spec.schedule.count_seatings)
    ids = [results.ids[match] for table in blocks.tables if not table.is_solo for match in table.match.ravel().tolist()]
    luck: dict[str, SeatLuck] = {}
    troubles: list[str] = []
    for number, (match, found) in enumerate(pool.luck(_replays(store, ids, troubles)), start=1):
        if isinstance(found, str):
            troubles.append(f"match {match}: {found}")
        else:
            luck[match] = SeatLuck(found.wins, found.pairs)
        report(number, len(ids))
    return LessLuck(adjust(blocks, results.ids, luck), tuple(troubles))


def _replays(store: Store, ids: Sequence[str], troubles: list[str]) -> Iterator[Wanted]:
    for chunk in chunks(ids):
        digests = {match.id: match.digest for match in store.matches(chunk).values()}
        for match in chunk:
            try:
                yield Wanted(match, store.replay(match), digests[match])
            except StoreError as error:
                troubles.append(str(error))
