"""Requests about tables between the servers of a database: one of them plays all tables, and the others pass requests on to it, as rows.

A server without the tables also hears, through one row, which of them have changed, for the pages that follow them. When the server that
plays the tables ends in any way, the next request makes another one take them over.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

import msgspec

from arena.web.errors import HostLog
from arena.web.play.seats import TableError
from arena.web.play.tables import Tables
from engine.decoding import unpack
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import read_mailbox, read_requests, send_requests, write_answers
from leaderboard.storage.store import Store

ANSWER_SECONDS: Final = 30.0
"""How long a visitor waits for the server that plays the tables; a hint takes half of it."""
_AT_ONCE: Final = 8
"""The most requests of other servers that are answered at a time."""
_IDLE_LOOK, _BUSY_LOOK = 1.0, 0.02
"""Seconds between checks for requests of other servers: while there are none, and for a while after one."""
_BUSY_SECONDS: Final = 30.0
_ANSWER_LOOK: Final = 0.02
"""Seconds between checks for answers."""
_NEWS_LOOK: Final = 0.25
"""Seconds between checks for news, while a page follows a table."""
_RETRY: Final = 1.0
_KEPT_SECONDS: Final = 60.0
"""The age at which an answer is removed that was not fetched, since the server that asked has ended."""
_SILENT: Final = "the server that plays the tables does not answer; try again in a moment"


class RelayedRequest(msgspec.Struct, frozen=True):
    """A visitor's request; ``key`` is the digest of the browser's secret, which is not stored."""

    method: str
    scheme: str
    path: str
    query: bytes
    headers: list[tuple[bytes, bytes]]
    client: str
    key: str
    body: bytes


class RelayedAnswer(msgspec.Struct, frozen=True):
    """The response to a visitor's request."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class News(msgspec.Struct, frozen=True):
    """The events for pages that follow tables, by the table's id, as in its stream; ``number`` counts changes of any table."""

    number: int = -1
    tables: dict[str, str] = {}


@dataclass(eq=False, slots=True)
class _Waiting:
    """A request to be answered by another server: its deadline, and the server to which it was sent."""

    text: bytes
    until: float
    sent_to: str = ""
    answer: Future[RelayedAnswer | None] = field(default_factory=Future)


