"""Atom feeds (RFC 4287) of tournaments and bots, with results, versions that have passed their checks, and season dates.

The feeds contain only what the pages show to everybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from fastapi import APIRouter, Request, Response

from arena.season.entry import find_stage
from arena.season.season_file import SeasonError
from arena.season.stages import calendar
from arena.web.pages.front import latest_of, lead_sentence
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import ranked, tag_of, unchanged, with_tag
from arena.web.settings import WebSettings
from engine.text import figure
from leaderboard.storage.matches import DatedMatch
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False)

MATCHES: Final = 30
"""A feed contains this many of the newest matches."""
_ATOM: Final = "http://www.w3.org/2005/Atom"
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 doesn't allow."""
_EPOCH: Final = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """A feed entry about the page at ``path``; ``key`` distinguishes it from other entries about the same page."""

    key: str
    title: str
    path: str
    updated: datetime


@router.get("/t/{name}/feed.xml")
def tournament_feed(request: Request, name: str) -> Response:
    """Return the feed of a tournament: its newest matches, its end, and the dates of its season."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    entries = [*_matches(latest_of(queries, [tournament], MATCHES)), *_end(queries, tournament), *_dates(queries, tournament)]
    return _answer(request, name, f"/t/{quote(name, safe='')}", entries)


@router.get("/bots/{bot}/feed.xml")
def bot_feed(request: Request, bot: str) -> Response:
    """Return the feed of a bot: its newest matches, and its versions that passed their checks."""
    queries = queries_of(request)
    path, submissions = f"/bots/{quote(bot, safe='')}", queries.submissions(bot)
    checked = [submissions[each.digest] for each in queries.versions(bot) if each.digest in submissions]
    tournaments = [queries.tournament(name) for name, _ in queries.tournaments_of(bot)]
    entries = [*_matches(latest_of(queries, tournaments, MATCHES, bot))]
    entries += [Entry(each.label, f"{each.label} has passed its check", path, each.sent) for each in checked]
    return _answer(request, bot, path, entries)


def _matches(shown: Sequence[tuple[StoredTournament, DatedMatch]]) -> Iterator[Entry]:
    for _, listed in shown:
        match = listed.match
        places = ", ".join(f"{seat.rank}. {seat.bot} ({figure(seat.score)})" for _, seat in ranked(match))
        yield Entry("", f"{match.tournament}: {places}", f"/m/{match.id}", listed.finished)


def _end(queries: Queries, tournament: StoredTournament) -> Iterator[Entry]:
    seal = queries.final_seal(tournament)
    if seal is not None:
        title = f"{tournament.name} is over: {lead_sentence(queries, tournament)}"
        yield Entry("over", title, f"/t/{quote(tournament.name, safe='')}", datetime.fromisoformat(seal.body.time))


def _dates(queries: Queries, tournament: StoredTournament) -> Iterator[Entry]:
    try:
        found = find_stage(queries.seasons(), tournament.name)
    except SeasonError:
        return
    if found is not None:
        season, path = found[0], f"/season/{quote(found[0].name, safe='')}"
        done = [each for each in calendar(season, queries.progress(season), queries.now) if each.state == "done"]
        yield from (Entry(each.what, f"{season.title}: {each.what}", path, each.moment) for each in done)


def _answer(request: Request, title: str, path: str, entries: Sequence[Entry]) -> Response:
    settings: WebSettings = request.app.state.settings
    base, newest = str(request.base_url).rstrip("/"), sorted(entries, key=lambda each: each.updated, reverse=True)
    feed = ET.Element("feed", xmlns=_ATOM)
    _about(feed, f"{title} - {settings.title}", f"{base}{path}", "", max((each.updated for each in newest), default=_EPOCH))
    ET.SubElement(feed, "link", rel="self", href=f"{base}{path}/feed.xml")
    _add(ET.SubElement(feed, "author"), "name", settings.title)
    for each in newest:
        _about(ET.SubElement(feed, "entry"), each.title, f"{base}{each.path}", each.key, each.updated)
    body = ET.tostring(feed, "utf-8", xml_declaration=True)
    return unchanged(request, tag_of(body)) or with_tag(Response(body, media_type="application/atom+xml"), tag_of(body))


def _about(element: ET.Element, title: str, address: str, key: str, updated: datetime) -> None:
    _add(element, "id", uuid5(NAMESPACE_URL, f"{address}#{key}").urn)
    _add(element, "title", title)
    _add(element, "updated", updated.replace(tzinfo=updated.tzinfo or UTC).isoformat())
    ET.SubElement(element, "link", rel="alternate", href=address)


def _add(element: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(element, tag).text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
