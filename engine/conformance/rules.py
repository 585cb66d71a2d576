"""Laws about the rules: a game's facts, its moves, its positions, chance, and verifiable replays."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any, Final, final

from engine.conformance.trials import Law, LawError, SkipError, Snapshot, Trial, broken, law, require_same, snapshot
from engine.core import EngineError, IllegalMoveError, InvalidMoveError, Move, OptionsError, OptionValue, Outcome, PositionError, State
from engine.records import Replay
from engine.registry import find_game
from engine.replay.format import Recorder, read_replay, write_replay
from engine.replay.verifier import DisagreementError, verify_replay

_MANY: Final = 60
"""How many of a position's moves are checked one by one."""
_DRAWS: Final = 60
"""The average number of draws of each move of a position; only one in a million correct games deviates from it by three quarters."""
_NO_MOVES: Final = ("", " ", "\x00", "no such move", "-1", "{}", "x" * 500, "\u2603")
"""Texts that are moves of hardly any game."""
_NO_POSITIONS: Final = ("", " ", "\x00", "nonsense", "{}", "[]", "null", "\ud800", "9" * 400)
_FEW: Final = 6
"""How many positions of a game are played on from."""
_STAGES: Final = 60
"""How many events of a move are looked at, one after the other."""


@final
class ForeignMove(Move):
    """A move of no game."""

    def __str__(self) -> str:
        return "a move of another game"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 0


def _some(items: Sequence[Move], rng: Random) -> Sequence[Move]:
    """Return the items, or some of them where there are many."""
    return items if len(items) <= _MANY else [*items[:5], *rng.sample(list(items), _MANY - 10), *items[-5:]]


# Facts, and the whole game


@law("facts", "A game states its facts, and raises OptionsError for options, numbers of players and seeds that it does not allow.")
def facts(trial: Trial) -> None:
    game, table = trial.game, trial.table
    if game.name != table.game:
        broken(f"its name is {game.name!r:.60}, but it is registered as '{table.game}'")
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
    missing = set(table.options) - set(game.options)
    if missing:
        broken(f"'options' leaves out '{min(missing)}', which was given: it is every option, defaults written out")
    again = find_game(table.game, game.options)
    if again != game or hash(again) != hash(game):
        broken("made again with the options that it states, it is a different game, or has a different hash")
    for players in (least - 1, most + 1, -1):
        _refuses(partial(game.new, players, 0), f"new({players}, 0), though it is for {least} to {most},")
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


@law("plays", "A game of random legal moves raises no error, and ends.")
def plays(trial: Trial) -> None:
    trial.at = len(trial.decisions)
    if trial.failure is not None:
        raise trial.failure
    if not trial.is_over:
        broken(f"after {len(trial.moves)} random moves it is not over; a game must end, if need be by a rule that counts decisions")


@law("replay", "A match that is recorded, written and read again is the same, and verifies.")
def replay(trial: Trial) -> None:
    trial.whole()
    state = trial.new()
    recorder = Recorder(trial.game, trial.seed, tuple(f"random {seat}" for seat in range(trial.table.players)))
    for actor, move, legal in trial.steps(state):
        recorder.record(actor, move, legal, state)
    first = recorder.finish(state)
    read = read_replay(write_replay(first))
    if read != first:
        name = next((name for name in Replay.__slots__ if getattr(read, name) != getattr(first, name)), "options")
        broken(f"the replay is different after reading: {name} {getattr(read, name)!r:.60} against {getattr(first, name)!r:.60}")
    try:
        verify_replay(read)
    except DisagreementError as error:
        raise LawError(f"the replay of a game that was just played does not verify: {error}") from error


# Moves


