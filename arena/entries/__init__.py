"""Entries of a tournament: finding, checking and naming bots, and completing a tournament file."""
