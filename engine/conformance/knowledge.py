"""Laws about what seats may know: views, samples of them, observers that get only the news, and the optional parts of a plug-in."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final
from xml.etree import ElementTree

from engine.conformance.rules import ForeignMove
from engine.conformance.trials import LONGEST, Law, LawError, SkipError, Trial, broken, law, law_of_all, require_same, snapshot
from engine.core import Move, ReadOnlyError, State, View
from engine.core.observer import Chronicle, Observer
from engine.plugin import load
from engine.registry import find_plugin
from engine.render.drawing import describe_move, drawer_of

_FEW: Final = 8


def _differ(one: View[State], other: View[State]) -> str:
    """Return the difference between two views, or an empty text."""
    if one.position.text != other.position.text:
        return f"text {one.position.text!r:.100} against {other.position.text!r:.100}"
    if one != other or not (one == other):  # noqa: SIM201  # both operators may be overridden
        return "they are not equal, though their texts are"
    if one.key != other.key or hash(one) != hash(other):
        return "their keys or hashes"
    if one.actor != other.actor or one.outcome != other.outcome or one.players != other.players:
        return "who has to decide, the outcome or the players"
    if one.position.tally() != other.position.tally():
        return f"the tally {one.position.tally()!r:.60} against {other.position.tally()!r:.60}"
    return ""


def _require_same_view(one: View[State], other: View[State], sentence: str) -> None:
    if difference := _differ(one, other):
        broken(f"{sentence}: {difference}")


def _sampled_views(state: State) -> list[View[State]]:
    """Return the views that can be sampled; spectators of a game that sends positions may know too little of it."""
    facts: Any = state.game
    if not facts.can_sample:
        raise SkipError("the game states that its views can't be sampled")
    return [state.view(seat) for seat in (*range(state.players), *(() if facts.sends_positions else (-1,)))]


@law(
    "view", "A view is a snapshot that can't be played on and that later moves don't change, with the legal moves of the seat that decides."
)
def view(trial: Trial) -> None:
    waiting: list[tuple[View[State], str]] = []
    for state in trial.walk():
        for earlier, text in waiting:
            if earlier.position.text != text:
                raise LawError(f"the view of seat {earlier.seat} changes when the state is played on")
        before = snapshot(state)
        views = [state.view(seat) for seat in (*range(state.players), -1)]
        require_same(before, state, "taking a view changes the state")
        waiting = [(each, each.position.text) for each in views]
        for each in views:
            if each.players != state.players or each.actor != state.actor or each.outcome != state.outcome or each.game != state.game:
                broken(f"the view of seat {each.seat} differs from the state in its number of players, actor, outcome or game")
            _require_same_view(each, each.position.view(each.seat), f"the view of seat {each.seat}, taken again, is different")
            if state.actor is not None:
                _require_read_only(each, state.list_moves()[0])
        if state.actor is not None and list(views[state.actor].legal_moves) != list(state.list_moves()):
            broken(f"the view of seat {state.actor}, which has to decide, has different legal moves from the state's")


def _require_read_only(view: View[State], move: Move) -> None:
    text = view.position.text
    for each in (move, ForeignMove()):
        try:
            view.position.play(each)
        except ReadOnlyError:
            pass
        except Exception as error:
            raise LawError(f"playing on the view of seat {view.seat} raises {type(error).__name__}, not ReadOnlyError") from error
        else:
            broken(f"the view of seat {view.seat} is played on without an error")
    if not view.position.read_only or view.position.text != text:
        broken(f"the view of seat {view.seat} is not read_only, or is changed by a move that it refused")


@law("view-leaks", "States that differ only in what a seat can't know give it equal views, with equal texts, keys and legal moves.")
def view_leaks(trial: Trial) -> None:
    for state in trial.walk():
        for each in _sampled_views(state):
            for number in range(2):
                other = each.sample(Random(number)).view(each.seat)
                _require_same_view(each, other, f"with other values for what seat {each.seat} can't know, its view is different")
                if each.seat == each.actor and list(each.legal_moves) != list(other.legal_moves):
                    broken(f"with other values for what seat {each.seat} can't know, its legal moves are different")


@law("sample", "A sample is a whole state that agrees with the view, is the same for equal rngs, and can be played to the end.")
def sample(trial: Trial) -> None:
    for state in trial.walk(_FEW):
        for each in _sampled_views(state):
            text = each.position.text
            one, same = each.sample(Random(5)), each.sample(Random(5))
            require_same(one, same, f"two samples of the view of seat {each.seat} by equal rngs differ")
            if one.read_only or one.actor != state.actor or one.players != state.players or one.outcome != state.outcome:
                broken(f"a sample of the view of seat {each.seat} is read-only, or differs in its actor, number of players or outcome")
            if each.seat == state.actor and list(one.list_moves()) != list(state.list_moves()):
                broken(f"a sample of the view of seat {each.seat}, which has to decide, has different legal moves from the state's")
            if one.text != trial.game.position(one.text).text:
                broken(f"a sample of the view of seat {each.seat} is not read back from its text")
            _play_out(one, each.seat, trial)
            if each.position.text != text:
                broken(f"the view of seat {each.seat} changes with a sample of it")


def _play_out(state: State, seat: int, trial: Trial) -> None:
    rng = Random(trial.at)
    most = LONGEST if trial.is_over else 50
    while state.actor is not None and most:
        if not state.list_moves():
            broken(f"a sample of the view of seat {seat} comes to a position without legal moves")
        state.play(state.random_move(rng))
        most -= 1
    if trial.is_over and state.actor is not None:
        broken(f"a sample of the view of seat {seat} is not over after {LONGEST} decisions")


@law_of_all("sample-varies", "Samples of a view differ from the true state as long as the seed still decides something.")
def sample_varies(trials: Sequence[Trial]) -> None:
    facts: Any = trials[0].game
    if not facts.can_sample:
        raise SkipError("the game states that its views can't be sampled")
    for table in dict.fromkeys(id(trial.table) for trial in trials):
        group = [trial for trial in trials if id(trial.table) == table and trial.moves]
        if not group or any(_varies(trial) for trial in group):
            continue
        for trial in group:
            if _seed_matters(trial):
                raise LawError(
                    "the seed decides what comes, but every sample of every view goes on exactly as the true position did: "
                    "either redact leaves something in the view that reveals the rest, or determinize restores it",
                    trial=trial,
                    at=0,
                )


def _varies(trial: Trial) -> bool:
    for state in trial.walk(_FEW, has_end=False):
        actor = state.actor
        assert actor is not None, "a walk without its end has no position that is over"
        at = trial.at
        true = _story(state.view(actor).sample(Random(at)), trial, at)
        if any(_story(state.view(actor).sample(Random(at + 1 + number)), trial, at) != true for number in range(3)):
            return True
        if true != _story(trial.state_at(at), trial, at):
            return True
    return False


def _seed_matters(trial: Trial) -> bool:
    """Return whether the same moves lead to a different continuation with another seed.

    A different open setup does not count: the first actor must see the same setup with both seeds, or seats must see different ones.
    """
    start = trial.new()
    has_secrets = len({start.view(seat).position.text for seat in (*range(start.players), -1)}) > 1
    for number in range(1, 10):
        other = trial.game.new(trial.table.players, trial.seed + 1000 * number)
        is_same = start.actor is not None and other.view(start.actor) == start.view(start.actor)
        if (is_same or has_secrets) and _story(other, trial, 0) != _story(trial.new(), trial, 0):
            return True
    return False


def _story(state: State, trial: Trial, at: int, most: int = 60) -> list[tuple[object, ...]]:
    """Play recorded moves from number ``at`` on, as long as they are legal; return who decided, the legal moves counted, and the events."""
    story: list[tuple[object, ...]] = []
    for move in trial.moves[at : at + most]:
        story.append((state.actor, state.count_moves(), state.events))
        if not state.is_legal(move):
            return story
        state.play(move)
    story.append((state.actor, state.count_moves(), state.events, state.outcome))
    return story


@law("observer", "An observer that gets only the news of its seat has the view that the true state gives; a spectator gets news, too.")
def observer(trial: Trial) -> None:
    players = trial.table.players
    sends = bool(trial.game.sends_positions)
    state = trial.new()
    trial.at = 0
    chronicle = Chronicle(state)
    observers = [Observer(trial.game, players, seat, chronicle.opening(seat)) for seat in range(players)]
    look = {index for index in range(len(trial.moves) + 1) if index < 40 or index % max(len(trial.moves) // 40, 1) == 0}
    _compare(state, observers, sends=sends)
    for actor, move, _ in trial.steps(state):
        chronicle.record(actor, move, state)
        for seat, each in enumerate(observers):
            for news in chronicle.news(seat, trial.at - 1):
                each.observe(news)
        [public] = chronicle.news(-1, trial.at - 1)
        if public.seat != actor or public.move not in {None, str(move)}:
            broken(f"a spectator gets {public.move!r:.60} of seat {public.seat}, but '{move}' of seat {actor} was played")
        if trial.at in look:
            _compare(state, observers, sends=sends)


def _compare(state: State, observers: list[Observer], *, sends: bool) -> None:
    for seat, each in enumerate(observers):
        followed = each.view()
        _require_same_view(state.view(seat), followed, f"the observer of seat {seat} has a different view from the true state's")
        events = state.events_for(seat) if sends else state.events
        if followed.position.events != events:
            broken(f"the observer of seat {seat} has the events {followed.position.events!r:.80}, the true state {events!r:.80}")
        if seat == state.actor and list(followed.legal_moves) != list(state.list_moves()):
            broken(f"the observer of seat {seat}, which has to decide, has different legal moves from the true state's")


@law("public-luck", "If the plug-in says that luck is public, no seat knows more than a spectator, but for choices of the same moment.")
def public_luck(trial: Trial) -> None:
    said = load(find_plugin(trial.table.game).public_luck)
    if not (said(trial.game) if callable(said) else said):
        raise SkipError("its plug-in does not say that luck is public")
    for state in trial.walk():
        if any(state.has_hidden_choice(seat) for seat in range(state.players)):
            continue
        public = state.view(-1).position.text
        for seat in range(state.players):
            if state.view(seat).position.text != public:
                broken(f"seat {seat} knows something that a spectator does not, though the plug-in says that luck is public")
            if trial.game.sends_positions and state.events_for(seat) != state.events:
                broken(f"seat {seat} alone gets the events {state.events_for(seat)!r:.60}, though the plug-in says that luck is public")


# The optional parts of a plug-in

_POSITIONS: Final = 5


def _part(trial: Trial, name: str) -> Any:  # what it is depends on the part
    """Return the part of the plug-in. Raises SkipError if there is none or if it needs a package that is not installed."""
    offered = getattr(find_plugin(trial.table.game), name)
    try:
        part = load(offered)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if isinstance(offered, str) and offered.startswith(f"{missing}") and missing:
            raise LawError(f"its {name} is {offered!r:.80}, but there is no module {missing}") from error
        raise SkipError(f"its {name} needs {missing}, which is not installed") from None
    except (ImportError, AttributeError) as error:
        raise LawError(f"its {name} is {offered!r:.80}, which can't be imported: {error}") from error
    if part is None:
        raise SkipError(f"it has no {name} of its own")
    return part


@law("drawing", "Every position can be drawn, as SVG and as lines for a terminal, and is put in words with its moves and events.")
def drawing(trial: Trial) -> None:
    plugin = find_plugin(trial.table.game)
    if plugin.drawer is not None:
        _part(trial, "drawer")
    drawer = drawer_of(trial.table.game)
    before: State | None = None
    last: Move | None = None
    for state in trial.walk(_POSITIONS):
        if trial.at:
            last, before = trial.moves[trial.at - 1], trial.state_at(trial.at - 1)
        names = tuple(f"bot <{seat}> & \u00e9" for seat in range(state.players))
        _is_xml(drawer.svg(state, last=last, before=before, names=names), "svg")
        for position in (state, state.view(0).position):
            _is_xml(drawer.svg(position), "svg")
            drawer.scene(position, last=last, before=before)
            for line in drawer.lines(position, last=last, before=before, width=60, color=False):
                if "\n" in line or len(line) > 60:
                    broken(f"a line for a terminal of 60 columns is {len(line)} long or has a line break: {line!r:.80}")
            summary = drawer.summarize(position)
            if any(len(numbers) != state.players for numbers in summary.columns.values()):
                broken(f"a column of the summary does not have one number for each of {state.players} seats: {dict(summary.columns)!r:.80}")
            drawer.legend(position)
            drawer.supply(position)
        for event in state.events:
            drawer.describe_event(event)
        descriptions = [(move, describe_move(state, move)) for move in (() if state.actor is None else state.list_moves()[:_POSITIONS])]
        if last is not None:
            descriptions.append((last, describe_move(state.view(0).position, last, is_done=True)))
        for move, words in descriptions:
            if not isinstance(words, str) or not words.strip():
                broken(f"describe_move gives {words!r:.60} for '{move}'; it gives a sentence, or at least the notation")


def _is_xml(text: str, what: str) -> None:
    try:
        ElementTree.fromstring(text)  # noqa: S314  # what the game itself draws
    except ElementTree.ParseError as error:
        raise LawError(f"its {what} is not well-formed: {error}") from error


@law("parts", "A plug-in's picker, encoder and heuristic, if it has them, work in every position and keep to what a seat may know.")
def parts(trial: Trial) -> None:
    checks = {"picker": _picker, "encoder": _encoder, "heuristic": _heuristic}
    checked = False
    for name, check in checks.items():
        try:
            part = _part(trial, name)
        except SkipError:
            continue
        checked = True
        made = part(trial.game, trial.table.players) if name == "encoder" else part
        for state in trial.walk(_POSITIONS):
            check(made, state)
    if not checked:
        raise SkipError("it has none of these parts that can be loaded here")


def _picker(pick_from: Any, state: State) -> None:
    if state.actor is None:
        return
    made = pick_from(state.view(state.actor))
    offered = list(made.notations())
    if sorted(offered) != sorted(map(str, state.list_moves())):
        broken(f"the picker offers {len(offered)} moves, and not exactly the {len(state.list_moves())} legal ones")
    for text, stages in made.moves:
        for name in (name for stage in stages for name in stage):
            if name not in made.choices:
                broken(f"the picker needs the choice {name!r:.60} for '{text}', and does not have it")


def _encoder(made: Any, state: State) -> None:
    space = made.observation_space()
    for seat in range(state.players):
        if not space.contains(made.observe(state, seat)):
            broken(f"the observation of seat {seat} is not in the space of observations")
        known = state.view(seat).position
        if made.pack(state, seat) != made.pack(known, seat) or made.pack_rows(state, seat) != made.pack_rows(known, seat):
            broken(f"the observation of seat {seat} shows what the seat's view does not")


def _heuristic(known: Any, state: State) -> None:
    if len(known.evaluate(state.copy())) != state.players:
        broken(f"evaluate does not give one number for each of {state.players} seats")
    if state.actor is None:
        return
    moves = list(state.list_moves())
    if len(known.scores(state.copy(), moves)) != len(moves):
        broken(f"scores does not give one number for each of {len(moves)} moves")
    chosen = known.choose(state.view(state.actor), Random(0))
    if chosen not in moves:
        broken(f"choose gives '{chosen}', which is not legal")


LAWS: Final[tuple[Law, ...]] = (view, view_leaks, sample, sample_varies, observer, public_luck, drawing, parts)
