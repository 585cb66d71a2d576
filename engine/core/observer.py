"""Lets seats follow a match: ``Chronicle`` has the news of each decision for each seat; ``Observer`` updates a position from such news.

The hooks of a game's ``State`` define what its moves hide and reveal. If a game sends positions, each seat's news ends with an event
``known TEXT``, which contains the position as far as the seat may know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, SupportsIndex, final

from mypy_extensions import mypyc_attr

from engine.core.errors import EngineError
from engine.core.game import Game
from engine.core.moves import Move, whole
from engine.core.state import State
from engine.core.view import View

_CHOSE: Final = "chose"
_KNOWN: Final = "known"


def spoken(events: tuple[str, ...]) -> tuple[str, ...]:
    """Return the events without ``chose`` and ``known`` (see ``News``)."""
    return tuple(event for event in events if event.split(" ", 1)[0] not in {_CHOSE, _KNOWN})


@mypyc_attr(native_class=False)
@dataclass(frozen=True, slots=True)
class News:
    """What one seat may know of one decision. A ``View.history`` consists of these.

    ``seat`` made the decision. ``move`` is its move in notation, or None if the move is hidden from the receiver. ``events`` are the events
    of the move (tiles drawn, dice rolled), preceded by ``chose SEAT MOVE`` for each hidden choice that the move revealed and, in a game
    that sends positions, followed by ``known TEXT``.
    """

    seat: int
    move: str | None
    events: tuple[str, ...] = ()


@final
class Chronicle:
    """Records the decisions of a match from its first position on, and returns what each seat may know of them."""

    def __init__(self, state: State) -> None:
        facts: Any = state.game
        self._sends_positions = bool(facts.sends_positions)
        self._openings = (*_known(state), state.view(-1).position.text) if self._sends_positions else (state.opening,)
        self._decisions: list[News] = []
        self._by_seat: list[tuple[News, ...]] = []  # used if the game sends positions; the last entry is for spectators
        self._histories: list[list[News]] = [[] for _ in range(state.players + 1)]  # by seat, filled on demand; the last is for spectators
        self._sealed: set[int] = set()
        self._opened: dict[int, tuple[int, ...]] = {}
        self._waiting: list[int] = []

    def __len__(self) -> int:
        return len(self._decisions)

    def opening(self, seat: int) -> str:
        """Return what the seat (-1: a spectator) may know of the first position, in the form that ``Game.follow`` accepts."""
        return self._openings[seat] if self._sends_positions else self._openings[0]

    def record(self, seat: int, move: Move, state: State) -> None:
        """Record a move that was played; ``state`` is the position after it."""
        index = len(self._decisions)
        self._decisions.append(News(seat, str(move), state.events))
        is_hidden = state.has_hidden_choice(seat)
        if self._sends_positions:
            known = _known(state)
            by_seat = [
                News(seat, None if is_hidden and other != seat else str(move), (*state.events_for(other), f"{_KNOWN} {known[other]}"))
                for other in range(state.players)
            ]
            self._by_seat.append((*by_seat, News(seat, None if is_hidden else str(move), state.events_for(-1))))
        elif is_hidden:
            self._sealed.add(index)
            self._waiting.append(index)
        elif self._waiting:
            self._opened[index] = tuple(self._waiting)
            self._waiting = []

    def news(self, seat: int, since: int) -> list[News]:
        """Return what the seat (-1: a spectator) may know of each decision from index ``since`` on."""
        if self._sends_positions:
            return [news[seat] for news in self._by_seat[since:]]
        if not self._sealed:
            return self._decisions[since:]
        return [self._news(seat, index) for index in range(since, len(self._decisions))]

    def view(self, seat: SupportsIndex, state: State) -> View[State]:
        """Return the view of ``state`` for the seat (-1: a spectator). ``state`` must be the position after all recorded moves.

        Unlike the view that ``State.view`` returns, this view has a history.
        """
        number = whole(seat)
        history = self._histories[number]  # a list for each seat, since a bot in this process can read the whole list
        history.extend(self.news(number, len(history)))
        known = state.copy()
        known.redact(number)
        known.read_only = True
        return View(number, known, history)

    def _news(self, seat: int, index: int) -> News:
        decision = self._decisions[index]
        if index in self._sealed:
            return decision if decision.seat == seat else News(decision.seat, None)
        opened = [self._decisions[other] for other in self._opened.get(index, ())]
        chosen = [f"{_CHOSE} {each.seat} {each.move}" for each in opened if each.seat != seat]
        return News(decision.seat, decision.move, (*chosen, *decision.events)) if chosen else decision


def _known(state: State) -> tuple[str, ...]:
    return tuple(state.view(seat).position.text for seat in range(state.players))


@final
class Observer:
    """A seat's copy of the state, updated from the seat's news; its view always equals the seat's view of the true state."""

    def __init__(self, game: Game, players: SupportsIndex, seat: SupportsIndex, opening: str = "") -> None:
        self._game = game
        self._seat = whole(seat)
        self._state = game.follow(whole(players), opening)
        self._histories: list[News] = []

    def observe(self, news: News) -> None:
        """Advance the seat's copy by one decision. After an EngineError, it can no longer be used."""
        self._histories.append(news)
        state = self._state
        if news.seat != state.actor:
            now = "the game is over" if state.actor is None else f"seat {state.actor} has to decide"
            raise EngineError(f"seat {news.seat} can't have decided: {now}")
        facts: Any = self._game
        if facts.sends_positions:
            self._observe_position(news.events)
            return
        if news.move is None:
            state.hide_choice()
            return
        events = news.events
        while events and events[0].startswith(_CHOSE):
            _, seat, text = events[0].split(" ", 2)
            state.reveal_choice(int(seat), self._game.parse(text))
            events = events[1:]
        move = self._game.parse(news.move)
        state.resolve(events)
        state.play(move)
        state.redact(self._seat)
        if state.events != events:
            raise EngineError(f"'{move}' causes the events {list(state.events)}, not {list(events)}")

    def _observe_position(self, events: tuple[str, ...]) -> None:
        if not events or not events[-1].startswith(f"{_KNOWN} "):
            raise EngineError("the news in a game that sends positions must end with 'known TEXT'")
        self._state = self._game.position(events[-1].removeprefix(f"{_KNOWN} "))
        self._state.events = events[:-1]

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""
        return self._state.actor

    def view(self) -> View[State]:
        """Return a snapshot of what the seat may know now, including its history."""
        known = self._state.copy()
        known.read_only = True
        return View(self._seat, known, self._histories)
