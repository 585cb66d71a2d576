"""What of the standard library a zygote loads, by name. Data only."""

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

REST_OF_IT: Final = _words("""
    argparse asyncio bz2 cmd colorsys concurrent.futures configparser csv difflib encodings.utf_8_sig fcntl filecmp fnmatch glob gzip
    mmap doctest hmac html http importlib.metadata importlib.resources ipaddress json.tool lzma modulefinder multiprocessing opcode
    optparse pickle pickletools pkgutil plistlib pstats cProfile runpy selectors socket stringprep subprocess symtable tabnanny
    tempfile trace unittest wave
    xml.etree.ElementTree zipfile zoneinfo
    """)
"""Loaded only where nothing can be imported later. Much of it is of no use to a bot, but is imported by code that is."""
