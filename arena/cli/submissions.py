"""``arena submissions``: what contestants have sent to a server, and what became of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.support import DEFAULT_DB, DatabaseArgument, DbOption, JsonOption, console, friendly, say, say_lines, which_db

if TYPE_CHECKING:
    from leaderboard.storage.uploads import StoredUpload

_SHOWN = 20
"""Uploads with a verdict that are shown unless all are asked for."""


@friendly
def submissions(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    everything: Annotated[bool, typer.Option("--all", help=f"Also the verdicts before the last {_SHOWN}.")] = False,  # an option
    as_json: JsonOption = False,  # an option
) -> None:
    """Show the bots that contestants sent to a server: what waits, is checked, or failed, and why.

    What the machine could not check waits with the reason, and is tried again. This works while servers are running.

    [dim]arena submissions --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.uploads import uploads

    with Store.read(which_db(database, db)) as store:
        found, name = uploads(store), store.name
    if as_json:
        say_lines(json.dumps([_listed(each) for each in found], indent=2))
        return
    over = [each for each in found if each.is_over]
    shown = [each for each in found if not each.is_over]
    shown = (over if everything else over[-_SHOWN:]) + shown
    if not shown:
        say(f"Nobody has submitted a bot to a server of {name}; 'arena serve --db {name} --allow-submissions' takes them.")
        return
    _show(shown)
    states = [each.state.value for each in found]
    say(", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))


def _listed(upload: StoredUpload) -> dict[str, object]:
    report = json.loads(upload.report) if upload.report else None
    return asdict(upload) | {"sent": upload.sent.isoformat(), "report": report}


def _show(uploads: list[StoredUpload]) -> None:
    from rich.table import Table
    from rich.text import Text

    from arena.cli.tables import shortened
    from engine.text import plain

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("sent (UTC)", "author", "bot", "for", "state", "tries", "seconds"):
        table.add_column(header, no_wrap=True, justify="right" if header in {"tries", "seconds"} else "left")
    table.add_column("what became of it", ratio=1)
    for each in uploads:
        played = f"{each.done} of {each.planned} matches" if each.planned and not each.is_over else ""
        entered = f"as {each.entrant} in {each.ladder}" if each.entrant else ""
        words = "; ".join(filter(None, (each.reason, played, each.label, entered, each.note)))
        cells = (
            f"{each.sent:%m-%d %H:%M}",
            shortened(plain(each.author), 16),
            shortened(each.name, 16),
            shortened(plain(each.ladder or each.game), 16),
            each.state.value,
            str(each.tries),
            f"{each.seconds:.0f}",
            plain(words),
        )
        table.add_row(*map(Text, cells))
    console().print(table)
