"""Runs of a tournament."""
