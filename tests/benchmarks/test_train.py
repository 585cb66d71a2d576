"""Training a value function: from an empty folder to weights that load, the same after an interruption; fits that find what is there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.train.course import Course, Table
from benchmarks.train.courses import COURSES
from benchmarks.train.fit import Shape, fit
from benchmarks.train.positions import Positions
from benchmarks.train.training import Plan, Training, read_weights
from engine import find_game

PLAN = Plan(seed=3, generations=2, games=16)


@pytest.fixture(scope="module")
def course() -> Course:
    return replace(COURSES["tongiaki"], tables=(Table(2),), samples=4)


def no_time() -> float:
    return 0.0


@pytest.fixture(scope="module")
def whole(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The weights of a training that was not interrupted, in its folder."""
    return Training(course, PLAN, tmp_path_factory.mktemp("trained") / "whole", no_time).run()


@pytest.mark.slow  # trains from nothing
def test_an_empty_folder_becomes_weights_that_value_positions(course: Course, whole: Path) -> None:
    weights = read_weights(whole)
    value = course.make(lambda: weights)
    chances = value.win_chances(find_game("tongiaki").new(2, 1))
    assert sum(chances) == pytest.approx(1.0)
    assert weights["provenance"]["games"] == [2, 16]
    assert value.version == f"tongiaki-{weights['provenance']['digest'][:16]}"
    assert [each["games"] for each in json.loads((whole.parent / "curve.json").read_text())] == [[2], [2, 16]]
    assert len((whole.parent / "curve.md").read_text().splitlines()) == 4


@pytest.mark.slow  # trains twice
def test_an_interrupted_training_ends_with_the_same_weights(course: Course, whole: Path, tmp_path: Path) -> None:
    Training(course, replace(PLAN, generations=1), tmp_path, no_time).run()
    lines = (whole.parent / "games-1.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "games-1.jsonl").write_text("".join(lines[:3]) + lines[3][:40])

    again = Training(course, PLAN, tmp_path, no_time).run()

    assert again.read_bytes() == whole.read_bytes()


def made(weights: list[float], games: int, seats: int = 3) -> Positions:
    """Positions whose ranks follow from known weights."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((games, seats, len(weights)))
    rows[:, :, 0] = 0.5
    noise = rng.gumbel(size=(games, seats))
    ranks = np.argsort(np.argsort(-(rows @ np.array(weights) + noise), axis=1), axis=1) + 1
    return Positions(rows, ranks, np.arange(games))


@pytest.mark.parametrize("shape", [Shape((0.0,), 0, 0), Shape((0.0, 1.0), 2, 0)], ids=["linear", "network"])
def test_a_fit_finds_the_strengths_that_made_the_ranks(shape: Shape) -> None:
    positions = made([0.0, 1.5, -0.7], 2000)

    (model,) = fit([positions], shape, seed=1)

    found = model.strengths(positions.rows)
    true = positions.rows @ np.array([0.0, 1.5, -0.7])
    found, true = (each - each.mean(axis=1, keepdims=True) for each in (found, true))
    assert np.abs(found - true).mean() < 0.1
    assert model.sharpness == pytest.approx([1.0, 1.0], abs=0.1)
