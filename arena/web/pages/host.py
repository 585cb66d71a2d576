"""The host's page (alarms, rate of play, workers, faults, queue of uploads, disk, seals), and whether the server works (``/healthz``)."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from arena.report.host_report import ago, host_lines, seal_text
from arena.run.host_status import find_alarms
from arena.season.driver import find_alarms as find_season_alarms
from arena.web.data.queries import queries_of
from arena.web.rendering.templates import render
from leaderboard.errors import StoreError

router = APIRouter(include_in_schema=False)
_NEVER_KEPT = {"cache-control": "no-store"}


def _for_the_monitor(request: Request) -> None:
    """Refuse requests that did not come to the ``monitor`` port of the settings. Raises HTTPException (404).

    The port is that of the socket, which no header of a visitor or a proxy can change.
    """
    monitor: tuple[str, int] | None = request.app.state.settings.monitor
    server: tuple[str, int | None] | None = request.scope.get("server")
    if monitor is None or server is None or server[1] != monitor[1]:
        raise HTTPException(404)  # as for any unknown address


@router.get("/host", response_class=HTMLResponse, dependencies=[Depends(_for_the_monitor)])
def host(request: Request) -> Response:
    """Show the state of the database and of its newest run, which renews itself."""
    queries = queries_of(request)
    status = queries.host_status()
    workers = sorted(() if status.going_on is None else status.going_on.workers, key=lambda each: (each.seen, each.name))
    return render(
        request,
        "host.html",
        headers=_NEVER_KEPT,
        state=status,
        alarms=(*find_alarms(status), *find_season_alarms(queries.store, status)),
        lines=host_lines(status),
        workers=[(each, ago(each.seen, status.moment)) for each in workers],
        seals=[(each, seal_text(each)) for each in status.seals],
    )


@router.get("/healthz")
def health(request: Request) -> Response:
    """Answer 200 as long as the database can be read, and 503 otherwise."""
    try:
        queries_of(request).check()
    except StoreError:
        return PlainTextResponse("the database does not answer\n", 503, _NEVER_KEPT)
    return PlainTextResponse("ok\n", headers=_NEVER_KEPT)
