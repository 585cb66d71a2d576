"""Text of a document that a program writes: it stands between two marks, which stay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Marks:
    """What begins and ends such a text, each on a line of its own."""

    begin: str
    end: str

    def put(self, path: Path, lines: str) -> None:
        """Write a document anew with those lines between the marks. Raises ValueError if it has not both, in order."""
        try:
            text = self.between(path.read_text(encoding="utf-8"), lines)
        except ValueError as error:
            raise ValueError(f"{path} {error}") from None
        path.write_text(text, encoding="utf-8")

    def between(self, text: str, lines: str) -> str:
        """The same for a text."""
        before, begin, rest = text.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not begin or not end:
            raise ValueError(f"lacks the marks {self.begin} and {self.end}")
        return f"{before}{self.begin}\n{lines}\n{self.end}{after}"
