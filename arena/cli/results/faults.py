"""``arena faults`` and ``arena log``: the faults of bots, and their logs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import UserError, report_errors
from arena.cli.options import DEFAULT_DB, DbOption, JsonOption, TournamentOption, open_tournament
from arena.cli.output import console, print_json, print_line, print_text
from engine.text import counted

_NAMED = 3
"""The most matches listed for one cause."""
_ROWS = 20
"""The most faults that are shown one by one unless --limit asks for more; causes and counts are of all."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leaderboard.records.stored import StoredMatch
    from leaderboard.storage.faults import LedgerEntry, VoidEntry
    from leaderboard.storage.rows import SeatLog


@report_errors
def faults(
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only faults of this bot.")] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the last N; default: all, and a line each for 20.", show_default=False)
    ] = None,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show the bots' own tracebacks, too: each cause once, with its matches.")
    ] = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """List the faults of a tournament's bots and the matches that could not be played.

    [dim]arena faults --db quickstart.db[/dim]
    [dim]arena faults --db quickstart.db --bot walker --traceback[/dim]
    """
    from leaderboard.storage import faults as ledger

    with open_tournament(db, tournament) as (store, stored):
        entries = ledger.faults(store, stored, bot, newest=limit)
        if traceback:
            entries = ledger.with_tracebacks(store, entries)
        voids = ledger.voids(store, stored)
    if as_json:
        listed = [{key: value for key, value in asdict(entry).items() if value is not None} for entry in entries]
        data = {"tournament": stored.name, "faults": listed, "void": [asdict(void) for void in voids]}
        print_json(data)
        return
    _show(entries, voids, limit)
    if not entries and not voids:
        print_line(f"No bot has failed in the tournament '{stored.name}'.")


def _show(entries: Sequence[LedgerEntry], voids: Sequence[VoidEntry], rows: int | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from arena.report.terminal import shortened
    from engine.text import plain

    if entries:
        name = console().width // 5
        table = Table(box=None, pad_edge=False, header_style="bold")
        for header in ("match", "seat", "bot", "fault", "at"):
            table.add_column(header, no_wrap=True)
        table.add_column("what happened", ratio=1)
        for entry in entries[: rows or _ROWS]:
            cells = (
                entry.match[:8],
                str(entry.seat),
                f"{shortened(plain(entry.bot), name)}@{entry.version[:8]}",
                entry.kind,
                str(entry.index + 1),
                plain(entry.detail),
            )
            table.add_row(*map(Text, cells))
        console().print(table)
        if rows is None and len(entries) > _ROWS:
            print_line(f"and {len(entries) - _ROWS} earlier; --limit {len(entries)} shows them all")
        counted = Counter((entry.bot, entry.kind) for entry in entries)
        print_line("")
        for (bot, kind), number in sorted(counted.items()):
            print_line(f"{shortened(plain(bot), 40)}: {number} x {kind}")
        _show_tracebacks(entries)
        print_line("'arena log MATCH SEAT' shows what a bot wrote, and its traceback.")
    for void in voids:
        print_line(f"match {void.match} ({void.seats}) could not be played: {void.reason}")


def _show_tracebacks(entries: Sequence[LedgerEntry]) -> None:
    """Show the cause of each fault once, with its traceback and its newest matches."""
    from arena.analysis.fault_groups import group_faults

    for group in group_faults([entry for entry in entries if entry.traceback]):
        where = [match[:8] for match, _ in group.matches[:_NAMED]]
        more = f" and {group.count - len(where)} more" if group.count > len(where) else ""
        print_line("")
        print_line(f"{group.bot}@{group.version[:8]} in {', '.join(where)}{more}:")
        print_text(group.traceback)


@report_errors
def log(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match, or the beginning of its id.", show_default=False)],
    seat: Annotated[int | None, typer.Argument(metavar="SEAT", min=0, help="The seat, from 0.")] = None,
    db: DbOption = DEFAULT_DB,
    as_json: JsonOption = False,  # an option
) -> None:
    """Show what a bot wrote to its log in a match, its times and, if it failed, its own traceback and the last messages.

    It helps the author of the bot; at most the last 8 KiB of the log are kept.

    [dim]arena log 3f2a 0 --db quickstart.db[/dim]
    """
    from leaderboard.storage.rows import read_log
    from leaderboard.storage.store import Store

    with Store.read(db) as store:
        stored = store.find_match(match)
        if seat is None or seat >= len(stored.seats):
            seats = ", ".join(f"{number} ({each.bot})" for number, each in enumerate(stored.seats))
            raise UserError(f"match {stored.id} has the seats {seats}; {'say which' if seat is None else f'there is no seat {seat}'}")
        with store.reading() as connection:
            kept = read_log(connection, stored.id, seat)
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
