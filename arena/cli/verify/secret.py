"""``arena secret``: make the secret of a tournament, and print its commitment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.support import friendly, say

secret_app = typer.Typer(
    help="Make and show the secrets that tournaments derive their decks from.", no_args_is_help=True, rich_markup_mode="rich"
)
SecretFile = Annotated[Path, typer.Argument(metavar="FILE", help="The secret's file.", show_default=False)]


@secret_app.command("new")
@friendly
def new(path: SecretFile) -> None:
    """Make a secret for a tournament, write it to a new file, and print its commitment.

    Publish the commitment before bots are submitted; the tournament file names the secret with secret = "FILE".
    Whoever reads the file can compute every deck.

    [dim]arena secret new cup.secret[/dim]
    """
    from arena.spec.secret import write_secret_file

    commitment = write_secret_file(path)
    say(f"Wrote {path}; keep it to yourself until the tournament is over.")
    say(f"commit {commitment}")


@secret_app.command("show")
@friendly
def show(path: SecretFile) -> None:
    """Print the commitment to the secret in a file.

    [dim]arena secret show cup.secret[/dim]
    """
    from arena.spec.secret import commitment_of, read_secret_file

    say(f"commit {commitment_of(read_secret_file(path))}")
