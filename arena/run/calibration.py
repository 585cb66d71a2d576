"""Calibration: the tournaments that measure the reference bots, and the strengths and ratings that follow from their results.

The tournaments are ordinary round-robins, run, stored and verified like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from math import ceil, comb
from typing import Any, Final

from arena.entries.preflight import plays
from arena.entries.spec_completion import conditions
from arena.entries.stored_tournament import make_schedule, stored_spec
from arena.formats.schedule import Schedule
from arena.spec.spec import Spec, make_spec
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.core import OptionValue
from engine.core.errors import InputError
from engine.registry import find_game
from leaderboard.ratings.anchors import Measured, MeasuredBot, MeasuredTable, TableStrength
from leaderboard.ratings.rating_fold import Rated, RatingFold
from leaderboard.ratings.results_fold import rated_result
from leaderboard.statistics.blocks import Blocks, find_blocks
from leaderboard.statistics.bradley_terry import Strength, StrengthFit, fit_strengths
from leaderboard.statistics.columns import joined, read_results
from leaderboard.statistics.summary import HeadToHead, WinShare, head_to_head, win_shares
from leaderboard.storage.seal_chain import RESULTS
from leaderboard.storage.store import Store, StoredTournament

SIZES: Final = (2, 3, 4, 6)
BLOCKS: Final = 120
SEARCH_BLOCKS: Final = 8
SEED: Final = 2026


@dataclass(frozen=True, slots=True)
class CalibrationConfig:
    """The bots of a game to be measured, and the sizes of their tables.

    Each bot sits in ``blocks`` blocks at tables of two, and in fewer at larger tables, so that it plays about as many matches at every
    size. ``search_blocks`` takes the place of ``blocks`` for line-ups with a bot that searches; such a bot examines ``nodes`` positions
    for each decision (None: its own number).
    """

    game: str
    bots: tuple[str, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    tables: tuple[int, ...] = SIZES
    blocks: int = BLOCKS
    search_blocks: int = SEARCH_BLOCKS
    nodes: int | None = None
    seed: int = SEED


SOLO_ONLY: Final = frozenset({"planner"})
"""Reference bots that only play solo."""
SEARCHERS: Final = frozenset({"flat", "mcts"})
"""Reference bots that search a number of positions, their own or the clock's ``nodes``. They are slow, and their strength depends on it."""
LONGEST_DECISION: Final = 3600.0
"""CPU seconds: enough for a search to end by its number of positions on any machine, never by time."""
TAU: Final = 0.0
"""TrueSkill's tau: a version of a bot never changes, so its rating may converge."""


def bots_at_tables(game: str) -> tuple[str, ...]:
    """Return the names of the reference bots that play the game at tables of two or more. Raises GameError."""
    return tuple(name for name in REFERENCE_BOTS if name not in SOLO_ONLY and plays(name, game))


def check_bots(names: Sequence[str], game: str) -> None:
    """Raise InputError if a name occurs twice or is not a reference bot that can be calibrated in the game."""
    known = bots_at_tables(game)
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there is {', '.join(known)}"
            raise InputError(
                f"'{name}' is not a reference bot for tables of several in {game}; {hint} "
                "(measure other bots in a tournament with anchors = true)"
            )
        if names.count(name) > 1:
            raise InputError(f"the bot '{name}' is named twice")


def fitting_tables(config: CalibrationConfig) -> tuple[int, ...]:
    """Return the configured table sizes that the game allows and the bots can fill. Raises InputError if there are none."""
    game = find_game(config.game, config.options)
    fitting = tuple(players for players in config.tables if 2 <= players <= min(game.max_players, len(config.bots)))
    if not fitting:
        raise InputError(
            f"no table can be filled: {config.game} has tables of 2 to {game.max_players}, and you asked for tables of "
            f"{', '.join(map(str, config.tables))} with {len(config.bots)} bots"
        )
    return fitting


def make_specs(config: CalibrationConfig) -> tuple[Spec, ...]:
    """Return the tournaments to play, smallest tables first; bots that don't search play most of their blocks among themselves.

    Raises InputError, and SpecError for a value that a tournament can't have.
    """
    quick = tuple(bot for bot in config.bots if bot not in SEARCHERS)
    specs = []
    for players in sorted(fitting_tables(config)):
        if len(quick) == len(config.bots):
            specs.append(_spec(config, players, quick, config.blocks, ""))
            continue
        if len(quick) >= players:
            specs.append(_spec(config, players, quick, config.blocks, "-quick"))
        specs.append(_spec(config, players, config.bots, config.search_blocks, ""))
    return tuple(specs)


