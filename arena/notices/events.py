"""What there is to tell: a function of what is stored and of the time, so that nothing is forgotten, whoever is killed when.

Each event has a key, and is new if that is not stored. Only what visitors may see is told, and verdicts.
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
from arena.season.acts import hidden
from arena.season.entry import CALENDAR
from arena.season.season_file import Season, SeasonStage, stored_season
from arena.spec.plans import LadderPlan
from engine.core.errors import InputError
from leaderboard.ratings.rating_fold import conservative
from leaderboard.records.running import Ending
from leaderboard.records.stored import OrderKind
from leaderboard.seals.links import LinkError, read_body
from leaderboard.storage.notices import BEGUN, Event, EventKind, known_events, last_leader
from leaderboard.storage.seasons import seasons
from leaderboard.storage.store import Store
from leaderboard.storage.tables import ORDER, RUN, SEAL_LINK, TOURNAMENT, UPLOAD
from leaderboard.storage.uploads import UploadState

Found: TypeAlias = Iterator[tuple[Event, Callable[[Event], Event]]]
"""Events, each with a function that returns it with what takes longer to find out."""
HOUR: Final = 3600
"""So often, in seconds, it is looked who leads a ladder: bots of the same strength take turns all the time."""
_BEST: Final = 3


def find_events(store: Store, now: datetime) -> list[Event]:
    """Return the events that are not stored; those that there are at the first call of all are told nobody."""
    stages = {stage.tournament: (season, stage) for season in _seasons(store) for stage in season.stages}
    until = {name: season.show(each) for name, (season, stage) in stages.items() if (each := hidden(stage).get("results", now)) > now}
    found = [*_verdicts(store), *_calendar(store, stages, now), *_over(store, stages, until), *_benched(store), *_leaders(store, now)]
    shown = {EventKind.BENCHED, EventKind.OVERTAKEN}
    found = [each for each in found if each[0].kind not in shown or each[0].tournament not in until]
    known = known_events(store, [BEGUN, *(event.key for event, _ in found)])
    if BEGUN not in known:
        return [replace(event, subject="") for event, _ in found] + [Event(BEGUN, EventKind.STAGE, "")]
    return [complete(event) for event, complete in found if event.key not in known]


def _seasons(store: Store) -> Iterator[Season]:
    for each in seasons(store):
        with suppress(InputError):  # its game is not installed here
            yield stored_season(each.text)


def _page(tournament: str, bot: str = "") -> str:
    return f"/t/{quote(tournament, safe='')}" + (f"/bots/{quote(bot, safe='')}" if bot else "")


def _as_it_is(event: Event) -> Event:
    return event


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
        yield Event(f"verdict:{row.id}", EventKind.VERDICT, row.ladder, row.name, subject, text, "/my", (row.author,)), _as_it_is


def _authors(store: Store, tournament: str) -> dict[str, str]:
    """Return the authors of a tournament's bots by the bots' names."""
    stored = store.tournament(tournament)
    assert stored is not None
    with suppress(InputError):  # its game is not installed here
        return {bot.name: bot.author for bot in stored_spec(stored).bots if bot.author}
    return {}


def _to_author(store: Store, event: Event) -> Event:
    return replace(event, people=(_authors(store, event.tournament).get(event.bot, ""),))


def _benched(store: Store) -> Found:
    query = select(TOURNAMENT.c.name, ORDER.c.number, ORDER.c.bot, ORDER.c.why).join(TOURNAMENT, TOURNAMENT.c.id == ORDER.c.tournament_id)
    is_benched = (ORDER.c.kind == OrderKind.LEAVE) & (ORDER.c.by != CALENDAR)  # by which an author's older versions leave
    with store.reading() as connection:
        rows = connection.execute(query.where(is_benched).order_by(TOURNAMENT.c.id, ORDER.c.number)).all()
    for ladder, number, bot, why in rows:
        key, subject = f"benched:{ladder}:{bot}:{number}", f"{bot} is taken out of '{ladder}'"
        yield Event(key, EventKind.BENCHED, ladder, bot, subject, f"{subject}: {why}.", _page(ladder, bot)), partial(_to_author, store)


def _leaders(store: Store, now: datetime) -> Found:
    """Yield an event for each hour in which a ladder is played; there is only something to tell if another bot leads than before."""
    query = select(TOURNAMENT.c.name).join(RUN, RUN.c.tournament_id == TOURNAMENT.c.id).where(RUN.c.ending == Ending.OPEN)
    with store.reading() as connection:
        names = connection.execute(query.order_by(TOURNAMENT.c.id)).scalars().all()
    for name in names:
        yield Event(f"overtaken:{name}:{int(now.timestamp()) // HOUR}", EventKind.OVERTAKEN, name), partial(_leader, store)


def _leader(store: Store, event: Event) -> Event:
    ladder = store.tournament(event.tournament)
    assert ladder is not None
    with suppress(InputError):  # as above
        if not isinstance(stored_spec(ladder).schedule, LadderPlan):
            return event
    gone = Orders(ladder.orders).gone
    totals = [each for each in store.standings(ladder)[1] if each.bot not in gone]
    leader = max(totals, key=lambda each: (conservative(each.mu, each.sigma), each.bot)).bot if totals else ""
    before = last_leader(store, ladder.name)
    if not leader or not before or leader == before:
        return replace(event, bot=leader)
    subject = f"{leader} leads '{ladder.name}' now"
    loser = _authors(store, ladder.name).get(before, "")
    return replace(event, bot=leader, subject=subject, text=f"{subject}; it was {before} before.", path=_page(ladder.name), people=(loser,))


def _calendar(store: Store, stages: Mapping[str, tuple[Season, SeasonStage]], now: datetime) -> Found:
    begun = set(store.tournament_names())
    for name, (season, stage) in stages.items():
        page, freeze = f"/season/{quote(season.name, safe='')}", stage.freeze
        if name in begun:
            more = f" Submissions close on {season.show(freeze)}." if freeze is not None else ""
            yield Event(f"stage:{name}", EventKind.STAGE, name, "", f"'{name}' has begun", f"'{name}' has begun.{more}", page, None), _as_it_is
        if freeze is not None and now >= freeze:
            subject = f"Submissions to '{name}' are closed"
            text = f"{subject} since {season.show(freeze)}."
            yield Event(f"freeze:{name}", EventKind.FREEZE, name, "", subject, text, page, None), _as_it_is


def _over(store: Store, stages: Mapping[str, object], until: Mapping[str, str]) -> Found:
    """Yield the tournaments whose newest seal is a final one."""
    last = select(func.max(SEAL_LINK.c.number)).where(SEAL_LINK.c.tournament_id == TOURNAMENT.c.id).correlate(TOURNAMENT).scalar_subquery()
    is_last = (SEAL_LINK.c.tournament_id == TOURNAMENT.c.id) & (SEAL_LINK.c.number == last) & SEAL_LINK.c.body.contains('"final":true')
    with store.reading() as connection:
        rows = connection.execute(select(TOURNAMENT.c.name, SEAL_LINK.c.body).join(SEAL_LINK, is_last).order_by(TOURNAMENT.c.id)).all()
    for name, text in rows:
        with suppress(LinkError):
            body = read_body(text)
            event = Event(f"over:{name}:{body.part}", EventKind.OVER, name, "", f"'{name}' is over", path=_page(name))
            event = replace(event, people=None) if name in stages else event
            yield event, partial(_ended, store, until.get(name), body.run.conclusion if body.run else "")


def _ended(store: Store, until: str | None, conclusion: str, event: Event) -> Event:
    tournament = store.tournament(event.tournament)
    assert tournament is not None
    lines = [f"{event.subject}."]
    if until is not None:
        lines.append(f"Its results are shown from {until} on.")
    else:
        with suppress(InputError):  # as above
            best = placed(standings(store, tournament), find_places(store, tournament)[0])[:_BEST]
            lines += [f"{line.place or line.rank}. {line.bot}" for line in best] + ([conclusion] if conclusion else [])
    people = event.people if event.people is None else frozenset(_authors(store, tournament.name).values())
    return replace(event, text="\n".join(lines), people=people)
