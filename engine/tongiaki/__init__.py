"""Tongiaki, according to the rules in docs/rules/tongiaki.md."""

from engine.tongiaki.game import TONGIAKI, Tongiaki
from engine.tongiaki.notation.moves import Kind, TongiakiMove
from engine.tongiaki.position import Ending, Phase
from engine.tongiaki.state import TongiakiState

__all__ = ["TONGIAKI", "Ending", "Kind", "Phase", "Tongiaki", "TongiakiMove", "TongiakiState"]
