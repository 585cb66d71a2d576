"""Contents of bots that were not submitted, by version. They are opaque here, as those of submissions are."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

from sqlalchemy import insert, select

from leaderboard.storage.records import Entrant
from leaderboard.storage.store import Store
from leaderboard.storage.tables import BOT, CONTENT, SUBMISSION, VERSION


def without_content(store: Store, entrants: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """Return the entrants whose versions have no content in the store yet, neither submitted nor kept."""
    kept = (
        select(BOT.c.name, VERSION.c.digest)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .where(VERSION.c.id.in_(select(CONTENT.c.bot_version_id).union(select(SUBMISSION.c.bot_version_id))))
    )
    with store.reading() as connection:
        known = {(row.name, row.digest) for row in connection.execute(kept)}
    return tuple(each for each in entrants if (each.name, each.digest) not in known)


def keep_contents(store: Store, contents: Mapping[Entrant, bytes]) -> None:
    """Keep the contents of those of these versions that are stored and have none."""
    with store.writing() as connection:
        for entrant, content in contents.items():
            query = (
                select(VERSION.c.id)
                .join(BOT, BOT.c.id == VERSION.c.bot_id)
                .where(BOT.c.name == entrant.name, VERSION.c.digest == entrant.digest)
            )
            version = connection.execute(query).scalar_one_or_none()
            if (
                version is not None
                and connection.execute(select(CONTENT.c.bot_version_id).where(CONTENT.c.bot_version_id == version)).first() is None
            ):
                connection.execute(insert(CONTENT).values(bot_version_id=version, content=zlib.compress(content, 6)))
