"""Reads a season's file (docs/season.md), which defines stages and their times, and checks it before the season begins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from arena.formats.orders import Extending, detail_of
from arena.season.stages import TIMES, Rule, Season, SeasonStage, between_stages, of_stage
from arena.season.times import find_zone, read_duration, read_time, write_time
from arena.spec.secret import read_secret_file
from arena.spec.spec import Spec, SpecError, make_spec
from bots.loader.files import UnreadableFileError, read_text
from bots.loader.suggestions import did_you_mean
from engine.core.errors import InputError
from engine.registry import trust_game
from engine.text import plain, quote
from leaderboard.names import find_equal
from leaderboard.records import Order
from leaderboard.storage.tournaments import StoredSeason

COMMON: Final = ("game", "options", "clock", "rating", "runtime", "isolation", "max_per_author")
"""Keys of tournament files that may also be set for all stages together; a stage can override them."""
LONGEST_TITLE: Final = 100
MOST_BEST: Final = 1000
"""The largest ``best`` that a rule may set; a rule without ``best`` may admit more bots."""
_HEAD: Final = ("name", "title", "zone", "publish", "stages")
_OWN: Final = (*TIMES, "every", "newest", "enter")
_HOSTS: Final = {
    "name": "its tournament is named after the season and the stage",
    "seed": "an open seed lets anyone compute the decks; a stage has a secret",
    "commitment": "it follows from the secret",
    "public": "a season runs unattended, so it can't ask for a public value; the secret's commitment is published when the season begins",
}
"""Keys of tournament files that a stage can't have, and why."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,27}")
_HEADER: Final = re.compile(r"\[\s*([^\[\]]+?)\s*\]")
_KEY: Final = re.compile(r"""([A-Za-z0-9_.\-"' ]+?)\s*=""")
_LONGEST_KEY: Final = 200
"""The number of characters at the start of a line in which its key is looked for."""
_SPEC: Final = (*COMMON, "bots", "schedule", "secret")
_SPEC_KEY: Final = re.compile(rf"\b({'|'.join(_SPEC)})\b((?:\.[a-z_]+)*)")
_LARGEST_FILE: Final = 1 << 20


class SeasonError(InputError):
    """A season's file can't be used; the message names the file and the line, and says what to do."""


def read_season(path: Path) -> Season:
    """Return the season in a file. Raises SeasonError, for example if a file that the season names is missing."""
    try:
        text = read_text(path, _LARGEST_FILE)
    except UnreadableFileError as error:
        raise SeasonError(str(error)) from None
    season = make_season(text, str(path))
    reader = _Reader(text, str(path))
    for stage in season.stages:
        files = [each.source.partition("?")[0].partition(":")[0] for each in stage.spec.bots]
        for file in files:
            if file.endswith((".py", ".wasm", ".zip")) or "/" in file:
                reader.need((path.parent / file).exists(), f"there is no file {quote(file)} next to {path.name}", stage.name, "bots")
        if stage.spec.secret is not None:
            try:
                read_secret_file(path.parent / stage.spec.secret)
            except InputError as error:
                raise reader.wrong(str(error), stage.name, "secret") from None
    return season


def make_season(text: str, where: str) -> Season:
    """Return the season described by TOML text. Raises SeasonError; its message begins with ``where``."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SeasonError(f"{where} is not valid TOML: {error}") from None
    return _Reader(text, where).read(data)


def stored_season(stored: StoredSeason) -> Season:
    """Return a season from the file stored when it began, with any new deadlines set by the host's orders. Raises SeasonError."""
    season = _stored_file(stored.text)
    orders = {each.tournament: each.extension for each in stored.stages}
    return replace(season, stages=tuple(_extended(stage, orders.get(stage.tournament)) for stage in season.stages))


def _extended(stage: SeasonStage, order: Order | None) -> SeasonStage:
    if order is None:
        return stage
    return replace(stage, freeze=datetime.fromisoformat(detail_of(order, Extending).freeze), moved=plain(order.why))


