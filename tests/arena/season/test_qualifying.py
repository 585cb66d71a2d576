"""Who qualifies for a later stage of a season, and in which version."""

from __future__ import annotations

from pathlib import Path

from arena.bots import find_bots
from arena.run.runner import run_tournament
from arena.season.driver import entries_of, qualified
from arena.season.season_file import make_season
from arena.spec.spec import make_spec
from bots.loader.loading import resolve
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import find_submission, retire, submit
from tests.arena.formats.test_rounds import Hasty
from tests.arena.season.test_season_file import FILE
from tests.people import person
from tests.stored import tournament_of


def test_a_bot_is_the_version_that_its_ladder_names_with_its_parameters(tmp_path: Path) -> None:
    """A file stays a file, and a version its author's, though somebody else has submitted the same content."""
    path = tmp_path / "own.py"
    path.write_text("class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    version = resolve(str(path))
    with Store.create(tmp_path / "t.db") as store:
        for name in ("first", "copy", "old"):
            submit(store, name, version.digest, person(store, name), pack(version))
        sources = {"own": str(path), "theirs": "first@1", "again": "old@1", "random": "random"}
        bots: list[dict[str, object]] = [{"name": name, "source": source} for name, source in sources.items()]
        bots.append({"name": "sharp", "source": "mcts", "params": {"most": 10}})
        data = {"name": "league", "game": "tongiaki", "bots": bots, "schedule": {"format": "ladder", "tables": [2], "rounds": 6}}
        spec = make_spec(data)
        run_tournament(spec, find_bots(spec, tmp_path, store), store, Hasty())
        stage = make_season(FILE, "cup.toml").stages[0]
        assert set(qualified(store, stage, tournament_of(store))) == {"own", "theirs", "again", "sharp"}
        retire(store, find_submission(store, "old@1"))
        assert set(qualified(store, stage, tournament_of(store))) == {"own", "theirs", "sharp"}
        assert entries_of(store, tournament_of(store), ["own", "theirs", "sharp"]) == [
            {"name": "own", "source": str(path)},
            {"name": "theirs", "source": "first@1"},
            {"name": "sharp", "source": "mcts", "params": {"most": 10}},
        ]
