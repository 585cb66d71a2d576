"""Comparison with other engines, which play at random in separate environments."""
