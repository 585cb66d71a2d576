"""``arena bots submit --to URL``: send a bot to a server, wait for its check, and print the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.bots.check import CheckBar, show_report
from arena.cli.errors import Exit, UserError
from arena.cli.output import print_json, print_line, print_text

if TYPE_CHECKING:
    import httpx2

    from arena.entries.bot_check import CheckProgress
    from arena.entries.check_report import CheckReport


def send_bot(path: str, name: str, to: str, token: str, ladder: str, game: str, players: Sequence[int] = (), *, as_json: bool) -> None:
    """Send the bot, wait for the check, and report its result. Raises UserError."""
    import httpx2

    if not token:
        raise UserError(f"--to needs a token: set the environment variable {TOKEN_VARIABLE}, or give --token")
    if not token.isascii() or not token.isprintable():
        raise UserError("the token has characters that tokens never have")
    if not to.startswith(("http://", "https://")):
        raise UserError(f"--to {to}: write the address as https://HOST")
    parcel = pack_bot(path)
    name = name or parcel.name
    try:
        client = httpx2.Client(base_url=to, headers={"authorization": f"Bearer {token}", "accept": "application/json"}, timeout=60)
    except httpx2.InvalidURL as error:
        raise UserError(f"--to {to}: {error}") from None
    with client:
        upload = send(client, parcel, name, ladder, game, players)
        with CheckBar(name) as bar:
            upload = wait(client, upload, bar.show)
    is_accepted = upload["state"] == "accepted"
    if as_json:
        print_json(upload)
    elif is_accepted:
        entered = f", entered into {upload['ladder']} as {upload['entrant']}" if upload["entrant"] else ""
        print_line(f"Accepted as {upload['label']}{entered}.")
    else:
        can_be_repeated = not ladder and name == parcel.name  # else the options or the seed of the bot are not those of 'arena match'
        _show_refusal(upload, path, ("--game", upload["game"]) if can_be_repeated else None)
    of_check = upload["report"]["notes"] if is_accepted and upload["report"] else []  # else they are in the report that was shown
    for note in [] if as_json else [*of_check, *upload["notes"]]:
        print_line(f"note: {note}")
    if not is_accepted:
        raise typer.Exit(Exit.FAILED)


def _show_refusal(upload: dict[str, Any], path: str, arguments: tuple[str, ...] | None) -> None:
    """Print why a bot was not accepted, with the report of its check if it came to that."""
    report = _report(upload["report"])
    if report is None or report.is_passed:
        print_line(f"Not accepted: {upload['problem']}.")
        if log := upload.get("build_log"):
            print_text(f"the log of its build:\n{log}")
        return
    show_report(report, path, arguments)
    print_line("Not accepted.")


def _report(data: dict[str, Any] | None) -> CheckReport | None:
    """Return the report that the server sent; None if there is none, or if it is not in today's format."""
    import msgspec

    from arena.entries.check_report import CheckReport

    try:
        return None if data is None else msgspec.convert(data, CheckReport)
    except msgspec.ValidationError:
        return None


TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  # the name of an environment variable
_POLL_SECONDS = 0.5
_LARGEST_UPLOAD = 64 << 20
_WAIT_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Parcel:
    """The upload of a bot: a file, or an archive of a folder. ``name`` is the default name of the bot."""

    name: str
    filename: str
    content: bytes


def send(client: httpx2.Client, parcel: Parcel, name: str, ladder: str, game: str, players: Sequence[int] = ()) -> dict[str, Any]:
    """Submit a bot; return the server's description of the upload. Raises UserError."""
    form = {"name": name or parcel.name, "ladder": ladder, "game": game, "players": [str(size) for size in players]}
    return _request(client, "POST", "/api/v1/submissions", data=form, files={"file": (parcel.filename, parcel.content)})


