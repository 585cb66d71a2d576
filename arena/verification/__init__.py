"""Verifying what is stored in a database or a bundle: replays, ratings, seals."""
