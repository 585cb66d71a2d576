"""Playing one match: asking bots, judging their answers, playing on for those that fail. It knows neither Ray nor the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import perf_counter

from arena.seeds import derive_seed
from bots.host import BotFaultError, Player, shown
from bots.protocol import Clock, MatchEnd, MatchInfo
from engine.core import Game, Move, State
from engine.records import Fault, FaultKind, MatchResult, SeatResult, Ticket
from engine.replay import Recorder, write_replay

NO_LIMIT = Clock()


class _Seat:
    """One seat during a match: its bot, until a fault hands it to the substitute, and what it has used."""

    def __init__(self, name: str, player: Player, ticket: Ticket, number: int) -> None:
        self.name = name
        self.player = player
        self.seed = derive_seed(ticket.id, "bot", number)
        self.substitute = Random(derive_seed(ticket.id, "substitute", number))
        self.fault: Fault | None = None
        self.is_recorded = False
        self.decisions = 0
        self.seconds = 0.0

    def fail(self, kind: FaultKind, index: int, detail: str) -> None:
        self.fault = Fault(kind, index, detail)


def play_match(game: Game, ticket: Ticket, players: Sequence[Player], on_move: Callable[[State, Move], None] | None = None) -> MatchResult:
    """Play a ticket to its end, whatever the bots do; ``players`` are in seat order.

    A bot that fails is replaced by a substitute that plays at random, seeded by the ticket. A decision with one legal move is
    recorded without asking. ``on_move`` is called with the state after each move.
    """
    began = perf_counter()
    state = game.new(len(players), ticket.seed)
    recorder = Recorder(game, ticket.seed, ticket.seats)
    seats = [_Seat(name, player, ticket, number) for number, (name, player) in enumerate(zip(ticket.seats, players, strict=True))]
    for number, seat in enumerate(seats):
        _start(game, seat, number, len(players))
    while (actor := state.actor) is not None:
        seat = seats[actor]
        legal = state.count_moves()
        move = _decide(state, seat, actor, legal, recorder.decisions)
        if seat.fault is not None and not seat.is_recorded:
            recorder.forfeit(actor, seat.fault.kind.value)
            seat.is_recorded = True
        state.play(move)
        recorder.record(actor, move, legal, state)
        if on_move is not None:
            on_move(state, move)
    replay = recorder.finish(state)
    end = MatchEnd(replay.scores, replay.ranks, replay.end)
    notes = [note for seat in seats if seat.fault is None and (note := seat.player.finish(end)) is not None]
    return MatchResult(
        ticket=ticket,
        seats=tuple(
            SeatResult(seat.name, replay.scores[number], replay.ranks[number], seat.fault, seat.decisions, seat.seconds)
            for number, seat in enumerate(seats)
        ),
        end=replay.end,
        decisions=len(replay.decisions),
        seconds=perf_counter() - began,
        replay=write_replay(replay),
        notes=tuple(notes),
    )


def _start(game: Game, seat: _Seat, number: int, players: int) -> None:
    began = perf_counter()
    try:
        seat.player.start(MatchInfo(game, players, number, seat.seed))
    except BotFaultError as error:
        seat.fail(error.kind, 0, error.detail)
    seat.seconds += perf_counter() - began


def _decide(state: State, seat: _Seat, actor: int, legal: int, index: int) -> Move:
    """The move of the seat, by its bot if there is a choice and the bot is still in the match."""
    if legal == 1:
        return state.list_moves()[0]
    move = _ask(state, seat, actor, legal, index) if seat.fault is None else None
    return move if move is not None else state.random_move(seat.substitute)


def _ask(state: State, seat: _Seat, actor: int, legal: int, index: int) -> Move | None:
    """The legal move that the seat's bot gives, or None after a fault."""
    view = state.view(actor)
    began = perf_counter()
    try:
        move = seat.player.choose(view, NO_LIMIT)
    except BotFaultError as error:
        seat.fail(error.kind, index, error.detail)
    else:
        if state.is_legal(move):
            return move
        seat.fail(FaultKind.ILLEGAL_MOVE, index, f"{shown(move)} is not among the {legal} legal moves of decision {index}")
    finally:
        seat.decisions += 1
        seat.seconds += perf_counter() - began
    return None
