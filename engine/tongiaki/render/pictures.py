"""The tiles of Tongiaki as SVG: islands with beaches, berths, piers and ships, and waters with foam routes.

A tile is a flat-topped hexagon centred on (0, 0) with corners at distance 100; x grows to the right and y grows downwards. Angles are
degrees clockwise from north, so side ``s`` of a tile with orientation ``o`` faces the angle ``60 * (o + s)``. Parts that turn with the tile
are in an inner group; parts that stay upright are outside it. Tiles consist of pieces, so that a page need not redraw an island for each
ship that lands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import cos, hypot, radians, sin, sqrt
from typing import Final, NamedTuple, TypeAlias

from engine.render.palette import SEAT_COLORS
from engine.render.scene import Box, Scene
from engine.render.svg import move_to, number, stroke, text
from engine.tongiaki.board.tiles import ISLANDS, N_ISLANDS, NAMES, WATERS, Beach, Water

Point: TypeAlias = tuple[float, float]

RADIUS: Final = 100.0
APOTHEM: Final = RADIUS * sqrt(3) / 2
BERTH_RING: Final = 59.0
SPACING: Final = 18.0
"""The minimum angle between two berths of a beach, so that a hull fits in."""
WIDEST: Final = 26.0


class BeachArc(NamedTuple):
    """A beach on an unrotated tile: the angles at which its sand begins and ends and at which its berths lie, in degrees."""

    start: float
    end: float
    berths: tuple[float, ...]
    piers: tuple[int, ...]


class RouteCurve(NamedTuple):
    """A foam route on an unrotated water: a cubic curve from its first side to its second, and the place of its badge."""

    curve: tuple[Point, Point, Point, Point]
    badge: Point
    colors: int
    sides: tuple[int, int]


def center(q: int, r: int) -> Point:
    """Return the centre of the cell (RULES 1)."""
    return 1.5 * RADIUS * q, sqrt(3) * RADIUS * (r + q / 2)


def polar(angle: float, distance: float) -> Point:
    """Return the point at this angle and distance, as seen from the centre of a tile."""
    return distance * sin(radians(angle)), -distance * cos(radians(angle))


def turn(point: Point, angle: float) -> Point:
    """Return the point rotated clockwise about the centre of the tile."""
    x, y = point
    sine, cosine = sin(radians(angle)), cos(radians(angle))
    return x * cosine - y * sine, x * sine + y * cosine


def on_curve(curve: tuple[Point, Point, Point, Point], t: float) -> Point:
    """Return the point of a cubic curve at ``t`` from 0 to 1."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(weight * point[0] for weight, point in zip(weights, curve, strict=True))
    y = sum(weight * point[1] for weight, point in zip(weights, curve, strict=True))
    return x, y


def _beach_arc(beach: Beach) -> BeachArc:
    first, last = 60.0 * beach.piers[0], 60.0 * beach.piers[-1]
    middle, gaps = (first + last) / 2, beach.berths - 1
    spacing = min(max((last - first) / gaps, SPACING), WIDEST)
    berths = tuple(middle + spacing * (berth - gaps / 2) for berth in range(beach.berths))
    return BeachArc(min(first, berths[0]), max(last, berths[-1]), berths, beach.piers)


def route_curve(one: int, other: int) -> tuple[Point, Point, Point, Point]:
    """Return the curve that joins two sides: it leaves both at right angles, and is straighter the farther apart they are."""
    bend = {1: 0.42, 2: 0.3, 3: 0.33}[min((one - other) % 6, (other - one) % 6)]
    return polar(60 * one, APOTHEM), polar(60 * one, bend * APOTHEM), polar(60 * other, bend * APOTHEM), polar(60 * other, APOTHEM)


def _route_curves(water: Water) -> tuple[RouteCurve, ...]:
    curves = [route_curve(*route.sides) for route in water.routes]
    badges: list[Point] = []
    for curve in curves:
        others = [on_curve(other, step / 24) for other in curves if other is not curve for step in range(25)]
        badges.append(_clear_spot(curve, others, badges))
    return tuple(
        RouteCurve(curve, badge, route.colors, route.sides) for curve, badge, route in zip(curves, badges, water.routes, strict=True)
    )


