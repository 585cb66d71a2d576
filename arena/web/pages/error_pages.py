"""Error responses: one sentence, as a page for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from arena.spec.spec import SpecError
from arena.web.errors import NOT_HERE, HostLog, TableError, UnusableError, as_sentence
from arena.web.prefix import inner_path
from arena.web.rendering.templates import render
from engine.core import EngineError
from leaderboard.storage.database import StoreError

BROKEN: Final = "Something is broken here, which the host can see in the server's log. Try again, or begin at the home page."
UNAVAILABLE: Final = "The database can't be read at the moment; try again later."
"""The message for visitors, without the database's location or error."""


def add_handlers(app: FastAPI) -> None:
    """Make the application answer errors with one sentence."""

    @app.exception_handler(HTTPException)
    def failed(request: Request, error: HTTPException) -> Response:
        return _answer(request, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(UnusableError)
    def unusable_field(request: Request, error: UnusableError) -> Response:
        sentence = f"'{error.field}': {error.detail}"
        if _wants_json(request):
            return JSONResponse({"error": sentence, "fields": [{"field": error.field, "message": error.detail}]}, error.status_code)
        return _answer(request, error.status_code, f"Field {sentence.rstrip('.')}.")

    @app.exception_handler(TableError)
    def impossible_at_table(request: Request, error: TableError) -> Response:
        return _answer(request, error.status, as_sentence(error))

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        wrong = [{"field": ".".join(str(part) for part in each["loc"][1:]) or "body", "message": each["msg"]} for each in error.errors()]
        sentence = "; ".join(f"'{each['field']}': {each['message']}" for each in wrong)
        if _wants_json(request):
            return JSONResponse({"error": sentence, "fields": wrong}, 422)
        return _answer(request, 422, sentence)

    host = HostLog()

    @app.exception_handler(StoreError)
    def unusable(request: Request, error: StoreError) -> Response:
        host.tell(str(error))
        return _answer(request, 503, UNAVAILABLE)

    @app.exception_handler(SpecError)
    def unknown_tournament(request: Request, error: SpecError) -> Response:
        host.tell(str(error))
        return _answer(request, NOT_HERE, f"This tournament can't be shown here: {str(error).partition(': ')[2]}.")  # without its location

    @app.exception_handler(EngineError)
    def unknown_game(request: Request, error: EngineError) -> Response:
        return _answer(request, NOT_HERE, f"This can't be shown here: {error}.")

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:  # the server logs it once this is answered
        return _answer(request, 500, BROKEN)


def _wants_json(request: Request) -> bool:
    return inner_path(request.scope).startswith("/api/") or "text/html" not in request.headers.get("accept", "text/html")


def _answer(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    if _wants_json(request):
        return JSONResponse({"error": sentence}, status, headers)
    return render(request, "error.html", status=status, headers=headers, sentence=sentence, code=status)
