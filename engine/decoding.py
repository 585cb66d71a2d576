"""Records from JSON, MessagePack or plain values, by msgspec, safely from any thread.

What msgspec finds out about a type it keeps with the type while it is still finding it out, and another thread that meets it then ends the
process by a segmentation fault (seen with msgspec 0.22). So one thread at a time makes decoders, and each type's is made before it is used.
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
    """Return what JSON says as a record of that type. Raises msgspec.ValidationError and msgspec.DecodeError."""
    return decoder(kind).decode(data)


def unpack(data: bytes, kind: type[T]) -> T:
    """Return what MessagePack says as a record of that type. Raises msgspec.ValidationError and msgspec.DecodeError."""
    decoder(cast("Any", kind))
    return msgspec.msgpack.decode(data, type=kind)


def convert(value: object, kind: type[T], *, from_attributes: bool = False) -> T:
    """Return a plain value, or with ``from_attributes`` any object, as a record of that type. Raises msgspec.ValidationError."""
    decoder(cast("Any", kind))
    return msgspec.convert(value, kind, from_attributes=from_attributes)
