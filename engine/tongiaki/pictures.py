"""One tile of Tongiaki as SVG: islands with beaches, berths, piers and ships, waters with foam routes. It knows no board.

Every picture is a ``<g>`` around the tile's middle; what turns with the tile is in an inner group, what must stay upright is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.palette import SEAT_COLORS
from engine.svg import move_to, number, stroke, text
from engine.tongiaki.layout import APOTHEM, BEACH_ARCS, BERTH_RING, RADIUS, ROUTE_CURVES, Point, polar, turn
from engine.tongiaki.tiles import ISLANDS, N_ISLANDS, NAMES

INK: Final = "#10293b"
SAND: Final = "#f3dfae"
GOLD: Final = "#ffc93c"
COMPASS: Final = ("north", "north-east", "south-east", "south", "south-west", "north-west")

_CORNERS: Final = " ".join(f"{x:.1f},{y:.1f}" for x, y in (polar(30 + 60 * corner, RADIUS) for corner in range(6)))
HEX: Final = f'<polygon points="{_CORNERS}"'
_COAST: Final = (67, 63, 66, 62, 67, 64, 61, 66, 63, 67, 62, 65, 66, 61, 64, 67, 62, 66)
_HILLS: Final = (45, 42, 47, 43, 41, 46, 44, 40, 46, 43, 47, 42)


def _sea(name: str, light: str, dark: str) -> str:
    stops = f'<stop offset="0" stop-color="{light}"/><stop offset="1" stop-color="{dark}"/>'
    return f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">{stops}</linearGradient>'


_WOOD: Final = stroke("#4a2d12", 1.4)
_FRONDS: Final = "M1 -4Q-9 -12 -14 -2Q-7 -7 1 -4Q-3 -15 -10 -15Q-2 -12 1 -4Q4 -16 12 -14Q5 -11 1 -4Q11 -11 15 -1Q8 -6 1 -4Z"
_HULL: Final = "M0 -15.5C6.5 -9 8.4 -4 8.4 2C8.4 8 5.5 11.5 0 14C-5.5 11.5 -8.4 8 -8.4 2C-8.4 -4 -6.5 -9 0 -15.5Z"
_FACE: Final = "M-19 -24Q0 -34 19 -24Q24 0 12 20Q0 32 -12 20Q-24 0 -19 -24Z"
_EYES: Final = "M-13 -9Q-7 -16 -3 -8Q-8 -3 -13 -9ZM13 -9Q7 -16 3 -8Q8 -3 13 -9Z"
_BROWS: Final = "M-16 -18Q-8 -24 -2 -16M16 -18Q8 -24 2 -16M0 -14V2M-4 3H4"

DEFS: Final = f"""<defs>
{_sea("tg-sea", "#3ba3c4", "#2484ac")}
{_sea("tg-deep", "#2778a6", "#1a5f8c")}
<circle id="tg-berth" r="6.2" fill="#fff" fill-opacity=".75" {stroke("#a07f45", 1.6)}/>
<g id="tg-pier" {_WOOD}><path d="M-5 -58V-86H5V-58Z" fill="#8a5a2b"/><path d="M-5 -65H5M-5 -71H5M-5 -77H5M-5 -82H5"/></g>
<path id="tg-crest" d="M-13 -84.5H13L8 -74L4 -78L0 -71L-4 -78L-8 -74Z" fill="#d7263d" {stroke("#5e0b16", 1.6)}/>
<path id="tg-hull" d="{_HULL}" {stroke(INK, 1.8)}/>
<g id="tg-palm"><path d="M0 14Q3 4 1 -4" fill="none" {stroke("#7a4f24", 3)}/><path d="{_FRONDS}" fill="#1f6b35" stroke="#0f4420"/></g>
<g id="tg-mask"><path d="{_FACE}" {stroke(INK, 2.4)}/><path d="{_EYES}" fill="#fff" {stroke(INK, 1.6)}/>
<path d="{_BROWS}" fill="none" {stroke(INK, 2.2)}/><g fill="{INK}"><circle cx="-8" cy="-9" r="2"/><circle cx="8" cy="-9" r="2"/></g></g>
</defs>
"""


def _blob(radii: Sequence[float]) -> str:
    """A closed soft-edged shape around the middle whose edge keeps those distances."""
    step = 360 / len(radii)
    points = [polar(step * index, radius) for index, radius in enumerate(radii)]
    middles = [((x + a) / 2, (y + b) / 2) for (x, y), (a, b) in zip(points, [*points[1:], points[0]], strict=True)]
    path = "".join(
        f"Q{number(x)} {number(y)} {number(a)} {number(b)}"
        for (x, y), (a, b) in zip([*points[1:], points[0]], [*middles[1:], middles[0]], strict=True)
    )
    return f"M{number(middles[0][0])} {number(middles[0][1])}{path}Z"


_LAND: Final = f'<path d="{_blob(_COAST)}" fill="#6f8f4e" stroke="#d7eef0" stroke-width="5" stroke-opacity=".55"/>'
_HILL: Final = f'<path d="{_blob(_HILLS)}" fill="#8db55f"/>'


def ship(seat: int, at: Point, angle: float = 0, *, fresh: bool = False) -> str:
    """A ship of the seat with its bow in that direction; a fresh one is ringed. The size of its number is the caller's ``font-size``."""
    color = SEAT_COLORS[seat]
    x, y = number(at[0]), number(at[1])
    ring = f'<circle class="new" cx="{x}" cy="{y}" r="16" fill="#fff" {stroke(GOLD, 4)}/>' if fresh else ""
    hull = f'<use href="#tg-hull" fill="{color.hex}" {move_to(at, angle)}/>'
    return f'{ring}<g class="ship" data-seat="{seat}">{hull}<text x="{x}" y="{number(at[1] + 4.6)}" fill="{color.ink}">{seat}</text></g>'


