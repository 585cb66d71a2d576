"""The ladder of strength: which tournaments reference bots play to be measured, and what their results come to.

They are ordinary round-robins, run, stored and verified like any other. (A *tournament of the format ladder* is something else: see
``arena/tournament/formats/ladder.py``.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from math import ceil, comb
from typing import Any, Final

from arena.analysis.statistics import seatings_of
from arena.calibration.config import Course
from arena.entries.anchor_selection import conditions
from arena.tournament.resume import make_schedule, stored_spec
from arena.tournament.scheduler import Schedule
from arena.tournament.spec import Spec, make_spec
from bots.loader.loading import REFERENCE_BOTS
from engine.registry import find_game
from leaderboard.ratings.anchors import Measured, MeasuredBot
from leaderboard.ratings.bradley_terry import Strength, strengths
from leaderboard.ratings.fold import rated_result
from leaderboard.ratings.trueskill import Rated, RatingFold
from leaderboard.seals.chain import RESULTS
from leaderboard.statistics.blocks import Blocks, find_blocks
from leaderboard.statistics.columns import joined, read_results
from leaderboard.statistics.summary import HeadToHead, WinShare, head_to_head, win_shares
from leaderboard.storage.store import Store, StoredTournament

SOLO_ONLY: Final = frozenset({"planner"})
"""Reference bots that play alone."""
SEARCHERS: Final = frozenset({"flat", "mcts"})
"""Reference bots that look at so many positions, their own number or the clock's ``nodes``: slow ones, whose strength hangs on it."""
LONGEST_DECISION: Final = 3600.0
"""CPU seconds: so long that no search is cut short by the machine's speed, only by its number of positions."""
TAU: Final = 0.0
"""TrueSkill's tau: a version never changes, so its rating may settle."""


class LadderError(ValueError):
    """A ladder that can't be played; the text is one sentence."""


def bots_at_tables() -> tuple[str, ...]:
    """The reference bots that play at tables of several."""
    return tuple(name for name in REFERENCE_BOTS if name not in SOLO_ONLY)


def check_bots(names: Sequence[str]) -> None:
    """Raise LadderError unless all of them can be on a ladder."""
    known = bots_at_tables()
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there is {', '.join(known)}"
            raise LadderError(
                f"'{name}' is no reference bot for tables of several; {hint} (others are measured by a tournament with anchors = true)"
            )
        if names.count(name) > 1:
            raise LadderError(f"the bot '{name}' stands there twice")


def fitting_tables(course: Course) -> tuple[int, ...]:
    """Those of the course's tables that the game has and its bots fill. Raises LadderError if there is none."""
    game = find_game(course.game, course.options)
    fitting = tuple(players for players in course.tables if 2 <= players <= min(game.max_players, len(course.bots)))
    if not fitting:
        raise LadderError(
            f"no table can be filled: {course.game} has tables of 2 to {game.max_players}, asked for are tables of "
            f"{', '.join(map(str, course.tables))}, and {len(course.bots)} bots are there to sit at them"
        )
    return fitting


def make_specs(course: Course) -> tuple[Spec, ...]:
    """The tournaments of the course, smallest tables first; bots that don't search play most of their blocks among themselves.

    Raises LadderError, and SpecError for what no tournament can have.
    """
    quick = tuple(bot for bot in course.bots if bot not in SEARCHERS)
    specs = []
    for players in sorted(fitting_tables(course)):
        if len(quick) == len(course.bots):
            specs.append(_spec(course, players, quick, course.blocks, ""))
            continue
        if len(quick) >= players:
            specs.append(_spec(course, players, quick, course.blocks, "-quick"))
        specs.append(_spec(course, players, course.bots, course.search_blocks, ""))
    return tuple(specs)


