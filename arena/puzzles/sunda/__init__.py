"""Puzzles of Sunda to Sahul: generated, solved, and written to files. ``engine.sunda.puzzles`` defines what a puzzle is."""
