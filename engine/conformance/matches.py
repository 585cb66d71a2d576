"""Laws about whole matches: the game's facts, its end, determinism, and verifiable replays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from engine.conformance.trials import Law, LawError, SkipError, Trial, broken, law, snapshot
from engine.core import OptionsError, OptionValue, State
from engine.records import Decision, Replay
from engine.registry import find_game
from engine.replay.format import read_replay, write_replay
from engine.replay.recorder import Recorder
from engine.replay.verifier import DisagreementError, verify_replay


@law("facts", "A game states its name, version of rules, numbers of players, chance events and options.")
def facts(trial: Trial) -> None:
    game = trial.game
    if game.name != trial.table.game:
        broken(f"its name is {game.name!r:.60}, but it is registered as '{trial.table.game}'")
    if type(game.rules_version) is not int or game.rules_version < 1:
        broken(f"its rules_version is {game.rules_version!r:.60}; it is a number from 1 on")
    least, most = game.min_players, game.max_players
    if type(least) is not int or type(most) is not int or not 1 <= least <= most:
        broken(f"it is for {least!r:.30} to {most!r:.30} players; min_players is at least 1 and at most max_players")
    if not isinstance(game.chance_events, frozenset) or any(type(word) is not str or " " in word for word in game.chance_events):
        broken(f"its chance_events are {game.chance_events!r:.60}; they are a frozenset of first words of events")
    for name, value in game.options.items():
        items = value if isinstance(value, tuple) else (value,)
        if type(name) is not str or any(type(item) not in {int, str, bool, float} for item in items):
            broken(f"its option {name!r:.60} is {value!r:.60}; options are strings, numbers, booleans or tuples of them")
    missing = set(trial.table.options) - set(game.options)
    if missing:
        broken(f"'options' leaves out '{min(missing)}', which was given: it is every option, defaults written out")
    again = find_game(trial.table.game, game.options)
    if again != game or hash(again) != hash(game):
        broken("made again with the options that it states, it is a different game, or has a different hash")


@law("start", "new raises OptionsError for numbers of players and seeds that the game does not allow, and make for such options.")
def start(trial: Trial) -> None:
    game, table = trial.game, trial.table
    allowed = f"it is for {game.min_players} to {game.max_players}"
    for players in (game.min_players - 1, game.max_players + 1, -1):
        _refuses(partial(game.new, players, 0), f"new({players}, 0), though {allowed},")
    _refuses(partial(game.new, table.players, -1), "new with the seed -1")
    _refuses(partial(find_game, table.game, {**table.options, "no such option": 1}), "an option that it does not have")
    for name, value in game.options.items():
        wrong: OptionValue = "no such value" if isinstance(value, tuple) else (7, 7)
        _refuses(partial(find_game, table.game, {**table.options, name: wrong}), f"{name}={wrong!r}")


def _refuses(call: Callable[[], object], what: str) -> None:
    try:
        call()
    except OptionsError as error:
        if isinstance(error.__cause__, Exception) and not isinstance(error.__cause__, OptionsError):
            raise LawError(f"{what} raises {type(error.__cause__).__name__} ({error.__cause__}), not OptionsError") from error
        return
    except Exception as error:
        raise LawError(f"{what} raises {type(error).__name__} ({error}), not OptionsError") from error
    broken(f"{what} is accepted; it raises OptionsError")


@law("plays", "A game of random legal moves raises no error.")
def plays(trial: Trial) -> None:
    trial.at = len(trial.decisions)
    if trial.failure is not None:
        raise trial.failure


@law("terminates", "A game of random moves ends.")
def terminates(trial: Trial) -> None:
    if trial.failure is None and not trial.is_over:
        trial.at = len(trial.moves)
        broken(f"after {len(trial.moves)} random moves it is not over; a game must end, if need be by a rule that counts decisions")


@law("determinism", "The same options, players, seed and moves make the same game, even with a new game object.")
def determinism(trial: Trial) -> None:
    fresh = find_game(trial.table.game, trial.table.options).new(trial.table.players, trial.seed)
    played = 0
    for state in trial.walk(60):
        index = trial.at
        for move in trial.moves[played:index]:
            fresh.play(move)
        played = index
        if hash(snapshot(state)) != trial.marks[index]:
            broken(f"played a second time, {_changed(trial, state, index)}")
        difference = snapshot(state).difference(snapshot(fresh))
        if difference or state.key != fresh.key or state != fresh or state.outcome != fresh.outcome:
            broken(f"with a new game object, the same moves lead to a different position: {difference or 'a different key or outcome'}")
    if len(trial.moves) <= 2000:
        again = Trial(trial.game, trial.table, trial.seed, max(len(trial.moves), 1))
        if again.decisions != trial.decisions:
            broken("played a second time with the same seed and the same random choices, the moves are different")


def _changed(trial: Trial, state: State, index: int) -> str:
    difference = snapshot(state).difference(snapshot(trial.state_at(index)))
    return f"the same moves lead to a different position{f': {difference}' if difference else ''}"


def recorded(trial: Trial) -> Replay:
    """Record the game as a tournament does."""
    state = trial.new()
    recorder = Recorder(trial.game, trial.seed, tuple(f"random {seat}" for seat in range(trial.table.players)))
    for actor, move, legal in trial.steps(state):
        recorder.record(actor, move, legal, state)
    return recorder.finish(state)


@law("replay", "A match that is recorded, written and read again is the same, and verifies.")
def replay(trial: Trial) -> None:
    trial.whole()
    first = recorded(trial)
    read = read_replay(write_replay(first))
    if read != first:
        name = next((name for name in Replay.__slots__ if getattr(read, name) != getattr(first, name)), "options")
        broken(f"the replay is different after reading: {name} {getattr(read, name)!r:.60} against {getattr(first, name)!r:.60}")
    try:
        verify_replay(read)
    except DisagreementError as error:
        raise LawError(f"the replay of a game that was just played does not verify: {error}") from error


@law("replay-change", "A replay with one changed move, seat, count, score, rank, ending or chance event does not verify.")
def replay_change(trial: Trial) -> None:
    trial.whole()
    if not trial.moves:
        raise SkipError("no move was played")
    first = recorded(trial)
    for what, changed in _changes(first, trial):
        try:
            verify_replay(changed)
        except DisagreementError:
            continue
        broken(f"the replay verifies, though {what}")


def _changes(first: Replay, trial: Trial) -> list[tuple[str, Replay]]:
    at = Random(trial.seed).randrange(len(first.decisions))
    one = first.decisions[at]

    def decided(other: Decision) -> Replay:
        return replace(first, decisions=(*first.decisions[:at], other, *first.decisions[at + 1 :]))

    changed: list[tuple[str, Replay]] = [
        (f"a score was raised from {first.scores[0]}", replace(first, scores=(first.scores[0] + 1, *first.scores[1:]))),
        (f"a rank was changed from {first.ranks[-1]}", replace(first, ranks=(*first.ranks[:-1], first.ranks[-1] + 1))),
        (f"its ending '{first.end}' was changed", replace(first, end=f"{first.end}?")),
        (f"decision {at} was given to another seat", decided(one._replace(seat=one.seat + 1))),
        (f"decision {at} has another number of legal moves", decided(one._replace(legal=one.legal + 1))),
        (f"decision {at} was made 'no such move'", decided(one._replace(move="no such move"))),
        ("its last decision was left out", replace(first, decisions=first.decisions[:-1])),
    ]
    legal = set(trial.state_at(at).list_moves())
    illegal = next((move for move in trial.other_moves if move not in legal), None)
    if illegal is not None:
        changed.append((f"decision {at} was made '{illegal}', which is not legal there", decided(one._replace(move=str(illegal)))))
    if first.chance:
        event = first.chance[-1]
        changed.append(
            (
                f"the chance event '{event.event}' was changed",
                replace(first, chance=(*first.chance[:-1], replace(event, event=f"{event.event}?"))),
            )
        )
    return changed


FIRST: Final[tuple[Law, ...]] = (facts, start, plays, terminates)
LAWS: Final[tuple[Law, ...]] = (determinism, replay, replay_change)
