"""Replays watched and matches played at a terminal."""
