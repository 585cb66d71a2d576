"""``arena diff``: where two bots decide differently, and which one decides better, in positions of recorded matches."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import Exit, UserError, bot_tracebacks, report_errors
from arena.cli.files import find_replay, is_file
from arena.cli.options import (
    DEFAULT_DB,
    ClockOption,
    DbOption,
    IsolationOption,
    JsonOption,
    RequireOption,
    RuntimeOption,
    TrustOption,
    check_bot_name,
    complete_bot,
    find_tournament,
)
from arena.cli.output import console, print_json, print_warning

if TYPE_CHECKING:
    from arena.analysis.bot_diff import DiffRun, RecordedMatch
    from bots.runtime import Runtime
    from engine.records import Replay
    from leaderboard.storage.store import Store

MATCHES = 20


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The matches chosen by the options."""

    given: list[str]
    db: str
    tournament: str | None
    game: str | None
    bot: str | None
    most: int
    clock: list[str] | None
    runtime: list[str] | None


@report_errors
def diff(
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="A bot, given as for 'arena match'.", show_default=False, autocompletion=complete_bot)
    ],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot to compare it with.", show_default=False, autocompletion=complete_bot)],
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE_OR_MATCH", help="Replays or stored matches; default: the newest.", show_default=False),
    ] = None,
    db: DbOption = DEFAULT_DB,
    tournament: Annotated[str | None, typer.Option(metavar="NAME", help="The tournament; default: the newest, of --game if given.")] = None,
    game: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches of this game.")] = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only decisions that this bot made.")] = None,
    matches: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="How many matches, newest first.")] = MATCHES,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """Ask two bots for every decision of recorded matches: where they differ, and which decides better.

    Exit codes: 0, 7 if a bot failed in a position; 1 the machine failed, 2 wrong input, 130 Ctrl-C (prints what is known).

    [dim]arena diff new.py old.py --db quickstart.db[/dim]
    [dim]arena diff new.py old.py match.json[/dim]
    [dim]arena diff 'bot.py?depth=3' bot.py --bot greedy --matches 50[/dim]
    """
    from arena.analysis.bot_diff import DiffRun
    from arena.cli.results.compare import prepare_bots
    from arena.cli.results.diff_view import as_data, show
    from arena.play.isolation import BEST, choose_level
    from bots.host.player_pool import PlayerPool
    from engine.replay.verifier import game_of
    from leaderboard.storage.database import find_database
    from leaderboard.storage.store import Store

    wanted = _Wanted(given or [], db, tournament, game, bot, matches, clock, runtime)
    level = choose_level(isolation or BEST, require_isolation)
    has_store = not wanted.given or find_database(db).exists()
    with Store.read(db) if has_store else nullcontext() as store, bot_tracebacks(), redirect_stdout(sys.stderr):
        where, recorded, surroundings = _find(wanted, store)
        played, limits = game_of(recorded[0].replay), recorded[0].clock
        from_store = db if has_store else None
        versions = prepare_bots([new, old], played, surroundings, level, db=from_store, trust_bots=trust_bots, clock=limits)
        if versions[0].digest == versions[1].digest:
            print_warning("both are the same version, so only chance or timing can make them differ")
        with PlayerPool(level, game=played, runtime=surroundings) as pool:
            run = DiffRun(*(partial(pool.seat, version) for version in versions))
            is_interrupted = _ask(run, recorded, bot)
    result = run.result()
    if not result.matches:
        raise KeyboardInterrupt
    if not result.total.decisions and not result.failures:
        raise UserError(f"there is no decision to ask about in {where}: no bot had a choice there")
    if is_interrupted:
        print_warning(f"interrupted; this is of {result.matches} of {len(recorded)} matches")
    if as_json:
        print_json(as_data(result, (new, old), played.name))
    else:
        show(result, (new, old), f"{played.name} ({where})", db, console())
    raise typer.Exit(Exit.INTERRUPTED if is_interrupted else Exit.FORFEITED if result.failures else Exit.DONE)


