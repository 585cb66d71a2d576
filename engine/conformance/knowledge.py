"""Laws about what seats may know (views, samples of views, observers of a match), and about optional parts of a plug-in."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any, Final
from xml.etree import ElementTree

from engine.conformance.rules import ForeignMove
from engine.conformance.trials import Law, SkipError, Trial, broken, law, require_error, require_same, snapshot
from engine.core import Move, ReadOnlyError, State, View
from engine.core.observer import Chronicle, Observer
from engine.registry import find_part
from engine.render.drawing import describe_move, drawer_of, svg

_FEW: Final = 8


def _require_same_view(one: View[State], other: View[State], sentence: str) -> None:
    for name, mine, theirs in zip(("text", "key", "actor", "outcome", "tally", "legal moves"), _figures(one), _figures(other), strict=True):
        if mine != theirs:
            broken(f"{sentence}: {name} is {mine!r:.100} in one, {theirs!r:.100} in the other")
    if one != other or not (one == other):  # noqa: SIM201  # both operators may be overridden
        broken(f"{sentence}: they are not equal, although their texts are")


def _figures(view: View[State]) -> tuple[object, ...]:
    """Return the parts of a view that are compared. Only the view of the seat that has to decide includes legal moves."""
    moves = list(map(str, view.legal_moves)) if view.seat == view.actor else []
    return view.position.text, view.key, view.actor, view.outcome, view.position.tally(), moves


def _sampled_views(state: State) -> list[View[State]]:
    """Return the views that can be sampled; in a game that sends positions, a spectator may know too little for that."""
    facts: Any = state.game
    if not facts.can_sample:
        raise SkipError("the game says that its views can't be sampled")
    return [state.view(seat) for seat in (*range(state.players), *(() if facts.sends_positions else (-1,)))]


@law("view", "A view is a read-only snapshot that later moves don't change; it has the legal moves of the seat that has to decide.")
def view(trial: Trial) -> None:
    waiting: list[tuple[View[State], str]] = []
    for state in trial.walk():
        for earlier, text in waiting:
            if earlier.position.text != text:
                broken(f"the view of seat {earlier.seat} changes when more moves are played on the state")
        before = snapshot(state)
        views = [state.view(seat) for seat in (*range(state.players), -1)]
        require_same(before, state, "taking a view changes the state")
        waiting = [(each, each.position.text) for each in views]
        for each in views:
            if (each.players, each.actor, each.outcome, each.game) != (state.players, state.actor, state.outcome, state.game):
                broken(f"the view of seat {each.seat} differs from the state in its number of players, actor, outcome or game")
            _require_same_view(each, each.position.view(each.seat), f"the view of seat {each.seat}, taken again, is different")
            for move in (*state.list_moves()[:1], ForeignMove()):
                require_error(ReadOnlyError, partial(each.position.play, move), f"playing on the view of seat {each.seat}")
        if state.actor is not None and list(views[state.actor].legal_moves) != list(state.list_moves()):
            broken(f"the view of seat {state.actor}, which has to decide, has different legal moves from the state")


@law("sample", "A sample of a view is a whole state with the same view, so the view leaks nothing; a sample can be played to the end.")
def sample(trial: Trial) -> None:
    played_on = {0, len(trial.moves) // 2, len(trial.moves)}
    for state in trial.walk():
        for each in _sampled_views(state):
            text = each.position.text
            one, same = each.sample(Random(trial.at)), each.sample(Random(trial.at))
            require_same(one, same, f"two samples of the view of seat {each.seat} with equal rngs differ")
            _require_same_view(each, one.view(each.seat), f"the view of seat {each.seat} depends on something that the seat can't know")
            if one.read_only or one.text != trial.game.position(one.text).text:
                broken(f"a sample of the view of seat {each.seat} is read-only, or can't be read back from its text")
            if trial.at in played_on:
                one.playout(Random(0))
            if each.position.text != text:
                broken(f"taking a sample changes the view of seat {each.seat}")


@law("sample-varies", "Samples of a view differ from the true state as long as the seed still decides something.")
def sample_varies(trial: Trial) -> None:
    if not trial.game.can_sample:
        raise SkipError("the game says that its views can't be sampled")
    varies = _varies(trial)
    trial.at = 0
    if not varies and _seed_matters(trial):
        broken(
            "the seed decides later events, but every sample of every view continues exactly like the true position: "
            "either redact leaves something in the view that reveals them, or determinize restores it"
        )


def _varies(trial: Trial) -> bool:
    for state in trial.walk(_FEW, has_end=False):
        assert state.actor is not None, "a walk without its end has no position that is over"
        known = state.view(state.actor)
        true = _story(trial.state_at(trial.at), trial)
        if any(_story(known.sample(Random(number)), trial) != true for number in range(9)):
            return True
    return False


def _seed_matters(trial: Trial) -> bool:
    """Return whether the same moves lead to a different continuation with a different seed.

    A different visible setup doesn't count: the first actor must see the same setup with both seeds, or seats must see different setups.
    """
    start = trial.new()
    has_secrets = len({start.view(seat).position.text for seat in (*range(start.players), -1)}) > 1
    for number in range(1, 10):
        other = trial.game.new(trial.table.players, trial.seed + 1000 * number)
        is_same = start.actor is not None and other.view(start.actor) == start.view(start.actor)
        if (is_same or has_secrets) and _story(other, trial) != _story(trial.new(), trial):
            return True
    return False


def _story(state: State, trial: Trial) -> list[tuple[object, ...]]:
    """Play the recorded moves while they are legal; return the actor, the number of legal moves and the events at each position."""
    story: list[tuple[object, ...]] = []
    for move in trial.moves[trial.at : trial.at + 60]:
        story.append((state.actor, state.count_moves(), state.events))
        if not state.is_legal(move):
            return story
        state.play(move)
    story.append((state.actor, state.count_moves(), state.events, state.outcome))
    return story


@law("observer", "An observer that gets only its seat's news has the view that the true state gives; spectators get news, too.")
def observer(trial: Trial) -> None:
    state = trial.new()
    chronicle = Chronicle(state)
    observers = [Observer(trial.game, state.players, seat, chronicle.opening(seat)) for seat in range(state.players)]
    _compare(state, observers)
    for actor, move, _ in trial.steps(state):
        chronicle.record(actor, move, state)
        for seat, each in enumerate(observers):
            for news in chronicle.news(seat, trial.at - 1):
                each.observe(news)
        [public] = chronicle.news(-1, trial.at - 1)
        if public.seat != actor or public.move not in {None, str(move)}:
            broken(f"a spectator is sent {public.move!r:.60} for seat {public.seat}, but seat {actor} played '{move}'")
        if trial.at < 40 or trial.at % max(len(trial.moves) // 40, 1) == 0:
            _compare(state, observers)


def _compare(state: State, observers: list[Observer]) -> None:
    facts: Any = state.game
    for seat, each in enumerate(observers):
        followed = each.view()
        _require_same_view(state.view(seat), followed, f"the observer of seat {seat} has a view that the true state doesn't give")
        events = state.events_for(seat) if facts.sends_positions else state.events
        if followed.position.events != events:
            broken(f"the observer of seat {seat} has the events {followed.position.events!r:.80}, but the true state has {events!r:.80}")


@law("public-luck", "If the plug-in sets public_luck, no seat knows more than a spectator, except for simultaneous choices.")
def public_luck(trial: Trial) -> None:
    said = find_part(trial.table.game, "public_luck")
    if not (said(trial.game) if callable(said) else said):
        raise SkipError("the game's plug-in doesn't set public_luck")
    for state in trial.walk():
        if any(state.has_hidden_choice(seat) for seat in range(state.players)):
            continue
        public = state.view(-1).position.text
        for seat in range(state.players):
            if state.view(seat).position.text != public:
                broken(f"seat {seat} knows something that a spectator doesn't, although the plug-in sets public_luck")
            if trial.game.sends_positions and state.events_for(seat) != state.events:
                broken(f"seat {seat} alone gets the events {state.events_for(seat)!r:.60}, although the plug-in sets public_luck")


# The optional parts of a plug-in

_POSITIONS: Final = 5


@law("drawing", "Every position can be drawn as SVG and as lines for a terminal, and its moves and events can be described in words.")
def drawing(trial: Trial) -> None:
    drawer = drawer_of(trial.table.game)
    before: State | None = None
    last: Move | None = None
    for state in trial.walk(_POSITIONS):
        if trial.at:
            last, before = trial.moves[trial.at - 1], trial.state_at(trial.at - 1)
        names = tuple(f"bot <{seat}> & \u00e9" for seat in range(state.players))
        for position in (state, state.view(0).position):
            ElementTree.fromstring(svg(position, last=last, before=before, names=names))  # noqa: S314  # what the game itself draws
            for line in drawer.lines(position, last=last, before=before, width=60, color=False):
                if "\n" in line or len(line) > 60:
                    broken(f"a line for a terminal of 60 columns is {len(line)} columns long or has a line break: {line!r:.80}")
            for column, numbers in drawer.summarize(position).columns.items():
                if len(numbers) != state.players:
                    broken(
                        f"the column '{column}' of the summary does not have one number for each of {state.players} seats: {numbers!r:.80}"
                    )
            drawer.legend(position)
            drawer.supply(position)
        for event in state.events:
            drawer.describe_event(event)
        moves = state.list_moves()[:_POSITIONS]
        descriptions = [(move, describe_move(state, move)) for move in moves]
        if last is not None:
            descriptions.append((last, describe_move(state.view(0).position, last, is_done=True)))
        for move, words in descriptions:
            if not words.strip():
                broken(f"describe_move returns {words!r:.60} for '{move}'; it must return a sentence, or at least the notation")


@law("picker", "If a plug-in has a picker, the picker offers exactly the legal moves, and has every choice that they need.")
def picker(trial: Trial) -> None:
    pick = find_part(trial.table.game, "picker")
    if pick is None:
        raise SkipError("it has no picker of its own")
    for state in trial.walk(_POSITIONS, has_end=False):
        made = pick(state.view(state.actor or 0))
        if sorted(made.notations()) != sorted(map(str, state.list_moves())):
            broken(f"the picker offers {len(made.notations())} moves, which are not exactly the {len(state.list_moves())} legal ones")
        for text, stages in made.moves:
            if missing := {name for stage in stages for name in stage} - made.choices.keys():
                broken(f"the picker doesn't have the choice {min(missing)!r:.60}, which '{text}' needs")


LAWS: Final[tuple[Law, ...]] = (view, sample, sample_varies, observer, public_luck, drawing, picker)
