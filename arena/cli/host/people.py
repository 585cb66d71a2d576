"""``arena people``: the authors of a database, their personal links and their deletion."""

from __future__ import annotations

import json
import re
from typing import Annotated
from urllib.parse import urlsplit

import typer

from arena.cli.options import DEFAULT_DB, DbOption, JsonOption
from arena.cli.output import UserError, print_json, print_line, print_text, report_errors

people_app = typer.Typer(help="Manage authors: give them personal links, or delete them.", no_args_is_help=True, rich_markup_mode="rich")


@people_app.command("link")
@report_errors
def link(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names; new people are added unless --revoke.", show_default=False)],
    db: DbOption = DEFAULT_DB,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The public address of your server, for complete links.")] = "",
    revoke: Annotated[bool, typer.Option("--revoke", help="Only end these people's links and sessions; create no links.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Create a personal link and print it; it is never shown again. The person's previous link and its sessions end.

    The part of a link after # is a token, with which the person can also submit bots from the command line.

    [dim]arena people link Ana --url https://arena.example.org --db league.db[/dim]
    """
    from leaderboard.storage.people import end_token, find_person, ids_of, make_token, names_of
    from leaderboard.storage.store import Store

    page = _sign_in_page(url)
    with Store.join(db, creates=not revoke) as store:
        if revoke:
            for person in [find_person(store, name) for name in names]:
                end_token(store, person.id)
                print_line(f"{person.shown} no longer has a link and is signed out everywhere; their bots stay.")
            return
        tokens = {person: make_token(store, person) for person in dict.fromkeys(ids_of(store, names).values())}
        called = names_of(store)
    if as_json:
        print_json([{"id": each, "name": called[each], "token": token, "link": page + token} for each, token in tokens.items()])
        return
    for each, token in tokens.items():
        print_line(f"{called[each]}  {page}{token}")
    print_line("Hand out each link in private; it is not shown again.")


@people_app.command("list")
@report_errors
def list_(db: DbOption = DEFAULT_DB, as_json: JsonOption = False) -> None:
    """List all people, with their ids and names, and when their personal links were made.

    [dim]arena people list --db league.db[/dim]
    """
    from leaderboard.storage.people import PublicPerson, people
    from leaderboard.storage.store import Store

    with Store.read(db) as store:
        everybody, place = people(store), store.name
    if as_json:
        print_text(
            json.dumps([PublicPerson.model_validate(each).model_dump() | {"name": each.shown} for each in everybody], default=str, indent=2)
        )
        return
    for each in everybody:
        state = f"link of {each.linked:%Y-%m-%d %H:%M}" if each.linked else "no link"
        state = f"deleted {each.deleted:%Y-%m-%d}: {each.why}" if each.deleted else state
        print_line(f"{each.id}  {each.shown}  {state}")
    if not everybody:
        print_line(f"There is nobody in {place}; 'arena people link NAME --db {place}' adds people.")


@people_app.command("delete")
@report_errors
def delete(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The person's name, as listed by 'arena people list'.", show_default=False)],
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason, kept in the database.", show_default=False)],
    db: DbOption = DEFAULT_DB,
) -> None:
    """Delete a person's name, link, sessions and uploads. A pseudonym replaces the name wherever it was shown.

    The person's bots stay and keep playing; results, seals and published bundles contain no names of people.

    [dim]arena people delete Ana --why "asked by mail" --db league.db[/dim]
    """
    from arena.run.ladder_entry import ladders
    from engine.text import one_line
    from leaderboard.errors import StoreError
    from leaderboard.names import shown_name
    from leaderboard.storage.people import delete_person, find_person
    from leaderboard.storage.store import Store

    with Store.join(db) as store:
        person, why = find_person(store, name), one_line(why)
        if not why:
            raise UserError("--why is empty; give the reason")
        if re.search(rf"(?<!\w){re.escape(person.shown)}(?!\w)", why, re.IGNORECASE):
            raise UserError("--why contains the name to be deleted; give the reason without it")
        delete_person(store, person, why)
        print_line(f"{person.shown} is now {shown_name(person.id, None)}.")
        bots = [(ladder, bot.name) for ladder, spec in ladders(store).items() for bot in spec.bots if bot.author == person.id]
        try:
            is_compact = store.compact()
        except StoreError:  # it is locked, or the disk has no room for a copy; the name has been overwritten in any case
            is_compact = False
    if not is_compact:
        print_line(f"Free pages of {store.name} may still contain the name; when no run is in progress: sqlite3 {store.name} vacuum")
    for ladder, bot in bots:
        leave = f"arena ladder leave {bot} --tournament {ladder} --why ..."
        print_line(f"{bot} keeps playing in '{ladder}' unless that is over; to take it out: {leave}")
    print_line("Rewrite static sites, and delete older copies of the database. What you wrote yourself (orders, season files) stays.")


def _sign_in_page(url: str) -> str:
    parts = urlsplit(url)
    if url and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment):
        raise UserError(f"--url {url:.200} is not the address of a server, such as https://arena.example.org")
    return f"{url.rstrip('/')}/my/sign-in#" if url else ""
