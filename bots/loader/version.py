"""Versions of bots: name, content with its hash, and their form as bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from bots.errors import BotError
from bots.loader.archive import mebibytes
from bots.loader.manifest import Bundle
from bots.loader.params import Params, params_digest
from bots.loader.recipes import Steps
from engine.decoding import decode
from engine.text import one_line

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


@dataclass(frozen=True, slots=True)
class Build:
    """How a bot is made from its ``source``: the ``steps``, the paths of the ``products``, and the ``toolchain`` that has built it.

    ``toolchain`` has the version of each compiler, in lines without paths; it is empty until the bot has been built.
    """

    steps: Steps
    products: tuple[str, ...]
    source: tuple[tuple[str, bytes], ...]
    toolchain: tuple[str, ...] = ()


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
    ``command`` is executed among them, or ``wasm`` is the path of a WebAssembly module. A bot with a ``build`` has no files until
    `bots.building` has built it; then they are what was made, and ``digest`` covers source, commands and toolchain. A ``live`` bot plays
    in this process alone, and ``digest`` tells it from other objects. ``declared`` are the parameters that a manifest has, ``params`` those
    that were given to the bot where it plays; ``digest`` covers both.
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
    build: Build | None = None
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
        return self.code is None and not self.files and self.build is None and self.live is None

    @property
    def is_source(self) -> bool:
        """Whether the bot has to be built before it can be played."""
        return self.build is not None and not self.files


def check_size(version: BotVersion, most: int) -> None:
    """Raise BotError for a bot whose files have more than ``most`` bytes, such as one that was submitted under a higher limit."""
    size = len(version.code.encode()) if version.code is not None else sum(len(content) for _, content in version.files)
    if size > most:
        raise BotError(f"the files of {version.origin} have {mebibytes(size)}, and {mebibytes(most)} are allowed here")


def check_name(name: str) -> None:
    """Raise BotError unless a bot may have this name."""
    if not _NAME.fullmatch(name):
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
    if version.build is not None:
        is_whole = tuple(name for name, _ in version.files) == version.build.products
        digest = _bundle_of(version, version.build).digest(version.class_name, version.build.toolchain)
        return is_whole and version.digest == params_digest(digest, version.params)
    entries = [f"{version.module}:{version.class_name}", version.module]  # with a name from the manifest, or without a manifest
    bundles = [
        Bundle(version.name, version.files, entry if version.module else "", version.command, version.wasm, params=version.declared)
        for entry in entries
    ]
    digests = [params_digest(bundle.digest(version.class_name), version.params) for bundle in bundles]
    return not version.is_installed and version.digest in digests


def built_version(version: BotVersion, toolchain: tuple[str, ...], products: Mapping[str, bytes]) -> BotVersion:
    """Return the version of a bot as built by this toolchain; without ``products``, the version that the build will have."""
    assert version.build is not None
    build = replace(version.build, toolchain=toolchain)
    digest = params_digest(_bundle_of(version, build).digest(version.class_name, toolchain), version.params)
    return replace(version, digest=digest, files=tuple(sorted(products.items())), build=build)


def _bundle_of(version: BotVersion, build: Build) -> Bundle:
    return Bundle(version.name, build.source, "", version.command, version.wasm, build.steps, build.products, version.declared)


def pack(version: BotVersion) -> bytes:
    """Return the version as bytes; equal versions give equal bytes."""
    return msgspec.json.encode(version)


def unpack(data: bytes) -> BotVersion:
    """Return the version that was packed. Raises BotError."""
    try:
        return decode(data, BotVersion)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BotError(f"a stored bot can't be read: {error}") from None
