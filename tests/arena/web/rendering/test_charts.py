"""Charts are well-formed, stay within their picture and say in words what they show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from arena.web.rendering import charts
from arena.web.rendering.charts import Curve, multiples


def parsed(markup: Markup) -> ElementTree.Element:
    return ElementTree.fromstring(str(markup))  # noqa: S314  # our own


def points_of(picture: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for element in picture.iter() for x, y in (pair.split(",") for pair in element.get("points", "").split())]


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0], [-3.0, 30.0, 2.5], [-90.0, 90.0]])
def test_a_sparkline_stays_within_its_picture(values: list[float]) -> None:
    picture = parsed(charts.sparkline(values, -3, 30))

    assert picture.get("aria-label") == f"from {values[0]:.1f} to {values[-1]:.1f}"
    assert len(points_of(picture)) == len(values)
    assert all(0 <= x <= charts.SPARK[0] and 0 <= y <= charts.SPARK[1] for x, y in points_of(picture))


def test_a_higher_value_is_drawn_higher() -> None:
    (_, low), (_, high) = points_of(parsed(charts.sparkline([1, 2], 0, 3)))

    assert high < low


def test_each_of_several_curves_has_a_chart_with_its_name_and_all_have_one_scale() -> None:
    numbers = tuple(range(1, 31))
    curves = [Curve(f'<"&{bot}', numbers, tuple(20 + bot - 20 / at for at in numbers)) for bot in range(12)]

    picture = parsed(Markup("<div>{}</div>").format(multiples(curves, label="all")))

    lines = {kind: [each.get("points") for each in picture.iter("polyline") if each.get("class") == kind] for kind in ("line", "pale")}
    assert [each.text for each in picture.iter("bdi")] == [curve.bot for curve in curves]
    assert lines["line"] == lines["pale"]
    assert len(set(lines["line"])) == len(curves)


@pytest.mark.parametrize(("numbers", "mu"), [([1], [25.0]), ([1, 2, 300], [25.0, 24.0, 40.0]), ([5, 6], [0.0, 0.0])])
def test_a_history_stays_within_its_picture(numbers: list[int], mu: list[float]) -> None:
    picture = parsed(charts.history(numbers, mu, [8.0] * len(mu), label="rating"))

    assert all(0 <= x <= charts.HISTORY[0] and 0 <= y <= charts.HISTORY[1] for x, y in points_of(picture))


def test_nothing_to_draw_is_nothing() -> None:
    assert charts.sparkline([], 0, 1) == charts.history([], [], [], label="") == multiples([], label="") == ""


@pytest.mark.parametrize(("share", "shade"), [(0, "share0"), (0.5, "share4"), (1, "share8"), (0.94, "share8")])
def test_shades_go_from_lost_to_won(share: float, shade: str) -> None:
    assert charts.shade(share) == shade


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.7, 44.2), (1, 160), (5, 5), (1000, 2100)])
def test_ticks_are_few_and_within(low: float, high: float) -> None:
    found = charts.ticks(low, high, 5)

    assert 1 <= len(found) <= 7
    assert found == sorted(found)
    assert len(found) == 1 or all(low <= each <= high for each in found)
