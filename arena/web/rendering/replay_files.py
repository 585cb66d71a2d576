"""A replay as a single HTML file that needs no server and loads nothing from any host."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Final

from arena.analysis.match_analysis import MatchAnalysis
from arena.web.rendering import templates
from arena.web.rendering.static_files import content
from arena.web.viewer.analysed import analysis_document
from arena.web.viewer.documents import document_of
from arena.web.viewer.schema import Document, write
from arena.web.viewer.story import Story, story_of
from engine.records import Replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from engine.text import figure

SCRIPTS: Final = ("replay.js",)
"""The static files of a page with a viewer, as one."""


def page(timeline: ReplayTimeline, *, continue_url: str = "") -> str:
    """Return the whole page; ``continue_url`` is where a visitor can play on, with ``{d}`` for the position."""
    return page_of(document_of(timeline), continue_url=continue_url)


def analysis_page(replay: Replay, analysis: MatchAnalysis) -> str:
    """Return the whole page of a replay with its analysis. Raises DisagreementError for a replay that can't be played."""
    timeline = timeline_of(replay)
    return page_of(analysis_document(timeline, analysis), story=story_of(timeline, analysis))


def page_of(document: Document, *, continue_url: str = "", story: Story | None = None) -> str:
    """Return the whole page of a document, with its analysis in words and pictures above the viewer."""
    scripts = [content(name).decode() for name in SCRIPTS]
    tokens, style = (content(name).decode() for name in ("tokens.css", "viewer.css"))
    story_style = "" if story is None else content("story.css").decode()
    ranked = sorted(document.seats, key=lambda seat: seat.rank)
    return templates.page(
        "export.html",
        title=document.sheet.title,
        players=", ".join(seat.name for seat in document.seats),
        summary="; ".join(f"place {seat.rank}: {seat.name} with {figure(seat.score)}" for seat in ranked),
        document=write(document),
        policy=policy(scripts, [tokens, style, *filter(None, [story_style])]),
        scripts=scripts,
        tokens=tokens,
        style=style,
        story=story,
        story_style=story_style,
        continue_url=continue_url,
    )


def policy(scripts: list[str], styles: list[str]) -> str:
    """Return the content security policy of a page that has only these inline scripts and styles, and loads nothing."""
    allowed, looks = (" ".join(map(_hash, texts)) for texts in (scripts, styles))
    return f"default-src 'none'; script-src {allowed}; style-src {looks}; img-src data:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
