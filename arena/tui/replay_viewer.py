"""Lets a person walk through a replay of any game in a terminal: forward, back, by jumps, or with autoplay."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from enum import StrEnum
from time import monotonic
from typing import Final, TypeAlias, final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from arena.tui.replay_view import board, board_room, forfeit_in_words, in_words, replay_view
from engine.records import Replay
from engine.replay.verifier import ReplayTimeline, timeline_of

Keyboard: TypeAlias = Callable[[float], str | None]
"""A function that waits for a key for at most the given number of seconds, and returns its character or a ``Key`` (None: no key)."""


class Key(StrEnum):
    """The keys that have no character of their own, and what a terminal sends for them."""

    UP = "\x1b[A"
    DOWN = "\x1b[B"
    RIGHT = "\x1b[C"
    LEFT = "\x1b[D"
    HOME = "\x1b[H"
    END = "\x1b[F"
    PAGE_UP = "\x1b[5~"
    PAGE_DOWN = "\x1b[6~"
    ENTER = "\n"
    BACKSPACE = "\x7f"
    ESC = "\x1b"
    CTRL_C = "\x03"
    CTRL_D = "\x04"


_SAME: Final = {
    "\x1bOA": Key.UP,
    "\x1bOB": Key.DOWN,
    "\x1bOC": Key.RIGHT,
    "\x1bOD": Key.LEFT,
    "\x1bOH": Key.HOME,
    "\x1bOF": Key.END,
    "\x1b[1~": Key.HOME,
    "\x1b[7~": Key.HOME,
    "\x1b[4~": Key.END,
    "\x1b[8~": Key.END,
    "\r": Key.ENTER,
    "\b": Key.BACKSPACE,
}
"""Sequences that other terminals send for the same keys."""
_KEY: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b(?![\[O])|[^\x1b]", re.DOTALL)
_UNFINISHED: Final = re.compile(r"\x1b(\[[0-?]*[ -/]*|O)?\Z")
_SEQUENCE_SECONDS: Final = 0.05
"""How long the rest of a key's sequence may take, in seconds; an escape that nothing follows is the Escape key."""
_POLL_SECONDS: Final = 0.2
"""How soon a resized window is redrawn, in seconds."""
_DELAYS: Final = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)
_FOOTER: Final = "n next  p back  ] [ turn  g start  G end  j jump  a autoplay  ? help  q quit"
_HELP: Final = """\
right, space, n    the next decision
left, p            one decision back
PageDown, ]        the next seat's decision
PageUp, [          back to the start of the turn
Home, g            the start
End, G             the end
120 Enter          jump to decision 120 (j first if you like)
a                  start and stop autoplay
+ and -            autoplay faster and slower
up, down           scroll a board that is taller than the window
q                  quit
any key            leave this page"""


@final
class Viewer:
    """A spectator's place in a replay, and the actions of the keys."""

    def __init__(self, timeline: ReplayTimeline, at: int) -> None:
        self.timeline = timeline
        self.at = at
        self.quit = False
        self.help = False
        self.playing = False
        self.speed = 2
        self.typed: str | None = None
        self.scroll: int | None = None

    @property
    def delay(self) -> float:
        """How many seconds autoplay shows each position."""
        return _DELAYS[self.speed]

    def press(self, pressed: str) -> None:
        """Run the action of the pressed key; a key without an action does nothing."""
        if self.help:
            self.help = False
        elif pressed in {"q", "Q", Key.CTRL_C, Key.CTRL_D}:
            self.quit = True
        elif pressed == "?":
            self.help = True
        elif pressed == "a":
            self.playing = not self.playing and self.at < self.timeline.end
        elif pressed in {"+", "="}:
            self.speed = min(self.speed + 1, len(_DELAYS) - 1)
        elif pressed in {"-", "_"}:
            self.speed = max(self.speed - 1, 0)
        elif not self._jumped(pressed):
            self._seek(pressed)

    def tick(self) -> None:
        """Go one decision forward in autoplay, which stops at the end."""
        self._go(self.at + 1)
        self.playing = self.at < self.timeline.end

    def scroll_by(self, lines: int, top: int, bottom: int) -> None:
        """Scroll the board by ``lines``. The first visible line is ``top`` until the board is scrolled, and ``bottom`` at most."""
        self.scroll = max(0, min((top if self.scroll is None else self.scroll) + lines, bottom))

    def _jumped(self, pressed: str) -> bool:
        """Handle a key that belongs to the jump to a numbered decision; return whether it does."""
        if pressed in {"j", "J"}:
            self.typed = ""
        elif pressed in tuple("0123456789"):
            self.typed = ((self.typed or "") + pressed)[:9]
        elif self.typed is None:
            return False
        elif pressed == Key.BACKSPACE:
            self.typed = self.typed[:-1]
        elif pressed == Key.ENTER:
            if self.typed:
                self._go(int(self.typed))
            self.typed = None
        else:
            self.typed = None
            return pressed == Key.ESC
        return True

    def _seek(self, pressed: str) -> None:
        if pressed in {Key.RIGHT, " ", "n"}:
            self._go(self.at + 1)
        elif pressed in {Key.LEFT, "p"}:
            self._go(self.at - 1)
        elif pressed in {Key.PAGE_DOWN, "]"}:
            self._go(self._next_turn())
        elif pressed in {Key.PAGE_UP, "["}:
            self._go(self._turn_begins())
        elif pressed in {Key.HOME, "g"}:
            self._go(0)
        elif pressed in {Key.END, "G"}:
            self._go(self.timeline.end)

    def _go(self, at: int) -> None:
        self.at = max(0, min(at, self.timeline.end))
        self.scroll = None

    def _next_turn(self) -> int:
        return next((at for at in self.timeline.turns if at > self.at), self.timeline.end)

    def _turn_begins(self) -> int:
        return next((at for at in reversed(self.timeline.turns) if at < self.at), 0)


