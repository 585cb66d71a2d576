"""The folder for caches, whose content can be computed again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

VARIABLE: Final = "ARENA_CACHE"
"""The environment variable that names another folder than the user's usual one for caches."""


def cache_folder() -> Path:
    """Return the folder, which need not exist."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen)
    import platformdirs  # noqa: PLC0415  # not where the folder is named

    return platformdirs.user_cache_path("tile-arena")
