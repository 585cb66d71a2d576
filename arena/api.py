"""The API for hosts, apart from tournaments: load replays, verify results, compare bots, and seat a bot in a match."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from arena.analysis.compare import Comparison, ComparisonRun, make_comparison_plan
from arena.bots import admit, check_plays
from arena.entries.game_trial import try_game
from arena.play.executors.base import NO_LIMIT, Executor, InlineExecutor, Job
from arena.spec.secret import SEED_BITS
from arena.verification.matches import Disagreement
from arena.verification.verifier import Terms, Verdict, verify_store
from bots.errors import BotError
from bots.host.player_pool import InProcessPlayer, Player
from bots.limits import STANDARD, Level, Runtime
from bots.loader.files import is_open_database
from bots.loader.loading import identify, resolve, resolve_live
from bots.loader.version import BotVersion
from bots.protocol import Bot, ClockSpec
from engine.core import OptionValue
from engine.records import Replay
from engine.registry import find_game, game_or_only, trials
from engine.replay.format import ReplayError, read_replay
from leaderboard.ratings.sprt import Hypotheses
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store

AnyBot: TypeAlias = str | BotVersion | Bot | Callable[[], Bot]
"""A bot given as a source (``greedy``, ``file.py``), a version, an instance, or a class or function that creates an instance."""


def load_replay(path: str | Path) -> Replay:
    """Return the replay stored in a file, for example by `arena replay --save`. Raises OSError and ReplayError."""
    if is_open_database(Path(path)):
        raise ReplayError(f"{path} is not a replay: it is a database that is open")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ReplayError(f"{path} is not a replay: it is not UTF-8 text") from None
    return read_replay(text)


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a database or a bundle: a verdict on each tournament, and the problems that belong to no tournament."""

    verdicts: tuple[Verdict, ...]
    problems: tuple[Disagreement, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing disagrees, every tournament is sealed, and all bots that were to be asked for decisions again could be asked."""
        are_whole = all(each.bots is None or each.bots.is_whole for each in self.verdicts)
        return not self.problems and are_whole and all(each.is_sealed and not each.disagreements for each in self.verdicts)


def verify(place: str | Path, *, executor: Executor | None = None, terms: Terms | None = None) -> Verification:
    """Check every tournament in a database (a file or a URL) or an exported bundle by replaying its matches.

    Bots are asked for their decisions again only if ``terms`` has a ``recall``. Matches are checked in this process unless an ``executor``
    is given. Raises StoreError if the file can't be read, and HostError if this machine fails.
    """
    with ExitStack() as stack:
        stack.enter_context(trials(try_game))
        store = stack.enter_context(Store.read_to_verify(place))
        worker = stack.enter_context(closing(InlineExecutor())) if executor is None else executor
        verdicts, problems = verify_store(store, store.fetch(read_tournaments), worker, terms)
    return Verification(tuple(verdicts), tuple(problems))


def compare(
    new: AnyBot,
    old: AnyBot,
    *,
    field: Sequence[AnyBot] = (),
    game: str | None = None,
    options: Mapping[str, OptionValue] | None = None,
    players: int | None = None,
    seed: int | None = None,
    hypotheses: Hypotheses | None = None,
    clock: ClockSpec = NO_LIMIT,
    executor: Executor | None = None,
    level: Level = Level.NONE,
    runtime: Runtime = STANDARD,
) -> Comparison:
    """Play two bots against each other until a sequential test decides whether ``new`` is better, and return the result.

    A bot is a source as in a tournament file (``greedy``, ``file.py``), a version, a class, or an instance (which plays all the matches).
    Bots in ``field`` fill the other seats at a table of ``players``. If ``game`` is None, the only installed game is played. All seeds are
    derived from ``seed``, or from a random one if it is None. Raises BotError, CompareError, OptionsError and HostError.
    """
    rules = find_game(game_or_only(game), options or {})
    versions = [_version(each, resolve if level is Level.NONE else identify) for each in (new, old, *field)]
    live = [version.name for version in versions if version.live]
    if live and not (level is Level.NONE and (executor is None or isinstance(executor, InlineExecutor))):
        raise BotError(f"{live[0]} is a class or an object, which can play only in this process; to play it elsewhere, save it to a file")
    for version in versions:
        check_plays(version, rules)
    admit(versions, level, trusted=False, clock=clock)
    names = [version.name for version in versions]
    chosen = secrets.randbits(SEED_BITS) if seed is None else seed
    plan = make_comparison_plan(rules, names[0], names[1], names[2:], seed=chosen, players=players)
    others = {name: versions[2 + seat % len(field)] for seat, name in enumerate(plan.field)}
    job = Job(rules.name, rules.options, {plan.new: versions[0], plan.old: versions[1]} | others, clock, level, runtime)
    comparing = ComparisonRun(plan, hypotheses or Hypotheses())
    with ExitStack() as stack:
        comparing.play(job, stack.enter_context(closing(InlineExecutor())) if executor is None else executor)
    return comparing.result


def seat_bot(bot: AnyBot) -> Player:
    """Return a player for one match that runs the bot in this process; use it only for bots that you trust. Raises BotError."""
    return InProcessPlayer(_version(bot, resolve))


def _version(bot: AnyBot, find: Callable[[str], BotVersion]) -> BotVersion:
    if isinstance(bot, BotVersion):
        return bot
    return find(bot) if isinstance(bot, str) else resolve_live(bot)
