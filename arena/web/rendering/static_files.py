"""Static files: their addresses contain a hash of the content, so browsers cache a file forever, and fetch it again when it changes."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from arena.web.settings import WebSettings

STATIC: Final = Path(__file__).parents[1] / "static"
BOARD: Final = ("board.js", "parts.js", "motion.js")
"""The files of a page with a board, in the order in which they are loaded."""
CHOOSING: Final = (*BOARD, "choice_list.js", "choosing.js", "tray_picks.js", "tray.js", "told.js")
"""Those of a page on which moves are chosen."""
WHOLE: Final = {
    "site.css": ("tokens.css", "style.css", "match_card.css"),
    "replay.js": (*BOARD, "timeline.js", "chart.js", "analysis.js", "panels.js", "steps.js", "share.js", "viewer.js", "element.js"),
    "table.js": (*CHOOSING, "following.js", "around.js", "play.js"),
    "explore.js": (*CHOOSING, "share.js", "explore.js"),
    "table.css": ("viewer.css", "play.css", "tray.css"),
}
"""Files that are served as one, in this order, to save requests; by the name of the whole."""


def content(name: str) -> bytes:
    """Return the content of a static file, or of several that are served as one."""
    return b"".join((STATIC / part).read_bytes() for part in WHOLE.get(name, (name,)))


@cache
def content_hash(name: str) -> str:
    """Return a short hash of a static file's content."""
    return blake2b(content(name), digest_size=6).hexdigest()


def static_address(name: str, settings: WebSettings) -> str:
    """Return the address of a static file, without the prefix; in a site of files, without the hash."""
    return f"/static/{name}" if settings.is_static else f"/static/{name}?v={content_hash(name)}"


class CachedFiles(StaticFiles):
    """The static files. Under an address with the right hash a file is cached for a year, under any other it is revalidated."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or several that are served as one."""
        if path not in WHOLE:
            return await super().get_response(path, scope)
        tag = f'"{content_hash(path)}"'
        headers = {"etag": tag, "cache-control": _cached(path, scope)}
        if Headers(scope=scope).get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content(path), media_type="text/css" if path.endswith(".css") else "text/javascript", headers=headers)

    def file_response(self, full_path: Any, stat_result: Any, scope: Scope, status_code: int = 200) -> Response:
        """Return the file, or 304 if the browser has it already."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = _cached(Path(full_path).name, scope)
        return response


def _cached(name: str, scope: Scope) -> str:
    """Return how long a browser may cache this address."""
    is_current = scope["query_string"].decode("latin-1") == f"v={content_hash(name)}"
    return "public, max-age=31536000, immutable" if is_current else "no-cache"
