"""``arena analyse``: explains why a match was won, decision by decision."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import check_outputs, find_replay, replay_command, write_text
from arena.cli.options import DEFAULT_DB, DbOption, JsonOption
from arena.cli.output import UserError, console, print_line, print_text, print_warning, report_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.analysis.match_analysis import MatchAnalysis
    from engine.records import Replay


@report_errors
def analyse(
    what: Annotated[str, typer.Argument(metavar="REPLAY|MATCH", help="A replay file, or the id of a stored match.", show_default=False)],
    db: DbOption = DEFAULT_DB,
    seat: Annotated[int | None, typer.Option(min=0, metavar="S", help="Show details of this seat only; the first is 0.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.0, metavar="T", help="Stop after this time with the results so far.")] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Add chances by turn, what each seat gave away, and the worst decisions.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Like --details, but with every decision and the chances after it.")] = False,
    as_json: JsonOption = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the match with its analysis as a web page; - is standard output.")
    ] = None,
) -> None:
    """Explain why a match was won: key moments, luck and decisions.

    Analyses are kept in your cache folder, so a second look takes no time. docs/analysis.md explains the figures.

    [dim]arena analyse match.json[/dim]
    [dim]arena analyse match.json --seat 0[/dim]
    [dim]arena analyse MATCH --db quickstart.db --html why.html[/dim]
    """
    check_outputs(what, {"--html": html})
    if as_json and str(html) == "-":
        raise UserError("--json already writes to standard output; give --html the name of a file")
    replay = find_replay(what, db)
    if seat is not None and seat >= replay.players:
        raise UserError(f"--seat {seat}: the seats of this match are 0 to {replay.players - 1}")
    analysis = _analysis(replay, what, stop_after(seconds))
    if html is not None:
        from arena.web.rendering.replay_files import analysis_page

        page = analysis_page(replay, analysis)
        if str(html) == "-":
            print_text(page, end="")
        else:
            write_text(html, page)
            print_line(f"Wrote {html}; open it in a browser.", err=as_json)
    if as_json:
        from arena.analysis.match_analysis import write_analysis

        print_text(write_analysis(analysis).decode())
    elif html is None:
        from shlex import join

        from arena.cli.results.analyse_view import show

        is_long = details or every or seat is not None
        show(analysis, console(), replay=join(replay_command(what, db)), seat=seat, details=is_long, every=every)


def stop_after(seconds: float | None) -> Callable[[], bool]:
    """Return a function that returns whether ``seconds`` have passed since this call (always False for None)."""
    if seconds is None:
        return lambda: False
    until = monotonic() + seconds
    return lambda: monotonic() >= until


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows progress as "3 of 40" followed by ``what``: live on a terminal, otherwise as a line now and then."""
    err = console(err=True)
    if err.is_terminal:
        with err.status(what) as status:
            yield lambda done, total: status.update(f"{done} of {total} {what}")
        return
    from arena.cli.run.run import LINE_SECONDS

    last = monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last >= LINE_SECONDS:
            last = monotonic()
            print_line(f"{done} of {total} {what}", err=True)

    yield report


def _analysis(replay: Replay, what: str, is_over: Callable[[], bool]) -> MatchAnalysis:
    from arena.analysis.analyser import Settings, analysis_of
    from arena.result_cache import open_cache
    from engine.replay.verifier import DisagreementError

    cache = open_cache()
    try:
        with progress("decisions") as report:
            analysis = analysis_of(replay, Settings(is_over, report), cache)
    except DisagreementError as error:
        raise UserError(f"{what} can't be analysed: {error}") from None
    if cache.trouble:
        print_warning(cache.trouble)
    if not analysis.is_whole:
        print_warning("time ran out before everything was analysed; these are the results so far")
    return analysis
