"""Puzzles, with a package for each game that has puzzles."""
