"""Two bots asked for the same decisions of recorded matches: how often they agree, and which is better where they don't (``BotDiff``).

Each bot gets the recorded seat's seed, clock and knowledge, in a process of its own for each seat of a match. The match goes on with the
recorded move, whatever they answer. Where they differ, ``MoveSearch`` compares the moves in the same worlds, as in analyses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from math import sqrt
from typing import Final

from scipy import special

from arena.analysis.analyser import THIRDS, digest_of, names_of, words_of
from arena.analysis.match_analysis import Phase, Unit
from arena.analysis.move_quality import MoveSearch
from arena.analysis.position_value import judge_of
from arena.analysis.traits.base import traits_of
from arena.play.match import bot_seed
from bots.clock import Timekeeper
from bots.errors import BotFaultError
from bots.host.player import Player
from bots.protocol import ClockSpec, MatchInfo
from engine.core import Move, State, View
from engine.core.observer import Chronicle
from engine.records import FaultKind, Replay, Ticket
from engine.replay.verifier import ReplayTimeline, timeline_of

LARGEST: Final = 20
"""How many differences are listed."""
MOST_FAILURES: Final = 3
"""The number of faults in one seat of a match after which a bot is no longer asked there."""
LEVEL: Final = 0.05
"""The probability that some kind of decision is called better or worse although the bots are equally good in all kinds."""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match to ask bots in: its name on the command line, its replay, which must verify, and the ticket and clock of its seats."""

    name: str
    replay: Replay
    ticket: Ticket
    clock: ClockSpec


@dataclass(frozen=True, slots=True)
class BotMove:
    """What a bot would play: in notation, in words, and the kind of move."""

    notation: str
    words: str
    kind: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A decision, counted from 0, at which the bots differ. ``gain`` is how much more the new bot's move is worth to the seat."""

    match: str
    index: int
    seat: int
    name: str
    phase: Phase
    new: BotMove
    old: BotMove
    gain: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault of the new or the old bot, at a decision counted from 0."""

    is_new: bool
    match: str
    index: int
    seat: int
    kind: FaultKind
    detail: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often the bots agreed in ``decisions``, and the difference in worth of their moves where they did not.

    ``gain`` is the mean over the decisions in which they differ, in chances to win or points; ``error`` is its standard error between
    matches, None if they differ in one match at most. ``is_clear`` says that the gain differs from 0, at ``LEVEL`` over all parts that are
    tested together.
    """

    decisions: int
    agreed: int
    gain: float
    error: float | None
    is_clear: bool


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """The agreement in the decisions in which the old bot's move is of one kind, in all and by phase."""

    kind: str
    total: Agreement
    phases: dict[Phase, Agreement]


@dataclass(frozen=True, slots=True)
class BotDiff:
    """The comparison: ``kinds`` begins with the kind in which the bots differ most often, ``largest`` with the largest difference.

    ``unanswered`` counts the decisions in which one of them failed, or had failed too often in that match to be asked again.
    """

    unit: Unit
    value: str
    matches: int
    total: Agreement
    phases: dict[Phase, Agreement]
    kinds: tuple[KindAgreement, ...]
    largest: tuple[Difference, ...]
    failures: tuple[Failure, ...]
    unanswered: int


@dataclass(frozen=True, slots=True)
class ComparedDecision:
    """A decision that both have answered."""

    match: int
    kind: str
    phase: Phase
    agrees: bool
    gain: float


class _Seated:
    """One of the bots in one seat of a match. After a failure it starts again, in another process."""

    def __init__(self, make: Callable[[], Player], info: MatchInfo, chronicle: Chronicle) -> None:
        self._make = make
        self._info = info
        self._chronicle = chronicle
        self._keeper = Timekeeper(info.clock)
        self._player: Player | None = None
        self.failures = 0

    def answer(self, view: View[State], state: State) -> Move | None:
        """Return the bot's move, or None if it has failed too often. Raises BotFaultError and HostFaultError."""
        if self.failures >= MOST_FAILURES:
            return None
        try:
            player = self._player or self._started()
            clock, cpu, fuel = self._keeper.for_decision(), player.cpu_seconds(), player.fuel()
            move = player.choose(view, clock)
            used = player.cpu_seconds() - cpu
            self._keeper.charge(clock, used, used, player.fuel() - fuel)  # no strikes: waiting for a core does not count here
            if not state.is_legal(move):
                raise BotFaultError(FaultKind.ILLEGAL_MOVE, f"<{move!s:.60}> is not among the {state.count_moves()} legal moves")
        except BotFaultError:
            self.failures += 1
            self.close()
            raise
        player.rest()
        return move

    def _started(self) -> Player:
        self._player = player = self._make()
        self._keeper = Timekeeper(self._info.clock)
        cpu = player.cpu_seconds()
        player.start(self._info, self._chronicle)
        self._keeper.charge_start(player.cpu_seconds() - cpu, player.fuel())
        return player

    def close(self) -> None:
        """End its process."""
        if self._player is not None:
            self._player.close()
            self._player = None


