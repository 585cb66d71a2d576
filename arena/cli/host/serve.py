"""``arena serve`` and ``arena site``: show a competition in browsers, from a server or as static files."""

from __future__ import annotations

import gc
import signal
import socket
from contextlib import ExitStack
from ipaddress import ip_address, ip_network
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final, Self

import typer

from arena.cli.options import (
    DEFAULT_DB,
    DbOption,
    RuntimeOption,
    TitleOption,
    TrustOption,
    read_runtime,
)
from arena.cli.output import Exit, UserError, console, duration, print_error, print_line, report_errors

if TYPE_CHECKING:
    from arena.web.static_site import SiteProgress


@report_errors
def serve(
    db: DbOption = DEFAULT_DB,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on; 0.0.0.0 lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, metavar="N", help="The port; 0 picks a free one.")] = 8000,
    host_name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name under which visitors reach this server; may be repeated.")
    ] = None,
    prefix: Annotated[
        str,
        typer.Option(metavar="PATH", help="The path in front of all pages, such as /arena; proxies must keep it.", show_default=False),
    ] = "",
    proxy: Annotated[
        list[str] | None, typer.Option(metavar="ADDRESS", help="A proxy (or network) whose X-Forwarded-For is trusted; may be repeated.")
    ] = None,
    allow_submissions: Annotated[bool, typer.Option("--allow-submissions", help="Accept bots from anyone with a token.")] = False,
    allow_play: Annotated[bool, typer.Option("--allow-play", help="Let visitors play against bots and each other.")] = False,
    games: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A game, with its parameters, that visitors may play and submit bots for; may be repeated. "
            "Default: all but families, which stand for many games.",
        ),
    ] = None,
    no_chat: Annotated[bool, typer.Option("--no-chat", help="Don't let the people at a table chat.")] = False,
    no_analyses: Annotated[
        bool, typer.Option("--no-analyses", help="Don't let visitors request analyses of matches, which take this machine's time.")
    ] = False,
    visitors: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="People behind one IP address; its limits grow with N.")] = 4,
    runtime: RuntimeOption = None,
    trust_bots: TrustOption = False,
    title: TitleOption = "Tile Arena",
) -> None:
    """Serve leaderboards, matches, replays and tables as web pages.

    Pages are read-only by default.

    [dim]arena serve --db quickstart.db[/dim]
    """
    from arena.web.serving import make_server
    from arena.web.settings import WebSettings
    from leaderboard.storage.database import find_database
    from leaderboard.storage.store import Store

    _check(host, host_name or [], proxy or [], prefix)
    if no_chat and not allow_play:
        raise UserError("--no-chat is for the tables at which visitors play; give --allow-play as well")
    if games and not (allow_play or allow_submissions):
        raise UserError("--games lists the games for visitors and submissions; give --allow-play or --allow-submissions as well")
    settings = WebSettings(
        db,
        allow_submissions,
        allow_play,
        title,
        bound=host,
        host_names=tuple(host_name or ()),
        prefix=prefix.rstrip("/"),
        trust_bots=trust_bots,
        chat=not no_chat,
        games=tuple(games or ()),
        analyses=not no_analyses,
        visitors=visitors,
        runtime=read_runtime(runtime),
    )
    with ExitStack() as stack:
        if allow_submissions or allow_play:
            store = stack.enter_context(Store.join(db))
            stack.callback(store.lock_server())
        server = make_server(settings, proxy or ())
        listener = stack.enter_context(_listen(host, port))
        print_line(f"Serving {find_database(db).name} on {_address(listener)}{settings.prefix}/ (Ctrl-C stops it)")
        if not proxy and not ip_address(listener.getsockname()[0]).is_loopback:
            print_line("Put a proxy such as nginx in front of this server and name it with --proxy; otherwise, slow visitors block it")
        gc.freeze()  # otherwise each garbage collection during a request traverses all modules
        server.run([listener])


