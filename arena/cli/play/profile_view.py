"""``arena match --profile``: where a bot's time goes, by function and by decision, in a terminal and as JSON."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from arena.analysis.traits.base import traits_of
from arena.cli.output import console, print_line
from engine.records import FaultKind
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of
from engine.text import counted, plain

if TYPE_CHECKING:
    from arena.play.match import Timing
    from bots.host.player import Player
    from bots.messages import FunctionProfile, FunctionTime
    from engine.records import MatchResult

SLOWEST: Final = 10
"""The number of decisions that are listed."""


@dataclass(frozen=True, slots=True)
class SlowDecision:
    """A decision, counted from 0, with its turn, counted from 1, its move in words, its wall-clock seconds and its CPU seconds."""

    index: int
    turn: int
    kind: str
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class BotProfile:
    """A bot's use of time. ``functions`` is None, with a reason, if only the times of its decisions (``asked``) are known."""

    seat: int
    bot: str
    asked: int
    functions: FunctionProfile | None
    reason: str
    slowest: tuple[SlowDecision, ...]


def profiles_of(result: MatchResult, players: Mapping[int, Player], timings: Sequence[Timing]) -> list[BotProfile]:
    """Return the profiles of these seats, whose players have played the match."""
    timeline = timeline_of(read_replay(result.replay))
    turns = timeline.turns
    profiles = []
    for seat, player in players.items():
        own = [each for each in timings if each.seat == seat]
        slowest = tuple(
            SlowDecision(
                each.index,
                bisect_right(turns, each.index),
                traits_of(timeline.states[each.index], timeline.moves[each.index]).kind,
                each.seconds,
                each.cpu_seconds,
            )
            for each in sorted(own, key=lambda each: -each.cpu_seconds)[:SLOWEST]
        )
        functions, reason = player.trace().profile, ""
        if functions is None and not player.has_functions:
            reason = "only a Python class has functions that can be measured"
        elif functions is None:
            fault = result.seats[seat].fault
            is_late = fault is not None and fault.kind in {FaultKind.INIT_TIMEOUT, FaultKind.MOVE_TIMEOUT}
            reason = "it failed, and functions are reported only at the end of a match" + (
                "; give it more time, such as --clock move=60" if is_late else ""
            )
        profiles.append(BotProfile(seat, result.seats[seat].bot, len(own), functions, reason, slowest))
    return profiles


def show_profile(profile: BotProfile) -> None:
    """Print where a bot's time went, 80 columns wide."""
    known, out = profile.functions, console()
    why = "Profiling slows the bot down, most where it calls many small functions."
    print_line("")
    out.print(Text(f"Where the time of seat {profile.seat}, {plain(profile.bot)}, went", style="bold"))
    out.print(Text(why if known is not None else f"By decision only: {profile.reason}."))
    if known is not None:
        _show_functions("Functions by their own time", [(each.own, each) for each in known.own], known.seconds)
        _show_functions("Functions with all that they call", [(each.total, each) for each in known.total], known.seconds)
    if not profile.slowest:
        out.print(Text("It had no decision to make."))
        return
    rows = [
        (str(each.index + 1), str(each.turn), f"{1000 * each.cpu_seconds:.1f}", f"{1000 * each.seconds:.1f}", each.kind)
        for each in profile.slowest
    ]
    _show_table(f"The slowest of its {counted(profile.asked, 'decision')}", ("decision", "turn", "CPU ms", "wall ms", "kind"), rows)


def _show_functions(title: str, functions: Sequence[tuple[float, FunctionTime]], whole: float) -> None:
    rows = []
    for seconds, each in functions:
        share = f"{100 * seconds / whole:.1f} %" if whole else ""
        rows.append((f"{1000 * seconds:.1f}", share, str(each.calls), plain(f"{each.name}  {each.place}".rstrip())))
    _show_table(title, ("ms", "share", "calls", "function"), rows)


def _show_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table whose last column is a text, which is cut to the terminal's width."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, header in enumerate(headers[:-1]):
        table.add_column(header, justify="right", no_wrap=True, width=max(len(row[column]) for row in (headers, *rows)))
    table.add_column(headers[-1], no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    print_line("")
    console().print(Text(title, style="bold"), table, sep="\n")
