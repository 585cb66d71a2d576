"""``arena status``: show the progress of a tournament."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.text import Text

from arena.cli.options import DEFAULT_DB, DbOption, JsonOption, TournamentOption, find_tournament
from arena.cli.output import console, duration, print_json, print_line, report_errors

if TYPE_CHECKING:
    from rich.console import Console

    from arena.report.table import Table
    from arena.run.status import RoundStatus, Status
    from leaderboard.storage.store import Store

SHOWN_ROUNDS: Final = 12
LABEL: Final = 9


@report_errors
def status(
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="How many of the newest rounds to list.")] = SHOWN_ROUNDS,
    as_json: JsonOption = False,
) -> None:
    """Show what has been played, what is left, and how to continue.

    Without --tournament, the calendars of the database's seasons are shown first. Then come alarms: the disk is almost full, a run was
    killed, or a season is not being run. A ladder's orders are listed with their reasons.
    Alarms, recent matches, driver, uploads and disk are for the whole database.

    [dim]arena status --db quickstart.db[/dim]
    """
    from dataclasses import asdict
    from datetime import UTC, datetime

    import msgspec

    from arena.cli.output import terminal
    from arena.report.host_report import host_lines, seal_text
    from arena.report.leaderboard_table import places_table
    from arena.report.orders_table import order_rows, orders_table
    from arena.run.host_status import find_alarms, find_host_status
    from arena.run.status import find_status
    from arena.season.driver import find_alarms as find_season_alarms
    from leaderboard.storage.activity import find_seal
    from leaderboard.storage.store import Store

    with Store.read(db) as store:
        seasons = () if tournament else tuple(_seasons(store))
        if not as_json:
            for line in seasons:
                print_line(line)
        if seasons and not store.tournament_names():
            return
        stored = find_tournament(store, tournament)
        orders = order_rows(stored)
        progress, name = find_status(store, stored, rounds), store.name
        host = find_host_status(store, datetime.now(UTC))
        seal = find_seal(store, stored.id)
        alarms = (*find_alarms(host), *find_season_alarms(store, host))
    if as_json:
        record = msgspec.to_builtins(host, enc_hook=lambda run: run.model_dump(exclude={"tournament_id"}))
        facts = {"left": progress.left, "seal": seal, "orders": orders, "alarms": alarms}
        print_json(asdict(progress) | msgspec.to_builtins(facts) | {"host": record})
        return
    out = console()
    _show(out, (("alarm", each.text) for each in alarms), "bold red")
    out.print(Text(f"{progress.tournament} ({progress.game}, {progress.format})", style="bold"))
    _show(out, [*_lines(progress, name), ("seals", seal_text(seal, progress.played)), *host_lines(host)], "dim")
    if orders:
        out.print(terminal(orders_table(orders, stored.name), out.width))
    if progress.by_round:
        out.print(terminal(_round_table(progress.by_round), out.width))
    if progress.places:
        out.print(terminal(places_table(progress.places, progress.format), out.width))
    if progress.conclusion:
        out.print(Text(progress.conclusion))


def _seasons(store: Store) -> Iterator[str]:
    from arena.season import times
    from arena.season.driver import find_progress, find_shortage
    from arena.season.season_file import stored_season
    from arena.season.stages import PlayStage, Wait, calendar, due, find_state
    from engine.text import counted
    from leaderboard.storage.people import with_names
    from leaderboard.storage.submissions import accepted, unjudged
    from leaderboard.storage.tournaments import seasons

    now = times.now()
    for each in seasons(store):
        season = stored_season(each)
        progress = find_progress(season, store)
        yield f"{season.title}, begun at {season.show(each.begun)}"
        for event in calendar(season, progress, now):
            yield f"  {event.state:4}  {season.show_short(event.moment)}  {event.what}"
        for stage, secret in zip(season.stages, each.stages, strict=True):
            kept = accepted(store, stage.tournament)
            waiting = len(unjudged(store, stage.tournament, now))
            more = f", {counted(len(kept), 'submission')} passed, {waiting} being checked" if stage.freeze is not None else ""
            yield f"  {stage.tournament}: {find_state(stage, progress, now)}{more}; {secret.commitment}"
            yield from (with_names(store, f"    {entry.label} of {entry.author}: {entry.reason}") for entry in kept if entry.reason)
        if shortage := find_shortage(season, store, now):
            yield f"  {shortage}"
        match due(season, progress, now):
            case None:
                yield "  The season is over."
            case PlayStage(stage):
                yield f"  Next: '{stage.tournament}' will be played."
            case Wait(until, what):
                yield f"  Next: {what} on {season.show(until)}."
            case _:
                yield "  Next: the results will be published."


def _show(out: Console, lines: Iterable[tuple[str, str]], style: str) -> None:
    """Print labels and texts; long texts are wrapped next to their labels."""
    for label, text in lines:
        for number, part in enumerate(Text(text).wrap(out, out.width - LABEL)):
            part.rstrip()
            out.print(Text(f"{'' if number else label:<{LABEL}}", style=style).append(part.plain, style="default not dim not bold"))


def _lines(status: Status, database: str) -> list[tuple[str, str]]:
    if status.is_complete:
        matches = f"all {status.played} played"
    elif status.matches is None:
        matches = f"{status.played} played; the total is not known"
    else:
        matches = f"{status.played} of {status.matches} played, {status.left} left"
    lines = [("matches", matches + (f", {status.void} void" if status.void else ""))]
    lines.append(("blocks", f"{status.blocks_complete}{'' if status.blocks is None else f' of {status.blocks}'} complete"))
    if status.round:
        lines.append(("round", f"{status.round}{'' if status.rounds is None else f' of {status.rounds}'}"))
    if status.waiting:
        lines.append(("waiting", f"{', '.join(status.waiting)}, for the next round"))
    if status.open_seed is not None:
        lines.append(("seed", f"open ({status.open_seed}): anyone can compute every deck"))
    if status.commitment is not None:
        lines.append(("commit", status.commitment))
    return [*lines, ("run", _run(status, database))]


def _run(status: Status, database: str) -> str:
    if status.is_running and not status.is_complete:
        left = "" if status.seconds_left is None else f", {duration(status.seconds_left)} left"
        return f"in progress, {status.rate or 0.0:.1f} matches/s{left}"
    if status.is_complete:
        return "complete"
    return f"none; continue with: arena run SPEC --db {database}"


def _round_table(rounds: Sequence[RoundStatus]) -> Table:
    from arena.report.table import Table

    known = [() if each.matches is None else (str(each.matches),) for each in rounds]  # not for the rounds of a ladder
    rows = [(str(each.round), str(each.played), *of, str(each.blocks_complete)) for each, of in zip(rounds, known, strict=True)]
    columns = ("round", "played", *(("of",) if any(known) else ()), "blocks complete")
    earlier = [("...", *("" for _ in columns[1:]))] if rounds[0].round > 1 else []
    return Table("rounds", "", columns, [*earlier, *rows])
