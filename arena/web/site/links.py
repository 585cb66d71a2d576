"""Addresses as files: the name of the file for each address, and pages with links from file to file."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from posixpath import relpath
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

_LINK: Final = re.compile(r'(?<=\s)(href|src|action|data-continue|data-document|data-replay|data-rules)="(/[^"]*)"')
_PLAIN: Final = re.compile(r"[^A-Za-z0-9_.-]")
_SUFFIXES: Final = (".css", ".js", ".svg", ".json", ".png")


def file_of(address: str) -> str:
    """Return the file for an address within the site: queries become part of the name, pages below another go to a folder."""
    parts = urlsplit(address)
    names = [_safe(unquote(part)) for part in parts.path.split("/") if part]
    query = "".join(f"-{key}-{_safe(value)}" for key, value in sorted(parse_qsl(parts.query)))
    if names and names[-1].endswith(_SUFFIXES) and not query:
        return "/".join(names)
    if not names:
        return f"index{query}.html"
    return "/".join([*names[:-1], f"{names[-1]}{query}.html"])


def _safe(name: str) -> str:
    """Return a name that every file system accepts, a different one for each name."""
    shown = _PLAIN.sub(lambda match: "".join(f"~{byte:02x}" for byte in match[0].encode()), name)
    return f"~{shown}" if shown.startswith(".") else shown


def with_files(page: str, name: str) -> tuple[str, set[str]]:
    """Return the page of the file of that name with links to files, and the addresses that they had led to."""
    folder = name.rpartition("/")[0] or "."
    addresses = set[str]()

    def change(link: re.Match[str]) -> str:
        address, target = _target(link[2], folder)
        addresses.add(address)
        return f'{link[1]}="{target}"'

    return _LINK.sub(change, page), addresses


@lru_cache(maxsize=1 << 14)
def _target(link: str, folder: str) -> tuple[str, str]:
    """Return the address of a link, as HTML has it, and the link from a file in the folder to the address's file."""
    address, hash_sign, place = unescape(link).partition("#")
    target = quote(relpath(file_of(address), folder), safe="/~")
    return address, escape(target + hash_sign + place)
