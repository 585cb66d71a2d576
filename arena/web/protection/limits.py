"""Limits how much one address may do at once, per minute and per hour, checks host names, and refuses requests from pages of other sites.

The limit on all requests per minute is not here: `settings` has it, and `middleware` enforces it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

from fastapi import Request
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.exceptions import HTTPException

from arena.web.errors import UnusableError
from leaderboard.storage.people import person_of_token
from leaderboard.storage.store import Store

LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
ANY_NAME: Final = "*"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}")
VISITOR: Final = 64
SITE: Final = 48
"""The prefix lengths by which IPv6 addresses are counted: one visitor may own a whole /64 network, and one site a whole /48."""
_VISITORS: Final = 4
"""An IPv6 site may use as much as this many visitors."""
WRONG_TOKENS: Final = RateLimitItemPerMinute(10)
"""How many wrong tokens one address may try in a minute."""
ANALYSES: Final = RateLimitItemPerHour(60)
"""How many analyses of matches one address may request in an hour."""
POSITIONS: Final = RateLimitItemPerHour(240)
"""How many analyses of positions one address may request in an hour."""
_LATER: Final = {"retry-after": "60"}


@lru_cache(4096)
def counted_as(host: str, bits: int = VISITOR) -> str:
    """Return the key by which an address is counted: an IPv6 address as its network with a prefix of ``bits``, other text unchanged."""
    try:
        address: IPv4Address | IPv6Address = ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(address) if isinstance(address, IPv4Address) else str(IPv6Network((address, bits), strict=False))


def is_name(text: str) -> bool:
    """Whether the text is a host's name or address, without a port."""
    return _NAME.fullmatch(text) is not None or _is_address(text.strip("[]"))


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class ConcurrencyLimiter:
    """Limits the concurrent uses of something: ``most`` in total, ``of_one`` for each address, ``_VISITORS`` times that for each IPv6 site.

    Its methods may be called from any thread.
    """

    def __init__(self, most: int, of_one: int) -> None:
        self._most = most
        self._of_one = of_one
        self._used: Counter[str] = Counter()
        self._all = 0
        self._lock = Lock()

    def _limits(self, host: str) -> dict[str, int]:
        return {counted_as(host, SITE): _VISITORS * self._of_one, counted_as(host): self._of_one}

    def acquire(self, host: str) -> bool:
        """Count one more use; return False instead if a limit is reached."""
        limits = self._limits(host)
        with self._lock:
            if self._all >= self._most or any(self._used[who] >= most for who, most in limits.items()):
                return False
            self._used.update(limits.keys())
            self._all += 1
            return True

    def release(self, host: str) -> None:
        """End one use of this address."""
        with self._lock:
            self._all -= 1
            self._used -= Counter(self._limits(host).keys())


class Turns:
    """A lock for slow computations: one thread holds it at a time, and at most one thread per address waits for it.

    A visitor therefore never waits for a long queue of computations that one other address has requested.
    """

    def __init__(self) -> None:
        self._computing = Lock()
        self._guard = Lock()
        self._of_one: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    @contextmanager
    def turn(self, who: str) -> Iterator[None]:
        """Wait for the lock, and hold it for the address ``who`` during the block."""
        with self._guard:
            own = self._of_one.setdefault(who, Lock())
        with own, self._computing:
            yield


class RateLimits:
    """The rate limits of one server, kept in memory; its methods may be called from any thread."""

    def __init__(self, store: Store, *, uploads_per_hour: int) -> None:
        self._store = store
        self._uploads = RateLimitItemPerHour(uploads_per_hour)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def count(self, what: RateLimitItem, whose: str, key: str, sentence: str) -> None:
        """Count one hit. Raises HTTPException (429), with ``sentence`` as its message, if the hit is over the limit."""
        if not self._limiter.hit(what, whose, key):
            raise HTTPException(429, sentence, _LATER)

    def has_room(self, what: RateLimitItem, whose: str, key: str) -> bool:
        """Count one hit; return whether it is within the limit."""
        return self._limiter.hit(what, whose, key)

    @contextmanager
    def upload_of(self, author: str) -> Iterator[None]:
        """A context for an upload: counts it if its content is refused (the store counts accepted uploads). Raises HTTPException (429)."""
        if not self._limiter.test(self._uploads, "upload", author):
            sentence = f"{self._uploads.amount} of your uploads were refused within an hour; try again later."
            raise HTTPException(429, sentence, _LATER)
        try:
            yield
        except UnusableError as error:
            if not error.is_busy:
                self._limiter.hit(self._uploads, "upload", author)
            raise

    def author(self, request: Request, token: str) -> str | None:
        """Return the id of the token's author, or None for a wrong token. Raises HTTPException (429) after too many wrong tokens."""
        if not self._limiter.test(WRONG_TOKENS, "token", address_of(request)):
            raise HTTPException(429, "Too many wrong tokens from your address; wait a minute.", _LATER)
        author = person_of_token(self._store, token)
        if author is None:
            self._limiter.hit(WRONG_TOKENS, "token", address_of(request))
        return author


def address_of(request: Request) -> str:
    """Return the key by which a visitor is counted: the address or, with IPv6, its /64 network."""
    return counted_as(request.client.host) if request.client else "unknown"


def site_of(request: Request) -> str:
    """Return the key by which the use of shared resources is counted: the address or, with IPv6, its site's /48 network."""
    return counted_as(request.client.host, SITE) if request.client else "unknown"


def from_here(request: Request) -> None:
    """Refuse requests from pages of other sites, recognised by ``Sec-Fetch-Site`` and ``Origin``. Raises HTTPException (403)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site not in {"same-origin", "none"}:
        raise HTTPException(403, "This was sent by a page of another site; do the same on a page of this server.")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise HTTPException(403, "This was sent by a page of another site; do the same on a page of this server.")


def is_visited(request: Request) -> bool:
    """Return whether a visitor opens the page; False if a page on another site requests it as a picture, script or frame."""
    site, goal = request.headers.get("sec-fetch-site"), request.headers.get("sec-fetch-dest")
    return site in {None, "same-origin", "none"} or goal == "document"


def rate_limits(request: Request) -> RateLimits:
    """Return the ``RateLimits`` object of the application that handles the request."""
    limits: RateLimits = request.app.state.rate_limits
    return limits
