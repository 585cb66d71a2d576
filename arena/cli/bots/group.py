"""``arena bots``: its commands, each of which is in a module beside this one."""

from __future__ import annotations

import typer

from arena.cli.bots import check, listing, submissions

bots_app = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")
bots_app.callback()(listing.bots)
bots_app.command("check")(check.check)
bots_app.command("submit")(submissions.submit)
bots_app.command("list")(submissions.list_)
bots_app.command("show")(submissions.show)
bots_app.command("retire")(submissions.retire)
