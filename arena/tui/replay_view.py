"""One frame of a replay on a terminal: what was decided, the board, how everyone stands. It knows no single game and reads no keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from engine.core import Move, State
from engine.records import Forfeit, Replay
from engine.render import drawing
from engine.render.palette import SEAT_COLORS
from engine.replay.recorder import verify_replay, walk
from engine.text import short

_LEAST_BOARD: Final = 3
_ROOMY: Final = 72
"""Columns from which on the table is set wide."""
_MOST_WORDS: Final = 3
"""Lines for what a seat did."""


@dataclass(frozen=True, slots=True)
class Film:
    """A replay with all its positions: ``states[k]`` is the one after the first ``k`` decisions, ``moves[k]`` the move then played."""

    replay: Replay
    names: tuple[str, ...]
    states: tuple[State, ...]
    moves: tuple[Move, ...]

    @property
    def end(self) -> int:
        """The number of decisions, which is the last position's index."""
        return len(self.moves)

    @property
    def turns(self) -> tuple[int, ...]:
        """The positions in which a seat begins to decide; alone, every position is one."""
        seats = [decision.seat for decision in self.replay.decisions]
        return tuple(at for at in range(self.end) if at == 0 or self.replay.players == 1 or seats[at] != seats[at - 1])

    def forfeit_at(self, decision: int) -> Forfeit | None:
        """The forfeit that took effect with that decision."""
        return next((forfeit for forfeit in self.replay.forfeits if forfeit.index == decision), None)


def film(replay: Replay) -> Film:
    """All positions of the replay, so that seeking costs nothing. Raises DisagreementError, naming what is first wrong with it."""
    verify_replay(replay)
    states: list[State] = []
    moves: list[Move] = []
    for state, move in walk(replay):
        states.append(state.copy())
        if move is not None:
            moves.append(move)
    return Film(replay, shown_names(replay), tuple(states), tuple(moves))


def shown_names(replay: Replay) -> tuple[str, ...]:
    """The names by seat, safe to show."""
    return tuple(short(name) or f"seat {seat}" for seat, name in enumerate(replay.names))


def seat_chip(seat: int) -> Text:
    """The seat's number on its colour."""
    color = SEAT_COLORS[seat % len(SEAT_COLORS)]
    return Text(f" {seat} ", style=f"bold {color.ink} on {color.hex}")


def who(reel: Film, seat: int) -> Text:
    """The seat's number and name."""
    return Text.assemble(seat_chip(seat), " ", reel.names[seat])


def in_words(reel: Film, decision: int) -> Text:
    """What a decision was: who made it, its notation, the same in plain words, and what came to light."""
    state = reel.states[decision + 1]
    words = [f"{state.game.explain(reel.moves[decision])}", *state.events]
    return Text.assemble(
        who(reel, reel.replay.decisions[decision].seat), "  ", (str(reel.moves[decision]), "bold"), "  ", ("; ".join(words), "default")
    )


def forfeit_in_words(reel: Film, forfeit: Forfeit) -> Text:
    """That a seat forfeited here, and why."""
    return Text.assemble(("FORFEIT ", "bold red"), who(reel, forfeit.seat), f": {short(forfeit.reason, 120)}; a substitute plays on for it")


def board_room(reel: Film, at: int, console: Console, height: int, *, footer: bool = True) -> int:
    """How many of so many lines a frame has for the board."""
    return max(height - 1 - len(_last_move(reel, at, console)) - reel.replay.players - 1 - footer, _LEAST_BOARD)


def frame(
    reel: Film, at: int, console: Console, *, height: int | None = None, footer: Text | None = None, scroll: int | None = None
) -> Group:
    """The position after ``at`` decisions, no wider than the console.

    With ``height`` it has at most so many lines if that leaves room for a board at all; the board is cropped around the last move, or shown
    from its line ``scroll`` on.
    """
    width = console.width
    above = [_header(reel, at, width), *_last_move(reel, at, console)]
    below = [standings(reel, at, width)]
    room = None if height is None else board_room(reel, at, console, height, footer=footer is not None)
    rows = board(reel, at, console, height=None if scroll is not None else room)
    if scroll is not None and room is not None:
        top = max(0, min(scroll, len(rows) - room))
        rows = rows[top : top + room]
    if room is not None:
        rows += [Text()] * (room - len(rows))
    return Group(*above, *rows, *below, *([footer] if footer is not None else []))


def board(reel: Film, at: int, console: Console, *, height: int | None = None) -> list[Text]:
    """The lines of the board, in colour if the console has any; of a game that has no drawing, the lines of the position's text."""
    if not drawing.is_drawn(reel.replay.game):
        rows = [Text(line, no_wrap=True, overflow="ellipsis") for line in reel.states[at].text.splitlines()]
        return rows if height is None else rows[:height]
    color = console.color_system is not None and not console.no_color
    last, before = (reel.moves[at - 1], reel.states[at - 1]) if at else (None, None)
    lines = drawing.lines(reel.states[at], last=last, before=before, width=console.width, height=height, color=color)
    return [Text.from_ansi(line, no_wrap=True) if line else Text() for line in lines]


def _header(reel: Film, at: int, width: int) -> Text:
    state = reel.states[at]
    header = Text.assemble((reel.replay.game, "bold"), f"  decision {at} of {reel.end}  ", no_wrap=True, overflow="ellipsis")
    if state.actor is None:
        header.append(f"game over: {short(reel.replay.end)}", "bold")
    else:
        header.append_text(Text.assemble("to move: ", who(reel, state.actor), f"  {reel.replay.decisions[at].legal} legal"))
    header.append(f"  seed {reel.replay.seed}", "dim")
    header.truncate(width, overflow="ellipsis")
    return header


def _last_move(reel: Film, at: int, console: Console) -> list[Text]:
    """What the last decision was, in as many lines as it takes but not too many."""
    if not at:
        names = Text(" ").join(who(reel, seat) for seat in range(reel.replay.players))
        return list(Text.assemble("The start. ", names).wrap(console, console.width))[:_MOST_WORDS]
    forfeit = reel.forfeit_at(at - 1)
    lines = list(forfeit_in_words(reel, forfeit).wrap(console, console.width))[:_MOST_WORDS] if forfeit else []
    words = list(in_words(reel, at - 1).wrap(console, console.width))
    if len(words) > _MOST_WORDS:
        words = words[:_MOST_WORDS]
        words[-1].truncate(console.width - 1)
        words[-1].append("…")
    return lines + words


def standings(reel: Film, at: int, width: int = _ROOMY) -> Table:
    """How everyone stands after ``at`` decisions: a header and one line for each seat, with ranks and scores at the end of the game."""
    state, replay = reel.states[at], reel.replay
    tally = state.tally()
    over = at == reel.end
    table = Table(box=None, padding=(0, 2 if width >= _ROOMY else 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("seat", no_wrap=True, overflow="ellipsis")
    for title in (*tally, *(("score", "rank") if over else ())):
        table.add_column(title, justify="right", no_wrap=True, min_width=len(title))
    table.add_column("", no_wrap=True, overflow="ellipsis")
    forfeited = {forfeit.seat for forfeit in replay.forfeits if forfeit.index < at}
    for seat in range(replay.players):
        numbers = [str(column[seat]) for column in tally.values()]
        if over:
            numbers += [str(replay.scores[seat]), str(replay.ranks[seat])]
        mark = Text("to move", "bold") if state.actor == seat else Text("winner", "bold") if over and replay.ranks[seat] == 1 else Text()
        if seat in forfeited:
            mark = Text("forfeited", "bold red")
        table.add_row(who(reel, seat), *numbers, mark)
    return table
