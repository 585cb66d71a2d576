"""The events to report, computed from the database and the time, so that no event is lost if a process is killed.

Each event has a key, and is new if the key is not stored. Except for verdicts, only facts that every visitor may see are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, TypeAlias
from urllib.parse import quote

from sqlalchemy import func, select

from arena.analysis.standings import placed, standings
from arena.entries.stored_tournament import stored_spec
from arena.formats.orders import Orders
from arena.run.status import find_places
from arena.season.calendar import hidden
from arena.season.entry import CALENDAR
from arena.season.season_file import stored_season
from arena.season.stages import Season, SeasonStage
from arena.spec.plans import LadderPlan
from engine.core.errors import InputError
from leaderboard.ratings.rating_fold import conservative
from leaderboard.records.running import Ending
from leaderboard.records.stored import OrderKind, StoredTournament
from leaderboard.seals.links import LinkError, read_body
from leaderboard.storage.notices import BEGUN, Event, EventKind, known_events, last_leader
from leaderboard.storage.seasons import seasons
from leaderboard.storage.server_tables import UPLOAD
from leaderboard.storage.store import Store
from leaderboard.storage.tables import ORDER, RUN, SEAL_LINK, TOURNAMENT
from leaderboard.storage.uploads import UploadState

Found: TypeAlias = Iterator[tuple[Event, Callable[[Event, StoredTournament], Event] | None]]
"""Events, each with an optional function that adds details that take longer to find."""
HOUR: Final = 3600
"""Seconds between checks of who leads a ladder: bots of the same strength overtake each other all the time."""
_BEST: Final = 3


def find_events(store: Store, now: datetime) -> list[Event]:
    """Return the events that are not stored yet; events from before the first call are never reported."""
    stages = {stage.tournament: (season, stage) for season in _seasons(store) for stage in season.stages}
    until = {name: season.show(each) for name, (season, stage) in stages.items() if (each := hidden(stage).get("results", now)) > now}
    found = [*_verdicts(store), *_calendar(store, stages, now), *_over(store, stages, until)]
    found += [each for each in (*_benched(store), *_leaders(store, now)) if each[0].tournament not in until]
    known = known_events(store, [BEGUN, *(event.key for event, _ in found)])
    if BEGUN not in known:
        return [*(replace(event, subject="") for event, _ in found), Event(BEGUN, EventKind.STAGE, "")]
    new = [(event, complete, complete and store.tournament(event.tournament)) for event, complete in found if event.key not in known]
    return [complete(event, stored) if complete and stored else event for event, complete, stored in new]


def _seasons(store: Store) -> Iterator[Season]:
    for each in seasons(store):
        with suppress(InputError):  # its game is not installed here
            yield stored_season(each.text)


def _page(kind: str, *names: str) -> str:
    return "/".join(["", kind, *(quote(name, safe="") for name in names)])


def _verdicts(store: Store) -> Found:
    is_over = UPLOAD.c.state.in_((UploadState.ACCEPTED, UploadState.FAILED)) & (UPLOAD.c.against == "")
    columns = [UPLOAD.c[key] for key in ("id", "author", "name", "ladder", "state", "label", "note")]
    with store.reading() as connection:
        rows = connection.execute(select(*columns).where(is_over).order_by(UPLOAD.c.number)).all()
    for row in rows:
        is_passed = row.state == UploadState.ACCEPTED
        ladder = f" for '{row.ladder}'" if row.ladder else ""
        subject = f"{row.label or row.name} has {'passed' if is_passed else 'failed'} its check{ladder}"
        text = f"{subject}. {row.note if is_passed else 'The page of your bots says why.'}".strip()
        yield Event(f"verdict:{row.id}", EventKind.VERDICT, row.ladder, row.name, subject, text, "/my", (row.author,)), None


def _benched(store: Store) -> Found:
    query = select(TOURNAMENT.c.name, ORDER.c.number, ORDER.c.bot, ORDER.c.why).join(TOURNAMENT, TOURNAMENT.c.id == ORDER.c.tournament_id)
    is_benched = (ORDER.c.kind == OrderKind.LEAVE) & (ORDER.c.by != CALENDAR)  # through which an author's older versions leave
    with store.reading() as connection:
        rows = connection.execute(query.where(is_benched).order_by(TOURNAMENT.c.id, ORDER.c.number)).all()
    for ladder, number, bot, why in rows:
        key, subject = f"benched:{ladder}:{bot}:{number}", f"{bot} is taken out of '{ladder}'"
        event = Event(key, EventKind.BENCHED, ladder, bot, subject, f"{subject}: {why}.", _page("t", ladder, "bots", bot))
        yield event, lambda event, stored: replace(event, people=_authors(stored, event.bot))


def _authors(tournament: StoredTournament, *bots: str) -> frozenset[str]:
    """Return the authors of these bots, or of all."""
    with suppress(InputError):  # its game is not installed here
        return frozenset(each.author for each in stored_spec(tournament).bots if each.author and (not bots or each.name in bots))
    return frozenset()


def _leaders(store: Store, now: datetime) -> Found:
    """Yield an event for each hour in which a tournament is played; it is reported only if a ladder has a new leader."""
    query = select(TOURNAMENT.c.name).join(RUN, RUN.c.tournament_id == TOURNAMENT.c.id).where(RUN.c.ending == Ending.OPEN)
    with store.reading() as connection:
        names = connection.execute(query.order_by(TOURNAMENT.c.id)).scalars().all()
    for name in names:
        yield Event(f"overtaken:{name}:{int(now.timestamp()) // HOUR}", EventKind.OVERTAKEN, name), partial(_compare_leaders, store)


def _compare_leaders(store: Store, event: Event, ladder: StoredTournament) -> Event:
    with suppress(InputError):  # as above
        if not isinstance(stored_spec(ladder).schedule, LadderPlan):
            return event
    gone, before = Orders(ladder.orders).gone, last_leader(store, ladder.name)
    totals = [each for each in store.standings(ladder)[1] if each.bot not in gone]
    leader = max(totals, key=lambda each: (conservative(each.mu, each.sigma), each.bot)).bot if totals else ""
    if not leader or not before or leader == before:
        return replace(event, bot=leader)
    subject, people = f"{leader} leads '{ladder.name}' now", _authors(ladder, before)
    return replace(
        event, bot=leader, subject=subject, text=f"{subject}; it was {before} before.", path=_page("t", ladder.name), people=people
    )


def _calendar(store: Store, stages: Mapping[str, tuple[Season, SeasonStage]], now: datetime) -> Found:
    begun = set(store.tournament_names())
    for name, (season, stage) in stages.items():
        page, freeze = _page("season", season.name), stage.freeze
        if name in begun:
            subject, more = f"'{name}' has begun", f" Submissions close on {season.show(freeze)}." if freeze is not None else ""
            yield Event(f"stage:{name}", EventKind.STAGE, name, "", subject, f"{subject}.{more}", page, None), None
        if freeze is not None and now >= freeze:
            subject = f"Submissions to '{name}' are closed"
            yield Event(f"freeze:{name}", EventKind.FREEZE, name, "", subject, f"{subject} since {season.show(freeze)}.", page, None), None


def _over(store: Store, stages: Mapping[str, tuple[Season, SeasonStage]], until: Mapping[str, str]) -> Found:
    """Yield the tournaments whose newest seal is a final one."""
    last = select(func.max(SEAL_LINK.c.number)).where(SEAL_LINK.c.tournament_id == TOURNAMENT.c.id).correlate(TOURNAMENT).scalar_subquery()
    is_last = (SEAL_LINK.c.tournament_id == TOURNAMENT.c.id) & (SEAL_LINK.c.number == last) & SEAL_LINK.c.body.contains('"final":true')
    with store.reading() as connection:
        rows = connection.execute(select(TOURNAMENT.c.name, SEAL_LINK.c.body).join(SEAL_LINK, is_last).order_by(TOURNAMENT.c.id)).all()
    for name, seal in rows:
        with suppress(LinkError):
            body, page = read_body(seal), _page("season", stages[name][0].name) if name in stages else _page("t", name)
            subject, people = f"'{name}' is over", None if name in stages else ()
            text = f"{subject}.\nIts results are shown from {until[name]} on." if name in until else f"{subject}."
            event = Event(f"over:{name}:{body.part}", EventKind.OVER, name, "", subject, text, page, people)
            yield event, None if name in until else partial(_add_places, store, body.run.conclusion if body.run else "")


def _add_places(store: Store, conclusion: str, event: Event, tournament: StoredTournament) -> Event:
    with suppress(InputError):  # as above
        best = placed(standings(store, tournament), find_places(store, tournament)[0])[:_BEST]
        lines = [event.text, *(f"{line.place or line.rank}. {line.bot}" for line in best), *([conclusion] if conclusion else [])]
        return replace(event, text="\n".join(lines), people=event.people if event.people is None else _authors(tournament))
    return event
