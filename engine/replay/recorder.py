"""Recording a match while it is played. ``verifier`` plays the replay again, ``format`` writes and reads it."""

from __future__ import annotations

from typing import Any

from engine.core import Game, Move, State, exact_score
from engine.records import Chance, Decision, Forfeit, Replay, ranks_after
from engine.registry import played_by


class Recorder:
    """Records a match while it is played: call ``record`` after each move, ``finish`` when the game is over."""

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
        """Record a move that was played, one of ``legal`` moves; ``state`` is the position after it."""
        index = self.decisions
        self._decisions.append(Decision(seat, str(move), legal))
        if state.events and self._chance_events:
            self._chance.extend(Chance(index, event) for event in state.events if event.split(" ", 1)[0] in self._chance_events)

    def finish(self, state: State) -> Replay:
        """Return the replay; ``state`` is the last position, with the game over."""
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
    """Return the events of the last move that a replay records."""
    recorded = chance_events(game)
    return tuple(event for event in state.events if event.split(" ", 1)[0] in recorded) if state.events and recorded else ()


def chance_events(game: Game) -> frozenset[str]:
    """Return the first words of the events that a replay of the game records."""
    facts: Any = game  # a class that is not compiled may state its facts on the class
    recorded: frozenset[str] = facts.chance_events
    return recorded
