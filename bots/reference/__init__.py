"""Bots to play against: small, readable, and named by what they do."""
