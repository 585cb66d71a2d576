"""The possible outcomes of chance after a move, by game."""
