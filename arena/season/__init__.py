"""Seasons: multi-stage competitions run to a calendar (docs/season.md)."""
