"""Pictures are written, carry their words, and come out the same every time."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from leaderboard.statistics.bradley_terry import Strength, strengths
from leaderboard.statistics.columns import RatingHistory
from leaderboard.statistics.plots import draw, head_to_head_plot, history_plot, seats_plot, short, standings_plot
from leaderboard.statistics.summary import head_to_head, seat_advantage
from tests.leaderboard.made import played

NAMES = [f"bot{number}" for number in range(16)]


def picture(kind: str, bots: int) -> Figure:
    """A picture of that kind of a tournament of so many bots, and one that has not played."""
    blocks = played(np.linspace(0.5, -0.5, bots), 2, 20 * bots, np.random.default_rng(1))
    if kind == "standings":
        return standings_plot((*strengths(blocks, replicates=50), Strength("late & <new>", 0)), "autumn", blocks.complete)
    if kind == "head-to-head":
        return head_to_head_plot([*NAMES[:bots], "late & <new>"], head_to_head(blocks), "autumn")
    if kind == "seats":
        return seats_plot(seat_advantage(blocks), "autumn")
    return history_plot([RatingHistory(bot, (1, 2, 9), (25.0, 26.0, 27.0), (8.0, 7.0, 3.0)) for bot in NAMES[:bots]], "autumn")


WORDS = {
    "standings": [
        "autumn: strength of the bots",
        "strength in points (400 more: ten times the odds of coming out above)",
        "late & <new>",
        "no complete block yet",
    ],
    "head-to-head": ["autumn: head to head", "against", "% of matches above", "bot0", "late & <new>"],
    "seats": ["autumn: seat advantage", "share of wins in %", "mean score in points", "seat"],
    "history": ["autumn: TrueSkill against matches played", "rated matches of the bot", "bot0 (27.0)"],
}


def texts(svg: bytes) -> set[str]:
    return {"".join(element.itertext()).strip() for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}  # noqa: S314  # our own


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bots", [2, 16])
@pytest.mark.parametrize("kind", WORDS)
def test_the_words_of_a_picture_are_in_its_svg(kind: str, bots: int) -> None:
    found = texts(draw(picture(kind, bots), "svg"))
    assert set(WORDS[kind]) <= found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", WORDS)
def test_a_picture_is_the_same_every_time_and_has_no_date(kind: str) -> None:
    svg = draw(picture(kind, 4), "svg")
    assert svg == draw(picture(kind, 4), "svg")
    assert b"<dc:date>" not in svg
    assert draw(picture(kind, 4), "png") == draw(picture(kind, 4), "png")


def test_all_pairs_have_their_number_in_the_heat_map() -> None:
    blocks = played((1.0, 0.0, -1.0), 3, 60, np.random.default_rng(1))
    found = texts(draw(head_to_head_plot(["bot0", "bot1", "bot2"], head_to_head(blocks), "autumn"), "svg"))
    for line in head_to_head(blocks):
        assert {f"{100 * line.share:.0f}", f"{100 * (1 - line.share):.0f}"} <= found


def test_long_names_are_cut() -> None:
    assert short("a" * 24) == "a" * 24
    assert short("a" * 25) == "a" * 23 + "…"
