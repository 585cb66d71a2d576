"""Small boards: the engine's drawing of a position, without words and with fewer decimals."""

from __future__ import annotations

import re
from base64 import b64encode
from math import ceil, log10
from typing import Final
from xml.etree import ElementTree as Tree

from engine.core import State
from engine.render import drawing
from engine.render.scene import Box, Scene, Sheet

RATIO: Final = 4 / 3
"""The ratio of width to height of every picture, so that all cards in a row have the same shape."""
WIDTH: Final = 480
"""The width in pixels. Details that would be invisible at this width are left out."""
_MARGIN: Final = 0.03
_SVG: Final = "http://www.w3.org/2000/svg"
_WORDS: Final = frozenset({"title", "desc", "text"})
_EXACT: Final = frozenset({"linearGradient", "radialGradient", "stop"})
_PLACES: Final = ("d", "points", "x", "y", "cx", "cy", "r", "rx", "ry", "width", "height")
_UNSEEN: Final = re.compile(r"class|role|(data|aria)-.*")
_FRACTION: Final = re.compile(r"-?[0-9]*\.[0-9]+")
_RELATIVE: Final = re.compile(r"[a-y]")
_MOVE: Final = re.compile(r"translate\(([^)]*)\)")
_SCALE: Final = re.compile(r"scale\(([0-9.]+)\)")
_FAINT: Final = 0.25
"""A line with less ink than this share of a pixel is left out."""


def small_board(state: State) -> str:
    """Return the position as an SVG document of a few kilobytes, in the ratio 4:3, with the game's background for light and dark pages."""
    scene = drawing.scene(state)
    return _document(scene.drawn(), drawing.drawer(state).sheet, _framed(*scene.box), has_words=False)


def picture_address(picture: str) -> str:
    """Return an SVG document as a ``data:`` URL."""
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def detail_of_board(scene: Scene, sheet: Sheet, part: Box, over: str) -> str:
    """Return a part of a board as an SVG document in the ratio 4:3, with its words, and with the markup ``over`` drawn on top."""
    return _document(scene.drawn() + over, sheet, _framed(*part), has_words=True)


def _document(drawn: str, sheet: Sheet, part: tuple[float, float, float, float], *, has_words: bool) -> str:
    board = Tree.fromstring(f'<g stroke-linejoin="round">{sheet.defs}{drawn}</g>')  # noqa: S314  # the engine's own drawing
    if not has_words and any(each.tag not in {"g", "defs", *_WORDS} for each in board.iter()):
        _drop_words(board)
    x, y, width, height = part
    grain = width / WIDTH
    _tidy(board, grain)
    body = Tree.tostring(board, encoding="unicode").replace('" />', '"/>')
    night = f"<style>@media(prefers-color-scheme:dark){{#t{{fill:{sheet.dark}}}}}</style>" if sheet.dark else ""
    area = f'x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}"'
    letters = 'font-family="sans-serif" font-weight="700" text-anchor="middle"'
    return (
        f'<svg xmlns="{_SVG}" viewBox="{x:.4g} {y:.4g} {width:.4g} {height:.4g}" width="{WIDTH}" height="{WIDTH / RATIO:.0f}" {letters}>'
        f'{night}<rect id="t" {area} fill="{sheet.table}"/>{body}</svg>'
    )


def hidden_board() -> str:
    """Return the picture shown instead of a board that can't be shown: backs of tiles."""
    tile = '<path id="a" d="M20 0L10 17.3H-10L-20 0L-10 -17.3H10Z" fill="#8294a6" fill-opacity=".35" stroke="#8294a6" stroke-width="2"/>'
    places = [(0, 0), (33, 19), (33, -19), (-33, 19), (-33, -19), (0, 38), (0, -38)]
    uses = "".join(f'<use href="#a" x="{x}" y="{y}"/>' for x, y in places)
    return f'<svg xmlns="{_SVG}" viewBox="-96 -72 192 144" width="{WIDTH}" height="{WIDTH / RATIO:.0f}"><defs>{tile}</defs>{uses}</svg>'


def _framed(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    """Return the box with a margin, widened to the ratio of all pictures."""
    wide, high = width * (1 + 2 * _MARGIN), height * (1 + 2 * _MARGIN)
    wide, high = max(wide, high * RATIO), max(high, wide / RATIO)
    return x - (wide - width) / 2, y - (high - height) / 2, wide, high


def _drop_words(element: Tree.Element) -> None:
    for child in list(element):
        if child.tag in _WORDS:
            element.remove(child)
        else:
            _drop_words(child)


def _tidy(element: Tree.Element, grain: float) -> None:
    """Round coordinates to visible precision, where a pixel is ``grain`` wide, and drop everything that pictures don't need."""
    if element.tag in _EXACT:
        return
    for name in [each for each in element.attrib if _UNSEEN.fullmatch(each)]:
        del element.attrib[name]
    if element.tag == "defs":
        grain /= 10  # shapes defined here may be drawn larger
    decimals = max(0, ceil(-log10(grain)))
    if move := element.get("transform"):
        element.set("transform", _MOVE.sub(lambda found: f"translate({_rounded(found[1], decimals)})", move))
        if scaled := _SCALE.search(move):
            grain /= max(float(scaled[1]), 1e-6)
            decimals = max(0, ceil(-log10(grain)))
    for name in _PLACES:
        if value := element.get(name):
            short = _rounded(value, decimals + (name == "d" and _RELATIVE.search(value) is not None))
            element.set(name, short.replace(" -", "-") if name == "d" else short)
    if element.tag != "text":
        element.text = None
    element.tail = None
    for child in list(element):
        _tidy(child, grain)
        if child.tag == "g" and (not len(child) or _is_faint(child, grain)):
            element.remove(child)
    _merge_paths(element)


def _is_faint(group: Tree.Element, grain: float) -> bool:
    """Whether a group has only lines that are too thin and pale to be seen."""
    is_empty = group.get("fill") == "none" or group.get("fill-opacity") == "0"
    ink = float(group.get("stroke-width", "inf")) * float(group.get("stroke-opacity", "1"))
    return is_empty and ink < _FAINT * grain and all(set(each.attrib) <= {"d"} for each in group)


def _merge_paths(element: Tree.Element) -> None:
    """Merge neighbours with the same style into one path, unless they are translucent."""
    before: Tree.Element | None = None
    for child in list(element):
        if child.tag != "path" or any(name in child.attrib for name in ("id", "transform", "opacity", "fill-opacity", "stroke-opacity")):
            before = None
            continue
        if before is not None and child.get("d", "").startswith("M") and _look(child) == _look(before):
            before.set("d", before.get("d", "") + child.get("d", ""))
            element.remove(child)
        else:
            before = child


def _look(path: Tree.Element) -> dict[str, str]:
    return {name: value for name, value in path.attrib.items() if name != "d"}


def _rounded(values: str, decimals: int) -> str:
    def shorter(found: re.Match[str]) -> str:
        text = f"{float(found[0]):.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text in {"-0", ""} else text

    return _FRACTION.sub(shorter, values)
