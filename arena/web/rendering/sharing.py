"""What a replay offers to other sites: a card as a picture of it, and a page for a frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Query, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from arena.web.data.names import game_title
from arena.web.errors import NotFoundError
from arena.web.prefix import site_url
from arena.web.protection.middleware import POLICY
from arena.web.protection.rate_limits import POSITIONS, address_of, rate_limits
from arena.web.rendering.replay_files import SCRIPTS
from arena.web.rendering.templates import render, unchanged, with_tag
from arena.web.viewer.replay_cache import DrawingCache
from arena.web.viewer.share_card import as_png, share_card
from engine.replay.format import read_replay
from engine.replay.verifier import state_at

Position = Annotated[int | None, Query(ge=0, le=1_000_000)]
"""The position of an address, by the number of decisions; None for the last one."""
FRAMED: Final = {"content-security-policy": POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"), "cache-control": "no-cache"}
"""The headers of a page that other sites may put into a frame."""
_PNG: Final = b"\x89PNG"


@dataclass(frozen=True, slots=True)
class SharedReplay:
    """A replay that anybody may see: the path of its match and of its page, the key of its analysis, and a function that reads its text."""

    path: str
    page: str
    key: str
    game: str
    names: tuple[str, ...]
    digest: str
    decisions: int
    read: Callable[[], str]

    def position(self, at: int | None) -> int:
        """Return the position of an address. Raises NotFoundError for one that the match does not have."""
        if at is not None and at > self.decisions:
            raise NotFoundError(f"This match has {self.decisions} decisions, so there is no position after decision {at}.")
        return self.decisions if at is None else at


def card_of(request: Request, shared: SharedReplay, at: int | None) -> Response:
    """Return the share card of a position as PNG, or as SVG where no PNG can be drawn. Raises NotFoundError and EngineError."""
    at = shared.position(at)

    def make() -> str:
        replay = read_replay(shared.read())
        return share_card(replay, state_at(replay, at), at, game_title(replay.game))

    return card_response(request, shared, f"{at}", make)


def card_response(request: Request, shared: SharedReplay, name: str, draw: Callable[[], str]) -> Response:
    """Return the card of that name, drawn by ``draw``, as PNG, or as SVG where no PNG can be made. Raises HTTPException (429)."""
    tag = f'"{shared.digest[:24]}-card-{name}"'

    def make() -> bytes:
        rate_limits(request).count(POSITIONS, "card", address_of(request), "Too many pictures from your address; try again later.")
        picture = draw()
        return as_png(picture) or picture.encode()

    if (answer := unchanged(request, tag)) is None:
        drawn = _drawings(request).get(f"{shared.path} card {name}", make)
        answer = with_tag(Response(drawn, media_type="image/png" if drawn.startswith(_PNG) else "image/svg+xml"), tag)
    answer.headers["cache-control"] = "public, max-age=86400"
    return answer


def embed_of(request: Request, shared: SharedReplay, at: int | None, document: str) -> HTMLResponse:
    """Return the viewer without header and footer, for a frame on a page of another site. Raises NotFoundError."""
    at = shared.position(at)
    return render(
        request,
        "embed.html",
        headers=FRAMED,
        shared=shared,
        at=at,
        address=site_url(request, shared.page),
        document=Markup(document),  # noqa: S704  # our own JSON, with no < > &
        scripts=SCRIPTS,
    )


def _drawings(request: Request) -> DrawingCache:
    drawings: DrawingCache = request.app.state.shared
    return drawings
