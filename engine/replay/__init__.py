"""Replays: their format, recording them, and verifying them by re-simulation."""