class Relay:
    """Sends requests, or answers those of others, depending on which this server does; its methods may be called from any thread.

    ``respond`` returns this server's own response to a request.
    """

    def __init__(self, place: str, tables: Tables, respond: Callable[[RelayedRequest], RelayedAnswer]) -> None:
        self._place = place
        self._tables = tables
        self._respond = respond
        self._store: Store | None = None
        self._changed = threading.Condition()
        self._has_work = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._host = HostLog()
        self._waiting: dict[str, _Waiting] = {}
        self._taken: set[str] = set()
        self._followers = 0
        self._pool = ThreadPoolExecutor(_AT_ONCE, "arena-relay")
        self._in_hand: set[str] = set()
        self._answers: dict[str, bytes] = {}
        self._answered: deque[tuple[float, str]] = deque()
        self._heard = -_BUSY_SECONDS
        self._told = ("", -1)
        self.news = News()
        """The newest news of the tables, while another server plays them."""

    @property
    def has_tables(self) -> bool:
        """Whether this server plays the tables."""
        return self._tables.is_owner

    @property
    def is_over(self) -> bool:
        """Whether there will be no more news: this server now has the tables, or is stopping."""
        return self._tables.is_owner or self._tables.is_stopping

    def take_tables(self) -> bool:
        """Begin to play the tables, unless another server does; return whether this one does. Raises StoreError."""
        is_here = self._tables.own()
        self._start()
        return is_here

    async def ask(self, request: RelayedRequest) -> RelayedAnswer | None:
        """Return the response of the server that plays the tables; None if that is this one by now.

        Raises TableError (503) if there is none in time.
        """
        waiting = _Waiting(msgspec.msgpack.encode(request), monotonic() + ANSWER_SECONDS)
        with self._changed:
            if self._is_closed:
                raise TableError(_SILENT, 503)
            self._waiting[secrets.token_hex(12)] = waiting
            self._wake()
        self._start()
        return await asyncio.wrap_future(waiting.answer)

    @contextmanager
    def following(self) -> Iterator[None]:
        """Keep the news up to date inside the block."""
        with self._changed:
            self._followers += 1
            self._wake()
        try:
            yield
        finally:
            with self._changed:
                self._followers -= 1

    def close(self) -> None:
        """End; requests that wait get no answer."""
        with self._changed:
            self._is_closed = True
            self._wake()
        if self._thread is not None:
            self._thread.join(10)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._drop(list(self._waiting))
        if self._store is not None:
            self._store.close()

    def _wake(self) -> None:
        self._has_work = True
        self._changed.notify_all()

    def _start(self) -> None:
        with self._changed:
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, name="relay", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        pause: float | None = 0.0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._has_work, pause)
                self._has_work = False
                if self._is_closed:
                    return
            try:
                self._store = self._store or Store.join(self._place)
                pause = self._serve(self._store) if self._tables.is_owner else self._pass_on(self._store)
            except (StoreError, msgspec.MsgspecError) as error:  # the latter from a server of another version
                self._host.tell(f"requests about tables can't be passed on: {error}")
                self._drop_late()
                pause = _RETRY

    # Where another server plays the tables

    def _pass_on(self, store: Store) -> float | None:
        """Send new requests, and fetch answers; return the seconds until the next check, None if nothing waits."""
        with self._changed:
            waiting, followers = dict(self._waiting), self._followers
        if not waiting and not followers and not self._taken:
            return None
        if self._tables.own():
            self._finish(dict.fromkeys(waiting))
            return 0.0
        mail = read_mailbox(store, waiting)
        self.news = unpack(mail.news, News) if mail.news else News()
        self._finish({key: unpack(text, RelayedAnswer) for key, text in mail.answers.items()})
        self._taken |= mail.answers.keys()
        self._drop_late()
        unsent = {key: each.text for key, each in waiting.items() if each.sent_to != mail.owner and not each.answer.done()}
        if mail.owner and (unsent or self._taken):
            send_requests(store, mail.owner, unsent, self._taken)
            self._taken.clear()
            for key in unsent:
                waiting[key].sent_to = mail.owner
        return _ANSWER_LOOK if self._waiting else _NEWS_LOOK

    def _finish(self, answers: Mapping[str, RelayedAnswer | None]) -> None:
        for key, answer in answers.items():
            with self._changed:
                waiting = self._waiting.pop(key)
            if waiting.answer.set_running_or_notify_cancel():  # unless the visitor has left
                waiting.answer.set_result(answer)

    def _drop_late(self) -> None:
        with self._changed:
            late = [key for key, each in self._waiting.items() if monotonic() > each.until or each.answer.cancelled()]
        self._drop(late)

    def _drop(self, keys: Iterable[str]) -> None:
        for key in keys:
            with self._changed:
                waiting = self._waiting.pop(key)
            self._taken.add(key)
            if waiting.answer.set_running_or_notify_cancel():
                waiting.answer.set_exception(TableError(_SILENT, 503))

    # Where this server plays the tables

    def _serve(self, store: Store) -> float:
        """Answer the requests of others, and send them the news; return the seconds until the next check."""
        with self._changed:
            self._finish(dict.fromkeys(list(self._waiting)))  # from before this server had the tables
            answers = dict(self._answers)
        owner, now = self._tables.owner, monotonic()
        requests = read_requests(store, owner)
        if requests is None:
            self._tables.lose()
            self._in_hand.clear()  # they are sent again, maybe to this server
            return 0.0
        for key in requests.keys() - self._in_hand:
            self._in_hand.add(key)
            self._heard = now
            self._pool.submit(self._answer, key, requests[key])
        is_busy = now - self._heard < _BUSY_SECONDS
        told = owner, self._tables.number
        news = msgspec.msgpack.encode(News(told[1], self._tables.news())) if is_busy and told != self._told else None
        old = [key for moment, key in self._answered if now - moment > _KEPT_SECONDS]
        if answers or news is not None or old:
            write_answers(store, owner, answers, news, old)
            self._told = self._told if news is None else told
            self._in_hand -= answers.keys()
            with self._changed:
                self._answers = {key: answer for key, answer in self._answers.items() if key not in answers}
            self._answered.extend((now, key) for key in answers)
            for _ in old:
                self._answered.popleft()
        return _BUSY_LOOK if is_busy else _IDLE_LOOK

    def _answer(self, key: str, text: bytes) -> None:
        answer = self._respond(unpack(text, RelayedRequest))
        with self._changed:
            self._answers[key] = msgspec.msgpack.encode(answer)
            self._wake()