def _clear_spot(curve: tuple[Point, Point, Point, Point], others: list[Point], badges: list[Point]) -> Point:
    """Return a point of the curve that is clear of other curves and of earlier badges, as near to the middle of the curve as possible."""
    spots = [on_curve(curve, 0.5 + sign * step / 50) for step in range(20) for sign in (1, -1)]

    def room(spot: Point) -> float:
        return min(
            min(hypot(spot[0] - x, spot[1] - y) for x, y in others) - 22,
            min((hypot(spot[0] - x, spot[1] - y) for x, y in badges), default=100.0) - 34,
        )

    for spot in spots:
        if room(spot) >= 0:
            return spot
    return max(spots, key=room)


BEACH_ARCS: Final[tuple[tuple[BeachArc, ...], ...]] = tuple(tuple(_beach_arc(beach) for beach in island.beaches) for island in ISLANDS)
"""The arc of each beach, by island and beach."""
ROUTE_CURVES: Final[tuple[tuple[RouteCurve, ...], ...]] = tuple(_route_curves(water) for water in WATERS)
"""The curve of each route, by water (beginning with W01) and route."""

INK: Final = "#10293b"
SAND: Final = "#f3dfae"
GOLD: Final = "#ffc93c"
TABLE: Final = "#0c2f4a"
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


def _blob(radii: Sequence[float]) -> str:
    step = 360 / len(radii)
    points = [polar(step * index, radius) for index, radius in enumerate(radii)]
    middles = [((x + a) / 2, (y + b) / 2) for (x, y), (a, b) in zip(points, [*points[1:], points[0]], strict=True)]
    path = "".join(
        f"Q{number(x)} {number(y)} {number(a)} {number(b)}"
        for (x, y), (a, b) in zip([*points[1:], points[0]], [*middles[1:], middles[0]], strict=True)
    )
    return f"M{number(middles[0][0])} {number(middles[0][1])}{path}Z"


DEFS: Final = f"""<defs>
{_sea("tg-sea", "#3ba3c4", "#2484ac")}
{_sea("tg-deep", "#2778a6", "#1a5f8c")}
<path id="tg-land" d="{_blob(_COAST)}" fill="#6f8f4e" stroke="#d7eef0" stroke-width="5" stroke-opacity=".55"/>
<path id="tg-hill" d="{_blob(_HILLS)}" fill="#8db55f"/>
<circle id="tg-berth" r="6.2" fill="#fff" fill-opacity=".75" {stroke("#a07f45", 1.6)}/>
<g id="tg-pier" {_WOOD}><path d="M-5 -58V-86H5V-58Z" fill="#8a5a2b"/><path d="M-5 -65H5M-5 -71H5M-5 -77H5M-5 -82H5"/></g>
<path id="tg-crest" d="M-13 -84.5H13L8 -74L4 -78L0 -71L-4 -78L-8 -74Z" fill="#d7263d" {stroke("#5e0b16", 1.6)}/>
<path id="tg-hull" d="{_HULL}" {stroke(INK, 1.8)}/>
<g id="tg-palm"><path d="M0 14Q3 4 1 -4" fill="none" {stroke("#7a4f24", 3)}/><path d="{_FRONDS}" fill="#1f6b35" stroke="#0f4420"/></g>
<g id="tg-mask"><path d="{_FACE}" {stroke(INK, 2.4)}/><path d="{_EYES}" fill="#fff" {stroke(INK, 1.6)}/>
<path d="{_BROWS}" fill="none" {stroke(INK, 2.2)}/><g fill="{INK}"><circle cx="-8" cy="-9" r="2"/><circle cx="8" cy="-9" r="2"/></g></g>
</defs>
"""


@cache
def tile_name(tile: int) -> str:
    """Return a tile's name in words."""
    return {"Fidschi": "Fiji"}.get(NAMES[tile], NAMES[tile].replace("_", " "))


def ship(seat: int, at: Point, angle: float = 0) -> str:
    """Return a ship of the seat with its bow at this angle. The SVG group around it must set the ``font-size`` of its number."""
    color = SEAT_COLORS[seat]
    hull = f'<use href="#tg-hull" fill="{color.hex}" {move_to(at, angle)}/>'
    number_on_it = f'<text x="{number(at[0])}" y="{number(at[1] + 4.6)}" fill="{color.ink}">{seat + 1}</text>'
    return f'<g class="ship" data-seat="{seat}">{hull}{number_on_it}</g>'


