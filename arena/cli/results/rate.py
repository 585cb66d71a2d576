"""``arena rate``: how strong a bot is, on the scale of the reference bots."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.analysis.rating import MATCHES, RatingError
from arena.cli.errors import Exit, report_errors
from arena.cli.files import write_file
from arena.cli.options import (
    AddressOption,
    ClockOption,
    ExecutorName,
    ExecutorOption,
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RequireOption,
    RuntimeOption,
    TrustOption,
    WorkersOption,
    complete_bot,
    make_executor,
    read_clock,
    read_game,
    read_runtime,
)
from arena.cli.output import console, print_error, print_json, print_line, print_warning

if TYPE_CHECKING:
    from arena.analysis.rating import Rating, RatingPlan
    from arena.play.executors.base import Executor, Job


@report_errors
def rate(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The bot, given as for 'arena match'.", show_default=False, autocompletion=complete_bot)
    ],
    tables: Annotated[int, typer.Option(min=2, metavar="N", help="The number of seats.")] = 2,
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="About how many matches to play.")] = MATCHES,
    badge: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Also write the strength as a badge.")] = None,
    game: GameOption = None,
    option: OptionsOption = None,
    clock: ClockOption = None,
    runtime: RuntimeOption = None,
    db: Annotated[str | None, typer.Option(metavar="FILE|URL", help="A database with submitted bots, such as walker@2.")] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = ExecutorName.AUTO,
    address: AddressOption = None,
    isolation: IsolationOption = None,
    require_isolation: RequireOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,  # an option
) -> None:
    """Rate a bot on the scale of the reference bots, with an interval and a badge.

    The same bot has the same strength each time, since all seeds follow from its content. Ratings are cached.

    [dim]arena rate my_bot.py --game NAME[/dim]
    [dim]arena rate my_bot.py --game NAME --tables 4 --json --badge strength.svg[/dim]
    """
    from arena.analysis.rating import find_rating_anchors, make_rating_plan, rating_bytes, read_rating
    from arena.cli.results.compare import prepare_bots
    from arena.play.executors.base import Job
    from arena.play.isolation import BEST, choose_level
    from arena.report.rating_report import badge as badge_of
    from arena.report.rating_report import rating_data, rating_lines, rating_table
    from arena.report.terminal import terminal
    from arena.result_cache import key_of, open_cache
    from arena.version import __version__

    rules, limits, surroundings = read_game(game, option), read_clock(clock), read_runtime(runtime)
    find_rating_anchors(rules, tables)  # before any bot is started
    level = choose_level(isolation or BEST, require_isolation)
    (version,) = prepare_bots([bot], rules, surroundings, level, db=db, trust_bots=trust_bots, clock=limits)
    anchors = find_rating_anchors(rules, tables, version.digest)
    known = prepare_bots([*anchors.bots], rules, surroundings, level, trust_bots=True, clock=limits)
    for each, measured in zip(known, anchors.versions, strict=True):
        if each.digest != measured:
            raise RatingError(f"{each.name} is not the version that was measured; 'make ladder' measures the reference bots again")
    plan = make_rating_plan(rules, version.name, version.digest, anchors, matches)
    cache = open_cache()
    key = key_of("rate", __version__, version.digest, rules.name, dict(rules.options), rules.rules_version, tables, plan.blocks,
                 anchors.versions, anchors.strengths, repr(limits), repr(surroundings))  # fmt: skip
    with nullcontext() if badge is None else write_file(badge) as file:  # if it can't be written, nothing is played
        kept = cache.get(key)
        if kept is not None:
            rating = read_rating(kept, plan)
        else:
            job = Job(rules.name, rules.options, dict(zip(plan.names, [version, *known], strict=True)), limits, level, surroundings)
            rating = _play(plan, job, make_executor(executor, workers, address))
            cache.put(key, rating_bytes(rating))
        if file is not None:
            file.write(badge_of(rating).encode())
    if cache.trouble:
        print_warning(cache.trouble)
    if as_json:
        print_json(rating_data(rating, version))
        return
    for line in rating_lines(rating, version):
        print_line(line)
    out = console()
    out.print()
    out.print(terminal(rating_table(rating), out.width))


def _play(plan: RatingPlan, job: Job, player: Executor) -> Rating:
    """Play the plan, with a line or a bar on standard error. Ctrl-C ends the command."""
    from arena.analysis.rating import RatingRun
    from arena.cli.results.analyse import progress
    from arena.cli.results.compare import interrupt
    from arena.cli.run.progress import handling

    total, run = plan.blocks * plan.players, RatingRun(plan)
    print_line(f"{plan.names[0]}: {total} matches of {plan.game.name} on {player.description}, isolation {job.level}", err=True)
    try:
        with progress("matches") as report, handling(interrupt):
            return run.play(job, player, lambda played: report(played, total) if report else None)
    except KeyboardInterrupt:
        print_error(f"interrupted after {run.played} of {total} matches, which are not kept")
        raise typer.Exit(Exit.INTERRUPTED) from None
    finally:
        player.close()
