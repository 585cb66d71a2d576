"""What a replay offers to other sites: a page to embed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from arena.web.errors import NotFoundError
from arena.web.prefix import site_url
from arena.web.protection.middleware import POLICY
from arena.web.rendering.replay_files import SCRIPTS
from arena.web.rendering.templates import render

FRAMED: Final = {"content-security-policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"), "cache-control": "no-cache"}
"""The headers of a page that other sites may put into a frame."""


@dataclass(frozen=True, slots=True)
class SharedReplay:
    """A replay that anybody may see: the path of its page, the key of its analysis, and a function that reads its text."""

    path: str
    key: str
    game: str
    names: tuple[str, ...]
    decisions: int
    read: Callable[[], str]

    def check(self, at: int) -> None:
        """Raise NotFoundError for a position that the match does not have."""
        if at > self.decisions:
            raise NotFoundError(f"This match has {self.decisions} decisions, so there is no position after decision {at}.")


def embed_of(request: Request, shared: SharedReplay, document: str) -> HTMLResponse:
    """Return the viewer without header and footer, for embedding on other sites."""
    return render(
        request,
        "embed.html",
        headers=FRAMED,
        shared=shared,
        address=site_url(request, shared.path),
        document=Markup(document),  # noqa: S704  # our own JSON, with no < > &
        scripts=SCRIPTS,
    )
