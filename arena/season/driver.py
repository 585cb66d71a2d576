"""Runs a season from its first day to its publication: does each step when it is due, and waits in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.run.host_status import Alarm, AlarmKind, HostStatus
from arena.run.results import placed, standings
from arena.run.runner import Summary
from arena.run.status import find_places
from arena.season.entry import Gate
from arena.season.season_file import SeasonError, find_line, stored_season
from arena.season.stages import PlayStage, Progress, Publish, Season, SeasonStage, due
from arena.season.times import Clock, write_duration
from arena.spec.secret import commitment_of, new_secret, read_secret_file
from arena.spec.spec import Spec, SpecError, make_spec
from arena.tournament import Tournament, prepare, stored_spec
from bots.limits import Level
from bots.loader.version import make_params, params_digest, split_reference
from engine.text import counted
from leaderboard.storage.database import Patience
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import Submission, accepted, unjudged, versions
from leaderboard.storage.tournaments import StoredSeason, StoredStage, add_season, mark_published, seasons


def qualified(store: Store, stage: SeasonStage, tournament: StoredTournament, of_author: int | None = None) -> list[str]:
    """Return the bots of a stage that qualify for later stages, best first, at most ``of_author`` by each author.

    Bots that the season file lists under the stage itself don't qualify, nor do bots that have left or are retired.
    """
    lines = placed(standings(store, tournament), find_places(store, tournament)[0])
    submitted = _versions_of(store, tournament)
    authors = {each.name: each.author for each in stored_spec(tournament).bots}
    taken = Counter[str]()
    names = []
    for line in lines:
        if line.left or line.bot in stage.own_bots or (line.bot in submitted and submitted[line.bot].is_retired):
            continue
        author = authors[line.bot] or line.bot
        taken[author] += 1
        if of_author is None or taken[author] <= of_author:
            names.append(line.bot)
    return names


def entries_of(store: Store, tournament: StoredTournament, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return entries for a tournament file: these bots, in the versions that played in ``tournament``."""
    submitted = _versions_of(store, tournament)
    entries = {bot.name: bot for bot in stored_spec(tournament).bots}
    bots: list[dict[str, Any]] = []
    for name in names:
        version, entry = submitted.get(name), entries[name]
        plain, mark, params = entry.source.partition("?")
        bot: dict[str, Any] = {"name": name, "source": f"{version.label if version else plain}{mark}{params}"}
        bot |= {"params": dict(entry.params)} if entry.params else {}
        bot |= {} if version or entry.author is None else {"author": entry.author}
        bots.append(bot)
    return bots


def _versions_of(store: Store, tournament: StoredTournament) -> dict[str, Submission]:
    """Return the submitted versions among a tournament's bots, by name; a file with the same content does not count."""
    digests = {each.name: each.digest for each in tournament.entrants}
    found: dict[str, Submission] = {}
    submitted = versions(store)
    for bot in stored_spec(tournament).bots:
        source, own = split_reference(bot.source)
        params = own or make_params(bot.params, "params")
        for each in submitted:
            if each.name == source.partition("@")[0] and params_digest(each.digest, params) == digests.get(bot.name):
                found[bot.name] = each
    return found


AGAIN: Final = timedelta(minutes=1)
"""How long to wait before retrying matches that failed on the host."""
Play: TypeAlias = Callable[[Tournament, Callable[[int], bool]], Summary]


@dataclass(frozen=True, slots=True)
class SeasonHost:
    """The functions that the host provides for a season: to play matches, to publish results, and to stop.

    ``find_level`` chooses the isolation of a stage's bots. ``play`` plays a prepared stage; it takes a function that decides whether a
    round may begin. Files that the season names are relative to ``base``.
    """

    base: Path
    find_level: Callable[[Spec], Level]
    play: Play
    publish: Callable[[], object]
    notify: Callable[[str], None]
    is_stopping: Callable[[], bool] = lambda: False
    is_trusted: bool = False


