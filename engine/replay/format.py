"""Reads and writes replays in the format ``arena-replay/1``, and records matches while they are played.

Reading a replay checks only its format; ``verifier.verify_replay`` checks the match.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

import msgspec
from mypy_extensions import mypyc_attr

from engine.core import EngineError, Game, Move, Score, State, exact_score
from engine.records import Chance, DamagedError, Decision, Forfeit, Natural, PackedReplay, Replay, decode, ranks_after
from engine.registry import played_by
from engine.text import one_line

FORMAT: Final = "arena-replay/1"
LARGEST_REPLAY: Final = 8 << 20
"""The largest number of characters in a replay; real ones have a few thousand. Reading one takes up to twenty times its size in memory."""


@mypyc_attr(native_class=False)
class ReplayError(EngineError):
    """Raised for a text that is not a replay in the format ``arena-replay/1``."""


def write_replay(replay: Replay) -> str:
    """Return the replay as one line of JSON; equal replays have equal texts."""
    package = {} if replay.package is None else {"package": replay.package}
    return json.dumps(
        {
            "format": FORMAT,
            "game": replay.game,
            "rules_version": replay.rules_version,
            **package,
            "options": {key: list(value) if isinstance(value, tuple) else value for key, value in replay.options.items()},
            "players": replay.players,
            "seed": replay.seed,
            "names": replay.names,
            "decisions": [[decision.seat, decision.move, decision.legal] for decision in replay.decisions],
            "chance": [[chance.index, chance.event] for chance in replay.chance],
            "forfeits": [[forfeit.seat, forfeit.index, forfeit.reason] for forfeit in replay.forfeits],
            "scores": replay.scores,
            "ranks": replay.ranks,
            "end": replay.end,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def read_replay(text: str | PackedReplay) -> Replay:
    """Return the replay in a text, packed or not. Raises ReplayError, which names the key that is missing or wrong."""
    if isinstance(text, PackedReplay):
        try:
            text = text.text
        except DamagedError as error:
            raise ReplayError(f"it can't be unpacked: {error}") from None
    if len(text) > LARGEST_REPLAY:
        raise ReplayError(f"it is larger than {LARGEST_REPLAY >> 20} MiB; real replays have a few thousand bytes")
    try:
        data = decode(text, _FILE)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
        raise ReplayError(f"it is not in the format '{FORMAT}': {one_line(str(error), 160)}") from None
    return Replay(
        game=data.game,
        options=data.options,
        players=data.players,
        seed=data.seed,
        names=data.names,
        decisions=data.decisions,
        chance=tuple(Chance(*row) for row in data.chance),
        forfeits=tuple(Forfeit(*row) for row in data.forfeits),
        scores=data.scores,
        ranks=data.ranks,
        end=data.end,
        rules_version=data.rules_version,
        package=data.package,
    )


_FILE: Final[Any] = msgspec.defstruct(
    "Replay",
    [
        ("format", Literal["arena-replay/1"]),
        ("game", str),
        ("options", dict[str, bool | int | float | str | tuple[Natural, ...]]),
        ("players", Natural),
        ("seed", Natural),
        ("names", tuple[str, ...]),
        ("decisions", tuple[Decision, ...]),
        ("chance", tuple[tuple[Natural, str], ...]),
        ("forfeits", tuple[tuple[Natural, Natural, str], ...]),
        ("scores", tuple[Score, ...]),
        ("ranks", tuple[Natural, ...]),
        ("end", str),
        ("rules_version", int | None, None),
        ("package", str | None, None),
    ],
)
"""The keys of a replay; other keys are ignored when it is read."""


class Recorder:
    """Records a match while it is played: call ``record`` after each move, and ``finish`` when the game is over."""

    def __init__(self, game: Game, seed: int, names: tuple[str, ...]) -> None:
        self._game = game
        self._chance_events = chance_events(game)
        self._seed = seed
        self._names = names
        self._decisions: list[Decision] = []
        self._chance: list[Chance] = []
        self._forfeits: list[Forfeit] = []

    @property
    def decisions(self) -> int:
        """The number of decisions recorded so far, which is the index of the next one."""
        return len(self._decisions)

    def forfeit(self, seat: int, reason: str) -> None:
        """Record that the substitute plays for this seat from the next decision on."""
        self._forfeits.append(Forfeit(seat, self.decisions, reason))

    def record(self, seat: int, move: Move, legal: int, state: State) -> None:
        """Record a move. ``legal`` is how many moves were legal, and ``state`` is the position after the move."""
        index = self.decisions
        self._decisions.append(Decision(seat, str(move), legal))
        if state.events and self._chance_events:
            self._chance.extend(Chance(index, event) for event in state.events if event.split(" ", 1)[0] in self._chance_events)

    def finish(self, state: State) -> Replay:
        """Return the replay; ``state`` is the last position, in which the game is over."""
        outcome = state.outcome
        assert outcome is not None, "a replay is a whole game"
        facts: Any = self._game
        return Replay(
            game=facts.name,
            options=self._game.options,
            players=state.players,
            seed=self._seed,
            names=self._names,
            decisions=tuple(self._decisions),
            chance=tuple(self._chance),
            forfeits=tuple(self._forfeits),
            scores=tuple(map(exact_score, outcome.scores)),
            ranks=ranks_after(outcome.ranks, self._forfeits),
            end=str(outcome.ending),
            rules_version=facts.rules_version,
            package=played_by(facts.name),
        )


def chance_of(game: Game, state: State) -> tuple[str, ...]:
    """Return those events of the last move that a replay records."""
    recorded = chance_events(game)
    return tuple(event for event in state.events if event.split(" ", 1)[0] in recorded) if state.events and recorded else ()


def chance_events(game: Game) -> frozenset[str]:
    """Return the first words of those events of the game that a replay records (``Game.chance_events``)."""
    facts: Any = game  # if not compiled, a game may define its facts as class attributes
    recorded: frozenset[str] = facts.chance_events
    return recorded
