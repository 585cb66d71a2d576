"""``arena bots check | submit | list | show | retire``: trying bots as a host does, and keeping versions of them in a database."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.support import (
    DEFAULT_DB,
    DbOption,
    Exit,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    TrustOption,
    UserError,
    friendly,
    read_clock,
    read_game,
    say,
    say_lines,
)

if TYPE_CHECKING:
    from arena.entries.bot_check import CheckReport
    from bots.loader.loading import BotVersion
    from bots.protocol import ClockSpec
    from engine.core import Game
    from leaderboard.storage.submissions import Submission

PathArgument = Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder or an archive.", show_default=False)]
ReferenceArgument = Annotated[
    str, typer.Argument(metavar="NAME[@VERSION]", help="A submitted bot; without @VERSION, its newest version.", show_default=False)
]
ClockOption = Annotated[list[str] | None, typer.Option("--clock", metavar="KEY=VALUE", help="A limit, such as move=0.5; may be repeated.")]
TournamentFile = Annotated[
    Path | None, typer.Option("--tournament", metavar="FILE.toml", help="Take the game, its options and the clock of this tournament.")
]


@friendly
def check(
    path: PathArgument,
    game: GameOption = None,
    option: OptionsOption = None,
    tournament: TournamentFile = None,
    clock: ClockOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="S", help="Play the matches of an earlier check; drawn by default.")
    ] = None,
    as_json: JsonOption = False,  # an option
) -> None:
    """Play a bot in every seat at tables of every size, as a host would, and report what has to be fixed.

    Exit code 1 if it failed in any match. The seed that is printed plays the same matches again.

    [dim]arena bots check my_bot.py --tournament cup.toml[/dim]
    """
    from arena.entries.bot_check import report_data
    from bots.loader.loading import identify

    rules, limits = _terms(game, option, clock, tournament)
    _, report = _check(identify(path), rules, limits, isolation, seed, trust_bots=trust_bots)
    if as_json:
        say_lines(json.dumps(report_data(report), indent=2))
    else:
        _show(report)
    if not report.is_passed:
        raise typer.Exit(Exit.FAILED)


def _terms(game: str | None, option: list[str] | None, clock: list[str] | None, tournament: Path | None) -> tuple[Game, ClockSpec]:
    """Return the game and the limits to check a bot with. Raises UserError, SpecError and OptionsError."""
    if tournament is None:
        return read_game(game, option), read_clock(clock)
    if option or clock:
        raise UserError("--tournament takes the options and the clock of the file; leave --option and --clock out")
    from arena.tournament.spec import read_spec

    spec = read_spec(tournament)
    return spec.make_game(), spec.clock.limits


def _check(
    version: BotVersion, game: Game, clock: ClockSpec, isolation: str | None, seed: int | None = None, *, trust_bots: bool
) -> tuple[BotVersion, CheckReport]:
    """Return the bot, built if it was source, and how it did. Raises BotError."""
    from dataclasses import replace

    from arena.entries.bot_check import check_bot
    from arena.executors.isolation import BEST, admit, choose_level
    from bots.building.builder import build
    from bots.host.player_pool import PlayerPool

    level = choose_level(isolation or BEST)
    admit([version], level, trusted=trust_bots)
    built = build(version, trusted=trust_bots)
    with PlayerPool(level, game=game) as pool:
        report = check_bot(built.version, game, pool, clock, seed=seed)
    return built.version, replace(report, build_log=built.log)


def _show(report: CheckReport) -> None:
    say(
        f"{report.bot}@{report.version[:8]}: {report.matches} matches of {report.game}, every seat at every table, "
        f"isolation {report.isolation}, seed {report.seed}"
    )
    for name, times in (("time of a decision", report.seconds), ("CPU time", report.cpu_seconds)):
        if times:
            say(f"{name}: " + ", ".join(f"{which} {1000 * value:.2f} ms" for which, value in times.items()))
    if report.build_log:
        say_lines(f"the log of its build:\n{report.build_log}")
    if report.memory is not None:
        say(f"memory: {report.memory / (1 << 20):.0f} MiB at most")
    for trouble in report.troubles[:5]:
        say(
            f"FAILED with {trouble.players} players in seat {trouble.seat} (seed {trouble.seed}), decision {trouble.fault.index}: "
            f"{trouble.fault.kind.value}: {trouble.fault.detail}"
        )
    if len(report.troubles) > 5:
        say(f"and in {len(report.troubles) - 5} more matches")
    for note in report.notes:
        say(f"note: {note}")
    for hint in report.hints:
        say(f"hint: {hint}")
    if report.log and not report.is_passed:
        say_lines("the end of its log:\n" + report.log[-1000:])
    say("passed: it can be submitted" if report.is_passed else f"failed in {len(report.troubles)} of {report.matches} matches")


@friendly
def submit(
    path: PathArgument,
    name: Annotated[str, typer.Option("--name", metavar="N", help="Name of the bot; with --to, by default the file's.")] = "",
    author: Annotated[str, typer.Option("--author", metavar="A", help="The author; all versions of a name have the same.")] = "",
    db: DbOption = DEFAULT_DB,
    game: GameOption = None,
    option: OptionsOption = None,
    tournament: TournamentFile = None,
    clock: ClockOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
    to: Annotated[str, typer.Option("--to", metavar="URL", help="Send it to this server instead, which will check it.")] = "",
    token: Annotated[
        str,
        typer.Option("--token", metavar="T", envvar="ARENA_TOKEN", show_envvar=True, help="For --to: the token that the host gave you."),
    ] = "",
    ladder: Annotated[str, typer.Option("--ladder", metavar="NAME", help="For --to: enter the bot into this ladder.")] = "",
) -> None:
    """Check a bot and keep a copy in the database as a version that never changes; or send it to a server.

    [dim]arena bots submit my_bot.py --name walker --author Ana --tournament cup.toml --db cup.db[/dim]
    [dim]arena bots submit my_bot.py --name walker --to https://arena.example --ladder league[/dim]
    """
    if to:
        _send(path, name, to, token, ladder, game or "", as_json=as_json)
        return
    if not name:
        raise UserError("give the bot a name with --name")
    from arena.entries.bot_check import report_data
    from bots.loader.codec import pack
    from bots.loader.loading import REFERENCE_BOTS, BotError, check_name, identify
    from engine.text import one_line
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import submit as keep

    check_name(name)
    version = identify(path, name=name)
    if version.is_installed:
        raise BotError(f"{path} is installed on this machine, so it can't be submitted; give a file, a folder or an archive")
    version, report = _check(version, *_terms(game, option, clock, tournament), isolation, trust_bots=trust_bots)
    if not report.is_passed:
        if as_json:
            say_lines(json.dumps(report_data(report), indent=2))
        else:
            _show(report)
        raise typer.Exit(Exit.FAILED)
    with Store.create(db) as store:
        submission = keep(store, name, version.digest, one_line(author), pack(version), reserved=REFERENCE_BOTS)
    if as_json:
        say_lines(json.dumps(_listed(submission), indent=2))
    else:
        label = submission.label
        say(f'Submitted as {label} (version {submission.digest[:8]}); a tournament enters it as "{label}" or "{name}@newest"')


def _send(path: str, name: str, to: str, token: str, ladder: str, game: str, *, as_json: bool) -> None:
    """Send the bot, wait for the check, and report its result."""
    import httpx

    from arena.cli.upload_client import TOKEN_VARIABLE, send, wait

    if not token:
        raise UserError(f"--to needs a token: set the environment variable {TOKEN_VARIABLE}, or give --token")
    if not token.isascii() or not token.isprintable():
        raise UserError("the token has characters that tokens never have")
    if not to.startswith(("http://", "https://")):
        raise UserError(f"--to {to}: write the address as https://HOST")
    file = Path(path)
    try:
        client = httpx.Client(base_url=to, headers={"authorization": f"Bearer {token}", "accept": "application/json"}, timeout=60)
    except httpx.InvalidURL as error:
        raise UserError(f"--to {to}: {error}") from None
    with client:
        upload = wait(client, send(client, file, name or file.name.partition(".")[0], ladder, game))
    if as_json:
        say_lines(json.dumps(upload, indent=2))
    elif upload["state"] == "accepted":
        entered = f", entered into {upload['ladder']} as {upload['entrant']}" if upload["entrant"] else ""
        say(f"Accepted as {upload['label']}{entered}.")
    else:
        say(f"Not accepted: {upload['problem']}.")
        for trouble in (upload["report"] or {}).get("troubles", [])[:5]:
            fault = trouble["fault"]
            where = f"{trouble['players']} players, seat {trouble['seat']}, seed {trouble['seed']}, decision {fault['index']}"
            say(f"{where}: {fault['kind']}: {fault['detail']}")
    if not as_json and upload.get("build_log"):
        say_lines(f"the log of its build:\n{upload['build_log']}")
    for note in [*upload["notes"], *(upload["report"] or {}).get("hints", [])]:
        if not as_json:
            say(f"note: {note}")
    if upload["state"] != "accepted":
        raise typer.Exit(Exit.FAILED)


def _listed(submission: Submission) -> dict[str, object]:
    return {
        "name": submission.name,
        "number": submission.number,
        "version": submission.digest,
        "author": submission.author,
        "submitted": submission.submitted.isoformat(),
        "retired": submission.retired.isoformat() if submission.retired else None,
    }


@friendly
def list_(db: DbOption = DEFAULT_DB, as_json: JsonOption = False) -> None:  # an option
    """List the bots submitted to a database.

    [dim]arena bots list --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import submissions

    with Store.read(db) as store:
        submitted = submissions(store)
    if as_json:
        say_lines(json.dumps([_listed(each) for each in submitted], indent=2))
        return
    for each in submitted:
        state = f"  retired {each.retired:%Y-%m-%d}" if each.retired else ""
        say(f"{each.label:<24}  {each.digest[:8]}  {each.submitted:%Y-%m-%d %H:%M}  {each.author}{state}")
    if not submitted:
        say(f"No bot has been submitted to {store.name}; 'arena bots submit PATH --name N --db {store.name}' submits one.")


