"""The host's page: alarms, the rate of play, workers, faults, the longest matches, the queue of uploads, the disk, seals."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse

from arena.report.host_report import ago, host_lines, seal_text
from arena.run.alarms import find_alarms
from arena.web.data.queries import queries_of
from arena.web.protection.sessions import for_the_host
from arena.web.rendering.templates import render

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, dependencies=[Depends(for_the_host)])


@router.get("/host")
def host(request: Request) -> Response:
    """Show the state of the database and of its newest run, which renews itself."""
    status = queries_of(request).host_status()
    now = status.moment
    workers = sorted(() if status.going_on is None else status.going_on.workers, key=lambda each: (each.seen, each.name))
    return render(
        request,
        "host.html",
        headers={"cache-control": "no-store"},
        state=status,
        alarms=find_alarms(status, now),
        lines=host_lines(status, now),
        workers=[(each, ago(each.seen, now)) for each in workers],
        seals=[(each, seal_text(each)) for each in status.seals],
    )
