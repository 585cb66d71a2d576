"""``arena bots submit --to URL``: send a bot to a server, wait for its check, and print the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, cast
from urllib.parse import quote, urljoin

import typer

from arena.cli.bots.check import CheckBar, show_report
from arena.cli.output import Exit, UserError, print_json, print_line

if TYPE_CHECKING:
    import httpx2

    from arena.entries.bot_check import CheckProgress
    from arena.entries.check_report import CheckReport


TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  # the name of an environment variable
_MOST_BYTES: Final = 32 << 20
"""The largest response that is read, in bytes after decompression."""
_MOST_SECONDS: Final = 120.0
"""The longest time from the first to the last byte of a response."""
_POLL_SECONDS = 0.5
_LARGEST_UPLOAD = 64 << 20
_SMALLEST_LIMIT: Final = 1 << 20
"""The size of upload that every server accepts, in bytes."""
_WAIT_SECONDS = 1800.0
_SILENCE_SECONDS = 120.0
"""How long to keep waiting for a check while the server gives no usable answer, for example because it restarts."""


class _NextRound(TypedDict):
    ladder: str
    bot: str
    round: int | None
    is_running: bool
    notes: list[str]


class _FailedMatch(TypedDict):
    players: int
    seat: int
    replay: str


class Upload(TypedDict):
    """A server's description of an upload: the fields that we use. In ``report``, a server of another version may send other fields."""

    id: str
    name: str
    game: str
    state: Literal["waiting", "checking", "accepted", "refused", "retired"]
    stage: Literal["", "start", "play"]
    done: int
    planned: int
    failed: int
    decisions: int
    reason: str
    label: str
    ladder: str
    entrant: str
    note: str
    report: dict[str, Any] | None
    next_round: _NextRound | None
    replays: list[_FailedMatch]


def send_bot(path: str, name: str, to: str, token: str, ladder: str, game: str, players: Sequence[int] = (), *, as_json: bool) -> None:
    """Send the bot, wait for the check, and report its result. Raises UserError."""
    client = open_server(to, token)
    parcel = pack_bot(path)
    name = name or parcel.name
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
        _show_next_round(upload, to.rstrip("/"))
    else:
        can_be_repeated = not ladder and name == parcel.name  # otherwise 'arena match' would use different options or a different seed
        _show_refusal(upload, path, ("--game", upload["game"]) if can_be_repeated else None)
        if upload["replays"]:
            print_line("Replays of the matches in which it failed; download them with your token (Authorization: Bearer):")
        for match in upload["replays"]:
            print_line(f"{match['players']} players, seat {match['seat']}: {urljoin(to, match['replay'])}")
    report = _report(upload["report"]) if is_accepted else None  # otherwise the notes are in the report printed above
    of_check = report.notes if report else ()
    for note in [] if as_json else filter(None, [*of_check, upload["note"]]):
        print_line(f"note: {note}")
    if is_accepted and upload["reason"]:
        print_line(upload["reason"], err=True)
    if not is_accepted or upload["reason"]:
        raise typer.Exit(Exit.FAILED)


def _show_next_round(upload: Upload, to: str) -> None:
    if not (coming := upload["next_round"]):
        return
    for note in coming["notes"]:
        print_line(f"{note[:1].upper()}{note[1:]}.")
    if coming["round"] is not None:
        print_line(f"It plays from round {coming['round']} on.")
        if not coming["is_running"]:
            print_line("No run is in progress; the round begins when the host starts one.")
    print_line(f"Its page: {to}/t/{quote(coming['ladder'], safe='')}/bots/{quote(coming['bot'], safe='')}")
    print_line(f"Its matches, faults and logs (only you can see them): {to}/my")


def _show_refusal(upload: Upload, path: str, arguments: tuple[str, ...] | None) -> None:
    report = _report(upload["report"])
    if report is None or report.is_passed:
        print_line(f"Not accepted: {upload['reason']}.")
        return
    show_report(report, path, arguments)
    print_line("Not accepted.")


def _report(data: dict[str, Any] | None) -> CheckReport | None:
    import msgspec

    from arena.entries.check_report import CheckReport

    try:
        return None if data is None else msgspec.convert(data, CheckReport)
    except msgspec.ValidationError:
        return None


