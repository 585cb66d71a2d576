"""Versions of bots: name, content with its hash, and their form as bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from bots.errors import BotError
from bots.loader.archive import mebibytes
from bots.loader.manifest import NAME, Bundle
from bots.loader.params import Params, params_digest
from engine.decoding import decode
from engine.text import one_line


@dataclass(frozen=True, slots=True)
class LiveBot:
    """The factory of a bot that is a class or an object of the running program, and the file of its code, for messages."""

    make: Callable[[], object]
    file: str


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A bot as it is played: a name, a hash of its content, and what is needed to make it anywhere.

    ``digest`` is the hex SHA-256 of its source and class name. ``code`` is the source of a single-file bot, ``files`` the content of a
    folder or archive, by path: they travel with it. A bot without either is ``module:Class``, which must be installed where it plays.
    ``origin`` is the file or module, for messages; ``author`` who submitted it. Of ``files``, either ``module`` has the class, or
    ``command`` is executed among them, or ``wasm`` is the path of a WebAssembly module. A ``live`` bot plays in this process
    alone, and ``digest`` tells it from other objects. ``declared`` are the parameters that a manifest has, ``params`` those that were given
    to the bot where it plays; ``digest`` covers both.
    """

    name: str
    digest: str
    origin: str
    class_name: str
    code: str | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    module: str = ""
    command: tuple[str, ...] = ()
    is_submitted: bool = False
    author: str | None = None
    wasm: str = ""
    live: LiveBot | None = None
    declared: Params = ()
    params: Params = ()

    @property
    def label(self) -> str:
        """The name with the first eight digits of the hash."""
        return f"{self.name}@{self.digest[:8]}"

    @property
    def is_installed(self) -> bool:
        """Whether the bot is a module installed on this machine, so that it is not sent with its source."""
        return self.code is None and not self.files and self.live is None


def check_size(version: BotVersion, most: int) -> None:
    """Raise BotError for a bot whose files have more than ``most`` bytes, such as one that was submitted under a higher limit."""
    size = len(version.code.encode()) if version.code is not None else sum(len(content) for _, content in version.files)
    if size > most:
        raise BotError(f"the files of {version.origin} have {mebibytes(size)}, and {mebibytes(most)} are allowed here")


def check_name(name: str) -> None:
    """Raise BotError unless a bot may have this name."""
    if not NAME.fullmatch(name):
        raise BotError(
            f"{one_line(repr(name))} can't be a bot's name: use up to 40 of A-Z a-z 0-9 . _ and -, beginning with a letter or digit"
        )


def code_digest(class_name: str, code: str) -> str:
    """Return the hash of a bot in a single file."""
    return hashlib.sha256(f"{class_name}\n{code}".encode()).hexdigest()


def is_genuine(version: BotVersion) -> bool:
    """Return whether the version's digest is that of the content it carries; False if it carries none."""
    if version.code is not None:
        is_single = not (version.files or version.module or version.command)
        return is_single and version.digest == params_digest(code_digest(version.class_name, version.code), version.params)
    entries = [f"{version.module}:{version.class_name}", version.module]  # with a name from the manifest, or without a manifest
    bundles = [
        Bundle(version.name, version.files, entry if version.module else "", version.command, version.wasm, params=version.declared)
        for entry in entries
    ]
    digests = [params_digest(bundle.digest(version.class_name), version.params) for bundle in bundles]
    return not version.is_installed and version.digest in digests


def pack(version: BotVersion) -> bytes:
    """Return the version as bytes; equal versions give equal bytes."""
    return msgspec.json.encode(version)


def unpack(data: bytes) -> BotVersion:
    """Return the version that was packed. Raises BotError."""
    try:
        return decode(data, BotVersion)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BotError(f"a stored bot can't be read: {error}") from None
