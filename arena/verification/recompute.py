"""The fold of what is stored: standings computed from the results alone, in schedule order. It plays nothing and stores nothing."""

from __future__ import annotations

from functools import partial

from arena.tournament.resume import Begun, make_schedule, stored_spec, whole_spec
from arena.tournament.spec import Spec
from leaderboard.ratings.fold import Fold, Folded
from leaderboard.storage.records import WAITING
from leaderboard.storage.store import Store, StoredTournament


def fold_stored(spec: Spec, store: Store, tournament: StoredTournament) -> Folded:
    """What the stored results come to, computed from them alone, in schedule order; it takes about half a millisecond a match."""
    fold = Fold(contents(tournament), spec.rating.parameters)
    schedule = make_schedule(whole_spec(spec, Begun(tournament, stored_spec(tournament))), tournament)
    index = 0
    for _, entry in schedule.walk(partial(store.entries, tournament)):
        if entry is not None:
            fold.add(index, entry)
            index += 1
    return fold.take()


def contents(tournament: StoredTournament) -> dict[str, str]:
    """The content hash of each bot that takes part; those who still wait for a round to join do not."""
    return {entrant.name: entrant.digest for entrant in tournament.entrants if entrant.joined != WAITING}
