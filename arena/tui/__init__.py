"""Watching replays and playing matches at a terminal."""
