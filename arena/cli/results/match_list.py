"""``arena matches``: list the latest matches of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arena.cli.options import DEFAULT_DB, DbOption, JsonOption, TournamentOption, check_bot_name, open_tournament
from arena.cli.output import GAP, LEAST_NAME, console, print_json, print_line, report_errors, shortened

if TYPE_CHECKING:
    from leaderboard.records import StoredMatch

_LONGEST_END: Final = 20
_RESULT: Final = "result, best first"


@report_errors
def matches(
    db: DbOption = DEFAULT_DB,
    tournament: TournamentOption = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches of this bot.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many to list, newest first.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the latest matches; 'arena replay MATCH' shows one.

    JSON counts rounds, blocks and seats from 0.

    [dim]arena matches --bot greedy --limit 5[/dim]
    """
    from dataclasses import asdict

    with open_tournament(db, tournament) as (store, stored):
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


def matches_table(matches: Sequence[StoredMatch], title: str, width: int = 80) -> Group:
    """Return a table of matches: seats in order of rank with their scores.

    The column ``block`` has the block's number and seating, preceded by its round (counted from 1) if there are several rounds.

    A result takes as many lines of ``width`` columns as it needs; the text of a seat is never split.
    """
    has_rounds = any(match.round for match in matches)
    block = "round, block" if has_rounds else "block"
    rows = [
        (
            match.id,
            f"{f'{match.round + 1}, ' if has_rounds else ''}{match.block}.{match.rotation}",
            shortened(match.end, _LONGEST_END),
            str(match.decisions),
        )
        for match in matches
    ]
    needs = [max(map(cell_len, texts)) for texts in zip(("match", block, "end", "moves"), *rows, strict=True)]
    room = max(len(_RESULT), width - sum(needs) - GAP * len(needs))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("match", no_wrap=True, width=needs[0])
    table.add_column(block, justify="right", no_wrap=True, width=needs[1])
    table.add_column(_RESULT, no_wrap=True)
    table.add_column("end", no_wrap=True, width=needs[2])
    table.add_column("moves", justify="right", no_wrap=True, width=needs[3])
    for match, (name, place, end, moves) in zip(matches, rows, strict=True):
        order = sorted(range(len(match.seats)), key=lambda seat: (match.seats[seat].rank, seat))
        result = _in_lines([_seat_text(match, seat, room) for seat in order], room)
        table.add_row(name, place, result, end, moves)
    return Group(Text(f"{title}, newest first", style="bold"), table)


def _in_lines(parts: Sequence[Text], width: int) -> Text:
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
    result = match.seats[seat]
    alone = len(match.seats) == 1  # a solo match has no ranks to show; the leaderboard ranks a block's bots against each other
    rank = "" if alone else f"{result.rank}. "
    fault = f" ({result.fault.kind.value})" if result.fault is not None else ""
    name = shortened(result.bot, max(LEAST_NAME, width - len(f"{rank} {result.score}{fault},")))
    text = Text(f"{rank}{name} {result.score}")
    if result.rank == 1 and not alone:
        text.stylize("bold")
    return text.append(fault, style="red")
