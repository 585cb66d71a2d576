"""The templates of the pages, with display names, interval bars and responses."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from arena.report.leaderboard_table import places_line, ties_line
from arena.report.orders_table import order_about
from arena.web.rendering.static_files import script_tags, static_address
from arena.web.settings import WebSettings, inner_path
from engine.core import EngineError
from engine.records import SeatResult
from engine.registry import find_plugin, game_names
from engine.render.drawing import drawer_of
from engine.render.palette import SEAT_COLORS
from engine.text import figure, likelihood, percent, short, signed
from leaderboard.storage.store import StoredMatch, StoredTournament

_ORDINALS: Final = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
INTERVAL: Final = (240.0, 32.0)
SHADES: Final = 9
"""The number of shades for a share of wins, from ``share0`` (always lost) to ``share8`` (always won)."""
_WEB: Final = Path(__file__).parents[1]
_MINUTE: Final = 60
_LONGEST_DETAIL: Final = 400
_DECISION: Final = re.compile(r"\bdecisions? (\d+)(?: to \d+)?")
_FOLDERS: Final = re.compile(r"(?<![\w/:.])/(?:[\w.@+~-]++/)++")


def ending_phrase(ending: str, game: str) -> str:
    """Return the game's phrase for why a match ended, or the stored word if there is no phrase."""
    try:
        return drawer_of(game).endings.get(ending, ending)
    except EngineError:
        return ending


def format_of(tournament: StoredTournament) -> str:
    """Return the name of the tournament's format from its stored spec, so that its game need not be installed."""
    return str(_schedule_in(tournament.spec).get("format", "round-robin"))


def format_words(tournament: StoredTournament) -> str:
    """Return the display name of the tournament's format; if each bot plays alone, it is "solo"."""
    return "solo" if _schedule_in(tournament.spec).get("tables") == [1] else format_title(format_of(tournament))


def game_title(game: str) -> str:
    """Return the display name of a game: its title, or its name if it is not installed."""
    try:
        plugin = find_plugin(game)
    except EngineError:
        return game
    member = game.partition(":")[2]
    return f"{plugin.title}: {member}" if member else plugin.title


def format_title(name: str) -> str:
    """Return the display name of a format."""
    return "Swiss" if name == "swiss" else name.replace("-", " ")


@lru_cache(maxsize=256)
def _schedule_in(spec: str) -> dict[str, object]:
    return dict(json.loads(spec).get("schedule", {}))


def ordinal(number: int) -> str:
    """Return "first" for 1, "22nd" for 22."""
    if number < len(_ORDINALS):
        return _ORDINALS[number]
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def interval_bar(value: float, low: float, high: float, scale: tuple[float, float], certain: float = inf) -> Markup:
    """Return the SVG bar of an interval, with a dot at the value and a mark at the low end; pages also print the values next to it.

    ``scale`` has the values at the left and right ends of the picture, the same in all pictures that are compared. The bar is thick
    between ``value - certain`` and ``value + certain``. The style sheet sets the size and draws the axis.
    """
    width, height = INTERVAL
    span = max(scale[1] - scale[0], 1e-9)
    ends = (low, max(low, value - certain), value, min(high, value + certain), high)
    left, begin, middle, end, right = (round(8 + (width - 16) * min(max((each - scale[0]) / span, 0), 1)) for each in ends)
    return Markup(  # noqa: S704  # numbers of our own
        f'<svg class="interval" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" aria-hidden="true">'
        f'<path d="M{left} {height / 2:g}H{right}"/><path class="certain" d="M{begin} {height / 2:g}H{end}"/>'
        f'<path class="low" d="M{left} 3v{height - 6:g}"/>'
        f'<path class="dot" d="M{middle} {height / 2:g}h0"/></svg>'
    )


def progress_bar(done: int, total: int) -> Markup:
    """Return a progress bar; the numbers are written next to it as text."""
    share = min(done / total, 1.0) if total else 0.0
    return Markup(  # noqa: S704  # numbers of our own
        '<svg class="progress" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rest" width="1000" height="12"/>'
        f'<rect class="bar" width="{1000 * share:.0f}" height="12"/></svg>'
    )


def shade(low: float, high: float) -> str:
    """Return the CSS class of a cell that shows a share from 0 to 1 with this interval: of the value in it that is nearest to one half."""
    return f"share{round(min(max(low, 0.5), high) * (SHADES - 1))}"


@pass_context
def _script(context: Context, name: str) -> Markup:
    return script_tags(name, context["settings"])


