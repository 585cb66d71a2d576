"""Takes what a build has made out of its folder: regular files within limits, and nothing that a link leads to.

Used when all that the build has started is gone. It needs only the standard library.
"""

from __future__ import annotations

import os
import stat
from pathlib import PurePosixPath

from bots.loader.archive import LARGEST_FILE, MOST_BYTES


class ProductError(Exception):
    """What was to be made is not there, or nothing that can be taken; the text is the rest of a sentence that begins with the build."""


def read_products(source: int, products: list[str]) -> dict[str, bytes]:
    """Return the content of these files, by path, in an open folder. Raises ProductError."""
    found: dict[str, bytes] = {}
    for each in products:
        found[each] = _read(source, each)
        if sum(map(len, found.values())) > MOST_BYTES:
            raise ProductError(f"made files of more than {MOST_BYTES >> 20} MiB together")
    return found


def _read(source: int, product: str) -> bytes:
    *folders, name = PurePosixPath(product).parts
    descriptor = os.dup(source)
    try:
        for folder in folders:
            descriptor = _into(descriptor, folder, os.O_RDONLY | os.O_DIRECTORY, product)
        descriptor = _into(descriptor, name, os.O_RDONLY | os.O_NONBLOCK, product)
        return _content(descriptor, product)
    finally:
        os.close(descriptor)


def _into(descriptor: int, name: str, flags: int, product: str) -> int:
    """Open what lies in an open folder, following no link, in place of the folder. Raises ProductError."""
    try:
        kind = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
        if stat.S_ISLNK(kind):
            raise ProductError(f"made a link where '{product:.60}' should be; have it make the file itself")
        wants_folder = bool(flags & os.O_DIRECTORY)
        if not wants_folder and stat.S_ISDIR(kind):
            raise ProductError(f"made a folder where the file '{product:.60}' should be")
        if not wants_folder and not stat.S_ISREG(kind):
            raise ProductError(f"made a device or a pipe where the file '{product:.60}' should be")
        found = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise ProductError(f"ended well, but left no file '{product:.60}'") from None
    except OSError as error:
        raise ProductError(f"made a file '{product:.60}' that can't be read ({error.strerror})") from None
    os.close(descriptor)
    return found


def _content(descriptor: int, product: str) -> bytes:
    pieces = bytearray()
    while piece := os.read(descriptor, 1 << 20):
        pieces += piece
        if len(pieces) > LARGEST_FILE:
            raise ProductError(f"made a file '{product:.60}' of more than {LARGEST_FILE >> 20} MiB")
    return bytes(pieces)
