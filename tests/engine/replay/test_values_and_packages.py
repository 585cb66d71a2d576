"""What options and scores may be in a replay, and the package that it names for a game of another package."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.core import Game, ScoreError, exact_score
from engine.records import Replay
from engine.registry import NoGameError, find_game
from engine.replay.format import Recorder, ReplayError, read_replay, write_replay
from engine.replay.verifier import DisagreementError, verify_replay
from tests.outside import race, remove

OPTIONS = (
    '{"fast": (False, (False, True)), "share": (0.5, (0.25, 0.5)), "whole": (2.0, (2.0,)), '
    '"name": ("x", ("x", "y")), "many": (3, range(9))}'
)


def played(game: Game, seed: int = 1) -> Replay:
    state, rng = game.new(2, seed), Random(seed)
    recorder = Recorder(game, seed, ("a", "b"))
    while (actor := state.actor) is not None:
        move, legal = state.random_move(rng), state.count_moves()
        state.play(move)
        recorder.record(actor, move, legal, state)
    return recorder.finish(state)


def test_options_keep_their_kinds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    race(monkeypatch, tmp_path, "kinds", options=OPTIONS)
    replay = played(find_game("kinds", {"fast": True, "share": 0.25}))
    text = write_replay(replay)
    assert '"options":{"fast":true,"share":0.25,"whole":2.0,"name":"x","many":3}' in text
    again = read_replay(text)
    assert [type(value) for value in again.options.values()] == [bool, float, float, str, int]
    assert again == replay
    verify_replay(again)


@pytest.mark.parametrize("score", ["float('nan')", "float('inf')", "'many'", "2 ** 60", "None"])
def test_a_score_that_is_no_finite_number_is_refused_in_a_sentence(score: str) -> None:
    with pytest.raises(ScoreError, match=r"^a score must be a "):
        exact_score(eval(score))  # noqa: S307  # the values above


def test_numbers_of_a_replay_are_finite() -> None:
    text = write_replay(played(find_game("tongiaki")))
    data = json.loads(text)
    for key, value in (("scores", [float("1e300"), 1]), ("scores", [0.5, 1])):
        assert read_replay(json.dumps(data | {key: value})).scores == tuple(value)
    for wrong in ("1e999", "-1e999", "true", "NaN"):
        scores = text.replace(f'"scores":{json.dumps(data["scores"], separators=(",", ":"))}', f'"scores":[{wrong},1]')
        options = text.replace('"options":{}', f'"options":{{"x":{wrong}}}')
        with pytest.raises(ReplayError, match=r"at `\$\.scores\[0\]`|malformed"):
            read_replay(scores)
        if wrong != "true":
            with pytest.raises(ReplayError, match=r"at `\$\.options|malformed"):
                read_replay(options)


@pytest.mark.parametrize("name", ["tongiaki", "sunda"])
def test_replays_of_the_program_s_own_games_name_no_package(name: str) -> None:
    replay = played(find_game(name))
    assert replay.package is None
    assert "package" not in json.loads(write_replay(replay))


def test_a_replay_names_the_package_and_its_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replay = played(race(monkeypatch, tmp_path, "named", version="2.3"))
    data = json.loads(write_replay(replay))
    assert data["package"] == "tile-arena-named 2.3"
    assert read_replay(json.dumps(data)) == replay


def test_a_replay_of_a_game_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replay = played(race(monkeypatch, tmp_path, "gone", version="2.3"))
    remove(monkeypatch, "gone")
    sentence = "it was played with the game 'gone' of tile-arena-gone 2.3, which is not installed; pip install 'tile-arena-gone==2.3'"
    with pytest.raises(NoGameError, match=f"^{sentence}$"):
        verify_replay(replay)


def test_a_disagreement_with_another_version_of_the_package_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replay = played(race(monkeypatch, tmp_path, "changed"))
    race(monkeypatch, tmp_path, "changed", version="1.1")
    verify_replay(replay)  # it plays the same, whatever its version
    race(monkeypatch, tmp_path, "changed", version="1.2", score="9")
    sentence = (
        r"it was played with tile-arena-changed 1\.0, but tile-arena-changed 1\.2 is installed; with the installed one, the score of seat 0"
    )
    with pytest.raises(DisagreementError, match=sentence):
        verify_replay(replay)
    with pytest.raises(DisagreementError, match=r"^the score of seat 0 is 9, not"):
        verify_replay(replace(replay, package=None))
    race(monkeypatch, tmp_path, "changed", score="9")
    with pytest.raises(DisagreementError, match=r"^the score of seat 0 is 9, not"):
        verify_replay(replay)
    race(monkeypatch, tmp_path, "changed", score="2**60")
    with pytest.raises(DisagreementError, match=r"^a score must be a "):
        verify_replay(replay)
