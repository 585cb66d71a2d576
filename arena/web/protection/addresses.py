"""Addresses of visitors for counting, and the names under which this server may be reached."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Lock
from typing import Final

LOCAL_NAMES: Final = frozenset(["localhost", "127.0.0.1", "::1"])
ANY_NAME: Final = "*"
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}?)\.?)(?::[0-9]{1,5})?")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}")
_NETWORK: Final = 64


@lru_cache(4096)
def counted_as(host: str) -> str:
    """Return the key by which an address is counted: the /64 of an IPv6 address, since one visitor has all of it; other text unchanged."""
    try:
        address: IPv4Address | IPv6Address = ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(address) if isinstance(address, IPv4Address) else str(IPv6Network((address, _NETWORK), strict=False))


class Networks:
    """A set of addresses and networks, for ``address in networks``. Raises ValueError for anything else."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(ip_network(each) for each in networks)

    def __contains__(self, host: str) -> bool:
        return bool(self._networks) and _is_address(host) and any(ip_address(host) in network for network in self._networks)


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
    """Limits concurrent use, in all and by each address or visitor; its methods may be called from any thread."""

    def __init__(self, most: int, of_one: int) -> None:
        self._most = most
        self._of_one = of_one
        self._used: Counter[str] = Counter()
        self._all = 0
        self._lock = Lock()

    @property
    def all(self) -> int:
        """The total number in use."""
        return self._all

    def of(self, who: str) -> int:
        """Return the number in use by one address or visitor."""
        return self._used.get(who, 0)

    def acquire(self, who: str) -> bool:
        """Count one more; return False instead if a limit is reached, in all or for ``who``."""
        with self._lock:
            if self._all >= self._most or self._used.get(who, 0) >= self._of_one:
                return False
            self._used[who] += 1
            self._all += 1
            return True

    def release(self, who: str) -> None:
        """Count one less, for ``who`` and in all."""
        with self._lock:
            self._all -= 1
            self._used[who] -= 1
            if not self._used[who]:
                del self._used[who]
