"""Tuning: ranges, the trials' blocks, files of studies, and the optimum of a surface that is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from arena.analysis.tuning import PlayedTrial, StudyFile, TuneError, Tuning, TuningPlan, TuningState, find_optimum, limits_of, read_space
from arena.play.executors.base import InlineExecutor, Job
from benchmarks.tuning import SimulatedTuning
from bots.errors import BotError
from bots.loader.loading import resolve
from engine.registry import find_game

BOT = """
class Walker:
    params = {"depth": 2, "edge": 0.5}
    def choose(self, view, clock):
        return view.legal_moves[0 if self.params["depth"] == 3 else -1]
"""
GAME = find_game("tongiaki")
SPACE = read_space(["edge=0:1", "depth=1..6"])


def plan_of(*rivals: str, players: int = 2) -> TuningPlan:
    return TuningPlan(GAME, "walker", rivals, players, 5)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("edge", "write NAME=1..6"),
        ("edge=1", "write NAME=1..6"),
        ("edge=1:0", "1 is not below 0"),
        ("edge=1..1", "1 is not below 1"),
        ("edge=0:1:log", "numbers must be above 0"),
        ("edge=a:b", "a is not a number"),
        ("edge=1.5..3", "1.5 is not an integer"),
        ("edge=a,a", "write different values"),
        ("depth=1..3", "'depth' is given twice"),
    ],
)
def test_what_is_no_range_is_refused_in_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(TuneError, match=f"--param {text}: .*{reason}"):
        read_space(["depth=1..6", text])


def test_a_block_is_the_same_in_every_trial_and_seats_the_bot_everywhere() -> None:
    plan = plan_of("ann", "ben", players=3)
    assert plan.block(4) == plan.block(4)
    assert [ticket.seats.index("walker") for ticket in plan.block(4)] == [0, 2, 1]
    assert {ticket.seed for ticket in plan.block(4)} != {ticket.seed for ticket in plan.block(5)}
    assert {name for number in range(4) for ticket in plan.block(number) for name in ticket.seats} == set(plan.names)
    assert set(plan_of("ann", players=3).names) == {"walker", "ann#1", "ann#2"}


def test_trials_are_played_kept_and_continued(tmp_path: Path) -> None:
    (tmp_path / "walker.py").write_text(BOT)
    bot, rival = resolve(str(tmp_path / "walker.py")), resolve("random")
    states: list[TuningState] = []

    def play(trials: int) -> Tuning:
        file = StudyFile(tmp_path / "walker.tune", {"bot": bot.digest})
        tuning = Tuning(file, read_space(["depth=2..99"]), plan_of("random"), bot, {"random": rival}, Job("tongiaki", {}, {}))
        tuning.play(trials, 1, InlineExecutor(), states.append)
        return tuning

    assert play(1).matches == 2
    assert play(3).matches == 6  # two of them were there
    assert [state.ended for state in states if state.is_over] == [1, 2, 3]
    kept = StudyFile(tmp_path / "walker.tune", {"bot": bot.digest}).trials
    assert len(kept) == 3
    assert all(set(each.params) == {"depth"} and len(each.scores) == 1 for each in kept)


@pytest.mark.parametrize(("ranges", "sets"), [(["style=calm,bold"], 2), (["depth=1..6"], 6), (["depth=1..3", "style=calm,bold"], 6)])
def test_no_values_are_played_twice_and_a_study_ends_when_all_have_been(tmp_path: Path, ranges: list[str], sets: int) -> None:
    space, file = read_space(ranges), StudyFile(tmp_path / "a.tune", {})

    class Flat(SimulatedTuning):
        def _scores(self, params: object, numbers: Sequence[int], executor: object) -> list[float]:
            return [float(number % 2) for number in numbers]

    tuning = Flat(file, space, plan_of("random"), resolve("random"), {}, Job("tongiaki", {}, {}), seed=1)
    tuning.play(40, 16, InlineExecutor(), lambda _state: None)
    tuning.play(40, 16, InlineExecutor(), lambda _state: None)  # continued
    assert len(file.trials) == len({tuple(each.params.items()) for each in file.trials}) == sets
    assert tuning.optimum().score == pytest.approx(0.5, abs=0.05)


def test_the_limits_of_ranges_have_both_ends_and_every_choice() -> None:
    limits = limits_of(read_space(["edge=0:1", "depth=1..6", "style=calm,bold,wild"]))
    assert [list(each.values()) for each in limits] == [[0, 1, "calm"], [1, 6, "bold"], [0, 1, "wild"]]


def test_a_parameter_that_the_bot_does_not_have_is_named(tmp_path: Path) -> None:
    (tmp_path / "walker.py").write_text(BOT)
    bot, rival = resolve(str(tmp_path / "walker.py")), resolve("random")
    file = StudyFile(tmp_path / "walker.tune", {})
    tuning = Tuning(file, read_space(["wings=2..3"]), plan_of("random"), bot, {"random": rival}, Job("tongiaki", {}, {}))
    version = tuning.version({"wings": 2})
    assert version.params == (("wings", 2),)
    with pytest.raises(BotError, match="has been given parameters before"):
        Tuning(file, SPACE, plan_of("random"), version, {}, Job("tongiaki", {}, {})).version({"depth": 3})


def test_a_study_about_something_else_is_refused_and_a_torn_line_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.tune"
    StudyFile(path, {"bot": "one", "--players": 2}).add(PlayedTrial({"depth": 3}, (0.5, 1.0)))
    with pytest.raises(TuneError, match="is a study with another --players; name another file"):
        StudyFile(path, {"bot": "one", "--players": 3})
    whole = path.read_text()
    path.write_text(f'{whole}{{"params": {{"dep')
    assert StudyFile(path, {"bot": "one"}).trials == [PlayedTrial({"depth": 3}, (0.5, 1.0))]
    assert path.read_text() == whole
    for text in ("no JSON\n", "[1]\n[2]\n", '{"bot": "one"}\n{"params": 3}\n'):
        path.write_text(text)
        with pytest.raises(TuneError, match="is not a study"):
            StudyFile(path, {"bot": "one"})


def test_an_early_end_needs_sixteen_blocks(tmp_path: Path) -> None:
    class Fading(SimulatedTuning):
        def _scores(self, params: object, numbers: Sequence[int], executor: object) -> list[float]:
            return [1.0 if not self._file.trials else float(number % 3 == 0) for number in numbers]

    file = StudyFile(tmp_path / "a.tune", {})
    tuning = Fading(file, SPACE, plan_of("random"), resolve("random"), {}, Job("tongiaki", {}, {}), seed=1)
    tuning.play(3, 64, InlineExecutor(), lambda _state: None)
    assert [len(each.scores) for each in file.trials] == [64, 16, 16]


def test_the_optimum_is_found_with_an_interval_that_contains_it() -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        params = [{"edge": float(rng.uniform()), "depth": int(rng.integers(1, 7))} for _ in range(40)]
        scores = [0.6 - (each["edge"] - 0.7) ** 2 - 0.03 * (each["depth"] - 3) ** 2 + rng.normal(0, 0.04) for each in params]
        found = find_optimum(SPACE, params, scores, [0.04**2] * 40, seed)
        assert abs(int(found.params["depth"]) - 3) <= 1
        assert float(found.params["edge"]) == pytest.approx(0.7, abs=0.1)
        assert abs(found.score - 0.6) < 0.05
        low, high = map(float, found.intervals["edge"])
        assert high - low < 0.5
        assert low <= 0.7 <= high


def test_a_choice_from_a_list_is_told_apart() -> None:
    space = read_space(["style=calm,bold", "rate=0.001:1:log"])
    rng = np.random.default_rng(3)
    params = [{"style": ("calm", "bold")[number % 2], "rate": float(10 ** rng.uniform(-3, 0))} for number in range(30)]
    scores = [0.5 + 0.1 * (each["style"] == "bold") - 0.02 * abs(np.log10(each["rate"]) + 1.5) for each in params]
    found = find_optimum(space, params, scores, [1e-4] * 30, 1)
    assert found.params["style"] == "bold"
    assert found.intervals["style"] == ("bold",)


def test_fewer_than_three_trials_say_nothing(tmp_path: Path) -> None:
    tuning = Tuning(StudyFile(tmp_path / "a.tune", {}), SPACE, plan_of("random"), resolve("random"), {}, Job("tongiaki", {}, {}))
    with pytest.raises(TuneError, match="play at least 3"):
        tuning.optimum()
