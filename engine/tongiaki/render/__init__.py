"""Draws Tongiaki positions as SVG and for a terminal."""
