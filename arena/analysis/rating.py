"""Rates a bot by playing a gauntlet against the reference bots (``arena rate``). The results are not stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from arena.bots import distinct_names, plays
from arena.play.executors.base import Executor, HostError
from arena.run.runner import run_tournament
from arena.spec.secret import derive_seed
from arena.spec.spec import make_spec
from bots.limits import STANDARD, Level, Runtime
from bots.loader.version import BotVersion
from engine.core import Game
from engine.core.errors import InputError
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.bradley_terry import Strength, strengths
from leaderboard.statistics.columns import read_results
from leaderboard.statistics.summary import faults
from leaderboard.storage.store import Store

MATCHES: Final = 400
"""The approximate number of matches played to rate a bot."""
BASE: Final = "random"
BASE_STRENGTH: Final = 1000.0
"""The strength, in Elo points, of the reference bot ``BASE``, which fixes the scale."""
FIELD: Final = ("greedy", "spoiler", "expert", "learned")
"""The reference bots that a rated bot plays against. Bots that search are left out, since their matches would take hours."""


class RatingError(InputError):
    """The bot can't be rated under these conditions; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The strengths of a bot and of the reference bots, measured in the same matches; ``forfeits`` counts faults by bot."""

    bot: str
    game: Game
    players: int
    matches: int
    standings: tuple[Strength, ...]
    forfeits: Mapping[str, int]

    @property
    def own(self) -> Strength:
        """The strength of the bot that was rated."""
        return next(each for each in self.standings if each.bot == self.bot)


def rival_names(game: Game, players: int) -> tuple[str, ...]:
    """Return the names of the reference bots that a rated bot plays against. Raises RatingError if they don't fill a table."""
    field = [name for name in FIELD if plays(name, game.name)]
    if len(field) < players - 1:
        raise RatingError(
            f"{game.name} has too few reference bots ({len(field)}) to fill a table of {players}; use a smaller --tables, or compare bots "
            "with 'arena compare'"
        )
    return (*field, BASE)


def rate(
    bot: BotVersion,
    rivals: Mapping[str, BotVersion],
    game: Game,
    players: int,
    executor: Executor,
    *,
    matches: int = MATCHES,
    level: Level = Level.NONE,
    runtime: Runtime = STANDARD,
    on_progress: Callable[[int, int | None], None] = lambda _played, _total: None,
) -> Rating:
    """Play about ``matches`` matches against ``rivals`` (see ``rival_names``), and return the strengths of all bots.

    If ``BASE`` is a rival, it and the bot have the same line-ups and seeds, and don't meet. ``rivals`` must not include the bot itself.
    Seeds are derived from its digest. Raises RatingError if there are too few rivals or matches, HostError if a match can't be played.
    """
    name, *others = distinct_names((bot.name, *rivals))
    versions = {name: bot} | dict(zip(others, rivals.values(), strict=True))
    challengers = [name, *(own for own, rival in zip(others, rivals, strict=True) if rival == BASE)]
    least = players * comb(len(versions) - len(challengers), players - 1) * len(challengers)
    if not least:
        raise RatingError(f"there are too few other reference bots to fill a table of {players}; use a smaller --tables")
    if matches < least:
        raise RatingError(f"--matches {matches} is too small: a rating at tables of {players} needs at least {least} matches")
    plan = {"format": "gauntlet", "challengers": challengers, "tables": [players], "seats": "rotations", "blocks": round(matches / least)}
    options = {key: list(value) if isinstance(value, tuple) else value for key, value in game.options.items()}
    bots = [{"name": each, "source": version.name} for each, version in versions.items()]
    data = {"name": "rating", "game": game.name, "options": options, "seed": derive_seed("rate", bot.digest), "bots": bots}
    spec = make_spec(data | {"schedule": plan, "runtime": asdict(runtime)}, "the rating")
    with TemporaryDirectory(prefix="arena-") as folder, Store.create(Path(folder) / "rating.db") as store:
        summary = run_tournament(
            spec, versions, store, executor, level=level, on_progress=lambda progress: on_progress(progress.stored, progress.total)
        )
        if summary.void:
            raise HostError(f"a match can't be played, because it failed on this machine: {summary.void[0].reason}")
        results = read_results(store, summary.tournament)
        blocks = find_blocks(results, spec.schedule.count_seatings)
        base = (BASE, BASE_STRENGTH) if BASE in versions else (name, BASE_STRENGTH)
        forfeits = {each.bot: each.forfeits for each in faults(results)}
        return Rating(name, game, players, summary.stored, strengths(blocks, given=base), forfeits)
