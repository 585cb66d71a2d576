"""A match: whole ones, every kind of fault, fuel, playing alone, and a bot that another one starves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.bots import admit
from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor
from arena.play.match import make_ticket, play_match
from arena.run.results import standings
from arena.run.runner import run_tournament
from arena.spec.spec import Spec
from bots.errors import BotError, BotFaultError
from bots.host.player_pool import InProcessPlayer, Player
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
from engine.core import Move, State, View, shared_ranks
from engine.core.observer import Chronicle
from engine.records import FaultKind, MatchResult, Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from leaderboard.storage.store import Store
from tests.arena.conftest import MakeBot, MakeSpec

GAME = find_game("tongiaki")


def ticket(*seats: str, seed: int = 11) -> Ticket:
    """A ticket for these seats."""
    return Ticket("0123456789abcdef", tuple(sorted(seats)), 0, 0, seats, seed)


def play(*versions: BotVersion, seed: int = 11) -> MatchResult:
    """A match of these bots, whose replay has been verified."""
    result = play_match(GAME, ticket(*(version.name for version in versions), seed=seed), [InProcessPlayer(each) for each in versions])
    verify_replay(read_replay(result.replay))
    return result


class Watcher(Player):
    """A player that plays the first legal move and remembers what it was told."""

    def __init__(self) -> None:
        self.infos: list[MatchInfo] = []
        self.views: list[View[State]] = []
        self.ends: list[MatchEnd] = []

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self.infos.append(info)

    def choose(self, view: View[State], clock: Clock) -> Move:
        self.views.append(view)
        return view.legal_moves[0]

    def finish(self, end: MatchEnd) -> str | None:
        self.ends.append(end)
        return None


def watched(players: int = 2, seed: int = 11) -> tuple[MatchResult, list[Watcher]]:
    """A match of watchers."""
    watchers = [Watcher() for _ in range(players)]
    return play_match(GAME, ticket(*"abcdef"[:players], seed=seed), watchers), watchers


class TestAWholeMatch:
    def test_a_decision_with_one_legal_move_is_recorded_without_asking(self) -> None:
        result, watchers = watched()
        replay = read_replay(result.replay)
        for seat, watcher in enumerate(watchers):
            choices = [decision for decision in replay.decisions if decision.seat == seat and decision.legal > 1]
            assert len(watcher.views) == len(choices) == result.seats[seat].decisions
            assert all(len(view.legal_moves) > 1 for view in watcher.views)
        assert any(decision.legal == 1 for decision in replay.decisions)

    def test_every_bot_is_told_its_seat_the_game_and_the_end_once(self) -> None:
        result, watchers = watched(4)
        for seat, watcher in enumerate(watchers):
            assert [(info.game, info.players, info.seat) for info in watcher.infos] == [(GAME, 4, seat)]
            assert watcher.ends == [
                MatchEnd(tuple(each.score for each in result.seats), tuple(each.rank for each in result.seats), result.end)
            ]

    def test_bots_seeds_differ_by_seat_and_are_never_the_matchs(self) -> None:
        seeds = [info.seed for watcher in watched(6)[1] for info in watcher.infos]
        assert len({*seeds, 11}) == 7

    def test_what_a_bot_sees_hides_the_deck_and_the_seed(self) -> None:
        one, other = (watched(seed=seed)[1][0].views[0] for seed in (11, 12))
        assert GAME.new(2, 11) != GAME.new(2, 12)
        assert one == other
        assert one.position.text == other.position.text
        assert not any("seed" in slot for kind in type(one.position).__mro__ for slot in getattr(kind, "__slots__", ()))

    def test_the_result_says_what_the_replay_says(self) -> None:
        result = play(resolve("random"), resolve("greedy"))
        replay = read_replay(result.replay)
        assert [seat.score for seat in result.seats] == list(replay.scores)
        assert [seat.rank for seat in result.seats] == list(replay.ranks)
        assert (result.end, result.decisions) == (replay.end, len(replay.decisions))
        assert replay.names == ("random", "greedy")
        assert (replay.seed, replay.players) == (11, 2)


RIGHT = """
class Bot:
    def choose(self, view, clock):
        return view.legal_moves[0]
