"""Replays: the format, recording and verifying by playing again."""
