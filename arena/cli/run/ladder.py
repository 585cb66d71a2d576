"""``arena ladder``: control a ladder with orders, even while it runs (docs/hosting-a-ladder.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import DEFAULT_DB, DbOption, find_tournament
from arena.cli.output import print_line, report_errors

if TYPE_CHECKING:
    from arena.run.orders import GivenOrder, Reason
    from leaderboard.storage.store import Store, StoredTournament

ladder_app = typer.Typer(
    help="Control a ladder with sealed orders, even while it runs.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name in the ladder.", show_default=False)]
WhyOption = Annotated[str, typer.Option(metavar="TEXT", help="The reason, which is published.", show_default=False)]
ByOption = Annotated[str, typer.Option(metavar="NAME", help="Who gives the order; this name is published.")]
LadderOption = Annotated[
    str | None, typer.Option("--tournament", metavar="NAME", help="The ladder; default: the newest.", show_default=False)
]
FromOption = Annotated[
    int, typer.Option("--from-round", metavar="N", min=0, help="The order's first round; default: the next possible.", show_default=False)
]


@ladder_app.command("leave")
@report_errors
def leave(
    bot: BotArgument,
    why: WhyOption,
    by: ByOption = "the host",
    from_round: FromOption = 0,
    drop_results: Annotated[bool, typer.Option("--drop-results", help="Don't count the bot's matches, for it or its opponents.")] = False,
    db: DbOption = DEFAULT_DB,
    tournament: LadderOption = None,
) -> None:
    """Take a bot out. Its results stay stored and still count, unless you drop them.

    [dim]arena ladder leave sleepy --why "sleeps at every move" --db league.db[/dim]
    """
    from arena.run.orders import leave

    _give(db, tournament, why, by, from_round, lambda store, ladder, reason: leave(store, ladder, bot, reason, counts=not drop_results))


@ladder_app.command("pause")
@report_errors
def pause(why: WhyOption, by: ByOption = "the host", db: DbOption = DEFAULT_DB, tournament: LadderOption = None) -> None:
    """Stop the ladder from beginning rounds until 'arena ladder resume'.

    [dim]arena ladder pause --why "moving the machine" --db league.db[/dim]
    """
    from arena.run.orders import pause

    _give(db, tournament, why, by, 0, pause)


@ladder_app.command("resume")
@report_errors
def resume(why: WhyOption, by: ByOption = "the host", db: DbOption = DEFAULT_DB, tournament: LadderOption = None) -> None:
    """Resume a paused ladder.

    [dim]arena ladder resume --why "the machine is back" --db league.db[/dim]
    """
    from arena.run.orders import resume

    _give(db, tournament, why, by, 0, resume)


@ladder_app.command("end")
@report_errors
def end(
    why: WhyOption,
    by: ByOption = "the host",
    after_round: Annotated[
        int | None, typer.Option("--after-round", metavar="N", min=1, help="The last round; default: the latest round that has begun.")
    ] = None,
    db: DbOption = DEFAULT_DB,
    tournament: LadderOption = None,
) -> None:
    """End the ladder: its results are sealed as final, and its secret is published.

    [dim]arena ladder end --after-round 500 --why "the season is over" --db league.db[/dim]
    """
    from arena.run.orders import end

    _give(db, tournament, why, by, after_round + 1 if after_round else 0, end)


def _give(
    db: str,
    tournament: str | None,
    why: str,
    by: str,
    from_round: int,
    give: Callable[[Store, StoredTournament, Reason], GivenOrder],
) -> None:
    from time import sleep

    from arena.run.orders import Reason, await_round, describe, when

    with _ladder(db, tournament) as (store, ladder):
        given = give(store, ladder, Reason(why, by, from_round))
        order = given.order
        is_running = store.is_being_written()
        if is_running:
            order = await_round(store, ladder, order, sleep)
    if not given.is_new:
        print_line(f"Order {order.number} already does this, from {when(order)} on: {describe(order)}.")
        return
    print_line(f"Order {order.number}, from {when(order)} on: {describe(order)}.")
    if order.round > order.after > 0:
        print_line(f"The run had already prepared round {order.after + 1}.")
    if not is_running:
        print_line("No run is in progress; the next 'arena run' of the ladder's file applies it.")


@contextmanager
def _ladder(db: str, tournament: str | None) -> Iterator[tuple[Store, StoredTournament]]:
    from leaderboard.storage.store import Store

    with Store.join(db) as store:  # this also works during a run
        yield store, find_tournament(store, tournament or _newest_ladder(store))


def _newest_ladder(store: Store) -> str | None:
    from arena.run.ladder_entry import ladders

    return next(iter(ladders(store)), None)
