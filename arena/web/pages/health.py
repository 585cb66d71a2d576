"""``/healthz``: whether the server works."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from arena.web.data.queries import queries_of
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
