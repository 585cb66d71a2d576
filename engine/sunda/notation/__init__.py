"""Moves and positions of Sunda to Sahul as text."""
