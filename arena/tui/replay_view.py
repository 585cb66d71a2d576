"""Shows one position of a replay in a terminal: the last decision, the board, and the standings."""

from __future__ import annotations

from typing import Final

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from engine.core import Move, State
from engine.records import Forfeit
from engine.render import drawing
from engine.render.drawing import named
from engine.render.palette import SEAT_COLORS
from engine.replay.verifier import ReplayTimeline
from engine.text import figure, short

_LEAST_BOARD: Final = 3
_ROOMY: Final = 72
"""The number of columns from which the standings are widely spaced."""
_MOST_WORDS: Final = 3
"""The most lines that describe a decision."""


def seat_chip(seat: int) -> Text:
    """Return the seat's number on its colour."""
    color = SEAT_COLORS[seat % len(SEAT_COLORS)]
    return Text(f" {seat} ", style=f"bold {color.ink} on {color.hex}")


def who(timeline: ReplayTimeline, seat: int) -> Text:
    """Return the seat's number and name."""
    return Text.assemble(seat_chip(seat), " ", timeline.names[seat])


def in_words(timeline: ReplayTimeline, decision: int) -> Text:
    """Return a line about a decision: its seat, the move in notation and in plain words, and the events that followed."""
    before, after = timeline.states[decision : decision + 2]
    seat, move = timeline.replay.decisions[decision].seat, timeline.moves[decision]
    events = [event.words for event in drawing.describe_events(after)]
    words = named("; ".join([*explained(before, move), *events]), timeline.names)
    return Text.assemble(who(timeline, seat), "  ", (str(move), "bold"), "  ", (words, "default"))


def explained(position: State, move: Move, *, is_done: bool = False) -> tuple[str, ...]:
    """Return the move in the words of ``drawing.describe_move``; an empty tuple in a game that has only notation."""
    words = drawing.describe_move(position, move, is_done=is_done)
    return () if words == str(move) else (words,)


def forfeit_in_words(timeline: ReplayTimeline, forfeit: Forfeit) -> Text:
    """Return a sentence that says which seat forfeited, and why."""
    return Text.assemble(("FORFEIT ", "bold red"), who(timeline, forfeit.seat), f": {short(forfeit.reason, 120)}; a substitute plays on")


def board_room(timeline: ReplayTimeline, at: int, console: Console, height: int, *, footer: bool = True) -> int:
    """Return how many of ``height`` lines are left for the board."""
    return max(height - 1 - len(_last_move(timeline, at, console)) - timeline.replay.players - 1 - footer, _LEAST_BOARD)


def replay_view(
    timeline: ReplayTimeline, at: int, console: Console, *, height: int | None = None, footer: Text | None = None, scroll: int | None = None
) -> Group:
    """Return a view of the position after ``at`` decisions, no wider than the console.

    If ``height`` is given, the board is cropped to make the view fit into ``height`` lines, but to three lines at least. The part shown is
    around the last move or, if ``scroll`` is given, starts at this line of the board.
    """
    width = console.width
    above = [_header(timeline, at, width), *_last_move(timeline, at, console)]
    below = [standings(timeline, at, width)]
    room = None if height is None else board_room(timeline, at, console, height, footer=footer is not None)
    rows = board(timeline, at, console, height=None if scroll is not None else room)
    if scroll is not None and room is not None:
        top = max(0, min(scroll, len(rows) - room))
        rows = rows[top : top + room]
    if room is not None:
        rows += [Text()] * (room - len(rows))
    return Group(*above, *rows, *below, *([footer] if footer is not None else []))


def board(timeline: ReplayTimeline, at: int, console: Console, *, height: int | None = None) -> list[Text]:
    """Return the lines of the board, in colour if the console has any."""
    color = console.color_system is not None and not console.no_color
    last, before = (timeline.moves[at - 1], timeline.states[at - 1]) if at else (None, None)
    lines = drawing.lines(timeline.states[at], last=last, before=before, width=console.width, height=height, color=color)
    return [Text.from_ansi(line, no_wrap=True) if line else Text() for line in lines]


def _header(timeline: ReplayTimeline, at: int, width: int) -> Text:
    state = timeline.states[at]
    header = Text.assemble((timeline.replay.game, "bold"), f"  decision {at} of {timeline.end}  ", no_wrap=True, overflow="ellipsis")
    if state.actor is None:
        header.append(f"game over: {short(timeline.replay.end)}", "bold")
    else:
        header.append_text(Text.assemble("to move: ", who(timeline, state.actor), f"  {timeline.replay.decisions[at].legal} legal"))
    header.append(f"  seed {timeline.replay.seed}", "dim")
    header.truncate(width, overflow="ellipsis")
    return header


def _last_move(timeline: ReplayTimeline, at: int, console: Console) -> list[Text]:
    """Return the last decision in at most ``_MOST_WORDS`` lines, after the lines of a forfeit if there is one."""
    if not at:
        names = Text(" ").join(who(timeline, seat) for seat in range(timeline.replay.players))
        return list(Text.assemble("The start. ", names).wrap(console, console.width))[:_MOST_WORDS]
    forfeit = timeline.forfeit_at(at - 1)
    lines = list(forfeit_in_words(timeline, forfeit).wrap(console, console.width))[:_MOST_WORDS] if forfeit else []
    words = list(in_words(timeline, at - 1).wrap(console, console.width))
    if len(words) > _MOST_WORDS:
        words = words[:_MOST_WORDS]
        words[-1].truncate(console.width - 1)
        words[-1].append("…")
    return lines + words


def standings(timeline: ReplayTimeline, at: int, width: int = _ROOMY) -> Table:
    """Return the standings after ``at`` decisions: a header and a line per seat. Once the game is over, it includes scores and ranks."""
    state, replay = timeline.states[at], timeline.replay
    tally = state.tally()
    over = at == timeline.end
    table = Table(box=None, padding=(0, 2 if width >= _ROOMY else 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("seat", no_wrap=True, overflow="ellipsis")
    for title in (*tally, *(("score", "rank") if over else ())):
        table.add_column(title, justify="right", no_wrap=True, min_width=len(title))
    table.add_column("", no_wrap=True, overflow="ellipsis")
    forfeited = {forfeit.seat for forfeit in replay.forfeits if forfeit.index < at}
    for seat in range(replay.players):
        numbers = [figure(column[seat]) for column in tally.values()]
        if over:
            numbers += [figure(replay.scores[seat]), str(replay.ranks[seat])]
        mark = Text("to move", "bold") if state.actor == seat else Text("winner", "bold") if over and replay.ranks[seat] == 1 else Text()
        if seat in forfeited:
            mark = Text("forfeited", "bold red")
        table.add_row(who(timeline, seat), *numbers, mark)
    return table