def wait(client: httpx2.Client, upload: dict[str, Any], on_progress: Callable[[CheckProgress], None]) -> dict[str, Any]:
    """Poll until the check is over, showing its progress, and return the upload. Raises UserError."""
    from arena.entries.bot_check import CheckProgress
    from arena.entries.check_report import CheckStage

    until = time.monotonic() + _WAIT_SECONDS
    while upload["state"] in {"waiting", "checking"}:
        if time.monotonic() > until:
            raise UserError(f"the check is not over after {_WAIT_SECONDS / 60:.0f} minutes; look at the upload {upload['id']} later")
        time.sleep(_POLL_SECONDS)
        upload = _request(client, "GET", f"/api/v1/submissions/{upload['id']}")
        if stage := upload["stage"]:
            figures = {name: upload[name] for name in ("done", "failed", "decisions")}
            on_progress(CheckProgress(CheckStage(stage), planned=upload["all"], **figures))
    return upload


def _request(client: httpx2.Client, method: str, path: str, **more: Any) -> dict[str, Any]:
    import httpx2

    try:
        answer = client.request(method, path, **more)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UserError(f"{client.base_url} can't be reached: {error or type(error).__name__}") from None
    try:
        data = answer.json()
    except ValueError:
        data = {"error": _plain_words(answer)}
    if answer.is_success and isinstance(data, dict) and "state" in data:
        return data
    reason = data.get("error") if isinstance(data, dict) else None
    if answer.status_code == 404 and method == "POST":
        reason = "it takes no submissions, or is not an arena server"
    raise UserError(f"{client.base_url} refuses it ({answer.status_code}): {reason or 'it does not say why'}")


def _plain_words(answer: httpx2.Response) -> str:
    """Return the text of a response that is not JSON; for a page, which comes from a proxy, only the status."""
    if answer.headers.get("content-type", "").startswith("text/plain"):
        return " ".join(answer.text.split())[:200]
    size = f" to {answer.request.headers.get('content-length', 'so many')} bytes" if answer.status_code == 413 else ""
    return f"'{answer.reason_phrase}'{size}, says a proxy in front of the server, not the server itself; ask the host"


def pack_bot(reference: str) -> Parcel:
    """Return what to send of the bot in a file, an archive or a folder. Raises UserError."""
    from arena.spec.limits import BUNDLE
    from bots.loader.archive import BundleError
    from bots.loader.files import NoFileError, UnreadableFileError, read_file
    from bots.loader.manifest import pack_folder
    from bots.loader.recipes import told_of_source

    path = Path(reference)
    if "?" in reference and not path.exists():
        return _pack_with_params(reference)
    try:
        if path.is_dir():
            name, content = pack_folder(path, BUNDLE[1])  # the server says how much it takes
            return Parcel(name, f"{path.resolve().name}.zip", content)
        if path.is_file() and (sentence := told_of_source(path)):
            raise UserError(sentence)
        return Parcel(path.name.partition(".")[0], path.name, read_file(path, _LARGEST_UPLOAD))
    except BundleError as error:
        raise UserError(f"{path.resolve().name}: {error}") from None
    except NoFileError as error:
        file, colon, class_name = str(path).rpartition(":")
        if colon and class_name.isidentifier() and Path(file).exists():
            how = f"""put {file} into a folder with a bot.toml that says class = "{Path(file).stem}:{class_name}\""""
            raise UserError(f"--to sends a whole file, so it can't say that {class_name} plays: {how}") from None
        raise UserError(str(error)) from None
    except UnreadableFileError as error:
        raise UserError(str(error)) from None


def _pack_with_params(reference: str) -> Parcel:
    """Return an archive of a file and a manifest that says which parameters its class is given. Raises UserError and BotError."""
    import io
    import json
    import zipfile

    from bots.loader.loading import identify
    from bots.loader.manifest import MANIFEST

    version = identify(reference)
    source = Path(version.origin)
    if version.code is None:
        raise UserError(f"{reference}: --to sends a folder or an archive as it is; write parameters under [params] into its {MANIFEST}")
    lines = [f'class = "{source.stem}:{version.class_name}"', "[params]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in version.params]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(source.name, version.code)
        archive.writestr(MANIFEST, "\n".join(lines))
    return Parcel(version.name, f"{source.stem}.zip", packed.getvalue())
