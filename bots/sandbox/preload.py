"""The modules of the standard library that a zygote loads before any bot, by name."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STANDARD_LIBRARY: Final = _words("""
    abc array ast base64 binascii bisect builtins calendar cmath codecs collections collections.abc contextlib copy copyreg ctypes
    dataclasses datetime decimal encodings.ascii encodings.idna encodings.latin_1 encodings.utf_8 enum errno fractions functools
    gc graphlib hashlib heapq inspect io itertools json keyword linecache locale logging math numbers operator os pathlib platform
    pprint queue random re reprlib sched secrets shlex signal statistics string struct sys textwrap threading time timeit tokenize
    traceback types typing unicodedata uuid warnings weakref zlib
    """)
"""What is loaded before any bot: what bots use most, and what that loads in its turn when first used."""

EXTENSIONS: Final = _words("""
    _asyncio _bz2 _csv _elementtree _lsprof _lzma _multibytecodec _multiprocessing _posixshmem _posixsubprocess _queue _socket _statistics
    _uuid _zoneinfo audioop fcntl grp mmap pyexpat resource select termios
    """)
"""Compiled modules of the standard library that its other modules need. They are loaded beforehand, for a bot can open no library; those
that are not there are left out."""
