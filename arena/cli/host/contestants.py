"""``arena token`` and ``arena submissions``: the tokens of contestants, their uploads to a server, and the verdicts."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import UserError, report_errors
from arena.cli.options import DEFAULT_DB, DatabaseArgument, DbOption, JsonOption, choose_database
from arena.cli.output import print_json, print_line, print_text

if TYPE_CHECKING:
    from leaderboard.storage.uploads import StoredUpload

token_app = typer.Typer(help="Manage the tokens that contestants submit bots with.", no_args_is_help=True, rich_markup_mode="rich")


@token_app.command("new")
@report_errors
def new(
    author: Annotated[str, typer.Option(metavar="A", help="The author of all bots submitted with this token.")],
    db: DbOption = DEFAULT_DB,
    as_json: JsonOption = False,  # an option
) -> None:
    """Make a token for a contestant and print it; it is never shown again.

    [dim]arena token new --author Ana --db league.db[/dim]
    """
    from engine.text import one_line
    from leaderboard.storage.store import Store
    from leaderboard.storage.tokens import new_token

    name = one_line(author)
    if not name:
        raise UserError("--author is empty; give the name of the token's author")
    with Store.join(db, creates=True) as store:  # also during a run, or while one starts
        token = new_token(store, name)
    if as_json:
        print_text(json.dumps({"author": name, "token": token}))
        return
    print_line(f"A token for {name}; hand it out in private, since it is not shown again:")
    print_line(token)


@token_app.command("list")
@report_errors
def list_(db: DbOption = DEFAULT_DB, as_json: JsonOption = False) -> None:  # an option
    """List the tokens handed out: to whom, when, and whether they are revoked.

    [dim]arena token list --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.tokens import tokens

    with Store.read(db) as store:
        issued = tokens(store)
        name = store.name
    if as_json:
        print_text(json.dumps([asdict(each) for each in issued], default=str, indent=2))
        return
    for each in issued:
        state = f"  revoked {each.revoked:%Y-%m-%d}" if each.revoked else ""
        print_line(f"{each.number:>4}  {each.created:%Y-%m-%d %H:%M}  {each.author}{state}")
    if not issued:
        print_line(f"No token has been handed out; 'arena token new --author A --db {name}' makes one.")


@token_app.command("revoke")
@report_errors
def revoke(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="As 'arena token list' shows it.", show_default=False)],
    db: DbOption = DEFAULT_DB,
) -> None:
    """Revoke a token; bots submitted with it stay.

    [dim]arena token revoke 3 --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.tokens import revoke as take_out

    with Store.join(db) as store:
        revoked = take_out(store, number)
    print_line(f"Token {number} of {revoked.author} is revoked; what was submitted with it stays.")


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

    What the machine could not check waits with the reason, and is tried again. This works while servers are running.

    [dim]arena submissions --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.uploads import uploads

    with Store.read(choose_database(database, db)) as store:
        sent, name = uploads(store), store.name
    if as_json:
        print_json([_record(each) for each in sent])
        return
    over = [each for each in sent if each.is_over]
    shown = [each for each in sent if not each.is_over]
    shown = (over if everything else over[-_SHOWN:]) + shown
    if not shown:
        print_line(f"No bot has been submitted to a server of {name}; 'arena serve --db {name} --allow-submissions' accepts them.")
        return
    for each in shown:
        _show(each)
    states = [each.state.value for each in sent]
    print_line(", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)))


def _record(upload: StoredUpload) -> dict[str, object]:
    report = json.loads(upload.report) if upload.report else None
    return asdict(upload) | {"sent": upload.sent.isoformat(), "report": report}


def _show(upload: StoredUpload) -> None:
    tries = f", try {upload.tries}" if upload.tries > 1 else ""
    took = f" ({upload.seconds:.0f} s{tries})" if upload.tries else ""
    name = f"{upload.name} against {upload.against} (a challenge)" if upload.against else upload.name
    print_line(f"{upload.sent:%Y-%m-%d %H:%M}  {upload.state.value:<8}  {name} by {upload.author} for {upload.ladder or upload.game}{took}")
    played = f"stage {upload.stage}, {upload.done} of {upload.planned} matches are over" if upload.planned and not upload.is_over else ""
    entered = f"entered {upload.ladder} as {upload.entrant}" if upload.entrant else ""
    kept = f"kept as {upload.label}" if upload.label else ""
    if words := "; ".join(filter(None, (upload.reason, played, kept, entered, upload.note))):
        print_line(f"    {words}")
