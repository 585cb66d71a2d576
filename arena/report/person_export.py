"""Exports all data of one person in a database as a zip file for that person."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import select

from arena.entries.stored_tournament import stored_spec
from arena.spec.spec import SpecError
from bots.loader.version import BotVersion, unpack
from leaderboard.chunks import CHUNK
from leaderboard.storage.people import Person, sessions_of
from leaderboard.storage.rows import read_logs
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import content, submissions
from leaderboard.storage.tables import BOT, MATCH, SEAT, TOURNAMENT, VERSION
from leaderboard.storage.uploads import read_content, uploads_of


def export_person(store: Store, person: Person, file: IO[bytes]) -> None:
    """Write ``person.json`` (who, submissions, uploads, entries, sessions), ``seats.jsonl`` (each match with result, log and fault
    of the person's bot) and the files of bots below ``bots/`` and ``uploads/``. It contains no secrets, neither tokens nor those of
    sessions.
    """
    versions = [each for each in submissions(store) if each.author == person.id]
    sent = uploads_of(store, person.id, None)
    entries = [(cup, bot, digest) for cup, bot, digest in _entries(store, person.id)]
    facts = {
        "person": asdict(person),
        "submissions": [asdict(each) for each in versions],
        "uploads": [asdict(each) for each in sent],
        "entries": [{"tournament": cup, "bot": bot, "version": digest} for cup, bot, digest in entries],
        "sessions": [{"expires": each} for each in sessions_of(store, person.id)],
    }
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("person.json", json.dumps(facts, indent=2, default=str) + "\n")
        for version in versions:
            _write_bot(archive, f"bots/{version.label}", unpack(content(store, version)))
        for upload in sent:
            if packed := read_content(store, upload.number):
                _write_bot(archive, f"uploads/{upload.id}", unpack(packed))
        with archive.open("seats.jsonl", "w", force_zip64=True) as lines:
            for seat in _seats(store, {(bot, digest) for _, bot, digest in entries}):
                lines.write(json.dumps(seat, default=str).encode() + b"\n")


def _entries(store: Store, person: str) -> Iterator[tuple[str, str, str]]:
    """Yield tournament, name and version of each of the person's bots that entered one."""
    for name in store.tournament_names():
        tournament = store.tournament(name)
        assert tournament is not None
        try:
            own = {bot.name for bot in stored_spec(tournament).bots if bot.author == person}
        except SpecError:  # its game is not installed
            continue
        yield from ((name, entrant.name, entrant.digest) for entrant in tournament.entrants if entrant.name in own)


def _write_bot(archive: ZipFile, folder: str, version: BotVersion) -> None:
    files: Iterable[tuple[str, bytes]] = version.files
    if version.code is not None:
        files = [(f"{version.name}.py", version.code.encode())]
    for path, data in dict(files).items():
        archive.writestr(f"{folder}/{path}", data)


def _seats(store: Store, bots: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield every seat of these versions, match by match."""
    keys = ("match_id", "seat", "score", "rank", "fault", "fault_index", "fault_detail", "decisions", "seconds")
    query = (
        select(TOURNAMENT.c.name.label("tournament"), BOT.c.name.label("bot"), MATCH.c.finished)
        .add_columns(SEAT.c.cpu_seconds, SEAT.c.peak_memory, *(SEAT.c[key] for key in keys))
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .order_by(MATCH.c.finished, MATCH.c.id, SEAT.c.seat)
    )
    with store.reading() as connection:
        for bot, digest in sorted(bots):
            rows = connection.execute(query.where(BOT.c.name == bot, VERSION.c.digest == digest).execution_options(yield_per=CHUNK))
            for chunk in rows.partitions():
                logs = read_logs(connection, [(row.match_id, row.seat) for row in chunk])
                yield from (row._asdict() | asdict(logs[row.match_id, row.seat]) for row in chunk)
