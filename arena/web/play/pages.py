"""The pages of tables: making one, sitting down, the board, and finished matches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.sse import EventSourceResponse, format_sse_event

from arena.web.data.offered_games import LONGEST_NAME
from arena.web.data.queries import queries_of
from arena.web.errors import NotFoundError, TableError, UnusableError, as_sentence
from arena.web.play import table_pages
from arena.web.play.lobby import Lobby
from arena.web.play.move_picker.base import image_of
from arena.web.play.table_form import (
    FormValues,
    Prefix,
    bots_to_play,
    completed,
    default_values,
    game_of_form,
    most_seats,
    offered_games,
    opponents_of,
    play_now,
    prefix_of,
    seats_of,
)
from arena.web.play.table_pages import NO_STORE, TABLES_OF_ONE, tables_of
from arena.web.play.visitors import clean_name, key_of, known_name, new_key, remember, visitor_of
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import address_of, from_here, rate_limits, stream
from arena.web.rendering.templates import render
from engine.core import EngineError, OptionsError
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import human_matches

router = APIRouter(prefix="/play", include_in_schema=False, default_response_class=HTMLResponse)
images = APIRouter(prefix="/play", include_in_schema=False)
"""The images that choices name, also on a server without tables."""
_LOOK_AGAIN: Final = 15
"""Seconds after which a follower of the lobby is sent an event even if nothing has changed."""


@router.get("")
def start(
    request: Request,
    match: Annotated[str, Query(max_length=64)] = "",
    at: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    game: Annotated[str, Query(max_length=LONGEST_NAME)] = "",
) -> HTMLResponse:
    """Show the lobby with the form for a new table, or the form for continuing from a position of a match."""
    return _form(request, match, at, game=game)


def _form(
    request: Request, match: str, at: int, *, game: str = "", given: FormValues | None = None, problem: str = "", status: int = 200
) -> HTMLResponse:
    prefix = prefix_of(request, match, at) if match else None
    store = queries_of(request).store
    games = offered_games(request).choices()
    return render(
        request,
        "play.html",
        status=status,
        headers=NO_STORE,
        match=match,
        at=at,
        prefix=prefix,
        problem=problem,
        bots=bots_to_play(store),
        games=games,
        given=completed(given or default_values(prefix, known_name(request), game), games),
        most=most_seats(games),
        recent=human_matches(store, 10),
        lists=Lobby() if prefix or problem else lobby(request),
        titles={each.name: each.title for each in games},
        opponents={each.name: opponents_of(each.name) for each in games if not each.problem},
    )


def lobby(request: Request) -> Lobby:
    """Return the lobby for this visitor. Raises TableError and StoreError."""
    return tables_of(request).lobby(key_of(request))


@router.get("/events")
async def changes(request: Request) -> EventSourceResponse:
    """Send an event whenever the lists of the lobby have changed; the page then requests them again."""
    return stream(request, _changes(request))


async def _changes(request: Request) -> AsyncIterator[bytes]:
    shown, before, quiet = -1, None, 0
    tables = tables_of(request)
    while not tables.is_stopping:
        number = tables.number
        if number != shown or not quiet % _LOOK_AGAIN:
            try:
                now = await asyncio.to_thread(lobby, request)
            except StoreError:  # the page connects again
                return
            if now != before:
                yield format_sse_event(event="changed", data_str=str(number))
            elif not quiet % _LOOK_AGAIN:
                yield format_sse_event(comment="still here")
            shown, before = number, now
        quiet += 1
        await asyncio.sleep(1)


async def _fields(request: Request) -> dict[str, str]:
    """Return the form fields with a single value, such as ``GAME.OPTION``."""
    return {key: value for key, value in (await request.form()).items() if isinstance(value, str)}


@router.post("", dependencies=[Depends(from_here)])
def make(
    request: Request,
    fields: Annotated[dict[str, str], Depends(_fields)],
    name: Annotated[str, Form(max_length=200)] = "",
    game: Annotated[str, Form(max_length=LONGEST_NAME)] = "",
    seat: Annotated[list[str] | None, Form()] = None,
    against: Annotated[str | None, Form(max_length=100)] = None,
    match: Annotated[str, Form(max_length=64)] = "",
    at: Annotated[int, Form(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Make a table, and sit down at it; with ``against``, one for as many copies of that bot as the game needs."""
    if against is not None:
        return _open(request, play_now(offered_games(request), game, against, name or known_name(request)), None, "", 0)
    prefix = prefix_of(request, match, at) if match else None
    return _open(request, FormValues(name, game, tuple(seat or ()), fields, is_private="private" in fields), prefix, match, at)


def _open(request: Request, given: FormValues, prefix: Prefix | None, match: str, at: int) -> Response:
    """Make a table from the form, and sit down at it; errors are shown above the form."""
    rate_limits(request).count(TABLES_OF_ONE, "table", address_of(request), "You have made too many tables; try again later.")
    key, tables = new_key(request), tables_of(request)
    try:
        game = prefix.game if prefix else game_of_form(offered_games(request), given.game, given.options)
        seats = seats_of(given.seats, queries_of(request).store, clean_name(given.name), key)
        if prefix and len(seats) != prefix.players:
            raise UnusableError("seat", f"this match has {prefix.players} seats, and all have to be taken")
        table = tables.open(
            game,
            seats,
            visitor_of(request),
            seed=prefix.seed if prefix else None,
            opening=prefix.moves if prefix else (),
            continues=f"{match}@{at}" if prefix else "",
            is_listed=not given.is_private,
        )
        if table.is_ready():
            tables.start(table)
    except (OptionsError, UnusableError) as error:
        return _form(request, match, at, given=given, problem=as_sentence(getattr(error, "detail", error)), status=422)
    except TableError as error:
        return _form(request, match, at, given=given, problem=as_sentence(error), status=error.status)
    answer = RedirectResponse(site_url(request, f"/play/t/{table.id}"), 303)
    remember(request, answer, given.name)
    return answer


@router.get("/mine.json")
def my_tables(request: Request) -> Response:
    """Return the visitor's tables, those with their turn first, for the header of all pages."""
    root = site_url(request, "/play/t")
    tables = [{"address": f"{root}/{each.id}", "turn": each.is_turn} for each in lobby(request).mine]
    return JSONResponse(tables, headers=NO_STORE)


@images.get("/images/{name}.svg")
def image(name: Annotated[str, Path(max_length=60)], game: Annotated[str, Query(max_length=LONGEST_NAME)]) -> Response:
    """Return the image of that name, to which choices of the game refer."""
    try:
        picture = image_of(game, name)
    except (ValueError, EngineError) as error:
        raise NotFoundError(f"{error}.") from None
    return Response(picture, media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})


router.include_router(table_pages.router)