"""

# Each way to fail in the middle: what stands in choose at its sixth call, the kind of fault, and a piece of its detail.
CHOICES = {
    "raises": ("raise ValueError('mine')", FaultKind.CRASH, "choose raised ValueError: mine (line 10)"),
    "exits": ("raise SystemExit(1)", FaultKind.CRASH, "choose raised SystemExit: 1"),
    "raises what is no Exception": ("raise type('Odd', (BaseException,), {})('x')", FaultKind.CRASH, "Odd: x"),
    "recurses": ("return self.choose(view, self.choose(view, clock))", FaultKind.CRASH, "RecursionError"),
    "runs out of memory": ("raise MemoryError", FaultKind.MEMORY, "choose raised MemoryError"),
    "gives None": ("return None", FaultKind.PROTOCOL_ERROR, "choose returned None, which is not a move; return one of view.legal_moves"),
    "gives a coroutine": (
        "f = type(self).later; return f(self)",
        FaultKind.PROTOCOL_ERROR,
        "choose is 'async def', so it returned no move; write 'def choose(...)'",
    ),
    "gives a text": ("return str(view.legal_moves[0])", FaultKind.PROTOCOL_ERROR, "which is not a move"),
    "gives an index": ("return 0", FaultKind.PROTOCOL_ERROR, "choose returned 0 (int), which is not a move"),
    "gives a class": ("return type(view.legal_moves[0])", FaultKind.PROTOCOL_ERROR, "which is not a move"),
    "gives what has no repr": ("return NoRepr()", FaultKind.PROTOCOL_ERROR, "choose returned a NoRepr (NoRepr), which is not a move"),
    "gives an illegal move": ("return view.game.parse('place 1')", FaultKind.ILLEGAL_MOVE, "<place 1> is not among the"),
    "gives another game's move": ("return Foreign()", FaultKind.ILLEGAL_MOVE, "'hop' is not a Tongiaki move"),
    "gives a move that can't be shown": ("return Shy()", FaultKind.CRASH, "a move that can't be written"),
    "changes the list of moves": ("view.position.list_moves().clear()", FaultKind.CRASH, "AttributeError: 'tuple' object"),
    "says what no terminal should see": (r"raise ValueError('\x1b[31m\udcff\n')", FaultKind.CRASH, r"ValueError: \x1b[31m\udcff (line 10)"),
}


def failing(choice: str) -> str:
    """The source of a bot that does that at its sixth decision."""
    return f"""
from engine.core import Move

class Bot:
    calls = 0

    def choose(self, view, clock):
        self.calls += 1
        if self.calls > 5:
            {choice}
        return view.legal_moves[0]

    async def later(self): ...

class NoRepr:
    def __repr__(self):
        raise SystemExit

class Foreign(Move):
    def __str__(self):
        return "hop"
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 0

class Shy(Foreign):
    def __str__(self):
        raise ValueError
