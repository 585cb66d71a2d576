"""Calibration: the strength of the reference bots, measured by tournaments of their own."""
