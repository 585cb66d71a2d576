"""The rule that bots by the same author never share a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from leaderboard.names import name_key


def fill_table(authors: Mapping[str, str | None], names: Sequence[str], players: int) -> bool:
    """Return whether some of these bots may share a table of ``players`` seats."""
    return Authors(authors, names).count_lineups(range(len(names)), players) > 0


class Authors:
    """The authors of a tournament's bots. A bot whose author is not known may share a table with any other."""

    def __init__(self, authors: Mapping[str, str | None], names: Sequence[str]) -> None:
        self._of: dict[int, str] = {bot: name_key(author) for bot, name in enumerate(names) if (author := authors.get(name)) is not None}
        self.clashes = len(set(self._of.values())) < len(self._of)
        """Whether any two bots may not share a table."""

    def add(self, bot: int, author: str | None) -> None:
        """Add a bot that joins later."""
        if author is not None:
            self.clashes = self.clashes or name_key(author) in self._of.values()
            self._of[bot] = name_key(author)

    def are_apart(self, one: int, other: int) -> bool:
        """Whether these two may not share a table."""
        return self.clashes and one != other and one in self._of and self._of[one] == self._of.get(other)

    def may_share(self, lineup: Iterable[int]) -> bool:
        """Whether no two bots of the line-up are by the same author."""
        if not self.clashes:
            return True
        known = [self._of[bot] for bot in lineup if bot in self._of]
        return len(set(known)) == len(known)

    def count_lineups(self, bots: Sequence[int], players: int) -> int:
        """Count line-ups of ``players`` bots, no two by one author: an elementary symmetric polynomial of the authors' numbers of bots."""
        groups = Counter(self._of.get(bot, bot) if self.clashes else bot for bot in bots)
        ways = [1] + [0] * players
        for size in groups.values():
            for chosen in range(players, 0, -1):
                ways[chosen] += size * ways[chosen - 1]
        return ways[players]


def uneven_lineups(authors: Mapping[str, str | None], names: Sequence[str], sizes: Iterable[int]) -> dict[str, int]:
    """Return the number of possible line-ups of each bot at tables of these sizes; empty if all bots have equally many."""
    of = Authors(authors, names)
    bots = range(len(names))
    counts = {
        names[bot]: sum(of.count_lineups(bots, size) - of.count_lineups([each for each in bots if each != bot], size) for size in sizes)
        for bot in (bots if of.clashes else ())
    }
    return counts if len(set(counts.values())) > 1 else {}
