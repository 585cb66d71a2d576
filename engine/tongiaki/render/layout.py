"""The geometry of a drawn tile: where its beaches, berths, piers and foam routes are.

A tile is a flat-topped hexagon around (0, 0) with corners at distance 100; x grows to the right, y downwards. Angles are degrees clockwise
from north, so side ``s`` of a tile that lies with orientation ``o`` faces the angle ``60 * (o + s)``.
"""

from __future__ import annotations

from math import cos, hypot, radians, sin, sqrt
from typing import Final, NamedTuple, TypeAlias

from engine.tongiaki.board.tiles import ISLANDS, WATERS, Beach, Water

Point: TypeAlias = tuple[float, float]

RADIUS: Final = 100.0
APOTHEM: Final = RADIUS * sqrt(3) / 2
BERTH_RING: Final = 59.0
SPACING: Final = 18.0
"""The least angle between two berths of a beach, so that a hull fits in."""
WIDEST: Final = 26.0


class BeachArc(NamedTuple):
    """A beach on the unturned tile: where its sand begins and ends, and its berths, in degrees."""

    start: float
    end: float
    berths: tuple[float, ...]
    piers: tuple[int, ...]


class RouteCurve(NamedTuple):
    """A foam route on the unturned water: a cubic curve from its first side to its second, and where its badge goes."""

    curve: tuple[Point, Point, Point, Point]
    badge: Point
    colors: int
    sides: tuple[int, int]


def center(q: int, r: int) -> Point:
    """Return the centre of the cell (RULES 1)."""
    return 1.5 * RADIUS * q, sqrt(3) * RADIUS * (r + q / 2)


def polar(angle: float, distance: float) -> Point:
    """Return the point at that distance in that direction."""
    return distance * sin(radians(angle)), -distance * cos(radians(angle))


def turn(point: Point, angle: float) -> Point:
    """Return the point turned clockwise about the centre of the tile."""
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
    """Return the arc of a beach: from its first pier to its last, or longer if its berths need more room."""
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
    """Return the point nearest to the middle of the curve that is clear of the other curves and of the badges placed so far."""
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
"""By island and beach."""
ROUTE_CURVES: Final[tuple[tuple[RouteCurve, ...], ...]] = tuple(_route_curves(water) for water in WATERS)
"""By water, W01 first."""
