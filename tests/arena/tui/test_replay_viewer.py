"""The terminal's viewer of replays, and a match that a person plays there."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from time import monotonic

import pytest
from rich.cells import cell_len
from rich.console import Console

from arena.play.match import play_match
from arena.tui.human_player import GaveUpError, TerminalPlayer
from arena.tui.replay_view import replay_view
from arena.tui.replay_viewer import Key, Viewer, show, split_keys
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from engine.records import Replay, Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of, verify_replay
from engine.text import short

VECTORS = Path(__file__).parents[2] / "vectors/tongiaki"


def replay(name: str = "r2-409") -> Replay:
    return read_replay((VECTORS / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def timeline() -> ReplayTimeline:
    return timeline_of(replay())


def printed(found: Replay, at: int | None = None, *, width: int = 80, color: bool = False) -> str:
    out = StringIO()
    show(found, Console(file=out, width=width, force_terminal=color, color_system="256" if color else None), at=at, interactive=False)
    return out.getvalue()


def framed(timeline: ReplayTimeline, at: int, width: int, height: int) -> list[str]:
    out = StringIO()
    console = Console(file=out, width=width, height=height, color_system=None)
    console.print(replay_view(timeline, at, console, height=height))
    return out.getvalue().rstrip("\n").split("\n")


# Keys
@pytest.mark.parametrize(
    ("start", "keys", "expected"),
    [
        (0, [Key.RIGHT], 1),
        (0, [" ", "n"], 2),
        (5, [Key.LEFT, "p"], 3),
        (0, ["p"], 0),
        (9, ["g"], 0),
        (9, [Key.HOME], 0),
        (9, ["G"], 125),
        (125, [Key.END, "n"], 125),
        (0, ["4", "2", Key.ENTER], 42),
        (0, ["j", "4", "2", Key.ENTER], 42),
        (0, ["4", "2", Key.BACKSPACE, Key.ENTER], 4),
        (7, ["4", Key.ESC, "n"], 8),
        (7, ["4", "n"], 8),
        (0, ["9", "9", "9", Key.ENTER], 125),
        (3, ["j", Key.ENTER], 3),
        (3, ["x", "\x1b[200~"], 3),
        (3, ["?", "n", "n"], 4),
    ],
)
def test_a_key_moves_to_its_decision(timeline: ReplayTimeline, start: int, keys: list[str], expected: int) -> None:
    viewer = Viewer(timeline, start)
    for pressed in keys:
        viewer.press(pressed)
    assert viewer.at == expected


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("n", ["n"]),
        ("\x1b[C\x1b[D", [Key.RIGHT, Key.LEFT]),
        ("\x1bOC", [Key.RIGHT]),
        ("\x1b[5~\x1b[6~", [Key.PAGE_UP, Key.PAGE_DOWN]),
        ("\x1b[1~\x1b[F", [Key.HOME, Key.END]),
        ("12\r", ["1", "2", Key.ENTER]),
        ("\x1b", [Key.ESC]),
        ("\x1b[1;5Cq", ["\x1b[1;5C", "q"]),
        ("\x1b[", []),
    ],
)
def test_what_a_terminal_sends_is_read_as_keys(typed: str, keys: list[str]) -> None:
    assert split_keys(typed) == keys


# Frames
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 20), (132, 50)])
@pytest.mark.parametrize("name", ["r2-409", "r6-16", "r6-169"])
def test_every_frame_fits_the_window(name: str, width: int, height: int) -> None:
    timeline = timeline_of(replay(name))
    for at in range(0, timeline.end + 1, 7):
        lines = framed(timeline, at, width, height)
        assert len(lines) <= height
        assert max(map(cell_len, lines)) <= width


def test_the_last_frame_tells_scores_and_ranks() -> None:
    found = replay("r4-16")
    shown = printed(found, len(found.decisions))
    assert "game over: waters" in shown
    rows = [line.split() for line in shown.splitlines()[-4:]]
    assert [int(row[6]) for row in rows] == list(found.scores)
    assert [int(row[7]) for row in rows] == list(found.ranks)


# Print
def test_without_a_terminal_the_decisions_and_the_last_position_are_printed() -> None:
    found = replay()
    lines = printed(found).splitlines()
    assert [line.split()[0] for line in lines[:125]] == [str(number) for number in range(1, 126)]
    assert all(decision.move in line for decision, line in zip(found.decisions, lines, strict=False))
    assert "decision 125 of 125" in lines[126]


def test_a_forfeit_is_told_where_it_happened_and_marked_from_then_on() -> None:
    found = replay()
    index = next(index for index, decision in enumerate(found.decisions) if index > 40 and decision.seat == 1)
    found = _forfeited(found, 1, index, "crash: \x1b[31mboom\x07 [bold]it[/bold]")
    assert "FORFEIT" not in printed(found, index)
    told = printed(found, index + 1, width=120)
    assert "FORFEIT" in told
    assert r"crash: \x1b[31mboom\x07 [bold]it[/bold]; a substitute plays on" in told
    assert "\x1b" not in told
    assert "forfeited" in printed(found, index + 5)
    assert sum("FORFEIT" in line for line in printed(found).splitlines()) == 1


def _forfeited(found: Replay, seat: int, index: int, reason: str) -> Replay:
    from engine.records import Forfeit, ranks_after

    forfeits = (Forfeit(seat, index, reason),)
    return replace(found, forfeits=forfeits, ranks=ranks_after(found.ranks, forfeits))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("greedy", "greedy"),
        ("\x1b]0;owned\x07bot", r"\x1b]0;owned\x07bot"),
        ("a\nb\tc", "a b c"),
        ("[red]x[/red]", "[red]x[/red]"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("e\u0301" + "\u0301" * 900, "é"),
        ("x" * 90, "x" * 23 + "…"),
        ("漢" * 20, "漢" * 11 + "…"),
        ("\x00", r"\x00"),
    ],
)
def test_a_strangers_name_is_one_plain_line(name: str, shown: str) -> None:
    assert short(name) == shown
    assert cell_len(short(name)) <= 24


# At a terminal
def scripted(*pressed: str | None) -> Callable[[float], str | None]:
    waiting = list(pressed)
    return lambda _seconds: waiting.pop(0) if waiting else "q"


def test_a_walk_shows_a_frame_for_each_key_and_ends_with_q() -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24, color_system="256")
    show(replay(), console, interactive=True, keys=scripted("n", None, "1", "0", "0", Key.ENTER, Key.UP, "?", "x", "G"))
    text = out.getvalue()
    for seen in (
        "decision 0 of 125",
        "decision 1 of 125",
        "jump to decision",
        "decision 100 of 125",
        "the next decision",
        "decision 125 of 125",
    ):
        assert seen in text.replace("\x1b[0m", "").replace("\x1b[1m", "")
    assert text.startswith("\x1b[?1049h")
    assert text.rstrip().endswith("\x1b[?25h\x1b[?1049l")


def test_in_a_real_terminal_keys_are_obeyed_and_the_terminal_is_left_as_it_was() -> None:
    script = (
        "import sys; from pathlib import Path; from rich.console import Console; from engine.replay.format import read_replay\n"
        "from arena.tui.replay_viewer import show; show(read_replay(Path(sys.argv[1]).read_text()), Console())"
    )
    main, sub = pty.openpty()
    fcntl.ioctl(sub, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(sub)
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}} | {
        "TERM": "xterm-256color"
    }
    with subprocess.Popen(
        [sys.executable, "-c", script, str(VECTORS / "r2-409.json")], stdin=sub, stdout=sub, stderr=sub, env=environment, close_fds=True
    ) as process:
        try:
            _until(main, "decision 0 of 125")
            os.write(main, b"\x1b[C")
            _until(main, "decision 1 of 125")
            os.write(main, b"90\r")
            _until(main, "decision 90 of 125")
            fcntl.ioctl(sub, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
            _until(main, "decision 90 of 125")
            os.write(main, b"q")
            _until(main, "\x1b[?1049l")
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()
    assert termios.tcgetattr(sub) == before
    os.close(main)
    os.close(sub)


def _until(descriptor: int, wanted: str) -> None:
    """Read what the terminal is sent until it has that text. Fails after a minute."""
    seen = ""
    deadline = monotonic() + 60
    while wanted not in seen:
        assert monotonic() < deadline, f"'{wanted}' never came: {seen[-2000:]!r}"
        if select.select([descriptor], [], [], 0.5)[0]:
            seen += os.read(descriptor, 65536).decode(errors="replace")


def play(read: Callable[[str], str], game: str = "tongiaki") -> tuple[str, str]:
    console = Console(width=80, height=40, record=True, quiet=False, file=Path("/dev/null").open("w"))  # noqa: SIM115  # recorded, not written
    ticket = Ticket("t", ("you", "random"), 0, 0, ("you", "random"), 5)
    person = TerminalPlayer(console, ticket.seats, read)
    try:
        result = play_match(find_game(game), ticket, [person, InProcessPlayer(resolve("random"))], person.shown)
        person.show_end(result)
        return console.export_text(), result.replay.text
    except GaveUpError as left:
        left.add_note(console.export_text())
        raise
    finally:
        console.file.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("game", ["tongiaki", "sunda"])
def test_a_person_plays_a_whole_match_by_numbers(game: str) -> None:
    text, replay = play(lambda _: "1", game)
    verify_replay(read_replay(replay))
    assert read_replay(replay).forfeits == ()
    assert "The match is over" in text
    assert max(map(len, text.splitlines())) <= 80
