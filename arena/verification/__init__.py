"""Verifying a database or a bundle: replays, ratings, seals."""
