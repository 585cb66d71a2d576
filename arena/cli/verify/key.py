"""``arena key``: make and show the Ed25519 key with which a host signs seals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.support import friendly, say

key_app = typer.Typer(help="Make and show the keys that sign seals.", no_args_is_help=True, rich_markup_mode="rich")
KeyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The key file.", show_default=False)]


@key_app.command("new")
@friendly
def new(path: KeyFile) -> None:
    """Make a key, write it to a new file that only its owner may read, and print its public key.

    Publish the public key once; `arena run --key FILE` signs seals with the key.

    [dim]arena key new host.key[/dim]
    """
    from leaderboard.seals.signing import make_key

    say(make_key(path).public)


@key_app.command("show")
@friendly
def show(path: KeyFile) -> None:
    """Print the public key that belongs to a key file.

    [dim]arena key show host.key[/dim]
    """
    from leaderboard.seals.signing import read_key

    say(read_key(path).public)
