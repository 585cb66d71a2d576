"""Generates and solves puzzles of Sunda to Sahul, and reads and writes their files. ``engine.sunda.puzzle`` defines puzzles."""
