"""Programs that break the protocol: each gets the right fault in one sentence, and the match goes on at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from bots.host import channel
from bots.host.bot_process import ProcessPlayer
from bots.host.player_pool import InProcessPlayer, PlayerPool
from bots.limits import Level
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from bots.sandbox.probe import best_level
from engine.records import FaultKind, MatchResult
from tests.bots import playing
from tests.bots.playing import CRASH, FLOOD, ILLEGAL, INIT, LATE, PROTOCOL
from tests.hostile import protocol

pytestmark = pytest.mark.slow  # it waits for the clocks of bots that break the protocol

PROGRAM = Path(__file__).parents[2] / "hostile" / "protocol.py"
CLOCK = ClockSpec(start=10.0, move=0.25, strikes=1000, slack=60.0)
"""On the wall there is far more time than any bot here takes, however long it waits for a processor."""
SHORT_START = replace(CLOCK, start=0.5)
IMPATIENT = replace(CLOCK, slack=4.0)
"""For bots that sleep when they have to answer."""
CLOCKS = {
    "never_ready": replace(SHORT_START, slack=4.0),
    "loops_at_start": SHORT_START,
    "never_answers": IMPATIENT,
    "late": IMPATIENT,
    "ignores_sigterm": IMPATIENT,
}
WANTED: dict[str, tuple[FaultKind | None, str]] = {
    "never_ready": (INIT, "it had not answered after 2 s"),
    "loops_at_start": (INIT, "CPU time"),
    "never_answers": (LATE, "it had not answered after 1 s"),
    "loops": (LATE, "CPU time for a decision; the limit is 0.25 s"),
    "late": (LATE, "it had not answered after 1 s"),
    "ignores_sigterm": (LATE, "it had not answered after 1 s"),
    "one_long_line": (FLOOD, "it wrote more than 64 KiB in a turn"),
    "newlines": (FLOOD, "it wrote more than 64 KiB in a turn"),
    "long_answer": (FLOOD, "it wrote more than 64 KiB in a turn"),
    "stderr_flood": (FLOOD, "it wrote more than 1 MiB to its log in a turn"),
    "two_answers": (PROTOCOL, "token"),
    "out_of_turn": (PROTOCOL, "token"),
    "other_seat": (PROTOCOL, "unknown field `seat`"),
    "old_token": (PROTOCOL, "token"),
    "no_token": (PROTOCOL, "missing required field `token`"),
    "invalid_utf8": (PROTOCOL, "is not JSON"),
    "lone_surrogate": (PROTOCOL, "is not JSON"),
    "nan": (PROTOCOL, "is not JSON"),
    "infinity": (PROTOCOL, "is not JSON"),
    "1e999": (PROTOCOL, "docs/protocol.md"),
    "deep_json": (PROTOCOL, "docs/protocol.md"),
    "deep_move": (PROTOCOL, "docs/protocol.md"),
    "huge_integer": (PROTOCOL, "docs/protocol.md"),
    "twin_keys": (PROTOCOL, "has a key twice"),
    "pickle": (PROTOCOL, "is not JSON"),
    "wrong_type": (PROTOCOL, "Expected `str`, got `array`"),
    "garbage": (PROTOCOL, "it wrote 'my move is: pass', which is not JSON"),
    "exits": (CRASH, "its process ended with exit code 7"),
    "exits_well": (CRASH, "its process ended with exit code 0"),
    "segfault": (CRASH, "SIGSEGV"),
    "aborts": (CRASH, "signal SIG"),
    "recursion": (CRASH, "its process"),
    "closes_stdout": (PROTOCOL, "it closed its pipes, but did not end"),
    "closes_stdin": (PROTOCOL, "it closed its pipes, but did not end"),
    "wrong_version": (PROTOCOL, "it uses version 2 of the protocol, but this host uses 1"),
    "wants_the_deck": (PROTOCOL, "docs/protocol.md"),
    "hello_twice": (PROTOCOL, "it sent 'hello' instead of 'answer'"),
    "illegal": (ILLEGAL, "is not among the"),
    "no_move": (ILLEGAL, "resign"),
    "gives_up": (CRASH, "I am lost"),
    "ponders": (None, ""),
    "no_bye": (None, ""),
}


LEVELS = [level for level in (Level.L0, Level.L2, Level.L3) if level <= best_level()]  # L1 executes no programs


@pytest.fixture(scope="module", params=LEVELS, ids=str)
def pool(request: pytest.FixtureRequest) -> Iterator[PlayerPool]:
    with pytest.MonkeyPatch.context() as patch, PlayerPool(request.param) as pool:
        patch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")  # a python3 that an isolated bot can see, too
        yield pool


def hostile(name: str) -> BotVersion:
    return BotVersion(name, "0" * 64, name, "", files=(("protocol.py", PROGRAM.read_bytes()),), command=("python3", "protocol.py", name))


def play(name: str, pool: PlayerPool) -> tuple[MatchResult, int]:
    """The program in seat 0 against random, and the number of its process."""
    player = pool.seat(hostile(name))
    assert isinstance(player, ProcessPlayer)
    pids: list[int] = []
    spawn = player._spawn
    player._spawn = lambda game, **limits: (child := spawn(game, **limits), pids.append(child.pid))[0]
    return playing.play([player, InProcessPlayer(resolve("random"))], clock=CLOCKS.get(name, CLOCK)), pids[0]


def test_every_hostile_program_has_its_outcome_here() -> None:
    assert set(protocol.PROGRAMS) == set(WANTED)


@pytest.mark.parametrize("name", WANTED)
def test_the_right_fault_at_once_and_the_match_goes_on(name: str, pool: PlayerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, words = WANTED[name]
    if kind is FLOOD:  # it comes within a moment only where the bot gets a processor
        monkeypatch.setattr(channel, "_QUIET", 60.0)
        monkeypatch.setattr(channel, "_CALM", 60.0)
    began = monotonic()
    result, pid = play(name, pool)
    fault = result.seats[0].fault
    assert result.seats[1].fault is None
    assert (fault.kind if fault else None) == kind, fault
    if fault is not None:
        assert words in fault.detail
        assert len(fault.detail) <= 500
        assert fault.detail.isprintable()
        assert result.seats[0].rank == 2
    assert len(result.seats[0].log) <= 8192
    assert monotonic() - began < 240  # those that never answer or end would take for ever
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_pickle_was_not_loaded() -> None:
    assert not Path("/tmp/pickled").exists()  # noqa: S108  # where the program would have put it


def test_a_bot_that_says_no_bye_is_told_of_in_a_note(pool: PlayerPool) -> None:
    result, _ = play("no_bye", pool)
    assert len(result.notes) == 1
    assert result.notes[0].startswith("no_bye: after the match, it had not answered after 2 s by the wall clock; ")
