"""``arena serve``: the competition in the browser."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from arena.cli.support import DEFAULT_DB, DbOption, TrustOption, UserError, friendly, say


@friendly
def serve(
    db: DbOption = DEFAULT_DB,
    host: Annotated[str, typer.Option("--host", help="The address to listen on; 0.0.0.0 lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    allow_submissions: Annotated[bool, typer.Option("--allow-submissions", help="Take bots from whoever has a token.")] = False,
    allow_play: Annotated[bool, typer.Option("--allow-play", help="Let visitors play against bots.")] = False,
    trust_bots: TrustOption = False,
    title: Annotated[str, typer.Option("--title", help="What the pages are headed with.")] = "Tile Arena",
) -> None:
    """Serve leaderboards, matches and replays as web pages; read-only unless you allow more.

    [dim]arena serve --db quickstart.db[/dim]
    """
    import uvicorn

    from arena.web.app import make_app
    from arena.web.settings import WebSettings
    from leaderboard.database import find_database

    app = make_app(WebSettings(db, allow_submissions, allow_play, title, trust_bots=trust_bots))
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise UserError(f"{host}:{port} can't be listened on: {error}; give another --host or --port") from None
    # asyncio does it by itself only for sockets that it has made; without it each answer waits 40 ms for the one before
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    app.state.library.warm_up()
    with listener:
        shown = f"[{host}]" if ":" in host else host
        say(f"Serving {find_database(db).name} on http://{shown}:{listener.getsockname()[1]}/ (Ctrl-C stops it)")
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2)
        uvicorn.Server(config).run([listener])
