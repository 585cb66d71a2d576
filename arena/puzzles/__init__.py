"""Puzzles of Sunda to Sahul: made, solved, written to files. What a puzzle is, the engine knows."""
