"""Bots in processes of their own: faults, logs, what they are told of a match, and that nothing is left of another."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from arena.bots import rehearse
from arena.play.match import play_match
from bots import Clock, MatchEnd, MatchInfo, News
from bots.errors import BotError
from bots.host.bot_process import ProcessPlayer
from bots.host.player_pool import InProcessPlayer, Player, PlayerPool
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockMode, ClockSpec
from bots.sandbox.probe import best_level
from engine import Chronicle
from engine.core import Game, Move, OptionValue, State, View
from engine.records import FaultKind, SeatResult
from engine.registry import find_game
from tests.bots.conftest import WriteBot
from tests.bots.playing import play, play_random, ticket, written
from tests.small_games import TRICKS, add

GAMES: list[tuple[str, dict[str, OptionValue]]] = [
    ("tongiaki", {}),
    ("sunda", {"level": 5}),
    ("sunda", {"level": 4, "pots": "private"}),
    ("sunda", {"level": 3, "mode": "simultaneous"}),
]

QUICK = ClockSpec(start=10.0, move=0.2, strikes=1000, slack=60.0)
"""Little CPU time, and far more on the wall than any bot here takes that does not sleep."""

IMPATIENT = ClockSpec(start=10.0, move=0.2, strikes=1000, slack=2.0)

PATIENT = ClockSpec(move=10.0)

BROKEN = {
    "init": "def __init__(self): 1 / 0",
    "start": "def start(self, info): raise ValueError('no')",
    "import": "import nothing_like_this",
    "raises": "def choose(self, view, clock): return {}[view.seat]",
    "no move": "def choose(self, view, clock): return 'pass'",
    "illegal": "def choose(self, view, clock): return view.game.parse('settle 4')",
    "exits": "def choose(self, view, clock): raise SystemExit(3)",
    "memory": "def choose(self, view, clock): raise MemoryError",
    "recursion": "def choose(self, view, clock): return self.choose(view, clock)",
    "finish": "def finish(self, end): 1 / 0",
}


@pytest.mark.parametrize("wrong", BROKEN.values(), ids=BROKEN)
def test_what_goes_wrong_in_a_bot_is_told_alike_in_and_out_of_process(wrong: str, box: PlayerPool) -> None:
    source = f"class Bot:\n    def choose(self, view, clock): return view.legal_moves[0]\n    {wrong}\n"
    inside = play([InProcessPlayer(written(source)), InProcessPlayer(resolve("random"))])
    outside = play_random(box, written(source), clock=PATIENT)
    told = outside.seats[0].fault
    # only a bot's process has a competition's packages
    assert (told and replace(told, detail=told.detail.partition("; this competition allows no packages")[0])) == inside.seats[0].fault
    assert outside.replay == inside.replay
    assert outside.notes == inside.notes


def faulty(source: str, box: PlayerPool, clock: ClockSpec = QUICK) -> SeatResult:
    version = written(f"class Bot:\n    def choose(self, view, clock):\n        {source}\n")
    result = play([box.seat(version), InProcessPlayer(resolve("random"))], clock=clock)
    assert result.seats[1].fault is None
    return result.seats[0]


@pytest.mark.parametrize(
    ("source", "kind", "words", "clock"),
    [
        ("while True: pass", FaultKind.MOVE_TIMEOUT, "CPU time for a decision; the limit is 0.2 s", QUICK),
        ("__import__('time').sleep(60)", FaultKind.MOVE_TIMEOUT, "it had not answered after 0.4 s", IMPATIENT),
        ("__import__('os')._exit(3)", FaultKind.CRASH, "its process ended with exit code 3", QUICK),
        ("__import__('ctypes').string_at(0)", FaultKind.CRASH, "SIGSEGV", QUICK),
        ("__import__('os').abort()", FaultKind.CRASH, "signal SIG", QUICK),
        ("x = bytearray(1 << 33)", FaultKind.MEMORY, "MemoryError", PATIENT),
        ("while True: print('x' * 1000)", FaultKind.OUTPUT_FLOOD, "log", PATIENT),
    ],
)
def test_a_bot_that_misbehaves_gets_the_right_fault_and_the_match_goes_on(
    source: str, kind: FaultKind, words: str, clock: ClockSpec, box: PlayerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.clock._LEAST_STOP", 0.1)
    seat = faulty(source, box, clock)
    assert seat.fault is not None
    assert (seat.fault.kind, words in seat.fault.detail) == (kind, True), seat.fault


def test_what_a_bot_prints_goes_to_its_log_of_which_the_end_is_kept(box: PlayerPool) -> None:
    seat = faulty("print('so', len(view.legal_moves)); print('x' * 300); return view.legal_moves[0]", box)
    assert seat.fault is None
    assert seat.log.endswith("x" * 300 + "\n")
    assert 7000 < len(seat.log) <= 8192
    assert seat.messages == ()


def test_no_process_is_left_after_a_match(box: PlayerPool) -> None:
    import os

    player = box.seat(resolve("random"))
    assert isinstance(player, ProcessPlayer)
    pids: list[int] = []
    spawn = player._spawn
    player._spawn = lambda game, **limits: (child := spawn(game, **limits), pids.append(child.pid))[0]
    play([player, InProcessPlayer(resolve("random"))])
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_every_decision_of_a_long_match_has_a_token_of_its_own_that_nobody_can_guess() -> None:
    def spawn(game: Game, *, cpu_seconds: int | None) -> NoReturn:
        raise AssertionError((game, cpu_seconds))  # nothing is to be started

    version = resolve("random")
    tokens = [[player._token() for _ in range(200)] for player in (ProcessPlayer(version, spawn), ProcessPlayer(version, spawn))]
    assert len({*tokens[0], *tokens[1]}) == 400
    assert all(re.fullmatch("[0-9a-f]{16}", token) for token in tokens[0])


CHOOSE = "    def choose(self, view, clock): return view.legal_moves[0]\n"


def version_of(code: str) -> BotVersion:
    return BotVersion("mine", "1" * 64, "mine.py", "Mine", code)


@pytest.fixture(scope="module", params=[Level.NONE, Level.L0], ids=str)
def pool(request: pytest.FixtureRequest) -> Iterator[PlayerPool]:
    if request.param is Level.L0:
        yield request.getfixturevalue("own_process")
        return
    with PlayerPool(request.param) as pool:
        yield pool


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_module\n", "can't be imported"),
        (f"class Other:\n{CHOOSE}", "has no class 'Mine'"),
        (f"class Mine:\n    def __init__(self): raise OSError('no')\n{CHOOSE}", r"Mine\(\) raised OSError: no"),
    ],
)
def test_a_bot_that_cannot_be_made_is_refused_before_the_match(pool: PlayerPool, code: str, told: str) -> None:
    with pytest.raises(BotError, match=told):
        rehearse([version_of(code)], find_game("tongiaki"), pool)


BUILT = """
from random import Random

