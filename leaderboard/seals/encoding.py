"""Digests of rows, encoded as MessagePack, in which ``1``, ``1.0``, true, ``"1"``, ``b"1"`` and null are all different."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

_NO_VALUE: Final = b"\xc1"
"""A byte with which no MessagePack value begins."""


_encode: Final = msgspec.msgpack.Encoder().encode


def plain(value: object) -> object:
    """Return a time as SQLite stores it, so that both databases have the same digests; return other values as they are."""
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo is not None else value
        return moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    return value


def encode(values: Iterable[object]) -> bytes:
    """Encode the values unambiguously. Values that MessagePack can't encode, which only a damaged database has, are encoded by their
    ``ascii``."""
    row = [plain(value) for value in values]
    try:
        return _encode(row)
    except (OverflowError, TypeError, UnicodeError):
        return _NO_VALUE + ascii(row).encode()


def digest_of(values: Iterable[object]) -> str:
    """Return the hex SHA-256 of these values."""
    return hashlib.sha256(encode(values)).hexdigest()


def row_digest(values: Iterable[object]) -> bytes:
    """Return the SHA-256 of a row, for ``set_digest``."""
    return hashlib.sha256(encode(values)).digest()


def set_digest(rows: Iterable[bytes]) -> str:
    """Return the digest of a set of rows, given the digest of each, in any order."""
    return text_digest(b"".join(sorted(rows)))


def text_digest(text: str | bytes) -> str:
    """Return the digest of a text in its printed form, ``sha256:`` and 64 hex digits."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
