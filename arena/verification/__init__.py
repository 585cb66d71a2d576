"""Verifies a database or a bundle: its replays, ratings and seals."""
