"""Replays as they travel and are stored: packed where they are made, with the digest of their text. What they say is not known here."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import Final

LARGEST_PACKED: Final = 8 << 20
"""Bytes of a replay's text, unpacked; more is not looked at."""


class DamagedError(ValueError):
    """Bytes that are no packed replay."""


@dataclass(frozen=True, slots=True)
class PackedReplay:
    """The text of a replay, compressed; ``digest`` is the hex SHA-256 of the text, and two with the same digest are equal."""

    data: bytes = field(compare=False, repr=False)
    digest: str

    @property
    def text(self) -> str:
        """The replay, as JSON text. Raises DamagedError."""
        return unpack_text(self.data)


def pack_replay(text: str) -> PackedReplay:
    """The text of a replay, packed."""
    encoded = text.encode()
    return PackedReplay(zlib.compress(encoded, 6), hashlib.sha256(encoded).hexdigest())


def unpack_text(data: bytes) -> str:
    """The text that was packed. Raises DamagedError, also for more than any replay has."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, LARGEST_PACKED)
        if not stream.eof:
            raise DamagedError("it is cut, or too long for a replay")
        return content.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise DamagedError(str(error)) from None
