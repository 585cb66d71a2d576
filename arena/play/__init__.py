"""Matches and what plays them."""
