"""Bots that cost far more to read than to send: as they would be uploaded, by name, each with the words of its refusal.

Run as a program it writes one of them: ``python uploads.py dotted_keys > bot.zip``.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable

BOT = b"class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n"


def packed(**files: bytes) -> bytes:
    """A zip archive; ``__`` in a name stands for the dot."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return found.getvalue()


def dotted_keys() -> bytes:
    """TOML whose one key has 30,000 parts: tomllib keeps every prefix of it, 3.4 GiB."""
    return packed(bot__py=BOT, bot__toml=b"a" + b".a" * 30_000 + b" = 1\n")


def nested_toml() -> bytes:
    return packed(bot__py=BOT, bot__toml=b"class = " + b"[" * 60_000 + b"\n")


def format_strings() -> bytes:
    """0.9 MB of one format string: Python 3.11 looks for each of its expressions from the beginning, for a minute."""
    return BOT + b"x = f'''" + b"{a}" * 300_000 + b"'''\n"


def statements() -> bytes:
    """4 MB that parse into 3.3 GiB of nodes."""
    return BOT + b" a;a;a;a;a;a;a;a\n".lstrip() * 240_000


def many_bases() -> bytes:
    """A class whose ancestors are looked through twice as often with each generation."""
    source = "class C0:\n    pass\n" + "".join(f"class C{n}(C{n - 1}, C{n - 1}):\n    pass\n" for n in range(1, 60))
    return source.encode()


def many_entries() -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"{number}/", b"")
    return found.getvalue()


ATTACKS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "dotted_keys": (".zip", dotted_keys, "more than 60 dots"),
    "nested_toml": (".zip", nested_toml, "lists and tables"),
    "format_strings": (".py", format_strings, "takes more than"),
    "statements": (".py", statements, "takes "),  # too much memory, or on a slow machine more time than it may
    "many_bases": (".py", many_bases, "takes more than"),
    "many_entries": (".zip", many_entries, "more than 500 files"),
}
"""The ending of the file's name, what makes its content, and what the refusal says."""

if __name__ == "__main__":
    sys.stdout.buffer.write(ATTACKS[sys.argv[1]][1]())
