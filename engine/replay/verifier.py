"""Playing a replay again: to walk through its positions or keep them all, and to verify its results."""

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
    """Return the game of the replay, with its options. Raises OptionsError: a NoGameError, if it is not installed."""
    game = find_played(replay.game, replay.options, replay.package)
    missing = [key for key in game.options if key not in replay.options]
    if missing:
        raise OptionsError(f"the option '{missing[0]}' is missing: a replay writes out every option")
    return game


def walk(replay: Replay) -> Iterator[tuple[State, Move | None]]:
    """Yield the positions of a match from the first on, each with the move that led to it (None for the first).

    Every item is the same state object, advanced by one move: copy a state to keep it. Raises OptionsError for the options of the replay,
    and DisagreementError at a move that can't be played.
    """
    game = game_of(replay)
    state = game.new(replay.players, replay.seed)
    yield state, None
    for index, decision in enumerate(replay.decisions):
        move = _played(game, state, decision, index)
        yield state, move


def state_at(replay: Replay, index: int) -> State:
    """Return the position after the first ``index`` decisions. Raises OptionsError and DisagreementError, as ``walk`` does."""
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
    """Re-simulate the match. Raises DisagreementError, which names the first difference, if there is any."""
    _check_end(replay, rederive(replay))


def rederive(replay: Replay) -> Replay:
    """Return the replay with the scores, ranks and ending derived from its moves, ignoring its own.

    Raises DisagreementError, which names the first difference before the end: in a move, a seat, a number of legal moves or a chance event,
    an impossible forfeit, or moves that don't make a whole game. Raises NoGameError if the package that it names is not installed.
    """
    try:
        return _rederived(replay)
    except DisagreementError as error:
        raise DisagreementError(_with_packages(replay, str(error))) from None


def _with_packages(replay: Replay, difference: str) -> str:
    """Return a difference, preceded by its reason if another version of the game's package played the replay."""
    installed = played_by(replay.game)
    if replay.package is None or installed is None or replay.package == installed:
        return difference
    return f"it was played by {quote(replay.package)[1:-1]}, but {installed} is installed, by which {difference}"


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
            f"it was played by version {replay.rules_version} of the rules of {facts.name}; this program has version {facts.rules_version}"
        )
    for what, values in (("names", replay.names), ("scores", replay.scores), ("ranks", replay.ranks)):
        if len(values) != replay.players:
            raise DisagreementError(f"there are {len(values)} {what} for {replay.players} players")
    _check_forfeits(replay)
    _follow(replay, game, state)
    outcome = state.outcome
    if outcome is None:
        raise DisagreementError(f"the game is not over after its {len(replay.decisions)} decisions: seat {state.actor} has to decide")
    try:
        scores = tuple(map(exact_score, outcome.scores))
    except ScoreError as error:
        raise DisagreementError(str(error)) from None
    return replace(replay, scores=scores, ranks=ranks_after(outcome.ranks, replay.forfeits), end=str(outcome.ending))


def _follow(replay: Replay, game: Game, state: State) -> None:
    """Play all decisions, comparing each before it is played, and its chance events after it."""
    chance = 0
    has_chance = bool(chance_events(game))
    for index, decision in enumerate(replay.decisions):
        actor = state.actor
        if actor is None:
            raise DisagreementError(f"decision {index}: the game was over before it")
        if actor != decision.seat:
            raise DisagreementError(f"decision {index}: it is seat {actor} that decides, not seat {decision.seat}")
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
            raise DisagreementError(f"{who}: forfeits are in ascending order of their decisions, each seat at most once")
        if forfeit.index >= len(replay.decisions) or replay.decisions[forfeit.index].seat != forfeit.seat:
            raise DisagreementError(f"{who}: that decision is not that seat's")
        seen.add(forfeit.seat)
        last = forfeit.index


def _check_chance(replay: Replay, number: int, derived: Chance) -> None:
    said = replay.chance[number] if number < len(replay.chance) else None
    if said != derived:
        other = f"the replay has {quote(said.event)} after decision {said.index}" if said else "the replay has none"
        raise DisagreementError(f"decision {derived.index}: the chance event after it is '{derived.event}'; {other}")


def _check_end(replay: Replay, derived: Replay) -> None:
    for what, said, expected in (("score", replay.scores, derived.scores), ("rank", replay.ranks, derived.ranks)):
        for seat, (one, other) in enumerate(zip(said, expected, strict=True)):
            if one != other:
                raise DisagreementError(_with_packages(replay, f"the {what} of seat {seat} is {other}, not {one}"))
    if replay.end != derived.end:
        raise DisagreementError(_with_packages(replay, f"the game ended by '{derived.end}', not by {quote(replay.end)}"))


@dataclass(frozen=True, slots=True)
class ReplayTimeline:
    """A replay and its positions: ``states[k]`` is the one after the first ``k`` decisions, ``moves[k]`` the move then played."""

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
        """The positions in which a seat begins to decide; with one player, every position is one."""
        seats = [decision.seat for decision in self.replay.decisions]
        return tuple(at for at in range(self.end) if at == 0 or self.replay.players == 1 or seats[at] != seats[at - 1])

    def forfeit_at(self, decision: int) -> Forfeit | None:
        """The forfeit that took effect with that decision, if there is one."""
        return next((forfeit for forfeit in self.replay.forfeits if forfeit.index == decision), None)


def timeline_of(replay: Replay) -> ReplayTimeline:
    """Play the replay and keep every position, so that seeking costs nothing. Raises DisagreementError, naming the first mistake."""
    verify_replay(replay)
    states: list[State] = []
    moves: list[Move] = []
    for state, move in walk(replay):
        states.append(state.copy())
        if move is not None:
            moves.append(move)
    return ReplayTimeline(replay, shown_names(replay), tuple(states), tuple(moves))


def shown_names(replay: Replay) -> tuple[str, ...]:
    """The names by seat, safe to show; a seat without a name has its number."""
    return tuple(short(name) or f"seat {seat}" for seat, name in enumerate(replay.names))
