"""Sunda to Sahul: the rules as docs/rules/sunda.md has them."""

from engine.sunda.state import SundaGame, SundaState, sunda

__all__ = ["SundaGame", "SundaState", "sunda"]
