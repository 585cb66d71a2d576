"""Small games whose shares of wins are known exactly: what is adjusted has them, and what would not is refused."""

from __future__ import annotations

import pytest

from arena.analysis.match_luck import NoLuckError, foresight_of
from benchmarks.luck_truth import TRIALS, is_refused
from engine.conformance import Battery, tables_of

BY_NAME = {trial.name: trial for trial in TRIALS}


def test_games_with_hands_are_refused_unless_they_say_what_chance_could_have_done() -> None:
    assert [trial.name for trial in TRIALS if is_refused(trial.game())] == ["Kuhn, hands dealt anew", "Leduc, hands dealt anew"]
    with pytest.raises(NoLuckError, match="does not say that all luck is public, and where seats have secret hands"):
        foresight_of(BY_NAME["Kuhn, hands dealt anew"].game())


@pytest.mark.slow  # hundreds of random games
@pytest.mark.parametrize("name", ["race with dice", "Kuhn, hands kept", "Leduc, hands kept"])
def test_the_games_keep_all_laws(name: str) -> None:
    trial = BY_NAME[name]
    trial.game()
    assert Battery(tables_of(trial.game_name, trial.options), games=3).run().broken == ()
