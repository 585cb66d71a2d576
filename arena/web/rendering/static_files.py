"""Static files. Their addresses contain a hash of all the files, so browsers cache them and fetch them again only if one changes.

Scripts are ES modules, which browsers load as they are. Pages opened from disk can't load modules, so ``linked`` combines the modules
into one script.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from arena.web.settings import WebSettings

STATIC: Final = Path(__file__).parents[1] / "static"
_TOGETHER: Final = {
    "site.css": ("tokens.css", "style.css", "match_card.css"),
    "table.css": ("viewer.css", "play.css", "tray.css"),
}
"""Style sheets that are served as one file, in this order; the key is the name of that file."""
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_EXPORT_LIST: Final = re.compile(r"export\{([^}]*)\};.*", re.DOTALL)
"""The end of a minified module."""
_RENAMED: Final = re.compile(r"([\w$]+) as ([\w$]+)")
_VERSION: Final = re.compile(r"[0-9a-f]{12}/")


def content(name: str) -> bytes:
    """Return the content of a static file, or of several files that are served as one."""
    return b"".join((STATIC / part).read_bytes() for part in _TOGETHER.get(name, (name,)))


@cache
def version() -> str:
    """Return a short hash of all static files."""
    files = sorted(path for path in STATIC.rglob("*") if path.is_file())
    return blake2b(b"".join(path.read_bytes() for path in files), digest_size=6).hexdigest()


@cache
def modules(name: str) -> tuple[str, ...]:
    """Return the names of a module and of everything it imports, directly or indirectly; imports come before their importers."""
    targets = [_resolved(name, target) for _, target in _IMPORT.findall(content(name).decode())]
    return (*dict.fromkeys(each for target in targets for each in modules(target)), name)


def _resolved(name: str, target: str) -> str:
    return normpath(join(dirname(name), target))


@cache
def linked(name: str) -> str:
    """Return a module and all its imports as one classic script, in which each module is a function that returns its exports."""
    names = {each: f"$module{number}" for number, each in enumerate(modules(name))}
    return "(() => {\n" + "".join(f"const {names[each]} = {_as_function(each, names)};\n" for each in names) + "})();\n"


def _as_function(name: str, names: dict[str, str]) -> str:
    exports = list[str]()

    def export(match: re.Match[str]) -> str:
        exports.append(match[1])
        return ""

    def export_list(match: re.Match[str]) -> str:
        exports.extend(f"{public}: {private}" for private, public in _RENAMED.findall(match[1]))
        return ""

    text = _EXPORT_LIST.sub(export_list, _EXPORT.sub(export, content(name).decode()))
    text = _IMPORT.sub(lambda it: f"const {{{it[1]}}} = {names[_resolved(name, it[2])]};\n", text)
    return f'(() => {{\n"use strict";\n{text}\nreturn {{ {", ".join(exports)} }};\n}})()'


def static_address(name: str, settings: WebSettings) -> str:
    """Return the address of a static file, without the server's prefix. On a static site, it contains no hash."""
    return f"/static/{name}" if settings.is_static else f"/static/{version()}/{name}"


def script_tags(name: str, settings: WebSettings) -> Markup:
    """Return the tags that load a script and all its imports in parallel and run it once the page has been parsed."""
    *imported, address = (settings.prefix + static_address(each, settings) for each in modules(name))
    if settings.is_static:
        return Markup('<script src="{}" defer></script>').format(address)
    links = Markup("").join(Markup('<link rel="modulepreload" href="{}">\n').format(each) for each in imported)
    return links + Markup('<script type="module" src="{}"></script>').format(address)


class StaticAssets(StaticFiles):
    """Serves the static files. An address with the current hash may be cached for a year; any other must be revalidated."""

    def __init__(self, *, is_static: bool) -> None:
        super().__init__(directory=STATIC)
        self._is_linked = is_static

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or several files that are served as one."""
        name = _VERSION.sub("", path, count=1)
        caching = "public, max-age=31536000, immutable" if path == f"{version()}/{name}" else "no-cache"
        if name in _TOGETHER:
            response = self._whole(content(name), "text/css", scope)
        elif self._is_linked and name.endswith(".js"):
            response = self._whole(linked(name).encode(), "text/javascript", scope)
        else:
            response = await super().get_response(name, scope)
        response.headers["cache-control"] = caching
        return response

    def _whole(self, body: bytes, media_type: str, scope: Scope) -> Response:
        tag = f'"{blake2b(body, digest_size=6).hexdigest()}"'
        headers = {"etag": tag}
        if Headers(scope=scope).get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(body, media_type=media_type, headers=headers)
