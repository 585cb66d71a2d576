"""The base classes of all games. ``engine`` exports those that other programs need; inside this project, import them from here."""

from engine.core.chance import ChanceOutcome, World, worlds_after
from engine.core.errors import (
    ArenaError,
    EngineError,
    IllegalMoveError,
    InvalidMoveError,
    OptionsError,
    PositionError,
    ReadOnlyError,
    RulesError,
    ScoreError,
)
from engine.core.game import Game, OptionValue
from engine.core.moves import LegalMoves, Move, TextMove
from engine.core.outcome import Outcome, Score, exact_score, shared_ranks
from engine.core.rng import below, shuffle
from engine.core.state import State, playout
from engine.core.view import View

__all__ = [
    "ArenaError",
    "ChanceOutcome",
    "EngineError",
    "Game",
    "IllegalMoveError",
    "InvalidMoveError",
    "LegalMoves",
    "Move",
    "OptionValue",
    "OptionsError",
    "Outcome",
    "PositionError",
    "ReadOnlyError",
    "RulesError",
    "Score",
    "ScoreError",
    "State",
    "TextMove",
    "View",
    "World",
    "below",
    "exact_score",
    "playout",
    "shared_ranks",
    "shuffle",
    "worlds_after",
]
