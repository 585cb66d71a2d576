"""``arena token new | list | revoke``: tokens with which contestants submit bots to a server."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.support import DEFAULT_DB, DbOption, JsonOption, UserError, friendly, say, say_lines

token_app = typer.Typer(help="Manage the tokens that contestants submit bots with.", no_args_is_help=True, rich_markup_mode="rich")


@token_app.command("new")
@friendly
def new(
    author: Annotated[str, typer.Option("--author", metavar="A", help="Whose token it is: the author of what is submitted with it.")],
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
        raise UserError("--author is empty; say whose the token is")
    with Store.join(db, creates=True) as store:  # also during a run, or while one starts
        token = new_token(store, name)
    if as_json:
        say_lines(json.dumps({"author": name, "token": token}))
        return
    say(f"A token for {name}; hand it out in private, since it is not shown again:")
    say(token)


@token_app.command("list")
@friendly
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
        say_lines(json.dumps([asdict(each) for each in issued], default=str, indent=2))
        return
    for each in issued:
        state = f"  revoked {each.revoked:%Y-%m-%d}" if each.revoked else ""
        say(f"{each.number:>4}  {each.created:%Y-%m-%d %H:%M}  {each.author}{state}")
    if not issued:
        say(f"No token has been handed out; 'arena token new --author A --db {name}' makes one.")


@token_app.command("revoke")
@friendly
def revoke(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="As 'arena token list' shows it.", show_default=False)],
    db: DbOption = DEFAULT_DB,
) -> None:
    """Revoke a token; what was submitted with it stays.

    [dim]arena token revoke 3 --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.tokens import revoke as take_out

    with Store.join(db) as store:
        revoked = take_out(store, number)
    say(f"Token {number} of {revoked.author} is revoked; what was submitted with it stays.")