def begin_season(season: Season, store: Store, clock: Clock, base: Path) -> StoredSeason:
    """Return the season as stored; if it is new, it begins now. Raises SeasonError if it began with a different file."""
    for stored in seasons(store):
        if stored.name == season.name:
            _check_same(season, stored, store)
            _check_rows(season, stored, store)
            return stored
    first = season.stages[0]
    if clock.now() >= (first.freeze or first.ends or season.publish):
        line = find_line(season.text, ("stages", first.name, "freeze" if first.freeze else "ends"))
        why = f"line {line}: the stage '{first.name}' would be over already"
        raise SeasonError(f"{why}; change the times in the file, and begin the season before they pass")
    stages: list[StoredStage] = []
    for stage in season.stages:
        secret = new_secret() if stage.spec.secret is None else read_secret_file(base / stage.spec.secret)
        if any(each.secret == secret.hex() for each in stages):
            line = find_line(season.text, ("stages", stage.name, "secret"))
            raise SeasonError(f"line {line}: the stage '{stage.name}' has the same secret as an earlier stage; create a new one")
        number, commitment = len(stages), commitment_of(secret)
        stages.append(
            StoredStage(tournament=stage.tournament, season=season.name, number=number, commitment=commitment, secret=secret.hex())
        )
    add_season(store, StoredSeason(name=season.name, text=season.text, begun=clock.now(), stages=stages))
    return next(each for each in seasons(store) if each.name == season.name)


def _check_same(season: Season, stored: StoredSeason, store: Store) -> None:
    if season.text == stored.text:
        return
    old, new = stored.text.splitlines(), season.text.splitlines()
    line = next((number for number, (one, other) in enumerate(zip(old, new, strict=False), 1) if one != other), min(len(old), len(new)) + 1)
    raise SeasonError(
        f"the season '{season.name}' in {store.name} began with a different file (see line {line}), and a season that has begun can't be "
        "changed: undo the change, or give the new season a different name"
    )


def _check_rows(season: Season, stored: StoredSeason, store: Store) -> None:
    kept = [(each.tournament, each.commitment) for each in stored.stages]
    try:
        wanted = [
            (stage.tournament, commitment_of(bytes.fromhex(each.secret))) for stage, each in zip(season.stages, stored.stages, strict=True)
        ]
    except ValueError:
        wanted = []
    if kept != wanted:
        raise SeasonError(
            f"the season '{season.name}' in {store.name} is damaged: its stages or commitments don't match its file and secrets"
        )


def find_progress(season: Season, store: Store) -> Progress:
    """Return the stored progress of a season."""
    stored = next((each for each in seasons(store) if each.name == season.name), None)
    begun, over = set(), set()
    for stage in season.stages:
        if (tournament := store.tournament(stage.tournament)) is None:
            continue
        begun.add(stage.tournament)
        link = store.sealed(tournament.id)
        if link is not None and link.body.is_final:
            over.add(stage.tournament)
    return Progress(begun, over, stored is not None and stored.published is not None)


def find_alarms(store: Store, status: HostStatus) -> Iterator[Alarm]:
    """Yield an alarm for each season that is not running, and for each season whose next stage would have too few bots."""
    for stored in seasons(store):
        if stored.published is not None:
            continue
        if not status.is_running:
            yield Alarm(AlarmKind.SEASON, f"the season '{stored.name}' is not running; continue it with 'arena season run FILE'")
        with suppress(SeasonError):  # one of its games is not installed here
            if shortage := find_shortage(stored_season(stored), store, status.moment):
                yield Alarm(AlarmKind.SEASON, f"in the season '{stored.name}' {shortage}")


def find_shortage(season: Season, store: Store, now: datetime) -> str:
    """Return why the next stage can't begin with the bots that qualify now. Return "" if it can, or if more bots may still qualify."""
    stage = next((each for each in season.stages if store.tournament(each.tournament) is None), None)
    origin = None if stage is None or stage.rule is None else next(each for each in season.stages if each.name == stage.rule.origin)
    if stage is None or origin is None or store.tournament(origin.tournament) is None:
        return ""
    if origin.freeze is not None and (
        now < origin.freeze
        or unjudged(store, origin.tournament, now)
        or any(each.round is None for each in accepted(store, origin.tournament))
    ):
        return ""
    try:
        _new_spec(season, stage, store)
    except SeasonError as error:
        return str(error)
    return ""


