"""``arena submissions``: what contestants have sent to a server, and what became of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.support import DEFAULT_DB, DatabaseArgument, DbOption, JsonOption, friendly, say, say_lines, which_db

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
    for each in shown:
        _show(each)
    states = [each.state.value for each in found]
    say(", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))


def _listed(upload: StoredUpload) -> dict[str, object]:
    report = json.loads(upload.report) if upload.report else None
    return asdict(upload) | {"sent": upload.sent.isoformat(), "report": report}


def _show(upload: StoredUpload) -> None:
    tries = f", try {upload.tries}" if upload.tries > 1 else ""
    took = f" ({upload.seconds:.0f} s{tries})" if upload.tries else ""
    say(f"{upload.sent:%Y-%m-%d %H:%M}  {upload.state.value:<8}  {upload.name} by {upload.author} for {upload.ladder or upload.game}{took}")
    played = f"{upload.done} of {upload.planned} matches are over" if upload.planned and not upload.is_over else ""
    entered = f"entered {upload.ladder} as {upload.entrant}" if upload.entrant else ""
    kept = f"kept as {upload.label}" if upload.label else ""
    if words := "; ".join(filter(None, (upload.reason, played, kept, entered, upload.note))):
        say(f"    {words}")