def _spec(course: Course, players: int, bots: Sequence[str], blocks: int, suffix: str) -> Spec:
    """One tournament: all line-ups equally often if each has a block, otherwise a balanced sample of them."""
    sitting = max(1, round(blocks * 2 / players))
    wanted = ceil(sitting * len(bots) / players)
    every = comb(len(bots), players)
    lineups: dict[str, object] = {"blocks": round(wanted / every)} if wanted >= every else {"lineups": wanted}
    options = {key: list(value) if isinstance(value, tuple) else value for key, value in course.options.items()}
    words = [f"{key}-{'-'.join(map(str, value)) if isinstance(value, list) else value}" for key, value in sorted(options.items())]
    data: dict[str, Any] = {
        "name": "-".join(["strength", course.game, *words, str(players)]) + suffix,
        "game": course.game,
        "seed": course.seed,
        "options": options,
        "bots": list(bots),
        "schedule": {"tables": [players], "seats": "rotations", **lineups},
        "rating": {"tau": TAU},
        "clock": {"mode": "budget", "move": LONGEST_DECISION, "nodes": course.nodes},
        "isolation": "none",  # nobody is a stranger here
    }
    return make_spec(data, "the ladder")


@dataclass(frozen=True, slots=True)
class Table:
    """How strong bots are at tables of so many seats, best first; ``contests`` has each pair of them."""

    players: int
    blocks: int
    strengths: tuple[Strength, ...]
    shares: Mapping[str, WinShare]
    contests: tuple[HeadToHead, ...]


@dataclass(frozen=True, slots=True)
class Ladder:
    """What has been measured. ``ratings`` are TrueSkill's over all tables; ``results`` has the digest of each tournament that is whole."""

    course: Course
    played: int
    total: int
    tables: tuple[Table, ...]
    ratings: tuple[Rated, ...]
    results: Mapping[str, str]

    @property
    def is_whole(self) -> bool:
        """Whether everything has been played."""
        return self.played == self.total


def gather(store: Store, course: Course) -> Ladder:
    """What is stored of a course's tournaments comes to this; what has not been begun is left out. Raises StoreError."""
    specs = make_specs(course)
    stored = {spec.name: found for spec in specs if (found := store.tournament(spec.name)) is not None}
    played = {name: store.count_matches(each) for name, each in stored.items()}
    tables = []
    for players in sorted({spec.schedule.tables[0] for spec in specs}):
        here = [stored[spec.name] for spec in specs if spec.schedule.tables == (players,) and spec.name in stored]
        if any(played[each.name] for each in here):
            tables.append(_table(store, here, players))
    return Ladder(
        course=course,
        played=sum(played.values()),
        total=sum(len(Schedule(spec)) for spec in specs),
        tables=tuple(tables),
        ratings=_rate(store, [stored[spec.name] for spec in specs if spec.name in stored], course),
        results={name: seals[RESULTS] for name, each in stored.items() if RESULTS in (seals := store.seals(each.id))},
    )


def _table(store: Store, tournaments: Sequence[StoredTournament], players: int) -> Table:
    blocks: Blocks = find_blocks(joined([read_results(store, each) for each in tournaments]), seatings_of(stored_spec(tournaments[0])))
    return Table(
        players=players,
        blocks=blocks.complete,
        strengths=strengths(blocks),
        shares={each.bot: each for each in win_shares(blocks)},
        contests=head_to_head(blocks),
    )


def _rate(store: Store, tournaments: Sequence[StoredTournament], course: Course) -> tuple[Rated, ...]:
    """TrueSkill over all matches, one tournament after the other, each in the order of its schedule; best first."""
    if not tournaments:
        return ()
    fold = RatingFold(course.bots, stored_spec(tournaments[0]).rating.parameters)
    for tournament in tournaments:
        schedule = make_schedule(stored_spec(tournament), tournament)
        for _, entry in schedule.walk(partial(store.entries, tournament)):
            if entry is not None:
                fold.add(rated_result(entry))
    return fold.table()


def measured(ladder: Ladder, digests: Mapping[str, str]) -> Measured:
    """The ratings as anchors for later tournaments; ``digests`` has the content hash of each bot. Raises LadderError unless it is whole."""
    if not ladder.is_whole:
        raise LadderError(f"anchors are made of a whole ladder, and {ladder.total - ladder.played} matches are left to be played")
    spec = make_specs(ladder.course)[0]
    bots = tuple(
        MeasuredBot(each.bot, digests[each.bot], each.mu, each.sigma, each.number, each.bot in SEARCHERS) for each in ladder.ratings
    )
    return Measured(conditions(spec), ladder.course.seed, dict(ladder.results), bots)
