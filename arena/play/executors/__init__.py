"""Executors, which play many matches at once."""
