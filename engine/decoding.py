"""Records from JSON, MessagePack or plain values, by msgspec, safely from any thread.

msgspec caches what it learns about a type on the type before the analysis is complete; another thread that reads it then crashes the
process with a segmentation fault (seen with msgspec 0.22). So decoders are made by one thread at a time, each before its first use.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, TypeVar, cast, overload

import msgspec

T = TypeVar("T")
_lock = Lock()


@cache
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a type."""
    with _lock:
        return msgspec.json.Decoder(kind)


@overload
def decode(data: str | bytes, kind: type[T]) -> T: ...
@overload
def decode(data: str | bytes, kind: Any) -> Any: ...
def decode(data: str | bytes, kind: Any) -> Any:
    """Decode JSON into a record of that type. Raises msgspec.ValidationError and msgspec.DecodeError."""
    return decoder(kind).decode(data)


def unpack(data: bytes, kind: type[T]) -> T:
    """Decode MessagePack into a record of that type. Raises msgspec.ValidationError and msgspec.DecodeError."""
    decoder(cast("Any", kind))
    return msgspec.msgpack.decode(data, type=kind)


def convert(value: object, kind: type[T], *, from_attributes: bool = False) -> T:
    """Convert a plain value (with ``from_attributes``, any object) to a record of that type. Raises msgspec.ValidationError."""
    decoder(cast("Any", kind))
    return msgspec.convert(value, kind, from_attributes=from_attributes)
