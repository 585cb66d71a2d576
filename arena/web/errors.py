"""Errors for refused requests, and messages for the host alone."""

from __future__ import annotations

import logging
from collections import OrderedDict
from time import monotonic
from typing import Final

from starlette.exceptions import HTTPException

from engine.core.errors import ArenaError

NOT_HERE: Final = 501
"""The HTTP status of a page that can't be shown because its game is not installed or does not work on this server."""
LATER: Final = "Other matches of this block are still being played with the same deck; the replay is shown when they are over."
NO_TOKEN: Final = "This is not a token of this server, or it was revoked; ask the host for a new one."  # noqa: S105  # a sentence
_QUIET_SECONDS: Final = 60.0


class HostLog:
    """Writes messages for the host, not for visitors, to standard error; each message at most once a minute."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, float] = OrderedDict()

    def tell(self, sentence: str) -> None:
        """Log the message, unless it was logged within the last minute."""
        now = monotonic()
        if now - self._told.get(sentence, -_QUIET_SECONDS) >= _QUIET_SECONDS:
            self._told[sentence] = now
            while len(self._told) > 100:
                self._told.popitem(last=False)
            logging.getLogger("arena.web").error("%s", sentence)


class NotFoundError(HTTPException):
    """Something that the request names does not exist; where possible, ``detail`` lists what does exist."""

    def __init__(self, detail: str) -> None:
        super().__init__(404, detail)


class UnusableError(HTTPException):
    """A field of the request's address or body can't be used, and nothing was stored; ``detail`` says why."""

    def __init__(self, field: str, detail: str, status: int = 422) -> None:
        super().__init__(status, detail)
        self.field = field

    @property
    def is_busy(self) -> bool:
        """Whether the server had no room, so that the same request may succeed later."""
        return self.status_code in {429, 503}


class TableError(ArenaError):
    """A table can't do what a visitor requests; ``status`` is the HTTP status of the response."""

    def __init__(self, sentence: str, status: int = 409) -> None:
        super().__init__(sentence)
        self.status = status


def as_sentence(error: object) -> str:
    """Return an error's message as a sentence, with a capital letter and a full stop."""
    words = str(error)
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '?')) else '.'}"
