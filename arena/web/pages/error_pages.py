"""Error responses: one sentence, as a page for people and as JSON for programs."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from time import monotonic
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from arena.spec.spec import SpecError
from arena.web.rendering.rendering import render
from engine.core import EngineError
from leaderboard.storage.database import StoreError

NOT_HERE: Final = 501
"""The status of what needs a game that is not installed, or does not work, here."""
UNAVAILABLE: Final = "The database can't be read at the moment; try again later."
"""What visitors are told, who need not know where the database is or what is wrong with it."""
_QUIET_SECONDS: Final = 60.0


class HostLog:
    """Tells the host, on standard error, what visitors are not told; each message at most once a minute."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, float] = OrderedDict()

    def tell(self, sentence: str) -> None:
        """Write the sentence, unless it was written within the last minute."""
        now = monotonic()
        if now - self._told.get(sentence, -_QUIET_SECONDS) >= _QUIET_SECONDS:
            self._told[sentence] = now
            while len(self._told) > 100:
                self._told.popitem(last=False)
            logging.getLogger("arena.web").error("%s", sentence)


class NotFoundError(HTTPException):
    """Nothing of that name exists; ``detail`` says what does."""

    def __init__(self, detail: str) -> None:
        super().__init__(404, detail)


class UnusableError(HTTPException):
    """A field of the address or the body can't be used; ``detail`` says why."""

    def __init__(self, field: str, detail: str, status: int = 422) -> None:
        super().__init__(status, detail)
        self.field = field


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
        return _answer(request, NOT_HERE, f"This tournament can't be shown here: {str(error).partition(': ')[2]}.")  # without where it is

    @app.exception_handler(EngineError)
    def unknown_game(request: Request, error: EngineError) -> Response:
        return _answer(request, NOT_HERE, f"This can't be shown here: {error}.")


def _wants_json(request: Request) -> bool:
    return request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", "text/html")


def _answer(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    if _wants_json(request):
        return JSONResponse({"error": sentence}, status, headers)
    return render(request, "error.html", status=status, headers=headers, sentence=sentence, code=status)
