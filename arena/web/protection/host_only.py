"""Pages for the host alone: they answer on the address that the host has set aside for them, and are not there on any other."""

from __future__ import annotations

from fastapi import Request
from starlette.exceptions import HTTPException


def for_the_host(request: Request) -> None:
    """Refuse requests that did not come to the ``monitor`` port of the settings. Raises HTTPException (404).

    What counts is the socket that a request came to, which no header of a visitor or a proxy can change.
    """
    monitor: tuple[str, int] | None = request.app.state.settings.monitor
    server: tuple[str, int | None] | None = request.scope.get("server")
    if monitor is None or server is None or server[1] != monitor[1]:
        raise HTTPException(404)  # as for any address where nothing is
