"""What came of asking the bots of a tournament again, added up over its matches, and the sentences that tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from arena.verification.match_check import Checked, Disagreement


@dataclass(slots=True)
class BotsVerdict:
    """The outcome of asking bots again.

    ``timed`` play by the clock, so that nobody can ask them again; ``missing`` says why others could not be asked, and ``versions`` what
    bots ran in that is of another version here. Of ``unbuilt`` bots the files
    that the host built were played, since nobody gave their source; that of ``rebuilt`` ones makes other files here. ``matches`` were
    played again, and ``unplayed`` were not, since their replay is of other rules or unusable. By bot: ``decisions`` and ``faults`` that
    were compared, how many of both are ``differing``, and the decisions ``left_out``. ``substituted`` counts decisions of substitutes.
    ``reported`` are differences that are the bot's own affair; those that are alarms are among the disagreements. ``failures`` says why
    the machine could not play a match.
    """

    timed: tuple[str, ...]
    missing: Mapping[str, str]
    versions: tuple[str, ...] = ()
    unbuilt: tuple[str, ...] = ()
    rebuilt: tuple[str, ...] = ()
    matches: int = 0
    unplayed: int = 0
    decisions: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    differing: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    substituted: int = 0
    reported: list[Disagreement] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every bot that can be asked again was asked, in every match, and no difference may be owed to what is installed here."""
        return not (self.missing or self.failures or self.unplayed or (self.versions and self.reported))

    def add(self, tournament: str, checked: Checked) -> None:
        """Add a match."""
        again = checked.again
        if again is None:
            self.unplayed += 1
        elif again.failure:
            self.failures.append(f"match {checked.match} could not be played again: {again.failure}")
        else:
            self.matches += 1
            for ours, more in (
                (self.decisions, again.decisions),
                (self.faults, again.faults),
                (self.differing, again.differing),
                (self.left_out, again.left_out),
            ):
                for name, many in more.items():
                    ours[name] = ours.get(name, 0) + many
            self.substituted += again.substituted
            own = [each for each in again.differences if not each.is_alarm]
            self.reported += [Disagreement(tournament, checked.match, each.field, each.stored, each.found) for each in own]

    def sentences(self, total: int) -> Iterator[str]:
        """Yield what a host may publish, of ``total`` matches: first what was compared, then what was not, and why."""
        yield self._compared(total)
        if self.timed:
            many = "1 bot plays" if len(self.timed) == 1 else f"{len(self.timed)} bots play"
            their = "its" if len(self.timed) == 1 else "their"
            left = sum(self.left_out.get(name, 0) for name in self.timed)
            yield f"{many} by the clock, so {their} {_counted(left, 'decision')} can't be compared: {', '.join(self.timed)}"
        for name, why in self.missing.items():
            left = self.left_out.get(name, 0)
            decisions = f", for {_counted(left, 'decision')}" if left else ""
            yield f"{name} was not asked again{decisions}: {why}"
        for each in self.versions:
            yield f"bots played with {each}; what differs may be owed to that, except for reference bots"
        if self.unbuilt:
            yield f"played were the files that the host built of a source, which --bots would build anew: {', '.join(self.unbuilt)}"
        if self.rebuilt:
            yield f"the source makes other files here than the host's, and those made here were played: {', '.join(self.rebuilt)}"
        others = sum(many for name, many in self.left_out.items() if name not in self.timed and name not in self.missing)
        if others:
            yield f"{_counted(others, 'decision')} came after a bot had failed, then or now, at another place"
        if self.unplayed:
            yield f"{_counted(self.unplayed, 'match', 'matches')} could not be played again"
        yield from self.failures

    def _compared(self, total: int) -> str:
        asked = sum(self.decisions.values())
        faults = f" and {_counted(sum(self.faults.values()), 'fault')}" if self.faults else ""
        what = f"{_counted(asked, 'decision')}{faults} of {_counted(len({*self.decisions, *self.faults}), 'bot')}"
        if not (asked or faults):
            told = "no decision of a bot was played again"
        elif self.differing:
            differing = ", ".join(f"{self.differing[name]:,} of {name}" for name in sorted(self.differing))
            told = f"{what} played again, and these differ: {differing}"
        elif self.left_out:
            told = f"{what} played again, and all are the same"
        else:
            told = f"every one of {what} was played again, and is the same"
        return f"{self.matches:,} of {_counted(total, 'match', 'matches')}: {told}"


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
