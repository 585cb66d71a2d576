"""``arena ladder``: how strong the reference bots are, at tables of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.calibration.config import BLOCKS, SEARCH_BLOCKS, SEED, SIZES, CalibrationConfig
from arena.cli.support import (
    DbOption,
    ExecutorName,
    ExecutorOption,
    Exit,
    GameOption,
    JsonOption,
    OptionsOption,
    UserError,
    WorkersOption,
    console,
    friendly,
    make_executor,
    read_options,
    say,
    say_lines,
    write_text,
)

if TYPE_CHECKING:
    from arena.calibration.measure import Calibration
    from arena.entries.roster import Roster
    from bots.loader.loading import BotVersion
    from leaderboard.storage.store import Store

SHOWN_SIZES = ",".join(map(str, SIZES))


@friendly
def ladder(
    game: GameOption = "tongiaki",
    tables: Annotated[str, typer.Option("--tables", metavar="N,N", help="Numbers of seats, as far as they can be filled.")] = SHOWN_SIZES,
    bots: Annotated[str | None, typer.Option("--bots", metavar="NAME,NAME", help="Reference bots; all by default.")] = None,
    blocks: Annotated[int, typer.Option("--blocks", min=1, metavar="N", help="Blocks of each bot at 2 seats; fewer at more.")] = BLOCKS,
    search_blocks: Annotated[
        int, typer.Option("--search-blocks", min=1, metavar="N", help="The same with bots that search (flat, mcts), which are slow.")
    ] = SEARCH_BLOCKS,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, metavar="N", help="Positions that a search may look at; default: each its own number.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="S", help="All seeds follow from it.")] = SEED,
    option: OptionsOption = None,
    db: DbOption = "strength.db",
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.RAY,
    anchors: Annotated[
        Path | None, typer.Option("--anchors", metavar="FILE", help="Also write the bots' TrueSkill as anchors into this file.")
    ] = None,
    as_json: JsonOption = False,  # an option
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,  # an option
) -> None:
    """Measure the ladder of strength: reference bots against each other, by number of seats.

    It plays ordinary round-robins (not the format "ladder" of tournaments), kept in --db.

    Ctrl-C, and the same command goes on; 'arena verify' checks what was played.

    A minute or two on 4 cores; with bots that search (flat, mcts) about 20 minutes.

    [dim]arena ladder --game sunda --tables 2,3 --db strength.db[/dim]
    """
    import sys

    from arena.calibration.measure import bots_at_tables, check_bots, gather, make_specs
    from arena.entries.bot_resolution import find_bots
    from arena.entries.roster import make_roster
    from arena.tournament.resume import find_additions
    from leaderboard.storage.store import Store

    if as_json and as_markdown:
        raise UserError("give one of --json and --markdown, not both")
    names = bots_at_tables() if bots is None else tuple(name.strip() for name in bots.split(","))
    check_bots(names)
    config = CalibrationConfig(game, names, read_options(option), _numbers(tables), blocks, search_blocks, nodes, seed)
    specs = make_specs(config)
    with redirect_stdout(sys.stderr) if as_json or as_markdown else nullcontext(), Store.create(db) as store:
        versions = {spec.name: find_bots(spec, Path(), store) for spec in specs}
        rosters = [make_roster(spec, versions[spec.name], store) for spec in specs]
        for roster in rosters:
            if roster.begun is not None:  # what has changed is told before anything is played
                find_additions(roster.begun, roster.spec, roster.bots, store.name)
        has_void = _play(rosters, store, executor, workers)
        found = gather(store, config)
    _show(found, as_json=as_json, as_markdown=as_markdown)
    if anchors is not None and found.is_whole:
        _write_anchors(found, {name: version for each in versions.values() for name, version in each.items()}, anchors)
    if not found.is_whole:
        say(f"Stopped with {found.total - found.played} of {found.total} matches left; the same command goes on.", err=True)
        raise typer.Exit(Exit.FAILED if has_void else Exit.INTERRUPTED)


def _numbers(text: str) -> tuple[int, ...]:
    """Numbers of seats. Raises UserError."""
    try:
        found = tuple(dict.fromkeys(int(each) for each in text.split(",")))
    except ValueError:
        raise UserError(f"--tables {text}: write numbers of seats with commas, such as 2,4") from None
    return found


def _play(rosters: Sequence[Roster], store: Store, executor: ExecutorName, workers: int | None) -> bool:
    """Play what is left, one tournament after the other, until somebody stops it; return whether the machine failed a match."""
    from arena.cli.run_session import Interrupts, play
    from arena.tournament.prepare import prepare
    from arena.tournament.runner import find_finished

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


def _show(found: Calibration, *, as_json: bool, as_markdown: bool) -> None:
    from arena.calibration.report import calibration_json, calibration_markdown, calibration_view

    if as_json:
        say_lines(calibration_json(found))
    elif as_markdown:
        say_lines(calibration_markdown(found), end="")
    else:
        console().print(calibration_view(found))


def _write_anchors(found: Calibration, versions: Mapping[str, BotVersion], path: Path) -> None:
    """Put the ratings into a file of anchors; what it has of other games and options stays."""
    from arena.calibration.measure import measured
    from leaderboard.ratings.anchors import anchors_text, read_anchors, replaced

    new = measured(found, {name: version.digest for name, version in versions.items()})
    write_text(path, anchors_text(replaced(read_anchors(path), new)).decode())
    say(f"{path} has {len(new.bots)} anchors for {found.config.game} now", err=True)
