"""What an author sees of a bot that fails: its own lines and no others; and how it is debugged."""

from __future__ import annotations

import json

import pytest

from arena.play.match import play_match
from bots.errors import BotError, BotFaultError
from bots.host.player_pool import InProcessPlayer, Player, PlayerPool
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.tracebacks import LONGEST_TRACEBACK
from bots.loader.version import BotVersion
from bots.protocol import MatchInfo
from engine.core.observer import Chronicle
from engine.records import FaultKind, SeatResult
from engine.registry import find_game
from tests.bots.conftest import WriteBot
from tests.bots.playing import TONGIAKI, play, ticket

THROUGH_OTHERS = """
    class Bot:
        def choose(self, view, clock):
            return max(view.legal_moves, key=self.value)

        def value(self, move):
            try:
                return {}[move]
            except KeyError as error:
                raise ValueError("worthless\\x1b[31m") from error
"""

ITS_TRACEBACK = """\
Traceback (most recent call last):
  File "my_bot.py", line 8, in value
    return {}[move]
KeyError: find_game('tongiaki').parse('place 0')

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "my_bot.py", line 4, in choose
    return max(view.legal_moves, key=self.value)
  File "my_bot.py", line 10, in value
    raise ValueError("worthless\\x1b[31m") from error
ValueError: worthless\\x1b[31m"""


def failed(player: Player) -> SeatResult:
    """How the bot did in a match."""
    return play([player, InProcessPlayer(resolve("random"))]).seats[0]


def failed_here(version: BotVersion) -> SeatResult:
    """How it did in this process."""
    with PlayerPool(Level.NONE) as here:
        return failed(here.seat(version))


def seats(version: BotVersion, box: PlayerPool) -> list[SeatResult]:
    """How it did in this process and in one of its own."""
    return [failed_here(version), failed(box.seat(version))]


def test_its_calls_and_lines_are_shown_and_no_others(write_bot: WriteBot, box: PlayerPool) -> None:
    inside, outside = seats(identify(str(write_bot(THROUGH_OTHERS))), box)
    assert inside.traceback == outside.traceback == ITS_TRACEBACK
    assert inside.fault is not None
    assert inside.fault == outside.fault
    assert inside.fault.detail == "choose raised ValueError: worthless\\x1b[31m (line 10)"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("def __init__(self): 1 / 0", "def __init__(self): 1 / 0"),
        ("def start(self, info): raise ValueError('no')", "ValueError: no"),
        ("import nothing_like_this", "ModuleNotFoundError: No module named 'nothing_like_this'"),
        ("def choose(self, view, clock): raise MemoryError", "MemoryError"),
        ("def choose(self, view, clock): raise KeyboardInterrupt", ""),
        ("def choose(self, view, clock): raise SystemExit(3)", "SystemExit: 3"),
        ("def choose(self, view, clock): return 3", ""),
        ("def choose(self, view, clock): return view.game.parse('pass')", ""),
    ],
)
def test_whatever_it_raises_has_one_and_what_it_returns_has_none(write_bot: WriteBot, box: PlayerPool, body: str, line: str) -> None:
    source = f"class Bot:\n    def choose(self, view, clock): ...\n    {body}\n"
    version = identify(f"{write_bot(source)}:Bot")
    outside = failed(box.seat(version))
    assert outside.fault is not None
    assert line in outside.traceback
    assert bool(outside.traceback) == bool(line)
    if "KeyboardInterrupt" not in body:
        inside = failed_here(version)
        assert inside.traceback == outside.traceback
        assert inside.fault is not None
        assert outside.fault.detail.startswith(inside.fault.detail)


def test_a_command_may_send_one_and_it_is_cut_and_cleaned(write_bot: WriteBot, box: PlayerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    if box.level is Level.L1:
        pytest.skip("L1 runs no commands")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    folder = write_bot("", "unused.py").parent / "told"
    folder.mkdir()
    long = "\\n".join(["first", *["x" * 400] * 60, "last\\x1b"])
    source = f'import json\nprint(json.dumps({{"type": "error", "kind": "crash", "detail": "no", "traceback": "{long}"}}), flush=True)\n'
    (folder / "told.py").write_text("input()\n" + source)
    (folder / "bot.toml").write_text(f"command = {json.dumps(['python3', 'told.py'])}\n")
    seat = failed(box.seat(identify(str(folder))))
    assert seat.fault is not None
    assert (seat.fault.kind, seat.fault.detail) == (FaultKind.CRASH, "no")
    lines = seat.traceback.splitlines()
    assert (lines[0], lines[-1]) == ("first", "last\\x1b")
    assert "  ..." in lines
    assert max(map(len, lines)) == 300
    assert LONGEST_TRACEBACK * 0.9 < len(seat.traceback) <= LONGEST_TRACEBACK


def test_a_bot_that_cannot_be_loaded_has_one(write_bot: WriteBot) -> None:
    path = write_bot("X = 1 / 0\nclass Bot:\n    def choose(self, view, clock): ...\n")
    with pytest.raises(BotError) as caught:
        resolve(str(path))
    assert "    X = 1 / 0\nZeroDivisionError" in caught.value.traceback
    player = InProcessPlayer(identify(str(path)))
    with pytest.raises(BotFaultError) as fault:
        player.start(MatchInfo(TONGIAKI, 2, 0, 1), Chronicle(TONGIAKI.new(2, 1)))
    assert fault.value.traceback == caught.value.traceback


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
    command = "arena match my_bot.py random --isolation none"
    assert seat.fault.detail.startswith(f"choose raised {what} {HOW}{command} (line ")