class DiffRun:
    """Asks both bots in one match after another; ``new`` and ``old`` make players of them."""

    def __init__(self, new: Callable[[], Player], old: Callable[[], Player]) -> None:
        self._makers = (new, old)
        self._compared: list[ComparedDecision] = []
        self._differences: list[Difference] = []
        self._failures: list[Failure] = []
        self._unanswered = 0
        self._matches = 0
        self._unit = Unit.CHANCE
        self._value = ""

    def ask(self, match: RecordedMatch, seats: Iterable[int]) -> None:
        """Ask both for every decision of these seats that their bots made. Raises DisagreementError, NotAnalysableError, HostFaultError."""
        timeline = timeline_of(match.replay)
        judge = judge_of(timeline.states[0].game, match.replay.players, digest_of(match.replay))
        self._unit, self._value = judge.unit, judge.version
        search = MoveSearch(timeline, judge, None, 0)
        names, total = names_of(timeline), timeline.end
        asked: list[ComparedDecision] = []
        differing: list[Difference] = []
        failures: list[Failure] = []
        unanswered = 0
        with closing(self._answers(match, timeline, frozenset(seats), failures)) as answered:
            for at, seat, (new, old) in answered:
                if new is None or old is None:
                    unanswered += 1
                    continue
                state, phase = timeline.states[at], THIRDS[min(2, 3 * at // total)]
                kind, gain = traits_of(state, old).kind, 0.0
                if new != old:
                    gain = search.gain(at, new, old)
                    words = words_of(state, (new, old), names)
                    mine, other = (BotMove(str(move), words[str(move)], traits_of(state, move).kind) for move in (new, old))
                    differing.append(Difference(match.name, at, seat, names[seat], phase, mine, other, gain))
                asked.append(ComparedDecision(self._matches, kind, phase, new == old, gain))
        self._compared += asked  # only after the whole match, so that an interruption leaves no part of one
        self._differences += differing
        self._failures += failures
        self._unanswered += unanswered
        self._matches += 1

    def _answers(
        self, match: RecordedMatch, timeline: ReplayTimeline, seats: frozenset[int], failures: list[Failure]
    ) -> Generator[tuple[int, int, list[Move | None]], None, None]:
        """Yield the number, the seat and both answers of each decision that a bot made; add failures to the list."""
        replay, states = match.replay, timeline.states
        forfeits = {forfeit.seat: forfeit.index for forfeit in replay.forfeits}
        chronicle = Chronicle(states[0])
        with ExitStack() as stack:
            pairs: dict[int, list[_Seated]] = {}
            for seat in seats:
                info = MatchInfo(states[0].game, replay.players, seat, bot_seed(match.ticket, seat), match.clock)
                pairs[seat] = [_Seated(make, info, chronicle) for make in self._makers]
                for bot in pairs[seat]:
                    stack.callback(bot.close)
            for at, (seat, _, legal) in enumerate(replay.decisions):
                if seat in pairs and legal > 1 and at < forfeits.get(seat, timeline.end):
                    answers: list[Move | None] = []
                    for number, bot in enumerate(pairs[seat]):
                        try:
                            answers.append(bot.answer(chronicle.view(seat, states[at]), states[at]))
                        except BotFaultError as error:
                            failures.append(Failure(number == 0, match.name, at, seat, error.kind, error.detail, error.traceback))
                            answers.append(None)
                    yield at, seat, answers
                chronicle.record(seat, timeline.moves[at], states[at + 1])

    def result(self) -> BotDiff:
        """Return what is known so far."""
        parts: dict[str, dict[Phase, list[ComparedDecision]]] = defaultdict(lambda: defaultdict(list))
        for each in self._compared:
            parts[each.kind][each.phase].append(each)
        number = sum(map(len, parts.values()))
        cells = {kind: {phase: agreement_of(parts[kind][phase], number) for phase in THIRDS if phase in parts[kind]} for kind in parts}
        tests = len(parts)
        kinds = [
            KindAgreement(kind, agreement_of([each for part in parts[kind].values() for each in part], tests), phases)
            for kind, phases in cells.items()
        ]
        return BotDiff(
            unit=self._unit,
            value=self._value,
            matches=self._matches,
            total=agreement_of(self._compared),
            phases={phase: agreement_of([each for each in self._compared if each.phase is phase], len(THIRDS)) for phase in THIRDS},
            kinds=tuple(sorted(kinds, key=lambda each: (-least_share(each.total), -each.total.decisions, each.kind))),
            largest=tuple(sorted(self._differences, key=lambda each: (-abs(each.gain), each.match, each.index))[:LARGEST]),
            failures=tuple(self._failures),
            unanswered=self._unanswered,
        )


def agreement_of(compared: Sequence[ComparedDecision], tests: int = 1) -> Agreement:
    """Return the agreement in these decisions, clustered by match; the level is divided by ``tests``, the gains tested together."""
    sums: dict[int, list[float]] = defaultdict(list)
    for each in compared:
        if not each.agrees:
            sums[each.match].append(each.gain)
    differing, matches = sum(map(len, sums.values())), len(sums)
    whole = sum(map(sum, sums.values()))
    gain = whole / differing if differing else 0.0
    error, is_clear = None, False
    if matches > 1:  # the jackknife: what the gain would be without each match (Miller, Biometrika 1974)
        others = [(whole - sum(gains)) / (differing - len(gains)) for gains in sums.values()]
        error = sqrt(sum((other - gain) ** 2 for other in others) * (matches - 1) / matches)
        freedom = differing**2 / sum(len(gains) ** 2 for gains in sums.values()) - 1  # fewer, if some matches have most differences
        is_clear = error > 0 and freedom > 0 and abs(gain) > error * float(special.stdtrit(freedom, 1 - LEVEL / 2 / tests))
    return Agreement(len(compared), len(compared) - differing, gain, error, is_clear)


def least_share(agreement: Agreement) -> float:
    """Return a lower bound (95 %) on the share of decisions in which the bots differ, so that a rare kind does not come first.

    It is the lower bound of Clopper and Pearson (*Biometrika*, 1934).
    """
    differing = agreement.decisions - agreement.agreed
    return float(special.betaincinv(differing, agreement.agreed + 1, 0.05)) if differing else 0.0
