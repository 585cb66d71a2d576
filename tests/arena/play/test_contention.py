"""Who takes time from others at a table forfeits at once; whom it was taken from does not, and gets it back."""

from __future__ import annotations

from arena.play.match import play_match
from bots.errors import BotFaultError
from bots.host.player_pool import Player
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.core.observer import Chronicle
from engine.records import FaultKind, MatchResult, Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay

GAME = find_game("tongiaki")
NAMES = ("thief", "victim", "third")


class Sleeper(Player):
    """Plays the first legal move; ``taken`` is what it has used while it was not its turn."""

    def __init__(self, taken: float = 0.0) -> None:
        self.taken = taken
        self.is_closed = False

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        pass

    def choose(self, view: View[State], clock: Clock) -> Move:
        return view.legal_moves[0]

    def finish(self, end: MatchEnd) -> str | None:
        return None

    def overtime(self) -> float:
        return 0.0 if self.is_closed else self.taken

    def close(self) -> None:
        self.is_closed = True


class Victim(Sleeper):
    """Is late at its third decision, by the wall clock."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.given: list[float] = []

    def choose(self, view: View[State], clock: Clock) -> Move:
        self.asked += 1
        if self.asked == 3:
            self.given.append(self.grace())
            if not self.given[-1]:
                raise BotFaultError(FaultKind.MOVE_TIMEOUT, "it had not answered in time")
        return view.legal_moves[0]


def play(*players: Player) -> MatchResult:
    result = play_match(GAME, Ticket("0123456789abcdef", NAMES, 0, 0, NAMES, 5), players, clock=ClockSpec())
    verify_replay(read_replay(result.replay))
    return result


def test_a_bot_that_was_starved_by_another_is_given_the_time_back_and_the_other_forfeits() -> None:
    thief, victim, third = Sleeper(taken=1.5), Victim(), Sleeper(taken=0.01)

    result = play(thief, victim, third)

    assert victim.given == [1.5]
    assert thief.is_closed
    assert [seat.fault is None for seat in result.seats] == [False, True, True]
    fault = result.seats[0].fault
    assert fault is not None
    assert (fault.kind, fault.detail) == (FaultKind.MOVE_TIMEOUT, "it used 1.50 s of CPU time while it was not its turn")
    assert result.seats[0].rank == 3


def test_a_bot_that_is_late_by_itself_forfeits() -> None:
    victim = Victim()

    result = play(Sleeper(), victim, Sleeper())

    assert victim.given == [0.0]
    assert [seat.fault is None for seat in result.seats] == [True, False, True]
    assert result.seats[1].rank == 3
