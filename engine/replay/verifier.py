"""Re-simulates replays, to walk through their positions or keep them all, and to verify their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mypy_extensions import mypyc_attr

from engine.core import EngineError, Game, IllegalMoveError, InvalidMoveError, Move, OptionsError, ScoreError, State, exact_score
from engine.records import Chance, Decision, Forfeit, Replay, ranks_after
from engine.registry import NoGameError, find_played, played_by
from engine.replay.format import chance_events, chance_of
from engine.text import quote, short


@mypyc_attr(native_class=False)
class DisagreementError(EngineError):
    """Raised for the first difference between a replay and its re-simulation."""


def game_of(replay: Replay) -> Game:
    """Return the game of the replay, with its options. Raises OptionsError; if the game isn't installed, the error is a NoGameError."""
    game = find_played(replay.game, replay.options, replay.package)
    missing = [key for key in game.options if key not in replay.options]
    if missing:
        raise OptionsError(f"the option '{missing[0]}' is missing: a replay must contain every option")
    return game


def walk(replay: Replay) -> Iterator[tuple[State, Move | None]]:
    """Yield the positions of a match from the first on, each with the move that led to it (None for the first).

    The state is the same object each time, advanced by one move: copy it to keep it. Raises OptionsError if the replay's options are
    invalid, and DisagreementError at a move that can't be played.
    """
    game = game_of(replay)
    state = game.new(replay.players, replay.seed)
    yield state, None
    for index, decision in enumerate(replay.decisions):
        move = _played(game, state, decision, index)
        yield state, move


def state_at(replay: Replay, index: int) -> State:
    """Return the position after the first ``index`` decisions. Raises OptionsError and DisagreementError like ``walk``."""
    *_, (state, _) = walk(replace(replay, decisions=replay.decisions[:index]))
    return state


def _played(game: Game, state: State, decision: Decision, index: int) -> Move:
    try:
        move = game.parse(decision.move)
        state.play(move)
    except (InvalidMoveError, IllegalMoveError) as error:
        who = "" if isinstance(error, InvalidMoveError) else f" of seat {decision.seat}"
        raise DisagreementError(f"decision {index}{who}: {error}") from None
    return move


def verify_replay(replay: Replay) -> None:
    """Re-simulate the match and compare it with the replay. Raises DisagreementError for the first difference."""
    _check_end(replay, rederive(replay))


def rederive(replay: Replay) -> Replay:
    """Return the replay with scores, ranks and ending derived from its moves instead of the recorded ones.

    Raises DisagreementError for the first difference in a move, a seat, a number of legal moves or a chance event, for an impossible
    forfeit, and for moves that don't complete the game. Raises NoGameError if the package that the replay names isn't installed.
    """
    try:
        return _rederived(replay)
    except DisagreementError as error:
        raise DisagreementError(_with_packages(replay, str(error))) from None


def _with_packages(replay: Replay, difference: str) -> str:
    """Return the difference, preceded by both versions of the game's package if the match was played with another version."""
    installed = played_by(replay.game)
    if replay.package is None or installed is None or replay.package == installed:
        return difference
    return f"it was played with {quote(replay.package)[1:-1]}, but {installed} is installed; with the installed one, {difference}"


def _rederived(replay: Replay) -> Replay:
    try:
        game = game_of(replay)
        state = game.new(replay.players, replay.seed)
    except OptionsError as error:
        if replay.package is not None and isinstance(error, NoGameError):
            raise
        raise DisagreementError(str(error)) from None
    facts: Any = game
    if replay.rules_version not in {None, facts.rules_version}:
        raise DisagreementError(
            f"it was played under version {replay.rules_version} of {facts.name}'s rules; this program has version {facts.rules_version}"
        )
    for what, values in (("names", replay.names), ("scores", replay.scores), ("ranks", replay.ranks)):
        if len(values) != replay.players:
            raise DisagreementError(f"there are {len(values)} {what} for {replay.players} players")
    _check_forfeits(replay)
    _follow(replay, game, state)
    outcome = state.outcome
    if outcome is None:
        raise DisagreementError(f"the game is not over at the end of the replay: seat {state.actor} has to decide")
    try:
        scores = tuple(map(exact_score, outcome.scores))
    except ScoreError as error:
        raise DisagreementError(str(error)) from None
    return replace(replay, scores=scores, ranks=ranks_after(outcome.ranks, replay.forfeits), end=str(outcome.ending))