def mask(seat: int, at: Point, scale: float = 1) -> str:
    """The royal mask of a seat."""
    color = SEAT_COLORS[seat]
    face = f'<use href="#tg-mask" fill="{color.hex}"/>{text(str(seat), (0, 16.5), 15, color.ink)}'
    return f'<g class="royal" data-seat="{seat}" {move_to(at, scale=scale)}>{face}</g>'


def badge(colors: int, at: Point) -> str:
    """The number of a foam route: how many colours a group needs."""
    return (
        f'<g class="colors" {move_to(at)}><circle r="13" fill="{INK}" {stroke("#eaf8ff", 2)}/>{text(str(colors), (0, 6), 17, "#fff")}</g>'
    )


def island_picture(
    island: int, orientation: int, beaches: Sequence[Sequence[int]], *, royal: int = -1, fresh: Sequence[tuple[int, int]] = ()
) -> str:
    """An island.

    ``beaches`` has the seats of the ships on each beach; ``fresh`` a pair (beach of the island, seat) for each ship just put there.
    """
    arcs = BEACH_ARCS[island]
    piers = "".join(
        f'<use href="#tg-pier" class="pier" data-beach="{beach}" transform="rotate({60 * side})"/>'
        for beach, arc in enumerate(arcs)
        for side in arc.piers
    )
    sands = "".join(_sand(arc.start, arc.end, full=len(ships) == len(arc.berths)) for arc, ships in zip(arcs, beaches, strict=True))
    crest = "" if ISLANDS[island].points == 0 else '<use href="#tg-crest"/>'
    turned = f'<g transform="rotate({60 * orientation})">{_LAND}{piers}<g fill="none" stroke-linecap="round">{sands}</g>{_HILL}{crest}</g>'
    middle = mask(royal, (0, -8)) if royal >= 0 else '<use href="#tg-palm" transform="translate(0 -26)"/>'
    ashore = "" if royal >= 0 else _ships_ashore(island, orientation, beaches, fresh)
    return f'{HEX} fill="url(#tg-sea)"/>{turned}{middle}{_name_and_points(island, royal >= 0)}{ashore}'