def _make_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_WEB / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "segment": lambda text: quote(str(text), safe=""),
        "likelihood": likelihood,
        "percent": lambda share, digits=1: percent(share, digits),
        "when": lambda moment: moment.strftime("%Y-%m-%d %H:%M") if isinstance(moment, datetime) else str(moment),
        "iso": lambda moment: moment.isoformat(timespec="seconds"),
        "signed": lambda value: signed(value, 2),
        "detail": lambda text: short(without_folders(str(text)), _LONGEST_DETAIL),
        "short": lambda text: str(text)[:8],
        "duration": duration,
        "figure": figure,
        "game_title": game_title,
        "ending_phrase": ending_phrase,
        "format_title": format_title,
        "ordinal": ordinal,
        "order_about": order_about,
        "query": query,
        "with_decisions": with_decisions,
    }
    environment.globals |= {
        "interval_bar": interval_bar,
        "progress_bar": progress_bar,
        "shade": shade,
        "SHADES": SHADES,
        "static": static_address,
        "script": _script,
        "places_line": places_line,
        "ranked": ranked,
        "ties_line": ties_line,
        "rules_address": rules_address,
        "format_of": format_of,
        "schedule_of": lambda tournament: _schedule_in(tournament.spec),
        "format_words": format_words,
        "seat_colors": [color.name.replace(" ", "-") for color in SEAT_COLORS],
    }
    return environment


def without_folders(text: str) -> str:
    """Return the text without the folders of absolute paths, which only the host should see."""
    return _FOLDERS.sub("", text)


def with_decisions(sentence: str, address: str) -> Markup:
    """Return a sentence about a match, with its decision numbers as links into the replay at ``address``."""
    return Markup(_DECISION.sub(rf'<a href="{escape(address)}#d=\1">\g<0></a>', str(escape(sentence))))  # noqa: S704  # escaped here


def ranked(match: StoredMatch) -> list[tuple[int, SeatResult]]:
    """Return the seats of a match with their numbers, best first."""
    return sorted(enumerate(match.seats), key=lambda each: (each[1].rank, each[0]))


def query(values: Mapping[str, object]) -> str:
    """Return a query string with its question mark; None values are left out."""
    given = {key: value for key, value in values.items() if value is not None}
    return "?" + urlencode(given) if given else ""


def duration(seconds: float | None) -> str:
    """Return a duration in a suitable unit."""
    if seconds is None:
        return "\N{EN DASH}"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 2 * _MINUTE:
        return f"{seconds:.3g} s"
    minutes = round(seconds / _MINUTE)
    return f"{minutes} min" if minutes < 2 * _MINUTE else f"{minutes // _MINUTE} h {minutes % _MINUTE} min"


def rules_address(game: str, root: str) -> str:
    """Return the address of a game's rules below the prefix ``root``, or an empty string if the game is not installed."""
    name = game.partition(":")[0]
    return f"{root}/rules/{quote(name, safe='')}" if name in game_names() else ""


_ENVIRONMENT: Final = _make_environment()


def compile_templates() -> None:
    """Compile every template, so that the first page of each kind is as fast as later ones."""
    for name in _ENVIRONMENT.list_templates():
        _ENVIRONMENT.get_template(name)


def page(template: str, *, root: str = "", **values: object) -> str:
    """Return a page's HTML. ``values`` must include every value that the template uses; all links to pages begin with ``root``."""
    return _ENVIRONMENT.get_template(template).render(values, root=root)


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: object
) -> HTMLResponse:
    """Return the response to a request for a page."""
    return HTMLResponse(_body(request, template, values), status, headers)


def _body(request: Request, template: str, values: Mapping[str, object]) -> bytes:
    settings: WebSettings = request.app.state.settings
    return page(template, root=settings.prefix, settings=settings, path=inner_path(request.scope), **values).encode()


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A page that is the same for many visitors: its ETag, and its body, plain and compressed with gzip."""

    tag: str
    body: bytes
    packed: bytes


def prepare(request: Request, template: str, **values: object) -> PreparedPage:
    """Render a page once, to be sent to many visitors."""
    body = _body(request, template, values)
    return PreparedPage(tag_of(body), body, gzip.compress(body, 6, mtime=0))


def answer(request: Request, sent: PreparedPage) -> Response:
    """Return a response with a prepared page, or with status 304 if the browser already has it."""
    if (short := unchanged(request, sent.tag)) is not None:
        return short
    if "gzip" in request.headers.get("accept-encoding", ""):
        return with_tag(HTMLResponse(sent.packed, headers={"content-encoding": "gzip", "vary": "accept-encoding"}), sent.tag)
    return with_tag(HTMLResponse(sent.body), sent.tag)


def show(request: Request, template: str, **values: object) -> Response:
    """Return a response with a page rendered for this request, or with status 304 if the browser already has it."""
    body = _body(request, template, values)
    tag = tag_of(body)
    return unchanged(request, tag) or with_tag(HTMLResponse(body), tag)


def tag_of(body: bytes) -> str:
    """Return the ETag of a page."""
    return f'W/"{blake2b(body, digest_size=12).hexdigest()}"'


def unchanged(request: Request, tag: str) -> Response | None:
    """Return a response with status 304 if the browser already has the page with this ETag, else None."""
    known = {each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")}
    return with_tag(Response(status_code=304), tag) if tag.removeprefix("W/") in known else None


def with_tag(answer: Response, tag: str) -> Response:
    """Return the response with an ETag added; browsers may cache it, but must revalidate it."""
    answer.headers["etag"] = tag
    answer.headers["cache-control"] = "no-cache"
    return answer
