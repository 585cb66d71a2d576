"""``breakpoint()`` says where it works, and works there."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from arena.play.match import play_match
from bots.host.player_pool import InProcessPlayer, PlayerPool
from bots.loader.loading import identify, resolve
from engine.records import FaultKind
from engine.registry import find_game
from tests.bots.conftest import WriteBot
from tests.bots.playing import ticket

STOPS = """
    class Bot:
        asked = 0

        def choose(self, view, clock):
            self.asked += 1
            if self.asked == 2:
                {stop}
            return view.legal_moves[0]
"""
HOW = "works only where the bot runs in your own process, at a terminal: "


@pytest.mark.parametrize(
    ("stop", "what"),
    [
        ("breakpoint()", "RuntimeError: breakpoint()"),
        ("import pdb; pdb.set_trace()", "RuntimeError: a debugger"),
        ("input('what now? ')", "EOFError: input()"),
    ],
)
def test_where_there_is_no_terminal_a_bot_is_told_how_to_be_debugged(write_bot: WriteBot, box: PlayerPool, stop: str, what: str) -> None:
    version = identify(str(write_bot(STOPS.format(stop=stop))))
    seat = play_match(find_game("tongiaki"), ticket(2), [box.seat(version), InProcessPlayer(resolve("random"))]).seats[0]
    assert seat.fault is not None
    assert seat.fault.kind is FaultKind.CRASH
    command = "arena match my_bot.py random --game tongiaki --isolation none --seed 5"
    assert seat.fault.detail.startswith(f"choose raised {what} {HOW}{command} (line ")


@pytest.mark.slow  # a terminal and a process
@pytest.mark.parametrize("more", [pytest.param([], id="shown", marks=pytest.mark.slow), pytest.param(["--log"], id="kept")])
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_at_a_terminal_a_debugger_reaches_the_bot(write_bot: WriteBot, more: list[str]) -> None:
    path = write_bot(STOPS.format(stop="breakpoint()"))
    host, terminal = pty.openpty()
    command = [sys.executable, "-c", "from arena.cli import main; main()", "match", path.name, "random"]
    options = ["--game", "tongiaki", "--isolation", "none", "--seed", "5", "--clock", "wall_bank=1", *more]
    root = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": root, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "100"}
    environment.pop("PYTHONBREAKPOINT", None)  # which Ray sets, where another test has used it
    with subprocess.Popen(
        [*command, *options], cwd=path.parent, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        heard = _until(host, "(Pdb)")
        sleep(1.2)  # more than the bot may sleep
        os.write(host, b"p 'asked', self.asked, view.seat\n")
        heard += _until(host, "(Pdb)")
        os.write(host, b"c\n")
        heard += _until(host, None)
        assert process.wait(30) == 0
    os.close(host)
    assert "('asked', 2, 0)" in heard
    assert "return view.legal_moves[0]" in heard  # where it has stopped
    assert "replaced by a substitute" not in heard
    assert "rank" in heard


def _until(host: int, words: str | None) -> str:
    """Read what the program shows until these words come, or until it ends."""
    heard, until = "", monotonic() + 60
    while words is None or words not in heard:
        assert monotonic() < until, heard
        if select.select([host], [], [], 0.5)[0]:
            try:
                data = os.read(host, 65536)
            except OSError:  # the program has closed its end
                return heard
            if not data:
                return heard
            heard += data.decode(errors="replace")
    return heard
