"""Measures what it costs to play bots in separate processes: decisions of `random` and whole matches, compared with playing in process.

python -m benchmarks.protocol [--runs 5] [--json FILE]
"""

from __future__ import annotations

import statistics
from time import perf_counter

from arena.play.match import play_match
from benchmarks.common import Figure, arguments, figure_of, measure, report
from bots.host.player_pool import Player, PlayerPool
from bots.limits import Level
from bots.loader.loading import resolve
from bots.protocol import Clock, ClockSpec
from bots.sandbox.probe import best_level
from engine.core import Game, Move, OptionValue, State, View
from engine.records import Ticket
from engine.registry import find_game

MATCHES = 12
GAMES: tuple[tuple[str, str, dict[str, OptionValue]], ...] = (
    ("tongiaki", "tongiaki", {}),
    ("sunda, level 0", "sunda", {"level": 0}),
    ("sunda, level 5, simultaneous", "sunda", {"level": 5, "mode": "simultaneous"}),
)


class Watch:
    """Measures the time of each decision of its players."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def on(self, player: Player) -> Player:
        """Measure the decisions of a player, and return the player."""
        choose = player.choose

        def timed(view: View[State], clock: Clock) -> Move:
            began = perf_counter()
            move = choose(view, clock)
            self.seconds.append(perf_counter() - began)
            return move

        player.choose = timed  # type: ignore[method-assign]  # just this player's
        return player


def play(game: Game, pool: PlayerPool, watch: Watch) -> float:
    """Return matches per second; the times of the decisions are added to ``watch``."""
    version = resolve("random")
    began = perf_counter()
    for seed in range(MATCHES):
        players = [watch.on(pool.seat(version)) for _ in range(2)]
        play_match(game, Ticket(f"{seed:016x}", ("a", "b"), 0, 0, ("a", "b"), seed), players, clock=ClockSpec())
    return MATCHES / (perf_counter() - began)


def figures(runs: int) -> list[Figure]:
    """Measure matches and decisions of each game, in process and isolated, and compare them."""
    found = []
    for name, game_name, options in GAMES:
        game = find_game(game_name, options)
        pairs = []
        for level in (Level.NONE, best_level()):
            with PlayerPool(level) as pool:
                watch = Watch()
                where = "in process" if level is Level.NONE else f"isolated at {level}"
                matches = measure(f"{name}: matches {where}", "1/s", runs, lambda: play(game, pool, watch))  # noqa: B023  # called at once
                low, *_, high = (1e6 * value for value in statistics.quantiles(watch.seconds, n=10))
                each = Figure(f"{name}: a decision {where}", "us", 1e6 * statistics.median(watch.seconds), low, high)
                pairs.append((matches, each))
        (matches, decision), (isolated_matches, isolated_decision) = pairs
        found += [matches, decision, isolated_matches, isolated_decision]
        share = isolated_matches.median / matches.median
        found.append(figure_of(f"{name}: isolated matches relative to in process", "times", [share], ">= 0.33"))
        more = isolated_decision.median - decision.median
        found.append(figure_of(f"{name}: time that isolation adds to a decision", "us", [more], "< 100"))
    return found


if __name__ == "__main__":
    given = arguments(__doc__ or "").parse_args()
    report("Protocol and isolation", figures(given.runs), given.json)
