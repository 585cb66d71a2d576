"""The explanatory pages: help, and the rules of each game, with its symbols and with pictures of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from arena.entries.game_choice import GameChoice, game_choices
from arena.web.errors import NotFoundError
from arena.web.rendering.templates import show
from arena.web.viewer.small_board import detail_of_board, small_board
from bots.protocol import Clock, MatchInfo
from bots.reference.greedy import Greedy
from engine.core import OptionValue, State
from engine.plugin import Chapter, GamePlugin
from engine.registry import find_game, find_part, find_plugin, game_names, is_family
from engine.render import drawing
from engine.render.drawing import named

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
MOMENTS: Final = ("middle", "end")
"""The moments of a match that the pictures of a game show."""
_SEED: Final = 7
_PLAYERS: Final = 4
_MOST_MOVES: Final = 3000
_POINT: Final = "- "
_SOMEBODY: Final = ("one player", "another player")
"""The names of the seats in a legend that is not about a particular match."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """What the page about a game's rules shows.

    - ``sections``: each is a title with groups of lines; a group is marked True for a list, False for plain paragraphs
    - ``signs``: descriptions of the symbols on the board, each with a small SVG
    """

    choice: GameChoice
    plugin: GamePlugin
    sections: tuple[tuple[str, list[tuple[bool, list[str]]]], ...]
    signs: tuple[tuple[str, Markup], ...]
    defs: Markup


def known_games() -> tuple[tuple[GameChoice, GamePlugin], ...]:
    """Return the games that have a page of rules."""
    return tuple((each, find_plugin(each.name)) for each in game_choices() if not each.problem and not each.is_family)


def game_rules(name: str) -> GameRules:
    """Return the data of a game's rules page. Raises NotFoundError if there is no such game, and EngineError if it does not work here."""
    names = [choice.name for choice, _ in known_games()]
    if name not in names:
        if name in game_names() and not is_family(name):
            find_game(name)  # raises the error that describes its problem
        raise NotFoundError(f"There is no game '{name:.60}' here; the games are {', '.join(names)}.")
    return _rules(name)


@cache
def picture(name: str, moment: str) -> str:
    """Return the board at a moment of a sample match, as SVG. Raises NotFoundError."""
    if moment not in MOMENTS:
        raise NotFoundError("There is no such picture.")
    game_rules(name)
    position = _states(name)[moment]
    scene = drawing.scene(position)
    return small_board(position) if moment == "end" else detail_of_board(scene, drawing.drawer(position).sheet, scene.box, "")


@cache
def _rules(name: str) -> GameRules:
    choice, plugin = next(each for each in known_games() if each[0].name == name)
    options, players = max(plugin.samples, key=lambda sample: len(sample[0])) if plugin.samples else ({}, 2)
    position = _position(choice.name, options, players)
    chapters: Sequence[Chapter] = find_part(choice.name, "rules") or ()
    sheet = drawing.drawer(position).sheet
    signs = tuple(
        (
            named(each.words, _SOMEBODY),
            Markup(  # noqa: S704  # the game's own drawing
                f'<svg viewBox="{each.box.x:g} {each.box.y:g} {each.box.width:g} {each.box.height:g}" width="40" height="40"'
                f' aria-hidden="true">{each.markup}</svg>'
            ),
        )
        for each in drawing.drawer(position).legend(position)
    )
    return GameRules(choice, plugin, tuple(map(_section, chapters)), signs, Markup(sheet.defs))  # noqa: S704


def _section(chapter: Chapter) -> tuple[str, list[tuple[bool, list[str]]]]:
    parts: list[tuple[bool, list[str]]] = []
    for paragraph in chapter.paragraphs:
        is_point = paragraph.startswith(_POINT)
        if not parts or not is_point or not parts[-1][0]:
            parts.append((is_point, []))
        parts[-1][1].append(paragraph.removeprefix(_POINT))
    return chapter.title, parts


def _position(name: str, options: Mapping[str, OptionValue], players: int) -> State:
    game = find_game(name, options)
    return game.new(min(max(players, game.min_players), game.max_players), _SEED)


@cache
def _states(name: str) -> dict[str, State]:
    """Return the positions in the middle and at the end of a match that ``greedy`` plays against itself, always the same match."""
    state = _position(name, {}, _PLAYERS)
    bot = Greedy()
    bot.start(MatchInfo(state.game, state.players, 0, _SEED))
    course = [state.copy()]
    while state.actor is not None and len(course) < _MOST_MOVES:
        state.play(bot.choose(state.view(state.actor), Clock()))
        course.append(state.copy())
    return {"middle": course[len(course) // 2], "end": course[-1]}


@router.get("/help")
def help_page(request: Request) -> Response:
    """Show how to read the pages, how to check results, how to play and how to submit."""
    return show(request, "help.html")


@router.get("/rules")
def all_rules(request: Request) -> Response:
    """Show the list of games that have a page of rules."""
    return show(request, "rules.html", games=known_games())


@router.get("/rules/{game}")
def rules_of(request: Request, game: str) -> Response:
    """Show a game's rules."""
    return show(request, "game-rules.html", rules=game_rules(game))


@router.get("/rules/{game}/{moment}.svg")
def rules_picture(game: str, moment: str) -> Response:
    """Return the board at a moment of a sample match."""
    return Response(picture(game, moment), media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})