def show(replay: Replay, console: Console, *, at: int | None = None, interactive: bool | None = None, keys: Keyboard | None = None) -> None:
    """Show a replay interactively (the default in a terminal), or print it.

    The position after ``at`` decisions is printed or, without ``at``, every decision in words and then the final position. An interactive
    view reads keys from ``keys``, by default from standard input.

    Raises DisagreementError if the replay is not valid, and ValueError if it has no position ``at``.
    """
    timeline = timeline_of(replay)
    if at is not None and not 0 <= at <= timeline.end:
        raise ValueError(f"the replay has {timeline.end} decisions, so its positions are 0 to {timeline.end}; there is no position {at}")
    if interactive is None:
        interactive = console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty()
    if interactive:
        with nullcontext(keys) if keys is not None else terminal_keys() as source:
            _walk(Viewer(timeline, at or 0), console, source)
    else:
        _print(timeline, console, at)


def _print(timeline: ReplayTimeline, console: Console, at: int | None) -> None:
    if at is None:
        digits = len(str(timeline.end))
        for decision in range(timeline.end):
            forfeit = timeline.forfeit_at(decision)
            if forfeit:
                console.print(forfeit_in_words(timeline, forfeit), soft_wrap=True)
            console.print(Text.assemble((f"{decision + 1:>{digits}}  ", "dim"), in_words(timeline, decision)), soft_wrap=True)
        console.print()
    console.print(replay_view(timeline, timeline.end if at is None else at, console))


def _walk(viewer: Viewer, console: Console, keys: Keyboard) -> None:
    with suppress(KeyboardInterrupt), Live(console=console, screen=True, auto_refresh=False, vertical_overflow="crop") as live:
        size = None
        dirty = True
        due = monotonic() + viewer.delay
        while not viewer.quit:
            if dirty or size != console.size:
                size, dirty = console.size, False
                live.update(_page(viewer, console), refresh=True)
            pressed = _next_key(viewer, keys, due)
            if pressed in {Key.UP, Key.DOWN}:
                _scroll(viewer, console, -2 if pressed == Key.UP else 2)
            elif pressed is not None:
                viewer.press(pressed)
            elif viewer.playing and monotonic() >= due:
                viewer.tick()
            else:
                continue
            dirty = True
            due = monotonic() + viewer.delay


def _next_key(viewer: Viewer, keys: Keyboard, due: float) -> str | None:
    """Return the next key, or None when the window may have changed or autoplay is due."""
    patience = min(_POLL_SECONDS, max(due - monotonic(), 0.0)) if viewer.playing else _POLL_SECONDS
    try:
        return keys(patience)
    except EOFError:
        return "q"


def _scroll(viewer: Viewer, console: Console, lines: int) -> None:
    hidden = max(0, len(board(viewer.timeline, viewer.at, console)) - board_room(viewer.timeline, viewer.at, console, console.height))
    viewer.scroll_by(lines, hidden // 2, hidden)


def _page(viewer: Viewer, console: Console) -> Group:
    if viewer.help:
        return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in _HELP.splitlines()))
    return replay_view(viewer.timeline, viewer.at, console, height=console.height, footer=_footer(viewer), scroll=viewer.scroll)


def _footer(viewer: Viewer) -> Text:
    if viewer.typed is not None:
        words = f"jump to decision (0 to {viewer.timeline.end}): {viewer.typed}_   Enter to go"
    elif viewer.playing:
        words = f"autoplay, {viewer.delay:g} s per decision   + faster  - slower  a stop  q quit"
    else:
        words = _FOOTER
    return Text(words, style="dim", no_wrap=True, overflow="ellipsis")


# Keys


def split_keys(text: str) -> list[str]:
    """Return the keys in a terminal's input; an incomplete sequence is dropped."""
    broken = _UNFINISHED.search(text)
    whole = text[: broken.start()] if broken and broken[1] else text
    return [_SAME.get(sequence, sequence) for sequence in _KEY.findall(whole)]


@contextmanager
def terminal_keys() -> Iterator[Keyboard]:
    """Read keys from standard input without echo; the terminal is restored when the block ends."""
    descriptor = sys.stdin.fileno()
    saved = termios.tcgetattr(descriptor)
    waiting: list[str] = []

    def ready(seconds: float) -> bool:
        return bool(select.select([descriptor], [], [], seconds)[0])

    def next_key(seconds: float) -> str | None:
        if not waiting and ready(seconds):
            data = os.read(descriptor, 1024)
            if not data:
                raise EOFError("standard input was closed")
            while _UNFINISHED.search(data.decode(errors="ignore")) and ready(_SEQUENCE_SECONDS):
                data += os.read(descriptor, 1024)
            waiting.extend(split_keys(data.decode(errors="ignore")))
        return waiting.pop(0) if waiting else None

    try:
        tty.setcbreak(descriptor)
        yield next_key
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, saved)
