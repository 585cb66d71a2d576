"""``arena replay``: show a match, draw it, and verify replays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import check_outputs, find_replay, is_file, read_replay_file, write_text
from arena.cli.options import DEFAULT_DB, DbOption, RuntimeOption
from arena.cli.output import Exit, UserError, console, print_error, print_line, print_text, report_errors

if TYPE_CHECKING:
    from engine.records import Replay


@report_errors
def replay(
    what: Annotated[
        list[str],
        typer.Argument(metavar="FILE_OR_MATCH | verify FILE...", help="A replay file, or the id of a stored match.", show_default=False),
    ],
    db: DbOption = DEFAULT_DB,
    at: Annotated[
        int | None, typer.Option(min=0, metavar="K", help="Show the position after K decisions (0: the start); default: the end.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="OUT", help="Draw position K as a picture.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="OUT", help="Write the match as a web page; - is standard output.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the replay of a stored match to this file.")] = None,
    ask: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Ask this bot what it would play in position K; 'all' asks each reference bot."),
    ] = None,
    bot_seed: Annotated[int | None, typer.Option(min=0, metavar="S", help="For --ask: the bot's own seed.")] = None,
    clock: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="For --ask: a limit, such as move=0.5.")] = None,
    runtime: RuntimeOption = None,
    isolation: Annotated[str | None, typer.Option(metavar="LEVEL", help="For --ask: as in 'arena match'.")] = None,
    trust_bots: Annotated[bool, typer.Option("--trust-bots", help="For --ask: as in 'arena match'.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For --ask: print JSON, for scripts.")] = False,
) -> None:
    """Walk through a match, draw a position, or verify replays.

    In a terminal: the keys are left and right (step), [ and ] (one turn), g and G (start and end), a (autoplay), and q (quit).
    --html writes a single file that needs neither server nor network; add #d=40 to its address to open it at decision 40.
    `arena replay verify FILE...` plays replays again and prints the first disagreement in each.
    Its exit code is 1 if there is a disagreement, or 2 if a file can't be read.

    [dim]arena replay match.json[/dim]
    [dim]arena replay match.json --html match.html[/dim]
    [dim]arena replay MATCH --db quickstart.db --at 40 --svg board.svg[/dim]
    [dim]arena replay match.json --ask my_bot.py --at 40[/dim]
    [dim]arena replay match.json --ask all --at 40[/dim]
    [dim]arena replay verify *.json[/dim]
    """
    from engine.core import EngineError
    from engine.replay.verifier import DisagreementError

    if what[0] == "verify":
        _verify([Path(each) for each in what[1:]])
        return
    if len(what) > 1:
        raise UserError("give one replay file or one match; 'arena replay verify FILE...' takes several files")
    check_outputs(what[0], {"--save": save, "--svg": svg, "--html": html})
    recorded = find_replay(what[0], db)
    if ask is not None:
        if any(each is not None for each in (save, svg, html)):
            raise UserError(f"--ask {ask} only prints its answer; leave out --save, --svg and --html")
        from arena.cli.play.ask import AskOptions
        from arena.cli.play.ask import ask as ask_again

        options = AskOptions(ask, bot_seed, clock, runtime, isolation, trust_bots, as_json)
        try:
            ask_again(recorded, None if is_file(what[0]) else what[0], db, at, options)
        except DisagreementError as error:
            raise UserError(f"{what[0]} can't be played: {error}") from None
        return
    if as_json:
        raise UserError("--json is for --ask; a replay file is already JSON, and --save writes one")
    if at is not None and at > len(recorded.decisions):
        raise UserError(f"--at {at} is after the end of the match; give 0 to {len(recorded.decisions)}")
    if save is not None:
        from engine.replay.format import write_replay

        write_text(save, write_replay(recorded) + "\n")
        print_line(f"Wrote {save}.")
    try:
        if svg is not None:
            _draw(recorded, at, svg)
        if html is not None:
            _write_page(recorded, html, at, what[0])
        if save is None and svg is None and html is None:
            from arena.tui.replay_viewer import show

            show(recorded, console(), at=at)
    except EngineError as error:
        raise UserError(f"{what[0]} can't be replayed up to that position: {error}") from None


def _draw(recorded: Replay, at: int | None, out: Path) -> None:
    from engine.render.drawing import svg
    from engine.replay.verifier import game_of, shown_names, state_at

    index = len(recorded.decisions) if at is None else at
    last = game_of(recorded).parse(recorded.decisions[index - 1].move) if index else None
    before = state_at(recorded, index - 1) if index else None
    write_text(out, svg(state_at(recorded, index), last=last, before=before, names=shown_names(recorded)))
    print_line(f"Wrote {out}, the position after {index} of {len(recorded.decisions)} decisions.")


def _write_page(recorded: Replay, out: Path, at: int | None, what: str) -> None:
    from arena.web.rendering.replay_files import page
    from engine.replay.verifier import timeline_of

    text = page(timeline_of(recorded))
    if str(out) == "-":
        print_text(text, end="")
        return
    write_text(out, text)
    print_line(f"Wrote {out}, {len(recorded.decisions)} decisions in {len(text.encode()) / 1000:.0f} kB; open it in a browser.")
    if at is not None:
        print_line(f"That position is at {out.resolve().as_uri()}#d={at}")


def _verify(paths: list[Path]) -> None:
    from engine.registry import NoGameError
    from engine.replay.verifier import DisagreementError, verify_replay

    if not paths:
        raise UserError("'arena replay verify' needs at least one file")
    failed = unread = False
    for path in paths:
        try:
            recorded = read_replay_file(path)
            verify_replay(recorded)
        except UserError as error:
            unread = True
            print_error(str(error))
        except NoGameError as error:
            unread = True
            print_error(f"{path}: {error}")
        except DisagreementError as error:
            failed = True
            print_error(f"{path}: {error}")
        else:
            print_line(f"{path}: ok, {len(recorded.decisions)} decisions of {recorded.game} with {recorded.players} players")
    if unread:
        raise typer.Exit(Exit.WRONG_INPUT)
    if failed:
        raise typer.Exit(Exit.FAILED)
