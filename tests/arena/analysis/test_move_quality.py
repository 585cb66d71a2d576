"""A better move is named as far as it proves better by other positions than those that it was found by."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from arena.analysis.move_quality import CHECKS, SURE, MoveQuality, MoveSearch
from arena.analysis.position_value import judge_of
from engine.core import Move
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of

VECTORS = Path(__file__).parents[2] / "vectors"
DECISIONS = range(60, 90)
"""Decisions of a match in which much was given away."""


def qualities() -> dict[int, MoveQuality]:
    """Return the qualities of these decisions."""
    replay = read_replay((VECTORS / "tongiaki/r2-70.json").read_text(encoding="utf-8"))
    timeline = timeline_of(replay)
    search = MoveSearch(timeline, judge_of(timeline.states[0].game, replay.players, ""), None, 0)
    return {at: search.compare(at) for at in DECISIONS if replay.decisions[at].legal > 1}


def measure(monkeypatch: pytest.MonkeyPatch, *worlds: tuple[float, ...]) -> tuple[list[MoveQuality], set[int]]:
    """Return the qualities if worlds bring these gains in turn, and in how many worlds losses were measured again."""
    number: dict[int, int] = defaultdict(int)

    def gains(self: MoveSearch, at: int, best: Move, rng: Random) -> list[float]:
        number[at] += 1
        return list(worlds[number[at] % len(worlds)])

    monkeypatch.setattr(MoveSearch, "_gains", gains)
    found = qualities()
    assert number, "some losses were measured again"
    return [each for at, each in found.items() if at in number], set(number.values())


@pytest.mark.parametrize("gains", [(-0.01, 0.2, 0.2), (0.2, 0.2, -0.01)])
def test_a_move_that_is_not_better_after_some_turns_is_not_named(monkeypatch: pytest.MonkeyPatch, gains: tuple[float, ...]) -> None:
    checked, worlds = measure(monkeypatch, gains)

    assert all(each.best is None and each.loss == 0 for each in checked)
    assert worlds == {CHECKS[0]}


def test_the_loss_is_the_smallest_that_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, worlds = measure(monkeypatch, (0.3, 0.1, 0.2))

    assert [each.loss for each in checked] == pytest.approx([0.1] * len(checked))
    assert worlds == {CHECKS[0]}, "it is known exactly"


def test_what_is_known_less_exactly_is_measured_in_more_worlds_and_its_loss_is_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, worlds = measure(monkeypatch, (0.1, 0.2), (0.3, 0.2))

    error = 0.1 / (CHECKS[-1] - 1) ** 0.5
    assert [each.loss for each in checked] == pytest.approx([0.2 - SURE * error] * len(checked))
    assert worlds == {CHECKS[-1]}


def test_a_match_is_always_measured_the_same_way() -> None:
    assert qualities() == qualities()
