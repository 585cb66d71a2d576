"""The runtime that a competition gives bots: packages that Python bots may import, memory, size of a bot's files, threads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

PACKAGE_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
"""The name of a package (PEP 508)."""
MEMORY: Final = 512 << 20
"""The default bytes of memory of a bot."""
BUNDLE: Final = 32 << 20
"""The default limit on the bytes of a bot's files together."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """The runtime of bots. ``memory`` and ``bundle`` are bytes, None for the defaults; ``threads`` is for Python bots."""

    packages: tuple[str, ...] = ()
    memory: int | None = None
    bundle: int | None = None
    threads: int = 1

    @property
    def most_memory(self) -> int:
        """How many bytes of memory a bot may have."""
        return MEMORY if self.memory is None else self.memory

    @property
    def most_bytes(self) -> int:
        """How many bytes a bot's files may have together."""
        return BUNDLE if self.bundle is None else self.bundle


STANDARD: Final = Runtime()


def normal_name(package: str) -> str:
    """Return the normalised name of a package (PEP 503)."""
    return re.sub(r"[-_.]+", "-", package).lower()
