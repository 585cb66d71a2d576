"""``arena matches``: list the latest matches of a tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arena.cli.errors import UserError, report_errors
from arena.cli.options import DEFAULT_DB, DatabaseArgument, DbOption, JsonOption, TournamentOption, check_bot_name, open_tournament
from arena.cli.output import console, print_json, print_line
from arena.cli.remote import FromOption, TokenOption, ask, check_no_database, read_answer
from arena.report.terminal import GAP, LEAST_NAME, shortened

if TYPE_CHECKING:
    from leaderboard.records.stored import StoredMatch

_LONGEST_END: Final = 20
MOST: Final = 200
"""The most matches that a server lists."""
_RESULT: Final = "result, best first"


@report_errors
def matches(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches of this bot.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many to list, newest first.")] = 20,
    as_json: JsonOption = False,  # an option
    server: FromOption = "",
    token: TokenOption = "",
) -> None:
    """List the latest matches, or those of your own bots on a server; `arena replay MATCH` shows one.

    JSON counts rounds, blocks and seats from 0.

    [dim]arena matches --bot greedy --limit 5[/dim]
    [dim]arena matches --from https://arena.example[/dim]
    """
    from dataclasses import asdict

    if server:
        check_no_database("--from", database, db)
        if limit > MOST:
            raise UserError(f"--limit {limit}: a server lists {MOST} matches at most")
        _show_own_matches(ask(server, token, "/matches", {"tournament": tournament, "bot": bot, "limit": limit}), as_json=as_json)
        return
    with open_tournament(database, db, tournament) as (store, stored):
        if bot is not None:
            check_bot_name(stored, bot)
        listed = store.recent_matches(stored, bot=bot, limit=limit)
    if as_json:
        print_json([asdict(match) for match in listed])
    elif listed:
        out = console()
        out.print(matches_table(listed, f"{stored.name} ({stored.game})", out.width))
    else:
        print_line(f"No match of the tournament '{stored.name}' has been played yet.")


@dataclass(frozen=True, slots=True)
class _Change:
    mu: float
    before: tuple[float, float] | None
    matches: int = 1


@dataclass(frozen=True, slots=True)
class _OwnMatch:
    match: dict[str, Any]
    change: _Change | None


def _show_own_matches(data: dict[str, Any], *, as_json: bool) -> None:
    """Show a server's list of the matches of an author's bots."""
    from leaderboard.records.stored import StoredMatch

    if as_json:
        print_json(data)
        return
    listed = read_answer(data.get("matches"), tuple[_OwnMatch, ...])
    matches = [read_answer(each.match | {"seed": 0}, StoredMatch) for each in listed]  # the seed may not be known yet
    if not matches:
        print_line(f"No match of your bots in the tournament '{data.get('tournament')}' has been played yet.")
        return
    changes = {match.id: _change_text(each.change) for match, each in zip(matches, listed, strict=True)}
    out = console()
    out.print(matches_table(matches, f"{data.get('tournament')} ({data.get('game')})", out.width, changes))


def _change_text(change: _Change | None) -> str:
    """Return the change in the mean of a rating since it was last stored; after the first match, the mean itself."""
    if change is None or change.before is None:
        return "" if change is None else f"{change.mu:.2f}"
    return f"{change.mu - change.before[0]:+.2f}" + (f" in {change.matches}" if change.matches > 1 else "")


def matches_table(matches: Sequence[StoredMatch], title: str, width: int = 80, changes: Mapping[str, str] | None = None) -> Group:
    """Return a table of matches: seats in order of rank with their scores.

    ``block`` is the block's number and seating, preceded by its round, counted from 1, if there are several. ``changes`` has each match's
    change of a rating, by the match's id.

    In a terminal ``width`` columns wide a result takes as many lines as it needs, and no seat is divided between two.
    """
    has_rounds = any(match.round for match in matches)
    block = "round, block" if has_rounds else "block"
    rows = [
        (
            match.id,
            f"{f'{match.round + 1}, ' if has_rounds else ''}{match.block}.{match.rotation}",
            shortened(match.end, _LONGEST_END),
            str(match.decisions),
            "" if changes is None else changes.get(match.id, ""),
        )
        for match in matches
    ]
    needs = [
        max(map(cell_len, texts))
        for texts in zip(("match", block, "end", "moves", "" if changes is None else "rating"), *rows, strict=True)
    ]
    room = max(len(_RESULT), width - sum(needs) - GAP * sum(need > 0 for need in needs))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("match", no_wrap=True, width=needs[0])
    table.add_column(block, justify="right", no_wrap=True, width=needs[1])
    table.add_column(_RESULT, no_wrap=True)
    table.add_column("end", no_wrap=True, width=needs[2])
    table.add_column("moves", justify="right", no_wrap=True, width=needs[3])
    if changes is not None:
        table.add_column("rating", justify="right", no_wrap=True, width=needs[4])
    for match, (name, place, end, moves, change) in zip(matches, rows, strict=True):
        order = sorted(range(len(match.seats)), key=lambda seat: (match.seats[seat].rank, seat))
        result = _in_lines([_seat_text(match, seat, room) for seat in order], room)
        table.add_row(name, place, result, end, moves, *([] if changes is None else [change]))
    return Group(Text(f"{title}, newest first", style="bold"), table)


def _in_lines(parts: Sequence[Text], width: int) -> Text:
    """Return the parts with commas between them, in lines of at most ``width`` columns."""
    text, taken = Text(), 0
    for number, part in enumerate(parts):
        more = Text.assemble(part, "," if number < len(parts) - 1 else "")
        if taken and taken + 1 + more.cell_len > width:
            text.append("\n")
            taken = 0
        elif taken:
            text.append(" ")
            taken += 1
        text.append_text(more)
        taken += more.cell_len
    return text


def _seat_text(match: StoredMatch, seat: int, width: int) -> Text:
    """Return a seat's result, at most ``width`` columns wide with a comma after it."""
    result = match.seats[seat]
    alone = len(match.seats) == 1  # a solo match has no ranks to show; the leaderboard ranks a block's bots against each other
    rank = "" if alone else f"{result.rank}. "
    fault = f" ({result.fault.kind.value})" if result.fault is not None else ""
    name = shortened(result.bot, max(LEAST_NAME, width - len(f"{rank} {result.score}{fault},")))
    text = Text(f"{rank}{name} {result.score}")
    if result.rank == 1 and not alone:
        text.stylize("bold")
    return text.append(fault, style="red")
