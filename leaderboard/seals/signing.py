"""A host's Ed25519 key: creating it, keeping it in a file, and signing the links of a chain of seals with it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from engine.text import plain
from leaderboard.errors import StoreError
from leaderboard.sqlite_files import is_database

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# The library is imported where a key is used, since few commands need it.

_PREFIX: Final = "ed25519:"
_PUBLIC: Final = re.compile(_PREFIX + r"([0-9a-f]{64})")
_SIGNATURE: Final = re.compile("[0-9a-f]{128}")
_LARGEST: Final = 10_000
"""The most bytes read from a key file."""


@dataclass(frozen=True, slots=True, eq=False)
class HostKey:
    """A private key, and the ``public`` key with which others check signatures."""

    _private: Ed25519PrivateKey
    public: str

    @classmethod
    def of(cls, private: Ed25519PrivateKey) -> Self:
        """Return the private key together with its public key."""
        return cls(private, f"{_PREFIX}{private.public_key().public_bytes_raw().hex()}")

    def sign(self, text: str) -> str:
        """Return the signature of a text, as hex digits."""
        return self._private.sign(text.encode()).hex()


def make_key(path: Path) -> HostKey:
    """Create a key in a new file that only its owner can read. Raises StoreError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415

    private = Ed25519PrivateKey.generate()
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123  # it is a descriptor
            file.write(text)
    except FileExistsError:
        raise StoreError(f"{path} already exists; a key is never overwritten, so give another name") from None
    except OSError as error:
        raise StoreError(f"the key {path} can't be written: {error.strerror}") from None
    return HostKey.of(private)


def read_key(path: Path) -> HostKey:
    """Read the key in a file. Raises StoreError."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        private = load_pem_private_key(_read(path), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise StoreError(f"{path} is not a key file of this program; 'arena key FILE' writes one")
    return HostKey.of(private)


def read_public(given: str) -> str:
    """Return a public key, given as itself, as its file, or as the file of its private key. Raises StoreError."""
    if _PUBLIC.fullmatch(given):
        return given
    path = Path(given)
    if given.startswith(_PREFIX) or not _exists(path):
        raise StoreError(
            f"'{plain(given[:80])}' is neither a public key nor a file; a public key is '{_PREFIX}' and 64 hex digits, "
            "as 'arena key' prints"
        )
    text = _read(path).decode(errors="replace").strip()
    return text if _PUBLIC.fullmatch(text) else read_key(path).public


def verify_signature(public: str, text: str, signature: str) -> bool:
    """Return whether the owner of this public key made the signature of the text."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    match = _PUBLIC.fullmatch(public)
    if match is None or not _SIGNATURE.fullmatch(signature):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(match[1])).verify(bytes.fromhex(signature), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with a NUL in it
        return False


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe without a writer would block forever
            raise StoreError(f"the key {plain(str(path))} is not a file")
        if is_database(path):
            raise StoreError(f"the key {plain(str(path))} is a database")
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise StoreError(f"the key {plain(str(path))} can't be read: {getattr(error, 'strerror', None) or error}") from None