def _listen(host: str, port: int) -> socket.socket:
    from arena.web.serving import BACKLOG

    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise UserError(f"can't listen on {host}:{port}: {error}; give another --host or --port") from None
    # asyncio sets this only for sockets of its own; without it each response waits 40 ms for the previous one
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


_EVERYWHERE: Final = frozenset(["", "0.0.0.0", "::"])  # noqa: S104  # addresses that a host may give


def _check(host: str, names: list[str], proxies: list[str], prefix: str) -> None:
    """Raise UserError for a malformed name, address or prefix, or a missing name."""
    from arena.web.protection.limits import ANY_NAME, is_name
    from arena.web.settings import is_prefix

    if host in _EVERYWHERE and not names:
        raise UserError(f"--host {host}: also give the name or address that visitors use, such as --host-name 192.168.1.5")
    for name in names:
        if name != ANY_NAME and not is_name(name):
            raise UserError(f"--host-name {name}: write a name such as arena.example.org, without http:// or a port")
    for address in proxies:
        try:
            ip_network(address)
        except ValueError:
            raise UserError(f"--proxy {address}: write a numeric address or network, such as 127.0.0.1 or 10.0.0.0/8") from None
    if prefix.rstrip("/") and not is_prefix(prefix.rstrip("/")):
        raise UserError(f"--prefix {prefix}: write a path of letters, digits and .-_~ that begins with a slash, such as /arena")


@report_errors
def site(
    db: Annotated[str, typer.Argument(metavar="DB", help="The database: a file, or a URL.", show_default=False)],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder to write, or an older site to replace.", show_default=False)],
    tournament: Annotated[
        str | None, typer.Option("--tournament", metavar="NAME", help="Only this tournament and its bots; default: the whole database.")
    ] = None,
    replays: Annotated[
        bool, typer.Option("--replays/--no-replays", help="Include replays and boards, or only results (far smaller and faster).")
    ] = True,
    workers: Annotated[int | None, typer.Option("--workers", min=1, metavar="N", help="Processes; default: one per core.")] = None,
    title: TitleOption = "Tile Arena",
) -> None:
    """Write all pages and replays as static files.

    Any web server can serve them. The folder does not change until the site is complete; Ctrl-C leaves it unchanged.

    [dim]arena site quickstart.db public/[/dim]
    """
    from rich.filesize import decimal

    from arena.cli.run.run import handling
    from arena.web.static_site import write_site

    try:
        with handling(signal.default_int_handler), _SiteBar() as bar:  # SIGTERM as well
            done = write_site(db, out, title=title, has_replays=replays, tournament=tournament, processes=workers, on_progress=bar.show)
    except KeyboardInterrupt:
        print_error(f"interrupted; no site was written, and {out} is unchanged")
        raise typer.Exit(Exit.INTERRUPTED) from None
    print_line(f"Wrote {done.files:,} files, {decimal(done.size)}; start at {out / 'index.html'}")


_LEAST_SHARE: Final = 0.02
"""The share of a site that must be written before the remaining time is estimated."""


_LINE_SECONDS: Final = 10.0
"""How often the progress is printed if there is no terminal, in seconds."""


class _SiteBar:
    """Shows the progress of writing a site and, on a terminal, the remaining time. Use it in a ``with`` statement."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        screen = console(err=True)
        columns = TextColumn("files"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[more]}")
        self._bar = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
        self._task = self._bar.add_task("", total=None, more="")
        self._began = self._told = monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def show(self, progress: SiteProgress) -> None:
        """Show the progress. The estimate uses all files so far, since Rich's own restarts whenever the total is corrected."""
        from rich.filesize import decimal

        if self._bar.disable and monotonic() - self._told >= _LINE_SECONDS:
            self._told = monotonic()
            print_line(f"{progress.files:,} of about {progress.expected:,} files", err=True)
        share = progress.files / progress.expected
        left = f", {duration((monotonic() - self._began) * (1 / share - 1))} left" if share > _LEAST_SHARE else ""
        more = f"{decimal(progress.size)}{left}"
        self._bar.update(self._task, completed=progress.files, total=progress.expected, more=more)
