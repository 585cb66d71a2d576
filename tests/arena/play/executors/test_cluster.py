"""A cluster plays the same tournament, whatever happens to its nodes; and a node that offers less than the run claims does not play."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.play.executors.base import Job
from arena.play.executors.cluster import NodeReport, program_digest, report_node, unfit
from bots.limits import Level
from bots.loader.loading import resolve
from bots.sandbox.probe import best_level
from tests.arena.conftest import Run, Start
from tests.arena.play.executors.nodes import LocalCluster
from tests.arena.run.test_kill import digests, stored
from tests.arena.running import write_cup
from tests.bots.sandbox.stage import is_alive
from tests.world import wait_for

pytestmark = pytest.mark.slow  # it starts Ray clusters


@pytest.fixture
def cluster(folder: Path) -> Iterator[LocalCluster]:
    """A cluster of one node so far."""
    with LocalCluster(folder) as cluster:
        yield cluster


@pytest.fixture
def start_there(tmp_path: Path, cluster: LocalCluster, start: Start) -> Start:
    """Run a cup on the cluster in a process of its own, that goes on."""
    write_cup(tmp_path, nap=0.005, schedule="tables = [2]\nblocks = 20")
    where = ("run", "cup.toml", "--db", "ray.db", "--address", cluster.address)
    return lambda *options: start(*where, *options, env=cluster.environment | {"COLUMNS": "80", "NO_COLOR": "1"})


def test_three_nodes_one_of_them_killed_in_the_middle_give_the_digests_of_one_process(
    tmp_path: Path, cluster: LocalCluster, start_there: Start, run: Run
) -> None:
    nodes = [cluster.add(), cluster.add()]
    for node in nodes:
        node.wait_until_ready()
    process = start_there()
    wait_for(lambda: (stored(tmp_path / "ray.db") >= 3 and nodes[1].is_playing()) or process.poll() is not None, 120)
    assert process.poll() is None, process.communicate()
    (tmp_path / "slow.py").rename(tmp_path / "away.py")  # no node can look it up: it has travelled with its content
    bots = nodes[1].bots()
    assert bots or best_level() < Level.L0
    nodes[1].kill(spare=bots)
    wait_for(lambda: not any(map(is_alive, bots)))  # bots don't outlive their worker, though nobody killed them
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert all(line.startswith("a worker was lost (") for line in err.splitlines()), err
    assert f"cup: 40 matches on 3 Ray workers on the cluster at {cluster.address}" in out
    (tmp_path / "away.py").rename(tmp_path / "slow.py")
    inline = run("run", "cup.toml", "--db", "inline.db", "--executor", "inline", "--isolation", "none")
    assert digests(out) == digests(inline.stdout)
    assert run("faults", "--db", "ray.db").stdout == "No bot has failed in the tournament 'cup'.\n"
    wait_for(lambda: not any(node.bots() for node in (cluster.nodes[0], nodes[0])))  # nor do they outlive the run


def job(level: Level = Level.L1, **bots: str) -> Job:
    return Job("tongiaki", {}, {name: resolve(source, name=name) for name, source in bots.items()}, level=level)


def test_this_machine_is_fit_for_what_it_offers() -> None:
    wanted = job(max(best_level(), Level.L0), ann="random")
    report = report_node("127.0.0.1", list(wanted.bots.values()))
    assert report.host.endswith(" (127.0.0.1)")
    assert dict(report.bots) == {"ann": wanted.bots["ann"].digest}
    assert unfit(report, wanted, program_digest()) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"program": "other"},
            r"^the node n1 has a different version of this program \([\d.]+, but with other files\), which could play differently; ",
        ),
        ({"program": "other", "release": "9.9"}, r"^the node n1 has a different version of this program \(9\.9, not [\d.]+\), which could"),
        ({"level": Level.L0}, r"^the node n1 offers isolation L0 at best, but this run plays at L1; run 'arena doctor' there, "),
        ({"bots": (("ann", "0" * 64),)}, r"^the node n1 can't play the bot 'ann', which is .* here \(there: a different version\); "),
        ({"bots": (("ann", "no module"),)}, r"^the node n1 can't play the bot 'ann', which is .* here \(there: no module\); "),
    ],
)
def test_what_a_node_lacks_is_told_in_one_sentence(change: dict[str, object], sentence: str) -> None:
    wanted = job(ann="random")
    fit = NodeReport("n1", program_digest(), "0.1.0", Level.L3, (("ann", wanted.bots["ann"].digest),))
    assert unfit(fit, wanted, program_digest()) is None
    told = unfit(replace(fit, **change), wanted, program_digest())  # type: ignore[arg-type]
    assert told is not None
    assert re.search(sentence, told)
    assert "\n" not in told
