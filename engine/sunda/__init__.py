"""Sunda to Sahul, according to the rules in docs/rules/sunda.md."""

from engine.sunda.game import SundaGame, sunda
from engine.sunda.notation.moves import SundaMove
from engine.sunda.state import SundaState

__all__ = ["SundaGame", "SundaMove", "SundaState", "sunda"]
