"""Replays: the format, recording, verifying by playing again, and following a match from one seat."""