from bots import evaluate
from bots.search import search
from bots.values import rank_chances, score_moves, utilities


class Bot:
    def start(self, info):
        self.rng = Random(info.seed)

    def choose(self, view, clock):
        assert len(rank_chances(view)) == len(evaluate(view)) == view.players
        result = search(view, clock, self.rng, value=utilities, prior=score_moves, nodes=None if clock.nodes else 10)
        self.nodes = result.nodes
        assert self.nodes == clock.nodes or not clock.nodes
        return result.move
"""

CLOCKS = [ClockSpec(), ClockSpec(mode=ClockMode.BUDGET, nodes=5)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: clock.mode)
@pytest.mark.parametrize("name", ["tongiaki", "sunda"])
def test_a_bot_of_parts_plays_in_its_own_process(name: str, clock: ClockSpec, box: PlayerPool) -> None:
    result = play_random(box, written(BUILT), find_game(name), clock)

    assert [seat.fault for seat in result.seats] == [None, None]
    assert result.seats[0].rank == 1


REMEMBERS = """
    import functools
    import sys

    MATCHES = []

    @functools.cache
    def remembered():
        return []

    class Bot:
        matches = []

        def __init__(self, default=[]):
            places = MATCHES, self.matches, default, remembered(), vars(sys.modules[__name__]).setdefault("left", [])
            if any(places):
                raise RuntimeError("it has played before")
            for each in places:
                each.append("here")

        def choose(self, view, clock):
            return view.legal_moves[0]
"""


def check(pool: PlayerPool, write_bot: WriteBot) -> None:
    version = identify(str(write_bot(REMEMBERS)))
    for _ in range(3):
        result = play_match(find_game("tongiaki"), ticket(3), [pool.seat(version), pool.seat(version), InProcessPlayer(resolve("random"))])
        assert [seat.fault for seat in result.seats] == [None] * 3


def test_no_match_and_no_other_seat_has_left_anything_in_a_bots_module(box: PlayerPool, write_bot: WriteBot) -> None:
    check(box, write_bot)


@pytest.mark.parametrize("level", [Level.NONE, *(pytest.param(level, marks=pytest.mark.slow) for level in (Level.L1, Level.L2))], ids=str)
def test_nor_has_it_at_other_levels(level: Level, write_bot: WriteBot) -> None:
    if level > best_level():
        pytest.skip(f"this machine does not offer {level}")
    with PlayerPool(level) as pool:
        check(pool, write_bot)


PLAYED_GAMES: list[tuple[str, dict[str, OptionValue], int]] = [
    ("tongiaki", {}, 3),
    ("sunda", {"level": 5}, 2),
    ("sunda", {"level": 4, "pots": "private"}, 2),
    ("sunda", {"level": 3, "mode": "simultaneous"}, 3),
]

PICKS = """
    import hashlib

    def told(history):
        return f"{len(history)} {hashlib.sha256(repr(history).encode()).hexdigest()[:12]}"
"""

IN_PYTHON = f"""{PICKS}
    class Bot:
        def choose(self, view, clock):
            print(told([(each.seat, each.move, list(each.events)) for each in view.history]), flush=True)
            moves = list(view.legal_moves)
            return moves[len(view.history) % len(moves)]
