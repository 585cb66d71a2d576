"""Checks of what enters a tournament: its bots, the packages that they import, and its game."""