@cache
def _ring(at: Point) -> str:
    return f'<circle class="new" cx="{number(at[0])}" cy="{number(at[1])}" r="16" fill="#fff" {stroke(GOLD, 4)}/>'


def mask(seat: int, at: Point, scale: float = 1) -> str:
    """Return the royal mask of a seat."""
    color = SEAT_COLORS[seat]
    face = f'<use href="#tg-mask" fill="{color.hex}"/>{text(str(seat + 1), (0, 16.5), 15, color.ink)}'
    return f'<g class="royal" data-seat="{seat}" {move_to(at, scale=scale)}>{face}</g>'


def badge(colors: int, at: Point) -> str:
    """Return the badge of a foam route: how many colours a group needs to cross."""
    return (
        f'<g class="colors" {move_to(at)}><circle r="13" fill="{INK}" {stroke("#eaf8ff", 2)}/>{text(str(colors), (0, 6), 17, "#fff")}</g>'
    )


def add_island(
    scene: Scene, island: int, orientation: int, beaches: Sequence[Sequence[int]], *, royal: int = -1, fresh: Sequence[tuple[int, int]] = ()
) -> None:
    """Add an island's pieces to the scene, in the group whose key is the island's name.

    ``beaches`` holds the seats of the ships on each beach; ``fresh`` holds a pair (beach of the island, seat) for each ship just placed.
    """
    name, arcs = NAMES[island], BEACH_ARCS[island]
    scene.group(f"{name}/turned", f'transform="rotate({60 * orientation})"', parent=name, order=1, inside=_ground(island))
    sands = scene.group(f"{name}/sands", 'fill="none" stroke-linecap="round"', parent=f"{name}/turned")
    for beach, (arc, ships) in enumerate(zip(arcs, beaches, strict=True)):
        scene.add(f"{name}/sand {beach}", _sand(beach, arc.start, arc.end, len(ships) == len(arc.berths)), parent=sands, order=beach)
    scene.add(f"{name}/hill", '<use href="#tg-hill"/>', parent=f"{name}/turned", order=1)
    if ISLANDS[island].points:
        scene.add(f"{name}/crest", '<use href="#tg-crest"/>', parent=f"{name}/turned", order=2)
    scene.add(f"{name}/middle", mask(royal, (0, -8)) if royal >= 0 else _PALM, parent=name, order=2)
    words, coin = _name_and_points(island, royal >= 0)
    scene.add(f"{name}/name", words, parent=name, order=3)
    scene.add(f"{name}/points", coin, parent=name, order=4)
    if royal < 0:
        _add_ships_ashore(scene, island, orientation, beaches, fresh)


_PALM: Final = '<use href="#tg-palm" transform="translate(0 -26)"/>'


@cache
def _ground(island: int) -> str:
    """Return the part of an island that turns with it and never changes: its land and its piers."""
    piers = "".join(
        f'<use href="#tg-pier" class="pier" data-beach="{beach}" data-side="{side}" transform="rotate({60 * side})"/>'
        for beach, arc in enumerate(BEACH_ARCS[island])
        for side in arc.piers
    )
    return f'<use href="#tg-land"/>{piers}'


@cache
def _sand(beach: int, start: float, end: float, full: bool) -> str:  # a cached function has only positional arguments
    (x, y), (a, b) = polar(start, BERTH_RING), polar(end, BERTH_RING)
    arc = f"M{number(x)} {number(y)}A{BERTH_RING:g} {BERTH_RING:g} 0 0 1 {number(a)} {number(b)}"
    rim, rim_width, sand = ("#b3261e", 27, "#f5b48c") if full else ("#b08d4f", 24, SAND)
    return f'<g class="beach" data-beach="{beach}"><path d="{arc}" {stroke(rim, rim_width)}/><path d="{arc}" {stroke(sand, 20.5)}/></g>'


def beach_picture(at: Point, *, full: bool) -> str:
    """Return a short beach, full or with one free berth, for the legend."""
    sand = _sand(0, -8, 8, full)
    berth = "" if full else f'<use href="#tg-berth" {move_to((0, -BERTH_RING))}/>'
    return f'<g fill="none" stroke-linecap="round" {move_to((at[0], at[1] + BERTH_RING))}>{sand}{berth}</g>'


