"""Every attack on a sandbox whose bots have packages and threads: it claims what the same level claims without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.host.packages import modules_of_packages, shown_modules
from bots.limits import Level, Limits
from bots.sandbox.spawn import Sandbox
from tests.bots.sandbox.stage import HARNESS, LEVELS, attack, stop_unless_offered
from tests.bots.sandbox.test_hostile import NEVER_AT_L0, REFUSED_ABOVE_L0, REFUSED_EVERYWHERE, Table, around

pytestmark = pytest.mark.slow  # every attack at every level of isolation

PACKAGES = ("numpy", "onnxruntime")
LIMITS = Limits(memory=512 << 20, cpu_seconds=5, threads=3)


@pytest.fixture(scope="module", params=[level for level in LEVELS if level > Level.L0], ids=str)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    sandbox = Sandbox(request.param, limits=LIMITS, preload=(HARNESS,), shown=shown_modules(PACKAGES), loaded=modules_of_packages(PACKAGES))
    stop_unless_offered(sandbox)
    with around(sandbox, tmp_path_factory) as table:
        yield table


@pytest.mark.parametrize("name", [*REFUSED_EVERYWHERE, *REFUSED_ABOVE_L0, *NEVER_AT_L0])
def test_what_a_level_claims_holds_with_packages_and_threads(table: Table, name: str) -> None:
    told = attack(table.sandbox, name, table.host.targets)

    assert told.attempts, told.log
    assert told.ended is not None
    assert told.got == []
    assert table.host.harm() == []
    table.assert_that_play_goes_on()


def test_the_packages_are_there_to_be_attacked(table: Table) -> None:
    told = attack(table.sandbox, "s52_uses_packages", table.host.targets)

    assert not [each for each in told.attempts if "No module named" in str(each["detail"])]
