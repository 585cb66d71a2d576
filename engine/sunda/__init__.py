"""Sunda to Sahul: the rules as docs/rules/sunda.md has them."""

from engine.sunda.game import SundaGame, sunda
from engine.sunda.notation.moves import SundaMove
from engine.sunda.state import SundaState

__all__ = ["SundaGame", "SundaMove", "SundaState", "sunda"]