@lru_cache(maxsize=32)
def _stored_file(text: str) -> Season:
    return make_season(text, "the season's file in the database")


class _Reader:
    """Reads one file; every error names the line of its key."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._zone: ZoneInfo | None = None

    def wrong(self, sentence: str, *path: str) -> SeasonError:
        """Return an error about a key of the season, or of a stage if the path begins with the stage's name."""
        if len(path) > 1:
            path = ("stages", *path)
        return SeasonError(f"{self._where}, line {find_line(self._text, path)}: {sentence}")

    def need(self, condition: object, sentence: str, *path: str) -> None:
        """Raise SeasonError unless the condition holds."""
        if not condition:
            raise self.wrong(sentence, *path)

    def read(self, data: Mapping[str, Any]) -> Season:
        """Return the season that the parsed file describes. Raises SeasonError."""
        self._check_keys(data, (*_HEAD, *COMMON))
        name = data.get("name")
        is_name = isinstance(name, str) and _NAME.fullmatch(name)
        self.need(is_name, "'name' should be 1 to 28 letters, digits, '.', '_' and '-', beginning with a letter or digit", "name")
        title = data.get("title", name)
        is_title = isinstance(title, str) and title.strip() and title.isprintable() and len(title) <= LONGEST_TITLE
        self.need(is_title, f"'title' should be a line of text of at most {LONGEST_TITLE} characters", "title")
        try:
            self._zone = find_zone(data["zone"]) if "zone" in data else None
        except ValueError as error:
            raise self.wrong(f"'zone': {error}", "zone") from None
        publish = self._time(data, "publish")
        self.need(publish, "the key 'publish', the time at which the results are published, is missing", "name")
        stages = data.get("stages")
        is_right = isinstance(stages, dict) and stages and all(isinstance(each, dict) for each in stages.values())
        self.need(is_right, "a season must have at least one stage: a table such as [stages.qualification]", "stages")
        assert publish is not None
        assert isinstance(stages, dict)
        read: list[SeasonStage] = []
        for key, table in stages.items():
            self.need(_NAME.fullmatch(key), f"the stage {quote(key)} should be named with letters, digits, '.', '_' and '-'", key, "")
            is_new = find_equal(key, (each.name for each in read)) is None
            self.need(is_new, f"the stage '{key}' has the same name as an earlier one", key, "")
            read.append(self._stage(str(name), key, {each: data[each] for each in COMMON if each in data} | table, read, table))
        season = Season(str(name), str(title), self._zone, publish, tuple(read), self._text)
        for path, sentence in between_stages(season, self._show):
            raise self.wrong(sentence, *path)
        return season

    def _check_keys(self, table: Mapping[str, Any], valid: tuple[str, ...], *path: str) -> None:
        for key in table:
            advice = did_you_mean(key, valid, f"; valid here: {', '.join(valid)}")
            self.need(key in valid, f"unknown key '{key}'{advice}", *path, key)

    def _time(self, table: Mapping[str, Any], key: str, *path: str) -> datetime | None:
        if key not in table:
            return None
        try:
            return read_time(table[key], self._zone)
        except ValueError as error:
            raise self.wrong(f"'{key}': {error}", *path, key) from None

    def _stage(self, season: str, name: str, table: Mapping[str, Any], before: list[SeasonStage], own: Mapping[str, Any]) -> SeasonStage:
        for key, why in _HOSTS.items():
            self.need(key not in own, f"the stage '{name}' can't have the key '{key}': {why}", name, key)
        self._check_keys(own, (*_OWN, *_SPEC), name)
        times = {key: self._time(table, key, name) for key in TIMES}
        opens = times["opens"]
        self.need(opens, f"the stage '{name}' needs 'opens', the time when it begins", name, "")
        assert opens is not None
        every = None
        if "every" in table:
            try:
                every = read_duration(table["every"])
            except ValueError as error:
                raise self.wrong(f"'every': {error}", name, "every") from None
        newest = table.get("newest")
        is_count = newest is None or (isinstance(newest, int) and not isinstance(newest, bool) and newest > 0)
        self.need(is_count, "'newest' should be the number of each author's versions that play, 1 or more", name, "newest")
        rule = self._rule(name, table.get("enter"), before)
        bots = table.get("bots", [])
        self.need(isinstance(bots, list), "'bots' should be a list", name, "bots")
        self.need(rule or bots, f"nobody can enter the stage '{name}'; give it 'bots', or a rule such as {_example(before)}", name, "")
        both = newest is not None and "max_per_author" in own
        self.need(not both, f"'newest' already limits the bots of an author in '{name}'; leave this key out", name, "max_per_author")
        rest = (*_OWN, "max_per_author") if newest is not None else _OWN
        data = {key: each for key, each in table.items() if key not in rest} | {"name": f"{season}-{name}"}
        stand_ins = [] if rule is None else [{"name": f"qualified-{each}", "source": "random"} for each in range(rule.best or 8)]
        spec = self._spec(name, data | {"bots": [*bots, *stand_ins]})
        stage = SeasonStage(
            name, spec.name, data, spec, opens, times["freeze"], times["ends"], every, newest, rule, times["results"], times["replays"]
        )
        for path, sentence in of_stage(stage, self._show):
            raise self.wrong(sentence, name, *path)
        return stage

    def _rule(self, name: str, table: object, before: list[SeasonStage]) -> Rule | None:
        if table is None:
            return None
        is_right = isinstance(table, dict) and "from" in table and not table.keys() - {"from", "best"}
        self.need(is_right, f"'enter' should be a rule such as {_example(before)}", name, "enter")
        assert isinstance(table, dict)
        origin, best = table["from"], table.get("best")
        earlier = [each.name for each in before]
        advice = did_you_mean(str(origin), earlier, f"; its earlier stages: {', '.join(earlier) or 'none'}")
        self.need(
            origin in earlier, f"'{name}' can't be entered from {quote(origin)}, which is not an earlier stage{advice}", name, "enter"
        )
        is_count = best is None or (isinstance(best, int) and not isinstance(best, bool) and 0 < best <= MOST_BEST)
        self.need(is_count, f"'best' should be the number of bots that enter, 1 to {MOST_BEST}", name, "enter")
        return Rule(str(origin), best)

    def _spec(self, name: str, data: Mapping[str, Any]) -> Spec:
        if isinstance(data.get("game"), str):
            trust_game(data["game"])
        try:
            return make_spec(data, f"the stage '{name}'")
        except SpecError as error:
            sentence = str(error).splitlines()[0]
            key = _SPEC_KEY.search(sentence.partition(": ")[2])
            path = (key[1] + key[2]).split(".") if key else [""]
            inherited = path[0] in COMMON and find_line(self._text, ("stages", name, path[0])) == find_line(self._text, ("stages", name))
            raise SeasonError(
                f"{self._where}, line {find_line(self._text, tuple(path) if inherited else ('stages', name, *path))}: {sentence}"
            ) from None

    def _show(self, moment: datetime) -> str:
        return write_time(moment, self._zone)


def _example(before: list[SeasonStage]) -> str:
    return f"enter = {{ from = '{before[-1].name if before else 'qualification'}', best = 8 }}"


def find_line(text: str, path: tuple[str, ...]) -> int:
    """Return the number of the line that sets the key at that path or, if there is none, that begins the closest table around it."""
    table: tuple[str, ...] = ()
    best, line = 0, 1
    for number, content in enumerate((each.lstrip()[:_LONGEST_KEY] for each in text.split("\n")), 1):
        if header := _HEADER.match(content):
            table = _parts(header[1])
            keys = table
        elif key := _KEY.match(content):
            keys = (*table, *_parts(key[1]))
        else:
            continue
        alike = min(len(keys), len(path))
        if best < alike and path[:alike] == keys[:alike]:
            best, line = alike, number
    return line


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in key.split("."))
