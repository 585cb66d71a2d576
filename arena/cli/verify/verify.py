"""``arena verify``: replay everything in a database or a bundle, and list the disagreements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import ExecutorName, IsolationOption, JsonOption, TrustOption
from arena.cli.output import Exit, UserError, console, print_line, print_text, report_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from arena.play.executors.base import Executor
    from arena.verification.bot_replay import Recall
    from arena.verification.matches import Disagreement
    from arena.verification.seal_check import Expected
    from arena.verification.verifier import Progress, Verdict
    from leaderboard.records import TournamentRecord
    from leaderboard.storage.database import Database

_DIGEST = re.compile(r"(?:(results|ratings|seal)=)?(sha256:[0-9a-f]{64})")


@report_errors
def verify(
    what: Annotated[str, typer.Argument(metavar="FILE|URL|BUNDLE", help="A database, or an exported bundle.", show_default=False)],
    tournament: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tournament; default: all.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes or Ray workers that check; default: this process.")
    ] = None,
    address: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Join this Ray cluster.")] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(metavar="DIGEST|FILE", help="Require this digest from a run: a seal, results=... or ratings=...; or a file of seals."),
    ] = None,
    key: Annotated[str | None, typer.Option(metavar="PUBLIC|FILE", help="The host's public key; the seals must be signed with it.")] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.0, metavar="X", help="How far ratings may differ, for a machine that rounds differently.")
    ] = 0.0,
    interim: Annotated[
        bool, typer.Option("--interim", help="Check as much as possible of an unfinished tournament or its bundle.")
    ] = False,
    replay_bots: Annotated[
        bool, typer.Option("--replay-bots", help="Repeat every decision with the bots and compare it with the stored decision.")
    ] = False,
    bots: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to find bots whose content is not stored; they are recognised by hash.")
    ] = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Replay every match, recompute every rating, list disagreements.

    Scores, ranks, endings, forfeits, schedule, seeds, versions, ratings and seals are compared with their recomputed values.
    Exit codes: 0 everything agrees, 1 something disagrees or is not sealed, 2 the file can't be read, 5 a run is in progress or was killed.

    [dim]arena verify league.db --workers 4[/dim]
    [dim]arena verify cup.arena --expect results=sha256:...[/dim]
    [dim]arena verify cup.db --expect cup.db.seals.jsonl --key ed25519:...[/dim]
    [dim]arena verify cup.db --replay-bots[/dim]
    """
    from arena.verification.verifier import Terms, verify_store
    from leaderboard.storage.database import Database
    from leaderboard.storage.seal_chain import read_public

    expected = _expected(expect)
    if not replay_bots and (bots is not None or isolation is not None or trust_bots):
        raise UserError("--bots, --isolation and --trust-bots are for --replay-bots; give --replay-bots as well, or leave them out")
    recall = _recall(bots, isolation, is_trusted=trust_bots) if replay_bots else None
    terms = Terms(expected, None if key is None else read_public(key), tolerance, is_interim=interim, recall=recall)
    out = console()
    with Database.read_to_verify(what) as store, closing(_executor(workers, address)) as executor:
        chosen = _chosen(store, tournament)
        if store.content and not (interim or _is_final(chosen[0])):
            raise UserError(
                f"{what} is not a final proof: it was exported before its tournament was complete and sealed; "
                "check what can be checked so far with --interim"
            )
        names = [str(each.name) for each in chosen]
        if len(chosen) != 1 and any(each.tournament is None for each in expected):
            raise UserError(f"a digest is for one tournament, but there are several; choose one with --tournament: {', '.join(names)}")
        with _progress(out, quiet=as_json) as on_progress:
            verdicts, general = verify_store(store, chosen, executor, terms, on_progress=on_progress)
        if tournament is None:
            general += _missing(expected, names)
    if as_json:
        print_text(_json(verdicts, general, store.content))
    else:
        _show(verdicts, general)
        if store.content:
            print_line(f"content {store.content}")
    is_whole = all(verdict.bots is None or verdict.bots.is_whole for verdict in verdicts)
    if general or not is_whole or any(verdict.disagreements or verdict.differing for verdict in verdicts):
        raise typer.Exit(Exit.FAILED)
    if not interim and any(not verdict.is_sealed for verdict in verdicts):
        raise typer.Exit(Exit.UNSEALED)


def _executor(workers: int | None, address: str | None) -> Executor:
    if workers is None and address is None:
        from arena.play.executors.base import InlineExecutor

        return InlineExecutor()
    from arena.cli.run.run import make_executor

    return make_executor(ExecutorName.AUTO, workers, address)


def _recall(bots: Path | None, isolation: str | None, *, is_trusted: bool) -> Recall:
    from arena.bots import BEST, choose_level
    from arena.verification.bot_replay import Recall, read_bots

    return Recall(choose_level(isolation or BEST), {} if bots is None else read_bots(bots), is_trusted)


