"""The story of an analysed match: pictures that are SVG documents around the move, and bars that say what their words say."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree as Tree

import pytest

from arena.analysis.analyser import Settings, analyse
from arena.web.viewer.story import Story, story_of
from tests.arena.web.replays import timeline_of_vector

SVG = "{http://www.w3.org/2000/svg}"


@cache
def told(name: str) -> Story:
    timeline = timeline_of_vector(name)
    looked = iter(range(10_000))
    searched = 2 * len(timeline.replay.decisions) + 4
    return story_of(timeline, analyse(timeline.replay, "", Settings(is_over=lambda: next(looked) >= searched)))


@pytest.mark.parametrize("name", ["tongiaki/r2-323", "sunda/turns-L4-3p-18", "sunda/solo-L0-1p-31"])
def test_each_key_moment_has_a_picture_of_its_own(name: str) -> None:
    cards = told(name).cards

    assert 0 < len(cards) <= 3
    for card in cards:
        picture = Tree.fromstring(card.picture)  # noqa: S314  # our own
        assert picture.tag == f"{SVG}svg"
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        assert width / height == pytest.approx(4 / 3, rel=0.01)
        assert card.address.startswith("data:image/svg+xml;base64,")
        assert card.words
    assert len({card.picture for card in cards}) == len(cards)


@pytest.mark.parametrize("name", ["tongiaki/r2-323", "sunda/turns-L4-3p-18"])
def test_a_bar_has_what_its_words_say_to_the_left_and_to_the_right_of_the_middle(name: str) -> None:
    scale = None
    for bar in told(name).bars:
        own, luck = (float(part.split()[1]) for part in bar.words.split(", "))
        for (kind, x, width), figure in zip(bar.rectangles, (own, luck), strict=True):
            assert kind in {"own", "luck"}
            assert 0 <= x <= x + width <= 200.1
            assert (x >= 100) == (figure >= 0) or width < 1
            if abs(figure) > 20:
                assert scale is None or width / abs(figure) == pytest.approx(scale, rel=0.05)
                scale = width / abs(figure)


def test_the_parts_of_the_sum_and_the_worst_decisions_are_folded_away_with_it() -> None:
    story = told("tongiaki/r2-323")

    assert [title for title, _ in story.rows][-2:] == ["= result", "given away a decision, so far"]
    assert all(len(figures) == len(story.names) for _, figures in story.rows)
    assert story.losses
