"""A solo tournament: every bot plays the same set-ups alone, and the scores of a block rank the bots against each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor
from arena.run.results import standings
from arena.run.runner import run_tournament
from arena.spec.spec import Spec
from bots.loader.version import BotVersion
from engine.core import shared_ranks
from leaderboard.storage.store import Store
from tests.arena.conftest import MakeSpec

SOLO = """
    game = "sunda"
    options = { level = 2 }
    bots = ["random", "greedy", "spoiler"]
    schedule = { tables = [1], blocks = 2 }
"""


def test_the_scores_of_a_block_rank_the_bots(spec: MakeSpec, versions: Callable[[Spec], dict[str, BotVersion]], tmp_path: Path) -> None:
    solo = spec(SOLO)
    with Store.create(tmp_path / "solo.db") as store:
        summary = run_tournament(solo, versions(solo), store, InlineExecutor())
        tickets = list(Schedule(solo))
        found = store.matches(ticket.id for ticket in tickets)
        table = standings(store, summary.tournament)

    scores = {(ticket.block, ticket.seats[0]): found[ticket.id].seats[0].score for ticket in tickets}
    names = ["greedy", "random", "spoiler"]
    places = dict.fromkeys(names, 0)
    for block in range(2):
        for name, place in zip(names, shared_ranks([(scores[block, name],) for name in names]), strict=True):
            places[name] += place
    assert [(line.bot, line.mu, line.sigma) for line in table] == [(rated.bot, rated.mu, rated.sigma) for rated in summary.table]
    assert {line.bot: line.mean_rank for line in table} == {name: places[name] / 2 for name in names}
    assert {line.bot: line.mean_score for line in table} == {name: (scores[0, name] + scores[1, name]) / 2 for name in names}
    assert {line.matches for line in table} == {2}
    assert table[-1].bot == "random"
    assert all(rated.number == 2 for rated in summary.table)
