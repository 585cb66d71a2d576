"""``arena bots submit --to URL``: send a bot to a server and wait for the result of its check."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.cli.support import UserError

if TYPE_CHECKING:
    import httpx

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  # the name of an environment variable
_POLL_SECONDS = 0.5
_LARGEST_UPLOAD = 64 << 20
_WAIT_SECONDS = 1800.0


def send(client: httpx.Client, path: Path, name: str, ladder: str, game: str) -> dict[str, Any]:
    """Submit a bot; return the server's description of the upload. Raises UserError."""
    filename, content = _packed(path)
    form = {"name": name, "ladder": ladder, "game": game}
    return _asked(client, "POST", "/api/v1/submissions", data=form, files={"file": (filename, content)})


def wait(client: httpx.Client, upload: dict[str, Any]) -> dict[str, Any]:
    """Poll until the check is over; return the upload as it is then. Raises UserError."""
    until = time.monotonic() + _WAIT_SECONDS
    while upload["state"] in {"waiting", "checking"}:
        if time.monotonic() > until:
            raise UserError(f"the check is not over after {_WAIT_SECONDS / 60:.0f} minutes; look at the upload {upload['id']} later")
        time.sleep(_POLL_SECONDS)
        upload = _asked(client, "GET", f"/api/v1/submissions/{upload['id']}")
    return upload


def _asked(client: httpx.Client, method: str, path: str, **more: Any) -> dict[str, Any]:
    import httpx

    try:
        answer = client.request(method, path, **more)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UserError(f"{client.base_url} can't be reached: {error or type(error).__name__}") from None
    try:
        data = answer.json()
    except ValueError:
        data = {"error": _plain_words(answer)}
    if answer.is_success and isinstance(data, dict) and "state" in data:
        return data
    reason = data.get("error") if isinstance(data, dict) else None
    if answer.status_code == 404 and method == "POST":
        reason = "it takes no submissions, or it is not an arena server"
    raise UserError(f"{client.base_url} refuses it ({answer.status_code}): {reason or 'it does not say why'}")


def _plain_words(answer: httpx.Response) -> str:
    """Return what a response that is not JSON says; of a page, which comes from a proxy, only the status."""
    if answer.headers.get("content-type", "").startswith("text/plain"):
        return " ".join(answer.text.split())[:200]
    size = f" to {answer.request.headers.get('content-length', 'so many')} bytes" if answer.status_code == 413 else ""
    return f"'{answer.reason_phrase}'{size}, says a proxy in front of the server, not the server itself; ask the host"


def _packed(path: Path) -> tuple[str, bytes]:
    """Return the name and content of the file, or of an archive of the folder. Raises UserError."""
    if not path.is_dir():
        from bots.loader.files import UnreadableFileError, read_file

        try:
            return path.name, read_file(path, _LARGEST_UPLOAD)
        except UnreadableFileError as error:
            raise UserError(str(error)) from None
    from bots.loader.archive import BundleError
    from bots.loader.manifest import read_bundle

    try:
        bundle = read_bundle(path)
    except BundleError as error:
        raise UserError(f"{path}: {error}") from None
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in bundle.files:
            archive.writestr(name, content)
    return f"{path.resolve().name}.zip", packed.getvalue()
