"""Replays: reading them strictly, writing, recording, and finding the first difference (docs/replay-format.md)."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.core import EngineError
from engine.records import Replay
from engine.replay.format import Recorder, ReplayError, read_replay, write_replay
from engine.replay.verifier import DisagreementError, timeline_of, verify_replay, walk
from engine.tongiaki import TONGIAKI

VECTOR = (Path(__file__).parents[2] / "vectors/tongiaki/r3-23.json").read_text(encoding="utf-8")
KEYS = ["format", "game", "options", "players", "seed", "names", "decisions", "chance", "forfeits", "scores", "ranks", "end"]

Data = dict[str, Any]


def edited(**changes: object) -> str:
    """The vector with some keys changed, as text."""
    return json.dumps(json.loads(VECTOR) | changes)


def changed(change: Callable[[Data], object]) -> str:
    """The vector after a change, as text."""
    data = json.loads(VECTOR)
    change(data)
    return json.dumps(data)


def played(players: int, seed: int, forfeits: dict[int, int] | None = None) -> Replay:
    """A random game recorded; ``forfeits`` has the seats that forfeit, each with its first decision from that index on."""
    state, rng = TONGIAKI.new(players, seed), Random(seed)
    recorder = Recorder(TONGIAKI, seed, tuple(f"bot {seat}" for seat in range(players)))
    waiting = dict(forfeits or {})
    while state.actor is not None:
        seat = state.actor
        if recorder.decisions >= waiting.get(seat, 10**9):
            recorder.forfeit(seat, "too slow")
            del waiting[seat]
        move, legal = state.legal_moves.random(rng), len(state.legal_moves)
        state.play(move)
        recorder.record(seat, move, legal, state)
    return recorder.finish(state)


# Reading


@pytest.mark.parametrize("key", KEYS)
def test_a_replay_without_a_key_is_refused_by_its_name(key: str) -> None:
    with pytest.raises(ReplayError, match=f"field `{key}`"):
        read_replay(changed(lambda data: data.pop(key)))


MALFORMED: dict[str, list[object]] = {
    "format": [None, 1, "arena-replay/2", "", ["arena-replay/1"], True],
    "game": [None, 1, ["tongiaki"], {}, True],
    "options": [None, [], "none", 1],
    "players": [None, "3", 3.0, -3, True, [3]],
    "seed": [None, "23", 23.5, -1, False, 1e300],
    "names": [None, "uniform", {"0": "a"}, ["a", "b", 3], ["a", "b", None], [["a"], "b", "c"]],
    "decisions": [None, {}, "place 0", [["place 0", 0, 6]], [[0, "place 0"]], [[0, "place 0", 6, 1]], [0], [None], [{}], [[0, 1, 6]]],
    "chance": [None, {}, 0, [["roll 1", 0]], [[0]], [[0, 1]], [[0, "roll 1", 2]], [[-1, "roll 1"]], [[0.5, "roll 1"]], ["roll"]],
    "forfeits": [None, {}, 1, [[0, 1]], [[0, 1, 2]], [[0, -1, "slow"]], [[-1, 0, "slow"]], [["0", 1, "slow"]], [[0, 1, "slow", 3]], [1]],
    "scores": [None, 1, {}, ["12"], [True], [None], [[1]]],
    "ranks": [None, 1, {}, ["1"], [1.0], [True], [-1], [None]],
    "end": [None, 1, ["idle"], {}],
    "rules_version": ["1", 1.0, True, []],
    "package": [1, ["something", "else"]],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in MALFORMED.items() for value in values])
def test_every_malformed_value_is_refused_by_a_sentence_that_names_its_key(key: str, value: object) -> None:
    with pytest.raises(ReplayError, match=rf" - at `\$\.{key}[\[.`]") as refused:
        read_replay(edited(**{key: value}))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("value", [None, {}, [1, "2"], [-1], [[1]]])
def test_a_malformed_option_is_refused_by_its_name(value: object) -> None:
    with pytest.raises(ReplayError, match=r"\$\.options"):
        read_replay(edited(options={"level": value}))


def test_a_malformed_entry_is_named_with_its_index() -> None:
    with pytest.raises(ReplayError, match=r"Expected `int`, got `str` - at `\$\.decisions\[7\]\[2\]`$"):
        read_replay(changed(lambda data: data["decisions"].__setitem__(7, [0, "place 0", "6"])))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "23.0", "9" * 5000, "023", "+23", "0x17", "٢٣"])
@pytest.mark.parametrize("key", ["seed", "players"])
def test_a_number_that_is_no_whole_json_number_is_refused(key: str, number: str) -> None:
    text = re.sub(rf'"{key}":\s*\d+', f'"{key}": {number}', VECTOR)
    assert number in text
    with pytest.raises(ReplayError):
        read_replay(text)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("text", ['{"x": %s, ', '{"x": [{"y": [%s]}], '])
def test_nan_and_infinity_are_refused_even_under_an_extra_key(text: str, number: str) -> None:
    with pytest.raises(ReplayError, match="JSON is malformed"):
        read_replay(VECTOR.replace("{", text % number, 1))


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"format":"arena-replay/1","game":[', '{"format":"arena-replay/1","x":' + "[" * 50])
@pytest.mark.parametrize("depth", [900, 990, 1010, 100_000])
def test_nesting_without_end_is_refused(opening: str, depth: int) -> None:
    with pytest.raises(ReplayError):
        read_replay(opening * depth)
    with pytest.raises(ReplayError):
        read_replay('{"format":"arena-replay/1","game":' + "[" * depth + "]" * depth + "}")


@given(st.integers(0, len(VECTOR.rstrip()) - 1))
def test_a_replay_cut_short_anywhere_is_refused(length: int) -> None:
    with pytest.raises(ReplayError, match="it is not in the format 'arena-replay/1'"):
        read_replay(VECTOR[:length])


@pytest.mark.parametrize(
    "text", ["", " ", "null", "[]", "3", '"replay"', "{}", "{} {}", "\ufeff{}", "\x00", "<html>", VECTOR + "}", "[" + VECTOR + "]"]
)
def test_what_is_no_replay_at_all_is_refused(text: str) -> None:
    with pytest.raises(ReplayError):
        read_replay(text)


@given(
    at=st.integers(0, len(VECTOR) - 1), length=st.integers(0, 3), put=st.text(alphabet='{}[]",:0123456789.eE-+NIa \\\n\ud800', max_size=3)
)
@settings(max_examples=150)
@example(at=0, length=len(VECTOR), put='{"format":"arena-replay/1","game":"\\ud800"}')
def test_a_damaged_replay_is_read_verified_or_refused_but_raises_nothing_else(at: int, length: int, put: str) -> None:
    text = VECTOR[:at] + put + VECTOR[at + length :]
    try:
        verify_replay(read_replay(text))
    except EngineError as error:
        said = str(error)
    else:
        said = "it verifies"
    assert said
    assert "\n" not in said


# Writing


def test_a_replay_written_and_read_is_the_same_and_is_one_line_of_plain_json() -> None:
    replay = played(3, 5)
    text = write_replay(replay)
    assert read_replay(text) == replay
    assert write_replay(read_replay(text)) == text
    assert "\n" not in text
    assert list(json.loads(text)) == ["format", "game", "rules_version", *KEYS[2:]]


def test_a_recorded_game_verifies_and_says_what_happened() -> None:
    replay = played(4, 8)
    verify_replay(replay)
    assert replay.names == ("bot 0", "bot 1", "bot 2", "bot 3")
    assert (replay.game, replay.players, replay.seed, replay.rules_version) == ("tongiaki", 4, 8, 1)
    assert replay.decisions[0].seat == 0
    assert replay.decisions[0].legal == 6
    assert replay.chance == ()


# Walking


def test_walking_gives_every_state_with_the_move_that_led_to_it() -> None:
    replay = read_replay(VECTOR)
    moves = [str(move) for _, move in walk(replay) if move is not None]
    assert moves == [decision.move for decision in replay.decisions]
    assert next(walk(replay))[1] is None
    assert [state.actor for state, _ in walk(replay)] == [*(decision.seat for decision in replay.decisions), None]


def test_a_timeline_has_every_position_and_move() -> None:
    replay = played(3, 12, {0: 40})
    timeline = timeline_of(replay)
    assert [state.text for state in timeline.states] == [state.text for state, _ in walk(replay)]
    assert [str(move) for move in timeline.moves] == [decision.move for decision in replay.decisions]
    (forfeit,) = replay.forfeits
    assert (timeline.end, timeline.forfeit_at(forfeit.index), timeline.forfeit_at(0)) == (len(replay.decisions), forfeit, None)
    assert [at for at in range(1, timeline.end) if at not in timeline.turns] == [
        at for at in range(1, timeline.end) if replay.decisions[at - 1].seat == replay.decisions[at].seat
    ]
    assert timeline.turns[0] == 0
    with pytest.raises(DisagreementError, match="not 'boredom'"):
        timeline_of(dataclasses.replace(replay, end="boredom"))


# Verifying: each edit is found, and the first difference is named


def decision(index: int, item: int, value: object) -> Callable[[Data], object]:
    return lambda data: data["decisions"][index].__setitem__(item, value)


def with_value(key: str, value: object) -> Callable[[Data], object]:
    return lambda data: data.__setitem__(key, value)


def with_more(key: str, *entries: object) -> Callable[[Data], object]:
    return lambda data: data[key].extend(entries)


NOT_ITS_OWN = "the seat did not make that decision"
EDITS: dict[str, tuple[Callable[[Data], object], str]] = {
    "an illegal move": (decision(6, 1, "pass"), r"decision 6 of seat 0: 'pass' is not legal: seat 0 has to choose from"),
    "no move": (decision(6, 1, "fly away"), r"decision 6: 'fly away' is not a Tongiaki move"),
    "a move written otherwise": (decision(0, 1, "place 03"), r"decision 0: .*it should be written 'place 3'"),
    "a legal count": (decision(6, 2, 999), r"decision 6: there are \d+ legal moves, not 999"),
    "a legal count too low": (decision(6, 2, 0), r"decision 6: there are \d+ legal moves, not 0"),
    "a seat": (decision(6, 0, 1), r"decision 6: it is seat 0's turn, not seat 1's"),
    "a seat that is not there": (decision(6, 0, 17), r"decision 6: it is seat 0's turn, not seat 17's"),
    "a missing first decision": (lambda data: data["decisions"].pop(0), r"decision 0: it is seat 0's turn, not seat 1's"),
    "a missing last decision": (lambda data: data["decisions"].pop(), r"not over at the end of the replay: seat \d has to decide"),
    "no decisions": (lambda data: data["decisions"].clear(), "the game is not over at the end of the replay"),
    "an extra decision": (with_more("decisions", [0, "pass", 1]), r"decision \d+: the game was over before this decision"),
    "a seed": (with_value("seed", 24), r"decision \d+"),
    "a number of players": (with_value("players", 7), r"2 to 6 players, not 7"),
    "another number of players": (with_value("players", 4), r"there are 3 names for 4 players"),
    "a name too many": (with_more("names", "x"), r"there are 4 names for 3 players"),
    "a score too few": (lambda data: data["scores"].pop(), r"there are 2 scores for 3 players"),
    "a rank too many": (with_more("ranks", 1), r"there are 4 ranks for 3 players"),
    "a score": (lambda data: data["scores"].__setitem__(1, 99), r"the score of seat 1 is \d+, not 99"),
    "a rank": (lambda data: data["ranks"].__setitem__(2, 9), r"the rank of seat 2 is \d, not 9"),
    "an end": (with_value("end", "idle"), r"the ending is 'islands', not 'idle'"),
    "an unknown end": (with_value("end", "boredom"), r"the ending is 'islands', not 'boredom'"),
    "an option": (with_value("options", {"level": 1}), r"there is no option 'level'"),
    "a game": (with_value("game", "tongiak"), r"there is no game 'tongiak'; did you mean 'tongiaki'"),
    "a version of the rules": (with_value("rules_version", 2), r"version 2 of tongiaki's rules; this program has version 1"),
    "a chance event": (with_more("chance", [3, "roll 4"]), r"there was no chance event 'roll 4' after decision 3"),
    "a forfeit": (with_more("forfeits", [0, 6, "slow"]), r"the rank of seat \d is \d, not \d"),
    "a forfeit at another's decision": (with_more("forfeits", [1, 6, "slow"]), rf"seat 1 at decision 6: {NOT_ITS_OWN}"),
    "a forfeit beyond the end": (with_more("forfeits", [1, 10**6, "slow"]), rf"seat 1 at decision 1000000: {NOT_ITS_OWN}"),
    "a forfeit just beyond the end": (
        lambda data: data["forfeits"].append([1, len(data["decisions"]), "slow"]),
        rf"seat 1 at decision \d+: {NOT_ITS_OWN}",
    ),
    "a forfeit of no seat": (with_more("forfeits", [5, 6, "slow"]), rf"seat 5 at decision 6: {NOT_ITS_OWN}"),
    "a forfeit twice": (with_more("forfeits", [0, 0, "a"], [0, 3, "b"]), r"seat 0 at decision 3: forfeits must be in ascending order"),
    "two forfeits at once": (with_more("forfeits", [0, 0, "a"], [1, 0, "b"]), r"seat 1 at decision 0: forfeits must be in ascending order"),
    "forfeits out of order": (with_more("forfeits", [1, 1, "a"], [0, 0, "b"]), r"seat 0 at decision 0: forfeits must be in ascending"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_replay_is_refused_by_its_first_difference(edit: str) -> None:
    change, said = EDITS[edit]
    replay = read_replay(changed(change))
    with pytest.raises(DisagreementError, match=said) as refused:
        verify_replay(replay)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda chance: chance.pop(), r"decision 201: it must be followed by the chance event 'dice 4 2 6\|3', but the replay has none"),
        (
            lambda chance: chance.pop(0),
            r"decision 28: .*by the chance event 'dice 2 1\|6', but the replay has 'dice 4 3\|2' after decision 39",
        ),
        (lambda chance: chance[0].__setitem__(0, 27), r"decision 28: .*, but the replay has 'dice 2 1\|6' after decision 27"),
        (
            lambda chance: chance[0].__setitem__(1, "dice 2 1|5"),
            r"decision 28: .*by the chance event 'dice 2 1\|6', but the replay has 'dice 2 1\|5'",
        ),
        (lambda chance: chance.append([216, "dice 6|6"]), r"there was no chance event 'dice 6\|6' after decision 216"),
    ],
    ids=["the last is missing", "the first is missing", "another decision", "other dice", "one too many"],
)
def test_dice_are_compared(change: Callable[[list[Any]], object], said: str) -> None:
    data = json.loads((Path(__file__).parents[2] / "vectors/sunda/turns-L4-3p-18.json").read_text(encoding="utf-8"))
    change(data["chance"])
    with pytest.raises(DisagreementError, match=said):
        verify_replay(read_replay(json.dumps(data)))


WILD = "a\nb\x1b[31m\x07" + "c" * 500


@pytest.mark.parametrize(
    "changes",
    [
        {"game": WILD},
        {"end": WILD},
        {"options": {WILD: 1}},
        {"chance": [[0, WILD]]},
        {"decisions": [[0, WILD, 6]]},
        {"forfeits": [[1, 0, WILD]]},
        {"seed": WILD},
        {WILD: 1, "x": {WILD: 1}, "scores": [WILD]},
    ],
    ids=lambda changes: next(iter(changes))[:5],
)
def test_what_a_replay_says_is_quoted_in_one_short_line_without_control_characters(changes: dict[str, object]) -> None:
    with pytest.raises(EngineError) as refused:
        verify_replay(read_replay(edited(**changes)))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 250


def test_of_two_differences_the_first_is_named() -> None:
    def change(data: Data) -> None:
        data["decisions"][20][2] = 777
        data["decisions"][9][2] = 888
        data["scores"][0] = 99

    with pytest.raises(DisagreementError, match=r"decision 9: .*not 888"):
        verify_replay(read_replay(changed(change)))


# Forfeits


def test_a_forfeited_seat_ranks_last_in_a_replay_and_the_replay_verifies() -> None:
    kept, forfeited = played(3, 12), played(3, 12, {0: 40, 2: 10})
    assert [forfeit.seat for forfeit in forfeited.forfeits] == [2, 0]
    assert forfeited.decisions == kept.decisions
    assert forfeited.scores == kept.scores
    assert forfeited.ranks == (2, 1, 3)
    verify_replay(forfeited)
    verify_replay(read_replay(write_replay(forfeited)))


def test_a_forfeit_names_the_first_decision_the_substitute_made() -> None:
    replay = played(2, 3, {1: 5})
    forfeit = replay.forfeits[0]
    assert replay.decisions[forfeit.index].seat == forfeit.seat == 1
    assert all(decision.seat == 0 for decision in replay.decisions[5 : forfeit.index])