def _find(wanted: _Wanted, store: Store | None) -> tuple[str, list[RecordedMatch], Runtime]:
    """Return the matches, a description of them all, and the runtime of their bots. Raises UserError and StoreError."""
    from arena.analysis.bot_diff import RecordedMatch
    from arena.cli.play.ask import find_terms

    if wanted.given:
        if wanted.tournament is not None:
            raise UserError(f"--tournament {wanted.tournament}: give either matches or a tournament")
        names, where = wanted.given, Path(wanted.given[0]).name if len(wanted.given) == 1 else "the matches given"
    else:
        assert store is not None, "it has been opened"
        names, where = _newest(wanted, store)
    recorded, runtime = [], None
    for name in names:
        replay = find_replay(name, wanted.db)
        terms = find_terms(replay, None if is_file(name) else name, store, wanted.clock, wanted.runtime)
        runtime = runtime or terms.runtime
        recorded.append(RecordedMatch(name, replay, terms.ticket, terms.clock))
    first = recorded[0].replay
    for match in recorded:
        _check(match, first, wanted)
    assert runtime is not None, "there is a match"
    return where, recorded, runtime


def _newest(wanted: _Wanted, store: Store) -> tuple[list[str], str]:
    """Return the ids of the newest matches of the tournament, and its name. Raises UserError."""
    stored = find_tournament(store, wanted.tournament)
    if wanted.game not in {None, stored.game}:
        every = [find_tournament(store, name) for name in reversed(store.tournament_names())] if wanted.tournament is None else []
        fitting = [each for each in every if each.game == wanted.game]
        if not fitting:
            what = f"no tournament in {store.name} is" if every else f"the tournament '{stored.name}' is not"
            raise UserError(f"--game {wanted.game}: {what} of that game; '{stored.name}' is of {stored.game}")
        stored = fitting[0]
    if wanted.bot is not None:
        check_bot_name(stored, wanted.bot)
    played = store.recent_matches(stored, bot=wanted.bot, limit=wanted.most)
    if not played:
        whose = "" if wanted.bot is None else f" of '{wanted.bot}'"
        raise UserError(f"no match{whose} in '{stored.name}' has been played yet, so there is no decision to ask about")
    return [match.id for match in played], f"'{stored.name}'"


def _check(match: RecordedMatch, first: Replay, wanted: _Wanted) -> None:
    """Raise UserError for a match of another game than the first, or in which the bot of --bot did not play."""
    replay = match.replay
    if wanted.game not in {None, replay.game}:
        raise UserError(f"--game {wanted.game}: {match.name} is a match of {replay.game}")
    if (replay.game, replay.options) != (first.game, first.options):
        raise UserError(
            f"{match.name} is not of the same game with the same options as the first match; compare bots in one game at a time"
        )
    if (replay.players == 1) != (first.players == 1):
        raise UserError(f"{match.name}: solo matches and matches with rivals can't be compared together; run 'arena diff' for each")
    if wanted.bot is not None and wanted.bot not in replay.names:
        raise UserError(f"--bot {wanted.bot}: no seat of {match.name} has that name; it has {', '.join(replay.names)}")


def _ask(run: DiffRun, recorded: list[RecordedMatch], bot: str | None) -> bool:
    """Ask the bots in one match after another; return whether it was interrupted. Raises UserError."""
    from arena.analysis.position_value import NotAnalysableError
    from arena.cli.results.analyse import progress
    from engine.replay.verifier import DisagreementError

    with progress("matches") as report:
        for number, match in enumerate(recorded):
            try:
                run.ask(match, [seat for seat, name in enumerate(match.replay.names) if bot in {None, name}])
            except KeyboardInterrupt:
                return True
            except (DisagreementError, NotAnalysableError) as error:
                raise UserError(f"{match.name} can't be used: {error}") from None
            if report is not None:
                report(number + 1, len(recorded))
    return False
