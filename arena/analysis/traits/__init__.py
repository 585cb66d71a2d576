"""Describes moves in the terms of their games, for the sentence on a match."""