def _spec(config: CalibrationConfig, players: int, bots: Sequence[str], blocks: int, suffix: str) -> Spec:
    """Return one tournament: every line-up equally often if there are blocks for all, otherwise a balanced sample."""
    sitting = max(1, round(blocks * 2 / players))
    wanted = ceil(sitting * len(bots) / players)
    every = comb(len(bots), players)
    lineups: dict[str, object] = {"blocks": round(wanted / every)} if wanted >= every else {"lineups": wanted}
    options = {key: list(value) if isinstance(value, tuple) else value for key, value in config.options.items()}
    words = [f"{key}-{'-'.join(map(str, value)) if isinstance(value, list) else value}" for key, value in sorted(options.items())]
    data: dict[str, Any] = {
        "name": "-".join(["strength", config.game, *words, str(players)]) + suffix,
        "game": config.game,
        "seed": config.seed,
        "options": options,
        "bots": list(bots),
        "schedule": {"tables": [players], "seats": "rotations", **lineups},
        "rating": {"tau": TAU},
        "clock": {"mode": "budget", "move": LONGEST_DECISION, "nodes": config.nodes},
        "isolation": "none",  # reference bots are trusted
    }
    return make_spec(data, "the calibration")


@dataclass(frozen=True, slots=True)
class TableStrengths:
    """The strengths of the bots at tables of ``players`` seats; ``contests`` has an entry for each pair."""

    players: int
    blocks: int
    fit: StrengthFit
    shares: Mapping[str, WinShare]
    contests: tuple[HeadToHead, ...]

    @property
    def strengths(self) -> tuple[Strength, ...]:
        """The strengths, best first."""
        return self.fit.strengths


@dataclass(frozen=True, slots=True)
class Calibration:
    """The results of a calibration. ``ratings`` are TrueSkill ratings over all tables; ``results`` has the digest of each complete
    tournament by name."""

    config: CalibrationConfig
    played: int
    total: int
    tables: tuple[TableStrengths, ...]
    ratings: tuple[Rated, ...]
    results: Mapping[str, str]

    @property
    def is_whole(self) -> bool:
        """Whether every match has been played."""
        return self.played == self.total


def gather(store: Store, config: CalibrationConfig) -> Calibration:
    """Compute the calibration from its stored tournaments, leaving out those that have not been played yet. Raises StoreError."""
    specs = make_specs(config)
    stored = {spec.name: tournament for spec in specs if (tournament := store.tournament(spec.name)) is not None}
    played = {name: store.count_matches(each) for name, each in stored.items()}
    tables = []
    for players in sorted({spec.schedule.tables[0] for spec in specs}):
        here = [stored[spec.name] for spec in specs if spec.schedule.tables == (players,) and spec.name in stored]
        if any(played[each.name] for each in here):
            tables.append(_table(store, here, players))
    return Calibration(
        config=config,
        played=sum(played.values()),
        total=sum(len(Schedule(spec)) for spec in specs),
        tables=tuple(tables),
        ratings=_rate(store, [stored[spec.name] for spec in specs if spec.name in stored], config),
        results={name: seals[RESULTS] for name, each in stored.items() if RESULTS in (seals := store.seals(each.id))},
    )


def _table(store: Store, tournaments: Sequence[StoredTournament], players: int) -> TableStrengths:
    blocks: Blocks = find_blocks(
        joined([read_results(store, each) for each in tournaments]), stored_spec(tournaments[0]).schedule.count_seatings
    )
    return TableStrengths(
        players=players,
        blocks=blocks.complete,
        fit=fit_strengths(blocks),
        shares={each.bot: each for each in win_shares(blocks)},
        contests=head_to_head(blocks),
    )


def _rate(store: Store, tournaments: Sequence[StoredTournament], config: CalibrationConfig) -> tuple[Rated, ...]:
    """Rate all matches by TrueSkill, tournament by tournament, each in the order of its schedule; best first."""
    if not tournaments:
        return ()
    fold = RatingFold(config.bots, stored_spec(tournaments[0]).rating.parameters)
    for tournament in tournaments:
        schedule = make_schedule(stored_spec(tournament), tournament)
        for _, entry in schedule.walk(partial(store.entries, tournament)):
            if entry is not None:
                fold.add(rated_result(entry))
    return fold.table()


def measured(calibration: Calibration, digests: Mapping[str, str]) -> Measured:
    """Return the ratings as anchors for later tournaments; ``digests`` has the content hash of each bot.

    Raises InputError if matches are still to be played.
    """
    if not calibration.is_whole:
        left = calibration.total - calibration.played
        raise InputError(f"anchors need a complete calibration, and {left} matches are left to be played")
    spec = make_specs(calibration.config)[0]
    bots = tuple(
        MeasuredBot(each.bot, digests[each.bot], each.mu, each.sigma, each.number, each.bot in SEARCHERS) for each in calibration.ratings
    )
    tables = tuple(map(_measured_table, calibration.tables))
    return Measured(conditions(spec), calibration.config.seed, dict(calibration.results), bots, tables)


def _measured_table(table: TableStrengths) -> MeasuredTable:
    """Return the strengths of a table, rounded to two decimals: further digits may depend on the machine."""
    fit = table.fit
    place = {bot: number for number, bot in enumerate(fit.bots)}
    lines = [
        TableStrength(line.bot, round(line.strength, 2), round(line.low, 2), round(line.high, 2))
        for line in fit.strengths
        if line.strength is not None and line.low is not None and line.high is not None
    ]
    order = [place[line.bot] for line in lines]
    covariance = tuple(tuple(round(float(fit.covariance[one, other]), 2) for other in order) for one in order)
    return MeasuredTable(table.players, table.blocks, tuple(lines), covariance)
