"""The traceback of a bot's error for its author: the bot's own calls alone, with their lines of source, bounded and cleaned."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Iterator
from itertools import accumulate, dropwhile, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.text import plain_lines

if TYPE_CHECKING:  # it imports this module
    from bots.loader.version import BotVersion

LONGEST_TRACEBACK: Final = 8 * 1024
"""The most bytes of a traceback that are kept."""
_READ: Final = 8 * LONGEST_TRACEBACK
"""The most characters of a traceback that are read, half of them from its end, where the cause is."""
_LONGEST_LINE: Final = 300
_FIRST: Final = 8
_LAST: Final = 32
"""The numbers of first and last calls that are shown of a longer traceback."""
_GAP: Final = "  ..."
_CHAINED: Final = 4
"""The most errors that are shown of a chain of causes."""
_CAUSED: Final = "\nThe above exception was the direct cause of the following exception:\n\n"
_DURING: Final = "\nDuring handling of the above exception, another exception occurred:\n\n"


def bot_traceback(error: BaseException, version: BotVersion) -> str:
    """Return the traceback as text, or nothing if the error did not come from the bot's files or can't be shown."""
    try:
        return clean_traceback("".join(_Traceback(version).of(error)))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # a contestant's exception may do anything when it is asked for its text
        return ""


def clean_traceback(text: str) -> str:
    """Return an untrusted traceback safe to store and show: printable, with short lines, and the middle left out if it is too long."""
    lines = [
        _cut(line)
        for line in plain_lines(text if len(text) <= _READ else text[: _READ // 2] + text[-_READ // 2 :]).rstrip("\n").split("\n")
    ]
    sizes = [len(line.encode()) + 1 for line in lines]
    if sum(sizes) <= LONGEST_TRACEBACK:
        return "\n".join(lines)
    left = LONGEST_TRACEBACK - len(_GAP) - 1
    first = _fitting(sizes, left // 4)
    last = _fitting(sizes[first:][::-1], left - sum(sizes[:first]))
    return "\n".join([*lines[:first], _GAP, *lines[len(lines) - last :]])


def _fitting(sizes: list[int], room: int) -> int:
    """Return how many lines, counted from the first, fit into ``room``."""
    return sum(total <= room for total in accumulate(sizes))


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 3] + "..."


class _Traceback:
    """Writes tracebacks of one bot. Lines of source are its own: two bots in one process may have files of the same name."""

    def __init__(self, version: BotVersion) -> None:
        self._version = version
        self._name = Path(version.origin).name
        self._sources = {path: content for path, content in version.files if path.endswith(".py")}
        self._lines: dict[str, list[str]] = {} if version.code is None else {self._name: version.code.splitlines()}

    def of(self, error: BaseException) -> Iterator[str]:
        """Yield the pieces of the traceback of an error and of what caused it, the first cause first."""
        chain: list[tuple[BaseException, str]] = []
        link = ""
        cause: BaseException | None = error
        while cause is not None and len(chain) < _CHAINED:
            chain.append((cause, link))
            link = _CAUSED if cause.__cause__ is not None else _DURING
            cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        if not any(isinstance(each, SyntaxError) or any(self._calls(each)) for each, _ in chain):
            return
        for each, after in reversed(chain):
            yield "Traceback (most recent call last):\n"
            yield from self._shown(each)
            yield "".join(traceback.format_exception_only(each)).replace(f'"<{self._version.origin}>', f'"{self._name}')
            yield after

    def _calls(self, error: BaseException) -> Iterator[str]:
        """Yield the bot's calls as they are shown, and an empty text for other calls."""
        for frame, number in traceback.walk_tb(error.__traceback__):
            filename = frame.f_code.co_filename
            file = self._file(filename)
            if file is None:
                yield ""
            else:
                source = self._line(filename, file, number)
                yield f'  File "{file}", line {number}, in {frame.f_code.co_name}\n' + (f"    {source}\n" if source else "")

    def _shown(self, error: BaseException) -> Iterator[str]:
        calls = list(dropwhile(lambda call: not call, self._calls(error)))  # the calls before them led to the bot
        pieces: list[str] = []
        for call, same in groupby(calls):
            many = len(list(same))
            if not call:
                pieces.append(f"  ({many} {'call' if many == 1 else 'calls'} outside the bot's files)\n")
            else:
                pieces.append(call + (f"  (the same {many - 1} more times)\n" if many > 1 else ""))
        if len(pieces) > _FIRST + _LAST:
            pieces[_FIRST:-_LAST] = [f"  ({len(pieces) - _FIRST - _LAST} more)\n"]
        yield from pieces

    def _file(self, filename: str) -> str | None:
        """Return the name to show for a file of the bot, or None for any other file."""
        version = self._version
        if version.files:
            start = f"<{version.origin}>/"
            return filename.removeprefix(start) if filename.startswith(start) else None
        if version.code is not None:
            return self._name if filename == f"<{version.origin}>" else None
        if version.live is not None:
            return Path(filename).name if filename == version.live.file else None
        module = sys.modules.get(version.origin)
        place = Path(str(getattr(module, "__file__", None)))
        if getattr(module, "__package__", ""):  # the other modules of its package are its own, too
            return f"{place.parent.name}/{Path(filename).name}" if Path(filename).parent == place.parent else None
        return place.name if filename == str(place) else None

    def _line(self, filename: str, file: str, number: int) -> str:
        if file not in self._lines:
            source = self._sources.get(file)
            self._lines[file] = linecache.getlines(filename) if source is None else source.decode(errors="replace").splitlines()
        lines = self._lines[file]
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""
