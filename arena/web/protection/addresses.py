"""Addresses of visitors for counting, and the names under which this server may be reached."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

LOCAL_NAMES: Final = frozenset(["localhost", "127.0.0.1", "::1"])
ANY_NAME: Final = "*"
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}?)\.?)(?::[0-9]{1,5})?")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}")
VISITOR: Final = 64
SITE: Final = 48
"""The bits of an IPv6 address that are the same for a visitor, who has all of a /64, and for a site, which has up to a /48."""
_VISITORS: Final = 4
"""How many visitors' share an IPv6 site may have."""


@lru_cache(4096)
def counted_as(host: str, bits: int = VISITOR) -> str:
    """Return the key by which an address is counted: an IPv6 address by a network of so many bits, other text unchanged."""
    try:
        address: IPv4Address | IPv6Address = ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(address) if isinstance(address, IPv4Address) else str(IPv6Network((address, bits), strict=False))


class HostNames:
    """The host names that a request may have. Any other may belong to a page that points its own name here (DNS rebinding).

    ``bound`` is the address that the server listens on. A server that listens on all addresses of a machine may be reached by any of
    them, since a numeric address can't be made to point elsewhere.
    """

    def __init__(self, names: Iterable[str], bound: str) -> None:
        self._names = LOCAL_NAMES | {name.lower().removesuffix(".").strip("[]") for name in names} | {bound.lower()}
        self._takes_any = ANY_NAME in self._names
        self._takes_digits = bound in {"", "0.0.0.0", "::"}  # noqa: S104  # what a host may have chosen, not what is bound here

    def knows(self, header: str) -> bool:
        """Whether the ``Host`` header names this server."""
        parts = _HOST.fullmatch(header)
        if parts is None:
            return False
        name = (parts[1] or parts[2]).lower()
        return self._takes_any or name in self._names or (self._takes_digits and _is_address(name))


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
    """Limits concurrent use, in all, by each visitor's address, and by ``_VISITORS`` times as many of an IPv6 site.

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
        """Count one more; return False instead if a limit is reached."""
        limits = self._limits(host)
        with self._lock:
            if self._all >= self._most or any(self._used[who] >= most for who, most in limits.items()):
                return False
            self._used.update(limits.keys())
            self._all += 1
            return True

    def release(self, host: str) -> None:
        """Count one less."""
        with self._lock:
            self._all -= 1
            self._used -= Counter(self._limits(host).keys())


class Turns:
    """A lock for what takes long to compute: one thread has it at a time, and of each address at most one waits for it.

    So nobody waits for everything that another address has asked for, however much that is.
    """

    def __init__(self) -> None:
        self._computing = Lock()
        self._guard = Lock()
        self._of_one: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    @contextmanager
    def turn(self, who: str) -> Iterator[None]:
        """Hold the lock for an address."""
        with self._guard:
            own = self._of_one.setdefault(who, Lock())
        with own, self._computing:
            yield