@dataclass(frozen=True, slots=True)
class Parcel:
    """The upload of a bot: a file, or an archive of a folder. ``name`` is the default name of the bot."""

    name: str
    filename: str
    content: bytes


def send(client: httpx2.Client, parcel: Parcel, name: str, ladder: str, game: str, players: Sequence[int] = ()) -> Upload:
    """Submit a bot and return the server's description of the upload. Raises UserError, before sending if the bot is too large."""
    size = len(parcel.content)
    if size >= _SMALLEST_LIMIT and size >= (most := _upload_limit(client)):
        raise UserError(f"{parcel.filename} is {size / 2**20:.1f} MiB, but {client.base_url} accepts less than {most / 2**20:g} MiB")
    form = {"name": name or parcel.name, "ladder": ladder, "game": game, "players": [str(size) for size in players]}
    return _request(client, "POST", "/api/v1/submissions", data=form, files={"file": (parcel.filename, parcel.content)})


def _upload_limit(client: httpx2.Client) -> float:
    answer = _send(client, "GET", "/api/v1/limits")
    limits = _json_of(answer) if answer.is_success else None
    most = limits.get("upload_bytes") if isinstance(limits, dict) else None
    return most if isinstance(most, int) else inf


def wait(client: httpx2.Client, upload: Upload, on_progress: Callable[[CheckProgress], None]) -> Upload:
    """Poll the server until its check of the bot is over, showing the progress, and return the upload. Raises UserError."""
    from arena.entries.bot_check import CheckProgress
    from arena.entries.check_report import CheckStage

    heard = time.monotonic()
    until = heard + _WAIT_SECONDS
    known = f"the server has the bot and will check it; see {str(client.base_url).rstrip('/')}/submit/{upload['id']}"
    while upload["state"] in {"waiting", "checking"}:
        if time.monotonic() > until:
            raise ServerError(f"the check is still running after {_WAIT_SECONDS / 60:.0f} minutes; {known}")
        time.sleep(_POLL_SECONDS)
        try:
            upload = _request(client, "GET", f"/api/v1/submissions/{upload['id']}")
        except UserError as error:
            if not isinstance(error, ServerError) or time.monotonic() - heard > _SILENCE_SECONDS:
                raise ServerError(f"{error}; {known}") from None
            continue
        heard = time.monotonic()
        if stage := upload["stage"]:
            on_progress(CheckProgress(CheckStage(stage), upload["done"], upload["planned"], upload["failed"], upload["decisions"]))
    return upload


def _request(client: httpx2.Client, method: str, path: str, **more: Any) -> Upload:
    import msgspec

    answer = _send(client, method, path, **more)
    if answer.is_success and isinstance(data := _json_of(answer), dict) and "state" in data:
        try:
            msgspec.convert(data, Upload)
        except msgspec.ValidationError as error:
            raise UserError(f"this program can't read the server's answer; the server's version may differ: {error}") from None
        return cast(Upload, data)  # with the other fields, for --json
    reason = _error_of(answer)
    if answer.status_code == 404 and method == "POST":
        reason = "it accepts no submissions, or is not an arena server"
    may_pass = method == "GET" and (answer.status_code in {404, 429} or answer.status_code >= 500)
    raise (ServerError if may_pass else UserError)(f"{client.base_url} refused the request ({answer.status_code}): {reason or 'no reason'}")


class ServerError(UserError):
    """The server is unreachable or has failed; the same command may work later."""

    exit_code = Exit.FAILED


def open_server(address: str, token: str) -> httpx2.Client:
    """Return a client for the server at that address. Raises UserError."""
    import httpx2

    if not token:
        raise UserError(f"--to needs a token: set the environment variable {TOKEN_VARIABLE}, or give --token")
    if not token.isascii() or not token.isprintable():
        raise UserError("the token contains invalid characters")
    if not address.startswith(("http://", "https://")):
        raise UserError(f"--to {address}: write the address as https://HOST")
    headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
    try:
        return httpx2.Client(base_url=address, headers=headers, timeout=60)
    except httpx2.InvalidURL as error:
        raise UserError(f"--to {address}: {error}") from None


