"""Puzzles of Sunda to Sahul: generated, solved, and written to files. ``engine.sunda.puzzle`` defines puzzles."""