@law("moves", "A seat has to decide exactly until the game is over; list_moves gives its moves, each once and always in the same order.")
def moves(trial: Trial) -> None:
    for state in trial.walk():
        who, listed, end = state.actor, list(state.list_moves()), state.outcome
        if who is not None and (type(who) is not int or not 0 <= who < state.players):
            broken(f"the actor is {who!r:.60}, which is not one of the seats 0 to {state.players - 1}")
        if (who is None) != (end is not None):
            broken(f"the actor is {who}, but the outcome is {end!r:.60}: there is an outcome exactly when nobody has to decide")
        if (who is None) != (not listed):
            broken(f"the actor is {who}, and there are {len(listed)} legal moves")
        if state.players != trial.table.players:
            broken(f"'players' is {state.players!r:.60} in a game of {trial.table.players}")
        if state.count_moves() != len(listed):
            broken(f"count_moves is {state.count_moves()}, but the list has {len(listed)}")
        for move in listed:
            if not isinstance(move, Move):
                broken(f"list_moves gives {move!r:.80}, which is not an engine.Move")
        if any(list(again) != listed for again in (state.list_moves(), state.legal_moves, map(state.move_at, range(len(listed))))):
            broken("list_moves gives a different list the second time, or legal_moves or move_at do")
        for name, number in Counter(map(str, listed)).items():
            if number > 1:
                broken(f"list_moves has '{name}' twice")
        if len(set(listed)) != len(listed):
            broken("list_moves has two moves that are equal, though they are written differently")


