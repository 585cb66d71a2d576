"""A replay as a single HTML file, which needs neither a server nor a network, or as a page to embed on other sites."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from arena.analysis.match_analysis import MatchAnalysis
from arena.web.errors import NotFoundError
from arena.web.protection.middleware import POLICY
from arena.web.rendering import templates
from arena.web.rendering.static_files import content, linked
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from arena.web.viewer.documents import Document, analysis_document, document_of, write
from arena.web.viewer.story import Story, story_of
from engine.records import Replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from engine.text import figure

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
    )


def page(timeline: ReplayTimeline, *, continue_url: str = "") -> str:
    """Return the page of a replay. ``continue_url`` is the address for continuing the match, with ``{d}`` for the number of decisions."""
    return page_of(document_of(timeline), continue_url=continue_url)


def analysis_page(replay: Replay, analysis: MatchAnalysis) -> str:
    """Return the page of a replay with its analysis. Raises DisagreementError for a replay that can't be played."""
    timeline = timeline_of(replay)
    return page_of(analysis_document(timeline, analysis), story=story_of(timeline, analysis))


def page_of(document: Document, *, continue_url: str = "", story: Story | None = None) -> str:
    """Return the page of a document. If a ``story`` is given, it stands above the viewer."""
    code = linked("viewer_element.js")
    tokens, style = (content(name).decode() for name in ("tokens.css", "viewer.css"))
    story_style = "" if story is None else content("story.css").decode()
    ranked = sorted(document.seats, key=lambda seat: seat.rank)
    return templates.page(
        "export.html",
        title=document.sheet.title,
        players=", ".join(seat.name for seat in document.seats),
        summary="; ".join(f"place {seat.rank}: {seat.name} with {figure(seat.score)}" for seat in ranked),
        document=write(document),
        policy=policy(code, [tokens, style, *filter(None, [story_style])]),
        code=code,
        tokens=tokens,
        style=style,
        story=story,
        story_style=story_style,
        continue_url=continue_url,
    )


def policy(script: str, styles: list[str]) -> str:
    """Return the content security policy of a page that has only this inline script and these styles, and loads nothing."""
    looks = " ".join(map(_hash, styles))
    return f"default-src 'none'; script-src {_hash(script)}; style-src {looks}; img-src data:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
