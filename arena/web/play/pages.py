"""The pages of tables: making one, sitting down, the board, and matches that were played."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.sse import EventSourceResponse, format_sse_event
from limits import RateLimitItemPerHour
from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from arena.entries.game_choice import game_choices
from arena.web.data.queries import queries_of
from arena.web.pages.errors import NotFoundError, UnusableError
from arena.web.pages.rendering import render
from arena.web.play.move_picker.games import image_of
from arena.web.play.seat_view import seat_view
from arena.web.play.table import PlayTable, Stage, TableError, Visitor
from arena.web.play.table_form import LONGEST_GAME, Given, bots_to_play, chairs_of, completed, game_of_form, most_seats, prefix_of, usual
from arena.web.play.tables import Tables
from arena.web.protection.rate_limits import address_of, from_here, rate_limits
from arena.web.protection.streams import stream
from arena.web.viewer.export import BOARD_SCRIPTS, SCRIPTS
from arena.web.viewer.schema import document_of, write
from engine import describe
from engine.core import EngineError, OptionsError
from engine.replay.format import read_replay
from engine.replay.timeline import timeline_of
from engine.text import short
from leaderboard.storage.human_matches import find_human_match, human_match_replay, human_matches

router = APIRouter(prefix="/play", include_in_schema=False, default_response_class=HTMLResponse)
_NO_STORE: Final = {"cache-control": "no-store"}
_BROWSER: Final = "browser"
_KEY: Final = re.compile("[A-Za-z0-9_-]{22}")
_TABLES_OF_ONE: Final = RateLimitItemPerHour(60)
_LOOK_SECONDS: Final = 0.1
_PING_LOOKS: Final = 150


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


def _find(request: Request, table: str) -> PlayTable:
    open_table = _tables(request).find(table)
    if open_table is None:
        raise NotFoundError(
            "There is no such table any more: it is over, or the server was restarted, and a match in progress is not kept."
        )
    return open_table


def _cookie(table: PlayTable) -> str:
    return f"seat-{table.id}"


def _seat(request: Request, table: PlayTable) -> int | None:
    return table.seat_of(request.cookies.get(_cookie(table), ""))


@router.get("")
def start(
    request: Request, match: Annotated[str, Query(max_length=64)] = "", at: Annotated[int, Query(ge=0, le=1_000_000)] = 0
) -> HTMLResponse:
    """Show the form for a new table, or for continuing from a position of a match."""
    return _form(request, match, at)


def _form(request: Request, match: str, at: int, *, given: Given | None = None, problem: str = "", status: int = 200) -> HTMLResponse:
    prefix = prefix_of(request, match, at) if match else None
    store = queries_of(request).store
    games = game_choices()
    values = {"match": match, "at": at, "prefix": prefix, "problem": problem, "bots": bots_to_play(store)}
    shown = completed(given or usual(prefix), games)
    more = {"games": games, "given": shown, "most": most_seats(games), "recent": human_matches(store, 10)}
    return render(request, "play.html", status=status, headers=_NO_STORE, **values, **more)


async def _fields(request: Request) -> dict[str, str]:
    """Return the fields of the form that hold one text each, such as ``GAME.OPTION``."""
    return {key: value for key, value in (await request.form()).items() if isinstance(value, str)}


@router.post("", dependencies=[Depends(from_here)])
def make(
    request: Request,
    fields: Annotated[dict[str, str], Depends(_fields)],
    name: Annotated[str, Form(max_length=200)] = "",
    game: Annotated[str, Form(max_length=LONGEST_GAME)] = "",
    seat: Annotated[list[str] | None, Form()] = None,
    match: Annotated[str, Form(max_length=64)] = "",
    at: Annotated[int, Form(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Make a table, and sit down at it."""
    rate_limits(request).count(_TABLES_OF_ONE, "table", address_of(request), "You have made many tables; wait a while.")
    prefix = prefix_of(request, match, at) if match else None
    given = Given(name, game, tuple(seat or ()), fields)
    try:
        rules = prefix.game if prefix else game_of_form(game, fields)
        chairs = chairs_of(seat or [], queries_of(request).store, _named(name))
        if prefix and len(chairs) != prefix.players:
            raise UnusableError("seat", f"this match has {prefix.players} seats, and all have to be taken")
        visitor = Visitor(address_of(request), _browser(request))
        opening = prefix.moves if prefix else ()
        table = _tables(request).open(rules, chairs, visitor, seed=prefix.seed if prefix else None, opening=opening)
    except (OptionsError, UnusableError) as error:
        return _form(request, match, at, given=given, problem=str(getattr(error, "detail", error)), status=422)
    except TableError as error:
        return _form(request, match, at, given=given, problem=str(error), status=error.status)
    if table.is_ready():
        _tables(request).start(table)
    mine = next(chair.key for chair in table.chairs if chair.key)
    answer = _sit(request, table, mine)
    answer.set_cookie(_BROWSER, visitor.browser, max_age=86400, path="/play", httponly=True, samesite="lax", secure=_is_secure(request))
    return answer


def _browser(request: Request) -> str:
    """Return the key by which a browser's tables are counted; it grants no access."""
    known = request.cookies.get(_BROWSER, "")
    return known if _KEY.fullmatch(known) else secrets.token_urlsafe(16)


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"


def _named(name: str) -> str:
    return short(name, 20) or "Guest"