@friendly
def show(reference: ReferenceArgument, db: DbOption = DEFAULT_DB, as_json: JsonOption = False) -> None:  # an option
    """Show a submitted version: its author, its files, and its results.

    [dim]arena bots show walker@2 --db league.db[/dim]
    """
    from bots.loader.codec import unpack
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import appearances, content, find_submission

    with Store.read(db) as store:
        submission = find_submission(store, reference)
        version = unpack(content(store, submission))
        played = appearances(store, submission)
    files = {"(source)": len(version.code.encode())} if version.code is not None else {path: len(data) for path, data in version.files}
    how = version.build
    if as_json:
        source = {path: len(data) for path, data in how.source} if how else {}
        built = {"steps": how.steps, "toolchain": how.toolchain, "source": source} if how else None
        facts = {"files": files, "command": list(version.command), "build": built}
        data = _listed(submission) | facts | {"tournaments": [asdict(each) for each in played]}
        say_lines(json.dumps(data, indent=2))
        return
    submitted = f"submitted {submission.submitted:%Y-%m-%d %H:%M} by {submission.author or 'nobody'}"
    say(f"{submission.label}, version {submission.digest}, {submitted}")
    if submission.retired:
        say(f"retired {submission.retired:%Y-%m-%d}")
    say(f"plays {' '.join(version.command)}" if version.command else f"plays class {version.class_name}")
    for path, size in files.items():
        say(f"{size:>9} bytes  {path}")
    if how is not None:
        say(f"built with {'; '.join(how.toolchain)}")
        for step in how.steps:
            say(f"by {' '.join(step)}")
        for path, content_ in how.source:
            say(f"{len(content_):>9} bytes  {path} (source)")
    for each in played:
        say(f"{each.tournament}: {each.matches} matches, {each.wins} won, {each.faults} faults")


@friendly
def retire(reference: ReferenceArgument, db: DbOption = DEFAULT_DB) -> None:
    """Retire a submitted version: no new tournament can enter it, but its results stay.

    [dim]arena bots retire walker@1 --db league.db[/dim]
    """
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import find_submission
    from leaderboard.storage.submissions import retire as take_out

    with Store.create(db) as store:
        submission = find_submission(store, reference)
        take_out(store, submission)
    say(f"{submission.label} is retired; its results stay.")
