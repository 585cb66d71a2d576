"""Decisions of stored matches as data to learn from: what each seat saw, what it did, and how the match ended for it."""
