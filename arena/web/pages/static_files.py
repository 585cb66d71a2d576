"""Static files: their addresses contain a hash of the content, so browsers keep a file for good and ask for it again when it changes."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from arena.web.settings import WebSettings

STATIC: Final = Path(__file__).parents[1] / "static"


@cache
def content_hash(name: str) -> str:
    """Return a short hash of a static file's content."""
    return blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()


def static_address(name: str, settings: WebSettings) -> str:
    """Return the address of a static file; in a site of files, without the hash."""
    return f"/static/{name}" if settings.is_static else f"/static/{name}?v={content_hash(name)}"


class CachedFiles(StaticFiles):
    """The static files. Under an address with the right hash a file is cached for a year, under any other it is revalidated."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)

    def file_response(self, full_path: Any, stat_result: Any, scope: Scope, status_code: int = 200) -> Response:
        """Return the file, or 304 if the browser has it already."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        is_current = scope["query_string"].decode("latin-1") == f"v={content_hash(Path(full_path).name)}"
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if is_current else "no-cache"
        return response
