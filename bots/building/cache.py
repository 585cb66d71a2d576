"""Keeps built bots by version, so that nothing is built twice on a machine."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import msgspec

from bots.cache_folder import cache_folder

MOST_BYTES: Final = 512 << 20
"""The most bytes that are kept; the least recently used go first."""
_FOLDER: Final = "builds"


class CachedBuild(msgspec.Struct, frozen=True):
    """The result of a build: the files by path, in order, and the log."""

    files: tuple[tuple[str, bytes], ...]
    log: str


class BuildCache:
    """A folder of files, each with its hash. If it can't be read or written, builds work without a cache."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = cache_folder() / _FOLDER if folder is None else folder

    def find(self, digest: str) -> CachedBuild | None:
        """Return the stored build of that version. A damaged entry is removed, and counts as missing."""
        path = self.folder / digest
        try:
            data = path.read_bytes()
        except OSError:
            return None
        head, _, body = data.partition(b"\n")
        with contextlib.suppress(msgspec.MsgspecError):
            if head == _hash(digest, body):
                build = msgspec.msgpack.decode(body, type=CachedBuild)
                with contextlib.suppress(OSError):
                    os.utime(path)
                return build
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def keep(self, digest: str, build: CachedBuild) -> None:
        """Keep it, and evict the oldest entries over the limit."""
        body = msgspec.msgpack.encode(build)
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.folder, prefix=".new-", delete=False) as file:  # for its owner alone
                place = Path(file.name)
                try:
                    file.write(_hash(digest, body) + b"\n" + body)
                    file.flush()
                    place.replace(self.folder / digest)
                except OSError:
                    place.unlink()
                    raise
            self._prune()

    def _prune(self) -> None:
        left = MOST_BYTES
        for path in sorted(self.folder.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True):
            left -= path.stat().st_size
            if left < 0:
                path.unlink()


def _hash(digest: str, body: bytes) -> bytes:
    """Return the hash of a cache entry together with its digest, so that a renamed entry counts as damaged."""
    return hashlib.sha256(digest.encode() + body).hexdigest().encode()
