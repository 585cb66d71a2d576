"""A position in plain words: rules in short, who sits where, the board, the legal moves. For people, screen readers and language models.

A game's plug-in may offer its own ``describe``, most easily by ``written`` with words about its rules and its board; any other game is
described by its title, its tally and its text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from engine.core import State, View
from engine.plugin import load
from engine.registry import find_plugin
from engine.render import drawing
from engine.text import counted, figure, plain_lines

MOST_MOVES: Final = 500
"""The most legal moves that are listed; the rest are only counted."""


def describe(view: View[State]) -> str:
    """Return a description, in several paragraphs of plain text, of what the seat may know of the position.

    If it is the seat's turn, its legal moves are listed, each beginning with its notation.
    """
    own: Callable[[View[State]], str] | None = load(find_plugin(view.game.name).describe)
    return (own or plain_description)(view)


def plain_description(view: View[State]) -> str:
    """Return the description of a game that has none of its own."""
    summary = find_plugin(view.game.name).summary
    return written(view, rules=[summary] if summary else [], board=plain_lines(str(view.position)).splitlines())


def written(view: View[State], *, rules: Sequence[str], board: Sequence[str]) -> str:
    """Return a description of paragraphs: the game, its ``rules``, the turn, the tally, the lines of the ``board``, the legal moves."""
    state = view.position
    summary = drawing.summarize(state)
    status = ". ".join(map(sentence, [summary.status, *summary.facts]))
    position = ["The position:", *board] if board else []
    parts = ["\n".join(lines) for lines in ([_title(view)], rules, [f"{_who(view)} {status}."], _tally(view), position, _moves(view))]
    return "\n\n".join(part for part in parts if part) + "\n"


def seat_name(view: View[State], seat: int) -> str:
    """Return the name of a seat: ``you`` or ``seat 1``."""
    return "you" if seat == view.seat else f"seat {seat}"


def sentence(text: str) -> str:
    """Return the text with a capital letter."""
    return text[:1].upper() + text[1:]


def _title(view: View[State]) -> str:
    given = view.game.options.items()
    options = ", ".join(f"{key} {','.join(map(str, value)) if isinstance(value, tuple) else value}" for key, value in given)
    name = find_plugin(view.game.name).title
    member = view.game.name.partition(":")[2]
    return (
        f"{name}{f': {member}' if member else ''}, for {counted(view.position.players, 'player')}{f', with {options}' if options else ''}."
    )


def _who(view: View[State]) -> str:
    state = view.position
    if view.seat < 0:
        return "You are a spectator."
    if state.actor == view.seat:
        return f"You are seat {view.seat}, and it is your turn."
    return f"You are seat {view.seat}."


def _tally(view: View[State]) -> list[str]:
    state = view.position
    lines = []
    for title, numbers in state.tally().items():
        said = ", ".join(f"{seat_name(view, seat)}: {figure(number)}" for seat, number in enumerate(numbers))
        lines.append(f"{title.capitalize()}: {said}.")
    outcome = state.outcome
    if outcome is not None:
        ranks: Any = outcome.ranks
        lines.append(f"Ranks: {', '.join(f'{seat_name(view, seat)}: {rank}' for seat, rank in enumerate(ranks))}.")
    return lines


def _moves(view: View[State]) -> list[str]:
    if view.position.actor is None or view.position.actor != view.seat:  # what others may do can depend on what they hide
        return []
    moves = list(view.legal_moves)
    lines = [f"You have {counted(len(moves), 'legal move')}:"]
    for move in moves[:MOST_MOVES]:
        notation, words = str(move), view.game.explain(move)
        lines.append(f"- {notation}" if words == notation else f"- {notation}: {words}")
    if len(moves) > MOST_MOVES:
        lines.append(f"- and {len(moves) - MOST_MOVES} more")
    return lines
