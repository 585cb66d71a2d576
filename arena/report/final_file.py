"""The tournament file of a final: the best bots of a ladder, each in the version that played there, with the ladder's rules."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.analysis.standings import standings
from arena.entries.orders import latest_limits
from arena.entries.stored_tournament import stored_spec
from arena.spec.plans import LadderPlan
from arena.spec.spec import Spec, make_spec
from engine.core.errors import InputError
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import submissions

BEST: Final = 8
BLOCKS: Final = 100


class FinalError(InputError):
    """There is no such final; the sentence says why."""


@dataclass(frozen=True, slots=True)
class FinalFile:
    """The ``text`` of the file; the ``bots`` that it names, best first; those of them that are ``files``, beside which it has to lie."""

    text: str
    bots: tuple[str, ...]
    files: tuple[str, ...]


def final_file(store: Store, ladder: StoredTournament, best: int = BEST, *, blocks: int = BLOCKS, secret: str | None = None) -> FinalFile:
    """Return the file of a round-robin of the ``best`` bots by the ladder's standings, without those that have left.

    Submitted bots are named by their versions. It has the ladder's game, tables, limits and runtime. Raises FinalError and SpecError.
    """
    spec = stored_spec(ladder)
    if not isinstance(spec.schedule, LadderPlan):
        raise FinalError(f"the tournament '{ladder.name}' is a {spec.schedule.format}; a final is of the best of a ladder")
    lines = [line.bot for line in standings(store, ladder) if not line.left]
    if len(lines) < best:
        raise FinalError(
            f"the ladder '{ladder.name}' has {len(lines)} bots in its standings that have not left; give --best less than {best}"
        )
    bots = entries_of(store, ladder, lines[:best])
    text = _text(ladder, spec, bots, blocks, secret)
    make_spec(tomllib.loads(text), "the final")
    files = tuple(bot["source"] for bot in bots if "@" not in bot["source"] and bot["source"].partition(":")[0].endswith((".py", ".wasm")))
    return FinalFile(text, tuple(lines[:best]), files)


def entries_of(store: Store, tournament: StoredTournament, names: Sequence[str]) -> list[dict[str, str]]:
    """Return these bots of a tournament, in the versions that played there, as another tournament's file enters them."""
    labels = {each.digest: each.label for each in submissions(store)}
    digests = {each.name: each.digest for each in tournament.entrants}
    entries = {bot.name: bot for bot in stored_spec(tournament).bots}
    bots: list[dict[str, str]] = []
    for name in names:
        label, author = labels.get(digests[name]), entries[name].author
        own = {} if label or author is None else {"author": author}
        bots.append({"name": name, "source": label or entries[name].source, **own})
    return bots


def _text(ladder: StoredTournament, spec: Spec, bots: list[dict[str, str]], blocks: int, secret: str | None) -> str:
    schedule: dict[str, Any] = {"format": "round-robin", "tables": list(spec.schedule.tables), "blocks": blocks}
    schedule |= spec.schedule.model_dump(include={"seats", "decks"}, exclude_defaults=True)
    runtime = {key: each for key, each in (spec.runtime.canonical() or {}).items() if key != "versions"}
    tables = {
        "options": {key: list(each) if isinstance(each, tuple) else each for key, each in spec.options.items()},
        "schedule": schedule,
        "clock": latest_limits(ladder).model_dump(exclude_defaults=True),
        "rating": spec.rating.model_dump(exclude_defaults=True, exclude={"anchors"}),
        "runtime": runtime,
    }
    head: dict[str, Any] = {"name": f"{ladder.name}-final", "game": spec.game}
    head |= {} if secret is None else {"secret": secret}
    lines = [*_pairs(head), "bots = ["]
    lines += [f"    {{ {', '.join(_pairs(bot))} }}," for bot in bots]
    lines.append("]")
    for name, table in tables.items():
        if table:
            lines += ["", f"[{name}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def _pairs(table: Mapping[str, Any]) -> list[str]:
    """Return the pairs of a table; what JSON writes of texts, numbers and lists is also TOML."""
    return [f"{key} = {json.dumps(each, ensure_ascii=False)}" for key, each in table.items() if each is not None]
