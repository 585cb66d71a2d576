"""``arena verify``: plays everything again that a database or a bundle has, and lists what does not agree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.support import ExecutorName, Exit, JsonOption, UserError, console, friendly, make_executor, say, say_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from arena.executor import Executor
    from arena.recheck import Disagreement
    from arena.sources import Source
    from arena.verify import Progress, Verdict
    from leaderboard.evidence import TournamentEvidence

_DIGEST = re.compile(r"(results|ratings)=(sha256:[0-9a-f]{64})")


@friendly
def verify(
    what: Annotated[str, typer.Argument(metavar="FILE|URL|BUNDLE", help="A database, or a bundle that was exported.", show_default=False)],
    tournament: Annotated[str | None, typer.Option("--tournament", metavar="NAME", help="Only this one; default: all.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, metavar="N", help="Ray workers; default: this process.")] = None,
    address: Annotated[str | None, typer.Option("--address", metavar="HOST:PORT", help="Join this Ray cluster.")] = None,
    expect: Annotated[
        list[str] | None, typer.Option("--expect", metavar="KIND=DIGEST", help="What a run printed: results=sha256:... or ratings=...")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0.0, metavar="X", help="How far ratings may be off, on a machine that rounds otherwise.")
    ] = 0.0,
    as_json: JsonOption = False,  # an option
) -> None:
    """Play every stored match again, fold every rating again, and list every disagreement.

    Scores, ranks, endings, forfeits, schedule, seeds, versions, ratings and both digests are compared with what follows from the rest.
    Exit code 0 if all agrees, 1 if something does not, 2 if the file can't be read.

    [dim]arena verify league.db --workers 4[/dim]
    [dim]arena verify cup.zip --expect results=sha256:...[/dim]
    """
    from arena.verify import verify_source

    expected = _expected(expect)
    out = console()
    with _source(what) as source, _executor(workers, address) as executor:
        chosen = _chosen(source, tournament)
        if expected and len(chosen) != 1:
            raise UserError(f"--expect is for one tournament; say which with --tournament: {', '.join(str(each.name) for each in chosen)}")
        with _progress(out, quiet=as_json) as on_progress:
            verdicts, general = verify_source(source, chosen, executor, expected=expected, tolerance=tolerance, on_progress=on_progress)
    if as_json:
        say_lines(_json(verdicts, general))
    else:
        _tell(verdicts, general)
    if general or any(verdict.disagreements for verdict in verdicts):
        raise typer.Exit(Exit.FAILED)


def _expected(given: list[str] | None) -> dict[str, str]:
    found = {}
    for each in given or []:
        match = _DIGEST.fullmatch(each)
        if match is None:
            raise UserError(
                f"--expect {each[:80]}: write it as the run printed it, results=sha256:... or ratings=sha256:... with 64 hex digits"
            )
        found[match[1]] = match[2]
    return found


@contextmanager
def _source(place: str) -> Iterator[Source]:
    """The database or bundle there."""
    from arena.bundle import is_bundle, open_bundle
    from arena.sources import StoreSource
    from leaderboard.store import Store

    with ExitStack() as stack:
        if "://" not in place and is_bundle(Path(place)):
            yield stack.enter_context(open_bundle(Path(place)))
        else:
            yield StoreSource(stack.enter_context(Store.read(place)))


@contextmanager
def _executor(workers: int | None, address: str | None) -> Iterator[Executor]:
    executor = make_executor(ExecutorName.INLINE if workers is None and address is None else ExecutorName.RAY, workers, address)
    try:
        yield executor
    finally:
        executor.close()


def _chosen(source: Source, name: str | None) -> Sequence[TournamentEvidence]:
    found = source.tournaments()
    if not found:
        raise UserError(f"there is no tournament in {source.where}, so there is nothing to verify")
    if name is None:
        return found
    chosen = [each for each in found if each.name == name]
    if not chosen:
        raise UserError(f"there is no tournament '{name}' in {source.where}; there is {', '.join(str(each.name) for each in found)}")
    return chosen


@contextmanager
def _progress(out: Console, *, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar for each tournament, in a terminal; elsewhere nothing until the end."""
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


def _tell(verdicts: Sequence[Verdict], general: Sequence[Disagreement]) -> None:
    for each in general:
        say(str(each))
    for verdict in verdicts:
        for each in verdict.disagreements:
            say(str(each))
    for verdict in verdicts:
        name = verdict.tournament
        wrong = len(verdict.disagreements)
        of = f" of {verdict.total}" if verdict.total else ""
        say(
            f"{name}: {verdict.stored}{of} matches, {verdict.decisions} decisions played again: "
            + (f"{wrong} disagreement{'s' if wrong > 1 else ''}" if wrong else "all agrees")
        )
        for version, matches in sorted(verdict.other_rules.items()):
            say(f"{name}: {matches} matches are of other rules (version {version}), so they were not played again")
        if not verdict.is_sealed:
            say(f"{name}: the last run did not end, so there are no digests, ratings and standings to compare")
        if verdict.results:
            say(f"results {verdict.results}")
            say(f"ratings {verdict.ratings}")


def _json(verdicts: Sequence[Verdict], general: Sequence[Disagreement]) -> str:
    return json.dumps({"database": [asdict(each) for each in general], "tournaments": [asdict(verdict) for verdict in verdicts]}, indent=2)
