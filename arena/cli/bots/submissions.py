"""``arena bots``: the command group, and the commands that manage versions of bots in a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.bots.check import (
    ClockOption,
    PathArgument,
    PlayersOption,
    SecondsOption,
    TournamentFile,
    check,
    read_terms,
    run_check,
    show_report,
)
from arena.cli.bots.listing import bots, show_reference_bots
from arena.cli.bots.uploading import TOKEN_VARIABLE, send_bot
from arena.cli.options import (
    DEFAULT_DB,
    DbOption,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    is_chosen,
)
from arena.cli.output import Exit, UserError, print_json, print_line, report_errors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from arena.entries.check_report import CheckReport
    from bots.loader.version import BotVersion
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import Submission

TokenOption = Annotated[
    str, typer.Option(metavar="T", envvar=TOKEN_VARIABLE, show_envvar=True, help="For a server: the token that the host gave you.")
]
_VERDICTS = 20
"""How many of the newest refused submissions are listed; JSON has all of them."""
ReferenceArgument = Annotated[
    str, typer.Argument(metavar="NAME[@VERSION]", help="A submitted bot; without @VERSION, its newest version.", show_default=False)
]


bots_app = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")
bots_app.callback()(bots)
bots_app.command("check")(check)


@bots_app.command("submit")
@report_errors
def submit(
    path: PathArgument,
    name: Annotated[str, typer.Option(metavar="N", help="The bot's name; default: the name of its file or folder.")] = "",
    author: Annotated[str, typer.Option(metavar="A", help="The author; must be the same for all versions of a bot.")] = "",
    db: DbOption = DEFAULT_DB,
    game: GameOption = None,
    option: OptionsOption = None,
    tournament: TournamentFile = None,
    ladder: Annotated[
        str, typer.Option(metavar="NAME", help="Check the bot for this ladder (in --db or on the server) and enter it there.")
    ] = "",
    players: PlayersOption = None,
    seconds: SecondsOption = None,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,
    to: Annotated[str, typer.Option(metavar="URL", help="Don't use --db; let this server check and store the bot.")] = "",
    token: TokenOption = "",
) -> None:
    """Check a bot and store it as a version that never changes, or send it to a server.

    [dim]arena bots submit my_bot.py --name walker --author Ana --tournament cup.toml --db cup.db[/dim]
    [dim]arena bots submit my_bot.py --name walker --author Ana --ladder league --db league.db[/dim]
    [dim]arena bots submit my_bot.py --name walker --to https://arena.example --ladder league[/dim]
    """
    if players and (tournament or ladder):
        raise UserError("a bot is submitted for all table sizes of its tournament; leave out --players ('arena bots check' accepts it)")
    if to:
        only_here = {"--author": author, "--option": option, "--tournament": tournament, "--clock": clock, "--isolation": isolation}
        _check_options(only_here | {"--seconds": seconds, "--runtime": runtime, "--trust-bots": trust_bots})
        send_bot(path, name, to, token, ladder, game or "", players or (), as_json=as_json)
        return
    from arena.entries.check_report import report_data
    from arena.run.orders import planned_end
    from arena.season import times
    from arena.season.entry import hand_in
    from bots.errors import BotError
    from bots.loader.loading import identify
    from bots.loader.reference_bots import REFERENCE_BOTS
    from bots.loader.version import pack
    from leaderboard.storage.people import ids_of
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import submit as keep

    author = _checked(author)
    arrived = times.now()
    if ladder:
        _check_arrival(db, ladder, arrived)
    terms, arguments = read_terms(game, option, clock, runtime, tournament, ladder or None, db)
    version = identify(path, name=name or None, most=terms.runtime.most_bytes)
    if version.is_installed:
        raise BotError(f"{path} is installed on this machine, so it can't be submitted; give a file, a folder or an archive")
    _check_new(db, version, author, ladder)
    report = run_check(version, terms, isolation, trust_bots=trust_bots, seconds=seconds, players=players or ())
    if not report.is_passed:
        if as_json:
            print_json(report_data(report))
        else:
            show_report(report, path, arguments)
        raise typer.Exit(Exit.FAILED)
    with Store.join(db, creates=not ladder) as store:
        person = ids_of(store, [author])[author] if author else None
        submission = keep(store, version.name, version.digest, person, pack(version), reserved=REFERENCE_BOTS, ladder=ladder, sent=arrived)
        store.keep_speeds({submission.digest: report.match_seconds})
        hand_in(store, submission, version)
        stored = store.tournament(ladder) if ladder else None
        end = "" if stored is None else planned_end(stored)
    if as_json:
        print_json(_record(submission) | {"end": end})
    else:
        _show_new(submission, report, end)
    if submission.reason:
        print_line(submission.reason, err=True)
        raise typer.Exit(Exit.FAILED)


def _show_new(submission: Submission, report: CheckReport, end: str) -> None:
    label = submission.label
    way = (
        f'enter it in a tournament as "{label}" or "{submission.name}@newest"'
        if not submission.entrant
        else f"it plays in {submission.ladder} as {submission.entrant}"
    )
    when = submission.note[:1].lower() + submission.note[1:-1]
    print_line(f"Submitted as {label} (version {submission.digest[:8]}); {when or way}")
    if end:
        print_line(f"note: {end}")
    for note in report.notes:
        print_line(f"note: {note}")


def _check_options(only_here: dict[str, object]) -> None:
    if given := [option for option, value in only_here.items() if value]:
        raise UserError(f"with --to, the server checks the bot on its own terms and knows the author; leave out {given[0]}")


def _check_arrival(db: str, ladder: str, arrived: datetime) -> None:
    from arena.season.entry import check_arrival
    from leaderboard.errors import StoreError
    from leaderboard.storage.store import Store

    try:
        store = Store.read(db)
    except StoreError:
        return  # reading the terms of the ladder reports the same error
    with store:
        check_arrival(store, ladder, arrived)


def _checked(author: str) -> str:
    from engine.text import quote
    from leaderboard.names import PersonNameError, person_name

    try:
        return person_name(author) if author else ""
    except PersonNameError as error:
        raise UserError(f"--author {quote(author)} {error}") from None


def _check_new(db: str, version: BotVersion, author: str, ladder: str) -> None:
    """Before the long check, raise SubmissionError if the database would refuse the version, or ChangedError if its ladder would."""
    from arena.run.ladder_entry import check_open
    from bots.loader.reference_bots import REFERENCE_BOTS
    from engine.text import name_key
    from leaderboard.errors import StoreError
    from leaderboard.storage.people import people
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import check_new

    try:
        store = Store.read(db)
    except StoreError:
        return  # the database is created, or the error reported, when the version is stored
    with store:
        person = next((each.id for each in people(store) if name_key(each.shown) == name_key(author)), "")  # "" is a new author
        check_new(store, version.name, version.digest, person if author else None, reserved=REFERENCE_BOTS)
        check_open(store, ladder)


def _record(submission: Submission) -> dict[str, object]:
    from leaderboard.storage.submissions import PublicSubmission

    public = submission.model_dump(mode="json", include=set(PublicSubmission.model_fields))
    report = json.loads(submission.report) if submission.report else None
    return public | {"label": submission.label, "author": submission.by, "report": report}


@bots_app.command("list")
@report_errors
def list_(
    reference: Annotated[str | None, typer.Argument(metavar="NAME[@VERSION]", help="Show this version: author, parameters, files.")] = None,
    db: DbOption = DEFAULT_DB,
    as_json: JsonOption = False,
) -> None:
    """List the bots submitted to a database: first the versions, then submissions that wait, are being checked or were refused.

    Without a database, list the reference bots. A submission that the machine could not check waits to be checked again.

    [dim]arena bots list --db league.db[/dim]
    [dim]arena bots list walker@2 --db league.db[/dim]
    """
    if reference is not None:
        _show_version(reference, db, as_json=as_json)
        return
    if not is_chosen(db) and not Path(db).exists():
        show_reference_bots()
        print_line("", err=True)
        print_line(f"There is no database {db}; to list submitted bots, name a database with --db.", err=True)
        return
    from engine.text import listed
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import submissions, versions

    with Store.read(db) as store:
        submitted, known = submissions(store), versions(store)
        alike = _find_alike(store, known)
    if as_json:
        labels = [[each.label for each in group] for group in alike]
        print_json({"submissions": [_record(each) for each in submitted], "alike": labels})
        return
    for each in known:
        state = "  retired" if each.is_retired else ""
        print_line(f"{each.label:<24}  {each.digest[:8]}  {each.sent:%Y-%m-%d %H:%M}  {each.by}{state}".rstrip())
    for group in alike:
        who = listed([f"{each.label} by {each.by or 'nobody'}" for each in group])
        print_line(f"note: {who} are the same program except for comments and formatting")
    others = [each for each in submitted if each.number is None]
    if known and others:
        print_line("")
    refused = [each for each in others if each.is_over]
    for each in [*refused[-_VERDICTS:], *(each for each in others if not each.is_over)]:
        _show_other(each)
    if not submitted:
        print_line(f"No bot has been submitted to {store.name}; 'arena bots submit PATH --name N --db {store.name}' submits one.")


def _find_alike(store: Store, submitted: Sequence[Submission]) -> list[list[Submission]]:
    """Return groups of versions by different authors whose programs differ only in comments and formatting."""
    from bots.loader.version import unpack
    from leaderboard.storage.submissions import content

    groups: dict[object, list[Submission]] = {}
    for each in submitted:
        version = unpack(content(store, each))
        files = version.files or (("bot.py", (version.code or "").encode()),)
        groups.setdefault(tuple(sorted(_words(*file) for file in files if file[0] != "bot.toml")), []).append(each)
    return [group for group in groups.values() if len({each.author for each in group}) > 1]


def _words(path: str, data: bytes) -> tuple[str, ...]:
    """Return the tokens of a Python file without comments and formatting; any other file is a single token."""
    from io import BytesIO
    from tokenize import COMMENT, ENCODING, INDENT, NEWLINE, NL, TokenError, tokenize

    left_out = {COMMENT, ENCODING, INDENT, NEWLINE, NL}
    try:
        return (
            tuple(each.string for each in tokenize(BytesIO(data).readline) if each.type not in left_out)
            if path.endswith(".py")
            else (str(data),)
        )
    except (TokenError, SyntaxError):
        return (str(data),)


def _show_other(submission: Submission) -> None:
    took = f" ({submission.seconds:.0f} s)" if submission.seconds else ""
    where = submission.ladder or submission.game
    print_line(f"{submission.sent:%Y-%m-%d %H:%M}  {submission.state.value:<8}  {submission.name} by {submission.by} for {where}{took}")
    is_playing = submission.planned and not submission.is_over
    played = f"stage {submission.stage}, {submission.done} of {submission.planned} matches are over" if is_playing else ""
    if words := "; ".join(filter(None, (submission.reason, played))):
        print_line(f"    {words}")


def _show_version(reference: str, db: str, *, as_json: bool) -> None:
    from bots.loader.version import params_of, unpack
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import content, find_submission

    with Store.read(db) as store:
        submission = find_submission(store, reference)
        version = unpack(content(store, submission))
    files = {"(source)": len(version.code.encode())} if version.code is not None else {path: len(data) for path, data in version.files}
    if as_json:
        facts = {"files": files, "command": list(version.command), "params": params_of(version)}
        data = _record(submission) | facts
        print_json(data)
        return
    by = f" by {submission.by}" if submission.by else ""
    print_line(f"{submission.label}, submitted {submission.sent:%Y-%m-%d %H:%M}{by}{', retired' if submission.is_retired else ''}")
    print_line(f"version {submission.digest}")
    if submission.entrant:
        print_line(f"entered {submission.ladder} as {submission.entrant}")
    if submission.reason:
        print_line(submission.reason)
    print_line(f"plays {' '.join(version.command) or version.wasm or f'class {version.class_name}'}")
    if params := params_of(version):
        print_line(f"with {', '.join(f'{name} = {json.dumps(value)}' for name, value in params.items())}")
    for path, size in files.items():
        print_line(f"{size:>9} bytes  {path}")


@bots_app.command("retire")
@report_errors
def retire(reference: ReferenceArgument, db: DbOption = DEFAULT_DB) -> None:
    """Retire a submitted version: its results stay, but no new tournament can enter it.

    [dim]arena bots retire walker@1 --db league.db[/dim]
    """
    from arena.run.ladder_entry import ladders
    from leaderboard.storage.store import Store
    from leaderboard.storage.submissions import find_submission
    from leaderboard.storage.submissions import retire as take_out

    with Store.join(db) as store:
        submission = find_submission(store, reference)
        take_out(store, submission)
        entries = [(name, bot.name) for name, spec in ladders(store).items() for bot in spec.bots if bot.source == submission.label]
    print_line(f"{submission.label} is retired; its results stay.")
    for ladder, bot in entries:
        print_line(
            f"It keeps playing in '{ladder}' unless that is over; to take it out: arena ladder leave {bot} --tournament {ladder} --why ..."
        )
