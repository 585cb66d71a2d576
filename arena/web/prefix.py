"""The path below which a server has all of its pages, such as ``/arena``: the ``root_path`` of ASGI, with which a request's path begins."""

from __future__ import annotations

import re
from typing import Final

from fastapi import Request
from starlette.types import Scope

_PREFIX: Final = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+")


def is_prefix(text: str) -> bool:
    """Whether the text can be a prefix: one or more names of letters, digits and ``.-_~``, each after a slash."""
    return _PREFIX.fullmatch(text) is not None


def is_below(scope: Scope, prefix: str) -> bool:
    """Whether a request is for something below the prefix."""
    return not prefix or f"{scope['path']}/".startswith(f"{prefix}/")


def inner_path(scope: Scope) -> str:
    """Return the path of a request without the prefix."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def site_url(request: Request, path: str) -> str:
    """Return the address of a page of this server, for a link, a redirect or JSON."""
    return f"{request.scope.get('root_path', '')}{path}"
