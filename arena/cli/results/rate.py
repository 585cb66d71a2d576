"""``arena rate``: measures the strength of a bot with a gauntlet against the reference bots."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.analysis.rating import MATCHES
from arena.cli.options import (
    GameOption,
    IsolationOption,
    JsonOption,
    OptionsOption,
    RuntimeOption,
    TrustOption,
    read_game,
    read_runtime,
)
from arena.cli.output import Exit, console, print_error, print_json, print_line, report_errors
from arena.cli.run.run import executor_at

if TYPE_CHECKING:
    from arena.analysis.rating import Rating
    from arena.report.table import Table
    from bots.loader.version import BotVersion


@report_errors
def rate(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot, given as for 'arena match'.", show_default=False)],
    tables: Annotated[int, typer.Option(min=2, metavar="N", help="The number of seats.")] = 2,
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="The approximate number of matches to play.")] = MATCHES,
    game: GameOption = None,
    option: OptionsOption = None,
    runtime: RuntimeOption = None,
    db: Annotated[str | None, typer.Option(metavar="FILE|URL", help="For submitted bots, such as walker@2: their database.")] = None,
    isolation: IsolationOption = None,
    trust_bots: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Rate a bot with a gauntlet against the reference bots.

    It prints Elo with intervals; 'random' has Elo 1000. All seeds derive from the bot's content, so the figures are the same each time.

    [dim]arena rate my_bot.py --game NAME[/dim]
    [dim]arena rate my_bot.py --game NAME --tables 4 --json[/dim]
    """
    from arena.analysis import rating
    from arena.bots import BEST, choose_level
    from arena.cli.output import terminal
    from arena.cli.results.analyse import progress
    from arena.cli.results.compare import interrupt, prepare_bots
    from arena.cli.run.run import handling

    rules, surroundings = read_game(game, option), read_runtime(runtime)
    rules.check_start(tables, 0)
    level = choose_level(isolation or BEST)
    names = rating.rival_names(rules, tables)
    known = prepare_bots([*names], rules, surroundings, level, trust_bots=True)
    (version,) = prepare_bots([bot], rules, surroundings, level, db=db, trust_bots=trust_bots)
    rivals = {each.name: each for each in known if each.digest != version.digest}
    played = 0

    def show(done: int, total: int | None) -> None:
        nonlocal played
        played = done
        if total is not None:
            report(done, total)

    with closing(executor_at(level)) as player:
        print_line(f"{version.name}: about {matches} matches of {rules.name} on {player.description}, isolation {level}", err=True)
        try:
            with progress("matches") as report, handling(interrupt):
                found = rating.rate(
                    version, rivals, rules, tables, player, matches=matches, level=level, runtime=surroundings, on_progress=show
                )
        except KeyboardInterrupt:
            print_error(f"interrupted after {played} matches, which are not kept")
            raise typer.Exit(Exit.INTERRUPTED) from None
    if as_json:
        print_json(_data(found, version))
        return
    out = console()
    out.print(terminal(_table(found, version), out.width))


def _table(rating: Rating, version: BotVersion) -> Table:
    from arena.report.table import Table, number_text, range_text, rank_text

    rows = [
        (
            str(each.rank),
            rank_text(each.best_rank, each.worst_rank),
            each.bot,
            number_text(each.elo, 0),
            range_text(each.low, each.high),
            str(rating.forfeits[each.bot]),
        )
        for each in rating.standings
    ]
    title = f"{version.label}: {rating.game.name}, {rating.players} players, {rating.matches} matches"
    return Table("elo", title, ("#", "rank 95%", "bot", "Elo", "95%", "forfeits"), rows)


def _data(rating: Rating, version: BotVersion) -> dict[str, object]:
    from leaderboard.statistics.intervals import CONFIDENCE

    own = rating.own
    return {
        "bot": version.name,
        "version": version.digest,
        "game": rating.game.name,
        "options": dict(rating.game.options),
        "players": rating.players,
        "matches": rating.matches,
        "elo": own.elo,
        "interval": [own.low, own.high],
        "confidence": CONFIDENCE,
        "rank": own.rank,
        "forfeits": rating.forfeits[own.bot],
        "standings": [asdict(each) for each in rating.standings],
    }
