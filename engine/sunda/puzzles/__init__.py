"""Puzzles and the scores of the game alone (RULES 8)."""