"""


class TestFaults:
    @pytest.mark.parametrize("way", CHOICES)
    def test_a_bot_that_fails_in_the_middle(self, bot: MakeBot, way: str) -> None:
        choice, kind, detail = CHOICES[way]
        result = play(bot(failing(choice)), resolve("random"))
        fault = result.seats[0].fault
        assert fault is not None
        assert fault.kind is kind
        assert detail in fault.detail
        assert "\n" not in fault.detail
        fault.detail.encode()
        asked = [i for i, d in enumerate(read_replay(result.replay).decisions) if d.seat == 0 and d.legal > 1]
        assert fault.index == asked[5]
        assert result.seats[0].decisions == 6
        self.assert_seat_0_forfeited(result, fault.index)

    @pytest.mark.parametrize(
        ("source", "kind", "detail"),
        [
            (RIGHT + "    def __init__(self): 1 / 0\n", FaultKind.CRASH, "Bot() raised ZeroDivisionError"),
            (RIGHT + "    def __init__(self): raise MemoryError\n", FaultKind.MEMORY, "Bot() raised MemoryError"),
            (RIGHT + "    def __init__(self): raise SystemExit\n", FaultKind.CRASH, "Bot() raised SystemExit"),
            (RIGHT + "    def start(self, info): 1 / 0\n", FaultKind.CRASH, "start raised ZeroDivisionError: division by zero (line 5)"),
            (RIGHT + "    def start(self, info): raise MemoryError\n", FaultKind.MEMORY, "start raised MemoryError"),
            (RIGHT + "    def start(self): ...\n", FaultKind.CRASH, "start raised TypeError"),
            (RIGHT + "    start = property(lambda self: 1 / 0)\n", FaultKind.CRASH, "start raised ZeroDivisionError"),
            (RIGHT + "    start = 3\n", FaultKind.CRASH, "start raised TypeError"),
            (RIGHT.replace("choose", "chose"), FaultKind.CRASH, "lacks a method"),
            ("Bot = 1 / 0", FaultKind.CRASH, "can't be imported: ZeroDivisionError"),
        ],
    )
    def test_a_bot_that_fails_before_its_first_decision(self, bot: MakeBot, source: str, kind: FaultKind, detail: str) -> None:
        result = play(bot(source), resolve("random"))
        fault = result.seats[0].fault
        assert fault is not None
        assert (fault.kind, fault.index) == (kind, 0)
        assert detail in fault.detail
        assert result.seats[0].decisions == 0
        self.assert_seat_0_forfeited(result, 0)

    @staticmethod
    def assert_seat_0_forfeited(result: MatchResult, index: int) -> None:
        fault = result.seats[0].fault
        assert fault is not None
        [forfeit] = read_replay(result.replay).forfeits
        assert (forfeit.seat, forfeit.index, forfeit.reason) == (0, index, fault.kind.value)
        assert result.seats[1].fault is None
        assert [seat.rank for seat in result.seats] == [2, 1]

    def test_the_forfeit_is_listed_at_the_first_decision_of_its_seat(self, bot: MakeBot) -> None:
        result = play(resolve("random"), bot(RIGHT + "    def start(self, info): 1 / 0\n"))
        [forfeit] = read_replay(result.replay).forfeits
        assert forfeit.seat == 1
        assert forfeit.index == next(i for i, d in enumerate(read_replay(result.replay).decisions) if d.seat == 1) > 0

    def test_of_two_forfeits_the_later_ranks_better_and_both_below_the_rest(self, bot: MakeBot) -> None:
        early, late = bot(RIGHT + "    def start(self, info): 1 / 0\n", "early"), bot(failing("return None"), "late")
        result = play(early, resolve("random"), late)
        assert [forfeit.seat for forfeit in read_replay(result.replay).forfeits] == [0, 2]
        assert [seat.rank for seat in result.seats] == [3, 1, 2]

    def test_the_other_seats_are_asked_as_if_nothing_had_happened(self, bot: MakeBot) -> None:
        result = play(bot(failing("return None")), resolve("greedy"), resolve("random"))
        decisions = read_replay(result.replay).decisions
        for seat in (1, 2):
            assert result.seats[seat].fault is None
            assert result.seats[seat].decisions == sum(d.seat == seat and d.legal > 1 for d in decisions)

    def test_the_substitute_plays_the_same_way_whatever_the_fault(self, bot: MakeBot) -> None:
        moves = {tuple(read_replay(play(bot(failing(choice)), resolve("random")).replay).decisions) for choice, _, _ in CHOICES.values()}
        assert len(moves) == 1

    def test_a_finish_that_raises_is_a_note_and_no_fault(self, bot: MakeBot) -> None:
        good = play(bot(RIGHT), resolve("random"))
        result = play(bot(RIGHT + "    def finish(self, end): raise SystemExit('bye')\n"), resolve("random"))
        assert result.notes == ("mine: finish raised SystemExit: bye (line 5)",)
        assert result.replay == good.replay
        assert good.notes == ()

    def test_ctrl_c_is_no_fault(self, bot: MakeBot) -> None:
        with pytest.raises(KeyboardInterrupt):
            play(bot(failing("raise KeyboardInterrupt")), resolve("random"))


class TestPlayersElsewhere:
    """A player need not be in this process: the loop knows only the protocol."""

    @pytest.mark.parametrize("kind", FaultKind)
    def test_every_kind_of_fault_is_recorded_as_it_is_raised(self, kind: FaultKind) -> None:
        class Failing(Watcher):
            def choose(self, view: View[State], clock: Clock) -> Move:
                raise BotFaultError(kind, "why")

        players: Sequence[Watcher] = [Watcher(), Failing()]
        result = play_match(GAME, ticket("a", "b"), players)
        fault = result.seats[1].fault
        assert fault is not None
        assert (fault.kind, fault.detail) == (kind, "why")
        assert [forfeit.reason for forfeit in read_replay(result.replay).forfeits] == [kind.value]
        verify_replay(read_replay(result.replay))
        assert players[1].ends == []


LIMITS = ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None, nodes=7, start_fuel=10, move_fuel=100, bank_fuel=250)


class Fuelled(InProcessPlayer):
    """A random bot that says how much fuel it uses, and keeps what it is told."""

    def __init__(self, start: int, decisions: list[int]) -> None:
        super().__init__(resolve("random"))
        self._uses = iter(decisions)
        self._start = start
        self._fuel = 0
        self.told: list[int | None] = []

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        super().start(info, chronicle)
        self._fuel += self._start

    def choose(self, view: View[State], clock: Clock) -> Move:
        self.told.append(clock.fuel)
        assert (clock.seconds, clock.nodes, clock.stop) == (None, 7, 120.0)
        self._fuel += next(self._uses, 0)
        return super().choose(view, clock)

    def fuel(self) -> int:
        return self._fuel


def played(player: Fuelled) -> tuple[FaultKind, int, str] | None:
    game = find_game("tongiaki")
    ticket = make_ticket(game, ("a", "b"), seed=5)
    result = play_match(game, ticket, [player, InProcessPlayer(resolve("random"))], clock=LIMITS)
    fault = result.seats[0].fault
    return None if fault is None else (fault.kind, fault.index, fault.detail)


def test_each_decision_has_its_fuel_as_long_as_the_bank_lasts() -> None:
    player = Fuelled(10, [100, 40, 90])
    assert played(player) is None
    assert player.told[:5] == [100, 100, 100, 20, 20]


def test_too_much_fuel_is_a_move_timeout() -> None:
    kind, index, detail = played(Fuelled(0, [100, 101])) or pytest.fail("no fault")
    assert (kind, detail) == (FaultKind.MOVE_TIMEOUT, "it used all of its 100 units of fuel for a decision")
    assert index > 0


def test_too_much_fuel_at_the_start_is_an_init_timeout() -> None:
    assert played(Fuelled(11, [])) == (FaultKind.INIT_TIMEOUT, 0, "it used all of its 10 units of fuel before it was ready")


def test_only_what_can_be_measured_is_admitted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    mine = identify("mine.py", base=tmp_path)
    module = BotVersion("m", "", "m.wasm", "", files=(("m.wasm", b""),), wasm="m.wasm")
    admit([resolve("mcts"), module], Level.L3, trusted=False, clock=LIMITS)
    admit([mine], Level.L3, trusted=False, clock=ClockSpec())
    with pytest.raises(BotError, match=r"mine\.py can't play with a fuel limit, which works only for WebAssembly modules"):
        admit([mine], Level.L3, trusted=False, clock=LIMITS)


SOLO = """
    game = "sunda"
    options = { level = 2 }
    bots = ["random", "greedy", "spoiler"]
    schedule = { tables = [1], blocks = 2 }