def _expected(given: list[str] | None) -> tuple[Expected, ...]:
    from arena.verification.seal_check import SEAL, Expected, read_seals_file
    from engine.text import plain

    digests: list[Expected] = []
    for each in given or []:
        match = _DIGEST.fullmatch(each.strip())
        if match is not None:
            digests.append(Expected(match[1] or SEAL, match[2]))
        elif _is_file(each):
            digests += read_seals_file(Path(each))
        else:
            raise UserError(
                f"--expect {plain(each[:80])}: write a digest as the run printed it (sha256:..., results=sha256:... or "
                "ratings=sha256:..., with 64 hex digits), or name a file of seals"
            )
    return tuple(digests)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _missing(expected: Sequence[Expected], names: Sequence[str]) -> list[Disagreement]:
    from arena.verification.matches import Findings

    findings = Findings("")
    for name in sorted({each.tournament for each in expected if each.tournament is not None} - set(names)):
        findings.add("tournament", None, f"seals of '{name}' in the file given with --expect")
    return findings.all


def _is_final(tournament: TournamentRecord) -> bool:
    """Return whether a tournament's newest seal says that it is complete, or can't be read."""
    from leaderboard.seal_format import LinkError, read_body

    try:
        return bool(tournament.links) and read_body(tournament.links[-1].body).is_final
    except LinkError:
        return True  # the verification reports it


def _chosen(store: Database, name: str | None) -> Sequence[TournamentRecord]:
    from leaderboard.storage.raw_queries import read_tournaments

    tournaments = store.fetch(read_tournaments)
    if not tournaments:
        raise UserError(f"there is no tournament in {store.name}, so there is nothing to verify")
    if name is None:
        return tournaments
    chosen = [each for each in tournaments if each.name == name]
    if not chosen:
        raise UserError(f"there is no tournament '{name}' in {store.name}, only {', '.join(str(each.name) for each in tournaments)}")
    return chosen


@contextmanager
def _progress(out: Console, *, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=None),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[wrong]}"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=out, expand=True, transient=True, disable=quiet or not out.is_terminal) as bar:
        tasks: dict[str, progress.TaskID] = {}

        def show(now: Progress) -> None:
            if now.tournament not in tasks:
                tasks[now.tournament] = bar.add_task(now.tournament, wrong="")
            wrong = f"{now.disagreements} disagree" if now.disagreements else ""
            bar.update(tasks[now.tournament], completed=now.checked, total=now.stored, wrong=wrong)

        yield show


def _show(verdicts: Sequence[Verdict], general: Sequence[Disagreement]) -> None:
    for each in general:
        print_line(str(each))
    for verdict in verdicts:
        for each in verdict.disagreements:
            print_line(str(each))
        for each in verdict.bots.reported if verdict.bots is not None else ():
            print_line(f"{each} (the bot is not deterministic, so this is not counted as a failure)")
    for verdict in verdicts:
        name = verdict.tournament
        wrong = len(verdict.disagreements)
        of = f" of {verdict.total}" if verdict.total else ""
        print_line(
            f"{name}: {verdict.stored}{of} matches, {verdict.decisions} decisions replayed: "
            + (f"{wrong} disagreement{'s' if wrong > 1 else ''}" if wrong else _agreement(verdict))
        )
        for version, matches in sorted(verdict.other_rules.items()):
            print_line(f"{name}: {matches} matches use rules version {version}, so they were not replayed")
        if verdict.other_package:
            print_line(f"{name}: {verdict.other_package}")
        if verdict.differing:
            print_line(f"{name}: {verdict.differing} matches can't be reproduced with that package; install the one that was used")
        _show_bots(verdict, name)
        _show_seals(verdict, name)
        if verdict.results:
            print_line(f"results {verdict.results}")
            print_line(f"ratings {verdict.ratings}")


def _agreement(verdict: Verdict) -> str:
    return f"matches that could not be verified: {verdict.differing}" if verdict.differing else "everything agrees"


def _show_bots(verdict: Verdict, name: str) -> None:
    if verdict.bots is None:
        return
    if not verdict.is_derived:
        print_line(f"{name}: its secret is not published yet, so the bots' seeds are not known, and no decision was repeated with a bot")
        return
    for sentence in verdict.bots.sentences(verdict.total or verdict.stored):
        print_line(f"{name}: {sentence}")


def _show_seals(verdict: Verdict, name: str) -> None:
    for each in verdict.confirmed:
        print_line(f"{name}: {each}")
    if not verdict.is_derived:
        print_line(f"{name}: its secret is not published yet, so ids, seeds and pairings could not be derived")
    if not verdict.is_sealed:
        after = f"{verdict.unsealed} matches came after the last seal" if verdict.unsealed else "no run has ended since the last change"
        print_line(f"{name}: not sealed: {after}, so ratings and standings can't be compared")
    elif not verdict.is_final:
        print_line(f"{name}: sealed so far, but not final: matches are still to be played")
    if verdict.conclusion:
        print_line(f"{name}: {verdict.conclusion}")
    if verdict.seal:
        print_line(f"seal {verdict.seal}")


def _json(verdicts: Sequence[Verdict], general: Sequence[Disagreement], content: str) -> str:
    data = {"database": [asdict(each) for each in general], "tournaments": list(map(_data, verdicts))}
    return json.dumps(data | ({"content": content} if content else {}), indent=2)


def _data(verdict: Verdict) -> dict[str, object]:
    data: dict[str, object] = asdict(verdict)
    if verdict.bots is None:
        del data["bots"]
    else:
        data["bots"] = asdict(verdict.bots) | {"sentences": list(verdict.bots.sentences(verdict.total or verdict.stored))}
    return data
