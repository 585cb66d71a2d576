"""Moves and positions of Tongiaki as text."""