@law("legality", "is_legal is true for just the moves in the list; play refuses all others, and leaves the state as it was.")
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
        tried = [others[0], others[len(others) // 2], others[-1]] if others else []
        for move in (*tried, *_read(trial, "no such move", listed)):
            _refused(state, move, IllegalMoveError, f"'{move}', which is not legal,")
        _refused(state, ForeignMove(), InvalidMoveError, "a move of another game")


def _read(trial: Trial, text: str, legal: Sequence[Move]) -> tuple[Move, ...]:
    """Return the move that the game reads in the text, or nothing if it refuses the text or the move is legal."""
    try:
        move: Move = trial.game.parse(text)
    except InvalidMoveError:
        return ()
    return () if move in legal else (move,)


def _refused(state: State, move: Move, expected: type[EngineError], what: str) -> None:
    before = snapshot(state), state.key, state.outcome
    try:
        state.play(move)
    except expected:
        pass
    except Exception as error:
        detail = "" if isinstance(error, EngineError) else f" ({error})"
        raise LawError(f"playing {what} raises {type(error).__name__}{detail}, not {expected.__name__}") from error
    else:
        broken(f"{what} is played without an error")
    after = snapshot(state), state.key, state.outcome
    if after != before:
        difference = before[0].difference(after[0]) or f"the key or outcome {before[1:]} against {after[1:]}"
        broken(f"playing {what} is refused, but changes the state: {difference}")


@law("random-move", "random_move gives each legal move equally often, and equal ones for equal rngs.")
def random_move(trial: Trial) -> None:
    is_counted = False
    for state in trial.walk(has_end=False):
        listed = list(state.list_moves())
        move, again = state.random_move(Random(trial.at)), state.random_move(Random(trial.at))
        if move not in listed:
            broken(f"random_move gives '{move}', which is not legal")
        if move != again:
            broken("random_move gives different moves for equal rngs")
        if not is_counted and 2 <= len(listed) <= 12:
            is_counted = True
            rng = Random(trial.seed)
            drawn = Counter(state.random_move(rng) for _ in range(_DRAWS * len(listed)))
            for move in listed:
                if abs(drawn[move] - _DRAWS) > _DRAWS * 3 // 4:
                    broken(f"random_move gives '{move}' {drawn[move]} times in {_DRAWS * len(listed)}, not about {_DRAWS} times")


@law("notation", "A move is written as one printable line, and parse reads it back as an equal move, and nothing else.")
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
            broken(f"parse reads {text!r:.60} as '{read}'; a text that is not a notation must raise InvalidMoveError")


# Positions


def _alike(state: State, other: State, what: str) -> None:
    if type(other) is not type(state):
        broken(f"{what} is a {type(other).__name__}, not a {type(state).__name__}")
    require_same(state, other, f"{what} is another position")
    if other != state or not (other == state):  # noqa: SIM201  # both operators may be overridden
        broken(f"{what} has the same text, but is not equal")
    for name in ("key", "outcome", "players", "read_only", "game"):
        one, two = getattr(state, name), getattr(other, name)
        if one != two:
            broken(f"{what} has a different {name}: {one!r:.60} against {two!r:.60}")
    if state.tally() != other.tally():
        broken(f"{what} has a different tally: {state.tally()!r:.60} against {other.tally()!r:.60}")


def _played_on(trial: Trial) -> range:
    """Return the numbers of decisions after which a law plays on, evenly spread."""
    return range(0, max(len(trial.moves), 1), max(len(trial.moves) // _FEW, 1))


@law("copy", "A copy equals its original, goes on in the same way, chance included, and neither changes with the other.")
def copy(trial: Trial) -> None:
    waiting: list[tuple[State, Snapshot]] = []
    for state in trial.walk():
        for other, before in waiting:
            require_same(before, other, "a copy changes when its original is played on")
        before = snapshot(state)
        one = state.copy()
        _alike(state, one, "a copy")
        waiting = [(state.copy(), before)]
        if trial.at in _played_on(trial):
            trial.go_on(one)
        elif trial.at < len(trial.moves):
            one.play(trial.moves[trial.at])
        require_same(before, state, "playing on a copy changes the original")


@law("text", "game.position(state.text) is an equal state that goes on in the same way; other texts raise PositionError.")
def text(trial: Trial) -> None:
    rng = Random(trial.seed)
    damaged = list(_NO_POSITIONS)
    for state in trial.walk():
        whole = state.text
        if not isinstance(whole, str):
            broken(f"text is a {type(whole).__name__}")
        read = trial.game.position(whole)
        events, read.events = read.events, state.events  # they are not part of the position
        if events and events != state.events:
            broken("a position that was read from its text has events of its own")
        _alike(state, read, "the position that was read from its text")
        if trial.at in _played_on(trial):
            trial.go_on(read)
            at = rng.randrange(len(whole) + 1)
            damaged += [whole[:at], *(whole[:at] + sign + whole[at + 1 :] for sign in "0z{ ")]
    for each in damaged:
        try:
            read = trial.game.position(each)
        except PositionError:
            continue
        except Exception as error:
            raise LawError(f"position({each!r:.60}) raises {type(error).__name__} ({error}), not PositionError") from error
        if not isinstance(read, State):
            broken(f"position({each!r:.60}) gives a {type(read).__name__}; a text that is not a position must raise PositionError")


@law("key", "Equal positions have equal 64-bit keys, and different ones have different keys and are not equal.")
def key(trial: Trial) -> None:
    known: dict[int, str] = {}
    first = trial.new()
    for state in trial.walk(60):
        number, whole = state.key, state.text
        if type(number) is not int or not -(1 << 63) <= number < 1 << 64:
            broken(f"the key is {number!r:.60}, which is not a 64-bit integer")
        if known.setdefault(number, whole) != whole:
            broken(f"the key {number} is that of an earlier, different position, too")
        if (whole != first.text) != (state != first):
            broken("a position is equal to the first one, though their texts differ, or the other way round")


@law("pickle", "States, views, moves, outcomes and games survive pickling.")
def pickled(trial: Trial) -> None:
    _again(trial.game, "the game")
    for state in trial.walk(12):
        back = _again(state, "the state")
        _alike(state, back, "the unpickled state")
        if trial.at in _played_on(trial):
            trial.go_on(back, 20)
        if not _again(state.view(0), "the view").position.read_only:
            broken("an unpickled view may be played on")
        for thing in (*state.list_moves()[:5], state.outcome):
            _again(thing, "a move or outcome")


def _again(thing: Any, what: str) -> Any:  # whatever is pickled
    back = pickle.loads(pickle.dumps(thing))  # noqa: S301  # our own bytes
    if back != thing:
        broken(f"{what} is another one after pickling")
    if type(thing).__hash__ is not None and hash(back) != hash(thing):
        broken(f"{what} has another hash after pickling")
    return back


@law("figures", "Events are printable lines; tally and outcome have numbers for each seat, and ranks are as shared_ranks gives them.")
def figures(trial: Trial) -> None:
    for state in trial.walk(200):
        for seat in (None, -1, *range(state.players)):
            shown = state.events if seat is None else state.events_for(seat)
            name = "events" if seat is None else f"events_for({seat})"
            if not isinstance(shown, tuple):
                broken(f"{name} is a {type(shown).__name__}; it is a tuple")
            for event in shown:
                if not isinstance(event, str) or not event or not event.isprintable():
                    broken(f"{name} has {event!r:.60}, which is not a printable line")
                if event.split(" ", 1)[0] in {"chose", "known"}:
                    broken(f"{name} has '{event:.60}'; that word begins the news of choices and positions")
        for position in (state, state.view(0).position):
            for name, numbers in position.tally().items():
                if not isinstance(name, str) or len(numbers) != state.players:
                    broken(f"the tally '{name}' has {len(numbers)} numbers for {state.players} seats")
                if any(type(number) not in {int, float} for number in numbers):
                    broken(f"the tally '{name}' is {numbers!r:.60}, which are not all numbers")
        if state.outcome is not None:
            _check_outcome(state.outcome, state.players)


def _check_outcome(end: Outcome, players: int) -> None:
    if not isinstance(end, Outcome):
        broken(f"the outcome is {end!r:.60}, not an engine.Outcome")
    if len(end.scores) != players or len(end.ranks) != players:
        broken(f"there are {len(end.scores)} scores and {len(end.ranks)} ranks for {players} seats")
    for score in end.scores:
        if type(score) not in {int, float} or score != score or abs(score) == float("inf"):  # noqa: PLR0124  # only NaN is not itself
            broken(f"the score {score!r:.60} is not a finite number")
    shared = tuple(1 + sum(other < rank for other in end.ranks) for rank in end.ranks)
    if tuple(end.ranks) != shared or not isinstance(end.ranks, tuple) or not isinstance(end.scores, tuple):
        broken(f"the ranks are {end.ranks}; tied seats share the better rank and the next one counts them, as in {shared}")
    word = str(end.ending)
    if not word or not word.isprintable():
        broken(f"the ending is {word!r:.60}, which is not a word for the reason")


@law("chance", "What chance may do after a move is listed with probabilities that add up to 1, and each event happens when it is resolved.")
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
        require_same(before, state, "asking for chance changes the state")


def _resolved(state: State, move: Move, rng: Random) -> tuple[str, ...]:
    """Draw the events of chance that follow a move, checking every outcome on the way; return the events."""
    given: tuple[str, ...] = ()
    for _ in range(_STAGES):
        outcomes = state.chance(move, given)
        if not outcomes:
            break
        where = f"after '{move}'{f' and {list(given)}' if given else ''}"
        events = [event for event, _ in outcomes]
        if len(set(events)) != len(events) or not all(event and event.isprintable() for event in events):
            broken(f"the outcomes {where} are not different printable lines: {events!r:.80}")
        if min(each.probability for each in outcomes) <= 0 or abs(sum(each.probability for each in outcomes) - 1) > 1e-9:
            broken(f"the probabilities {where} are not all above 0 with a sum of 1: {[each.probability for each in outcomes]!r:.80}")
        for event in events if len(events) <= _FEW else rng.sample(events, _FEW):
            after = state.copy()
            after.resolve((*given, event))
            after.play(move)
        given = (*given, rng.choice(events))
    return given


FIRST: Final[tuple[Law, ...]] = (facts, plays)
LAWS: Final[tuple[Law, ...]] = (moves, legality, random_move, notation, copy, text, key, figures, chance, pickled, replay)