"""


def test_the_scores_of_a_block_rank_the_bots(spec: MakeSpec, versions: Callable[[Spec], dict[str, BotVersion]], tmp_path: Path) -> None:
    solo = spec(SOLO)
    with Store.create(tmp_path / "solo.db") as store:
        summary = run_tournament(solo, versions(solo), store, InlineExecutor())
        tickets = list(Schedule(solo))
        found = store.matches(ticket.id for ticket in tickets)
        table = standings(store, summary.tournament)

    scores = {(ticket.block, ticket.seats[0]): found[ticket.id].seats[0].score for ticket in tickets}
    names = ["greedy", "random", "spoiler"]
    places = dict.fromkeys(names, 0)
    for block in range(2):
        for name, place in zip(names, shared_ranks([(scores[block, name],) for name in names]), strict=True):
            places[name] += place
    assert [(line.bot, line.mu, line.sigma) for line in table] == [(rated.bot, rated.mu, rated.sigma) for rated in summary.table]
    assert {line.bot: line.mean_rank for line in table} == {name: places[name] / 2 for name in names}
    assert {line.bot: line.mean_score for line in table} == {name: (scores[0, name] + scores[1, name]) / 2 for name in names}
    assert {line.matches for line in table} == {2}
    assert table[-1].bot == "random"
    assert all(rated.number == 2 for rated in summary.table)


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


def play_apart(*players: Player) -> MatchResult:
    result = play_match(GAME, Ticket("0123456789abcdef", NAMES, 0, 0, NAMES, 5), players, clock=ClockSpec())
    verify_replay(read_replay(result.replay))
    return result


def test_a_bot_that_was_starved_by_another_is_given_the_time_back_and_the_other_forfeits() -> None:
    thief, victim, third = Sleeper(taken=1.5), Victim(), Sleeper(taken=0.01)

    result = play_apart(thief, victim, third)

    assert victim.given == [1.5]
    assert thief.is_closed
    assert [seat.fault is None for seat in result.seats] == [False, True, True]
    fault = result.seats[0].fault
    assert fault is not None
    assert (fault.kind, fault.detail) == (FaultKind.MOVE_TIMEOUT, "it used 1.50 s of CPU time during another bot's turn")
    assert result.seats[0].rank == 3


def test_a_bot_that_is_late_by_itself_forfeits() -> None:
    victim = Victim()

    result = play_apart(Sleeper(), victim, Sleeper())

    assert victim.given == [0.0]
    assert [seat.fault is None for seat in result.seats] == [True, False, True]
    assert result.seats[1].rank == 3
