"""Opens the database, writes to it, empties it, renames it, removes it."""

import os
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt

path = Path(TARGETS["database"])
attempt("read it", path.read_bytes)
attempt("write to it", lambda: path.open("r+b").write(b"mine"))
attempt("empty it", lambda: os.truncate(path, 0))
attempt("change its mode", lambda: path.chmod(0))
attempt("rename it", lambda: path.rename(path.with_suffix(".gone")))
attempt("link to it", lambda: os.link(path, path.with_suffix(".link")))
attempt("remove it", path.unlink)
