"""A season's publication: a site with the bundles and the seals of its stages, and one page that says how anybody checks them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from arena.season.clock import Now
from arena.season.stages import Season
from arena.verification.exporter import Exporter
from arena.verification.seals_file import seal_lines
from arena.web.data.queries import Queries
from arena.web.site.folder import write_file
from arena.web.site.writer import SNAPSHOT_SECONDS, write_site
from leaderboard.storage.store import Store


def publish_season(
    db: str,
    out: Path,
    season: Season,
    now: Now,
    *,
    has_replays: bool = True,
    processes: int | None = None,
) -> tuple[str, ...]:
    """Write the site of all that may be shown now to a folder, as ``write_site`` does; return the tournaments whose bundles are in it.

    A bundle is there once its stage is over, and neither its results nor its replays are hidden. Raises SiteError and StoreError.
    """
    written: list[str] = []

    def add_bundles(pages: Path) -> None:
        with Store.read(db) as store, store.snapshot():
            queries = Queries(store, fresh_seconds=SNAPSHOT_SECONDS, now=now)
            sums = []
            for stage in season.stages:
                name = stage.tournament
                if name not in queries.tournament_names() or queries.hidden_until(name, "replays") is not None:
                    continue
                tournament = queries.tournament(name)
                if not queries.is_final(tournament):
                    continue
                write_file(pages / "bundles" / f"{name}.seals.jsonl", b"".join(seal_lines(store, tournament)))
                bundle = pages / "bundles" / f"{name}.zip"
                with bundle.open("wb") as file:
                    Exporter(store, tournament).write_bundle(file)
                with bundle.open("rb") as file:
                    sums.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}.zip\n")
                written.append(name)
            if sums:
                write_file(pages / "bundles" / "SHA256SUMS", "".join(sums).encode())

    write_site(db, out, title=season.title, has_replays=has_replays, processes=processes, now=now, add_bundles=add_bundles)
    return tuple(written)