def _follow(replay: Replay, game: Game, state: State) -> None:
    chance = 0
    has_chance = bool(chance_events(game))
    for index, decision in enumerate(replay.decisions):
        actor = state.actor
        if actor is None:
            raise DisagreementError(f"decision {index}: the game was over before this decision")
        if actor != decision.seat:
            raise DisagreementError(f"decision {index}: it is seat {actor}'s turn, not seat {decision.seat}'s")
        legal = state.count_moves()
        if legal != decision.legal:
            raise DisagreementError(f"decision {index}: there are {legal} legal moves, not {decision.legal}")
        _played(game, state, decision, index)
        if has_chance:
            for event in chance_of(game, state):
                _check_chance(replay, chance, Chance(index, event))
                chance += 1
    if chance != len(replay.chance):
        extra = replay.chance[chance]
        raise DisagreementError(f"there was no chance event {quote(extra.event)} after decision {extra.index}")


def _check_forfeits(replay: Replay) -> None:
    seen: set[int] = set()
    last = -1
    for forfeit in replay.forfeits:
        who = f"the forfeit of seat {forfeit.seat} at decision {forfeit.index}"
        if forfeit.seat in seen or forfeit.index <= last:
            raise DisagreementError(f"{who}: forfeits must be in ascending order of their decisions, with each seat at most once")
        if forfeit.index >= len(replay.decisions) or replay.decisions[forfeit.index].seat != forfeit.seat:
            raise DisagreementError(f"{who}: the seat did not make that decision")
        seen.add(forfeit.seat)
        last = forfeit.index


def _check_chance(replay: Replay, number: int, derived: Chance) -> None:
    said = replay.chance[number] if number < len(replay.chance) else None
    if said != derived:
        other = f"the replay has {quote(said.event)} after decision {said.index}" if said else "the replay has none"
        raise DisagreementError(f"decision {derived.index}: it must be followed by the chance event '{derived.event}', but {other}")


def _check_end(replay: Replay, derived: Replay) -> None:
    for what, said, expected in (("score", replay.scores, derived.scores), ("rank", replay.ranks, derived.ranks)):
        for seat, (one, other) in enumerate(zip(said, expected, strict=True)):
            if one != other:
                raise DisagreementError(_with_packages(replay, f"the {what} of seat {seat} is {other}, not {one}"))
    if replay.end != derived.end:
        raise DisagreementError(_with_packages(replay, f"the ending is '{derived.end}', not {quote(replay.end)}"))


@dataclass(frozen=True, slots=True)
class ReplayTimeline:
    """A replay and its positions: ``states[k]`` is the position after the first ``k`` decisions, and ``moves[k]`` is the next move."""

    replay: Replay
    names: tuple[str, ...]
    states: tuple[State, ...]
    moves: tuple[Move, ...]

    @property
    def end(self) -> int:
        """The number of decisions, which is the index of the last position."""
        return len(self.moves)

    @property
    def turns(self) -> tuple[int, ...]:
        """The indices of the positions at which a seat's turn begins; with one player, the indices of all positions but the last."""
        seats = [decision.seat for decision in self.replay.decisions]
        return tuple(at for at in range(self.end) if at == 0 or self.replay.players == 1 or seats[at] != seats[at - 1])

    def forfeit_at(self, decision: int) -> Forfeit | None:
        """Return the forfeit that took effect with that decision, or None if there is none."""
        return next((forfeit for forfeit in self.replay.forfeits if forfeit.index == decision), None)


def timeline_of(replay: Replay) -> ReplayTimeline:
    """Re-simulate the replay and keep every position, so that seeking is fast. Raises DisagreementError for the first difference."""
    verify_replay(replay)
    states: list[State] = []
    moves: list[Move] = []
    for state, move in walk(replay):
        states.append(state.copy())
        if move is not None:
            moves.append(move)
    return ReplayTimeline(replay, shown_names(replay), tuple(states), tuple(moves))


def shown_names(replay: Replay) -> tuple[str, ...]:
    """Return the names by seat, cleaned for display; a seat without a name is called ``seat N``."""
    return tuple(short(name) or f"seat {seat}" for seat, name in enumerate(replay.names))
