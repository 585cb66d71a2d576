"""``arena faults`` and ``arena log``: the faults of bots, and their logs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import DEFAULT_DB, DbOption, JsonOption, TournamentOption, open_tournament
from arena.cli.output import UserError, console, print_json, print_line, print_text, report_errors
from engine.text import counted

_NAMED = 3
"""How many matches are named with a traceback, at most."""
_ROWS = 20
"""How many causes are shown, at most."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leaderboard.records import StoredMatch
    from leaderboard.storage.matches import LedgerEntry, SeatLog, Void


@report_errors
def faults(
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only faults of this bot.")] = None,
    traceback: Annotated[bool, typer.Option("--traceback", help="Also show the bots' own tracebacks.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the causes of faults, newest first, with their counts.

    Matches that could not be played are also listed.

    [dim]arena faults --db quickstart.db[/dim]
    [dim]arena faults --db quickstart.db --bot walker --traceback[/dim]
    """
    from leaderboard.storage import matches as ledger

    with open_tournament(db, tournament) as (store, stored):
        entries = ledger.faults(store, stored, bot)
        if traceback:
            entries = ledger.with_tracebacks(store, entries)
        voids = ledger.voids(store, stored)
    if as_json:
        listed = [{key: value for key, value in asdict(entry).items() if value is not None} for entry in entries]
        data = {
            "tournament": stored.name,
            "faults": listed,
            "void": [{"match": void.match_id, "seats": void.seats, "reason": void.reason} for void in voids],
        }
        print_json(data)
        return
    _show(entries, voids)
    if not entries and not voids:
        print_line(f"No bot has failed in the tournament '{stored.name}'.")


def _show(entries: Sequence[LedgerEntry], voids: Sequence[Void]) -> None:
    from rich.table import Table
    from rich.text import Text

    from arena.analysis.fault_groups import group_faults
    from arena.cli.output import shortened
    from engine.text import plain

    groups = group_faults(entries)
    if groups:
        name = console().width // 5
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("times", no_wrap=True, justify="right")
        for header in ("bot", "fault", "newest", "seat"):
            table.add_column(header, no_wrap=True)
        table.add_column("what happened", ratio=1)
        for group in groups[:_ROWS]:
            match, seat = group.matches[0]
            bot = f"{shortened(plain(group.bot), name)}@{group.version[:8]}"
            table.add_row(*map(Text, (str(group.count), bot, group.kind, match[:8], str(seat), plain(group.what))))
        console().print(table)
        if len(groups) > _ROWS:
            print_line(f"and {len(groups) - _ROWS} earlier causes; --json has every fault")
        for group in groups[:_ROWS]:
            if group.traceback:
                print_text(f"\n{group.bot}@{group.version[:8]} in {', '.join(match[:8] for match, _ in group.matches[:_NAMED])}:")
                print_text(group.traceback)
        print_line("'arena log MATCH SEAT' shows a bot's log and its traceback.")
    for void in voids:
        print_line(f"match {void.match_id} ({void.seats}) could not be played: {void.reason}")


@report_errors
def log(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match's id, or the beginning of the id.", show_default=False)],
    seat: Annotated[int | None, typer.Argument(metavar="SEAT", min=0, help="The seat, from 0.")] = None,
    db: DbOption = DEFAULT_DB,
    as_json: JsonOption = False,
) -> None:
    """Show a bot's log, times and traceback from a match.

    If the bot failed, its last messages are also shown. At most the last 8 KiB of a log are kept.

    [dim]arena log 3f2a 0 --db quickstart.db[/dim]
    """
    from leaderboard.storage.matches import read_log
    from leaderboard.storage.store import Store

    with Store.read(db) as store:
        stored = store.find_match(match)
        if seat is None or seat >= len(stored.seats):
            seats = ", ".join(f"{number} ({each.bot})" for number, each in enumerate(stored.seats))
            raise UserError(f"match {stored.id} has the seats {seats}; {'choose one' if seat is None else f'there is no seat {seat}'}")
        kept = read_log(store, stored.id, seat)
    played = stored.seats[seat]
    if as_json:
        measured = {name: getattr(played, name) for name in ("decisions", "seconds", "cpu_seconds", "peak_memory")}
        fault = asdict(played.fault) if played.fault else None
        facts = {"match": stored.id, "seat": seat, "bot": played.bot, "isolation": stored.isolation, "fault": fault}
        print_json(facts | measured | asdict(kept))
    else:
        _show_log(stored, seat, kept)


def _show_log(match: StoredMatch, seat: int, kept: SeatLog) -> None:
    played = match.seats[seat]
    print_line(f"match {match.id}, seat {seat}, {played.bot}, isolation {match.isolation}")
    memory = "" if played.peak_memory is None else f", {played.peak_memory / 2**20:.0f} MiB at most"
    print_line(f"{counted(played.decisions, 'decision')} in {played.seconds:.3g} s, {played.cpu_seconds:.3g} s of CPU time{memory}")
    if played.fault is not None:
        print_line(f"{played.fault.kind.value} at decision {played.fault.index + 1}: {played.fault.detail}")
    if kept.traceback:
        print_text("\n" + kept.traceback)
    print_text("\nThe end of its log:\n" + kept.log if kept.log else "\nIts log is empty.")
    if kept.messages:
        print_text("\nThe last messages (> to the bot, < from it):")
        for message in kept.messages:
            print_line(message)
