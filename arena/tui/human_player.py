"""Lets a person at a terminal play a seat in a match: they see what the seat may know and type moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.tui.replay_view import explained, seat_chip
from bots.host.player_pool import Player
from bots.protocol import Clock, MatchEnd, MatchInfo
from engine.core import EngineError, Move, State, View
from engine.core.errors import ArenaError
from engine.core.observer import Chronicle, spoken
from engine.records import MatchResult
from engine.render import drawing
from engine.render.drawing import named
from engine.text import figure, short

_LISTED: Final = 40
"""The number of moves on one page of the list."""


class GaveUpError(ArenaError):
    """The person at the terminal has quit the match."""


class TerminalPlayer(Player):
    """A person at a terminal, who types lines: a move's number in the list, its notation, or a command."""

    is_timed = False

    def __init__(self, console: Console, names: Sequence[str], read: Callable[[str], str] = input) -> None:
        self._console = console
        self._names = tuple(short(name) or f"seat {seat}" for seat, name in enumerate(names))
        self._read = read
        self._chronicle: Chronicle | None = None
        self._seat = 0
        self._heard = 0

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Remember the chronicle and the person's seat."""
        self._chronicle, self._seat = chronicle, info.seat

    def cpu_seconds(self) -> float:
        """Return 0, since a person uses no CPU time."""
        return 0.0

    def finish(self, end: MatchEnd) -> None:
        """Do nothing: ``show_end`` shows the result."""

    def shown(self, state: State, _move: Move) -> None:
        """Print what has been played, as far as this seat may know it."""
        assert self._chronicle is not None
        for news in self._chronicle.news(self._seat, self._heard):
            self._heard += 1
            words = "has chosen in secret"
            if news.move is not None:
                words = ": ".join([news.move, *explained(state, state.game.parse(news.move), is_done=True)])
            news_text = "; ".join([words, *(drawing.drawer(state).describe_event(each).words for each in spoken(news.events))])
            self._console.print(Text.assemble(seat_chip(news.seat), " ", self._names[news.seat], "  ", named(news_text, self._names)))

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Ask until a legal move is typed. Raises GaveUpError."""
        moves = list(view.legal_moves)
        self._board(view)
        self._list(view, moves[:_LISTED] if len(moves) <= _LISTED else [])
        start = 0
        while True:
            try:
                line = self._read(f"Your move (1 to {len(moves)}, notation, ? b q): ").strip()
            except (EOFError, KeyboardInterrupt):
                raise GaveUpError from None
            if line in {"q", "quit"}:
                raise GaveUpError
            if line == "b":
                self._board(view)
            elif line.startswith("?"):
                wanted = [number for number, move in enumerate(moves) if line[1:].strip() in str(move)]
                start = start if start < len(wanted) else 0
                self._list(view, moves, wanted[start : start + _LISTED])
                start += _LISTED
                if start < len(wanted):
                    self._console.print(f"... {len(wanted) - start} more: type ? again, or ? and part of the notation", style="dim")
            elif line:
                move = self._understand(view, moves, line)
                if move is not None:
                    return move

    def _understand(self, view: View[State], moves: Sequence[Move], line: str) -> Move | None:
        if line.isdecimal() and len(line) < 8:
            if 1 <= int(line) <= len(moves):
                return moves[int(line) - 1]
            self._console.print(f"There are {len(moves)} moves; ? lists them.", markup=False)
            return None
        try:
            move = view.game.parse(line)
        except EngineError as error:
            self._console.print(f"{error}; ? lists the moves.", markup=False)
            return None
        if move in view.legal_moves:
            return move
        self._console.print(f"'{move}' is not legal in this position; ? lists the moves.", markup=False)
        return None

    def _board(self, view: View[State]) -> None:
        console, state = self._console, view.position
        color = console.color_system is not None and not console.no_color
        for line in drawing.lines(state, width=console.width, height=max(12, console.height - state.players - 8), color=color):
            console.print(Text.from_ansi(line, no_wrap=True) if line else Text())
        console.print(self._standing(state))
        summary = drawing.drawer(state).summarize(state)
        words = "; ".join([summary.status, *summary.facts, *(sign.words for sign in summary.waiting)])
        console.print(Text(named(words, self._names)))

    def _standing(self, state: State) -> Table:
        tally = state.tally()
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("seat", no_wrap=True, overflow="ellipsis")
        for title in tally:
            table.add_column(title, justify="right")
        for seat, name in enumerate(self._names):
            mark = " (you)" if seat == self._seat else ""
            table.add_row(Text.assemble(seat_chip(seat), " ", name, mark), *(figure(column[seat]) for column in tally.values()))
        return table

    def _list(self, view: View[State], moves: Sequence[Move], numbers: Sequence[int] | None = None) -> None:
        for number in range(len(moves)) if numbers is None else numbers:
            words = "".join(f"  {named(each, self._names)}" for each in explained(view.position, moves[number]))
            line = Text.assemble((f"{number + 1:>5}  ", "bold"), str(moves[number]), (words, "dim"))
            line.truncate(self._console.width, overflow="ellipsis")
            self._console.print(line)

    def show_end(self, result: MatchResult) -> None:
        """Print the result of the match."""
        self._console.print(Text(f"The match is over: {result.end}.", style="bold"))
        for seat in sorted(range(len(result.seats)), key=lambda number: (result.seats[number].rank, number)):
            played = result.seats[seat]
            fault = f"  ({played.fault.kind.value}, a substitute played on)" if played.fault else ""
            self._console.print(Text.assemble(f"{played.rank}. ", seat_chip(seat), f" {self._names[seat]}  {figure(played.score)}{fault}"))
