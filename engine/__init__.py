"""The rules of the games: states, moves, notation, replays, drawing. No clocks, files, processes or network, but to find its own form."""

from engine.form import choose

FORM = choose()
"""Whether the engine runs compiled or as plain Python, and why."""
