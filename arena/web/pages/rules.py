"""The explanatory pages: help, and the rules of each game in its own words, with its signs and pictures of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from arena.entries.game_choice import GameChoice, game_choices
from arena.web.errors import NotFoundError
from arena.web.rendering.templates import show
from arena.web.viewer.small_board import detail_of_board, small_board
from engine.core import Move, State
from engine.plugin import Chapter, GamePlugin
from engine.registry import find_game, find_part, find_plugin, game_names, is_family
from engine.render import drawing
from engine.render.drawing import named

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PICTURES: Final = {"start": "The first position", "middle": "In the middle of a match", "end": "The end of a match"}
"""The pictures of each game by name, with captions."""
_SEED: Final = 7
_MOST_MOVES: Final = 3000
_POINT: Final = "- "
_SOMEBODY: Final = ("one player", "another player")
"""The names of the seats in a legend that belongs to no match."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """A game for the page of its rules.

    ``sections`` are titles with paragraphs, grouped into plain ones and lists (True); ``signs`` are words with small SVGs.
    """

    choice: GameChoice
    plugin: GamePlugin
    sections: tuple[tuple[str, list[tuple[bool, list[str]]]], ...]
    signs: tuple[tuple[str, Markup], ...]
    defs: Markup
    pictures: dict[str, str]


def known_games() -> tuple[tuple[GameChoice, GamePlugin], ...]:
    """Return the games that have a page of rules."""
    return tuple((each, find_plugin(each.name)) for each in game_choices() if not each.problem and not each.is_family)


def game_rules(name: str) -> GameRules:
    """Return the data of the page of a game's rules. Raises NotFoundError, and EngineError for a game that does not work here."""
    names = [choice.name for choice, _ in known_games()]
    if name not in names:
        if name in game_names() and not is_family(name):
            find_game(name)  # raises the error that describes its problem
        raise NotFoundError(f"There is no game '{name:.60}' here; the games are {', '.join(names)}.")
    return _rules(name)


@cache
def picture(name: str, moment: str, *, is_narrow: bool = False) -> str:
    """Return the picture of a match of a game at that moment, as SVG, ``is_narrow`` without what stands beside the board. Raises
    NotFoundError.
    """
    if moment not in PICTURES:
        raise NotFoundError("There is no such picture.")
    game_rules(name)
    position = _states(name)[moment]
    if is_narrow:
        scene = drawing.scene(position)
        return detail_of_board(scene, drawing.sheet(position), scene.box, "")
    return small_board(position) if moment == "end" else drawing.svg(position)


@cache
def _rules(name: str) -> GameRules:
    choice, plugin = next(each for each in known_games() if each[0].name == name)
    states = _states(choice.name)
    chapters: Sequence[Chapter] = find_part(choice.name, "rules") or ()
    sheet = drawing.sheet(states["middle"])
    signs = tuple(
        (
            named(each.words, _SOMEBODY),
            Markup(  # noqa: S704  # the game's own drawing
                f'<svg viewBox="{each.box.x:g} {each.box.y:g} {each.box.width:g} {each.box.height:g}" width="40" height="40"'
                f' aria-hidden="true">{each.markup}</svg>'
            ),
        )
        for each in drawing.legend(states["middle"])
    )
    return GameRules(choice, plugin, tuple(map(_section, chapters)), signs, Markup(sheet.defs), PICTURES)  # noqa: S704


def _section(chapter: Chapter) -> tuple[str, list[tuple[bool, list[str]]]]:
    parts: list[tuple[bool, list[str]]] = []
    for paragraph in chapter.paragraphs:
        is_point = paragraph.startswith(_POINT)
        if not parts or not is_point or not parts[-1][0]:
            parts.append((is_point, []))
        parts[-1][1].append(paragraph.removeprefix(_POINT))
    return chapter.title, parts


@cache
def _states(name: str) -> dict[str, State]:
    """Return positions of a match of random moves, which is the same each time: the first, one of the middle, the last."""
    plugin = find_plugin(name)
    options, players = max(plugin.samples, key=lambda sample: len(sample[0])) if plugin.samples else ({}, 2)
    game = find_game(name, dict(options))
    players = min(max(players, game.min_players), game.max_players)
    start = game.new(players, _SEED)
    last, random = start.copy(), Random(_SEED)
    moves: list[Move] = []
    while last.actor is not None and len(moves) < _MOST_MOVES:
        moves.append(last.random_move(random))
        last.play(moves[-1])
    middle = start.copy()
    for move in moves[: len(moves) // 2]:
        middle.play(move)
    return {"start": start, "middle": middle, "end": last}


@router.get("/help")
def help_page(request: Request) -> Response:
    """Show how to read the pages, how to check results, how to play and how to submit."""
    return show(request, "help.html")


@router.get("/rules")
def all_rules(request: Request) -> Response:
    """List the games."""
    return show(request, "rules.html", games=known_games())


@router.get("/rules/{game}")
def rules_of(request: Request, game: str) -> Response:
    """Show a game's rules."""
    return show(request, "game-rules.html", rules=game_rules(game))


@router.get("/rules/{game}/{moment}.svg")
def rules_picture(game: str, moment: str, *, narrow: bool = False) -> Response:
    """Return a picture of a match of a game, for a narrow window without what stands beside the board."""
    return Response(picture(game, moment, is_narrow=narrow), media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})
