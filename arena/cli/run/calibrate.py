"""``arena calibrate``: measure how strong the reference bots are, at tables of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.errors import Exit, UserError, report_errors
from arena.cli.files import write_text
from arena.cli.options import (
    ExecutorName,
    ExecutorOption,
    GameOption,
    JsonOption,
    OptionsOption,
    WorkersOption,
    choose_game,
    make_executor,
    read_options,
)
from arena.cli.output import console, print_line, print_text
from arena.run.calibration import BLOCKS, SEARCH_BLOCKS, SEED, SIZES, CalibrationConfig

if TYPE_CHECKING:
    from arena.entries.roster import Roster
    from arena.run.calibration import Calibration
    from bots.loader.version import BotVersion
    from leaderboard.storage.store import Store

SHOWN_SIZES = ",".join(map(str, SIZES))


@report_errors
def calibrate(
    game: GameOption = None,
    tables: Annotated[str, typer.Option(metavar="N,N", help="Numbers of seats; sizes with too few bots are left out.")] = SHOWN_SIZES,
    bots: Annotated[str | None, typer.Option(metavar="NAME,NAME", help="Reference bots to measure; all by default.")] = None,
    blocks: Annotated[int, typer.Option(min=1, metavar="N", help="Blocks for each bot at 2 seats; fewer at more seats.")] = BLOCKS,
    search_blocks: Annotated[
        int, typer.Option(min=1, metavar="N", help="The same for the slow bots that search (flat, mcts).")
    ] = SEARCH_BLOCKS,
    nodes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Positions that a search may visit; default: as the bot is set.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed that all others are derived from.")] = SEED,
    option: OptionsOption = None,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE|URL", help="The database: a file, or the URL of a PostgreSQL database.")
    ] = "strength.db",
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.AUTO,
    anchors: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the bots' ratings to this file, as anchors.")] = None,
    as_json: JsonOption = False,  # an option
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,  # an option
) -> None:
    """Measure the strength of the reference bots against each other, at each table size.

    The matches are ordinary round-robins and are kept in --db; 'arena verify' checks them.

    Ctrl-C stops it; the same command continues where it stopped.

    It takes a minute or two on 4 cores, or about 20 minutes with the bots that search (flat, mcts).

    [dim]arena calibrate --game NAME --tables 2,3 --db strength.db[/dim]
    """
    import sys

    from arena.entries.bot_resolution import find_bots
    from arena.entries.roster import make_roster
    from arena.entries.stored_tournament import find_additions
    from arena.run.calibration import bots_at_tables, check_bots, gather, make_specs
    from leaderboard.storage.store import Store

    if as_json and as_markdown:
        raise UserError("give one of --json and --markdown, not both")
    game = choose_game(game)
    names = bots_at_tables(game) if bots is None else tuple(name.strip() for name in bots.split(","))
    check_bots(names, game)
    config = CalibrationConfig(game, names, read_options(option), _numbers(tables), blocks, search_blocks, nodes, seed)
    specs = make_specs(config)
    with redirect_stdout(sys.stderr) if as_json or as_markdown else nullcontext(), Store.create(db) as store:
        versions = {spec.name: find_bots(spec, Path(), store) for spec in specs}
        rosters = [make_roster(spec, versions[spec.name], store) for spec in specs]
        for roster in rosters:
            if roster.existing is not None:  # reports what has changed, before anything is played
                find_additions(roster.existing, roster.spec, roster.bots, store.name)
        has_void = _play(rosters, store, executor, workers)
        result = gather(store, config)
    _show(result, as_json=as_json, as_markdown=as_markdown)
    if anchors is not None and result.is_whole:
        _write_anchors(result, {name: version for each in versions.values() for name, version in each.items()}, anchors)
    if not result.is_whole:
        left = result.total - result.played
        print_line(f"Stopped with {left} of {result.total} matches left; run the same command again to continue.", err=True)
        raise typer.Exit(Exit.FAILED if has_void else Exit.INTERRUPTED)


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of seats. Raises UserError."""
    try:
        return tuple(dict.fromkeys(int(each) for each in text.split(",")))
    except ValueError:
        raise UserError(f"--tables {text}: write numbers of seats separated by commas, such as 2,4") from None


def _play(rosters: Sequence[Roster], store: Store, executor: ExecutorName, workers: int | None) -> bool:
    """Play the remaining matches, one tournament after the other, until stopped; return whether a match failed on the host."""
    from arena.cli.run.progress import Interrupts, play
    from arena.run.prepare import prepare
    from arena.run.runner import find_finished

    out, interrupts, has_void = console(), Interrupts(), False
    prepared = [prepare(roster, store) for roster in rosters]
    left = [each for each in prepared if find_finished(each) is None]
    if not left:
        return False
    player = make_executor(executor, workers, None)
    try:
        for each in left:
            summary = play(each, player, out, interrupts=interrupts)
            has_void = has_void or bool(summary.void)
            if interrupts.is_stopping():
                break
    finally:
        player.close()
    return has_void


def _show(result: Calibration, *, as_json: bool, as_markdown: bool) -> None:
    from rich.text import Text

    from arena.report.calibration_tables import calibration_heading, calibration_json, calibration_markdown, calibration_tables, notes
    from arena.report.terminal import terminal

    if as_json:
        print_text(calibration_json(result))
    elif as_markdown:
        print_text(calibration_markdown(result), end="")
    else:
        out = console()
        out.print(Text(calibration_heading(result)))
        for table in calibration_tables(result):
            out.print()
            out.print(terminal(table, out.width))
        out.print()
        for note in notes(result):
            out.print(Text(note, style="dim"))


def _write_anchors(result: Calibration, versions: Mapping[str, BotVersion], path: Path) -> None:
    """Write the ratings to a file of anchors, keeping those of other games and options."""
    from arena.run.calibration import measured
    from leaderboard.ratings.anchors import anchors_text, read_anchors, replaced

    new = measured(result, {name: version.digest for name, version in versions.items()})
    write_text(path, anchors_text(replaced(read_anchors(path), new)).decode())
    print_line(f"{path} has {len(new.bots)} anchors for {result.config.game} now", err=True)