def _send(client: httpx2.Client, method: str, path: str, **more: Any) -> httpx2.Response:
    import httpx2

    try:
        with client.stream(method, path, **more) as answer:
            return _whole(answer)
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise UserError(f"{client.base_url} is not the address of a server: {error}") from None
    except httpx2.HTTPError as error:
        is_sent = method == "POST" and not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        known = f"; it may have received the bot: see {str(client.base_url).rstrip('/')}/my before you send it again" if is_sent else ""
        raise ServerError(f"{client.base_url} can't be reached: {str(error) or type(error).__name__}{known}") from None


def _whole(answer: httpx2.Response) -> httpx2.Response:
    """Read a response to its end and return it. Raises ServerError if it is too large or takes too long."""
    import httpx2

    content, until = bytearray(), time.monotonic() + _MOST_SECONDS
    for part in answer.iter_bytes():
        content += part
        if len(content) > _MOST_BYTES or time.monotonic() > until:
            limit = f"{_MOST_BYTES >> 20} MiB" if len(content) > _MOST_BYTES else f"{_MOST_SECONDS:.0f} s"
            raise ServerError(f"{answer.request.url.host} sends more than an arena server does: its answer does not end within {limit}")
    headers = [(name, value) for name, value in answer.headers.multi_items() if name != "content-encoding"]
    return httpx2.Response(
        answer.status_code, headers=headers, content=bytes(content), request=answer.request, extensions=answer.extensions
    )


def _json_of(answer: httpx2.Response) -> object:
    import msgspec

    try:
        data: object = msgspec.json.decode(answer.content)
        msgspec.msgpack.encode(data)  # refuses integers of more than 64 bits, which Python may be unable to print
    except (ValueError, OverflowError, RecursionError):
        return None
    return data


def _error_of(answer: httpx2.Response) -> str | None:
    if (data := _json_of(answer)) is None:
        return _plain_words(answer)
    reason = data.get("error") if isinstance(data, dict) else None
    return " ".join(reason.split())[:500] if isinstance(reason, str) else None


def _plain_words(answer: httpx2.Response) -> str:
    """Return the text of a response that is not JSON. An HTML page comes from a proxy, so only its status is returned."""
    if answer.headers.get("content-type", "").startswith("text/plain"):
        return " ".join(answer.content.decode(errors="replace").split())[:200]
    size = f" for {answer.request.headers.get('content-length', 'so many')} bytes" if answer.status_code == 413 else ""
    return f"'{answer.reason_phrase}'{size}, from a proxy in front of the server, not from the server itself; ask the host"


def pack_bot(reference: str) -> Parcel:
    """Return the upload for a bot in a file, an archive or a folder. Raises UserError."""
    from arena.spec.tables import BUNDLE
    from bots.loader.archive import BundleError
    from bots.loader.files import NoFileError, UnreadableFileError, read_file
    from bots.loader.manifest import pack_folder, source_advice

    path = Path(reference)
    if "?" in reference and not path.exists():
        return _pack_with_params(reference)
    try:
        if path.is_dir():
            name, content = pack_folder(path, BUNDLE[1])  # the server states its own limit
            return Parcel(name, f"{path.resolve().name}.zip", content)
        if path.is_file() and (sentence := source_advice([path.name])):
            raise UserError(sentence)
        return Parcel(path.name.partition(".")[0], path.name, read_file(path, _LARGEST_UPLOAD))
    except BundleError as error:
        raise UserError(f"{path.resolve().name}: {error}") from None
    except NoFileError as error:
        file, colon, class_name = str(path).rpartition(":")
        if colon and class_name.isidentifier() and Path(file).exists():
            how = f"""put {file} into a folder with a bot.toml that sets class = "{Path(file).stem}:{class_name}\""""
            raise UserError(f"--to sends a whole file, so it can't select the class {class_name}: {how}") from None
        raise UserError(str(error)) from None
    except UnreadableFileError as error:
        raise UserError(str(error)) from None


def _pack_with_params(reference: str) -> Parcel:
    """Return an archive of a file and a manifest with the parameters of its class. Raises UserError and BotError."""
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