def run_season(season: Season, store: Store, clock: Clock, host: SeasonHost) -> bool:
    """Run the season; return True once it is over, or False if the host stops it.

    It may be stopped or killed at any moment; the next run continues it. Raises SeasonError if too few bots qualify for a stage, and the
    errors of the runner.
    """
    stored = begin_season(season, store, clock, host.base)
    patience = Patience(host.notify, reconnect=store.reconnect)
    announced = None
    while not host.is_stopping():
        act = due(season, patience(find_progress, season, store), clock.now())
        match act:
            case None:
                return True
            case PlayStage(stage):
                _play(season, stage, stored, store, clock, host, patience)
            case Publish():
                host.publish()
                patience(mark_published, store, season.name, clock.now())
            case _:
                if act != announced:
                    host.notify(f"Waiting: {act.what} on {season.show(act.until)}.")
                    announced = act
                if not clock.reach(act.until):
                    clock.rest()
    return False


def _play(
    season: Season, stage: SeasonStage, stored: StoredSeason, store: Store, clock: Clock, host: SeasonHost, patience: Patience
) -> None:
    run = prepare_stage(season, stage, stored, store, host)
    gate = Gate(store, season, stage, clock, host.notify)
    host.notify(f"Playing '{stage.tournament}' with {counted(len(run.bots), 'bot')}: {', '.join(run.bots)}.")
    summary = host.play(run, partial(patience, gate) if stage.is_ladder else lambda _number: True)
    if summary.void and not host.is_stopping():
        host.notify(f"{len(summary.void)} matches failed on the host; they will be tried again in {write_duration(AGAIN)}.")
        until = clock.now() + AGAIN
        while not clock.reach(until) and not host.is_stopping():
            clock.rest()


def prepare_stage(season: Season, stage: SeasonStage, stored: StoredSeason, store: Store, host: SeasonHost) -> Tournament:
    """Return a stage ready to be played: the stored one, or a new one with the bots that enter according to its rule."""
    tournament = store.tournament(stage.tournament)
    spec = _new_spec(season, stage, store) if tournament is None else stored_spec(tournament)
    spec = spec.model_copy(update={"isolation": stage.spec.isolation})
    secret = next(bytes.fromhex(each.secret) for each in stored.stages if each.tournament == stage.tournament)
    return prepare(spec, store, base=host.base, level=host.find_level(spec), trusted=host.is_trusted, allow_open_seed=False, secret=secret)


def _new_spec(season: Season, stage: SeasonStage, store: Store) -> Spec:
    """Return the spec of a stage that is about to begin, with qualified bots, best first, then the bots listed in its own table."""
    data: dict[str, Any] = {key: each for key, each in stage.data.items() if key != "secret"}
    bots: list[Any] = []
    if stage.rule is not None:
        origin = next(each for each in season.stages if each.name == stage.rule.origin)
        earlier = store.tournament(origin.tournament)
        assert earlier is not None, "stages follow each other"
        names = qualified(store, origin, earlier, stage.newest or stage.spec.max_per_author)
        bots += entries_of(store, earlier, names[: stage.rule.best])
    own = [{"name": each.name, "source": each.source, "params": dict(each.params), "author": each.author} for each in stage.spec.bots]
    bots += [each for each in own[: len(stage.own_bots)] if each["name"] not in {every["name"] for every in bots}]
    schedule = data["schedule"] = dict(data["schedule"])
    if stage.is_ladder:
        schedule["rounds"] = stage.rounds
    if "until" in schedule:  # if fewer qualify, there are fewer places
        schedule["until"] = dict(schedule["until"]) | {"places": max(1, min(schedule["until"]["places"], len(bots)))}
    try:
        return make_spec(data | {"bots": bots}, f"the stage '{stage.name}'")
    except SpecError as error:
        line = find_line(season.text, ("stages", stage.name))
        raise SeasonError(f"the stage in line {line} can't begin with {counted(len(bots), 'bot')}: {error}") from None
