"""Laws about the optional parts of a plug-in besides the rules: a part that exists works in every position."""

from __future__ import annotations

from random import Random
from typing import Any, Final
from xml.etree import ElementTree

from engine.conformance.trials import Law, LawError, SkipError, Trial, broken, law
from engine.core import Move, State
from engine.plugin import load
from engine.registry import find_plugin
from engine.render.drawing import describe_move, drawer_of

_FEW: Final = 5


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
    for state in trial.walk(_FEW):
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
        descriptions = [(move, describe_move(state, move)) for move in (() if state.actor is None else state.list_moves()[:_FEW])]
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
        for state in trial.walk(_FEW):
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


LAWS: Final[tuple[Law, ...]] = (drawing, parts)
