"""Matches of bots as tests play them, every one of which leaves a replay that can be verified."""

from __future__ import annotations

from collections.abc import Sequence

from arena.play.match import NO_LIMIT, play_match
from bots.host.player import Player
from bots.host.player_pool import PlayerPool
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.core import Game
from engine.records import FaultKind, MatchResult, Ticket
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay

TONGIAKI = find_game("tongiaki")
INIT, LATE, CRASH, ILLEGAL, PROTOCOL, MEMORY, FLOOD, _ = FaultKind


def ticket(players: int = 2, seed: int = 5) -> Ticket:
    """A table of bots that are called a, b, c and so on."""
    names = tuple("abcdef"[:players])
    return Ticket("0123456789abcdef", names, 0, 0, names, seed)


def written(code: str, digit: str = "1") -> BotVersion:
    """The bot of a class ``Bot`` in a file that nobody has read."""
    return BotVersion("mine", digit * 64, "mine.py", "Bot", code)


def play(players: Sequence[Player], game: Game = TONGIAKI, clock: ClockSpec = NO_LIMIT, seed: int = 5) -> MatchResult:
    """Play a match, and verify its replay."""
    result = play_match(game, ticket(len(players), seed), players, clock=clock)
    verify_replay(read_replay(result.replay))
    return result


def play_random(pool: PlayerPool, version: BotVersion, game: Game = TONGIAKI, clock: ClockSpec = NO_LIMIT, seed: int = 5) -> MatchResult:
    """Play a match of a bot against ``random``, both of the pool."""
    return play([pool.seat(version), pool.seat(resolve("random"))], game, clock, seed)
