"""The possible outcomes of chance after a move: one module for each game."""
