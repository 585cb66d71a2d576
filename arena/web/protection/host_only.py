"""Pages for the host alone: on the address that the host has set aside for them, and some on any other for hosts who have signed in."""

from __future__ import annotations

from fastapi import Request
from starlette.exceptions import HTTPException

from arena.web.protection.sessions import is_host


def for_the_monitor(request: Request) -> None:
    """Refuse requests that did not come to the ``monitor`` port of the settings. Raises HTTPException (404).

    What counts is the socket that a request came to, which no header of a visitor or a proxy can change.
    """
    monitor: tuple[str, int] | None = request.app.state.settings.monitor
    server: tuple[str, int | None] | None = request.scope.get("server")
    if monitor is None or server is None or server[1] != monitor[1]:
        raise HTTPException(404)  # as for any address where nothing is


def for_the_host(request: Request) -> None:
    """Do the same, except for a host who has signed in."""
    if not is_host(request):
        for_the_monitor(request)
