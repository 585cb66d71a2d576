"""``arena submissions``: contestants' uploads to a server, and the verdicts."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import report_errors
from arena.cli.options import DEFAULT_DB, DatabaseArgument, DbOption, JsonOption, choose_database
from arena.cli.output import print_json, print_line

if TYPE_CHECKING:
    from leaderboard.storage.uploads import StoredUpload

_SHOWN = 20
"""Uploads with a verdict that are shown without --all."""


@report_errors
def submissions(
    database: DatabaseArgument = None,
    db: DbOption = DEFAULT_DB,
    everything: Annotated[bool, typer.Option("--all", help=f"Also the verdicts before the last {_SHOWN}.")] = False,  # an option
    as_json: JsonOption = False,  # an option
) -> None:
    """Show the bots that contestants sent to a server: which wait, are being checked, or failed, and why.

    Bots that the machine could not check wait, with the reason, and are tried again. This works while the server is running.

    [dim]arena submissions --db league.db[/dim]
    """
    from leaderboard.storage.people import names_of
    from leaderboard.storage.store import Store
    from leaderboard.storage.uploads import uploads

    with Store.read(choose_database(database, db)) as store:
        sent, name, names = uploads(store), store.name, names_of(store)
    if as_json:
        print_json([_record(each, names.get(each.author, each.author)) for each in sent])
        return
    over = [each for each in sent if each.is_over]
    shown = [each for each in sent if not each.is_over]
    shown = (over if everything else over[-_SHOWN:]) + shown
    if not shown:
        print_line(f"No bot has been submitted to a server of {name}; 'arena serve --db {name} --allow-submissions' accepts them.")
        return
    for each in shown:
        _show(each, names.get(each.author, each.author))
    states = [each.state.value for each in sent]
    print_line(", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))


def _record(upload: StoredUpload, author: str) -> dict[str, object]:
    report = json.loads(upload.report) if upload.report else None
    return asdict(upload) | {"author": author, "sent": upload.sent.isoformat(), "report": report}


def _show(upload: StoredUpload, author: str) -> None:
    took = f" ({upload.seconds:.0f} s)" if upload.seconds else ""
    print_line(f"{upload.sent:%Y-%m-%d %H:%M}  {upload.state.value:<8}  {upload.name} by {author} for {upload.ladder or upload.game}{took}")
    played = f"stage {upload.stage}, {upload.done} of {upload.planned} matches are over" if upload.planned and not upload.is_over else ""
    entered = f"entered {upload.ladder} as {upload.entrant}" if upload.entrant else ""
    kept = f"kept as {upload.label}" if upload.label else ""
    if words := "; ".join(filter(None, (upload.reason, played, kept, entered, upload.note))):
        print_line(f"    {words}")
