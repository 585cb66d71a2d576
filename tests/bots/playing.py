"""Matches of bots as tests play them, every one of which leaves a replay that can be verified."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from arena.play.executors.base import NO_LIMIT
from arena.play.match import play_match
from bots.host.player_pool import InProcessPlayer, Player, PlayerPool
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.core import Game, State
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


def match(names: Sequence[str], game: Game = TONGIAKI, seed: int = 5, clock: ClockSpec = NO_LIMIT) -> MatchResult:
    """A match of reference bots in this process; their own seeds follow from the names, the seats and the seed."""
    seats = tuple(f"{name}{seat}" for seat, name in enumerate(names))
    return play_match(
        game, Ticket(f"{seats}{seed}", seats, 0, 0, seats, seed), [InProcessPlayer(resolve(name)) for name in names], clock=clock
    )


def share(bot: str, rival: str, game: Game, blocks: int, nodes: int | None = None) -> float:
    """The share of the points that a bot wins from another, each playing from both seats on the same seeds."""
    points = 0.0
    for seed in range(blocks):
        for seat, names in enumerate(([bot, rival], [rival, bot])):
            result = match(names, game, seed, ClockSpec(nodes=nodes) if nodes else NO_LIMIT)
            assert [each.fault for each in result.seats] == [None, None]
            ranks = [each.rank for each in result.seats]
            points += 1.0 if ranks[seat] < ranks[1 - seat] else 0.5 if ranks[0] == ranks[1] else 0.0
    return points / (2 * blocks)


def along(game: Game, players: int, moves: int) -> State:
    """The position after so many random moves, or the last one."""
    state, rng = game.new(players, 3), Random(players)
    for _ in range(moves):
        if state.actor is not None:
            state.play(state.random_move(rng))
    return state
