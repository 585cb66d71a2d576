"""``arena bots submit --to``: sending a bot to a server, and showing what its check came to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.bots.check import show_report
from arena.cli.bots.progress import CheckProgress
from arena.cli.support import Exit, UserError, say, say_lines

if TYPE_CHECKING:
    from arena.entries.bot_check import CheckReport


def send_bot(path: str, name: str, to: str, token: str, ladder: str, game: str, *, as_json: bool) -> None:
    """Send the bot, wait for the check, and report its result. Raises UserError."""
    import httpx2

    from arena.cli.bots.upload_client import TOKEN_VARIABLE, pack_bot, send, wait

    if not token:
        raise UserError(f"--to needs a token: set the environment variable {TOKEN_VARIABLE}, or give --token")
    if not token.isascii() or not token.isprintable():
        raise UserError("the token has characters that tokens never have")
    if not to.startswith(("http://", "https://")):
        raise UserError(f"--to {to}: write the address as https://HOST")
    parcel = pack_bot(Path(path))
    name = name or parcel.name
    try:
        client = httpx2.Client(base_url=to, headers={"authorization": f"Bearer {token}", "accept": "application/json"}, timeout=60)
    except httpx2.InvalidURL as error:
        raise UserError(f"--to {to}: {error}") from None
    with client:
        upload = send(client, parcel, name, ladder, game)
        with CheckProgress(f"{name} is being checked") as progress:
            upload = wait(client, upload, progress.show)
    is_accepted = upload["state"] == "accepted"
    if as_json:
        say_lines(json.dumps(upload, indent=2))
    elif is_accepted:
        entered = f", entered into {upload['ladder']} as {upload['entrant']}" if upload["entrant"] else ""
        say(f"Accepted as {upload['label']}{entered}.")
    else:
        can_be_repeated = not ladder and name == parcel.name  # else the options or the seed of the bot are not those of 'arena match'
        _show_refusal(upload, path, ("--game", upload["game"]) if can_be_repeated else None)
    for note in [] if as_json else upload["notes"]:
        say(f"note: {note}")
    if not is_accepted:
        raise typer.Exit(Exit.FAILED)


def _show_refusal(upload: dict[str, Any], path: str, arguments: tuple[str, ...] | None) -> None:
    """Print why a bot was not accepted, with the report of its check if it came to that."""
    report = _report(upload["report"])
    if report is None or report.is_passed:
        say(f"Not accepted: {upload['problem']}.")
        if log := upload.get("build_log"):
            say_lines(f"the log of its build:\n{log}")
        return
    show_report(report, path, arguments)
    say("Not accepted.")


def _report(data: dict[str, Any] | None) -> CheckReport | None:
    """Return the report that the server sent, None if there is none, or none as it is written today."""
    import msgspec

    from arena.entries.bot_check import CheckReport

    try:
        return None if data is None else msgspec.convert(data, CheckReport)
    except msgspec.ValidationError:
        return None