def _sit(request: Request, table: PlayTable, key: str) -> Response:
    answer = RedirectResponse(f"/play/t/{table.id}", 303)
    path = f"/play/t/{table.id}"
    answer.set_cookie(_cookie(table), key, max_age=86400, path=path, httponly=True, samesite="lax", secure=_is_secure(request))
    return answer


@router.get("/t/{table}")
def at_table(request: Request, table: str) -> HTMLResponse:
    """Show the table: who sits there, or the board."""
    open_table = _find(request, table)
    seat = _seat(request, open_table)
    template = "lobby.html" if open_table.stage is Stage.LOBBY else "table.html"
    address = str(request.url.replace(query="", fragment=""))
    return render(request, template, headers=_NO_STORE, table=open_table, seat=seat, scripts=BOARD_SCRIPTS, address=address, problem="")


@router.post("/t/{table}/join", dependencies=[Depends(from_here)])
def join(request: Request, table: str, name: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Take a free seat."""
    open_table = _find(request, table)
    if _seat(request, open_table) is not None:
        return RedirectResponse(f"/play/t/{open_table.id}", 303)
    try:
        return _sit(request, open_table, open_table.join(_named(name)))
    except TableError as error:
        raise HTTPException(error.status, f"{error}.") from None


@router.post("/t/{table}/start", dependencies=[Depends(from_here)])
def begin(request: Request, table: str) -> Response:
    """Start the match, which only the maker of the table may do."""
    open_table = _find(request, table)
    if _seat(request, open_table) != open_table.maker:
        raise HTTPException(403, "Whoever made the table starts the match.")
    try:
        _tables(request).start(open_table)
    except TableError as error:
        raise HTTPException(error.status, f"{error}.") from None
    return RedirectResponse(f"/play/t/{open_table.id}", 303)


@router.get("/t/{table}/state")
def state(request: Request, table: str, at: Annotated[int | None, Query(ge=0, le=1_000_000)] = None) -> Response:
    """Return what this seat sees, as JSON; spectators see what is public. With ``at`` it is what was seen after so many decisions."""
    open_table = _find(request, table)
    seat = _seat(request, open_table)
    if seat is not None:
        open_table.attend()
    look = open_table.look(seat) if at is None else open_table.look_back(seat, at)
    if look is None:
        raise NotFoundError("That position of the match is not kept any more.")
    body = msgspec.json.encode(seat_view(look))
    return Response(body, media_type="application/json", headers=_NO_STORE)


@router.get("/t/{table}/text")
def text(request: Request, table: str) -> Response:
    """Return what this seat sees in plain words: rules, position and legal moves; spectators read what is public."""
    open_table = _find(request, table)
    look = open_table.look(_seat(request, open_table))
    return Response(describe(look.view), media_type="text/plain; charset=utf-8", headers=_NO_STORE)


class Answer(BaseModel):
    """A person's move: its notation, for decision number ``at``."""

    at: int = Field(ge=0, le=1_000_000)
    move: str = Field(max_length=200)


@router.post("/t/{table}/move", dependencies=[Depends(from_here)])
def move(request: Request, table: str, answer: Answer) -> Response:
    """Play a person's move."""
    open_table = _find(request, table)
    seat = _seat(request, open_table)
    if seat is None:
        raise HTTPException(403, "You don't sit at this table.")
    try:
        open_table.answer(seat, answer.at, answer.move)
    except TableError as error:
        raise HTTPException(error.status, f"{error}.") from None
    return Response(status_code=204)


@router.get("/t/{table}/events")
async def events(request: Request, table: str) -> EventSourceResponse:
    """Send an event whenever something has changed; the page then requests the state."""
    open_table = _find(request, table)
    return stream(request, _signs(open_table, sits=_seat(request, open_table) is not None))


async def _signs(table: PlayTable, *, sits: bool) -> AsyncIterator[bytes]:
    """Yield an event for each change until the match is over; a follower who ``sits`` there keeps the table from being idle."""
    shown, quiet = -1, 0
    while True:
        if sits:
            table.attend()
        if table.number != shown:
            shown, quiet = table.number, 0
            yield format_sse_event(event="changed", data_str=f"{shown} {table.stage.value}")
            if table.stage in {Stage.OVER, Stage.CLOSED}:
                return
        quiet += 1
        if quiet % _PING_LOOKS == 0:
            yield format_sse_event(comment="still here")
        await asyncio.sleep(_LOOK_SECONDS)


@router.get("/m/{match}")
def played(request: Request, match: str) -> HTMLResponse:
    """Show a match between people in the viewer."""
    store = queries_of(request).store
    played = find_human_match(store, match)
    if played is None:
        raise NotFoundError(f"There is no match '{match:.40}' between people here.")
    document = Markup(write(document_of(timeline_of(read_replay(human_match_replay(store, match))))))  # noqa: S704  # our own JSON, with no < > &
    continue_url = f"/play?match={played.id}&at={{d}}"
    return render(request, "casual.html", match=played, document=document, scripts=SCRIPTS, continue_url=continue_url)


@router.get("/images/{name}.svg")
def image(name: Annotated[str, Path(max_length=60)], game: Annotated[str, Query(max_length=LONGEST_GAME)]) -> Response:
    """Return an image that choices of that game name."""
    try:
        picture = image_of(game, name)
    except (ValueError, EngineError) as error:
        raise NotFoundError(f"{error}.") from None
    return Response(picture, media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})