def _sand(start: float, end: float, *, full: bool) -> str:
    """A beach: a sandy arc, with a darker rim when it is full."""
    (x, y), (a, b) = polar(start, BERTH_RING), polar(end, BERTH_RING)
    arc = f"M{number(x)} {number(y)}A{BERTH_RING:g} {BERTH_RING:g} 0 0 1 {number(a)} {number(b)}"
    rim, rim_width, sand = ("#b3261e", 27, "#f5b48c") if full else ("#b08d4f", 24, SAND)
    return f'<path d="{arc}" {stroke(rim, rim_width)}/><path d="{arc}" {stroke(sand, 20.5)}/>'


def _ships_ashore(island: int, orientation: int, beaches: Sequence[Sequence[int]], fresh: Sequence[tuple[int, int]]) -> str:
    """The berths of an island, free or with a ship whose bow points to the sea; these stay upright, so they are turned here."""
    shown = []
    for beach, (arc, seats) in enumerate(zip(BEACH_ARCS[island], beaches, strict=True)):
        marks = [seat for number_of, seat in fresh if number_of == beach]
        for index, angle in enumerate(arc.berths):
            at = turn(polar(angle, BERTH_RING), 60 * orientation)
            if index >= len(seats):
                shown.append(f'<use href="#tg-berth" class="berth" {move_to(at)}/>')
                continue
            is_fresh = seats[index] in marks and seats[index + 1 :].count(seats[index]) < marks.count(seats[index])
            shown.append(ship(seats[index], at, 60 * orientation + angle, fresh=is_fresh))
    return f'<g font-size="13">{"".join(shown)}</g>'


def _name_and_points(island: int, royal: bool) -> str:
    """The name with a bright rim, and the points on a coin; both make room for a royal mask."""
    name = NAMES[island].replace("_", " ")
    size, y, coin_at = (14, 42, (29, 17)) if royal else (16, 4, (0, 23))
    points = text(str(ISLANDS[island].points), (0, 6.2), 17, INK)
    coin = f'<g class="points" {move_to(coin_at)}><circle r="12" fill="#fffbe6" {stroke(INK, 1.6)}/>{points}</g>'
    return text(name, (0, y), size, INK, stroke("#f4f9e4", 3.5, 'paint-order="stroke"')) + coin


def water_picture(water: int, orientation: int, stranded: Sequence[int]) -> str:
    """A water (a tile's number) with its three foam routes, and the seats of the ships that stay on it."""
    curves = ROUTE_CURVES[water - N_ISLANDS]
    routes = []
    for route in curves:
        one, two, three, four = (f"{number(x)} {number(y)}" for x, y in route.curve)
        curve = f'd="M{one}C{two} {three} {four}"'
        lines = [stroke("#1f6d9b", 22), stroke("#bfe6f2", 14, 'stroke-opacity=".55"'), stroke("#fff", 7)]
        foam = "".join(f"<path {curve} {line}/>" for line in lines)
        routes.append(f'<g class="route" data-sides="{route.sides[0]}-{route.sides[1]}">{foam}</g>')
    badges = [badge(route.colors, turn(route.badge, 60 * orientation)) for route in curves if route.colors > 1]
    name = text(NAMES[water], (-74, 4), 12, "#cfe8f5")
    ships = [ship(seat, (17 * (index - (len(stranded) - 1) / 2), -APOTHEM * 0.62)) for index, seat in enumerate(stranded)]
    turned = f'<g fill="none" transform="rotate({60 * orientation})">{"".join(routes)}<use href="#tg-crest"/></g>'
    return f'{HEX} fill="url(#tg-deep)"/>{turned}{name}{"".join(badges)}<g font-size="13">{"".join(ships)}</g>'