@cache
def _berths(island: int, orientation: int) -> tuple[tuple[tuple[Point, float], ...], ...]:
    """For each beach, return the places of its berths and the direction of a ship's bow there."""
    return tuple(
        tuple((turn(polar(angle, BERTH_RING), 60 * orientation), 60 * orientation + angle) for angle in arc.berths)
        for arc in BEACH_ARCS[island]
    )


def _add_ships_ashore(
    scene: Scene, island: int, orientation: int, beaches: Sequence[Sequence[int]], fresh: Sequence[tuple[int, int]]
) -> None:
    name = NAMES[island]
    ashore = scene.group(f"{name}/ashore", 'font-size="13"', parent=name, order=5)
    for beach, (berths, seats) in enumerate(zip(_berths(island, orientation), beaches, strict=True)):
        marks = [seat for number_of, seat in fresh if number_of == beach]
        for index, (at, angle) in enumerate(berths):
            place, order = f"{beach}.{index}", 10 * beach + index
            if index >= len(seats):
                scene.add(f"{name}/berth {place}", f'<use href="#tg-berth" class="berth" {move_to(at)}/>', parent=ashore, order=order)
                continue
            seat = seats[index]
            if seat in marks and seats[index + 1 :].count(seat) < marks.count(seat):
                scene.add(f"{name}/new {place}", _ring(at), parent=ashore, order=order - 0.5)
            scene.add(f"{name}/berth {place}", ship(seat, at, angle), parent=ashore, order=order)


@cache
def _name_and_points(island: int, royal: bool) -> tuple[str, str]:  # a cached function has only positional arguments
    name = tile_name(island)
    size, y, coin_at = (14, 42, (29, 17)) if royal else (16, 4, (0, 23))
    points = text(str(ISLANDS[island].points), (0, 6.2), 17, INK)
    coin = f'<g class="points" {move_to(coin_at)}><circle r="12" fill="#fffbe6" {stroke(INK, 1.6)}/>{points}</g>'
    return text(name, (0, y), size, INK, stroke("#f4f9e4", 3.5, 'paint-order="stroke"')), coin


@cache
def foam(water: int, orientation: int) -> str:
    """Return the picture of a water, given the number of its tile: three foam routes with their badges, and its name."""
    curves = ROUTE_CURVES[water - N_ISLANDS]
    routes = []
    for route in curves:
        one, two, three, four = (f"{number(x)} {number(y)}" for x, y in route.curve)
        curve = f'd="M{one}C{two} {three} {four}"'
        lines = [stroke("#1f6d9b", 22), stroke("#bfe6f2", 14, 'stroke-opacity=".55"'), stroke("#fff", 7)]
        routes.append(
            f'<g class="route" data-sides="{route.sides[0]}-{route.sides[1]}">{"".join(f"<path {curve} {line}/>" for line in lines)}</g>'
        )
    badges = [badge(route.colors, turn(route.badge, 60 * orientation)) for route in curves if route.colors > 1]
    name = text(NAMES[water], (-74, 4), 12, "#cfe8f5")
    return f'<g fill="none" transform="rotate({60 * orientation})">{"".join(routes)}<use href="#tg-crest"/></g>{name}{"".join(badges)}'


def stranded_ships(seats: Sequence[int]) -> str:
    """Return the ships that stay on a water."""
    ships = [ship(seat, (17 * (index - (len(seats) - 1) / 2), -APOTHEM * 0.62)) for index, seat in enumerate(seats)]
    return f'<g font-size="13">{"".join(ships)}</g>'


@cache
def tile_picture(tile: int) -> str:
    """Return a single tile, unrotated and without ships."""
    name = NAMES[tile]
    if tile >= N_ISLANDS:
        return f"{SEA_OF_WATER}{foam(tile, 0)}"
    scene = Scene(TILE_BOX)
    scene.group(name, 'class="tile"', inside=SEA_OF_ISLAND)
    add_island(scene, tile, 0, [()] * len(BEACH_ARCS[tile]))
    return scene.drawn()


SEA_OF_ISLAND: Final = f'{HEX} fill="url(#tg-sea)"/>'
SEA_OF_WATER: Final = f'{HEX} fill="url(#tg-deep)"/>'
TILE_BOX: Final = Box(-RADIUS - 3, -APOTHEM - 3, 2 * RADIUS + 6, 2 * APOTHEM + 6)
"""The part of the plane that shows a single tile."""
