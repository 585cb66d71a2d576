"""Puzzles, a package for each game that has some."""
