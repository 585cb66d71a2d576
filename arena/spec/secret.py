"""A tournament's secret (creation, commitment, file), and the seeds and ids that are derived from it.

The commitment is published before the first match, and the secret is published after the last. In between, only the host can compute the
decks of future matches. A public value that was unknown when the commitment was published, such as a round of a randomness beacon, can be
mixed in, so that the host can't choose the decks either.

Seeds and ids are derived from labels, never from a counter. The seeds and ids of a tournament are computed with HMAC-SHA256 under separate
keys derived from its secret (``Keys``), so that none of them reveals anything about another. For single matches, tests and comparisons,
whose seeds anyone may compute, ``derive_seed`` and ``derive_id`` hash public labels with SHA-256.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from bots.loader.files import UnreadableFileError, read_file
from engine.core.errors import InputError
from engine.text import plain

SECRET_BYTES: Final = 32
_COMMITMENT: Final = re.compile(r"sha256:[0-9a-f]{64}")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
LARGEST_FILE: Final = 1 << 20
"""The most bytes read from a secret's file."""
LONGEST_PUBLIC_VALUE: Final = 1000


class SecretError(InputError):
    """A secret, commitment or public value can't be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TournamentSecret:
    """A secret of 32 bytes, and the public value that is mixed in, if there is one."""

    secret: bytes = field(repr=False)
    public_value: str | None = None

    @property
    def commitment(self) -> str:
        """The commitment to the secret, which is published before the first match."""
        return commitment_of(self.secret)

    @property
    def root(self) -> bytes:
        """The root from which all seeds are derived."""
        if self.public_value is None:
            return self.secret
        return hmac.digest(self.secret, b"tile-arena/2 public value " + self.public_value.encode(), "sha256")


def commitment_of(secret: bytes) -> str:
    """Return the commitment to a secret: ``sha256:`` and the hash of a fixed prefix and the secret."""
    return "sha256:" + hashlib.sha256(b"tile-arena/2 commitment " + secret).hexdigest()


def open_root(seed: int) -> bytes:
    """Return the root of a tournament with an open seed, which anyone can compute."""
    return hashlib.sha256(b"tile-arena/2 open seed " + str(seed).encode()).digest()


def new_secret() -> bytes:
    """Return a new secret from the operating system's source of randomness."""
    return secrets.token_bytes(SECRET_BYTES)


def is_commitment(text: str) -> bool:
    """Return whether the text has the form of a commitment."""
    return _COMMITMENT.fullmatch(text) is not None


def check_public_value(value: str) -> str:
    """Return the value without surrounding blanks. Raises SecretError if it is empty, too long, or not printable."""
    value = value.strip()
    if not value or len(value) > LONGEST_PUBLIC_VALUE or not value.isprintable():
        raise SecretError(f"a public value should be a line of 1 to {LONGEST_PUBLIC_VALUE} printable characters")
    return value


def write_secret_file(path: Path) -> str:
    """Write a new secret to a new file that only its owner may read, and return its commitment. Raises SecretError."""
    secret = new_secret()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SecretError(f"{path} already exists, and a secret is never overwritten; give another name") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise SecretError(f"{plain(str(path))} can't be written: {getattr(error, 'strerror', None) or error}") from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(secret.hex().encode() + b"\n")
    return commitment_of(secret)


def read_secret_file(path: Path) -> bytes:
    """Return the secret in a file written by ``write_secret_file``. Raises SecretError."""
    if _HEX.fullmatch(path.name):
        raise SecretError(
            "'secret' must be the name of the file that holds the secret, not the secret itself; "
            "anyone who has seen this secret can compute every deck, so create a new one: 'arena secret FILE'"
        )
    try:
        content = read_file(path, LARGEST_FILE)
    except UnreadableFileError as error:
        raise SecretError(f"the secret's file: {error}; 'arena secret FILE' creates one") from None
    return parse_secret(content.decode(errors="replace").strip(), plain(str(path)))


def parse_secret(text: str, where: str) -> bytes:
    """Return the secret that 64 hex digits encode. Raises SecretError."""
    if not _HEX.fullmatch(text):
        raise SecretError(f"{where} should hold a secret of 64 hex digits and nothing else; 'arena secret FILE' creates one")
    return bytes.fromhex(text)


SEED_BITS: Final = 53
"""Seeds have 53 bits, so that JSON readers that store all numbers as doubles don't round them."""

_write: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def derive_seed(*labels: str | int) -> int:
    """Return a seed of 53 bits derived only from the labels."""
    return int(_hash(labels), 16) >> (256 - SEED_BITS)


def derive_id(*labels: object) -> str:
    """Return sixteen hex digits derived only from the labels, which may be any JSON values."""
    return _hash(labels)[:16]


def _hash(labels: tuple[object, ...]) -> str:
    return hashlib.sha256(_write(labels).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Keys:
    """The four keys of a tournament. No key, nor anything derived from it, reveals another key."""

    ids: bytes = field(repr=False)
    decks: bytes = field(repr=False)
    bots: bytes = field(repr=False)
    draws: bytes = field(repr=False)

    @classmethod
    def of(cls, root: bytes, *labels: object) -> Self:
        """Return the keys derived from a root (a secret of 32 bytes, or a hash of an open seed) and labels that name the tournament."""
        own = _mac(root, "tile-arena/2", *labels)
        return cls(*(_mac(own, use) for use in ("ids", "decks", "bots", "draws")))

    def of_block(self, *labels: object) -> BlockKeys:
        """Return the keys of a block, so that its labels are encoded once for all its matches."""
        return BlockKeys(self, _write(labels)[1:-1])

    def bot_key(self, match_id: str) -> str:
        """Return 64 hex digits from which the seeds of a match's bots and substitutes are derived."""
        return hmac.digest(self.bots, f'["{match_id}"]'.encode(), "sha256").hex()

    def draw(self, *labels: object) -> int:
        """Return a seed of 53 bits for the random draw of the schedule that the labels name."""
        return _short(_mac(self.draws, *labels))


@dataclass(frozen=True, slots=True)
class BlockKeys:
    """Derives ids and seeds for the matches of one block from the block's labels and, for a single match, its bots by seat."""

    keys: Keys
    labels: str

    @property
    def key(self) -> int:
        """A number of 53 bits that identifies the block; all its matches have it."""
        return _short(hmac.digest(self.keys.ids, f'["block",{self.labels}]'.encode(), "sha256"))

    @property
    def shared_deck(self) -> int:
        """The game's seed, of 53 bits, for all matches of the block."""
        return _short(hmac.digest(self.keys.decks, f"[{self.labels}]".encode(), "sha256"))

    def match_id(self, seats: Sequence[int]) -> str:
        """Return the id (sixteen hex digits) of the match in which these bots play, in the order of their seats."""
        text = f'["match",{self.labels},[{",".join(map(str, seats))}]]'
        return hmac.digest(self.keys.ids, text.encode(), "sha256").hex()[:16]

    def deck(self, seats: Sequence[int]) -> int:
        """Return the game's seed, of 53 bits, for the match in which these bots play, in the order of their seats."""
        text = f"[{self.labels},[{','.join(map(str, seats))}]]"
        return _short(hmac.digest(self.keys.decks, text.encode(), "sha256"))


def _mac(key: bytes, *labels: object) -> bytes:
    return hmac.digest(key, _write(labels).encode(), "sha256")


def _short(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
