"""Draws positions as SVG and for a terminal: the code that all games share."""
