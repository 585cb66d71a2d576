"""Contents of bots as a database or a bundle has them: packed, in a database compressed."""

from __future__ import annotations

from typing import Final

from bots.loader.codec import unpack
from bots.loader.version import BotError, BotVersion
from leaderboard.records.evidence import inflate

LARGEST_CONTENT: Final = 128 << 20
"""The most bytes of a packed bot; what may be submitted has at most a quarter of that."""


def read_content(content: object) -> BotVersion:
    """Return the version whose stored content this is; whether its digest is that of its content remains to be checked. Raises BotError."""
    try:
        return unpack(content.encode() if isinstance(content, str) else inflate(content, LARGEST_CONTENT))
    except ValueError as error:
        raise BotError(str(error)) from None
