"""Charts are well-formed, stay within their picture and say in words what they show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from arena.web.rendering import charts


def parsed(markup: Markup) -> ElementTree.Element:
    return ElementTree.fromstring(str(markup))  # noqa: S314  # our own


def points_of(picture: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for element in picture.iter() for x, y in (pair.split(",") for pair in element.get("points", "").split())]


@pytest.mark.parametrize(("numbers", "mu"), [([1], [25.0]), ([1, 2, 300], [25.0, 24.0, 40.0]), ([5, 6], [0.0, 0.0])])
def test_a_band_stays_within_its_picture(numbers: list[int], mu: list[float]) -> None:
    picture = parsed(charts.band(numbers, mu, [each - 8 for each in mu], [each + 8 for each in mu], label="rating"))

    assert all(0 <= x <= charts.HISTORY[0] and 0 <= y <= charts.HISTORY[1] for x, y in points_of(picture))


def test_nothing_to_draw_is_nothing() -> None:
    assert charts.band([], [], [], [], label="") == ""


@pytest.mark.parametrize(("share", "shade"), [(0, "share0"), (0.5, "share4"), (1, "share8"), (0.94, "share8")])
def test_shades_go_from_lost_to_won(share: float, shade: str) -> None:
    assert charts.shade(share) == shade


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.7, 44.2), (1, 160), (5, 5), (1000, 2100)])
def test_ticks_are_few_and_within(low: float, high: float) -> None:
    found = charts.ticks(low, high, 5)

    assert 1 <= len(found) <= 7
    assert found == sorted(found)
    assert len(found) == 1 or all(low <= each <= high for each in found)
