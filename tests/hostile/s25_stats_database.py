"""Looks whether the database is there and how it grows."""

from pathlib import Path

from tests.hostile.harness import TARGETS, attempt

attempt("stat", lambda: Path(TARGETS["database"]).stat().st_size)
