"""Digests of rows: values of any type as MessagePack, in which ``1``, ``1.0``, true, ``"1"``, ``b"1"`` and null are all different."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

_NO_VALUE: Final = b"\xc1"
"""A byte with which no value begins in MessagePack."""


def _other(value: object) -> object:
    """Rows as lists, whatever they are in the driver's hands."""
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"no value of a database: {type(value).__name__}")


_encode: Final = msgspec.msgpack.Encoder(enc_hook=_other).encode


def plain(value: object) -> object:
    """A time as SQLite keeps it, so that a database gives the same digest wherever it is."""
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo is not None else value
        return moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    return value


def encode(values: Iterable[object]) -> bytes:
    """These values as bytes that no other values have. What MessagePack can't say, which no sound database holds, is in Python's words."""
    row = [plain(value) for value in values]
    try:
        return _encode(row)
    except (OverflowError, TypeError, UnicodeError):
        return _NO_VALUE + repr(row).encode(errors="surrogatepass")


def digest_of(values: Iterable[object]) -> str:
    """The hex SHA-256 of these values."""
    return hashlib.sha256(encode(values)).hexdigest()


def row_digest(values: Iterable[object]) -> bytes:
    """The SHA-256 of a row, to be put into ``set_digest``."""
    return hashlib.sha256(encode(values)).digest()


def set_digest(rows: Iterable[bytes]) -> str:
    """The digest of rows in any order, of their own digests."""
    return text_digest(b"".join(sorted(rows)))


def text_digest(text: str | bytes) -> str:
    """The digest of a text, as it is printed."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
