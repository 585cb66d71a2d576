"""``arena doctor``: tests whether this machine can run tournaments."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import DEFAULT_DB, DbOption, JsonOption
from arena.cli.output import Exit, console, print_json, print_line, report_errors

if TYPE_CHECKING:
    from bots.limits import Level


@dataclass(frozen=True, slots=True)
class Offer:
    """An isolation level: whether this machine offers it, what a bot can still do at it, and how to get the level if it is missing."""

    level: str
    is_offered: bool
    not_blocked: tuple[str, ...]
    lacking: str
    fix: str

    def __str__(self) -> str:
        if not self.is_offered:
            return f"{self.level} not offered: {self.lacking}" + (f". To get it: {self.fix}" if self.fix else "")
        return f"{self.level} offered; " + (
            f"not blocked: {', '.join(self.not_blocked)}" if self.not_blocked else "every attack was refused"
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: whether it passed, and an observation or advice."""

    name: str
    is_ok: bool
    detail: str
    levels: tuple[Offer, ...] = ()


@report_errors
def doctor(
    db: DbOption = DEFAULT_DB,
    tournament: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="Also check the runtime of this tournament's bots.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check this machine: Python, engine, storage, Ray, isolation.

    The exit code is 1 if something is broken. If there is a database, also check whether other users of this machine can read it. If a
    tournament is given, load its packages as its bots do; once the tournament has begun, compare their versions with those it began with.

    [dim]arena doctor --json[/dim]
    [dim]arena doctor --tournament cup.toml --db cup.db[/dim]
    """
    findings = [_python(), _engine(), *_games(), _compiled(), _storage(), *_database(db), _ray(), _isolation(), _wasm()]
    findings += [*([] if tournament is None else [_runtime(tournament, db)]), _terminal()]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            label = f"{'ok ' if finding.is_ok else 'BAD'}  {finding.name:<{width}}  "
            for text in (finding.detail, *map(str, finding.levels)):
                for line in wrap(text, max(console().width - len(label), 40), break_long_words=False, break_on_hyphens=False):
                    print_line(label + line)
                    label = " " * len(label)
    if not all(finding.is_ok for finding in findings):
        raise typer.Exit(Exit.FAILED)


def _python() -> Finding:
    import os
    import platform

    return Finding("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores")


def _engine() -> Finding:
    from random import Random

    from engine.registry import OWN, find_game, find_registration, single_games
    from engine.replay.format import Recorder
    from engine.replay.verifier import verify_replay

    names = [name for name in single_games() if find_registration(name).package == OWN]
    for name in names:
        game = find_game(name)
        players = game.min_players
        state = game.new(players, 1)
        recorder = Recorder(game, 1, ("a",) * players)
        rng = Random(1)
        while (seat := state.actor) is not None:
            legal = state.count_moves()
            move = state.random_move(rng)
            state.play(move)
            recorder.record(seat, move, legal, state)
        verify_replay(recorder.finish(state))
    return Finding("engine", True, f"a random game of {' and of '.join(names)} played and verified")


def _games() -> list[Finding]:
    from arena.cli.play.game import installed_games
    from engine.registry import problems

    games = installed_games()
    names = ", ".join(game.name for game in games if not game.problem)
    wrong = [*(game.problem for game in games if game.problem), *problems()]
    return [Finding("games", True, names), *(Finding("games", False, sentence) for sentence in wrong)]


def _compiled() -> Finding:
    from engine import FORM

    return Finding("compiled", True, f"{'yes' if FORM.is_compiled else 'no, the engine is plain Python'}: {FORM.reason}")


def _wasm() -> Finding:
    """Run a WebAssembly module; a machine without wasmtime passes as well."""
    from bots.wasm.trial import try_out
    from engine.registry import find_game, single_games

    game = find_game(single_games()[0])
    return Finding("wasm", *try_out(game.new(game.min_players, 1).view(0)))


def _storage() -> Finding:
    from leaderboard.storage.database import StoreError
    from leaderboard.storage.store import Store

    with tempfile.TemporaryDirectory() as folder:
        try:
            with Store.create(Path(folder) / "try.db") as store:
                store.tournament_names()
        except StoreError as error:
            return Finding("storage", False, str(error))
    return Finding("storage", True, "SQLite creates, locks and reads a database")


def _database(place: str) -> list[Finding]:
    """Check who can read the database, if there is one; a readable database is not an error of the machine."""
    from leaderboard.storage.database import find_database

    database = find_database(place)
    if not database.exists():
        return []
    exposed = database.exposure()
    return [Finding("database", True, f"warning: {exposed}" if exposed else f"{database.name} is not open to other users of this machine")]


def _ray() -> Finding:
    from arena.play.executors.base import HostError

    try:
        from arena.play.executors.ray_executor import RayExecutor

        executor = RayExecutor(workers=1)
    except (ImportError, HostError) as error:
        return Finding("ray", False, f"{error}; 'arena run --executor processes' does not need Ray")
    executor.close()
    return Finding("ray", True, "a worker starts on this machine")


def _isolation() -> Finding:
    """Try real attacks from inside each level of isolation, and have a bot play at the levels that refused the attacks."""
    from dataclasses import replace

    from bots.errors import SandboxError
    from bots.sandbox.probe import Report, probe

    levels = []
    for each in probe().levels:
        why = _why_no_bot_plays(each.level) if each.is_offered else ""
        levels.append(replace(each, lacking=why, fix="") if why else each)
    report = Report(tuple(levels))
    offers = tuple(Offer(str(each.level), each.is_offered, each.not_blocked, each.lacking, each.fix) for each in report.levels)
    unplayable = next((each for each in report.levels if not each.is_offered and each.lacking.startswith(_NO_BOT)), None)
    try:
        if unplayable is not None and unplayable.level > report.best.level:  # otherwise runs would use it as the best level
            return Finding("isolation", False, f"{unplayable.level}: {unplayable.lacking}", offers)
        return Finding("isolation", True, str(report), offers)
    except SandboxError as error:
        return Finding("isolation", False, str(error), offers)


_NO_BOT = "no bot can play at this level, although the attacks were refused"


def _why_no_bot_plays(level: Level) -> str:
    """Return why no bot of this installation can play at the level, or '' if one can."""
    from arena.play.match import make_ticket, play_match
    from bots.errors import HostFaultError, SandboxError
    from bots.host.player_pool import PlayerPool
    from bots.loader.loading import resolve
    from bots.protocol import ClockSpec
    from engine.registry import find_game, single_games

    game = find_game(single_games()[0])
    names = tuple(f"bot{seat}" for seat in range(game.min_players))
    try:
        with PlayerPool(level, game=game) as pool:
            players = [pool.seat(resolve("random")) for _ in names]
            result = play_match(game, make_ticket(game, names, seed=1), players, clock=ClockSpec())
    except (HostFaultError, SandboxError) as error:
        return f"{_NO_BOT}: {error}; install this program and its dependencies with pip into one environment"
    return next((f"{_NO_BOT}: it {seat.fault.detail}" for seat in result.seats if seat.fault is not None), "")


def _runtime(file: Path, place: str) -> Finding:
    """Prepare the runtime of the tournament's bots at the best level. Raises SpecError for a file that can't be read."""
    from arena.bots import IsolationError, choose_level
    from arena.changes import ChangedError
    from arena.spec.spec import SpecError, read_spec
    from arena.tournament import check_runtime, find_tournament, versions_of
    from bots.errors import SandboxError, UnfitError
    from bots.host.player_pool import PlayerPool
    from leaderboard.storage.database import find_database
    from leaderboard.storage.store import Store

    spec = read_spec(file)
    existing = None
    if find_database(place).exists():
        with Store.read(place) as store:
            existing = find_tournament(store, spec.name)
    try:
        check_runtime(spec, existing)
        level = choose_level(spec.isolation)
        with PlayerPool(level, game=spec.make_game(), runtime=spec.runtime.runtime) as pool:
            pool.start()
    except (SpecError, ChangedError, IsolationError, SandboxError, UnfitError) as error:
        return Finding("runtime", False, str(error))
    versions = ", ".join(f"{package} {version}" for package, version in versions_of(spec).items()) or "no packages"
    kept = ", as when the tournament began" if versions_of(spec) and existing is not None else ""
    return Finding("runtime", True, f"bots of '{spec.name}' have {versions}{kept}; their processes can start at level {level}")


def _terminal() -> Finding:
    from arena.cli.output import console

    out = console()
    return Finding("terminal", True, f"{out.width} columns, {out.color_system or 'no colour'}")
