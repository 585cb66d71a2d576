"""``arena key`` and ``arena secret``: make and show the keys that sign seals, and the secrets that decks are derived from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.errors import report_errors
from arena.cli.output import print_line

key_app = typer.Typer(help="Make and show the keys that sign seals.", no_args_is_help=True, rich_markup_mode="rich")
KeyFile = Annotated[Path, typer.Argument(metavar="FILE", help="The key file.", show_default=False)]


@key_app.command("new")
@report_errors
def new_key(path: KeyFile) -> None:
    """Make a key, write it to a new file that only its owner may read, and print its public key.

    Publish the public key once; `arena run --key FILE` signs seals with the key.

    [dim]arena key new host.key[/dim]
    """
    from leaderboard.seals.signing import make_key

    print_line(make_key(path).public)


@key_app.command("show")
@report_errors
def show_key(path: KeyFile) -> None:
    """Print the public key that belongs to a key file.

    [dim]arena key show host.key[/dim]
    """
    from leaderboard.seals.signing import read_key

    print_line(read_key(path).public)


secret_app = typer.Typer(
    help="Make and show the secrets that tournaments derive their decks from.", no_args_is_help=True, rich_markup_mode="rich"
)
SecretFile = Annotated[Path, typer.Argument(metavar="FILE", help="The secret's file.", show_default=False)]


@secret_app.command("new")
@report_errors
def new_secret(path: SecretFile) -> None:
    """Make a secret for a tournament, write it to a new file, and print its commitment.

    Publish the commitment before bots are submitted; the tournament file names the secret with secret = "FILE". Anyone who reads the file
    can compute every deck.

    [dim]arena secret new cup.secret[/dim]
    """
    from arena.spec.secret import write_secret_file

    commitment = write_secret_file(path)
    print_line(f"Wrote {path}; keep it to yourself until the tournament is over.")
    print_line(f"commit {commitment}")


@secret_app.command("show")
@report_errors
def show_secret(path: SecretFile) -> None:
    """Print the commitment to the secret in a file.

    [dim]arena secret show cup.secret[/dim]
    """
    from arena.spec.secret import commitment_of, read_secret_file

    print_line(f"commit {commitment_of(read_secret_file(path))}")
