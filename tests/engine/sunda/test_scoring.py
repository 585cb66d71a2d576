"""The score (RULES 6), on islands of one node made of three tiles."""

from __future__ import annotations

import pytest

from engine.sunda import sunda
from engine.sunda.board.claims import controller

ISLET = """
tile WLWW+-++ -1,0,0
tile WLWW+-+- 1,-1,2
tile WLWW+--+ 0,1,4
"""
LAKE = """
tile LLLW+++- 19,0,5
tile LLLW+-+- 21,-1,1
tile LLLW-++- 20,1,3
"""
RING = """
tile LLWW+-++ 20,1,5
tile LLWW-+++ 19,0,1
tile LLWW-+-- 21,-1,3
tile LWWL+-+- 21,-1,0
tile LWWL-+-- 19,0,4
tile LWWL---+ 20,1,2
tile WLWW+-++ 19,2,5
tile WLWW+-+- 19,-1,1
tile WLWW-+-- 22,-1,3
"""
"""What makes the island around the lake complete."""


@pytest.mark.parametrize(
    ("level", "players", "text", "scores"),
    [
        (0, 2, "tribe 0,0 1", (0, 2)),
        (2, 2, "tribe 0,0 0 0 1", (12, 6)),
        (3, 3, "tribe 0,0 0 1 1 2 1", (10, 30, 10)),
        (1, 2, "water 20,0 1", (0, 5)),
        (5, 2, "tribe 0,0 0 0 1 1\nresource 3 0,0", (16 + 6, 16 + 6)),
        (5, 3, "tribe 0,0 0 1 2\nresource 1 0,0", (6 + 1, 6 + 1, 6 + 1)),
        (5, 2, "tribe 0,0 0 0 1\nresource 3 0,0\nresource 6 0,0", (12 + 36, 6)),
        (5, 2, "resource 6 0,0", (0, 0)),
        (5, 2, "water 20,0 1\nresource 5 20,0", (0, 5 + 10)),
        (5, 2, "water 20,0 1\nresource 5 0,0\nresource 4 20,0", (0, 5 + 8)),
    ],
)
def test_tribes_water_rights_and_resources_score(level: int, players: int, text: str, scores: tuple[int, ...]) -> None:
    state = sunda({"level": level}).position(f"players {players}\n{ISLET}{LAKE}{text}\n")
    assert state.points == state.tally()["points"] == scores


def test_a_right_to_a_lake_counts_double_on_a_complete_island() -> None:
    assert sunda({"level": 1}).position(f"players 2\n{LAKE}{RING}water 20,0 1\n").points == (0, 10)


def test_a_right_to_a_lake_counts_as_a_token_where_resources_are_shared() -> None:
    state = sunda({"level": 5}).position(f"players 2\n{LAKE}{RING}tribe 20,-1 0\nwater 20,0 1\nresource 3 20,-1\n")
    assert state.points == (2 + 6, 10 + 6)


@pytest.mark.parametrize(
    ("tribe", "seat"), [((0,), 0), ((0, 1), 1), ((1, 0), 0), ((0, 0, 1), 0), ((1, 0, 0, 1), 1), ((2, 1, 0, 1, 2), 2), ((0, 1, 2), 2)]
)
def test_most_tokens_control_a_tribe_and_of_those_tied_the_highest_one(tribe: tuple[int, ...], seat: int) -> None:
    assert controller(tribe) == seat
