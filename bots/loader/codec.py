"""A bot's version as bytes, with all it takes to play it: what is sent to its process, and what a database keeps."""

from __future__ import annotations

import msgspec

from bots.loader.version import BotError, BotVersion


def pack(version: BotVersion) -> bytes:
    """Return the version as bytes; equal versions give equal bytes."""
    return msgspec.json.encode(version)


def unpack(data: bytes) -> BotVersion:
    """Return the version that was packed. Raises BotError."""
    try:
        return msgspec.json.decode(data, type=BotVersion)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BotError(f"a stored bot can't be read: {error}") from None
