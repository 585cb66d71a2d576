"""Laws about the rules of a game: its facts, moves, positions, chance events and replays."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from random import Random
from typing import Final, final

from engine.conformance.trials import Law, LawError, SkipError, Snapshot, Trial, broken, law, require_error, require_same, snapshot
from engine.core import IllegalMoveError, InvalidMoveError, Move, OptionsError, OptionValue, Outcome, PositionError, State
from engine.records import Replay
from engine.registry import find_game
from engine.replay.format import Recorder, read_replay, write_replay
from engine.replay.verifier import verify_replay

_MANY: Final = 60
"""The largest number of moves that are checked one by one in a position."""
_NO_MOVES: Final = ("", " ", "\x00", "no such move", "-1", "{}", "x" * 500, "\u2603")
"""Texts that hardly any game accepts as moves."""
_NO_POSITIONS: Final = ("", " ", "\x00", "nonsense", "{}", "[]", "null", "\ud800", "9" * 400)
_FEW: Final = 6
"""The number of positions in a match from which play is continued."""
_STAGES: Final = 60
"""The largest number of successive chance events of a move that are checked."""


@final
class ForeignMove(Move):
    """A move that belongs to no game."""

    def __str__(self) -> str:
        return "a move of a different game"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 0


def _some(items: Sequence[Move], rng: Random) -> Sequence[Move]:
    return items if len(items) <= _MANY else [*items[:5], *rng.sample(list(items), _MANY - 10), *items[-5:]]


# Facts and whole matches


@law("facts", "A game defines its facts, and raises OptionsError for options, numbers of players and seeds that it doesn't allow.")
def facts(trial: Trial) -> None:
    game, table = trial.game, trial.table
    if game.name != table.game:
        broken(f"its name is {game.name!r:.60}, but it is registered as '{table.game}'")
    if type(game.rules_version) is not int or game.rules_version < 1:
        broken(f"its rules_version must be an integer of 1 or more, not {game.rules_version!r:.60}")
    least, most = game.min_players, game.max_players
    if type(least) is not int or type(most) is not int or not 1 <= least <= most:
        broken(f"it is for {least!r:.30} to {most!r:.30} players; min_players must be at least 1 and at most max_players")
    if not isinstance(game.chance_events, frozenset) or any(type(word) is not str or " " in word for word in game.chance_events):
        broken(f"its chance_events must be a frozenset with the first word of each kind of chance event, not {game.chance_events!r:.60}")
    for name, value in game.options.items():
        items = value if isinstance(value, tuple) else (value,)
        if type(name) is not str or any(type(item) not in {int, str, bool, float} for item in items):
            broken(f"its option {name!r:.60} is {value!r:.60}; it must be a string, a number, a boolean or a tuple of these")
    missing = set(table.options) - set(game.options)
    if missing:
        broken(f"'options' leaves out '{min(missing)}', which was given; it must contain every option, including defaults")
    again = find_game(table.game, game.options)
    if again != game or hash(again) != hash(game):
        broken("a game created from its 'options' is different, or has a different hash")
    for players in (least - 1, most + 1, -1):
        require_error(OptionsError, partial(game.new, players, 0), f"new({players}, 0) of a game for {least} to {most} players")
    require_error(OptionsError, partial(game.new, table.players, -1), "new with the seed -1")
    require_error(OptionsError, partial(find_game, table.game, {**table.options, "no such option": 1}), "an unknown option")
    for name, value in game.options.items():
        wrong: OptionValue = "no such value" if isinstance(value, tuple) else (7, 7)
        require_error(OptionsError, partial(find_game, table.game, {**table.options, name: wrong}), f"{name}={wrong!r}")


@law("plays", "A match of random legal moves raises no error, and ends.")
def plays(trial: Trial) -> None:
    trial.at = len(trial.moves)
    if trial.failure is not None:
        raise trial.failure
    if not trial.is_over:
        broken(f"the match is not over after {len(trial.moves)} random moves; a game must end, if necessary by a limit on decisions")


@law("replay", "A recorded match can be written, read back unchanged, and verified.")
def replay(trial: Trial) -> None:
    if not trial.is_over:
        raise SkipError("no random match has ended")
    state = trial.new()
    recorder = Recorder(trial.game, trial.seed, tuple(f"random {seat}" for seat in range(trial.table.players)))
    for actor, move, legal in trial.steps(state):
        recorder.record(actor, move, legal, state)
    first = recorder.finish(state)
    read = read_replay(write_replay(first))
    if read != first:
        name = next((name for name in Replay.__slots__ if getattr(read, name) != getattr(first, name)), "options")
        broken(f"the replay is different after reading: {name} is {getattr(read, name)!r:.60}, not {getattr(first, name)!r:.60}")
    verify_replay(read)


# Moves


@law("moves", "A seat has to decide until the game is over; list_moves returns its legal moves, each once and always in the same order.")
def moves(trial: Trial) -> None:
    for state in trial.walk():
        who, listed, end = state.actor, list(state.list_moves()), state.outcome
        if state.players != trial.table.players or not (who is None or (type(who) is int and 0 <= who < state.players)):
            broken(f"the actor is {who!r:.60} and 'players' is {state.players!r:.60} in a match with {trial.table.players} players")
        if (who is None) != (end is not None):
            broken(f"the actor is {who}, but the outcome is {end!r:.60}: there must be an outcome if and only if nobody has to decide")
        if (who is None) != (not listed):
            broken(f"the actor is {who}, but there are {len(listed)} legal moves")
        if state.count_moves() != len(listed):
            broken(f"count_moves is {state.count_moves()}, but list_moves returns {len(listed)} moves")
        if other := next((move for move in listed if not isinstance(move, Move)), None):
            broken(f"list_moves returns {other!r:.80}, which is not an engine.Move")
        if any(list(again) != listed for again in (state.list_moves(), state.legal_moves, map(state.move_at, range(len(listed))))):
            broken("list_moves returns a different list the second time, or legal_moves and move_at differ from it")
        if len(set(listed)) != len(listed) or len(set(map(str, listed))) != len(listed):
            broken("list_moves returns a move twice, or two moves with the same notation")
        if listed and (state.random_move(Random(trial.at)) != (drawn := state.random_move(Random(trial.at))) or drawn not in listed):
            broken(f"random_move returns '{drawn}', which is not legal, or returns a different move for an equal rng")


@law("legality", "is_legal is true for exactly the moves in the list; play refuses all others and leaves the state unchanged.")
def legality(trial: Trial) -> None:
    rng = Random(trial.seed)
    for state in trial.walk():
        listed = state.list_moves()
        others = [move for move in trial.other_moves if move not in set(listed)]
        for move in _some(listed, rng):
            if state.is_legal(move) is not True:
                broken(f"is_legal is false for '{move}', which is in the list")
        for move in (*_some(others, rng), ForeignMove()):
            if state.is_legal(move) is not False:
                broken(f"is_legal is true for '{move}', which is not in the list")
        before = snapshot(state), state.key, state.outcome
        for move in rng.sample(others, min(len(others), 3)):
            require_error(IllegalMoveError, partial(state.play, move), f"playing the illegal move '{move}'")
        require_error(InvalidMoveError, partial(state.play, ForeignMove()), "playing a move of a different game")
        require_same(before[0], state, "a refused move changes the state")
        if (before[1], before[2]) != (state.key, state.outcome):
            broken(f"a refused move changes the key or outcome from {before[1:]} to {(state.key, state.outcome)}")


@law("notation", "A move is written as one printable line, which parse reads back as an equal move; parse refuses other texts.")
def notation(trial: Trial) -> None:
    rng = Random(trial.seed)
    for state in trial.walk():
        legal = state.list_moves()
        for move in _some(legal, rng):
            text = str(move)
            if not text or not text.isprintable() or text.strip() != text:
                broken(f"{text!r:.80} is not a notation: it must be one printable line, without spaces around it")
            read = trial.game.parse(text)
            if read != move or hash(read) != hash(move) or str(read) != text:
                broken(f"parse reads '{text}' as '{read}', which is not equal to the move, or has a different hash")
    for text in _NO_MOVES:
        try:
            read = trial.game.parse(text)
        except InvalidMoveError:
            continue
        if str(read) != text or (read not in legal and state.is_legal(read)):
            broken(f"parse reads {text!r:.60} as '{read}'; a text that is not a move must raise InvalidMoveError")


# Positions


def _goes_on(trial: Trial, what: str, again: Callable[[State], State]) -> None:
    """Raise LawError unless ``again(state)`` equals the state and continues in the same way, and changing one doesn't change the other."""
    waiting: tuple[Snapshot, State] | None = None
    played_on = range(0, max(len(trial.moves), 1), max(len(trial.moves) // _FEW, 1))
    for state in trial.walk():
        if waiting is not None:
            require_same(*waiting, f"{what} changes when moves are played on its original")
        before = snapshot(state)
        one = again(state)
        waiting = before, again(state)
        require_same(before, one, f"{what} is a different position")
        if type(one) is not type(state) or one != state or not (one == state):  # noqa: SIM201  # both operators may be overridden
            broken(f"{what} has the same text, but is not equal")
        for name in ("key", "outcome", "players", "read_only", "game"):
            if getattr(one, name) != getattr(state, name):
                broken(f"{what} has a different {name}: {getattr(one, name)!r:.60} instead of {getattr(state, name)!r:.60}")
        if one.tally() != state.tally():
            broken(f"{what} has a different tally: {one.tally()!r:.60} instead of {state.tally()!r:.60}")
        trial.go_on(one, 60 if trial.at in played_on else 1)
        require_same(before, state, f"playing on {what} changes the original")


@law("copy", "A copy equals its original and continues in the same way, including chance; changing one doesn't change the other.")
def copy(trial: Trial) -> None:
    _goes_on(trial, "a copy", lambda state: state.copy())


@law("pickle", "An unpickled state equals its original and continues in the same way.")
def pickled(trial: Trial) -> None:
    _goes_on(trial, "the unpickled state", lambda state: pickle.loads(pickle.dumps(state)))  # noqa: S301  # our own bytes


@law("text", "game.position(state.text) is an equal state that continues in the same way; other texts raise PositionError.")
def text(trial: Trial) -> None:
    def read(state: State) -> State:
        again: State = trial.game.position(state.text)
        again.events = state.events  # they are not part of the position
        return again

    _goes_on(trial, "the state read from its text", read)
    rng = Random(trial.seed)
    damaged = list(_NO_POSITIONS)
    keys: dict[int, str] = {}
    for state in trial.walk():
        whole = state.text
        if keys.setdefault(state.key, whole) != whole:
            broken(f"an earlier, different position has the same key {state.key}")
        at = rng.randrange(len(whole) + 1)
        damaged += [whole[:at], whole[:at] + rng.choice("0z{ ") + whole[at + 1 :]]
    for each in damaged:
        try:
            trial.game.position(each)
        except PositionError:
            continue
        except Exception as error:
            raise LawError(f"position({each!r:.60}) raises {type(error).__name__} ({error}), not PositionError") from error


@law("figures", "Events are printable lines; tally and outcome have a number for each seat; ranks are the result of shared_ranks.")
def figures(trial: Trial) -> None:
    for state in trial.walk(200):
        for shown in (state.events, *(state.events_for(seat) for seat in range(-1, state.players))):
            for event in shown:
                if not event or not event.isprintable():
                    broken(f"the events contain {event!r:.60}, which is not a printable line")
                if event.split(" ", 1)[0] in {"chose", "known"}:
                    broken(f"the events contain '{event:.60}'; 'chose' and 'known' are reserved for the news of choices and positions")
        for position in (state, state.view(0).position):
            for name, numbers in position.tally().items():
                if len(numbers) != state.players or any(type(number) not in {int, float} for number in numbers):
                    broken(f"the tally '{name}' is {numbers!r:.60}, not one number for each of {state.players} seats")
        if state.outcome is not None:
            _check_outcome(state.outcome, state.players)


def _check_outcome(end: Outcome, players: int) -> None:
    if len(end.scores) != players or not all(type(score) in {int, float} and isfinite(score) for score in end.scores):
        broken(f"the scores are {end.scores!r:.60}, not one finite number for each of {players} seats")
    shared = tuple(1 + sum(other < rank for other in end.ranks) for rank in end.ranks)
    if end.ranks != shared or len(end.ranks) != players:
        broken(f"the ranks are {end.ranks}; tied seats must share the better rank, as in {shared}")
    if not str(end.ending).isprintable() or not str(end.ending):
        broken(f"the ending must be a printable word for the reason, not {end.ending!r:.60}")


@law("chance", "The chance events after a move are listed with probabilities that add up to 1, and each happens when resolve forces it.")
def chance(trial: Trial) -> None:
    rng = Random(trial.seed)
    for state in trial.walk(_FEW, has_end=False):
        before = snapshot(state)
        listed = state.list_moves()
        for move in (trial.moves[trial.at], *(rng.sample(list(listed), _FEW // 2) if len(listed) > _FEW else listed)):
            try:
                state.chance(move)
            except PositionError as error:
                raise SkipError(str(error)) from None
            given = _resolved(state, move, rng)
            one, other = state.copy(), state.copy()
            for each in (one, other):
                each.resolve(given)
                each.play(move)
            require_same(one, other, f"the same events after '{move}' lead to different positions")
        require_same(before, state, "calling chance changes the state")


def _resolved(state: State, move: Move, rng: Random) -> tuple[str, ...]:
    """Draw and return the chance events of a move, checking every outcome on the way."""
    given: tuple[str, ...] = ()
    for _ in range(_STAGES):
        outcomes = state.chance(move, given)
        if not outcomes:
            break
        where = f"after '{move}'{f' and {list(given)}' if given else ''}"
        events = [event for event, _ in outcomes]
        if len(set(events)) != len(events) or not all(event and event.isprintable() for event in events):
            broken(f"the outcomes {where} are not distinct printable lines: {events!r:.80}")
        if min(each.probability for each in outcomes) <= 0 or abs(sum(each.probability for each in outcomes) - 1) > 1e-9:
            broken(f"the probabilities {where} must be above 0 and add up to 1, not {[each.probability for each in outcomes]!r:.80}")
        for event in events if len(events) <= _FEW else rng.sample(events, _FEW):
            after = state.copy()
            after.resolve((*given, event))
            after.play(move)
        given = (*given, rng.choice(events))
    return given


FIRST: Final[tuple[Law, ...]] = (facts, plays)
LAWS: Final[tuple[Law, ...]] = (moves, legality, notation, copy, text, pickled, figures, chance, replay)
