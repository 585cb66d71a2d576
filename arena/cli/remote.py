"""Requests of commands to a server, with a token. Every answer that is not JSON of an arena server becomes an error of one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

import typer

from arena.cli.errors import Exit, UserError
from arena.cli.options import is_chosen

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  # the name of an environment variable
_MOST_BYTES: Final = 32 << 20
"""The largest response that is read, unpacked."""
_MOST_SECONDS: Final = 120.0
"""The most seconds from the first byte of a response to its last."""
Params: TypeAlias = Mapping[str, str | int | None]
FromOption = Annotated[str, typer.Option("--from", metavar="URL", help="Show your own bots on this server, instead of --db.")]
TokenOption = Annotated[
    str, typer.Option(metavar="T", envvar=TOKEN_VARIABLE, show_envvar=True, help="For a server: the token that the host gave you.")
]


class ServerError(UserError):
    """The server is unreachable or has failed; the same command may work later."""

    exit_code = Exit.FAILED


def open_server(option: str, address: str, token: str) -> httpx2.Client:
    """Return a client for the server at the address given by that option. Raises UserError."""
    import httpx2

    if not token:
        raise UserError(f"{option} needs a token: set the environment variable {TOKEN_VARIABLE}, or give --token")
    if not token.isascii() or not token.isprintable():
        raise UserError("the token has characters that tokens never have")
    if not address.startswith(("http://", "https://")):
        raise UserError(f"{option} {address}: write the address as https://HOST")
    headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
    try:
        return httpx2.Client(base_url=address, headers=headers, timeout=60)
    except httpx2.InvalidURL as error:
        raise UserError(f"{option} {address}: {error}") from None


def request(client: httpx2.Client, method: str, path: str, **more: Any) -> httpx2.Response:
    """Send a request and return the response, whose size and time are limited. Raises UserError and ServerError."""
    import httpx2

    try:
        with client.stream(method, path, **more) as answer:
            return _whole(answer)
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise UserError(f"{client.base_url} is not the address of a server: {error}") from None
    except httpx2.HTTPError as error:
        raise ServerError(f"{client.base_url} can't be reached: {error or type(error).__name__}") from None


def _whole(answer: httpx2.Response) -> httpx2.Response:
    """Return a response that has been read. Raises ServerError if it is too large or takes too long."""
    import httpx2

    content, until = bytearray(), monotonic() + _MOST_SECONDS
    for part in answer.iter_bytes():
        content += part
        if len(content) > _MOST_BYTES or monotonic() > until:
            limit = f"{_MOST_BYTES >> 20} MiB" if len(content) > _MOST_BYTES else f"{_MOST_SECONDS:.0f} s"
            raise ServerError(f"{answer.request.url.host} sends more than an arena server does: its answer does not end within {limit}")
    headers = [(name, value) for name, value in answer.headers.multi_items() if name != "content-encoding"]
    return httpx2.Response(
        answer.status_code, headers=headers, content=bytes(content), request=answer.request, extensions=answer.extensions
    )


def json_of(answer: httpx2.Response) -> object:
    """Return the JSON of a response; None if it has none."""
    import msgspec

    try:
        data: object = msgspec.json.decode(answer.content)
        msgspec.msgpack.encode(data)  # refuses integers of more than 64 bits, which Python may be unable to print
    except (ValueError, OverflowError, RecursionError):
        return None
    return data


def error_of(answer: httpx2.Response) -> str | None:
    """Return the sentence with which a server refuses a request; None if there is none."""
    if (data := json_of(answer)) is None:
        return _plain_words(answer)
    reason = data.get("error") if isinstance(data, dict) else None
    return " ".join(reason.split())[:500] if isinstance(reason, str) else None


def _plain_words(answer: httpx2.Response) -> str:
    """Return the text of a response that is not JSON; for a page, which comes from a proxy, only the status."""
    if answer.headers.get("content-type", "").startswith("text/plain"):
        return " ".join(answer.content.decode(errors="replace").split())[:200]
    size = f" to {answer.request.headers.get('content-length', 'so many')} bytes" if answer.status_code == 413 else ""
    return f"'{answer.reason_phrase}'{size}, says a proxy in front of the server, not the server itself; ask the host"


def ask(address: str, token: str, path: str, params: Params) -> dict[str, Any]:
    """Return the answer of the API for authors to a question of a command with ``--from``. Raises UserError and ServerError."""
    with open_server("--from", address, token) as client:
        answer = request(client, "GET", f"/api/v1/mine{path}", params={key: each for key, each in params.items() if each is not None})
        place = client.base_url
    if answer.is_redirect:
        raise UserError(f"{place} redirects to {answer.headers.get('location', 'nowhere')[:200]}; give that address to --from")
    reason = error_of(answer)
    if answer.is_success and isinstance(data := json_of(answer), dict):
        return data
    if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        raise ServerError(f"{place} can't answer now ({answer.status_code}): {reason or 'no reason given'}")
    if reason is None or json_of(answer) is None:
        raise UserError(f"{place} is not an arena server: it answers {answer.status_code} to {answer.request.url.path}")
    raise UserError(f"{place} refuses it ({answer.status_code}): {reason}")


def read_answer(data: object, kind: type[T]) -> T:
    """Return what a server has answered as a record. Raises UserError for an answer in another format."""
    import msgspec

    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise UserError(f"this program can't read the server's answer; their versions may differ: {error}") from None


def check_no_database(option: str, database: str | None, db: str) -> None:
    """Raise UserError if a database was chosen as well as a server."""
    if database is not None or is_chosen(db):
        raise UserError(f"{option} asks a server, not a database; leave out {database or f'--db {db}'}")
