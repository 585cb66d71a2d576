"""The routes for monitoring: whether the server works (``/healthz``), and its metrics for Prometheus, for the host alone."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from arena.web.api.metrics import Metrics
from arena.web.data.queries import queries_of
from arena.web.errors import NOT_HERE
from arena.web.protection.sessions import for_the_monitor
from leaderboard.errors import StoreError

router = APIRouter(include_in_schema=False)
_NEVER_KEPT = {"cache-control": "no-store"}


@router.get("/healthz")
def health(request: Request) -> Response:
    """Answer 200 as long as the database can be read, and 503 otherwise."""
    try:
        queries_of(request).check()
    except StoreError:
        return PlainTextResponse("the database does not answer\n", 503, _NEVER_KEPT)
    return PlainTextResponse("ok\n", headers=_NEVER_KEPT)


@router.get("/metrics", dependencies=[Depends(for_the_monitor)])
def metrics(request: Request) -> Response:
    """Return the metrics in the text format of Prometheus."""
    kept: Metrics | None = request.app.state.metrics
    if kept is None:
        return PlainTextResponse("Metrics need the package prometheus-client: pip install 'tile-arena[serve]'\n", NOT_HERE, _NEVER_KEPT)
    return Response(kept.text(queries_of(request).host_status()), headers=_NEVER_KEPT, media_type=kept.content_type)
