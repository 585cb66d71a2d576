"""Laws about one position: copies, texts, keys, pickles, and its descriptions of itself."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any, Final

from engine.conformance.trials import Law, LawError, SkipError, Snapshot, Trial, broken, law, require_same, snapshot
from engine.core import Move, Outcome, PositionError, State

_FEW: Final = 6
"""How many positions of a game are played on from."""
_STAGES: Final = 60
"""How many events of a move are looked at, one after the other."""
_NO_POSITIONS: Final = ("", " ", "\x00", "nonsense", "{}", "[]", "null", "\ud800", "9" * 400)


def _alike(state: State, other: State, what: str) -> None:
    if type(other) is not type(state):
        broken(f"{what} is a {type(other).__name__}, not a {type(state).__name__}")
    require_same(state, other, f"{what} is another position")
    if other != state or not (other == state):  # noqa: SIM201  # both operators may be overridden
        broken(f"{what} has the same text, but is not equal")
    for name in ("key", "outcome", "players", "read_only", "game"):
        one, two = getattr(state, name), getattr(other, name)
        if one != two:
            broken(f"{what}has a different {name}: {one!r:.60} against {two!r:.60}")
    if repr(state) != repr(other):
        broken(f"{what} has a different repr: {state!r:.60} against {other!r:.60}")
    if state.tally() != other.tally():
        broken(f"{what} has a different tally: {state.tally()!r:.60} against {other.tally()!r:.60}")


@law("copy", "A copy equals its original, goes on in the same way, chance included, and neither changes with the other.")
def copy(trial: Trial) -> None:
    waiting: list[tuple[State, Snapshot]] = []
    few = {*range(0, len(trial.moves), max(len(trial.moves) // _FEW, 1))}
    for state in trial.walk():
        for other, before in waiting:
            require_same(before, other, "a copy changes when its original is played on")
        before = snapshot(state)
        one = state.copy()
        _alike(state, one, "a copy")
        waiting = [(state.copy(), before)]
        if trial.at in few:
            trial.go_on(one)
        elif trial.at < len(trial.moves):
            one.play(trial.moves[trial.at])
        require_same(before, state, "playing on a copy changes the original")


@law("text", "game.position(state.text) is an equal state with the same legal moves, which goes on in the same way.")
def text(trial: Trial) -> None:
    few = {*range(0, len(trial.moves), max(len(trial.moves) // _FEW, 1))}
    for state in trial.walk():
        if not isinstance(state.text, str):
            broken(f"text is a {type(state.text).__name__}")
        read = trial.game.position(state.text)
        events, read.events = read.events, state.events  # they are not part of the position
        if events and events != state.events:
            broken("a position that was read from its text has events of its own")
        _alike(state, read, "the position that was read from its text")
        if trial.at in few:
            trial.go_on(read)


@law("bad-text", "game.position raises PositionError for a text that is not a position.")
def bad_text(trial: Trial) -> None:
    rng = Random(trial.seed)
    texts = list(_NO_POSITIONS)
    for state in trial.walk(4):
        whole = state.text
        for _ in range(8):
            at = rng.randrange(len(whole) + 1)
            texts += [whole[:at], whole[:at] + rng.choice("0-9z{\n ") + whole[at + 1 :]]
    for each in texts:
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
        if trial.game.position(whole).key != number or state.copy().key != number:
            broken("an equal position, read from the text or copied, has a different key")
        if (whole != first.text) != (state != first):
            broken("a position is equal to the first one, though their texts differ, or the other way round")


@law("pickle", "States, views, moves, outcomes and games survive pickling.")
def pickled(trial: Trial) -> None:
    _again(trial.game, "the game")
    for state in trial.walk(12):
        back = _again(state, "the state")
        _alike(state, back, "the unpickled state")
        if trial.at % 3 == 0:
            trial.go_on(back, 20)
        for seat in range(state.players):
            view = state.view(seat)
            known = _again(view, "the view")
            if known.seat != seat or not known.position.read_only:
                broken("an unpickled view has another seat or may be played on")
        for move in state.list_moves()[:5]:
            _again(move, "the move")
        if state.outcome is not None:
            _again(state.outcome, "the outcome")


def _again(thing: Any, what: str) -> Any:  # whatever is pickled
    back = pickle.loads(pickle.dumps(thing))  # noqa: S301  # our own bytes
    if back != thing:
        broken(f"{what} is another one after pickling")
    if type(thing).__hash__ is not None and hash(back) != hash(thing):
        broken(f"{what} has another hash after pickling")
    return back


@law("events", "Events are texts of one printable line each, for all and for each seat.")
def events(trial: Trial) -> None:
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


@law("tally", "tally has for each name one number for each seat, on views as well.")
def tally(trial: Trial) -> None:
    for state in trial.walk(12):
        for position in (state, *(state.view(seat).position for seat in range(state.players))):
            for name, numbers in position.tally().items():
                if not isinstance(name, str) or len(numbers) != state.players:
                    broken(f"the tally '{name}' has {len(numbers)} numbers for {state.players} seats")
                if any(type(number) not in {int, float} for number in numbers):
                    broken(f"the tally '{name}' is {numbers!r:.60}, which are not all numbers")


@law("outcome", "An outcome has a score and a rank for each seat, ranks as shared_ranks gives them, and a word for the ending.")
def outcome(trial: Trial) -> None:
    trial.whole()
    state = trial.state_at(len(trial.moves))
    trial.at = len(trial.moves)
    end = state.outcome
    if not isinstance(end, Outcome):
        broken(f"the outcome is {end!r:.60}, not an engine.Outcome")
    if len(end.scores) != state.players or len(end.ranks) != state.players:
        broken(f"there are {len(end.scores)} scores and {len(end.ranks)} ranks for {state.players} seats")
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


@law("playout", "playout plays what random_move and play would.")
def playout(trial: Trial) -> None:
    trial.whole()
    for state in trial.walk(_FEW):
        one, other = state.copy(), state.copy()
        result = one.playout(Random(trial.at))
        rng = Random(trial.at)
        while other.actor is not None:
            other.play(other.random_move(rng))
        if result != other.outcome or one != other:
            broken(f"playout ends with {result!r:.80}, the same random moves one by one with {other.outcome!r:.80}")


LAWS: Final[tuple[Law, ...]] = (copy, text, bad_text, key, events, tally, outcome, chance, playout, pickled)
