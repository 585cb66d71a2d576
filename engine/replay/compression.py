"""The texts of replays, compressed and with a digest, as they are sent and stored."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import Final

LARGEST_PACKED: Final = 8 << 20
"""The most bytes that the text of a replay is unpacked to."""


class DamagedError(ValueError):
    """Raised for bytes that are not a packed replay."""


@dataclass(frozen=True, slots=True)
class PackedReplay:
    """The text of a replay, compressed. ``digest`` is the hex SHA-256 of the text; packed replays with the same digest are equal."""

    data: bytes = field(compare=False, repr=False)
    digest: str

    @property
    def text(self) -> str:
        """The replay as JSON text. Raises DamagedError."""
        return unpack_text(self.data)


def pack_replay(text: str) -> PackedReplay:
    """Compress the text of a replay."""
    encoded = text.encode()
    return PackedReplay(zlib.compress(encoded, 6), hashlib.sha256(encoded).hexdigest())


def unpack_text(data: bytes) -> str:
    """Return the text that was packed. Raises DamagedError for other bytes, or for a text longer than LARGEST_PACKED."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, LARGEST_PACKED)
        if not stream.eof:
            raise DamagedError("it is cut off, or too long for a replay")
        return content.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise DamagedError(str(error)) from None
