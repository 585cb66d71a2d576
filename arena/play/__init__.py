"""Matches and the executors that play them."""
