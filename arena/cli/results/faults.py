"""``arena faults`` and ``arena log``: the faults of bots, and their logs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.errors import UserError, report_errors
from arena.cli.options import DEFAULT_DB, DatabaseArgument, DbOption, JsonOption, TournamentOption, open_tournament
from arena.cli.output import console, print_json, print_line, print_text
from arena.cli.remote import FromOption, TokenOption, ask, check_no_database, read_answer
from engine.records import Fault
from engine.text import counted

_NAMED = 3
"""The most matches listed for one cause."""
MOST = 500
"""The most faults that a server lists."""
_ROWS = 20
"""The most faults that are shown one by one unless --limit asks for more; causes and counts are of all."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leaderboard.storage.faults import LedgerEntry, VoidEntry


@report_errors
def faults(
    database: DatabaseArgument = None,
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
    server: FromOption = "",
    token: TokenOption = "",
) -> None:
    """List the faults of a tournament's bots and the matches that could not be played, or those of your own bots on a server.

    [dim]arena faults --db quickstart.db[/dim]
    [dim]arena faults --db quickstart.db --bot walker --traceback[/dim]
    [dim]arena faults --from https://arena.example --traceback[/dim]
    """
    from leaderboard.storage import faults as ledger

    if server:
        check_no_database("--from", database, db)
        if limit is not None and limit > MOST:
            raise UserError(f"--limit {limit}: a server lists {MOST} faults at most")
        data = ask(server, token, "/faults", {"tournament": tournament, "bot": bot, "limit": limit})
        _show_own_faults(data, traceback, limit, as_json=as_json)
        return
    with open_tournament(database, db, tournament) as (store, stored):
        entries = ledger.faults(store, stored, bot, newest=limit)
        if traceback:
            entries = ledger.with_tracebacks(store, entries)
        voids = ledger.voids(store, stored)
    if as_json:
        listed = [{key: value for key, value in asdict(entry).items() if value is not None} for entry in entries]
        data = {"tournament": stored.name, "faults": listed, "void": [asdict(void) for void in voids]}
        print_json(data)
        return
    _show(entries, voids, rows=limit)
    if not entries and not voids:
        print_line(f"No bot has failed in the tournament '{stored.name}'.")


def _show_own_faults(data: dict[str, Any], traceback: bool, limit: int | None, *, as_json: bool) -> None:
    """Show a server's list of the faults of an author's bots."""
    from leaderboard.storage.faults import LedgerEntry

    if as_json:
        print_json(data)
        return
    entries = read_answer(data.get("faults"), tuple[LedgerEntry, ...])
    shown = [entry if traceback else replace(entry, traceback=None) for entry in entries]
    _show(shown, (), "'arena log MATCH --from URL'", rows=limit)
    if not entries:
        print_line(f"None of your bots has failed in the tournament '{data.get('tournament')}'.")


def _show(
    entries: Sequence[LedgerEntry], voids: Sequence[VoidEntry], log_command: str = "'arena log MATCH SEAT'", *, rows: int | None
) -> None:
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
        print_line(f"{log_command} shows what a bot wrote, and its traceback.")
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
    seat: Annotated[int | None, typer.Argument(metavar="SEAT", min=0, help="The seat, from 0; from a server, by default yours.")] = None,
    db: DbOption = DEFAULT_DB,
    as_json: JsonOption = False,  # an option
    server: FromOption = "",
    token: TokenOption = "",
) -> None:
    """Show what a bot wrote to its log in a match, its times and, if it failed, its own traceback and the last messages.

    It helps the author of the bot; at most the last 8 KiB of the log are kept.

    [dim]arena log 3f2a 0 --db quickstart.db[/dim]
    [dim]arena log 3f2a9c --from https://arena.example[/dim]
    """
    if server:
        check_no_database("--from", None, db)
        if not match.isalnum():
            raise UserError(f"'{match}' is not the id of a match; 'arena matches --from {server}' lists yours")
        data = ask(server, token, f"/matches/{match}", {"seat": seat})
    else:
        data = _read_log(db, match, seat)
    if as_json:
        print_json(data)
    else:
        _show_log(read_answer(data, _Log))


def _read_log(db: str, match: str, seat: int | None) -> dict[str, Any]:
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
    measured = {name: getattr(played, name) for name in ("decisions", "seconds", "cpu_seconds", "peak_memory")}
    fault = asdict(played.fault) if played.fault else None
    return {"match": stored.id, "seat": seat, "bot": played.bot, "isolation": stored.isolation, "fault": fault} | measured | asdict(kept)


@dataclass(frozen=True, slots=True)
class _Log:
    """The log of a seat, from a database or a server; times are in seconds, memory in bytes."""

    match: str
    seat: int
    bot: str
    isolation: str
    fault: Fault | None
    decisions: int
    seconds: float
    cpu_seconds: float
    peak_memory: float | None
    log: str
    messages: tuple[str, ...]
    traceback: str


def _show_log(kept: _Log) -> None:
    print_line(f"match {kept.match}, seat {kept.seat}, {kept.bot}, isolation {kept.isolation}")
    memory = "" if kept.peak_memory is None else f", {kept.peak_memory / 2**20:.0f} MiB at most"
    print_line(f"{counted(kept.decisions, 'decision')} in {kept.seconds:.3g} s, {kept.cpu_seconds:.3g} s of CPU time{memory}")
    if kept.fault is not None:
        print_line(f"{kept.fault.kind.value} at decision {kept.fault.index + 1}: {kept.fault.detail}")
    if kept.traceback:
        print_text("\n" + kept.traceback)
    print_text("\nThe end of its log:\n" + kept.log if kept.log else "\nIts log is empty.")
    if kept.messages:
        print_text("\nThe last messages (> to the bot, < from it):")
        for message in kept.messages:
            print_line(message)
