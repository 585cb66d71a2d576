"""The tournament file of a final: the best bots of a ladder, each in the version that played there, with the ladder's rules."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.analysis.standings import standings
from arena.entries.stored_tournament import stored_spec
from arena.spec.plans import LadderPlan
from arena.spec.spec import Spec, make_spec
from bots.loader.params import make_params, params_digest, split_reference
from engine.core.errors import InputError
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import Submission, submissions

BEST: Final = 8
BLOCKS: Final = 100


class FinalError(InputError):
    """The final can't be made; the message says why."""


@dataclass(frozen=True, slots=True)
class FinalFile:
    """The ``text`` of the file; the ``bots`` that it names, best first; and those that are ``files``, in whose folder it must be."""

    text: str
    bots: tuple[str, ...]
    files: tuple[str, ...]


def final_file(store: Store, ladder: StoredTournament, best: int = BEST, *, blocks: int = BLOCKS, secret: str | None = None) -> FinalFile:
    """Return the file of a round-robin of the ``best`` bots by the ladder's standings, without those that have left or are retired.

    Submitted bots are named by their versions. It has the ladder's game, tables, limits and runtime. Raises FinalError and SpecError.
    """
    spec = stored_spec(ladder)
    if not isinstance(spec.schedule, LadderPlan):
        raise FinalError(f"the tournament '{ladder.name}' is a {spec.schedule.format}; a final takes the best bots of a ladder")
    lines = able(store, ladder, [line.bot for line in standings(store, ladder) if not line.left])
    if len(lines) < best:
        raise FinalError(
            f"the ladder '{ladder.name}' has {len(lines)} bots in its standings that have not left and are not retired; "
            f"give --best less than {best}"
        )
    bots = entries_of(store, ladder, lines[:best])
    text = _text(ladder, spec, bots, blocks, secret)
    make_spec(tomllib.loads(text), "the final")
    files = tuple(bot["source"] for bot in bots if "@" not in bot["source"] and bot["source"].partition(":")[0].endswith((".py", ".wasm")))
    return FinalFile(text, tuple(lines[:best]), files)


def entries_of(store: Store, tournament: StoredTournament, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return these bots of a tournament, in the versions that played there, as entries of another tournament's file."""
    versions = _versions_of(store, tournament)
    entries = {bot.name: bot for bot in stored_spec(tournament).bots}
    bots: list[dict[str, Any]] = []
    for name in names:
        version, entry = versions.get(name), entries[name]
        plain, mark, params = entry.source.partition("?")
        bot: dict[str, Any] = {"name": name, "source": f"{version.label if version else plain}{mark}{params}"}
        bot |= {"params": dict(entry.params)} if entry.params else {}
        bot |= {} if version or entry.author is None else {"author": entry.author}
        bots.append(bot)
    return bots


def able(store: Store, tournament: StoredTournament, names: Sequence[str]) -> list[str]:
    """Return the bots that can enter another tournament: all but retired versions."""
    versions = _versions_of(store, tournament)
    return [name for name in names if name not in versions or versions[name].retired is None]


def _versions_of(store: Store, tournament: StoredTournament) -> dict[str, Submission]:
    """Return the submitted versions among a tournament's bots, by name; a file with the same content does not count."""
    digests = {each.name: each.digest for each in tournament.entrants}
    found: dict[str, Submission] = {}
    submitted = submissions(store)
    for bot in stored_spec(tournament).bots:
        source, own = split_reference(bot.source)
        params = own or make_params(bot.params, "params")
        for each in submitted:
            if each.name == source.partition("@")[0] and params_digest(each.digest, params) == digests.get(bot.name):
                found[bot.name] = each
    return found


def _text(ladder: StoredTournament, spec: Spec, bots: list[dict[str, Any]], blocks: int, secret: str | None) -> str:
    schedule: dict[str, Any] = {"format": "round-robin", "tables": list(spec.schedule.tables), "blocks": blocks}
    schedule |= spec.schedule.model_dump(include={"seats", "decks"}, exclude_defaults=True)
    runtime = {key: each for key, each in (spec.runtime.canonical() or {}).items() if key != "versions"}
    tables = {
        "options": {key: list(each) if isinstance(each, tuple) else each for key, each in spec.options.items()},
        "schedule": schedule,
        "clock": spec.clock.model_dump(exclude_defaults=True),
        "rating": spec.rating.model_dump(exclude_defaults=True),
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
    """Return the pairs of a table; texts, numbers and lists in JSON are also TOML."""
    return [f"{key} = {_value(each)}" for key, each in table.items() if each is not None]


def _value(value: object) -> str:
    return f"{{ {', '.join(_pairs(value))} }}" if isinstance(value, dict) else json.dumps(value, ensure_ascii=False)