"""

IN_ANY_LANGUAGE = f"""#!/usr/bin/python3
import json, sys
from textwrap import dedent
exec(dedent('''{PICKS}'''))

def say(**message):
    print(json.dumps(message), flush=True)

input()
say(type="hello", protocol=1, name="told", wants=["legal"])
history = []
for line in sys.stdin:
    asked = json.loads(line)
    history += [(each["seat"], each.get("move"), each.get("events", [])) for each in asked["news"]]
    print(told(history), file=sys.stderr, flush=True)
    say(type="answer", token=asked["token"], move=asked["legal"][len(history) % len(asked["legal"])])
"""


class Keeper(Player):
    """Plays at random, and keeps the views that it was shown."""

    def __init__(self) -> None:
        self.views: list[View[State]] = []
        self.told: list[list[News]] = []

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self.rng, self.seat, self.chronicle = Random(info.seed), info.seat, chronicle

    def choose(self, view: View[State], clock: Clock) -> Move:
        self.views.append(view)
        self.told.append(self.chronicle.news(self.seat, 0))
        return view.legal_moves.random(self.rng)

    def finish(self, end: MatchEnd) -> None:
        """Nothing."""


@pytest.fixture(params=["ours", pytest.param("openspiel", marks=pytest.mark.slow)])  # which comes with the extra dev
def games(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Game, int]]:
    """Both games in all their kinds, and a simple one with secrets; or one of OpenSpiel's."""
    if request.param == "openspiel":
        return [(find_game("openspiel:leduc_poker"), 2)]
    made = [(find_game(name, options), players) for name, options, players in PLAYED_GAMES]
    return [*made, (add(monkeypatch, "tricks", TRICKS), 3)]


def test_at_each_decision_the_history_is_what_news_has_told_until_then(games: list[tuple[Game, int]]) -> None:
    for game, players in games:
        seats = [Keeper() for _ in range(players)]
        play_match(game, ticket(players), seats)
        assert all(seat.views for seat in seats)
        for seat in seats:
            histories = [view.history for view in reversed(seat.views)]  # read after the match, which went on meanwhile
            assert histories == [tuple(told) for told in reversed(seat.told)], game.name
        hidden = [news for seat in seats for news in seat.views[-1].history if news.move is None]
        assert bool(hidden) == (game.options.get("mode") == "simultaneous")
        assert all(news.seat != number for number, seat in enumerate(seats) for news in seat.views[-1].history if news.move is None)


def test_nothing_of_what_others_hold_is_in_a_history(monkeypatch: pytest.MonkeyPatch) -> None:
    game = add(monkeypatch, "tricks", TRICKS)
    seats = [Keeper() for _ in range(3)]
    play_match(game, ticket(3), seats)
    for number, seat in enumerate(seats):
        for news in seat.views[-1].history:
            position = game.position(news.events[-1].removeprefix("known "))
            shown = position.inside.hands  # type: ignore[attr-defined]  # of this game
            assert all(card == -1 for owner, hand in enumerate(shown) if owner != number for card in hand)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "options", "players"), PLAYED_GAMES, ids=str)
def test_bots_are_told_the_same_in_process_in_their_own_and_as_a_command(
    name: str,
    options: dict[str, OptionValue],
    players: int,
    box: PlayerPool,
    write_bot: WriteBot,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = find_game(name, options)
    version = identify(str(write_bot(IN_PYTHON)))
    inside = play_match(game, ticket(players), [InProcessPlayer(version) for _ in range(players)])
    lines = capsys.readouterr().out.splitlines()
    outside = play_match(game, ticket(players), [box.seat(version) for _ in range(players)])
    assert [seat.fault for seat in (*inside.seats, *outside.seats)] == [None] * 2 * players
    assert outside.replay == inside.replay
    assert all(seat.cpu_seconds > 0 and seat.peak_memory for seat in outside.seats)
    logs = [seat.log.splitlines() for seat in outside.seats]
    assert sum(seat.decisions for seat in inside.seats) == len(lines) > 10
    for log in logs:
        assert len(log) > 3
        assert set(log[1:]) <= set(lines)  # the first line may have been cut
    if box.level is Level.L1 or shutil.which("python3", path="/usr/bin") is None:
        return
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    program = command(write_bot)
    told = play_match(game, ticket(players), [box.seat(program) for _ in range(players)])
    assert [seat.fault for seat in told.seats] == [None] * players
    assert [seat.log.splitlines()[1:] for seat in told.seats] == [log[1:] for log in logs]


def command(write_bot: WriteBot) -> BotVersion:
    """The same bot, which speaks the protocol."""
    path = write_bot(IN_ANY_LANGUAGE, "told.py")
    folder = path.parent / "told"
    folder.mkdir()
    path.rename(folder / "told.py").chmod(0o755)
    (folder / "bot.toml").write_text(f"command = {json.dumps(['python3', 'told.py'])}\n")
    return identify(os.fspath(Path(folder)))
