"""Seasons: competitions of several stages by a calendar (docs/season.md)."""
